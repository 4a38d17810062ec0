"""Declarations made up for names that no header gave.

A name that is unknown costs the statements it stands in; a declaration that makes its uses compile brings them back.
What such a declaration says is invented: every name declared here is listed in ``Synthesis.names``, and no conclusion
may rest on its type or value. Constants are ``extern const`` and only where the language insists on a constant an
enumerator, all of one enum, ``__kl_made_up``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kernlint.frontends.clang.compiler import Diagnostic
from kernlint.frontends.clang.embedded import OPEN_TYPE
from kernlint.frontends.clang.kinds import Severity
from kernlint.frontends.clang.made_up import Entry, MadeUp
from kernlint.frontends.clang.options import Language
from kernlint.frontends.clang.unknowns import IDENTIFIER, Role, Unknown, unknown_names
from kernlint.frontends.clang.uses import Use, Uses, argument_place, is_constant_name
from kernlint.record import dataclass, field
from kernlint.text.patterns import pattern

MAX_NAMES = 400
"""Unknown names of one parse that are worth an attempt; a source that lacks more is beyond help."""

_CONFLICT = pattern(
    r"redefinition of '(\w+)'|reference to '(\w+)' is ambiguous|call to '(\w+)' is ambiguous|"
    r"redeclaration of '(\w+)'|definition of type '(\w+)' conflicts|'(\w+)' macro redefined"
)
_NEEDS_CONSTANT = pattern(
    r"variable length array|constant expression|constant size|must be initialized by a constant|"
    r"array size|does not refer to a value|in-class initializer"
)
_NEEDS_INTEGER = pattern(r"array subscript is not an integer|invalid operands to binary expression .*'float'")
_WRONG_ARGUMENT = pattern(
    r"template argument for template type parameter must be a type|"
    r"template argument for (non-type) template parameter must be an expression"
)
_NO_NUMBERS = pattern(r"'(?:const )?(\w+)' \(aka '(?:const )?float[234]'\)")
_MEMBER_OF = pattern(r"\s*::\s*(?:template\s+)?([A-Za-z_]\w*)")


def _open_types(texts: dict[str, str]) -> Iterator[Unknown]:
    """Types that a host program puts into the source when it runs."""
    for text in texts.values():
        if OPEN_TYPE in text:
            yield from (Unknown("", name, Role.TYPE) for name in _OPEN_TYPE.findall(text))


_OPEN_TYPE = pattern(rf"\b{OPEN_TYPE}\w+")


@dataclass(slots=True)
class Synthesis:
    """The made-up declarations of one source, grown from parse to parse."""

    language: Language
    self_contained: bool = False
    _entries: dict[str, Entry] = field(default_factory=dict)
    _members: dict[str, Role] = field(default_factory=dict)
    _refused: set[str] = field(default_factory=set)
    _constants: bool = False
    _integers: bool = False
    _kinds: dict[tuple[str, int], bool] = field(default_factory=dict)
    _classes: set[str] = field(default_factory=set)
    _uses: Uses | None = None
    _rounds: int = 0

    @property
    def names(self) -> frozenset[str]:
        """The qualified names declared; members of made-up types are listed by their bare names."""
        enumerators = (f"{key}::{each}" for key, entry in self._entries.items() for each in entry.enumerators)
        return frozenset((*self._entries, *self._members, *enumerators))

    def feed(self, diagnostics: Iterable[Diagnostic], texts: dict[str, str]) -> bool:
        """Learn from a parse's errors; False if there was nothing new to declare."""
        diagnostics = list(diagnostics)
        self._rounds += 1
        uses = self._uses = Uses(texts.values())
        before = self._state()
        self._give_way(diagnostics, texts)
        unknowns = dict.fromkeys(unknown_names(diagnostics, texts))
        if self._rounds == 1:
            unknowns.update(dict.fromkeys(_open_types(texts)))
        if len(unknowns) > MAX_NAMES:
            return False
        first = self._rounds == 1
        derived = [each for each in unknowns if not each.in_class and uses.declares(each.name, functions=first)]
        for unknown in unknowns:
            if unknown not in derived:
                self._learn(unknown, uses)
        for name in self._other_arguments(diagnostics, texts):
            self._declare(Unknown("", name, Role.TYPE), uses)
        if self._state() == before:
            for unknown in derived:
                self._learn(unknown, uses)
        return self._state() != before

    def _state(self) -> tuple[object, ...]:
        return (
            self.names,
            len(self._refused),
            self._constants,
            self._integers,
            dict(self._kinds),
            len(self._classes),
            [entry.role for entry in self._entries.values()],
        )

    def _give_way(self, diagnostics: list[Diagnostic], texts: dict[str, str]) -> None:
        """Withdraw names that the source turned out to declare, make constants of what must be one, and classes of what
        plain vectors cannot be."""
        for diagnostic in diagnostics:
            if diagnostic.severity < Severity.ERROR:
                continue
            if match := _CONFLICT.search(diagnostic.message):
                name = next(group for group in match.groups() if group)
                if self._entries.pop(name, None):
                    self._refused.add(name)
            elif _NEEDS_CONSTANT.search(diagnostic.message) and self._entries:
                self._constants = True
            elif _NEEDS_INTEGER.search(diagnostic.message) and self._entries:
                self._integers = True
            elif (match := _NO_NUMBERS.search(diagnostic.message)) and match.group(1) in self._entries:
                self._classes.add(match.group(1))
            elif match := _WRONG_ARGUMENT.search(diagnostic.message):
                place = argument_place(texts.get(diagnostic.file or "", ""), diagnostic.offset)
                if place is not None:
                    self._kinds[place] = match.group(1) is None

    def _other_arguments(self, diagnostics: Iterable[Diagnostic], texts: dict[str, str]) -> Iterator[str]:
        """Names that were taken for values and are arguments of templates that take types, which somebody declares."""
        for diagnostic in diagnostics:
            text = texts.get(diagnostic.file or "", "")
            match = _WRONG_ARGUMENT.search(diagnostic.message)
            name = IDENTIFIER.match(text, diagnostic.offset) if match and match.group(1) is None else None
            place = argument_place(text, diagnostic.offset) if name is not None else None
            made_up = place is not None and any(key.split("::")[-1] == place[0] for key in self._entries)
            if name is not None and place is not None and not made_up and name.group() in self._entries:
                yield name.group()

    def _learn(self, unknown: Unknown, uses: Uses) -> None:
        if unknown.in_class:
            entry = self._entries.get(unknown.scope)
            if unknown.scope in ("__kl_any", "__kl_value") or (entry is not None and entry.role is Role.TYPE):
                self._learn_member(unknown.name, unknown.role, uses)
            return
        if not unknown.scope and unknown.name in uses.aliases:
            unknown = Unknown("", uses.aliases[unknown.name].split("::")[0], None)
        if not unknown.scope and unknown.name in uses.declared_types and self._rounds == 1:
            return  # it is declared, by a type that is unknown itself
        self._declare(unknown, uses)

    def _learn_member(self, name: str, role: Role | None, uses: Uses) -> None:
        if role is None:
            called = any(after.startswith("(") for after in uses.after_member(name))
            role = Role.FUNCTION if called else Role.CONSTANT if is_constant_name(name) else Role.VARIABLE
        if role is Role.TYPE:
            self._members[name] = role
        self._members.setdefault(name, role)

    def _declare(self, unknown: Unknown, uses: Uses) -> None:
        key = unknown.qualified
        if unknown.role is Role.TYPE and key in self._entries and self._entries[key].role is not Role.TYPE:
            del self._entries[key]  # it was taken for something else
        if key in self._entries or key in self._refused or unknown.name.startswith("__kl"):
            return
        found = uses.of(key) or uses.of(unknown.name)
        role = uses.role(unknown, found)
        self._entries[key] = Entry(unknown, role, [use.arguments for use in found if use.arguments])
        if role is Role.ENUM:
            self._entries[key].enumerators = sorted({path[0] for path in uses.members_of(unknown.name)})
        if role is Role.TYPE and self.language is not Language.OPENCL:
            self._learn_members(unknown.name, found, uses)
        if role is Role.SCOPE:
            for path in sorted(uses.members_of(key)):
                self._declare(Unknown(key, path[0], None), uses)
            for alias, target in uses.aliases.items():
                if target == key:
                    for path in sorted(uses.members_of(alias)):
                        self._declare_through(alias, key, path[0], uses)

    def _learn_members(self, name: str, found: list[Use], uses: Uses) -> None:
        """Members that the source looks up in a type, in types declared by it, or in variables of it."""
        looked_up = [(match.group(1), use) for use in found if (match := _MEMBER_OF.match(use.after))]
        members = {member for member, _ in looked_up}
        types = {member for member, use in looked_up if use.before.rstrip().endswith("typename")}
        members |= uses.fields(name)
        for alias, target in uses.declared_types.items():
            if name in target.replace("<", " ").replace("::", " ").split():
                members |= {path[0] for path in uses.members_of(alias)} | uses.fields(alias)
        for member in sorted(members):
            self._learn_member(member, Role.TYPE if member in types else None, uses)

    def _declare_through(self, alias: str, scope: str, name: str, uses: Uses) -> None:
        """Declare a name of a namespace that the source only uses under an alias."""
        key = f"{scope}::{name}"
        if key in self._entries or key in self._refused:
            return
        found = uses.of(f"{alias}::{name}")
        unknown = Unknown(scope, name, None)
        self._entries[key] = Entry(
            unknown, uses.role(unknown, found), [use.arguments for use in found if use.arguments]
        )

    def text(self) -> str:
        """The header to include behind the prelude; empty before the first ``feed``."""
        if self._uses is None:
            return ""
        return MadeUp(
            self.language,
            self._uses,
            self._entries,
            self._members,
            self._kinds,
            self._classes,
            self._constants,
            self._integers,
            self.self_contained,
        ).text()
