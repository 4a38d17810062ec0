// kinds: wrong-fence
// Letters and the count of those that are there lie in one object: the count is the word that is waited for, and the
// letters are what it hands over, whichever of them a thread is at.
struct Box { int size; volatile unsigned there; unsigned letters[64 * 256]; };
__global__ void post(Box *box, const unsigned *text, unsigned *sum, unsigned letters) {
    if (blockIdx.x == 0) {
        for (unsigned l = 0; l < letters; l++) {
            unsigned *letter = box->letters + l * 256;
            for (int w = threadIdx.x; w < 256; w += blockDim.x) letter[w] = text[l * 256 + w];
            __threadfence(); //+
            __syncthreads();
            if (threadIdx.x == 0) box->there = l + 1;
        }
    } else {
        for (unsigned l = 0; l < letters; l++) {
            if (threadIdx.x == 0) {
                while (box->there <= l) { }
                __threadfence();
            }
            __syncthreads();
            const volatile unsigned *letter = box->letters + l * 256;
            unsigned all = 0;
            for (int w = threadIdx.x; w < 256; w += blockDim.x) all += letter[w];
            atomicXor(&sum[l], all);
        }
    }
}
