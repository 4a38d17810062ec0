"""A Python program as far as it is followed: its scopes, what its names stand for, the text of its string literals.

Only what is plain is followed: a name stands for what it is bound to where that is done once in its scope, or where
the statements of the scope itself say which value it has at a place (:mod:`~kernlint.frontends.clang.python.flow`).
Programs for Python 2 are read with their statements in today's spelling, of the same length.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterator
from functools import lru_cache

from kernlint.frontends.clang.embedded import literals
from kernlint.frontends.clang.python.flow import Place, last_before, place_of
from kernlint.frontends.clang.python.spelling import spellings
from kernlint.frontends.clang.python.text import Text, joined
from kernlint.record import dataclass, field
from kernlint.text.patterns import pattern

DEPTH = 12
"""Names that are followed one after the other."""

LIBRARIES = ("pyopencl", "pycuda", "cupy")

_NEWLINE = pattern(rb"\r\n?|\n")


@dataclass(slots=True, eq=False)
class Scope:
    """A module, class or function: ``bound`` has what each name is bound to, with the scope that this is written in;
    None for a value that is not followed (a parameter, the variable of a loop, what ``+=`` makes of it)."""

    node: ast.AST
    parent: Scope | None
    bound: dict[str, list[tuple[ast.expr, Scope] | None]] = field(default_factory=dict)
    places: dict[str, list[Place | None]] = field(default_factory=dict)
    """Where each of them is done; None: in another function, or not by a statement."""
    program: PythonProgram | None = None
    """The program that a module is of."""

    @property
    def home(self) -> PythonProgram | None:
        """The program that this stands in."""
        at = self
        while at.parent is not None:
            at = at.parent
        return at.program

    @property
    def is_class(self) -> bool:
        return isinstance(self.node, ast.ClassDef)

    known: dict[tuple[str, Place], tuple[ast.expr, Scope] | None] = field(default_factory=dict)
    """What :meth:`value_at` has answered."""

    def bind(self, name: str, value: ast.expr | None, written: Scope, at: ast.AST | None = None) -> None:
        """Note that ``name`` is bound to ``value`` by the node ``at``."""
        self.bound.setdefault(name, []).append(None if value is None else (value, written))
        self.places.setdefault(name, []).append(place_of(at) if at is not None and written is self else None)

    def value_at(self, name: str, at: ast.AST) -> tuple[ast.expr, Scope] | None:
        """What a name that this scope binds several times stands for at a node of it; None: that is not clear."""
        places, body = self.places.get(name), getattr(self.node, "body", None)
        if not isinstance(body, list) or not places or None in places:
            return None
        key = name, place_of(at)
        if key not in self.known:
            found = last_before(body, [place for place in places if place is not None], key[1])
            self.known[key] = self.bound[name][found] if found is not None else None
        return self.known[key]

    def holder(self, name: str) -> Scope | None:
        """The scope in which a use of ``name`` here finds it."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.bound and (scope is self or not scope.is_class or name.startswith("self.")):
                return scope
            scope = scope.parent
        return None


@dataclass(frozen=True, slots=True)
class Called:
    """A call: the dotted name that is called (empty: something else), and the scope it stands in; ``by``: the call that
    has entered the function around it, where one has."""

    node: ast.Call
    name: str
    scope: Scope
    by: Called | None = None


