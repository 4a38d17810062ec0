// kinds: shared-memory-race barrier-divergence
#define ITEMS 64

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void halve(__global int *x, const int n)
{
    __local volatile int done;
    const int l = get_local_id(0);
    if (l == 0)
        done = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int i = get_global_id(0), finished = 0, out = 0;
    while (finished < ITEMS) {
        if (i >= n && !out) {
            out = 1;
            atomic_inc(&done);
        }
        barrier(CLK_LOCAL_MEM_FENCE); //+
        finished = done;
        if (!out) {
            x[i] /= 2;
            i += get_global_size(0);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
