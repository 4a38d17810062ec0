"""What generated code calls: operations that need more than an operator of Python.

Names are short and in capitals because they stand in generated source.  ``t`` is always the running thread.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

from kernlint.prove.emulate import copies, mathematics
from kernlint.prove.emulate.formats import Leaf, Unsupported, Value, pack, reinterpret, unpack
from kernlint.prove.emulate.memory import MIXED, Memory
from kernlint.prove.emulate.report import FaultKind
from kernlint.prove.emulate.threads import Request, Thread, ThreadEnd
from kernlint.tree.types import Space


class OutOfSteps(Exception):
    """The budget is spent."""


def stop() -> NoReturn:
    """The budget of steps is spent."""
    raise OutOfSteps


def unsupported(what: str) -> NoReturn:
    """The run ends here."""
    raise Unsupported(what)


# ------------------------------------------------------------------------------------------------------------ integers


def wrap(value: int, bits: int, signed: bool = True) -> int:
    """``value`` in ``bits`` bits of two's complement."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def to_int(value: int | float, bits: int, signed: bool) -> int:
    """A number of whatever kind as a machine integer."""
    if isinstance(value, float):
        value = int(value) if math.isfinite(value) else 0
    return wrap(value, bits, signed)


def overflow(t: Thread, value: int, bits: int, site: int) -> int:
    """A signed result that left its type: recorded, then wrapped as the hardware does."""
    t.k.thread_fault(FaultKind.OVERFLOW, t, site, "evaluate", value)
    return wrap(value, bits)


def divide(t: Thread, a: int, b: int, bits: int, site: int) -> int:
    """C's division; ``bits`` is 0 for unsigned operands."""
    if not b:
        t.k.thread_fault(FaultKind.DIVISION_BY_ZERO, t, site, "evaluate", a)
        return 0
    quotient = abs(a) // abs(b)
    quotient = quotient if (a < 0) == (b < 0) else -quotient
    if bits and quotient >> (bits - 1) > 0:  # the least value divided by -1
        return overflow(t, quotient, bits, site)
    return quotient


def remainder(t: Thread, a: int, b: int, bits: int, site: int) -> int:
    """C's remainder, which has the dividend's sign."""
    if not b:
        t.k.thread_fault(FaultKind.DIVISION_BY_ZERO, t, site, "evaluate", a)
        return 0
    rest = abs(a) % abs(b)
    return -rest if a < 0 else rest


def shift_right(t: Thread, a: int, by: int, bits: int, site: int) -> int:
    """``a >> by``; an impossible count is recorded and gives what PTX gives: all bits shifted out."""
    if not 0 <= by < bits:
        t.k.thread_fault(FaultKind.SHIFT, t, site, "evaluate", by)
        return -1 if a < 0 else 0
    return a >> by


def shift_left(t: Thread, a: int, by: int, bits: int, signed: bool, site: int) -> int:
    """``a << by``; an impossible count is recorded and gives 0."""
    if not 0 <= by < bits:
        t.k.thread_fault(FaultKind.SHIFT, t, site, "evaluate", by)
        return 0
    return wrap(a << by, bits, signed)


def float_to_int(value: float, low: int, high: int) -> int:
    """Truncation that saturates, as the hardware's conversion does; NaN gives 0."""
    if value != value:
        return 0
    if value <= low:
        return low
    return high if value >= high else int(value)


def as_int(t: Thread, value: Value, bits: int, signed: bool) -> int:
    """A value of a class that is not modelled, as an integer, when it happens to be a number."""
    if isinstance(value, (int, float)):
        return to_int(value, bits, signed)
    raise Unsupported("an integer made of a value that is not understood")


def float_divide(a: float, b: float) -> float:
    """IEEE's division."""
    try:
        return a / b
    except ZeroDivisionError:
        return math.nan if not a or a != a else math.copysign(math.inf, a) * math.copysign(1.0, b)


def counted(first: int, stop_at: int, step: int, low: int, high: int) -> range:
    """The values of a counted loop; refused where the counter itself would wrap around."""
    runs = range(first, stop_at, step)
    if len(runs) and not low <= runs[-1] + step <= high:
        raise Unsupported("a loop whose counter wraps around")
    return runs


def axis(codes: tuple[int, ...], at: int, beyond: int) -> int:
    """A launch quantity along an axis that is not a constant."""
    return codes[at] if 0 <= at < 3 else beyond


# ------------------------------------------------------------------------------------------------------------- vectors


def lanes_of(vector: Sequence[Value], lanes: tuple[int, ...]) -> tuple[Value, ...]:
    """A swizzle; a lane beyond the vector's last (``v3.hi``) is undefined, here 0."""
    return tuple([vector[lane] if lane < len(vector) else 0 for lane in lanes])


