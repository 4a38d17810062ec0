"""The classes that a file defines: members, bases, and which special members the programmer wrote."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kernlint.frontends.clang.cursor import Cursor
from kernlint.frontends.clang.kinds import CursorKind as K
from kernlint.frontends.clang.kinds import TypeKind
from kernlint.frontends.clang.lower.context import Lowering
from kernlint.tree.nodes import ClassDecl
from kernlint.tree.types import Type

_RECORDS = (K.STRUCT_DECL, K.CLASS_DECL, K.CLASS_TEMPLATE)
_SCOPES = (K.NAMESPACE, K.LINKAGE_SPEC, K.UNEXPOSED_DECL)
_FUNCTIONS = (K.CXX_METHOD, K.CONSTRUCTOR, K.DESTRUCTOR, K.CONVERSION_FUNCTION)


def classes_of(lowering: Lowering, cursors: Iterable[Cursor]) -> Iterator[ClassDecl]:
    """The classes with members of their own among ``cursors``, in namespaces and other classes too."""
    for cursor in cursors:
        if cursor.kind in _SCOPES:
            yield from classes_of(lowering, cursor.children)
        elif cursor.kind in _RECORDS and cursor.is_definition and cursor.in_main_file:
            children = cursor.children
            if any(child.kind == K.FIELD_DECL for child in children):
                yield _class(lowering, cursor, children)
            yield from classes_of(lowering, (child for child in children if child.kind in _RECORDS))


def _class(lowering: Lowering, cursor: Cursor, children: list[Cursor]) -> ClassDecl:
    fields: list[tuple[str, Type]] = []
    bases: list[str] = []
    written = {"destructor": "", "copying": "", "assigning": "", "moving": ""}
    open_ = False
    for child in children:
        if child.kind == K.FIELD_DECL:
            fields.append((child.spelling, lowering.types.of(child.type)))
        elif child.kind == K.CXX_BASE_SPECIFIER:
            base = child.type.canonical.declaration
            bases.append(base.qualified_name if base is not None else child.spelling)
        elif child.kind in _FUNCTIONS:
            said = _said(lowering, child)
            kind = _special(child, cursor)
            if kind:
                written[kind] = said
            found = lowering.functions.definition(child)
            open_ = open_ or (said == "written" and not found.is_definition)
    return ClassDecl(lowering.span(cursor), cursor.qualified_name, tuple(fields), tuple(bases), **written, open=open_)


def _said(lowering: Lowering, method: Cursor) -> str:
    if method.is_defaulted:
        return "default"
    place = method.extent
    text = lowering.file_text(place.file or "")[place.start : place.end + 24]
    head = text.split(b"{")[0].split(b";")[0]
    return "deleted" if b"delete" in head.rpartition(b"=")[2] else "written"


def _special(method: Cursor, owner: Cursor) -> str:
    """Which special member a method is; empty: none of those that copy, move or end."""
    if method.kind == K.DESTRUCTOR:
        return "destructor"
    params = [child for child in method.children if child.kind == K.PARM_DECL]
    if not params or (method.kind != K.CONSTRUCTOR and method.spelling != "operator="):
        return ""
    of = params[0].type.canonical
    if of.kind not in (TypeKind.LVALUE_REFERENCE, TypeKind.RVALUE_REFERENCE):
        return "assigning" if method.spelling == "operator=" and _is(of.declaration, owner) else ""
    target = of.pointee.declaration or of.pointee.canonical.declaration
    if not _is(target, owner) and owner.kind != K.CLASS_TEMPLATE:
        return ""
    if of.kind == TypeKind.RVALUE_REFERENCE:
        return "moving"
    return "copying" if method.kind == K.CONSTRUCTOR else "assigning"


def _is(declaration: Cursor | None, owner: Cursor) -> bool:
    return declaration is not None and declaration.qualified_name == owner.qualified_name
