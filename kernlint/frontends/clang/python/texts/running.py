"""Statements and functions of a Python program that is followed, and the programs that it hands to a library."""

from __future__ import annotations

import ast

from kernlint.frontends.clang.python.program import LIBRARIES, PythonProgram
from kernlint.frontends.clang.python.text import Text, made
from kernlint.frontends.clang.python.texts import library
from kernlint.frontends.clang.python.texts.expressions import Expressions
from kernlint.frontends.clang.python.texts.rendering import Defined, called
from kernlint.frontends.clang.python.texts.values import (
    Class,
    Frame,
    Function,
    Instance,
    Named,
    NumpyType,
    Open,
    Super,
    Template,
    items_of,
    plain,
)
from kernlint.record import dataclass, field

DEPTH = 12
"""Calls within each other that are followed."""

ROUNDS = 80
"""Rounds of a loop without a known end."""


@dataclass(slots=True, eq=False)
class Made:
    """A text that is handed to a library to make a program of: by which call, and by what name that goes; the macros
    (``NAME=VALUE``) that options of the compiler define.  ``turn``: with which of several values that are not known
    (see :class:`~kernlint.frontends.clang.python.texts.expressions.Expressions`)."""

    node: ast.Call
    name: str
    text: Text
    turn: int = 0
    options: list[str] = field(default_factory=list)

    def built(self, args: list[object], keys: dict[str, object]) -> Made:
        """The program, built with options."""
        self.options.extend(library.macros(args[0] if args else keys.get("options")))
        return self


@dataclass(frozen=True, slots=True)
class Built:
    """The method that builds a program."""

    made: Made


