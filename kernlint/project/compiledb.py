"""What ``compile_commands.json`` says about a file, as far as it matters here.

Macros, include folders, forced includes, standard and GPU architecture are taken; every other flag of nvcc, hipcc or
clang is passed over.  System folders are left out: a header found there would drag a whole tool chain's internals in.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

from kernlint.project.root import SYSTEM_FOLDERS
from kernlint.record import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FILE_NAME = "compile_commands.json"

_MAX_BYTES = 256 << 20


class DatabaseError(Exception):
    """The database cannot be used; the message begins with its path."""


@dataclass(frozen=True, slots=True)
class Flags:
    """What a command says.  Folders and files are absolute; ``target`` is an architecture such as ``sm_80``."""

    defines: tuple[str, ...] = ()
    undefines: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    forced: tuple[str, ...] = ()
    std: str | None = None
    target: str | None = None


NO_FLAGS = Flags()


@dataclass(frozen=True, slots=True)
class Database:
    """The commands of one ``compile_commands.json``, by the real path of the file each compiles."""

    path: str = ""
    commands: Mapping[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)

    def flags(self, path: str) -> Flags:
        """Flags for ``path``; none for a file that no command compiles (a header, say)."""
        found = self.commands.get(os.path.realpath(path))
        return read_flags(found[1], found[0]) if found else NO_FLAGS


def load(path: str) -> Database:
    """Read the database at ``path``, or in the folder ``path``.

    Of several commands for one file the first counts.  Raises :class:`DatabaseError`.
    """
    import json  # only where there is a database

    if os.path.isdir(path):
        path = os.path.join(path, FILE_NAME)
    try:
        if os.path.getsize(path) > _MAX_BYTES:
            raise DatabaseError(f"{path}: is larger than {_MAX_BYTES} bytes")
        with open(path, encoding="utf-8") as handle:
            entries = json.load(handle)
    except OSError as error:
        raise DatabaseError(f"{path}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise DatabaseError(f"{path}: is not UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise DatabaseError(f"{path}:{error.lineno}:{error.colno}: {error.msg}") from None
    if not isinstance(entries, list):
        raise DatabaseError(f"{path}: is not a list of commands")
    commands: dict[str, tuple[str, tuple[str, ...]]] = {}
    for number, entry in enumerate(entries, 1):
        try:
            folder, file, arguments = _entry(entry)
        except (KeyError, TypeError, ValueError) as error:
            raise DatabaseError(f"{path}: command {number} is not of the known form ({error})") from None
        folder = os.path.join(os.path.dirname(os.path.abspath(path)), folder)
        commands.setdefault(os.path.realpath(os.path.join(folder, file)), (folder, arguments))
    return Database(path, commands)


def _entry(entry: Any) -> tuple[str, str, tuple[str, ...]]:
    arguments = entry["arguments"] if "arguments" in entry else _split(entry["command"])
    if not all(isinstance(argument, str) for argument in arguments):
        raise TypeError("an argument is no string")
    return str(entry["directory"]), str(entry["file"]), tuple(arguments)


def _split(command: str) -> list[str]:
    import shlex  # most databases need it, most runs have none

    return shlex.split(command)


class Lookup:
    """The flags of files by the database that is named for them, or else found beside or above them.

    ``problems``: what is wrong with databases, each said once.
    """

    def __init__(self) -> None:
        self.problems: list[str] = []
        self._found: dict[str, str | None] = {}
        self._databases: dict[str, Database] = {}

    def flags(self, path: str, database: str | None) -> Flags:
        """What the compile command of the file at ``path`` says."""
        if database is None:
            folder = os.path.dirname(path)
            if folder not in self._found:
                self._found[folder] = find(folder)
            database = self._found[folder]
        if database is None:
            return NO_FLAGS
        if database not in self._databases:
            try:
                self._databases[database] = load(database)
            except DatabaseError as error:
                self._databases[database] = Database()
                self.problems.append(str(error))
        return self._databases[database].flags(path)


def find(folder: str) -> str | None:
    """The database beside or above ``folder``, or in a ``build`` folder there."""
    folder = os.path.abspath(folder)
    while True:
        for place in (folder, os.path.join(folder, "build")):
            path = os.path.join(place, FILE_NAME)
            if os.path.isfile(path):
                return path
        parent = os.path.dirname(folder)
        if parent == folder or os.path.exists(os.path.join(folder, ".git")):
            return None
        folder = parent


_PREFIXES = {"-D": "define", "-U": "undefine", "-I": "include", "-isystem": "include", "-iquote": "include"}
_WORDS = {
    "--define-macro": "define",
    "--undefine-macro": "undefine",
    "--include-path": "include",
    "-include-path": "include",
    "--system-include": "include",
    "-include": "forced",
    "--pre-include": "forced",
    "-std": "std",
    "--std": "std",
    "-cl-std": "std",
    "-arch": "target",
    "--gpu-architecture": "target",
    "--cuda-gpu-arch": "target",
    "--offload-arch": "target",
}


def read_flags(arguments: Sequence[str], folder: str) -> Flags:
    """The flags that matter among ``arguments``, whose relative paths start from ``folder``."""
    found: dict[str, list[str]] = {}
    for kind, value in _pairs(arguments):
        if kind in ("include", "forced"):
            value = os.path.normpath(os.path.join(folder, value))
            if kind == "include" and value.startswith(SYSTEM_FOLDERS):
                continue
        if value not in found.setdefault(kind, []):
            found[kind].append(value)
    standards = found.get("std", [])
    targets = [name for value in found.get("target", ()) if (name := _architecture(value))]
    return Flags(
        defines=tuple(found.get("define", ())),
        undefines=tuple(found.get("undefine", ())),
        include=tuple(found.get("include", ())),
        forced=tuple(found.get("forced", ())),
        std=standards[-1] if standards else None,
        target=targets[0] if targets else None,
    )


def _pairs(arguments: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(kind, value) of each flag that is known, in order: ``-Dx``, ``-D x``, ``--flag=x`` or ``--flag x``."""
    rest = iter(arguments)
    for argument in rest:
        word, equals, value = argument.partition("=")
        if word in _WORDS:
            yield _WORDS[word], value if equals else next(rest, "")
            continue
        for prefix, kind in _PREFIXES.items():
            if argument.startswith(prefix):
                value = argument[len(prefix) :] or next(rest, "")
                if value:
                    yield kind, value
                break


def _architecture(value: str) -> str | None:
    """``sm_80`` for ``sm_80``, ``compute_80``, ``sm_80,sm_90``; ``gfx90a`` for ``gfx90a:xnack-``."""
    name = value.split(",")[0].split(":")[0].strip().replace("compute_", "sm_")
    return name if name.startswith(("sm_", "gfx")) else None
