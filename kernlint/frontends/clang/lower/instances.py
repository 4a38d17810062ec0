"""Instances of kernel templates that nothing in the file asks for.

A template alone hides the referents of members, overload choices and implicit conversions.  Uses by address, put behind
the text in memory (offsets of the real text do not move), make clang instantiate it; a handful of argument sets is
tried, and one that does not compile costs nothing.
"""

from __future__ import annotations

import re

from kernlint.frontends.clang.cursor import Cursor
from kernlint.frontends.clang.kinds import CursorKind as K
from kernlint.frontends.clang.kinds import TypeKind
from kernlint.frontends.clang.lower.functions import FUNCTIONS, PLACEHOLDER, body_of
from kernlint.frontends.clang.types import Type as ClangType
from kernlint.record import dataclass

FORCED_INSTANCES = 2
"""Instances of one kernel that are made up where none is in sight."""

_TYPES = ("float", "int", "double", "__half", "unsigned char")
_NUMBERS = (32, 4, 256, 1, 16)
_PARAMETERS = (K.TEMPLATE_TYPE_PARAMETER, K.TEMPLATE_NON_TYPE_PARAMETER, K.TEMPLATE_TEMPLATE_PARAMETER)
_WORD = re.compile(r"[A-Za-z_]\w*")

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


def uses(templates: list[Template]) -> str:
    """Text that takes the address of each template under several sets of arguments."""
    lines = [f"template <class R, class... A> __attribute__((device)) R {PLACEHOLDER}(A...);"]
    for index, template in enumerate(templates):
        seen: set[str] = set()
        for attempt in range(len(_TYPES)):
            arguments = _arguments(template.cursor, attempt)
            if arguments is None or (text := ", ".join(arguments)) in seen:
                continue
            seen.add(text)
            head = "".join(f"namespace {name} {{ " if name else "namespace { " for name in template.namespaces)
            use = f"(void)&{template.cursor.spelling}<{text}>;"
            lines.append(f"{head}static void {PREFIX}{index}_{attempt}() {{ {use} }}{' }' * len(template.namespaces)}")
    return "\n".join(lines) + "\n"


def _arguments(template: Cursor, attempt: int) -> list[str] | None:
    """One argument for each parameter without a default; None where no argument can be made up."""
    found: list[str] = []
    for parameter in template.children:
        if parameter.kind not in _PARAMETERS:
            continue
        inner = parameter.children
        if parameter.kind == K.TEMPLATE_TYPE_PARAMETER:
            if _has_default(parameter):
                break
            found.append(_TYPES[attempt])
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
