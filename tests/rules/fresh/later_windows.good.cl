// The smallest label that no neighbour has is looked for in windows of 32; labels of other windows are passed over.
// family: bounds
__kernel void smallest(__global const int *first, __global const int *other, __global const int *label,
                       __global int *free_label, const int count) {
    const int me = get_global_id(0);
    if (me >= count) return;
    int found = -1;
    for (int base = 0; found < 0; base += 32) {
        uchar taken[32];
        for (int t = 0; t < 32; ++t) taken[t] = 0;
        for (int k = first[me]; k < first[me + 1]; ++k) {
            const int at = label[other[k]] - base;
            if (at >= 0 && at < 32) taken[at] = 1;
        }
        for (int t = 31; t >= 0; --t)
            if (!taken[t]) found = base + t;
    }
    free_label[me] = found;
}
