"""Which functions of a Python file numba compiles for the GPU, and the types that their signatures state."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from kernlint.frontends.clang.python.program import Called, PythonProgram, Scope, dotted
from kernlint.frontends.python.values import SCALARS
from kernlint.record import dataclass
from kernlint.tree.types import Type

HOMES = ("numba.cuda", "numba.hip", "numba.roc", "numba_cuda.numba.cuda")
"""Where the decorators and intrinsics live; the first stands for all of them."""


@dataclass(frozen=True, slots=True)
class Array:
    """An array in a signature; ``order`` ``C``, ``F`` or ``A``."""

    element: Type
    rank: int
    order: str = "A"


Stated = Type | Array | None
"""A type of a signature; None where it is not understood."""


@dataclass(slots=True, eq=False)
class Jitted:
    """A function that numba compiles: ``scope`` is where it is defined, ``inner`` its own scope.

    ``device``: other kernels call it, nobody launches it.  ``host``: compiled for the CPU (``njit``), and for the GPU
    where a kernel calls it.  ``signatures``: argument types, one list for each stated signature.
    """

    node: ast.FunctionDef
    scope: Scope
    inner: Scope
    device: bool
    signatures: tuple[tuple[Stated, ...], ...] = ()
    names: tuple[str, ...] = ()
    host: bool = False
    hip: bool = False
    cooperative: bool = False
    program: PythonProgram | None = None
    inferred: bool = False
    """Compiled somewhere for whatever it is given, beside what signatures state."""
    either: bool = False
    """A kernel or a device function, as ``device=`` says by something that the text does not tell."""
    raw: bool = False
    """Of ``cupyx.jit``, which takes grid, block and arguments in a call too."""

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def parameters(self) -> list[str]:
        """Names of the positional parameters."""
        own = self.node.args
        return [arg.arg for arg in (*own.posonlyargs, *own.args, *own.kwonlyargs)]


_OF_CUPYX = {
    "rawkernel": "jit", "range": "range", "cg.this_grid": "cg.this_grid",
    **{f"atomic_{op}": f"atomic.{op}" for op in ("add", "sub", "max", "min", "inc", "dec", "cas", "xor", "exch")},
    "atomic_and": "atomic.and_", "atomic_or": "atomic.or_",
}  # fmt: skip
"""Names of ``cupyx.jit`` that numba has under another one; the others are the same."""


def canonical(path: str) -> str:
    """A full dotted name with the home of numba's GPU part spelled in one way."""
    if path.startswith("cupyx.jit"):
        name = path[len("cupyx.jit") :].lstrip(".")
        return "numba.cuda" + (f".{_OF_CUPYX.get(name, name)}" if name else "")
    for home in HOMES:
        if path == home or path.startswith(home + "."):
            return "numba.cuda" + path[len(home) :]
    first, _, rest = path.partition(".cuda.")
    if rest and first.strip(".") in ("", "numba_hip", "compat", "_compat"):
        return "numba.cuda." + rest
    return path


def full_name(program: PythonProgram, expr: ast.AST, scope: Scope) -> str | None:
    """The full dotted name of an expression as its imports have it; None when it is no name, or one of the file's."""
    name = dotted(expr)
    if name is None:
        return None
    first = name.partition(".")[0]
    holder = scope.holder(first)
    if holder is not None:
        found = holder.bound[first]
        if len(found) == 1 and found[0] is not None and dotted(found[0][0]) is not None:
            inner = full_name(program, *found[0])
            return canonical(inner + name[len(first) :]) if inner is not None else None
        if first not in program.imports:
            return None
    elif first not in program.imports:
        return name if first in _BUILTINS else None
    return canonical(_home(program, name))


def _home(program: PythonProgram, name: str, depth: int = 0) -> str:
    """The full dotted name of an imported one; where a file of the project hands on what it has imported itself, that
    which it has there."""
    first, dot, rest = name.partition(".")
    known = program.homes.get(first)
    if known is None:
        known = program.imported(first)
        module, level, inner = program.froms.get(first, ("", 0, ""))
        if inner and program.neighbour is None:
            return known + dot + rest  # nobody has said yet what stands around the program
        other = program.neighbour(module, level) if inner and program.neighbour and depth < HANDED_ON else None
        if other is not None and inner in other.imports:
            known = _home(other, inner, depth + 1)
        program.homes[first] = known
    return known + dot + rest


HANDED_ON = 3
"""Files that an imported name is followed through."""


_BUILTINS = frozenset(
    {
        "abs", "all", "any", "bool", "chr", "complex", "divmod", "enumerate", "filter", "float", "getattr", "hasattr",
        "int", "isinstance", "len", "map", "max", "min", "ord", "pow", "print", "range", "reversed", "round", "slice",
        "sorted", "str", "sum", "tuple", "type", "xrange", "zip",
    }
)  # fmt: skip

