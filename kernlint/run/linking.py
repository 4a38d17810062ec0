"""Functions of the project's other files: who defines what one file declares, and who calls what it defines.

Which files may do so, their texts tell (:meth:`kernlint.project.model.Project.hosts_naming`), nearest first; few are
parsed, and which function is meant the tree decides (:func:`kernlint.analysis.launching.linked.same`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from kernlint.analysis.base import ModuleFacts
from kernlint.analysis.launching.linked import Linked, same
from kernlint.run.elsewhere import Elsewhere
from kernlint.tree.nodes import FunctionDecl

CALLERS = 4
"""Files that are read for the callers of one function."""

MOST = 6
"""Files that are read for the functions around one file, besides those that launch its kernels."""

BYTES = 100_000
"""Bytes of such files, headers aside."""

MAKERS = 3
"""Files that may fill objects of one structure beyond which nothing is made of it."""

_MAKES = rb"[aA]lloc|Buffer|\bNAME::"
_DEFINED = rb"^(?![ \t]*(?:return|else|if|while|case)\b)[^\n#;(){}=]*\bNAME\s*\([^;{}]*\)[^;{}]*\{"
_CALLED = rb"\bNAME\s*\("
_MADE = rb"\bNAME\s*[({]|\bNAME\s+\w+\s*[({;]|\bNAME\s*>\s*\("
"""An object of a class is made: ``Plan plan(n);``, ``Plan{n}``, ``std::make_unique<Plan>(n)``."""


class ProjectLinks:
    """What the project around one file has to add to its functions."""

    def __init__(self, elsewhere: Elsewhere) -> None:
        self.elsewhere = elsewhere
        self.linked: Linked | None = None
        self._read: dict[str, tuple[ModuleFacts, ...]] = {}
        self._left = BYTES
        self._named: dict[str, tuple[str, ...]] = {}

    def definition(self, function: FunctionDecl) -> FunctionDecl | None:
        """The definition of a function that one file declares."""
        if function.internal or function.template_params or not self.elsewhere.inside(function.span.file):
            return None
        for facts in self._files(function, _DEFINED, 1):
            for one in facts.module.functions:
                if one.body is not None and same(function, one):
                    return one
        return None

    def callers(self, function: FunctionDecl) -> tuple[ModuleFacts, ...]:
        """Files that call a function which another one defines."""
        if function.internal or function.template_params:
            return ()
        makes = function.this is not None and function.qualified.endswith(f"{function.name}::{function.name}")
        return tuple(self._files(function, _MADE if makes else _CALLED, CALLERS))

    def makers(self, name: str) -> tuple[ModuleFacts, ...]:
        """Files that may fill objects of a structure; none where there are too many to tell."""
        methods = re.compile(_MAKES.replace(b"NAME", re.escape(name.encode("utf-8", "surrogateescape"))))
        paths = [path for path in self.elsewhere.naming(name) if methods.search(self.elsewhere.text(path)) is not None]
        if len(paths) > MAKERS:
            return ()
        found: list[ModuleFacts] = []
        for path in paths:
            known = self._parsed(path)
            if known is None:
                return ()
            found += known
        return tuple(found)

    def _parsed(self, path: str) -> tuple[ModuleFacts, ...] | None:
        """Facts of a host file; None: enough have been read."""
        if path not in self._read:
            text = self.elsewhere.text(path)
            if len(self._read) >= MOST or len(text) > self._left:
                return None
            self._left -= len(text)
            self._read[path] = self.elsewhere.parsed(path)
        return self._read[path]

    def _files(self, function: FunctionDecl, shape: bytes, most: int) -> Iterator[ModuleFacts]:
        name = function.name
        if name not in self._named:
            self._named[name] = self.elsewhere.naming(name)
        escaped = re.escape(name.encode("utf-8", "surrogateescape"))
        looks = re.compile(shape.replace(b"NAME", escaped), re.M)
        defined = re.compile(_DEFINED.replace(b"NAME", escaped), re.M)
        own = os.path.abspath(function.span.file)
        for path in self._named[name]:
            text = self.elsewhere.text(path)
            if (
                path == own
                or looks.search(text) is None
                or (shape is not _DEFINED and defined.search(text) is not None)
            ):
                continue
            if most <= 0:
                return
            most -= 1
            known = self._parsed(path)
            if known is None:
                return
            yield from known
