// Read through a sampler that clamps, written where no pixel is.
// family: image
__constant sampler_t near = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
__kernel void shift(read_only image2d_t src, write_only image2d_t dst, const int dx) {
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    if (at.x >= get_image_width(dst) || at.y >= get_image_height(dst)) return;
    write_imagef(dst, at + (int2)(dx, 1), read_imagef(src, near, at));  // bad
}
