"""Masks of warp intrinsics."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.finding import Edit, Finding, Fix
from kernlint.repair.page import Page
from kernlint.source import SourceFile
from kernlint.tree.nodes import Expr, Ref, WarpOp
from kernlint.tree.walk import strip_casts, walk

FULL = "0xffffffffu"


def full_mask(facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
    """For ``wrong-warp-mask``: the whole warp for a number that leaves lanes out, or for ``__activemask()``."""
    page = Page(source, facts.module)
    function = page.holder(finding.span)
    if function is None or facts.module.language != "cuda":
        return
    for node in walk(function):
        if isinstance(node, WarpOp) and node.span == finding.span and node.mask is not None:
            mask: Expr = strip_casts(node.mask)
            if isinstance(mask, Ref) and mask.decl.init is not None:
                mask = strip_casts(mask.decl.init)
            text = page.text(mask) if mask.span.file == source.path else ""
            if re.fullmatch(r"0[xX][0-9a-fA-F]+[uUlL]*|[0-9]+[uUlL]*|__activemask\s*\(\s*\)", text):
                yield Fix("name the whole warp", (Edit(mask.span, FULL),))
            return
