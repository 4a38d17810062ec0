"""Where kernlint may keep files between runs."""

from __future__ import annotations

import os
import sys

CACHE_VARIABLE = "KERNLINT_CACHE_DIR"


def cache_folder() -> str:
    """The folder, which need not exist: ``KERNLINT_CACHE_DIR``, else the platform's (``XDG_CACHE_HOME`` is honoured).

    Raises :class:`RuntimeError` when there is no home folder.
    """
    if override := os.environ.get(CACHE_VARIABLE):
        return override
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.join(_home(), "AppData", "Local")
        return os.path.join(base, "kernlint", "Cache")
    if sys.platform == "darwin":
        return os.path.join(_home(), "Library", "Caches", "kernlint")
    xdg = os.environ.get("XDG_CACHE_HOME", "")
    return os.path.join(xdg if os.path.isabs(xdg) else os.path.join(_home(), ".cache"), "kernlint")


def _home() -> str:
    home = os.path.expanduser("~")
    if home == "~":
        raise RuntimeError("there is no home folder to keep a cache in")
    return home
