"""Arrays and textures of CUDA and HIP: rows of copies against rows of arrays, textures against the memory behind them.

An array has rows of as many elements as it is made with, each as large as its channels are together.  A copy by rows
counts them in bytes, one of volumes in elements where an array takes part (CUDA runtime API, memory management:
``cudaMallocArray``, ``cudaMemcpy2DToArray``, ``cudaMemcpy3DParms``; driver API: ``cuArrayCreate``, ``CUDA_MEMCPY2D``).
A texture over linear memory is told its size in bytes (``cudaResourceDesc``, ``cudaBindTexture``).
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.hostmodel.in_elements import Misfit
from kernlint.analysis.hostmodel.operations import HostWalk
from kernlint.analysis.hostmodel.places import Extent, as_pointer, extent_of
from kernlint.analysis.hostmodel.sizes import exceeds
from kernlint.analysis.hostmodel.written import size_factor, size_factors
from kernlint.analysis.trace.events import ApiEvent
from kernlint.analysis.trace.values import MemPlace, PointerValue, StructValue, Value, as_term
from kernlint.apis import base_name
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import Term, cast
from kernlint.tree.nodes import Assign, Call, Expr, Member
from kernlint.tree.types import I64, ArrayType, PointerType, StructType
from kernlint.tree.walk import strip_casts
from kernlint.tree.walk import walk as walk_tree


@dataclass(frozen=True, slots=True)
class _Rows:
    """An array with rows of ``width`` elements of ``texel`` bytes, made at ``span``."""

    width: Term
    texel: int
    span: Span

    @property
    def row(self) -> Polynomial:
        """Bytes of a row."""
        return _bytes(self.width).scaled(self.texel)


_COPIES = {
    # which arguments are the array, the bytes before the part of its rows, the pitch of the other side, and the width
    "Memcpy2DToArray": (0, 1, 4, 5),
    "Memcpy2DToArrayAsync": (0, 1, 4, 5),
    "Memcpy2DFromArray": (2, 3, 1, 5),
    "Memcpy2DFromArrayAsync": (2, 3, 1, 5),
}

_MADE = frozenset({"MallocArray", "Malloc3DArray", "ArrayCreate"})
_VOLUMES = frozenset({"Memcpy3D", "Memcpy3DAsync"})
_OF_DRIVER = frozenset({"Memcpy2DOf", "Memcpy2DOfAsync"})
_TEXTURES = frozenset({"CreateTextureObject", "TexObjectCreate"})

_FORMATS = {0x01: 1, 0x02: 2, 0x03: 4, 0x08: 1, 0x09: 2, 0x0A: 4, 0x10: 2, 0x20: 4}
"""Bytes of a channel by ``CUarray_format``."""

_LINEAR = 2
"""``cudaResourceTypeLinear``."""


def of_textures(walk: HostWalk) -> Iterator[Misfit]:
    """Copies to and from arrays, and textures, that do not fit what is behind them."""
    made: dict[int, _Rows] = {}
    for api in walk.trace.apis:
        name = base_name(api.name)
        if name == api.name:
            continue
        if name in _MADE:
            found = _array(api, name)
            root = api.after[0].root if api.after and isinstance(api.after[0], PointerValue) else None
            if found is not None and root is not None:
                made[id(root)] = found
        elif name in _COPIES and max(_COPIES[name]) < len(api.args):
            array, before, pitch, width = _COPIES[name]
            yield from _rows(api, made.get(_root(api.args[array])), before, pitch, width)
        elif name in _VOLUMES and api.behind:
            yield from _volume(api, api.behind[0], made)
        elif name in _OF_DRIVER and api.behind:
            yield from _of_driver(api, api.behind[0], made)
        elif name in _TEXTURES and len(api.behind) > 1:
            yield from _texture(api, api.behind[1], walk)
        elif name == "BindTexture" and len(api.args) in (4, 5):
            yield from _bound(api, api.args[2], _bytes(as_term(api.args[-1])), as_term(api.args[-1]), 0, walk)


def _array(api: ApiEvent, name: str) -> _Rows | None:
    how = api.behind[1] if len(api.behind) > 1 else None
    if not isinstance(how, StructValue):
        return None
    if name == "ArrayCreate":
        width, kind, channels = (how.get(field) for field in ("Width", "Format", "NumChannels"))
        texel = _FORMATS.get(_number(kind) or 0, 0) * (_number(channels) or 0)
    else:
        bits = [_number(how.get(field)) for field in "xyzw"]
        if any(one is None for one in bits):
            return None
        texel = sum(one or 0 for one in bits) // 8
        width = api.args[2] if len(api.args) > 2 else None
        width = width.get("width") if isinstance(width, StructValue) else width
    return _Rows(width, texel, api.span) if isinstance(width, Term) and texel > 0 else None


def _rows(api: ApiEvent, array: _Rows | None, before: int, pitch_at: int, width_at: int) -> Iterator[Misfit]:
    """A copy of rows, whose width is in bytes."""
    pitch, width = as_term(api.args[pitch_at]), as_term(api.args[width_at])
    row, apart = _bytes(width), _bytes(pitch)
    if (pitch.value == 0 and width.value != 0) or exceeds(row, apart):
        message = f"the pitch {words(pitch)} is less than the {words(width)} bytes of a row: the call fails"
        yield api, message, "pass the distance from row to row in bytes", None
        return
    if array is not None:
        found = _of_row(row + _bytes(as_term(api.args[before])), width, array)
        if found is not None:
            yield api, *found, array.span
            return
    other = api.node.args[3 if before == 1 else 0]
    for size in {size_factor(api.node.args[pitch_at]) or 1, _pointee(other)}:
        if (
            size > 1
            and width.value is None
            and row.scaled(size) == apart
            and size_factor(api.node.args[width_at]) is None
        ):
            message = f"{words(width)} counts elements of {size} bytes: only a part of each row is copied"
            yield api, message, f"multiply the width by {size}", None
            return


def _of_row(row: Polynomial, width: Term, array: _Rows) -> tuple[str, str] | None:
    """What is wrong with the width of a copy, in bytes, beside the rows of an array."""
    if exceeds(row, array.row):
        message = f"rows of {words(width)} bytes are copied, and those of the array have {array.texel} for each element"
        return f"{message}: the call fails", "count as many elements as the array has in a row"
    if width.value is None and any(
        array.texel % size == 0 and row.scaled(size) == array.row for size in range(2, array.texel + 1)
    ):
        message = f"{words(width)} is a part of each row only, whose elements have {array.texel} bytes"
        return message, "multiply by the size of a whole element, all its channels together"
    return None


def _volume(api: ApiEvent, job: Value | None, made: dict[int, _Rows]) -> Iterator[Misfit]:
    """A copy of a volume with an array on one side, whose width is in elements."""
    extent = job.get("extent") if isinstance(job, StructValue) else None
    width = extent.get("width") if isinstance(extent, StructValue) else None
    if not isinstance(job, StructValue) or not isinstance(width, Term):
        return
    for array_at, other_at in (("dstArray", "srcPtr"), ("srcArray", "dstPtr")):
        array, other = made.get(_root(job.get(array_at))), job.get(other_at)
        if array is None:
            continue
        if array.texel > 1 and exceeds(_bytes(width), _bytes(array.width)):
            message = f"{words(width)} elements of a row are copied, of {words(array.width)} that the array has"
            yield api, message, "count elements here, as an array takes part", array.span
            return
        pitch = other.get("pitch") if isinstance(other, StructValue) else None
        if isinstance(pitch, Term) and exceeds(_bytes(width).scaled(array.texel), _bytes(pitch)):
            message = f"the pitch {words(pitch)} is less than a row of {words(width)} elements of {array.texel} bytes"
            yield api, f"{message}: the call fails", "give the pitch in bytes", array.span
            return


def _of_driver(api: ApiEvent, job: Value | None, made: dict[int, _Rows]) -> Iterator[Misfit]:
    width = job.get("WidthInBytes") if isinstance(job, StructValue) else None
    if not isinstance(job, StructValue) or not isinstance(width, Term):
        return
    for side in ("dst", "src"):
        array, before = made.get(_root(job.get(f"{side}Array"))), job.get(f"{side}XInBytes")
        if array is not None and _number(job.get(f"{side}MemoryType")) == 3:
            start = _bytes(before) if isinstance(before, Term) and before.value is not None else Polynomial({})
            found = _of_row(_bytes(width) + start, width, array)
            if found is not None:
                yield api, *found, array.span
                return


def _texture(api: ApiEvent, how: Value | None, walk: HostWalk) -> Iterator[Misfit]:
    """A texture over linear memory."""
    kind = _number(how.get("resType")) if isinstance(how, StructValue) else None
    whole = how.get("res") if isinstance(how, StructValue) else None
    linear = whole.get("linear") if isinstance(whole, StructValue) and kind == _LINEAR else None
    if not isinstance(linear, StructValue):
        return
    pointer, size, desc = (linear.get(name) for name in ("devPtr", "sizeInBytes", "desc"))
    bits = [_number(desc.get(name)) or 0 for name in "xyzw"] if isinstance(desc, StructValue) else []
    if isinstance(size, Term):
        yield from _bound(api, pointer, _bytes(size), size, sum(bits) // 8, walk)


def _bound(
    api: ApiEvent, pointer: Value | None, given: Polynomial, size: Term, texel: int, walk: HostWalk
) -> Iterator[Misfit]:
    """A texture of a number of bytes that begins where a pointer leads."""
    fix = "give the size in bytes, of the elements that are there"
    part = _member(pointer, walk)
    if part is not None:
        length, element = part
        small = size.value * element // length if size.value is not None else 0
        exact = small * length == (size.value or 0) * element
        if 0 < small < element and exact and element % small == 0 and _written_by(small, api, walk):
            message = f"{words(size)} bytes are as many elements of {small} bytes as the array has of {element}"
            yield api, message, fix, None
        return
    behind: Extent | None = extent_of(pointer, walk.allocations)
    if behind is None or behind.row is not None:
        return
    there = polynomial(behind.size)
    if exceeds(given + polynomial(behind.offset), there):
        yield (
            api,
            f"a texture of {words(size)} bytes, of {words(behind.size)} that are allocated",
            fix,
            behind.span,
        )
    elif size.value is None and behind.offset.value == 0:
        width = next((one for one in (behind.element, texel) if one > 1 and given.scaled(one) == there), 0)
        if width:
            message = f"{words(size)} counts elements of {width} bytes: only a part of them is in the texture"
            yield api, message, fix, behind.span


def _written_by(width: int, api: ApiEvent, walk: HostWalk) -> bool:
    """Whether a size of that many bytes is a factor of what is passed on the way to a call, or stored before it: else
    as many bytes may be those of fewer elements."""
    for node in walk_tree(walk.function.body or walk.function):
        if isinstance(node, Call) and (node.span in api.stack or node is api.node):
            given = node.args
        elif isinstance(node, Assign) and isinstance(node.target, Member) and node.target.field == "sizeInBytes":
            given = (node.value,)
        else:
            continue
        if any(width in size_factors(one) for one in given):
            return True
    return False


def _member(value: Value | None, walk: HostWalk) -> tuple[int, int] | None:
    """Bytes of the array that a pointer to a member of a structure leads to, and of its elements."""
    pointer = as_pointer(value)
    offset = pointer.offset.value if pointer is not None else None
    if pointer is None or not offset:
        return None
    record = pointer.root.element
    made = walk.allocations.get(id(pointer.root))
    if not isinstance(record, StructType) and made is not None:  # through a void **
        decl = made.place.pointer.root.decl if isinstance(made.place, MemPlace) else getattr(made.place, "decl", None)
        kind = decl.type if decl is not None else None
        record = kind.pointee if isinstance(kind, PointerType) else record
    if not isinstance(record, StructType):
        return None
    for field in record.fields:
        kind = field.type
        if field.offset == offset and isinstance(kind, ArrayType) and kind.size and kind.element.size:
            return kind.size, kind.element.size
    return None


def _pointee(expr: Expr) -> int:
    kind = strip_casts(expr).type
    return (kind.pointee.size or 1) if isinstance(kind, PointerType) else 1


def _root(value: Value | None) -> int:
    return id(value.root) if isinstance(value, PointerValue) else 0


def _number(value: Value | None) -> int | None:
    return value.value if isinstance(value, Term) else None


def _bytes(term: Term) -> Polynomial:
    return polynomial(cast(term, I64))
