"""Preludes compiled once.

Parsing the prelude as text costs some 20 ms a source, loading it precompiled 2 ms. A precompiled prelude is kept in
the user's cache folder (see :mod:`kernlint.project.cachefolder`) under a name made of a digest of everything it depends
on and a digest of its own bytes: a damaged file is never handed to clang, and two processes that write at once write
the same name. Where the folder cannot be written, or the cache is off, a temporary folder serves for the life of the
process, once enough sources are parsed to pay for it.

``build`` is a function that compiles, given by the session; this module knows files only.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import os
import threading
from collections.abc import Callable, Sequence

from kernlint.project.cachefolder import cache_folder
from kernlint.record import dataclass, field
from kernlint.text.digest import blake2b

KEEP = 24
"""Precompiled preludes kept in the cache folder; older ones are removed."""

PAYS_AFTER = 3
"""Sources parsed with one prelude as text before a temporary precompiled one is made."""

ROOM = 16 << 20
"""Bytes that must be free before a prelude is compiled; one takes up to a few megabytes."""

_SUFFIX = ".pch"
_DIGITS = 24

Build = Callable[[str], bool]


def digest(parts: Sequence[str | bytes]) -> str:
    """A name for a sequence of texts; different sequences get different names."""
    state = blake2b(digest_size=32)
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        state.update(len(data).to_bytes(8, "little"))
        state.update(data)
    return state.hexdigest()[:_DIGITS]


@dataclass(slots=True)
class PreludeCache:
    """The precompiled preludes this process knows of.

    ``problem`` says why the cache folder could not be used; ``temporary`` is the folder that serves in its place.
    """

    problem: str | None = None
    temporary: str | None = None
    _ready: dict[str, str | None] = field(default_factory=dict)
    _asked: dict[str, int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self, key: str, build: Build, use_cache: bool) -> str | None:
        """The precompiled prelude for ``key``, made with ``build`` if need be; None: use the text."""
        with self._lock:
            if key in self._ready:
                return self._ready[key]
            if use_cache and self.problem is None:
                path = self._from_cache(key, build)
                if path is not None or self.problem is None:
                    self._ready[key] = path
                    return path
            asked = self._asked[key] = self._asked.get(key, 0) + 1
            if asked <= PAYS_AFTER:
                return None
            try:
                path = self._make(self._temporary_folder(), key, build)
            except OSError:
                path = None
            self._ready[key] = path
            return path

    def forget(self, key: str) -> None:
        """Use the text from now on: clang would not read the precompiled prelude after all."""
        with self._lock:
            path = self._ready.get(key)
            self._ready[key] = None
            if path is not None:
                _unlink(path)

    def _from_cache(self, key: str, build: Build) -> str | None:
        try:
            folder = os.path.join(cache_folder(), "preludes")
            os.makedirs(folder, mode=0o700, exist_ok=True)
            for name in os.listdir(folder):
                if not (name.startswith(f"{key}-") and name.endswith(_SUFFIX)):
                    continue
                path = os.path.join(folder, name)
                if name == _named(key, path):
                    return path
                _unlink(path)
            made = self._make(folder, key, build)
            if made is not None:
                _prune(folder)
            return made
        except (OSError, RuntimeError) as error:  # RuntimeError: there is no home folder
            self.problem = str(error)
            return None

    def _make(self, folder: str | None, key: str, build: Build) -> str | None:
        if folder is None:
            return None
        import tempfile  # only to build one: it is slow to import

        descriptor, draft = tempfile.mkstemp(suffix=".tmp", prefix=key, dir=folder)
        try:
            try:
                _check_room(descriptor, folder)
            finally:
                os.close(descriptor)
            if not build(draft):
                return None
            target = os.path.join(folder, _named(key, draft))
            os.replace(draft, target)
            return target
        finally:
            _unlink(draft)

    def _temporary_folder(self) -> str | None:
        if self.temporary is None:
            try:
                import tempfile

                self.temporary = tempfile.mkdtemp(prefix="kernlint-")
            except OSError:
                return None
            atexit.register(_remove, self.temporary, os.getpid())
        return self.temporary


def _named(key: str, path: str) -> str:
    """The name under which the content of ``path`` is kept."""
    with open(path, "rb") as handle:
        return f"{key}-{digest([handle.read()])}{_SUFFIX}"


def _unlink(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)


def _check_room(descriptor: int, folder: str) -> None:
    """Raise :class:`OSError` unless :data:`ROOM` can be written: libclang ends the process when the disk is full."""
    reserve = getattr(os, "posix_fallocate", None)
    if reserve is None:
        import shutil

        if shutil.disk_usage(folder).free < ROOM:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), folder)
        return
    try:
        reserve(descriptor, 0, ROOM)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise OSError(error.errno, error.strerror, folder) from None
        # Else the file system cannot reserve.
    finally:
        os.ftruncate(descriptor, 0)


def _remove(folder: str, owner: int) -> None:
    if os.getpid() == owner:  # not in a forked child
        import shutil

        shutil.rmtree(folder, ignore_errors=True)


def _prune(folder: str) -> None:
    """Remove all but the newest files, drafts that a killed process left among them."""
    ages = []
    for entry in os.scandir(folder):
        with contextlib.suppress(OSError):  # another process was faster
            ages.append((entry.stat().st_mtime, entry.path))
    for _, path in sorted(ages, reverse=True)[KEEP:]:
        with contextlib.suppress(OSError):
            os.unlink(path)
