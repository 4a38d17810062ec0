// A word may be empty: its last letter is then before the first.
// family: bounds
// open
__kernel void trim(__global const uchar *text, __global const int *start, __global int *length, const int words) {
    const int w = get_global_id(0);
    if (w >= words) return;
    uchar buf[64];
    const int len = min(length[w], 64);
    for (int i = 0; i < len; ++i) buf[i] = text[start[w] + i];
    if (buf[len - 1] == ' ') length[w] = len - 1;  // bad
}
