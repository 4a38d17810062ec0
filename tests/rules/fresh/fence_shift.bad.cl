// One length for each row, and the test lets one more through.
// family: bounds
__kernel void row_sums(__global const float *values, __global const uint *length, __global float *sum, const uint pitch,
                       const uint rows) {
    const uint r = get_global_id(0);
    if (r >= rows) return;
    float s = 0.0f;
    for (uint k = 0; k < length[r]; k++)
        s += values[r * pitch + k];
    sum[r] = s;
}

__kernel void shift_rows(__global uint *length, const uint rows, const uint by) {
    const uint r = get_global_id(0);
    if (r <= rows)
        length[r] += by;  // bad
}
