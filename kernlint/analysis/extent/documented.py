"""Accesses that a comment's account of their array leaves no room for.

``// mask: [rows, cols + 1]`` says how long the array is; the products of an index are taken apart by those extents, and
each part is asked whether it reaches its own.  What a comment says is believed only where the tests of the index speak
of the same sizes: one too many, the other axis, half of it.  Where they speak of other sizes, callers alone know
how these compare, and so it is where data limit the index, or nothing does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import gcd
from typing import TYPE_CHECKING

from kernlint.analysis.accesses.pairs import side
from kernlint.analysis.base import Facts, KernelAnalysis, Shape
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.asking import Past, asked, only_chooses
from kernlint.analysis.extent.corners import corner
from kernlint.analysis.extent.documented_parts import parts_of
from kernlint.analysis.extent.limits import elements
from kernlint.analysis.extent.places import Places, limits_of, moves, places
from kernlint.analysis.extent.said_at import nearest_said
from kernlint.analysis.extent.sizes import last_part
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Guard, Root, RootKind
from kernlint.prove.query import Refuted
from kernlint.record import dataclass, replace
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, binary, cast, const, subterms, symbols
from kernlint.tree.types import I32, I64, FloatType, Space

if TYPE_CHECKING:
    import ast

_SIZES = (SymbolKind.PARAM, SymbolKind.TEMPLATE)
_TOLD = frozenset(
    {
        *_SIZES,
        SymbolKind.THREAD,
        SymbolKind.BLOCK,
        SymbolKind.BLOCK_DIM,
        SymbolKind.GRID_DIM,
        SymbolKind.COUNTER,
        SymbolKind.WARP_SIZE,
    }
)
"""What an index and its tests may be made of."""

_DATA = frozenset({SymbolKind.LOAD, SymbolKind.PHI, SymbolKind.UNKNOWN})


@dataclass(frozen=True, slots=True, eq=False)
class Beyond:
    """An access whose index reaches ``size``, as a comment has it (``shape``) or ``support``, an access to the element
    before.  ``guard``: the last test that speaks of the index; ``past``, ``witness``: a thread that gets there."""

    access: Access
    size: Term
    shape: Shape | None
    guard: Guard
    past: Past
    witness: Refuted
    support: Access | None = None


class _Kernel:
    """The shapes that comments give the arrays of one kernel, in its own symbols."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.known: Places = facts[places]
        self.scalars: dict[str, Symbol | None] = {}
        for symbol in self._used():
            for name in {symbol.name, symbol.name.rpartition(".")[2]}:
                self.scalars[name] = symbol if self.scalars.get(name, symbol) is symbol else None
        self.arguments = dict(facts.function.template_args)
        self.multiples = dict(facts.options.multiples)
        self.headers: dict[int, int] = {}

    def _used(self) -> Iterator[Symbol]:
        seen: set[Symbol] = set()
        for access in self.facts[trace].accesses:
            for term in (access.offset, *(guard.term for guard in access.guards)):
                seen.update(symbol for symbol in symbols(term) if symbol.kind in _SIZES)
        yield from sorted(seen, key=lambda symbol: symbol.serial)

    def size(self, text: str) -> Term | None:
        """The value of an expression; None where a name in it is none of the kernel's."""
        try:
            import ast  # only where a comment gives an extent

            found = self._value(ast.parse(text.replace("->", "."), mode="eval").body)
        except SyntaxError:
            return None
        return None if found is None else cast(found, I64)

    def _value(self, node: ast.expr) -> Term | None:
        import ast

        if isinstance(node, ast.Constant):
            return const(node.value, I32) if isinstance(node.value, int) and abs(node.value) < 1 << 31 else None
        if isinstance(node, ast.BinOp):
            op, left, right = _OPERATIONS.get(type(node.op).__name__), self._value(node.left), self._value(node.right)
            if op is None or left is None or right is None or (op in ("div", "shr") and right.value in (None, 0)):
                return None
            kind = left.type if left.type == right.type or right.value is not None else right.type
            if left.type != right.type and left.value is None and right.value is None:
                kind = I64
            return binary(op, cast(left, kind), cast(right, kind), kind)
        if not isinstance(node, ast.Name | ast.Attribute):
            return None
        name = ast.unparse(node)
        symbol = self.scalars.get(name)
        given = self.arguments.get(name, "")
        if symbol is None:
            return const(int(given), I32) if given.isdigit() and int(given) < 1 << 31 else None
        return symbol.term

    def shapes(self) -> dict[str, tuple[Shape, ...]]:
        """The shapes by name: what stands at the kernel, else what is said once for the file."""
        by_name: dict[str, list[Shape]] = {}
        for shape in self.facts.options.shapes:
            by_name.setdefault(shape.name, []).append(shape)
        found: dict[str, tuple[Shape, ...]] = {}
        for name, every in by_name.items():
            said = nearest_said(self.facts, every) or (tuple(every) if name == "*" else ())
            if len({(one.dims, one.ordered) for one in said}) == 1:
                found[name] = said[:1]
        return found

    def run(self) -> Iterator[Beyond]:
        shapes = self.shapes()
        for access in self.facts[trace].accesses if shapes else ():
            if access.root.kind not in (RootKind.PARAM, RootKind.LOADED) or access.root.space is not Space.GLOBAL:
                continue
            every = shapes.get("*", ()) if isinstance(access.root.element, FloatType) else ()
            for shape in self.named(access.root.name, shapes) or every:
                found = self._beyond(access, shape)
                if found is not None:
                    yield found

    def has_room(self, access: Access, size: Polynomial) -> bool:
        """Whether a comment gives an array more along some axis than a size (``(h + 1) rows of (w + 1) values``)."""
        for shape in self.named(access.root.name, self.shapes()):
            known = [self.size(dim) for dim in shape.dims]
            more = [(polynomial(dim) - size).constant for dim in known if dim is not None]
            if any(amount is not None and amount > 0 for amount in more):
                return True
        return False

    def named(self, name: str, shapes: dict[str, tuple[Shape, ...]]) -> tuple[Shape, ...]:
        """The shapes of an array, by its name."""
        return shapes.get(name) or shapes.get(name.rpartition(".")[2]) or shapes.get(_plain(name), ())

    def past_last(self) -> Iterator[Beyond]:
        """Accesses past an element that the kernel reads by its number, one less than a size (``v[n - 1]``): nothing
        comes after the last one, but where the place at the size is read too."""
        places_: dict[Root, dict[Polynomial, Access]] = {}
        for access in self.facts[trace].accesses:
            if access.root.kind is RootKind.PARAM and access.root.space is Space.GLOBAL:
                found = elements(access)
                if found is not None and not found[1]:
                    places_.setdefault(access.root, {}).setdefault(found[0], access)
        for forms in places_.values():
            for form, support in forms.items():
                size = form + number(1)
                atoms = list(size.atoms)
                symbol = atoms[0].symbol if len(atoms) == 1 else None
                if symbol is None or symbol.kind is not SymbolKind.PARAM or size != polynomial(symbol.term):
                    continue
                if size in forms:
                    break
                for index, access in forms.items():
                    guard = _last_test(access, index)
                    if access.writes or guard is None or not _let_through(access, index, symbol.term):
                        continue
                    past = Past(access, cast(term_of(index), I64), cast(symbol.term, I64))
                    answer = asked(past, self.facts, data=True)
                    if isinstance(answer, Refuted):
                        yield Beyond(access, past.size, None, guard, past, answer, support)

    def _beyond(self, access: Access, shape: Shape) -> Beyond | None:
        sizes = [self.size(dim) for dim in shape.dims]
        if all(size is None for size in sizes):
            return None
        orders = [sizes] if shape.ordered or len(sizes) != 2 else self._orders(access, sizes)
        first: Beyond | None = None
        for order in orders:
            found = self._reached(access, shape, order)
            if found is None:
                return None
            first = first or found
        return first

    def _header(self, access: Access) -> int:
        """Elements before the first one that the kernel touches: a header that no comment counts."""
        found = self.headers.get(id(access.root))
        if found is None:
            known = [elements(one) for one in self.facts[trace].accesses if one.root is access.root]
            least = min((form[0].coefficients.get((), 0) if form is not None else 0 for form in known), default=0)
            found = self.headers[id(access.root)] = max(least, 0) if least > 1 else 0
        return found

    def _orders(self, access: Access, sizes: list[Term | None]) -> list[list[Term | None]]:
        """The orders that two extents may stand in: the one of which the rows of the index are made, else both."""
        mine = self.known.get(access, ())
        orders = [sizes[::-1], sizes]
        made = [
            order
            for order in orders
            if len(mine) == 2 and order[1] is not None and mine[0].pitch == polynomial(order[1])
        ]
        return made or orders

    def _reached(self, access: Access, shape: Shape, sizes: Sequence[Term | None]) -> Beyond | None:
        every = {symbol for size in sizes if size is not None for symbol in symbols(size)}
        for part, size in parts_of(access, sizes, self.known.get(access, ())):
            index = part - number(self._header(access)) if len(sizes) == 1 else part
            if any(value < 0 and any(atom.op == "div" for atom in mono) for mono, value in index.coefficients.items()):
                return None  # a remainder in other words
            if any(last_part(s.name) in self.multiples for s in symbols(size)):
                continue  # whole groups
            guard = _last_test(access, index)
            if guard is None or _of_items(index, size, access.guards):
                continue
            certain = _let_through(access, index, size)
            if not certain and not _comparable(access, index, every):
                continue
            plainly = tuple(test for test in access.guards if not _of_floats(test.term)) if certain else access.guards
            past = Past(replace(access, guards=plainly), cast(term_of(index), I64), size)
            answer = asked(past, self.facts, data=certain)
            found = answer if isinstance(answer, Refuted) else corner(past, self.facts)
            if found is not None:
                return Beyond(access, size, shape, guard, past, found)
        return None


