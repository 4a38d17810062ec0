r"""The rule ``uninitialised-shared-memory``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.content.cells import Unset
from kernlint.analysis.content.initialised import unset
from kernlint.analysis.replay import replayer
from kernlint.analysis.sharing.race_words import calls
from kernlint.analysis.trace import trace
from kernlint.finding import Finding, Related, Severity, Step, Witness
from kernlint.rule import Meta, Rule
from kernlint.tree.types import Space


class UninitialisedSharedMemory(Rule):
    r"""Shared memory that is read although nobody has put a value there.

    A block finds in its shared memory whatever an earlier one left. A sum that is only ever added to, an array that
    is filled under a condition (`if (i < n)`) and then read as a whole, partial results of warps that had nothing to
    do: the result is right only as long as the memory happens to be zero.

    Reported are objects that nothing writes, objects that are only updated, and cells that, for a block size and
    arguments that are given, some thread reads and no thread writes. Conditions on data count in favour of writes.
    Where nothing comes of what is read (lanes whose sums nobody takes, pixels outside of an image), it is a note: the
    block is run with one thing and another in the cells that nobody has set, and has to leave the same behind.

    ```cuda bad
    __global__ void block_sum(const float *in, float *out, int n) {
        __shared__ float part[256];
        int t = threadIdx.x;
        int i = blockIdx.x * 256 + t;
        if (i < n) part[t] = in[i];
        __syncthreads();
        for (int half = 128; half > 0; half >>= 1) {
            if (t < half) part[t] += part[t + half];  // expect: KL504
            __syncthreads();
        }
        if (t == 0) out[blockIdx.x] = part[0];
    }
    ```

    ```opencl bad
    __kernel void count(__global const int *keys, __global int *out) {
        __local int hits[64];
        atomic_inc(&hits[keys[get_global_id(0)] & 63]);  // expect: KL504
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_group_id(0) * 64 + get_local_id(0)] = hits[get_local_id(0)];
    }
    ```

    ```cuda good
    __global__ void block_sum(const float *in, float *out, int n) {
        __shared__ float part[256];
        int t = threadIdx.x;
        int i = blockIdx.x * 256 + t;
        part[t] = i < n ? in[i] : 0.0f;
        __syncthreads();
        for (int half = 128; half > 0; half >>= 1) {
            if (t < half) part[t] += part[t + half];
            __syncthreads();
        }
        if (t == 0) out[blockIdx.x] = part[0];
    }
    ```

    ```opencl good
    __kernel void count(__global const int *keys, __global int *out) {
        __local int hits[64];
        hits[get_local_id(0)] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        atomic_inc(&hits[keys[get_global_id(0)] & 63]);
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_group_id(0) * 64 + get_local_id(0)] = hits[get_local_id(0)];
    }
    ```
    """

    meta = Meta("KL504", "uninitialised-shared-memory", Severity.ERROR, tags=("CUDA directive",))
    needs = (trace, unset, replayer)

    def check(self, facts: Facts) -> Iterator[Finding]:
        found: tuple[Unset, ...] = facts[unset]
        for one in found:
            if one.left is not None:
                continue  # `barrier-divergence` tells of threads that return too early
            yield self._uncovered(one, facts) if one.degree == "uncovered" else self._bare(one)

    def _bare(self, found: Unset) -> Finding:
        name = found.access.root.name
        message = f"{name} in shared memory is read, but nothing in the kernel writes it"
        if found.degree == "updated":
            message = f"{name} in shared memory is only updated: nothing sets it before"
        return self.finding(
            found.access.span,
            message,
            Severity.WARNING,
            related=calls(found.access),
            fix="set it, and put a barrier between that and the first use",
        )

    def _uncovered(self, found: Unset, facts: Facts) -> Finding:
        access, shape, write = found.access, found.shape, found.write
        assert shape is not None and write is not None
        size = access.root.element.size or access.size or 1
        index = found.cell // size
        x, y, _ = shape.block
        thread = (found.thread % x, found.thread // x % y, found.thread // (x * y))
        given = ", ".join(f"{symbol.name} = {value}" for symbol, value in found.values)
        if found.block is not None:
            return self._of_first(found, found.block, thread, facts)
        name = f"{access.root.name}[{index}]"
        message = f"{name} in shared memory is read, but no thread of the block writes it" + f" for {given}" * bool(
            given
        )
        idle = _idle(found, shape.block, facts)
        return self.finding(
            access.span,
            message + "; what the block leaves behind is the same whatever is there" * idle,
            Severity.NOTE if idle else Severity.WARNING,
            related=(Related(write.span, "written here, not for every cell"), *calls(access)),
            witness=Witness(
                shape.block,
                (1, 1, 1),
                tuple((symbol.name, value) for symbol, value in found.values),
                (Step((0, 0, 0), thread, access.span, f"reads {name}", index),),
            ),
            assumptions=() if shape.seen else (f"a block like {shape.block} ({shape.reason})",),
            fix="write every cell, with a neutral value where there is no work",
        )

    def _of_first(
        self, found: Unset, block: tuple[int, int, int], thread: tuple[int, int, int], facts: Facts
    ) -> Finding:
        access, shape, write = found.access, found.shape, found.write
        assert shape is not None and write is not None
        name = access.root.name
        grid = (block[0] + 1, block[1] + 1, block[2] + 1)
        later = any(block)
        idle = not later and _idle(found, shape.block, facts)
        return self.finding(
            access.span,
            f"{name} in shared memory is read, but no thread of {'a later' if later else 'the first'} block writes any "
            "of it, and each has its own" + "; what the block leaves behind is the same whatever is there" * idle,
            Severity.NOTE if idle else Severity.WARNING,
            related=(
                Related(write.span, f"written here, by {'the first blocks' if later else 'other blocks'} alone"),
                *calls(access),
            ),
            witness=Witness(shape.block, grid, (), (Step(block, thread, access.span, f"reads {name}"),)),
            assumptions=() if shape.seen else (f"a block like {shape.block} ({shape.reason})",),
            fix="fill it in every block, by the number of the thread in its block"
            if later
            else "set it in the first block too",
        )


def _idle(found: Unset, block: tuple[int, int, int], facts: Facts) -> bool:
    """Whether nothing comes of what is read: a run ends the same with anything in its place, for results that lie in
    memory outside of the block."""
    walked = facts[trace]
    written = any(one.writes and one.root.space is Space.GLOBAL for one in walked.accesses)
    if not written or any(one.writes for one in walked.images):
        return False
    return facts[replayer].without_effect(block, found.values, found.access.span)
