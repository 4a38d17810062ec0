r"""The rule ``array-index-out-of-range``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import Facts
from kernlint.analysis.extent.allocated import Allocated, allocated
from kernlint.analysis.extent.allocated_words import in_words
from kernlint.analysis.extent.clamped_elsewhere import Unclamped, unclamped
from kernlint.analysis.extent.counts_beside import Unasked, counts_beside
from kernlint.analysis.extent.drawn_runs import BehindFirst, drawn_runs
from kernlint.analysis.extent.extents import outside, replayed
from kernlint.analysis.extent.flushed import Flushed, flushed
from kernlint.analysis.extent.full_counts import Full, full_counts
from kernlint.analysis.extent.full_loops import full_loops
from kernlint.analysis.extent.handed_out import handed_out
from kernlint.analysis.extent.leaving import Outside
from kernlint.analysis.extent.member_rooms import PastRoom, past_room
from kernlint.analysis.extent.moved_windows import Window, moved_windows
from kernlint.analysis.extent.numbered_ends import NumberedEnd, numbered_ends
from kernlint.analysis.extent.onward import Onward, onward
from kernlint.analysis.extent.pending import Pending, pending
from kernlint.analysis.extent.pushed import Behind, pushed
from kernlint.analysis.extent.pushes_elsewhere import Uncapped as Push
from kernlint.analysis.extent.pushes_elsewhere import pushes_elsewhere
from kernlint.analysis.extent.recorded_counts import Overread, overread
from kernlint.analysis.extent.room_left import Untold, room_left
from kernlint.analysis.extent.run_arrays import run_arrays
from kernlint.analysis.extent.searched_ends import BehindFound, searched_ends
from kernlint.analysis.extent.several_steps import Steps, several_steps
from kernlint.analysis.extent.slots import Overfull, overfull
from kernlint.analysis.extent.slots_elsewhere import Emptied, Unrefused, slots_elsewhere
from kernlint.analysis.extent.staged_base import Misplaced, staged_base
from kernlint.analysis.extent.told_apart import ToldApart, told_apart
from kernlint.analysis.extent.uncapped import Uncapped, uncapped
from kernlint.analysis.extent.untested_lengths import Untested, untested_lengths
from kernlint.analysis.extent.wrapped_slots import Wrapped, wrapped_slots
from kernlint.analysis.replay import Replayer, replayer
from kernlint.analysis.sharing.race_words import calls
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Root, RootKind
from kernlint.analysis.wording import also, element, verb, witness_of
from kernlint.finding import Confidence, Finding, Fix, Related, Severity
from kernlint.rule import Meta, Rule
from kernlint.source import SourceFile


class ArrayIndexOutOfRange(Rule):
    r"""The index of an array of constant size goes beyond its end.

    The size of a private, shared or constant array is in the text, and so, often, is all that its index depends on:
    thread indices, the block size, loop counters, masks. Reported is an access for which a thread of a block that
    is known (an attribute, a launch in the same file, the command line), or that the code itself speaks of, gets
    past the end. What an index takes from parameters or from memory is not speculated on, but for data under a mask
    or a remainder, whose largest value is taken, and for arguments that a launch in sight bounds by numbers: a
    check before it that lets 32 pass says that 32 is meant to work, and so does a comment (`length: 0 .. 64`), or
    a clamp of the kernel's own (`256 * min(channels, 3)`) where nothing else is asked of the argument.
    Arrays that a thread fills one by one end where it has stopped: a loop that looks at the next element too, a
    round that stores as many as data say after one test of the end, and what is read behind a full buffer, or as
    far as a count that goes on when the array is full, are told as well; so are values of later windows where only
    the lower end of a window is tested, runs at a cursor of which one is not kept within the room that is left as
    another is, a count that stops at the size of the array and is a place in it, a test of a count that lets the
    size itself pass, places and counts that another kernel of the file keeps below the number of elements that
    a list has, slots of a counter that begins anew one number too late, and accesses that a test for the full array
    leaves as they are.

    ```cuda bad
    __global__ void __launch_bounds__(256) block_sum(const float *in, float *out) {
        __shared__ float part[8];
        float v = in[blockIdx.x * 256 + threadIdx.x];
        if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
        __syncthreads();
        if (threadIdx.x < 32) out[threadIdx.x] = part[threadIdx.x];  // expect: KL104
    }
    ```

    ```cuda bad
    __global__ void digits(const int *in, int *out) {
        int seen[8];
        for (int d = 0; d <= 8; ++d) seen[d] = in[d];  // expect: KL104
        for (int d = 0; d < 8; ++d) out[d] = seen[d];
    }
    ```

    ```opencl bad
    __kernel __attribute__((reqd_work_group_size(64, 1, 1)))
    void histogram(__global const uint *in, __global uint *out) {
        __local uint bins[32];
        if (get_local_id(0) < 32) bins[get_local_id(0)] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        atomic_inc(&bins[in[get_global_id(0)] & 63]);  // expect: KL104
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_local_id(0) < 32) atomic_add(&out[get_local_id(0)], bins[get_local_id(0)]);
    }
    ```

    ```cuda good
    __global__ void __launch_bounds__(256) block_sum(const float *in, float *out) {
        __shared__ float part[8];
        float v = in[blockIdx.x * 256 + threadIdx.x];
        if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
        __syncthreads();
        if (threadIdx.x < 8) out[threadIdx.x] = part[threadIdx.x];
    }
    ```

    ```opencl good
    __kernel __attribute__((reqd_work_group_size(64, 1, 1)))
    void histogram(__global const uint *in, __global uint *out) {
        __local uint bins[32];
        if (get_local_id(0) < 32) bins[get_local_id(0)] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        atomic_inc(&bins[in[get_global_id(0)] & 31]);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_local_id(0) < 32) atomic_add(&out[get_local_id(0)], bins[get_local_id(0)]);
    }
    ```
    """

    meta = Meta(
        "KL104",
        "array-index-out-of-range",
        Severity.WARNING,
        tags=("CUDASecurity",),
        precision="high",
    )
    needs = (
        trace,
        outside,
        allocated,
        pushed,
        several_steps,
        flushed,
        uncapped,
        handed_out,
        overfull,
        drawn_runs,
        slots_elsewhere,
        counts_beside,
        wrapped_slots,
        staged_base,
        numbered_ends,
        pending,
        moved_windows,
        searched_ends,
        full_counts,
        onward,
        full_loops,
        room_left,
        past_room,
        pushes_elsewhere,
        untested_lengths,
        unclamped,
        run_arrays,
        told_apart,
        overread,
        replayer,
    )
    requires_whole = True
    looks_back = True

    def check(self, facts: Facts) -> Iterator[Finding]:
        if not facts[trace].guards_known(facts.function.span):
            return
        arrays: dict[Root, list[Outside]] = {}
        for one in facts[outside]:
            if not one.below:
                arrays.setdefault(one.access.root, []).append(one)
        for one in facts[run_arrays]:
            arrays.setdefault(one.access.root, []).append(one)
        for found in arrays.values():
            yield self._report(found, facts[replayer])
        yield from self._of_blocks(facts[allocated], facts[replayer])
        behind: tuple[Behind, ...] = facts[pushed]
        yield from (self._behind(one) for one in behind if one.access.root not in arrays)
        steps: tuple[Steps, ...] = facts[several_steps]
        yield from (self._steps(one) for one in steps if one.access.root not in arrays)
        full: tuple[Flushed, ...] = facts[flushed]
        yield from (self._flushed(one) for one in full if one.access.root not in arrays)
        counted: tuple[Uncapped, ...] = (*facts[uncapped], *facts[handed_out])
        yield from (self._uncapped(one) for one in counted if one.access.root not in arrays)
        drawn: tuple[Overfull, ...] = facts[overfull]
        yield from (self._overfull(one, facts.function.name) for one in drawn if one.access.root not in arrays)
        walks: tuple[Pending, ...] = facts[pending]
        yield from (self._pending(one) for one in walks if one.access.root not in arrays)
        moved: tuple[Window, ...] = facts[moved_windows]
        yield from (self._window(one) for one in moved if one.access.root not in arrays)
        found_last: tuple[BehindFound, ...] = facts[searched_ends]
        yield from (self._found(one) for one in found_last if one.access.root not in arrays)
        pushes: tuple[Push, ...] = facts[pushes_elsewhere]
        yield from (self._push(one) for one in pushes if one.access.root not in arrays)
        open_: tuple[Unclamped, ...] = facts[unclamped]
        yield from (self._unclamped(one) for one in open_ if one.access.root not in arrays)
        past: tuple[PastRoom, ...] = facts[past_room]
        yield from map(self._past_room, past)
        runs: tuple[Untold, ...] = facts[room_left]
        yield from (self._untold(one) for one in runs if one.access.root not in arrays)
        probes: tuple[Onward, ...] = facts[onward]
        yield from (self.told(one.access.span, one.told, calls(one.access)) for one in probes)
        full_up: tuple[Full, ...] = (*facts[full_counts], *facts[full_loops])
        yield from (self._full(one) for one in full_up if one.access.root not in arrays)
        arrays |= {one.access.root: [] for one in full_up}
        arrays |= {one.access.root: [] for one in drawn}
        wrapped: tuple[Wrapped, ...] = facts[wrapped_slots]
        lengths: tuple[Untested, ...] = facts[untested_lengths]
        slots: tuple[Unrefused | Emptied | Unasked | Wrapped | Untested | BehindFirst, ...] = (
            *facts[drawn_runs],
            *facts[slots_elsewhere],
            *facts[counts_beside],
            *wrapped,
            *lengths,
        )
        yield from (
            self.told(one.access.span, one.told, calls(one.access)) for one in slots if one.access.root not in arrays
        )
        numbered: tuple[NumberedEnd, ...] = facts[numbered_ends]
        yield from (
            self.told(one.access.span, one.told, calls(one.access)) for one in numbered if one.access.root not in arrays
        )
        recorded: tuple[Overread | Misplaced, ...] = (*facts[overread], *facts[staged_base])
        yield from (self.told(one.access.span, one.told, calls(one.access)) for one in recorded)
        apart: tuple[ToldApart, ...] = facts[told_apart]
        for state in apart:
            if (state.empty or not state.below) and state.access.root not in arrays:
                yield self.told(state.access.span, state.told, calls(state.access))

    def _behind(self, one: Behind) -> Finding:
        access = one.access
        return self.finding(
            access.span,
            f"{element(access)} is read behind the last element that was stored in {access.root.name}: the loop lets "
            "the index be as large as their number",
            related=[
                Related(one.push.span, "the elements are stored, and counted, here"),
                Related(one.guard.span, "the loop goes on up to the last one, and the index is one more"),
            ],
            fix="let the loop end one element earlier",
        )

    def _overfull(self, one: Overfull, kernel: str) -> Finding:
        access, clamp = one.access, one.clamp
        why, related = "as many threads may take a slot as find something", []
        if clamp is not None:
            other = "what was stored is used" if clamp.kernel == kernel else f"{clamp.kernel} uses what was stored"
            asked = "the test lets a slot past the last one through" if one.lets_through else "the store asks nothing"
            why = f"{other} as far as there is room, and {asked}"
            related = [Related(clamp.guard.span, f"the count is clamped to {one.room} for this")]
        if one.wraps is not None:
            why = "the test of what is left is one of unsigned numbers, and large once there is less than nothing"
            related = [Related(one.wraps.span, "the test; threads that find no room count on all the same")]
        return self.finding(
            access.span,
            f"{element(access)} is written past the end of {access.root.name} where there are more than {one.room} to "
            f"store: {why}",
            related=[*related, *calls(access)],
            fix=f"store only where the slot is less than {one.room}",
        )

    def _pending(self, one: Pending) -> Finding:
        access, more = one.access, f"{one.more} more {'node waits' if one.more == 1 else 'nodes wait'}"
        return self.finding(
            access.span,
            f"{element(access)} is written past the end of {access.root.name} on the way down a tree of {one.levels} "
            f"levels, of which a comment speaks: on each level {more}, there is room for {one.room}, and nothing asks",
            related=calls(access),
            fix=f"make {access.root.name} as long as the tree may need, or test the count before the store",
        )

    def _found(self, one: BehindFound) -> Finding:
        access = one.access
        return self.finding(
            access.span,
            f"{element(access)} is {verb(access)} behind the end of {access.root.name} where the search has found the "
            f"last element: it is element {one.count} of {one.count} then",
            related=[
                Related(one.search, "the search ends at the end of the array then"),
                *(Related(span, "called from here") for span in access.stack[::-1][:2]),
            ],
            fix="ask whether the last element was found, or make the array one element larger",
        )

    def _untold(self, one: Untold) -> Finding:
        access = one.access
        return self.finding(
            access.span,
            f"{element(access)} is {verb(access)} past the end of {access.root.name} where data make the run long: "
            f"nothing keeps its length within the room that is left, as that of {element(one.other)} is kept",
            related=[Related(one.guard.span, "there the room that is left is tested")],
            fix="test the length against the room that is left here too",
        )

    def _push(self, one: Push) -> Finding:
        access = one.access
        return self.finding(
            access.span,
            f"{element(access)} is {verb(access)} at a count of what data let through, which nothing keeps below "
            f"{one.room}: {one.other.kernel} fills such a list of {access.root.name} as far as there is room",
            related=[Related(one.other.guard.span, "there the count is tested"), *calls(access)],
            fix=f"store only where the count is less than {one.room}",
        )

    def _unclamped(self, one: Unclamped) -> Finding:
        access = one.access
        return self.finding(
            access.span,
            f"{element(access)} is {verb(access)} past the end of {access.root.name} where a number of {one.array} is "
            f"more than {one.room}: {one.other.kernel} clamps it to that, and nothing does here",
            related=[Related(one.other.guard.span, "there it is clamped"), *calls(access)],
            fix=f"clamp the number to {one.room} here too",
        )

    def _past_room(self, one: PastRoom) -> Finding:
        access = one.access
        return self.finding(
            access.span,
            f"{element(access)} is {verb(access)} at a place from memory that may be {one.room} or more, which is how "
            f"many elements there are: {one.other.kernel} keeps such a place below that, and nothing does here",
            related=[Related(one.other.span, "there it is kept" if one.other.asked is None else "there it is tested")],
            fix=f"test that the place is less than {one.room} here too",
        )

    def _full(self, one: Full) -> Finding:
        access, where = one.access, "the row" if one.access.root.kind is RootKind.PARAM else one.access.root.name
        how = f"{one.name} goes up to {one.room}, and nothing keeps the place below that"
        related = [Related(span, "called from here") for span in access.stack[::-1][:2]]
        if one.guard is not None:
            how = f"{one.name} is tested, but a place past the last of {one.room} is let through"
            related.insert(0, Related(one.guard.span, "the test"))
        if one.other is not None:
            how = f"{one.name} is tested where {element(one.other)} is written, and not here"
        return self.finding(
            access.span,
            f"{element(access)} is {verb(access)} behind the end of {where} when that is full: {how}",
            related=related,
            fix=f"keep the place at {one.room - 1} at most",
        )

    def _window(self, one: Window) -> Finding:
        access = one.access
        return self.finding(
            access.span,
            f"{element(access)} is {verb(access)} past the end of {access.root.name} for values of later windows: only "
            "the lower end is tested",
            related=[Related(one.guard.span, f"a value may be {one.length} or more above the base here")],
            fix=f"test that the index is less than {one.length} too",
        )

    def _uncapped(self, one: Uncapped) -> Finding:
        access = one.access
        return self.finding(
            access.span,
            f"{element(access)} is {verb(access)} past the end of {access.root.name} where more was counted than it "
            "has room for: the count goes on when the array is full",
            related=[
                Related(one.push.span, "the elements are stored here, as far as there is room"),
                Related(one.guard.span, "this lets the index be as large as the count"),
            ],
            fix=f"limit the count to the size of {access.root.name} before it bounds an index",
        )

    def _steps(self, one: Steps) -> Finding:
        access = one.access
        return self.finding(
            access.span,
            f"{element(access)} is {verb(access)} past the end of {access.root.name} where the inner loop is "
            "long enough: the end is tested once before all of its rounds",
            related=[Related(one.guard.span, "this test holds when the inner loop begins")],
            fix="test for the end in the inner loop too",
        )

    def _flushed(self, one: Flushed) -> Finding:
        access = one.access
        return self.finding(
            access.span,
            f"{element(access)} is read behind the end of the buffer when it was full: with {one.room} items in it all "
            "whole parts have been handed over, and nothing is left behind them",
            related=[Related(one.guard.span, f"this test takes up to {one.room} items for possible")],
            fix="read what is left only where there is something left",
        )

    def _of_blocks(self, found: tuple[Allocated, ...], again: Replayer) -> Iterator[Finding]:
        beyond = [one for one in found if not one.guarded]
        if beyond and all(one.of_blocks for one in beyond):  # else missing-bounds-guard tells of them
            why = "there are fewer places than blocks"
            span, message, severity, related, witness = in_words(beyond, why, again)
            fix = "make room for a place of each block"
            yield self.finding(span, message, severity, related=related, witness=witness, fix=fix)

    def _report(self, found: Sequence[Outside], again: Replayer) -> Finding:
        one = found[0]
        access = one.access
        assert one.extent is not None
        size = one.unit
        # Of what is wider than an element (a vector, a number in an array of bytes) the end may be all that is beyond.
        last = one.witness.first.offset + (0 if one.inner else max((access.size or size) - size, 0))
        index, count = last // size, one.extent // size
        first = one.witness.first
        who = f"thread {_place(first.thread)}" if one.reason else "a thread"
        if any(first.block):
            who += f" of block {_place(first.block)}"
        if _counts(one):
            values = ", ".join(f"{symbol.name} = {value}" for symbol, value in one.witness.first.counters)
            who = f"iteration {values}" if not one.reason else f"{who} in iteration {values}"
        what = "for data as large as a mask, clamp, choice or test lets them be, " if one.data else ""
        if one.told:
            what += f"with {one.told} allows, "
        if one.given:
            given = ", ".join(f"{symbol.name} = {value}" for symbol, value in one.witness.values)
            what += f"with {given or 'numbers'}, which the host lets pass, "
        whole = f"its row or field of {access.root.name}" if one.inner else access.root.name
        related = []
        if access.root.decl is not None:
            what_is = "is declared here" if one.inner else f"has {count} elements of {size} bytes"
            related.append(Related(access.root.decl.span, f"{access.root.name} {what_is}"))
        related += [Related(span, "called from here") for span in access.stack[::-1][:2]]
        also([other.access for other in found], "beyond", related)
        seen_again, severity = replayed(one, again)
        return self.finding(
            access.span,
            f"{element(access)} is {verb(access)} beyond the end of {whole}: {what}{who} reaches element "
            f"{index} of {count}",
            severity,
            related=related,
            witness=witness_of(access, one.witness, size, seen_again),
            assumptions=(one.reason,) if one.reason else (),
            fix=f"make {access.root.name} larger, or keep the index below {count}",
            confidence=Confidence.MEDIUM if one.data else Confidence.HIGH,
        )

    def fixes(self, facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
        """A condition around the access that is off by one."""
        from kernlint.repair.wrong import narrower

        return narrower(facts, finding, source)


def _counts(one: Outside) -> bool:
    return bool(one.witness.first.counters)


def _place(thread: tuple[int, int, int]) -> str:
    x, y, z = thread
    return str(x) if not y and not z else f"({x}, {y})" if not z else f"({x}, {y}, {z})"
