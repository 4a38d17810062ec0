"""Global indices whose block index, block size and thread index do not belong together."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.finding import Edit, Finding, Fix
from kernlint.repair.page import Page
from kernlint.repair.values import stripped
from kernlint.source import SourceFile
from kernlint.tree.nodes import Binary, Expr, LaunchValue, Quantity
from kernlint.tree.walk import walk

AXES = "xyz"


def together(facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
    """For ``mixed-launch-dimensions``: the block index of the axis of the block size; a product for a sum."""
    page = Page(source, facts.module)
    function = page.holder(finding.span)
    if function is None:
        return
    for node in walk(function):
        if isinstance(node, Binary) and node.op == "*":
            yield from _same_axis(page, node)
        elif isinstance(node, Binary) and node.op == "+":
            yield from _multiplied(page, node)


def _same_axis(page: Page, product: Binary) -> Iterator[Fix]:
    for one, other in ((product.lhs, product.rhs), (product.rhs, product.lhs)):
        block, size = _quantity(one, Quantity.BLOCK_ID), _quantity(other, Quantity.BLOCK_DIM)
        if block is None or size is None or block.axis == size.axis or size.axis is None:
            continue
        text = page.text(block)
        new = re.sub(r"\.[xyz]$", f".{AXES[size.axis]}", text)
        if new == text:
            new = re.sub(r"\(\s*[012]\s*\)$", f"({size.axis})", text)
        if new != text and "\n" not in text:
            yield Fix(f"take the block index of the same axis: {new}", (Edit(block.span, new),))


def _multiplied(page: Page, sum_: Binary) -> Iterator[Fix]:
    left = stripped(sum_.lhs)
    nearest = left.rhs if isinstance(left, Binary) and left.op == "+" else sum_.lhs
    for one, other in ((Quantity.BLOCK_ID, Quantity.BLOCK_DIM), (Quantity.BLOCK_DIM, Quantity.BLOCK_ID)):
        a, b = _quantity(nearest, one), _quantity(sum_.rhs, other)
        if a is not None and b is not None and a.axis == b.axis:
            place = page.operator(sum_.lhs, sum_.rhs)
            if place is not None and page.text(page.span(nearest.span.end, sum_.rhs.span.start)).strip() == "+":
                yield Fix("multiply the block index by the block size", (Edit(place, "*"),))


def _quantity(expr: Expr, wanted: Quantity) -> LaunchValue | None:
    at = stripped(expr)
    return at if isinstance(at, LaunchValue) and at.quantity is wanted else None
