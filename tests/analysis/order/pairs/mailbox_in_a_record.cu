// kinds: wrong-fence
#include <cuda_runtime.h>
struct Mailbox {
    volatile int sent;
    int words[32 * 128];
};
// Two blocks in one cooperative launch: the first one sends messages, the other one adds them up.
__global__ void talk(Mailbox *box, const int *message, int *sum, int messages)
{
    if (blockIdx.x == 0) {
        for (int m = 0; m < messages; ++m) {
            int *place = box->words + m * 128;
            for (int w = threadIdx.x; w < 128; w += blockDim.x)
                place[w] = message[m * 128 + w];
            __threadfence(); //+
            __syncthreads();
            if (threadIdx.x == 0)
                box->sent = m + 1;
        }
    } else {
        for (int m = 0; m < messages; ++m) {
            if (threadIdx.x == 0) {
                while (box->sent <= m) {}
                __threadfence();
            }
            __syncthreads();
            const volatile int *place = box->words + m * 128;
            int own = 0;
            for (int w = threadIdx.x; w < 128; w += blockDim.x)
                own += place[w];
            atomicAdd(&sum[m], own);
        }
    }
}
