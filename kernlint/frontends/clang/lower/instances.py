"""Instances of kernel templates that nothing in the file asks for.

A template alone hides the referents of members, overload choices and implicit conversions.  Uses by address, put behind
the text in memory (offsets of the real text do not move), make clang instantiate it; a handful of argument sets is
tried, and one that does not compile costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from itertools import product

from kernlint.frontends.clang.cursor import Cursor
from kernlint.frontends.clang.kinds import CursorKind as K
from kernlint.frontends.clang.kinds import TypeKind
from kernlint.frontends.clang.lower.functions import FUNCTIONS, PLACEHOLDER, body_of
from kernlint.frontends.clang.native import LIB
from kernlint.frontends.clang.types import Type as ClangType
from kernlint.frontends.clang.unit import Unit
from kernlint.frontends.clang.unknowns import IDENTIFIER
from kernlint.frontends.clang.uses import plain_text, template_arguments
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.text.patterns import pattern

FORCED_INSTANCES = 2
"""Instances of one kernel that are made up where none is in sight."""

MANY_TEMPLATES = 12
"""With more kernel templates than this in one file a single forced instance of each must do."""

_TYPES = ("float", "int", "double", "__half", "unsigned char")
_NUMBERS = (32, 4, 256, 1, 16)
_FURTHER = ((0, 1), (0, 4), (2, 1))
"""Positions of a type and a number to try where no pair of the same position would do."""

MAX_ASKED = 4
"""Argument lists of one template that are taken from the text."""

_DECLARED_PARAMETER = pattern(
    r"[<,]\s*(?:typename|class|bool|int|unsigned|size_t|auto|u?int\d+_t)(?:\s+int|\s*\.\.\.)?\s+(\w+)\s*(?=[,>=])"
)
_SCALARS = frozenset({"bool", "char", "short", "int", "unsigned", "long", "float", "double", "size_t", "auto"})
_INTEGERS = ("int", "unsigned int", "long long")
CALLABLE = "__kernlint_callable"
"""A class to try for parameters that are called where the source has none."""

_PARAMETERS = (K.TEMPLATE_TYPE_PARAMETER, K.TEMPLATE_NON_TYPE_PARAMETER, K.TEMPLATE_TEMPLATE_PARAMETER)
PREFIX = "__kernlint_use_"
"""Names of the functions that hold the forced uses."""
TOLD = "t"
"""At the end of such a name: the numbers of the instance stand in the source, where clang saw no instance."""


@dataclass(frozen=True, slots=True)
class Template:
    """A kernel template without an instance: its cursor and the namespaces around it."""

    cursor: Cursor
    namespaces: tuple[str, ...]


Wanted = Callable[[int, int], bool]
"""Whether what stands between two offsets of the main file is to be looked at."""


def lacking(unit: Unit, wanted: Wanted | None) -> list[Template]:
    """Kernel templates of the main file, those ``wanted``, of which the source brings about no instance.

    What clang instantiates stands among the declarations, so nothing has to be lowered to know.
    """
    instantiated = {
        cursor.template.key
        for cursor, _ in _functions(unit, unit.top_level())
        if cursor.kind == K.FUNCTION_DECL and cursor.template is not None and cursor.is_definition
    }
    return [
        Template(cursor, namespaces)
        for cursor, namespaces in _functions(unit, unit.top_level())
        if _is_kernel_template(unit, cursor)
        and cursor.key not in instantiated
        and (wanted is None or wanted(cursor.extent.start, cursor.extent.end))
    ]


def standing_at(unit: Unit, spans: Collection[Span]) -> list[Template]:
    """The kernel templates, of headers too, that stand at ``spans``."""
    files = {span.file for span in spans}
    return [
        Template(cursor, namespaces)
        for cursor, namespaces in _functions(unit, unit.top_level(main_only=False))
        if cursor.kind == K.FUNCTION_TEMPLATE
        and cursor.extent.file in files
        and Span(cursor.extent.file or "", cursor.extent.start, cursor.extent.end) in spans
    ]


def _functions(
    unit: Unit, cursors: list[Cursor], namespaces: tuple[str, ...] = ()
) -> Iterator[tuple[Cursor, tuple[str, ...]]]:
    """Functions and their templates with the namespaces around them; no tree is built below any of them."""
    for node in cursors:
        if node.kind in (K.FUNCTION_TEMPLATE, K.FUNCTION_DECL):
            yield node, namespaces
        elif node.kind in (K.NAMESPACE, K.LINKAGE_SPEC, K.UNEXPOSED_DECL) and not _is_system(node):
            inner = (*namespaces, node.spelling) if node.kind == K.NAMESPACE else namespaces
            yield from _functions(unit, unit.members(node), inner)


def _is_kernel_template(unit: Unit, cursor: Cursor) -> bool:
    if cursor.kind != K.FUNCTION_TEMPLATE:
        return False
    kinds = unit.child_kinds(cursor)
    return K.CUDA_GLOBAL_ATTR in kinds and K.COMPOUND_STMT in kinds


def is_kernel(node: Cursor) -> bool:
    """Whether a CUDA or HIP function is a kernel."""
    return any(c.kind == K.CUDA_GLOBAL_ATTR for c in node.children)


def uses(templates: list[Template], unit: Unit, text: bytes) -> str:
    """Text that takes the address of each template under several sets of arguments; ``text`` is the main file's."""
    lines = [
        f"template <class R, class... A> __attribute__((device)) R {PLACEHOLDER}(A...);",
        f"struct {CALLABLE} {{ template <class A, class... B> __attribute__((device)) A operator()(A, B...) const; }};",
    ]
    records = Records(unit)
    read: dict[bytes, tuple[str, frozenset[str]]] = {}
    for index, template in enumerate(templates):
        seen: set[str] = set()
        around = _text_around(template.cursor, text)
        types = _type_candidates(template.cursor, records, around)
        asked: list[tuple[str | None, ...]] = []
        for part in dict.fromkeys((text, around)):  # a template of a header may be used there alone
            if part not in read:
                plain = plain_text(part.decode("latin-1"))
                read[part] = plain, frozenset(_DECLARED_PARAMETER.findall(plain))
            asked = asked or _asked(template.cursor.spelling, *read[part])
        for number, (arguments, given) in enumerate(_attempts(template.cursor, types, asked)):
            if arguments is None or (listed := ", ".join(arguments)) in seen:
                continue
            told = TOLD if _numbers_told(template.cursor, given) else ""
            seen.add(listed)
            head = "".join(f"namespace {name} {{ " if name else "namespace { " for name in template.namespaces)
            use = f"(void)&{template.cursor.spelling}<{listed}>;"
            name = f"{PREFIX}{index}_{number}{told}"
            lines.append(f"{head}static void {name}() {{ {use} }}{' }' * len(template.namespaces)}")
    return "\n".join(lines) + "\n"


