// What only marked cells give is used where they are marked: by the same test, after the others have left, as a factor
// of what is zero elsewhere; and where a chain of questions has an answer for each kind.
// family: uninitialised-private
__global__ void speeds(const float *u, const float *w, const unsigned char *wet, const int *kind, float *out, int n) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n) return;
    float value, other, third, fourth;
    if (wet[at]) value = u[at];
    if (wet[at]) out[at] = value;
    if (wet[at] != 0) other = u[at] * 2.0f;
    out[n + at] = wet[at] ? other : 0.0f;
    if (kind[at] == 0) third = u[at];
    else if (kind[at] == 1) third = 2.0f * u[at];
    else if (kind[at] == 2) third = -u[at];
    out[2 * n + at] = third;
    if (w[at] > 0.0f) fourth = u[at];
    out[3 * n + at] = w[at] * fourth;
    float last;
    if (u[at] > 0.0f) last = u[at];
    else return;
    out[4 * n + at] = last;
}
