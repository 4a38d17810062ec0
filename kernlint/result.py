"""What a run hands to the reports: results, notifications, a summary and the texts they point into."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from kernlint.finding import Finding, Severity
from kernlint.record import dataclass, field
from kernlint.source import SourceError, SourceFile, Span, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernlint.registry import Registry


class Level(Enum):
    """How loud a notification is."""

    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Notification:
    """Something that happened to the tool, not a fault of the code.

    ``kind``: ``unreadable-file``, ``front-end-failure``, ``rule-crash``, ``partial-kernel``, ``missed-kernel``,
    ``missing-header``, ``bad-directive``, ``front-end-note``, ``nothing-to-do``, ``cache``.  ``detail`` is shown
    only when asked for (a traceback).  ``span``: the place, when it is not the whole of ``path``.
    """

    level: Level
    kind: str
    message: str
    path: str = ""
    span: Span | None = None
    rule: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Suppression:
    """Why a finding does not count.  ``kind``: ``inSource`` (a directive at ``span``) or ``external`` (a baseline)."""

    kind: str
    justification: str = ""
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """A finding at the level that is shown.  ``fingerprint`` survives moved lines."""

    finding: Finding
    fingerprint: str
    suppression: Suppression | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts of one run; ``seconds`` is wall-clock time.

    ``kernels`` are those in the tree, ``partial`` of them lost something, ``missed`` are in the text alone.
    ``files`` were analysed, ``failed`` could not be.  ``raceless``: kernels of which it was proved in passing, under
    the usual assumptions, that no two threads race.  ``gaps``: a line for each of the largest reasons for ``partial``.
    ``unreached``: files that an interrupted run did not come to.
    """

    files: int = 0
    failed: int = 0
    kernels: int = 0
    partial: int = 0
    missed: int = 0
    raceless: int = 0
    seconds: float = 0.0
    gaps: tuple[str, ...] = ()
    unreached: int = 0


class Sources:
    """Texts by path: those analysed, and headers read when a report first points into them."""

    def __init__(self) -> None:
        self._files: dict[str, SourceFile] = {}

    def add(self, source: SourceFile) -> None:
        """Remember a text under its path."""
        self._files[source.path] = source

    def get(self, path: str) -> SourceFile:
        """The text of ``path``; an empty one when it cannot be read (any more)."""
        source = self._files.get(path)
        if source is None:
            try:
                source = read(path)
            except SourceError:
                source = SourceFile(path, b"")
            self._files[path] = source
        return source


@dataclass(frozen=True, slots=True)
class Report:
    """Everything about one run.

    ``results`` are ordered by file, place and code and include suppressed ones; ``lost``: an internal failure
    lost a whole file, or no named file could be read.  ``root`` is the folder that reported paths are relative
    to.  ``timings``: self time in seconds by name.  ``gaps``: for each of ``paths`` the codes of rules that did not
    look at all of it, None for a file that was not analysed.
    """

    results: tuple[Result, ...]
    notifications: tuple[Notification, ...]
    summary: Summary
    sources: Sources
    registry: Registry
    root: str
    lost: bool = False
    paths: tuple[str, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    command_line: tuple[str, ...] = ()
    gaps: Mapping[str, frozenset[str] | None] = field(default_factory=dict)

    @property
    def active(self) -> tuple[Result, ...]:
        """Results that are not suppressed."""
        return tuple(result for result in self.results if result.suppression is None)

    def count(self, severity: Severity) -> int:
        """Unsuppressed results of exactly this level."""
        return sum(result.finding.severity is severity for result in self.active)

    def exit_code(self, fail_on: Severity | None) -> int:
        """2 when something was lost, 1 for a result at or above ``fail_on`` (None: never), else 0."""
        if self.lost:
            return 2
        if fail_on is None:
            return 0
        return int(any(result.finding.severity.rank >= fail_on.rank for result in self.active))