_OPERATIONS = {
    "Add": "add",
    "Sub": "sub",
    "Mult": "mul",
    "Div": "div",
    "FloorDiv": "div",
    "LShift": "shl",
    "RShift": "shr",
}


def _plain(name: str) -> str:
    """The name of a pointer without what says that it is one."""
    return name.removesuffix("_").removesuffix("_ptr")


def _moving(index: Polynomial) -> set[Symbol]:
    return {s for atom in index.atoms if moves(atom) for s in symbols(atom) if s.kind not in _SIZES}


def _last_test(access: Access, index: Polynomial) -> Guard | None:
    """The last test that speaks of an index, of the thread in it where one does; None where none does."""
    mine = _moving(index)
    tests = [guard for guard in access.guards if mine & set(symbols(guard.term))]
    threads = {s for s in mine if s.kind in (SymbolKind.THREAD, SymbolKind.BLOCK)}
    of_thread = [guard for guard in tests if threads & set(symbols(guard.term))]
    return next(reversed(of_thread or tests), None)


def _of_items(index: Polynomial, size: Term, guards: Sequence[Guard]) -> bool:
    """Whether an index goes on in steps of several elements from thread to thread, and neither the size nor the part of
    it that the tests keep the threads below counts so: an entry is several elements then."""
    ids = (SymbolKind.THREAD, SymbolKind.BLOCK)
    steps = [
        abs(value)
        for mono, value in index.coefficients.items()
        if any(s.kind in ids for atom in mono for s in symbols(atom))
    ]
    step = gcd(*steps) if steps else 1
    if step < 2 or not any(value % step for mono, value in polynomial(size).coefficients.items() if mono):
        return False
    told = set(symbols(size))
    return not any(_share(part, step, told) for guard in guards for part in subterms(guard.term))


