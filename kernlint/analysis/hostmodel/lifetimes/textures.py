"""Texture and surface objects, which read the memory that they are made over for as long as they are used.

An object is made of a description that names an array or linear memory (``cudaResourceDesc``, ``CUDA_RESOURCE_DESC``;
CUDA runtime API, texture object management); it holds no memory of its own, and keeps none alive.
"""

from __future__ import annotations

from kernlint.analysis.hostmodel.lifetimes.machine import Machine
from kernlint.analysis.hostmodel.lifetimes.memory import escape, store
from kernlint.analysis.hostmodel.lifetimes.model import MEMORY, At, Fate, Kind, State, Thing, Value
from kernlint.tree import nodes as n

MADE = frozenset({"CreateTextureObject", "CreateSurfaceObject", "TexObjectCreate", "SurfObjectCreate"})
"""Functions that store an object at argument 0, made of the description that argument 1 leads to."""


def textured(m: Machine, e: n.Call, args: list[Value], s: State) -> None:
    """An object is made; whoever has it may reach the memory behind it."""
    at, how = args[0], args[1]
    held = [value for place, value in s.memory.items() if isinstance(how, At) and _within(place, how)]
    over = [value.thing for value in held if isinstance(value, At) and value.thing.kind in MEMORY]
    for one in args[1:]:
        escape(m, one, s)
    if not isinstance(at, At):
        return
    parts = [part for part in at.path if isinstance(part, str)]
    thing = Thing(Kind.TEXTURE, parts[-1] if parts else at.thing.name, e.span, e.name)
    s.fates[thing] = Fate(out=True)
    if len(over) == 1:
        s.over[thing] = over[0]
    store(m, at, At(thing), s, e.span)


def _within(place: At, how: At) -> bool:
    """Whether a place is a part of a description."""
    return place.thing is how.thing and place.path[: len(how.path)] == how.path
