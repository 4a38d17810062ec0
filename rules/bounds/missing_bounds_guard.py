r"""The rule ``missing-bounds-guard``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import Facts
from kernlint.analysis.extent import asking, past_end
from kernlint.analysis.extent.allocated import allocated
from kernlint.analysis.extent.allocated_words import in_words
from kernlint.analysis.extent.appended import Appended, appended
from kernlint.analysis.extent.first_unclamped import FirstUnclamped, first_unclamped
from kernlint.analysis.extent.known_marks import KnownMark, known_marks
from kernlint.analysis.extent.launched import Surplus, surplus_items
from kernlint.analysis.extent.limits import limits
from kernlint.analysis.extent.marks import Mark, marks
from kernlint.analysis.extent.other_conditions import other_conditions
from kernlint.analysis.extent.other_kernels import Untested, untested
from kernlint.analysis.extent.overrun import How, Overrun, overruns
from kernlint.analysis.extent.sizes import BY_NAME
from kernlint.analysis.extent.surplus import Exposed, Tier, example, surplus
from kernlint.analysis.extent.unasked_room import Unasked, unasked
from kernlint.analysis.extent.unfound import Unfound, unfound
from kernlint.analysis.extent.unwrapped import Unwrapped, unwrapped
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.analysis.replay import replayer
from kernlint.analysis.sharing.race_words import calls
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access
from kernlint.analysis.wording import element, verb
from kernlint.finding import Confidence, Finding, Fix, Related, Severity
from kernlint.rule import Meta, Rule
from kernlint.source import SourceFile, Span
from kernlint.symbolic.polynomial import Polynomial, term_of
from kernlint.symbolic.show import UNSAID, words
from kernlint.tree.types import Space

AXES = "xyz"


class MissingBoundsGuard(Rule):
    r"""Memory is indexed with the global thread index, and nothing stops the threads beyond the end.

    A grid is made of whole blocks, so it usually has more threads than there are elements. The surplus threads must
    not touch memory: a test of the index, an early return, a clamp, a remainder or a loop bound has to hold them
    back. Reported where there is evidence that such threads exist: the launch in sight rounds its grid up to whole
    blocks, the kernel receives a size that it never tests, or it tests the same row or slot for another array, or
    another kernel of the file does for rows of the same length. So are a probe of a table that begins with a whole
    hash and only goes on inside, and a list of constant length that is filled as far as data say. A launch that is
    provably exact (the host has checked that the block size divides the count) is fine without a guard, and a lone
    unguarded access is no evidence.

    ```cuda bad
    __global__ void scale(float *data, float factor, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        data[i] = data[i] * factor;  // expect: KL101
    }
    ```

    ```cuda bad
    __global__ void clear(float *data) {
        data[blockIdx.x * 128 + threadIdx.x] = 0.0f;  // expect: KL101
    }

    void clear_all(float *data, int n) {
        clear<<<(n + 127) / 128, 128>>>(data);
    }
    ```

    ```opencl bad
    __kernel void darken(__global uchar *image, int width, int height) {
        int x = get_global_id(0), y = get_global_id(1);
        if (x < width)
            image[y * width + x] /= 2;  // expect: KL101
    }
    ```

    ```cuda bad
    #include <cuda_runtime.h>
    __global__ void ones(float *data) {
        data[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f;  // expect: KL101
    }

    void make() {
        float *data;
        cudaMalloc(&data, 1000 * sizeof(float));
        ones<<<4, 256>>>(data);
    }
    ```

    ```cuda good
    __global__ void scale(float *data, float factor, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) data[i] = data[i] * factor;
    }
    ```

    ```cuda good
    __global__ void clear(float *data) {
        data[blockIdx.x * 128 + threadIdx.x] = 0.0f;
    }

    int clear_all(float *data, int n) {
        if (n % 128 != 0) return 1;
        clear<<<(n + 127) / 128, 128>>>(data);
        return 0;
    }
    ```

    ```opencl good
    __kernel void darken(__global uchar *image, int width, int height) {
        int x = get_global_id(0), y = get_global_id(1);
        if (x >= width || y >= height) return;
        image[y * width + x] /= 2;
    }
    ```
    """

    meta = Meta(
        "KL101",
        "missing-bounds-guard",
        Severity.WARNING,
        tags=("CUDASecurity", "CUDA PG"),
        precision="high",
    )
    needs = (
        trace,
        surplus,
        surplus_items,
        overruns,
        marks,
        known_marks,
        appended,
        unwrapped,
        first_unclamped,
        untested,
        other_conditions,
        unasked,
        unfound,
        allocated,
        launch_context,
        limits,
        replayer,
    )
    requires_whole = True
    looks_back = True

    def check(self, facts: Facts) -> Iterator[Finding]:
        if not facts[trace].guards_known(facts.function.span):
            return
        local = facts.module.language == "opencl"  # there local-size-mismatch tells of arguments in local memory
        beyond = [
            one for one in facts[allocated] if not (local and one.access.root.space is Space.SHARED) and not one.guarded
        ]
        if all(one.of_blocks for one in beyond) and beyond:
            return  # array-index-out-of-range tells of them
        if beyond:
            span, message, severity, related, witness = in_words(
                beyond, "no test of the index stops the surplus threads", facts[replayer]
            )
            yield self.finding(
                span, message, severity, related=related, witness=witness, fix="test the index against the size"
            )
            return
        yield from self._marks(facts[marks])
        yield from self._known_marks(facts[known_marks], {one.access for one in facts[marks]})
        for one in facts[other_conditions]:
            yield self.finding(one.access.span, one.message, related=one.related, fix="make the access under it too")
        first_rounds: tuple[Unwrapped, ...] = facts[unwrapped]
        yield from map(self._unwrapped, first_rounds)
        unclamped: tuple[FirstUnclamped, ...] = facts[first_unclamped]
        yield from (self.told(one.access.span, one.told, calls(one.access)) for one in unclamped)
        yield from self._unasked(facts[unasked])
        searches: tuple[Unfound, ...] = facts[unfound]
        yield from (self.told(one.access.span, one.told, calls(one.access)) for one in searches)
        rows: tuple[Appended, ...] = facts[appended]
        yield from map(self._appended, rows)
        late = {run.access for run in facts[overruns] if run.late and run.how is How.SIBLING}  # of a late guard
        exposed = [one for one in facts[surplus] if not one.late and one.access not in late]
        elsewhere: tuple[Untested, ...] = facts[untested]
        runs = [one for one in facts[overruns] if one.how in (How.SIBLING, How.TAIL) and not one.late]
        items = [one for one in facts[surplus_items] if one.guard is None and one.access not in late]
        for tier in Tier:
            if tier is Tier.SIBLING and items:
                yield self._items(items)
                return
            if tier is Tier.OTHER_AXIS and runs:
                yield from self._overruns(runs)
                return
            found = [one for one in exposed if one.tier is tier and not _bypassed(one)]
            if tier is Tier.OTHER_AXIS and elsewhere:
                yield from self._elsewhere(elsewhere)
                return
            if found and not past_end.excluded([past_end.of_exposed(one, facts) for one in found], facts):
                yield self._report(facts, found)
                return
        yield from self._elsewhere(elsewhere)

    def fixes(self, facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
        """A test of the index against the size that the evidence names."""
        from kernlint.repair.missing import missing

        return missing(facts, finding, source)

    def _marks(self, found: tuple[Mark, ...]) -> Iterator[Finding]:
        groups: dict[tuple[Span, int], list[Mark]] = {}
        for one in found:
            groups.setdefault((one.guard.span, one.value), []).append(one)
        for group in groups.values():
            first = next((one for one in group if one.access.writes), group[0])
            access = first.access
            others = _others(access, [one.access for one in group])
            yield self.finding(
                access.span,
                f"{element(access)} is {verb(access)} with an index from memory that may be {first.value}, which is a "
                f"place in no array: {element(first.other)} is kept from it by a test, and this is not",
                related=[
                    Related(first.guard.span, f"{element(first.other)} is {verb(first.other)} under this test"),
                    *calls(access),
                    *(Related(other.span, f"so is {element(other)} here") for other in others[:3]),
                ],
                assumptions=(f"the data hold {first.value} where there is no place, as the test says",),
                fix="make the access under the test too",
            )

    def _known_marks(self, found: tuple[KnownMark, ...], told: set[Access]) -> Iterator[Finding]:
        groups: dict[str, list[KnownMark]] = {}
        for one in found:
            if one.access not in told:
                groups.setdefault(one.array, []).append(one)
        for array, group in groups.items():
            first = next((one for one in group if one.access.writes), group[0])
            access = first.access
            others = _others(access, [one.access for one in group])
            related = [Related(other.span, f"so is {element(other)} here") for other in others[:2]]
            why, span, remark = first.why
            related.insert(0, Related(span, remark))
            yield self.finding(
                access.span,
                f"{element(access)} is {verb(access)} with a number from {array} {why}: nothing asks for that here",
                related=[*related, *calls(access)],
                assumptions=(f"{array} holds {first.value} here too",),
                fix=f"leave out what is {first.value}",
            )

    def _appended(self, one: Appended) -> Finding:
        access, room = one.access, words(one.room)
        return self.finding(
            access.span,
            f"{element(access)} is written at a count of what data let through, in a row of {room}: nothing in the "
            "kernel keeps the count below that",
            related=calls(access),
            fix=f"test the count against {room} before the store",
            confidence=Confidence.MEDIUM,
        )

    def _unasked(self, found: tuple[Unasked, ...]) -> Iterator[Finding]:
        groups: dict[str, list[Unasked]] = {}
        for one in found:
            groups.setdefault(one.name, []).append(one)
        for name, group in groups.items():
            first = next((one for one in group if one.access.writes), group[0])
            source = "a counter" if first.drawn else "memory"
            access = first.access
            others = _others(access, [one.access for one in group])
            yield self.finding(
                access.span,
                f"{element(access)} is {verb(access)} at a place from {source} that nothing keeps below {name}: "
                + first.why,
                related=[
                    *first.related,
                    *(Related(other.span, f"so is {element(other)} here") for other in others[:2]),
                ],
                fix=f"test the place against {name} before the access",
            )

    def _unwrapped(self, one: Unwrapped) -> Finding:
        access, bound = one.access, words(one.bound)
        return self.finding(
            access.span,
            f"{element(access)} is {verb(access)} with a number of all bits in the first round of the loop: every "
            f"further round brings the index below a bound ({bound}), and nothing does here",
            related=calls(access),
            assumptions=(f"the array has no place beyond {bound}, as the loop says",),
            fix="bring the first index below the bound too",
        )

    def _elsewhere(self, found: Sequence[Untested]) -> Iterator[Finding]:
        groups: dict[tuple[str, str], list[Untested]] = {}
        for one in found:
            groups.setdefault((one.other.kernel, one.other.size), []).append(one)
        for (kernel, size), group in groups.items():
            first = next((one for one in group if one.access.writes), group[0])
            access, other = first.access, first.other
            others = _others(access, [one.access for one in group])
            yield self.finding(
                access.span,
                f"{element(access)} is {verb(access)} with an index that nothing keeps below {size}, as {kernel} does",
                related=[
                    Related(other.guard.span, f"there {element(other.access)} is kept below {size} by this test"),
                    *calls(access),
                    *(Related(one.span, f"so is {element(one)} here") for one in others[:3]),
                ],
                assumptions=(f"{size} is the extent here too",),
                fix=f"test the index against {size} too",
            )

    def _items(self, found: Sequence[Surplus]) -> Finding:
        first = next((one for one in found if one.access.writes), found[0])
        count = words(first.count)
        related = [Related(first.view.fact.span, f"this launch rounds {count} up to whole blocks")]
        related += calls(first.access)
        others = _others(first.access, [one.access for one in found])
        related += [Related(access.span, f"so is {element(access)} here") for access in others[:3]]
        return self.finding(
            first.access.span,
            f"{element(first.access)} is {verb(first.access)} for every item of the last block, and the launch rounds "
            f"{count} up to whole blocks: nothing stops the surplus items",
            related=related,
            witness=asking.shown(first.past, first.witness),
            fix=f"test the number of the item against {count}, passed to the kernel",
        )

    def _overruns(self, found: Sequence[Overrun]) -> Iterator[Finding]:
        groups: dict[tuple[Span, Polynomial], list[Overrun]] = {}
        for one in found:
            groups.setdefault((one.guard.span, one.size), []).append(one)
        for group in groups.values():
            first = next((one for one in group if one.access.writes), group[0])
            access, size = first.access, words(term_of(first.size))
            support = element(first.support) if first.support is not access else "another store at the slot"
            related = [Related(first.guard.span, f"{support} is kept below {size} by this test"), *calls(access)]
            others = _others(access, [one.access for one in group])
            related += [Related(other.span, f"so is {element(other)} here") for other in others[:3]]
            why = f"nothing keeps it below {size} here, as elsewhere in the kernel"
            if first.how is How.TAIL:
                why = f"the loop goes on in whole steps, and nothing keeps the last one below {size}"
            yield self.finding(
                access.span,
                f"{element(access)} is {verb(access)} with an index that reaches {size}: {why}",
                related=related,
                witness=asking.shown(first.past, first.witness),
                assumptions=(f"{size} is the extent: {support} is kept below it",),
                fix=f"make the access under a test of the index against {size} too",
            )

    def _report(self, facts: Facts, found: Sequence[Exposed]) -> Finding:
        first = next((one for one in found if one.access.writes), found[0])
        others = _others(first.access, [one.access for one in found])
        related = [*calls(first.access), *(Related(one.span, f"so is {element(one)} here") for one in others[:3])]
        access = first.access
        what = f"{element(access)} is {verb(access)} by every thread of the grid"
        axis = f" along {AXES[first.axis]}" if len(access_axes(first)) > 1 else ""
        shown = example(first) or asking.example(past_end.of_exposed(first, facts), facts)
        if first.tier is Tier.ROUNDED_UP:
            assert first.cover is not None and first.cover.count is not None and first.view is not None
            count = words(first.cover.count)
            unit = " whole blocks"
            if first.cover.unit is not None and UNSAID not in words(first.cover.unit):
                unit = f" blocks of {words(first.cover.unit)}"
            related.insert(0, Related(first.view.fact.span, f"this launch rounds {count} up to{unit}"))
            return self.finding(
                access.span,
                f"{what}, and the launch rounds {count} up to whole blocks{axis}: nothing stops the surplus threads",
                related=related,
                witness=shown,
                fix=f"return early, or test the index against {count}, passed to the kernel",
            )
        if first.tier is Tier.SAID:
            assert first.said is not None
            related.insert(0, Related(first.said.span, "the launch is rounded up, as this comment says"))
            return self.finding(
                access.span,
                f"{what}{axis}, and a comment says that the launch is rounded up to whole groups: nothing stops the "
                "surplus threads",
                related=related,
                fix="return early, or test the index against the size",
                confidence=Confidence.MEDIUM,
            )
        if first.tier is Tier.SIBLING:
            assert first.guard is not None
            told = (
                "this test keeps it within its row elsewhere"
                if access.writes
                else "what the kernel writes is guarded by this test"
            )
            related.insert(0, Related(first.guard.span, told))
            return self.finding(
                access.span,
                f"{what}, but the test of the index does not cover it{axis}",
                related=related,
                witness=shown,
                fix="make the access under the test too",
            )
        if first.tier is Tier.UNUSED_SIZE:
            assert first.size is not None
            related.insert(0, Related(first.size.param.span, f"{first.size.name} is a size ({first.size.why})"))
            return self.finding(
                access.span,
                f"{what}{axis} without a test of the index; {first.size.name} is passed, "
                "but stands in no condition and no index",
                Severity.NOTE if _of_any_number(facts, first) else None,
                related=related,
                witness=shown,
                fix=f"test the index against {first.size.name} before the access",
                confidence=Confidence.MEDIUM,
            )
        if first.tier is Tier.OTHER_AXIS:
            guard = next((g for g in access.guards if g.term.op != "const"), None)
            if guard is not None:
                related.insert(0, Related(guard.span, "the other axis is tested here"))
            return self.finding(
                access.span,
                f"{what}, and its index is tested along another axis but not along {AXES[first.axis]}",
                Severity.NOTE,
                related=related,
                fix=f"test the index along {AXES[first.axis]} too, or launch exactly as many threads as there are rows",
                confidence=Confidence.LOW,
            )
        return self.finding(
            access.span,
            f"{what} without a test of the index: right only if the launch has exactly as many threads as elements",
            Severity.NOTE,
            related=related,
            fix="pass the number of elements and test the index against it",
            confidence=Confidence.LOW,
        )


def _of_any_number(facts: Facts, one: Exposed) -> bool:
    """Whether nothing but the name of an argument speaks for surplus threads, where the launch may have as many work
    items as there are elements: OpenCL's, of a kernel that takes no group to be of any size."""
    if facts.module.language != "opencl" or one.size is None or one.size.why != BY_NAME:
        return False
    if facts.function.bounds.required is not None or one.reach.guarded:
        return False
    return not any(access.root.space is Space.SHARED for access in facts[trace].accesses)


def access_axes(one: Exposed) -> frozenset[int]:
    """Axes along which the access grows."""
    return one.reach.axes


def _bypassed(one: Exposed) -> bool:
    """Whether a vacuous guard stands before the access: that is a wrong guard, not a missing one."""
    return bool(one.reach.vacuous)


def _others(first: Access, accesses: Sequence[Access]) -> list[Access]:
    """The other accesses, each place once, those of the first one's line last."""
    seen = {first.span}
    found = []
    for access in accesses:
        if access.span not in seen:
            seen.add(access.span)
            found.append(access)
    return found