def _share(part: Term, step: int, told: set[Symbol]) -> bool:
    """Whether a term is what a size holds of groups of ``step``."""
    if part.op not in ("div", "shr") or part.args[1].value is None:
        return False
    by = part.args[1].value if part.op == "div" else 1 << min(max(part.args[1].value, 0), 31)
    return by == step and bool(told & set(symbols(part.args[0])))


def _let_through(access: Access, index: Polynomial, size: Term) -> bool:
    """Whether the tests of an index let the extent itself through, by what they say in sums; data may be in both."""
    limits = list(limits_of(index, access))
    beyond = [(limit.most - polynomial(size)).constant for limit in limits]
    if not limits or any(amount is None or amount < 0 for amount in beyond):
        return False
    mine = _moving(index)
    tests = {guard.term for guard in access.guards if mine & set(symbols(guard.term))}
    told = {limit.guard.term for limit in limits}
    return not any(_by_data(part, mine) for test in tests - told for part in conjuncts(test))


def _by_data(part: Term, mine: set[Symbol]) -> bool:
    """Whether data may keep an index below something: not by what is true of a number in floating point, or of one made
    whole, that the index is a part of (``if (depth_of(voxel) <= 0) return;``)."""
    test = part.args[0] if part.op == "lnot" else part
    if test.op in ("lt", "le", "eq", "ne") and all(_floating(arg, mine) for arg in test.args):
        return False
    return any(s.kind in _DATA and s not in mine for s in symbols(part))


