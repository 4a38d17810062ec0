"""What a file as a whole says of its classes, members and functions, and what the walks of its functions found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from kernlint.analysis.hostmodel.lifetimes.model import (
    NULL,
    Atom,
    Bound,
    Fault,
    Kind,
    Life,
    Number,
    Place,
    State,
    Thing,
    kind_of,
)
from kernlint.apis import ENDS, MAKES, Made, base_name, known_name
from kernlint.source import Span
from kernlint.text.patterns import pattern
from kernlint.tree import nodes as n
from kernlint.tree.types import ArrayType, IntType, PointerType, StructType, Type
from kernlint.tree.walk import strip_casts, walk

if TYPE_CHECKING:
    from kernlint.analysis.hostmodel.lifetimes.machine import Machine

OWNING = pattern(r"(?:struct |class )?std::(?:unique|shared)_ptr\b.*")
"""Pointers that free what they hold when they end."""

Key = tuple[str, str]
"""A member: the name of its class, without template arguments, and its own."""


class Program:
    """A file: what is the same for all walks, and what they leave behind."""

    def __init__(self, module: n.Module) -> None:
        self.module = module
        self.functions = [f for f in module.functions if f.body is not None and f.kind in _HOST]
        self.classes = {one.name: one for one in module.classes}
        self.whole = any(function.name == "main" for function in self.functions)
        """The file is a program, and not a part of one: its functions end when it does."""
        self.destructors: dict[str, n.FunctionDecl] = {}
        self.constructors: dict[str, list[n.FunctionDecl]] = {}
        for function in self.functions:
            owner, _, name = function.qualified.rpartition("::")
            if name.startswith("~"):
                for key in {owner, self.this_name(function)}:
                    self.destructors.setdefault(key, function)
            elif owner and owner.rpartition("::")[2] == name:
                self.constructors.setdefault(owner, []).append(function)
        self._ends: dict[str, bool] = {}
        self.behaving = {self.class_name(kind) for kind in map(_own_type, self.functions) if kind is not None}
        """Classes with functions of their own."""
        self._reserves: bool | None = None
        self._changed: frozenset[n.VarDecl] | None = None
        self.globals: dict[n.VarDecl, Place] = {}
        self.kinds: dict[Key, Kind] = {}
        self.non_blocking: set[Key] = set()
        self._locals: dict[n.FunctionDecl, frozenset[n.VarDecl]] = {}
        self.assigned: set[Key] = set()
        """Members that are assigned something, other than nothing, and not only given to functions that allocate."""
        self._members()
        self.given: dict[Key, list[tuple[Thing, n.FunctionDecl]]] = {}
        self.makers: dict[Key, set[n.FunctionDecl]] = {}
        """Functions that give members something to hold, of the host's memory too."""
        self.freed: dict[Key, list[tuple[n.FunctionDecl, Span]]] = {}
        self.passed_on: set[Key] = set()
        self.entries: set[n.FunctionDecl] = set()
        """Functions that are walked by themselves."""
        self.dangling: list[tuple[Bound, Key, str, Span, str]] = []
        """Arguments of kernels (held where) that ended before a launch: name, place, how."""
        self.staying: set[tuple[Key, int]] = set()
        """Arguments of kernels that some way through a function leaves set and alive."""
        self.resting: dict[Key, tuple[str, bool]] | None = None
        """See :func:`.rests.resting`; None: nobody has asked."""
        self.mapped: dict[Key, str] | None = None
        """See :func:`.mapped.mapped`; None: nobody has asked."""
        self.modes: frozenset[str] | None = None
        """See :func:`.modes.answer`; None: nobody has asked."""
        self.inside: dict[Key, list[tuple[n.FunctionDecl, Span, Span]]] = {}
        """Members that get pointers into the middle of memory: by which function, allocated where, set where."""
        self.anew: list[tuple[n.FunctionDecl, n.VarDecl, Fault]] = []
        """Variables of the file that got other memory although they had some, in the walk of a function."""
        self.replaced: list[tuple[Key, Span, str, str]] = []
        self.leaks: list[tuple[n.FunctionDecl, Thing, Span, bool, bool]] = []

    @staticmethod
    def this_name(function: n.FunctionDecl) -> str:
        """The class of a method, with its template arguments."""
        own = _own_type(function)
        return own.name if own is not None else ""

    def _members(self) -> None:
        """The kinds of memory that members get, as far as calls say that are given their addresses."""
        found: dict[Key, set[Kind]] = {}
        for function in self.functions:
            for node in walk(function.body) if function.body is not None else ():
                makes = MAKES.get(base_name(node.name)) if isinstance(node, n.Call) else None
                if isinstance(node, n.Assign) and _holds(node.target):
                    value, key = strip_casts(node.value), self.addressed(node.target)
                    if key is not None and not (isinstance(value, n.IntLit) and value.value == 0):
                        self.assigned.add(key)
                if not isinstance(node, n.Call) or makes is None or makes.out is None or makes.out >= len(node.args):
                    continue
                key = self.addressed(node.args[makes.out])
                if key is not None:
                    found.setdefault(key, set()).add(kind_of(makes.made))
                    flag = node.args[1] if len(node.args) > 1 else None
                    flag = strip_casts(flag)
                    if makes.made is Made.STREAM and isinstance(flag, n.IntLit) and flag.value == 1:
                        self.non_blocking.add(key)
        self.kinds = {key: next(iter(kinds)) for key, kinds in found.items() if len(kinds) == 1}

    def addressed(self, arg: n.Expr) -> Key | None:
        """The member whose address, or an element of which, an argument is."""
        while isinstance(arg, (n.Cast, n.AddressOf, n.Subscript)):
            arg = arg.base if isinstance(arg, n.Subscript) else arg.operand
        if not isinstance(arg, n.Member):
            return None
        kind = arg.base.type.pointee if isinstance(arg.base.type, PointerType) else arg.base.type
        return (self.class_name(kind), arg.field) if isinstance(kind, StructType) else None

    # ------------------------------------------------------------------------------------------------- questions

    def class_name(self, kind: StructType) -> str:
        """The name of a class without template arguments."""
        return kind.name.partition("<")[0].removeprefix("struct ").removeprefix("class ")

    def fields(self, kind: StructType) -> Iterator[tuple[str, Type]]:
        """Names and types of the members of a structure."""
        return ((one.name, one.type) for one in kind.fields)

    def kept(self, arg: n.Expr) -> Kind | None:
        """The kind of memory that a member leads to, as far as calls say that are given its address."""
        key = self.addressed(arg)
        return self.kinds.get(key) if key is not None else None

    def destructor(self, kind: Type) -> n.FunctionDecl | None:
        """What runs when an object of a type ends."""
        if not isinstance(kind, StructType):
            return None
        return self.destructors.get(kind.name) or self.destructors.get(self.class_name(kind))

    def bases(self, kind: StructType) -> Iterator[n.FunctionDecl]:
        """The destructors of the classes that one of the file derives from."""
        known = self.classes.get(self.class_name(kind))
        for base in known.bases if known is not None else ():
            if (found := self.destructors.get(base)) is not None:
                yield found

    def ends(self, kind: Type) -> bool:
        """Whether something in sight runs when an object of a type ends, or one of its members."""
        kind = element_of(kind)
        if not isinstance(kind, StructType):
            return False
        known = self._ends.get(kind.name)
        if known is None:
            self._ends[kind.name] = False
            known = self._ends[kind.name] = (
                self.destructor(kind) is not None
                or kind.name in self.module.ends_elsewhere
                or any(True for _ in self.bases(kind))
                or OWNING.fullmatch(kind.name) is not None
                or any(self.ends(field.type) for field in kind.fields)
            )
        return known

    @property
    def reserves(self) -> bool:
        """Whether something in the file makes room for vectors ahead."""
        if self._reserves is None:
            nodes = (node for function in self.functions if function.body is not None for node in walk(function.body))
            self._reserves = any(isinstance(node, n.Call) and node.name.endswith("::reserve") for node in nodes)
        return self._reserves

    def steady(self, decl: n.VarDecl) -> bool:
        """Whether a number of the file, or of another one, is set by no function in sight: what was asked of it once
        holds till the end (``if (use_cuda)``, before an allocation and before the release)."""
        if not decl.is_global or not isinstance(decl.type, IntType):
            return False
        if self._changed is None:
            nodes = (node for f in self.functions if f.body is not None for node in walk(f.body))
            self._changed = frozenset(at.decl for node in nodes for at in _set_by(node) if isinstance(at, n.Ref))
        return decl not in self._changed

    def end_unknown(self, kind: Type) -> bool:
        """Whether it is not in sight what happens when an object of a type ends: its class has functions of its own,
        and stands in another file, of which only what is called is read."""
        name = self.class_name(kind) if isinstance(kind, StructType) else ""
        return name in self.behaving and name not in self.classes and self.destructor(kind) is None

    def constructor(self, name: str, count: int) -> n.FunctionDecl | None:
        """The only constructor of a class with so many parameters."""
        found = [f for f in self.constructors.get(name, ()) if len(f.params) == count]
        return found[0] if len(found) == 1 else None

    def copying(self, kind: Type) -> Sequence[n.FunctionDecl]:
        """The constructors that make an object of a class from another one: by a copy, or a move."""
        if self.destructor(kind) is None or not isinstance(kind, StructType):
            return ()
        found = self.constructors.get(kind.name) or self.constructors.get(self.class_name(kind), [])
        return [f for f in found if len(f.params) == 1 and _refers_to(f.params[0].type, kind)]

    def body_of(self, e: n.Call) -> n.FunctionDecl | None:
        """The function that a call runs, where its body is in sight."""
        function = e.function
        if function is None and e.receiver is not None and "::~" in e.name:
            function = self.destructor(e.receiver.type)
        if function is None or function.body is None or function.kind not in _HOST:
            return None
        return function

    def locals_of(self, function: n.FunctionDecl) -> frozenset[n.VarDecl]:
        """Variables and parameters of a function."""
        found = self._locals.get(function)
        if found is None:
            own = [*function.params, *([function.this] if function.this is not None else [])]
            inside = walk(function.body) if function.body is not None else ()
            found = frozenset((*own, *(node for node in inside if isinstance(node, n.VarDecl))))
            self._locals[function] = found
        return found

    # --------------------------------------------------------------------------------------------------- notes

    def gave(self, key: Key, thing: Thing, function: n.FunctionDecl) -> None:
        """A member got memory of its own."""
        self.given.setdefault(key, []).append((thing, function))

    def gave_back(self, keys: Iterable[Key], function: n.FunctionDecl, span: Span) -> None:
        """What a member leads to was given back."""
        for key in keys:
            self.freed.setdefault(key, []).append((function, span))

    def tells_of_failure(self, results: Iterable[object]) -> bool:
        """Whether what a function gives back is a status of failure, in a program that is in sight: it ends soon."""
        return self.whole and any(isinstance(result, Number) and result.value != 0 for result in results)

    def leaked(self, m: Machine, thing: Thing, state: State, span: Span, thrown: bool, failing: bool) -> None:
        """Nothing leads to a thing any more on one way through a function.  ``thrown``: a helper that checks throws, or
        ends the program.  ``failing``: the function says that it has failed.  Where a call of the runtime has failed
        and the program is in sight, its end gives back what is left.  Excused: a way on which something could not be
        given back, here or in a helper: what is left then matters no more (``if (cudaFree(a) != cudaSuccess) return 1;
        cudaFree(b);``).  Still bad: ``if (cudaMemcpy(...)) return 1;``"""
        state.change(thing, life=Life.DOUBT)
        if has_failed(state, _gives_back):
            return
        self.leaks.append((m.entry, thing, span, thrown, failing or (self.whole and has_failed(state))))


