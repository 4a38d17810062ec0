"""What the front end remarks of a file, for rules to speak of."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleFacts
from kernlint.finding import Related
from kernlint.tree.nodes import Remark


def remarks(facts: ModuleFacts, kind: str) -> Iterator[tuple[Remark, list[Related]]]:
    """The remarks of a kind, in order, with the places that belong to each."""
    for remark in facts.module.remarks:
        if remark.kind == kind:
            yield remark, [Related(span, what) for span, what in remark.related]
