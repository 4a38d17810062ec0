"""Methods met with the object that the class makes.

What a constructor stores in members (sizes, memory, kernels) the methods use, and often nobody in sight makes an
object.  For such a method a caller is put together: it makes an object, lets the only method that allocates for members
do so, forgets what other methods may have changed since, and calls the method.  That is what every user of the class
does, as far as the class has one constructor and nobody but its methods writes the members that it keeps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kernlint.analysis.trace.host import allocator
from kernlint.record import replace
from kernlint.source import Span
from kernlint.tree.nodes import (
    AddressOf,
    Assign,
    Block,
    Call,
    Cast,
    DeclStmt,
    Expr,
    ExprStmt,
    FunctionDecl,
    FunctionKind,
    IntLit,
    Member,
    Node,
    Opaque,
    OpaqueStmt,
    ParamDecl,
    Ref,
    Stmt,
    Subscript,
    VarDecl,
)
from kernlint.tree.types import VOID, IntType, PointerType, Space, StructType, Type
from kernlint.tree.walk import walk

OF_CALLERS = "number that callers pass"
"""Why nothing is known of a number that a method of an object of a size of its own is given."""

METHODS = 60
"""Methods of a class beyond which it is left alone."""


def with_objects(functions: Sequence[FunctionDecl]) -> dict[FunctionDecl, FunctionDecl]:
    """For each method that can be: the caller that makes its object and calls it."""
    classes: dict[str, list[FunctionDecl]] = {}
    for function in functions:
        of = _class_of(function)
        if of is not None and function.generic is None and not function.template_params:
            classes.setdefault(of.name, []).append(function)
    found: dict[FunctionDecl, FunctionDecl] = {}
    used = set(_used_out_of_sight(functions))
    for name, methods in classes.items():
        if len(methods) <= METHODS and name not in used:
            found.update(_Class(methods).callers())
    return found


def _used_out_of_sight(functions: Iterable[FunctionDecl]) -> Iterator[str]:
    """Classes of objects that a statement names which could not be read: it may call methods that nobody else calls,
    and those are not in the tree then."""
    for function in functions:
        if not function.losses:
            continue
        words: set[str] = set()
        kinds: dict[str, Type] = {}
        for node in walk(function.body or function):
            if isinstance(node, OpaqueStmt):
                words |= node.words
            elif isinstance(node, DeclStmt):
                kinds.update((decl.name, decl.type) for decl in node.decls)
        for name in words & kinds.keys():
            kind = kinds[name]
            pointee = kind.pointee if isinstance(kind, PointerType) else kind
            if isinstance(pointee, StructType):
                yield pointee.name


def _class_of(function: FunctionDecl) -> StructType | None:
    kind = function.this.type if function.this is not None else None
    pointee = kind.pointee if isinstance(kind, PointerType) else None
    return pointee if isinstance(pointee, StructType) else None


class _Class:
    def __init__(self, methods: Sequence[FunctionDecl]) -> None:
        kind = _class_of(methods[0])
        assert kind is not None
        self.kind = kind
        self.name = kind.name.rpartition("::")[2]
        self.methods = methods
        self.constructors = [one for one in methods if one.name == self.name and not self._copies(one)]
        self.calls = {one: [at for at in _called(one) if at in methods] for one in methods}
        self.written = {one: frozenset(_written(one)) for one in methods}

    def _copies(self, one: FunctionDecl) -> bool:
        """Whether a constructor makes its object of another one."""
        kind = one.params[0].type if len(one.params) == 1 else None
        return (
            isinstance(kind, PointerType)
            and kind.reference
            and isinstance(kind.pointee, StructType)
            and (kind.pointee.name == self.kind.name)
        )

    def callers(self) -> Iterator[tuple[FunctionDecl, FunctionDecl]]:
        """Each method that finds members set, with its caller."""
        if len(self.constructors) > 1:
            return
        first = self._reached(self.constructors)
        makers = [one for one in self.methods if one not in first and not one.name.startswith("~") and _allocates(one)]
        maker = makers[0] if len(makers) == 1 else None
        if not self.constructors and maker is None:
            return
        if maker is not None and all(map(_sized, (maker, *self.constructors))) and self.constructors:
            return  # which sizes go together, callers know
        begun = first | (self._reached([maker]) if maker is not None else set())
        set_ = {field for one in begun for field in self.written[one]}
        for method in self.methods:
            if method in self.constructors or method is maker or method.name.startswith("~"):
                continue
            if not set_ or not any(_field(node, method) in set_ for node in walk(method.body or method)):
                continue
            others = [one for one in self.methods if one not in begun and one is not method and not _clears(one)]
            changed = {field for one in others if not one.name.startswith("~") for field in self.written[one]}
            steps = [*self.constructors, *([maker] if maker is not None else []), method]
            yield method, self._caller(steps, sorted(changed & set_))

    def _reached(self, from_: Iterable[FunctionDecl]) -> set[FunctionDecl]:
        """Methods that run as a part of some others and of nothing else, those others included."""
        found = set(from_)
        while True:
            callers: dict[FunctionDecl, set[FunctionDecl]] = {}
            for one, called in self.calls.items():
                for at in called:
                    callers.setdefault(at, set()).add(one)
            more = {one for one, by in callers.items() if one not in found and by <= found}
            if not more:
                return found
            found |= more

    def _caller(self, steps: Sequence[FunctionDecl], changed: Sequence[str]) -> FunctionDecl:
        method = steps[-1]
        span = Span(method.span.file, method.span.start, method.span.start)
        params: list[ParamDecl] = []
        held = VarDecl(span, self.name.lower(), self.kind, Space.HOST)
        body: list[Stmt] = []
        made_for_sizes = any(map(_sized, steps[:-1]))
        for step in steps:
            args = [self._passed(span, param, params, made_for_sizes and step is method) for param in step.params]
            if step in self.constructors:
                made = Call(span, self.kind, step.qualified, step, tuple(args))
                held = replace(held, init=made)
                continue
            if step is method:
                body += [self._forget(span, held, field) for field in changed]
            at = Ref(span, self.kind, held)
            body.append(ExprStmt(span, Call(span, step.result, step.qualified, step, tuple(args), at)))
        whole = Block(span, (DeclStmt(span, (held,)), *body))
        return FunctionDecl(span, method.name, method.qualified, FunctionKind.HOST, tuple(params), VOID, whole)

    @staticmethod
    def _passed(span: Span, param: ParamDecl, params: list[ParamDecl], own_size: bool) -> Expr:
        if own_size and isinstance(param.type, IntType):  # how it goes with what the object was made for, callers know
            return Opaque(span, param.type, OF_CALLERS)
        own = replace(param, index=len(params))
        params.append(own)
        kind: Type = param.type
        if isinstance(kind, PointerType) and kind.reference:
            kind = kind.pointee
        return Ref(span, kind, own)

    def _forget(self, span: Span, held: VarDecl, field: str) -> Stmt:
        kind = next((one.type for one in self.kind.fields if one.name == field), VOID)
        target = Member(span, kind, Ref(span, self.kind, held), field, False)
        value = Opaque(span, kind, "what other methods have stored")
        return ExprStmt(span, Assign(span, kind, "", target, value))


def _sized(function: FunctionDecl) -> bool:
    """Whether a function is given numbers."""
    return any(isinstance(param.type, IntType) for param in function.params)


def _called(function: FunctionDecl) -> Iterator[FunctionDecl]:
    for node in walk(function.body or function):
        if isinstance(node, Call) and node.function is not None:
            yield node.function


def _field(node: Node | None, function: FunctionDecl) -> str | None:
    """The member of the own object that an expression is, or is a part of."""
    found = None
    while isinstance(node, (Member, Subscript, Cast, AddressOf)):
        if isinstance(node, Member):
            found, node = node.field, node.base
        else:
            node = node.base if isinstance(node, Subscript) else node.operand
    return found if isinstance(node, Ref) and node.decl is function.this else None


def _written(function: FunctionDecl, deep: int = 3) -> Iterator[str]:
    """The members that a method stores in, or hands out."""
    for node in walk(function.body or function):
        targets: list[Node | None] = []
        if isinstance(node, Assign):
            targets = [node.target]
        elif isinstance(node, Call):
            inner = (_bare(arg) for arg in node.args)
            own = node.receiver if node.function is None or _changes(node.function, deep) else None
            targets = [*(arg for arg in inner if isinstance(arg, AddressOf)), own]
        elif type(node).__name__ == "IncDec":
            targets = [getattr(node, "target", None)]
        for target in targets:
            field = _field(target, function)
            if field is not None:
                yield field


def _changes(method: FunctionDecl, deep: int = 3) -> bool:
    """Whether a method may change the members of its object; what gives a pointer to one may, too."""
    kind = method.this.type if method.this is not None else None
    if isinstance(kind, PointerType) and kind.const:
        return False
    if kind is None or method.body is None or deep <= 0 or any(True for _ in _written(method, deep - 1)):
        return True
    given = method.result
    return isinstance(given, PointerType) and given.reference and not given.const


def _bare(expr: Expr) -> Expr:
    while isinstance(expr, Cast):
        expr = expr.operand
    return expr


def _allocates(function: FunctionDecl) -> bool:
    """Whether a method allocates memory for a member."""
    for node in walk(function.body or function):
        if isinstance(node, Call):
            rule = allocator(node.name)
            at = rule.out if rule is not None else None
            if at is not None and at < len(node.args) and _field(_bare(node.args[at]), function) is not None:
                return True
        elif isinstance(node, Assign) and _field(node.target, function) is not None:
            made = _bare(node.value)
            if isinstance(made, Call) and made.name.rpartition("::")[2] in _MADE:
                return True
    return False


_MADE = frozenset({"clCreateBuffer", "Buffer", "clSVMAlloc", "clCreateKernel"})


def _clears(function: FunctionDecl) -> bool:
    """Whether a method stores nothing but zeros and null: it gives back what the object has."""
    stores = [node for node in walk(function.body or function) if isinstance(node, Assign)]
    own = [node for node in stores if _field(node.target, function) is not None]
    values = [_bare(node.value) for node in own]
    return bool(own) and all(isinstance(value, IntLit) and value.value == 0 for value in values)
