"""How a source uses a name, as far as its text tells.

A name before ``::`` is a scope, before ``(`` a function, before another name a type, between ``<`` and ``>`` an
argument. Nothing here understands the language: what it makes of a name is good enough to try.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from kernlint.frontends.clang.embedded import OPEN_TYPE
from kernlint.frontends.clang.lazy import lazy
from kernlint.frontends.clang.unknowns import IDENTIFIER, KEYWORDS, Role, Unknown
from kernlint.record import dataclass, field
from kernlint.text.patterns import pattern

_NOISE = pattern(r"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"", re.DOTALL)


_CONDITION = pattern(r"^[ \t]*#[ \t]*(?:el)?if(?:[^\n\\]|\\\n|\\.)*", re.MULTILINE)


def plain_text(text: str) -> str:
    """The text without comments and strings, and without the conditions of the preprocessor: what stands on the line
    behind one goes with no name in it."""
    text = _NOISE.sub(" ", text)
    return _CONDITION.sub(" ", text) if "#" in text else text


@dataclass(frozen=True, slots=True)
class Use:
    """One use of a name: its template arguments (None: no list), and the text after the name and them."""

    arguments: tuple[str, ...] | None
    before: str
    after: str


@dataclass(slots=True)
class Members:
    """How a member of an unknown type is used: whether a subscript follows, and which members of its own it has."""

    subscripted: bool = False
    inner: dict[str, Members] = field(default_factory=dict)


_WINDOW = 160  # characters looked at behind a name
_CALLED_PREFIX = pattern(r"\s*\([^()]*\)\s*(?:for|while|do|if)\b")
_CONTROL = pattern(r"\s*(?:for|while|do|if|return)\b")
_BLOCK = pattern(r"\s*\{[^{}]*[;{]")
_DECLARATION = pattern(
    r"(?:\s*[*&]+\s*|\s+)(?:const\b\s*|__restrict__\b\s*|__restrict\b\s*|restrict\b\s*|[*&]\s*)*[A-Za-z_]\w*\s*[;=,)\[({:]"
)
_SPECIFIER = pattern(
    r"(?:\([^()\n]*\))?\s+(?:__\w+__|static|inline|constexpr|const(?!\s*(?:\{|;|override|noexcept|final|->))|extern|void|bool|char|short|int|long|unsigned|signed|float|double|"
    r"struct|template|kernel|__kernel|half|size_t|auto)\b|\s+[A-Za-z_][\w:]*(?:<[^;{}()]*>)?[\s*&]+[A-Za-z_]\w*\s*\("
)


_TYPE_LIKE = pattern(r"(?:const\s+|typename\s+|unsigned\s+|struct\s+)*[A-Za-z_][\w:]*(?:\s*<.*>(?:::\w+)*)?[\s*&]*$")


_TEMPLATE_PARAMETER = pattern(r"\btemplate\s*<(?:[^<>;{}]*,)?\s*(?:const\s+)?(?:[A-Za-z_]\w*\s*::\s*)*$")
_CONSTANT_CALL = pattern(r"\bconstexpr\b[^;=(]*=[^;]*$|\b__launch_bounds__\s*\([^()]*$|\bif constexpr\s*\([^{;]*$")


class Uses:
    """How names are used in the texts of a parse."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.text = "\n".join(map(plain_text, texts))
        self._places: dict[str, list[int]] = {}
        self._declared: dict[str, frozenset[str]] = {}
        self._asked_for: dict[str, frozenset[str]] = {}
        for match in IDENTIFIER.finditer(self.text):
            self._places.setdefault(match.group(), []).append(match.start())

    def of(self, qualified: str) -> list[Use]:
        """All uses of a name, qualified or not as given; members of objects are no uses."""
        *scopes, name = qualified.split("::")
        found = []
        for at in self._places.get(name, ()):
            before = self.text[max(0, at - 160) : at].rstrip()
            for scope in reversed(scopes):
                if not before.endswith("::") or not before[:-2].rstrip().endswith(scope):
                    break
                before = before[:-2].rstrip()[: -len(scope)].rstrip()
            else:
                if not before.endswith((".", "->", "::")) or before.endswith("..."):
                    arguments, rest = template_arguments(self.text, at + len(name))
                    found.append(Use(arguments, before[-80:], self.text[rest : rest + _WINDOW]))
        return found

    def members_of(self, scope: str) -> set[tuple[str, ...]]:
        """The paths of names that the texts look up in a scope: ``a::b::c`` gives ``(b, c)`` for ``a``."""
        found = set()
        for at in self._places.get(scope.partition("::")[0], ()):
            if not self.text.startswith(scope, at):
                continue
            head = self.text[max(0, at - 3) : at]
            if (head[:-2] if head.endswith("::") else head)[-1:] in _INSIDE:
                continue
            if match := _PATH.match(self.text, at + len(scope)):
                found.add(tuple(part for part in IDENTIFIER.findall(match.group()) if part != "template"))
        return found

    def after_member(self, name: str) -> list[str]:
        """What follows each use of a name as a member, template arguments left out."""
        found = []
        for at in self._places.get(name, ()):
            before = self.text[max(0, at - 20) : at].removesuffix(" ").removesuffix("template").rstrip()
            if before.endswith((".", "->", "::")):
                rest = template_arguments(self.text, at + len(name))[1]
                found.append(self.text[rest : rest + 8].lstrip())
        return found

    @lazy
    def aliases(self) -> dict[str, str]:
        """Namespace aliases of the texts."""
        return dict(re.findall(r"\bnamespace\s+(\w+)\s*=\s*(?:::)?([\w:]+)\s*;", self.text))

    @lazy
    def declared_types(self) -> dict[str, str]:
        """Types that the texts declare by another: the name and the rest of the declaration."""
        found = re.findall(r"\busing\s+(\w+)\s*=\s*([^;{}]+);", self.text)
        found += [(name, text) for text, name in re.findall(r"\btypedef\s+([^;{}]+?)\s*\b(\w+)\s*;", self.text)]
        return dict(found)

    def declares(self, name: str, *, functions: bool = True) -> bool:
        """Whether the texts declare a name by a type or class of their own: what is unknown there is the type.

        A variable that is called like a function is none of them.  ``functions``: what looks like the declaration of
        a function counts too, though it may be one of a class.
        """
        variable = called = False
        for at in self._places.get(name, ()):
            after = _DECLARED_AS.match(self.text, at + len(name))
            if after is None:
                continue
            call = after.group().endswith("(")
            before = _DECLARED_BY.search(self.text[max(0, at - 60) : at])
            if before is None or (before[1] in KEYWORDS and before[1] not in _TYPE_WORDS):
                called |= call and not self.text[max(0, at - 2) : at].endswith((".", "->"))
            elif not call:
                variable = True
            elif functions:
                return True
        return variable and not called

    def _variables(self, name: str) -> frozenset[str]:
        """What is declared by a type of that name."""
        known = self._declared.get(name)
        if known is None:
            found = (_VARIABLE.match(self.text, at + len(name)) for at in self._places.get(name, ()))
            known = self._declared[name] = frozenset(match.group(1) for match in found if match is not None)
        return known

    def fields(self, name: str) -> set[str]:
        """The members that variables of a type are asked for."""
        return set().union(*map(self._fields_of, self._variables(name)))

    def _fields_of(self, variable: str) -> frozenset[str]:
        known = self._asked_for.get(variable)  # variables of many types are called alike
        if known is None:
            found = (_FIELD.match(self.text, at + len(variable)) for at in self._places.get(variable, ()))
            known = self._asked_for[variable] = frozenset(match.group(1) for match in found if match is not None)
        return known

    def reckons_with(self, name: str) -> bool:
        """Whether variables of a type are subscripted or stand in sums and products."""
        return any(
            _RECKONED.match(self.text, at + len(variable)) is not None
            for variable in self._variables(name)
            for at in self._places.get(variable, ())
        )

    def subscripts_with(self, name: str) -> bool:
        """Whether variables of a type, or what they point to, stand in subscripts, remainders or bits."""
        return any(
            _COUNTING.search(self.text, max(0, at - 60), at) is not None
            or _COUNTED.match(self.text, at + len(variable)) is not None
            for variable in self._variables(name)
            for at in self._places.get(variable, ())
        )

    def members(self, name: str) -> dict[str, Members]:
        """What variables of a type are asked for: its members, whether they are subscripted, and theirs in turn."""
        found: dict[str, Members] = {}
        for variable in sorted(self._variables(name)):
            for at in self._places.get(variable, ()):
                into, place = found, at + len(variable)
                while match := _FIELD.match(self.text, place):
                    member = into.setdefault(match.group(1), Members())
                    place = match.end()
                    member.subscripted |= self.text[place : place + 8].lstrip().startswith("[")
                    into = member.inner
        return found

    def role(self, unknown: Unknown, uses: list[Use]) -> Role:
        """What the name has to be."""
        constant = is_constant_name(unknown.name)
        if unknown.name.startswith(OPEN_TYPE):
            return Role.TYPE
        if any(_CALLED_PREFIX.match(use.after) for use in uses):
            return Role.CALL_MACRO
        if unknown.qualified in self.aliases.values():
            return Role.SCOPE
        scopes = [use for use in uses if use.after.lstrip().startswith("::")]
        if scopes and unknown.role is None:
            is_type = any(use.arguments is not None for use in scopes) or any(_is_type_use(use) for use in uses)
            return Role.TYPE if is_type else Role.SCOPE
        if unknown.role is Role.FUNCTION:
            return Role.FUNCTION
        bare = [use for use in uses if use.arguments is None]
        if not unknown.scope and any(_is_statement_prefix(use) for use in bare):
            return Role.MACRO
        if unknown.role is Role.TYPE and any(_TEMPLATE_PARAMETER.search(use.before) for use in bare):
            return Role.ENUM
        if unknown.role is Role.TYPE:
            if not unknown.scope and any(_is_attribute_use(use) for use in bare):
                called = any(use.after.lstrip().startswith("(") for use in bare)
                return Role.CALL_MACRO if called else Role.MACRO
            return Role.TYPE
        if any(_is_type_use(use) for use in uses if not (constant and use.after.lstrip()[:1] in ("*", "&"))):
            return Role.TYPE
        if unknown.name.endswith("_t"):
            return Role.TYPE
        if any(use.after.lstrip().startswith("(") for use in uses):
            return Role.CONSTANT_FUNCTION if any(_CONSTANT_CALL.search(use.before) for use in uses) else Role.FUNCTION
        if any(use.arguments is not None for use in uses):
            return Role.TYPE
        return Role.CONSTANT if constant else Role.VARIABLE

    def is_value(self, argument: str) -> bool:
        """Whether a template argument is a value (else a type), by its form or by how its name is declared."""
        argument = argument.strip()
        if not re.fullmatch(r"(?:::)?[A-Za-z_]\w*", argument):
            if _TYPE_LIKE.match(argument) is None:
                return True
            return bool(re.search(r"(?:_v|::value|::[A-Z][A-Z0-9_]*|::k[A-Z]\w*)$", argument))
        name = argument.lstrip(":")
        if name in ("true", "false"):
            return True
        if name in KEYWORDS or name.endswith("_t"):
            return False
        declared = self._declared_as_value(name)
        if declared is not None:
            return declared
        return bool(re.fullmatch(r"[A-Z][A-Z0-9]*_[A-Z0-9_]*|k[A-Z]\w*|[A-Z]{4,}", name))

    def _declared_as_value(self, name: str) -> bool | None:
        """What the words before a name's uses make of it; None: nothing."""
        found = None
        for at in self._places.get(name, ()):
            before = self.text[max(0, at - 40) : at]
            if _AFTER_TYPE_WORD.search(before):
                return False
            if _AFTER_INTEGER.search(before):
                found = True
        return found

    def gives_vector(self, name: str) -> bool:
        """Whether components of what a function gives are asked for."""
        return any(_COMPONENT.match(use.after) for use in self.of(name))

    def is_case(self, name: str) -> bool:
        """Whether a name labels a case of a ``switch``."""
        return any(use.before.rstrip().endswith("case") for use in self.of(name))

    def needs_constant(self, name: str) -> bool:
        """Whether a name stands where the language wants a constant: an array bound, a case, a template argument;
        or in a macro that does."""
        return self._stands(name, _CONSTANT_PLACE, _MACROS_DEEP)

    def bounds_array(self, name: str) -> bool:
        """Whether a name stands in the bound of an array, or in a macro that does."""
        return self._stands(name, _ARRAY_BOUND, _MACROS_DEEP)

    def _stands(self, name: str, place: re.Pattern[str], depth: int) -> bool:
        for at in self._places.get(name, ()):
            before = self.text[max(0, at - 120) : at]
            if place.search(before) is not None:
                return True
            macro = _IN_MACRO.search(before)
            if (
                macro is not None
                and depth
                and macro.group(1) != name
                and self._stands(macro.group(1), place, depth - 1)
            ):
                return True
        return False


