// Counters of three channels in local memory, cleared by as many work-items as one channel has counters.
// family: uninitialised-shared-memory
void tally(__local uint *bins, uchar value) { atomic_inc(bins + (value >> 2)); }  // bad

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void colours(__global const uchar *pixels, int count, __global uint *sums) {
    __local uint bins[3 * 64];
    const int lid = get_local_id(0);
    bins[lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int p = get_global_id(0); p < count; p += get_global_size(0)) {
        tally(bins, pixels[3 * p]);
        tally(bins + 64, pixels[3 * p + 1]);
        tally(bins + 128, pixels[3 * p + 2]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&sums[lid], bins[lid]);
    atomic_add(&sums[64 + lid], bins[64 + lid]);
    atomic_add(&sums[128 + lid], bins[128 + lid]);
}
