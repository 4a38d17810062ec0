"""What host code puts before a program: texts of the project that define the names which the program lacks."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping

from kernlint.frontends.base import Defined
from kernlint.frontends.clang.compiler import Diagnostic
from kernlint.frontends.clang.conditions.directives import load
from kernlint.frontends.clang.kinds import Severity
from kernlint.frontends.clang.unknowns import KEYWORDS, unknown_names
from kernlint.record import dataclass
from kernlint.text.patterns import pattern

ROUNDS = 4
"""Times that a project is asked: what stands before a program lacks names itself."""

MOST_NAMES = 200
"""Names that a project is asked for at once."""

MAX_NESTED = 2
"""Headers between a file that stands before a program and the program, which that file includes itself."""

MAX_INCLUDERS = 3
"""Files that include each other, down to the source, whose texts before their includes are read before it."""

_DIRECTIVE = pattern(rb'^[ \t]*#[ \t]*(if|ifdef|ifndef|endif|include)\b(?:[ \t]*"([^"\n]+)")?', re.M)
_NO_OVERLOAD = pattern(r"no matching function for call to '(\w+)'")

_DECLARED = pattern(r"\s*[,;=)\[](?!=)")
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


def until_included(file: str, program: str) -> bytes | None:
    """The text of ``file`` up to its first ``#include`` that leads to the file ``program``, with the conditions closed
    that are open there; None where it has none."""
    target, folder = os.path.realpath(program), os.path.dirname(file)
    text = load(file) or b""
    depth = 0
    for match in _DIRECTIVE.finditer(text):
        word = match.group(1)
        if word.startswith(b"if"):
            depth += 1
        elif word == b"endif":
            depth -= 1
        elif match.group(2) and leads_to(os.path.join(folder, os.fsdecode(match.group(2))), target, MAX_NESTED):
            return text[: match.start()] + b"#endif\n" * depth
    return None


def leads_to(file: str, target: str, depth: int = MAX_NESTED) -> bool:
    """Whether a file is the target, a path, or includes it by paths from its own folder."""
    if os.path.realpath(file) == os.path.realpath(target):
        return True
    text = load(file) if depth else None
    return text is not None and any(
        match.group(1) == b"include"
        and match.group(2)
        and leads_to(os.path.join(os.path.dirname(file), os.fsdecode(match.group(2))), target, depth - 1)
        for match in _DIRECTIVE.finditer(text)
    )


def lacking(diagnostics: Iterable[Diagnostic], texts: Mapping[str, str]) -> frozenset[str]:
    """The names without a scope that a parse did not know, but for those that the texts themselves declare; and those
    of functions of which it knew none for the arguments."""
    errors = [d for d in diagnostics if d.severity >= Severity.ERROR]
    names = {one.name for one in unknown_names(errors, dict(texts)) if not one.scope}
    others = {match.group(1) for d in errors if (match := _NO_OVERLOAD.search(d.message))}
    return frozenset(others).union(name for name in names if not any(_declares(text, name) for text in texts.values()))


def _declares(text: str, name: str, factors: bool = True) -> bool:
    """Whether a variable or parameter is declared by what the text looks like (in a declaration that was lost).
    ``factors``: what stands before a star is looked up in its turn, as it may be a variable."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        alone = text[at - 1 : at].isspace() and _DECLARED.match(text, end) is not None
        if alone and _follows_a_type(text, at, factors):
            return True
        at = text.find(name, end)
    return False


def _follows_a_type(text: str, at: int, factors: bool) -> bool:
    """Whether the word before ``at`` may name a type, or what stands there ends one."""
    end = at - 1
    while end and (text[end - 1].isspace() or text[end - 1] in "*&"):
        end -= 1
    start = end
    while start and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    word = text[start:end].lstrip("0123456789")
    if word:  # of ``pitch * rows)`` the first is no type where it is declared itself
        return word not in _NO_TYPES and (text[end:at].isspace() or not (factors and _declares(text, word, False)))
    return text[end - 1 : end] == ">" or (not text[end : at - 1].isspace() and end < at - 1)
