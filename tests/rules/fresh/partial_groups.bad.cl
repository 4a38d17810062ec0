// As many partial sums are read as there are items in the group, of as many as there are sub-groups.
// family: bounds
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void energy(__global const float *spins, __global float *total, const int n) {
    __local float part[8];
    const int t = get_local_id(0);
    float e = 0.0f;
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) e += spins[i];
    e = sub_group_reduce_add(e);
    if (t % 32 == 0) part[t / 32] = e;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t == 0) {
        float s = 0.0f;
        for (int k = 0; k < get_local_size(0) / 16; ++k) s += part[k];  // bad
        total[get_group_id(0)] = s;
    }
}
