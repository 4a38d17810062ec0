"""The flags that a file is read with: its compile command, else what the builds of its project say, else, for a header,
what a file that includes it is read with."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Protocol

from kernlint.project.compiledb import NO_FLAGS, Flags, Lookup
from kernlint.record import replace

HEADERS = frozenset({".h", ".hh", ".hpp", ".hxx", ".cuh", ".clh", ".inl", ".inc", ".tpp", ".ipp", ".tcc", ".h++"})
"""Suffixes of files that are included rather than compiled."""

MOST = 64
"""Files that are looked at on the way from a header to one that is compiled."""


class Asked(Protocol):
    """What is asked about a project."""

    def defines_for(self, path: str) -> tuple[str, ...]: ...

    def folders_for(self, path: str) -> tuple[str, ...]: ...

    def preludes_for(self, path: str) -> tuple[str, ...]: ...

    def files_including(self, header: str) -> tuple[str, ...]: ...

    def defined_before(self, header: str, includer: str) -> tuple[str, ...]: ...

    def included_before(self, header: str, includer: str) -> tuple[str, ...]: ...


def flags_for(path: str, database: str | None, lookup: Lookup, project: Asked) -> Flags:
    """The flags for the file at ``path``; ``database``: the compile database that settings name."""
    flags = lookup.flags(path, database)
    if flags != NO_FLAGS:
        return flags
    given = Flags(
        defines=project.defines_for(path), include=project.folders_for(path), forced=project.preludes_for(path)
    )
    if os.path.splitext(path)[1].lower() not in HEADERS:
        return given
    first = ""
    for includer, direct in _includers(path, project):
        first = first or direct
        flags = lookup.flags(includer, database)
        if flags != NO_FLAGS:
            first, given = direct, flags
            break
    if not first:
        return given
    before, ahead = project.defined_before(path, first), project.included_before(path, first)
    if not before and not ahead:
        return given
    return replace(given, defines=_joined(given.defines, before), forced=(*given.forced, *ahead))


def _includers(path: str, project: Asked) -> Iterator[tuple[str, str]]:
    """Files that include the header, the nearest first, each with the one that includes it directly on the way."""
    queue = [(includer, includer) for includer in project.files_including(path)]
    seen = {path}
    for includer, direct in queue:  # grows while it is walked
        if includer in seen:
            continue
        seen.add(includer)
        yield includer, direct
        if len(seen) < MOST and os.path.splitext(includer)[1].lower() in HEADERS:
            queue += [(above, direct) for above in project.files_including(includer)]


def _joined(first: tuple[str, ...], then: tuple[str, ...]) -> tuple[str, ...]:
    """Definitions of both, of a macro in both the later one."""
    named = {text.partition("=")[0].partition("(")[0]: text for text in (*first, *then)}
    return tuple(named.values())
