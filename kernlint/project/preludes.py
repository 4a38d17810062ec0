"""Texts that a host program puts before an OpenCL program.

A program may lie in several files that the host joins: it includes them one after the other into a string (they are
written as raw literals then).  What it includes before a file, in the same statement, is that file's beginning; a host
file may join several programs.  A part that a host joins elsewhere, without a kernel of its own, comes first where it
defines a name that the program uses and does not define, as no other part does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

from kernlint.text.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernlint.project.facts import FileFacts, Includes
    from kernlint.project.table import Table

OPENCL = (".cl", ".clh", ".ocl", ".opencl")
"""Suffixes of OpenCL text."""

MOST = 16
"""Files that are put before one."""

_DEFINED = pattern(
    rb"#[ \t]*define[ \t]+([A-Za-z_]\w*)|\btypedef\b[^;{}]*?(?:\{[^{}]*\})?[^;{}]*?\b([A-Za-z_]\w*)[ \t]*;"
)
_FUNCTION = pattern(rb"\b([A-Za-z_]\w*)[ \t]*\([^;{}()]*\)\s*\{")
_WORD = pattern(rb"[A-Za-z_]\w*")
_COMMENT = pattern(rb"//[^\n]*|/\*.*?\*/", 16)
_PIECE = pattern(
    rb'//[^\n]*|/\*.*?\*/|\bR"([^()\s]*)\(.*?\)\1"|^[ \t]*#[ \t]*include[ \t]*(["<][^">\n]+)[">]|"(?:\\.|[^"\\\n])*"'
    rb"|'(?:\\.|[^'\\\n])+'|(;)",
    16 | 8,
)


def statements(host: bytes) -> list[list[str]]:
    """OpenCL files, as written behind a quote, that each statement of a host file includes, in order."""
    found: list[list[str]] = [[]]
    for match in _PIECE.finditer(host):
        if match.group(3) and found[-1]:
            found.append([])
        elif match.group(2):
            written = match.group(2).decode("utf-8", "surrogateescape")
            if written.lower().endswith(OPENCL):
                found[-1].append(written)
    return [parts for parts in found if parts]


def joined_before(path: str, joins: Iterable[Sequence[str]]) -> list[str]:
    """Files that a host includes before ``path``; ``joins``: the OpenCL files that each statement of a host includes,
    in order.

    Of several statements the one counts that puts most before it."""
    best: list[str] = []
    for parts in joins:
        if path in parts:
            before = list(parts[: parts.index(path)])
            if len(before) > len(best):
                best = before
    return best[-MOST:]


def common_parts(texts: Sequence[bytes], parts: Mapping[str, bytes]) -> list[str]:
    """Those of ``parts`` (text by path) that define names which ``texts`` use and do not define."""
    plain = [_COMMENT.sub(b" ", text) for text in texts]
    used = {word for text in plain for word in _WORD.findall(text)}
    used -= {name for text in plain for name in _defined(text)}
    holders: dict[bytes, list[str]] = {}
    for path, text in sorted(parts.items()):
        for name in _defined(_COMMENT.sub(b" ", text)) & used:
            holders.setdefault(name, []).append(path)
    return sorted({paths[0] for paths in holders.values() if len(paths) == 1})[:MOST]


def _defined(text: bytes) -> set[bytes]:
    names = {name for pair in _DEFINED.findall(text) for name in pair if name}
    return names | set(_FUNCTION.findall(text))


class Joined:
    """What the hosts of a project join.

    ``includes`` and ``facts``: what each file includes and says of kernels, by its path; ``meant``: the file that an
    include means, as written and by the folder of who includes it; ``text``: the text of a file."""

    def __init__(
        self,
        includes: Table[Includes],
        facts: Table[FileFacts],
        meant: Callable[[str, str], str | None],
        text: Callable[[str], bytes],
    ) -> None:
        self._includes, self._facts, self._meant, self._text = includes, facts, meant, text

    def before(self, path: str) -> list[str]:
        """The OpenCL files that a host puts before the one at ``path``, in order."""
        if not path.lower().endswith(OPENCL) or not self._joins:
            return []
        before = joined_before(path, self._joins)
        if not (before or any(path in parts for parts in self._joins)):
            return []
        texts = [self._text(part) for part in (*before, path)]
        common = common_parts(texts, {part: self._text(part) for part in self._common})
        return [*(part for part in common if part not in (*before, path)), *before]

    @cached_property
    def _joins(self) -> list[list[str]]:
        """OpenCL files that each statement of a host file includes, in order."""
        found: list[list[str]] = []
        for path, includes in self._includes.column("includes"):
            if path.lower().endswith(OPENCL) or not any(name.lower().endswith(OPENCL) for name in includes):
                continue
            folder = path.rpartition("/")[0]
            for texts in statements(self._text(path)):
                if meant := [part for part in (self._meant(name, folder) for name in texts) if part is not None]:
                    found.append(meant)
        return found

    @cached_property
    def _common(self) -> list[str]:
        """OpenCL files that hosts include which include no file with a kernel."""
        kernels = {path for path, names in self._facts.column("kernels") if names}
        hosts = [parts for parts in self._joins if kernels.isdisjoint(parts)]
        return sorted({part for parts in hosts for part in parts})
