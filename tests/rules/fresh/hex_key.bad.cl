// Counted in hexadecimal digits, stored in words of eight of them.
// family: bounds
typedef struct { uint digits[64]; int len; } key_t;
__kernel void unpack(__global const key_t *keys, __global uint *sums, const int n) {
    const int g = get_global_id(0);
    if (g >= n) return;
    uint word[8];
    for (int i = 0; i < 64; i += 4)
        word[i / 4] = keys[g].digits[i] << 12 | keys[g].digits[i + 1] << 8 | keys[g].digits[i + 2] << 4 | keys[g].digits[i + 3];  // bad
    uint s = 0;
    for (int i = 0; i < 8; ++i) s ^= word[i];
    sums[g] = s;
}
