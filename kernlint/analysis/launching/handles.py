"""Which kernel a handle is of that a launch is given, where no walk has met how the handle came to be.

Kernels that are looked up by name are mostly looked up in one function and launched in another, with the handle in a
member, a variable of the file or an array between, and often through a class that launches whatever it was made with:

* what a handle holds is said by the calls that it is assigned from, one of whose arguments is the name: a function of
  the runtime, or any that stands before it (``load(program, "scale", options)``);
* an array of handles may be filled from an array of names, in a loop or by a function that gets the array, and a
  container by keys that are worked out (a device's) may hold one kernel under all of them;
* a functor, or a copy, is of the kernel that it is made of (``cl::KernelFunctor<...>(kernel)``);
* a parameter is what the caller passes, and a member of an object is what the object was made with: by what its
  constructor stores there, or where that is out of sight by the only argument of the member's type.

A handle that is assigned twice, from different names or from anything else, is of no kernel.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from kernlint.analysis.launching.binding import BY_NAME
from kernlint.analysis.trace.events import ApiEvent, LaunchEvent
from kernlint.source import Span
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import (
    AddressOf,
    Assign,
    Call,
    DeclStmt,
    Deref,
    Expr,
    InitList,
    IntLit,
    Launch,
    Member,
    Module,
    Node,
    ParamDecl,
    Ref,
    StringLit,
    Subscript,
    VarDecl,
)
from kernlint.tree.types import PointerType, StructType, Type
from kernlint.tree.walk import strip_casts, walk

DEEP = 6
"""Steps, at most, from a handle to where its name is."""

EVERY = "every"
"""The key of all elements of a container."""

_IDENTIFIER = pattern(r"[A-Za-z_]\w*")

_Key = tuple[object, ...]


class Handles:
    """The handles of one file's host code; ``others``: files that may look up what members of its classes hold."""

    def __init__(self, module: Module, others: Sequence[Module] = ()) -> None:
        self._modules = (module, *others)

    def kernel_of(self, event: LaunchEvent) -> str:
        """The name of the kernel that a launch is of; empty where nothing says it."""
        launch = event.node
        if launch.api not in BY_NAME or launch.callee is None or launch.name not in ("", own_name(launch)):
            return ""
        return self._name(launch.callee, event.stack, DEEP)

    def kernel_set(self, call: ApiEvent) -> str:
        """The name of the kernel of which a call sets an argument; empty where nothing says it."""
        handle = call.node.receiver if call.node.receiver is not None else next(iter(call.node.args), None)
        return self._name(handle, call.stack, DEEP) if handle is not None else ""

    def _name(self, expr: Expr, stack: tuple[Span, ...], steps: int) -> str:
        expr = _bare(expr)
        if steps <= 0:
            return ""
        if isinstance(expr, Call) and not _is_element(expr):
            of = _made_of(expr)
            return _named(expr) if of is None else self._name(of, stack, steps - 1)
        key = _key(expr)
        if key is not None and (made := self._made.get(key)) is not None and (made or len(self._several[key]) > 1):
            return made
        if isinstance(expr, Subscript):
            return self._listed(expr)
        if isinstance(expr, Ref):
            return self._of_variable(expr, stack, steps)
        if isinstance(expr, Member):
            return self._of_member(expr, stack, steps)
        return ""

    def _of_variable(self, expr: Ref, stack: tuple[Span, ...], steps: int) -> str:
        decl = expr.decl
        if not isinstance(decl, ParamDecl):
            return self._name(decl.init, stack, steps - 1) if decl.init is not None else ""
        call = self._calls.get(stack[-1]) if stack else None
        if call is None or call.function is None:
            return ""
        passed = zip(call.function.params, call.args, strict=False)
        given = next((arg for param, arg in passed if param is decl), None)
        return self._name(given, stack[:-1], steps - 1) if given is not None else ""

    def _of_member(self, expr: Member, stack: tuple[Span, ...], steps: int) -> str:
        """The kernel of a member: of the object whose method is called, as that was made."""
        holder = _bare(expr.base)
        if _is_this(holder):
            call = self._calls.get(stack[-1]) if stack else None
            if call is None or call.receiver is None:
                return ""
            holder, stack = _bare(call.receiver), stack[:-1]
            if _is_this(holder):
                return self._name(Member(expr.span, expr.type, holder, expr.field, True), stack, steps - 1)
        made = _bare(holder.decl.init) if isinstance(holder, Ref) and holder.decl.init is not None else holder
        if isinstance(made, Call) and made.name.endswith("operator new") and made.args:
            made = _bare(made.args[0])
        given = _stored(made, expr) if isinstance(made, Call) else None
        return self._name(given, stack, steps - 1) if given is not None else ""

    def _listed(self, expr: Subscript) -> str:
        """The kernel of an element that a function has filled from a list of names which it got."""
        index = _number(expr.index)
        holder = _bare(expr.base)
        while isinstance(holder, Member):
            holder = _bare(holder.base)
        names = self._lists.get(_key(holder) or ())
        return names[index] if names is not None and index is not None and 0 <= index < len(names) else ""

    @cached_property
    def _calls(self) -> dict[Span, Call]:
        return {node.span: node for node in self._nodes() if isinstance(node, Call)}

    @cached_property
    def _several(self) -> dict[_Key, set[str]]:
        """All names that handles are made with, empty ones for something else."""
        found: dict[_Key, set[str]] = {}
        for target, value in self._stores():
            for key, name in _names(target, value):
                found.setdefault(key, set()).add(name)
        return found

    @cached_property
    def _made(self) -> dict[_Key, str]:
        """The names that handles are made with; empty where they are several, or something else."""
        return {key: next(iter(names)) if len(names) == 1 else "" for key, names in self._several.items()}

    @cached_property
    def _lists(self) -> dict[_Key, tuple[str, ...]]:
        """The lists of names that calls got from which something was assigned."""
        found: dict[_Key, set[tuple[str, ...]]] = {}
        for target, value in self._stores():
            key = _key(target)
            if key is not None and isinstance(value, Call):
                found.setdefault(key, set()).update(filter(None, map(_list_of, value.args)))
        return {key: lists.pop() for key, lists in found.items() if len(lists) == 1}

    def _stores(self) -> Iterator[tuple[Expr, Expr]]:
        """What is assigned to what, the pointers included that functions store what they make behind."""
        for node in self._nodes():
            if isinstance(node, Assign) and not node.op:
                yield _bare(node.target), _bare(node.value)
            elif isinstance(node, DeclStmt):
                for decl in node.decls:
                    if isinstance(decl, VarDecl) and decl.init is not None:
                        yield Ref(decl.span, decl.type, decl), _bare(decl.init)
            elif isinstance(node, Call):
                for arg in node.args:
                    if isinstance(inner := strip_casts(arg), AddressOf) and _named(node):
                        yield _bare(inner), node

    def _nodes(self) -> Iterator[Node]:
        for function in (function for module in self._modules for function in module.functions):
            if function.body is not None:
                yield from walk(function.body)


