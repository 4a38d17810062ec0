r"""The rule ``barrier-divergence``."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.content.initialised import unset
from kernlint.analysis.content.undone import undone
from kernlint.analysis.coverage import never
from kernlint.analysis.extent.settled import under
from kernlint.analysis.launching.agreement import Agreement, agreement
from kernlint.analysis.launching.alike import same_in_blocks, same_in_launches
from kernlint.analysis.launching.launch_context import LaunchContext, launch_context
from kernlint.analysis.order.named import Miscounted, miscounted
from kernlint.analysis.order.words import sources
from kernlint.analysis.replay import WARP, WAVE, Replayed, replayer
from kernlint.analysis.scenarios.policy import scenarios
from kernlint.analysis.scenarios.scenario import Scenario, Scenarios
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import (
    Access,
    AccessKind,
    AsyncEvent,
    BarrierEvent,
    GuardKind,
    LoopContext,
    Trace,
)
from kernlint.analysis.warps.leaving import by_warps, ended
from kernlint.finding import Finding, Fix, Related, Severity, Step, Witness
from kernlint.prove.cases import conjuncts
from kernlint.record import dataclass, replace
from kernlint.rule import Meta, Rule
from kernlint.source import SourceFile, Span
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import (
    BLOCK_DIM,
    THREAD,
    WARP_SIZE,
    Symbol,
    SymbolKind,
    Term,
    Uniformity,
    const,
    negate,
    substitute,
    symbols,
)
from kernlint.tree.nodes import Scope
from kernlint.tree.types import IntType, Space


@dataclass(frozen=True, slots=True)
class Culprit:
    """A condition on which the threads of a block disagree, on the way to a barrier.

    ``exited``: the threads for which it fails have left the kernel (otherwise they live on without the barrier).
    ``ended``: they live on, but only to the end of the kernel: they are out of a loop or a helper for good, and no
    barrier follows.
    ``blocks``: it is whole blocks that disagree, before a barrier of the grid.
    """

    term: Term
    span: Span
    exited: bool
    what: str
    ended: bool = False
    blocks: bool = False


class BarrierDivergence(Rule):
    r"""A barrier that only a part of the block reaches.

    A block barrier (`__syncthreads()`, `barrier()`, `work_group_barrier()`, also inside a helper or macro) makes
    every thread of the block wait for all others. When it stands in a branch, in a loop, or behind a `break` or
    `continue` on which the threads of one block disagree, some wait for others that never come: the kernel hangs,
    or the halves of the block run on out of step and read each other's half-written data.

    Conditions that are the same for a whole block (parameters, block indices, values loaded from one address,
    loop counts that do not depend on the thread) are fine, and so is a condition that holds for every thread of
    the launches in sight.

    Threads that have *left the kernel* before the barrier are a case apart. From compute capability 7.0 on, CUDA waits
    only for threads that have not exited, and AMD's barrier counts waves, without those that have ended: so an early
    `return` is a note in CUDA and HIP, also from a helper after which no barrier follows. It is more where those
    threads are missed: they would have filled a part of a tile that the others go on to read, or would have written
    what the block has made together. In OpenCL it is undefined, and a note only in
    kernels that exchange data by barriers of sub-groups alone, which are right in groups of one sub-group and run in
    those. Nor is it more than a note in CUDA and HIP where whole warps part and each side has a barrier for the
    other's, where they leave the kernel's last loop with a barrier sooner, or where all there is stands in the branch,
    as long as no launch in sight has blocks of which only a part has work.

    The two sides of a condition may meet at a named barrier (`bar.sync 1, 256`), each for itself or both together, but
    all that come have to name the same number of threads, and where launches in sight say how many there are, the
    number that come.

    OpenCL's collective copies (`async_work_group_copy`, `wait_group_events`) have to be met by all work-items too, and
    with the same arguments: the group makes one copy together, and no work-item names a part of its own.

    ```cuda bad
    __global__ void half_sum(float *data, float *sum) {
        __shared__ float part[256];
        part[threadIdx.x] = data[blockIdx.x * 256 + threadIdx.x];
        __syncthreads();
        if (threadIdx.x < 128) {
            part[threadIdx.x] += part[threadIdx.x + 128];
            __syncthreads();  // expect: KL203
            if (threadIdx.x == 0) sum[blockIdx.x] = part[0] + part[1];
        }
    }
    ```

    ```opencl bad
    __kernel void scale(__global float *x, __local float *tile, const int n) {
        const int i = get_global_id(0);
        if (i >= n) return;
        tile[get_local_id(0)] = x[i];
        barrier(CLK_LOCAL_MEM_FENCE);  // expect: KL203
        x[i] = tile[0] * 2.0f;
    }
    ```

    ```hip bad
    #include <hip/hip_runtime.h>
    __global__ void peaks(const float *x, float *peak, int n) {
        __shared__ float group[256];
        int i = blockIdx.x * 256 + threadIdx.x;
        if (i >= n) return;
        group[threadIdx.x] = x[i];
        __syncthreads();  // expect: KL203
        if (threadIdx.x == 0) {
            float most = group[0];
            for (int k = 1; k < 256; ++k) most = fmaxf(most, group[k]);
            peak[blockIdx.x] = most;
        }
    }
    ```

    ```cuda bad
    #include <cooperative_groups.h>
    __global__ void two_steps(float *part, float *sum, int n) {
        cooperative_groups::grid_group grid = cooperative_groups::this_grid();
        if (blockIdx.x < 8) {
            part[blockIdx.x * blockDim.x + threadIdx.x] *= 2.0f;
            grid.sync();  // expect: KL203
            if (blockIdx.x == 0) sum[threadIdx.x] = part[threadIdx.x] + part[n - 1 - threadIdx.x];
        }
    }
    ```

    ```opencl bad
    __kernel void rows(__global const float *in, __global float *out, __local float *tile, const int n) {
        const int t = get_local_id(0);
        event_t done = async_work_group_copy(tile + t * n, in + t * n, n, 0);  // expect: KL203
        wait_group_events(1, &done);
        out[get_global_id(0)] = tile[t * n];
    }
    ```

    ```cuda good
    __global__ void half_sum(float *data, float *sum) {
        __shared__ float part[256];
        part[threadIdx.x] = data[blockIdx.x * 256 + threadIdx.x];
        __syncthreads();
        for (int half = 128; half > 0; half >>= 1) {
            if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
            __syncthreads();
        }
        if (threadIdx.x == 0) sum[blockIdx.x] = part[0];
    }
    ```

    ```cuda bad
    __global__ void weights(const float *x, const float *w, float *y, int n, int m) {
        __shared__ float tile[128];
        int i = blockIdx.x * 128 + threadIdx.x;
        for (int base = 0; base < m; base += 128) {
            tile[threadIdx.x] = base + threadIdx.x < m ? w[base + threadIdx.x] : 0.0f;
            __syncthreads();  // expect: KL203
            for (int k = 0; k < 128; ++k) {
                if (i < n && x[i] < tile[k]) {
                    y[i] = tile[k];
                    return;
                }
            }
            __syncthreads();
        }
    }
    ```

    ```opencl good
    __kernel void scale(__global float *x, __local float *tile, const int n, const int rounds) {
        const int i = get_global_id(0);
        for (int r = 0; r < rounds; ++r) {
            if (i < n) tile[get_local_id(0)] = x[i];
            barrier(CLK_LOCAL_MEM_FENCE);
            if (i < n) x[i] = tile[0] * 2.0f;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    ```
    """

    meta = Meta(
        "KL203",
        "barrier-divergence",
        Severity.WARNING,
        tags=("CUDA-1.14", "OpenCL C barrier"),
    )
    needs = (trace, agreement, scenarios, replayer, unset, launch_context)

    def check(self, facts: Facts) -> Iterator[Finding]:
        walked, agree = facts[trace], facts[agreement]
        warp = WAVE if facts.module.language == "hip" else WARP
        found: dict[Span, tuple[Culprit, list[Meeting]]] = {}
        for meeting in _meetings(walked):
            culprit = self._culprit(meeting, agree, facts[launch_context])
            if culprit is not None and any(never(guard.term) for guard in meeting.guards):
                continue  # a case that another call of a helper is for
            if culprit is not None and not culprit.exited:
                views = facts[launch_context].launches
                culprit = replace(culprit, ended=ended(walked, meeting, culprit.term, culprit.span, warp, views))
            if culprit is not None:
                found.setdefault(culprit.span, (culprit, []))[1].append(meeting)
            elif isinstance(meeting, AsyncEvent):
                yield from self._arguments(meeting, agree)
        for culprit, barriers in found.values():
            yield self._report(facts, barriers, culprit)
        for one in miscounted(walked, agree.blocks if agree.visible else (), agree.differs):
            yield self._miscounted(one)

    def _miscounted(self, found: Miscounted) -> Finding:
        one, other = found.one, found.other
        number = one.number.value if one.number is not None else None
        what = f"{one.name} waits for {found.count} threads at barrier {number}"
        place, related = one.span, [Related(span, "called from here") for span in reversed(one.stack)]
        message = f"{what}, but {found.coming} of the block's come to it"
        if other is not None:
            message = f"{what}, where the threads of the other branch wait for {found.coming}"
            there = other.span
            if one.span == other.span and one.stack and other.stack:  # two calls of one helper
                place, there, related = one.stack[0], other.stack[0], [Related(one.span, "the barrier")]
            related.insert(0, Related(there, f"{found.coming} threads are waited for here"))
        return self.finding(
            place,
            message,
            Severity.WARNING,
            related=related,
            fix="name the same number of threads wherever they meet: all that come to the barrier",
        )

    def _culprit(self, barrier: Meeting, agree: Agreement, context: LaunchContext) -> Culprit | None:
        """The worst condition on which threads disagree: one whose losers live on, else an early exit."""
        held = {part for guard in barrier.guards for part in conjuncts(_of_warps(guard.term))}

        def differs(term: Term) -> bool:
            if any(negate(part) in held for part in conjuncts(_of_warps(term))):
                return False  # it does not hold for any thread that is there
            term = under(term, barrier.guards)  # a choice that whoever comes here has made alike
            return agree.differs(term) and not (same_in_launches(term, context) or same_in_blocks(term, context))

        if isinstance(barrier, BarrierEvent) and barrier.scope is Scope.GRID:
            grid = self._of(barrier, agree.parts_blocks, agree.parts_blocks, blocks=True)
            return self._of(barrier, differs, agree.parts_at_exit) or grid
        return self._of(barrier, differs, agree.parts_at_exit)

    def _of(
        self,
        barrier: Meeting,
        differs: Callable[[Term], bool],
        at_exit: Callable[[Term], bool],
        *,
        blocks: bool = False,
    ) -> Culprit | None:
        exited: Culprit | None = None
        for guard in barrier.guards:
            if guard.kind in (GuardKind.ASSERT, GuardKind.AFTER_LOOP) or not differs(guard.term):
                continue
            if guard.kind is GuardKind.EXIT:
                if not at_exit(guard.term):
                    continue
                exited = exited or Culprit(guard.term, guard.span, True, "return", blocks=blocks)
            else:
                return Culprit(guard.term, guard.span, False, _WORDS[guard.kind], blocks=blocks)
        for loop in barrier.loops:
            found = self._loop(loop, differs, blocks)
            if found is not None and not found.exited:
                return found
            exited = exited or found
        return exited

    def _arguments(self, copy: AsyncEvent, agree: Agreement) -> Iterator[Finding]:
        """The finding for a collective copy, or a wait for one, to which work-items of one group give different
        arguments: each is then in another operation than the others."""
        for word, term in zip(copy.words, copy.operands, strict=True):
            if agree.values_differ(term):
                yield self.finding(
                    copy.span,
                    f"work-items of one group call {copy.node.name} with different arguments: the {word} depends on "
                    "the work-item",
                    related=[Related(span, "called from here") for span in reversed(copy.stack)],
                    fix="give all work-items of the group the same arguments: the group makes the copy together",
                )
                return

    def _loop(self, loop: LoopContext, differs: Callable[[Term], bool], blocks: bool) -> Culprit | None:
        for term, span in loop.exits:
            if differs(term):
                return Culprit(term, span, False, "break", blocks=blocks)
        if loop.post_tested and loop.condition is not None and differs(loop.condition):
            return Culprit(loop.condition, loop.condition_span or loop.span, False, "loop condition", blocks=blocks)
        for term, span in loop.leaves:
            if differs(term):
                return Culprit(term, span, True, "return", blocks=blocks)
        return None

    def _report(self, facts: Facts, barriers: list[Meeting], culprit: Culprit) -> Finding:
        barrier = barriers[0]
        missing: Related | None = None
        name = barrier.name if isinstance(barrier, BarrierEvent) else barrier.node.name
        opencl = facts.module.language == "opencl"
        condition = words(culprit.term)
        actors = "blocks" if culprit.blocks else "threads"
        if len(condition) > 80:
            condition = f"a value that differs between {actors}"
        if culprit.blocks:
            message = f"blocks of one grid disagree on reaching {name}, for which all blocks have to come"
            walked, agree = facts[trace], facts[agreement]
            lesser = _guessed(culprit.term) or _met_elsewhere(walked, culprit) or _made_up_for(walked, barriers, agree)
            severity = Severity.NOTE if lesser else Severity.WARNING
        elif culprit.exited:
            message = f"{name} is reached only by threads that did not return early"
            severity = Severity.WARNING if opencl and not _one_sub_group(facts[trace]) else Severity.NOTE
            missed = None if opencl else self._missed(facts, barriers, culprit)
            if missed is not None:
                severity = Severity.WARNING
                message += f", and what the others would have put into {missed.root.name} is missing"
                missing = Related(missed.span, f"{missed.root.name} is read here, also where they would have filled it")
            elif severity is Severity.NOTE and (late := self._undone(facts, barriers, culprit)) is not None:
                severity = Severity.WARNING
                message += f", and who writes {late.root.name} for the block may be one that did"
                missing = Related(late.span, f"{late.root.name} is written here, by a thread that may have returned")
        else:
            message = f"threads of one block disagree on reaching {name}"
            warp = WAVE if facts.module.language == "hip" else WARP
            harmless = not opencl and (culprit.ended or _answered(facts[trace], culprit, warp))
            lesser = harmless or _guessed(culprit.term) or all(map(_left_to_templates, barriers))
            lesser = lesser or _of_larger_blocks(culprit.term, facts[scenarios])
            severity = Severity.NOTE if lesser else Severity.WARNING
        # Running a kernel is too much for a note that nobody sees.
        seen = missing is None and (severity is Severity.WARNING or facts.options.pedantic)
        replayed, sure = None, False
        if seen and isinstance(barrier, BarrierEvent):
            replayed, sure = self._replay(facts, barrier, culprit)
        if sure and severity is Severity.WARNING:
            severity = Severity.ERROR
        of_all = "block of the grid" if culprit.blocks else "thread of the block"
        related = [Related(culprit.span, f"{culprit.what}: depends on the {actors[:-1]} ({condition})")]
        if missing is not None:
            related.append(missing)
        others = {other.span: other for other in barriers if other.span != barrier.span}
        related += [Related(other.span, "and so is this barrier") for other in list(others.values())[:3]]
        related += [Related(span, "called from here") for span in reversed(barrier.stack)]
        return self.finding(
            barrier.span,
            message,
            severity,
            related=related,
            witness=replayed,
            fix=f"let every {of_all} reach the barrier, and guard only the work around it",
        )

    def _missed(self, facts: Facts, barriers: list[Meeting], culprit: Culprit) -> Access | None:
        """A read of shared memory that those who returned would have filled: cells that nobody sets (see
        :mod:`kernlint.analysis.content.initialised`), or the tile of a loop that data made them leave."""
        for one in facts[unset]:
            if one.left is not None and one.left == culprit.term:
                return one.access
        return next(filter(None, (_tile(facts[trace], barrier, culprit) for barrier in barriers)), None)

    def _undone(self, facts: Facts, barriers: list[Meeting], culprit: Culprit) -> Access | None:
        shapes = facts[scenarios].plausible
        return next(filter(None, (undone(facts[trace], one, culprit.term, shapes) for one in barriers)), None)

    def fixes(self, facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
        """The barrier where all threads meet it."""
        from kernlint.repair.divergence import whole

        return whole(facts, finding, source)

    def _replay(self, facts: Facts, barrier: BarrierEvent, culprit: Culprit) -> tuple[Witness | None, bool]:
        """Two threads of which one does not reach the barrier, as the emulator saw them, and whether no one can argue
        with that: it shows under each block worth believing in, and rests on neither arguments nor data."""
        if barrier.scope is not Scope.BLOCK:
            return None, False
        found: list[tuple[Scenario, Replayed]] = []
        believed = facts[scenarios]
        for shape in believed.plausible[:SHAPES]:
            replayed = facts[replayer].divergence(shape.block, _grid(shape), barrier.span)
            if replayed is not None:
                found.append((shape, replayed))
        if not found:
            return None, False
        by_launch = all(s.kind in _LAUNCH for s in symbols(culprit.term))
        everywhere = believed.seen or len(found) == len(believed.plausible)
        shape, best = next((one for one in found if one[1].certain), found[0])
        return _witness(facts, shape, best, barrier), by_launch and everywhere and best.certain


def _of_warps(term: Term) -> Term:
    """``term`` with the number that a name for the threads of a warp stands for."""
    return substitute(term, {WARP_SIZE: const(WARP, WARP_SIZE.type)}) if WARP_SIZE in term.symbols else term


Meeting = BarrierEvent | AsyncEvent
"""Where all threads of a block have to come: a barrier, or in OpenCL a collective copy or the wait for one."""


def _meetings(walked: Trace) -> Iterator[Meeting]:
    for barrier in walked.barriers:
        if barrier.scope in (Scope.BLOCK, Scope.GRID) and barrier.certain and not barrier.named:
            yield barrier
    for event in walked.asyncs:
        if event.node.mechanism == "event":
            yield event


def _tile(walked: Trace, barrier: Meeting, culprit: Culprit) -> Access | None:
    """The read of a tile behind ``barrier`` that all threads of the block fill together, when data of their own made
    some of them return before: any part may be missing, or be that of an earlier round of a loop."""
    if not any(symbol.kind in _OWN_DATA and symbol.uniformity > Uniformity.WARP for symbol in symbols(culprit.term)):
        return None
    for loop in barrier.loops:
        inside = [a for a in walked.accesses if loop in a.loops and a.root.space is Space.SHARED]
        left = any(term is culprit.term for term, _ in loop.leaves)
        for write in inside:
            if write.kind is not AccessKind.WRITE or write.order > barrier.order or not _of_thread(write):
                continue
            if not left and all(guard.term != culprit.term for guard in write.guards):
                continue
            for read in inside:
                if (
                    read.root is write.root
                    and _elsewhere(read, write)
                    and read.kind is AccessKind.READ
                    and read.order > barrier.order
                ):
                    return read
    return _of_others(walked, barrier, culprit)


def _elsewhere(read: Access, write: Access) -> bool:
    """Whether a thread reads the whole of what all write, or the place that another one has (``127 - tid``,
    ``tid + 1``)."""
    if not any(s.kind is SymbolKind.THREAD for s in read.offset.symbols):
        return True
    mine, theirs = polynomial(write.offset).coefficients, polynomial(read.offset).coefficients
    threads = [(mono, size) for mono, size in mine.items() if mono and mono[0].symbol in THREAD and len(mono) == 1]
    if len(threads) != 1:
        return False
    (mono, size) = threads[0]
    rest = {key: theirs.get(key, 0) - mine.get(key, 0) for key in {*mine, *theirs} if key != mono}
    apart = {key: value for key, value in rest.items() if value}
    if theirs.get(mono) != size:
        return theirs.get(mono) == -size and not any(atom.symbol in THREAD for key in apart for atom in key)
    return apart.keys() == {()} and apart[()] % size == 0


def _of_others(walked: Trace, barrier: Meeting, culprit: Culprit) -> Access | None:
    """The read behind ``barrier``, by a thread, of what another one would have put into its own place before."""
    shared = [access for access in walked.accesses if access.root.space is Space.SHARED]
    for write in shared:
        if write.kind is not AccessKind.WRITE or write.loops or write.order > barrier.order or not _of_thread(write):
            continue
        if all(guard.term != culprit.term for guard in write.guards):
            continue
        for read in shared:
            if read.root is not write.root or read.kind is not AccessKind.READ or read.order < barrier.order:
                continue
            if read.offset != write.offset and any(s.kind is SymbolKind.THREAD for s in read.offset.symbols):
                return read
    return None


_OWN_DATA = frozenset({SymbolKind.LOAD, SymbolKind.UNKNOWN, SymbolKind.PHI})


def _of_thread(access: Access) -> bool:
    """Whether each thread has a place of its own there, and no condition picks some of them."""
    if not any(symbol.kind is SymbolKind.THREAD for symbol in access.offset.symbols):
        return False
    passed = (GuardKind.EXIT, GuardKind.AFTER_LOOP)
    return all(guard.kind in passed or len(symbols(guard.term)) > 1 for guard in access.guards)


def _guessed(term: Term) -> bool:
    """Whether a condition rests on a variable of a loop together with something not understood, such as the result of
    a library's reduction: what the loop carries may well be the same for all threads."""
    kinds = {symbol.kind for symbol in symbols(term)}
    return SymbolKind.PHI in kinds and SymbolKind.UNKNOWN in kinds


