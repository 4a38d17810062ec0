"""What host code puts before a program: texts of the project that define the names which the program lacks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from kernlint.frontends.base import Defined
from kernlint.frontends.clang.compiler import Diagnostic
from kernlint.frontends.clang.kinds import Severity
from kernlint.frontends.clang.unknowns import KEYWORDS, unknown_names
from kernlint.record import dataclass
from kernlint.text.patterns import pattern

ROUNDS = 4
"""Times that a project is asked: what stands before a program lacks names itself."""

MOST_NAMES = 200
"""Names that a project is asked for at once."""

_NO_OVERLOAD = pattern(r"no matching function for call to '(\w+)'")

_NO_TYPES = KEYWORDS - {"void", "bool", "char", "short", "int", "long", "unsigned", "float", "double", "half", "auto"}


@dataclass(frozen=True, slots=True)
class Preceding:
    """What goes before a program: whole ``files``, in order, and ``lines``; ``names``: those that were asked for."""

    files: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()

    @classmethod
    def of(cls, found: Iterable[Defined], names: frozenset[str]) -> Preceding:
        """What was ``found`` for ``names``, in the order in which it is given."""
        found = list(found)
        files = dict.fromkeys(one.file for one in found if not one.text)
        return cls(tuple(files), tuple(dict.fromkeys(one.text for one in found if one.text)), names)

    def same_text(self, other: Preceding) -> bool:
        """Whether a program behind the one reads like a program behind the other."""
        return (self.files, self.lines) == (other.files, other.lines)

    @property
    def text(self) -> str:
        """The lines as a header."""
        return "".join(f"{line}\n" for line in self.lines)


def lacking(diagnostics: Iterable[Diagnostic], texts: Mapping[str, str]) -> frozenset[str]:
    """The names without a scope that a parse did not know, but for those that the texts themselves declare; and those
    of functions of which it knew none for the arguments."""
    errors = [d for d in diagnostics if d.severity >= Severity.ERROR]
    names = {one.name for one in unknown_names(errors, dict(texts)) if not one.scope}
    others = {match.group(1) for d in errors if (match := _NO_OVERLOAD.search(d.message))}
    return frozenset(others).union(name for name in names if not any(_declares(text, name) for text in texts.values()))


def _declares(text: str, name: str) -> bool:
    """Whether a variable or parameter is declared by what the text looks like (in a declaration that was lost)."""
    if name not in text:
        return False
    declaration = re.compile(rf"([A-Za-z_]\w*|[>*&])[\s*&]*\s{re.escape(name)}\s*[,;=)\[](?!=)")
    return any(match.group(1) not in _NO_TYPES for match in declaration.finditer(text))
