"""Work on two streams: one fills or writes memory, a kernel on the other one reads it, and nothing puts them in order.

Work on a stream comes after what was put there before, and after what the stream was made to wait for; of work on
another stream nothing is known (CUDA C++ Programming Guide, streams).  Parts of memory are not told apart: where two
streams have written to it, each may go on with its own part.
"""

from __future__ import annotations

from kernlint.analysis.hostmodel.lifetimes.events import unordered
from kernlint.analysis.hostmodel.lifetimes.machine import Machine
from kernlint.analysis.hostmodel.lifetimes.mapped import stored_to
from kernlint.analysis.hostmodel.lifetimes.model import (
    NULL,
    At,
    Fate,
    Fault,
    Kind,
    Life,
    Number,
    State,
    Thing,
    Value,
)
from kernlint.source import Span
from kernlint.tree import nodes as n
from kernlint.tree.types import PointerType


def put(m: Machine, e: n.Launch, index: int, given: At, stream: Value | None, s: State) -> None:
    """A kernel is launched with memory: a fault where it reads there what one on another stream may still write."""
    param = e.kernel.params[index] if e.kernel is not None and index < len(e.kernel.params) else None
    if param is None or not isinstance(param.type, PointerType):
        return
    before = next((one for one in s.puts if one[0] is given.thing), None)
    if before is not None and param.type.const and not given.path and not s.capturing:
        _, writer, span = before
        if unordered(stream, writer, s) and not any(first == stream for first, _ in s.follows):
            m.report(Fault("early", e.span, called(given.thing, s), "kernel", ((span, "written here"), *calls_to(m))))
            s.puts = tuple(one for one in s.puts if one is not before)
    elif not param.type.const and stored_to(e.kernel, param):
        alone = stream is not None and not given.path and (before is None or before[1] == stream)
        by = stream if alone and stream is not None else NULL
        s.puts = (*(one for one in s.puts if one is not before), (given.thing, by, e.span))


def before_its_fill(m: Machine, given: At, fate: Fate, span: Span, stream: Value | None, s: State) -> None:
    """A kernel is launched with memory that was filled: a fault where nothing makes it wait for that."""
    kernel, fill = stream or NULL, fate.stream
    if fate.use != "filled" or fill is None or fate.used_at is None or fate.life is not Life.LIVE or s.capturing:
        return
    if kernel == fill or any(first == kernel for first, _ in s.follows):
        return
    late = apart_from_default(m, kernel if fill == NULL else fill, s)
    if late if NULL in (kernel, fill) else unordered(kernel, fill, s):
        related = ((fate.used_at, "filled here"), *calls_to(m))
        m.report(Fault("early", span, called(given.thing, s), "filled", related))


def apart_from_default(m: Machine, stream: Value, s: State) -> bool:
    """Whether a stream does not wait for the default one, nor that for it."""
    if not isinstance(stream, At):
        return False
    fate = s.fates.get(stream.thing)
    flags = fate.stream if fate is not None and stream.thing.kind is Kind.STREAM else None
    known = flags is not None and stream.thing.api.endswith(("WithFlags", "WithPriority"))
    return (known and flags == Number(1)) or (
        stream.thing.key is not None and stream.thing.key in m.program.non_blocking
    )


def called(thing: Thing, s: State) -> str:
    """The name by which a thing is known now."""
    for at, held in s.memory.items():
        if isinstance(held, At) and held.thing is thing and not held.path:
            parts = [part for part in at.path if isinstance(part, str)]
            return parts[-1] if parts else at.thing.name
    return thing.name


def calls_to(m: Machine) -> tuple[tuple[Span, str], ...]:
    """The calls by which the walk has come to where it is, the nearest first, as places beside a fault."""
    return tuple((frame.call, "called here") for frame in m.frames[:0:-1] if frame.call is not None)[:2]
