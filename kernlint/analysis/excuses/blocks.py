"""Excuses by launches that nobody makes."""

from __future__ import annotations

from kernlint.analysis.accesses.pairs import Pair
from kernlint.analysis.excuses.excuse import excuse
from kernlint.analysis.excuses.places import of_pair


@excuse("races", of_pair)
def met_by_made_up_numbers(pair: Pair, own: bool) -> bool:
    """Threads of one write meet only because of a block, a grid or lengths of rows that were made up.

    ``own``: the kernel itself leads many threads to one place, whatever the numbers.

    ```opencl excused
    kernel void ramp(global float *out, const int step_x, const int step_y, const int step_z,
                     const int size_x, const int size_y, const int size_z) {
        const int x = get_global_id(0), y = get_global_id(1);
        if (x >= size_x || y >= size_y) return;
        int index = x * step_x + y * step_y;
        for (int z = 0; z < size_z; z++) {
            out[index] = x;
            index += step_z;
        }
    }
    ```

    ```opencl still-bad
    kernel void ramp(global float *out, const int step_x, const int step_y, const int step_z,
                     const int size_x, const int size_y, const int size_z) {
        const int x = get_global_id(0), y = get_global_id(1);
        if (x >= size_x || y >= size_y) return;
        int index = x / 2 * step_x + y * step_y;
        for (int z = 0; z < size_z; z++) {
            out[index] = x;
            index += step_z;
        }
    }
    ```
    """
    return not own
