"""More bytes than there are: by a number that only one of two sizes is multiplied by, or by what checks let pass."""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.analysis.hostmodel.places import Extent
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import Polynomial
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import CUT_SHORT, Symbol, SymbolKind, Term, symbols
from kernlint.tree.types import IntType

LONGEST = 160
"""Characters of a message that says sizes in terms of the host's variables."""

MOST = 4096
"""The largest value that a number is tried with which checks hold down."""

_COUNTS = frozenset({SymbolKind.PARAM, SymbolKind.UNKNOWN, SymbolKind.LOAD})
_OF_LOOPS = frozenset({SymbolKind.COUNTER, SymbolKind.TRIPS})
_SOME = (2, 3, 4)


def overdone(size: Term, behind: Extent, given: Polynomial, guards: Sequence[Term], there: Polynomial) -> str | None:
    """What is wrong with a size, ``given`` with its offset, of which as many bytes as ``there`` are behind a pointer;
    None where nothing says so."""
    more = times_more(given, there, guards) if behind.offset.value == 0 else ()
    if more:
        times = " * ".join(symbol.name or "a size" for symbol in more)
        message = f"{words(size)} bytes are asked for, {times} times the {words(behind.size)} that are allocated"
        return message if len(message) <= LONGEST else f"{times} times as many bytes are asked for as are allocated"
    checked = let_through(size, behind, guards) if behind.offset.value == 0 else None
    if checked is not None:
        symbol, value, bytes_ = checked
        return (
            f"the checks before this let {symbol.name or 'a size'} be {value}, and {bytes_} bytes are asked for then, "
            f"of {words(behind.size)} that are there"
        )
    return None


def times_more(given: Polynomial, there: Polynomial, guards: Sequence[Term]) -> tuple[Symbol, ...]:
    """The numbers that the first count is multiplied by, and the second one is not, though they are the same otherwise;
    none where there are none, or where the host has held one down."""
    if len(given.coefficients) != 1 or len(there.coefficients) != 1:
        return ()
    ((mono, value),), ((less, same),) = given.coefficients.items(), there.coefficients.items()
    rest = list(mono)
    for atom in less:
        if atom not in rest:
            return ()
        rest.remove(atom)
    if value < same or value % same or not rest:
        return ()
    found = tuple(atom.symbol for atom in rest if atom.symbol is not None)
    if len(found) < len(rest) or not all(map(_may_be_more, found)):
        return ()
    return () if any(_holds_down(guard, one) for guard in guards for one in found) else found


def _may_be_more(number: Symbol) -> bool:
    """Whether a number may be more than one, and is not made of the same numbers as a size, for all that is known."""
    known = number.kind in _COUNTS and isinstance(number.type, IntType)
    return known and number.high not in (0, 1) and number.reason != CUT_SHORT


def _holds_down(guard: Term, number: Symbol) -> bool:
    """Whether a check may keep a number from being more than one: that loops go as far says nothing of it, nor that it
    is not zero."""
    asked = set(symbols(guard))
    if number not in asked or any(symbol.kind in _OF_LOOPS for symbol in asked):
        return False
    return asked != {number} or all(evaluate(guard, {number: value}) == 0 for value in _SOME)


def let_through(size: Term, behind: Extent, guards: Sequence[Term]) -> tuple[Symbol, int, int] | None:
    """A value of the one number that a size is made of, which the host holds down by checks, with the bytes that it
    comes to: more than the constant memory ``behind`` has.  None where there is none."""
    there, made_of = behind.size.value, set(symbols(size))
    if there is None or size.value is not None or len(made_of) != 1:
        return None
    (number,) = made_of
    checks = [guard for guard in guards if set(symbols(guard)) == {number}]
    if not checks or not isinstance(number.type, IntType):
        return None

    def passes(value: int) -> bool:
        return all(evaluate(check, {number: value}) != 0 for check in checks)

    if passes(1 << 30) or passes((1 << 30) - 1):
        return None  # nothing holds it down
    for value in range(MOST, 0, -1):
        bytes_ = evaluate(size, {number: value}) if passes(value) else None
        if bytes_ is not None:
            return (number, value, int(bytes_)) if bytes_ > there else None
    return None
