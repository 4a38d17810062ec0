// Which half of the table a code names is decided by data that name the first half alone: nothing is known to be unset.
// family: uninitialised-shared-memory
__global__ void __launch_bounds__(64) decode(const unsigned char *code, float *out, const float *book, int n) {
    __shared__ float half_filled[256];
    half_filled[threadIdx.x] = book[threadIdx.x];
    half_filled[threadIdx.x + 64] = book[threadIdx.x + 64];
    __syncthreads();
    for (int i = blockIdx.x * 64 + threadIdx.x; i < n; i += 64 * gridDim.x) out[i] = half_filled[64 + (code[i] & 127)];
}
void run(const unsigned char *code, float *out, const float *book, int n) { decode<<<32, 64>>>(code, out, book, n); }
