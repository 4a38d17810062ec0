"""Calls of the kernels that CuPy makes of snippets: ``kernel(array, raw array, number, size=n)``.

Arrays that are no ``raw`` ones are broadcast together, and the elements of the result are what the kernel is run for,
unless ``size`` says how many; raw arrays are as long as the caller has made them.  Elements of the others are the
library's affair.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from kernlint.frontends.clang.embedded import Program
from kernlint.frontends.clang.python.entered import default_of
from kernlint.frontends.clang.python.hosts import add_host
from kernlint.frontends.clang.python.program import Called, PythonProgram, Scope, dotted
from kernlint.frontends.clang.python.reading import DEPTH, Reader
from kernlint.tree.dump import expression_text
from kernlint.tree.nodes import Expr, FunctionDecl, InitList, IntLit, Module, ParamDecl, Ref
from kernlint.tree.types import IntType, PointerType
from kernlint.tree.walk import traverse

ELEMENT = "_raw_"
"""Before the name of a parameter of which the snippet sees one element."""
_SIZE = ".size"
INDEXER = "_ind"
"""The parameter that has the number of elements, in a member."""
PART, BLOCK = 4096, 128
"""Elements and threads of a block, as the kernel is written out."""
REDUCING = 512
"""Threads of a block that reduces; one block makes one result."""
_OPTIONS = frozenset({"block_size", "keepdims", "size", "stream"})


def _calls(program: PythonProgram, made: ast.Call) -> Iterator[Called]:
    """The calls of the kernel that ``made`` makes."""
    for called in program.calls:
        if called.node is not made and program.resolved(called.node.func, called.scope)[0] is made:
            yield called


def passed_numbers(program: PythonProgram, made: ast.Call, count: int) -> set[int]:
    """Which of ``count`` parameters get a number in each call in sight."""
    found: set[int] | None = None
    for called in _calls(program, made):
        reader = Reader(program, called, "")
        here = {at for at, arg in enumerate(called.node.args[:count]) if _number(reader, arg, called.scope)}
        if any(isinstance(arg, ast.Starred) for arg in called.node.args):
            here = set()
        found = here if found is None else found & here
    return found or set()


def _number(reader: Reader, expr: ast.expr, scope: Scope, depth: int = 0) -> bool:
    """Whether an expression is a number by what is in sight: written out, a size, a parameter with such a default."""
    if depth > DEPTH or reader.array(expr, scope) is not None:
        return False
    expr, scope = reader.followed(expr, scope)
    if isinstance(expr, ast.Name):
        default = default_of(reader.program, expr.id, scope)
        return default is not None and _number(reader, default, scope, depth + 1)
    if isinstance(expr, ast.UnaryOp):
        return _number(reader, expr.operand, scope, depth + 1)
    if isinstance(expr, ast.BinOp):
        return all(_number(reader, side, scope, depth + 1) for side in (expr.left, expr.right))
    if isinstance(expr, ast.Constant):
        return isinstance(expr.value, (int, float))
    if isinstance(expr, ast.Call):
        return isinstance(expr.func, ast.Name) and expr.func.id in ("float", "int", "len")
    sizes = isinstance(expr, ast.Attribute) and expr.attr in ("ndim", "nbytes", "size")
    axes = expr.value if isinstance(expr, ast.Subscript) else None
    return sizes or (isinstance(axes, ast.Attribute) and axes.attr in ("shape", "strides"))


def add_calls(program: PythonProgram, made: Sequence[tuple[Program, Module]]) -> None:
    """Add the launches that CuPy makes for calls of kernels that it made."""
    for source, module in made:
        _add_calls(program, source, module)


def _add_calls(program: PythonProgram, source: Program, module: Module) -> None:
    kernels = module.kernels
    if source.places is None or module.language != "cuda" or len(kernels) != 1:
        return
    kernel = kernels[0].function
    if not kernel.params or kernel.params[-1].name != INDEXER:
        return
    starts = {program.start(called.node): called.node for called in program.calls}
    made = starts.get(source.start)
    if made is None:
        return
    reduces = (dotted(made.func) or "").endswith("ReductionKernel")
    for called in _calls(program, made):
        for one in kernels[0].instances or (kernel,):
            _Call(program, called, module.path).add(module, one, reduces)


class _Call(Reader):
    """Reads one call."""

    def add(self, module: Module, kernel: FunctionDecl, reduces: bool) -> None:
        """Add it to the module, where all that it rests on is in sight."""
        node, host = self.called.node, self.host
        keys = {key.arg: key.value for key in node.keywords}
        if any(isinstance(arg, ast.Starred) for arg in node.args) or not keys.keys() <= _OPTIONS:
            return
        params = kernel.params[:-1]
        passed = list(zip(params, node.args, strict=False))
        lengths = [self.elements(arg) for param, arg in passed if param.name.startswith(ELEMENT)]
        count = self.number(keys["size"], self.called.scope) if "size" in keys else _agreed(lengths)
        if count is None:
            return
        args = [self._passed(param, arg) for param, arg in passed]
        args += [host.unknown(param.type) for param in params[len(args) :]]
        symbols = {
            at.decl.name for arg in args if isinstance(arg.type, IntType) for at in traverse(arg) if isinstance(at, Ref)
        }
        if not all(name.endswith(_SIZE) for name in symbols):
            for at, (param, arg) in enumerate(passed):  # how long it is may be among them
                known = self.array(arg, self.called.scope)
                if isinstance(param.type, PointerType) and (known is None or not known.shape):
                    args[at] = host.unknown(param.type)
        args.append(InitList(host.span, kernel.params[-1].type, (count, host.number(0))))
        if not self.checked():
            return
        rounded = self.quotient(self.arithmetic("+", count, host.number(PART - 1)), host.number(PART))
        grid, block = (host.number(1), REDUCING) if reduces else (rounded, BLOCK)
        sizes = {"grid": host.extent([grid]), "block": host.extent([host.number(block)]), "shared": host.number(0)}
        host.launch("CuPy", kernel, args, **sizes)
        add_host(module, host.function())

    def _passed(self, param: ParamDecl, arg: ast.expr) -> Expr:
        if not isinstance(param.type, PointerType):
            value = self.number(arg, self.called.scope)
            return self.host.passed(value, param) if value is not None else self.host.unknown(param.type)
        size = self.elements(arg) if not param.name.startswith(ELEMENT) else None
        width = param.type.pointee.size
        if size is None or not width:
            return self.host.unknown(param.type)
        return self.host.allocated(param.name, param.type.pointee, self.arithmetic("*", size, self.host.number(width)))

    def _attribute(self, expr: ast.Attribute, scope: Scope) -> Expr | None:
        if expr.attr == "size" and scope is self.called.scope:
            return self.elements(expr.value)
        return super()._attribute(expr, scope)

    def elements(self, expr: ast.expr) -> Expr | None:
        """The elements of an array: by its shape, or as a number of its own where only its name is known."""
        array = self.array(expr, self.called.scope)
        if array is not None and array.shape:
            return self.product(array.shape)
        if _number(self, expr, self.called.scope):
            return None
        name = self.base_name(expr, self.called.scope)
        return self.host.size(f"{name}{_SIZE}") if name is not None else None


def _agreed(sizes: Sequence[Expr | None]) -> Expr | None:
    """The elements that arrays have when they are broadcast: those that are not said are as many as the others."""
    found = {expression_text(size): size for size in sizes if size is not None}
    known = {text: size for text, size in found.items() if not isinstance(size, Ref) or not text.endswith(_SIZE)}
    several = {text: size for text, size in (known or found).items() if not isinstance(size, IntLit) or size.value != 1}
    return next(iter(several.values())) if len(several) == 1 or (several and not known) else None
