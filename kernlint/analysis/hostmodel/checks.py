"""Which launches and calls of a runtime's functions host code looks at the errors of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import ModuleAnalysis, ModuleFacts
from kernlint.analysis.hostmodel.denied import Denied, denied
from kernlint.analysis.hostmodel.statuses import unread
from kernlint.analysis.launching.launches import host
from kernlint.analysis.trace.events import ApiEvent, CallEvent, Event, Trace
from kernlint.apis import base_name
from kernlint.apis.order import ASKS_ERROR
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.text.patterns import pattern
from kernlint.text.pythontext import is_python
from kernlint.tree.nodes import Call, ExprStmt, FunctionDecl, FunctionKind, Launch, Node, OpaqueStmt
from kernlint.tree.types import VoidType
from kernlint.tree.walk import walk

_RUNTIME = pattern(r"(?:cuda|hip|cu|cl)[A-Z]\w*|make_cuda\w+")
_MEANT = pattern(
    r"(?:cuda|hip)(?:Malloc|HostAlloc|HostMalloc|Memcpy|Memset)\w*|cuMem(?:Alloc|cpy|set)\w*"
    r"|clEnqueue(?:Read|Write|Copy|Fill)\w+|clBuildProgram|clSetKernelArg"
)
"""Allocations, copies, fills, builds and settings of arguments.  What gives back is left out."""

_ASKS = pattern(r"(?:cuda|hip)(?:GetLastError|PeekAtLastError|\w*Synchronize)")

_HARMLESS = pattern(r"printf|fprintf|puts|free|malloc|memcpy|memset|operator .*|std::.*|sqrtf?|min|max|abs")
"""Functions that are not followed and look at no device's errors."""


@dataclass(frozen=True, slots=True, eq=False)
class Checks:
    """Launches and calls of one file by whether anything looks at their errors; what cannot be told is in neither."""

    checked_launches: tuple[Span, ...]
    unchecked_launches: tuple[Span, ...]
    checked_calls: tuple[Span, ...]
    unchecked_calls: tuple[Span, ...]
    taken: tuple[Span, ...] = ()
    """Calls of the runtime whose own status somebody takes, whatever they do."""
    left: tuple[Span, ...] = ()
    """Calls among the checked ones of which only a later call tells whether they have failed."""
    asked: tuple[Span, ...] = ()
    """Launches after which somebody asks for the last error, or whose own status somebody takes."""
    unasked: tuple[Span, ...] = ()
    """Launches among the checked ones after which only the statuses of other calls are taken, which do not tell that a
    launch was refused."""
    denied: tuple[Denied, ...] = ()
    """Unchecked launches behind which a function says that nothing has failed, which tells of other calls' errors."""


def _compute(facts: ModuleFacts) -> Checks:
    functions = [f for f in facts.module.functions if f.body is not None and f.kind is not FunctionKind.KERNEL]
    if is_python(facts.module.path):  # the libraries raise
        return Checks((), (), (), ())
    dropped = _dropped(functions)
    launches: dict[Span, bool | None] = {}
    calls: dict[Span, bool | None] = {}
    taken: dict[Span, None] = {}
    left: dict[Span, None] = {}
    asked: dict[Span, None] = {}
    unasked: dict[Span, bool] = {}
    left_out = facts.module.left_out_checks
    for function, trace in facts[host].traces:
        unclear = _unclear(function, trace)
        last, maybe = _looks(trace, dropped)

        def may_be_looked_at(event: Event, maybe: int = maybe, unclear: bool = unclear) -> bool:
            return unclear or maybe > event.order or _followed(event.span, left_out, functions)

        for launch in trace.launches:
            by_itself = launch.node.api != "<<<>>>" and launch.node not in dropped and _returns(launch.node)
            _note(launches, launch.span, by_itself or last > launch.order, may_be_looked_at(launch))
            if told := by_itself or _asked(trace, launch, dropped):
                asked[launch.span] = None
            others = told or may_be_looked_at(launch) or last < launch.order
            unasked[launch.span] = unasked.get(launch.span, True) and not others
        for api in trace.apis:
            if _RUNTIME.fullmatch(api.name) and api.node not in dropped:
                taken[api.span] = None
            if _MEANT.fullmatch(api.name) and isinstance(api.node, Call):
                if api.node in dropped and not may_be_looked_at(api, -1) and not _asked_at_once(api, trace, dropped):
                    left[api.span] = None
                later = last > api.order and not api.name.startswith("cl")  # OpenCL keeps no error for a later call
                _note(calls, api.span, api.node not in dropped or later, may_be_looked_at(api))
    looked, unlooked = _split(calls)
    silent = tuple(at for at in unasked if unasked[at])
    checked, unchecked = _split(launches)
    late = tuple(at for at in left if at in looked)
    behind = tuple(denied(functions, unchecked))
    return Checks(checked, unchecked, looked, unlooked, tuple(taken), late, tuple(asked), silent, behind)


