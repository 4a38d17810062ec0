// kinds: wrong-fence
// A block sets the flag of its record, for which the next block waits, before the record's sum is there.
#include <cuda_runtime.h>

struct Record {
    volatile int ready;
    int sum;
};

__global__ void chain(Record *records, const int *parts, int *out)
{
    const int b = blockIdx.x;
    if (threadIdx.x == 0) {
        int before = 0;
        if (b > 0) {
            while (records[b - 1].ready == 0) {
            }
            __threadfence();
            before = records[b - 1].sum;
        }
        records[b].sum = before + parts[b]; //+
        __threadfence(); //+
        records[b].ready = 1; //+
        records[b].ready = 1; //-
        __threadfence(); //-
        records[b].sum = before + parts[b]; //-
        out[b] = before;
    }
}
