"""Which file the settings are in; what it says is read by :mod:`kernlint.policy.config`."""

from __future__ import annotations

import os

from kernlint.project.tree import SETTINGS


def find_file(folder: str, known: dict[str, str | None] | None = None) -> str | None:
    """The nearest configuration file in ``folder`` or above it.  ``known``: what was found for absolute folders, and
    gets what is found now."""
    known = {} if known is None else known
    folder = os.path.abspath(folder)
    passed = []
    found: str | None = None
    while folder not in known:
        passed.append(folder)
        found = _file_in(folder)
        parent = os.path.dirname(folder)
        if found is not None or parent == folder:
            break
        folder = parent
    else:
        found = known[folder]
    known.update(dict.fromkeys(passed, found))
    return found


def _file_in(folder: str) -> str | None:
    for name in SETTINGS:
        path = os.path.join(folder, name)
        if os.path.isfile(path) and counts(path):
            return path
    return None


def counts(path: str) -> bool:
    """Whether the file at ``path`` holds settings: a ``pyproject.toml`` does only with a ``[tool.kernlint]`` table."""
    if os.path.basename(path) != "pyproject.toml":
        return True
    try:
        with open(path, "rb") as handle:
            text = handle.read()
    except OSError:
        return False
    if b"kernlint" not in text:
        return False
    import re

    return re.search(rb"^\s*\[+\s*tool\s*\.\s*[\"']?kernlint\b", text, re.M) is not None
