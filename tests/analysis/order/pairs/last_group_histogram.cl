// kinds: wrong-fence global-memory-race
// Each group leaves its histogram; the last one to arrive adds them up.
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void bins(__global const uchar *pixel, __global uint *part, __global uint *total, __global atomic_uint *arrived)
{
    __local uint mine[64];
    __local uint order;
    const uint l = get_local_id(0), g = get_group_id(0), groups = get_num_groups(0);
    mine[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&mine[pixel[get_global_id(0)] >> 2]);
    barrier(CLK_LOCAL_MEM_FENCE);
    part[g * 64 + l] = mine[l];
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (l == 0)
        order = atomic_fetch_add_explicit(arrived, 1u, memory_order_relaxed, memory_scope_device); //-
        order = atomic_fetch_add_explicit(arrived, 1u, memory_order_acq_rel, memory_scope_device); //+
    barrier(CLK_LOCAL_MEM_FENCE);
    if (order == groups - 1) {
        uint sum = 0;
        for (uint k = 0; k < groups; ++k)
            sum += part[k * 64 + l];
        total[l] = sum;
    }
}
