"""The sources of one tree and what each says of kernels: what every run asks first, and all that a run over a tree
without kernels asks.  Little code is loaded for it as long as no file says anything."""

from __future__ import annotations

import os

from kernlint.project import store
from kernlint.project.tree import (
    KERNEL_TEMPLATES,
    MAX_FILES,
    MAX_UNMARKED,
    SOURCES,
    Tree,
    ignored_in,
    is_of_kernels,
    is_source,
    tracked,
    walk,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Row = Callable[[str, int], list[Any]]
    """What the file at a path, of so many bytes, says of one kind (see :func:`kernlint.project.table.row_of`)."""


class Files:
    """The tree at ``root``, a real path, looked at when somebody asks; the arguments are those of
    :class:`~kernlint.project.model.Project`."""

    def __init__(self, root: str, marked: bool = True, closed: bool = False, cache: bool = True) -> None:
        self.root = root
        self.marked = marked
        self.closed = closed
        self.cache = cache
        self._met: Tree | None = None
        self._ignored: frozenset[str] | None = None
        self._facts: dict[str, list[Any]] | None = None

    @property
    def ignored(self) -> frozenset[str]:
        """Real paths of what git ignores below the root."""
        if self._ignored is None:
            self._ignored = ignored_in(self.root)
        return self._ignored

    @property
    def tree(self) -> Tree:
        """The files, without what git ignores: by another walk where only settings of git's own say that it does."""
        if self._met is None or (not self._met.asked and (self.ignored or not self._met.whole)):
            self._met = self._walk(0)
            self._facts = None
        return self._met

    def _walk(self, unasked: int) -> Tree:
        if self.closed:
            return Tree(self.root, whole=False)
        return walk(self.root, MAX_FILES if self.marked else MAX_UNMARKED, lambda: self.ignored, unasked)

    @property
    def facts(self) -> dict[str, list[Any]]:
        """The row of each source for :class:`~kernlint.project.facts.FileFacts`, by its path relative to the root."""
        tree = self.tree
        if self._facts is None:
            self._facts = self.rows("FileFacts", _facts, tree)
        return self._facts

    def met(self) -> Tree:
        """The files, with some perhaps that git ignores: it takes as long to say so as a hundred files to look at, and
        is not asked as long as few files are met that it does not know."""
        if self._met is None:
            self._met = self._walk(2 * tracked(self.root))
        return self._met

    def silent(self) -> bool:
        """Whether nothing in the tree, with all that was met, is of use: no file is one of
        kernels by its name, none says anything, and no link leads to files that were not met."""
        tree = self.met()
        if not tree.whole or any(map(is_of_kernels, tree.files)):
            return False
        if any(is_folder or is_source(name) for _, name, is_folder in tree.links):
            return False
        self._facts = self.rows("FileFacts", _facts, tree)
        return not any(self._facts.values())

    def rows(self, kind: str, reader: Callable[[], Row], tree: Tree) -> dict[str, list[Any]]:
        """What each source says of one kind, from earlier runs or by what ``reader`` makes for those that changed."""
        known = store.load(self.root, kind) if self.cache else {}
        found: dict[str, tuple[store.State, list[Any]]] = {}
        row: Row | None = None
        head = os.path.join(self.root, "")
        for path, state in tree.files.items():
            before = known.get(path)
            if before is not None and before[0] == state:
                found[path] = before
            elif path[-3:] == ".py" or path[path.rfind(".") :].lower() in SOURCES or path.endswith(KERNEL_TEMPLATES):
                row = row or reader()
                found[path] = state, row(head + path, state[1])
        if self.cache and (row is not None or len(known) != len(found)):
            store.save(self.root, kind, found)
        return {path: said for path, (_, said) in found.items()}


def _facts() -> Row:
    from kernlint.project.words import read, silent  # with expressions, where a file is read

    def row(path: str, size: int) -> list[Any]:
        data = read(path, size)
        if data is None or (path[-3:].lower() == ".py" and silent(data)):
            return []
        from kernlint.project.facts import NOTHING, FileFacts
        from kernlint.project.table import row_of

        return row_of(FileFacts.of(path, data), NOTHING)

    return row