_MACROS_DEEP = 3
"""Macros within macros that are followed to where a name stands."""


_TYPE_WORDS = KEYWORDS & frozenset(
    IDENTIFIER.findall("auto bool char double float int long short signed unsigned void struct class enum union")
)
_DECLARED_BY = pattern(r"(?:(?<![\w.])([A-Za-z_]\w*)|>)(?:\s+|\s*[*&]+|[*&]+\s*)(?:const\s+|__restrict__\s+)?$")
_DECLARED_AS = pattern(r"\s*(?:[;,)\[({]|:(?!:)|=(?!=))")
_FIELD = pattern(r"\s*(?:\[[^\]]*\]\s*)?(?:\.|->)\s*([A-Za-z_]\w*)")
_VARIABLE = pattern(r"[\s*&]+(?:const\s+|__restrict__\s+|restrict\s+)*(\w+)")
_PATH = pattern(r"(?:\s*::\s*(?:template\s+)?[A-Za-z_]\w*)+")
_INSIDE = tuple("_.:abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
_COUNTING = pattern(r"\[[^\[\];{}=]*$|[%&|]\s*$|<<\s*$|>>\s*$")
_COUNTED = pattern(r"\s*(?:\[[^\[\]]*\]\s*)?(?:%|&(?!&)|\|(?!\|)|\^|<<|>>)")
_RECKONED = pattern(r"\s*(?:\[|[-+*/]=|[-+*/](?![-+*/=>)]))")
_COMPONENT = pattern(r"\s*\([^()]*\)\s*\.\s*(?:[xyzw]+|s[0-9a-fA-F]+|lo|hi)\b")
_AFTER_TYPE_WORD = pattern(r"\b(?:typename|class|struct|using)\s+(?:\.\.\.\s*)?$")
_AFTER_INTEGER = pattern(
    r"(?:\b(?:int|unsigned|long|short|size_t|bool|auto|char|u?int\d+_t|uint|index_t)\s+|#\s*define\s+)(?:\.\.\.\s*)?$"
)
_IN_MACRO = pattern(r"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)[^\n]*$(?!\n)", re.MULTILINE)
_BOUND = r"\b(?!return\b|else\b)[A-Za-z_][\w>]*[\s*&]+[A-Za-z_]\w*\s*(?:\[[^\]]*\]\s*)*\[[^;\]{}]*$"
_ARRAY_BOUND = pattern(_BOUND)
_CONSTANT_PLACE = pattern(
    r"(?:\bcase\b|__launch_bounds__\s*\(|reqd_work_group_size\s*\(|\bconstexpr\b[^;]*|<)[^;\]{}]*$|" + _BOUND
)


def is_constant_name(name: str) -> bool:
    """Whether a name is spelled the way constants are: ``WIDTH`` or ``kWidth``."""
    return re.fullmatch(r"[A-Z][A-Z0-9_]*|k[A-Z]\w*", name) is not None


def argument_place(text: str, offset: int) -> tuple[str, int] | None:
    """The template and the position in its argument list of the argument that begins at ``offset``; None too where the
    text is not that of the diagnostic's file (a header that was not read) and ends before."""
    if offset > len(text):
        return None
    depth, position = 0, 0
    for at in range(offset - 1, max(-1, offset - 400), -1):
        char = text[at]
        if char in ")>]" and text[at - 1 : at + 1] != "->":
            depth += 1
        elif char in "([":
            depth -= 1
            if depth < 0:
                return None
        elif char == "<":
            if depth == 0:
                name = re.search(r"([A-Za-z_]\w*)\s*$", text[max(0, at - 80) : at])
                return (name.group(1), position) if name else None
            depth -= 1
        elif char == "," and depth == 0:
            position += 1
        elif char in ";{}":
            return None
    return None


def _is_type_use(use: Use) -> bool:
    return bool(_DECLARATION.match(use.after)) and not use.before.rstrip().endswith(("return", "case", "goto"))


def _is_statement_prefix(use: Use) -> bool:
    """Whether the name stands before a whole statement; what has no statement in its braces is a value made there:
    ``return vec3{x, y}``."""
    before = use.before.rstrip()
    if use.after.lstrip().startswith("{"):
        return before.endswith((";", "{", "}")) and _BLOCK.match(use.after) is not None
    return bool(_CONTROL.match(use.after)) and not before.endswith(")")


def _is_attribute_use(use: Use) -> bool:
    """The name stands where a declaration begins, with a whole declaration behind it."""
    return bool(_SPECIFIER.match(use.after))


def template_arguments(text: str, start: int) -> tuple[tuple[str, ...] | None, int]:
    """The template argument list that begins at ``start`` (white space allowed), and where the text goes on.

    A ``<`` that is a comparison gives None: its other end is missing, or lies behind ``;``, ``{`` or ``&&``.
    """
    at = start
    while at < len(text) and text[at] in " \t\n":
        at += 1
    if at >= len(text) or text[at] != "<" or text[at : at + 2] in ("<<", "<="):
        return None, start
    depth, nested, begin, found = 0, 0, at + 1, []
    for end in range(at, min(len(text), at + 400)):
        char = text[end]
        if char in "([":
            nested += 1
        elif char in ")]":
            nested -= 1
            if nested < 0:
                return None, start
        elif char in ";{}" or text[end : end + 2] in ("&&", "||"):
            return None, start
        elif nested:
            continue
        elif char == "<":
            depth += 1
        elif char == ">" and text[end - 1] != "-":
            depth -= 1
            if depth == 0:
                found.append(text[begin:end].strip())
                return tuple(part for part in found if part), end + 1
        elif char == "," and depth == 1:
            found.append(text[begin:end].strip())
            begin = end + 1
    return None, start
