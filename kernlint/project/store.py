"""Facts about a project's files, kept between runs under the time and size of each file.

One file for each project in the cache folder, begun with a digest of its own content and replaced at once: a damaged
one is taken for none.  A cache that cannot be used costs time and nothing else.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Mapping

from kernlint import discovery
from kernlint.cachefolder import cache_folder
from kernlint.digest import hexdigest
from kernlint.project import facts as extraction
from kernlint.project import hostoptions
from kernlint.project.facts import NOTHING, FileFacts
from kernlint.record import fields
from kernlint.writing import replace_file

KEEP = 24
"""Projects kept in the cache folder; those not used for longest are removed."""

SETTLED = 50_000_000
"""Nanoseconds for which a file must have been left alone before its facts are kept."""

_MAGIC = b"kernlint project 1 "

State = tuple[int, int]
"""Time of the last change in nanoseconds and size in bytes."""

Known = dict[str, tuple[State, FileFacts]]


def load(root: str) -> Known:
    """What earlier runs found in the files of the project at ``root``, by path relative to it."""
    known: Known = {}
    try:
        path = _path(root)
        with open(path, "rb") as handle:
            head, _, text = handle.read().partition(b"\n")
        if head != _MAGIC + hexdigest(text).encode():
            return {}
        for name, (time_ns, size, *lists) in json.loads(text).items():
            known[name] = ((time_ns, size), _facts(lists) if lists else NOTHING)
        os.utime(path)
    except (OSError, RuntimeError, ValueError, TypeError):
        return {}
    return known


def save(root: str, known: Mapping[str, tuple[State, FileFacts]]) -> None:
    """Keep what is known of the project at ``root``, but for files that were written just now."""
    settled = time.time_ns() - SETTLED
    data = {
        name: [*state, *_lists(facts)] if facts is not NOTHING else list(state)
        for name, (state, facts) in known.items()
        if state[0] < settled
    }
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":")).encode()
    with contextlib.suppress(OSError, RuntimeError):
        path = _path(root)
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        replace_file(path, _MAGIC + hexdigest(text).encode() + b"\n" + text)
        _prune(os.path.dirname(path))


def _path(root: str) -> str:
    """Where the facts are kept: another place when the root, or the code that finds them, is another."""
    code = [os.stat(module.__file__ or "") for module in (extraction, hostoptions, discovery)]
    name = repr((root, [(status.st_size, status.st_mtime_ns) for status in code]))
    return os.path.join(cache_folder(), "projects", hexdigest(name.encode("utf-8", "surrogateescape")))


def _lists(facts: FileFacts) -> list[object]:
    return [getattr(facts, field.name) for field in fields(facts)]


def _facts(lists: list[object]) -> FileFacts:
    return FileFacts(*(tuple(item) if isinstance(item, list) else item for item in lists))  # type: ignore[arg-type]


def _prune(folder: str) -> None:
    ages = []
    for entry in os.scandir(folder):
        with contextlib.suppress(OSError):  # another process was faster
            ages.append((entry.stat().st_mtime, entry.path))
    for _, path in sorted(ages, reverse=True)[KEEP:]:
        with contextlib.suppress(OSError):
            os.unlink(path)
