"""What constant arrays hold: tables whose contents stand in the source and which nothing can change."""

from __future__ import annotations

from kernlint.analysis.trace.events import Root, RootKind
from kernlint.analysis.trace.values import fields_of, left_out
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import Term, const
from kernlint.tree.nodes import Cast, Expr, FloatLit, InitList, IntLit, Ref, Unary, VarDecl
from kernlint.tree.types import ArrayType, FloatType, IntType, PointerType, Space, StructType, Type, VectorType

LARGEST = 4096
"""Scalars of a table that are looked at."""

EXACT = 2048
"""Whole numbers up to this one are exact in every floating-point type."""

Number = int | float


@dataclass(frozen=True, slots=True)
class Table:
    """The scalars of a constant object by byte offset (None: not a constant), and the only value among them, if they
    are of one type and there is one."""

    cells: dict[int, tuple[Type, Number | None]]
    only: tuple[Type, Number] | None
    zero: bool


def content(tables: dict[VarDecl, Table | None], root: Root, offset: Term, type_: Type, language: str) -> Term | None:
    """What a read of a scalar of ``type_`` at ``offset`` in ``root`` gives where the source says so; else None.

    ``tables``: those made so far.
    """
    decl = root.decl
    if decl is None or root.kind is not RootKind.VARIABLE or root.path or not isinstance(decl.init, InitList):
        return None
    # The host may write to a __constant__ object that is not const.
    fixed = decl.const or (root.space is Space.CONSTANT and language == "opencl")
    if not fixed or decl.volatile or decl.synthesised or not isinstance(type_, (IntType, FloatType)):
        return None
    if decl not in tables:
        tables[decl] = _table(decl)
    table = tables[decl]
    if table is None:
        return None
    if table.zero:
        return _constant(0, type_)
    if offset.value is not None:
        kind, number = table.cells.get(offset.value, (None, None))
        return None if number is None or kind != type_ else _constant(number, type_)
    return None if table.only is None or table.only[0] != type_ else _constant(table.only[1], type_)


def column(root: Root, offset: Term, as_written: bool = False) -> tuple[int, ...]:
    """The whole numbers that a read in a constant table may give, whose place is the same in each row of it.

    ``as_written``: a table in constant memory counts as what stands in the source, though a host might change it.
    """
    decl = root.decl
    if decl is None or root.kind is not RootKind.VARIABLE or not isinstance(decl.type, ArrayType):
        return ()
    if not decl.const and not (as_written and root.space is Space.CONSTANT):
        return ()
    row, table = decl.type.element.size, _table(decl) if isinstance(decl.init, InitList) else None
    parts = polynomial(offset).coefficients
    if table is None or not row or any(mono and factor % row for mono, factor in parts.items()):
        return ()
    at = parts.get((), 0) % row
    return tuple(number for place, (_, number) in table.cells.items() if place % row == at and isinstance(number, int))


def _constant(number: Number, type_: Type) -> Term:
    return const(int(number), type_) if isinstance(type_, IntType) else Term("const", (float(number),), type_)


def _table(decl: VarDecl) -> Table | None:
    cells: dict[int, tuple[Type, Number | None]] = {}
    if decl.init is None or not _fill(cells, decl.type, decl.init, 0) or not cells:
        return None
    found = set(cells.values())
    kind, number = next(iter(found))
    only = (kind, number) if len(found) == 1 and number is not None else None
    return Table(cells, only, all(number == 0 for _, number in found))


def _fill(cells: dict[int, tuple[Type, Number | None]], type_: Type, init: Expr | None, at: int, rest: int = 0) -> bool:
    """Put the scalars of an object of ``type_`` at byte ``at`` into ``cells``, ``rest`` where nothing is given for one;
    false when it cannot be told."""
    if len(cells) > LARGEST:
        return False
    if isinstance(type_, (IntType, FloatType)):
        cells[at] = (type_, rest if init is None else _number(init, type_))
        return True
    if isinstance(type_, PointerType):
        cells[at] = (type_, None)
        return True
    if init is not None and not isinstance(init, InitList):
        return False
    given = () if init is None else init.elements
    parts: list[tuple[int, Type]]
    if isinstance(type_, ArrayType):
        size = type_.element.size
        if size is None or type_.extent is None or type_.extent > LARGEST:
            return False
        parts = [(size * index, type_.element) for index in range(type_.extent)]
    elif isinstance(type_, (StructType, VectorType)) and not (isinstance(type_, StructType) and type_.union):
        fields = fields_of(type_)
        if any(offset is None for _, _, offset in fields) or (isinstance(type_, VectorType) and len(given) == 1):
            return False
        parts = [(offset or 0, kind) for _, kind, offset in fields]
    else:
        return False
    if len(given) > len(parts):
        return False
    return all(
        _fill(cells, kind, given[index] if index < len(given) else None, at + offset, left_out(type_))
        for index, (offset, kind) in enumerate(parts)
    )


def _number(expr: Expr, type_: Type) -> Number | None:
    """The value of a constant as an object of ``type_`` holds it; None when it is no constant, or no exact one."""
    number = _literal(expr)
    if number is None:
        return None
    if isinstance(type_, IntType):
        return type_.wrap(number) if isinstance(number, int) else None
    return float(number) if number == int(number) and abs(number) <= EXACT else None


def _literal(expr: Expr) -> Number | None:
    if isinstance(expr, (IntLit, FloatLit)):
        return expr.value
    if isinstance(expr, Unary) and expr.op in "+-":
        number = _literal(expr.operand)
        return None if number is None else -number if expr.op == "-" else number
    if isinstance(expr, Cast) and not expr.bits:
        number = _literal(expr.operand)
        if isinstance(expr.type, IntType) and isinstance(number, int):
            return expr.type.wrap(number)
        return float(number) if isinstance(expr.type, FloatType) and number is not None else None
    if isinstance(expr, Ref):
        return expr.decl.value
    return None
