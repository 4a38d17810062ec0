"""Translation of calls: the kernel's own functions, lambdas, constructors, mathematics, and functions not there."""

from __future__ import annotations

import re

from kernlint.prove.emulate import mathematics
from kernlint.prove.emulate.formats import cell_format
from kernlint.prove.emulate.frame import by_value, is_group, is_reference, result_type
from kernlint.prove.emulate.places import Places
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import Call, Expr, FunctionDecl, Lambda, Opaque, ParamDecl, Ref, VarDecl
from kernlint.tree.types import ArrayType, FloatType, IntType, PointerType, StructType, VectorType, VoidType
from kernlint.tree.walk import walk

_WAITS = pattern("sync|barrier|wait|fence|arrive|exit|trap|abort", re.IGNORECASE)
_SILENT = frozenset({"printf", "vprintf", "puts", "putchar", "fprintf", "prefetch"})


class Callees(Places):
    """Calls."""

    def call(self, expr: Call) -> str:
        function = expr.function
        if _is_copy(expr, function):
            return self.value(expr.args[0])
        if function is not None and function.body is not None:
            closure = self.program.closures.get(id(function.body))
            if closure is not None:
                return self._closure_call(expr, function)
            return self._known(expr, function)
        if expr.name in ("memcpy", "memmove", "memset") and len(expr.args) >= 3:
            return self._memory_function(expr)
        if expr.pure_math:
            return self._mathematics(expr)
        name = expr.name.rpartition("::")[2]
        if name in _SILENT:
            return f"NOTHING({', '.join(self.value(arg) for arg in expr.args)})"
        return self._unknown(expr)

    # --------------------------------------------------------------------------------- the kernel's own functions

    def _known(self, expr: Call, function: FunctionDecl) -> str:
        name = self.program.function(function)
        args = ["T"]
        made = ""
        if function.this is not None:
            if expr.receiver is not None:
                args.append(self._receiver(expr.receiver))
            elif isinstance(expr.type, StructType):
                made = self.temporary()
                args.append(f"({made}, 0)")
            else:
                return self.unsupported(f"a call of the method {function.name} without an object")
        args += self._arguments(expr, function.params)
        code = f"{name}({', '.join(args)})"
        if self.program.waiting(function):
            code = f"(yield from {code})"
        if made:
            layout = self.program.layout("", expr.type)
            return f"(({made} := NEW(T, {layout})), {code})[0]"
        result = function.result
        if isinstance(result, PointerType) and result.reference and not self._wants_place:
            return self._through(code, result, expr)
        return code

    _wants_place = False

    def place(self, expr: Expr) -> tuple[str, str]:
        if isinstance(expr, Call) and self.addressed(expr):
            self._wants_place, before = True, self._wants_place
            try:
                code = self.call(expr)
            finally:
                self._wants_place = before
            return self._pair(code)
        return super().place(expr)

    def _through(self, code: str, result: PointerType, expr: Call) -> str:
        """The value that a returned reference refers to."""
        return self.load(self._pair(code), result.pointee, expr)

    def _receiver(self, receiver: Expr) -> str:
        if isinstance(receiver.type, PointerType) and not receiver.type.reference:
            return self.value(receiver)
        obj, off = self._plain_place(receiver)
        return f"({obj}, {off})"

    def _plain_place(self, expr: Expr) -> tuple[str, str]:
        before, self._wants_place = self._wants_place, False
        try:
            return self.place(expr)
        finally:
            self._wants_place = before

    def _arguments(self, expr: Call, params: tuple[ParamDecl, ...]) -> list[str]:
        before, self._wants_place = self._wants_place, False
        try:
            return [self._argument(expr, param, at) for at, param in enumerate(params)]
        finally:
            self._wants_place = before

    def _argument(self, expr: Call, param: ParamDecl, at: int) -> str:
        arg: Expr | None = expr.args[at] if at < len(expr.args) else None
        if arg is None or (isinstance(arg, Opaque) and "default" in arg.reason):
            if param.init is None:
                return self.unsupported(f"a default argument of {expr.name} that is not known")
            arg = param.init
        if is_reference(param) and not by_value(param):
            obj, off = self.place(arg)
            return f"({obj}, {off})"
        if isinstance(result_type(param.type), PointerType):
            return self.value_of_pointer(arg)
        return self.value(arg)

    # ------------------------------------------------------------------------------------------------ lambdas

    def _closure_call(self, expr: Call, function: FunctionDecl) -> str:
        if expr.receiver is None:
            return self.unsupported("a call of a lambda that is not at hand")
        code = f"{self.value(expr.receiver)}({', '.join(['T', *self._arguments(expr, function.params)])})"
        return f"(yield from {code})" if self.program.waiting(function) else code

    def closure(self, expr: Lambda) -> str:
        """A nested function; variables captured by reference are shared with it, others copied into defaults."""
        name = f"lambda{self.temporary()}"
        outer_lines, outer_depth = self.lines, self.depth
        outer_names, outer_assigned = set(self.local_names), self.assigned
        self.lines, self.depth, self.assigned = [], outer_depth + 1, set()
        params = [self.name_of(param) for param in expr.params]
        self.enter(expr.params)
        self.body_of(expr.body)
        if self.program.waits_in(expr.body):
            self.emit("if 0: yield")
        body, assigned = self.lines, self.assigned
        self.lines, self.depth, self.assigned = outer_lines, outer_depth, outer_assigned
        copies = []
        if not expr.by_reference:
            used = {
                self.names[node.decl] for node in walk(expr.body) if isinstance(node, Ref) and node.decl in self.names
            }
            copies = sorted(used & outer_names)
        shared = sorted((assigned & outer_names) - set(copies) - set(params))
        heading = ", ".join(["T", *params])
        if copies:
            heading += ", *, " + ", ".join(f"{copy}={copy}" for copy in copies)
        self.emit(f"def {name}({heading}):")
        pad = "    " * (self.depth + 1)
        if shared:
            self.lines.append(f"{pad}nonlocal {', '.join(shared)}")
        self.lines += body or [f"{pad}pass"]
        return name

    # --------------------------------------------------------------------------------------------- mathematics

    def _mathematics(self, expr: Call) -> str:
        kind = result_type(expr.type)
        if isinstance(kind, VoidType):
            return f"NOTHING({', '.join(self.value(arg) for arg in expr.args)})"
        if expr.name == "select" and len(expr.args) == 3:
            no, yes, cond = (self.value(arg) for arg in expr.args)
            chooser = result_type(expr.args[2].type)
            if isinstance(chooser, VectorType):
                return self.chosen(chooser, cond, yes, no)
        scalar = kind.element if isinstance(kind, VectorType) else kind
        name = mathematics.find(expr.name, isinstance(scalar, FloatType))
        if name is None:
            return self._approximation(expr)
        args = [self.value(arg) for arg in expr.args]
        bits = self._operand_bits(expr)
        if isinstance(kind, VectorType) and name not in mathematics.WHOLE:
            spread = [
                code if isinstance(result_type(arg.type), VectorType) else f"({code},) * {kind.lanes}"
                for code, arg in zip(args, expr.args, strict=True)
            ]
            names = ", ".join("abcdefgh"[: len(args)])
            return f"MAP(lambda {names}: {self._applied(name, names, bits, scalar)}, {', '.join(spread)})"
        return self._applied(name, ", ".join(args), bits, scalar)

    def _applied(self, name: str, args: str, bits: int, kind: object) -> str:
        if name in mathematics.BITWISE:
            args = f"{args}, {bits}"
        code = f"X_{name}({args})"
        if isinstance(kind, IntType) and kind.bits > 1:
            return f"TOINT({code}, {kind.bits}, {kind.signed})"
        return code

    @staticmethod
    def _operand_bits(expr: Call) -> int:
        kind = result_type(expr.args[0].type) if expr.args else result_type(expr.type)
        if isinstance(kind, VectorType):
            kind = kind.element
        return kind.bits if isinstance(kind, IntType) else 32

    def _approximation(self, expr: Call) -> str:
        """A function of its arguments whose values are not known exactly: something that depends on them."""
        kind = result_type(expr.type)
        scalar = kind.element if isinstance(kind, VectorType) else kind
        if not isinstance(scalar, (FloatType, IntType, VoidType)):
            return self.unsupported(f"the function {expr.name}")
        args = "".join(f"{self.value(arg)}, " for arg in expr.args)
        lanes = kind.lanes if isinstance(kind, VectorType) else 0
        whole = isinstance(scalar, IntType)
        return f"ROUGH(T, {expr.name!r}, ({args}), {lanes}, {whole})"

    def _unknown(self, expr: Call) -> str:
        """A function that takes numbers only can neither write memory nor, unless its name says so, wait for others."""
        kinds = [result_type(arg.type) for arg in expr.args]
        scalars = all(isinstance(kind, (IntType, FloatType, VectorType)) for kind in kinds)
        if scalars and expr.receiver is None and not _WAITS.search(expr.name):
            return self._approximation(expr)
        return self.unsupported(f"a call of {expr.name}, whose body is not in sight")

    def _memory_function(self, expr: Call) -> str:
        target, source, size = expr.args[:3]
        if expr.name == "memset":
            return (
                f"MEMSET(T, {self.value_of_pointer(target)}, {self.value(source)}, {self.value(size)}, "
                f"{self.pointed_format(target)!r}, {self.site(expr)})"
            )
        return (
            f"MEMCPY(T, {self.value_of_pointer(target)}, {self.value_of_pointer(source)}, {self.value(size)}, "
            f"{self.pointed_format(target)!r}, {self.site(expr)})"
        )

    @staticmethod
    def pointed_format(pointer: Expr) -> str:
        """The format of the scalars a pointer points to (bytes when it is not known)."""
        kind = result_type(pointer.type)
        kind = kind.pointee if isinstance(kind, PointerType) else kind
        while isinstance(kind, (ArrayType, VectorType)):
            kind = kind.element
        return cell_format(kind) or "u1"

    # ------------------------------------------------------------------------------------- written elsewhere

    def enter(self, params: tuple[VarDecl, ...]) -> None:
        """Code that prepares parameters at the start of a function."""
        raise NotImplementedError

    def body_of(self, body: object) -> None:
        """Code of a function's statements."""
        raise NotImplementedError


def _is_copy(call: Call, function: FunctionDecl | None) -> bool:
    """Whether the call is a copy constructor that nobody wrote."""
    if len(call.args) != 1 or call.receiver is not None or not isinstance(call.type, StructType):
        return False
    unwritten = function is None or not function.params or is_group(call.type)
    return unwritten and result_type(call.args[0].type) == call.type
