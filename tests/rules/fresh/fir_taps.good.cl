// The input is longer than the output, and the kernel says by how much.
// family: bounds
__kernel void fir(__global const float *in, __constant float *taps, __global float *out, const int n, const int n_taps) {
    const int i = get_global_id(0);
    const int n_out = n - n_taps + 1;
    if (i >= n_out) return;
    float y = 0.0f;
    for (int k = 0; k < n_taps; ++k)
        y += taps[k] * in[i + k];
    out[i] = y - in[i];
}
