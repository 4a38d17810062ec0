"""Places that data choose in memory of a constant number of elements, which the same data are kept below elsewhere.

The host allocates ``MOST`` elements for each array of a struct; one kernel asks ``rank[i] - 1 < MOST`` before it stores
at that place in one of them, and another stores at the same place in a second one and asks nothing.  The test says that
there may be more, and the allocation that there is no room for them.  So it is with tables whose declaration says their
length, and with parts of packed words, which have a helper of their own: whatever word they are from, they are taken
out of it in one way.  A clamp in the other kernel says as much as a test (``hist[min(label[i], 19)]``), and more: data
that are clamped stay as they are, while those that a test leaves out may have been left out of what others get.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from kernlint.analysis.base import Facts, KernelAnalysis, ModuleAnalysis, ModuleFacts
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.clamps import clamped_at
from kernlint.analysis.extent.limits import elements
from kernlint.analysis.extent.marks import marked
from kernlint.analysis.extent.truths import slack_of
from kernlint.analysis.extent.unclamped import unclamped
from kernlint.analysis.hostmodel.members import field_of
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.analysis.launching.members import constant
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, Root, RootKind, Trace
from kernlint.analysis.trace.host import allocator
from kernlint.analysis.trace.kernels import KERNELS, kernel_traces
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.terms import SymbolKind, Term, plain, subterms, symbols
from kernlint.tree.nodes import AddressOf, Assign, Call, Cast, Expr, FunctionDecl, Kernel, ParamDecl
from kernlint.tree.types import Space, StructType
from kernlint.tree.walk import walk

Field = tuple[str, str]
Datum = tuple[str, int]
"""How a number is made of those of an index array, and the number that it is kept below."""

FEW = 8
"""Below this a number says how many kinds of something there are."""

SHORT = 4
"""The same for a number that is the last place in a table whose declaration says its length."""


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """``kernel`` keeps a place from memory below a number, by a test or clamp at ``span``; ``asked``: all that it asks
    about (None: nothing, a clamp takes all data)."""

    kernel: str
    span: Span
    asked: frozenset[str] | None


@dataclass(frozen=True, slots=True, eq=False)
class PastRoom:
    """An ``access`` at a place from memory in an array of ``room`` elements; ``other``: a test of such a place."""

    access: Access
    room: int
    other: Kept


def _bare(expr: Expr) -> Expr:
    while isinstance(expr, Cast):
        expr = expr.operand
    return expr


def _rooms(facts: ModuleFacts) -> dict[Field, int]:
    """How many bytes the members of structs lead to, where all that gives them memory says the same number."""
    found: dict[Field, set[int | None]] = {}
    for function in facts.module.functions:
        for node in walk(function.body) if function.body is not None else ():
            if isinstance(node, Assign) and (field := field_of(node.target)) is not None:
                found.setdefault(field, set()).add(None)
            for at, arg in enumerate(node.args) if isinstance(node, Call) else ():
                inner = _bare(arg)
                field = field_of(inner.operand) if isinstance(inner, AddressOf) else None
                if field is not None and isinstance(node, Call):
                    found.setdefault(field, set()).add(_allocated(node, at))
    one = {field: sizes.pop() for field, sizes in found.items() if len(sizes) == 1}
    return {field: size for field, size in one.items() if size is not None}


def _allocated(call: Call, at: int) -> int | None:
    """The bytes that a call allocates for what it stores in an argument; None: it does not, or nobody knows."""
    rule = allocator(call.name)
    if rule is None or rule.out != at or rule.size is None or rule.size >= len(call.args) or rule.factor is not None:
        return None
    size = constant(call.args[rule.size])
    return size if isinstance(size, int) and size > 0 else None


rooms_of_members = ModuleAnalysis("rooms_of_members", _rooms)
"""(struct, member) -> bytes allocated for it, where that is one number."""


def _chosen(form: Polynomial) -> tuple[Term, str, int] | None:
    """(number, how it is made, addend) of a sum of one number that is made of an argument's memory and a constant."""
    row = _row(form)
    return (
        row[:3] if row is not None and row[3] == 1 and len(form.coefficients) <= 1 + (() in form.coefficients) else None
    )


