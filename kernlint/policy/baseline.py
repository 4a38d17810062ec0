"""Baselines: findings that were there when a project took kernlint up, and do not count until they are touched.

A baseline is a JSON file of fingerprints.  Those hold rule, kernel and marked text without white space, so an entry
goes on fitting when lines move or are reformatted.  Paths are relative to the folder of the baseline: it can be used
from any folder and committed.  An entry whose file is gone fits the same finding in another file (a file was renamed).
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Sequence
from typing import Any

from kernlint.policy import fingerprint
from kernlint.record import dataclass, replace
from kernlint.result import Result, Suppression
from kernlint.text.writing import replace_file

VERSION = 1
"""Raised when an older kernlint would misread the file."""

KIND = "external"
"""The kind of suppression, as SARIF calls it."""

_FIELDS = ("file", "code", "kernel", "fingerprint", "message")


class BaselineError(Exception):
    """The baseline cannot be used; the message is one clear line that begins with its path."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One known finding.  ``file`` is relative to the baseline's folder, with forward slashes.

    ``code``, ``kernel`` and ``message`` are there for people who read the file.
    """

    file: str
    code: str
    kernel: str
    fingerprint: str
    message: str


@dataclass(frozen=True, slots=True)
class Baseline:
    """The entries of one file."""

    path: str
    entries: tuple[Entry, ...] = ()


def read(path: str) -> Baseline:
    """Read the baseline at ``path``.  Raises :class:`BaselineError`."""
    try:
        with open(path, encoding="utf-8") as handle:
            whole: Any = json.load(handle)
    except OSError as error:
        raise BaselineError(f"baseline {path}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise BaselineError(f"baseline {path}: is not UTF-8 text") from None
    except (json.JSONDecodeError, RecursionError) as error:
        where = (
            f":{error.lineno}:{error.colno}: {error.msg}" if isinstance(error, json.JSONDecodeError) else ": too deep"
        )
        raise BaselineError(f"baseline {path}{where}") from None
    version = whole.get("kernlint-baseline") if isinstance(whole, dict) else None
    if not isinstance(version, int) or isinstance(version, bool) or not isinstance(whole.get("findings"), list):
        raise BaselineError(f"baseline {path}: is no baseline; --write-baseline {path} makes one")
    if version > VERSION or (version == VERSION and whole.get("fingerprints") != fingerprint.VERSION):
        raise BaselineError(
            f"baseline {path}: was written by another version of kernlint (format {version}, fingerprints "
            f"{whole.get('fingerprints')}; this one reads {VERSION}, {fingerprint.VERSION}); write it anew"
        )
    entries = []
    for number, item in enumerate(whole["findings"], 1):
        values = [item.get(name) for name in _FIELDS] if isinstance(item, dict) else [None]
        if not all(isinstance(value, str) for value in values):
            raise BaselineError(f"baseline {path}: finding {number} is not of the known form")
        entries.append(Entry(*values))
    return Baseline(path, tuple(entries))


def write(baseline: Baseline) -> None:
    """Write the baseline to its path, at once or not at all.  Raises :class:`BaselineError`."""
    entries = sorted(baseline.entries, key=lambda e: (e.file, e.code, e.kernel, e.message, e.fingerprint))
    whole = {
        "kernlint-baseline": VERSION,
        "fingerprints": fingerprint.VERSION,
        "findings": [{name: getattr(entry, name) for name in _FIELDS} for entry in entries],
    }
    try:
        replace_file(baseline.path, (json.dumps(whole, indent=1, ensure_ascii=False) + "\n").encode())
    except OSError as error:
        raise BaselineError(f"baseline {baseline.path}: cannot be written: {error.strerror or error}") from None


def of(path: str, results: Sequence[Result]) -> Baseline:
    """A baseline at ``path`` of all ``results`` that no directive in the source silences."""
    folder = _folder(path)
    kept = [r for r in results if r.suppression is None or r.suppression.kind == KIND]
    return Baseline(path, tuple(_entry(result, folder) for result in kept))


def apply(baseline: Baseline, results: Sequence[Result]) -> tuple[list[Result], list[Entry]]:
    """``results`` with those of the baseline suppressed, and the entries that fit none.

    Every entry stands for one finding; a directive in the source goes before the baseline and uses the entry up.
    """
    folder = _folder(baseline.path)
    left: dict[tuple[str, str], list[Entry]] = {}
    for entry in baseline.entries:
        left.setdefault((entry.file, entry.fingerprint), []).append(entry)
    marked: list[Result] = []
    unknown: list[int] = []
    for result in results:
        entries = left.get((_shown(result.finding.span.file, folder), result.fingerprint))
        if entries:
            entries.pop()
            result = _suppressed(result)
        elif result.suppression is None:
            unknown.append(len(marked))
        marked.append(result)
    if unknown:
        moved: dict[str, list[Entry]] = {}
        gone: dict[str, bool] = {}
        for entries in left.values():
            for entry in entries:
                if entry.file not in gone:
                    gone[entry.file] = not os.path.exists(os.path.join(folder, entry.file))
                if gone[entry.file]:
                    moved.setdefault(entry.fingerprint, []).append(entry)
        for index in unknown:
            if candidates := moved.get(marked[index].fingerprint):
                entry = candidates.pop()
                left[entry.file, entry.fingerprint].remove(entry)
                marked[index] = _suppressed(marked[index])
    return marked, [entry for entries in left.values() for entry in entries]


def pruned(
    baseline: Baseline,
    results: Sequence[Result],
    stale: Sequence[Entry],
    analysed: Collection[str],
    ran: Callable[[str, str], bool],
) -> Baseline:
    """``baseline`` without the ``stale`` entries that this run proves to be done with, moved ones up to date.

    That is the case when their file is gone, or when it is among ``analysed`` and the rule looked at all of it
    (``ran(path, code)``).  ``results`` are those of :func:`apply`.
    """
    folder = _folder(baseline.path)
    paths = {_shown(path, folder): path for path in analysed}
    kept = []
    for entry in stale:
        path = paths.get(entry.file)
        done = ran(path, entry.code) if path is not None else not os.path.exists(os.path.join(folder, entry.file))
        if not done:
            kept.append(entry)
    known = [result for result in results if result.suppression is not None and result.suppression.kind == KIND]
    return Baseline(baseline.path, (*kept, *(_entry(result, folder) for result in known)))


def _suppressed(result: Result) -> Result:
    if result.suppression is not None:
        return result
    return replace(result, suppression=Suppression(KIND, "in the baseline"))


def _entry(result: Result, folder: str) -> Entry:
    finding = result.finding
    return Entry(_shown(finding.span.file, folder), finding.code, finding.kernel, result.fingerprint, finding.message)


def _folder(path: str) -> str:
    return os.path.dirname(os.path.realpath(path))


def _shown(path: str, folder: str) -> str:
    real = os.path.realpath(path)
    try:
        return os.path.relpath(real, folder).replace(os.sep, "/")
    except ValueError:  # another drive
        return real.replace(os.sep, "/")