def _asked(name: str, text: str, dependent: frozenset[str]) -> list[tuple[str | None, ...]]:
    """The argument lists that the text gives a template; None for arguments that are parameters around the use."""
    found: dict[tuple[str | None, ...], None] = {}
    for match in re.finditer(rf"\b{re.escape(name)}\s*(?=<)", text):
        arguments, _ = template_arguments(text, match.end())
        if arguments and not text[: match.start()].rstrip().endswith(("void", "template")):
            before = text[: match.start()]
            numbers = [_number_of(a.strip(), before) or a for a in arguments]
            found[tuple(None if dependent & set(IDENTIFIER.findall(a)) else a for a in numbers)] = None
    return [arguments for arguments in found if any(arguments)][:MAX_ASKED]


def _number_of(name: str, before: str) -> str | None:
    """The number that the nearest constant of a name above a use is declared with: one of a function has its name
    nowhere else."""
    if IDENTIFIER.fullmatch(name) is None:
        return None
    declared = re.findall(rf"\bconst(?:expr)?\s[\w:\s]*\b{name}\s*(?:=\s*|[({{]\s*)(\d+)[uUlL]*\s*[;,)}}]", before)
    return declared[-1] if declared else None


def _attempts(
    template: Cursor, types: dict[str, list[str]], asked: list[tuple[str | None, ...]]
) -> Iterator[tuple[list[str] | None, tuple[str | None, ...]]]:
    """Argument lists to try, each with what the text gives of it: those that it gives, filled up with guesses; its
    numbers with other types, as names of types may be gone there; then guesses alone."""
    numbers = _numbers_of(template)
    bare = [tuple(one if at in numbers else None for at, one in enumerate(given)) for given in asked]
    for lists in (asked, [given for given in bare if any(given)]):
        for attempt, given in product(range(len(_TYPES)), lists):
            yield _arguments(template, attempt, attempt, types, given), given
    for attempt in range(len(_TYPES)):
        yield _arguments(template, attempt, attempt, types), ()
    for kind, number in _FURTHER:
        yield _arguments(template, kind, number, types), ()


