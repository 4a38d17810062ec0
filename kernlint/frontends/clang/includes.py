"""Which headers a source names that are not there.

Kernels are analysed without the toolkits they were written for, so most ``#include``s lead nowhere. A header that is
missing would end the parse of what follows it; it is served as an empty file in memory instead, and what it would
have declared comes from the prelude, the stubs, or synthesis. To know the names beforehand, this module reads the
sources the way a preprocessor without conditionals would: every ``#include`` is followed.

A name is looked up as a compiler does it (quoted: beside the including file, then the include folders; in angle
brackets: the include folders), never in system folders. Only regular files count as found.
"""

from __future__ import annotations

import os
import re
import stat
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from kernlint.record import dataclass, field
from kernlint.text.patterns import pattern

if TYPE_CHECKING:
    from kernlint.frontends.base import Served

MAX_FILES = 400
"""Files read for one source."""

MAX_BYTES = 32 * 1024 * 1024
"""Bytes read for one source, over all files."""

OWN_FILES = 250
"""Files read for one source from which on no further header is looked for in the project."""

OWN_BYTES = 6 * 1024 * 1024
"""Bytes read for one source from which on no further header is looked for in the project."""

VIRTUAL_FOLDER = "/__kernlint_virtual__"
"""The include folder, present only in memory, that holds the missing headers."""

