// kinds: shared-memory-race
// A list in local memory is emptied when it is full, and after the last round: then another barrier comes.
__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void near_ones(__global const float *x, float reach, int n, __global int2 *pairs, volatile __global int *count, int room)
{
    __local int list[256];
    __local int filled;
    __local int at;
    const int t = get_local_id(0);
    for (int i = get_group_id(0); i < n; i += get_num_groups(0)) {
        if (t == 0)
            filled = 0;
        barrier(CLK_LOCAL_MEM_FENCE); //+
        for (int from = i; from < n; from += 128) {
            const int j = from + t;
            if (j < n && fabs(x[j] - x[i]) < reach)
                list[atomic_inc(&filled)] = j;
            barrier(CLK_LOCAL_MEM_FENCE);
            const int here = filled;
            const bool last = from + 128 >= n;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (here > 128 || last) {
                if (t == 0) {
                    at = atomic_add(count, here);
                    filled = 0;
                }
                barrier(CLK_LOCAL_MEM_FENCE);
                for (int k = t; k < here; k += 128)
                    if (at + k < room)
                        pairs[at + k] = (int2)(i, list[k]);
                barrier(CLK_LOCAL_MEM_FENCE);
            }
        }
    }
}
