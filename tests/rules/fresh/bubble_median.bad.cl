// The first pass of a sort compares the last value with one that is not there.
// family: bounds
__kernel void median9(__global const float *in, __global float *out, const int width, const int height) {
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    float v[9];
    int n = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) v[n++] = in[(y + dy) * width + x + dx];
    for (int i = 0; i < 9; ++i)
        for (int j = 0; j < 9 - i; ++j)
            if (v[j] > v[j + 1]) {  // bad
                const float t = v[j];
                v[j] = v[j + 1];
                v[j + 1] = t;
            }
    out[y * width + x] = v[4];
}
