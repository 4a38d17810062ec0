"""Instances of kernel templates that nothing in the file asks for.

A template alone hides the referents of members, overload choices and implicit conversions.  Uses by address, put behind
the text in memory (offsets of the real text do not move), make clang instantiate it; a handful of argument sets is
tried, and one that does not compile costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernlint.frontends.clang.cursor import Cursor
from kernlint.frontends.clang.kinds import CursorKind as K
from kernlint.frontends.clang.kinds import TypeKind
from kernlint.frontends.clang.lower.functions import FUNCTIONS, PLACEHOLDER, body_of
from kernlint.frontends.clang.native import LIB
from kernlint.frontends.clang.types import Type as ClangType
from kernlint.frontends.clang.unit import Unit
from kernlint.record import dataclass

FORCED_INSTANCES = 2
"""Instances of one kernel that are made up where none is in sight."""

MANY_TEMPLATES = 12
"""With more kernel templates than this in one file a single forced instance of each must do."""

_TYPES = ("float", "int", "double", "__half", "unsigned char")
_NUMBERS = (32, 4, 256, 1, 16)
_PARAMETERS = (K.TEMPLATE_TYPE_PARAMETER, K.TEMPLATE_NON_TYPE_PARAMETER, K.TEMPLATE_TEMPLATE_PARAMETER)
PREFIX = "__kernlint_use_"
"""Names of the functions that hold the forced uses."""


@dataclass(frozen=True, slots=True)
class Template:
    """A kernel template of the main file without an instance: its cursor and the namespaces around it."""

    cursor: Cursor
    namespaces: tuple[str, ...]


def kernel_templates(cursors: list[Cursor]) -> list[Template]:
    """Kernel templates with a body among top-level declarations and in namespaces."""
    found: list[Template] = []

    def visit(nodes: list[Cursor], namespaces: tuple[str, ...]) -> None:
        for node in nodes:
            if node.kind in (K.NAMESPACE, K.LINKAGE_SPEC) and _is_system(node):
                continue
            if node.kind == K.NAMESPACE:
                visit(node.children, (*namespaces, node.spelling))
            elif node.kind in (K.LINKAGE_SPEC, K.UNEXPOSED_DECL):
                visit(node.children, namespaces)
            elif node.kind == K.FUNCTION_TEMPLATE and body_of(node) is not None and is_kernel(node):
                found.append(Template(node, namespaces))

    visit(cursors, ())
    return found


def is_kernel(node: Cursor) -> bool:
    """Whether a CUDA or HIP function is a kernel."""
    return any(c.kind == K.CUDA_GLOBAL_ATTR for c in node.children)


def uses(templates: list[Template], unit: Unit, text: bytes) -> str:
    """Text that takes the address of each template under several sets of arguments; ``text`` is the main file's."""
    lines = [f"template <class R, class... A> __attribute__((device)) R {PLACEHOLDER}(A...);"]
    records = Records(unit)
    for index, template in enumerate(templates):
        seen: set[str] = set()
        types = _type_candidates(template.cursor, records, text)
        for attempt in range(len(_TYPES)):
            arguments = _arguments(template.cursor, attempt, types)
            if arguments is None or (listed := ", ".join(arguments)) in seen:
                continue
            seen.add(listed)
            head = "".join(f"namespace {name} {{ " if name else "namespace { " for name in template.namespaces)
            use = f"(void)&{template.cursor.spelling}<{listed}>;"
            lines.append(f"{head}static void {PREFIX}{index}_{attempt}() {{ {use} }}{' }' * len(template.namespaces)}")
    return "\n".join(lines) + "\n"


class Records:
    """The user's classes of a translation unit with the names of their members, looked up when first asked for."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._members: list[tuple[str, frozenset[str]]] | None = None

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


def _is_system(cursor: Cursor) -> bool:
    return bool(LIB.Location_isInSystemHeader(LIB.getCursorLocation(cursor.raw)))


_COMMON_MEMBERS = frozenset({"type", "value", "value_type"})


def _type_candidates(template: Cursor, records: Records, text: bytes) -> dict[str, list[str]]:
    """Classes to try for type parameters of which the template asks for members or that it calls."""
    parameters = [c.spelling for c in template.children if c.kind == K.TEMPLATE_TYPE_PARAMETER and c.spelling]
    if not parameters:
        return {}
    extent = template.extent
    if extent.file != template.unit.path:
        try:
            with open(extent.file or "", "rb") as handle:
                text = handle.read()
        except OSError:
            return {}
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
            found[name] = classes
    return found


def _arguments(template: Cursor, attempt: int, types: dict[str, list[str]]) -> list[str] | None:
    """One argument for each parameter without a default; None where no argument can be made up."""
    found: list[str] = []
    for parameter in template.children:
        if parameter.kind not in _PARAMETERS:
            continue
        inner = parameter.children
        if parameter.kind == K.TEMPLATE_TYPE_PARAMETER:
            if _has_default(parameter):
                break
            classes = types.get(parameter.spelling)
            found.append(f"::{classes[attempt % len(classes)]}" if classes else _TYPES[attempt])
        elif parameter.kind == K.TEMPLATE_NON_TYPE_PARAMETER:
            if any(100 <= c.kind < 200 for c in inner):
                break
            number = _number(parameter, attempt)
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


def is_named_elsewhere(template: Template, text: bytes) -> bool:
    """Whether the text names the template other than to declare it, so that an instance may be in sight."""
    name = template.cursor.spelling.encode()
    mentions = re.finditer(rb"\b" + re.escape(name) + rb"\b\s*(.?)", text)
    return any(mention.group(1) != b"(" for mention in mentions)


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