def _numbers_of(template: Cursor) -> list[int]:
    """The positions of the parameters of a template that are no types."""
    parameters = [child for child in template.children if child.kind in _PARAMETERS]
    return [at for at, one in enumerate(parameters) if one.kind == K.TEMPLATE_NON_TYPE_PARAMETER]


def _numbers_told(template: Cursor, given: tuple[str | None, ...]) -> bool:
    """Whether every number that a template takes is among the arguments that the text gives."""
    return all(at < len(given) and given[at] is not None for at in _numbers_of(template))


class Records:
    """The user's classes of a translation unit with the names of their members, and its functions with what they take,
    looked up when first asked for."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._members: list[tuple[str, frozenset[str]]] | None = None
        self._functions: dict[str, list[Cursor]] | None = None

    def pointed_at(self, within: Cursor, function: str, position: int, arguments: int) -> list[str]:
        """Classes that the functions of a name, of libraries too, take a pointer to at a position; none where one of
        them takes a pointer to something else.  ``within``: the template that calls them."""
        found: dict[str, None] = {}
        for cursor in self._named(function) or _called(within, function):
            parameters = [child for child in cursor.children if child.kind == K.PARM_DECL]
            if len(parameters) != arguments:
                continue
            match = _POINTER.fullmatch(parameters[position].type.spelling)
            if match is None or match["name"] in _SCALARS or cursor.kind == K.FUNCTION_TEMPLATE:
                return []
            found[match["name"]] = None
        return list(found)

    def _named(self, function: str) -> list[Cursor]:
        if self._functions is None:
            self._functions = {}
            for cursor, _ in _functions(self._unit, self._unit.top_level(main_only=False)):
                self._functions.setdefault(cursor.spelling, []).append(cursor)
        return self._functions.get(function, [])

    def taken_by(self, function: str, position: int, arguments: int) -> Iterator[str]:
        """Classes that the user's functions of a name take at a position, instances of templates with numbers."""
        for cursor in self._named(function):
            if _is_system(cursor):
                continue
            children = cursor.children
            parameters = [child for child in children if child.kind == K.PARM_DECL]
            if len(parameters) != arguments:
                continue
            match = _CLASS.fullmatch(parameters[position].type.spelling)
            named = {child.spelling for child in children if child.kind in _PARAMETERS}
            if match is None or match["name"] in named:
                continue
            given = (match["arguments"] or "").replace("typename ", "")
            types = [child.spelling for child in children if child.kind == K.TEMPLATE_TYPE_PARAMETER]
            if not named & set(IDENTIFIER.findall(given)):
                yield match["name"] + given
            elif set(IDENTIFIER.findall(given)) <= set(types):
                yield from (match["name"] + IDENTIFIER.sub(each, given) for each in ("int", "float"))

    def with_members(self, names: set[str]) -> list[str]:
        """Qualified names of the classes that have all of ``names`` as members."""
        if self._members is None:
            self._members = list(self._collect(self._unit.top_level(main_only=False), 0))
        return [name for name, members in self._members if names <= members]

    def _collect(self, cursors: list[Cursor], depth: int) -> Iterator[tuple[str, frozenset[str]]]:
        for cursor in cursors:
            if _is_system(cursor):
                continue
            if cursor.kind == K.NAMESPACE and depth < 4:
                yield from self._collect(cursor.children, depth + 1)
            elif cursor.kind not in (K.STRUCT_DECL, K.CLASS_DECL) or not cursor.is_definition:
                continue
            elif cursor.spelling and not cursor.is_anonymous and cursor.template is None:
                yield cursor.qualified_name, frozenset(child.spelling for child in cursor.children)


def _called(within: Cursor, function: str) -> list[Cursor]:
    """The functions of a name that a template's calls may mean: those of a precompiled header are at no top level."""
    for node in within.walk():
        if node.kind == K.OVERLOADED_DECL_REF and node.spelling == function:
            return node.overloads[::-1]  # as they are declared
        if node.kind == K.DECL_REF_EXPR and node.spelling == function and node.referenced is not None:
            return [node.referenced]
    return []


