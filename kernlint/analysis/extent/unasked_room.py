"""Places that data choose in an array whose room the kernel is told, and does not ask for.

The host allocates ``capacity`` elements, passes the capacity, and launches over another count; the kernel stores at a
place out of memory (a number of a voxel, a rank in a sum), or at one that it has drawn from a counter, and has no use
for the capacity.  Who passes it knows that there may be more places than room.  The capacity may be a member of the
struct that brings the array.  Elements that name others of their array are believed.  Where no allocation is in sight,
a host says as much which copies the last of these places back and holds it down to the number that it has passed:
``min(found, capacity)``.  With no host in sight it is the one number in the struct of a list and its counter that no
kernel of the file puts to any use, or the one that is passed right behind them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from kernlint.analysis.base import Facts, KernelAnalysis, ModuleAnalysis, ModuleFacts
from kernlint.analysis.extent.counted_stores import drawn_stores
from kernlint.analysis.extent.counter_clamps import held_down_by_host
from kernlint.analysis.extent.drawn import from_atomic
from kernlint.analysis.extent.drawn_runs import behind_base, handed_on
from kernlint.analysis.extent.limits import elements
from kernlint.analysis.extent.slots_elsewhere import by_data
from kernlint.analysis.launching.launch_context import LaunchView, launch_context
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, GuardKind, Root, RootKind, Trace
from kernlint.analysis.trace.values import StructValue
from kernlint.finding import Related
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import Polynomial, number, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, symbols
from kernlint.tree.nodes import Call, FunctionDecl, Member, Node, ParamDecl, Ref
from kernlint.tree.types import IntType, Space, StructType, Type
from kernlint.tree.walk import strip_casts, walk

MANY = 1 << 20
"""The value of the host's variables for a large launch."""


@dataclass(frozen=True, slots=True, eq=False)
class Unasked:
    """An ``access`` at a place out of memory, or (``drawn``) from a counter, in an array of as many elements as
    ``param``, or the member of it that is the ``name``, says by the launch (``view``; None: none is in sight).
    ``held``: where the host holds down to it what it has read back."""

    access: Access
    param: ParamDecl
    view: LaunchView | None
    name: str
    drawn: bool
    held: Span | None = None

    @property
    def why(self) -> str:
        """What is wrong with the room, in words."""
        if self.held is not None:
            return (
                "the launch passes the room, which is put to no use, and the host holds what it reads back down to it"
            )
        if self.view is None:
            return "it comes with the list and its counter, and is put to no use"
        return "the launch passes the room of the array, which is put to no use, and works on another count"

    @property
    def related(self) -> list[Related]:
        """Where the room is passed."""
        launch = [Related(self.view.fact.span, "by this launch")] if self.view is not None else []
        if self.held is not None:
            launch += [Related(self.held, "there may be more than that, as is said here")]
        return [Related(self.param.span, "this is how many elements there is room for"), *launch]


def without_use(function: FunctionDecl, reached: Sequence[FunctionDecl] = ()) -> dict[str, ParamDecl]:
    """The integer parameters, and members of parameters, that the text of a kernel never names, nor that of the
    functions that it has ``reached`` with a parameter."""
    nodes = list(walk(function.body)) if function.body is not None else []
    named = {id(node.decl) for node in nodes if isinstance(node, Ref)}
    out: dict[str, ParamDecl] = {}
    for param in function.params:
        if param.implicit or not param.name:
            continue
        if isinstance(param.type, StructType) and not param.type.union:
            out.update((f"{param.name}.{field}", param) for field in _unnamed(param, param.type, nodes, reached))
        elif _counts(param.type) and id(param) not in named:
            out[param.name] = param
    return out


def _counts(kind: Type) -> bool:
    return isinstance(kind, IntType) and kind.bits > 8


def _unnamed(param: ParamDecl, kind: StructType, nodes: list[Node], reached: Sequence[FunctionDecl] = ()) -> list[str]:
    """The integer members of a parameter that is never used but for other members of it, here or in a function that is
    given the whole."""
    own = [n for n in nodes if isinstance(n, Member) and isinstance(n.base, Ref) and n.base.decl is param]
    named = {node.field for node in own}
    whole = sum(isinstance(node, Ref) and node.decl is param for node in nodes) - len(own)
    if whole:
        known = set(map(id, reached))
        calls = [n for n in nodes if isinstance(n, Call) and n.function is not None and id(n.function) in known]
        given = [arg for call in calls for arg in map(strip_casts, (*call.args, *filter(None, (call.receiver,))))]
        if sum(isinstance(arg, Ref) and arg.decl is param for arg in given) != whole:
            return []
        bodies = [one.body for one in reached if one.body is not None]
        named |= {node.field for body in bodies for node in walk(body) if isinstance(node, Member)}
    return [one.name for one in kind.fields if _counts(one.type) and one.name not in named]