def _of_larger_blocks(term: Term, known: Scenarios) -> bool:
    """Whether threads part only in blocks larger than those that are thought of, of which nothing in sight speaks."""
    if known.seen or not known.plausible or not all(s in THREAD or s in BLOCK_DIM for s in symbols(term)):
        return False
    for shape in known.plausible:
        x, y, z = shape.block
        env = dict(zip(BLOCK_DIM, shape.block, strict=True))
        found = {
            evaluate(term, {**env, THREAD[0]: n % x, THREAD[1]: n // x % y, THREAD[2]: n // (x * y)})
            for n in range(x * y * z)
        }
        if len(found) > 1:
            return False
    return True


def _left_to_templates(meeting: Meeting) -> bool:
    """Whether it is there only for some arguments of a template, of which nobody in sight says any."""
    return any(
        guard.kind is not GuardKind.LOOP
        and any(s.kind is SymbolKind.TEMPLATE for s in symbols(guard.term))
        and all(s.kind in _OF_TEMPLATES for s in symbols(guard.term))
        for guard in meeting.guards
    )


_OF_TEMPLATES = frozenset({SymbolKind.TEMPLATE, SymbolKind.SIZEOF, SymbolKind.WARP_SIZE})


def _answered(walked: Trace, culprit: Culprit, warp: int) -> bool:
    """Whether whole warps part at the condition and the others have as many barriers on their way.  A barrier counts
    warps that arrive, wherever they are, so such a kernel works, on NVIDIA's hardware and AMD's; the guide does not
    promise it."""
    if not by_warps(culprit.term, warp):
        return False

    def under(term: Term) -> list[Meeting]:
        meetings = _meetings(walked)
        return [m for m in meetings if any(g.span == culprit.span and g.term == term for g in m.guards)]

    one, other = under(culprit.term), under(negate(culprit.term))
    return len(one) == len(other) and all(a.loops == b.loops for a, b in zip(one, other, strict=True))


def _met_elsewhere(walked: Trace, culprit: Culprit) -> bool:
    """Whether the blocks that take the other way come to a barrier of the grid there: it counts blocks that arrive,
    wherever they are."""
    other = negate(culprit.term)
    return any(
        barrier.scope is Scope.GRID and any(guard.term == other for guard in barrier.guards)
        for barrier in walked.barriers
    )


def _made_up_for(walked: Trace, barriers: list[Meeting], agree: Agreement) -> bool:
    """Whether blocks that go round a loop with ``barriers`` of the grid more or less often go round another one that
    has such a barrier too, as often as the two counts are apart: they are bounded by the same data."""
    ours = [loop for barrier in barriers for loop in barrier.loops]
    bounds = {s for loop in ours for s in _bound(loop, agree)}
    return bool(bounds) and any(
        loop not in ours and not bounds.isdisjoint(_bound(loop, agree))
        for barrier in walked.barriers
        if barrier.scope is Scope.GRID
        for loop in barrier.loops
    )


def _bound(loop: LoopContext, agree: Agreement) -> set[Symbol]:
    """The data on which blocks disagree as to how often they go round a loop."""
    term = loop.condition
    if term is None or not agree.parts_blocks(term):
        return set()
    return {s for s in sources([term]) if s.kind is SymbolKind.LOAD}


def _one_sub_group(walked: Trace) -> bool:
    """Whether the kernel is right only in groups of one sub-group: what any thread of the group has written to shared
    memory is read by others after a barrier of the sub-group alone."""
    written = {
        id(access.root): access.offset
        for access in walked.accesses
        if access.writes and access.root.space is Space.SHARED and _across_groups(access)
    }
    return any(
        not access.writes
        and written.get(id(access.root), access.offset) != access.offset
        and WARP_SIZE not in access.offset.symbols
        and all(label.exact and label.barrier is not None for label in access.warp_labels)
        and all(label.barrier.scope is Scope.WARP for label in access.warp_labels if label.barrier is not None)
        for access in walked.accesses
    )


def _across_groups(access: Access) -> bool:
    """Whether the place is that of the thread in its block, not in its sub-group."""
    found = access.offset.symbols
    return WARP_SIZE not in found and any(symbol.kind is SymbolKind.THREAD for symbol in found)


SHAPES = 2
"""Blocks under which one barrier is tried."""

_LAUNCH = frozenset(
    {SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.BLOCK_DIM, SymbolKind.GRID_DIM, SymbolKind.COUNTER}
)


def _grid(shape: Scenario) -> tuple[int, int, int]:
    """The grid of a shape where it is small, else one block."""
    x, y, z = (size or 1 for size in shape.grid)
    return (x, y, z) if x * y * z <= 64 else (1, 1, 1)


def _witness(facts: Facts, shape: Scenario, replayed: Replayed, barrier: BarrierEvent) -> Witness:
    """The two threads in words, with the value that the replay gave to integer arguments."""
    first, second = replayed.fault.first, replayed.fault.second
    steps = [Step(first.block, first.thread, first.span or barrier.span, f"waits at {barrier.name}")]
    if second is not None:
        elsewhere = "has left the kernel" if replayed.fault.exited else "waits elsewhere"
        steps.append(Step(second.block, second.thread, second.span or barrier.span, elsewhere))
    scalars = [param.name for param in facts.function.params if isinstance(param.type, IntType)]
    values = tuple((name, replayed.fallback or 0) for name in scalars)
    return Witness(shape.block, _grid(shape), values, tuple(steps), True)


_WORDS = {
    GuardKind.BRANCH: "branch",
    GuardKind.LOOP: "loop condition",
    GuardKind.SKIP: "break, continue or return before the barrier",
    GuardKind.SHORT: "condition",
}
