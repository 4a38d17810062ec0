// The slice is declared and used, never set.
// family: uninitialised-private
__kernel void threshold(__global const ushort *volume, __global uchar *mask, const int level) {
    const int x = get_global_id(0), y = get_global_id(1);
    const int w = get_global_size(0), h = get_global_size(1);
    int slice;
    const ushort v = volume[slice * w * h + y * w + x];  // bad
    mask[y * w + x] = v > level;
}
