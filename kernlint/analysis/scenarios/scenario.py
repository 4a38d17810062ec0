"""What a scenario is: a launch with numbers, and what speaks for it."""

from __future__ import annotations

from enum import IntEnum

from kernlint.analysis.scenarios.tables import Block
from kernlint.prove.admission import FREE_LAUNCH, Admission
from kernlint.prove.query import Launch
from kernlint.record import dataclass
from kernlint.symbolic.terms import Symbol

Sizes = tuple[int | None, int | None, int | None]


class Provenance(IntEnum):
    """What speaks for a scenario, the weakest first."""

    GUESSED = 0  # nothing: a usual size
    INFERRED = 1  # the kernel's own numbers: strides, extents of arrays
    COMPILED = 2  # an attribute of the kernel: the work-group size it requires
    LAUNCHED = 3  # a launch in sight
    STATED = 4  # the user says so


@dataclass(frozen=True, slots=True)
class Scenario:
    """A launch with numbers.

    ``block`` in threads and ``grid`` in blocks along x, y, z (None: not known).  ``reason`` says why to believe in it,
    ``provenance`` how much.  ``admission``: the launches in sight that may be meant, with the values of scalar
    arguments and the premises that host code adds.
    """

    block: Block
    grid: Sizes = (None, None, None)
    reason: str = ""
    provenance: Provenance = Provenance.GUESSED
    admission: Admission = FREE_LAUNCH

    @property
    def seen(self) -> bool:
        """Whether it was given by the user, an attribute or a launch, not guessed."""
        return self.provenance >= Provenance.COMPILED

    @property
    def values(self) -> tuple[tuple[Symbol, int], ...]:
        """The scalar arguments that are numbers."""
        return self.admission.numbers

    @property
    def threads(self) -> int:
        """Threads of the block."""
        return self.block[0] * self.block[1] * self.block[2]

    def launch(self, values: tuple[tuple[Symbol, int], ...] = ()) -> Launch:
        """The launch as the prover is told of it, with further ``values``."""
        return Launch.of(self.admission, self.block, self.grid, self.threads, values)


@dataclass(frozen=True, slots=True)
class Scenarios:
    """The scenarios of one kernel variant: a fault has to show under each of ``plausible`` (seen ones: under any).

    ``threads``/``blocks``: which axes of the thread and block index the kernel reads, or the size of.  ``single``:
    axes along which there must be one block, since all would do the same: the index of the block stands in tests
    against a size alone (empty where the scenarios were seen).  ``admission``: the launches in sight, of which
    witnesses have to be.
    """

    plausible: tuple[Scenario, ...]
    seen: bool
    threads: tuple[bool, bool, bool]
    blocks: tuple[bool, bool, bool]
    single: frozenset[int] = frozenset()
    admission: Admission = FREE_LAUNCH
