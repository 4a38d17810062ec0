"""Fills of memory, by the stream that they are on.

An asynchronous fill is on the default stream if none is given (CUDA runtime API, API synchronisation behaviour).  A
stream made with ``cudaStreamNonBlocking`` does not wait for the default one, nor that for it, so that a kernel there
may begin before the fill, and be overwritten by it (:func:`.streams.before_its_fill`).
"""

from __future__ import annotations

from kernlint.analysis.hostmodel.lifetimes.machine import Machine
from kernlint.analysis.hostmodel.lifetimes.model import NULL, State, Value
from kernlint.analysis.hostmodel.lifetimes.transfers import became, used
from kernlint.apis import Fills
from kernlint.source import Span


def filled(m: Machine, plain: str, fills: Fills, args: list[Value], span: Span, s: State) -> None:
    """Memory is filled, on a stream or (none is given) on the default one."""
    target = args[fills.target]
    used(m, target, span, s, "filled")
    stream = args[fills.stream] if fills.stream is not None and fills.stream < len(args) else NULL
    ordered = fills.waits or plain.startswith("Enqueue") or s.capturing
    became(target, "filled", span, s, None if ordered else stream)


def waited_for(s: State) -> None:
    """Fills that were begun are over, or may be."""
    for thing, fate in list(s.fates.items()):
        if fate.use == "filled" and fate.stream is not None:
            s.change(thing, stream=None)
