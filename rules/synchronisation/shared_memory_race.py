r"""The rule ``shared-memory-race``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.order.arrivals import Announced, announced
from kernlint.analysis.replay import replayer
from kernlint.analysis.search.collisions import Race
from kernlint.analysis.sharing.of_lanes import of_lanes
from kernlint.analysis.sharing.race_words import (
    IN_STEP,
    actors,
    alike,
    calls,
    cell,
    fence_for_barrier,
    function_of,
    late_barrier,
    level,
    shown,
    thread_name,
    verb,
)
from kernlint.analysis.sharing.races import essential, read_of_copy, shared_races, within_warps
from kernlint.analysis.sharing.scatters import Scatter, scatters
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import AccessKind
from kernlint.finding import Confidence, Finding, Fix, Related, Severity
from kernlint.record import replace
from kernlint.rule import Meta, Rule
from kernlint.source import SourceFile
from kernlint.tree.types import Space


class SharedMemoryRace(Rule):
    r"""Two threads of a block use one cell of shared memory, one of them writes it, and no barrier stands between.

    Threads of a block run in any order between two barriers. What one thread writes may be read by another only
    after a barrier that both have passed; the same holds for overwriting what another one still reads, most easily
    forgotten at the end of a loop body, where the next iteration begins with a write.

    Reported with a block size and two threads that collide. Silent: equal values written by several threads, atomic
    operations on both sides, indices that come from memory (but for updates such as `bins[key]++`, of which equal keys
    lose some), and in CUDA pairs of threads of one warp in kernels that speak of lanes: tests of the first 32, numbers
    of lanes, partners by `^`, `volatile`, warp intrinsics, blocks of one warp (those are `missing-warp-sync`). In
    OpenCL, where all is in order as long as threads of a warp run in step, as kernels written for one vendor's hardware
    count on, it is a warning, once in a function.

    ```cuda bad
    __global__ void shift(const float *in, float *out) {
        __shared__ float tile[256];
        int t = threadIdx.x;
        tile[t] = in[blockIdx.x * 256 + t];
        out[blockIdx.x * 256 + t] = t > 0 ? tile[t - 1] : 0.0f;  // expect: KL201
    }
    ```

    ```opencl bad
    __kernel void row_sums(__global const float *in, __global float *out, __local float *part, const int rows) {
        const int t = get_local_id(0);
        const int n = get_local_size(0);
        for (int r = 0; r < rows; ++r) {
            part[t] = in[r * n + t];  // expect: KL201
            barrier(CLK_LOCAL_MEM_FENCE);
            if (t == 0) {
                float sum = 0.0f;
                for (int k = 0; k < n; ++k) sum += part[k];
                out[r] = sum;
            }
        }
    }
    ```

    ```cuda good
    __global__ void shift(const float *in, float *out) {
        __shared__ float tile[256];
        int t = threadIdx.x;
        tile[t] = in[blockIdx.x * 256 + t];
        __syncthreads();
        out[blockIdx.x * 256 + t] = t > 0 ? tile[t - 1] : 0.0f;
    }
    ```

    ```opencl good
    __kernel void row_sums(__global const float *in, __global float *out, __local float *part, const int rows) {
        const int t = get_local_id(0);
        const int n = get_local_size(0);
        for (int r = 0; r < rows; ++r) {
            part[t] = in[r * n + t];
            barrier(CLK_LOCAL_MEM_FENCE);
            if (t == 0) {
                float sum = 0.0f;
                for (int k = 0; k < n; ++k) sum += part[k];
                out[r] = sum;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    ```
    """

    meta = Meta(
        "KL201",
        "shared-memory-race",
        Severity.ERROR,
        tags=("CUDASecurity data races", "CUDASecurity-CON01", "CUDASecurity-CON02", "OpenCL C memory model"),
    )
    needs = (trace, shared_races, scatters, replayer, announced)

    def check(self, facts: Facts) -> Iterator[Finding]:
        of = facts[trace]
        in_step: dict[tuple[int, bool], list[Race]] = {}
        for race in essential(race for race in facts[shared_races] if not race.same_warp):
            if late_barrier(race, of) is not None or read_of_copy(race):
                continue
            if race.in_step:  # what is written for lanes in step is so from its first line to its last
                once = race.pair.first is race.pair.second
                in_step.setdefault((function_of(facts, race), once), []).append(race)
            else:
                yield self._report(race, facts)
        yield from self._small_blocks(facts)
        for race, *others in in_step.values():
            found = self._report(race, facts)
            yield replace(found, related=(*found.related, *alike(race, others)))
        told = {access.span for race in facts[shared_races] for access in race.accesses}
        for scatter in facts[scatters]:
            if scatter.access.root.space is Space.SHARED and scatter.access.span not in told:
                yield self._scatter(scatter)
        for early in facts[announced]:
            if early.store.span not in told:
                yield self._announced(early)

    def fixes(self, facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
        """A barrier between the two accesses; an atomic operation where they are one update."""
        from kernlint.repair.atomics import updates
        from kernlint.repair.barriers import between

        yield from updates(facts, finding, source)
        yield from between(facts, finding, source)

    def _small_blocks(self, facts: Facts) -> Iterator[Finding]:
        """One race of each function whose threads are of one warp and not meant to be."""
        told: set[int] = set()
        races: tuple[Race, ...] = facts[shared_races]
        for race in essential(within_warps(races), most=2) if facts.module.language == "cuda" else ():
            known = fence_for_barrier(race, facts[trace]) is not None or of_lanes(race, facts) or read_of_copy(race)
            if not known and (function := function_of(facts, race)) not in told:
                told.add(function)
                yield self._report(race, facts)

    def _announced(self, found: Announced) -> Finding:
        name = found.store.root.name
        return self.finding(
            found.arrival.stack[0] if found.arrival.stack else found.arrival.span,
            f"one lane arrives here for its warp, of which other lanes may not have stored to {name} yet: who waits "
            "for it reads what was there before",
            Severity.WARNING,
            related=(
                Related(found.store.span, f"every lane stores to {name} here"),
                Related(found.load.span, "it is read here"),
                Related(found.wait.span, "after this wait"),
                *calls(found.store),
            ),
            fix="put __syncwarp() before it, or let every lane that stores arrive",
        )

    def _scatter(self, scatter: Scatter) -> Finding:
        access = scatter.access
        where = "an index read from memory" if not scatter.fixed else "one place under a condition on data"
        who = "threads with equal indices" if not scatter.fixed else "threads for which it holds"
        return self.finding(
            access.span,
            f"{access.root.name} is updated at {where} without an atomic operation: {who} lose updates",
            Severity.WARNING,
            related=calls(access),
            assumptions=("it holds for two threads",) if scatter.fixed else ("two threads may read equal indices",),
            fix="use an atomic operation",
            confidence=Confidence.MEDIUM,
        )

    def _report(self, race: Race, facts: Facts) -> Finding:
        first, second = race.accesses
        found = race.witness
        language = facts.module.language
        actor, other = actors(race)
        here, there = thread_name(actor, found.block), thread_name(other, found.block)
        name = cell(first, actor.offset)
        far = any(abs(shift) > 1 for _, _, shift in race.pair.tied)
        when = f" of {'an earlier' if far else 'the previous'} iteration" if race.pair.carried is not None else ""
        if first is second:
            message = f"{here} and {there} both write {name}, with no barrier between"
            if first.kind is AccessKind.WRITE and first.value is not None:
                message = f"{here} and {there} both write {name} in the same phase"
        else:
            message = f"{there} {verb(second)} {name}, which {here} {verb(first)}{when} with no barrier between"
        related = [] if first is second else [Related(first.span, f"{here} {verb(first)} {name} here{when}")]
        if race.pair.barrier is not None:
            related.append(Related(race.pair.barrier.span, "the last barrier before both"))
        fix = f"put {_barrier(language)} between the two accesses"
        if race.pair.carried is not None:
            fix = f"put {_barrier(language)} at the end of the loop body"
        elif first is second:
            fix = "let one thread write it, or use an atomic operation"
        replayed = facts[replayer].race(found, (first.span, second.span))
        evidence = shown(race, replayed)
        assuming = () if race.shape.seen else (f"a block of {_size(race.shape.block)} ({race.shape.reason})",)
        return self.finding(
            second.span,
            message,
            level(race, replayed, facts),
            related=(*related, *calls(first, second)),
            witness=evidence,
            assumptions=(*assuming, *race.pair.unseen, *([IN_STEP] if race.in_step else [])),
            fix=fix,
            confidence=Confidence.MEDIUM if found.depends_on_data else Confidence.HIGH,
        )


def _barrier(language: str) -> str:
    return "barrier(CLK_LOCAL_MEM_FENCE)" if language == "opencl" else "__syncthreads()"


def _size(block: tuple[int, int, int]) -> str:
    return " x ".join(str(size) for size in block[: 3 if block[2] > 1 else 2 if block[1] > 1 else 1]) + " threads"