def _of_floats(term: Term) -> bool:
    return any(isinstance(part.type, FloatType) for part in subterms(term))


def _floating(term: Term, mine: set[Symbol]) -> bool:
    """Whether a number is in floating point, or has the symbols ``mine`` by way of such ones alone."""
    if isinstance(term.type, FloatType):
        return True
    return all(
        any(isinstance(part.type, FloatType) for part in subterms(atom))
        for atom in polynomial(term).atoms
        if mine & set(symbols(atom))
    )


def _comparable(access: Access, index: Polynomial, sizes: set[Symbol]) -> bool:
    """Whether an index and its tests are made of threads, loops, sizes that the comment speaks of too, and what chooses
    between two of them."""
    mine = _moving(index)
    terms = list(index.atoms)
    terms += [fact for fact in side(access).facts if mine & set(symbols(fact))]
    found = {symbol for term in terms for symbol in symbols(term)}
    chosen = {symbol for symbol in found if all(only_chooses(symbol, term) for term in terms)}
    return {s.kind for s in found} <= _TOLD and {s for s in found if s.kind in _SIZES} <= sizes | chosen


def roomier(facts: Facts) -> Callable[[Access, Polynomial], bool]:
    """See :meth:`_Kernel.has_room`; the caller needs ``trace`` and ``places``."""
    return _Kernel(facts).has_room if facts.options.shapes else lambda access, size: False


def documented_sizes(facts: Facts) -> Callable[[Access], list[tuple[Shape, list[Term | None]]]]:
    """What comments say of the array of an access: each shape with its extents (None: not known in the kernel)."""
    kernel = _Kernel(facts)
    known = kernel.shapes()

    def of(access: Access) -> list[tuple[Shape, list[Term | None]]]:
        found = kernel.named(access.root.name, known)
        return [(shape, [kernel.size(dim) for dim in shape.dims]) for shape in found]

    return of


def _compute(facts: Facts) -> tuple[Beyond, ...]:
    if facts[launch_context].all_exact:
        return ()
    kernel = _Kernel(facts)
    said = tuple(kernel.run()) if facts.options.shapes else ()
    told = {one.access for one in said}
    return (*said, *(one for one in kernel.past_last() if one.access not in told))


documented = KernelAnalysis("documented", _compute, needs=(trace, places, launch_context))
"""Each :class:`Beyond` of a kernel variant, in order of the walk."""
