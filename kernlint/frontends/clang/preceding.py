"""What host code puts before a program: texts of the project that define the names which the program lacks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from kernlint.frontends.base import Defined
from kernlint.frontends.clang.compiler import Diagnostic
from kernlint.frontends.clang.kinds import Severity
from kernlint.frontends.clang.unknowns import KEYWORDS, unknown_names
from kernlint.record import dataclass

ROUNDS = 4
"""Times that a project is asked: what stands before a program lacks names itself."""

MOST_NAMES = 200
"""Names that a project is asked for at once."""

_NO_TYPES = KEYWORDS - {"void", "bool", "char", "short", "int", "long", "unsigned", "float", "double", "half", "auto"}


@dataclass(frozen=True, slots=True)
class Preceding:
    """What goes before a program: whole ``files``, in order, and ``lines``."""

    files: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()

    @classmethod
    def of(cls, found: Iterable[Defined]) -> Preceding:
        """What was ``found``, in the order in which it is given."""
        found = list(found)
        files = dict.fromkeys(one.file for one in found if not one.text)
        return cls(tuple(files), tuple(dict.fromkeys(one.text for one in found if one.text)))

    @property
    def text(self) -> str:
        """The lines as a header."""
        return "".join(f"{line}\n" for line in self.lines)


def lacking(diagnostics: Iterable[Diagnostic], texts: Mapping[str, str]) -> frozenset[str]:
    """The names without a scope that a parse did not know, but for those that the texts themselves declare."""
    errors = (d for d in diagnostics if d.severity >= Severity.ERROR)
    names = {one.name for one in unknown_names(errors, dict(texts)) if not one.scope}
    return frozenset(name for name in names if not any(_declares(text, name) for text in texts.values()))


def _declares(text: str, name: str) -> bool:
    """Whether a variable or parameter is declared by what the text looks like (in a declaration that was lost)."""
    if name not in text:
        return False
    declaration = re.compile(rf"([A-Za-z_]\w*|[>*&])[\s*&]*\s{re.escape(name)}\s*[,;=)\[](?!=)")
    return any(match.group(1) not in _NO_TYPES for match in declaration.finditer(text))
