"""Places in the middle of an array that launches in sight pass, where the kernel's own offsets are multiples.

``scale<<<...>>>(x + 1, ...)`` moves each vector of the kernel by one element.  Told is what is known of every such
launch: a number of elements, a row of a fixed length for each round of a loop of the host, or a variable of which the
host checks that it is a multiple of fewer bytes than that.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.launching.launch_context import LaunchContext, LaunchView
from kernlint.analysis.trace.events import Access, RootKind
from kernlint.analysis.trace.values import PointerValue
from kernlint.symbolic.polynomial import Monomial, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, subterms, symbols
from kernlint.tree.types import BOOL


def passed_place(access: Access, align: int, context: LaunchContext) -> tuple[LaunchView, int] | None:
    """The launch that passes a place that is no multiple of ``align`` for the array of an access, with the bytes that
    it is past one (in the second round of the host's loop, where its counter makes the place; or as many as the host
    checks that they are a multiple of, and no more).  Some thread makes the access at the place that is passed."""
    if access.root.kind is not RootKind.PARAM or not _at_first(access, align):
        return None
    if any(symbol.type == BOOL for guard in access.guards for symbol in symbols(guard.term)):
        return None  # a flag may say whether vectors fit
    for view in context.launches:
        value = view.fact.argument(access.root.name)
        if not isinstance(value, PointerValue):
            continue
        uneven = [(mono, times) for mono, times in polynomial(value.offset).coefficients.items() if times % align]
        if past := _past(uneven, align) or _checked(uneven, align, [guard.term for guard in view.fact.guards]):
            return view, past
    return None


def _past(uneven: Sequence[tuple[Monomial, int]], align: int) -> int:
    """The bytes past a multiple of ``align`` of a place with these parts that are none; 0: not known of any."""
    if len(uneven) != 1:
        return 0
    ((mono, times),) = uneven
    rounds = (1,) if not mono else _rounds(mono[0].symbol) if len(mono) == 1 else ()
    return next((times * value % align for value in rounds if times * value % align), 0)


def _checked(uneven: Sequence[tuple[Monomial, int]], align: int, checks: Sequence[Term]) -> int:
    """As many bytes as a variable of the host moves a place on by for the number that it is checked to be a multiple
    of, where they are fewer than ``align``; 0: there is none, or the host asks about the address."""
    if any(part.op == "call" and part.args[0] == "address" for check in checks for part in subterms(check)):
        return 0
    for mono, times in uneven:
        moved = mono[0].symbol if len(mono) == 1 else None
        by = _checked_multiple(moved, checks) if moved is not None else 0
        if by > 1 and by * times in range(1, align) and align % (by * times) == 0:
            return by * times
    return 0


def _at_first(access: Access, align: int) -> bool:
    """Whether the place of an access is a multiple of ``align`` where its indices are zero."""
    uneven = (mono for mono, times in polynomial(access.offset).coefficients.items() if times % align)
    return all(any(atom.symbol is not None and atom.symbol.kind in _FROM_ZERO for atom in mono) for mono in uneven)


_FROM_ZERO = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.COUNTER})


def _checked_multiple(moved: Symbol, checks: Sequence[Term]) -> int:
    """The largest number of which checks of the host make a variable a multiple; 0: they do not."""
    found = 0
    for check in checks:
        for part in conjuncts(check):
            rest, zero = part.args if part.op == "eq" else (part, None)
            if (
                zero is None
                or zero.value != 0
                or rest.op not in ("and", "mod")
                or plain(rest.args[0]).symbol is not moved
            ):
                continue
            by = rest.args[1].value
            if by is None:
                return 0
            found = max(found, by + (rest.op == "and"))
    return found


def _rounds(symbol: Symbol | None) -> tuple[int, ...]:
    """The values of a variable in the first two rounds of a loop of the host, where it counts from a number on."""
    if symbol is None or symbol.kind is SymbolKind.COUNTER:
        return () if symbol is None else (0, 1)
    if symbol.kind is not SymbolKind.PHI or symbol.init is None or symbol.step is None:
        return ()
    first = polynomial(symbol.init).constant
    then = polynomial(symbol.step).coefficients
    by = sum(value for mono, value in then.items() if mono)
    counts = all(
        len(mono) == 1 and mono[0].symbol is not None and mono[0].symbol.kind is SymbolKind.COUNTER
        for mono in then
        if mono
    )
    return (first, first + by) if counts and first is not None and then.get((), 0) == first + by else ()
