r"""The rule ``missing-warp-sync``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.replay import replayer
from kernlint.analysis.search.collisions import Race
from kernlint.analysis.sharing.of_lanes import lanes_wait, of_lanes
from kernlint.analysis.sharing.race_words import (
    actors,
    alike,
    calls,
    cell,
    fence_for_barrier,
    function_of,
    level,
    shown,
    thread_name,
    verb,
)
from kernlint.analysis.sharing.races import essential, shared_races, within_warps
from kernlint.analysis.trace import trace
from kernlint.analysis.warps.lockstep import all_in_step, told_in_step
from kernlint.finding import Confidence, Finding, Fix, Related, Severity
from kernlint.rule import Meta, Rule
from kernlint.source import SourceFile

IN_STEP = "lanes in step"
"""The habit of kernels in which lanes never wait for each other."""


class MissingWarpSync(Rule):
    r"""Two lanes of one warp exchange data through shared memory with nothing that makes them wait.

    Up to compute capability 6.x the lanes of a warp moved in lockstep, and reductions over the last warp were written
    without any synchronisation. From 7.0 on every lane has a program counter of its own: without `__syncwarp()`, a
    `*_sync` intrinsic or a barrier between the accesses, a lane may read before its partner has written. `volatile`
    keeps the compiler from caching values in registers; it does not order lanes.

    Where threads of different warps collide as well, the barrier that `shared-memory-race` asks for is the remedy for
    both, and nothing is said here; nor where the kernel speaks of blocks alone and only happens to be launched with
    few threads. Silent when all named targets are below `sm_70`; a note where the build files of the
    project name architectures, and none from `sm_70` on. AMD's wavefronts still run in
    lockstep; OpenCL promises nothing, so there the same accesses are `shared-memory-race`, a warning.

    ```cuda bad
    __device__ void fold(volatile float *s, int t) {
        s[t] += s[t + 8];
        s[t] += s[t + 4];  // expect: KL204
    }

    __global__ void tail(float *data) {
        __shared__ float s[32];
        int t = threadIdx.x;
        s[t] = data[t];
        __syncthreads();
        if (t < 8) fold(s, t);
        if (t == 0) data[0] = s[0];
    }
    ```

    ```cuda bad
    __global__ void swap_pairs(int *data) {
        __shared__ int s[128];
        int t = threadIdx.x;
        s[t] = data[blockIdx.x * 128 + t];
        data[blockIdx.x * 128 + t] = s[t ^ 1];  // expect: KL204
    }
    ```

    ```cuda good
    __global__ void swap_pairs(int *data) {
        __shared__ int s[128];
        int t = threadIdx.x;
        s[t] = data[blockIdx.x * 128 + t];
        __syncwarp();
        data[blockIdx.x * 128 + t] = s[t ^ 1];
    }
    ```

    ```opencl good
    __kernel void swap_pairs(__global int *data, __local int *s) {
        const int t = get_local_id(0);
        s[t] = data[get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        data[get_global_id(0)] = s[t ^ 1];
    }
    ```
    """

    meta = Meta("KL204", "missing-warp-sync", Severity.ERROR, tags=("CUDA PG Volta migration", "BPG"))
    needs = (trace, shared_races, replayer)

    def check(self, facts: Facts) -> Iterator[Finding]:
        if facts.module.language != "cuda" or all_in_step(facts):
            return
        races: tuple[Race, ...] = facts[shared_races]
        by_function: dict[tuple[int, int], list[Race]] = {}
        for race in essential(within_warps(races), most=2):
            if fence_for_barrier(race, facts[trace]) is not None or not of_lanes(race, facts):
                continue  # wrong-fence, shared-memory-race
            alone = race.pair.second.order if race.pair.first is race.pair.second else -1  # no barrier helps there
            by_function.setdefault((function_of(facts, race), alone), []).append(race)
        for race, *others in by_function.values():
            first, second = race.accesses
            found = race.witness
            actor, other = actors(race)
            here, there = thread_name(actor, found.block), thread_name(other, found.block)
            name = cell(first, actor.offset)
            in_step = told_in_step(facts)
            replayed = facts[replayer].race(found, (first.span, second.span))
            evidence = shown(race, replayed)
            when = " in the previous iteration" if race.pair.carried is not None else ""
            message = (
                f"{there} {verb(second)} {name}, which {here} of the same warp {verb(first)}{when}: nothing orders them"
            )
            fix = "put __syncwarp() between the two accesses, or exchange the values with *_sync shuffles"
            if first is second:
                message = f"{here} and {there} of one warp both write {name}"
                rounds = ([number for _, number in lane.counters] for lane in (actor, other))
                if race.pair.carried is None and next(rounds) == next(rounds):  # in one and the same store
                    fix = "let one lane alone store it, or give each lane a place of its own: a barrier parts no lanes "
                    fix += "of one store"
            related = [] if first is second else [Related(first.span, f"{here} {verb(first)} {name} here")]
            yield self.finding(
                second.span,
                message,
                level(race, replayed, facts) if in_step is None else Severity.NOTE,
                related=(*related, *calls(first, second), *alike(race, others)),
                witness=evidence,
                assumptions=race.pair.unseen if in_step is None else (*race.pair.unseen, in_step),
                fix=fix,
                confidence=Confidence.MEDIUM if found.depends_on_data else Confidence.HIGH,
                habit="" if lanes_wait(facts[trace]) else IN_STEP,
            )

    def fixes(self, facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
        """A barrier of the warp between the accesses."""
        from kernlint.repair.barriers import in_warp

        return in_warp(facts, finding, source)
