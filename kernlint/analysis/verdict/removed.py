"""Which barrier a thread has passed last, were some of them not there."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from copy import copy

from kernlint.analysis.trace.events import Access, BarrierEvent, Label, LoopContext
from kernlint.record import dataclass, replace
from kernlint.symbolic.terms import TRUE, conjunction

Shifts = tuple[tuple[LoopContext, "int | None"], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """``label`` in place of ``was``; the same where it names none of the barriers that are gone."""

    label: Label
    was: Label

    @property
    def moved(self) -> bool:
        """Whether one of those barriers stood there."""
        return self.label is not self.was


@dataclass(frozen=True, slots=True, eq=False)
class Ways:
    """The labels of ``access`` without some barriers; ``known``: false where they cannot be told."""

    access: Access
    ways: tuple[Way, ...]
    known: bool = True

    @property
    def moved(self) -> bool:
        """Whether the barriers that are gone may have kept the access from anything."""
        return not self.known or any(way.moved or not way.was.exact for way in self.ways)

    def newly(self, other: Ways) -> Iterator[tuple[Access, Access]]:
        """The two accesses under each two labels that may now be of one phase, and have not been before.

        Where both have come behind one and the same round of a barrier that is gone, they were in one phase already.
        """
        if not (self.known and other.known):
            yield _lost(self.access), _lost(other.access)
            return
        for mine in self.ways:
            for theirs in other.ways:
                if not (mine.moved or theirs.moved) and mine.was.exact and theirs.was.exact:
                    continue
                if mine.moved and theirs.moved and _alike(mine, theirs):
                    continue
                yield _under(self.access, mine.label), _under(other.access, theirs.label)


def _alike(mine: Way, theirs: Way) -> bool:
    """Whether two accesses were, and are, behind the same rounds of the same barriers."""
    if mine.was.barrier is not theirs.was.barrier or mine.was.shifts != theirs.was.shifts:
        return False
    if not (mine.was.exact and theirs.was.exact) or any(shift is None for _, shift in mine.was.shifts):
        return False
    now, then = (mine.label, theirs.label), dict(mine.was.shifts)
    return all(then.keys() <= dict(label.shifts).keys() for label in now) and now[0].shifts == now[1].shifts


def _under(access: Access, label: Label) -> Access:
    moved: Access = copy(access)
    moved.labels = (label,)
    return moved


def _lost(access: Access) -> Access:
    return _under(access, Label(None, exact=False, supposed=None))


def ways_without(access: Access, out: Collection[BarrierEvent]) -> Ways:
    """The labels of ``access`` were the barriers ``out`` not there."""
    ways: list[Way] = []
    for label in access.labels:
        if label.barrier not in out:
            ways.append(Way(label, label))
            continue
        before = _before(label, out)
        if before is None:
            return Ways(access, (), False)
        ways += (Way(one, label) for one in before)
    return Ways(access, tuple(ways))


def _before(label: Label, out: Collection[BarrierEvent]) -> list[Label] | None:
    """The labels that stand in place of one of a barrier that is gone: those that it had itself, and so on; None: they
    cannot be told.

    What comes round to a barrier that is gone by way of a loop goes as many rounds back as there are: of such a loop
    nothing is tied, so the barrier that is found has to stand outside of it.
    """
    if not label.exact or label.barrier is None:
        return None
    found: list[Label] = []
    wild: set[int] = set()
    met: dict[int, Shifts] = {id(label.barrier): label.shifts}
    left: list[tuple[BarrierEvent, Shifts, bool]] = [(label.barrier, label.shifts, True)]
    while left:
        barrier, shifts, plain = left.pop()
        still = plain and all(shift == 0 for _, shift in shifts)
        for before in barrier.labels:
            together = _together(shifts, before.shifts)
            if not before.exact or together is None:
                return None
            if before.barrier not in out:
                condition = conjunction(label.condition, before.condition if still else TRUE)
                found.append(replace(before, condition=condition, shifts=together, supposed=(), last=TRUE))
                continue
            assert before.barrier is not None
            known = met.get(id(before.barrier))
            if known is None:
                met[id(before.barrier)] = together
                left.append((before.barrier, together, plain))
            elif known != together:
                wild |= {id(loop) for loop, shift in together if dict(known).get(loop) != shift}
    if wild:
        if any(id(loop) in wild for one in found for loop, _ in one.shifts):
            return None
        found = [replace(one, condition=TRUE) for one in found]
    return list(dict.fromkeys(found))


def _together(later: Shifts, earlier: Shifts) -> Shifts | None:
    """How many rounds ago the earlier barrier ran, seen from where the later one ran ``later`` rounds ago; None: that
    has no name."""
    ago = dict(later)
    found: list[tuple[LoopContext, int | None]] = []
    for loop, shift in earlier:
        more = ago.get(loop, 0)
        if more is None and shift:
            return None  # some round before the last one
        found.append((loop, None if shift is None or more is None else shift + more))
    return tuple(found)
