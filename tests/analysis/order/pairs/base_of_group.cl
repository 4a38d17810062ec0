// kinds: shared-memory-race
// Compaction with a work-group scan; the offset of the group lies in local memory and is replaced each round.
__kernel void compact(__global const int *in, __global int *out, volatile __global int *cursor, int n) {
    __local int base;
    for (int at = get_group_id(0) * get_local_size(0); at < n; at += get_global_size(0)) {
        const int i = at + get_local_id(0);
        const int keep = i < n && in[i] > 0;
        const int mine = work_group_scan_exclusive_add(keep);
        const int all = work_group_reduce_add(keep);
        if (get_local_id(0) == 0) base = atomic_add(cursor, all);
        barrier(CLK_LOCAL_MEM_FENCE); //+
        if (keep) out[base + mine] = in[i];
        barrier(CLK_LOCAL_MEM_FENCE); 
    }
}
