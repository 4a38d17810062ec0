// family: uninitialised-private
__kernel void threshold(__global const ushort *volume, __global uchar *mask, const int level) {
    const int x = get_global_id(0), y = get_global_id(1);
    const int w = get_global_size(0), h = get_global_size(1);
    int slice;
    slice = get_global_id(2);
    const ushort v = volume[slice * w * h + y * w + x];
    mask[(slice * h + y) * w + x] = v > level;
}