def _row(form: Polynomial) -> tuple[Term, str, int, int] | None:
    """The same of the row that one number chooses, with the elements of a row: what is added to it is within one."""
    data = [mono for mono in form.coefficients if any("[" in _made(atom) for atom in mono)]
    by = form.coefficients[data[0]] if len(data) == 1 and len(data[0]) == 1 else 0
    if by < 1 or any(abs(value) >= by for mono, value in form.coefficients.items() if mono and mono not in data):
        return None
    number = data[0][0]
    return number, _made(number), form.coefficients.get((), 0) // by, by


def _made(term: Term) -> str:
    """How a number is made of one from memory by numbers, whatever its place: ``(packed[] >> .) & 7``."""
    term = plain(term)
    symbol = term.symbol
    if symbol is not None:
        known = symbol.kind is SymbolKind.LOAD and isinstance(symbol.origin, tuple)
        return f"{symbol.origin[0].name}[]" if known and symbol.origin[0].kind is RootKind.PARAM else "."
    if term.value is not None:
        return str(term.value)
    if term.op not in ("and", "shr", "mod", "div") or len(term.args) != 2:
        return "."
    word, by = map(_made, term.args)
    return f"({word} {term.op} {'.' if '[' in by else by})" if "[" in word else "."


def _kept(facts: ModuleFacts) -> dict[Datum, Kept]:
    found: dict[Datum, Kept] = {}
    kernels = facts.module.kernels
    walks = [(k, facts[kernel_traces].of(k.variants[0])) for k in kernels] if len(kernels) <= KERNELS else []
    for kernel, of in walks:
        for access in of.accesses:
            if not any(s.kind is SymbolKind.LOAD for s in symbols(access.offset)):
                continue
            for clamp in _clamped(access, walks):
                found.setdefault(clamp, Kept(kernel.function.name, access.span, None))
            for guard in access.guards:
                for part in conjuncts(guard.term):
                    slack = slack_of(part)
                    datum = _chosen(polynomial(part.args[0])) if slack is not None else None
                    if slack is None or datum is None or datum[0] not in subterms(access.offset):
                        continue
                    limit = (slack[0] + polynomial(part.args[0])).constant
                    if limit is not None and limit + 1 - slack[1] - datum[2] >= SHORT:
                        key = (datum[1], limit + 1 - slack[1] - datum[2])
                        found.setdefault(key, Kept(kernel.function.name, guard.span, asked_of(access)))
    return found


def _clamped(access: Access, walks: Sequence[tuple[Kernel, Trace]]) -> Iterator[Datum]:
    """The numbers from memory that a clamp in the place of an access keeps below one, where all that kernels store
    beside them is made of what is there."""
    for part in subterms(access.offset):
        clamp = unclamped(part) if part.op in ("min", "max", "select", "call") else None
        most = clamped_at(part) if clamp is not None and clamp.high else None
        datum = _chosen(polynomial(clamp.core)) if clamp is not None and most is not None else None
        if datum is None or most is None or most + 1 - datum[2] < SHORT:
            continue
        own = {s.origin[0].name for s in symbols(datum[0]) if s.kind is SymbolKind.LOAD and isinstance(s.origin, tuple)}
        if not any(stored(one, own) for _, of in walks for one in of.accesses):
            yield datum[1], most + 1 - datum[2]


def stored(access: Access, names: Set[str]) -> bool:
    """Whether an access stores to one of some arrays what is not made of an element of it, or brought into a range."""
    if access.kind is not AccessKind.WRITE or access.root.name not in names:
        return False
    value = access.value
    if value is None or any(part.op in _KEEPING for part in subterms(value)) or _clamps(value):
        return True
    return not any(
        s.kind is SymbolKind.LOAD and isinstance(s.origin, tuple) and s.origin[0].name == access.root.name
        for s in symbols(value)
    )


