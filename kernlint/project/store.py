"""Facts about a project's files, kept between runs under the time and size of each file.

One file for each project and kind of facts in the cache folder, begun with a digest of its own content and replaced at
once: a damaged one is taken for none.  A cache that cannot be used costs time and nothing else.  What is in it is plain
data in Python's own form for code, which is read five times faster than JSON.
"""

from __future__ import annotations

import marshal
import os
import sys
import time

from kernlint.project.cachefolder import cache_folder
from kernlint.text.digest import hexdigest
from kernlint.text.writing import replace_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

KEEP = 60
"""Tables kept in the cache folder, a few for each project; those not used for longest are removed."""

SETTLED = 50_000_000
"""Nanoseconds for which a file must have been left alone before its facts are kept."""

_MAGIC = b"kernlint project 3 "

State = tuple[int, int]
"""Time of the last change in nanoseconds and size in bytes."""


def load(root: str, kind: str) -> dict[str, tuple[State, list[Any]]]:
    """What earlier runs found of one kind in the files of the project at ``root``, by path relative to it."""
    try:
        path = _path(root, kind)
        with open(path, "rb") as handle:
            head, _, data = handle.read().partition(b"\n")
        if head != _MAGIC + hexdigest(data).encode():
            return {}
        known = marshal.loads(data)
        os.utime(path)
        return known if isinstance(known, dict) else {}
    except (OSError, RuntimeError, ValueError, TypeError, EOFError):
        return {}


def save(root: str, kind: str, known: Mapping[str, tuple[State, list[Any]]]) -> None:
    """Keep what is known of the project at ``root``, but for files that were written just now."""
    settled = time.time_ns() - SETTLED
    data = marshal.dumps({name: entry for name, entry in known.items() if entry[0][0] < settled})
    try:
        path = _path(root, kind)
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        replace_file(path, _MAGIC + hexdigest(data).encode() + b"\n" + data)
        _prune(os.path.dirname(path))
    except (OSError, RuntimeError):
        return


_CODE = ("facts", "words", "definitions", "hostoptions", "discovery")
"""Modules that find facts."""


def _path(root: str, kind: str) -> str:
    """Where the facts are kept: another place when the root, or the code that finds them, is another."""
    code = [os.stat(os.path.join(os.path.dirname(__file__), f"{module}.py")) for module in _CODE]
    states = [(status.st_size, status.st_mtime_ns) for status in code]
    name = repr((root, kind, sys.implementation.cache_tag, states))
    return os.path.join(cache_folder(), "projects", hexdigest(name.encode("utf-8", "surrogateescape")))


def _prune(folder: str) -> None:
    ages = []
    for entry in os.scandir(folder):
        try:
            ages.append((entry.stat().st_mtime, entry.path))
        except OSError:  # another process was faster
            continue
    for _, path in sorted(ages, reverse=True)[KEEP:]:
        try:
            os.unlink(path)
        except OSError:
            continue