class PythonProgram:
    """The tree of a Python file with its scopes and calls."""

    def __init__(self, data: bytes, tree: ast.Module) -> None:
        self.data = data
        self.starts = [0, *(match.end() for match in _NEWLINE.finditer(data))]
        self.imports: dict[str, str] = {}
        self.homes: dict[str, str] = {}  # of imported names: where the project has them from
        self.froms: dict[str, tuple[str, int, str]] = {}
        """Names that are imported: the module, how many folders up it begins, and the name there (empty: all of it)."""
        self.stars: list[tuple[str, int]] = []
        self.neighbour: Callable[[str, int], PythonProgram | None] | None = None
        """Gives the program that an import of (module, level) means; None: other files are not looked at."""
        self.calls: list[Called] = []
        self.scopes: list[Scope] = []
        self.stored: list[tuple[str, ast.expr, Scope]] = []
        """What is put into tables: the table, the value and where that is written."""
        self.written: set[str] = set()
        """Names of tables and arrays of which a part is set."""
        self._inside: dict[tuple[int, str], list[Scope]] = {}
        self._returned: dict[tuple[ast.Call, Scope], tuple[ast.expr, Scope] | None] = {}
        self._visit_body(tree, None)

    # ------------------------------------------------------------------------------------------------- places

    def start(self, node: ast.AST) -> int:
        """Byte offset of the first byte of a node."""
        return self.starts[node.lineno - 1] + int(node.col_offset)  # type: ignore[attr-defined]

    def end(self, node: ast.AST) -> int:
        """Byte offset behind the last byte of a node."""
        return self.starts[node.end_lineno - 1] + int(node.end_col_offset)  # type: ignore[attr-defined]

    # ------------------------------------------------------------------------------------------------- scopes

    def _visit_body(self, node: ast.AST, parent: Scope | None) -> None:
        scope = Scope(node, parent, program=self if parent is None else None)
        self.scopes.append(scope)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            own = node.args
            for arg in (*own.posonlyargs, *own.args, *own.kwonlyargs, own.vararg, own.kwarg):
                if arg is not None:
                    scope.bind(arg.arg, None, scope, arg)
        body = node.body if isinstance(node.body, list) else [node.body]  # type: ignore[attr-defined]
        for child in body:
            self._visit(child, scope)

    def _visit(self, node: ast.AST, scope: Scope) -> None:
        stack = [node]
        later: list[ast.AST] = []
        while stack:
            at = stack.pop()
            if isinstance(at, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
                if not isinstance(at, ast.Lambda):
                    scope.bind(at.name, None, scope, at)
                    stack.extend(at.decorator_list)
                later.append(at)
                continue
            self._note(at, scope)
            stack.extend(reversed(list(ast.iter_child_nodes(at))))
        for inner in later:
            self._visit_body(inner, scope)

    def _note(self, node: ast.AST, scope: Scope) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._bind(target, node.value, scope)
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)):
            if node.value is not None:
                self._bind(node.target, node.value, scope)
        elif isinstance(node, (ast.AugAssign, ast.For, ast.AsyncFor, ast.comprehension)):
            self._bind(node.target, None, scope)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                if item.optional_vars is not None:
                    self._bind(item.optional_vars, None, scope)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            scope.bind(node.name, None, scope, node)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            for name in node.names:
                self.scopes[0].bind(name, None, scope)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                self.imports[name] = alias.name if alias.asname else name
                if alias.asname or "." not in alias.name:
                    self.froms[name] = (alias.name, 0, "")
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                self.imports[alias.asname or alias.name] = f"{node.module or ''}.{alias.name}"
                self.froms[alias.asname or alias.name] = (node.module or "", node.level, alias.name)
                if alias.name == "*":
                    self.stars.append((node.module or "", node.level))
        elif isinstance(node, ast.Call):
            self.calls.append(Called(node, dotted(node.func) or "", scope))

    def _bind(self, target: ast.expr, value: ast.expr | None, scope: Scope) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            same = isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts)
            whole = value is not None and not same and not any(isinstance(part, ast.Starred) for part in target.elts)
            for index, part in enumerate(target.elts):
                item: ast.expr | None = value.elts[index] if same else None  # type: ignore[union-attr]
                if whole and value is not None:
                    item = ast.copy_location(ast.Subscript(value, ast.Constant(index), ast.Load()), value)
                self._bind(part, item, scope)
        elif isinstance(target, ast.Starred):
            self._bind(target.value, None, scope)
        elif isinstance(target, ast.Name):
            scope.bind(target.id, value, scope, target)
        elif isinstance(target, ast.Subscript):
            self.written.add(dotted(target.value) or "")
            if value is not None:
                self.stored.append((dotted(target.value) or "", value, scope))
        elif isinstance(target, ast.Attribute):
            name = dotted(target)
            if name is not None:
                holder: Scope | None = scope
                if name.startswith("self."):
                    while holder is not None and not holder.is_class:
                        holder = holder.parent
                (holder or scope).bind(name, value, scope, target)

    # -------------------------------------------------------------------------------------------------- names

    def imported(self, name: str, scope: Scope | None = None) -> str:
        """A dotted name with its first part as it was imported, by the program that ``scope`` is of."""
        first, dot, rest = name.partition(".")
        home = scope.home if scope is not None else None
        return (home or self).imports.get(first, first) + dot + rest

    def library(self, name: str) -> str | None:
        """Which of the libraries a dotted name belongs to; None: to none of them."""
        first = name.partition(".")[0]
        if first in LIBRARIES:
            return first
        if "." in name:
            return None
        known = {path.partition(".")[0] for path in self.imports.values()} & set(LIBRARIES)
        return known.pop() if len(known) == 1 else None  # what a starred import has brought along

    def binding(self, expr: ast.expr, scope: Scope) -> tuple[ast.expr, Scope] | None:
        """What a name is bound to; None when it is no name, or not bound just once to something followed."""
        name = dotted(expr)
        if name is None:
            return None
        holder = scope.holder(name)
        if holder is None and name.startswith("self."):
            owner: Scope | None = scope
            while owner is not None and not owner.is_class:
                owner = owner.parent
            name = name.removeprefix("self.")
            holder = owner if owner is not None and name in owner.bound else None
        if holder is None:
            home = scope.home or self
            return home._of_class(name) or home._of_neighbour(name)
        if len(holder.bound[name]) != 1:
            return holder.value_at(name, expr) if holder is scope else None
        return holder.bound[name][0]

    def foreign(self, name: str, depth: int = 0) -> tuple[PythonProgram, str] | None:
        """The program of the project and the name there that an imported (dotted) name stands for."""
        if self.neighbour is None or depth > DEPTH:
            return None  # a package that takes a module of its own from itself
        first, _, rest = name.partition(".")
        known = self.froms.get(first)
        if known is None:
            found = (self.neighbour(*star) for star in self.stars if not rest)
            return next(((other, first) for other in found if other and first in other.scopes[0].bound), None)
        module, level, inner = known
        if inner and not rest:
            other = self.neighbour(module, level)
            if other is not None and inner in other.scopes[0].bound:
                return other, inner
            return other.foreign(inner, depth + 1) if other is not None and inner in other.froms else None
        if rest and "." not in rest:
            other = self.neighbour(f"{module}.{inner}".strip(".") if inner else module, level)
            return (other, rest) if other is not None else None
        return None

    def imported_modules(self) -> Iterator[tuple[str, int]]:
        """What the program imports from: (module, level)."""
        for module, level, inner in self.froms.values():
            yield module, level
            if inner and inner != "*":
                yield f"{module}.{inner}".strip("."), level
        yield from self.stars

    def _of_class(self, name: str) -> tuple[ast.expr, Scope] | None:
        """The number that a class, of the file or imported from another one, has under a name."""
        owner, _, inner = name.partition(".")
        if not inner or "." in inner:
            return None
        other, owner = self.foreign(owner) or (self, owner)
        for scope in other.scopes:
            if isinstance(scope.node, ast.ClassDef) and scope.node.name == owner:
                bound = scope.bound.get(inner, [])
                value = bound[0] if len(bound) == 1 else None
                return value if value is not None and _plain(value[0]) else None
        return None

    def _of_neighbour(self, name: str) -> tuple[ast.expr, Scope] | None:
        """The number that a name imported from another file of the project is bound to there."""
        found = self.foreign(name)
        if found is None:
            return None
        other, inner = found
        bound = other.scopes[0].bound.get(inner, [])
        value = bound[0] if len(bound) == 1 else None
        return value if value is not None and _plain(value[0]) else None

    def resolved(self, expr: ast.expr, scope: Scope) -> tuple[ast.expr, Scope]:
        """``expr``, or what it stands for when it is a name."""
        for _ in range(DEPTH):
            found = self.binding(expr, scope)
            if found is None:
                break
            expr, scope = found
        return expr, scope

    def returned(self, expr: ast.expr, scope: Scope) -> tuple[ast.expr, Scope] | None:
        """What a call of a function of the file returns, where that is one expression of what it is given."""
        if not isinstance(expr, ast.Call):
            return None
        key = expr, scope
        if key not in self._returned:
            self._returned[key] = self._result(expr, scope)
        return self._returned[key]

    def _result(self, expr: ast.Call, scope: Scope) -> tuple[ast.expr, Scope] | None:
        plain, home = isinstance(expr.func, ast.Name), scope.home or self
        inner = home.function(dotted(expr.func) or "", scope) if plain else home._method(expr.func, scope)
        return self.applied(inner, expr, scope) if inner is not None else None

    def returned_elsewhere(self, expr: ast.Call, scope: Scope) -> tuple[PythonProgram, ast.expr, Scope] | None:
        """What a call of an imported function of the project returns, and the program that says so."""
        name = dotted(expr.func)
        unbound = name is not None and scope.holder(name.partition(".")[0]) is None
        found = (scope.home or self).foreign(name) if unbound and name is not None else None
        inner = found[0].function(found[1], found[0].scopes[0]) if found is not None else None
        made = self.applied(inner, expr, scope) if inner is not None else None
        return (found[0], *made) if found is not None and made is not None else None

    @staticmethod
    def applied(inner: Scope, expr: ast.Call, scope: Scope) -> tuple[ast.expr, Scope] | None:
        """What a function returns for the arguments of a call."""
        if any(isinstance(arg, ast.Starred) for arg in expr.args) or any(key.arg is None for key in expr.keywords):
            return None
        node = inner.node
        if not isinstance(node, ast.FunctionDef) or not _straight(node.body):
            return None
        last = node.body[-1]
        names = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args)]
        if inner.parent is not None and inner.parent.is_class and names[:1] in (["self"], ["cls"]):
            names = names[1:]
        given: dict[str, ast.expr] = dict(zip(names, expr.args, strict=False))
        given.update((key.arg, key.value) for key in expr.keywords if key.arg is not None)
        defaults = dict(zip(names[::-1], node.args.defaults[::-1], strict=False))
        own = Scope(node, inner.parent, dict(inner.bound), inner.places)
        for name in names:
            if name not in given and name not in defaults:
                return None
            known = (given[name], scope) if name in given else (defaults[name], inner.parent or scope)
            own.bound[name] = [known, *own.bound.get(name, [])[1:]]
        assert isinstance(last, ast.Return) and last.value is not None
        for name, bound in inner.bound.items():
            if name not in names:
                own.bound[name] = [(one[0], own) if one is not None else None for one in bound]
        return last.value, own

    def _method(self, expr: ast.expr, scope: Scope) -> Scope | None:
        """The scope of the method that ``self.name`` is in a class."""
        if not isinstance(expr, ast.Attribute) or not isinstance(expr.value, ast.Name):
            return None
        owner: Scope | None = scope
        while owner is not None and not owner.is_class:
            owner = owner.parent
        if owner is None or expr.value.id not in ("self", "cls", getattr(owner.node, "name", "")):
            return None
        found = [
            one for one in self.scopes
            if one.parent is not None and one.parent.node is owner.node
            and isinstance(one.node, ast.FunctionDef) and one.node.name == expr.attr
        ]  # fmt: skip
        if len(found) != 1 or found[0].parent is owner:
            return found[0] if len(found) == 1 else None
        return Scope(found[0].node, owner, found[0].bound, found[0].places)  # of one object of the class

    def function(self, name: str, scope: Scope) -> Scope | None:
        """The scope of the only function of a name that a use of it finds."""
        holder = scope.holder(name)
        if holder is None or len(holder.bound[name]) != 1:
            return None
        found = [
            one for one in self.scopes
            if one.parent is holder and isinstance(one.node, ast.FunctionDef) and one.node.name == name
        ]  # fmt: skip
        return found[0] if len(found) == 1 else None

    def inside(self, scope: Scope, name: str) -> list[Scope]:
        """The functions and classes of a name that stand in a scope."""
        if not self._inside:
            for one in self.scopes:
                self._inside.setdefault((id(one.parent), getattr(one.node, "name", "")), []).append(one)
        return self._inside.get((id(scope), name), [])

    # ------------------------------------------------------------------------------------------------- values

    def text(self, expr: ast.expr | None, scope: Scope, percent: bool = False, braces: bool = False) -> Text | None:
        """The text of an expression of string literals; None when a part of it is something else."""
        if expr is None:
            return None
        expr, scope = self.resolved(expr, scope)
        if isinstance(expr, ast.JoinedStr) or (isinstance(expr, ast.Constant) and isinstance(expr.value, str)):
            out, home = Text(b""), scope.home or self
            for at, data in literals(home.data, home.start(expr), home.end(expr), percent, braces):
                out = out + Text(data, ((0, len(data), at),) if home is self else ())
            return out
        if isinstance(expr, ast.BinOp) and isinstance(expr.op, ast.Mod):
            return self.text(expr.left, scope, True, braces)
        if isinstance(expr, ast.BinOp) and isinstance(expr.op, ast.Add):
            left, right = (self.text(part, scope, percent, braces) for part in (expr.left, expr.right))
            return left + right if left is not None and right is not None else None
        if isinstance(expr, ast.Call) and isinstance(expr.func, ast.Attribute):
            method, inner = expr.func.attr, expr.func.value
            if method == "format":
                return self.text(inner, scope, percent, True)
            if method in ("substitute", "safe_substitute"):
                made, where = self.resolved(inner, scope)
                whole = isinstance(made, ast.Call) and (dotted(made.func) or "").rpartition(".")[2] == "Template"
                return self.text(made.args[0], where) if whole and isinstance(made, ast.Call) and made.args else None
            if method == "replace" and len(expr.args) == 2:
                return self.text(inner, scope, percent, braces)
            if method in ("strip", "lstrip", "rstrip") and not expr.args:
                return self.text(inner, scope, percent, braces)
            if method == "dedent" and len(expr.args) == 1:
                return self.text(expr.args[0], scope, percent, braces)
            if method == "join" and len(expr.args) == 1 and isinstance(expr.args[0], (ast.List, ast.Tuple)):
                separator = self.text(inner, scope)
                parts = [self.text(part, scope, percent, braces) for part in expr.args[0].elts]
                if separator is not None and all(part is not None for part in parts):
                    return joined([part for part in parts if part is not None], separator.data.decode())
        if isinstance(expr, ast.Call) and dotted(expr.func) == "dedent" and len(expr.args) == 1:
            return self.text(expr.args[0], scope, percent, braces)
        return None

    def string(self, expr: ast.expr | None, scope: Scope) -> str | None:
        """The value of an expression that is one string constant."""
        if expr is None:
            return None
        expr, _ = self.resolved(expr, scope)
        return expr.value if isinstance(expr, ast.Constant) and isinstance(expr.value, str) else None


