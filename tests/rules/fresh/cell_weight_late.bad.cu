// The cell's weight is read before the cell is tested.
// family: bounds
__global__ void deposit(const int *order, const float *weight, const float *charge, float *rho, int cells) {
    int cell = blockIdx.x * blockDim.x + threadIdx.x;
    float w = weight[cell];  // bad
    int who = 0;
    if (cell < cells) {
        who = order[cell];
        rho[cell] += w * charge[who];
    }
}
