"""Barriers taken out."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.finding import Finding, Fix
from kernlint.repair.page import Page
from kernlint.source import SourceFile
from kernlint.tree.nodes import Barrier, ExprStmt
from kernlint.tree.walk import walk


def taken_out(facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
    """For ``redundant-barrier``: the statement removed, where the barrier is all that it is."""
    page = Page(source, facts.module)
    function = page.holder(finding.span)
    if function is None:
        return
    for node in walk(function):
        if isinstance(node, ExprStmt) and isinstance(node.expr, Barrier) and node.expr.span == finding.span:
            yield Fix(f"remove {node.expr.name}", (page.removal(node),))
            return
