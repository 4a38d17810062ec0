// family: index-overflow
inline long flat(void) { return (long)get_group_id(0) * get_local_size(0) + get_local_id(0); }
__kernel void mute(__global float *samples, const long total, const float floor_) {
    const long i = flat();
    if (!(i >= total) && fabs(samples[i]) < floor_) samples[i] = 0.0f;
}
