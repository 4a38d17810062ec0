"""Results that the host reads before the device has written them.

A copy that is given a stream "will be made asynchronously as part of the given stream", and a launch returns at once:
what the host reads of managed or mapped memory, or of a copy's destination, is there when the stream, an event or the
context has been waited for.  Statements are looked at in the order of the text; a call of which nothing is known may
have waited.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from kernlint.frontends.clang.python.program import PythonProgram, Scope
from kernlint.frontends.python.context import Places
from kernlint.frontends.python.functions import full_name
from kernlint.frontends.python.launches import Launched
from kernlint.tree.nodes import Remark

_SEEN = frozenset({"numba.cuda.managed_array", "numba.cuda.mapped_array", "numba.cuda.mapped_array_like"})
"""What makes arrays that host and device both see."""

_PLAIN = frozenset({"shape", "size", "dtype", "ndim", "nbytes", "itemsize", "strides", "T"})
"""Attributes that no element is read for."""

_HARMLESS = frozenset(
    {"print", "len", "range", "float", "int", "sum", "max", "min", "abs", "list", "all", "any", "sorted", "str"}
)
_MODULES = frozenset({"numpy", "math", "time", "random"})
_LIBRARY = frozenset(
    {
        "numba.cuda.stream", "numba.cuda.event", "numba.cuda.to_device", "numba.cuda.device_array",
        "numba.cuda.device_array_like", "numba.cuda.pinned_array", "numba.cuda.mapped_array",
        "numba.cuda.managed_array",
    }
)  # fmt: skip


def early_reads(program: PythonProgram, launched: Sequence[Launched], lowering: Places) -> Iterator[Remark]:
    """A remark for each array that is read too early, once in a function."""
    launches = {id(one.called.node): one for one in launched}
    scopes = {id(one.called.scope): one.called.scope for one in launched}
    for scope in scopes.values():
        found = _Reads(program, scope, launches, lowering)
        body = getattr(scope.node, "body", [])
        if isinstance(body, list):  # no lambda
            yield from found.body(body)


class _Reads:
    """Goes through one function.  ``pending``: arrays on their way, each with the place and word of what is under
    way, and the kernel that was launched last."""

    def __init__(self, program: PythonProgram, scope: Scope, launches: dict[int, Launched], lowering: Places) -> None:
        self.program = program
        self.scope = scope
        self.launches = launches
        self.lowering = lowering
        self.pending: dict[str, tuple[ast.AST, str]] = {}
        self.kernel = ""
        self.said: set[str] = set()

    def body(self, statements: Sequence[ast.stmt]) -> Iterator[Remark]:
        """Remarks on statements, in order."""
        for node in statements:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                continue
            yield from self._statement(node)

    def _statement(self, node: ast.stmt) -> Iterator[Remark]:
        blocks = [getattr(node, name) for name in ("body", "orelse", "finalbody") if hasattr(node, name)]
        heads = [child for child in ast.iter_child_nodes(node) if isinstance(child, (ast.expr, ast.withitem))]
        for child in heads:
            yield from self._expression(child)
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            self.pending.pop(name, None)
            if self._copies(node.value):
                self.pending[name] = (node.value, "the copy")
        for block in blocks:
            yield from self.body(block)
        if isinstance(node, ast.Try):
            for handler in node.handlers:
                yield from self.body(handler.body)
        if isinstance(node, (ast.With, ast.AsyncWith)) and any("synchronize" in ast.dump(i) for i in node.items):
            self.pending.clear()

    def _expression(self, node: ast.AST) -> Iterator[Remark]:
        """Reads in an expression, then what its calls do."""
        if self.pending:
            yield from self._reads(node)
        for at in ast.walk(node):
            if isinstance(at, ast.Call):
                self._called(at)

    def _reads(self, node: ast.AST) -> Iterator[Remark]:
        stack: list[ast.AST] = [node]
        while stack:
            at = stack.pop()
            if isinstance(at, ast.Call) and not self._looks(at):
                continue
            if isinstance(at, ast.Attribute) and at.attr in _PLAIN:
                continue
            if isinstance(at, ast.Subscript) and isinstance(at.ctx, ast.Store):
                stack.append(at.slice)
                continue
            if isinstance(at, ast.Name) and isinstance(at.ctx, ast.Load) and at.id in self.pending:
                if at is not node and at.id not in self.said:
                    self.said.add(at.id)
                    place, word = self.pending[at.id]
                    related = ((self.lowering.span(place), f"{word} is under way from here"),)
                    yield Remark("early-read", self.lowering.span(at), self.kernel, (at.id, word), related)
                continue
            stack.extend(ast.iter_child_nodes(at))

    def _looks(self, call: ast.Call) -> bool:
        """Whether a call reads the elements of the arrays that it is given: functions of Python and NumPy."""
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        if isinstance(owner, ast.Name) and owner.id in self.pending:
            return True  # a method of the array
        path = full_name(self.program, call.func, self.scope)
        return path is not None and (path in _HARMLESS or path.partition(".")[0] == "numpy")

    def _copies(self, node: ast.expr) -> bool:
        """Whether an expression is a copy to the host under a stream."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            return False
        if node.func.attr != "copy_to_host":
            return False
        stated = next((key.value for key in node.keywords if key.arg == "stream"), None)
        stream = stated if stated is not None else node.args[1] if len(node.args) > 1 else None
        return stream is not None and not (isinstance(stream, ast.Constant) and not stream.value)

    def _called(self, call: ast.Call) -> None:
        launch = self.launches.get(id(call))
        if launch is not None:
            self.kernel = launch.jitted.name
            for arg in launch.args or ():
                if isinstance(arg, ast.Name) and self._is_seen(arg):
                    self.pending[arg.id] = (call, "the launch")
            return
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if method == "copy_to_host":
            if not self._copies(call):
                self.pending.clear()  # waits for all that came before
                return
            into = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "ary"), None)
            if isinstance(into, ast.Name):
                self.pending[into.id] = (call, "the copy")
            return
        path = full_name(self.program, call.func, self.scope)
        known = path is not None and (path in _HARMLESS or path in _LIBRARY or path.partition(".")[0] in _MODULES)
        of_array = isinstance(call.func, ast.Attribute) and isinstance(call.func.value, (ast.Name, ast.Subscript))
        if not known and (method in ("synchronize", "wait", "query") or not (of_array and method in _METHODS)):
            self.pending.clear()

    def _is_seen(self, name: ast.Name) -> bool:
        made, scope = self.program.resolved(name, self.scope)
        return isinstance(made, ast.Call) and full_name(self.program, made.func, scope) in _SEEN


_METHODS = frozenset(
    {
        "copy_to_device", "astype", "reshape", "sum", "mean", "max", "min", "record", "append", "copy", "tolist",
        "any", "all",
    }
)  # fmt: skip
"""Methods of arrays, lists and events that wait for nothing."""
