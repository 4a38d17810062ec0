"""Fences put in, and the flags of barriers completed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.finding import Edit, Finding, Fix
from kernlint.repair.page import Page
from kernlint.source import SourceFile
from kernlint.tree.nodes import Barrier, Block
from kernlint.tree.walk import walk

LOCAL, GLOBAL = "CLK_LOCAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE"


def fenced(facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
    """For ``wrong-fence``: both flags for a barrier, or a fence behind a store that a ticket tells of."""
    page = Page(source, facts.module)
    function = page.holder(finding.span)
    if function is None:
        return
    for node in walk(function):
        if isinstance(node, Barrier) and node.span == finding.span:
            flags = re.fullmatch(rf"\w+\s*\(\s*({LOCAL}|{GLOBAL})\s*\)", page.text(node))
            if flags is not None:
                missing = GLOBAL if flags[1] == LOCAL else LOCAL
                edit = page.insertion(node.span.start + flags.end(1), f" | {missing}")
                yield Fix(f"fence both spaces: {flags[1]} | {missing}", (edit,))
            return
    if not finding.related:
        return
    store, ticket = page.chain(function, finding.span), page.chain(function, finding.related[0].span)
    text = f"mem_fence({GLOBAL});" if facts.module.language == "opencl" else "__threadfence();"
    for level, (one, other) in enumerate(zip(store, ticket, strict=False)):
        if one is not other:
            return
        if not isinstance(one, Block) or not page.is_plain(one) or len(ticket) <= level + 1 or len(store) <= level + 1:
            continue
        if one.body.index(store[level + 1]) < one.body.index(ticket[level + 1]):
            edits: tuple[Edit, ...] = (page.before(ticket[level + 1], text),)
            yield Fix(f"put {text[:-1]} between the store and the ticket", edits)
            return
