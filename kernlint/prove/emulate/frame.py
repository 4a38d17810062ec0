"""Translation state of one function: names, temporaries, emitted lines, and what is known before translating.

A kernel becomes Python source: a function per function of the tree, each taking the running thread first.  Local
scalars become Python variables, vectors tuples, and whatever has an address (arrays, structs, variables whose
address is taken) a memory object.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod

from kernlint.prove.emulate.formats import Leaf, Unsupported, element_size, is_lambda, leaves, size_of, uniform_format
from kernlint.prove.emulate.threads import Meeting
from kernlint.record import dataclass, field
from kernlint.source import Span
from kernlint.tree.nodes import (
    AddressOf,
    Assign,
    AsyncCopy,
    AsyncWait,
    Atomic,
    Barrier,
    Block,
    Call,
    Cast,
    DeclStmt,
    Deref,
    DoWhile,
    Expr,
    For,
    FunctionDecl,
    If,
    IncDec,
    Lambda,
    Member,
    Node,
    ParamDecl,
    Ref,
    Stmt,
    Subscript,
    VarDecl,
    WarpOp,
    While,
)
from kernlint.tree.types import (
    ArrayType,
    IntType,
    PointerType,
    Space,
    StructType,
    Type,
    VectorType,
)
from kernlint.tree.walk import children, walk

Place = tuple[str, str]
"""Codes of a memory object and of a byte offset into it."""

Range = tuple[int, int]
"""Least and greatest value that an integer code can have."""


@dataclass(frozen=True, slots=True)
class Site:
    """A place in the source that an access or meeting belongs to."""

    span: Span
    volatile: bool = False


@dataclass(frozen=True, slots=True)
class Layout:
    """How to make a local memory object."""

    name: str
    extent: int | None
    fmt: str | None
    element: int
    decl: VarDecl | None


@dataclass(slots=True)
class Program:
    """A kernel and all it calls, as Python source with its tables.

    ``shared``: statically declared shared variables; ``dynamic`` is the index among them of the object that all
    ``extern __shared__`` arrays share.  ``globals``: variables of the module.  ``main``: name of the entry function;
    ``waits``: it is a generator.
    """

    sites: list[Site] = field(default_factory=list)
    layouts: list[Layout] = field(default_factory=list)
    meetings: list[Meeting] = field(default_factory=list)
    cells: list[tuple[Leaf, ...]] = field(default_factory=list)
    shared: list[VarDecl] = field(default_factory=list)
    globals: list[VarDecl] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)
    functions: list[FunctionDecl] = field(default_factory=list)
    closures: dict[int, Lambda] = field(default_factory=dict)
    main: str = ""
    waits: bool = False
    language: str = "cuda"
    _cells_of: dict[Type, int] = field(default_factory=dict)
    _waiting: dict[int, bool] = field(default_factory=dict)

    def site(self, span: Span, volatile: bool = False) -> int:
        """The number of a new site."""
        self.sites.append(Site(span, volatile))
        return len(self.sites) - 1

    def layout(self, name: str, kind: Type, decl: VarDecl | None = None) -> int:
        """The number of a layout for a local object of type ``kind``; raises :class:`Unsupported`."""
        size = size_of(kind)
        if size is None:
            raise Unsupported(f"size of {name or 'a temporary'} is not known")
        self.layouts.append(Layout(name, size, uniform_format(kind), element_size(kind), decl))
        return len(self.layouts) - 1

    def cells_of(self, kind: Type) -> int:
        """The number of the list of scalar cells of ``kind``; raises :class:`Unsupported`."""
        found = self._cells_of.get(kind)
        if found is None:
            self.cells.append(leaves(kind))
            found = self._cells_of[kind] = len(self.cells) - 1
        return found

    def function(self, function: FunctionDecl) -> str:
        """The Python name of ``function``; it is translated later if it was not yet."""
        name = self.names.get(id(function))
        if name is None:
            name = self.names[id(function)] = f"f{len(self.names)}_{identifier(function.name)}"
            self.functions.append(function)
        return name

    def waiting(self, function: FunctionDecl) -> bool:
        """Whether ``function`` can wait for other threads, itself or in what it calls."""
        found = self._waiting.get(id(function))
        if found is None:
            self._waiting[id(function)] = False
            found = self._waiting[id(function)] = function.body is not None and self.waits_in(function.body)
        return found

    def waits_in(self, node: Node) -> bool:
        """Whether something in ``node`` can wait for other threads."""
        for item in walk(node):
            if isinstance(item, (Barrier, WarpOp)):
                return True
            if isinstance(item, (AsyncCopy, AsyncWait)) and is_collective(item):
                return True
            if isinstance(item, Call) and item.function is not None and self.waiting(item.function):
                return True
        return False


def is_collective(node: AsyncCopy | AsyncWait) -> bool:
    """Whether all threads of the block do it together."""
    return node.mechanism == "event"


def identifier(name: str) -> str:
    """``name`` with everything but letters, digits and underscores taken out."""
    return re.sub(r"\W", "_", name)


def root(expr: Expr) -> VarDecl | None:
    """The variable whose own storage an lvalue denotes a part of, None when it is reached through a pointer."""
    while True:
        if isinstance(expr, Ref):
            return None if is_reference(expr.decl) else expr.decl
        if (isinstance(expr, Member) and not expr.arrow) or (
            isinstance(expr, Subscript) and not isinstance(expr.base.type, PointerType)
        ):
            expr = expr.base
        elif isinstance(expr, Cast):
            expr = expr.operand
        else:
            return None


def is_reference(decl: VarDecl) -> bool:
    """Whether the variable is a reference (C++)."""
    return isinstance(decl.type, PointerType) and decl.type.reference


def result_type(kind: Type) -> Type:
    """The type of the object when ``kind`` is a reference."""
    return kind.pointee if isinstance(kind, PointerType) and kind.reference else kind


def by_value(param: VarDecl) -> bool:
    """Whether a reference is as good as a value: a parameter for a constant scalar or vector, any for a handle."""
    kind = param.type
    if isinstance(kind, PointerType) and kind.reference and is_group(kind.pointee):
        return True
    return (
        isinstance(param, ParamDecl)
        and isinstance(kind, PointerType)
        and kind.reference
        and kind.const
        and not isinstance(kind.pointee, (ArrayType, StructType))
        and kind.pointee.size is not None
    )


class Frame(ABC):
    """What all parts of the translation of a function share."""

    def __init__(self, program: Program, function: FunctionDecl) -> None:
        self.program = program
        self.function = function
        self.lines: list[str] = []
        self.depth = 1
        self.prologue: dict[str, str] = {}
        self.names: dict[VarDecl, str] = {}
        self.ranges: dict[VarDecl, Range] = {}
        self.temporaries = 0
        self.boxed: set[VarDecl] = set()
        self.mutated: set[VarDecl] = set()
        self.local_names: set[str] = set()
        self.assigned: set[str] = set()
        body = function.body
        assert body is not None
        self.survey(body)

    # ------------------------------------------------------------------------------------- to be translated

    @abstractmethod
    def value(self, expr: Expr) -> str:
        """Code of an expression's value."""

    @abstractmethod
    def number(self, expr: Expr) -> tuple[str, int, int]:
        """Code and range of an integer expression, within its type."""

    @abstractmethod
    def other(self, expr: Expr) -> str:
        """Code of an expression that is no integer arithmetic."""

    @abstractmethod
    def same_bits(self, expr: Cast) -> str:
        """Code of a value seen as another type of the same size."""

    @abstractmethod
    def truth(self, expr: Expr) -> str:
        """Code of a condition, good for Python's ``if``, ``and``, ``or`` and ``not``."""

    @abstractmethod
    def place(self, expr: Expr) -> Place:
        """Codes of the object and offset that an lvalue denotes; each may be used only once, in this order."""

    @abstractmethod
    def pointer(self, expr: Expr) -> Place:
        """Codes of the object and offset that a pointer (or array) expression points to; as :meth:`place`."""

    @abstractmethod
    def load(self, place: Place, kind: Type, expr: Expr) -> str:
        """Code that reads a value of type ``kind``."""

    @abstractmethod
    def store(self, place: Place, value: str, kind: Type, expr: Expr) -> str:
        """Code that writes ``value`` and yields it."""

    @abstractmethod
    def assignment(self, target: Expr, value: str) -> str:
        """Code that gives the lvalue ``target`` a new value and yields it."""

    @abstractmethod
    def call(self, expr: Call) -> str:
        """Code of a call."""

    @abstractmethod
    def special(self, expr: Expr) -> str:
        """Code of barriers, atomics, warp operations and their like."""

    @abstractmethod
    def closure(self, expr: Lambda) -> str:
        """Code of a lambda."""

    # -------------------------------------------------------------------------------------------- emission

    def emit(self, line: str) -> None:
        """Add a line at the current indentation."""
        self.lines.append("    " * self.depth + line)

    def temporary(self) -> str:
        """A fresh name."""
        self.temporaries += 1
        return f"_{self.temporaries}"

    def need(self, name: str, code: str) -> str:
        """``name``, set to ``code`` when the function is entered."""
        self.prologue.setdefault(name, code)
        return name

    def site(self, node: Node, volatile: bool = False) -> int:
        """A new site at ``node``."""
        return self.program.site(node.span, volatile)

    def name_of(self, decl: VarDecl) -> str:
        """The Python variable of a local variable."""
        name = self.names.get(decl)
        if name is None and decl.name and isinstance(decl, ParamDecl):  # a body may name its template's parameter
            same = next((p for p in self.function.params if p.name == decl.name), decl)
            name = self.names.get(same)
        if name is None:
            name = self.names[decl] = f"v{len(self.names)}_{identifier(decl.name)}"
            self.local_names.add(name)
        return name

    def simple(self, code: str) -> bool:
        """Whether evaluating ``code`` twice is free of effects and cheap."""
        return code.isidentifier() or code.isdigit()

    # ---------------------------------------------------------------------------------------------- facts

    def survey(self, body: Node) -> None:
        """Find the variables that need an address and those that change after their declaration."""
        for node in walk(body):
            if isinstance(node, AddressOf):
                self._box(node.operand)
            elif isinstance(node, (Assign, IncDec)):
                decl = root(node.target)
                if decl is not None:
                    self.mutated.add(decl)
            elif isinstance(node, DeclStmt):
                for decl in node.decls:
                    if is_reference(decl) and decl.init is not None:
                        self._box(decl.init)
            elif isinstance(node, Call):
                if node.function is not None and node.function.body is not None:
                    for param, arg in zip(node.function.params, node.args, strict=False):
                        if is_reference(param) and not by_value(param):
                            self._box(arg)
                else:
                    for arg in node.args:  # an out-parameter of a function that is not there
                        if isinstance(arg.type, VectorType) and node.receiver is None and not node.pure_math:
                            self._box(arg)
        for param in self.function.params:
            if param in self.boxed and is_reference(param):
                self.boxed.discard(param)

    def _box(self, expr: Expr) -> None:
        decl = root(expr)
        if decl is not None:
            self.boxed.add(decl)
            self.mutated.add(decl)

    def in_memory(self, decl: VarDecl) -> bool:
        """Whether a local variable is a memory object of its own."""
        return decl in self.boxed or (isinstance(decl.type, (ArrayType, StructType)) and not is_group(decl.type))

    def range_of(self, decl: VarDecl) -> Range:
        """Values that an integer variable can have."""
        found = self.ranges.get(decl)
        if found is not None:
            return found
        kind = decl.type
        if isinstance(kind, PointerType) and kind.reference:
            kind = kind.pointee
        return (kind.low, kind.high) if isinstance(kind, IntType) else (-(1 << 63), 1 << 63)

    def is_module_variable(self, decl: VarDecl) -> bool:
        """Whether the variable belongs to the file, not to a function."""
        return decl.is_global

    def is_shared(self, decl: VarDecl) -> bool:
        """Whether the variable is an object in shared memory (not a pointer to one)."""
        return (decl.space is Space.SHARED and not isinstance(decl.type, PointerType)) or decl.unsized


def is_group(kind: Type) -> bool:
    """Whether a struct type is a handle (a cooperative group, a lambda), which has no memory worth the name."""
    return isinstance(kind, StructType) and (not kind.known or not kind.fields or is_lambda(kind))


def weight(node: Node | None) -> int:
    """Steps that one pass through ``node`` takes: its statements, memory accesses, calls and meetings.

    Bodies of loops inside are not counted (they charge for themselves), and of two branches the heavier one.
    """
    if node is None:
        return 0
    if isinstance(node, If):
        return 1 + weight(node.init) + weight(node.cond) + max(weight(node.then), weight(node.other))
    if isinstance(node, (For, While, DoWhile)):
        return 1 + sum(weight(part) for part in children(node) if part is not node.body)
    own = isinstance(node, _COUNTED) or (isinstance(node, Stmt) and not isinstance(node, Block))
    return int(own) + sum(weight(part) for part in children(node))


_COUNTED = (Subscript, Deref, Member, Call, Atomic, Barrier, WarpOp, AsyncCopy)
