"""The files of a project: one walk, without reading any of them."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable

from kernlint.project import git
from kernlint.project.discovery import HOST_SUFFIXES, KERNEL_SUFFIXES, SKIPPED_FOLDERS
from kernlint.record import dataclass, field

MAX_FILES = 200_000
"""Files met in a project; what lies deeper than those is not known."""

MAX_UNMARKED = 2_000
"""The same for a folder that nothing marks as a project."""

MAX_PASSED_OVER = 20_000
"""Files looked at in folders that are passed over, when a header is missing."""

SOURCES = KERNEL_SUFFIXES | HOST_SUFFIXES | {".opencl", ".cxx", ".h++", ".c++", ".m", ".mm", ".tpp", ".ipp", ".tcc"}
"""Suffixes of files that are read for facts."""

_TEMPLATES = (".in", ".cmake", ".mk")
_BUILD = frozenset(
    {"CMakeLists.txt", "Makefile", "makefile", "GNUmakefile", "meson.build", "meson_options.txt", "meson.options"}
    | {"BUILD", "BUILD.bazel", "SConstruct", "SConscript", "wscript", "build.rs", "xmake.lua"}
)


@dataclass(slots=True)
class Tree:
    """What a walk met.  ``files``: time of the last change in nanoseconds and size in bytes of each source or build
    file, by its path relative to the root with slashes; ``names``: those paths, and those by which links lead to them,
    by their last part; ``skipped``: folders that were passed over.  ``whole``: no limit was reached."""

    root: str
    files: dict[str, tuple[int, int]] = field(default_factory=dict)
    names: dict[str, list[str]] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)
    whole: bool = True


Ignored = Callable[[], frozenset[str]]
"""Waits for what git ignores."""


def ignored_soon(root: str) -> Ignored:
    """What git ignores below the folder ``root``, a real path."""
    return git.ignored_soon(root) if git.in_work_tree(root) else frozenset


def walk(root: str, most: int = MAX_FILES, soon: Ignored | None = None) -> Tree:
    """Walk the folder ``root``, a real path, nearest folders first; ``soon`` is the answer of :func:`ignored_soon`.

    Left out are hidden folders, those of :data:`~kernlint.project.discovery.SKIPPED_FOLDERS`, what git ignores, and
    what links lead to outside of the root.
    """
    ignored = (soon or ignored_soon(root))()
    tree = Tree(root)
    left = most
    queue: deque[tuple[str, str]] = deque([(root, "")])
    links: list[tuple[str, str, bool]] = []
    while queue:
        folder, head = queue.popleft()
        try:
            with os.scandir(folder) as found:
                entries = list(found)
        except OSError:
            continue
        left -= len(entries)
        if left < 0:
            tree.whole = False
            break
        if head and any(entry.name == ".git" for entry in entries):
            ignored |= git.ignored(folder)  # a work tree of its own
        for entry in entries:
            name = entry.name
            try:
                if entry.is_symlink():
                    links.append((entry.path, head + name, entry.is_dir()))
                elif entry.is_dir():
                    if name in SKIPPED_FOLDERS or entry.path in ignored:
                        tree.skipped.append(entry.path)
                    elif name[0] != ".":
                        queue.append((entry.path, f"{head}{name}/"))
                elif is_source(name) and entry.path not in ignored and entry.is_file():
                    status = entry.stat()
                    tree.files[head + name] = status.st_mtime_ns, status.st_size
            except OSError:  # gone meanwhile, or a loop of links
                continue
    for path in tree.files:
        tree.names.setdefault(path.rpartition("/")[2], []).append(path)
    _follow(tree, links)
    return tree


def passed_over(tree: Tree) -> list[str]:
    """Headers in the folders that the walk passed over, nearest first, as far as a limit."""
    found: list[str] = []
    queue = deque(sorted(tree.skipped))
    left = MAX_PASSED_OVER
    while queue and left > 0:
        try:
            with os.scandir(queue.popleft()) as entries:
                for entry in entries:
                    left -= 1
                    if entry.is_dir(follow_symlinks=False):
                        queue.append(entry.path)
                    elif is_source(entry.name) and entry.is_file():
                        found.append(entry.path)
        except OSError:
            continue
    return sorted(found, key=lambda path: (path.count(os.sep), path))


def is_source(name: str) -> bool:
    """Whether a file of this name says something about kernels or how they are built."""
    suffix = name[name.rfind(".") :].lower()
    return suffix in SOURCES or suffix in _TEMPLATES or name in _BUILD


def _follow(tree: Tree, links: list[tuple[str, str, bool]]) -> None:
    """Add the names that links inside the root give to files that were met."""
    for path, name, is_folder in links:
        target = os.path.realpath(path)
        if not target.startswith(os.path.join(tree.root, "")):
            continue
        relative = target[len(tree.root) :].lstrip(os.sep).replace(os.sep, "/")
        if not is_folder:
            if relative in tree.files:
                tree.names.setdefault(name.rpartition("/")[2], []).append(name)
            continue
        if f"{name}/".startswith(f"{relative}/"):
            continue  # a folder above itself
        for file in tree.files:
            if file.startswith(f"{relative}/"):
                tree.names[file.rpartition("/")[2]].append(name + file[len(relative) :])
