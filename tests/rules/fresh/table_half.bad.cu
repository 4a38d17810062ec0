// A table of 256 is filled by as many threads as there are in half a block.
// family: uninitialised-shared-memory
__global__ void __launch_bounds__(128) substitute(const unsigned char *in, unsigned char *out, const unsigned char *box, int n) {
    __shared__ unsigned char table[256];
    table[threadIdx.x] = box[threadIdx.x];
    __syncthreads();
    for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += 128 * gridDim.x) out[i] = table[in[i]];  // bad
}
void run(const unsigned char *in, unsigned char *out, const unsigned char *box, int n) {
    substitute<<<64, 128>>>(in, out, box, n);
}