def _is_system(cursor: Cursor) -> bool:
    return bool(LIB.Location_isInSystemHeader(LIB.getCursorLocation(cursor.raw)))


_CLASS = pattern(r"(?:const )?(?P<name>[A-Za-z_][\w:]*?)(?P<arguments><[^<>()]*>)?(?: ?&| ?&&)?")
_POINTER = pattern(
    r"(?:const )?(?:struct )?(?P<name>(?!(?:unsigned|signed|long) )[A-Za-z_][\w:]*) ?\*(?: ?__restrict)?"
)
_ADDRESS = pattern(r"(&?)\s*(\w+)\s*(\[[^\]]*\])?\s*(?:\+.*)?", re.S)
_CALL = pattern(r"(?<![\w.>])([A-Za-z_]\w*)\s*\(([^()]*)\)")
_COMMON_MEMBERS = frozenset({"type", "value", "value_type"})


def _text_around(template: Cursor, main: bytes) -> bytes:
    """The text of the file that a template stands in; ``main``: that of the main file."""
    if template.extent.file == template.unit.path:
        return main
    try:
        with open(template.extent.file or "", "rb") as handle:
            return handle.read()
    except OSError:
        return b""


def _type_candidates(template: Cursor, records: Records, text: bytes) -> dict[str, list[str]]:
    """Classes to try for type parameters of which the template asks for members or that it calls; ``text``: of the file
    that it stands in."""
    parameters = [c.spelling for c in template.children if c.kind == K.TEMPLATE_TYPE_PARAMETER and c.spelling]
    if not parameters:
        return {}
    extent = template.extent
    body = text[extent.start : extent.end].decode("utf-8", "replace")
    found: dict[str, list[str]] = {}
    for name in parameters:
        wanted = set(re.findall(rf"\b{name}\s*::\s*(?:template\s+)?(\w+)", body)) - _COMMON_MEMBERS
        variables = set(re.findall(rf"\b{name}\b[\s&*]*(?:(?:const|__restrict__)\b\s*)*(\w+)\s*[,;)({{\[=]", body))
        if any(re.search(rf"(?<![\w.>]){variable}\s*\(", body[body.find("{") :]) for variable in variables):
            wanted.add("operator()")
        for variable in variables:
            access = rf"(?<![\w.>]){variable}\s*(?:\[[^\]]*\]\s*)?(?:\.|->)\s*([A-Za-z_]\w*)"
            wanted.update(re.findall(access, body))
        if wanted and wanted <= set("xyzw"):
            found[name] = ["float4", "int4", "double2", "uchar4"]
        elif wanted and (classes := records.with_members(wanted)):
            found[name] = [f"::{each}" for each in classes]
        elif not wanted and (classes := _taken(template, name, body, records)):
            found[name] = [*classes, *_TYPES[:2]]
        elif wanted == {"operator()"}:
            found[name] = [f"::{CALLABLE}"]
        elif not wanted and _indexes(name, body):
            found[name] = list(_INTEGERS)
        elif not wanted and _is_handed_on(name, body):
            found[name] = [*[f"::{CALLABLE}"] * 3, *_TYPES[:2]]
    return found


def _taken(template: Cursor, name: str, body: str, records: Records) -> list[str]:
    """Classes that the functions take which objects of a type are handed to, those that all of them take."""
    variables = set(re.findall(rf"\b{name}\b[\s&]*(?:(?:const|__restrict__)\b\s*)*(\w+)\s*[,;)({{=]", body))
    pointers = set(re.findall(rf"\b{name}\b\s*\*\s*(?:(?:const|__restrict__)\b\s*)*(\w+)\s*[,;)=]", body))
    common: list[str] | None = None
    for call in _CALL.finditer(body, body.find("{")):
        arguments = [each.strip() for each in call.group(2).split(",")]
        for position, argument in enumerate(arguments):
            taken: list[str] = []
            if argument in variables:
                taken = list(dict.fromkeys(records.taken_by(call.group(1), position, len(arguments))))
            elif (place := _ADDRESS.fullmatch(argument)) is not None and (
                (place[2] in pointers and bool(place[1]) == bool(place[3])) or (place[2] in variables and place[1])
            ):
                taken = records.pointed_at(template, call.group(1), position, len(arguments))
            if taken:
                common = [each for each in common if each in taken] if common is not None else taken
    return [each for each in common or [] if each not in _SCALARS]


