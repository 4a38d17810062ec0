"""Simulation files of Oclgrind beside OpenCL kernels: a launch, and the sizes of its buffers.

``reduce.sim`` beside ``reduce.cl`` names the file, a kernel in it, the global and the local size, and then the
arguments, a buffer as ``<size=BYTES ...>``.  For that kernel they are what a user would say with ``launch`` and
``extent`` (the format is described in Oclgrind's own documentation, "oclgrind-kernel").
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from kernlint.analysis.base import Stated
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import FunctionDecl, Module
from kernlint.tree.types import PointerType, Space, VoidType

SUFFIX = ".sim"

_SIZES = pattern(r"\d+(?:\s+\d+){0,2}")
_ARGUMENT = pattern(r"<([^<>]*)>")
_BYTES = pattern(r"\bsize=(\d+)\b")
_LARGEST = 1 << 16
"""Bytes of a file that are looked at."""


def path_of(source: str) -> str:
    """Where the simulation file of a source would lie."""
    return os.path.splitext(os.path.abspath(source))[0] + SUFFIX


def statements(source: str, module: Module, sized: bool) -> Iterator[Stated]:
    """What the simulation file of ``source`` says of a kernel of ``module``, if there is one and it is about it.

    ``sized``: the user has said how large the launch is, which counts for more.
    """
    if module.language != "opencl":
        return
    path = path_of(source)
    if not os.path.isfile(path):  # nor is a pipe waited for
        return
    try:
        with open(path, encoding="utf-8") as handle:
            text = handle.read(_LARGEST)
    except (OSError, ValueError):
        return
    lines = [line for line in map(str.strip, text.splitlines()) if line and not line.startswith("#")]
    if len(lines) < 4 or lines[0] != os.path.basename(source):
        return
    kernel = next((k.function for k in module.kernels if k.name == lines[1]), None)
    if kernel is None:
        return
    if not sized and (launch := _launch(lines[2], lines[3])) is not None:
        yield Stated(launch, kernel=kernel.name)
    for extent in _extents(kernel, "\n".join(lines[4:])):
        yield Stated(extent, kernel=kernel.name)


def _launch(whole: str, local: str) -> str | None:
    """The launch of a global and a local size, as a statement; None unless one divides the other."""
    if _SIZES.fullmatch(whole) is None or _SIZES.fullmatch(local) is None:
        return None
    items, block = ([*map(int, sizes.split()), 1, 1][:3] for sizes in (whole, local))
    if any(size < 1 for size in (*items, *block)) or any(n % size for n, size in zip(items, block, strict=True)):
        return None
    grid = [n // size for n, size in zip(items, block, strict=True)]
    return f"launch(block=({', '.join(map(str, block))}), grid=({', '.join(map(str, grid))}))"


def _extents(kernel: FunctionDecl, text: str) -> Iterator[str]:
    """The sizes of buffers as statements: nothing when not every argument is written in angle brackets."""
    given = _ARGUMENT.findall(text)
    if len(given) != len(kernel.params):
        return
    for param, argument in zip(kernel.params, given, strict=True):
        size = _BYTES.search(argument)
        if size is None or not isinstance(param.type, PointerType):
            continue
        pointee = param.type.pointee
        unit = 1 if isinstance(pointee, VoidType) else pointee.size
        if param.type.space in (Space.GLOBAL, Space.CONSTANT) and unit and int(size[1]) % unit == 0:
            yield f"extent({param.name}, {int(size[1]) // unit})"
