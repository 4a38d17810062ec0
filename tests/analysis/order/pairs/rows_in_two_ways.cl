// kinds: wrong-fence global-memory-race
// Short rows are the group's own; of a long one the first group sets the start, which the others wait for.
__kernel void add_rows(__global const float *part, __global const int *first, __global float *sum, volatile __global int *ready)
{
    const int group = get_group_id(0);
    const int t = get_local_id(0);
    const int lead = first[group];
    if (lead < 0) {
        if (t == 0)
            sum[group] = part[group];
    } else if (group == lead) {
        if (t == 0) {
            sum[lead] = part[group];
            atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device); //+
            atomic_xchg(&ready[lead], 1);
        }
    } else {
        if (t == 0) {
            while (atomic_or(&ready[lead], 0) == 0) {
            }
            atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
            if (sum[lead] > part[group])
                ready[lead + 2] = 2;
        }
    }
}
