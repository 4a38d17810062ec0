"""Excuses by launches that nobody makes."""

from __future__ import annotations

from kernlint.analysis.accesses.pairs import Pair
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.excuses.excuse import excuse
from kernlint.analysis.excuses.places import of_pair
from kernlint.analysis.trace.events import Access
from kernlint.symbolic.terms import GRID_DIM, SymbolKind, plain


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
    kernel requires a size, and no launch of it is in sight.  Not where one of the two goes through as many places as
    there are blocks: that is for several.

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

    ```opencl still-bad
    __kernel __attribute__((reqd_work_group_size(64, 1, 1)))
    void total(__global const float *in, __global float *parts, __global float *out) {
        __local float sum[64];
        const int lane = get_local_id(0);
        sum[lane] = in[get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int s = 32; s > 0; s >>= 1) {
            if (lane < s) sum[lane] += sum[lane + s];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (lane == 0) parts[get_group_id(0)] = sum[0];
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (get_global_id(0) == 0) {
            float all = 0.0f;
            for (uint g = 0; g < get_num_groups(0); ++g) all += parts[g];
            out[0] = all;
        }
    }
    ```
    """
    if any(map(_block_by_block, (pair.first, pair.second))):
        return False
    return alone and all(
        any(
            guard.term.op == "eq" and any(s.kind is SymbolKind.THREAD for s in guard.term.symbols)
            for guard in one.guards
        )
        for one in (pair.first, pair.second)
    )


def _block_by_block(access: Access) -> bool:
    """Whether a loop around an access goes up to the number of blocks."""
    tests = (part for loop in access.loops if loop.condition is not None for part in conjuncts(loop.condition))
    return any(part.op in ("lt", "ne") and plain(part.args[1]).symbol in GRID_DIM for part in tests)
