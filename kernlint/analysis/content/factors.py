"""Sizes that only their product says something of: ``if (site >= l.x * l.y * l.z * l.t) return;``.

Where several arguments stand in one product wherever they stand at all, one of them may be all of it and the others 1:
how much work there is takes no more than that to say.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.analysis.scenarios.numbers import monomials
from kernlint.prove.query import Side
from kernlint.symbolic.polynomial import Monomial
from kernlint.symbolic.terms import Symbol, plain


def of_products(sizes: Sequence[Symbol], sides: Sequence[Side]) -> list[Symbol]:
    """Those of ``sizes`` that are factors of products wherever ``sides`` mention them, each with another that stands in
    the same products and is none of those returned."""
    found: dict[Symbol, set[Monomial]] = {size: set() for size in sizes}
    alone: set[Symbol] = set()
    for at in sides:
        for term in (at.offset, *at.facts):
            for mono in monomials(term):
                factors = [plain(atom).symbol for atom in mono]
                for size in filter(found.__contains__, factors):
                    assert size is not None
                    found[size].add(mono)
                    if factors.count(size) > 1:
                        alone.add(size)
    kept: dict[frozenset[Monomial], Symbol] = {}
    out: list[Symbol] = []
    for size, products in found.items():
        key = frozenset(products)
        if size in alone or not key or any(len(mono) < 2 for mono in key):
            continue
        if kept.setdefault(key, size) is not size:
            out.append(size)
    return out