_KEEPING = frozenset({"min", "max", "select", "mod", "and"})


def _clamps(value: Term) -> bool:
    """Whether functions hold a number down, or up."""
    return any(part.op == "call" and unclamped(part) is not None for part in subterms(value))


def asked_of(access: Access) -> frozenset[str]:
    """The arguments that conditions of an access speak of, and those from whose memory the numbers are."""
    found = {s for guard in access.guards for s in symbols(guard.term)}
    loads = {s.origin[0].name for s in found if s.kind is SymbolKind.LOAD and isinstance(s.origin, tuple)}
    return frozenset(loads | {s.name for s in found if s.kind is SymbolKind.PARAM})


kept_below = ModuleAnalysis("kept_below", _kept, needs=(kernel_traces,))
"""What kernels of a file keep below numbers before it makes a place."""


def _field(root: Root, function: FunctionDecl) -> Field | None:
    """The member of a struct argument that leads to an object."""
    name, _, path = root.name.partition(".")
    kind = next((param.type for param in function.params if param.name == name), None)
    return (kind.name, path) if path and isinstance(kind, StructType) else None


def _compute(facts: Facts) -> tuple[PastRoom, ...]:
    found = list(_candidates(facts))
    if not found:
        return ()
    known: dict[Datum, Kept] = facts[kept_below]
    rooms: dict[Field, int] = facts[rooms_of_members] if known else {}
    out: dict[Root, PastRoom] = {}
    for access, made, addend, row in found if known else ():
        stated = _stated(access)
        extent = stated if stated is not None else _room(access, facts, rooms)
        room = None if extent is None or extent % row else extent // row
        if room is None or room - addend < (SHORT if stated is not None else FEW):
            continue
        other = known.get((made, room - addend))
        # Who is told of other counts may work on data that have been cut down since.
        if other is not None and (other.asked is None or asked_of(access) <= other.asked):
            out.setdefault(access.root, PastRoom(access, room, other))
    return tuple(out.values())


def _candidates(facts: Facts) -> Iterator[tuple[Access, str, int, int]]:
    for access in facts[trace].accesses:
        memory = access.root.kind is RootKind.PARAM and access.root.space is Space.GLOBAL
        if not memory and _stated(access) is None:
            continue
        if not any(s.kind is SymbolKind.LOAD for s in symbols(access.offset)):
            continue
        found = elements(access)
        datum = _row(found[0]) if found is not None and not found[1] else None
        if datum is None:
            continue
        own = {s for s in symbols(datum[0]) if s.kind is SymbolKind.LOAD and _made(s.term) in datum[1]}
        tests = [part for guard in access.guards for part in conjuncts(guard.term) if own & set(symbols(part))]
        if all(any(True for _ in marked(part)) for part in tests):
            yield access, *datum[1:]


def _stated(access: Access) -> int | None:
    """How many elements an array has, by its declaration."""
    decl, size = access.root.decl, access.root.element.size
    if isinstance(decl, ParamDecl):
        return decl.stated
    extent = access.root.extent if access.root.kind is RootKind.VARIABLE else None
    return extent // size if extent and size and access.size == size else None


def _room(access: Access, facts: Facts, rooms: dict[Field, int]) -> int | None:
    """How many elements an array has, by the allocations in sight."""
    size = access.root.element.size
    field = _field(access.root, facts.function)
    extent = rooms.get(field) if field is not None else None
    if extent is None:
        told = {
            value.value
            for view in facts[launch_context].launches
            for name, value in view.fact.extents
            if name == access.root.name
        }
        extent = told.pop() if len(told) == 1 else None
    return extent // size if extent is not None and size else None


past_room = KernelAnalysis("past_room", _compute, needs=(trace, launch_context, kept_below, rooms_of_members))
"""A :class:`PastRoom` for each array of a kernel variant that has one."""
