"""What lowering knows: the translation unit, the function being lowered, and how cursors find their handlers."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from kernlint.frontends.clang.cursor import Cursor, Extent
from kernlint.frontends.clang.kinds import CursorKind as K
from kernlint.frontends.clang.kinds import StorageClass, kind_name
from kernlint.frontends.clang.lower.printed import is_expression, member_names, reads_of_bits
from kernlint.frontends.clang.lower.types import TypeTable, is_const
from kernlint.frontends.clang.native import LIB
from kernlint.frontends.clang.session import SYNTHESISED_HEADER
from kernlint.frontends.clang.unit import Unit
from kernlint.frontends.clang.unknowns import IDENTIFIER
from kernlint.source import Span
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import (
    Block,
    Expr,
    FunctionDecl,
    FunctionKind,
    Loss,
    Node,
    Opaque,
    OpaqueStmt,
    ParamDecl,
    Stmt,
    VarDecl,
)
from kernlint.tree.types import UNKNOWN, IntType, Space, Type

if TYPE_CHECKING:
    from kernlint.frontends.clang.lower.functions import FunctionTable

MAX_DEPTH = 160
"""Nesting of nodes beyond which code is opaque: deeper trees would exhaust the stack of whoever walks them."""

_MACROS_DEEP = 4
"""Macros within macros that are looked into."""

ExprHandler = Callable[["Scope", Cursor], Expr]
StmtHandler = Callable[["Scope", Cursor], Stmt]
H = TypeVar("H", bound=Callable[..., object])

_EXPRESSIONS: dict[int, ExprHandler] = {}
_STATEMENTS: dict[int, StmtHandler] = {}


def lowers_expression(*kinds: int) -> Callable[[ExprHandler], ExprHandler]:
    """Register a handler for expression cursors of ``kinds``."""

    def register(handler: ExprHandler) -> ExprHandler:
        _EXPRESSIONS.update(dict.fromkeys(map(int, kinds), handler))
        return handler

    return register


def lowers_statement(*kinds: int) -> Callable[[StmtHandler], StmtHandler]:
    """Register a handler for statement cursors of ``kinds``."""

    def register(handler: StmtHandler) -> StmtHandler:
        _STATEMENTS.update(dict.fromkeys(map(int, kinds), handler))
        return handler

    return register


class Lowering:
    """One translation unit on its way into the tree.

    ``text`` is the main file as parsed, ``errors`` the compiler's in it (offset, message),
    ``template_errors`` those that are there without any forced instance.  ``variables`` maps a
    declaration's key to its one node; ``lambdas`` maps a lambda's body to the block lowered for it;
    ``invented`` has the keys of template instances whose arguments are made up.
    """

    functions: FunctionTable

    def __init__(
        self,
        unit: Unit,
        text: bytes,
        language: str,
        synthesised: frozenset[str] = frozenset(),
        errors: Iterable[tuple[int, str]] = (),
        template_errors: Iterable[tuple[int, str]] | None = None,
        self_contained: bool = False,
        numbers: frozenset[str] = frozenset(),
        skipped: tuple[tuple[int, int], ...] = (),
        broken: bool = False,
    ) -> None:
        self.unit = unit
        self.numbers = numbers
        """Macros that the program is built with, as numbers that only the host knows."""
        self.self_contained = self_contained
        """No header is missing: names that nothing declares come from the build, or from text in front of this."""
        self.text = text
        self.path = unit.path
        self.language = language
        self.opencl = language == "opencl"
        self.synthesised = synthesised
        self.errors = sorted(errors)
        self.broken = broken
        """Whether there is any error, here or in a header."""
        self.skipped = skipped
        """What the preprocessor left out of the main file."""
        self.template_errors = self.errors if template_errors is None else sorted(template_errors)
        self.types = TypeTable(self)
        self.variables: dict[int, VarDecl] = {}
        self.destroyed: dict[int, bool] = {}
        self.ends_elsewhere: set[str] = set()
        self.globals: list[VarDecl] = []
        self.lambdas: dict[int, Block] = {}
        self.ranges: dict[str, Cursor] = {}
        """Functions behind the text that do what a loop over an object of a class does, by the class."""
        self.unwalked: dict[str, None] = {}
        """Classes over which device code loops and whose functions for that are not in sight."""
        self.expressions = 0
        """Those of the functions that are done."""
        self.cut = False
        """Whether statements were passed over since there are too many."""
        self.tables_cut = False
        """Whether the numbers of tables were, since there are too many."""
        self.constants: dict[str, list[Cursor]] | None = None
        self._files: dict[str, bytes] = {self.path: text}
        self._system: dict[int, bool] = {}
        self.invented: set[int] = set()
        self._made_up: dict[int, bool] = {}
        self._behind: dict[int, Cursor | None] = {}
        self._resting: set[str] = set()
        self._macros: dict[str, list[Cursor]] | None = None

    def errors_in(self, file: str | None, start: int, end: int) -> list[tuple[int, str]]:
        """Compiler errors (offset, message) between two offsets of a file; only those of the main file are known."""
        if not self.errors or file != self.path:
            return []
        return self.errors[bisect_left(self.errors, (start, "")) : bisect_left(self.errors, (end, ""))]

    def span_of(self, extent: Extent) -> Span:
        """The span of a clang extent; places no file has are the start of the main file."""
        return Span(extent.file or self.path, extent.start, extent.end)

    def span(self, cursor: Cursor) -> Span:
        """Where ``cursor`` is written."""
        extent = cursor.extent
        return Span(extent.file or self.path, extent.start, extent.end)

    def file_text(self, file: str) -> bytes:
        """The bytes of a file of the unit; empty when it is only virtual."""
        data = self._files.get(file)
        if data is None:
            try:
                with open(file, "rb") as handle:
                    data = handle.read()
            except OSError:
                data = b""
            self._files[file] = data
        return data

    def slice(self, file: str | None, start: int, end: int) -> str:
        """Text of a file between byte offsets; empty when the file is only virtual."""
        return self.file_text(file)[start:end].decode("utf-8", "replace") if file is not None else ""

    def source(self, cursor: Cursor) -> str:
        """The text ``cursor`` consists of; what comes out of a macro's body gives the invocation."""
        extent = cursor.extent
        return self.slice(extent.file, extent.start, extent.end)

    def names_in(self, cursor: Cursor) -> frozenset[str]:
        """The names in the text of a declaration, up to its end where the compiler left it sooner; of what comes out
        of a macro, those that the macro is given, too."""
        extent = cursor.extent
        text = self.slice(extent.file, extent.start, extent.end)
        around = self.slice(extent.file, extent.start, extent.start + MOST_GIVEN)
        if (given := _INVOCATION.match(around)) is not None and given.end() > len(text):
            text = around[: _closed(around, given.end())]
        elif text and ";" not in text:
            text = around.partition(";")[0]
        return frozenset(IDENTIFIER.findall(text))

    def macro_body(self, name: str) -> str:
        """What a macro of the user's files stands for, as written; empty when it is not one or has several meanings."""
        if self._macros is None:
            self._macros = {}
            for cursor in self.unit.preprocessing((K.MACRO_DEFINITION,), main_only=False):
                self._macros.setdefault(cursor.spelling, []).append(cursor)
        found = self._macros.get(name, [])
        return self.written(found[0]).removeprefix(name) if len(found) == 1 else ""

    def written(self, cursor: Cursor) -> str:
        """The text at the place where ``cursor`` is used, macro invocations unexpanded."""
        extent = cursor.extent
        return self.slice(extent.file, extent.start, extent.end)

    def in_system_header(self, declaration: Cursor) -> bool:
        """Whether a declaration comes from the prelude (or another system header) rather than from the user."""
        key = declaration.key
        found = self._system.get(key)
        if found is None:
            place = LIB.getCursorLocation(declaration.raw)
            found = self._system[key] = bool(LIB.Location_isInSystemHeader(place)) or not place.raw
        return found

    def is_made_up(self, declaration: Cursor) -> bool:
        """Whether a declaration was invented for a name that no header gave."""
        if not self.synthesised:
            return False
        key = declaration.key
        found = self._made_up.get(key)
        if found is None:
            found = self._made_up[key] = declaration.location.file == SYNTHESISED_HEADER
        return found

    def mentions_made_up(self, cursor: Cursor) -> bool:
        """Whether an expression or declaration names something invented, or a constant or type made of such."""
        return self.unsure and next(self.made_up_names(cursor), None) is not None

    @property
    def unsure(self) -> bool:
        """Whether any name may have been invented, or be declared with an error."""
        return bool(self.synthesised or self.errors)

    def made_up_names(self, cursor: Cursor) -> Iterator[tuple[Cursor, Cursor]]:
        """The invented declarations that code rests on, each with its first use there."""
        found: set[int] = set()
        for node in cursor.walk():
            if K.TYPE_REF <= node.kind <= K.VARIABLE_REF or node.kind in (K.DECL_REF_EXPR, K.MEMBER_REF_EXPR):
                target = node.referenced
                behind = self._made_up_behind(target) if target is not None else None
                if behind is not None and behind.key not in found:
                    found.add(behind.key)
                    yield node, behind

    def _made_up_behind(self, declaration: Cursor) -> Cursor | None:
        """What is invented of a declaration: itself, or something that the constant or type it declares is made of.

        A constant whose initialiser the compiler dropped, as it has an error, is as good as invented.
        """
        if self.is_made_up(declaration):
            return declaration
        if declaration.kind not in _MADE_OF or self.in_system_header(declaration):
            return None
        if declaration.kind == K.VAR_DECL:
            if not is_const(declaration.type):
                return None
            if declaration.storage_class != StorageClass.EXTERN and not any(map(is_expression, declaration.children)):
                return declaration if isinstance(self.types.of(declaration.type), IntType) else None
        key = declaration.key
        if key not in self._behind:
            self._behind[key] = None  # what a declaration that speaks of itself sees
            if declaration.kind not in _FUNCTIONS or "constexpr" in self.source(declaration).partition("(")[0]:
                first = next(self.made_up_names(declaration), None)
                self._behind[key] = first[1] if first is not None else None
                self._resting.update([declaration.spelling] if first is not None else [])
        return self._behind[key]

    def words_rest_on_made_up(self, text: str, deep: int = _MACROS_DEEP) -> bool:
        """Whether a piece of text names something invented, a constant made of such, or a macro that does."""
        return any(
            word in self.synthesised
            or word in self._resting
            or (deep > 0 and bool(body := self.macro_body(word)) and self.words_rest_on_made_up(body, deep - 1))
            for word in IDENTIFIER.findall(text)
        )


