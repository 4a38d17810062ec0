"""Which folder is the project of a file."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SYSTEM_FOLDERS = ("/usr/include", "/usr/lib", "/usr/local/include", "/usr/local/cuda", "/opt/rocm")

BUILD_FILES = ("CMakeLists.txt", "Makefile", "makefile", "GNUmakefile", "setup.py", "pyproject.toml", "meson.build")
"""Files that a folder which is built by itself has."""

LICENSES = ("LICENSE", "LICENCE", "COPYING", "LICENSE.txt", "LICENSE.md", "LICENCE.txt", "LICENCE.md", "COPYING.txt")
"""Files that a folder which is handed out by itself has."""

GAP = 2
"""Folders without a build file between two that are built together, at most."""

_SHARED = ("/tmp", "/var/tmp", "/home")


def root_of(path: str, configured: str, named: Sequence[str]) -> tuple[str, bool]:
    """The real path of the project's folder of the file at ``path``, and whether something marks it as one.

    ``configured``: the folder of the configuration file that counts for the file, "" for none; it is the project when
    the file lies below it. Else it is the work tree of version control around the file, else the nearest folder above
    with a build file (or one further up that has one too), else the nearest one with a license. Where nothing marks one
    it is the common folder of what was ``named``, when that has a folder in it; files alone say nothing of what is
    around them, and the current folder counts, from which somebody looks at them. Both have to be above the file, else
    its own folder is left. A folder that holds everything (of a user, of the system) is no project because of a file
    that lies there.
    """
    folder = os.path.realpath(path)
    if not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    for root in _marked(folder, configured):
        if root and not _holds_everything(root):
            return root, True
    common = _common(named)
    here = "" if any(map(os.path.isdir, named)) else _current()
    for root in (here, common) if len(here) < len(common) else (common,):
        if root and _above(folder, root) and not _holds_everything(root):
            return root, False
    return folder, False


def is_system(root: str) -> bool:
    """Whether the folder is one of the system, which is nobody's project."""
    return os.path.dirname(root) == root or f"{root}/".startswith(tuple(f"{folder}/" for folder in SYSTEM_FOLDERS))


def _marked(folder: str, configured: str) -> Iterator[str]:
    """Folders that something marks as the project around ``folder``, best first; "" for a mark that is not there."""
    if configured:
        yield _above(folder, os.path.realpath(configured))
    yield _work_tree(folder)
    yield _built(folder)
    yield _licensed(folder)


def _above(folder: str, root: str) -> str:
    return root if folder == root or folder.startswith(os.path.join(root, "")) else ""


def _work_tree(folder: str) -> str:
    while not os.path.exists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return ""
        folder = parent
    return folder


def _built(folder: str) -> str:
    """The outermost folder with a build file, as far up as not more than :data:`GAP` in a row have none."""
    found = ""
    without = 0
    while not _holds_everything(folder) and without <= GAP:
        if _has_build_file(folder):
            found, without = folder, 0
        elif found:
            without += 1
        folder = os.path.dirname(folder)
    return found


def _licensed(folder: str) -> str:
    """The nearest folder with a license."""
    while not _holds_everything(folder):
        if any(os.path.isfile(os.path.join(folder, name)) for name in LICENSES):
            return folder
        folder = os.path.dirname(folder)
    return ""


def _has_build_file(folder: str) -> bool:
    return any(os.path.isfile(os.path.join(folder, name)) for name in BUILD_FILES)


def _holds_everything(folder: str) -> bool:
    return os.path.dirname(folder) == folder or folder in (os.path.realpath(os.path.expanduser("~")), *_SHARED)


def _current() -> str:
    try:
        return os.path.realpath(os.getcwd())
    except OSError:  # it is gone
        return ""


def _common(named: Sequence[str]) -> str:
    folders = [os.path.realpath(path) for path in named]
    folders = [path if os.path.isdir(path) else os.path.dirname(path) for path in folders]
    try:
        return os.path.commonpath(folders) if folders else ""
    except ValueError:  # on different drives
        return ""
