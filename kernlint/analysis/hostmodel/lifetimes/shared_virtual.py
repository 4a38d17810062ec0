"""Shared virtual memory of OpenCL: what commands and kernels still do to it, and that it is freed at once.

``clSVMFree`` "does not wait for previously enqueued commands that may be using svm_pointer to finish before freeing
svm_pointer.  It is the responsibility of the application to make sure that enqueued commands that use svm_pointer have
finished before freeing" it (OpenCL 3.0 API, 5.6.1).  ``clEnqueueSVMUnmap`` is such a command, and a kernel is that got
the pointer by ``clSetKernelArgSVMPointer``.
"""

from __future__ import annotations

from kernlint.analysis.hostmodel.lifetimes.events import enqueued, event_of
from kernlint.analysis.hostmodel.lifetimes.machine import Machine
from kernlint.analysis.hostmodel.lifetimes.model import (
    NULL,
    QUEUED,
    At,
    Bound,
    Fault,
    Kind,
    Pending,
    State,
    Thing,
    Value,
)
from kernlint.analysis.hostmodel.lifetimes.transfers import used, wait
from kernlint.source import Span
from kernlint.tree import nodes as n

_POINTER = {"EnqueueSVMMap": 3, "EnqueueSVMUnmap": 1, "EnqueueSVMMemFill": 1}
"""Commands for shared virtual memory: which argument leads to it (argument 0 is the queue)."""


def commanded(m: Machine, e: n.Call, plain: str, args: list[Value], s: State) -> bool:
    """A command for shared virtual memory; False: the call is another."""
    at = _POINTER.get(plain)
    if at is None or at >= len(args):
        return False
    given = args[at]
    used(m, given, e.span, s, "used")
    if plain == "EnqueueSVMMap" and args[1] != NULL:
        wait("Finish", args, s)
    elif isinstance(given, At):
        s.pending = (*s.pending, Pending(At(given.thing), args[0], e.span, False, QUEUED))
    enqueued(m, event_of(e.args), e.span, s)
    return True


def launched(m: Machine, e: n.Launch, one: Bound, s: State) -> None:
    """A kernel is launched with shared virtual memory."""
    if one.thing.kind is Kind.MANAGED and one.thing.api.endswith("SVMAlloc"):
        queue = next((given for _, given in m.value(e.stream, s)), None) if e.stream is not None else None
        s.pending = (*s.pending, Pending(At(one.thing), queue, e.span, False, QUEUED))


def freed(m: Machine, thing: Thing, name: str, span: Span, s: State) -> None:
    """Shared virtual memory is freed, at once: a fault where a command that uses it may not be over."""
    for work in s.pending:
        if work.place.thing is thing and work.api == QUEUED:
            word = "freed at once, while a command that uses it may still be in the queue"
            m.report(Fault("moved", span, name, word, ((work.span, "enqueued here"),), what="queue"))
            return
