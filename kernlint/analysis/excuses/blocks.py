"""Excuses by launches that nobody makes."""

from __future__ import annotations

from kernlint.analysis.accesses.pairs import Pair
from kernlint.analysis.excuses.excuse import excuse
from kernlint.analysis.excuses.places import of_pair
from kernlint.symbolic.terms import SymbolKind


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


@excuse("races", of_pair)
def made_for_the_block(pair: Pair, alone: bool) -> bool:
    """One thread of each block stores what an OpenCL kernel has made of work for a block of a required size.

    The host that has compiled it so may have made the block large enough for all work, and start one.  ``alone``: the
    kernel requires a size, and no launch of it is in sight.

    ```opencl excused
    __kernel __attribute__((reqd_work_group_size(64, 1, 1)))
    void mean(__global const float *in, __global float *out, int rows) {
        __local float part[64];
        const int lane = get_local_id(0), row = get_global_id(1);
        part[lane] = in[row * 64 + lane];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int s = 32; s > 0; s >>= 1) {
            if (lane < s) part[lane] += part[lane + s];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (lane == 0) out[row] = part[0] + get_global_id(0);
    }
    ```

    ```opencl still-bad
    __kernel __attribute__((reqd_work_group_size(64, 1, 1)))
    void mean(__global const float *in, __global float *out, int rows) {
        const int lane = get_local_id(0), row = get_global_id(1);
        out[row] = in[row * 64 + lane] + get_global_id(0);
    }
    ```
    """
    return alone and all(
        any(
            guard.term.op == "eq" and any(s.kind is SymbolKind.THREAD for s in guard.term.symbols)
            for guard in one.guards
        )
        for one in (pair.first, pair.second)
    )
