"""Reads of shared memory that stay within the rows of threads that have no work.

``if (r < rows) t[r][x] = in[..]; m = max(t[r][x], t[r][x + 2]);`` lets the threads past the last row work on what
nobody has stored, in a row of their own.  Where all that leaves the block is written under the same test, what is in
those rows does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.scenarios.numbers import scalar
from kernlint.analysis.scenarios.scenario import Scenario
from kernlint.analysis.trace.events import Access, GuardKind, Trace
from kernlint.prove.hints import launch_bounds
from kernlint.prove.query import Launch
from kernlint.symbolic.intervals import interval, refine
from kernlint.symbolic.polynomial import Polynomial, polynomial, term_of
from kernlint.symbolic.terms import THREAD, Symbol, SymbolKind, Term, binary, const, plain, symbols
from kernlint.tree.types import I64, Space


def within_own_rows(of: Trace, read: Access, writes: Sequence[Access], shape: Scenario) -> bool:
    """Whether a read, and all that the rows hold which nothing sets, is of threads whose results go nowhere."""
    if of.warp_ops or any(one.space is Space.GENERIC for one in of.roots):
        return False
    made = [write for write in writes if not _of_own(write)]
    for axis in range(3) if made else ():
        tests = [_test(write, axis) for write in made]
        if any(test is None for test in tests):
            continue
        kept = {test for test in tests if test is not None}
        leaving = [a for a in of.accesses if a.writes and a.root.space not in (Space.SHARED, Space.PRIVATE)]
        if all(_kept(access, kept, axis) for access in leaving):
            return all(_same_row(access, made[0], axis, shape) for access in (read, *writes))
    return False


def _of_own(write: Access) -> bool:
    """Whether a value is made of others of the same object."""
    found = symbols(write.value) if write.value is not None else ()
    origins = [symbol.origin for symbol in found if symbol.kind is SymbolKind.LOAD]
    return any(isinstance(origin, tuple) and origin[0] is write.root for origin in origins)


def _test(write: Access, axis: int) -> Term | None:
    """The test of a write that keeps it to the first threads along an axis, all others of their rows being alike."""
    for guard in write.guards:
        for part in conjuncts(guard.term) if guard.kind is not GuardKind.LOOP else ():
            if part.op not in ("lt", "le") or plain(part.args[0]).symbol is not THREAD[axis]:
                continue
            if not any(symbol.kind is SymbolKind.THREAD for symbol in symbols(part.args[1])):
                return part
    return None


def _kept(access: Access, tests: set[Term], axis: int) -> bool:
    """Whether an access is made by the threads of the first rows alone, or of one that is named."""
    for guard in access.guards:
        for part in conjuncts(guard.term):
            if part in tests:
                return True
            if part.op == "eq" and part.args[1].value == 0 and plain(part.args[0]).symbol is THREAD[axis]:
                return True
            if part.op == "lnot" and plain(part.args[0]).symbol is THREAD[axis]:
                return True
    return False


def _same_row(read: Access, write: Access, axis: int, shape: Scenario) -> bool:
    """Whether a thread reads in the row that it would have written, for each thread of ``shape``."""
    row = (THREAD[axis].term,)
    forms = [polynomial(access.offset) for access in (read, write)]
    pitch = forms[1].coefficients.get(row, 0)
    if pitch <= 0 or forms[0].coefficients.get(row, 0) != pitch:
        return False
    bounds = launch_bounds(Launch(shape.block))
    for form, access in zip(forms, (read, write), strict=True):
        rest = Polynomial({mono: value for mono, value in form.coefficients.items() if mono != row})
        low, high = interval(term_of(rest), refine([guard.term for guard in access.guards], bounds))
        if low is None or high is None or low < 0 or high + (access.size or 1) > pitch:
            return False
    return True


def begin_of_row(bounding: Sequence[Symbol]) -> Symbol | None:
    """Of two elements that lie side by side in one array, and are all that bounds the work, the first: a row begins
    where the one before ends (``ends[g + 1] - ends[g]``), and may be short."""
    if len(bounding) != 2 or any(symbol.kind is not SymbolKind.LOAD or scalar(symbol) for symbol in bounding):
        return None
    (root, at), (other, to) = (symbol.origin for symbol in bounding)
    apart = polynomial(binary("sub", to, at, I64))
    for symbol, sign in zip(bounding, (1, -1), strict=True):
        if root is other and apart == polynomial(const(sign * (symbol.type.size or 0), I64)):
            return symbol
    return None
