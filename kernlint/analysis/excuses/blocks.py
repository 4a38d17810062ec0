"""Excuses by launches that nobody makes."""

from __future__ import annotations

from kernlint.analysis.accesses.pairs import Pair
from kernlint.analysis.excuses.excuse import excuse
from kernlint.analysis.excuses.places import of_pair


@excuse("races", of_pair)
def met_by_made_up_numbers(pair: Pair, own: bool) -> bool:
    """Threads of one write meet only because of a block, a grid or lengths of rows that were made up.

    ``own``: the kernel itself leads many threads to one place, whatever the numbers.

    ```cuda excused
    __global__ void soften(float *x, int rounds, int slots, int length, int slot_step, int step) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= rounds * slots) return;
        for (int k = 0; k < length; ++k) x[i % slots * slot_step + k * step] = 0.5f * k + i;
    }
    ```

    ```cuda still-bad
    __global__ void soften(float *x, int rounds, int slots, int length, int slot_step, int step) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= rounds * slots) return;
        for (int k = 0; k < length; ++k) x[i / 2 % slots * slot_step + k * step] = 0.5f * k + i;
    }
    ```
    """
    return not own
