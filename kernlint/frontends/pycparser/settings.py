"""The build that a source asks for: macros without which names it uses are not known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kernlint.frontends.clang.conditions.directives import Program, load
from kernlint.frontends.clang.conditions.settings import Search, plan, setting_of
from kernlint.frontends.clang.conditions.uncompiled import Uncompiled
from kernlint.frontends.clang.options import Language
from kernlint.frontends.pycparser.preprocess import Preprocessed
from kernlint.record import dataclass


@dataclass(frozen=True, slots=True)
class Build:
    """Macros to define (``NAME=VALUE``) and to undefine, and the same in words."""

    defines: tuple[str, ...]
    undefines: tuple[str, ...]
    words: str


def builds_that_name(
    path: str, text: bytes, macros: Iterable[str], source: Preprocessed, unknown: Iterable[str]
) -> Sequence[Build]:
    """The builds, best first, under which branches that were left out define names that are ``unknown``."""
    base = {name: value if equals else "1" for name, equals, value in (macro.partition("=") for macro in macros)}
    program = Program(path, text, source.found, load)
    uncompiled = Uncompiled(program, text, Language.OPENCL)
    search = Search(program, Language.OPENCL, base, uncompiled.standing_alone())
    active = search.outcome({}).active
    left_out = tuple((branch.start, branch.end) for branch in program.main.branches if branch not in active)
    naming = uncompiled.that_name(left_out, frozenset(unknown), source.found)
    if not naming:
        return ()
    found: list[Build] = []
    for changes, _ in plan(search, naming, {})[0]:
        setting, _ = setting_of(changes, search.outcome(changes), Language.OPENCL)
        defines = tuple(f"{name}={value}" for name, value in setting.macros if value is not None)
        undefines = tuple(name for name, value in setting.macros if value is None)
        found.append(Build(defines, undefines, setting.words()))
    return found
