// The row is what is left of an index of a grid rounded up row by row; nobody asks whether there is such a channel.
// family: bounds
__kernel void unfold(__global const float *image, __global float *cols, const int width, const int height, const int channels) {
    const int x = get_global_id(0);
    const int row = get_global_id(1) % height;
    const int channel = get_global_id(1) / height;
    if (x >= width || row >= height) return;
    cols[(channel * height + row) * width + x] = image[(channel * height + row) * width + x];  // bad
}
