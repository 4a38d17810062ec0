// kinds: global-memory-race
// The turn of the next launch lies in the buffer of the arrivals that the first block waits for.
__global__ void next_turn(unsigned *state, float *out, const float *in) {
  unsigned turn = state[0];
  unsigned *arrived = &state[8];
  out[blockIdx.x * blockDim.x + threadIdx.x] = in[threadIdx.x] * turn;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();  //+
    atomicAdd(arrived, 1u);
    if (blockIdx.x == 0) {
      while (*(volatile unsigned *)arrived < gridDim.x) {}  //+
      state[0] = turn + 1;
      *arrived = 0;  //+
    }
  }
}