_FUNCTIONS = frozenset({K.FUNCTION_DECL, K.FUNCTION_TEMPLATE, K.CXX_METHOD})
_MADE_OF = _FUNCTIONS | {K.VAR_DECL, K.ENUM_CONSTANT_DECL, K.TYPEDEF_DECL, K.TYPE_ALIAS_DECL}


class Scope:
    """The function being lowered: its losses, nesting, implicit object and statements to put before the current one.

    ``hoisted`` is None where nothing can be put before the expression without changing when it runs; ``recovered`` are
    places of compiler errors that cost nothing.
    """

    __slots__ = (
        "_printed",
        "_reads",
        "cursor",
        "depth",
        "expressions",
        "full",
        "function",
        "hoisted",
        "kind",
        "losses",
        "lowering",
        "recovered",
        "span",
        "this",
        "types",
    )

    def __init__(self, lowering: Lowering, kind: FunctionKind, this: ParamDecl | None = None) -> None:
        self.lowering = lowering
        self.types = lowering.types
        self.span = lowering.span
        self.kind = kind
        self.this = this
        self.losses: list[Loss] = []
        self.recovered: list[Span] = []
        self.depth = 0
        self.expressions = 0
        self.full = False
        self.hoisted: list[Stmt] | None = None
        self.function: FunctionDecl | None = None
        self.cursor: Cursor | None = None
        self._printed: dict[int, str] | None = None
        self._reads: dict[int, bool] | None = None

    def printed_member(self, cursor: Cursor) -> str | None:
        """The name of a swizzle that comes out of a macro, as far as the printed function tells."""
        if self._printed is None:
            self._printed = member_names(self.cursor, self.types) if self.cursor is not None else {}
        return self._printed.get(cursor.key)

    def reads_bits(self, cursor: Cursor) -> bool | None:
        """Whether the printed function has ``__builtin_astype`` where it may have an implicit conversion."""
        if self._reads is None:
            self._reads = reads_of_bits(self.cursor, self.types) if self.cursor is not None else {}
        return self._reads.get(cursor.key)

    @property
    def local_space(self) -> Space:
        """Where local variables live."""
        return Space.HOST if self.kind is FunctionKind.HOST else Space.PRIVATE

    def type(self, cursor: Cursor) -> Type:
        """The tree type of an expression or declaration."""
        return self.lowering.types.of(cursor.type)

    def lose(self, kind: str, reason: str, cursor: Cursor) -> None:
        """Note that ``cursor`` did not reach the tree."""
        self.losses.append(Loss(kind, reason, self.span(cursor)))

    def expression(self, cursor: Cursor) -> Expr:
        """Lower an expression; what cannot be understood becomes opaque."""
        handler = _EXPRESSIONS.get(cursor.kind)
        if handler is None:
            return self.opaque(cursor, f"expression of kind {_kind_name(cursor.kind)}")
        self.depth += 1
        self.expressions += 1
        try:
            if self.depth > MAX_DEPTH:
                self.lose("expression", "nested too deeply", cursor)
                return Opaque(self.span(cursor), self.type(cursor), "nested too deeply", (), True, True)
            children = cursor.children
            if len(children) == 1 and children[0].kind == cursor.kind and _is_constant_wrapper(cursor, children[0]):
                cursor = children[0]
            return handler(self, cursor)
        finally:
            self.depth -= 1

    def passed_over(self, cursor: Cursor) -> OpaqueStmt | None:
        """What stands for a statement that is not lowered, since the function is too large, or those of the source
        together are; the first of a function is on record."""
        lowering = self.lowering
        if not self.full:
            if self.expressions < MOST_EXPRESSIONS and lowering.expressions + self.expressions < MOST_OF_A_SOURCE:
                return None
            self.full = lowering.cut = True
            self.lose("statement", TOO_LARGE, cursor)
        return lost_statement(self.span(cursor), TOO_LARGE, lowering.source(cursor))

    def conditional_expression(self, cursor: Cursor) -> Expr:
        """Lower an expression that may not run (or runs again), so that nothing may be hoisted out of it."""
        saved, self.hoisted = self.hoisted, None
        try:
            return self.expression(cursor)
        finally:
            self.hoisted = saved

    def statement(self, cursor: Cursor) -> Stmt:
        """Lower a statement; statements its expressions need beforehand are put before it."""
        saved, self.hoisted = self.hoisted, []
        try:
            result = self.unhoisted_statement(cursor)
            before = self.hoisted
        finally:
            self.hoisted = saved
        return Block(self.span(cursor), (*before, result)) if before else result

    def unhoisted_statement(self, cursor: Cursor) -> Stmt:
        """Lower a statement; the caller puts what is hoisted before it."""
        handler = _STATEMENTS.get(cursor.kind)
        if handler is None:
            if not is_expression(cursor):
                return self.opaque_statement(cursor, f"statement of kind {_kind_name(cursor.kind)}")
            handler = _STATEMENTS[K.UNEXPOSED_EXPR]
        self.depth += 1
        try:
            if self.depth > MAX_DEPTH:
                self.lose("statement", "nested too deeply", cursor)
                return OpaqueStmt(self.span(cursor), "nested too deeply")
            return handler(self, cursor)
        finally:
            self.depth -= 1

    @contextmanager
    def no_hoisting(self) -> Iterator[None]:
        """Within it, statement expressions are opaque."""
        saved, self.hoisted = self.hoisted, None
        try:
            yield
        finally:
            self.hoisted = saved

    def opaque(self, cursor: Cursor, reason: str, kind: str = "expression", writes: bool = True) -> Opaque:
        """An opaque expression with whatever of its children can be lowered, and the loss on record."""
        self.lose(kind, reason, cursor)
        children = tuple(self.conditional_expression(c) for c in cursor.children if is_expression(c))
        clang = cursor.type
        return Opaque(
            self.span(cursor),
            self.types.of(clang) if clang.kind else UNKNOWN,
            reason,
            children,
            writes=writes,
            may_sync=sounds_like_sync(self.lowering.source(cursor)),
        )

    def large_table(self, cursor: Cursor) -> Opaque:
        """What stands for more numbers than trees are made of."""
        self.lowering.tables_cut = True
        return Opaque(self.span(cursor), self.type(cursor), "a table too large to be read", (), writes=False)

    def opaque_statement(self, cursor: Cursor, reason: str, kind: str = "statement") -> OpaqueStmt:
        """An opaque statement with whatever of its children can be lowered, and the loss on record."""
        self.lose(kind, reason, cursor)
        children = tuple(
            self.conditional_expression(c) if is_expression(c) else self.statement(c)
            for c in cursor.children
            if is_expression(c) or c.kind in _STATEMENTS
        )
        return lost_statement(self.span(cursor), reason, self.lowering.source(cursor), children)


