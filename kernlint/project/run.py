"""The projects that one run meets."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from kernlint.project import gitignored
from kernlint.project.files import Files
from kernlint.project.model import Project
from kernlint.project.questions import Questions
from kernlint.project.root import is_system, root_of


class Projects:
    """The project of each file, made when it is asked for and shared by all files of one root.

    ``named``: what the run was asked to look at, without which there is no project (a text that comes from nowhere);
    ``cache``: facts may be kept between runs; ``files``: a tree that was looked at already.
    """

    def __init__(self, named: Sequence[str] = (), cache: bool = True, files: Files | None = None) -> None:
        self.named = tuple(os.path.abspath(path) for path in named)
        self.cache = cache
        self._files = files
        self._by_folder: dict[tuple[str, str], Project] = {}
        self._by_root: dict[str, Project] = {}

    def of(self, path: str, configured: str = "") -> Project:
        """The project of the file at ``path``; ``configured``: the folder of the configuration that counts for it."""
        written = os.path.dirname(path)
        found = self._by_folder.get((written, configured))
        if found is None:
            folder = os.path.abspath(written)
            root, marked = root_of(folder, configured, self.named) if self.named else (os.path.realpath(folder), False)
            found = self._by_root.get(root)
            if found is None:
                closed = not self.named or is_system(root)
                files = self._files if self._files is not None and self._files.root == root else None
                found = self._by_root[root] = Project(root, marked, closed, self.cache, self.named, files)
            self._by_folder[written, configured] = found
        return found

    def questions(self, path: str, configured: str = "") -> Questions:
        """What the analysis of the file at ``path`` asks through."""
        return Questions(self.of(path, configured))

    def holds_kernels(self, path: str, real: str, configured: str = "") -> bool | None:
        """Whether the host file at ``path``, whose real path is ``real``, has a kernel, as far as its project knows;
        None where nothing in it is of use."""
        return self.of(path, configured).holds_kernels(path, real)

    def works_with_devices(self, path: str, real: str, configured: str = "") -> bool:
        """Whether the file of host code at ``path``, whose real path is ``real``, allocates, copies or launches, as far
        as its project knows."""
        return self.of(path, configured).works_with_devices(real)

    def ignored(self, folder: str) -> frozenset[str]:
        """What git ignores below ``folder``, a real path in a work tree; git is asked once for a project's root."""
        project = self._by_root.get(folder) or self.of(os.path.join(folder, "any"))
        return project.ignored if project.root == folder else gitignored.ignored(folder)

    def prepare(self, files: Iterable[tuple[str, str]]) -> None:
        """Look at the projects of ``files`` (path and folder of the configuration), before processes are split off that
        would each do so."""
        for project in {self.of(path, configured) for path, configured in files}:
            _ = project.builds.variables, project.facts
