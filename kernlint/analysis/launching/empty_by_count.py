"""Grids that are empty where the device has counted nothing.

A count that begins at 0, that a kernel adds to where data say so, and that is copied back says how many blocks the
next launch has.  CUDA and HIP refuse a grid of no blocks (``cudaErrorInvalidConfiguration``), so whoever looks at the
errors of the launch fails where there was nothing to do.
"""

from __future__ import annotations

from kernlint.analysis.launching.launches import LaunchFact
from kernlint.analysis.trace.events import ApiEvent, LaunchEvent, Root, Trace
from kernlint.analysis.trace.values import PointerValue
from kernlint.apis import api_of
from kernlint.apis.records import Fills, Moves
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, symbols
from kernlint.tree.nodes import Atomic, Deref, Expr, If, Node, ParamDecl, Ref, Return, Subscript
from kernlint.tree.walk import walk


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """``count``: the symbol of what was read back at ``read``, from memory that is set to 0 at ``begun``."""

    count: Symbol
    read: Span
    begun: Span


def empty_by_count(launch: LaunchFact) -> Counted | None:
    """The count that leaves a launch without blocks where it is 0, which nobody asks about before; None where there is
    none."""
    event, trace = launch.event, launch.walk
    if launch.grid is None or launch.threads is not None or event is None or trace is None:
        return None
    for size in launch.grid:
        found = list(symbols(size))
        if len(found) != 1 or found[0].kind is not SymbolKind.UNKNOWN or evaluate(size, {found[0]: 0}) != 0:
            continue
        count = found[0]
        if any(count in symbols(guard.term) for guard in launch.guards):
            continue
        counted = _counted(count, event, trace)
        if counted is not None:
            return counted
    return None


def _counted(count: Symbol, launch: LaunchEvent, trace: Trace) -> Counted | None:
    read = trace.left.get(count)
    moves = api_of(read.name) if read is not None and read.order < launch.order else None
    if read is None or not isinstance(moves, Moves) or moves.source is None:
        return None
    source = read.args[moves.source]
    if not isinstance(source, PointerValue):
        return None
    before = [api for api in trace.apis if api.order < read.order and _stores(api, source)]
    if not before or not _to_zero(before[-1]):
        return None
    adding = (one for one in trace.launches if before[-1].order < one.order < read.order)
    if not any(_counts(one, source.root) for one in adding):
        return None
    return Counted(count, read.span, before[-1].span)


def _stores(api: ApiEvent, place: PointerValue) -> bool:
    """Whether a call copies or fills something at just this place."""
    known = api_of(api.name)
    at = known.target if isinstance(known, (Moves, Fills)) else None
    target = api.args[at] if at is not None and at < len(api.args) else None
    return isinstance(target, PointerValue) and target.root is place.root and target.offset == place.offset


def _to_zero(api: ApiEvent) -> bool:
    """Whether a fill, or a copy of a variable of the host, stores 0."""
    known = api_of(api.name)
    if isinstance(known, Fills):
        value = api.args[known.value]
    elif isinstance(known, Moves) and known.source is not None and known.source < len(api.behind):
        value = api.behind[known.source]
    else:
        return False
    return isinstance(value, Term) and value.value == 0


def _counts(launch: LaunchEvent, root: Root) -> bool:
    """Whether a kernel adds to what is at ``root``, where data say so alone."""
    for kernel in launch.kernels:
        body = (kernel.generic or kernel).body or kernel.body
        for param, arg in zip((kernel.generic or kernel).params, launch.args, strict=False):
            if isinstance(arg, PointerValue) and arg.root is root and body is not None and _by_data(body, param):
                return True
    return False


def _by_data(body: Node, param: ParamDecl) -> bool:
    adding = [node for node in walk(body) if isinstance(node, Atomic) and node.op in ("add", "inc")]
    adding = [node for node in adding if any(isinstance(at, Ref) and at.decl is param for at in walk(node.pointer))]
    for node in walk(body) if adding else ():
        if isinstance(node, If) and _on_data(node.cond):
            inside = list(walk(node))
            leaves = node.then is not None and any(isinstance(at, Return) for at in walk(node.then))
            if leaves or any(one in inside for one in adding):
                return True
    return False


def _on_data(cond: Expr) -> bool:
    """Whether a condition reads memory, itself or for one of its variables."""
    inits = (at.decl.init for at in walk(cond) if isinstance(at, Ref) and not isinstance(at.decl, ParamDecl))
    parts = (cond, *(init for init in inits if init is not None))
    return any(isinstance(at, (Subscript, Deref)) for part in parts for at in walk(part))
