"""The texts that a Python program hands to a library, found by following it.

Its module comes first, then functions that make programs and were not met, as their callers in the file enter them.
Modules of the project are followed as far as names are taken from them; of a file that makes no program of its texts,
files beside it that import it are.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterator

from kernlint.frontends.clang.python.program import Called, PythonProgram, Scope, dotted
from kernlint.frontends.clang.python.texts import library
from kernlint.frontends.clang.python.texts.expressions import STEPS, Spent
from kernlint.frontends.clang.python.texts.noted import note_read
from kernlint.frontends.clang.python.texts.running import Machine, Made
from kernlint.frontends.clang.python.texts.values import Class, Function
from kernlint.frontends.python.neighbours import Neighbours

CALLERS = 4
"""Calls of a function that are looked at, and functions that call each other in a row."""

TURNS = 12
"""Values of a table of texts that are tried where it is not known which is taken."""

BESIDE = 60
"""Files of a folder that are looked at for imports of one."""

LARGE = 1 << 18
"""Bytes beyond which such a file is passed over."""

_MAKERS = tuple(name.encode() for name in library.MAKERS)


def handed_over(path: str, program: PythonProgram, around: bool) -> list[Made]:
    """The texts that a program hands to a library."""
    makers = makers_of(program)
    if not makers:
        return []
    return _followed(Machine(program), path, program, makers, around)


def handed_over_elsewhere(path: str, program: PythonProgram) -> list[Made]:
    """Texts of a program that files beside it hand to a library."""
    out: list[Made] = []
    neighbours = Neighbours()
    neighbours.read[os.path.abspath(path)] = program
    for other in files_beside(path):
        found = neighbours.at(other)
        makers = makers_of(found) if found is not None else []
        if found is not None and makers:
            neighbours.paths[program] = path
            out += _followed(Machine(program, found), other, found, makers, True, neighbours, path)
    return out


def files_beside(path: str) -> Iterator[str]:
    """Files of the same folder that speak of a file and of programs for a GPU."""
    folder, name = os.path.split(os.path.abspath(path))
    stem = name.removesuffix(".py").encode()
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for each in [one for one in names if one.endswith(".py") and one != name][:BESIDE]:
        whole = os.path.join(folder, each)
        try:
            if os.path.getsize(whole) > LARGE:
                continue
            with open(whole, "rb") as handle:
                data = handle.read()
        except OSError:
            continue
        if stem in data and b"import" in data and any(maker in data for maker in _MAKERS):
            yield whole


def makers_of(program: PythonProgram) -> list[Called]:
    """The calls of a program that make programs of texts."""
    return [one for one in program.calls if last_name(one.node) in library.MAKERS]


def last_name(node: ast.Call) -> str:
    """The last part of the name that is called."""
    func = node.func
    return func.attr if isinstance(func, ast.Attribute) else dotted(func) or ""


def _followed(
    machine: Machine,
    path: str,
    program: PythonProgram,
    makers: list[Called],
    around: bool,
    neighbours: Neighbours | None = None,
    about: str = "",
) -> list[Made]:
    """The texts that a program hands to a library by ``makers``; ``about``: the file that is looked at."""
    about = about or path
    before = program.neighbour
    if around and neighbours is None:
        (neighbours := Neighbours()).attach(path, program)
    try:
        guarded(machine, lambda: machine.module(program))
        for one in makers:
            if not machine.has(one.node):
                machine.left = max(machine.left, STEPS // 4)
                _enter_all(machine, program, one)
    finally:
        program.neighbour = before
        if neighbours is not None:
            note_read(about, neighbours)
    return machine.made


def _enter_all(machine: Machine, program: PythonProgram, called: Called) -> None:
    """Follow the functions through which a call is met, once for each text of a table that it may be about."""
    starts = entries(program, called.scope)
    turn, apart = 0, not starts
    while turn < min(machine.choices, TURNS):
        machine.turn = turn
        for entry in starts:
            guarded(machine, lambda entry=entry: enter(machine, program, entry))  # type: ignore[misc]
        start = outermost(called.scope)
        apart = apart or not machine.has(called.node)
        if apart and start is not None:
            guarded(machine, lambda start=start: enter(machine, program, start))  # type: ignore[misc]
        turn += 1
    machine.turn, machine.choices = 0, 1


def guarded(machine: Machine, work: Callable[[], object]) -> None:
    """Follow a part of the program as far as that goes."""
    try:
        work()
    except (Spent, RecursionError, TypeError, ValueError, KeyError, IndexError, AttributeError, AssertionError):
        machine.running.clear()
        machine.depth = 0


def entries(program: PythonProgram, scope: Scope) -> list[Scope]:
    """The functions to begin with so that a place in a function is met: those that call it, and their callers."""
    start = outermost(scope)
    if start is None:
        return []
    found, seen = [start], {start.node}
    out: list[Scope] = []
    for _ in range(CALLERS):
        callers: list[Scope] = []
        for one in found:
            above = [each for each in _callers(program, one) if each.node not in seen][:CALLERS]
            if not above and one is not start:
                out.append(one)
            seen.update(each.node for each in above)
            callers += above
        found = callers
        if not found:
            break
    return [*out, *found]


def outermost(scope: Scope | None) -> Scope | None:
    """The outermost function around a place."""
    best: Scope | None = None
    while scope is not None:
        if isinstance(scope.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            best = scope
        scope = scope.parent
    return best


def _callers(program: PythonProgram, scope: Scope) -> Iterator[Scope]:
    """Functions of the file that call a function, or make an object whose beginning it is."""
    node = scope.node
    name = getattr(node, "name", "")
    if name == "__init__" and scope.parent is not None:
        owner = getattr(scope.parent.node, "name", "")
        yield from _beginnings(program, owner, node)
        name = owner
    for called in program.calls:
        if last_name(called.node) == name:
            outer = outermost(called.scope)
            if outer is not None and outer.node is not node:
                yield outer


def _beginnings(program: PythonProgram, owner: str, node: ast.AST) -> Iterator[Scope]:
    """How objects of classes begin that derive from one."""
    for scope in program.scopes:
        above = scope.parent.node if scope.parent is not None else None
        if not isinstance(above, ast.ClassDef) or getattr(scope.node, "name", "") != "__init__" or scope.node is node:
            continue
        if any((dotted(base) or "").rpartition(".")[2] == owner for base in above.bases):
            yield scope


def enter(machine: Machine, program: PythonProgram, scope: Scope) -> None:
    """Run a function, of whose arguments nothing is known but defaults."""
    frame = machine.module(program)
    chain: list[Scope] = []
    at: Scope | None = scope
    while at is not None and at.parent is not None:
        chain.insert(0, at)
        at = at.parent
    value: object = frame
    for one in chain:
        name = getattr(one.node, "name", "")
        if isinstance(value, Class):
            owner = machine.call(value, [], {}, None, frame)
            if name == "__init__":
                return
            value = machine.attribute(owner, name)
        else:
            value = frame.names.get(name) if value is frame else None
    if isinstance(value, Function):
        machine.call(value, [], {}, None, frame)
