"""How many arguments a launch passes, and how.

numba binds the arguments of a launch to the kernel's parameters by their place alone: a launch takes no keyword
arguments, and a kernel is not compiled for too few or too many of them ("too many positional arguments", "missing a
required argument").  With signatures stated, the launch raises ``TypeError``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from kernlint.frontends.python.context import Places
from kernlint.frontends.python.functions import Jitted
from kernlint.frontends.python.launches import Launched
from kernlint.tree.nodes import Remark

MISFIT = "argument-misfit"


def miscounted(launch: Launched, lowering: Places) -> Iterator[Remark]:
    """The remark on a launch whose arguments are no match for the kernel's parameters."""
    jitted, node = launch.jitted, launch.called.node
    own = jitted.node.args
    if jitted.raw or jitted.host or not _only_one(jitted) or own.vararg is not None or own.kwarg is not None:
        return
    place, names = lowering.span(node), jitted.parameters
    if node.keywords and launch.packed is None:
        if all(key.arg is not None for key in node.keywords):
            word = next(key.arg for key in node.keywords if key.arg is not None)
            yield Remark(MISFIT, place, jitted.name, ("keyword", "by its name", word, "positional arguments alone"))
        return
    args = launch.args
    least = len(own.posonlyargs) + len(own.args) - len(own.defaults)
    if args is None or own.kwonlyargs or least <= len(args) <= len(names):
        return
    yield Remark(MISFIT, place, jitted.name, ("count", str(len(args)), jitted.name, str(len(names))))


def _only_one(jitted: Jitted) -> bool:
    """Whether the kernel's name stands for nothing else where it is defined."""
    return len(jitted.scope.bound.get(jitted.name, ())) == 1 or isinstance(jitted.scope.node, ast.ClassDef)
