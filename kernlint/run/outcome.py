"""What the analysis of one file gave."""

from __future__ import annotations

from kernlint.record import dataclass, field
from kernlint.result import Level, Notification, Result
from kernlint.source import SourceFile


@dataclass(slots=True)
class FileOutcome:
    """What one file gave.  ``lost``: an internal failure left it unanalysed; ``unread``: it is no readable text.
    ``raceless``: kernels of which it was proved in passing that no two threads race.  ``unsure``: codes of rules that
    did not look at all of it.  ``depends``: paths at which headers are, or were looked for and not found.  ``fixed``:
    fixes were looked for, and results have those that hold.  ``gaps``: for each of the
    ``partial`` kernels why it is known only in part.  ``asked``: what the project was asked, with digests of the
    answers.  ``general``: problems of the whole run; ``seconds``: self
    times by name (both only from another process)."""

    path: str
    results: list[Result] = field(default_factory=list)
    notifications: list[Notification] = field(default_factory=list)
    sources: list[SourceFile] = field(default_factory=list)
    kernels: int = 0
    partial: int = 0
    gaps: list[tuple[str, ...]] = field(default_factory=list)
    missed: int = 0
    lost: bool = False
    unread: bool = False
    raceless: int = 0
    unsure: set[str] = field(default_factory=set)
    depends: tuple[str, ...] = ()
    asked: dict[tuple[str, ...], str] = field(default_factory=dict)
    fixed: bool = False
    general: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    def note(self, level: Level, kind: str, message: str, **more: object) -> None:
        """Add a notification about this file."""
        self.notifications.append(Notification(level, kind, message, self.path, **more))  # type: ignore[arg-type]