def _asked_at_once(api: ApiEvent, trace: Trace, dropped: set[Node]) -> bool:
    """Whether the next status that somebody takes is that of the last error, or of a wait for all that went before."""
    later = [
        one for one in trace.apis if one.order > api.order and _RUNTIME.fullmatch(one.name) and one.node not in dropped
    ]
    return bool(later) and _ASKS.fullmatch(min(later, key=lambda one: one.order).name) is not None


def _asked(trace: Trace, launch: Event, dropped: set[Node]) -> bool:
    """Whether somebody asks for the last error after a launch, which is what tells that it was refused."""
    return any(
        one.order > launch.order and base_name(one.name) in ASKS_ERROR and one.node not in dropped for one in trace.apis
    )


def _note(found: dict[Span, bool | None], span: Span, checked: bool, unclear: bool) -> None:
    """One walk that came by a place: it is looked at where one of them does, and not where none may."""
    if checked:
        found[span] = True
    elif unclear and found.get(span) is not True:
        found[span] = None
    else:
        found.setdefault(span, False)


def _split(found: dict[Span, bool | None]) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    return tuple(at for at, looked in found.items() if looked), tuple(at for at in found if found[at] is False)


def _dropped(functions: list[FunctionDecl]) -> set[Node]:
    """Calls and launches whose results nobody takes, not even to throw them away by a cast, or stores in vain."""
    nodes = (node for function in functions for node in walk(function.body or function))
    found: set[Node] = {n.expr for n in nodes if isinstance(n, ExprStmt) and isinstance(n.expr, (Call, Launch))}
    return found.union(*map(unread, functions))


def _returns(launch: Launch) -> bool:
    """Whether the function that launches returns a status."""
    return launch.api.startswith(("cuda", "cu", "cl", "hipModule", "hipExt")) or launch.api == "hipLaunchKernel"


def _unclear(function: FunctionDecl, trace: Trace) -> bool:
    """Whether something in a walk was not understood that may look at errors."""
    kinds = {"macro", "statement", "inactive", "template"}
    if any(loss.kind in kinds for loss in function.losses) or function.body is None:
        return True
    if any(gap.kind in ("goto", "budget", "statement", "lost") for gap in trace.gaps):
        return True
    return any(isinstance(node, OpaqueStmt) for node in walk(function.body))


def _followed(span: Span, left_out: Sequence[Span], functions: Sequence[FunctionDecl]) -> bool:
    """Whether the function that a statement stands in looks at errors behind it, in another build than this one."""
    return any(
        each.file == span.file
        and span.end <= each.start
        and any(f.span.file == span.file and f.span.start <= span.start and each.end <= f.span.end for f in functions)
        for each in left_out
    )


