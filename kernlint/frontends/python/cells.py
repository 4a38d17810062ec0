"""A notebook's cells as programs: those of Python together, and those that IPython writes to a file or hands to a
compiler (``%%writefile kernel.cu``, ``%%cuda``) each for itself.

Every program has the length of the whole text, blank where it is not, so that no place has to be moved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernlint.record import dataclass, replace
from kernlint.source import SourceFile
from kernlint.text.patterns import pattern

_COMMAND = pattern(rb"\s*%%(\w+)([^\n]*)")
_FILE = pattern(rb"[\w./-]*\.(cu|cuh|hip|cl|ocl|py)\b")
_LANGUAGES = {b"cu": "cuda", b"cuh": "cuda", b"hip": "hip", b"cl": "opencl", b"ocl": "opencl"}
_COMPILERS = (b"cu", b"cuda", b"nvcc", b"cuda_run", b"cuda_group_save", b"cudafile")
_SCRIPT = pattern(rb"[ \t]+(?:-\S+[ \t]+)*(?:\S*/)?python[\d.]*\b")
_PYTHON = (b"time", b"timeit", b"capture", b"prun", b"python", b"python3", b"py")


@dataclass(frozen=True, slots=True)
class Part:
    """A program of a notebook; ``language`` None: Python."""

    source: SourceFile
    language: str | None


def without_broken(source: SourceFile, python: SourceFile) -> tuple[SourceFile, list[tuple[int, int, int]]]:
    """The Python of a notebook without the cells that nobody can read, and these: (number, start, end)."""
    from kernlint.frontends.clang.python.program import program_of

    if program_of(python.data) is not None:
        return python, []
    text = bytearray(python.data)
    broken: list[tuple[int, int, int]] = []
    starts = [(source.line_starts[first - 1], number) for first, number in source.cells]
    for (start, number), (end, _) in zip(starts, [*starts[1:], (len(text), 0)], strict=True):
        if program_of(bytes(text[start:end])) is None:
            broken.append((number, start, end))
            _blank(text, start, end)
    return replace(python, data=bytes(text)), broken


def parts_of(source: SourceFile) -> Iterator[Part]:
    """The programs of a notebook, Python first."""
    starts = [source.line_starts[first - 1] for first, _ in source.cells if first <= len(source.line_starts)]
    python = bytearray(source.data)
    files: dict[bytes, tuple[str | None, list[tuple[int, int]]]] = {}
    for number, start in enumerate(starts):
        end = starts[number + 1] if number + 1 < len(starts) else len(source.data)
        command = _COMMAND.match(source.data, start, end)
        if command is None:
            continue
        word, rest = command.group(1), command.group(2)
        named = _FILE.search(rest)
        if word in _PYTHON or (word == b"script" and _SCRIPT.match(rest) is not None):
            _blank(python, start, command.end())
            continue
        _blank(python, start, end)
        suffix = named.group(1) if named is not None else b"cu" if word in _COMPILERS else b""
        if word in (*_COMPILERS, b"writefile", b"file") and suffix:
            key = named.group() if named is not None else b"cell %d" % number
            language = _LANGUAGES.get(suffix)
            files.setdefault(key, (language, []))[1].append((command.end(), end))
    yield Part(replace(source, data=bytes(python), cells=(), _starts=[]), None)
    for language, spots in files.values():
        text = bytearray(source.data)
        _blank(text, 0, len(text))
        for start, end in spots:
            text[start:end] = source.data[start:end]
        yield Part(replace(source, data=bytes(text), cells=(), _starts=[]), language)


def _blank(text: bytearray, start: int, end: int) -> None:
    text[start:end] = re.sub(rb"[^\n]", b" ", bytes(text[start:end]))