def _bare(expr: Expr) -> Expr:
    expr = strip_casts(expr)
    while True:
        if isinstance(expr, AddressOf):
            expr = strip_casts(expr.operand)
        elif isinstance(expr, Deref):
            expr = strip_casts(expr.pointer)
        elif isinstance(expr, Call) and expr.name.endswith("operator new") and len(expr.args) == 1:
            expr = strip_casts(expr.args[0])
        else:
            return expr


def _made_of(call: Call) -> Expr | None:
    """The handle that another one, or a functor, is made of."""
    return call.args[0] if len(call.args) == 1 and _constructs(call) and not _named(call) else None


def _is_element(expr: Expr) -> bool:
    """Whether an expression is an element of a container of the library, ``kernels[device]``."""
    return isinstance(expr, Call) and expr.name.endswith("::operator[]") and expr.receiver is not None


def _is_this(expr: Expr) -> bool:
    return isinstance(expr, Ref) and isinstance(expr.decl, ParamDecl) and expr.decl.index < 0


def _key(expr: Expr) -> _Key | None:
    """What tells one place of a handle from another: a variable, a member of a class, an element of either."""
    if isinstance(expr, Ref):
        return (expr.decl,)
    if isinstance(expr, Member):
        return _record(expr.base.type), expr.field
    if isinstance(expr, Subscript):
        base, index = _key(_bare(expr.base)), _number(expr.index)
        return (base, index) if base is not None and index is not None else None
    if isinstance(expr, Call) and expr.receiver is not None and _is_element(expr):
        base = _key(_bare(expr.receiver))
        return (base, EVERY) if base is not None else None
    return None


