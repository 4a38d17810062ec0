"""Arguments of kernels that are set one by one before a launch (``clSetKernelArg``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kernlint.analysis.trace.events import ApiEvent, CallEvent, Guard, LaunchEvent, RootKind, Trace
from kernlint.analysis.trace.operators import text_of
from kernlint.analysis.trace.values import NULL, PointerValue, StructValue, Value, as_term
from kernlint.record import dataclass, replace
from kernlint.source import Span
from kernlint.symbolic.narrowing import Narrowing, narrowed, told
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, const, negate, plain, subterms
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import AddressOf, Call, Cast, Expr, Member, Ref, VarDecl
from kernlint.tree.types import FloatType, IntType, StructType

SETTERS = frozenset({"clSetKernelArg", "setArg"})
"""Functions that set one argument: ``(kernel, index, size, pointer)``; as a method of ``cl::Kernel`` without the
kernel, and perhaps with the value itself in place of size and pointer."""


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """One argument of a kernel as it was set.

    ``size``: in bytes, None where it is not told.  ``value``: what is passed (None: not known).  ``local``: it is an
    amount of local memory, ``size`` bytes.  ``node``: the call.  ``certain``: nothing else can be the last setting of
    this argument before the launch.  ``stack``: the calls that led there, outermost first.
    """

    index: int
    size: Term | None
    value: Value | None
    local: bool
    span: Span
    node: Call
    certain: bool = True
    stack: tuple[Span, ...] = ()


def handle_of(expr: Expr | None, value: Value | None) -> object:
    """What tells one handle (of a kernel, a buffer, a queue) from another: the object that a walk knows it as, else
    the variable or member that it is read from; None where neither is known."""
    while isinstance(expr, (Cast, AddressOf)):
        expr = expr.operand
    if isinstance(expr, Member):
        return "member", expr.field, handle_of(expr.base, None)
    if isinstance(value, PointerValue) and value.root.kind is not RootKind.LOADED:
        return value.root
    return expr.decl if isinstance(expr, Ref) else None


def settings_of(launch: LaunchEvent, apis: Iterable[ApiEvent]) -> tuple[Setting, ...]:
    """What was set last for each argument of the kernel that ``launch`` starts."""
    found: dict[int, Setting] = {}
    for api, index, size, value in _set_before(launch, apis):
        at = as_term(index).value if index is not None else None
        if at is None:  # any of them
            found = {key: replace(one, certain=False) for key, one in found.items()}
            continue
        certain = implied(api.guards, launch.guards)
        if certain or not excluded(tuple(guard.term for guard in (*api.guards, *launch.guards))):
            found[at] = replace(_setting(api, at, size, value), certain=certain, stack=api.stack)
    return tuple(found.values())


def each_setting(apis: Iterable[ApiEvent]) -> Iterator[tuple[ApiEvent, Setting]]:
    """The calls of a walk that set an argument whose index is known, with what they set."""
    for api in apis:
        whole = _whole(api) if api.name in SETTERS else None
        at = as_term(whole[2]).value if whole is not None and whole[2] is not None else None
        if whole is not None and at is not None:
            yield api, replace(_setting(api, at, whole[3], whole[4]), stack=api.stack)


def set_twice(launch: LaunchEvent, trace: Trace, count: int) -> tuple[Setting, int] | None:
    """A setting of an argument that had been set just before, where as many settings as the kernel has arguments, one
    after the other, leave out just one, and the index of that one."""
    row: list[Setting] = []
    launched = [one.order for one in trace.launches if one.order < launch.order]
    for api, index, size, value in _set_before(launch, trace.apis):
        if launched and api.order < launched[-1]:
            continue
        at = as_term(index).value if index is not None else None
        if at is None or not implied(api.guards, launch.guards) or api.loops != launch.loops[: len(api.loops)]:
            return None
        row.append(replace(_setting(api, at, size, value), stack=api.stack))
    given = {one.index for one in row}
    missing = [index for index in range(count) if index not in given]
    if len(row) != count or len(missing) != 1 or not given <= set(range(count)):
        return None
    second = next(one for place, one in enumerate(row) if any(one.index == other.index for other in row[:place]))
    return second, missing[0]


_Set = tuple[ApiEvent, Value | None, Value | None, int]


def _set_before(launch: LaunchEvent, apis: Iterable[ApiEvent]) -> Iterator[_Set]:
    """The settings of arguments of the kernel that ``launch`` starts, in order: call, index, size and the position of
    the value."""
    handle = handle_of(launch.node.callee, launch.handle)
    for api in apis if handle is not None else ():
        if api.order > launch.order:
            break
        whole = _whole(api) if api.name in SETTERS else None
        if whole is None:
            continue
        kernel, expr, index, size, value = whole
        if handle_of(expr, kernel) == handle or _one_root(kernel, launch.handle):
            yield api, index, size, value


def _one_root(one: Value | None, other: Value | None) -> bool:
    """Whether two handles are one by the object that they lead to, by the member that they are, or as one value."""
    if isinstance(one, Term) and isinstance(other, Term):
        mine, theirs = plain(one).symbol, plain(other).symbol
        same = mine is theirs and mine is not None and mine.kind is SymbolKind.UNKNOWN
        return same or bool(mine and theirs and _member(mine) and _member(mine) == _member(theirs))
    return isinstance(one, PointerValue) and isinstance(other, PointerValue) and one.root is other.root


def _member(symbol: Symbol) -> tuple[object, Term] | None:
    """Object and offset of a member that a value was read from; None: it is none."""
    origin = symbol.origin if symbol.kind is SymbolKind.LOAD else None
    root, offset = origin if isinstance(origin, tuple) and len(origin) == 2 else (None, None)
    return (root, offset) if isinstance(offset, Term) and offset.value is not None else None


MAKERS = {
    # function: which argument it stores the handle at (None: it returns it), and which is the kernel's name
    "clCreateKernel": (None, 1),
    "create_kernel": (None, 0),
    "Kernel": (None, 1),  # the constructor of cl::Kernel
    "cuModuleGetFunction": (0, 2),
    "cuLibraryGetKernel": (0, 2),
    "hipModuleGetFunction": (0, 2),
}
"""Functions that look a kernel up by its name."""


def name_of(launch: LaunchEvent, apis: Iterable[ApiEvent]) -> str:
    """The name that the kernel of a launch was looked up by, where the walk has met that; empty else."""
    for api in apis:
        place = MAKERS.get(api.name) if api.order < launch.order else None
        if place is None or place[1] >= len(api.args):
            continue
        made = api.result if place[0] is None else api.after[place[0]] if api.after else None
        if _one_root(made, launch.handle):
            return text_of(api.args[place[1]]) or ""
    return ""


_Whole = tuple[Value | None, Expr | None, Value | None, Value | None, int]


def _whole(api: ApiEvent) -> _Whole | None:
    """Kernel, its expression, index, size (None: the value's own) and the position of the value among the arguments."""
    args, node = api.args, api.node
    if api.name == "setArg":
        if len(args) == 2:
            return api.receiver, node.receiver, args[0], None, 1
        return (api.receiver, node.receiver, args[0], args[1], 2) if len(args) == 3 else None
    return (args[0], node.args[0], args[1], args[2], 3) if len(args) == 4 else None


def _setting(api: ApiEvent, index: int, size: Value | None, at: int) -> Setting:
    if size is None:
        return _of_value(api, index, at)
    given = as_term(size)
    null = _is_null(api.args[at])
    return Setting(index, given, None if null else api.behind[at], null, api.span, api.node)


def _of_value(api: ApiEvent, index: int, at: int) -> Setting:
    """A method that takes the value itself, as large as its type is."""
    kind, value = api.node.args[at].type, api.args[at]
    name = kind.name.rpartition("::")[2] if isinstance(kind, StructType) else ""
    if name == "LocalSpaceArg":
        given = value.get("size_") if isinstance(value, StructValue) else None
        return Setting(index, given if isinstance(given, Term) else None, None, True, api.span, api.node)
    of_bindings = isinstance(kind, StructType) and kind.name.startswith("cl::")
    if of_bindings or name in ("Buffer", "Image2D", "Image3D", "Sampler"):
        size: int | None = HANDLE  # objects of the bindings hold a handle alone
    else:
        size = kind.size if isinstance(kind, (IntType, FloatType, StructType)) and name != "Memory" else None
    return Setting(index, const(size) if size else None, value, False, api.span, api.node)


HANDLE = 8
"""Bytes of a ``cl_mem``, and of a pointer."""


@dataclass(frozen=True, slots=True, eq=False)
class Unset:
    """Arguments of a kernel that nobody can have set before a launch, by their indices.  ``twice``: a setting of an
    argument that had been set just before."""

    indices: tuple[int, ...]
    twice: Setting | None


ASKS = pattern(r"clGetKernel\w*|clEnqueueNDRangeKernel|clEnqueueTask|clReleaseKernel|getWorkGroupInfo|enqueue\w+")
"""Functions that are given a kernel and set no argument of it."""

_OTHER_SETTERS = pattern(r"clSetKernelArg\w+")
"""Functions that set an argument in another way: ``clSetKernelArgSVMPointer`` and those of extensions."""

_OF_OPENCL = pattern(r"cl[A-Z]\w*")


def unset(launch: LaunchEvent, trace: Trace, count: int) -> Unset | None:
    """Which of a kernel's ``count`` arguments are not set when it is launched; None where others may set some: the
    kernel was not made in the same walk, or was handed on."""
    handle = handle_of(launch.node.callee, launch.handle)
    made = next((api for api in trace.apis if _makes(api, handle, launch)), None)
    if handle is None or made is None or (isinstance(handle, tuple) and _held_out(made, launch, trace)):
        return None
    if any(_OTHER_SETTERS.match(call.name) for call in _between(made, launch, trace)):
        return None
    last: dict[int, Setting] = {}
    twice: Setting | None = None
    launched = [one.order for one in trace.launches]
    for api in trace.apis:
        if not made.order < api.order < launch.order:
            continue
        whole = _whole(api) if api.name in SETTERS else None
        if whole is None:
            given = _given(api, handle, launch.handle) and not ASKS.fullmatch(api.name)
            if given or _OTHER_SETTERS.match(api.name):
                return None
            continue
        kernel, expr, index, size, value = whole
        if handle_of(expr, kernel) != handle and not _one_root(kernel, launch.handle):
            continue
        at = as_term(index).value if index is not None else None
        if at is None or api.loops != launch.loops[: len(api.loops)]:
            return None
        before = last.get(at)
        last[at] = _setting(api, at, size, value)
        if before is not None and not any(_order(trace, before) < order < api.order for order in launched):
            twice = last[at]
    missing = tuple(index for index in range(count) if index not in last)
    return Unset(missing, twice) if missing else None


def _held_out(made: ApiEvent, launch: LaunchEvent, trace: Trace) -> bool:
    """Whether something that is not followed may reach an object that holds the kernel."""
    return any(call.writes and not _OF_OPENCL.fullmatch(call.name) for call in _between(made, launch, trace))


def _between(made: ApiEvent, launch: LaunchEvent, trace: Trace) -> Iterator[CallEvent]:
    """The calls that are not followed from where a kernel is made to where it is launched."""
    return (call for call in trace.calls if made.order < call.order < launch.order)


def _order(trace: Trace, one: Setting) -> int:
    return next((api.order for api in trace.apis if api.node is one.node), 0)


def _makes(api: ApiEvent, handle: object, launch: LaunchEvent) -> bool:
    if api.order > launch.order:
        return False
    if api.name == "clCreateKernel":
        return isinstance(api.result, PointerValue) and (
            api.result.root is handle or _one_root(api.result, launch.handle)
        )
    return api.name == "Kernel" and isinstance(handle, VarDecl) and handle.init is api.node


def _given(api: ApiEvent, handle: object, of: Value | None) -> bool:
    """Whether a call is given the kernel, or its address."""
    return any(
        handle_of(expr, value) == handle or _one_root(value, of)
        for expr, value in zip((*api.node.args, api.node.receiver), (*api.args, api.receiver), strict=True)
    )


def _is_null(value: Value) -> bool:
    if isinstance(value, Term):
        return value.value == 0
    return isinstance(value, PointerValue) and value.root.name == NULL


def implied(before: tuple[Guard, ...], after: tuple[Guard, ...]) -> bool:
    """Whether whatever comes to a place with the guards ``after`` has passed one with the guards ``before``."""
    known = dict.fromkeys(guard.term for guard in after)
    asked = dict.fromkeys(guard.term for guard in before)
    return all(term in known or excluded((*known, negate(term))) for term in asked)


CASES = 4
"""Choices in a chain of checks (``if (err == 0) err = ...``) that are told apart."""


def excluded(facts: tuple[Term, ...]) -> bool:
    """Whether ``facts`` cannot all be true, whichever way the choices in them went."""
    ranges = narrowed(facts, {})
    return ranges is None or _excluded(ranges, dict.fromkeys(facts), CASES)


def _excluded(ranges: Narrowing, facts: dict[Term, None], cases: int) -> bool:
    choices = (at.args[0] for fact in facts for at in subterms(fact) if at.op == "select")
    cond = next((cond for cond in choices if cond not in facts and negate(cond) not in facts), None)
    if cond is None or not cases:
        return False
    for one in (cond, negate(cond)):
        more = told(ranges, {}, (one,))
        if more is not None and not _excluded(more, {**facts, one: None}, cases - 1):
            return False
    return True