def with_lanes(vector: Sequence[Value], lanes: tuple[int, ...], value: Value) -> tuple[Value, ...]:
    """``vector`` with some lanes replaced."""
    items = list(vector)
    if len(lanes) == 1:
        items[lanes[0]] = value
    else:
        for lane, item in zip(lanes, value, strict=True):
            items[lane] = item
    return tuple(items)


def mapped(function: Callable[..., Value], *vectors: Iterable[Value]) -> tuple[Value, ...]:
    """``function`` applied lane by lane."""
    return tuple(map(function, *vectors))


def bits_of(t: Thread, value: Value, have: str, want: str) -> Value:
    """A scalar's bits seen as another format; of different sizes, the low bytes."""
    if have[1:] == want[1:]:
        return reinterpret(value, have, want, t.k)
    data = pack(value, have, t.k)
    size = int(want[1:])
    return unpack(data[:size].ljust(size, b"\0"), want, t.k)


def lane_bits(t: Thread, value: Value, have: tuple[Leaf, ...], want: tuple[Leaf, ...]) -> Value:
    """The bits of a vector (or scalar) seen as another vector (or scalar)."""
    items = value if isinstance(value, tuple) and len(have) > 1 else (value,)
    data = b"".join(pack(item, leaf.format, t.k) for item, leaf in zip(items, have, strict=True))
    result = []
    for leaf in want:
        size = int(leaf.format[1:])
        result.append(unpack(data[leaf.offset : leaf.offset + size].ljust(size, b"\0"), leaf.format, t.k))
    return tuple(result) if len(result) > 1 else result[0]


# -------------------------------------------------------------------------------------------------------------- memory


def new(t: Thread, layout: int) -> Memory:
    """A local object, uninitialised."""
    k = t.k
    plan = k.program.layouts[layout]
    return Memory(k, plan.name, Space.PRIVATE, plan.extent, plan.fmt, plan.element, None, plan.decl)


def boxed(t: Thread, layout: int, value: Value, cells: tuple[Leaf, ...]) -> Memory:
    """A local object that holds ``value``: a scalar, a vector's lanes or a struct."""
    memory = new(t, layout)
    if isinstance(value, Memory):
        return _copied(memory, value)
    items = value if len(cells) > 1 else (value,)
    if len(cells) > 1 and memory.fmt is None:
        memory.fmt = cells[0].format
    for leaf, item in zip(cells, items, strict=True):
        if memory.place(leaf.offset, leaf.format, t, 0):
            memory.put(leaf.offset, item, leaf.format)
    return memory


def _copied(memory: Memory, value: Memory) -> Memory:
    memory.fmt = value.fmt if value.fmt is not None else memory.fmt
    memory.vals = dict(value.vals)
    memory.fmts = dict(value.fmts)
    memory.filler = value.filler
    return memory


def filled(t: Thread, layout: int, cells: Iterable[tuple[int, str, Value]]) -> Memory:
    """A local object of which some cells are given; the others are zero."""
    memory = new(t, layout)
    memory.filler = _zero
    for off, fmt, value in cells:
        memory.store(off, value, fmt, t, 0)
    return memory


def _zero(_index: int) -> int:
    return 0


def spread(off: int, fmt: str, value: Sequence[Value]) -> list[tuple[int, str, Value]]:
    """The cells of a vector at ``off``."""
    size = int(fmt[1:])
    return [(off + lane * size, fmt, item) for lane, item in enumerate(value)]


def cells_at(off: int, value: Memory) -> list[tuple[int, str, Value]]:
    """The cells of a struct placed at ``off``."""
    if value.fmt is MIXED or value.fmt is None:
        return [(off + at, value.fmts[at], item) for at, item in value.vals.items()]
    return [(off + at, value.fmt, item) for at, item in value.vals.items()]


def inner(t: Thread, name: str, index: int, extent: int, site: int) -> int:
    """An index beyond an inner dimension, or a member array, of a larger object."""
    t.k.inner_fault(t, name, index, extent, site)
    return index


def address(t: Thread, pointer: Value) -> int:
    """A pointer as a number."""
    return t.k.number(pointer)


def pointer(t: Thread, number: int) -> Value:
    """A number as a pointer."""
    return t.k.pointer(number)


