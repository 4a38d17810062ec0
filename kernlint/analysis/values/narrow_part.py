"""What a part of an address that is computed in too few bits is, and what says that it is one."""

from __future__ import annotations

from kernlint.analysis.trace.events import Access
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.symbolic.terms import Symbol, Term


@dataclass(frozen=True, slots=True, eq=False)
class Narrow:
    """A part of an address that wraps.

    ``index``: the part; ``span``: where to tell of it; ``evidence``: see :mod:`kernlint.analysis.values.narrow`.
    ``count``: the count of 64 bits; ``other``: the access that shows how it should be, or ``shown``, where that is a
    condition; ``use``: an access that takes the part up; ``weak``: the evidence may be a habit (``size_t n``) and no
    care.  ``values``, ``value``: arguments of a launch in sight and what the part comes to with them;
    ``tested``: by what the kernel itself tests.
    """

    index: Term
    span: Span
    evidence: str
    count: Term | None = None
    other: Access | None = None
    use: Access | None = None
    weak: bool = False
    shown: Span | None = None
    values: tuple[tuple[Symbol, int], ...] = ()
    value: int = 0
    tested: bool = False