_OF_THREADS = frozenset({"grid", "threadIdx", "blockIdx", "syncthreads"})

_JIT = frozenset({"numba.cuda.jit", "numba.cuda.cudajit"})
_CPU_JIT = frozenset({"numba.jit", "numba.njit", "numba.generated_jit"})
_UFUNC = frozenset({"numba.vectorize", "numba.guvectorize"})


ALLOCATING = frozenset(
    {
        "append", "arange", "array", "concatenate", "diag", "empty", "empty_like", "eye", "full", "full_like",
        "hstack", "identity", "linspace", "ones", "ones_like", "repeat", "stack", "tile", "vstack", "zeros",
        "zeros_like",
    }
)  # fmt: skip
"""NumPy's functions that make arrays: "Numba disallows any memory allocating features" in kernels."""


class Finder:
    """Finds the compiled functions of a program, in the order of the text."""

    def __init__(self, program: PythonProgram) -> None:
        self.program = program
        self.found: list[Jitted] = []
        self.by_node: dict[ast.AST, Jitted] = {}
        self.by_name: dict[tuple[int, str], Jitted] = {}
        plain: dict[tuple[int, str], tuple[ast.FunctionDef, Scope]] = {}
        for scope in program.scopes:
            node = scope.node
            if isinstance(node, ast.FunctionDef) and scope.parent is not None:
                plain[id(scope.parent), node.name] = (node, scope)
                self._decorated(node, scope, scope.parent)
        for called in program.calls:
            self._by_call(called.node, called.scope, plain)
        if any(self._compiles_what_it_is_given(called) for called in program.calls):
            for node, scope in plain.values():
                nested = scope.parent is not None and isinstance(scope.parent.node, ast.FunctionDef)
                if nested and scope.parent is not None and self._asks_for_threads(node, scope):
                    self._add(Jitted(node, scope.parent, scope, False), scope.parent)
        for scope in program.scopes:
            for name, bound in scope.bound.items():
                values = [one for one in bound if one is not None]
                if len(values) == 1 and len(bound) <= 2:
                    made = self.by_node.get(values[0][0])
                    # ``f = cuda.jit(f)`` behind ``def f`` gives the name to what is compiled
                    if made is not None and (len(bound) == 1 or made.node.name == name):
                        self.by_name[id(scope), name] = made
                        made.names = (*made.names, name)
        self.found.sort(key=lambda one: (one.node.lineno, one.node.col_offset))
        launched = {
            dotted(called.node.func.value) for called in program.calls if isinstance(called.node.func, ast.Subscript)
        }
        for made in self.found:
            made.program = made.program or program
            made.device |= made.either and launched.isdisjoint(made.names or (made.name,))
        self.others: dict[PythonProgram, Finder] = {program: self}

    def named(self, name: str, scope: Scope) -> Jitted | None:
        """The compiled function that a plain name stands for in ``scope``."""
        at: Scope | None = scope
        while at is not None:
            if not at.is_class or at is scope:
                found = self.by_name.get((id(at), name))
                if found is not None:
                    return found
                if name in at.bound:
                    bound = at.bound[name]
                    if len(bound) == 1 and bound[0] is not None and isinstance(bound[0][0], ast.Name):
                        where, inner = bound[0]
                        assert isinstance(where, ast.Name)
                        return self.named(where.id, inner) if where.id != name else None
                    return None
            at = at.parent
        return self.foreign(name, scope)

    def foreign(self, name: str, scope: Scope | None = None) -> Jitted | None:
        """The compiled function of another file of the project that an imported (dotted) name stands for, in the
        program that ``scope`` is of."""
        home = scope.home if scope is not None else None
        found = (home or self.program).foreign(name)
        if found is None or b"jit" not in found[0].data:
            return None
        other, inner = found
        if other not in self.others:
            self.others[other] = Finder(other)
            self.others[other].others = self.others
        return self.others[other].named(inner, other.scopes[0])

    # ---------------------------------------------------------------------------------------------- recognition

    def _decorated(self, node: ast.FunctionDef, inner: Scope, outer: Scope) -> None:
        for decorator in node.decorator_list:
            call = decorator if isinstance(decorator, ast.Call) else None
            path = full_name(self.program, call.func if call is not None else decorator, outer)
            made = self._jitted(path, call, node, outer, inner)
            if made is not None:
                self._add(made, outer)
                return
        if node.decorator_list and self._asks_for_threads(node, inner):
            self._add(Jitted(node, outer, inner, False), outer)  # a decorator of the project's own compiles it

    def _asks_for_threads(self, node: ast.FunctionDef, inner: Scope) -> bool:
        """Whether a function itself, not one defined in it, asks which thread runs it: it can run nowhere but on a
        GPU."""
        if b"numba" not in self.program.data:
            return False
        for at in own_nodes(node):
            asked = isinstance(at, ast.Attribute) and at.attr in _OF_THREADS
            if asked and (full_name(self.program, at, inner) or "").startswith("numba.cuda."):
                return True
        return False

    def _compiles_what_it_is_given(self, called: Called) -> bool:
        """``cuda.jit(make(cuda))``: what a function returns is compiled, one of the file or one that is passed on."""
        arg = called.node.args[0] if called.node.args else None
        if full_name(self.program, called.node.func, called.scope) not in _JIT or not isinstance(arg, ast.Call):
            return False
        if not isinstance(arg.func, ast.Name):
            return False
        holder = called.scope.holder(arg.func.id)
        passed = holder is not None and holder.bound[arg.func.id] == [None]
        return passed and arg.func.id not in self.program.imports

    def _jitted(
        self, path: str | None, call: ast.Call | None, node: ast.FunctionDef, outer: Scope, inner: Scope
    ) -> Jitted | None:
        if path is None:
            return None
        keys = {key.arg: key.value for key in call.keywords if key.arg} if call is not None else {}
        target = self._text(keys.get("target"))
        gpu = path in _JIT or (path in _CPU_JIT and target in ("cuda", "gpu", "hip"))
        if gpu:
            made = Jitted(node, outer, inner, _true(keys.get("device")))
            made.either = "device" in keys and not isinstance(keys["device"], ast.Constant)
            makers = [*node.decorator_list, *([call.func] if call is not None else [])]
            made.raw = any("rawkernel" in ast.unparse(maker) for maker in makers)
            made.cooperative = _true(keys.get("cooperative"))
            stated = [arg for arg in call.args if not self._is_function(arg, outer)] if call is not None else []
            if stated or "argtypes" in keys or "signature" in keys or "func_or_sig" in keys:
                text = stated[0] if stated else keys.get("argtypes", keys.get("signature", keys.get("func_or_sig")))
                made.signatures = tuple(self.signatures(text, outer))
            return made
        if path in _CPU_JIT:
            return Jitted(node, outer, inner, True, host=True)
        return None

    def _is_function(self, expr: ast.expr, scope: Scope) -> bool:
        return isinstance(expr, ast.Name) and any(
            isinstance(s.node, ast.FunctionDef) and s.node.name == expr.id for s in self.program.scopes
        )

    def _text(self, expr: ast.expr | None) -> str | None:
        return expr.value if isinstance(expr, ast.Constant) and isinstance(expr.value, str) else None

    def _add(self, made: Jitted, outer: Scope) -> None:
        if made.node in self.by_node:
            return
        self.found.append(made)
        self.by_node[made.node] = made
        if made.node.name in outer.bound and len(outer.bound[made.node.name]) == 1:
            self.by_name[id(outer), made.node.name] = made
            made.names = (*made.names, made.node.name)
            return
        known = self.by_name.setdefault((id(outer), made.node.name), made)
        if known is not made and self._allocates(known) and not self._allocates(made) and has_twin(made.node, outer):
            self.by_name[id(outer), made.node.name] = made  # numba compiles this one

    def _allocates(self, made: Jitted) -> bool:
        """Whether a function makes arrays as NumPy does, which numba's simulator allows alone."""
        calls = (at for at in own_nodes(made.node) if isinstance(at, ast.Call))
        paths = (full_name(self.program, at.func, made.inner) or "" for at in calls)
        return any(path.startswith("numpy.") and path.rpartition(".")[2] in ALLOCATING for path in paths)

    def _by_call(
        self, node: ast.Call, scope: Scope, plain: dict[tuple[int, str], tuple[ast.FunctionDef, Scope]]
    ) -> None:
        """``cuda.jit(f)``, ``cuda.jit(signature)(f)``, ``cuda.jit(device=True)(f)``."""
        outer = node.func if isinstance(node.func, ast.Call) else node
        path = full_name(self.program, outer.func, scope)
        if path not in _JIT and path not in _CPU_JIT:
            return
        for arg in node.args:
            found = self._plain(arg, scope, plain)
            if found is None and isinstance(arg, ast.Name):
                self._imported(node, outer, path, arg.id)
            if found is not None:
                function, inner = found
                made = self._jitted(path, outer, function, inner.parent or scope, inner)
                if made is not None:
                    if function not in self.by_node:
                        self.found.append(made)
                        self.by_node[function] = made
                    else:
                        known = self.by_node[function]
                        known.inferred |= not known.signatures or not made.signatures
                        known.signatures = (*known.signatures, *made.signatures)
                    self.by_node[node] = self.by_node[function]
                return

    def _imported(self, node: ast.Call, outer: ast.Call, path: str | None, name: str) -> None:
        """``cuda.jit(f, device=True)`` of a function that another file of the project defines."""
        found = self.program.foreign(name)
        inner = found[0].function(found[1], found[0].scopes[0]) if found is not None else None
        if found is None or inner is None or not isinstance(inner.node, ast.FunctionDef):
            return
        made = self._jitted(path, outer, inner.node, found[0].scopes[0], inner)
        if made is not None and (made.device or made.host):
            made.program = found[0]
            self.by_node[node] = made

    @staticmethod
    def _plain(
        arg: ast.expr, scope: Scope, plain: dict[tuple[int, str], tuple[ast.FunctionDef, Scope]]
    ) -> tuple[ast.FunctionDef, Scope] | None:
        at: Scope | None = scope
        while isinstance(arg, ast.Name) and at is not None:
            if (id(at), arg.id) in plain:
                return plain[id(at), arg.id]
            at = at.parent
        return None

    # ----------------------------------------------------------------------------------------------- signatures

    def signatures(self, expr: ast.expr | None, scope: Scope) -> Iterator[tuple[Stated, ...]]:
        """The argument types of each signature that ``expr`` states."""
        if expr is None:
            return
        expr, scope = self.program.resolved(expr, scope)
        if isinstance(expr, ast.Constant) and isinstance(expr.value, str):
            try:
                parsed = ast.parse(expr.value.strip(), mode="eval").body
            except (SyntaxError, ValueError, RecursionError):
                return
            yield from self.signatures(parsed, scope)
        elif isinstance(expr, ast.List):
            for one in expr.elts:
                yield from self.signatures(one, scope)
        elif isinstance(expr, ast.Tuple):
            yield tuple(self.stated(one, scope) for one in expr.elts)
        elif isinstance(expr, ast.Call):
            yield tuple(self.stated(one, scope) for one in expr.args)

    def stated(self, expr: ast.expr, scope: Scope) -> Stated:
        """The type that an expression of a signature names."""
        expr, scope = self.program.resolved(expr, scope)
        if isinstance(expr, ast.Constant) and isinstance(expr.value, str):
            try:
                return self.stated(ast.parse(expr.value.strip(), mode="eval").body, scope)
            except (SyntaxError, ValueError, RecursionError):
                return None
        if isinstance(expr, ast.Subscript):
            element = self.stated(expr.value, scope)
            if element is None or isinstance(element, Array):
                return None
            axes = expr.slice.elts if isinstance(expr.slice, ast.Tuple) else [expr.slice]
            if not all(isinstance(axis, ast.Slice) for axis in axes):
                return None
            steps = [isinstance(axis, ast.Slice) and axis.step is not None for axis in axes]
            order = "C" if steps[-1] else "F" if steps[0] else "A"
            return Array(element, len(axes), order)
        if isinstance(expr, ast.Call) and (dotted(expr.func) or "").rpartition(".")[2] == "Array":
            element = self.stated(expr.args[0], scope) if expr.args else None
            rank = expr.args[1].value if len(expr.args) > 1 and isinstance(expr.args[1], ast.Constant) else None
            if element is not None and not isinstance(element, Array) and isinstance(rank, int):
                return Array(element, rank, self._text(expr.args[2]) or "A" if len(expr.args) > 2 else "A")
            return None
        name = dotted(expr)
        return SCALARS.get(name.rpartition(".")[2]) if name is not None else None


def own_nodes(node: ast.AST) -> list[ast.AST]:
    """Nodes below one, without those of the functions and classes inside it."""
    out: list[ast.AST] = []
    stack = list(ast.iter_child_nodes(node))
    while stack:
        at = stack.pop()
        out.append(at)
        if not isinstance(at, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            stack.extend(ast.iter_child_nodes(at))
    return out


def has_twin(node: ast.FunctionDef, outer: Scope) -> bool:
    """Whether the other branch of an ``if`` defines a function of the same name: one of both is for another setting,
    such as numba's simulator."""
    for at in own_nodes(outer.node):
        if isinstance(at, ast.If) and at.orelse:
            defined = [
                [part for one in branch for part in ast.walk(one)
                 if isinstance(part, ast.FunctionDef) and part.name == node.name]
                for branch in (at.body, at.orelse)
            ]  # fmt: skip
            if all(defined) and any(node in found for found in defined):
                return True
    return False


def _true(expr: ast.expr | None) -> bool:
    return isinstance(expr, ast.Constant) and expr.value is True
