"""How the size of a copy or fill is written: as a number of elements, by the size of a type, of a pointer.

A name that an allocation multiplies by the size of an element counts elements elsewhere too.
"""

from __future__ import annotations

from kernlint.analysis.hostmodel.operations import Copy, Fill, HostWalk, counted
from kernlint.analysis.hostmodel.places import Extent
from kernlint.tree.nodes import Binary, Cast, Expr, FloatLit, IntLit, Node, Ref, SizeOf
from kernlint.tree.types import FloatType, IntType, PointerType, StructType
from kernlint.tree.walk import strip_casts
from kernlint.tree.walk import walk as walk_tree

FACTORS = 8
"""Factors of a size that are looked at."""


def of_pointer(one: Copy | Fill) -> bool:
    """Whether the size is made of the size of a pointer, though no pointers are copied."""
    expr = counted(one)
    if expr is None or not any(isinstance(at, SizeOf) and isinstance(at.of, PointerType) for at in walk_tree(expr)):
        return False
    kinds = []
    for arg in one.event.node.args:
        while isinstance(arg, Cast):
            arg = arg.operand
        if isinstance(arg.type, PointerType):
            kinds.append(arg.type.pointee)
    return bool(kinds) and not any(isinstance(kind, PointerType) for kind in kinds)


def of_container(one: Copy | Fill) -> str | None:
    """The container of which the size is that of the object, where what it holds lies elsewhere."""
    expr = counted(one)
    for at in walk_tree(expr) if expr is not None else ():
        if isinstance(at, SizeOf) and isinstance(at.of, StructType) and at.of.name.partition("<")[0] in _ELSEWHERE:
            return at.of.name.partition("<")[0]
    return None


_ELSEWHERE = frozenset({"std::vector", "std::unique_ptr", "std::shared_ptr", "std::deque", "std::span"})
"""Types of the standard library whose objects hold a pointer to their elements."""


def is_count(one: Copy | Fill, named: bool = True) -> bool:
    """Whether a constant size may be a number of elements: it is written as one number, or (``named``) as a name."""
    expr = counted(one)
    while isinstance(expr, Cast):
        expr = expr.operand
    if isinstance(expr, Ref):
        return named
    if isinstance(expr, Binary) and expr.op == "/":  # bytes by the size of an element
        by = strip_casts(expr.rhs)
        return isinstance(by, SizeOf) or (isinstance(by, IntLit) and not plain_number(by))
    return isinstance(expr, IntLit) and plain_number(expr)


def in_bytes(one: Copy | Fill) -> bool:
    """Whether the size of an element is a factor of what an operation counts: it counts bytes."""
    expr = counted(one)
    return expr is not None and by_size(expr)


def by_size(size: Expr) -> bool:
    """Whether the size of a type is a factor of a size."""
    return size_factor(size) is not None


def size_factor(size: Expr) -> int | None:
    """The size of a type, in bytes, that is a factor of a size, as far as the declarations of what it names; None:
    none is.  Of several, the first."""
    return next(iter(size_factors(size)), None)


def size_factors(size: Expr) -> list[int]:
    """The factors of a size that may be sizes of types: numbers that are not written as such, but for names too short
    for that where something else is left.  0: the size of a type that depends on a template's argument."""
    found: list[tuple[int, int]] = []
    factors = [size]
    for expr in factors:  # grows
        expr = strip_casts(expr)
        if isinstance(expr, Binary) and expr.op == "*":
            factors += [expr.lhs, expr.rhs]
        elif isinstance(expr, Ref) and expr.decl.init is not None and len(factors) < FACTORS:
            factors.append(expr.decl.init)
        elif isinstance(expr, IntLit) and not plain_number(expr):
            found.append((expr.value, expr.span.end - expr.span.start))
        elif isinstance(expr, SizeOf):
            found.append((0, _SHORTEST))
    long = [value for value, length in found if length >= _SHORTEST]
    return long or [value for value, _ in found]


_SHORTEST = len("sizeof x")


def plain_number(number: IntLit) -> bool:
    """Whether a number is written as one, and not as the size of a type."""
    return number.span.end - number.span.start == len(str(number.value))


def more_than_a_byte(value: int | None) -> bool:
    """Whether a number that bytes are filled with has more bits than a byte, and is not the same byte four times."""
    if value is None or -128 <= value <= 255:
        return False
    whole = value & 0xFFFFFFFF
    return whole != (whole & 0xFF) * 0x01010101


def is_fraction(expr: Expr) -> bool:
    """Whether a number that is passed as an integer is a floating-point one that is not plainly 0."""
    while isinstance(expr, Cast) and isinstance(expr.type, IntType):
        expr = expr.operand
    return isinstance(expr.type, FloatType) and not (isinstance(expr, FloatLit) and expr.value == 0)


def made_of_elements(behind: Extent, walk: HostWalk) -> bool:
    """Whether memory is allocated by a number of elements, times the size of one."""
    made = [arg for api in walk.trace.apis if api.span == behind.span for arg in api.node.args]
    named = [at.decl.init for arg in made for at in walk_tree(arg) if isinstance(at, Ref) and at.decl.init is not None]
    numbers = (at for arg in (*made, *named) for at in walk_tree(arg) if isinstance(at, IntLit))
    return any(at.value == behind.element and not plain_number(at) for at in numbers)


def _a_size(node: Node) -> bool:
    return isinstance(node, SizeOf) or (isinstance(node, IntLit) and not plain_number(node))


def same_name(one: Copy | Fill, behind: Extent, walk: HostWalk) -> bool:
    """Whether a size is a named number that the memory was allocated by, times the size of an element there."""
    expr = counted(one)
    expr = strip_casts(expr) if expr is not None else None
    if not isinstance(expr, Ref):
        return False
    made = [arg for api in walk.trace.apis if api.span == behind.span for arg in api.node.args]
    sized = (arg for arg in made if any(_a_size(at) for at in walk_tree(arg)))
    return any(isinstance(at, Ref) and at.decl is expr.decl for arg in sized for at in walk_tree(arg))
