"""Python programs that read the sources of kernels from files and hand them to a compiler.

Such a program need not name the file: it may be given the name, or put it together.  Who launches the kernels then is
among those that import from it.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator

from kernlint.project.facts import FileFacts
from kernlint.project.hostoptions import named_sources
from kernlint.project.table import Table
from kernlint.record import dataclass
from kernlint.text.patterns import pattern

MOST = 40
"""Programs of one project that are looked at."""

_MAKES = pattern(rb"\b(?:Dynamic)?SourceModule\b|\bRaw(?:Module|Kernel)\b|\bProgram\s*\(")
_READS = pattern(rb"\bopen\s*\(|\.(?:read(?:_text|_bytes|_string)?|get_data|resource_string|get_source)\b")


@dataclass(frozen=True, slots=True)
class Loader:
    """A program that reads sources: its path, and the names of files that it has, with ``%s`` for what it fills in."""

    path: str
    sources: tuple[str, ...]


def loaders(facts: Table[FileFacts], read: Callable[[str], bytes]) -> Iterator[Loader]:
    """The programs of a project that read sources of kernels; ``read`` gives the text of one."""
    count = 0
    for path, _ in facts.column("launches"):
        if path[-3:].lower() != ".py" or not facts.rows[path] or not facts[path].launches:
            continue
        text = read(path)
        if _MAKES.search(text) is None or _READS.search(text) is None:
            continue
        yield Loader(path, named_sources(text))
        count += 1
        if count == MOST:
            return


def may_load(loader: Loader, path: str, matches: Callable[[str, str], bool]) -> bool:
    """Whether a program may read the file at ``path``: it has its name, or no name of a source at all."""
    name = posixpath.basename(path)
    return not loader.sources or any(matches(posixpath.basename(source), name) for source in loader.sources)
