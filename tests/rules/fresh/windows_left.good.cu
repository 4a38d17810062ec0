// Sorted keys are counted by windows: the walk stops at the first key of the next one, or passes it over.
// family: bounds
__global__ void __launch_bounds__(64) tally(const int *keys, const int *begin, int *out, int last) {
    int bins[16];
    int at = begin[threadIdx.x];
    const int end = begin[threadIdx.x + 1];
    for (int base = 0; base < last; base += 16) {
        for (int b = 0; b < 16; ++b) bins[b] = 0;
        for (; at < end; ++at) {
            const int bin = keys[at] - base;
            if (bin >= 16) break;
            if (bin >= 0) ++bins[bin];
        }
        for (int k = begin[threadIdx.x]; k < end; ++k) {
            if (keys[k] >= base && keys[k] < base + 16) bins[keys[k] - base] += 2;
        }
        for (int b = 0; b < 16; ++b) out[(base + b) * 64 + threadIdx.x] = bins[b];
    }
}