def passed(view: LaunchView, name: str) -> Term | None:
    """What a launch passes for a parameter or a member of one."""
    param, _, field = name.partition(".")
    value = view.fact.argument(param)
    value = value.get(field) if field and isinstance(value, StructValue) else value
    return value if isinstance(value, Term) else None


def _rooms(view: LaunchView, unused: dict[str, ParamDecl], sizes: dict[str, int]) -> dict[str, str]:
    """By the name of an array, the unused parameter that says how many elements it has: not what the grid is made
    of, which says how many items there are, unless there are always fewer elements than threads."""
    found: dict[str, str] = {}
    items = {s for size in (*(view.fact.grid or ()), *(view.fact.threads or ())) for s in symbols(size)}
    for name, extent in view.fact.extents:
        for one in unused:
            value = passed(view, one)
            if value is None or name not in sizes or not symbols(value):
                continue
            if items & set(symbols(value)) and not _fewer(value, view):
                continue
            if polynomial(plain(value)) * number(sizes[name]) == polynomial(extent):
                found[name] = one
    return found


def _fewer(room: Term, view: LaunchView) -> bool:
    """Whether large launches have more than twice as many threads as there is room."""
    grid, block = view.fact.grid, view.fact.block
    sizes = view.fact.threads or ((*grid, *block) if grid is not None and block is not None else ())
    env = dict.fromkeys((s for term in (room, *sizes) for s in symbols(term)), MANY)
    least, values = evaluate(room, env), [evaluate(size, env) for size in sizes]
    numbers = [value for value in values if value is not None]
    return least is not None and len(numbers) == len(values) > 0 and 2 * least < prod(numbers)


def _place(access: Access) -> Symbol | None:
    """The number from memory, or drawn from a counter, that is the place of an access, but for a constant."""
    found = elements(access)
    form: Polynomial | None = None if found is None or found[1] else found[0]
    moving = [mono for mono in form.coefficients if mono] if form is not None else []
    if form is None or len(moving) != 1 or len(moving[0]) != 1 or form.coefficients[moving[0]] != 1:
        return None
    symbol = plain(moving[0][0]).symbol
    return symbol if symbol is not None and (symbol.kind is SymbolKind.LOAD or from_atomic(symbol)) else None


def _link(place: Symbol, access: Access, of: Trace) -> bool:
    """Whether the number of an element comes out of elements of the same array, as those of a tree name their children:
    by itself, or by way of a stack of the thread's own, on which nothing else is put but constants."""
    if place.kind is not SymbolKind.LOAD:
        return False
    root = place.origin[0]
    if root is access.root or root.kind is not RootKind.VARIABLE:
        return root is access.root
    values = [symbols(one.value) for one in of.accesses if one.root is root and one.writes and one.value is not None]
    found = [symbol for value in values for symbol in value]
    return bool(found) and all(s.kind is SymbolKind.LOAD and s.origin[0] is access.root for s in found)


def _named(facts: ModuleFacts) -> frozenset[str]:
    """The members of objects that kernels of a file use."""
    bodies = [kernel.function.body for kernel in facts.module.kernels if kernel.function.body is not None]
    return frozenset(node.field for body in bodies for node in walk(body) if isinstance(node, Member))


named_members = ModuleAnalysis("named_members", _named)
"""What the members are called that the kernels of a file put to some use."""


def _behind(function: FunctionDecl, names: tuple[str, str], unused: dict[str, ParamDecl]) -> list[str]:
    """The unused number that is passed right behind a list and its counter."""
    params = [param.name for param in function.params if not param.implicit]
    places = [params.index(name) for name in names if name in params]
    after = max(places) + 1 if len(places) == 2 and abs(places[0] - places[1]) == 1 else len(params)
    return [name for name in params[after : after + 1] if name in unused]


def _room_at_hand(facts: Facts, list_: Root, counter: Access, unused: dict[str, ParamDecl]) -> str | None:
    """The one number that comes with a list and its counter, and that nobody puts to any use."""
    if list_.kind is not RootKind.PARAM or counter.root.kind is not RootKind.PARAM or counter.offset.value != 0:
        return None
    owner, _, _ = list_.name.rpartition(".")
    if owner and counter.root.name.rpartition(".")[0] == owner:
        used: frozenset[str] = facts[named_members]
        rooms = [name for name in unused if name.rpartition(".")[0] == owner]
        rooms = [name for name in rooms if name.rpartition(".")[2] not in used]
    else:
        rooms = _behind(facts.function, (list_.name, counter.root.name), unused)
    return rooms[0] if len(rooms) == 1 else None


