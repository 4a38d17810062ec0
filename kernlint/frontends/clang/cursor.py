"""Nodes of a parsed translation unit, as light Python objects.

A ``Cursor`` made by a tree walk holds only the raw handle and its children; everything else is computed on first use
and kept. Offsets are bytes into the UTF-8 text that was parsed, lines and columns (bytes) count from 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from kernlint.frontends.clang.kinds import CursorKind, EvalKind, kind_name
from kernlint.frontends.clang.lazy import lazy
from kernlint.frontends.clang.native import LIB, TERSE_OUTPUT, CXCursor, take

if TYPE_CHECKING:
    from kernlint.frontends.clang.types import Type
    from kernlint.frontends.clang.unit import Unit


class Extent(NamedTuple):
    """A half-open byte range of one file.

    ``in_macro`` tells that the first token comes out of a macro expansion: the range is then what is written in the
    file for it, the argument where the token came through one, else the whole invocation.
    """

    file: str | None
    start: int
    end: int
    in_macro: bool


class Location(NamedTuple):
    """A point of a file; ``file`` is None for places that no file has (built-ins, the command line)."""

    file: str | None
    line: int
    column: int
    offset: int


class Cursor:
    """A node of clang's tree.

    ``kind`` is a ``CursorKind`` number, ``raw`` the handle, which lives as long as the unit. Two cursors are the
    same node if their keys are equal.
    """

    raw: CXCursor
    kind: int
    unit: Unit

    def __init__(self, raw: CXCursor, unit: Unit) -> None:
        self.raw = raw
        self.kind = raw.kind
        self.unit = unit

    def __repr__(self) -> str:
        return f"<{kind_name(self.kind)} {self.spelling!r} {self.extent.start}:{self.extent.end}>"

    @lazy
    def children(self) -> list[Cursor]:
        """Direct children in source order; building them builds the whole tree below."""
        self.unit.grow(self)
        return self.children

    @lazy
    def key(self) -> int:
        """An identity that is equal for all handles of one node of this unit."""
        raw = self.raw
        return raw.d1 if raw.d1 > 1 else raw.d0

    @lazy
    def spelling(self) -> str:
        """The name; empty for nodes that have none."""
        return take(LIB.getCursorSpelling(self.raw))

    @lazy
    def display_name(self) -> str:
        """The name with parameter types or template arguments."""
        return take(LIB.getCursorDisplayName(self.raw))

    @lazy
    def usr(self) -> str:
        """Clang's identity of a declaration across translation units."""
        return take(LIB.getCursorUSR(self.raw))

    @lazy
    def type(self) -> Type:
        """The type of an expression or declaration (kind INVALID where there is none)."""
        return self.unit.type_of(LIB.getCursorType(self.raw))

    @lazy
    def result_type(self) -> Type:
        """The return type of a function declaration."""
        return self.unit.type_of(LIB.getCursorResultType(self.raw))

    @lazy
    def extent(self) -> Extent:
        """Where the node is written (see ``Extent`` for macros)."""
        return self.unit.extent_of(LIB.getCursorExtent(self.raw))

    @lazy
    def location(self) -> Location:
        """The node's characteristic point, such as a declaration's name or an operator."""
        return self.unit.location_of(LIB.getCursorLocation(self.raw))

    @lazy
    def in_main_file(self) -> bool:
        """Whether the node is written in the main file or comes from a macro expanded there."""
        return self.unit.is_main(LIB.getCursorLocation(self.raw))

    @lazy
    def referenced(self) -> Cursor | None:
        """The declaration a reference, call or member access names; instantiated where the context is concrete."""
        return self.unit.declaration(LIB.getCursorReferenced(self.raw))

    @lazy
    def definition(self) -> Cursor | None:
        """The definition of the declared or referenced entity, if this unit has it."""
        return self.unit.declaration(LIB.getCursorDefinition(self.raw))

    @lazy
    def canonical(self) -> Cursor:
        """The first declaration of the same entity."""
        return self.unit.declaration(LIB.getCanonicalCursor(self.raw)) or self

    @lazy
    def template(self) -> Cursor | None:
        """The template this specialisation comes from."""
        return self.unit.declaration(LIB.getSpecializedCursorTemplate(self.raw))

    @lazy
    def semantic_parent(self) -> Cursor | None:
        """The scope the declaration belongs to."""
        return self.unit.declaration(LIB.getCursorSemanticParent(self.raw))

    @lazy
    def qualified_name(self) -> str:
        """The name with its enclosing namespaces and classes; anonymous and inline scopes are left out."""
        parts = [self.spelling]
        scope = self.semantic_parent
        while scope is not None and scope.kind != CursorKind.TRANSLATION_UNIT:
            if scope.kind not in (CursorKind.LINKAGE_SPEC, CursorKind.UNEXPOSED_DECL) and not scope.is_anonymous:
                parts.append(scope.spelling)
            scope = scope.semantic_parent
        return "::".join(reversed([part for part in parts if part]))

    @lazy
    def overloads(self) -> list[Cursor]:
        """The candidates of an OVERLOADED_DECL_REF."""
        found = (self.unit.declaration(LIB.getOverloadedDecl(self.raw, i)) for i in range(self._overload_count))
        return [cursor for cursor in found if cursor is not None]

    @property
    def _overload_count(self) -> int:
        return int(LIB.getNumOverloadedDecls(self.raw))

    @lazy
    def arguments(self) -> list[Cursor]:
        """Arguments of a call or parameters of a function."""
        count = LIB.Cursor_getNumArguments(self.raw)
        return [Cursor(LIB.Cursor_getArgument(self.raw, i), self.unit) for i in range(max(count, 0))]

    @property
    def binary_operator(self) -> int:
        """A ``BinaryOperator`` number."""
        return int(LIB.getCursorBinaryOperatorKind(self.raw))

    @property
    def unary_operator(self) -> int:
        """A ``UnaryOperator`` number."""
        return int(LIB.getCursorUnaryOperatorKind(self.raw))

    @property
    def is_internal(self) -> bool:
        """Whether nothing outside this translation unit can name it (``CXLinkage_Internal`` and what has none)."""
        return int(LIB.getCursorLinkage(self.raw)) in (1, 2, 3)

    @property
    def storage_class(self) -> int:
        """A ``StorageClass`` number."""
        return int(LIB.Cursor_getStorageClass(self.raw))

    @property
    def is_definition(self) -> bool:
        """Whether a declaration is a definition."""
        return bool(LIB.isCursorDefinition(self.raw))

    @property
    def is_anonymous(self) -> bool:
        """Whether a namespace or record has no name."""
        return bool(LIB.Cursor_isAnonymous(self.raw))

    @property
    def is_invalid_declaration(self) -> bool:
        """Whether clang marked the declaration as broken by an error."""
        return bool(LIB.isInvalidDeclaration(self.raw))

    @property
    def is_static_method(self) -> bool:
        """Whether a method has no object argument."""
        return bool(LIB.CXXMethod_isStatic(self.raw))

    @property
    def is_const_method(self) -> bool:
        """Whether a method leaves its object as it is."""
        return self.kind == CursorKind.CXX_METHOD and bool(LIB.CXXMethod_isConst(self.raw))

    @property
    def is_virtual_method(self) -> bool:
        """Whether which method runs depends on the object."""
        return self.kind == CursorKind.CXX_METHOD and bool(LIB.CXXMethod_isVirtual(self.raw))

    @property
    def is_defaulted(self) -> bool:
        """Whether a special member is left to the compiler, by ``= default`` or by not being written."""
        owner = self.semantic_parent
        made_up = owner is not None and self.extent.start == owner.extent.start
        return made_up or bool(LIB.CXXMethod_isDefaulted(self.raw))

    @property
    def initializer(self) -> Cursor | None:
        """A variable's initialiser."""
        return self.unit.cursor(LIB.Cursor_getVarDeclInitializer(self.raw))

    @property
    def enum_value(self) -> int:
        """The value of an ENUM_CONSTANT_DECL."""
        return int(LIB.getEnumConstantDeclValue(self.raw))

    @property
    def bit_width(self) -> int | None:
        """The width in bits of a bit-field, else None."""
        return int(LIB.getFieldDeclBitWidth(self.raw)) if LIB.Cursor_isBitField(self.raw) else None

    @property
    def field_offset(self) -> int:
        """The offset of a field in bits; negative where it is unknown."""
        return int(LIB.Cursor_getOffsetOfField(self.raw))

    @lazy
    def underlying_type(self) -> Type:
        """What a typedef or alias names."""
        return self.unit.type_of(LIB.getTypedefDeclUnderlyingType(self.raw))

    @property
    def template_argument_count(self) -> int:
        """Number of template arguments of a function or class specialisation; -1 if it is none."""
        return int(LIB.Cursor_getNumTemplateArguments(self.raw))

    def template_argument(self, index: int) -> tuple[int, Type | int | None]:
        """The ``TemplateArgumentKind`` number and the type or integer of one argument (None for other kinds)."""
        kind = int(LIB.Cursor_getTemplateArgumentKind(self.raw, index))
        if kind == 1:
            return kind, self.unit.type_of(LIB.Cursor_getTemplateArgumentType(self.raw, index))
        if kind == 4:
            return kind, int(LIB.Cursor_getTemplateArgumentValue(self.raw, index))
        return kind, None

    def evaluate(self) -> int | float | bytes | None:
        """The constant value of an expression or of a variable's initialiser, if clang can compute one."""
        result = LIB.Cursor_Evaluate(self.raw)
        if not result:
            return None
        try:
            kind = LIB.EvalResult_getKind(result)
            if kind == EvalKind.INT:
                if LIB.EvalResult_isUnsignedInt(result):
                    return int(LIB.EvalResult_getAsUnsigned(result))
                return int(LIB.EvalResult_getAsLongLong(result))
            if kind == EvalKind.FLOAT:
                return float(LIB.EvalResult_getAsDouble(result))
            if kind == EvalKind.STRING_LITERAL:
                return LIB.EvalResult_getAsStr(result) or b""
            return None
        finally:
            LIB.EvalResult_dispose(result)

    def printed(self) -> str:
        """A declaration as clang prints it, with its body and with all macros expanded."""
        policy = LIB.getCursorPrintingPolicy(self.raw)
        try:
            return take(LIB.getCursorPrettyPrinted(self.raw, policy))
        finally:
            LIB.PrintingPolicy_dispose(policy)

    def head(self) -> str:
        """A declaration printed without its body, attributes included."""
        policy = LIB.getCursorPrintingPolicy(self.raw)
        try:
            LIB.PrintingPolicy_setProperty(policy, TERSE_OUTPUT, 1)
            return take(LIB.getCursorPrettyPrinted(self.raw, policy))
        finally:
            LIB.PrintingPolicy_dispose(policy)

    def walk(self) -> Iterator[Cursor]:
        """This node and all below it, in source order."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))
