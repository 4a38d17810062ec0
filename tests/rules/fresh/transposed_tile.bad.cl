// One of two coordinates of a tile is tested.
// family: bounds
#define T 16
__kernel void correlate(__global const float *a, __global const float *b, __global float *out, const int m, const int n, const int k) {
    __local float ta[T][T], tb[T][T];
    const int row = get_group_id(1) * T + get_local_id(1);
    const int col = get_group_id(0) * T + get_local_id(0);
    float acc = 0.0f;
    for (int t = 0; t < (k + T - 1) / T; ++t) {
        const int ka = t * T + get_local_id(0), kb = t * T + get_local_id(1);
        ta[get_local_id(1)][get_local_id(0)] = (row < m && ka < k) ? a[row * k + ka] : 0.0f;
        tb[get_local_id(1)][get_local_id(0)] = (col < n) ? b[kb * n + col] : 0.0f;  // bad
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < T; ++i) acc += ta[get_local_id(1)][i] * tb[i][get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < m && col < n) out[row * n + col] = acc;
}
