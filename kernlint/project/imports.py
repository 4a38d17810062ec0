"""Which Python programs of a project import from which: by the last parts of what they name, so that a path that is
found may be meant, and is looked at by who asks."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator

from kernlint.project.facts import Said
from kernlint.project.table import Table
from kernlint.record import dataclass
from kernlint.text.patterns import pattern

STEPS = 3
"""Modules that hand on what they import, and the one that takes it from the last."""

MOST = 400
"""Programs that are looked at for one module, and names that are kept of one program."""

_FROM = pattern(rb"^[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]+(\([^()]*\)|[^\n#]*(?:\\\r?\n[^\n#]*)*)", re.M)
_WHOLE = pattern(rb"^[ \t]*import[ \t]+([^\n#]*)", re.M)
_WORD = pattern(rb"[A-Za-z_]\w*")
_REMARK = pattern(rb"#[^\n]*")


@dataclass(frozen=True, slots=True)
class Imports(Said):
    """Names that a Python program imports: the last parts of modules, and what it takes out of them, which may be
    modules too; a dot for the package that it stands in."""

    imported: tuple[str, ...] = ()
    python = True

    @classmethod
    def of(cls, path: str, data: bytes) -> Imports:
        """What a program's text ``data`` imports."""
        if path[-3:].lower() != ".py" or b"import" not in data:
            return cls()
        found: dict[str, None] = {}
        for module, names in _FROM.findall(data):
            found[module.rpartition(b".")[2].decode("utf-8", "replace") or "."] = None
            words = _WORD.findall(_REMARK.sub(b"", names))
            found.update((word.decode("utf-8", "replace"), None) for word in words if word != b"as")
        for whole in _WHOLE.findall(data):
            for one in whole.split(b","):
                last = one.partition(b" as ")[0].strip().rpartition(b".")[2]
                found[last.decode("utf-8", "replace")] = None
        return cls(tuple(found)[:MOST])


class Importers:
    """The programs that import from one; ``table`` gives what all of them say, ``read`` the text of one."""

    def __init__(self, read: Callable[[str], bytes], table: Callable[[], Table[Imports]]) -> None:
        self._read = read
        self._table = table
        self._index: dict[str, list[str]] | None = None
        self._known: dict[str, list[str]] = {}
        self._texts: dict[str, bytes] = {}

    def of(self, path: str) -> list[str]:
        """Programs that import from the one at ``path``, and those that import from these, nearest first."""
        if path not in self._known:
            found: dict[str, None] = {path: None}
            last = [path]
            for _ in range(STEPS):
                last = [one for at in last for one in self._directly(at) if one not in found]
                last = list(dict.fromkeys(last))[:MOST]
                found.update(dict.fromkeys(last))
            del found[path]
            self._known[path] = list(found)
        return self._known[path]

    def naming(self, path: str, name: str) -> list[str]:
        """Those in whose text a name stands as a word."""
        word = name.encode("utf-8", "surrogateescape")
        whole = re.compile(rb"(?<!\w)" + re.escape(word) + rb"(?!\w)")
        found = []
        for one in self.of(path):
            if one not in self._texts:
                self._texts[one] = self._read(one)
            if word in self._texts[one] and whole.search(self._texts[one]) is not None:
                found.append(one)
        return found

    def _directly(self, path: str) -> Iterator[str]:
        if self._index is None:
            self._index = {}
            for at, names in self._table().column("imported"):
                for name in names:
                    self._index.setdefault(name, []).append(at)
        folder, name = posixpath.split(path)
        package = name == "__init__.py"
        word = posixpath.basename(folder) if package else name[: name.rfind(".")]
        yield from self._index.get(word, ())
        if package:
            yield from (one for one in self._index.get(".", ()) if posixpath.dirname(one) == folder)
