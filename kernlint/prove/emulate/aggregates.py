"""Translation of braces: initialisers of arrays and structs, literals of vectors."""

from __future__ import annotations

from kernlint.prove.emulate.formats import cell_format, size_of
from kernlint.prove.emulate.frame import result_type
from kernlint.prove.emulate.values import Values
from kernlint.tree.nodes import (
    Expr,
    InitList,
)
from kernlint.tree.types import (
    ArrayType,
    FloatType,
    PointerType,
    StructType,
    Type,
    VectorType,
)


class Aggregates(Values):
    """Values in braces."""

    def cells(self, kind: Type) -> str:
        """Code of the list of scalar cells of ``kind``."""
        return f"C[{self.program.cells_of(kind)}]"

    def braces(self, expr: InitList) -> str:
        kind = result_type(expr.type)
        if isinstance(kind, VectorType):
            return self._vector_braces(expr, kind)
        if isinstance(kind, (StructType, ArrayType)) and size_of(kind) is not None:
            return self.aggregate(expr, kind, self.program.layout("", kind))
        if len(expr.elements) == 1:
            return self.value(expr.elements[0])
        if isinstance(kind, PointerType):
            return self.null()
        if not expr.elements:
            return "0.0" if isinstance(kind, FloatType) else "0"
        return self.unsupported("a value in braces of a type that is not known")

    def _vector_braces(self, expr: InitList, kind: VectorType) -> str:
        parts = []
        lanes = 0
        for element in expr.elements:
            inner = result_type(element.type)
            if isinstance(inner, VectorType):
                parts.append(f"*{self.value(element)}")
                lanes += inner.lanes
            else:
                parts.append(self.value(element))
                lanes += 1
        if len(expr.elements) == 1:
            if lanes == kind.lanes and parts[0].startswith("*"):
                return parts[0][1:]
            if lanes == 1 and self.program.language == "opencl":
                return f"({parts[0]},) * {kind.lanes}"
        parts += ["0"] * (kind.lanes - lanes)
        return f"({', '.join(parts)},)"

    def aggregate(self, expr: Expr, kind: Type, layout: int) -> str:
        """A new memory object of ``layout`` with the cells that ``expr`` gives; all others are zero."""
        cells: list[str] = []
        self._fill(expr, kind, 0, cells)
        return f"FILLED(T, {layout}, ({''.join(cell + ', ' for cell in cells)}))"

    def _fill(self, expr: Expr, kind: Type, off: int, cells: list[str]) -> None:
        if isinstance(expr, InitList) and isinstance(kind, ArrayType):
            step = size_of(kind.element) or 0
            for at, element in enumerate(expr.elements):
                self._fill(element, kind.element, off + at * step, cells)
            return
        if isinstance(expr, InitList) and isinstance(kind, StructType):
            fields = kind.fields[:1] if kind.union else kind.fields
            for field, element in zip(fields, expr.elements, strict=False):
                self._fill(element, field.type, off + (field.offset or 0), cells)
            return
        fmt = cell_format(kind)
        if fmt is not None:
            value = self.value_of_pointer(expr) if isinstance(kind, PointerType) else self.value(expr)
            cells.append(f"({off}, {fmt!r}, {value})")
        elif isinstance(kind, VectorType):
            lane = cell_format(kind.element)
            cells.append(f"*SPREAD({off}, {lane!r}, {self.value(expr)})")
        elif isinstance(kind, StructType):
            cells.append(f"*CELLS({off}, {self.value(expr)})")
        else:
            cells.append(self.unsupported("an initialiser that is not understood"))
