"""Places in elements of a table that nobody has claimed, which a search of the table may take for what it looks for.

One kernel clears a table: ``slot.cell = {0, 0, 0}, slot.item = -1``.  Another one looks a cell up by ``slot.cell ==
cell`` and goes to ``slot.item``: there is a cell 0, and every free element is taken for it.  Cleared are members of a
struct, or arrays of which the same kernel clears the same element.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import ModuleAnalysis, ModuleFacts
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.marks import HIGH, LOW
from kernlint.analysis.trace.events import Access, AccessKind, Root, RootKind
from kernlint.analysis.trace.kernels import kernel_traces
from kernlint.analysis.trace.values import fields_of
from kernlint.record import dataclass
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, symbols
from kernlint.tree.types import FloatType, IntType, StructType, Type, VectorType

Part = tuple[str, int]
"""The name of an array or of the struct that its elements are, and bytes from an element's start."""


@dataclass(frozen=True, slots=True, eq=False)
class Cleared:
    """An element as ``kernel`` leaves it: the number in each part, and the store (``access``) of the mark."""

    kernel: str
    access: Access
    parts: dict[Part, int]


def part_of(root: Root, offset: Term) -> tuple[Part, Polynomial] | None:
    """What part of an element a place in an array is, and the number of the element."""
    size, form = root.element.size, polynomial(offset)
    if not size or any(value % size for mono, value in form.coefficients.items() if mono):
        return None
    number, at = divmod(form.coefficients.get((), 0), size)
    steps = {mono: value // size for mono, value in form.coefficients.items() if mono}
    name = root.element.name if isinstance(root.element, StructType) else root.name
    return (str(name), at), Polynomial({**steps, (): number} if number else steps)


def _numbers(value: Term, kind: Type | None, at: int) -> Iterator[tuple[int, int]]:
    """(bytes from the start, number) of the constants that a store puts into an element."""
    if value.op == "call" and value.args[0] == "struct":
        fields = fields_of(kind) if kind is not None else []
        for (_, inner, start), part in zip(fields, value.args[1:], strict=False):
            if start is not None and isinstance(part, Term):
                yield from _numbers(part, inner, at + start)
    elif isinstance(number := plain(value).value, int):
        yield at, number


def _inner(kind: Type, at: int) -> Type | None:
    """The vector or the struct that begins some bytes into a struct."""
    if at == 0 and not isinstance(kind, StructType):
        return kind
    for _, inner, start in fields_of(kind):
        if start is not None and inner.size is not None and start <= at < start + inner.size:
            return _inner(inner, at - start)
    return None


def _compute(facts: ModuleFacts) -> dict[Part, Cleared]:
    found: dict[Part, Cleared] = {}
    for kernel, of in facts[kernel_traces].compared():
        elements: dict[Polynomial, list[tuple[Access, Part, int]]] = {}
        for access in of.accesses:
            if access.kind is not AccessKind.WRITE or access.root.kind is not RootKind.PARAM:
                continue
            place = part_of(access.root, access.offset)
            value = access.value
            if place is not None and value is not None:
                whole = access.root.element if access.size == access.root.element.size else None
                kind = whole or _inner(access.root.element, place[0][1])
                for at, number in _numbers(value, kind, place[0][1]):
                    elements.setdefault(place[1], []).append((access, (place[0][0], at), number))
        for stores in elements.values():
            parts = {part: number for _, part, number in stores}
            for access, part, number in stores if len(parts) > 1 else ():
                if LOW <= number < 0 or number >= HIGH:
                    found.setdefault(part, Cleared(kernel.function.name, access, parts))
    return found


cleared = ModuleAnalysis("cleared", _compute, needs=(kernel_traces,))
"""The parts of elements that some kernel of a file sets to a mark, with all that it sets beside it."""


def found_free(access: Access, datum: Symbol, known: dict[Part, Cleared]) -> Cleared | None:
    """How the element that leads to an access looks while nobody has claimed it, if the search that found it lets such
    an element through."""
    place = part_of(*datum.origin)
    free = known.get(place[0]) if place is not None else None
    if place is None or free is None:
        return None
    looked_up = False
    for guard in access.guards:
        for part in conjuncts(guard.term):
            held = {s: free.parts[at] for s in symbols(part) if (at := _beside(s, place[1])) in free.parts}
            if not held:
                continue
            if not _lets_through(part, held):
                return None
            looked_up = looked_up or part.op == "eq"
    return free if looked_up else None


def _beside(symbol: Symbol, element: Polynomial) -> Part | None:
    """The part of the same element that a number from memory is."""
    if symbol.kind is not SymbolKind.LOAD or not isinstance(symbol.origin, tuple):
        return None
    place = part_of(*symbol.origin)
    return place[0] if place is not None and place[1] == element else None


def _lets_through(part: Term, held: dict[Symbol, int]) -> bool:
    """Whether a truth holds for a free element, for some number that is looked up: a coordinate that is computed may be
    0, and a key from memory may be one that never is what a free element has."""
    known = evaluate(part, held)
    if known is not None:
        return known != 0
    if part.op != "eq":
        return False
    for mine, other in (part.args, part.args[::-1]):
        symbol = plain(mine).symbol
        if symbol is not None and symbol in held and not held.keys() & set(symbols(other)):
            return held[symbol] == 0 and _coordinate(other)
    return False


def _coordinate(term: Term) -> bool:
    """Whether a signed number is made of a position: of a fraction that is cut off, or of the thread's place."""
    kind = term.type
    if not isinstance(kind, IntType) or not kind.signed:
        return False
    found: Sequence[Symbol] = list(symbols(term))
    whole = [s for s in found if s.kind is SymbolKind.LOAD and not isinstance(s.type, (FloatType, VectorType))]
    return not whole and any(
        isinstance(s.type, FloatType) or s.kind in (SymbolKind.THREAD, SymbolKind.BLOCK) for s in found
    )
