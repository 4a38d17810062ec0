"""From a function that numba compiles to functions of the tree: one for a kernel, one for each list of argument types
that a device function is called with."""

from __future__ import annotations

import ast

from kernlint.frontends.clang.python.program import PythonProgram, dotted
from kernlint.frontends.python import bodies
from kernlint.frontends.python.arrays import pointer_to
from kernlint.frontends.python.constants import Constants
from kernlint.frontends.python.context import PASSES, Function, Lowering, Variables, integer
from kernlint.frontends.python.functions import Array, Finder, Jitted, Stated
from kernlint.frontends.python.neighbours import Neighbours
from kernlint.frontends.python.parameters import Uses, uses_of
from kernlint.frontends.python.stated import stated_of
from kernlint.frontends.python.uses import assignments, loop_variables, placements
from kernlint.frontends.python.values import ArrayValue, Callee, Group, Host, Named, Rest, TupleValue, Value, constant
from kernlint.record import dataclass, field
from kernlint.source import Span
from kernlint.tree.nodes import (
    Expr,
    FunctionDecl,
    FunctionKind,
    IntLit,
    LaunchBounds,
    Loss,
    ParamDecl,
    Ref,
    Remark,
    VarDecl,
)
from kernlint.tree.types import I64, UNKNOWN, VOID, PointerType, Space, Type

NESTED = 12
"""Device functions that call each other, at most."""


@dataclass(slots=True, eq=False)
class Bound:
    """The parameters of one instance: declarations, and what each name stands for."""

    params: list[ParamDecl] = field(default_factory=list)
    env: dict[str, Value] = field(default_factory=dict)
    decls: dict[str, ParamDecl] = field(default_factory=dict)
    lows: dict[VarDecl, int] = field(default_factory=dict)

    def add(self, span: Span, name: str, type_: Type, *, implicit: bool = False) -> ParamDecl:
        """One more parameter."""
        decl = ParamDecl(span, name, type_, Space.PRIVATE, index=len(self.params), implicit=implicit)
        self.params.append(decl)
        if implicit:
            self.lows[decl] = 0
        return decl


