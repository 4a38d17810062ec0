// The samples are loaded under a test of the trace's length, the stack is stored without one.
// family: bounds
__global__ void stack_gather(const float *traces, const float *gain, float *stack, int n_traces, int n_samples) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n_traces; ++k) {
        float v = 0.0f;
        if (t < n_samples) v = traces[k * n_samples + t];
        sum += v * gain[k];
    }
    stack[t] = sum / n_traces;  // bad
}