def difference(t: Thread, a: Value, b: Value, size: int) -> int:
    """``a - b`` in elements of ``size`` bytes."""
    apart = a[1] - b[1] if a[0] is b[0] else t.k.number(a) - t.k.number(b)
    return int(apart // size)


def memcpy(t: Thread, target: Value, source: Value, size: int, fmt: str, site: int) -> Value:
    """``memcpy`` in cells of ``fmt`` as long as whole ones fit, then in bytes."""
    copies.transfer(t, target, source, size, fmt, site)
    return target


def memset(t: Thread, target: Value, value: int, size: int, fmt: str, site: int) -> Value:
    """``memset``."""
    step = int(fmt[1:])
    if size % step:
        fmt, step = "u1", 1
    obj, off = target
    item = unpack(bytes([value & 255]) * step, fmt, t.k)
    t.k.spend(size // step)
    for at in range(0, size, step):
        obj.store(off + at, item, fmt, t, site)
    return target


# ------------------------------------------------------------------------------------------------------------- atomics

Change = Callable[[Value], Value]


def _fit(value: Value, bits: int) -> Value:
    """``bits`` positive for signed, negative for unsigned integers, 0 for floats."""
    if not bits:
        return value
    return wrap(int(value), abs(bits), bits > 0)


def _folding(function: Callable[[Value, Value], Value]) -> Callable[..., Change]:
    def make(bits: int, operand: Value = 1) -> Change:
        return lambda old: _fit(function(old, operand), bits)

    return make


def _increment(bits: int, limit: Value = None) -> Change:
    if limit is None:
        return lambda old: _fit(old + 1, bits)
    return lambda old: 0 if old >= limit else old + 1


def _decrement(bits: int, limit: Value = None) -> Change:
    if limit is None:
        return lambda old: _fit(old - 1, bits)
    return lambda old: limit if old == 0 or old > limit else old - 1


def _swap(bits: int, compare: Value, value: Value) -> Change:
    compare, value = _fit(compare, bits), _fit(value, bits)
    return lambda old: value if old == compare else old


ATOMICS: dict[str, Callable[..., Change]] = {
    "add": _folding(lambda a, b: a + b),
    "sub": _folding(lambda a, b: a - b),
    "mul": _folding(lambda a, b: a * b),
    "min": _folding(min),
    "max": _folding(max),
    "and": _folding(lambda a, b: a & b),
    "or": _folding(lambda a, b: a | b),
    "xor": _folding(lambda a, b: a ^ b),
    "exchange": _folding(lambda _a, b: b),
    "store": _folding(lambda _a, b: b),
    "inc": _increment,
    "dec": _decrement,
    "cas": _swap,
    "flag_set": lambda _bits: lambda _old: 1,
    "load": lambda _bits: lambda _old: None,
}


def fence(t: Thread) -> int:
    """A fence of the whole device: what the block did so far may be published by a flag."""
    t.block.fenced = t.epoch.tick
    return 0


# ------------------------------------------------------------------------------------------------------- ends and rest


def trap(t: Thread, site: int) -> NoReturn:
    """The thread ends by ``__trap`` or ``abort``."""
    t.k.thread_fault(FaultKind.TRAP, t, site, "evaluate", None)
    raise ThreadEnd


def assume(t: Thread, site: int, checked: bool) -> NoReturn:
    """A condition that was to hold does not: a failed assertion is a fault, a false assumption ends the path."""
    if checked:
        t.k.thread_fault(FaultKind.ASSERTION, t, site, "evaluate", None)
    raise ThreadEnd


def rough(t: Thread, name: str, args: tuple[Value, ...], lanes: int, whole: bool) -> Value:
    """A function that is not known exactly: some value that depends on nothing but the arguments."""
    t.k.approximations.add(name)
    total = 0.0
    for arg in args:
        for item in arg if isinstance(arg, tuple) else (arg,):
            if isinstance(item, (int, float)) and math.isfinite(item):
                total += item
    value: Value = int(total) & 0x7F if whole else math.sin(total)
    return (value,) * lanes if lanes else value


def nothing(*_args: Value) -> int:
    """Arguments evaluated for their effects."""
    return 0


NAMES: dict[str, Any] = {
    "STOP": stop,
    "UNSUPPORTED": unsupported,
    "WRAP": wrap,
    "TOINT": to_int,
    "OV": overflow,
    "DIV": divide,
    "MOD": remainder,
    "SHR": shift_right,
    "SHL": shift_left,
    "F2I": float_to_int,
    "ASINT": as_int,
    "FDIV": float_divide,
    "RANGE": counted,
    "AXIS": axis,
    "LANES": lanes_of,
    "WITH": with_lanes,
    "MAP": mapped,
    "BITS": bits_of,
    "LANEBITS": lane_bits,
    "NEW": new,
    "TEMP": boxed,
    "FILLED": filled,
    "SPREAD": spread,
    "CELLS": cells_at,
    "INNER": inner,
    "ADDR": address,
    "PTR": pointer,
    "DIFF": difference,
    "MEMCPY": memcpy,
    "MEMSET": memset,
    "FENCE": fence,
    "TRAP": trap,
    "ASSUME": assume,
    "ROUGH": rough,
    "NOTHING": nothing,
    "REQUEST": Request,
    "FULL": (1 << 64) - 1,
    "COPY": copies.start,
    "COMMIT": copies.commit,
    "AWAIT": copies.wait,
    **{f"A_{op}": change for op, change in ATOMICS.items()},
    **{f"X_{name}": function for name, function in mathematics.TABLE.items()},
}
"""The global names of generated code, besides its own functions and tables."""
