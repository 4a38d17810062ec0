"""Which files a run looks at: named ones as they are, folders walked for kernel sources."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator

from kernlint.patterns import pattern
from kernlint.record import dataclass

KERNEL_SUFFIXES = frozenset({".cu", ".cuh", ".hip", ".cl", ".clh", ".ocl"})
"""Suffixes that mean kernel code."""

HOST_SUFFIXES = frozenset({".h", ".hh", ".hpp", ".hxx", ".c", ".cc", ".cpp", ".cxx", ".inl", ".inc"})
"""Suffixes of files that are looked at in a folder only when their text holds a kernel."""

SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__", "CMakeFiles", "build", "dist", "venv", "site-packages"})
"""Folders never walked into, besides hidden ones; naming one on the command line still walks it."""

_KERNEL = pattern(rb"\b__global__\b|\b__kernel\b|\bkernel\s+(?:__attribute__\s*\(\(.*?\)\)\s*)?void\b")

_SCAN_BYTES = 4 << 20
"""A host file is scanned this far for a kernel."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file to analyse.  ``named``: the user named it, rather than a folder above it."""

    path: str
    named: bool


def holds_kernels(path: str) -> bool:
    """Whether the text of ``path`` looks as if it held a kernel; False when it cannot be read."""
    try:
        with open(path, "rb") as handle:
            return _KERNEL.search(handle.read(_SCAN_BYTES)) is not None
    except OSError:
        return False


def find(paths: Iterable[str], excluded: Callable[[str], bool] = lambda path: False) -> Iterator[Found]:
    """The files that ``paths`` mean, each once, in the order given, folders in the order of their names.

    A named file is handed on whatever it is, also when it does not exist: reading it says what is wrong.
    ``excluded`` keeps files and folders that were not named out.
    """
    seen: set[str] = set()
    for path in paths:
        if os.path.isdir(path):
            files: Iterator[Found] = (Found(file, False) for file in _walk(path, excluded, set()))
        else:
            files = iter((Found(path, True),))
        for found in files:
            real = os.path.realpath(found.path)
            if real not in seen:
                seen.add(real)
                yield found


def _walk(folder: str, excluded: Callable[[str], bool], above: set[str]) -> Iterator[str]:
    """Kernel files under ``folder``; ``above`` holds the real folders on the way down, so that loops end."""
    real = os.path.realpath(folder)
    if real in above:
        return
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    folders = []
    for entry in entries:
        path = os.path.normpath(entry.path)
        try:
            is_folder = entry.is_dir()
            is_file = entry.is_file()
        except OSError:  # a loop of links
            continue
        if is_folder:
            if not (entry.name.startswith(".") or entry.name in SKIPPED_FOLDERS or excluded(path)):
                folders.append(path)
        elif is_file and _wanted(entry.name, path) and not excluded(path):
            yield path
    for path in folders:
        yield from _walk(path, excluded, above | {real})


def _wanted(name: str, path: str) -> bool:
    suffix = os.path.splitext(name)[1].lower()
    return suffix in KERNEL_SUFFIXES or (suffix in HOST_SUFFIXES and holds_kernels(path))
