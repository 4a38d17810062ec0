"""Which kernel a handle is of that a launch is given, where no walk has met how the handle came to be.

Kernels that are looked up by name are mostly looked up in one function and launched in another, with the handle in a
member, a variable of the file or an array between, and often through a class that launches whatever it was made with:

* what a handle holds is said by the calls that it is assigned from, one of whose arguments is the name: a function of
  the runtime, or any that stands before it (``load(program, "scale", options)``);
* an array of handles may be filled from an array of names, in a loop or by a function that gets the array, and a
  container by keys that are worked out (a device's) may hold one kernel under all of them;
* a table's rows may name kernels and hold their handles, and which row it is, callers say by a number;
* a functor, or a copy, is of the kernel that it is made of (``cl::KernelFunctor<...>(kernel)``);
* a parameter is what the caller passes, and a member of an object is what the object was made with: by what its
  constructor stores there, or where that is out of sight by the only argument of the member's type.

A handle that is assigned twice, from different names or from anything else, is of no kernel.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from kernlint.analysis.launching.binding import BY_NAME
from kernlint.analysis.launching.handle_places import (
    Key,
    Tables,
    bare,
    element,
    is_element,
    number,
    place,
    texts_of,
)
from kernlint.analysis.trace.events import ApiEvent, LaunchEvent
from kernlint.source import Span
from kernlint.symbolic.terms import symbols
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import (
    AddressOf,
    Assign,
    Binary,
    Call,
    Cast,
    Conditional,
    DeclStmt,
    Expr,
    IntLit,
    Launch,
    Member,
    Module,
    Node,
    ParamDecl,
    Ref,
    StringLit,
    Subscript,
    Unary,
    VarDecl,
)
from kernlint.tree.walk import strip_casts, walk

DEEP = 6
"""Steps, at most, from a handle to where its name is."""

_IDENTIFIER = pattern(r"[A-Za-z_]\w*")


class Handles:
    """The handles of one file's host code; ``others``: files that may look up what members of its classes hold."""

    def __init__(self, module: Module, others: Sequence[Module] = ()) -> None:
        self._modules = (module, *others)
        self._tables = Tables(self._modules)

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

    def among(self, event: LaunchEvent) -> frozenset[str]:
        """The kernels of which a launch may be one, where a number that callers pass says which element of an array, or
        row of a table, holds it; none where that is not so."""
        launch = event.node
        if launch.api not in BY_NAME or launch.callee is None:
            return frozenset()
        handle = bare(launch.callee)
        if isinstance(handle, Ref) and not isinstance(handle.decl, ParamDecl) and handle.decl.init is not None:
            handle = bare(handle.decl.init)
        field = handle.field if isinstance(handle, Member) else ""
        row, stack = self._row(handle, event.stack, DEEP) if isinstance(handle, Member) else (handle, event.stack)
        if not isinstance(row, Subscript) or self._number(row.index, stack, DEEP) is not None:
            return frozenset()
        base = place(bare(row.base))
        if base is None:
            return frozenset()
        last = (field,) if field else ()
        return frozenset(
            name for key, name in self._made.items() if name and key[:1] == (base,) and key[2:] == last and key[1:2]
        )

    def either(self, event: LaunchEvent) -> tuple[str, ...]:
        """The kernels of which a launch may be one, by what its function is given (``fine ? fine_ : coarse_``) and
        nothing else that the walk knows of the launch speaks of; none where that is not so."""
        handle = bare(event.node.callee) if event.node.callee is not None else None
        if isinstance(handle, Ref) and handle.decl.init is not None:
            made = bare(handle.decl.init)
            key = place(handle)
            once = isinstance(made, Conditional) and sum(place(at) == key for at, _ in self._stores) == 1
            handle = made if once else handle
        if event.node.api not in BY_NAME or not isinstance(handle, Conditional):
            return ()
        parts = list(walk(handle.cond))
        named = [one.decl for one in parts if isinstance(one, Ref)]
        given = {one.name for one in named if isinstance(one, ParamDecl)}
        if not given or not all(isinstance(one, ParamDecl) or one.value is not None for one in named):
            return ()
        if not all(isinstance(one, (Ref, Cast, Unary, Binary, IntLit)) for one in parts):
            return ()
        sizes = (*(event.grid or ()), *(event.block or ()), *(event.global_size or ()))
        said = (*sizes, *(guard.term for guard in event.guards))
        if any(symbol.name in given for term in said for symbol in symbols(term)):
            return ()
        names = tuple(self._name(side, event.stack, DEEP) for side in (handle.then, handle.other))
        return names if all(names) else ()

    def _name(self, expr: Expr, stack: tuple[Span, ...], steps: int) -> str:
        expr = bare(expr)
        if steps <= 0:
            return ""
        if isinstance(expr, Call) and not is_element(expr):
            of = _made_of(expr)
            return _named(expr) if of is None else self._name(of, stack, steps - 1)
        key = self._place(expr, stack, steps)
        if key is not None and (made := self._made.get(key)) is not None and (made or len(self._several[key]) > 1):
            return made
        if isinstance(expr, Subscript):
            return self._listed(expr)
        if isinstance(expr, Ref):
            return self._of_variable(expr, stack, steps)
        if isinstance(expr, Member):
            return self._of_member(expr, stack, steps)
        return ""

    def _place(self, expr: Expr, stack: tuple[Span, ...], steps: int) -> Key | None:
        """The place of a handle, with what callers pass as an index; of a member, that of the row where it is one."""

        def index(one: Expr) -> int | None:
            return self._number(one, stack, steps)

        if isinstance(expr, Member):
            row, stack = self._row(expr, stack, steps)
            base = place(bare(row.base)) if isinstance(row, Subscript) else None
            which = index(row.index) if isinstance(row, Subscript) else None
            if base is not None and which is not None and (key := element(base, which, expr.field)) in self._several:
                return key
        return place(expr, index)

    def _row(self, member: Member, stack: tuple[Span, ...], steps: int) -> tuple[Expr, tuple[Span, ...]]:
        """The object that a member is of, where pointers to it are followed, and the calls that lead there."""
        row = bare(member.base)
        while isinstance(row, Ref) and steps > 0:
            made = self._passed(row.decl, stack) if isinstance(row.decl, ParamDecl) else row.decl.init
            if made is None:
                break
            stack = stack[:-1] if isinstance(row.decl, ParamDecl) else stack
            row, steps = bare(made), steps - 1
        return row, stack

    def _number(self, expr: Expr, stack: tuple[Span, ...], steps: int) -> int | None:
        """A number, also one that callers pass."""
        expr = strip_casts(expr)
        known = number(expr)
        if known is not None or steps <= 0 or not isinstance(expr, Ref) or not isinstance(expr.decl, ParamDecl):
            return known
        given = self._passed(expr.decl, stack)
        return self._number(given, stack[:-1], steps - 1) if given is not None else None

    def _passed(self, param: ParamDecl, stack: tuple[Span, ...]) -> Expr | None:
        """What the innermost of some calls passes for a parameter."""
        call = self._calls.get(stack[-1]) if stack else None
        if call is None or call.function is None:
            return None
        params = call.function.params  # of a function that another file defines: those of a declaration
        elsewhere = call.function.body is None and len(params) > param.index
        own = params[param.index] if elsewhere else param
        return next((arg for one, arg in zip(params, call.args, strict=False) if one is own), None)

    def _of_variable(self, expr: Ref, stack: tuple[Span, ...], steps: int) -> str:
        decl = expr.decl
        if not isinstance(decl, ParamDecl):
            return self._name(decl.init, stack, steps - 1) if decl.init is not None else ""
        given = self._passed(decl, stack)
        return self._name(given, stack[:-1], steps - 1) if given is not None else ""

    def _of_member(self, expr: Member, stack: tuple[Span, ...], steps: int) -> str:
        """The kernel of a member: of the object whose method is called, as that was made."""
        holder = bare(expr.base)
        if _is_this(holder):
            call = self._calls.get(stack[-1]) if stack else None
            if call is None or call.receiver is None:
                return ""
            holder, stack = bare(call.receiver), stack[:-1]
            if _is_this(holder):
                return self._name(Member(expr.span, expr.type, holder, expr.field, True), stack, steps - 1)
        made = bare(holder.decl.init) if isinstance(holder, Ref) and holder.decl.init is not None else holder
        if isinstance(made, Call) and made.name.endswith("operator new") and made.args:
            made = bare(made.args[0])
        given = _stored(made, expr) if isinstance(made, Call) else None
        return self._name(given, stack, steps - 1) if given is not None else ""

    def _listed(self, expr: Subscript) -> str:
        """The kernel of an element that a function has filled from a list of names which it got."""
        index = number(expr.index)
        holder = bare(expr.base)
        while isinstance(holder, Member):
            holder = bare(holder.base)
        names = self._lists.get(place(holder) or ())
        return names[index] if names is not None and index is not None and 0 <= index < len(names) else ""

    @cached_property
    def _calls(self) -> dict[Span, Call]:
        return {node.span: node for node in self._nodes() if isinstance(node, Call)}

    @cached_property
    def _several(self) -> dict[Key, set[str]]:
        """All names that handles are made with, empty ones for something else."""
        found: dict[Key, set[str]] = {}
        for target, value in self._stores:
            for key, name in self._names(target, value):
                found.setdefault(key, set()).add(name)
        return found

    @cached_property
    def _made(self) -> dict[Key, str]:
        """The names that handles are made with; empty where they are several, or something else."""
        return {key: next(iter(names)) if len(names) == 1 else "" for key, names in self._several.items()}

    @cached_property
    def _lists(self) -> dict[Key, tuple[str, ...]]:
        """The lists of names that calls got from which something was assigned."""
        found: dict[Key, set[tuple[str, ...]]] = {}
        for target, value in self._stores:
            key = place(target)
            if key is not None and isinstance(value, Call):
                found.setdefault(key, set()).update(filter(None, map(texts_of, value.args)))
        return {key: lists.pop() for key, lists in found.items() if len(lists) == 1}

    @cached_property
    def _stores(self) -> tuple[tuple[Expr, Expr], ...]:
        """What is assigned to what, the pointers included that functions store what they make behind."""
        return tuple(self._found_stores())

    def _found_stores(self) -> Iterator[tuple[Expr, Expr]]:
        for node in self._nodes():
            if isinstance(node, Assign) and not node.op:
                yield bare(node.target), bare(node.value)
            elif isinstance(node, DeclStmt):
                for decl in node.decls:
                    if isinstance(decl, VarDecl) and decl.init is not None:
                        yield Ref(decl.span, decl.type, decl), bare(decl.init)
            elif isinstance(node, Call):
                for arg in node.args:
                    if isinstance(inner := strip_casts(arg), AddressOf) and _named(node):
                        yield bare(inner), node

    def _names(self, target: Expr, value: Expr) -> Iterator[tuple[Key, str]]:
        """What a handle is given: the name of a kernel, or (empty) something else; null is nothing."""
        key = place(target)
        columns = list(self._listed_in(value)) if isinstance(value, Call) else []
        if isinstance(target, Subscript) and isinstance(value, Call) and key is None:
            base = place(bare(target.base))
            for _, names in columns if base is not None else ():
                yield from ((element(base, at), name) for at, name in enumerate(names) if base is not None)
            return
        if key is None or (isinstance(value, IntLit) and value.value == 0):
            return
        if isinstance(target, Member) and columns:
            for table, names in columns:
                for at, name in enumerate(names):
                    yield key, name
                    if table is not None:
                        yield element(table, at, target.field), name
            return
        name = _named(value) if isinstance(value, Call) else ""
        row = bare(target.base) if isinstance(target, Member) else None
        base, which = (place(bare(row.base)), number(row.index)) if isinstance(row, Subscript) else (None, None)
        if isinstance(target, Member) and base is not None and which is not None:
            yield element(base, which, target.field), name
        yield key, name

    def _listed_in(self, call: Call) -> Iterator[tuple[Key | None, tuple[str, ...]]]:
        """The lists of names of which a call is given an element that is not told, with the tables that have them as a
        column."""
        for arg in map(strip_casts, call.args):
            if isinstance(arg, Subscript) and number(arg.index) is None and (names := texts_of(arg.base)):
                yield None, names
            elif isinstance(arg, Member):
                row = bare(arg.base)
                if not isinstance(row, Subscript) or number(row.index) is None:
                    yield from self._tables.columns(arg)

    def _nodes(self) -> Iterator[Node]:
        for function in (function for module in self._modules for function in module.functions):
            if function.body is not None:
                yield from walk(function.body)


def _made_of(call: Call) -> Expr | None:
    """The handle that another one, or a functor, is made of."""
    return call.args[0] if len(call.args) == 1 and _constructs(call) and not _named(call) else None


def _is_this(expr: Expr) -> bool:
    return isinstance(expr, Ref) and isinstance(expr.decl, ParamDecl) and expr.decl.index < 0


def _named(call: Call) -> str:
    """The only name of something that a call is given."""
    texts = (strip_casts(arg) for arg in call.args)
    inner = (strip_casts(text.args[0]) if isinstance(text, Call) and len(text.args) == 1 else text for text in texts)
    found = [text.value for text in inner if isinstance(text, StringLit) and _IDENTIFIER.fullmatch(text.value)]
    return found[0] if len(found) == 1 else ""


def _stored(made: Call, member: Member) -> Expr | None:
    """The argument that the constructor of an object keeps in a member."""
    constructor = made.function
    if constructor is not None and constructor.body is not None:
        for node in walk(constructor.body):
            if isinstance(node, Assign) and isinstance(target := bare(node.target), Member):
                value = bare(node.value)
                if target.field == member.field and _is_this(bare(target.base)) and isinstance(value, Ref):
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