def _without_host(facts: Facts) -> Iterator[Unasked]:
    """Stores at slots that a counter hands out where data say, one by one or to a block or warp for all of its threads,
    with room at hand that nobody asks for."""
    of = facts[trace]
    drawn = any(one.kind is AccessKind.ATOMIC for one in of.accesses)
    unused = without_use(facts.function, facts.reached) if drawn else {}
    if not unused or of.calls:
        return
    for one in drawn_stores(of, {}):
        list_, counter = one.access.root, one.counter
        plain_ = one.cap is None and one.rest.constant is not None and not one.in_columns
        if counter is None or not plain_ or not by_data(counter, one.access) or counter.root is list_:
            continue
        room = _room_at_hand(facts, list_, counter, unused)
        if room is not None:
            yield Unasked(one.access, unused[room], None, room, True)
    for base, counter in handed_on(of).items():
        for access in of.accesses:
            if base not in symbols(access.offset) or counter.root is access.root or not behind_base(access, base):
                continue
            room = _room_at_hand(facts, access.root, counter, unused)
            if room is not None and not any(base in symbols(guard.term) for guard in access.guards):
                yield Unasked(access, unused[room], None, room, True)


def _of_rows(of: Trace) -> bool:
    """Whether a number from memory names a row that another array has the begin and the end of, ``first[p]`` and
    ``first[p + 1]``: the numbers are of rows (nodes of a graph, lines of a matrix), and there is a row for each."""
    found: dict[tuple[int, Polynomial], set[int]] = {}
    for access in of.accesses:
        at = elements(access) if access.kind is AccessKind.READ else None
        if at is not None and any(s.kind is SymbolKind.LOAD for s in symbols(access.offset)):
            step = at[0].coefficients.get((), 0)
            found.setdefault((id(access.root), at[0] - number(step)), set()).add(step)
    return any({0, 1} <= steps for steps in found.values())


def _held_down(access: Access, place: Symbol, view: LaunchView, unused: dict[str, ParamDecl]) -> Unasked | None:
    """A store at a place from an array of which the host reads numbers back, and holds them down to what it passes for
    a parameter that is put to no use."""
    root = place.origin[0] if isinstance(place.origin, tuple) else None
    if root is None or root.kind is not RootKind.PARAM or access.kind is not AccessKind.WRITE:
        return None
    items = {s for size in (*(view.fact.grid or ()), *(view.fact.threads or ())) for s in symbols(size)}
    for clamp in held_down_by_host(view, root.name):
        limit = plain(clamp.limit)
        for name, param in unused.items():
            value = passed(view, name)
            if value is not None and plain(value) == limit and symbols(limit) and not items & set(symbols(limit)):
                return Unasked(access, param, view, name, False, clamp.guard.span)
    return None


def _compute(facts: Facts) -> tuple[Unasked, ...]:
    views = facts[launch_context].launches
    if not views and not facts[launch_context].stated:
        return tuple(_without_host(facts))
    unused = without_use(facts.function) if views else {}
    if not unused:
        return ()
    of = facts[trace]
    arrays = [a for a in of.accesses if a.root.kind is RootKind.PARAM and a.root.space is Space.GLOBAL]
    sizes = {access.root.name: access.root.element.size or 0 for access in arrays}
    if _of_rows(of):
        return ()
    out: list[Unasked] = []
    rooms = [(view, _rooms(view, unused, sizes)) for view in views if view.fact.extents]
    for access in arrays:
        place = _place(access)
        if place is None or _link(place, access, of):
            continue
        tests = (guard.term for guard in access.guards if guard.kind is not GuardKind.AFTER_LOOP)
        if any(place in symbols(test) for test in tests):
            continue
        view, room = next(((v, r[access.root.name]) for v, r in rooms if access.root.name in r), (None, None))
        if view is not None and room is not None:
            out.append(Unasked(access, unused[room], view, room, from_atomic(place)))
            continue
        held = next((one for view in views if (one := _held_down(access, place, view, unused)) is not None), None)
        if held is not None:
            out.append(held)
    return tuple(out)


unasked = KernelAnalysis("unasked", _compute, needs=(trace, launch_context, named_members))
"""Each :class:`Unasked` access of a kernel variant, in order of the walk."""
