"""Neighbours of a cell along its row, that a test keeps from being negative and none keeps below the row's length.

``x = cell % width + step[s].x`` is one of 0 to ``width - 1`` and what the steps add.  Who asks whether it is negative
knows that neighbours may leave the row; where some step leads forward too, the one behind the last cell is the first of
the next row, and behind the last row there is nothing.  So it is the other way round.  The length is the number that
the remainder is taken by, where the index counts whole rows of so many cells besides.

Silent where anything else is asked of what makes the place, of its row or of other remainders, and where no step is
known to lead beyond that end: steps are numbers, rounds of loops of constant length, numbers of threads, or elements
of tables that stand in the source.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.limits import counter_ranges, elements
from kernlint.analysis.extent.told import Told
from kernlint.analysis.extent.truths import slack_of
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Guard, GuardKind, RootKind
from kernlint.analysis.trace.tables import column
from kernlint.analysis.wording import element, verb
from kernlint.finding import Related
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, subterms, symbols
from kernlint.tree.types import IntType


@dataclass(frozen=True, slots=True, eq=False)
class BesideRow:
    """An access to a neighbour along a row of ``length`` that ``tested`` keeps inside at one end alone; ``below``: the
    end that is not tested is 0."""

    access: Access
    tested: Guard
    length: Term
    below: bool

    @property
    def told(self) -> Told:
        """What is wrong, in words."""
        size = words(self.length)
        where, test = ("negative", "0") if self.below else (f"{size} or more", size)
        other = f"below {size}" if self.below else "from being negative"
        return Told(
            f"{element(self.access)} is {verb(self.access)} at a neighbour whose place in its row may be {where}: it "
            f"is only kept {other}",
            [Related(self.tested.span, "the other end of the row is tested here")],
            f"the cell is the {'first' if self.below else 'last'} of its row",
            f"test the neighbour against {test} too",
        )


@dataclass(frozen=True, slots=True)
class _Cell:
    """A place in a row: the remainder ``at`` by ``length``, and a ``step`` from there."""

    at: Term
    length: Term
    step: Polynomial


def _cell(form: Polynomial) -> _Cell | None:
    """A remainder of something by an argument or a number, and a step."""
    for mono, times in form.coefficients.items():
        atom = mono[0] if len(mono) == 1 and times == 1 else None
        if atom is None or atom.op != "mod" or not isinstance(atom.type, IntType) or not atom.type.signed:
            continue
        length = plain(atom.args[1])
        step = form - polynomial(atom)
        known = length.symbol is not None and length.symbol.kind is SymbolKind.PARAM
        if (known or (length.value or 0) > 1) and step.coefficients:
            return _Cell(atom, length, step)
    return None


def _reach(step: Polynomial, access: Access) -> tuple[int, int] | None:
    """The farthest steps back and forth, where they are known; of what threads add only that it may be 0."""
    low = high = 0
    ranges = counter_ranges(access)
    for mono, times in step.coefficients.items():
        symbol = mono[0].symbol if len(mono) == 1 else None
        if not mono:
            values: tuple[int, ...] = (1,)
        elif symbol is not None and symbol.kind is SymbolKind.THREAD:
            values = (0,)
        elif symbol is None:
            return None
        elif symbol.kind is SymbolKind.LOAD and isinstance(symbol.origin, tuple):
            root, offset = symbol.origin
            values = column(root, offset, as_written=True)
        else:
            values = ranges.get(symbol, ())
        if not values:
            return None
        ends = [times * value for value in (min(values), max(values))]
        low, high = low + min(ends), high + max(ends)
    return low, high


def _in_rows(access: Access, cell: _Cell) -> bool:
    """Whether an index is the place in a row, and whole rows besides."""
    found = elements(access)
    if found is None or found[1]:
        return False
    rest = found[0] - polynomial(cell.at) - cell.step
    if not rest.coefficients:
        return False
    by = cell.length.value
    if isinstance(by, int):
        return all(times % by == 0 for times in rest.coefficients.values())
    return all(cell.length in mono for mono in rest.coefficients)


def _tests(access: Access) -> Iterator[tuple[Guard, Term, Polynomial, bool]]:
    """(guard, its part, sum, whether it is what the sum is kept above) of tests against a number."""
    for guard in access.guards:
        for part in conjuncts(guard.term):
            slack = slack_of(part)
            if slack is None or not isinstance(part.args[0].type, IntType):
                continue
            left, right = (polynomial(side) for side in part.args)
            if left.constant is not None and left.constant + slack[1] == 0:
                yield guard, part, right, True
            elif slack[1] == 1 and right.coefficients and part.args[0].type.signed:  # else it keeps both ends
                yield guard, part, left, False


def _asked_else(access: Access, cell: _Cell, test: Term) -> bool:
    """Whether something else is asked of a place in a row, of steps along it, or of other remainders."""
    own = {symbol for atom in cell.step.atoms for symbol in symbols(atom)}
    for guard in access.guards:
        for part in conjuncts(guard.term):
            if part is test or (guard.kind is GuardKind.LOOP and guard.loop is not None):
                continue
            about = own & set(symbols(part))
            if about and not _is_not(part, own) and not _from_above(part, about):
                return True
            if any(one.op == "mod" for one in subterms(part)):
                return True
    return any(own & set(symbols(term)) for loop in access.loops for term, _ in (*loop.exits, *loop.leaves))


def _from_above(part: Term, about: set[Symbol]) -> bool:
    """Whether a test keeps numbers of threads small, and nothing else."""
    threads = all(symbol.kind is SymbolKind.THREAD for symbol in about)
    return threads and part.op in ("lt", "le") and about.isdisjoint(symbols(part.args[1]))


def _is_not(part: Term, own: set[Symbol]) -> bool:
    """Whether a test says of steps only that they lead somewhere."""
    if part.op in ("lor", "land", "lnot"):
        return all(_is_not(one, own) or not own & set(symbols(one)) for one in part.args)
    return part.op == "ne" and any(side.value == 0 for side in part.args)


def _of(access: Access) -> BesideRow | None:
    if not any(part.op == "mod" for part in subterms(access.offset)):
        return None
    for guard, part, form, low in _tests(access):
        cell = _cell(form)
        end = polynomial(part.args[1]) if cell is not None and not low else None
        if cell is None or (end is not None and end != polynomial(cell.length)):
            continue
        reach = _reach(cell.step, access) if _in_rows(access, cell) else None
        if reach is None or _asked_else(access, cell, part):
            continue
        if (reach[1] > 0) if low else (reach[0] < 0):
            return BesideRow(access, guard, cell.length, not low)
    return None


def _compute(facts: Facts) -> tuple[BesideRow, ...]:
    found: dict[Guard, BesideRow] = {}
    for access in facts[trace].accesses:
        one = _of(access) if access.root.kind is RootKind.PARAM and access.guards else None
        if one is not None:
            found.setdefault(one.tested, one)
    return tuple(found.values())


neighbour_steps = KernelAnalysis("neighbour_steps", _compute, needs=(trace,))
"""A :class:`BesideRow` for each test of a kernel variant, in order of the walk."""
