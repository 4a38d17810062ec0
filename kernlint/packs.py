"""Which packages are rule packs: the entry points of the group ``kernlint.rules``.

``importlib.metadata`` answers the same question, but importing it costs more than a tenth of a whole run over one
file.  So the ``entry_points.txt`` files on ``sys.path`` are read here; their format is fixed by the packaging
specifications (https://packaging.python.org/en/latest/specifications/entry-points/).
"""

from __future__ import annotations

import os
import sys

GROUP = "kernlint.rules"


_known: dict[tuple[tuple[str, int], ...], tuple[tuple[str, str], ...]] = {}


def installed() -> list[tuple[str, str]]:
    """(name, package) of every installed pack, sorted.

    A distribution found first on ``sys.path`` hides one of the same name further on, as it does for imports.  The
    folders are read again once something was installed there.
    """
    state = tuple([(folder, _changed(folder)) for folder in sys.path])
    if state not in _known:
        _known.clear()
        _known[state] = tuple(_installed())
    return list(_known[state])


def _changed(folder: str) -> int:
    """When the names in a folder changed last, in nanoseconds; 0 for none."""
    try:
        return os.stat(folder or os.getcwd()).st_mtime_ns
    except OSError:
        return 0


def _installed() -> list[tuple[str, str]]:
    packs: set[tuple[str, str]] = set()
    seen: set[str] = set()
    for folder in sys.path:
        try:
            entries = os.listdir(folder or os.getcwd())
        except OSError:  # a zip file, or nothing
            continue
        for entry in entries:
            if not entry.endswith((".dist-info", ".egg-info")):
                continue
            distribution = entry.partition("-")[0].removesuffix(".egg").lower()
            if distribution in seen:
                continue
            try:
                with open(os.path.join(folder, entry, "entry_points.txt"), encoding="utf-8") as handle:
                    text = handle.read()
            except (OSError, UnicodeDecodeError):
                continue
            if GROUP in text:
                seen.add(distribution)
                packs |= _group(text)
    return sorted(packs)


def _group(text: str) -> set[tuple[str, str]]:
    """The ``name = package`` lines of our group."""
    found = set()
    inside = False
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            inside = line == f"[{GROUP}]"
        elif inside and "=" in line and not line.startswith(("#", ";")):
            name, _, value = line.partition("=")
            found.add((name.strip(), value.partition("[")[0].strip()))
    return found
