"""The text of made-up declarations.

In C++, unknown types are structs that take part in any expression (see ``preludes/any.h``), functions take anything
and give a value that converts to anything. OpenCL C has nothing of the kind: there a type is a number, a vector by
the look of its name or a struct by the members asked for, and a function gives a float.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping

from kernlint.frontends.clang.embedded import OPEN_TYPE
from kernlint.frontends.clang.options import Language
from kernlint.frontends.clang.prelude import FOLDER
from kernlint.frontends.clang.unknowns import Role, Unknown
from kernlint.frontends.clang.uses import Members, Uses
from kernlint.record import dataclass, field
from kernlint.text.patterns import pattern

USUAL_VALUE = 16
"""The value of a made-up enumerator: fit for array bounds, shifts and divisors. Those in a ``switch`` count on."""

WARP_VALUE = 32
"""The value of a made-up enumerator that has a warp or wave in its name."""

_MOST_OVERLOADS = 3  # parameters of a function template that are tried as types and as values
_HAS = frozenset("xyzw")
"""Members that every made-up type has."""

_NUMBERS = frozenset("rgba")
"""Members that are numbers by their names, in any type; others may be of a type that is made up as well."""

_SWIZZLE = pattern(r"[xyzw]{1,4}|s[0-9a-fA-F]+|lo|hi|even|odd")
_WIDE = pattern(r"(u?(?:char|short|int|long)|float|double|half)(32|64)")
_INTEGER = pattern(r"([uis]|u?int)(8|16|32|64)(_t)?")
_OF_BITS = {"8": "char", "16": "short", "32": "int", "64": "long"}
EXACT_WIDTH = frozenset(f"{sign}int{bits}_t" for sign in ("", "u") for bits in _OF_BITS)
"""Types whose names have one meaning in C, whoever declares them."""


@dataclass(slots=True)
class Entry:
    """One declaration to make up: the name, what it is, and the template argument lists of its uses."""

    unknown: Unknown
    role: Role
    arguments: list[tuple[str, ...]] = field(default_factory=list)
    enumerators: list[str] = field(default_factory=list)


@dataclass(slots=True)
class MadeUp:
    """What to declare, and what is known about it.

    ``members`` are those of all made-up types together. ``kinds`` tells of an argument of a template whether it is a
    value, ``classes`` has types that are no plain numbers; ``constants`` tells that all constants must be enumerators,
    ``integers`` that members of types must be integers, ``self_contained`` that no header is missing.
    """

    language: Language
    uses: Uses
    entries: Mapping[str, Entry]
    members: Mapping[str, Role]
    kinds: Mapping[tuple[str, int], bool]
    classes: Collection[str]
    constants: bool
    integers: bool
    self_contained: bool = False

    def text(self) -> str:
        """The header to include behind the prelude."""
        macros = [
            f"#define {entry.unknown.name}{'(...)' if entry.role is Role.CALL_MACRO else ''}"
            for entry in self.entries.values()
            if entry.role in (Role.MACRO, Role.CALL_MACRO)
        ]
        body = self._opencl() if self.language is Language.OPENCL else self._cpp()
        return "\n".join(["#pragma clang system_header", *macros, *body, ""])

    def _constant(self, name: str) -> str | None:
        """An enumerator where the language insists on a constant."""
        if not self.constants and not self.uses.needs_constant(name):
            return None
        return self._enumerator(name)

    def _enumerator(self, name: str) -> str:
        value = WARP_VALUE if "WARP" in name.upper() or "WAVE" in name.upper() else USUAL_VALUE
        if self.uses.is_case(name):
            value += sorted(entry.unknown.name for entry in self.entries.values()).index(name)
        return f"enum __kl_made_up_{name} {{ {name} = {value} }};"

    # C++

    def _cpp(self) -> list[str]:
        members = " ".join(_member(name, role) for name, role in sorted(self.members.items()) if name not in _HAS)
        lines = [f"#define KL_ANY_MEMBERS {members}"] if members else []
        with open(os.path.join(FOLDER, "any.h"), encoding="utf-8") as handle:
            lines.append(handle.read().replace("#pragma once\n", ""))
        lines.append("#pragma clang force_cuda_host_device begin")
        numbers = {key for key, entry in self.entries.items() if entry.role is Role.TYPE and self._number(entry)}
        for key in sorted(self.entries, key=lambda key: (key not in numbers, key)):
            entry = self.entries[key]
            parent = self.entries.get(entry.unknown.scope)
            if parent is not None and parent.role in (Role.TYPE, Role.ENUM):
                continue
            scopes = entry.unknown.scope.split("::") if entry.unknown.scope else []
            for declaration in self._cpp_declarations(entry):
                lines.append("".join(f"namespace {each} {{ " for each in scopes) + declaration + " }" * len(scopes))
        lines.append("#pragma clang force_cuda_host_device end")
        return lines

    def _cpp_declarations(self, entry: Entry) -> list[str]:
        name = entry.unknown.name
        if entry.role is Role.SCOPE:
            return [f"namespace {name} {{}}"]
        if entry.role is Role.ENUM:
            return [f"enum class {name} : int {{ {', '.join(entry.enumerators)} }};"]
        if entry.role is Role.TYPE and (number := self._number(entry)):
            return [f"typedef {number} {name};"]
        if entry.role is Role.TYPE:
            head = self._class_head(entry)
            own = "" if head else "using __kl_any::operator=; "
            return [f"{head}struct {name} : __kl_any {{ using __kl_any::__kl_any; {own}}};"]
        made = self.entries.get(name.removeprefix("make_"))
        if entry.role is Role.FUNCTION and made is not None and made.role is Role.TYPE and self._number(made):
            return [f"template <class... A> {made.unknown.name} {name}(A...);"]
        if entry.role is Role.FUNCTION:
            return [f"template <{p}class... A> __kl_value {name}(A&&...);" for p in self._function_parameters(entry)]
        if entry.role is Role.CONSTANT_FUNCTION:
            body = f"constexpr int {name}(A&&...) {{ return {USUAL_VALUE}; }}"
            return [f"template <{p}class... A> {body}" for p in self._function_parameters(entry)]
        if entry.role is Role.CONSTANT:
            return [self._constant(name) or f"extern __attribute__((device)) const int {name};"]
        if entry.role is Role.VARIABLE:
            if self.uses.bounds_array(name):
                return [self._enumerator(name)]
            return [f"extern __attribute__((device)) __kl_any {name};"]
        return []

    def _number(self, entry: Entry) -> str | None:
        """The numbers that a type stands for which the build gives: a vector by the components that are asked for or
        its name's last digit, else a plain number; None where it is used as a class."""
        name = entry.unknown.name
        if name.startswith(OPEN_TYPE):
            return self._open_type(name)
        fields = self.uses.fields(name)
        if not self.self_contained or entry.unknown.scope or entry.arguments or not fields <= set("xyzw"):
            return None
        if name in self.classes or self.uses.members_of(name) or not (fields or self.uses.reckons_with(name)):
            return None
        width = re.search(r"(?<!\d)([234])$", name)
        lanes = max(("xyzw".index(each) + 1 for each in fields), default=0)
        if width is None and lanes:
            return f"float{max(lanes, 2)}"
        return f"float{width.group()}" if width and int(width.group()) >= lanes else "float" if not lanes else None

    def _open_type(self, name: str) -> str:
        """The numbers that a type stands for which the host program gives: whole ones where one is a subscript."""
        return "int" if self.uses.subscripts_with(name) else "float"

    def _class_head(self, entry: Entry) -> str:
        """A parameter list that takes all the argument lists, each position a type or a value by most of them."""
        values = self._values(entry)
        if not values:
            return ""
        if not any(values):
            return "template <class...> "
        return f"template <{', '.join(_parameter(i, value) for i, value in enumerate(values))}> "

    def _function_parameters(self, entry: Entry) -> list[str]:
        """Parameter lists for one overload each: functions can have one for every guess."""
        values = self._values(entry)
        if not values:
            return [""]
        guesses = [values]
        if len(values) <= _MOST_OVERLOADS:
            guesses = [[bool(bits >> i & 1) for i in range(len(values))] for bits in range(1 << len(values))]
        return ["".join(f"{_parameter(i, value)}, " for i, value in enumerate(guess)) for guess in guesses]

    def _values(self, entry: Entry) -> list[bool]:
        """For each position of the argument lists, whether it is a value."""
        values = []
        for position in range(max(map(len, entry.arguments), default=0)):
            votes = [self.uses.is_value(each[position]) for each in entry.arguments if len(each) > position]
            known = self.kinds.get((entry.unknown.name, position))
            values.append(sum(votes) * 2 > len(votes) if known is None else known)
        return values

    # OpenCL C

    def _opencl(self) -> list[str]:
        lines = ["#pragma OPENCL EXTENSION __cl_clang_variadic_functions : enable"]
        lines += [self._opencl_declaration(self.entries[key]) for key in sorted(self.entries) if "::" not in key]
        return lines

    def _opencl_declaration(self, entry: Entry) -> str:
        name = entry.unknown.name
        if name.startswith(OPEN_TYPE):
            return f"typedef {self._open_type(name)} {name};"
        if entry.role in (Role.TYPE, Role.ENUM):
            if wide := _WIDE.fullmatch(name):
                return f"typedef {wide.group(1)} {name} __attribute__((ext_vector_type({wide.group(2)})));"
            if integer := _INTEGER.fullmatch(name):
                sign = "" if integer.group(1) in ("u", "uint") else "signed "
                return f"typedef {sign}{'u' * (not sign)}{_OF_BITS[integer.group(2)]} {name};"
            members = self.uses.members(name)
            if any(not _SWIZZLE.fullmatch(each) for each in members):
                return f"typedef {self._opencl_struct(members)} {name};"
            width = re.search(r"(?<!\d)(2|3|4|8|16)$", name)
            return f"typedef float{width.group() if width else ''} {name};"
        if entry.role in (Role.FUNCTION, Role.CONSTANT_FUNCTION):
            lanes = "4" if self.uses.gives_vector(name) else ""
            return f"float{lanes} __attribute__((overloadable)) {name}(...);"
        if entry.role in (Role.CONSTANT, Role.VARIABLE):
            if re.search(rf"\b{re.escape(name)}\s*\[", self.uses.text):
                return f"extern __constant float {name}[];"
            return self._constant(name) or f"extern __constant int {name};"
        return ""

    def _opencl_struct(self, members: Mapping[str, Members]) -> str:
        """A struct with the members asked for: vectors by their components, arrays of integers where subscripted, for
        that is how sizes are passed, else numbers."""
        fields = []
        for name, member in sorted(members.items()):
            kind = "int" if member.subscripted or self.integers else "float"
            if any(not _SWIZZLE.fullmatch(each) for each in member.inner):
                kind = self._opencl_struct(member.inner)
            elif member.inner:
                kind += "4"
            fields.append(f"{kind} {name}{f'[{USUAL_VALUE}]' if member.subscripted else ''};")
        return f"struct {{ {' '.join(fields)} }}"


def _parameter(position: int, value: bool) -> str:
    return f"auto V{position} = 0" if value else f"class T{position} = void"


def _member(name: str, role: Role) -> str:
    if role is Role.TYPE:
        return f"typedef __kl_any {name};"
    if role in (Role.FUNCTION, Role.CONSTANT_FUNCTION):
        return (
            f"template <class... T, class... A> static __kl_value {name}(A&&...); "
            f"template <auto V, class... A> static __kl_value {name}(A&&...);"
        )
    if role is Role.CONSTANT:
        return f"static constexpr int {name} = {USUAL_VALUE};"
    kind = "__kl_any" if name in _NUMBERS else "__kl_value"
    return f"static __attribute__((device)) {kind} {name};"
