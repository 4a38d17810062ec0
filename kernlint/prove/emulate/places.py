"""Translation of lvalues, reads, assignments and braces."""

from __future__ import annotations

from kernlint.prove.emulate.aggregates import Aggregates
from kernlint.prove.emulate.formats import cell_format, size_of
from kernlint.prove.emulate.frame import Place, by_value, identifier, is_group, is_reference, result_type, root
from kernlint.tree.nodes import (
    AddressOf,
    Assign,
    Binary,
    Call,
    Cast,
    Conditional,
    Deref,
    Expr,
    FloatLit,
    IncDec,
    IntLit,
    Member,
    ParamDecl,
    Ref,
    Subscript,
    VarDecl,
)
from kernlint.tree.types import (
    ArrayType,
    FloatType,
    IntType,
    PointerType,
    Space,
    StructType,
    Type,
    VectorType,
    VoidType,
)


def plus(off: str, more: int | str) -> str:
    """Code of a sum of byte offsets, constants folded."""
    more = str(more)
    if more == "0":
        return off
    if off == "0":
        return more
    if off.isdigit() and more.isdigit():
        return str(int(off) + int(more))
    return f"{off} + {more}"


def volatile(expr: Expr) -> bool:
    """Whether an lvalue is of a volatile object."""
    while True:
        if isinstance(expr, Ref):
            kind = expr.decl.type
            return expr.decl.volatile or (isinstance(kind, PointerType) and kind.reference and kind.volatile)
        if isinstance(expr, Subscript):
            if isinstance(expr.base.type, PointerType):
                return expr.base.type.volatile
            expr = expr.base
        elif isinstance(expr, Deref):
            return isinstance(expr.pointer.type, PointerType) and expr.pointer.type.volatile
        elif isinstance(expr, Member):
            if expr.arrow:
                return isinstance(expr.base.type, PointerType) and expr.base.type.volatile
            expr = expr.base
        elif isinstance(expr, Cast):
            expr = expr.operand
        else:
            return False


