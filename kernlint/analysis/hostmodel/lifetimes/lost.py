"""Statements of which only the text is known: what they may do to what they name."""

from __future__ import annotations

from kernlint.analysis.hostmodel.lifetimes.events import settled
from kernlint.analysis.hostmodel.lifetimes.machine import Machine
from kernlint.analysis.hostmodel.lifetimes.memory import below, escape, forget, members_given
from kernlint.analysis.hostmodel.lifetimes.model import MEMORY, Atom, Life, State, Thing
from kernlint.analysis.hostmodel.lifetimes.runtime import BORROWS


def handed_on(m: Machine, words: frozenset[str], s: State, followed: frozenset[str] = frozenset()) -> None:
    """What a text that was lost names may be set there, and given back or kept, unless it is a library's call.  A
    pointer of which nothing is known stays where members of what it leads to are ``followed`` alone."""
    library = any(BORROWS.fullmatch(word) is not None and "alloc" not in word.lower() for word in words)
    for decl, at in list(s.env.items()):
        if decl.name in words:
            for thing in below(at, s):
                lent(thing, s)
            if decl.name in followed and isinstance(s.memory.get(at), Atom):
                members_given(s.memory[at], words, s)
            elif not library:
                escape(m, at, s)
                forget(m, at, s)
    s.version += not library
    s.pending = ()
    s.waited = True
    settled(s)


def lent(thing: Thing, s: State) -> None:
    """A function of a library uses a thing, and keeps and frees it not."""
    fate = s.fate(thing)
    if fate.life is Life.LIVE and thing.kind in MEMORY:
        s.change(thing, touched=True, use="read" if fate.use == "computed" else (fate.use or "filled"))