def element_of(kind: Type) -> Type:
    """What an array of any dimensions holds; any other type itself."""
    while isinstance(kind, ArrayType):
        kind = kind.element
    return kind


def _own_type(function: n.FunctionDecl) -> StructType | None:
    """The type of the objects that a method is for."""
    kind = function.this.type if function.this is not None else None
    pointee = kind.pointee if isinstance(kind, PointerType) else None
    return pointee if isinstance(pointee, StructType) else None


def constructs(function: n.FunctionDecl) -> bool:
    """Whether a function is a constructor."""
    owner, _, name = function.qualified.rpartition("::")
    return owner.rpartition("::")[2] == name


def has_failed(state: State, which: Callable[[str], bool] | None = None) -> bool:
    """Whether a function of a runtime (one of ``which``, by its name) was asked whether it has failed, and has."""
    return any(
        not truth
        and isinstance(fact, Atom)
        and fact.op == "=="
        and fact.args[1] == NULL
        and isinstance(fact.args[0], Atom)
        and (which or _of_runtime)(str(fact.args[0].op))
        for fact, truth in state.facts.items()
    )


def _of_runtime(op: str) -> bool:
    """Whether a value is what a function of a runtime or a launch has returned."""
    return op == "launch" or known_name(op.removesuffix("()")) is not None


