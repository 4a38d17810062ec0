"""What keeps old findings out of a run: baselines, a diff, a least confidence."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable

from kernlint.cli.options import UsageError
from kernlint.finding import Confidence, Finding
from kernlint.record import replace
from kernlint.result import Level, Notification, Report, Sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernlint.policy.baseline import Baseline
    from kernlint.project.git import Changes

RunsOn = Callable[[str, str], bool]
"""Whether a rule (by code) is switched on for a file (by path)."""


class Adoption:
    """The options of one run, checked before it: what is wrong raises :class:`UsageError` then, not after the work."""

    def __init__(self, options: argparse.Namespace, min_confidence: Confidence) -> None:
        self._min_confidence = min_confidence
        self._write: str | None = options.write_baseline
        self._prune: bool = options.prune_baseline
        self._baseline: Baseline | None = None
        if self._prune and not options.baseline:
            raise UsageError("--prune-baseline needs the file: --baseline FILE")
        if self._write is not None:
            check_writable("--write-baseline", self._write)
        self._changes: Changes | None = None
        if options.diff is not None:
            from kernlint.project import git
            from kernlint.project.gitignored import GitError

            if self._write is not None:
                raise UsageError("--write-baseline takes all findings, so --diff cannot go with it")
            try:
                self._changes = git.changes(options.diff, os.getcwd())
            except GitError as error:
                raise UsageError(f"--diff {options.diff}: {error}") from None
        if options.baseline:
            from kernlint.policy import baseline

            try:
                self._baseline = baseline.read(options.baseline)
            except baseline.BaselineError as error:
                raise UsageError(str(error)) from None

    def apply(self, report: Report, runs_on: RunsOn) -> Report:
        """``report`` with what is to be kept out marked or removed; baselines are written here.

        Raises :class:`UsageError` when one cannot be.
        """
        if self._baseline is not None:
            report = self._known(report, self._baseline, runs_on)
        if self._min_confidence.rank > 0:
            sure = [r for r in report.results if r.finding.confidence.rank >= self._min_confidence.rank]
            report = replace(report, results=tuple(sure))
        if self._write is not None:
            report = self._written(report, self._write)
        if self._changes is not None:
            touched = [r for r in report.results if _touched(r.finding, self._changes, report.sources)]
            report = replace(report, results=tuple(touched))
        return report

    def _known(self, report: Report, known: Baseline, runs_on: RunsOn) -> Report:
        from kernlint.policy import baseline

        results, stale = baseline.apply(known, report.results)
        report = replace(report, results=tuple(results))

        def ran(path: str, code: str) -> bool:
            gaps = report.gaps.get(path)
            return gaps is not None and code not in gaps and runs_on(path, code)

        if self._prune:
            new = baseline.pruned(known, results, stale, report.paths, ran)
            if new.entries != known.entries:
                _write(new)
            removed = len(known.entries) - len(new.entries)
            _say(f"{removed} of {len(known.entries)} findings removed from {known.path}")
        elif stale:
            message = f"{len(stale)} findings in {known.path} were not found again; --prune-baseline drops what is gone"
            report = replace(
                report, notifications=(*report.notifications, Notification(Level.NOTE, "baseline", message))
            )
        return report

    def _written(self, report: Report, path: str) -> Report:
        from kernlint.policy import baseline

        new = baseline.of(path, report.results)
        _write(new)
        _say(f"{len(new.entries)} findings written to {path}")
        return replace(report, results=tuple(baseline.apply(new, report.results)[0]))


def _touched(finding: Finding, changes: Changes, sources: Sources) -> bool:
    """Whether a changed line is among the finding's own places, related ones and the steps of its witness."""
    spans = [finding.span, *(related.span for related in finding.related)]
    if finding.witness is not None:
        spans += [step.span for step in finding.witness.steps]
    for span in spans:
        if os.path.realpath(span.file) in changes.lines:
            source = sources.get(span.file)
            if changes.touch(span.file, source.line_of(span.start), source.line_of(max(span.start, span.end - 1))):
                return True
    return False


def _write(new: Baseline) -> None:
    from kernlint.policy import baseline

    try:
        baseline.write(new)
    except baseline.BaselineError as error:
        raise UsageError(str(error)) from None


def _say(message: str) -> None:
    print(f"kernlint: {message}", file=sys.stderr)


def check_writable(option: str, path: str) -> None:
    """Refuse a hopeless path before the analysis rather than after it."""
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path):
        raise UsageError(f"{option} {path}: is a folder")
    if not os.path.isdir(folder):
        raise UsageError(f"{option} {path}: there is no folder {folder}")
