"""The module of a Python file: its kernels, what they call, and the host functions that launch them."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Set

from kernlint.frontends.base import Surroundings
from kernlint.frontends.clang.python.program import PythonProgram
from kernlint.frontends.clang.python.refused import refused
from kernlint.frontends.clang.python.texts.noted import note_read
from kernlint.frontends.python.functions import Finder, Jitted, own_nodes
from kernlint.frontends.python.instances import Instances
from kernlint.frontends.python.launches import Launched, NumbaReader, hints_of, launches_of, left_to_callers
from kernlint.frontends.python.neighbours import Neighbours, analysed_by_itself
from kernlint.frontends.python.remarks import remarks_of
from kernlint.frontends.python.spared import spared
from kernlint.frontends.python.unobserved import unobserved
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.tree.nodes import FunctionDecl, Kernel, Missed, Module

FILES = 4
"""Files that are read for the launches of one kernel."""


def numba_module(path: str, program: PythonProgram, around: Surroundings | None = None) -> Module | None:
    """The module of all that numba compiles for a GPU in ``program``; None when there is nothing of the kind.

    ``around``: what may be asked of the project; None where the program stands for itself.
    """
    neighbours = Neighbours() if around is not None else None
    if neighbours is not None:
        neighbours.attach(path, program)
    finder = Finder(program)
    if not any(not one.host for one in finder.found):
        return None
    _mark_called(finder, program)
    instances = Instances(path, program, finder, neighbours)
    failing = refused(program)
    own_launches = [one for one in launches_of(program, finder) if id(one.called.node) not in failing]
    elsewhere = list(_elsewhere(path, finder, neighbours, around)) if neighbours is not None and around else []
    for other in elsewhere:
        for launch in other.launched:
            launch.jitted.device = False  # whatever else calls it
    launched = [*own_launches, *(launch for other in elsewhere for launch in other.launched)]
    hints = hints_of(launched)
    made: dict[ast.AST, FunctionDecl] = {}
    kernels: list[Kernel] = []
    missed: list[Missed] = []
    wanted = {launch.jitted.node for launch in launched}
    for jitted in finder.found:
        if jitted.device or jitted.host:
            continue
        if failing and jitted.node not in wanted and _only_refused(jitted, finder, failing):
            continue
        place = instances.lowering.span(jitted.node)
        try:
            made[jitted.node] = instances.kernel(jitted, hints.get(jitted.node, {}))
            kernels.append(Kernel(made[jitted.node]))
        except RecursionError:
            missed.append(Missed(jitted.name, "it is nested too deeply", place))
    functions: list[FunctionDecl] = [kernel.function for kernel in kernels]
    functions += [function for function, _ in instances.made.values() if function is not None]
    if not kernels:
        functions += _alone(finder, instances)
    language = "hip" if any(one.hip for one in finder.found) else "cuda"
    notes = tuple(_made_by_exec(program))
    everything = tuple(functions), tuple(kernels)
    module = Module(path, language, *everything, (), tuple(missed), notes=notes, written_in="python")
    sure = {launch.jitted.name for launch in launched} | {one.name for one in finder.found if _indexed(one, program)}
    own = [one for one in instances.remarks if one.kind != "returned-value" or one.kernel in sure]
    here = [one for one in own_launches if one.program is program]
    remarks = [*own, *remarks_of(program, finder, here, instances.lowering)]
    remarks += spared(program, launched, instances.lowering)
    remarks += unobserved(program, finder, launched, instances.lowering)
    for other in elsewhere:
        if not analysed_by_itself(other.program) and other.finder.program is other.program:
            remarks += remarks_of(other.program, other.finder, other.launched, other)
    object.__setattr__(module, "remarks", tuple(remarks))
    for launch in launched:
        if launch.jitted.node in made:
            where = path if launch.program is program or neighbours is None else neighbours.paths[launch.program]
            NumbaReader(launch.program, launch.called, where).add(module, launch, made[launch.jitted.node])
    if neighbours is not None:
        note_read(path, neighbours)
    return module


@dataclass(frozen=True, slots=True, eq=False)
class Elsewhere:
    """Another file that launches kernels of this one."""

    path: str
    program: PythonProgram
    finder: Finder
    launched: list[Launched]

    def span(self, node: ast.AST) -> Span:
        """The place of a node."""
        return Span(self.path, self.program.start(node), self.program.end(node))


def launching_files(path: str, finder: Finder, around: Surroundings) -> list[str]:
    """Python files of the project that launch something by the name of one of a file's kernels, or import it from
    there and may hand it to who does."""
    found: dict[str, None] = {}
    names = sorted({name for one in finder.found if not one.host for name in (one.name, *one.names)})
    for name in names:
        files = [one for one in around.files_launching(name) if one.endswith(".py") and one != os.path.abspath(path)]
        found.update(dict.fromkeys(files[:FILES]))
    for name in names if any(not one.device and not one.host for one in finder.found) else ():
        files = [one for one in around.files_importing(os.path.abspath(path), name) if one not in found]
        found.update(dict.fromkeys(files[:FILES]))
    return list(found)


def _elsewhere(path: str, finder: Finder, neighbours: Neighbours, around: Surroundings) -> Iterator[Elsewhere]:
    """Files of the project that launch kernels of this one, by what they import."""
    files = launching_files(path, finder, around)
    for file in files:  # grows while it is walked
        other = neighbours.at(file)
        if other is None or other is finder.program:
            continue
        theirs = finder.others.get(other)
        if theirs is None:
            theirs = finder.others[other] = Finder(other)
            theirs.others = finder.others
        launched = [one for one in launches_of(other, theirs) if one.jitted.program is finder.program]
        for name in dict.fromkeys(left_to_callers(other, theirs)) if not launched else ():
            files += [one for one in around.files_importing(file, name)[:FILES] if one not in files]
        for where in dict.fromkeys(
            one.program for one in launched
        ):  # those of kernels that it hands on stand elsewhere
            stand = file if where is other else neighbours.paths[where]
            yield Elsewhere(stand, where, theirs, [one for one in launched if one.program is where])


def _alone(finder: Finder, instances: Instances) -> list[FunctionDecl]:
    """Device functions of a file without kernels that nothing in it calls."""
    out: list[FunctionDecl] = []
    for jitted in finder.found:
        star = jitted.node.args.vararg is not None or jitted.node.args.kwarg is not None
        if not jitted.device or jitted.host or star:
            continue
        try:
            made = instances.alone(jitted)
        except RecursionError:
            continue
        if made is not None:
            out.append(made)
    return out


def _made_by_exec(program: PythonProgram) -> Iterator[str]:
    """A line for each kernel that is made of a text when the program runs."""
    for called in program.calls:
        if called.name in ("exec", "eval") and called.node.args:
            text = program.text(called.node.args[0], called.scope)
            if text is not None and b"jit" in text.data:
                yield f"line {called.node.lineno}: what {called.name} makes is not analysed"


def _only_refused(jitted: Jitted, finder: Finder, failing: Set[int]) -> bool:
    """Whether a kernel is defined, compiled or launched nowhere but where an exception is expected."""
    if id(jitted.node) in failing:
        return True
    names, asked = {jitted.name, *jitted.names}, False
    lazy = {
        id(at)
        for call, made in finder.by_node.items()
        if made is jitted and not jitted.signatures and isinstance(call, ast.Call)
        for at in ast.walk(call)
    }  # compiled when it is launched
    for at in ast.walk(jitted.scope.node):
        named = isinstance(at, ast.Name) and isinstance(at.ctx, ast.Load) and at.id in names
        if named or (isinstance(at, ast.Attribute) and at.attr in names):
            asked |= id(at) in failing
            if id(at) not in failing and id(at) not in lazy:
                return False
    return asked


def _indexed(jitted: Jitted, program: PythonProgram) -> bool:
    """Whether a function asks which thread runs it, and nobody passes it on: it is a kernel, launched here or not."""
    asks = {"grid", "threadIdx", "blockIdx"}
    asked = any(isinstance(at, ast.Attribute) and at.attr in asks for at in ast.walk(jitted.node))
    used = any(
        isinstance(at, ast.Name) and at.id == jitted.name and isinstance(at.ctx, ast.Load)
        for at in ast.walk(program.scopes[0].node)
    )
    return asked and not used


def _mark_called(finder: Finder, program: PythonProgram) -> None:
    """Functions that other compiled ones call and nobody launches are device functions, whatever their decorator
    says."""
    called: set[ast.AST] = set()
    launched: set[ast.AST] = set()
    for scope in program.scopes:
        for node in own_nodes(scope.node):
            attribute = isinstance(node, ast.Attribute) and node.attr == "forall"
            if (attribute or isinstance(node, ast.Subscript)) and isinstance(node.value, ast.Name):  # type: ignore[attr-defined]
                found = finder.named(node.value.id, scope)  # type: ignore[attr-defined]
                if found is not None:
                    launched.add(found.node)
    for jitted in finder.found:
        for node in ast.walk(jitted.node):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                callee = finder.named(node.func.id, jitted.inner)
                if callee is not None:
                    called.add(callee.node)
    for jitted in finder.found:
        if jitted.node in called and jitted.node not in launched:
            jitted.device = True
