"""The outcome of one file as plain JSON data, and back: lists in a fixed order, places by the number of their file.

Not pickle: a cache folder may come from elsewhere (a build server restores it), and data must not be able to run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from kernlint.finding import Confidence, Edit, Finding, Fix, Related, Severity, Step, Witness
from kernlint.result import Level, Notification, Result, Suppression
from kernlint.run.outcome import FileOutcome
from kernlint.source import Span

Json = Any
T = TypeVar("T")

FORMAT = 4
"""Raised when the form of the data changes."""


def encode(outcome: FileOutcome) -> Json:
    """``outcome`` as JSON data, but for its texts and times and whether it was lost."""
    writer = _Writer()
    results = [writer.result(result) for result in outcome.results]
    notifications = [writer.notification(note) for note in outcome.notifications]
    counts = [outcome.kernels, outcome.partial, outcome.missed, outcome.fixed, outcome.raceless]
    return [list(writer.files), results, notifications, counts, sorted(outcome.unsure), outcome.gaps]


def decode(path: str, data: Json) -> FileOutcome:
    """The outcome that :func:`encode` wrote for the file at ``path``.

    Raises :class:`ValueError`, :class:`TypeError`, :class:`IndexError` or :class:`KeyError` for other data.
    """
    files, results, notifications, (kernels, partial, missed, fixed, raceless), unsure, gaps = data
    if not (results or notifications or unsure):
        return FileOutcome(path, kernels=kernels, partial=partial, missed=missed, fixed=fixed, raceless=raceless)
    reader = _Reader(files)
    return FileOutcome(
        path,
        [reader.result(item) for item in results],
        [reader.notification(item) for item in notifications],
        kernels=kernels,
        partial=partial,
        missed=missed,
        unsure=set(unsure),
        fixed=fixed,
        raceless=raceless,
        gaps=[tuple(reasons) for reasons in gaps],
    )


class _Writer:
    def __init__(self) -> None:
        self.files: dict[str, int] = {}

    def span(self, span: Span) -> Json:
        return [self.files.setdefault(span.file, len(self.files)), span.start, span.end]

    def result(self, result: Result) -> Json:
        suppression = None
        if (why := result.suppression) is not None:
            suppression = [why.kind, why.justification, _maybe(self.span, why.span)]
        return [self.finding(result.finding), result.fingerprint, suppression]

    def finding(self, finding: Finding) -> Json:
        return [
            self.span(finding.span),
            finding.message,
            finding.severity.value,
            finding.code,
            finding.rule,
            [[self.span(related.span), related.message] for related in finding.related],
            _maybe(self.witness, finding.witness),
            finding.assumptions,
            _maybe(self.fix, finding.fix),
            finding.kernel,
            finding.instances,
            finding.confidence.value,
        ]

    def witness(self, witness: Witness) -> Json:
        steps = [[step.block, step.thread, self.span(step.span), step.what, step.index] for step in witness.steps]
        return [witness.block, witness.grid, witness.values, steps, witness.replayed]

    def fix(self, fix: Fix) -> Json:
        return [fix.description, [[self.span(edit.span), edit.text] for edit in fix.edits], fix.change]

    def notification(self, note: Notification) -> Json:
        place = _maybe(self.span, note.span)
        return [note.level.value, note.kind, note.message, note.path, place, note.rule, note.detail]


class _Reader:
    def __init__(self, files: list[str]) -> None:
        self.files = files

    def span(self, data: Json) -> Span:
        file, start, end = data
        return Span(self.files[file], start, end)

    def result(self, data: Json) -> Result:
        finding, fingerprint, suppression = data
        return Result(self.finding(finding), fingerprint, _maybe(self.suppression, suppression))

    def suppression(self, data: Json) -> Suppression:
        kind, justification, span = data
        return Suppression(kind, justification, _maybe(self.span, span))

    def finding(self, data: Json) -> Finding:
        span, message, severity, code, rule, related, witness, assumptions, fix, kernel, instances, confidence = data
        return Finding(
            self.span(span),
            message,
            Severity(severity),
            code,
            rule,
            tuple(Related(self.span(place), text) for place, text in related),
            _maybe(self.witness, witness),
            tuple(assumptions),
            _maybe(self.fix, fix),
            kernel,
            tuple(instances),
            Confidence(confidence),
        )

    def witness(self, data: Json) -> Witness:
        block, grid, values, steps, replayed = data
        return Witness(
            _triple(block),
            _triple(grid),
            tuple((name, value) for name, value in values),
            tuple(Step(_triple(b), _triple(t), self.span(span), what, index) for b, t, span, what, index in steps),
            replayed,
        )

    def fix(self, data: Json) -> Fix:
        description, edits, change = data
        return Fix(description, tuple(Edit(self.span(span), text) for span, text in edits), change)

    def notification(self, data: Json) -> Notification:
        level, kind, message, path, span, rule, detail = data
        return Notification(Level(level), kind, message, path, _maybe(self.span, span), rule, detail)


def _maybe(convert: Callable[[Any], T], value: Any) -> T | None:
    return None if value is None else convert(value)


def _triple(data: Json) -> tuple[int, int, int]:
    x, y, z = data
    return x, y, z