class Instances:
    """Makes and keeps the functions of one file."""

    def __init__(self, path: str, program: PythonProgram, finder: Finder, neighbours: Neighbours | None = None) -> None:
        self.finder = finder
        self.neighbours = neighbours
        self.others: dict[PythonProgram, Instances] = {program: self}
        """Those of other files that functions are called from."""
        self.lowering = Lowering(path, program, finder, Constants(program), self.device, self.rank)
        self.made: dict[tuple[object, ...], tuple[FunctionDecl | None, Type]] = {}
        self.active: list[Jitted] = []
        self.uses: dict[ast.AST, Uses] = {}
        self.remarks: dict[Remark, None] = {}
        self.sized: frozenset[str] = frozenset()

    def uses_of(self, jitted: Jitted) -> Uses:
        """What a function does with its parameters."""
        found = self.uses.get(jitted.node)
        if found is None:
            found = self.uses[jitted.node] = uses_of(jitted, lambda node: self._called(jitted, node))
        return found

    def rank(self, jitted: Jitted, name: str) -> int:
        """With how many indices a function subscripts a name; 0 where it does not."""
        use = self.uses_of(jitted).of.get(name)
        return (use.rank or 0) if use is not None else 0

    def _called(self, jitted: Jitted, node: ast.Call) -> Jitted | None:
        name = dotted(node.func)
        if name is None:
            return None
        found = self.finder.foreign(name) if "." in name else self.finder.named(name, jitted.inner)
        return found if found is not jitted else None

    # ---------------------------------------------------------------------------------------------------- kernels

    def stated(self, jitted: Jitted, hints: dict[str, Stated]) -> list[Stated]:
        """The types of a kernel's parameters: as its signature has them, as a launch passes them, by their uses."""
        names = jitted.parameters
        given = next((one for one in jitted.signatures if len(one) == len(names)), None)
        if given is not None and None not in given:
            return list(given)
        uses = self.uses_of(jitted)
        out: list[Stated] = []
        for index, name in enumerate(names):
            known = given[index] if given is not None else None
            use = uses.of.get(name)
            record = use is not None and use.record and hints.get(name) is None
            out.append(known if known is not None else None if record else stated_of(use, hints.get(name)))
        return out

    def alone(self, jitted: Jitted) -> FunctionDecl | None:
        """A device function that nothing in the file calls, for arguments of the types that its uses tell; None where
        it was made for a caller."""
        if any(key[0] == id(jitted.node) for key in self.made):
            return None
        return self.kernel(jitted, {}, FunctionKind.DEVICE)

    def kernel(
        self, jitted: Jitted, hints: dict[str, Stated], role: FunctionKind = FunctionKind.KERNEL
    ) -> FunctionDecl:
        """The kernel as a function of the tree."""
        bound = Bound()
        names = jitted.parameters
        signed = next((one for one in jitted.signatures if len(one) == len(names)), (None,) * len(names))
        for name, kind, said in zip(names, self.stated(jitted, hints), signed, strict=True):
            span = self._parameter(jitted, name)
            at = len(bound.params)
            items = self.uses_of(jitted).items(name) if said is None and hints.get(name) is None else ()
            if items:
                self._several(bound, jitted, name, items)
            elif isinstance(kind, Array):
                self._array(bound, span, name, kind)
            elif kind is None:
                bound.decls[name] = bound.add(span, name, UNKNOWN)
            else:
                bound.decls[name] = bound.add(span, name, kind)
            if said is not None or hints.get(name) is not None:
                self.lowering.stated.update(bound.params[at:])
        star = jitted.node.args.vararg
        if star is not None:
            type_ = PointerType(UNKNOWN, Space.GLOBAL)
            bound.env[star.arg] = Rest(
                Ref(self.lowering.span(star), type_, bound.add(self.lowering.span(star), star.arg, type_))
            )
        function, _ = self._lower(jitted, bound, role)
        return function

    def _several(self, bound: Bound, jitted: Jitted, name: str, items: tuple[str, ...]) -> None:
        """A parameter that is a tuple of arrays and numbers: one parameter for each of them."""
        span, uses = self._parameter(jitted, name), self.uses_of(jitted)
        values: list[Value] = []
        for item in items:
            kind, own = stated_of(uses.of.get(item)), f"{name}.{item}"
            if isinstance(kind, Array):
                self._array(bound, span, own, kind)
                values.append(bound.env.pop(own))
            else:
                decl = bound.add(span, own, UNKNOWN if kind is None else kind)
                values.append(Ref(span, decl.type, decl))
        bound.env[name] = TupleValue(tuple(values))

    def _parameter(self, jitted: Jitted, name: str) -> Span:
        own = jitted.node.args
        more = () if own.vararg is None else (own.vararg,)
        node = next(arg for arg in (*own.posonlyargs, *own.args, *own.kwonlyargs, *more) if arg.arg == name)
        return self.lowering.span(node)

    @staticmethod
    def _array(bound: Bound, span: Span, name: str, kind: Array) -> None:
        pointer = bound.add(span, name, PointerType(kind.element, Space.GLOBAL))
        shape = [bound.add(span, f"{name}.shape[{axis}]", I64, implicit=True) for axis in range(kind.rank)]
        object.__setattr__(pointer, "shape", tuple(shape))
        extents: list[Expr] = [Ref(span, I64, decl) for decl in shape]
        strides: tuple[Expr, ...] | None = None
        if kind.order == "F" and kind.rank > 1:
            steps: list[Expr] = [IntLit(span, I64, 1)]
            for extent in extents[:-1]:
                steps.append(integer("*", steps[-1], extent, span))
            strides = tuple(steps)
        base = Ref(span, pointer.type, pointer)
        bound.env[name] = ArrayValue(base, kind.element, tuple(extents), Space.GLOBAL, strides)

    # ------------------------------------------------------------------------------------------- device functions

    def device(
        self, jitted: Jitted, args: tuple[Value, ...], span: Span
    ) -> tuple[FunctionDecl | None, tuple[Expr, ...], Type]:
        """The instance of a device function for the types of ``args``, what is passed to it, and its result."""
        home = self._home(jitted)
        if home is not self:
            return home.device(jitted, args, span)
        passed: list[Expr] = []
        bound = Bound()
        key: list[object] = [id(jitted.node)]
        self.sized = _sizes_of(jitted)
        star = jitted.node.args.vararg
        for name, arg in zip((*jitted.parameters, *(() if star is None else (star.arg,))), args, strict=True):
            where = self._parameter(jitted, name)
            bound.env[name] = self._bind(bound, where, name, arg, passed, key)
            value = bound.env[name]
            if isinstance(value, Ref) and isinstance(value.decl, ParamDecl) and value.decl in bound.params:
                bound.decls[name] = value.decl
                del bound.env[name]
        found = self.made.get(tuple(key))
        if found is None:
            if jitted in self.active or len(self.active) >= NESTED:
                return None, tuple(passed), UNKNOWN
            function, result = self._lower(jitted, bound, FunctionKind.DEVICE)
            found = self.made[tuple(key)] = (function, result)
        return found[0], tuple(passed), found[1]

    def _home(self, jitted: Jitted) -> Instances:
        """Where functions of the file that ``jitted`` stands in are made."""
        program = jitted.program
        if program is None or self.neighbours is None or program not in self.neighbours.paths:
            return self
        if program not in self.others:
            finder = self.finder.others.get(program) or Finder(program)
            other = Instances(self.neighbours.paths[program], program, finder, self.neighbours)
            other.others, other.made, other.active = self.others, self.made, self.active
            other.remarks, other.lowering.symbols = self.remarks, self.lowering.symbols
            self.others[program] = other
        return self.others[program]

    def _bind(self, bound: Bound, span: Span, name: str, arg: Value, passed: list[Expr], key: list[object]) -> Value:
        """What a parameter stands for; what has to be passed for it goes to ``passed``."""
        if isinstance(arg, IntLit) and name in self.sized:
            key.append(arg.value)
            return arg
        if isinstance(arg, Expr):
            passed.append(arg)
            key.append(arg.type)
            decl = bound.add(span, name, arg.type)
            return Ref(span, arg.type, decl)
        if isinstance(arg, TupleValue):
            key.append(len(arg.items))
            items = [self._bind(bound, span, f"{name}[{at}]", item, passed, key) for at, item in enumerate(arg.items)]
            return TupleValue(tuple(items))
        if isinstance(arg, ArrayValue):
            return self._bind_array(bound, span, name, arg, passed, key)
        if isinstance(arg, Rest):
            passed.append(arg.base)
            key.append("rest")
            return Rest(Ref(span, arg.base.type, bound.add(span, name, arg.base.type)))
        if isinstance(arg, Callee):
            key.append(id(arg.function.node))
        elif isinstance(arg, (Named, Group)):
            key.append(arg.path if isinstance(arg, Named) else arg.kind)
        elif isinstance(arg, Host):
            key.append(id(arg.node))
        return arg

    def _bind_array(
        self, bound: Bound, span: Span, name: str, arg: ArrayValue, passed: list[Expr], key: list[object]
    ) -> Value:
        passed.append(pointer_to(arg))
        key.extend((arg.element, arg.space, arg.rank))
        type_ = PointerType(arg.element, arg.space)
        decl = bound.add(span, name, type_)
        shape: list[Expr] = []
        strides: list[Expr] = []
        for out, parts, word in ((shape, arg.shape, "shape"), (strides, arg.strides or (), "strides")):
            for axis, part in enumerate(parts):
                number = constant(part)
                key.append(number)
                if number is not None:
                    out.append(IntLit(span, I64, number))
                    continue
                passed.append(part)
                extent = bound.add(span, f"{name}.{word}[{axis}]", I64, implicit=True)
                out.append(Ref(span, I64, extent))
        base = Ref(span, type_, decl)
        return ArrayValue(base, arg.element, tuple(shape), arg.space, tuple(strides) if arg.strides else None)

    # ----------------------------------------------------------------------------------------------------- bodies

    def _lower(self, jitted: Jitted, bound: Bound, kind: FunctionKind) -> tuple[FunctionDecl, Type]:
        self.active.append(jitted)
        try:
            return self._until_stable(jitted, bound, kind)
        finally:
            self.active.pop()

    def _until_stable(self, jitted: Jitted, bound: Bound, kind: FunctionKind) -> tuple[FunctionDecl, Type]:
        node = jitted.node
        variables = Variables(assigned=assignments(node.body))
        places = placements(node.body)
        targets = loop_variables(node.body)
        for attempt in range(PASSES):
            f = Function(self.lowering, jitted, variables)
            f.env = dict(bound.env)
            f.decls = dict(bound.decls)
            f.low = dict(bound.lows)
            f.places, f.loop_variables = places, targets
            pointers = len(variables.pointers), dict(variables.kept)
            body = bodies.block(f, node.body, node)
            stable = f.types == variables.types and f.lows == variables.lows
            stable = stable and pointers == (len(variables.pointers), variables.kept)
            if attempt >= 2:  # a least value that still falls will go on falling
                f.lows = {name: low if variables.lows.get(name) == low else None for name, low in f.lows.items()}
            variables.types, variables.lows = f.types, f.lows
            if stable and attempt:
                break
        self.remarks.update(dict.fromkeys(f.remarks))
        result = f.result if f.result is not None and kind is FunctionKind.DEVICE else VOID
        losses = list(f.losses)
        if node.args.kwarg is not None:
            losses.append(Loss("expression", "parameters with a star", self.lowering.span(node)))
        function = FunctionDecl(
            self.lowering.span(node),
            node.name,
            node.name,
            kind,
            tuple(bound.params),
            result,
            body,
            LaunchBounds(),
            losses=tuple(losses),
            name_span=self._name_span(node),
        )
        return function, result

    def _name_span(self, node: ast.FunctionDef) -> Span:
        start = self.lowering.program.start(node)
        at = self.lowering.program.data.find(node.name.encode(), start)
        return Span(self.lowering.path, max(at, start), max(at, start) + len(node.name.encode()))


def _sizes_of(jitted: Jitted) -> frozenset[str]:
    """Parameters of a device function that shapes of arrays are made of: their numbers have to be known."""
    found: set[str] = set()
    for node in ast.walk(jitted.node):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "array":
            found |= {at.id for at in ast.walk(node) if isinstance(at, ast.Name)}
    return frozenset(found) - set(assignments(jitted.node.body))
