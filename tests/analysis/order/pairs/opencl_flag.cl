// kinds: wrong-fence global-memory-race
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void relay(__global const float *in, __global float *table, __global atomic_int *ready, __global float *out)
{
    const int l = get_local_id(0);
    if (get_group_id(0) == 0) {
        table[l] = native_sqrt(in[l]);
        work_group_barrier(CLK_GLOBAL_MEM_FENCE);
        if (l == 0)
            atomic_store_explicit(ready, 1, memory_order_release, memory_scope_work_group); //-
            atomic_store_explicit(ready, 1, memory_order_release, memory_scope_device); //+
    } else {
        if (l == 0)
            while (atomic_load_explicit(ready, memory_order_acquire, memory_scope_device) == 0)
                ;
        work_group_barrier(CLK_GLOBAL_MEM_FENCE);
        out[get_global_id(0)] = table[63 - l];
    }
}
