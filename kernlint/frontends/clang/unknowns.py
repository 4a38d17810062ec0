"""Names that a parse did not know, read from its error messages.

Clang says which name is unknown and sometimes what it should have been; how the source uses the name says the rest
(see ``uses``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import Enum

from kernlint.frontends.clang.compiler import Diagnostic
from kernlint.frontends.clang.kinds import Severity
from kernlint.record import dataclass
from kernlint.text.patterns import pattern


class Role(Enum):
    """What an unknown name has to be for its uses to make sense."""

    TYPE = "type"
    FUNCTION = "function"
    CONSTANT_FUNCTION = "function in a constant expression"
    ENUM = "enumeration"
    CONSTANT = "constant"
    VARIABLE = "variable"
    SCOPE = "scope"
    MACRO = "macro"
    CALL_MACRO = "macro with arguments"


@dataclass(frozen=True, slots=True)
class Unknown:
    """A name missing from ``scope`` (a qualified name; empty for the global one).

    ``role`` is what clang's message implies, None where only the text can tell.
    """

    scope: str
    name: str
    role: Role | None
    in_class: bool = False

    @property
    def qualified(self) -> str:
        """The name with its scope."""
        return f"{self.scope}::{self.name}" if self.scope else self.name


_MESSAGES: tuple[tuple[re.Pattern[str], Role | None], ...] = (
    (pattern(r"unknown type name '(?P<name>\w+)'"), Role.TYPE),
    (pattern(r"no template named '(?P<name>\w+)' in (?P<class>namespace )?'(?P<scope>[\w:]+)"), Role.TYPE),
    (pattern(r"no template named '(?P<name>\w+)'"), Role.TYPE),
    (pattern(r"no type named '(?P<name>\w+)' in (?P<class>namespace )?'(?P<scope>[\w:]+)"), Role.TYPE),
    (pattern(r"refers to non-type member '(?P<name>\w+)' in (?P<class>namespace )?'(?P<scope>[\w:]+)"), Role.TYPE),
    (pattern(r"no member named '(?P<name>\w+)' in the global namespace"), None),
    (pattern(r"no member named '(?P<name>\w+)' in (?P<class>namespace )?'(?P<scope>[\w:]+)"), None),
    (pattern(r"use of undeclared identifier '(?P<name>\w+)'"), None),
    (pattern(r"(?:call to undeclared|implicit declaration of) function '(?P<name>\w+)'"), Role.FUNCTION),
    (pattern(r"call to function '(?P<name>\w+)' that is neither visible"), Role.FUNCTION),
    (pattern(r"incomplete type '(?:struct |class |const )*(?:(?P<scope>[\w:]+)::)?(?P<name>\w+)'"), Role.TYPE),
)
_AT_PLACE = pattern(r"type specifier is required|requires a type specifier|expected namespace name")

_WORDS = """
alignas asm auto bool break case catch char class const constexpr continue decltype default delete do double
else enum explicit extern false float for friend global goto half if inline int kernel local long mutable namespace
new noexcept nullptr operator private protected public return short signed sizeof static struct switch template this
throw true try typedef typename union unsigned using virtual void volatile while __kernel __global __local __constant
__private uint uchar ushort ulong
"""
KEYWORDS = frozenset(_WORDS.split())
IDENTIFIER = pattern(r"[A-Za-z_]\w*")


def unknown_names(diagnostics: Iterable[Diagnostic], texts: dict[str, str]) -> Iterator[Unknown]:
    """The unknown names of the errors, each as often as it is reported.

    ``texts`` has the content of the files that errors lie in, by path, one character per byte.
    """
    for diagnostic in diagnostics:
        if diagnostic.severity < Severity.ERROR:
            continue
        for expected, role in _MESSAGES:
            if match := expected.search(diagnostic.message):
                groups = match.groupdict()
                if groups["name"] not in KEYWORDS:
                    in_class = "class" in groups and groups["class"] is None
                    yield Unknown(groups.get("scope") or "", groups["name"], role, in_class)
                break
        else:
            text = texts.get(diagnostic.file or "")
            if text is not None and _AT_PLACE.search(diagnostic.message):
                here = IDENTIFIER.match(text, diagnostic.offset)
                if here and here.group() not in KEYWORDS:
                    yield Unknown("", here.group(), None)