class Places(Aggregates):
    """Memory: where things are, how they are read and written."""

    # -------------------------------------------------------------------------------------------- variables

    def variable_object(self, decl: VarDecl) -> str | None:
        """Code of the memory object that a variable is; None for one that is a Python variable."""
        if self.is_shared(decl):
            return self._listed(decl, self.program.shared, "S", "T.block.shared")
        if self.is_module_variable(decl):
            return self._listed(decl, self.program.globals, "G", "T.k.module")
        return self.name_of(decl) if self.in_memory(decl) else None

    def _listed(self, decl: VarDecl, known: list[VarDecl], letter: str, where: str) -> str:
        if decl not in known:
            known.append(decl)
        index = known.index(decl)
        return self.need(f"{letter}{index}", f"{where}[{index}]")

    def addressed(self, expr: Expr) -> bool:
        """Whether the expression denotes something in memory."""
        if isinstance(expr, Ref):
            if is_reference(expr.decl):
                return not by_value(expr.decl)
            return self.variable_object(expr.decl) is not None
        if isinstance(expr, Subscript):
            return isinstance(result_type(expr.base.type), PointerType) or self.addressed(expr.base)
        if isinstance(expr, Deref):
            return True
        if isinstance(expr, Member):
            return expr.arrow or self.addressed(expr.base)
        if isinstance(expr, Cast):
            return not expr.bits and not isinstance(expr.type, (IntType, FloatType)) and self.addressed(expr.operand)
        if isinstance(expr, Call):
            result = expr.function.result if expr.function is not None else None
            return isinstance(result, PointerType) and result.reference
        if isinstance(expr, Conditional):
            return self.addressed(expr.then) and self.addressed(expr.other)
        if isinstance(expr, (Assign, IncDec)):
            return self.addressed(expr.target)
        return False

    def place(self, expr: Expr) -> Place:
        if isinstance(expr, Ref):
            if is_reference(expr.decl) and not by_value(expr.decl):
                return self._pair(self.name_of(expr.decl))
            obj = self.variable_object(expr.decl)
            if obj is not None:
                return obj, "0"
        elif isinstance(expr, Subscript):
            return self._element(expr)
        elif isinstance(expr, Deref):
            return self.pointer(expr.pointer)
        elif isinstance(expr, Member):
            return self._member(expr)
        elif isinstance(expr, Cast):
            return self.place(expr.operand)
        elif isinstance(expr, Call) and self.addressed(expr):
            return self._pair(self.call(expr))
        elif isinstance(expr, Conditional) and self.addressed(expr):
            then, other = self.place(expr.then), self.place(expr.other)
            return self._pair(f"(({then[0]}, {then[1]}) if {self.truth(expr.cond)} else ({other[0]}, {other[1]}))")
        elif isinstance(expr, (Assign, IncDec)) and self.addressed(expr):
            obj, off = self.place(expr.target)
            name = self.temporary()
            return f"({name} := ({self.value(expr)}, {obj})[1])", off
        kind = result_type(expr.type)
        if isinstance(kind, StructType):
            return self.value(expr), "0"
        # a value without an address gets one for a moment
        index = self.program.layout("", kind)
        return f"TEMP(T, {index}, {self.value(expr)}, {self.cells(kind)})", "0"

    def _pair(self, code: str) -> Place:
        if self.simple(code):
            return f"{code}[0]", f"{code}[1]"
        name = self.temporary()
        return f"({name} := {code})[0]", f"{name}[1]"

    def _element(self, expr: Subscript) -> Place:
        base = expr.base
        kind = result_type(base.type)
        size = size_of(result_type(expr.type))
        if isinstance(kind, PointerType):
            obj, off = self.pointer(base)
            size = size_of(kind.pointee)
        else:
            obj, off = self.place(base)
            if isinstance(kind, (ArrayType, VectorType)):
                size = size_of(kind.element)
        if size is None:
            return self.unsupported("an element of unknown size"), "0"
        index, low, high = self.number(expr.index)
        if low == high:
            return obj, plus(off, low * size if low >= 0 else f"({low * size})")
        extent = kind.extent if isinstance(kind, ArrayType) and not isinstance(base, Ref) else None
        if extent is not None and extent > 1 and (low < 0 or high >= extent):
            owner = root(base)
            name = owner.name if owner is not None else ""
            site = self.site(expr)
            index = f"(i_ if 0 <= (i_ := {index}) < {extent} else INNER(T, {name!r}, i_, {extent}, {site}))"
        return obj, plus(off, index if size == 1 else f"{index} * {size}")

    def _member(self, expr: Member) -> Place:
        kind = result_type(expr.base.type)
        if expr.arrow:
            obj, off = self.pointer(expr.base)
            if isinstance(kind, PointerType):
                kind = kind.pointee
        else:
            obj, off = self.place(expr.base)
        if expr.lanes and isinstance(kind, VectorType) and kind.element.size:
            return obj, plus(off, expr.lanes[0] * kind.element.size)
        found = kind.field(expr.field) if isinstance(kind, StructType) and kind.known else None
        if found is None or found.offset is None:
            return self.unsupported(f"the member {expr.field} of a type that is not known"), "0"
        if isinstance(found.type, PointerType) and found.type.reference:
            return self._pair(self.load((obj, plus(off, found.offset)), PointerType(found.type.pointee), expr))
        return obj, plus(off, found.offset)

    def pointer(self, expr: Expr) -> Place:
        kind = result_type(expr.type)
        if isinstance(kind, ArrayType):
            return self.place(expr)
        if isinstance(expr, AddressOf):
            return self.place(expr.operand)
        if isinstance(expr, Cast) and isinstance(result_type(expr.operand.type), (PointerType, ArrayType)):
            return self.pointer(expr.operand)
        if isinstance(expr, Binary) and expr.op in ("+", "-") and isinstance(kind, PointerType):
            base, by = expr.lhs, expr.rhs
            if not isinstance(result_type(base.type), (PointerType, ArrayType)):
                base, by = by, base
            size = 1 if isinstance(kind.pointee, VoidType) else size_of(kind.pointee)
            if size is None:
                return self.unsupported("arithmetic on a pointer to a type of unknown size"), "0"
            obj, off = self.pointer(base)
            index, low, high = self.number(by)
            if low == high:
                step = low * size * (1 if expr.op == "+" else -1)
                return obj, plus(off, step if step >= 0 else f"({step})")
            scaled = index if size == 1 else f"{index} * {size}"
            return obj, plus(off, scaled if expr.op == "+" else f"-({scaled})")
        if isinstance(expr, Ref) and not is_reference(expr.decl) and self.variable_object(expr.decl) is None:
            name = self.name_of(expr.decl)
            if expr.decl in self.function.params and expr.decl not in self.mutated:
                return self.need(f"{name}_o", f"{name}[0]"), self.need(f"{name}_f", f"{name}[1]")
            return self._pair(name)
        return self._pair(self.value_of_pointer(expr))

    # ------------------------------------------------------------------------------------------ read and write

    def load(self, place: Place, kind: Type, expr: Expr) -> str:
        obj, off = place
        fmt = cell_format(kind)
        marked = volatile(expr)
        site = self.site(expr, marked)
        if fmt is not None:
            return f"{obj}.load{'_volatile' if marked else ''}({off}, {fmt!r}, T, {site})"
        if isinstance(kind, VectorType):
            fmt = cell_format(kind.element)
            if fmt is not None:
                return f"{obj}.loadv({off}, {kind.lanes}, {fmt!r}, {alignment(kind, expr)}, T, {site})"
        if isinstance(kind, ArrayType):
            return f"({obj}, {off})"
        if isinstance(kind, StructType) and kind.known:
            return f"{obj}.copy_out({off}, {self.cells(kind)}, T, {site})"
        return self.unsupported("a read of a type that is not known")

    def store(self, place: Place, value: str, kind: Type, expr: Expr) -> str:
        obj, off = place
        fmt = cell_format(kind)
        marked = volatile(expr)
        site = self.site(expr, marked)
        if fmt is not None:
            return f"{obj}.store{'_volatile' if marked else ''}({off}, {value}, {fmt!r}, T, {site})"
        if isinstance(kind, VectorType):
            fmt = cell_format(kind.element)
            if fmt is not None:
                return f"{obj}.storev({off}, {value}, {fmt!r}, {alignment(kind, expr)}, T, {site})"
        if isinstance(kind, StructType) and kind.known:
            return f"{obj}.copy_in({off}, {value}, {self.cells(kind)}, T, {site})"
        return self.unsupported("a write of a type that is not known")

    def read(self, expr: Expr) -> str:
        if isinstance(expr, Ref):
            decl = expr.decl
            if is_reference(decl):
                if by_value(decl):
                    return self.name_of(decl)
                return self.load(self.place(expr), result_type(decl.type), expr)
            if isinstance(decl, ParamDecl) and decl.is_template:
                return self.need(f"N_{identifier(decl.name)}", f"T.k.constant({decl.name!r})")
            if self.variable_object(decl) is None:
                return self.name_of(decl)
            kind = decl.type if not isinstance(expr.type, ArrayType) else expr.type
            if is_group(kind):
                return self.name_of(decl)
            return self.load(self.place(expr), kind, expr)
        if isinstance(expr, Member) and expr.lanes:
            return self._lanes(expr)
        if isinstance(expr, Subscript) and self._is_register(expr.base):
            return f"{self.value(expr.base)}[{self.value(expr.index)}]"
        return self.load(self.place(expr), result_type(expr.type), expr)

    def _is_register(self, expr: Expr) -> bool:
        """Whether the expression is a vector that is not in memory."""
        return isinstance(result_type(expr.type), VectorType) and not self.addressed(expr)

    def _lanes(self, expr: Member) -> str:
        if len(expr.lanes) == 1:
            if expr.arrow or self.addressed(expr.base):
                return self.load(self.place(expr), result_type(expr.type), expr)
            return f"{self.value(expr.base)}[{expr.lanes[0]}]"
        vector = self.whole_vector(expr)
        return f"LANES({vector}, {expr.lanes!r})"

    def whole_vector(self, expr: Member) -> str:
        """The vector that a swizzle selects from."""
        kind = result_type(expr.base.type)
        if expr.arrow and isinstance(kind, PointerType):
            return self.load(self.pointer(expr.base), kind.pointee, expr.base)
        return self.value(expr.base)

    # -------------------------------------------------------------------------------------------- assignments

    def assign(self, expr: Assign) -> str:
        target = expr.target
        if (
            not expr.op
            and isinstance(target, Member)
            and isinstance(target.type, PointerType)
            and target.type.reference
        ):
            return self._bind(target, target.type, expr.value)
        if not expr.op:
            return self.assignment(target, self._assigned_value(expr.value, target))
        kind = result_type(target.type)
        compute = expr.compute if expr.compute is not None else kind

        def combined(old: Expr) -> str:
            left = old if compute == kind else Cast(expr.span, compute, old, False)
            result: Expr = Binary(expr.span, compute, expr.op, left, expr.value)
            if compute != kind:
                result = Cast(expr.span, kind, result, False)
            return self.value(result)

        return self._update(target, combined)

    def _bind(self, target: Member, kind: PointerType, value: Expr) -> str:
        """A constructor binds the field ``target``, a C++ reference of type ``kind``."""
        outer = result_type(target.base.type)
        if target.arrow and isinstance(outer, PointerType):
            outer = outer.pointee
        found = outer.field(target.field) if isinstance(outer, StructType) and outer.known else None
        if found is None or found.offset is None or not self.addressed(value):
            return self.unsupported(f"the reference {target.field} of an object that is not known")
        holder, at = self.pointer(target.base) if target.arrow else self.place(target.base)
        obj, off = self.place(value)
        return self.store((holder, plus(at, found.offset)), f"({obj}, {off})", PointerType(kind.pointee), target)

    def _assigned_value(self, value: Expr, target: Expr) -> str:
        if isinstance(result_type(target.type), PointerType):
            return self.value_of_pointer(value)
        return self.value(value)

    def _update(self, target: Expr, combined: object, old_wanted: bool = False) -> str:
        """``target = combined(target)`` with ``target`` evaluated once; yields the new value or the old one."""
        assert callable(combined)
        kind = result_type(target.type)
        if not self.addressed(target):
            if not old_wanted:
                return self.assignment(target, combined(target))
            name = self.temporary()
            return f"(({name} := {self.value(target)}), {self.assignment(target, combined(target))})[0]"
        obj, off = self.place(target)
        o, f = self.temporary(), self.temporary()
        load = self.load((o, f), kind, target)
        old = VarDecl(target.span, "old", kind, Space.PRIVATE)
        if not old_wanted:
            self.names[old] = load
            value = combined(Ref(target.span, kind, old))
            return f"(({o} := {obj}), ({f} := {off}), {self.store((o, f), value, kind, target)})[2]"
        name = self.names[old] = self.temporary()
        value = combined(Ref(target.span, kind, old))
        return f"(({o} := {obj}), ({f} := {off}), ({name} := {load}), {self.store((o, f), value, kind, target)})[2]"

    def step(self, expr: IncDec) -> str:
        kind = result_type(expr.target.type)
        one: Expr
        if isinstance(kind, FloatType):
            one = FloatLit(expr.span, kind, 1.0)
        else:
            one = IntLit(expr.span, kind if isinstance(kind, IntType) else IntType(64, True), 1)
        op = expr.op[0]

        def combined(old: Expr) -> str:
            return self.value(Binary(expr.span, kind, op, old, one))

        return self._update(expr.target, combined, not expr.prefix)

    def assignment(self, target: Expr, value: str) -> str:
        if isinstance(target, Ref) and not self.addressed(target):
            name = self.name_of(target.decl)
            self.assigned.add(name)
            return f"({name} := {value})"
        if isinstance(target, Member) and target.lanes and (len(target.lanes) > 1 or not self.addressed(target.base)):
            kind = result_type(target.base.type)
            if target.arrow or self.addressed(target.base):
                if target.arrow and isinstance(kind, PointerType):
                    kind = kind.pointee
                return self._store_lanes(target, value, kind)
            name = self.temporary()
            new = f"WITH({self.value(target.base)}, {target.lanes!r}, ({name} := {value}))"
            return f"({self.assignment(target.base, new)}, {name})[1]"
        if isinstance(target, Subscript) and self._is_register(target.base):
            name = self.temporary()
            index = f"({self.value(target.index)},)"
            new = f"WITH({self.value(target.base)}, {index}, ({name} := {value}))"
            return f"({self.assignment(target.base, new)}, {name})[1]"
        if isinstance(target, Cast) and not self.addressed(target):
            return self.assignment(target.operand, value)
        if not self.addressed(target):
            return self.unsupported("an assignment to something without a place")
        return self.store(self.place(target), value, result_type(target.type), target)

    def _store_lanes(self, target: Member, value: str, kind: Type) -> str:
        """Write several lanes of a vector in memory, each on its own."""
        if not isinstance(kind, VectorType) or kind.element.size is None:
            return self.unsupported("lanes of something that is no vector")
        fmt = cell_format(kind.element)
        obj, off = self.pointer(target.base) if target.arrow else self.place(target.base)
        o, f, v = self.temporary(), self.temporary(), self.temporary()
        site = self.site(target, volatile(target))
        stores = ", ".join(
            f"{o}.store({f} + {lane * kind.element.size}, {v}[{at}], {fmt!r}, T, {site})"
            for at, lane in enumerate(target.lanes)
        )
        return f"(({o} := {obj}), ({f} := {off}), ({v} := {value}), {stores})[2]"


def alignment(kind: VectorType, expr: Expr) -> int:
    """Bytes to which a vector access must be aligned."""
    one = kind.element.size or 1
    if isinstance(expr, Deref) and expr.unaligned:
        return one
    if kind.lanes == 3 and not kind.padded:
        return one
    return min(kind.size or one, 16)
