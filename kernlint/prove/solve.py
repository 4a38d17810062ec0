"""The one entry: filter, algebra, enumeration, and at last a solver if there is one."""

from __future__ import annotations

from kernlint.prove import algebra, enumerate
from kernlint.prove.query import Answer, Budget, Query, Unknown

DEFAULT = Budget()


def solve(query: Query, budget: Budget = DEFAULT) -> Answer:
    """The verdict on ``query``: see :mod:`kernlint.prove.query` for what each answer means."""
    proved = algebra.prove(query, budget)
    if proved is not None:
        return proved
    refuted = enumerate.refute(query, budget)
    if refuted is not None:
        return refuted
    return Unknown("neither a proof nor a small counterexample was found")
