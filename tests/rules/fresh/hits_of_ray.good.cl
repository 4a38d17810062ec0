// A ray keeps the first eight of its crossings and counts them all; the blend goes over those kept.
// family: bounds
typedef struct { float depth; uint colour; } crossing;

float blend(const crossing *found, const uint count) {
    float sum = 0.0f;
    for (uint k = 0; k != count; k++) sum = mix(sum, found[k].depth, 0.5f);
    return sum;
}

__kernel void rays(__global const float *surface, const uint surfaces, __global float *image) {
    const uint ray = get_global_id(0);
    crossing found[8];
    uint count = 0;
    for (uint s = 0; s < surfaces; s++) {
        const float depth = surface[s] * (float)ray;
        if (depth > 0.0f) {
            if (count < 8) {
                found[count].depth = depth;
                found[count].colour = s;
            }
            count += 1;
        }
    }
    image[ray] = blend(found, min(count, 8u));
}