def _plain(expr: ast.expr) -> bool:
    """Whether an expression is made of numbers and names alone."""
    allowed = (ast.Constant, ast.UnaryOp, ast.BinOp, ast.Tuple, ast.Name, ast.operator, ast.unaryop, ast.expr_context)
    return all(isinstance(at, allowed) for at in ast.walk(expr))


def _straight(body: list[ast.stmt]) -> bool:
    """Whether statements end in the only return; what is bound under a condition is bound more than once."""
    last = body[-1]
    return isinstance(last, ast.Return) and last.value is not None and all(map(_passed, body[:-1]))


def _passed(statement: ast.stmt) -> bool:
    """Whether a statement goes on to the next one, unless it raises: nothing in it returns."""
    if isinstance(statement, (ast.If, ast.For, ast.While)):
        return all(map(_passed, (*statement.body, *statement.orelse)))
    if isinstance(statement, ast.With):
        return all(map(_passed, statement.body))
    return isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Assert, ast.Raise, ast.Pass))


def dotted(expr: ast.AST) -> str | None:
    """``a.b.c`` of a name with attributes; None for anything else."""
    parts: list[str] = []
    while isinstance(expr, ast.Attribute):
        parts.append(expr.attr)
        expr = expr.value
    if not isinstance(expr, ast.Name):
        return None
    return ".".join((expr.id, *reversed(parts)))


def arguments(call: ast.Call, names: tuple[str, ...]) -> dict[str, ast.expr] | None:
    """The arguments of a call by name, as ``names`` order the positional ones; None when some are not in sight."""
    if any(isinstance(arg, ast.Starred) for arg in call.args) or any(key.arg is None for key in call.keywords):
        return None
    if len(call.args) > len(names):
        return None
    found = dict(zip(names, call.args, strict=False))
    found.update((key.arg, key.value) for key in call.keywords if key.arg is not None)
    return found


@lru_cache(maxsize=1)
def program_of(data: bytes) -> PythonProgram | None:
    """The program in ``data`` (UTF-8); None when it is not one that Python of today, or of yesterday, reads."""
    return parsed_program(data)


def parsed_program(data: bytes) -> PythonProgram | None:
    """The same, read anew."""
    text = data.decode("utf-8", "replace")
    for attempt in spellings(text):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(attempt)
            return PythonProgram(data, tree)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return None
