"""Kernels that a file hands to a function or a macro of a header, which launches what it is given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from kernlint.project.facts import FileFacts
from kernlint.project.table import Table
from kernlint.text.patterns import pattern

MOST = 64
"""Headers that launch what they are given, and files with each of them, that are looked at."""

FAR = 3
"""Headers between one that launches and a file that hands it a kernel."""

_HEADERS = (".h", ".hpp", ".hh", ".hxx", ".cuh", ".inl", ".inc")
_HANDED = pattern(rb"[(,]\s*&?\s*(?:\w+::)*([A-Za-z_]\w*)\s*(?:<[^;{}()]*>\s*)?(?=[,)])")


def handed(
    facts: Table[FileFacts], including: Callable[[str], Iterable[str]], text: Callable[[str], bytes]
) -> Mapping[str, list[str]]:
    """Files that hand over a kernel, by its name; all paths are relative to the root.

    A header that launches by a name that no kernel of the project has launches what it is given.  ``including`` says
    which files include a header, ``text`` what stands in a file.
    """
    kernels = {name for _, names in facts.column("kernels") for name in names}
    launching = [
        path
        for path, names in facts.column("launches")
        if path.lower().endswith(_HEADERS) and any(name not in kernels for name in names)
    ][:MOST]
    found: dict[str, list[str]] = {}
    seen = set(launching)
    front = launching
    for _ in range(FAR):
        reached = dict.fromkeys(file for header in front for file in including(header) if file not in seen)
        seen.update(reached)
        for file in list(reached)[:MOST]:
            for name in dict.fromkeys(_HANDED.findall(text(file))):
                if name.decode() in kernels:
                    found.setdefault(name.decode(), []).append(file)
        front = [file for file in reached if file.lower().endswith(_HEADERS)][:MOST]
    return found