def _record(type_: Type) -> str:
    while isinstance(type_, PointerType):
        type_ = type_.pointee
    return type_.name if isinstance(type_, StructType) else str(getattr(type_, "spelling", ""))


def _number(expr: Expr) -> int | None:
    expr = strip_casts(expr)
    if isinstance(expr, IntLit):
        return expr.value
    return expr.decl.value if isinstance(expr, Ref) else None


def _names(target: Expr, value: Expr) -> Iterator[tuple[_Key, str]]:
    """What a handle is given: the name of a kernel, or (empty) something else; null is nothing."""
    if isinstance(target, Subscript) and isinstance(value, Call) and _key(target) is None:
        base = _key(_bare(target.base))
        for names in filter(None, map(_element_of, value.args)):
            for at, name in enumerate(names if base is not None else ()):
                yield (base, at), name
        return
    key = _key(target)
    if key is not None and not (isinstance(value, IntLit) and value.value == 0):
        yield key, _named(value) if isinstance(value, Call) else ""


def _named(call: Call) -> str:
    """The only name of something that a call is given."""
    texts = (strip_casts(arg) for arg in call.args)
    inner = (strip_casts(text.args[0]) if isinstance(text, Call) and len(text.args) == 1 else text for text in texts)
    found = [text.value for text in inner if isinstance(text, StringLit) and _IDENTIFIER.fullmatch(text.value)]
    return found[0] if len(found) == 1 else ""


def _list_of(expr: Expr) -> tuple[str, ...]:
    """The texts of an array that a variable is made with."""
    expr = _bare(expr)
    listed = strip_casts(expr.decl.init) if isinstance(expr, Ref) and expr.decl.init is not None else None
    if not isinstance(listed, InitList):
        return ()
    texts = map(strip_casts, listed.elements)
    return tuple(text.value if isinstance(text, StringLit) else "" for text in texts)


def _element_of(expr: Expr) -> tuple[str, ...]:
    """The texts of an array of which an element that is not told is taken."""
    expr = strip_casts(expr)
    return _list_of(expr.base) if isinstance(expr, Subscript) and _number(expr.index) is None else ()


def _stored(made: Call, member: Member) -> Expr | None:
    """The argument that the constructor of an object keeps in a member."""
    constructor = made.function
    if constructor is not None and constructor.body is not None:
        for node in walk(constructor.body):
            if isinstance(node, Assign) and isinstance(target := _bare(node.target), Member):
                value = _bare(node.value)
                if target.field == member.field and _is_this(_bare(target.base)) and isinstance(value, Ref):
                    passed = zip(constructor.params, made.args, strict=False)
                    return next((arg for param, arg in passed if param is value.decl), None)
        return None
    fitting = [arg for arg in made.args if arg.type == member.type]
    return fitting[0] if len(fitting) == 1 and _constructs(made) else None


def _constructs(call: Call) -> bool:
    of, _, name = call.name.rpartition("::")
    return of.rpartition("::")[2].partition("<")[0] == name


def own_name(launch: Launch) -> str | None:
    """The name of the variable or member that holds what is launched; None where it is none."""
    handle = strip_casts(launch.callee)
    return handle.decl.name if isinstance(handle, Ref) else handle.field if isinstance(handle, Member) else None
