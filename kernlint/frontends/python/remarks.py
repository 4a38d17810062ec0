"""What is to be said of host code that launches numba's kernels, and of what kernels take from around them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from kernlint.frontends.clang.python.floats import float_parts
from kernlint.frontends.clang.python.program import PythonProgram, Scope
from kernlint.frontends.clang.python.reading import Reader
from kernlint.frontends.clang.python.refused import refused
from kernlint.frontends.python.context import Places
from kernlint.frontends.python.functions import Array, Finder, Jitted, Stated, full_name
from kernlint.frontends.python.hostwalk import host_remarks
from kernlint.frontends.python.launches import Launched, kernel_of
from kernlint.frontends.python.passing import miscounted
from kernlint.frontends.python.stale import stale
from kernlint.frontends.python.values import SCALARS
from kernlint.tree.nodes import Remark
from kernlint.tree.types import IntType, Type


def remarks_of(
    program: PythonProgram, finder: Finder, launched: Sequence[Launched], lowering: Places
) -> Iterator[Remark]:
    """All remarks on one file."""
    for launch in launched:
        yield from _float_sizes(program, launch, lowering)
    yield from _unconfigured(program, finder, lowering)
    yield from stale(program, finder, launched, lowering)
    yield from host_remarks(program, launched, lowering)
    for launch in launched:
        yield from _undefined(program, launch, lowering)
        yield from miscounted(launch, lowering)


# ----------------------------------------------------------------------------------------------------------- sizes


def _float_sizes(program: PythonProgram, launch: Launched, lowering: Places) -> Iterator[Remark]:
    """A grid or block with a size that is a float."""
    where = launch.where or launch.called.scope
    for word, expr in (("grid", launch.grid), ("block", launch.block)):
        if any(float_parts(program, expr, where, full_name)):
            yield Remark("float-size", lowering.span(launch.called.node), launch.jitted.name, (word,))


# --------------------------------------------------------------------------------------------------- configuration


def _unconfigured(program: PythonProgram, finder: Finder, lowering: Places) -> Iterator[Remark]:
    """Kernels that host code calls like functions."""
    compiled = {(id(jitted.scope), jitted.node.name) for jitted in finder.found}
    functions = [jitted.node for jitted in finder.found]
    for scope in program.scopes:  # of two functions of one name, in two branches, each is compiled
        node = scope.node
        if isinstance(node, ast.FunctionDef) and (id(scope.parent), node.name) in compiled:
            functions.append(node)
    failing = refused(program)
    inside = {id(at) for node in functions for at in ast.walk(node)} | failing
    for called in program.calls:
        if id(called.node) in inside or not isinstance(called.node.func, ast.Name):
            continue
        found = finder.named(called.node.func.id, called.scope)
        if found is None or found.device or found.host or found.raw or found.either:
            continue
        if _plain_call(called.node, found):
            yield Remark("unconfigured", lowering.span(called.node), found.name)
    for called in program.calls:
        if id(called.node) in failing:
            continue
        target, scope = program.resolved(called.node.func, called.scope)
        if isinstance(target, ast.Subscript) and _alone(program, target.slice, scope):
            jitted = kernel_of(program, finder, target.value, scope)
            if jitted is not None and not jitted.device and not jitted.host:
                yield Remark("unconfigured", lowering.span(called.node), jitted.name, ("one",))


def _alone(program: PythonProgram, config: ast.expr, scope: Scope) -> bool:
    """Whether what stands in the brackets of a launch is one number, or a tuple of one."""
    config, scope = program.resolved(config, scope)
    if isinstance(config, ast.Tuple):
        return len(config.elts) == 1
    return (isinstance(config, ast.Constant) and isinstance(config.value, int)) or isinstance(config, ast.BinOp)


def _plain_call(node: ast.Call, jitted: Jitted) -> bool:
    return len(node.args) == len(jitted.parameters) and not node.keywords


# ------------------------------------------------------------------------------------------------------- signatures


def _undefined(program: PythonProgram, launch: Launched, lowering: Places) -> Iterator[Remark]:
    """An array that no signature of the kernel takes: of another type of elements, or with other axes."""
    args, names = launch.args, launch.jitted.parameters
    wanted = [one for one in launch.jitted.signatures if len(one) == len(names) and None not in one]
    if args is None or len(args) != len(names) or not wanted or len(wanted) != len(launch.jitted.signatures):
        return
    if launch.jitted.inferred:
        return
    reader = Reader(program, launch.called, "")
    for at, (name, arg) in enumerate(zip(names, args, strict=True)):
        array = reader.array(arg, launch.called.scope)
        if array is None or not all(isinstance(one[at], Array) for one in wanted):
            continue
        element = SCALARS.get(array.dtype)
        axes = len(array.shape) if array.shape is not None else None
        if any(_takes(one[at], element, axes) for one in wanted):
            continue
        if len(wanted) == 1 and _alike(wanted[0][at], element):
            continue  # of one signature numba compares nothing: the kernel reads the bytes as it was told
        given = f"{array.dtype or '?'}[{','.join(':' * (axes or 1))}]"
        stated = " or ".join(dict.fromkeys(_spelled(one[at]) for one in wanted))
        yield Remark("undefined-types", lowering.span(arg), launch.jitted.name, (name, given, stated))


def _takes(stated: Stated, element: Type | None, axes: int | None) -> bool:
    """Whether a parameter may be given an array, as far as its type and axes are known."""
    assert isinstance(stated, Array)
    return (element is None or element == stated.element) and (axes is None or axes == stated.rank)


def _alike(stated: Stated, element: Type | None) -> bool:
    """Whether elements are integers of the same width as those that are stated."""
    assert isinstance(stated, Array)
    both = isinstance(element, IntType) and isinstance(stated.element, IntType)
    return both and element is not None and element.size == stated.element.size


def _spelled(stated: Stated) -> str:
    assert isinstance(stated, Array)
    names = [name for name, kind in SCALARS.items() if kind == stated.element and len(name) > 3]
    element = next((name for name in names if name[-1].isdigit()), names[0] if names else "?")
    return f"{element}[{','.join(':' * stated.rank)}]"
