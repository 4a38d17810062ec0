// family: uninitialised-private
__global__ void coulomb(const float3 *pos, const float *charge, float *energy, int atoms) {
    int a = blockIdx.x * blockDim.x + threadIdx.x;
    float q;
    float3 p = make_float3(0.0f, 0.0f, 0.0f);
    if (a < atoms) {
        p = pos[a];
        q = charge[a];
    }
    float e = 0.0f;
    if (a < atoms) e = q * (p.x + p.y + p.z);
    atomicAdd(energy, e);
}
