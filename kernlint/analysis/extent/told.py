"""What is wrong with an access, in words that whichever rule reports it uses."""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.finding import Related
from kernlint.record import dataclass


@dataclass(frozen=True, slots=True)
class Told:
    """The ``message`` of a finding, the places ``related`` to it, what it supposes (``assumption``), and what to do.
    ``habit``: what those have in common that are one omission, told once where there are many; ``soft``: a note, as
    the data hardly bring it about."""

    message: str
    related: Sequence[Related]
    assumption: str
    fix: str
    habit: str = ""
    soft: bool = False
