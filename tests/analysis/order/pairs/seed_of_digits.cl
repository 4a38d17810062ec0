// kinds: shared-memory-race
// Exclusive scan of digit counts, one work-group, digit after digit; the seed is carried from one digit to the next.
__kernel void digit_offsets(__global uint *counts, const int groups, __local uint *buf) {
    __local uint seed;
    const int lid = get_local_id(0);
    const int size = get_local_size(0);
    if (lid == 0) seed = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int digit = 0; digit < 16; ++digit) {
        uint v = lid < groups ? counts[digit * groups + lid] : 0;
        uint sum = v;
        buf[lid] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int d = 1; d < size; d <<= 1) {
            uint t = lid >= d ? buf[lid - d] : 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            sum += t;
            buf[lid] = sum;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (lid < groups) counts[digit * groups + lid] = sum - v + seed;
        barrier(CLK_LOCAL_MEM_FENCE); //+
        if (lid == groups - 1) seed += sum;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
