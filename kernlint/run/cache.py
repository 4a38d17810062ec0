"""Results of earlier runs, by the content of everything they came from.

One file holds what a run from one folder under one configuration knows: for each source the digests of its bytes, of
its settings and of every header it read (and that those it looked for in vain are still not there), with its outcome.
It is named after a digest of folder, configuration and code, begins with a digest of its own content, and is replaced
at once: a damaged or half-written file is taken for none, and of two runs at the same time the last one wins.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Sequence

from kernlint.policy.config import Config
from kernlint.project.cachefolder import cache_folder
from kernlint.project.compiledb import Flags
from kernlint.record import dataclass, field, fields
from kernlint.source import MAX_BYTES, SourceFile
from kernlint.text.digest import hexdigest
from kernlint.text.writing import replace_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernlint.project import Project
    from kernlint.run.outcome import FileOutcome

KEEP = 48
"""Files of results kept in the cache folder; those not used for longest are removed."""

_MAGIC = b"kernlint results 2 "
_DIGITS = 32
_PASSED_OVER = ("path", "cache", "fail_on", "min_confidence", "exclude")
"""Settings that do not change what is found in a file."""


@dataclass(frozen=True, slots=True)
class Key:
    """What a source is known by: the digests of its bytes and of the settings it is read under."""

    path: str
    source: str
    settings: str


@dataclass(slots=True)
class Cache:
    """The results known for a run from ``folder`` under ``config``.  ``problem`` says why they cannot be kept.

    A cache that cannot be used knows nothing and says so once; no method raises.
    """

    folder: str
    config: Config
    problem: str | None = None
    _file: str = ""
    _loaded: bool = False
    _started: int = field(default_factory=time.time_ns)
    _entries: dict[str, Any] = field(default_factory=dict)
    _new: dict[str, Any] = field(default_factory=dict)
    _valid: set[str] = field(default_factory=set)
    _settings: dict[tuple[int, int], tuple[Config, Flags, str]] = field(default_factory=dict)
    _states: dict[str, str] = field(default_factory=dict)

    def load(self) -> None:
        """Read what earlier runs left, once; whoever asks what is known does so when it is first needed."""
        if self._loaded:
            return
        self._loaded = True
        from kernlint.run import codeprint

        try:
            folder = os.path.join(cache_folder(), "results")
            name = "\0".join((codeprint.digest(folder), os.path.realpath(self.folder), self.settings(self.config)))
        except (OSError, RuntimeError) as error:
            self.problem = _reason(error)
            return
        self._file = os.path.join(folder, hexdigest(name.encode("utf-8", "surrogateescape")))
        self._entries, self._valid = _read(self._file)
        if self._entries:
            with contextlib.suppress(OSError):
                os.utime(self._file)  # it is in use

    def settings(self, config: Config, flags: Flags | None = None) -> str:
        """A digest of the settings, and of a file's flags, that its results depend on."""
        flags = flags or _NO_FLAGS
        known = self._settings.get((id(config), id(flags)))
        if known is None:
            parts = [repr(getattr(config, f.name)) for f in fields(config) if f.name not in _PASSED_OVER]
            text = "\0".join((*parts, repr(flags)))
            # Both are kept, so that no other object can get their place in memory.
            known = self._settings[id(config), id(flags)] = (config, flags, hexdigest(text.encode(), _DIGITS))
        return known[2]

    def knows(self, config: Config) -> bool:
        """Whether an earlier run found ``config`` sound."""
        self.load()
        return self.settings(config) in self._valid

    def trust(self, config: Config) -> None:
        """Remember that ``config`` was found sound."""
        self._valid.add(self.settings(config))

    def key(self, path: str, config: Config, flags: Flags, text: SourceFile | None = None) -> Key | None:
        """How the file at ``path``, or ``text`` in its place, is known; None when it is not to be cached."""
        if text is not None:
            return Key(path, hexdigest(text.data), self.settings(config, flags)) if text.encoding == "utf-8" else None
        state = self._state(path)
        return Key(path, state, self.settings(config, flags)) if state else None

    def get(self, key: Key, project: Callable[[], Project] | None = None) -> FileOutcome | None:
        """The outcome of the file, if nothing it came from has changed; ``project`` is asked again what it was."""
        entry = self._entries.get(key.path)
        if entry is None:
            return None
        from kernlint.run import codec

        try:
            source, settings, depends, asked, data = entry
            if source != key.source or settings != key.settings:
                return None
            if any(self._state(path) != state for path, state in depends):
                return None
            if asked and (project is None or not _same(project(), asked)):
                return None
            return codec.decode(key.path, data)
        except (ValueError, TypeError, IndexError, KeyError, AttributeError):
            return None  # written by another hand

    def depends(self, path: str) -> tuple[str, ...]:
        """The headers, those looked for in vain among them, that the known outcome of the file at ``path`` is from."""
        entry = self._new.get(path) or self._entries.get(path)
        try:
            return tuple(header for header, _ in entry[2]) if entry is not None else ()
        except (ValueError, TypeError, IndexError):
            return ()  # written by another hand

    def put(self, key: Key, outcome: FileOutcome) -> None:
        """Keep an outcome, unless something failed in it or what it came from changed while it was made."""
        if outcome.lost or outcome.unread or any(note.kind == "rule-crash" for note in outcome.notifications):
            return
        if any(self._is_fresh(path) for path in (key.path, *outcome.depends)):
            return
        from kernlint.run import codec

        depends = [[path, self._state(path)] for path in outcome.depends]
        asked = [[*question, answer] for question, answer in outcome.asked.items()]
        self._new[key.path] = [key.source, key.settings, depends, asked, codec.encode(outcome)]

    def save(self) -> None:
        """Write what is new, with what another run wrote meanwhile and the files of this folder that still exist."""
        if not self._new or self.problem is not None:
            return
        import json  # only where there is something to keep, or was

        entries, valid = _read(self._file)
        known = {**entries, **self._new}
        kept = {path: entry for path, entry in known.items() if path in self._new or os.path.exists(path)}
        text = json.dumps([sorted(valid | self._valid), kept], ensure_ascii=True, separators=(",", ":")).encode()
        try:
            os.makedirs(os.path.dirname(self._file), mode=0o700, exist_ok=True)
            replace_file(self._file, _MAGIC + hexdigest(text).encode() + b"\n" + text)
        except OSError as error:
            self.problem = f"{os.path.dirname(self._file)}: {error.strerror or error}"
            return
        _prune(os.path.dirname(self._file))

    def _state(self, path: str) -> str:
        """A digest of the bytes of a file; empty when there is none to read."""
        state = self._states.get(path)
        if state is None:
            state = self._states[path] = _digest_of(path)
        return state

    def _is_fresh(self, path: str) -> bool:
        """Whether the file was written since the run began, so that nobody knows which bytes were analysed."""
        try:
            return os.stat(path).st_mtime_ns >= self._started
        except OSError:
            return False