def _is_handed_on(name: str, body: str) -> bool:
    """Whether variables of a type are arguments of calls and nothing else: what is called there may be one."""
    declared = set(re.findall(rf"\b{name}\b[\s&]+(?:const\s+|__restrict__\s+)*(\w+)", body))
    inside = body[body.find("{") :]
    places = [place for each in declared for place in re.finditer(rf"\b{each}\b", inside)]
    before = (inside[: place.start()].rstrip()[-1:] for place in places)
    after = (inside[place.end() :].lstrip()[:1] for place in places)
    return bool(places) and all(x in "(," and y in ",)" for x, y in zip(before, after, strict=True))


def _indexes(name: str, body: str) -> bool:
    """Whether a variable of the type stands in a subscript."""
    declared = set(re.findall(rf"\b{name}\s+(?:const\s+)?(\w+)\s*[,;)({{=]", body))
    subscripts = set(re.findall(r"\w+", " ".join(re.findall(r"\w\s*\[([^\[\]]*)\]", body))))
    return bool(declared & subscripts)


def _arguments(
    template: Cursor,
    attempt: int,
    number_at: int,
    types: dict[str, list[str]],
    given: tuple[str | None, ...] = (),
) -> list[str] | None:
    """One argument for each parameter without a default; None where no argument can be made up."""
    found: list[str] = []
    for parameter in template.children:
        if parameter.kind not in _PARAMETERS:
            continue
        inner = parameter.children
        known = given[len(found)] if len(found) < len(given) else None
        if known is not None:
            found.append(known)
        elif parameter.kind == K.TEMPLATE_TYPE_PARAMETER:
            if _has_default(parameter):
                break
            classes = types.get(parameter.spelling)
            found.append(classes[attempt % len(classes)] if classes else _TYPES[attempt])
        elif parameter.kind == K.TEMPLATE_NON_TYPE_PARAMETER:
            if any(100 <= c.kind < 200 for c in inner):
                break
            number = _number(parameter, number_at)
            if number is None:
                return None
            found.append(number)
        else:
            return None
    return found


def _has_default(parameter: Cursor) -> bool:
    extent = parameter.extent
    name_end = parameter.location.offset + len(parameter.spelling.encode())
    return bool(parameter.children) or extent.end > name_end + 1


def _number(parameter: Cursor, attempt: int) -> str | None:
    clang = parameter.type.canonical
    if clang.kind == TypeKind.BOOL:
        return "true" if attempt % 2 == 0 else "false"
    if clang.kind == TypeKind.ENUM:
        declaration = clang.declaration
        if declaration is None:
            return None
        constants = [c for c in declaration.children if c.kind == K.ENUM_CONSTANT_DECL]
        value = constants[attempt % len(constants)].enum_value if constants else 0
        return f"({declaration.qualified_name}){value}"
    if TypeKind.BOOL < clang.kind <= TypeKind.INT128:
        return f"({clang.spelling}){_NUMBERS[attempt]}"
    if clang.kind in (TypeKind.DEPENDENT, TypeKind.UNEXPOSED):
        return str(_NUMBERS[attempt])
    if clang.kind == TypeKind.POINTER:
        return f"&{PLACEHOLDER}" if _is_function(clang.pointee) else "nullptr"
    if clang.kind == TypeKind.LVALUE_REFERENCE and _is_function(clang.pointee):
        return PLACEHOLDER
    return None


def _is_function(clang: ClangType) -> bool:
    return clang.kind in (TypeKind.FUNCTION_PROTO, TypeKind.FUNCTION_NO_PROTO)


def instantiated(cursor: Cursor) -> Cursor | None:
    """The instance that a forced use names, if clang could make it."""
    for node in cursor.walk():
        if node.kind == K.DECL_REF_EXPR:
            target = node.referenced
            if target is None or target.kind not in FUNCTIONS or target.kind == K.FUNCTION_TEMPLATE:
                continue
            if body_of(target) is not None and not target.is_invalid_declaration:
                return target
    return None
