"""Lists that a host hands to a kernel one by one.

Whoever sorts updates into lists, and launches a kernel for each list in turn, does so that no two of one list meet: the
colours of a mesh, the offsets of a filter.  A long list that is cut into parts of one length, because memory has no
room for all of it, says nothing of the kind.
"""

from __future__ import annotations

from collections.abc import Collection

from kernlint.analysis.launching.launches import LaunchFact
from kernlint.analysis.trace.events import Access, ApiEvent, LaunchEvent, LoopContext, Root, Trace
from kernlint.analysis.trace.values import PointerValue
from kernlint.apis import MOVES, base_name
from kernlint.symbolic.terms import Symbol, SymbolKind, Term
from kernlint.tree.types import Space


def one_by_one(access: Access, entries: Collection[Symbol], of: Trace, launch: LaunchFact) -> bool:
    """Whether the host launches a kernel in a loop, each time with another list in place of the ``entries`` that pick
    the elements of ``access``, and the same object to update."""
    event, walk = launch.event, launch.walk
    if event is None or walk is None or not event.loops:
        return False
    target = launch.argument(access.root.name)
    if not isinstance(target, PointerValue) or _chosen(target.offset, event.loops):
        return False
    lists = [launch.argument(root.name) for entry in entries for root in _arrays(entry, of)]
    return bool(lists) and all(
        isinstance(one, PointerValue)
        and (_looked_up(one.offset) or any(_refilled(api, one, event) for api in walk.apis))
        for one in lists
    )


def _arrays(entry: Symbol, of: Trace) -> Collection[Root]:
    """The arrays of the host that an entry comes from, through shared memory."""
    root: Root = entry.origin[0]
    if root.space is not Space.SHARED:
        return (root,)
    put = (one.value for one in of.accesses if one.root is root and one.writes and one.value is not None)
    return {s.origin[0] for value in put for s in value.symbols if s.kind is SymbolKind.LOAD}


def _chosen(offset: Term, loops: Collection[LoopContext]) -> bool:
    """Whether a round of the host's loop has a place of its own."""
    own = {symbol for loop in loops for symbol in (loop.counter, *loop.phis)}
    return any(symbol in own or symbol.kind is SymbolKind.LOAD for symbol in offset.symbols)


def _looked_up(offset: Term) -> bool:
    """Whether a table of the host says where the list begins."""
    return any(symbol.kind is SymbolKind.LOAD for symbol in offset.symbols)


def _refilled(api: ApiEvent, one: PointerValue, event: LaunchEvent) -> bool:
    """Whether a list is copied to the device anew in each round, and not the next part of one that goes on."""
    moves = MOVES.get(base_name(api.name))
    if moves is None or moves.target is None or moves.source is None or api.order >= event.order:
        return False
    if not api.loops or api.loops[-1] not in event.loops or max(moves.target, moves.source) >= len(api.args):
        return False
    target, source = api.args[moves.target], api.args[moves.source]
    if not isinstance(target, PointerValue) or target.root is not one.root:
        return False
    if not isinstance(source, PointerValue) or _looked_up(source.offset):
        return True
    return source.root.decl is None and not source.offset.symbols  # an element of a list of lists, from its beginning
