"""What all searches about one kernel may cost together.

Every question has a budget of its own, and a kernel with many accesses asks very many of them.  Costs are counted, not
timed, so that what is found is the same on every machine.  Nobody is starved: an asker may use up half of what is left
when its turn comes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kernlint.prove.query import Answer, Budget, Query

LIMIT = 24_000_000
"""Units for one kernel: some four millions take a second."""

QUESTION = 2_000
"""Units of a question itself, whatever comes of it; each point of an enumeration is one more."""

STEP = 2
"""Units of a step of the emulator."""


class _Effort:
    """Units ``left`` for a kernel (None: nobody counts) and the ``floor`` that the present asker may not go below;
    ``cut``: somebody had to stop.  ``answers``: what is known of the kernel's questions by now."""

    def __init__(self) -> None:
        self.answers: dict[tuple[Query, Budget], Answer] = {}
        self.left: int | None = None
        self.floor = 0
        self.cut = False


_now = _Effort()


@contextmanager
def of_kernel() -> Iterator[None]:
    """Count what is spent in the ``with`` body, on one kernel."""
    _now.left, _now.floor, _now.cut, _now.answers = LIMIT, 0, False, {}
    try:
        yield
    finally:
        _now.left, _now.floor, _now.answers = None, 0, {}


def next_turn() -> None:
    """Another asker's turn begins."""
    if _now.left is not None:
        _now.floor = _now.left - _now.left // 2


def spend(units: int) -> None:
    """Count what something has cost."""
    if _now.left is not None:
        _now.left = max(0, _now.left - units)


def exhausted() -> bool:
    """Whether nothing is left of the present turn."""
    return _now.left is not None and _now.left <= _now.floor


def spent() -> bool:
    """Whether no further search is begun now; who asks is one."""
    _now.cut = _now.cut or exhausted()
    return exhausted()


def answers() -> dict[tuple[Query, Budget], Answer]:
    """The answers to questions about the kernel at hand; where nobody counts, none are kept."""
    return _now.answers if _now.left is not None else {}


def was_cut() -> bool:
    """Whether a search about the kernel at hand was not begun, or the last one's."""
    return _now.cut
