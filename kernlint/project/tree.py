"""The files of a project: one walk, without reading any of them."""

from __future__ import annotations

import os
from collections import deque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Ignored = Callable[[], frozenset[str]]
    """Tells what git ignores, as real paths."""

KERNEL_SUFFIXES = frozenset({".cu", ".cuh", ".hip", ".cl", ".clh", ".ocl", ".opencl"})
"""Suffixes that mean kernel code."""

KERNEL_TEMPLATES = tuple(f"{suffix}.in" for suffix in sorted(KERNEL_SUFFIXES))
"""Endings of templates that a build makes kernel code of."""

HOST_SUFFIXES = frozenset({".h", ".hh", ".hpp", ".hxx", ".c", ".cc", ".cpp", ".cxx", ".inl", ".inc", ".py", ".ipynb"})
"""Suffixes of files that are looked at in a folder only when their text holds a kernel, or works with devices."""

HOST_SOURCES = frozenset({".c", ".cc", ".cpp", ".cxx", ".py", ".ipynb"})
"""Suffixes of host code that is looked at for itself, and not with the files that include it."""

SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__", "CMakeFiles", "build", "dist", "venv", "site-packages"})
"""Folders never walked into, besides hidden ones; naming one on the command line still walks it."""

MAX_FILES = 200_000
"""Files met in a project; what lies deeper than those is not known."""

MAX_UNMARKED = 2_000
"""The same for a folder that nothing marks as a project."""

MAX_PASSED_OVER = 20_000
"""Files looked at in folders that are passed over, when a header is missing."""

SOURCES = KERNEL_SUFFIXES | HOST_SUFFIXES | {".opencl", ".cxx", ".h++", ".c++", ".m", ".mm", ".tpp", ".ipp", ".tcc"}
"""Suffixes of files that are read for facts."""

_TEMPLATES = (".in", ".cmake", ".mk", ".vcxproj")
_BUILD = frozenset(
    {"CMakeLists.txt", "Makefile", "makefile", "GNUmakefile", "meson.build", "meson_options.txt", "meson.options"}
    | {
        "BUILD",
        "BUILD.bazel",
        "SConstruct",
        "SConscript",
        "wscript",
        "build.rs",
        "xmake.lua",
        "configure",
        "configure.ac",
    }
)


SETTINGS = ("kernlint.toml", ".kernlint.toml", "pyproject.toml")
"""Names under which settings are looked for in each folder, in this order."""


class Tree:
    """What a walk met.  ``files``: time of the last change in nanoseconds and size in bytes of each source or build
    file, by its path relative to the root with slashes; ``links``: path, relative path and whether it leads to a folder
    of each link; ``skipped``: folders that were passed over; ``settings``: files that may hold settings.  ``whole``: no
    limit was reached; ``asked``: what git ignores was known from the start."""

    __slots__ = ("_names", "asked", "files", "links", "root", "settings", "skipped", "whole")

    def __init__(self, root: str, whole: bool = True, asked: bool = True) -> None:
        self.root = root
        self.whole = whole
        self.asked = asked
        self.files: dict[str, tuple[int, int]] = {}
        self.links: list[tuple[str, str, bool]] = []
        self.skipped: list[str] = []
        self.settings: list[str] = []
        self._names: dict[str, list[str]] | None = None

    @property
    def names(self) -> dict[str, list[str]]:
        """Paths of the files, and those by which links lead to them, by their last part."""
        if self._names is None:
            self._names = {}
            for path in self.files:
                self._names.setdefault(path.rpartition("/")[2], []).append(path)
            _follow(self, self._names)
        return self._names

    def passes_over(self, path: str) -> bool:
        """Whether the folder at a real path was not walked."""
        return any(is_below(path, folder) for folder in self.skipped)


def is_below(path: str, folder: str) -> bool:
    """Whether a path with slashes is that of the folder, or of something below it."""
    return path == folder or path.startswith(f"{folder}/")


def ignored_in(root: str) -> frozenset[str]:
    """What git ignores below the folder ``root``, as real paths."""
    from kernlint.project import gitignored  # where somebody has to ask git

    return gitignored.ignored(root) if gitignored.in_work_tree(root) else frozenset()


def tracked(root: str) -> int:
    """How many files git knows in the work tree at ``root``, by the head of its index; 0 where that is not there."""
    try:
        with open(os.path.join(root, ".git", "index"), "rb", buffering=0) as handle:
            head = handle.read(12)
    except OSError:
        return 0
    return int.from_bytes(head[8:12], "big") if head[:4] == b"DIRC" else 0


def walk(root: str, most: int = MAX_FILES, ignored_below: Ignored | None = None, unasked: int = 0) -> Tree:
    """Walk the folder ``root``, a real path, nearest folders first; ``ignored_below`` tells what git ignores there.

    Left out are hidden folders, those of :data:`SKIPPED_FOLDERS`, what git ignores, and what links lead to outside of
    the root.  ``unasked``: git is asked when so many files were met, so that the tree may have some that it ignores.
    """
    asked = ignored_below or (lambda: ignored_in(root))
    ignored = frozenset[str]() if unasked else asked()
    tree = Tree(root, asked=not unasked)
    left = most
    queue: deque[tuple[str, str]] = deque([(root, "")])
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
        names = {entry.name for entry in entries}
        if unasked and most - left > unasked:
            unasked, ignored = 0, ignored | asked()
        if head and ".git" in names:
            ignored |= ignored_in(folder)  # a work tree of its own
        tree.settings += [os.path.join(folder, name) for name in SETTINGS if name in names]
        for entry in entries:
            name = entry.name
            try:
                if entry.is_symlink():
                    tree.links.append((entry.path, head + name, entry.is_dir()))
                elif entry.is_dir():
                    if name in SKIPPED_FOLDERS or entry.path in ignored:
                        tree.skipped.append(entry.path)
                    elif name[0] != ".":
                        queue.append((entry.path, f"{head}{name}/"))
                elif (name[-3:] == ".py" or is_source(name)) and entry.path not in ignored and entry.is_file():
                    status = entry.stat()
                    tree.files[head + name] = status.st_mtime_ns, status.st_size
            except OSError:  # gone meanwhile, or a loop of links
                continue
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


def is_of_kernels(name: str) -> bool:
    """Whether a file has kernel code by its name, or is a template of some."""
    return name[name.rfind(".") :].lower() in KERNEL_SUFFIXES or name.lower().endswith(KERNEL_TEMPLATES)


def _follow(tree: Tree, names: dict[str, list[str]]) -> None:
    """Add the names that links inside the root give to files that were met."""
    for path, name, is_folder in tree.links:
        target = os.path.realpath(path)
        if not target.startswith(os.path.join(tree.root, "")):
            continue
        relative = target[len(tree.root) :].lstrip(os.sep).replace(os.sep, "/")
        if not is_folder:
            if relative in tree.files:
                names.setdefault(name.rpartition("/")[2], []).append(name)
            continue
        if is_below(name, relative):
            continue  # a folder above itself
        for file in tree.files:
            if is_below(file, relative):
                names[file.rpartition("/")[2]].append(name + file[len(relative) :])