_NO_FLAGS = Flags()


def _same(project: Project, asked: Sequence[Sequence[str]]) -> bool:
    """Whether the project still gives the same answers to what it was asked."""
    return all(project.digest(tuple(question)) == answer for *question, answer in asked)


def _digest_of(path: str) -> str:
    import stat

    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
            return ""
        with open(path, "rb", buffering=0) as handle:
            return hexdigest(handle.read())
    except (OSError, ValueError):
        return ""


def _read(path: str) -> tuple[dict[str, Any], set[str]]:
    """Entries and sound settings of a file of results; nothing for one that is not there or is damaged."""
    try:
        with open(path, "rb") as handle:
            whole = handle.read()
        head, _, text = whole.partition(b"\n")
        if head != _MAGIC + hexdigest(text).encode():
            return {}, set()
        import json

        valid, entries = json.loads(text)
        return dict(entries), set(valid)
    except (OSError, ValueError, TypeError):
        return {}, set()


def _prune(folder: str) -> None:
    """Remove the files that were not used for longest, drafts that a killed process left among them."""
    ages = []
    with contextlib.suppress(OSError):
        for entry in os.scandir(folder):
            with contextlib.suppress(OSError):  # another process was faster
                ages.append((entry.stat().st_mtime, entry.path))
    for _, path in _oldest(ages):
        with contextlib.suppress(OSError):
            os.unlink(path)


def _oldest(ages: Sequence[tuple[float, str]]) -> list[tuple[float, str]]:
    return sorted(ages, reverse=True)[KEEP:]


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)
