"""What a rule says: a finding with its place, evidence and suggested fix."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum

from kernlint.record import dataclass, replace
from kernlint.source import Span


class Severity(Enum):
    """How loud a finding is.  Notes stay out of every report unless asked for."""

    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"

    @property
    def rank(self) -> int:
        """0 for a note, 1 for a warning, 2 for an error."""
        return ("note", "warning", "error").index(self.value)


class Confidence(Enum):
    """How sure a finding is, independent of how bad it would be."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"

    @property
    def rank(self) -> int:
        """0 for low, 1 for medium, 2 for high."""
        return ("low", "medium", "high").index(self.value)


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that belongs to the finding, with what happens there."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that one GPU thread does on the way to the fault.

    ``block`` and ``thread`` are (x, y, z) indices; ``what`` is a phrase such as ``writes tile[32]``; ``index`` the
    element index it touches, in elements, when there is one.
    """

    block: tuple[int, int, int]
    thread: tuple[int, int, int]
    span: Span
    what: str
    index: int | None = None


@dataclass(frozen=True, slots=True)
class Witness:
    """Evidence: a launch, values, and what one or two threads do under it.

    ``block`` is in threads, ``grid`` in blocks, each (x, y, z).  ``values`` are (name, value) pairs of
    parameters and loop counters.  ``replayed``: an emulator ran the kernel under this launch and saw the fault.
    """

    block: tuple[int, int, int]
    grid: tuple[int, int, int]
    values: tuple[tuple[str, int], ...] = ()
    steps: tuple[Step, ...] = ()
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text under ``span`` (empty span: insert) by ``text``."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A suggested change; without ``edits`` it is advice in words.  ``change``: what the edits do, where that is more
    exact than ``description``."""

    description: str
    edits: tuple[Edit, ...] = ()
    change: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault.

    ``code`` and ``rule`` are filled in by the engine from the rule's meta data; ``severity`` is what the
    evidence supports (the engine may change it by configuration).  ``assumptions``: what the verdict rests on, in
    words.  ``kernel``: name of the kernel; ``instances``: for which template arguments or launches it holds.
    ``habit``: what findings have in common that come of the way in which a project is written: where it shows often,
    it is told once (:func:`kernlint.run.merge.one_cause`); empty for what stands for itself.
    """

    span: Span
    message: str
    severity: Severity
    code: str = ""
    rule: str = ""
    related: tuple[Related, ...] = ()
    witness: Witness | None = None
    assumptions: tuple[str, ...] = ()
    fix: Fix | None = None
    kernel: str = ""
    instances: tuple[str, ...] = ()
    confidence: Confidence = Confidence.HIGH
    habit: str = ""

    def reworded(self, say: Callable[[str], str]) -> Finding:
        """The finding with its message, its related places and its advice put in the words of ``say``."""
        return replace(
            self,
            message=say(self.message),
            related=tuple(replace(one, message=say(one.message)) for one in self.related),
            fix=self.fix and replace(self.fix, description=say(self.fix.description)),
        )


def folded(told: Iterable[tuple[object, Finding]], most: int = 3, named: int = 5) -> list[Finding]:
    """Findings of one kernel without a flood of one cause: of those with an equal cause, the first of each pair, the
    first ``most`` stay, and the last of them names the places of ``named`` others and says how many there are."""
    groups: dict[object, list[Finding]] = {}
    numbered: list[tuple[list[Finding], int]] = []
    for cause, finding in told:
        group = groups.setdefault(cause, [])
        numbered.append((group, len(group)))
        group.append(finding)
    out: list[Finding] = []
    for group, number in numbered:
        if number < most:
            rest = group[most:] if number == most - 1 else []
            related = [Related(one.span, "and so is it here") for one in rest[:named]]
            if len(rest) > named:
                related[-1] = replace(related[-1], message=f"and so is it here, and in {len(rest) - named} more places")
            out.append(replace(group[number], related=(*group[number].related, *related)))
    return out
