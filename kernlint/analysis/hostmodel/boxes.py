"""Copies of boxes between buffers, whose widths are bytes and whose heights are rows (``clEnqueueReadBufferRect``)."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.hostmodel.operations import HostWalk
from kernlint.analysis.hostmodel.places import extent_of
from kernlint.analysis.hostmodel.sizes import exceeds
from kernlint.analysis.hostmodel.written import size_factor
from kernlint.analysis.trace.events import ApiEvent
from kernlint.analysis.trace.values import StructValue, as_term
from kernlint.apis.memory import BOXES
from kernlint.apis.names import known_name
from kernlint.apis.records import Boxes
from kernlint.source import Span
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import Term, cast
from kernlint.tree.nodes import Expr
from kernlint.tree.types import I64, PointerType
from kernlint.tree.walk import strip_casts

Misfit = tuple[Span, str, str]
"""Place, message, and how to mend it."""


def misfits(walk: HostWalk) -> Iterator[Misfit]:
    """Boxes whose width counts elements, or is more than the distance from row to row."""
    for api in walk.trace.apis:
        box = BOXES.get(known_name(api.name, api.receiver is not None) or "") if api.name.endswith("Rect") else None
        if box is not None:
            yield from _judged(api, box, 1 if api.receiver is not None else 0, walk)


def _judged(api: ApiEvent, box: Boxes, shift: int, walk: HostWalk) -> Iterator[Misfit]:
    extents = api.behind[box.region - shift] if box.region - shift < len(api.behind) else None
    width = extents.get("x") if isinstance(extents, StructValue) else None
    if not isinstance(width, Term) or max(box.pitches) - shift >= len(api.args):
        return
    row = _bytes(width)
    for at in box.pitches:
        pitch, expr = as_term(api.args[at - shift]), api.node.args[at - shift]
        distance = _bytes(pitch)
        if pitch.value == 0:
            continue
        if exceeds(row, distance):
            message = f"the pitch {words(pitch)} is less than the {words(width)} bytes of a row: the call fails"
            yield api.span, message, "pass the distance from row to row in bytes"
            return
        size = next((size for size in _elements(api, box, shift, expr) if row.scaled(size) == distance), 0)
        if size > 1 and (width.value is None or width.value % size):
            message = f"the width {words(width)} counts elements of {size} bytes: only a part of each row is copied"
            yield api.span, message, f"multiply the first extent by {size}"
            return
    if box.host is None or not isinstance(extents, StructValue):
        return
    behind = extent_of(api.args[box.host - shift], walk.allocations)
    if behind is None or behind.offset.value != 0 or width.value is not None:
        return
    whole = row
    for axis in "yz":
        more = extents.get(axis)
        whole = whole * _bytes(more) if isinstance(more, Term) else Polynomial({})
    size = next((size for size in _elements(api, box, shift, None) if whole.scaled(size) == polynomial(behind.size)), 0)
    if size > 1 and whole.coefficients:
        message = f"the width {words(width)} counts elements of {size} bytes: only a part of the memory is copied"
        yield api.span, message, f"multiply the first extent by {size}"


def _bytes(term: Term) -> Polynomial:
    return polynomial(cast(term, I64))


def _elements(api: ApiEvent, box: Boxes, shift: int, pitch: Expr | None) -> Iterator[int]:
    """Bytes of an element, by what the pointer of the host points to or the size of a type in a pitch."""
    if pitch is not None:
        yield size_factor(pitch) or 1
    pointer = strip_casts(api.node.args[box.host - shift]) if box.host is not None else None
    if pointer is not None and isinstance(pointer.type, PointerType):
        yield pointer.type.pointee.size or 1
