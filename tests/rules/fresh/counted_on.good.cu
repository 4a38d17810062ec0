// Lists that go as far as their count: capped behind the loop, capped in it, left at the end, or tested once more.
// family: bounds
#define ROOM 48
__global__ void capped(const float *x, const int *start, float *out, int n, float h) {
    const int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= n) return;
    int near[ROOM];
    int count = 0;
    for (int k = start[me]; k < start[me + 1]; ++k)
        if (fabsf(x[k] - x[me]) < h) {
            if (count < ROOM) near[count] = k;
            ++count;
        }
    if (count > ROOM) count = ROOM;
    float sum = 0.0f;
    for (int j = 0; j < count; ++j) sum += x[near[j]];
    out[me] = sum;
}
__global__ void within(const float *x, const int *start, float *out, int n, float h) {
    const int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= n) return;
    int near[ROOM];
    int count = 0;
    for (int k = start[me]; k < start[me + 1]; ++k)
        if (fabsf(x[k] - x[me]) < h && count < ROOM) near[count++] = k;
    float sum = 0.0f;
    for (int j = 0; j < count; ++j) sum += x[near[j]];
    out[me] = sum;
}
__global__ void tested(const float *x, const int *start, float *out, int *more, int n, float h) {
    const int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= n) return;
    int near[ROOM];
    int count = 0;
    for (int k = start[me]; k < start[me + 1]; ++k)
        if (fabsf(x[k] - x[me]) < h) {
            if (count < ROOM) near[count] = k;
            ++count;
        }
    float sum = 0.0f;
    for (int j = 0; j < count && j < ROOM; ++j) sum += x[near[j]];
    for (int j = 0; j < count; ++j) {
        if (j == ROOM) break;
        sum -= 0.5f * x[near[j]];
    }
    int j = 0;
    while (j < count) {
        sum *= x[near[j]];
        if (++j >= ROOM) break;
    }
    more[me] = count > ROOM;
    out[me] = sum;
}
__global__ void given_up(const float *x, const int *start, float *out, int n, float h) {
    const int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= n) return;
    int near[ROOM];
    int count = 0;
    for (int k = start[me]; k < start[me + 1]; ++k)
        if (fabsf(x[k] - x[me]) < h) {
            if (count < ROOM) near[count] = k;
            ++count;
        }
    if (count > ROOM) {
        out[me] = -1.0f;
        return;
    }
    float sum = 0.0f;
    for (int j = 0; j < count; ++j) sum += x[near[j]];
    out[me] = sum;
}
