r"""The rule ``late-bounds-guard``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.coverage import conjuncts, multiple
from kernlint.analysis.extent.asked_behind import AskedBehind, asked_behind
from kernlint.analysis.extent.asked_later import Later, asked_later
from kernlint.analysis.extent.asking import example, shown
from kernlint.analysis.extent.limits import limits
from kernlint.analysis.extent.overrun import How, Overrun, overruns
from kernlint.analysis.extent.past_end import excluded, of_exposed
from kernlint.analysis.extent.surplus import Exposed, Tier, surplus
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.analysis.sharing.race_words import calls
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, JoinedTests, RootKind, Trace
from kernlint.analysis.wording import LONGEST, element, index, verb
from kernlint.finding import Finding, Fix, Related, Severity, Witness
from kernlint.prove.query import Bounds, Budget, Proved, Side
from kernlint.prove.solve import solve
from kernlint.rule import Meta, Rule
from kernlint.source import SourceFile, Span
from kernlint.symbolic.intervals import interval
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.show import UNSAID, words
from kernlint.symbolic.terms import SymbolKind, Term, binary, cast, const, negate, subterms, symbols
from kernlint.tree.types import I64, Space


class LateBoundsGuard(Rule):
    r"""An element is read before the test that its index is inside.

    `&&` and `||` go from left to right, and so do statements: a test that follows the access it is meant for comes
    too late. The last step of such a search reads one element beyond the end (or before the start), and a thread
    beyond the last element has read memory that is not its own before it notices.

    ```cuda bad
    __global__ void find(const float *t, const float *x, int *where, int n_knots, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n) return;
        int k = 0;
        while (t[k] <= x[i] && k < n_knots) ++k;  // expect: KL103
        where[i] = k;
    }
    ```

    ```cuda bad
    __global__ void gather(const int *slot, const float *in, float *out, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        int s = slot[i];  // expect: KL103
        if (i >= n) return;
        out[i] = in[s];
    }
    ```

    ```opencl bad
    __kernel void insert(__global float *a, int i) {
        float key = a[i];
        int j = i - 1;
        while (a[j] > key && j >= 0) {  // expect: KL103
            a[j + 1] = a[j];
            --j;
        }
        a[j + 1] = key;
    }
    ```

    ```cuda good
    __global__ void find(const float *t, const float *x, int *where, int n_knots, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n) return;
        int k = 0;
        while (k < n_knots && t[k] <= x[i]) ++k;
        where[i] = k;
    }
    ```

    ```opencl good
    __kernel void insert(__global float *a, int i) {
        float key = a[i];
        int j = i - 1;
        while (j >= 0 && a[j] > key) {
            a[j + 1] = a[j];
            --j;
        }
        a[j + 1] = key;
    }
    ```
    """

    meta = Meta("KL103", "late-bounds-guard", Severity.WARNING, tags=("CUDASecurity",), precision="high")
    needs = (trace, surplus, overruns, asked_later, asked_behind, launch_context, limits)
    requires_whole = True
    looks_back = True

    def check(self, facts: Facts) -> Iterator[Finding]:
        kernel = facts[trace]
        if not kernel.guards_known(facts.function.span):
            return
        reported: set[Span] = set()
        late: dict[Span, list[Exposed]] = {}
        for one in facts[surplus]:
            if one.tier is Tier.SIBLING and one.late and one.guard is not None and one.access.span not in reported:
                reported.add(one.access.span)
                if not excluded([of_exposed(one, facts)], facts):
                    late.setdefault(one.guard.span, []).append(one)
        for first, *others in late.values():
            yield self._before_exit(first, others, example(of_exposed(first, facts), facts))
        for run in facts[overruns]:
            if run.late and run.how is How.SIBLING and run.access.span not in reported:
                reported.add(run.access.span)
                yield self._overrun(run)
        behind: tuple[Later | AskedBehind, ...] = (*facts[asked_later], *facts[asked_behind])
        for later in behind:
            if later.access.span not in reported:
                reported.add(later.access.span)
                yield self.told(later.access.span, later.told, calls(later.access))
        for test in kernel.joined:
            for access, part, lower in _out_of_order(kernel, test):
                if access.span not in reported:
                    reported.add(access.span)
                    yield self._out_of_order(access, test, part, lower)

    def fixes(self, facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
        """The test before the access, or on the left of it."""
        from kernlint.repair.late import late

        return late(facts, finding, source)

    def _before_exit(self, one: Exposed, others: list[Exposed], shown: Witness | None) -> Finding:
        assert one.guard is not None
        access = one.access
        at = index(access) if access.index is not None and _by_thread(access.index) else "the thread's index"
        related = [Related(one.guard.span, "the test comes here, after the access")]
        related += [Related(other.access.span, f"so is {element(other.access)} here") for other in others[:3]]
        return self.finding(
            access.span,
            f"{element(access)} is read before the test that {at} is inside; "
            "the surplus threads of the last block read beyond the end",
            related=related,
            witness=shown,
            fix="read the element under the test, or give the surplus threads a harmless index",
        )

    def _overrun(self, run: Overrun) -> Finding:
        size = words(term_of(run.size))
        return self.finding(
            run.access.span,
            f"{element(run.access)} is {verb(run.access)} before the test that its index is below {size}",
            related=[Related(run.guard.span, "the test comes here, after the access"), *calls(run.access)],
            witness=shown(run.past, run.witness),
            assumptions=(f"{size} is the extent: {element(run.support)} is kept below it",),
            fix="make the access under the test",
        )

    def _out_of_order(self, access: Access, test: JoinedTests, part: Term, lower: bool) -> Finding:
        where = "before the start" if lower else "beyond the end"
        return self.finding(
            access.span,
            f"{element(access)} is read before {_test(part)} is tested, to the right of it: "
            f"the last step reads an element {where}",
            related=[Related(test.span, "the condition goes from left to right")],
            fix="test the index first, then the element",
        )


def _test(part: Term) -> str:
    """A test in words, by what it is about where it is too long."""
    text = words(part)
    return text if len(text) <= LONGEST and UNSAID not in text else "the index"


def _by_thread(term: Term) -> bool:
    return any(symbol.kind is SymbolKind.THREAD for symbol in symbols(term))


def _out_of_order(kernel: Trace, test: JoinedTests) -> Iterator[tuple[Access, Term, bool]]:
    """Accesses on the left of ``&&`` or ``||`` whose index is first tested on the right: the access, the test, and
    whether it is a lower bound."""
    parts = [part for part in conjuncts(test.term if test.both else negate(test.term)) if part.op in _TESTS]
    if not parts:
        return
    for access in kernel.accesses:
        if access.index is None or access.writes or not _within(access.span, test.left.span):
            continue
        if access.root.space is Space.PRIVATE or access.order > test.order or access.stack != test.stack:
            continue
        at = polynomial(access.index)
        for part in parts:
            side = _bound_on(part, at)
            if side < 0 and _only_added(at):
                continue  # never in front of the start: what is tested is not where the array begins
            own = at if side < 0 else polynomial(part.args[0])
            if side and not _covered(access, own, side) and not _fits(access) and not _proved(access, part):
                yield access, part, side < 0
                break


_TESTS = ("lt", "le", "ne")


def _proved(access: Access, part: Term) -> bool:
    """Whether what holds at an access makes the test true already."""
    small, large = (cast(arg, I64) for arg in part.args)
    if part.op == "le":
        large = binary("add", large, const(1, I64), I64)
    guards = tuple(guard.term for guard in access.guards)
    return part.op != "ne" and isinstance(solve(Bounds(Side(small, 1, guards), large), BUDGET), Proved)


BUDGET = Budget(steps=60, points=2_000, rlimit=0)


def _within(inner: Span, outer: Span) -> bool:
    return inner.file == outer.file and outer.start <= inner.start and inner.end <= outer.end


def _bound_on(part: Term, index: Polynomial) -> int:
    """1 when the truth ``part`` bounds ``index`` itself from above, or its place in a row as long as the bound; -1 from
    below, 0 when it does not."""
    if index.constant is not None:
        return 0
    left, right = polynomial(part.args[0]), polynomial(part.args[1])
    if _independent(part.args[1], index) and (left == index or (part.op == "lt" and _rows(index - left, right))):
        return 1
    if right == index and _independent(part.args[0], index):
        return -1 if part.op != "ne" else 1
    return 0


def _rows(before: Polynomial, size: Polynomial) -> bool:
    """Whether that many elements are whole rows of a size that the kernel is given."""
    return len(size.atoms) == 1 and size == polynomial(next(iter(size.atoms))) and multiple(term_of(before), size)


def _only_added(index: Polynomial) -> bool:
    """Whether an index is a sum of things that are never negative."""
    lows = (interval(atom)[0] for atom in index.atoms)
    return all(factor >= 0 for factor in index.coefficients.values()) and all(
        low is not None and low >= 0 for low in lows
    )


def _independent(bound: Term, index: Polynomial) -> bool:
    """Whether a bound is not itself a moving index: two pointers that walk towards each other bound each other."""
    moving = {SymbolKind.COUNTER, SymbolKind.PHI, SymbolKind.UNKNOWN}
    loaded = {symbol for part in subterms(bound) if part.op == "load" for symbol in symbols(part)}
    return not any(
        symbol.kind in moving or (symbol.kind is SymbolKind.THREAD and symbol not in loaded)
        for symbol in symbols(bound)
    )


def _covered(access: Access, index: Polynomial, side: int) -> bool:
    """Whether some guard of the access compares the symbols of its index on the same side, and not only what it goes on
    from: where a row begins, a thread's first round, the element before."""
    mine = {symbol for atom in index.atoms for symbol in symbols(atom)}
    for guard in access.guards:
        for part in conjuncts(guard.term):
            if part.op not in ("lt", "le", "ne", "eq"):
                if mine & set(symbols(part)):
                    return True
                continue
            left, right = set(symbols(part.args[0])), set(symbols(part.args[1]))
            if part.op in ("eq", "ne") and mine & (left | right) and not _apart(index, part):
                return True
            if mine & (left if side > 0 else right) and not (side > 0 and _goes_on(index, part)):
                return True
    return False


def _apart(index: Polynomial, part: Term) -> bool:
    """Whether a guard is about quantities that an index has no part of."""
    atoms = {atom for side in part.args for atom in polynomial(side).atoms}
    return not atoms & set(index.atoms)


def _goes_on(index: Polynomial, part: Term) -> bool:
    """Whether an index is what a guard tests and more, or a guard is about something else."""
    more = index - polynomial(part.args[0])
    return _apart(index, part) or (more != number(0) and _only_added(more))


def _fits(access: Access) -> bool:
    """Whether the index is inside a known extent anyway, or in memory of which the launch may give more than the
    test lets: where shared memory is parted by hand, the next array begins there."""
    extent = access.root.extent
    if access.root.space is Space.SHARED and extent is None:
        return True
    low, high = interval(access.offset)
    return (
        access.root.kind is RootKind.VARIABLE
        and extent is not None
        and low is not None
        and high is not None
        and low >= 0
        and high + (access.size or 1) <= extent
    )
