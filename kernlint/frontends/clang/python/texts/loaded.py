"""What Python programs of a project make of a source that they read from its file and hand to a library.

The programs are followed as those are that have the text in their literals
(:mod:`~kernlint.frontends.clang.python.texts.followed`): the one that reads the file, and where it is a function that
reads it, those that import that and call it.  A path is known by its last part.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterator

from kernlint.frontends.base import Surroundings
from kernlint.frontends.clang.embedded import Program
from kernlint.frontends.clang.lower.heads import kernel_definitions
from kernlint.frontends.clang.options import Language
from kernlint.frontends.clang.python.program import Called, PythonProgram, Scope
from kernlint.frontends.clang.python.text import Text, made
from kernlint.frontends.clang.python.texts.assembled import macros_of, merged
from kernlint.frontends.clang.python.texts.followed import enter, entries, guarded, last_name, makers_of, outermost
from kernlint.frontends.clang.python.texts.noted import note_read
from kernlint.frontends.clang.python.texts.running import Machine, Made
from kernlint.frontends.clang.python.texts.standins import closed
from kernlint.frontends.python.neighbours import Neighbours

FILES = 12
"""Programs that are followed for one source."""

LARGE = 1 << 18
"""Bytes of a source beyond which nobody asks what becomes of it."""


def filled_in(
    path: str, data: bytes, language: Language, around: Surroundings
) -> tuple[Program | None, tuple[str, ...]]:
    """The program that Python makes of the source at ``path`` with the text ``data``, where that is more than the text;
    of several, with what they have in common; and the macros that it is compiled with."""
    loading = around.files_loading(path) if len(data) <= LARGE else ()
    if not loading:
        return None, ()
    neighbours, stem = Neighbours(), os.path.splitext(os.path.basename(path))[0].encode()
    made_: list[Made] = []
    try:
        for program, scopes in _programs(loading, stem, around, neighbours):
            made_ += [one for one in _followed(program, scopes, path, data) if one.text.places]
    finally:
        note_read(path, neighbours)
    texts = [one.text for one in made_]
    macros = macros_of(made_)
    if not texts or any(text.data == data for text in texts):
        return None, macros
    text, differs = merged(texts, Program(language, data, 0, len(data)), data)
    text = closed(text)
    if _heads(text.data, language) != _heads(data, language):
        return None, macros
    whole = Program(language, text.data, 0, len(data), places=text.places, assembled=True, varied=differs)
    return whole, macros


def _heads(text: bytes, language: Language) -> list[str]:
    """The names of the kernels of a text."""
    return [name for name, _, _ in kernel_definitions(text, language is Language.OPENCL)]


def _programs(
    loading: tuple[str, ...], stem: bytes, around: Surroundings, neighbours: Neighbours
) -> Iterator[tuple[PythonProgram, list[Scope]]]:
    """Programs to follow, and functions of them that are entered once their modules are over."""
    seen = 0
    for path in loading:
        program = neighbours.at(path)
        if program is None:
            continue
        makers = makers_of(program)
        named = stem in program.data
        if named:
            yield program, _speaking(program, [(one.scope, entries(program, one.scope)) for one in makers], stem)
            seen += 1
        for name in dict.fromkeys(filter(None, map(_entered_by, makers))):
            for file in around.files_importing(path, name):
                other = neighbours.at(file)
                if other is None or (stem not in other.data and not named) or seen >= FILES:
                    continue
                calls = [one for one in other.calls if last_name(one.node) == name]
                yield other, _speaking(other, [(one.scope, _from(other, one)) for one in calls], stem)
                seen += 1


def _entered_by(maker: Called) -> str:
    """The name by which the function is called that makes a program: its own, or its class's."""
    outer = outermost(maker.scope)
    name = getattr(outer.node, "name", "") if outer is not None else ""
    if name == "__init__" and outer is not None and outer.parent is not None:
        return getattr(outer.parent.node, "name", "")
    return name


def _speaking(program: PythonProgram, starts: list[tuple[Scope, list[Scope]]], stem: bytes) -> list[Scope]:
    """The functions to begin with for some calls: of those in whose text, or in that of the function around the call,
    the name of the source stands, where there are any."""
    every: list[Scope] = []
    named: list[Scope] = []
    for scope, found in starts:
        outer = outermost(scope)
        here = outer is not None and stem in program.data[program.start(outer.node) : program.end(outer.node)]
        every += found
        named += [one for one in found if here or stem in program.data[program.start(one.node) : program.end(one.node)]]
    return named or every


def _from(program: PythonProgram, called: Called) -> list[Scope]:
    """The functions to begin with so that a call is met."""
    start = outermost(called.scope)
    return entries(program, called.scope) or ([start] if start is not None else [])


def _followed(program: PythonProgram, scopes: list[Scope], path: str, data: bytes) -> list[Made]:
    machine = Machine(_NOWHERE, program)
    machine.files = _reader(path, data)
    guarded(machine, lambda: machine.module(program))
    for scope in {id(one.node): one for one in scopes}.values():
        guarded(machine, lambda scope=scope: enter(machine, program, scope))  # type: ignore[misc]
    return machine.made


_NOWHERE = PythonProgram(b"", ast.Module([], []))
"""Stands for the program whose literals the text is made of: there is none."""


def _reader(path: str, data: bytes) -> Callable[[str], Text | None]:
    """Gives what a file holds, by the end of its path: the source in question with its places, others that lie beside
    it without."""
    folder, name = os.path.split(os.path.abspath(path))

    def read(end: str) -> Text | None:
        base = end.replace("\\", "/").rpartition("/")[2]
        if base == name:
            return Text(data, ((0, len(data), 0),))
        try:
            with open(os.path.join(folder, base), "rb") as handle:
                return made(handle.read(LARGE).decode("utf-8", "replace"))
        except (OSError, ValueError):
            return None

    return read
