"""Declarations made up for names that no header gave.

A name that is unknown costs the statements it stands in; a declaration that makes its uses compile brings them back.
What such a declaration says is invented: every name declared here is listed in ``Synthesis.names``, and no conclusion
may rest on its type or value. Constants are ``extern const`` and only where the language insists on a constant an
enumerator, all of one enum, ``__kl_made_up``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import field

from kernlint.frontends.clang.compiler import Diagnostic
from kernlint.frontends.clang.kinds import Severity
from kernlint.frontends.clang.options import Language
from kernlint.frontends.clang.prelude import FOLDER
from kernlint.frontends.clang.unknowns import Role, Unknown, Uses, unknown_names
from kernlint.patterns import pattern
from kernlint.record import dataclass

MAX_NAMES = 160
"""Unknown names of one parse that are worth an attempt; a source that lacks more is beyond help."""

CONSTANT_VALUE = 16
"""What a made-up enumerator is: fit for array bounds, shifts and divisors."""

_CONFLICT = pattern(
    r"redefinition of '(\w+)'|reference to '(\w+)' is ambiguous|call to '(\w+)' is ambiguous|"
    r"redeclaration of '(\w+)'|definition of type '(\w+)' conflicts|'(\w+)' macro redefined"
)
_NEEDS_CONSTANT = pattern(
    r"variable length array|constant expression|constant size|must be initialized by a constant|"
    r"array size|does not refer to a value|in-class initializer"
)
_MEMBER_OF = pattern(r"\s*::\s*(?:template\s+)?([A-Za-z_]\w*)")
_SWIZZLE = pattern(r"[xyzw]{1,4}|s[0-9a-fA-F]+|lo|hi|even|odd")


@dataclass(slots=True)
class _Entry:
    """One declaration to make up."""

    unknown: Unknown
    role: Role
    arguments: list[tuple[str, ...]] = field(default_factory=list)
    enumerators: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Synthesis:
    """The made-up declarations of one source, grown from parse to parse."""

    language: Language
    _entries: dict[str, _Entry] = field(default_factory=dict)
    _members: dict[str, Role] = field(default_factory=dict)
    _refused: set[str] = field(default_factory=set)
    _constants: bool = False
    _uses: Uses | None = None

    @property
    def names(self) -> frozenset[str]:
        """The qualified names declared; members of made-up types are listed by their bare names."""
        enumerators = (f"{key}::{each}" for key, entry in self._entries.items() for each in entry.enumerators)
        return frozenset((*self._entries, *self._members, *enumerators))

    def feed(self, diagnostics: Iterable[Diagnostic], texts: dict[str, str]) -> bool:
        """Learn from a parse's errors; False if there was nothing new to declare."""
        diagnostics = list(diagnostics)
        uses = self._uses = Uses(texts.values())
        before = self._state()
        self._give_way(diagnostics)
        aliases = uses.aliases()
        unknowns = dict.fromkeys(unknown_names(diagnostics, texts))
        if len(unknowns) > MAX_NAMES:
            return False
        for unknown in unknowns:
            self._learn(unknown, uses, aliases)
        return self._state() != before

    def _state(self) -> tuple[object, ...]:
        return self.names, len(self._refused), self._constants, [entry.role for entry in self._entries.values()]

    def _give_way(self, diagnostics: list[Diagnostic]) -> None:
        """Withdraw names that the source turned out to declare, and make constants of what must be one."""
        for diagnostic in diagnostics:
            if diagnostic.severity < Severity.ERROR:
                continue
            if match := _CONFLICT.search(diagnostic.message):
                name = next(group for group in match.groups() if group)
                if self._entries.pop(name, None):
                    self._refused.add(name)
            elif _NEEDS_CONSTANT.search(diagnostic.message) and self._entries:
                self._constants = True

    def _learn(self, unknown: Unknown, uses: Uses, aliases: dict[str, str]) -> None:
        if unknown.in_class:
            entry = self._entries.get(unknown.scope)
            if unknown.scope == "__kl_any" or (entry is not None and entry.role is Role.TYPE):
                self._learn_member(unknown.name, unknown.role, uses)
            return
        if unknown.name in aliases and not unknown.scope:
            unknown = Unknown("", aliases[unknown.name].split("::")[0], None)
        self._declare(unknown, uses)

    def _learn_member(self, name: str, role: Role | None, uses: Uses) -> None:
        if role is None:
            role = Role.FUNCTION if any(after.startswith("(") for after in uses.after_member(name)) else Role.VARIABLE
        self._members.setdefault(name, role)

    def _declare(self, unknown: Unknown, uses: Uses) -> None:
        key = unknown.qualified
        if unknown.role is Role.TYPE and key in self._entries and self._entries[key].role is not Role.TYPE:
            del self._entries[key]  # it was taken for something else
        if key in self._entries or key in self._refused or unknown.name.startswith("__kl"):
            return
        found = uses.of(key) or uses.of(unknown.name)
        role = uses.role(unknown, found)
        self._entries[key] = _Entry(unknown, role, [use.arguments for use in found if use.arguments])
        if role is Role.ENUM:
            self._entries[key].enumerators = sorted({path[0] for path in uses.members_of(unknown.name)})
        if role is Role.TYPE:
            for use in found:
                if member := _MEMBER_OF.match(use.after):
                    self._learn_member(member.group(1), None, uses)
        if role is Role.SCOPE:
            for path in sorted(uses.members_of(key)):
                self._declare(Unknown(key, path[0], None), uses)
            for alias, target in uses.aliases().items():
                if target == key:
                    for path in sorted(uses.members_of(alias)):
                        self._declare_through(alias, key, path[0], uses)

    def _declare_through(self, alias: str, scope: str, name: str, uses: Uses) -> None:
        """Declare a name of a namespace that the source only uses under an alias."""
        key = f"{scope}::{name}"
        if key in self._entries or key in self._refused:
            return
        found = uses.of(f"{alias}::{name}")
        unknown = Unknown(scope, name, None)
        self._entries[key] = _Entry(
            unknown, uses.role(unknown, found), [use.arguments for use in found if use.arguments]
        )

    # rendering

    def text(self) -> str:
        """The header to include behind the prelude."""
        macros = [_macro(entry) for entry in self._entries.values() if entry.role in (Role.MACRO, Role.CALL_MACRO)]
        body = self._opencl() if self.language is Language.OPENCL else self._cpp()
        return "\n".join(["#pragma clang system_header", *macros, *body, ""])

    def _cpp(self) -> list[str]:
        members = " ".join(_member(name, role) for name, role in sorted(self._members.items()))
        lines = [f"#define KL_ANY_MEMBERS {members}"] if members else []
        lines.append((FOLDER / "any.h").read_text("utf-8").replace("#pragma once\n", ""))
        lines.append("#pragma clang force_cuda_host_device begin")
        for key in sorted(self._entries):
            entry = self._entries[key]
            declaration = self._cpp_declaration(entry)
            if declaration is None or self._inside_type(entry):
                continue
            scopes = entry.unknown.scope.split("::") if entry.unknown.scope else []
            lines.append("".join(f"namespace {scope} {{ " for scope in scopes) + declaration + " }" * len(scopes))
        lines.append("#pragma clang force_cuda_host_device end")
        return lines

    def _inside_type(self, entry: _Entry) -> bool:
        parent = self._entries.get(entry.unknown.scope)
        return parent is not None and parent.role is Role.TYPE

    def _cpp_declaration(self, entry: _Entry) -> str | None:
        name = entry.unknown.name
        if entry.role is Role.SCOPE:
            return f"namespace {name} {{}}"
        if entry.role is Role.ENUM:
            return f"enum class {name} : int {{ {', '.join(entry.enumerators)} }};"
        if entry.role is Role.TYPE:
            head = self._template_head(entry.arguments, variadic=True)
            own = "" if head else "using __kl_any::operator=; "
            return f"{head}struct {name} : __kl_any {{ using __kl_any::__kl_any; {own}}};"
        if entry.role is Role.FUNCTION:
            head = self._template_head(entry.arguments, variadic=False)
            parameters = head[len("template <") : -2] + ", " if head else ""
            return f"template <{parameters}class... A> __kl_any {name}(A&&...);"
        if entry.role is Role.CONSTANT_FUNCTION:
            head = self._template_head(entry.arguments, variadic=False)
            parameters = head[len("template <") : -2] + ", " if head else ""
            return f"template <{parameters}class... A> constexpr int {name}(A&&...) {{ return {CONSTANT_VALUE}; }}"
        if entry.role is Role.CONSTANT:
            if self._must_be_constant(name):
                return f"enum __kl_made_up_{name} {{ {name} = {CONSTANT_VALUE} }};"
            return f"extern __attribute__((device)) const int {name};"
        if entry.role is Role.VARIABLE:
            return f"extern __attribute__((device)) __kl_any {name};"
        return None

    def _template_head(self, lists: list[tuple[str, ...]], variadic: bool) -> str:
        """A parameter list for all the argument lists, each position a type or a value by most of its arguments."""
        if not lists or self._uses is None:
            return ""
        kinds = []
        for position in range(max(map(len, lists))):
            votes = [self._uses.is_value(arguments[position]) for arguments in lists if len(arguments) > position]
            kinds.append(sum(votes) * 2 > len(votes))
        if not any(kinds):
            return (
                "template <class...> "
                if variadic
                else "template <" + ", ".join(f"class T{i} = void" for i in range(len(kinds))) + "> "
            )
        parts = [f"auto V{i} = 0" if value else f"class T{i} = void" for i, value in enumerate(kinds)]
        return f"template <{', '.join(parts)}> "

    def _must_be_constant(self, name: str) -> bool:
        if self._constants or self._uses is None:
            return True
        return self._uses.needs_constant(name)

    def _opencl(self) -> list[str]:
        lines = ["#pragma OPENCL EXTENSION __cl_clang_variadic_functions : enable"]
        for key in sorted(self._entries):
            entry = self._entries[key]
            if entry.unknown.scope:
                continue
            lines.append(self._opencl_declaration(entry))
        return lines

    def _opencl_declaration(self, entry: _Entry) -> str:
        name = entry.unknown.name
        if entry.role is Role.TYPE:
            if wide := re.fullmatch(r"(u?(?:char|short|int|long)|float|double|half)(32|64)", name):
                return f"typedef {wide.group(1)} {name} __attribute__((ext_vector_type({wide.group(2)})));"
            fields = self._fields(name)
            if fields:
                return f"typedef struct {{ {' '.join(f'float {each};' for each in fields)} }} {name};"
            width = re.search(r"(2|3|4|8|16)$", name)
            return f"typedef float{width.group() if width else ''} {name};"
        if entry.role in (Role.FUNCTION, Role.CONSTANT_FUNCTION):
            lanes = "4" if self._uses is not None and self._uses.gives_vector(name) else ""
            return f"float{lanes} __attribute__((overloadable)) {name}(...);"
        if entry.role in (Role.CONSTANT, Role.VARIABLE):
            if self._uses is not None and re.search(rf"\b{re.escape(name)}\s*\[", self._uses.text):
                return f"extern __constant float {name}[];"
            if self._must_be_constant(name):
                return f"enum __kl_made_up_{name} {{ {name} = {CONSTANT_VALUE} }};"
            return f"extern __constant int {name};"
        return ""

    def _fields(self, name: str) -> list[str]:
        """The members that variables of an unknown C type are asked for."""
        if self._uses is None:
            return []
        text = self._uses.text
        variables = set(re.findall(rf"\b{re.escape(name)}\b[\s*]+(?:const\s+|restrict\s+)*(\w+)", text))
        found = set()
        for variable in variables:
            found.update(re.findall(rf"\b{re.escape(variable)}\s*(?:\[[^\]]*\]\s*)?(?:\.|->)\s*([A-Za-z_]\w*)", text))
        return sorted(each for each in found if not _SWIZZLE.fullmatch(each)) or (
            ["x"] if any(re.search(rf"\b{re.escape(v)}\s*->", text) for v in variables) else []
        )


def _macro(entry: _Entry) -> str:
    return f"#define {entry.unknown.name}{'(...)' if entry.role is Role.CALL_MACRO else ''}"


def _member(name: str, role: Role) -> str:
    if role is Role.TYPE:
        return f"typedef __kl_any {name};"
    if role in (Role.FUNCTION, Role.CONSTANT_FUNCTION):
        return (
            f"template <class... T, class... A> static __kl_any {name}(A&&...); "
            f"template <auto V, class... A> static __kl_any {name}(A&&...);"
        )
    return f"static __kl_any {name};"
