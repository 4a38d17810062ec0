"""Turning a run into text: each format is a module of its own, imported when it is asked for."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping

from kernlint.record import dataclass
from kernlint.result import Level, Notification, Report
from kernlint.text.writing import replace_file, to_standard_output


@dataclass(frozen=True, slots=True)
class View:
    """How a report is to look.  ``color``: ``auto``, ``always`` or ``never``; ``width`` in columns (None: the
    terminal's); ``exit_code``: what the process will return."""

    color: str = "auto"
    quiet: bool = False
    verbose: bool = False
    exit_code: int = 0
    statistics: bool = False
    to_file: bool = False
    width: int | None = None


FORMATS: Mapping[str, tuple[str, str]] = {
    "full": ("terminal", "render"),
    "concise": ("concise", "render"),
    "agent": ("agent", "render"),
    "json": ("jsonreport", "render"),
    "json-lines": ("jsonlines", "render"),
    "sarif": ("sarif", "render"),
    "github": ("github", "render"),
    "gitlab": ("gitlab", "render"),
    "junit": ("xmlreports", "junit"),
    "checkstyle": ("xmlreports", "checkstyle"),
    "markdown": ("markdown", "render"),
}
"""Each format's module in this package, imported when it is asked for, and its function of a report and a view."""


def render(format: str, report: Report, view: View) -> str:
    """The report in one of :data:`FORMATS`.  Raises :class:`ValueError` for another name."""
    if format not in FORMATS:
        raise ValueError(f"no format is called {format!r}")
    module, function = FORMATS[format]
    text: str = getattr(importlib.import_module(f"kernlint.report.{module}"), function)(report, view)
    return text


def write(text: str, path: str | None) -> None:
    """Write a report to standard output, or to a file that is replaced at once or not at all.

    Raises :class:`OSError`.
    """
    if path is None:
        to_standard_output(text)
        return
    replace_file(path, text.encode("utf-8", "replace"))


def shown_notifications(report: Report, verbose: bool) -> list[Notification]:
    """What happened to the tool, as far as people should see it: notes only when verbose."""
    return [note for note in report.notifications if verbose or note.level is not Level.NOTE]


def notification_line(report: Report, note: Notification) -> str:
    """One line: place, level, what happened."""
    place = ""
    if note.path:
        place = shown_path(note.span.file if note.span else note.path, report.root)
        if note.span is not None:
            place += f":{report.sources.get(note.span.file).line_of(note.span.start)}"
        place += ": "
    return f"{place}{'' if note.level is Level.NOTE else note.level.value + ': '}{note.message}"


def notify(report: Report, verbose: bool) -> None:
    """Tell what happened to the tool on standard error, for formats that do not say it on standard output."""
    for note in shown_notifications(report, verbose):
        print(f"kernlint: {notification_line(report, note)}", file=sys.stderr)
        if verbose and note.detail:
            print("\n".join(f"    {line}" for line in note.detail.splitlines()), file=sys.stderr)


def source_root(folder: str) -> str:
    """The root of the git work tree that ``folder`` is in, where code scanning expects paths to begin; ``folder``
    itself when there is none."""
    here = os.path.abspath(folder)
    while not os.path.exists(os.path.join(here, ".git")):
        parent = os.path.dirname(here)
        if parent == here:
            return os.path.abspath(folder)
        here = parent
    return here


def shown_path(path: str, root: str) -> str:
    """``path`` relative to ``root`` when it lies below it, else as it is; forward slashes."""
    absolute = os.path.abspath(path)
    try:
        relative = os.path.relpath(absolute, root)
    except ValueError:  # another drive
        return absolute.replace(os.sep, "/")
    return (absolute if relative.startswith("..") else relative).replace(os.sep, "/")


def summary_line(report: Report) -> str:
    """``3 kernels in 2 files (1 in part): 1 error (1 ignored), 1 proved free of races in 0.21 s``; without a file
    ``nothing was checked``."""
    from kernlint.finding import Severity

    summary = report.summary
    counts = [
        _count(report.count(severity), severity.value)
        for severity in (Severity.ERROR, Severity.WARNING, Severity.NOTE)
        if report.count(severity)
    ]
    ignored = len(report.results) - len(report.active)
    gaps = [f"{summary.partial} only in part"] if summary.partial else []
    gaps += [f"{summary.missed} not at all"] if summary.missed else []
    gaps += [_count(summary.failed, "file") + " failed"] if summary.failed else []
    gaps += [_count(summary.unreached, "file") + " not reached"] if summary.unreached else []
    if not summary.files and not report.results:
        return f"nothing was checked{f' ({gaps[-1]})' if gaps else ''}"
    text = f"{_count(summary.kernels, 'kernel')} in {_count(summary.files, 'file')}"
    text += f" ({', '.join(gaps)})" if gaps else ""
    text += ": " + (", ".join(counts) or "no findings")
    text += f" ({ignored} ignored)" if ignored else ""
    text += f", {summary.raceless} proved free of races" if summary.raceless else ""
    return f"{text} in {summary.seconds:.2f} s"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def statistics(report: Report) -> str:
    """Findings by rule, most frequent first."""
    counts: dict[tuple[str, str], int] = {}
    for result in report.active:
        key = (result.finding.code, result.finding.rule)
        counts[key] = counts.get(key, 0) + 1
    rows = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return "".join(f"{number:6}  {code}  {name}\n" for (code, name), number in rows)


def timings(report: Report) -> str:
    """Self time of stages, analyses and rules, longest first."""
    rows = sorted(report.timings.items(), key=lambda item: -item[1])
    total = report.summary.seconds or 1e-9
    lines = [f"{seconds * 1000:10.1f} ms {seconds / total:6.1%}  {name}" for name, seconds in rows]
    return "\n".join([*lines, f"{report.summary.seconds * 1000:10.1f} ms         whole run"])
