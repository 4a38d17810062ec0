"""Global indices whose block index, block size and thread index do not belong together."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.finding import Edit, Finding, Fix
from kernlint.repair.page import Page
from kernlint.source import SourceFile
from kernlint.tree.nodes import Binary, Expr, LaunchValue, Quantity
from kernlint.tree.walk import strip_casts, walk

AXES = "xyz"


def together(facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
    """For ``mixed-launch-dimensions``: the block index of the axis of the block size; a product for a sum."""
    page = Page(source, facts.module)
    function = page.holder(finding.span)
    if function is None:
        return
    for node in walk(function):
        if isinstance(node, Binary) and node.op == "+":
            yield from _one_axis(page, node)
            yield from _multiplied(page, node)


def _one_axis(page: Page, sum_: Binary) -> Iterator[Fix]:
    """``blockIdx.x * blockDim.y + threadIdx.y`` made one of the axis of its thread index."""
    for product, own in ((sum_.lhs, sum_.rhs), (sum_.rhs, sum_.lhs)):
        at, thread = strip_casts(product), _quantity(own, Quantity.THREAD_ID)
        if thread is None or thread.axis is None or not isinstance(at, Binary) or at.op != "*":
            continue
        block = _quantity(at.lhs, Quantity.BLOCK_ID) or _quantity(at.rhs, Quantity.BLOCK_ID)
        size = _quantity(at.lhs, Quantity.BLOCK_DIM) or _quantity(at.rhs, Quantity.BLOCK_DIM)
        if block is None or size is None:
            continue
        edits = [_of_axis(page, part, thread.axis) for part in (block, size) if part.axis != thread.axis]
        made = [edit for edit in edits if edit is not None]
        if made and len(made) == len(edits):
            yield Fix(f"take {' and '.join(edit.text for edit in made)}, of the axis of the thread", tuple(made))


def _of_axis(page: Page, part: LaunchValue, axis: int) -> Edit | None:
    text = page.text(part)
    new = re.sub(r"\.[xyz]$", f".{AXES[axis]}", text)
    if new == text:
        new = re.sub(r"\(\s*[012]\s*\)$", f"({axis})", text)
    return Edit(part.span, new) if new != text and "\n" not in text else None


def _multiplied(page: Page, sum_: Binary) -> Iterator[Fix]:
    left = strip_casts(sum_.lhs)
    nearest = left.rhs if isinstance(left, Binary) and left.op == "+" else sum_.lhs
    for one, other in ((Quantity.BLOCK_ID, Quantity.BLOCK_DIM), (Quantity.BLOCK_DIM, Quantity.BLOCK_ID)):
        a, b = _quantity(nearest, one), _quantity(sum_.rhs, other)
        if a is not None and b is not None and a.axis == b.axis:
            place = page.operator(sum_.lhs, sum_.rhs)
            if place is not None and page.text(page.span(nearest.span.end, sum_.rhs.span.start)).strip() == "+":
                yield Fix("multiply the block index by the block size", (Edit(place, "*"),))


def _quantity(expr: Expr, wanted: Quantity) -> LaunchValue | None:
    at = strip_casts(expr)
    return at if isinstance(at, LaunchValue) and at.quantity is wanted else None