def _gives_back(op: str) -> bool:
    """Whether a value is what a function has returned that gives something back."""
    return base_name(op.removesuffix("()")) in ENDS


_HOST = (n.FunctionKind.HOST, n.FunctionKind.BOTH)


def _refers_to(kind: Type, class_: StructType) -> bool:
    inner = kind.pointee if isinstance(kind, PointerType) and kind.reference else None
    return isinstance(inner, StructType) and inner.name == class_.name


def _holds(target: n.Expr) -> bool:
    """Whether what is assigned to is a member, or a pointer in an array that is one (``planes.data[1]``)."""
    if isinstance(target, n.Subscript) and not isinstance(target.type, PointerType):
        return False
    while isinstance(target, n.Subscript):
        target = target.base
    return isinstance(target, n.Member)


def _set_by(node: n.Node) -> Iterator[n.Node]:
    """What an expression sets, or gives away so that others can."""
    if isinstance(node, (n.Assign, n.IncDec)):
        yield node.target
    elif isinstance(node, n.AddressOf):
        yield node.operand
    elif isinstance(node, n.VarDecl) and _is_reference(node.type) and node.init is not None:
        yield node.init
    elif isinstance(node, n.Call):
        params: Sequence[n.ParamDecl] = node.function.params if node.function is not None else ()
        for at, arg in enumerate(node.args):
            if at >= len(params) or _is_reference(params[at].type):
                yield arg


def _is_reference(kind: Type) -> bool:
    return isinstance(kind, PointerType) and kind.reference
