"""Launches put right."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.launching.launches import launches
from kernlint.finding import Edit, Finding, Fix
from kernlint.repair.conditions import balanced
from kernlint.repair.page import Page
from kernlint.source import SourceFile
from kernlint.tree.nodes import Call, Expr, ParamDecl, Ref
from kernlint.tree.walk import strip_casts


def exchanged(facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
    """For ``swapped-launch-arguments``: grid and block the other way round."""
    page = Page(source, facts.module)
    for launch in facts[launches]:
        grid, block = launch.node.grid, launch.node.block
        if launch.span != finding.span or grid is None or block is None or launch.node.api != "<<<>>>":
            continue
        if launch.stack and _given(grid) and _given(block):
            continue  # which of the two lists has the wrong order, this one or the call's, nobody says
        texts = page.text(grid), page.text(block)
        if grid.span.end <= block.span.start and all(text and balanced(text) and "\n" not in text for text in texts):
            edits = (Edit(grid.span, texts[1]), Edit(block.span, texts[0]))
            yield Fix(f"exchange grid and block: {texts[1]}, {texts[0]}", edits)


def _given(size: Expr) -> bool:
    """Whether a size is what the function that launches was given."""
    inner = strip_casts(size)
    if isinstance(inner, Call) and len(inner.args) == 1:
        inner = strip_casts(inner.args[0])
    return isinstance(inner, Ref) and isinstance(inner.decl, ParamDecl)
