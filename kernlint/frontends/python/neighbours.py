"""Other files of the project that a Python program imports from, or that launch its kernels.

An import means the file that Python would find from the folder of the importing file, or from one of the folders above
it; packages that are installed are not looked for.  What is taken from there: compiled functions, and constants.
"""

from __future__ import annotations

import os
import re
from collections import OrderedDict
from collections.abc import Iterator

from kernlint.frontends.clang.python.program import PythonProgram, parsed_program
from kernlint.project.discovery import makes_kernels
from kernlint.record import dataclass, field

FOLDERS = 5
"""Folders, from that of the importing file upwards, in which a module of the project may begin."""

LARGE = 1 << 20
"""Bytes beyond which a file is not read."""

FILES = 40
"""Files that are read for one."""


@dataclass(slots=True, eq=False)
class Neighbours:
    """The files around one, each read once.  ``read``: programs by path, None where a file is no Python."""

    read: dict[str, PythonProgram | None] = field(default_factory=dict)
    paths: dict[PythonProgram, str] = field(default_factory=dict)
    _meant: dict[tuple[str, str, int], str | None] = field(default_factory=dict)

    def attach(self, path: str, program: PythonProgram) -> None:
        """Make ``program``, the content of the file at ``path``, see the files that it imports from."""
        self.paths[program] = path
        self.read.setdefault(os.path.abspath(path), program)
        program.neighbour = lambda name, level: self.module(path, name, level)

    def module(self, importer: str, name: str, level: int) -> PythonProgram | None:
        """The program that an import of ``name`` in the file ``importer`` means."""
        key = (os.path.dirname(importer), name, level)
        if key not in self._meant:
            self._meant[key] = meant(importer, name, level)
        path = self._meant[key]
        return self.at(path) if path is not None else None

    def say(self, shape: re.Pattern[bytes]) -> bool:
        """Whether a module that the files here import from, one or two steps away, says something of a shape."""
        for _ in range(2):
            for program in [one for one in self.read.values() if one is not None]:
                for name, level in program.imported_modules():
                    other = self.module(self.paths[program], name, level)
                    if other is not None and shape.search(other.data):
                        return True
        return False

    def at(self, path: str) -> PythonProgram | None:
        """The program at a path."""
        whole = os.path.abspath(path)
        if whole not in self.read:
            self.read[whole] = None
            if len(self.read) <= FILES:
                program = _program(whole)
                if program is not None:
                    self.attach(whole, program)
                    self.read[whole] = program
        return self.read[whole]


def candidates(importer: str, name: str, level: int) -> Iterator[str]:
    """Paths that an import may mean, the likeliest first."""
    folder = os.path.dirname(os.path.abspath(importer))
    parts = name.split(".") if name else []
    if level:
        for _ in range(level - 1):
            folder = os.path.dirname(folder)
        folders = [folder]
    else:
        folders = [folder]
        for _ in range(FOLDERS - 1):
            folders.append(os.path.dirname(folders[-1]))
    for base in folders:
        whole = os.path.join(base, *parts)
        if parts:
            yield whole + ".py"
        yield os.path.join(whole, "__init__.py")


def meant(importer: str, name: str, level: int) -> str | None:
    """The file that an import means; None where there is none in the project."""
    return next((path for path in candidates(importer, name, level) if os.path.isfile(path)), None)


_kept: OrderedDict[str, tuple[object, PythonProgram | None]] = OrderedDict()
"""Programs that were read last, with the states of their files: many sources are launched from the same ones."""

KEPT = 64


def _program(path: str) -> PythonProgram | None:
    try:
        found = os.stat(path)
        state = found.st_mtime_ns, found.st_size
        known = _kept.get(path)
        if known is not None and known[0] == state:
            _kept.move_to_end(path)
            return known[1]
        if found.st_size > LARGE:
            return None
        with open(path, "rb") as handle:
            data = handle.read()
    except OSError:
        return None
    program = parsed_program(data.removeprefix(b"\xef\xbb\xbf"))
    _kept[path] = state, program
    if len(_kept) > KEPT:
        _kept.popitem(last=False)
    return program


def imported_files(path: str, program: PythonProgram) -> Iterator[str]:
    """Files of the project that a program imports from directly."""
    for name, level in program.imported_modules():
        found = meant(path, name, level)
        if found is not None:
            yield found


def analysed_by_itself(program: PythonProgram) -> bool:
    """Whether a file has compiled functions of its own, and is looked at for them."""
    return makes_kernels(program.data)