class Machine(Expressions):
    """Follows a program."""

    def attribute(self, value: object, name: str) -> object:
        """An attribute of a value."""
        if isinstance(value, Made):
            return Built(value) if name in ("build", "compile") else Open(name)
        return super().attribute(value, name)

    def __init__(self, host: PythonProgram, entry: PythonProgram | None = None) -> None:
        super().__init__(host)
        self.entry = entry or host
        """The program that runs; the texts that count stand in ``host``."""
        self.modules: dict[PythonProgram, Frame] = {}
        self.made: list[Made] = []
        self.depth = 0
        self.opencl = any(name.partition(".")[0] == "pyopencl" for name in self.entry.imports.values()) or (
            b"cl.Program" in self.entry.data)  # fmt: skip
        self.running: set[ast.AST] = set()
        self.unsure = False
        """Whether it is not known that a loop goes on."""

    # -------------------------------------------------------------------------------------------------- modules

    def module(self, program: PythonProgram) -> Frame:
        """The variables of a module, once its statements are over; of another than the host's, without calls."""
        known = self.modules.get(program)
        if known is not None:
            return known
        frame = self.modules[program] = Frame(program, None)
        tree = program.scopes[0].node
        assert isinstance(tree, ast.Module)
        frame.names["__name__"] = made("__main__" if program is self.entry else "module")
        self.body(tree.body, frame)
        frame.done = False
        return frame

    def imported(self, name: str, frame: Frame) -> object | None:
        program = frame.program
        if name not in program.froms and not (program.stars and program.neighbour is not None):
            return library.constant(program.imports[name]) if name in program.imports else None
        whole = program.imported(name)
        if whole.rpartition(".")[2] in library.NEVER_FOLLOWED or whole in LIBRARIES:
            return library.constant(whole)
        known = program.froms.get(name)
        if program.neighbour is not None:
            if known is not None and not known[2]:
                other = program.neighbour(known[0], known[1])
                if other is not None and other is not program:
                    return self.module(other)
            found = program.foreign(name)
            if found is not None and found[0] is not program:
                return self.module(found[0]).names.get(found[1])
            if known is not None and known[2]:
                inner = program.neighbour(f"{known[0]}.{known[2]}".strip("."), known[1])
                if inner is not None and inner is not program:
                    return self.module(inner)
        if known is None:
            return None
        return library.constant(whole)

    # ---------------------------------------------------------------------------------------------------- calls

    def call(
        self, called_: object, args: list[object], keys: dict[str, object], node: ast.Call | None, frame: Frame
    ) -> object:
        if isinstance(called_, Named):
            last = called_.name.rpartition(".")[2]
            if last in library.MAKERS and node is not None and "." in called_.name:
                return self._note(last, called_.name, args, keys, node)
            return library.function(self, called_.name, args, keys, frame)
        if isinstance(called_, Function):
            return self._of_function(called_, args, keys)
        if isinstance(called_, Class):
            return self._instance(called_, args, keys)
        if isinstance(called_, Defined):
            return called(called_, args, self)
        if isinstance(called_, Built):
            return called_.made.built(args, keys)
        if isinstance(called_, NumpyType):
            return args[0] if args else 0
        if isinstance(called_, Open):
            if called_.name in ("SourceModule", "RawKernel", "RawModule") and node is not None:
                return self._note(called_.name, called_.name, args, keys, node)
            if called_.name == "dtype_to_ctype" and args:
                return library.c_type(args[0], "")
            if called_.name == "Template" and args and isinstance(args[0], Text):
                return Template(args[0], "jinja2" if b"{{" in args[0].data or b"{%" in args[0].data else "mako")
            return Open(called_.name, called_.type)
        if isinstance(called_, Instance):
            method = called_.of.find("__call__")
            if isinstance(method, Function):
                return self._of_function(Function(method.node, method.around, called_), args, keys)
        return Open("value")

    def has(self, node: ast.Call) -> bool:
        """Whether a call was met."""
        return any(made.node is node for made in self.made)

    def _note(self, last: str, name: str, args: list[object], keys: dict[str, object], node: ast.Call) -> object:
        """Keep what a library makes a program of."""
        at, key = library.MAKERS[last]
        if last == "Program" and ".core" in name:
            at = 0
        text = keys.get(key, args[at] if len(args) > at else None)
        if not isinstance(text, Text) or not text.data:
            return Open("program")
        made = Made(node, last, text, self.turn)
        made.options.extend(library.macros(keys.get("options")))
        self.made.append(made)
        return made

    def _instance(self, of: Class, args: list[object], keys: dict[str, object]) -> object:
        one = Instance(of)
        begin = of.find("__init__")
        if isinstance(begin, Function):
            self._of_function(Function(begin.node, begin.around, one, home=begin.home), args, keys)
        else:
            fields = of.names.get("__annotations__")
            one.names.update(zip(fields if isinstance(fields, list) else [], args, strict=False))
            one.names.update(keys)
        return one

    def super_of(self, frame: Frame) -> object:
        at: Frame | None = frame
        while at is not None:
            if "super()" in at.names:
                return at.names["super()"]
            at = at.parent
        return Open("super")

    def _of_function(self, function: Function, args: list[object], keys: dict[str, object]) -> object:
        node = function.node
        if self.depth >= DEPTH or node in self.running:
            return Open("value")
        frame = Frame(function.around.program, function.around)
        self._bind_parameters(function, args, keys, frame)
        if isinstance(function.owner, Instance) and function.home is not None:
            frame.names["super()"] = Super(function.owner, function.home)
        self.depth += 1
        self.running.add(node)
        try:
            if isinstance(node, ast.Lambda):
                return self.value(node.body, frame)
            self.body(node.body, frame)
            return frame.returned
        finally:
            self.depth -= 1
            self.running.discard(node)

    def _bind_parameters(self, function: Function, args: list[object], keys: dict[str, object], frame: Frame) -> None:
        own = function.node.args
        names = [arg.arg for arg in (*own.posonlyargs, *own.args)]
        given = [function.owner, *args] if function.owner is not None else list(args)
        defaults = dict(zip(names[::-1], own.defaults[::-1], strict=False))
        defaults.update({a.arg: d for a, d in zip(own.kwonlyargs, own.kw_defaults, strict=True) if d is not None})
        rest = dict(keys)
        bound = dict(zip(names, given, strict=False))
        for name in (*names, *(arg.arg for arg in own.kwonlyargs)):
            if name in bound:
                frame.names[name] = bound[name]
            elif name in rest:
                frame.names[name] = rest.pop(name)
            elif name in defaults:
                frame.names[name] = self.value(defaults[name], function.around)
            else:
                frame.names[name] = Open(name)
        if own.vararg is not None:
            frame.names[own.vararg.arg] = tuple(given[len(names) :])
        if own.kwarg is not None:
            frame.names[own.kwarg.arg] = rest

    # ---------------------------------------------------------------------------------------------- statements

    def statements(self, text: str, frame: Frame) -> None:
        """Run statements in a template."""
        lines = text.expandtabs().strip("\n").splitlines() or [""]
        indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
        for source in ("\n".join(line[indent:] for line in lines), text.strip()):
            try:
                tree = ast.parse(source)
            except (SyntaxError, ValueError):
                continue
            for node in ast.walk(tree):
                if isinstance(node, ast.expr):
                    node.lineno = 0  # stands nowhere
            self.body(tree.body, frame)
            return

    def body(self, body: list[ast.stmt], frame: Frame) -> None:
        """Run statements one after the other."""
        for statement in body:
            if frame.done:
                return
            self.statement(statement, frame)

    def statement(self, node: ast.stmt, frame: Frame) -> None:
        """Run a statement."""
        foreign = frame.parent is None and frame.program is not self.entry
        if isinstance(node, ast.Expr):
            if not foreign and not isinstance(node.value, ast.Constant):
                self.value(node.value, frame)
        elif isinstance(node, ast.Assign):
            value = self.value(node.value, frame)
            for target in node.targets:
                self.bind(target, value, frame)
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None:
                self.bind(node.target, self.value(node.value, frame), frame)
        elif isinstance(node, ast.AugAssign):
            self._augmented(node, frame)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            static = any(isinstance(one, ast.Name) and one.id == "staticmethod" for one in node.decorator_list)
            frame.names[node.name] = Function(node, frame, static=static)
        elif isinstance(node, ast.ClassDef):
            self._class(node, frame)
        elif isinstance(node, ast.Return):
            frame.returned = self.value(node.value, frame)
            frame.done = True
        elif isinstance(node, ast.If):
            self._if(node, frame)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            self._for(node, frame)
        elif isinstance(node, ast.While):
            self._while(node, frame)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                value = self.value(item.context_expr, frame)
                if item.optional_vars is not None:
                    self.bind(item.optional_vars, value, frame)
            self.body(node.body, frame)
        elif isinstance(node, ast.Try):
            self.body([*node.body, *node.orelse, *node.finalbody], frame)
        elif isinstance(node, ast.Raise):
            frame.done = True

    def _class(self, node: ast.ClassDef, frame: Frame) -> None:
        inner = Frame(frame.program, frame)
        self.body(node.body, inner)
        made = Class(node.name, inner.names, tuple(self.value(base, frame) for base in node.bases))
        for value in inner.names.values():
            if isinstance(value, Function):
                value.around, value.home = frame, made
        fields = (one.target for one in node.body if isinstance(one, ast.AnnAssign))
        inner.names["__annotations__"] = [target.id for target in fields if isinstance(target, ast.Name)]
        frame.names[node.name] = made

    def _augmented(self, node: ast.AugAssign, frame: Frame) -> None:
        if not isinstance(node.target, (ast.Name, ast.Attribute, ast.Subscript)):
            return
        before = self.value(node.target, frame)
        after = self.operation(node.op, before, self.value(node.value, frame))
        if isinstance(before, list) and isinstance(node.op, ast.Add) and isinstance(after, list):
            before[:] = after
            after = before
        self.bind(node.target, after, frame)

    def _if(self, node: ast.If, frame: Frame) -> None:
        """The branch that is taken; where that is not known one that does more than leave: of three or more, each has
        its turn."""
        open_: list[list[ast.stmt]] = []
        at: ast.If | None = node
        rest: list[ast.stmt] = []
        while at is not None:
            truth = self.truth(self.value(at.test, frame))
            if truth is True:
                rest = at.body
                break
            if truth is None and not (_leaves(at.body) and not at.orelse):
                open_.append(at.body)
            rest = at.orelse
            at = rest[0] if len(rest) == 1 and isinstance(rest[0], ast.If) else None
        branches = [*open_, rest] if rest or not open_ else open_
        kept = [body for body in branches if not (body and isinstance(body[-1], ast.Raise))] or branches
        if len(kept) > 2:
            self.choices = max(self.choices, len(kept))
        self.body(kept[self.turn % len(kept) if len(kept) > 2 else 0], frame)

    def _for(self, node: ast.For | ast.AsyncFor, frame: Frame) -> None:
        over = items_of(self.value(node.iter, frame))
        if over is None:
            self.bind(node.target, Open("value"), frame)
            self._round(node.body, frame)
            return
        for item in over:
            self.bind(node.target, item, frame)
            if self._round(node.body, frame) or frame.done:
                break

    def _while(self, node: ast.While, frame: Frame) -> None:
        for _ in range(ROUNDS):
            truth = self.truth(self.value(node.test, frame))
            if truth is False:
                return
            self.unsure = truth is None
            if self._round(node.body, frame) or frame.done or self.unsure:
                return

    def _round(self, body: list[ast.stmt], frame: Frame) -> bool:
        """Run a loop's body once; whether that leaves the loop."""
        for statement in body:
            if frame.done:
                return True
            if isinstance(statement, ast.Break):
                return True
            if isinstance(statement, ast.Continue):
                return False
            if isinstance(statement, ast.If) and _jumps(statement):
                truth = self.truth(self.value(statement.test, frame))
                chosen = statement.body if truth else statement.orelse
                if truth is None:
                    self.unsure = True
                    continue
                if chosen and isinstance(chosen[-1], (ast.Break, ast.Continue)):
                    self.body(chosen[:-1], frame)
                    return isinstance(chosen[-1], ast.Break)
                self.body(chosen, frame)
                continue
            self.statement(statement, frame)
        return False

    def bind(self, target: ast.expr, value: object, frame: Frame) -> None:
        if isinstance(target, ast.Name):
            if isinstance(value, Open) and value.name == "value":
                value = Open(target.id, value.type)
            frame.names[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            items = items_of(value)
            for at, part in enumerate(target.elts):
                if isinstance(part, ast.Starred):
                    self.bind(part.value, items[at:] if items is not None else Open("value"), frame)
                else:
                    self.bind(part, items[at] if items is not None and at < len(items) else Open("value"), frame)
        elif isinstance(target, ast.Attribute):
            owner = self.value(target.value, frame)
            if isinstance(owner, (Instance, Class)):
                if isinstance(value, Open) and value.name == "value":
                    value = Open(target.attr, value.type)
                owner.names[target.attr] = value
        elif isinstance(target, ast.Subscript):
            table, key = self.value(target.value, frame), plain(self.value(target.slice, frame))
            placed = isinstance(table, list) and isinstance(key, int) and -len(table) <= key < len(table)
            if placed or (isinstance(table, dict) and isinstance(key, (str, int, float))):
                table[key] = value  # type: ignore[index]


def _leaves(body: list[ast.stmt]) -> bool:
    """Whether a branch ends in leaving the function or the round."""
    return isinstance(body[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break))


def _jumps(node: ast.If) -> bool:
    """Whether a condition decides if a round of a loop goes on."""
    ends = [part[-1] for part in (node.body, node.orelse) if part]
    return any(isinstance(end, (ast.Break, ast.Continue)) for end in ends)