_MAY_BE_WRAPPED = frozenset({
    K.BINARY_OPERATOR, K.UNARY_OPERATOR, K.CONDITIONAL_OPERATOR, K.CALL_EXPR, K.MEMBER_REF_EXPR,
    K.ARRAY_SUBSCRIPT_EXPR, K.DECL_REF_EXPR,
})  # fmt: skip


def _is_constant_wrapper(outer: Cursor, inner: Cursor) -> bool:
    """Whether ``outer`` is a constant expression, which libclang shows as if it were the expression inside it."""
    if outer.kind not in _MAY_BE_WRAPPED:
        return False
    around, within = LIB.getCursorExtent(outer.raw), LIB.getCursorExtent(inner.raw)
    return bool(around.begin == within.begin and around.end == within.end)


MOST_EXPRESSIONS = 150_000
"""Expressions of one function, those in macros each time that they are used: some forty thousand take a second, and no
kernel with as many is walked to its end."""

MOST_OF_A_SOURCE = 1_000_000
"""Expressions of all functions that one reading of a source lowers."""

TOO_LARGE = "the function is too large to be read whole"


def sounds_like_sync(text: str) -> bool:
    """Whether a text mentions anything that may be a barrier."""
    text = text.lower()
    return "sync" in text or "barrier" in text or "wait" in text


