"""Graphs that are captured from a stream, and the memory that each launch of one uses again.

A graph records addresses: what it was captured with has to live as long as it is launched (CUDA programming guide, CUDA
graphs, stream capture).  Followed is the one graph that a way through the code captures; of several, which is launched
is not told apart.
"""

from __future__ import annotations

from kernlint.analysis.hostmodel.lifetimes.machine import Machine
from kernlint.analysis.hostmodel.lifetimes.model import At, State
from kernlint.analysis.hostmodel.lifetimes.transfers import used
from kernlint.source import Span

GRAPHS = frozenset({"StreamBeginCapture", "StreamEndCapture", "GraphLaunch", "GraphExecDestroy", "GraphExecUpdate"})
"""Functions that begin and end to record, launch what was recorded, or do something else with it."""


def graph(m: Machine, plain: str, span: Span, s: State) -> None:
    """One of the functions above is called."""
    if plain == "StreamBeginCapture":
        s.captured = () if s.captured is None else None
        s.capturing = s.captured is not None
    elif plain == "StreamEndCapture":
        s.capturing = False
    elif plain == "GraphLaunch":
        for thing in s.captured or ():
            used(m, At(thing), span, s, "used by a graph that was captured with it")
    else:
        s.captured = None
