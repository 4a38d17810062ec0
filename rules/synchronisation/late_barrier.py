r"""The rule ``late-barrier``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.replay import replayer
from kernlint.analysis.sharing.race_words import (
    IN_STEP,
    actors,
    calls,
    cell,
    late_barrier,
    level,
    shown,
    thread_name,
    verb,
)
from kernlint.analysis.sharing.races import essential, read_of_copy, shared_races
from kernlint.analysis.trace import trace
from kernlint.finding import Confidence, Finding, Fix, Related, Severity
from kernlint.rule import Meta, Rule
from kernlint.source import SourceFile


class LateBarrier(Rule):
    r"""A barrier that comes only after the two accesses that it had to separate.

    One thread writes a cell of shared memory, another one uses it, and the barrier stands behind both: the write
    may not have happened yet when the other thread gets there. Moved up, between the two, it does its work.

    The same proof as for `shared-memory-race`, which says that there is no barrier at all; one conflict gives one
    finding. It is reported at the barrier, with both accesses.

    ```cuda bad
    __global__ void shift(const float *in, float *out) {
        __shared__ float tile[256];
        int t = threadIdx.x;
        tile[t] = in[blockIdx.x * 256 + t];
        float left = t > 0 ? tile[t - 1] : 0.0f;
        __syncthreads();  // expect: KL202
        out[blockIdx.x * 256 + t] = left;
    }
    ```

    ```opencl bad
    __kernel void broadcast(__global const int *in, __global int *out) {
        __local int first;
        if (get_local_id(0) == 0) first = in[get_group_id(0)];
        const int mine = first;
        barrier(CLK_LOCAL_MEM_FENCE);  // expect: KL202
        out[get_global_id(0)] = mine;
    }
    ```

    ```cuda good
    __global__ void shift(const float *in, float *out) {
        __shared__ float tile[256];
        int t = threadIdx.x;
        tile[t] = in[blockIdx.x * 256 + t];
        __syncthreads();
        float left = t > 0 ? tile[t - 1] : 0.0f;
        out[blockIdx.x * 256 + t] = left;
    }
    ```

    ```opencl good
    __kernel void broadcast(__global const int *in, __global int *out) {
        __local int first;
        if (get_local_id(0) == 0) first = in[get_group_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        const int mine = first;
        out[get_global_id(0)] = mine;
    }
    ```
    """

    meta = Meta("KL202", "late-barrier", Severity.ERROR, tags=("CUDASecurity data races", "OpenCL C memory model"))
    needs = (trace, shared_races, replayer)

    def check(self, facts: Facts) -> Iterator[Finding]:
        of = facts[trace]
        for race in essential(race for race in facts[shared_races] if not race.same_warp):
            barrier = late_barrier(race, of)
            if barrier is None or read_of_copy(race):
                continue
            first, second = race.accesses
            found = race.witness
            actor, other = actors(race)
            here, there = thread_name(actor, found.block), thread_name(other, found.block)
            name = cell(first, actor.offset)
            replayed = facts[replayer].race(found, (first.span, second.span))
            evidence = shown(race, replayed)
            assuming = () if race.shape.seen else (f"a block like {race.shape.block} ({race.shape.reason})",)
            yield self.finding(
                barrier.span,
                f"{barrier.name} comes too late: {there} {verb(second)} {name} before it, which {here} {verb(first)}",
                level(race, replayed, facts),
                related=(
                    Related(first.span, f"{here} {verb(first)} {name} here"),
                    Related(second.span, f"{there} {verb(second)} {name} here"),
                    *calls(first, second),
                ),
                witness=evidence,
                assumptions=(*assuming, *race.pair.unseen, *([IN_STEP] if race.in_step else [])),
                fix="move the barrier up, between the two accesses",
                confidence=Confidence.MEDIUM if found.depends_on_data else Confidence.HIGH,
            )

    def fixes(self, facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
        """The barrier moved up."""
        from kernlint.repair.barriers import moved_up

        return moved_up(facts, finding, source)
