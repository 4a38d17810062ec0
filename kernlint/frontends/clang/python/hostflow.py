"""What the functions of a Python file do with arrays of host and device, in the order in which they do it.

Functions and methods are walked with those of the file that they call, objects of the file's classes with what their
constructors put into them.  PyOpenCL's, PyCUDA's, CuPy's and PyTorch's copies and waits are known; any other function
may wait and may use what it is given.  What comes out are remarks: arrays that are read before a copy to them is over,
copies of what nobody has written, copies over what was just copied, uses of what was given back.
Where ways part and meet again, only what holds on all of them is kept.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import suppress

from kernlint.frontends.clang.python.hostcalls import Made, Moved, known_call, pointer_of_temporary, waits
from kernlint.frontends.clang.python.hostvalues import (
    PLAIN,
    QUIET,
    READS,
    SILENT,
    VIEWS,
    Array,
    Flow,
    Instance,
    Left,
    OverBudget,
    Table,
    changed_in,
    function_is_static,
    methods_of,
)
from kernlint.frontends.clang.python.program import PythonProgram, dotted
from kernlint.source import Span
from kernlint.tree.nodes import Remark

DEPTH = 5
"""Calls that are followed into each other."""

STEPS = 20_000
"""Nodes that are looked at in one file."""


def host_remarks(program: PythonProgram, tree: ast.Module, path: str) -> Iterator[Remark]:
    """Remarks on what the host code of a program does with arrays."""
    walk = HostWalk(program, tree, path)
    with suppress(OverBudget, RecursionError):
        walk.file()
    yield from walk.found.values()


class HostWalk:
    """A walk of a file.  ``found``: the remarks so far, by kind and place; ``stack``: functions that are being walked,
    and ``returned`` what each has given back."""

    def __init__(self, program: PythonProgram, tree: ast.Module, path: str) -> None:
        self.program, self.tree, self.path = program, tree, path
        self.functions = {f.name: f for f in tree.body if isinstance(f, ast.FunctionDef)}
        self.classes = {c.name: c for c in tree.body if isinstance(c, ast.ClassDef)}
        self.found: dict[tuple[str, int], Remark] = {}
        self.stack: list[ast.FunctionDef] = []
        self.returned: list[list[object]] = []
        self.steps = 0
        self.opencl = b"pyopencl" in program.data
        self.globals: dict[str, object] = {}

    def remark(self, kind: str, node: ast.AST, name: str, at: ast.AST, what: str) -> None:
        """Keep a remark, one for each place."""
        span, there = self.span(node), self.span(at)
        self.found.setdefault((kind, span.start), Remark(kind, span, "", (name,), ((there, what),)))

    def span(self, node: ast.AST) -> Span:
        """The place of a node."""
        return Span(self.path, self.program.start(node), self.program.end(node))

    def file(self) -> None:
        """Walk the module, then every function and method as others may call it."""
        flow = Flow()
        self.block(self.tree.body, flow)
        self.globals = flow.names
        for function in self.functions.values():
            self.entry(function, None)
        for each in self.classes.values():
            for method in methods_of(each).values():
                if method.name != "__init__":
                    self.entry(method, self.instance(each))

    def instance(self, of: ast.ClassDef) -> Instance:
        """An object of a class, of whose buffers' contents nothing is known."""
        made = Instance(of)
        init = methods_of(of).get("__init__")
        if init is not None:
            self.inside(init, [made], {}, Flow())
        return made

    def entry(self, function: ast.FunctionDef, own: Instance | None) -> None:
        """Walk a function with arguments of which nothing is known."""
        static = any(
            isinstance(d, ast.Name) and d.id in ("staticmethod", "classmethod") for d in function.decorator_list
        )
        self.inside(function, [own] if own is not None and not static else [], {}, Flow())

    def inside(self, function: ast.FunctionDef, args: list[object], keys: dict[str, object], flow: Flow) -> object:
        """Walk the body of a function; give what it returns, where it always is the same."""
        if function in self.stack or len(self.stack) > DEPTH:
            return None
        names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
        outer, flow.names = flow.names, {**dict(zip(names, args, strict=False)), **keys}
        self.stack.append(function)
        self.returned.append([])
        with suppress(Left):
            self.block(function.body, flow)
        self.stack.pop()
        flow.names = outer
        results = self.returned.pop()
        return results[0] if results and all(one is results[0] for one in results) else None

    # ---------------------------------------------------------------------------------------------- statements

    def block(self, body: list[ast.stmt], flow: Flow) -> None:
        """Statements in order."""
        for stmt in body:
            self.steps += 1
            if self.steps > STEPS:
                raise OverBudget
            handler = getattr(self, f"_{type(stmt).__name__.lower()}", None)
            if handler is not None:
                handler(stmt, flow)
            else:
                for child in ast.iter_child_nodes(stmt):
                    if isinstance(child, ast.expr):
                        self.read(self.value(child, flow), child, flow)

    def branches(self, bodies: list[list[ast.stmt]], flow: Flow) -> None:
        """Ways that part and meet again."""
        before, ends = flow.fork(), []
        for body in bodies:
            way = before.fork()
            try:
                self.block(body, way)
            except Left:
                continue
            ends.append(way)
        if not ends:
            raise Left
        first, *others = ends
        for other in others:
            first.meet(other)
        flow.names, flow.pending, flow.contents, flow.freed = first.names, first.pending, first.contents, first.freed

    def _expr(self, s: ast.Expr, flow: Flow) -> None:
        self.value(s.value, flow)

    def _if(self, s: ast.If, flow: Flow) -> None:
        self.read(self.value(s.test, flow), s.test, flow)
        self.branches([s.body, s.orelse], flow)

    def _for(self, s: ast.For, flow: Flow) -> None:
        self.read(self.value(s.iter, flow), s.iter, flow)
        self.bind(s.target, None, flow)
        changed, swapped = changed_in(s.body)
        self.round(s, changed - swapped, swapped, flow)
        self.block(s.orelse, flow)

    def round(self, s: ast.For | ast.While, changed: set[str], swapped: set[str], flow: Flow) -> None:
        """The first round of a loop.  ``changed``: names that are something else in later rounds; ``swapped``: those
        that are one of the same arrays."""
        for name in changed:
            flow.names.pop(name, None)
        try:
            self.block(s.body, flow)
        except Left:
            flow.pending.clear()
            flow.contents.clear()
        for name in swapped:
            flow.names.pop(name, None)

    def _while(self, s: ast.While, flow: Flow) -> None:
        self.read(self.value(s.test, flow), s.test, flow)
        self.round(s, set(), changed_in(s.body)[1], flow)

    def _with(self, s: ast.With, flow: Flow) -> None:
        for item in s.items:
            self.value(item.context_expr, flow)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, None, flow)
        self.block(s.body, flow)

    def _try(self, s: ast.Try, flow: Flow) -> None:
        self.block(s.body, flow)
        self.block(s.orelse, flow)
        self.block(s.finalbody, flow)

    def _functiondef(self, s: ast.FunctionDef | ast.ClassDef, flow: Flow) -> None:
        flow.names.pop(s.name, None)

    _classdef = _functiondef

    def _return(self, s: ast.Return, flow: Flow) -> None:
        given = self.value(s.value, flow) if s.value is not None else None
        if self.returned:
            self.returned[-1].append(given)
        raise Left

    def _raise(self, s: ast.stmt, flow: Flow) -> None:
        raise Left

    _break = _continue = _raise

    def _assign(self, s: ast.Assign, flow: Flow) -> None:
        given = self.value(s.value, flow)
        if pointer_of_temporary(s.value, lambda func: self.full(func, flow)):
            name = dotted(s.targets[0]) or "the pointer"
            self.remark("pointer-of-temporary", s.value, name, s.value, "nothing keeps the array behind it")
        for target in s.targets:
            self.bind(target, given, flow)

    def _annassign(self, s: ast.AnnAssign, flow: Flow) -> None:
        if s.value is not None:
            self.bind(s.target, self.value(s.value, flow), flow)

    def _augassign(self, s: ast.AugAssign, flow: Flow) -> None:
        self.read(self.value(s.value, flow), s.value, flow)
        held = self.value(s.target, flow)
        self.read(held, s.target, flow)
        self.wrote(held, flow)

    def bind(self, target: ast.expr, given: object, flow: Flow) -> None:
        """Give a name, an attribute or an element a value."""
        if isinstance(target, ast.Name):
            flow.names[target.id] = given
            if isinstance(given, Array) and not given.name:
                given.name = target.id
        elif isinstance(target, ast.Attribute):
            owner = self.value(target.value, flow)
            if isinstance(owner, Instance):
                owner.attributes[target.attr] = given
            if isinstance(given, Array) and not given.name:
                given.name = target.attr
        elif isinstance(target, ast.Subscript):
            owner = self.value(target.value, flow)
            if isinstance(owner, Table) and isinstance(target.slice, ast.Constant):
                owner.held[target.slice.value] = given
            elif isinstance(owner, Table):
                self.filled(owner, given)
            elif isinstance(owner, Array):
                self.read(given, target, flow)
                self.wrote(owner, flow)
        elif isinstance(target, (ast.Tuple, ast.List)):
            held = given.held if isinstance(given, Table) else {}
            for index, one in enumerate(target.elts):
                self.bind(one, held.get(index), flow)

    def filled(self, owner: Table, given: object) -> None:
        """A table gets values by keys that are not known: each is made anew when it is asked for."""
        if isinstance(given, Array):
            owner.held.setdefault("*", given)

    # --------------------------------------------------------------------------------------------- expressions

    def value(self, e: ast.expr | None, flow: Flow) -> object:
        """What an expression stands for; calls in it are made."""
        if e is None:
            return None
        handler = getattr(self, f"_value_{type(e).__name__.lower()}", None)
        if handler is not None:
            return handler(e, flow)
        for each in getattr(e, "generators", ()):
            self.read(self.value(each.iter, flow), each.iter, flow)
        reads = isinstance(e, (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.FormattedValue)) or (
            isinstance(e, ast.Compare) and not any(isinstance(op, (ast.Is, ast.IsNot)) for op in e.ops)
        )
        for child in ast.iter_child_nodes(e):
            if not isinstance(child, ast.expr):
                continue
            given = self.value(child, flow)
            if reads:
                self.read(given, child, flow)
            elif isinstance(given, Array):  # put into something that is not followed
                flow.pending.pop(given, None)
        return None

    def _value_lambda(self, e: ast.Lambda, flow: Flow) -> object:
        return None

    def _value_name(self, e: ast.Name, flow: Flow) -> object:
        return flow.names.get(e.id, self.globals.get(e.id) if e.id not in flow.names else None)

    def _value_attribute(self, e: ast.Attribute, flow: Flow) -> object:
        owner = self.value(e.value, flow)
        if isinstance(owner, Instance):
            return owner.attributes.get(e.attr)
        if isinstance(owner, Array):
            if e.attr in ("T", "data", "flat", "real", "ptr", "gpudata", "device_buffer", "ctypes"):
                return owner
            if e.attr not in SILENT:
                self.read(owner, e, flow)
        return None

    def _value_subscript(self, e: ast.Subscript, flow: Flow) -> object:
        owner = self.value(e.value, flow)
        self.value(e.slice, flow)
        if isinstance(owner, Table):
            key = e.slice.value if isinstance(e.slice, ast.Constant) else None
            found = owner.held.get(key)
            if found is None and key is not None and "*" in owner.held and isinstance(owner.held["*"], Array):
                like = owner.held["*"]
                found = owner.held[key] = Array(like.where, like.node)
                found.name = str(key)
            return found
        if isinstance(owner, Array) and owner.where == "host":
            parts = e.slice.elts if isinstance(e.slice, ast.Tuple) else [e.slice]
            if owner.tensor or any(isinstance(part, ast.Slice) for part in parts):
                return owner
            if isinstance(e.ctx, ast.Load):
                self.read(owner, e, flow)
            return None
        return owner if isinstance(owner, Array) else None

    def _value_tuple(self, e: ast.Tuple, flow: Flow) -> object:
        return Table(dict(enumerate(self.value(one, flow) for one in e.elts)))

    def _value_list(self, e: ast.List, flow: Flow) -> object:
        return Table(dict(enumerate(self.value(one, flow) for one in e.elts)))

    def _value_dict(self, e: ast.Dict, flow: Flow) -> object:
        pairs = [(key, self.value(one, flow)) for key, one in zip(e.keys, e.values, strict=True)]
        return Table({key.value: one for key, one in pairs if isinstance(key, ast.Constant)})

    def _value_call(self, e: ast.Call, flow: Flow) -> object:
        name = self.full(e.func, flow)
        args = [self.value(arg.value if isinstance(arg, ast.Starred) else arg, flow) for arg in e.args]
        keys = {key.arg: self.value(key.value, flow) for key in e.keywords if key.arg is not None}
        owner = self.value(e.func.value, flow) if isinstance(e.func, ast.Attribute) else None
        found = self.followed(e, owner, args, keys, flow)
        if found is not None:
            return found[0]
        told = known_call(e, name, owner if isinstance(owner, Array) else None, args, keys)
        if isinstance(told, Made):
            made = Array(told.where, e, told.empty, told.pinned, name.startswith("torch"))
            if told.empty:
                flow.contents[made] = None
            return made
        if isinstance(told, Moved):
            return self.moved(e, told, flow)
        if waits(e, name, owner):
            flow.pending.clear()
            return None
        return self.unknown(e, name, owner, [*args, *keys.values()], flow)

    def full(self, func: ast.expr, flow: Flow) -> str:
        """The full name of a function."""
        return self.program.imported(dotted(func) or "")

    def followed(
        self, e: ast.Call, owner: object, args: list[object], keys: dict[str, object], flow: Flow
    ) -> tuple[object] | None:
        """What a function, class or method of the file gives; None where the call is of another."""
        func = e.func
        if isinstance(func, ast.Name):
            if func.id in self.functions and func.id not in flow.names:
                return (self.inside(self.functions[func.id], args, keys, flow),)
            if func.id in self.classes and func.id not in flow.names:
                made = Instance(self.classes[func.id])
                init = methods_of(made.of).get("__init__")
                if init is not None:
                    self.inside(init, [made, *args], keys, flow)
                return (made,)
            return None
        if not isinstance(func, ast.Attribute):
            return None
        if isinstance(func.value, ast.Name) and func.value.id in self.classes:
            method = methods_of(self.classes[func.value.id]).get(func.attr)
            return (self.inside(method, args, keys, flow),) if method is not None else None
        method = methods_of(owner.of).get(func.attr) if isinstance(owner, Instance) else None
        if method is None or function_is_static(method):
            return (self.inside(method, args, keys, flow),) if method is not None else None
        return (self.inside(method, [owner, *args], keys, flow),)

    # ------------------------------------------------------------------------------------------------- effects

    def moved(self, e: ast.Call, told: Moved, flow: Flow) -> object:
        """A copy."""
        source, target = told.source, told.target
        for one in (source, target):
            if isinstance(one, Array) and one in flow.freed:
                self.remark("used-after-release", e, one.name, flow.freed[one], "given back here")
        if isinstance(source, Array):
            self.read(source, e, flow)
            if source in flow.contents and flow.contents[source] is None and source.empty:
                self.remark("copy-of-nothing", e, source.name, source.node, "made here")
            flow.contents.pop(source, None)
        result: object = None
        if told.makes:
            target = result = Array("host", e, tensor=isinstance(e.func, ast.Attribute) and e.func.attr == "to")
        if isinstance(target, Array):
            before = flow.contents.get(target)
            if before is not None and told.device:
                self.remark("copy-over-copy", e, target.name, before, "copied here")
            flow.pending.pop(target, None)
            flow.contents.pop(target, None)
            if told.whole and target.where != "host":
                flow.contents[target] = e
            if told.later:
                flow.pending[target] = e
        return Table({0: result}) if told.pair and self.opencl else result

    def read(self, given: object, at: ast.AST, flow: Flow) -> None:
        """The host looks at an array."""
        if not isinstance(given, Array):
            return
        begun = flow.pending.pop(given, None)
        if begun is not None:
            self.remark("early-host-read", at, given.name or "the array", begun, "the copy begins here")
        if given.where != "device":
            flow.contents.pop(given, None) if flow.contents.get(given) is not None else None

    def wrote(self, given: object, flow: Flow) -> None:
        """The host writes an array."""
        if isinstance(given, Array):
            flow.contents.pop(given, None)

    def unknown(self, e: ast.Call, name: str, owner: object, given: list[object], flow: Flow) -> object:
        """A function out of sight: one of Python or NumPy reads what it is given, any other may do anything."""
        plain = name.partition(".")[0] in PLAIN
        arrays = [one for one in (owner, *given) if isinstance(one, Array)]
        arrays += [
            one for each in given if isinstance(each, Table) for one in each.held.values() if isinstance(one, Array)
        ]
        method = isinstance(owner, Array)
        last = e.func.attr if isinstance(e.func, ast.Attribute) else name
        if method and last in ("free", "release") and isinstance(owner, Array) and owner.where == "device":
            if owner in flow.freed:
                self.remark("used-after-release", e, owner.name, flow.freed[owner], "given back here")
            flow.freed[owner] = e
            return None
        for one in arrays:
            if one in flow.freed:
                self.remark("used-after-release", e, one.name, flow.freed[one], "given back here")
            if one.where != "device" and (plain or name in READS or one is owner):
                if one is not owner or last not in VIEWS:
                    self.read(one, e, flow)
            elif name not in QUIET:
                flow.pending.pop(one, None)
            flow.contents.pop(one, None)
        if not plain and name not in QUIET and name not in READS and not arrays:
            flow.pending.clear()
        return owner if method and last in VIEWS else None
