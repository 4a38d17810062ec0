// kinds: shared-memory-race
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
// Largest logit of a row, one work-group for a row.
__kernel void row_max(__global const float *x, __global float *y, int cols) {
    __local float best[32];
    const int row = get_group_id(0);
    float m = -INFINITY;
    for (int c = get_local_id(0); c < cols; c += get_local_size(0)) m = fmax(m, x[row * cols + c]);
    m = sub_group_reduce_max(m);
    if (get_sub_group_local_id() == 0) best[get_sub_group_id()] = m;
    barrier(CLK_LOCAL_MEM_FENCE); //+
    sub_group_barrier(CLK_LOCAL_MEM_FENCE); //-
    if (get_sub_group_id() == 0) {
        m = get_sub_group_local_id() < get_num_sub_groups() ? best[get_sub_group_local_id()] : -INFINITY;
        m = sub_group_reduce_max(m);
        if (get_sub_group_local_id() == 0) y[row] = m;
    }
}
