"""How much of the device code an error cost.

Errors in host functions cost no kernel; errors in kernels, in the device functions they may call, and those that made
a kernel's declaration disappear do. Extents come from the cursors, so an error counts once however many instances
repeat it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable

from kernlint.frontends.clang.compiler import Diagnostic
from kernlint.frontends.clang.cursor import Cursor
from kernlint.frontends.clang.kinds import CursorKind, Severity
from kernlint.frontends.clang.options import Language
from kernlint.frontends.clang.unit import Unit
from kernlint.record import dataclass
from kernlint.text.patterns import pattern

LOST_KERNEL = 8
"""What a kernel without a declaration weighs, in errors."""

_FUNCTIONS = frozenset(
    {
        CursorKind.FUNCTION_DECL,
        CursorKind.FUNCTION_TEMPLATE,
        CursorKind.CXX_METHOD,
        CursorKind.CONSTRUCTOR,
        CursorKind.DESTRUCTOR,
        CursorKind.CONVERSION_FUNCTION,
    }
)
_SCOPES = frozenset(
    {
        CursorKind.NAMESPACE,
        CursorKind.LINKAGE_SPEC,
        CursorKind.UNEXPOSED_DECL,
        CursorKind.STRUCT_DECL,
        CursorKind.CLASS_DECL,
        CursorKind.UNION_DECL,
        CursorKind.CLASS_TEMPLATE,
        CursorKind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION,
    }
)
_DEVICE = frozenset({CursorKind.CUDA_GLOBAL_ATTR, CursorKind.CUDA_DEVICE_ATTR})
_KERNEL = {
    Language.CUDA: pattern(rb"\b__global__\b"),
    Language.HIP: pattern(rb"\b__global__\b"),
    Language.OPENCL: pattern(rb"\b(?:__)?kernel\b"),
}
_DEVICE_WORD = pattern(rb"\b(?:__global__|__device__|__kernel|kernel|__host__)\b")
_COMMENT = pattern(rb"//[^\n]*|/\*.*?\*/|^[ \t]*#[^\n]*(?:\\\n[^\n]*)*", re.DOTALL | re.MULTILINE)
_COSTS_NOTHING = (
    "static assertion failed",
    "illegal vector component name",
    "'device' and 'global' attributes are not",
)


@dataclass(frozen=True, slots=True)
class Functions:
    """The byte ranges of the functions of one file, device and host ones apart, sorted and disjoint."""

    device: tuple[tuple[int, int], ...]
    host: tuple[tuple[int, int], ...]

    def in_device(self, offset: int) -> bool:
        """Whether an offset lies in a kernel or device function."""
        return _within(self.device, offset)

    def in_host(self, offset: int) -> bool:
        """Whether an offset lies in a function that only the host has."""
        return _within(self.host, offset)


def _within(ranges: tuple[tuple[int, int], ...], offset: int) -> bool:
    index = bisect_right(ranges, (offset, 1 << 62)) - 1
    return index >= 0 and ranges[index][0] <= offset < ranges[index][1]


def find_functions(unit: Unit, language: Language, files: Collection[str]) -> dict[str, Functions]:
    """The functions written in each of ``files``."""
    device: dict[str, set[tuple[int, int]]] = {file: set() for file in files}
    host: dict[str, set[tuple[int, int]]] = {file: set() for file in files}

    def visit(cursors: Iterable[Cursor]) -> None:
        for cursor in cursors:
            if cursor.kind in _FUNCTIONS:
                extent = cursor.extent
                if extent.file is not None and extent.file in device:
                    on_device = language is Language.OPENCL or any(kind in _DEVICE for kind in unit.child_kinds(cursor))
                    (device if on_device else host)[extent.file].add((extent.start, extent.end))
            elif cursor.kind in _SCOPES and cursor.extent.file in device:
                visit(unit.members(cursor))

    visit(unit.top_level(main_only=len(device) == 1))
    return {file: Functions(_disjoint(device[file]), _disjoint(host[file] - device[file])) for file in device}


def _disjoint(ranges: set[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """The outermost of nested ranges, sorted."""
    result: list[tuple[int, int]] = []
    for start, end in sorted(ranges, key=lambda each: (each[0], -each[1])):
        if not result or start >= result[-1][1]:
            result.append((start, end))
    return tuple(result)


@dataclass(frozen=True, slots=True)
class Losses:
    """What errors cost the device code of the main file.

    ``weight``: an error in a device function, of a header too, weighs 1, a kernel whose declaration is missing
    ``LOST_KERNEL``; an error outside of all functions 1 if the declaration it stands in is one of device code.
    ``places``: the files and offsets of these errors.
    """

    weight: int
    places: frozenset[tuple[str, int]]


def count_losses(
    unit: Unit, text: bytes, language: Language, diagnostics: Iterable[Diagnostic], skipped: Iterable[tuple[int, int]]
) -> Losses:
    """What the errors of a parse cost."""
    errors = {(d.file, d.offset) for d in diagnostics if d.file is not None and _costs(d)}
    if not errors:
        return _NOTHING
    functions = find_functions(unit, language, {unit.path, *(file for file, _ in errors)})
    main = functions[unit.path]
    places = set()
    for file, offset in errors:
        if functions[file].in_device(offset) or (
            file == unit.path and not main.in_host(offset) and _of_device_code(text, offset)
        ):
            places.add((file, offset))
    loss = len(places)
    hidden = _disjoint({*skipped, *(match.span() for match in _COMMENT.finditer(text))})
    for match in _KERNEL[language].finditer(text):
        at = match.start()
        if not main.in_device(at) and not _within(hidden, at) and _opens_body(text, at):
            loss += LOST_KERNEL
    return Losses(loss, frozenset(places))


_NOTHING = Losses(0, frozenset())


def _costs(diagnostic: Diagnostic) -> bool:
    """Whether an error takes anything out of the tree.

    A false static assertion does not, nor does a lane that only a wider vector has than the language knows: where the
    vector's type is not declared the lane is as unknown, only that clang does not say so.
    """
    return diagnostic.severity >= Severity.ERROR and not diagnostic.message.startswith(_COSTS_NOTHING)


def _of_device_code(text: bytes, offset: int) -> bool:
    end = min((at for at in (text.find(b"{", offset), text.find(b";", offset)) if at >= 0), default=len(text))
    start = max(text.rfind(b";", 0, offset), text.rfind(b"}", 0, offset)) + 1
    return bool(_DEVICE_WORD.search(text, start, min(end, offset + 2000)))


def _opens_body(text: bytes, at: int) -> bool:
    """Whether the declaration that a kernel keyword begins has a body."""
    brace, semicolon = text.find(b"{", at), text.find(b";", at)
    return brace >= 0 and (semicolon < 0 or brace < semicolon)
