"""Events that are recorded again before anybody has waited for what they stood for.

"If cudaEventRecord() has previously been called on event, then this call will overwrite any existing state in event",
and a wait for it is for "the most recent call" alone (CUDA runtime API, event management; HIP has the same).  So one
event that is recorded on each of several streams and waited for once stands for the last of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kernlint.apis import known_name
from kernlint.apis.order import RECORDS
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.tree import nodes as n
from kernlint.tree.walk import strip_casts, walk

_WAITS = {"StreamWaitEvent": 1, "EventSynchronize": 0}
"""Waits for an event, and which argument that is."""

_ROUNDS = (n.For, n.While, n.DoWhile)


@dataclass(frozen=True, slots=True)
class Record:
    """An event, ``what``, is recorded at ``span`` on stream after stream, and waited for once at ``wait``."""

    span: Span
    what: str
    wait: Span


def rerecorded(functions: Iterable[n.FunctionDecl]) -> Iterator[Record]:
    """Records of which all but the last are lost."""
    for function in functions:
        if function.body is None:
            continue
        calls = [node for node in walk(function.body) if isinstance(node, n.Call)]
        if not any(_plain(call) in RECORDS for call in calls):
            continue
        for loop in (node for node in walk(function.body) if isinstance(node, _ROUNDS)):
            yield from _in_rounds(loop, calls)
        for block in (node for node in walk(function.body) if isinstance(node, n.Block)):
            yield from _in_a_row(block)


def _plain(call: n.Call) -> str:
    return known_name(call.name.rpartition("::")[2]) or ""


def _recorded(call: n.Call) -> tuple[n.Expr, n.Expr] | None:
    """The event and the stream of a record."""
    return (call.args[0], call.args[1]) if _plain(call) in RECORDS and len(call.args) > 1 else None


def _waited(call: n.Call) -> n.Expr | None:
    at = _WAITS.get(_plain(call))
    return call.args[at] if at is not None and at < len(call.args) else None


def _in_rounds(loop: n.Stmt, calls: list[n.Call]) -> Iterator[Record]:
    """One event that each round of a loop records on a stream of its own, and that is waited for behind the loop."""
    inside = list(walk(loop))
    own = {node for node in inside if isinstance(node, n.VarDecl)} | {
        node.target.decl for node in inside if isinstance(node, n.Assign) and isinstance(node.target, n.Ref)
    }
    for call in (node for node in inside if isinstance(node, n.Call)):
        found = _recorded(call)
        if found is None or not _named(found[0]) or _moves(found[0], own) or not _moves(found[1], own):
            continue
        event = _word(found[0])
        others = (one for one in inside if isinstance(one, n.Call) and one is not call)
        if any(event in map(_word, _parts(other)) for other in others if _recorded(other) is None):
            continue  # somebody else in the round is given the event
        end = loop.span.end
        if any(isinstance(node, n.Break) for node in inside):
            continue
        after = [c for c in calls if c.span.file == loop.span.file and c.span.start >= end]
        waits = [c for c in after if (given := _waited(c)) is not None and _word(given) == event]
        if waits:
            yield Record(call.span, event, waits[0].span)


def _in_a_row(block: n.Block) -> Iterator[Record]:
    """An event that two statements record on two streams, with a wait for it behind the second alone."""
    last: dict[str, tuple[n.Call, str]] = {}
    lost: dict[str, n.Call] = {}
    for stmt in block.body:
        inside = list(walk(stmt))
        for call in (node for node in inside if isinstance(node, n.Call)):
            found, given = _recorded(call), _waited(call)
            if found is not None and isinstance(stmt, n.ExprStmt) and _named(found[0]) and _named(found[1]):
                event, stream = map(_word, found)
                if event in last and last[event][1] != stream:
                    lost[event] = last[event][0]
                last[event] = call, stream
                continue
            if given is not None and isinstance(stmt, n.ExprStmt) and _word(given) in lost:
                yield Record(lost[_word(given)].span, _word(given), call.span)
            for word in map(_word, _parts(call)):
                last.pop(word, None)
                lost.pop(word, None)
        for node in inside:
            if isinstance(node, n.Assign):
                last.pop(_word(node.target), None)
                lost.pop(_word(node.target), None)
                for event in [event for event, (_, stream) in last.items() if stream == _word(node.target)]:
                    del last[event]


def _parts(call: n.Call) -> tuple[n.Expr, ...]:
    """What a call is given, the object of a method too."""
    return (*call.args, *((call.receiver,) if call.receiver is not None else ()))


def _named(expr: n.Expr) -> bool:
    return bool(_word(expr))


def _word(expr: n.Expr) -> str:
    """A variable, or a member of one, in words; empty for anything else, and for elements."""
    bare = strip_casts(expr)
    if isinstance(bare, n.AddressOf):
        bare = strip_casts(bare.operand)
    if isinstance(bare, n.Member):
        base = _word(bare.base)
        return f"{base}.{bare.field}" if base else ""
    return bare.decl.name if isinstance(bare, n.Ref) else ""


def _moves(expr: n.Expr, own: set[n.VarDecl]) -> bool:
    """Whether an expression has something in it that changes from round to round."""
    return any(isinstance(node, n.Ref) and node.decl in own for node in walk(expr))
