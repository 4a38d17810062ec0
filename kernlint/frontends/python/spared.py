"""Launches that leave elements out on purpose, or for which no caller has any that would be left out.

``one-more``: one block of ``n`` threads is passed an array that the program makes of ``n + 1``, with a number added to
the very name: the surplus is there to be left alone.  ``callers``: a private function rounds the grid down, and each of
its callers passes arrays whose length in numbers the block divides.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from kernlint.frontends.clang.python.entered import entered
from kernlint.frontends.clang.python.program import PythonProgram, dotted
from kernlint.frontends.clang.python.reading import Reader
from kernlint.frontends.python.context import Places
from kernlint.frontends.python.launches import Launched
from kernlint.tree.nodes import IntLit, Remark


def spared(program: PythonProgram, launched: Sequence[Launched], lowering: Places) -> Iterator[Remark]:
    """A remark at each such launch."""
    for launch in launched:
        if launch.program is not program or launch.block is None:
            continue
        if _one_more(launch, program):
            yield Remark("spared", lowering.span(launch.called.node), launch.jitted.name, ("one-more",))
        elif _for_callers(launch, program):
            yield Remark("spared", lowering.span(launch.called.node), launch.jitted.name, ("callers",))


def _one_more(launch: Launched, program: PythonProgram) -> bool:
    where = launch.where or launch.called.scope
    grid = program.resolved(launch.grid, where)[0] if launch.grid is not None else None
    if not isinstance(grid, ast.Constant) or grid.value != 1 or not isinstance(launch.block, ast.Name):
        return False
    for arg in launch.args or ():
        made = program.resolved(arg, launch.called.scope)[0]
        for size in made.args[:1] if isinstance(made, ast.Call) else ():
            sides = [size.left, size.right] if isinstance(size, ast.BinOp) and isinstance(size.op, ast.Add) else []
            named = any(isinstance(side, ast.Name) and side.id == launch.block.id for side in sides)
            if named and any(isinstance(side, ast.Constant) for side in sides):
                return True
    return False


def _for_callers(launch: Launched, program: PythonProgram) -> bool:
    function, where = launch.called.scope.node, launch.where or launch.called.scope
    if not isinstance(function, ast.FunctionDef) or not function.name.startswith("_") or launch.grid is None:
        return False
    block = Reader(program, launch.called, "").number(launch.block, where)  # type: ignore[arg-type]
    measured = _measured(launch.grid, launch, program) & {arg.arg for arg in function.args.args}
    if not isinstance(block, IntLit) or block.value < 2 or len(measured) != 1:
        return False
    (name,) = measured
    lengths: list[int | None] = []
    for inner in entered(program, launch.called):
        array = Reader(program, inner, "").array(ast.Name(name, ast.Load()), inner.scope)
        first = array.shape[0] if array is not None and array.shape else None
        lengths.append(first.value if isinstance(first, IntLit) else None)
    calls = sum(called.name.rpartition(".")[2] == function.name for called in program.calls)
    return bool(lengths) and len(lengths) == calls and all(one is not None and not one % block.value for one in lengths)


def _measured(grid: ast.expr, launch: Launched, program: PythonProgram) -> set[str]:
    """The names whose length a number of blocks is made of."""
    found: set[str] = set()
    stack: list[ast.AST] = [grid]
    for _ in range(MOST):
        if not stack:
            break
        at = stack.pop()
        if isinstance(at, ast.Name):
            value = program.resolved(at, launch.where or launch.called.scope)[0]
            stack += [value] if value is not at else []
        elif isinstance(at, ast.Call) and dotted(at.func) == "len" and at.args and isinstance(at.args[0], ast.Name):
            found.add(at.args[0].id)
        elif isinstance(at, ast.Attribute) and at.attr in ("size", "shape") and isinstance(at.value, ast.Name):
            found.add(at.value.id)
        else:
            stack += ast.iter_child_nodes(at)
    return found


MOST = 64
"""Nodes of a number of blocks that are looked at."""
