// The table of rows has an entry more than there are rows, as the other kernel reads it.
// family: bounds
__kernel void row_sums(__global const float *values, __global const uint *begin, __global float *sum, const uint rows) {
    const uint r = get_global_id(0);
    if (r >= rows) return;
    float s = 0.0f;
    for (uint k = begin[r]; k < begin[r + 1]; k++)
        s += values[k];
    sum[r] = s;
}

__kernel void shift_rows(__global uint *begin, const uint rows, const uint by) {
    const uint r = get_global_id(0);
    if (r <= rows)
        begin[r] += by;
}
