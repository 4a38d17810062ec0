r"""The rule ``wrong-bounds-guard``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.assumptions import assumed
from kernlint.analysis.base import Facts
from kernlint.analysis.extent.allocated import allocated, fits
from kernlint.analysis.extent.allocated_words import in_words
from kernlint.analysis.extent.asking import example, shown
from kernlint.analysis.extent.documented import Beyond, documented
from kernlint.analysis.extent.launched import Surplus, surplus_items
from kernlint.analysis.extent.limits import limits
from kernlint.analysis.extent.open_ends import OpenEnd, open_ends
from kernlint.analysis.extent.overreach import overreach
from kernlint.analysis.extent.overrun import How, Overrun, overruns
from kernlint.analysis.extent.partly_tested import PartlyTested, partly_tested
from kernlint.analysis.extent.past_end import excluded, of_overreach
from kernlint.analysis.extent.twins import Twin, twins
from kernlint.analysis.extent.wrong_guards.faults import FIXES, Fault, Overreach
from kernlint.analysis.extent.wrong_guards.other_limits import BY_HOST
from kernlint.analysis.extent.wrong_guards.rounds import FIRST, PARTS, WHOLE
from kernlint.analysis.launching.crossed import crossed_sizes
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.analysis.replay import replayer
from kernlint.analysis.sharing.race_words import calls
from kernlint.analysis.trace import trace
from kernlint.analysis.wording import element, index, verb
from kernlint.finding import Confidence, Finding, Fix, Related, Severity
from kernlint.rule import Meta, Rule
from kernlint.source import SourceFile, Span
from kernlint.symbolic.polynomial import Polynomial, polynomial, term_of
from kernlint.symbolic.show import words
from kernlint.tree.types import Space


class WrongBoundsGuard(Rule):
    r"""A test of the index stands before the access, and lets indices through that are outside.

    The test is off by one (`>` for `>=`), tests one element and uses another (a neighbour, the last lane of a
    vector), speaks of whole groups or rounds into which a row is rounded up, says no more than the loop around it,
    holds where one of two indices is inside, tests one index twice or against the extent of another axis, counts
    vectors where the size counts elements, or is always true because an unsigned difference is never negative.
    The extent comes from the kernel itself (another access that the same size bounds strictly, the pitch of a row) or
    from what the launch passes, never from a single access.

    ```cuda bad
    __global__ void negate(float *x, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i > n) return;
        x[i] = -x[i];  // expect: KL102
    }
    ```

    ```cuda bad
    __global__ void fill(double *plane, unsigned nx, unsigned ny) {
        unsigned ix = blockIdx.x * 32u + threadIdx.x;
        unsigned iy = blockIdx.y * 8u + threadIdx.y;
        if (nx - 1u - ix >= 0 && ny - 1u - iy >= 0)
            plane[(size_t)iy * nx + ix] = 1.0;  // expect: KL102
    }
    ```

    ```opencl bad
    __kernel void average(__global const float *in, __global float *out, int width, int height) {
        int x = get_global_id(0), y = get_global_id(1);
        if (x >= width || y >= height) return;
        float sum = 0.0f;
        for (int d = -1; d < 2; ++d) {
            if (y + d < 0) continue;
            sum += in[(y + d) * width + x];  // expect: KL102
        }
        out[y * width + x] = sum / 3.0f;
    }
    ```

    ```cuda bad
    #include <cuda_runtime.h>
    __global__ void interleave(float *pairs, const float *x, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) pairs[2 * i + 1] = x[i];  // expect: KL102
    }

    void run(const float *x, int n) {
        float *pairs;
        cudaMalloc(&pairs, n * sizeof(float));
        interleave<<<(n + 255) / 256, 256>>>(pairs, x, n);
    }
    ```

    ```opencl bad
    __kernel void brighten(__global float *image, int width, int height) {
        int x = get_global_id(0), y = get_global_id(1);
        if (x < width || y < height)
            image[y * width + x] *= 2.0f;  // expect: KL102
    }
    ```

    ```cuda good
    __global__ void negate(float *x, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n) return;
        x[i] = -x[i];
    }
    ```

    ```cuda good
    __global__ void row_lengths(const int *start, int *length, int rows) {
        int r = blockIdx.x * blockDim.x + threadIdx.x;
        if (r < rows) length[r] = start[r + 1] - start[r];
    }
    ```

    ```opencl good
    __kernel void average(__global const float *in, __global float *out, int width, int height) {
        int x = get_global_id(0), y = get_global_id(1);
        if (x >= width || y >= height) return;
        float sum = 0.0f;
        for (int d = -1; d < 2; ++d) {
            if (y + d < 0 || y + d >= height) continue;
            sum += in[(y + d) * width + x];
        }
        out[y * width + x] = sum / 3.0f;
    }
    ```
    """

    meta = Meta("KL102", "wrong-bounds-guard", Severity.WARNING, tags=("CUDASecurity",), precision="high")
    needs = (
        trace,
        overreach,
        overruns,
        documented,
        surplus_items,
        twins,
        open_ends,
        partly_tested,
        allocated,
        limits,
        launch_context,
        assumed,
        crossed_sizes,
        replayer,
    )
    requires_whole = True
    looks_back = True

    def check(self, facts: Facts) -> Iterator[Finding]:
        if not facts[trace].guards_known(facts.function.span):
            return
        beyond = [
            one
            for one in facts[allocated]
            if (facts.module.language != "opencl" or one.access.root.space is not Space.SHARED)
            and one.guarded
            and not one.in_other_unit  # kernel-argument-mismatch tells of the allocation
        ]
        if beyond:
            span, message, severity, related, witness = in_words(
                beyond, "the tests before it let that through", facts[replayer]
            )
            yield self.finding(
                span, message, severity, related=related, witness=witness, fix="test the last element that is touched"
            )
            return
        halves: tuple[OpenEnd, ...] = facts[open_ends]
        ends: tuple[PartlyTested, ...] = facts[partly_tested]
        for half in (*(one for one in halves if not one.below), *ends):
            yield self.told(half.access.span, half.told, calls(half.access))
        groups: dict[tuple[Fault, Span], list[Overreach]] = {}
        for one in facts[overreach]:
            if one.fault is Fault.SWAPPED or (one.fault is Fault.OTHER and facts[crossed_sizes]):
                continue  # swapped-axes or kernel-argument-mismatch tells of it
            tried = one.fault not in (Fault.VACUOUS, Fault.WRAPPED) and fits(one.access, facts)  # as if none wraps
            if not tried and not excluded([of_overreach(one, facts)], facts):
                groups.setdefault((one.fault, one.guard.span), []).append(one)
        for found in groups.values():
            yield self._report(facts, found)
        told = {one.access for found in groups.values() for one in found}
        said: dict[tuple[Span, Span | None], list[Beyond]] = {}
        for told_of in facts[documented]:
            if told_of.access not in told:
                said.setdefault((told_of.guard.span, told_of.shape.span if told_of.shape else None), []).append(told_of)
        for beyond_said in said.values():
            yield self._said(beyond_said)
            told |= {one.access for one in beyond_said}
        runs: dict[tuple[How, Span], list[Overrun]] = {}
        for run in facts[overruns]:
            if run.how is How.FOREIGN or (run.how is How.SHAPE and run.access not in told):
                runs.setdefault((run.how, run.guard.span), []).append(run)
        for (how, _), (first, *others) in runs.items():
            yield self._foreign(first, others) if how is How.FOREIGN else self._shape(first, others)
            told |= {first.access, *(one.access for one in others)}
        items: dict[Span, list[Surplus]] = {}
        for item in facts[surplus_items]:
            if item.guard is not None and item.access not in told:
                items.setdefault(item.guard.span, []).append(item)
        for found_items in items.values():
            yield self._items(found_items)
        pairs: dict[Span, list[Twin]] = {}
        for twin in facts[twins]:
            pairs.setdefault(twin.guard.span, []).append(twin)
        for found_twins in pairs.values():
            yield self._twin(found_twins)

    def fixes(self, facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
        """The test put right, where that is all it takes."""
        from kernlint.repair.wrong import wrong

        return wrong(facts, finding, source)

    def _said(self, found: Sequence[Beyond]) -> Finding:
        first = next((one for one in found if one.access.writes), found[0])
        access, size = first.access, words(first.size)
        why = "as a comment has it"
        related = [Related(first.guard.span, "this test of the index lets it through"), *calls(access)]
        if first.shape is not None:
            related.insert(0, Related(first.shape.span, f"the comment gives {access.root.name} these sizes"))
        elif first.support is not None:
            why = f"as {element(first.support)} is the last element"
            related.insert(0, Related(first.support.span, "here the last element is read by its number"))
        seen = {access.span}
        for one in found:
            if one.access.span not in seen and len(related) < 5:
                seen.add(one.access.span)
                related.append(Related(one.access.span, f"so is {element(one.access)} here"))
        return self.finding(
            access.span,
            f"{element(access)} is {verb(access)} where its index reaches {size}, which is all that there is, {why}: "
            "the tests before it let that through",
            related=related,
            witness=shown(first.past, first.witness),
            assumptions=(f"{size} is the extent, {why}",),
            fix=f"test the index that is used against {size}",
        )

    def _twin(self, found: Sequence[Twin]) -> Finding:
        first = next((one for one in found if one.place.access.writes), found[0])
        access, size, other = first.place.access, words(term_of(first.size)), first.other
        related = [
            Related(first.guard.span, "this number is multiplied in the index"),
            Related(other.span, f"another kernel keeps {element(other)} below the same count of the same memory"),
        ]
        seen = {access.span}
        for one in found:
            if one.place.access.span not in seen and len(related) < 5:
                seen.add(one.place.access.span)
                related.append(Related(one.place.access.span, f"so is {element(one.place.access)} here"))
        return self.finding(
            access.span,
            f"{element(access)} is {verb(access)} at {first.times} times a number that is tested against {size}, which "
            "counts all elements, as another kernel shows",
            related=related,
            assumptions=(f"the launches in {first.launch.host.name} pass the same memory and the same count",),
            fix=f"test against {size} / {first.times}, or test the index itself",
        )

    def _items(self, found: Sequence[Surplus]) -> Finding:
        first = next((one for one in found if one.access.writes), found[0])
        access, count = first.access, words(first.count)
        assert first.guard is not None
        related = [
            Related(first.guard.span, "surplus items pass this test"),
            Related(first.view.fact.span, f"this launch rounds {count} up to whole blocks"),
        ]
        seen = {access.span}
        for one in found:
            if one.access.span not in seen and len(related) < 5:
                seen.add(one.access.span)
                related.append(Related(one.access.span, f"so is {element(one.access)} here"))
        why = "the test before it lets them through"
        if first.unused is not None:
            why = f"{first.unused.name} is passed for it, and another size is tested"
        return self.finding(
            access.span,
            f"{element(access)} is {verb(access)} for items past {count}, which the launch rounds up to whole blocks: "
            f"{why}",
            related=related,
            witness=shown(first.past, first.witness),
            fix=f"test the number of the item against {first.unused.name if first.unused is not None else count}",
        )

    def _foreign(self, run: Overrun, others: Sequence[Overrun]) -> Finding:
        access, size = run.access, words(term_of(run.size))
        owner = run.support.root.name
        related = [Related(run.guard.span, f"this is the length of the rows of {owner}"), *calls(access)]
        related += [Related(other.access.span, f"so is {element(other.access)} here") for other in others[:3]]
        return self.finding(
            access.span,
            f"{element(access)} is {verb(access)} in rows of {size}, but its index is tested against those of {owner}",
            related=related,
            witness=shown(run.past, run.witness),
            assumptions=(f"{size} is the length of a row of {access.root.name}: the index is made with it",),
            fix=f"test the index against {size}",
        )

    def _shape(self, run: Overrun, others: Sequence[Overrun]) -> Finding:
        access, size = run.access, words(term_of(run.size))
        related = [Related(run.guard.span, "this test lets it through"), *calls(access)]
        related += [Related(other.access.span, f"so is {element(other.access)} here") for other in others[:3]]
        return self.finding(
            access.span,
            f"{element(access)} is {verb(access)} where the index may be {size} or more, the extent of the array: the "
            "test lets more through",
            related=related,
            witness=shown(run.past, run.witness),
            fix="test the index that is used",
        )

    def _report(self, facts: Facts, found: Sequence[Overreach]) -> Finding:
        first = next((one for one in found if one.access.writes), found[0])
        access = first.access
        alone = first.fault is Fault.CLAMPED and first.support is None
        related = [] if alone else [Related(first.guard.span, _why_wrong(first))]
        if first.support is not None and first.support.span != access.span:
            related.append(Related(first.support.span, f"{element(first.support)}: {first.why}"))
        seen = {access.span}
        for other in found:
            if other.access.span not in seen and len(related) < 4:
                seen.add(other.access.span)
                related.append(Related(other.access.span, f"{element(other.access)} is {verb(other.access)} here"))
        return self.finding(
            access.span,
            _message(first),
            related=related,
            assumptions=(f"{first.size} is the extent: {first.why}",) if _of_extent(first) else (),
            witness=None if _untold(first) else example(of_overreach(first, facts), facts),
            fix=FIXES[first.fault],
            confidence=Confidence.MEDIUM if first.why == "by its name" else Confidence.HIGH,
        )


def _untold(one: Overreach) -> bool:
    """Whether no launch with numbers of any kind shows what is wrong: it takes odd ones, or those of a host."""
    return one.fault is Fault.BLOCKS or one.why == BY_HOST


def _of_extent(one: Overreach) -> bool:
    """Whether what the guard lets through is told by an extent."""
    return one.size is not None and one.fault not in (Fault.ROWS, Fault.BLOCKS, Fault.REPEATED)


def _why_wrong(one: Overreach) -> str:
    if one.fault in (Fault.VACUOUS, Fault.WRAPPED):
        return "the unsigned difference wraps instead of falling below zero"
    if one.fault is Fault.MASKED:
        return "no number that is left equals what it is compared with: all threads pass"
    if one.fault is Fault.BLOCKS:
        return "this lets through what the last block has no items for"
    if one.fault is Fault.ROUNDS and one.why == FIRST:
        return "this is asked of the first element of a part"
    if one.fault is Fault.ROUNDS:
        return f"{'these are the parts' if one.why == PARTS else 'these are the rounds'}: their number is rounded up"
    return f"the test lets {words(one.part)} through"


def _tested(one: Overreach) -> str:
    """What is tested of an access, as the source has it where that is the whole index."""
    at, own = one.part.args[0], one.access.index
    return index(one.access) if own is None or polynomial(own) == polynomial(at) else words(at)


def _of_rounds(one: Overreach, what: str, size: Polynomial | None) -> str:
    """What is wrong where something is rounded up."""
    if one.fault is Fault.BLOCKS:
        return (
            f"{what} by all of the last block, which has fewer items than the others: the row has room for {size} of "
            "them, and past it begins the next one"
        )
    whose = "parts" if one.why in (FIRST, PARTS) else "rounds"
    end = "the last part may have fewer elements" if one.why in (FIRST, PARTS) else "past it begins the next row"
    if one.why == WHOLE:
        end = "the last round may have fewer items"
    return (
        f"{what} in the last of as many {whose} as round {size} up, where nothing keeps the index below {size}: {end}"
    )


def _message(one: Overreach) -> str:
    what, size = f"{element(one.access)} is {verb(one.access)}", one.size
    if one.fault is Fault.INCLUSIVE:
        return f"{what} where {_tested(one)} may be {size}, one element beyond the end: the test is off by one"
    if one.fault is Fault.NEIGHBOUR:
        amount = "one element" if one.beyond == 1 else f"{one.beyond} elements"
        return f"{what} up to {amount} beyond {size}: the test bounds another index than the one used"
    if one.fault is Fault.VECTOR:
        return (
            f"{what} as {one.beyond + 1} elements at once, but only the first is tested: unless {size} is a multiple "
            f"of {one.beyond + 1}, the last vector crosses the end"
        )
    if one.fault is Fault.REVERSED:
        return f"{what} at {size} by the first thread, beyond the end: counting from the end starts at {size} - 1"
    if one.fault is Fault.BACKWARDS:
        return (
            f"{what} at {one.beyond} by the last thread, before the start: counting from the end starts at {size} - 1"
        )
    if one.fault is Fault.CLAMPED:
        return f"{what} with an index clamped to {size}, one element beyond the last"
    if one.fault is Fault.GROUP:
        return (
            f"{what} for {one.beyond + 1} elements of each thread, but only the first is tested: unless {size} is a "
            f"multiple of {one.beyond + 1}, the last thread gets beyond the end"
        )
    if one.fault is Fault.ITEMS:
        return (
            f"{what} at {one.beyond} times the index that is tested against {one.size}, which is all there is: each "
            f"thread takes {one.beyond} of them"
        )
    if one.fault in (Fault.EITHER, Fault.ENDS):
        held = f"one of its indices is inside, in rows of {size}"
        held = "its index is inside at one end, as any number is" if one.fault is Fault.ENDS else held
        return f"{what} where {held}: || stands where both have to be"
    if one.fault is Fault.TWICE:
        return f"{what} in rows of {size}, which bound the row and not the column: the wrong index is tested"
    if one.fault is Fault.PAST_ROW:
        amount = "one element" if one.beyond == 1 else f"{one.beyond} elements"
        return f"{what} up to {amount} past the end of its row of {size}: {words(one.part)} lets that through"
    if one.fault is Fault.ROWS:
        return f"{what} in a row whose number is tested against {size}: {one.why}"
    if one.fault in (Fault.ROUNDS, Fault.BLOCKS):
        return _of_rounds(one, what, size)
    if one.fault is Fault.REPEATED:
        return f"{what} after a test that its loop has made already: what the thread adds to the index goes untested"
    if one.fault is Fault.OTHER:
        return f"{what} with an index tested against {size}, for which another axis is launched, and not its own extent"
    if one.fault is Fault.FOREIGN:
        return f"{what} in a row of {size} at an index that is tested for another axis: {words(one.part)}"
    if one.fault is Fault.SCALARS:
        return (
            f"{what} as {one.beyond} elements at once with an index that counts vectors, but is tested against {size}, "
            f"which counts single elements: {one.why}"
        )
    if one.fault is Fault.PADDED:
        return f"{what} up to a count padded to whole groups, of which only {size} are in this array"
    return f"{what}{_hollow(one)}"


def _hollow(one: Overreach) -> str:
    """What is said of a test that all numbers pass."""
    if one.fault is Fault.MASKED:
        return f" at {one.beyond} where a number is the mark for no place: the test asks for the mark as it was"
    if one.part.op == "max":
        return " at an unsigned difference that is raised to zero: it is never below, and wraps for the first elements"
    limit = max((arg.value or 0 for arg in one.part.terms), default=0)
    why = "the difference is unsigned, never below zero"
    if limit >= 1 << 31:
        why = f"no number of so many bits gets to {limit}"
    return f", and the test before it stops no thread: {why}"
