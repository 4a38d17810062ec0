"""What a kernel finds out about the alignment of addresses before it takes vectors, and what that leaves open.

A test of an address, or of the remainder of a parameter, is meant for the accesses under it.  Where it asks about the
addresses of other arrays alone, and the array in question has a row pitch of its own, it says nothing of that one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.trace.events import Access, Guard, Root
from kernlint.prove.admission import Way
from kernlint.record import dataclass
from kernlint.symbolic.intervals import interval
from kernlint.symbolic.polynomial import Monomial, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, Uniformity, plain, subterms, symbols
from kernlint.tree.types import BOOL

OWN = (SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.COUNTER, SymbolKind.BLOCK_DIM, SymbolKind.WARP_SIZE)
"""What is known of every thread."""

SIZES = frozenset({SymbolKind.GRID_DIM, SymbolKind.PARAM})

_NUMBERED = frozenset({*OWN, SymbolKind.GRID_DIM, SymbolKind.PARAM})
"""What the number of a row is worked out from, where one index counts rows and columns."""


@dataclass(frozen=True, slots=True)
class Tests:
    """The tests under which an access is made.  ``addresses``: the roots whose addresses are asked about, with the
    offsets; ``remainders``: whether the remainder of a parameter is."""

    own: Root
    addresses: tuple[tuple[Root, Term], ...]
    remainders: bool

    @property
    def others(self) -> tuple[Root, ...]:
        """The arrays whose addresses were tested, where the access is to none of them."""
        found = tuple(dict.fromkeys(root for root, _ in self.addresses))
        return () if self.remainders or self.own in found else found

    def settle(self, access: Access, align: int) -> bool:
        """Whether the tests are about this access, as far as anybody can tell, or let nothing come there."""
        if any(map(_shut, access.guards)):
            return True
        if self.remainders or not self.addresses:
            return self.remainders
        return not self.others or not any(True for _ in self.unasked(access, align))

    def unasked(self, access: Access, align: int) -> Iterator[tuple[Symbol, ...]]:
        """The parameters that multiply a row in the place of an access, one or several of them together, and in no
        address that was tested."""
        if any(symbol.type == BOOL for guard in access.guards for symbol in symbols(guard.term)):
            return  # a flag may say whether vectors fit
        asked = {symbol for _, offset in self.addresses for symbol in symbols(offset)}
        for mono in _uneven(access.offset, align):
            shares = [one for atom in mono if (one := share(atom)) is not None]
            if 0 < len(shares) < len(mono) and all(by == 1 and pitch not in asked for pitch, by in shares):
                yield tuple(pitch for pitch, _ in shares)


def _shut(guard: Guard) -> bool:
    """Whether a test lets nothing through, in mathematical integers: what is never negative is asked to be less than
    0, or than a smaller number (a loop up to 0)."""
    return any(part.op in ("lt", "le") and _below(part) for part in conjuncts(guard.term))


def _below(part: Term) -> bool:
    right: int | None = part.args[1].value
    if right is None:
        return False
    least = right - (part.op == "lt")
    for mono, value in polynomial(part.args[0]).coefficients.items():
        if mono and (value < 0 or any(map(_negative, mono))):
            return False
        least -= value * (not mono)
    return least < 0


def _negative(atom: Term) -> bool:
    low = interval(atom)[0]
    return low is None or low < 0


def tests_of(access: Access) -> Tests:
    """What is asked about addresses and remainders where an access is made, or placed."""
    addresses: list[tuple[Root, Term]] = []
    remainders = False
    for term in (access.offset, *(guard.term for guard in access.guards)):
        for asked in (part for part in subterms(term) if part.op in ("and", "mod")):
            for part in subterms(asked.args[0]):
                if part.op == "call" and part.args[0] == "address":
                    root = part.args[1].symbol.origin if part.args[1].symbol is not None else None
                    addresses.append((root, part.args[2])) if isinstance(root, Root) else None
                    remainders = remainders or not isinstance(root, Root)
                elif part.symbol is not None and part.symbol.kind is SymbolKind.PARAM:
                    remainders = remainders or not _within_address(part, asked.args[0])
    return Tests(access.root, tuple(addresses), remainders)


def _within_address(part: Term, asked: Term) -> bool:
    """Whether a parameter stands in the place of an address only."""
    inside = [inner for inner in subterms(asked) if inner.op == "call" and inner.args[0] == "address"]
    return any(part.symbol in symbols(inner) for inner in inside)


def of_callers(guard: Guard, access: Access) -> bool:
    """Whether a guard asks for a mode, in arguments or what is the same for the whole grid, that the place of an access
    has nothing of: some caller meets it, whichever thread it is."""
    asked = set(symbols(guard.term))
    return asked.isdisjoint(access.offset.symbols) and all(
        one.kind is SymbolKind.PARAM or (one.kind is SymbolKind.LOAD and one.surely is Uniformity.GRID) for one in asked
    )


def _uneven(offset: Term, align: int) -> list[Monomial]:
    return [mono for mono, value in polynomial(offset).coefficients.items() if value % align]


def remainder(access: Access, align: int) -> int:
    """By how many bytes a place is past a multiple of ``align`` whatever its variables are; 0: by none, or not the
    same for all."""
    return polynomial(access.offset).coefficients.get((), 0) % align if _uneven(access.offset, align) == [()] else 0


def share(atom: Term) -> tuple[Symbol, int] | None:
    """(parameter, divisor) of a parameter, or of a quotient of one by a number."""
    atom = plain(atom)
    divisor = 1
    if atom.op in ("div", "shr") and atom.args[1].value is not None:
        by = atom.args[1].value
        divisor = by if atom.op == "div" else 1 << by if 0 <= by < 32 else 0
        atom = plain(atom.args[0])
    symbol = atom.symbol
    return (symbol, divisor) if symbol is not None and symbol.kind is SymbolKind.PARAM and divisor > 0 else None


def bounds(term: Term, count: Symbol, times: int = 1) -> bool:
    """Whether a condition keeps an index below ``count`` itself, or so many times that."""
    return any(
        part.op in ("lt", "le") and symbols(part.args[0]) and _many(part.args[1], count, times)
        for part in subterms(term)
    )


def _many(term: Term, count: Symbol, times: int) -> bool:
    if times == 1 or count not in term.symbols:
        return plain(term).symbol is count
    return polynomial(term).coefficients == {(count.term,): times}


def parts_of(term: Term, count: Symbol) -> bool:
    """Whether a quotient or remainder of ``count`` is made: it is taken for a multiple of something."""
    return any(part.op in ("div", "mod", "shr") and count in symbols(part.args[0]) for part in subterms(term))


def checked_short(ways: Sequence[Way], pitch: Symbol, divisor: int, lanes: int) -> bool:
    """Whether each launch in sight checks what a size is a multiple of, and ``pitch / divisor`` is no multiple of
    ``lanes`` for that: the host takes only the size itself for one, or for one of fewer."""
    for way in ways:
        image = next((image for symbol, image in way.images if symbol is pitch), None)
        asked = [
            part
            for check in way.checks
            for part in subterms(check)
            if part.op in ("mod", "and") and image is not None and plain(part.args[0]) == plain(image)
        ]
        numbers = [value for part in asked for value in _values(part, way)]
        if not any(_too_few(by, divisor, lanes) for by in numbers):
            return False
    return bool(ways)


def _too_few(by: int, divisor: int, lanes: int) -> bool:
    """Whether a multiple of ``by``, divided, need not be one of ``lanes``, though it is asked for vectors: a number of
    some lanes, or a size that is no less than a vector before it is divided."""
    if by < 2 or by % (lanes * divisor) == 0:
        return False
    return by >= lanes if divisor > 1 else lanes % by == 0


def _values(part: Term, way: Way) -> tuple[int, ...]:
    """The divisor of a remainder: a number (of a mask, one more), or each that a variable is checked to be one of."""
    by = part.args[1]
    if by.value is not None:
        return (by.value + (part.op == "and"),)
    if part.op == "and":
        return ()
    for check in way.checks:
        found = _one_of(check, plain(by))
        if found:
            return found
    return ()


def _one_of(check: Term, what: Term) -> tuple[int, ...]:
    """The numbers that a check lets a variable be; none where it says something else."""
    if check.op == "lor":
        sides = [_one_of(side, what) for side in check.terms]
        return tuple(value for side in sides for value in side) if all(sides) else ()
    if check.op == "eq" and plain(check.args[0]) == what and check.args[1].value is not None:
        return (check.args[1].value,)
    return ()


def pitch_of(offset: Term, align: int) -> tuple[Symbol, int] | None:
    """The parameter that multiplies a row index in ``offset`` with a factor that is no multiple of ``align``, and by
    what number it is divided before (two values of four bits to a byte: ``K / 2`` bytes to a row)."""
    for mono, value in polynomial(offset).coefficients.items():
        if value % align == 0 or len(mono) < 2:
            continue
        shares = [one for atom in mono if (one := share(atom)) is not None]
        others = [atom for atom in mono if share(atom) is None]
        if len(shares) == 1 and all(atom.op == "sym" or set(map(_kind, symbols(atom))) <= _NUMBERED for atom in others):
            return shares[0]
    return None


def _kind(symbol: Symbol) -> SymbolKind:
    return symbol.kind
