// kinds: shared-memory-race
__kernel void longest_of_row(__global const int *lengths, __global const float *x, __global float *most, int pitch)
{
    __local float best[256];
    const int me = get_local_id(0);
    const int filled = lengths[get_group_id(0)];
    for (int i = me; i < filled; i += get_local_size(0))
        best[i] = x[get_group_id(0) * pitch + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int left = filled; left > 1;) {
        const int half_of_it = (left + 1) / 2;
        for (int i = me; i < left - half_of_it; i += get_local_size(0))
            best[i] = fmax(best[i], best[i + half_of_it]); //+
            best[i] = fmax(best[i], best[i + 1]); //-
        barrier(CLK_LOCAL_MEM_FENCE);
        left = half_of_it;
    }
    if (me == 0)
        most[get_group_id(0)] = best[0];
}