_GAP = rb"(?:[ \t\f\v]|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/)*"
_DIRECTIVE = pattern(
    rb"^"
    + _GAP
    + rb"(?:#|%:|\?\?=)"
    + _GAP
    + rb"(?:include(?:_next)?|import)"
    + _GAP
    + rb"(?:\"([^\"\n]+)\"|<([^>\n]+)>|([A-Za-z_]\w*)(?:[ \t]*\([ \t]*([\w./+-]+\.\w+)[ \t]*\))?)",
    re.MULTILINE,
)
_DEFINED_WITH_PARAMETERS = pattern(rb"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)\(", re.MULTILINE)
_CONTINUED = pattern(rb"\\\r?\n")
_TESTED = pattern(rb"__has_include(?:_next)?[ \t]*\([ \t]*(?:\"([^\"\n]+)\"|<([^>\n]+)>)")
_NAMING_MACRO = pattern(rb"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)[ \t]+(?:\"([^\"\n]+)\"|<([^>\n]+)>)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class IncludeScan:
    """What the sources include.

    ``missing`` are the names as written, ``virtual`` the paths at which empty files must be served so that the parser
    finds them. ``found`` are the local headers, in the order they were met. ``refused`` are notes for the user: headers
    that exist but are no regular files, or that were left unread because a limit was reached. ``texts`` is what must be
    served at other paths, so that headers of the project are found that no include folder has. ``namers`` are macros
    that no file defines and that make the name of a header of their argument (``#include TEXT(a.h)``): the build gives
    them.  ``size``: bytes of all that was read.
    """

    missing: frozenset[str]
    virtual: frozenset[str]
    found: tuple[str, ...]
    refused: tuple[str, ...]
    texts: Mapping[str, bytes] = field(default_factory=dict)
    namers: tuple[str, ...] = ()
    size: int = 0


FindOwn = Callable[[str, str], "Served | None"]
"""Finds the header of the project that a name means in a file."""


def scan_includes(  # noqa: C901 - one walk over a queue, whose cases share their sets
    path: str,
    text: bytes,
    include_dirs: tuple[str, ...] = (),
    *,
    known: frozenset[str] = frozenset(),
    look: Callable[[bytes], None] | None = None,
    resolved: Callable[[str], None] | None = None,
    probed: Callable[[str], None] | None = None,
    own: FindOwn | None = None,
    unwrap: Callable[[bytes], bytes] | None = None,
) -> IncludeScan:
    """Follow all ``#include``s of a source from ``path``, whose content is ``text``.

    A missing header that the source tests with ``__has_include`` stays missing, so that its fallback is taken, unless
    ``known`` (the prelude declares what it would) has it. ``look`` is called with the content of every file read,
    ``resolved`` with the name, as written, of every header found, ``probed`` with every path one was looked for at.
    ``own`` finds headers of the project that no include folder has. ``unwrap`` gives what is to be served in place of a
    header's text.
    """
    missing: set[str] = set()
    virtual: set[str] = set()
    odds: set[str] = set()
    found: list[str] = []
    refused: list[str] = []
    tested: set[str] = set()
    computed: set[str] = set()
    calls: set[bytes] = set()
    defined: set[bytes] = set()
    naming: dict[bytes, tuple[bytes, bytes]] = {}
    seen: set[object] = set()
    project = _Project(own)
    queue: deque[tuple[str, bytes | None]] = deque([(path, text)])
    total = 0
    while queue:
        name, content = queue.popleft()
        if content is None:
            if len(found) >= MAX_FILES or total >= MAX_BYTES:
                refused.append(f"{name}: not read, too many headers")
                continue
            content = _read(name, MAX_BYTES - total)
            if content is None:
                refused.append(f"{os.path.normpath(name)}: cannot be read")
                odds.add(name)
                continue
            found.append(name)
            if unwrap is not None and (inner := unwrap(content)) != content:
                project.texts[name] = content = inner
        total += len(content)
        if look is not None:
            look(content)
        if b"#" not in content and b"%:" not in content:
            continue  # no directive
        if b"\\\n" in content or b"\\\r\n" in content:
            content = _CONTINUED.sub(b"", content)
        beside = os.path.dirname(name) or os.curdir  # as clang spells it, and it must find what is served in memory
        tested.update(_text(quoted or angled) for quoted, angled in _TESTED.findall(content))
        for macro, quoted, angled in _NAMING_MACRO.findall(content):
            naming.setdefault(macro, (quoted, angled))
        defined.update(_DEFINED_WITH_PARAMETERS.findall(content))
        for quoted, angled, macro, written in _DIRECTIVE.findall(content):
            if macro:
                if macro not in naming:
                    computed.add(beside)
                quoted, angled = naming.get(macro, (written, b""))
                if written:
                    calls.add(macro)
            header = _text(quoted or angled)
            if not header:
                continue
            target, odd = _resolve(header, beside if quoted else None, include_dirs, probed)
            if target is None and odd is None and len(found) < OWN_FILES and total < OWN_BYTES:
                target = project.find(header, name, beside, bool(quoted), bool(written))
                if target is not None and probed is not None:
                    probed(target)
            if odd is not None:
                refused.append(f"{os.path.normpath(odd)}: not a regular file; the header is not read")
                odds.add(odd)
            if target is not None:
                if resolved is not None:
                    resolved(header)
                made = project.made.get(target)
                identity = target if made is not None else _identity(target)
                if identity not in seen:
                    seen.add(identity)
                    queue.append((target, made))
            elif odd is None:
                missing.add(header)
                virtual.add(_virtual_path(header, beside))
    if computed:
        odds.update(_odd_files({*computed, *include_dirs, "/dev"}))
    for header in tested - known:
        virtual.discard(_virtual_path(header, ""))
    virtual |= odds
    virtual -= project.texts.keys()
    return IncludeScan(
        frozenset(missing),
        frozenset(virtual),
        tuple(found),
        tuple(dict.fromkeys(refused)),
        project.texts,
        tuple(sorted(_text(name) for name in calls - defined)),
        total,
    )


class _Project:
    """Headers of the project that were found, and what must be served so that the parser finds them too.

    At the name, in the folder that exists in memory only, stands an ``#include`` of the file itself.  A name that means
    another file in another folder is served beside the file that includes it.
    """

    def __init__(self, own: FindOwn | None) -> None:
        self._own = own
        self._at: dict[str, str] = {}
        self.texts: dict[str, bytes] = {}
        self.made: dict[str, bytes] = {}

    def find(self, header: str, includer: str, beside: str, quoted: bool, computed: bool) -> str | None:
        """The path of the header; None when the project does not have it.

        ``computed``: macros make the name, so that words of its folders may be macros too.
        """
        if self._own is None or os.path.isabs(header):
            return None
        served = self._own(header, includer)
        if served is None and computed and "/" in header:
            served = self._own(header.rpartition("/")[2], includer)
        if served is None or not (served.text is not None or os.path.isfile(served.path)):
            return None
        place = _virtual_path(header, beside)
        if self._at.setdefault(place, served.path) != served.path:
            if not quoted:
                return self._at[place]
            place = os.path.join(beside, header)
            self._at[place] = served.path
        if served.text is not None:
            self.made[served.path] = self.texts[served.path] = served.text
        self.texts[place] = b'#include "%b"\n' % os.fsencode(served.path).replace(b"\\", b"/")
        return served.path


def _text(name: bytes) -> str:
    return os.fsdecode(name).strip()


def _resolve(
    header: str, beside: str | None, dirs: tuple[str, ...], probed: Callable[[str], None] | None
) -> tuple[str | None, str | None]:
    """The first regular file the name leads to, and the first other thing met before it."""
    for folder in ([] if beside is None else [beside]) + list(dirs):
        candidate = os.path.join(folder, header)
        if probed is not None:
            probed(candidate)
        try:
            mode = os.stat(candidate).st_mode
        except (OSError, ValueError):
            continue
        if stat.S_ISREG(mode):
            return candidate, None
        return None, candidate
    return None, None


def _odd_files(folders: set[str]) -> Iterator[str]:
    """FIFOs, devices and sockets directly in ``folders``: a name that macros put together must not open one."""
    for folder in sorted(folders):
        try:
            with os.scandir(folder) as entries:
                yield from (entry.path for entry in entries if not (entry.is_dir() or entry.is_file()))
        except OSError:
            continue


def _identity(path: str) -> object:
    status = os.stat(path)
    return (status.st_dev, status.st_ino) if status.st_ino else os.path.realpath(path)


def _read(path: str, limit: int) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read(limit)
    except OSError:
        return None


def _virtual_path(header: str, beside: str) -> str:
    """Where the parser will look for a header that is nowhere; names that climb out of a folder need their own."""
    if os.path.isabs(header):
        return header
    if os.path.normpath(header).startswith(os.pardir):
        return os.path.join(beside, header)
    return f"{VIRTUAL_FOLDER}/{header}"
