// Work-items without a value store none, and the tree of the group reads all of its cells.
// family: uninitialised-shared-memory
inline float most_of(__local float *cells, const int me, const int all) {
    for (int step = all / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me < step) cells[me] = fmax(cells[me], cells[me + step]);  // bad
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return cells[0];
}

__kernel void scaled(__global const float *in, __global float *out, const int length) {
    __local float cells[512];
    const int me = get_local_id(0);
    float x = -INFINITY;
    if (me < length) {
        x = in[get_group_id(0) * length + me];
        cells[me] = x;
    }
    const float most = most_of(cells, me, get_local_size(0));
    barrier(CLK_LOCAL_MEM_FENCE);
    cells[me] = me < length ? exp(x - most) : 0.0f;
    const float least = -most_of(cells, me, get_local_size(0));
    if (me < length) out[get_group_id(0) * length + me] = x * least;
}
