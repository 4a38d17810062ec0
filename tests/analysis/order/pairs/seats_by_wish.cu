// kinds: global-memory-race
#include <cuda_runtime.h>
struct Seat {
    float fare;
    int rider;
};
// Riders ask for seats; who finds one free sits down.
__global__ void board(const int *wish, const float *fare, int riders, int *taken, Seat *seats, int *refused)
{
    const int rider = blockIdx.x * blockDim.x + threadIdx.x;
    if (rider >= riders)
        return;
    const int seat = wish[rider];
    const bool free = atomicCAS(&taken[seat], 0, 1) == 0; //+
    const bool free = taken[seat] == 0; //-
    if (free) {
        taken[seat] = 1; //-
        seats[seat].fare = fare[rider];
        seats[seat].rider = rider;
    } else
        atomicAdd(refused, 1);
}
void run(const int *wish, const float *fare, int riders, int *taken, Seat *seats, int *refused)
{
    board<<<(riders + 127) / 128, 128>>>(wish, fare, riders, taken, seats, refused);
}