MOST_GIVEN = 4096
"""Characters of the arguments of a macro that are looked at."""

_INVOCATION = pattern(r"[A-Za-z_]\w*\s*\(")


def _closed(text: str, start: int) -> int:
    """Where the parenthesis before ``start`` is closed; the end of the text where it is not."""
    depth = 1
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if not depth:
            return at
    return len(text)


_ORDERS = pattern(r"fence|acquire|release|mutex|\b(?:un)?lock|\basm\b|volatile", re.IGNORECASE)
_LEAVES = pattern(
    r"\b(?:return|break|continue|goto|case|default|for|while|do|if|else|switch|asm|exit|abort|trap)\b|[{}]"
)
_ASSIGNED = pattern(
    r"\b([A-Za-z_]\w*)\b\s*(?:(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--)|(?:\+\+|--|(?<!&)&)\s*([A-Za-z_]\w*)\b(?!\s*->)"
)
_CALLED = pattern(r"\b([A-Za-z_]\w*)\s*(?:<[^;<>]*>\s*)?\(")
_FOLLOWED = pattern(r"\b[A-Za-z_]\w*\s*->\s*\w+")
_REACHED_THROUGH = pattern(r"\b([A-Za-z_]\w*)\s*(?:\.|->|\[)")
_STATEMENT_WORDS = frozenset({"if", "while", "for", "switch", "return", "sizeof"})


def lost_statement(span: Span, reason: str, text: str, children: tuple[Node, ...] = ()) -> OpaqueStmt:
    """A statement of which only the ``text`` is known, with those of its ``children`` that are understood."""
    syncs = sounds_like_sync(text) or _ORDERS.search(text) is not None
    assigned = frozenset(word for pair in _ASSIGNED.findall(text) for word in pair if word)
    leaves = not text or _LEAVES.search(text) is not None
    words = frozenset(IDENTIFIER.findall(text))
    launches = "<<<" in text
    if text and not launches and not any(name not in _STATEMENT_WORDS for name in _CALLED.findall(text)):
        words &= assigned.union(_REACHED_THROUGH.findall(text))  # the others are only read
    followed = words.difference(IDENTIFIER.findall(_FOLLOWED.sub(" ", text))) if "->" in text else frozenset()
    return OpaqueStmt(span, reason, children, syncs, leaves, words, assigned, followed)


def _kind_name(kind: int) -> str:
    return kind_name(kind).lower()
