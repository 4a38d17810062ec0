"""A kernel that may begin before the one ahead of it in the stream has ended.

With programmatic stream serialisation the second kernel starts as soon as the blocks of the first have finished or
said that it may.  What the first has written is there only after ``cudaGridDependencySynchronize()`` (``griddepcontrol.
wait``), and what it still reads must not be overwritten before (CUDA C++ Programming Guide, programmatic dependent
launch).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.launching.launches import host
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, LaunchEvent, Root, RootKind, Trace
from kernlint.analysis.trace.kernels import kernel_traces
from kernlint.analysis.trace.values import PointerValue
from kernlint.record import dataclass
from kernlint.source import SourceError, Span, read
from kernlint.tree.nodes import FunctionDecl
from kernlint.tree.types import Space

WAIT = "griddepcontrol.wait"

WAITS = (WAIT, "cudaGridDependencySynchronize")
"""How the wait is written, in PTX and in CUDA C++."""

_MADE = re.compile(r"(?:#\s*define\s+|\bvoid\s+)(\w+)")
"""The macros that a text defines, and its functions without a result."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, eq=False)
class Hasty:
    """``access`` touches what ``before``, an access of the kernel ``ahead``, touches, with no wait for that kernel.
    ``launch``: where the host lets this kernel begin early."""

    access: Access
    before: Access
    ahead: str
    launch: Span


def _compute(facts: Facts) -> tuple[Hasty, ...]:
    mine = (facts.function, facts.kernel.function, *facts.kernel.instances)
    for _, walked in facts[host].traces:
        events = sorted(walked.launches, key=lambda event: event.order)
        for first, second in pairwise(events):
            if not second.early or not any(kernel in mine for kernel in second.kernels):
                continue
            if len(first.kernels) != 1 or first.kernels[0] in mine or not _one_stream(first, second):
                continue
            found = next(_find(facts, first, second), None)
            if found is not None:
                return () if _left_out(facts) else (found,)
    return ()


def _left_out(facts: Facts) -> bool:
    """Whether a wait of the kernel stands in text that this reading of the source leaves out.

    The instructions are of ``sm_90``, and stand under a test of the architecture; so are launches that begin early.
    What the kernel does there is for the reading to say that takes the text in: in a function that the kernel calls, or
    in what it calls by name, a macro or another body of a function.
    """
    spans = [function.span for function in facts.reached]
    for out in facts.module.inactive:
        text = _text(out)
        inside = any(span.file == out.file and span.start <= out.start < span.end for span in spans)
        if not any(name in text for name in WAITS) and (text or not inside):
            continue
        named = set(_MADE.findall(text))
        if inside or any(named & set(_WORD.findall(_text(span))) for span in spans):
            return True
    return False


def _text(span: Span) -> str:
    """What stands there; empty where the text is in no file."""
    try:
        return read(span.file).text(span)
    except SourceError:
        return ""


def _one_stream(first: LaunchEvent, second: LaunchEvent) -> bool:
    return first.stream == second.stream or first.stream is None or second.stream is None


def _find(facts: Facts, first: LaunchEvent, second: LaunchEvent) -> Iterator[Hasty]:
    ahead = first.kernels[0]
    theirs = facts[kernel_traces].of(ahead)
    for access in _early(facts[trace]):
        given = _argument(second, facts.function, access)
        for other in _outside(theirs) if given is not None else ():
            if (access.writes or other.writes) and _argument(first, ahead, other) is given:
                yield Hasty(access, other, ahead.name, second.node.span)


def _early(of: Trace) -> Iterator[Access]:
    """Accesses that no wait comes before.  A call that nobody knows may hold it."""
    waits = [fence.order for fence in of.fences if fence.name == WAIT]
    waits += [call.order for call in of.calls]
    first = min(waits, default=None)
    for access in _outside(of):
        if first is None or access.order < first:
            yield access


def _outside(of: Trace) -> Iterator[Access]:
    for access in of.accesses:
        if access.root.space is Space.GLOBAL and access.root.kind is RootKind.PARAM:
            yield access


def _argument(launch: LaunchEvent, kernel: FunctionDecl, access: Access) -> Root | None:
    """The object of the host that is behind the parameter which an access goes through."""
    for parameter, value in zip(kernel.params, launch.args, strict=False):
        if parameter.name == access.root.name and isinstance(value, PointerValue):
            return value.root if value.root.kind is not RootKind.UNKNOWN else None
    return None


hasty = KernelAnalysis("hasty", _compute, needs=(trace, host, kernel_traces))
"""At most one :class:`Hasty` access of a kernel variant."""