def _looks(trace: Trace, dropped: set[Node]) -> tuple[int, int]:
    """Where in the walk errors are looked at last, and where they may be; -1: nowhere."""
    last = maybe = -1
    apis: list[ApiEvent | CallEvent] = [*trace.apis, *trace.calls]
    for event in apis:
        name = event.name.rpartition("::")[2]
        nothing = isinstance(event.node, Call) and isinstance(event.node.type, VoidType)
        if nothing or not _RUNTIME.fullmatch(name):
            if not _HARMLESS.fullmatch(event.name):
                maybe = max(maybe, event.order)
        elif event.node not in dropped and not name.startswith("make_"):
            last = max(last, event.order)
    for launch in trace.launches:
        if launch.node not in dropped and _returns(launch.node):
            last = max(last, launch.order)
    return last, maybe


error_checks = ModuleAnalysis("error_checks", _compute, needs=(host,))
"""The :class:`Checks` of a file."""

SHARE = 3
"""A habit: this many times more is looked at than is not."""


TWICE = 2
"""Calls of the same kind, at least, that a file takes the status of as a habit."""


@dataclass(frozen=True, slots=True)
class Lapse:
    """Something that nobody looks at, at ``span``.  ``others``: what is looked at in the same file, where so much is
    that this was forgotten; else there is none, and ``more`` places are like this one.  ``beside``: those that follow
    it at once."""

    span: Span
    others: Sequence[Span]
    more: int = 0
    beside: Sequence[Span] = ()


NEAR = 160
"""Characters between statements of one row."""


def _follows_at_once(last: Span, span: Span, checked: Sequence[Span]) -> bool:
    """Whether nothing that is looked at, and not much else, stands between two statements."""
    near = last.file == span.file and 0 <= span.start - last.end < NEAR
    return near and not any(at.file == span.file and last.end <= at.start < span.start for at in checked)


def _in_rows(checked: Sequence[Span], unchecked: Sequence[Span]) -> Iterator[list[Span]]:
    """What is not looked at, in rows of statements that follow each other: one lapse each."""
    row: list[Span] = []
    for span in sorted(unchecked, key=lambda at: (at.file or "", at.start)):
        if row and not _follows_at_once(row[-1], span, checked):
            yield row
            row = []
        row.append(span)
    if row:
        yield row


def told_late(checks: Checks) -> Lapse | None:
    """The first calls, in a file that takes the status of more calls than it drops, whose own status is dropped, so
    that a later call tells of their failure, if any does."""
    own = [at for at in checks.checked_calls if at not in checks.left]
    if len(own) < TWICE or len(checks.taken) <= len(checks.left):
        return None
    row = next(_in_rows(own, checks.left), None)
    return Lapse(row[0], own, 0, row[1:]) if row is not None else None


def refused_unseen(checks: Checks) -> Lapse | None:
    """The first launches whose refusal nobody sees, in a file that takes the status of what it calls."""
    if len(checks.taken) < TWICE or checks.unchecked_calls or checks.left:
        return None
    row = next(_in_rows(checks.checked_launches, checks.unasked), None)
    others = [at for at in checks.checked_launches if at not in checks.unasked]
    return Lapse(row[0], others, 0, row[1:]) if row is not None else None


def looked_at_late(facts: ModuleFacts, lapse: Lapse, checks: Checks) -> bool:
    """Whether the others are all looked at by a later call that tells of any failure before it, and whoever calls the
    functions of the file from another one may make such a call as well."""
    if any(other in checks.taken for other in lapse.others):
        return False
    return all(function.name != "main" for function in facts.module.functions)


def lapses(checked: Sequence[Span], unchecked: Sequence[Span]) -> Iterator[Lapse]:
    """What is worth a word of what is not looked at: all of it where the file has the habit of looking, the first where
    it never does."""
    if len(checked) >= SHARE and len(checked) >= SHARE * len(unchecked):
        for span, *beside in _in_rows(checked, unchecked):
            yield Lapse(span, checked, beside=beside)
    elif unchecked and not checked:
        yield Lapse(min(unchecked, key=lambda at: at.start), (), len(unchecked) - 1)
