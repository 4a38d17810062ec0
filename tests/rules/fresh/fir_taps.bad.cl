// A filter's tap is tested, the sample that is made of it is not.
// family: bounds
// open
__kernel void fir(__global const float *in, __constant float *taps, __global float *out, const int n, const int n_taps) {
    const int i = get_global_id(0);
    if (i >= n) return;
    float y = 0.0f;
    for (int k = 0; k < n_taps; ++k)
        y += taps[k] * in[i + k];  // bad
    out[i] = y - in[i];
}
