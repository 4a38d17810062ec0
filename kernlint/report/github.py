"""GitHub workflow commands: findings become annotations on the pull request."""

from __future__ import annotations

from kernlint.report import View, shown_notifications, shown_path, source_root
from kernlint.result import Report

_LEVELS = {"note": "notice", "warning": "warning", "error": "error"}


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def render(report: Report, view: View) -> str:
    """One command per finding and per failure of the tool."""
    lines = []
    root = source_root(report.root)  # annotations find their files from there, whatever folder the run began in
    for result in report.active:
        finding = result.finding
        source = report.sources.get(finding.span.file)
        start, end = source.position(finding.span.start), source.position(finding.span.end)
        place = {
            "file": shown_path(finding.span.file, root),
            "line": str(start.line),
            "endLine": str(end.line),
            "title": f"{finding.code} {finding.rule}",
        }
        if start.line == end.line:  # GitHub takes columns only for a place on one line
            place["col"], place["endColumn"] = str(start.column), str(end.column)
        properties = ",".join(f"{key}={_property(value)}" for key, value in place.items())
        message = finding.message
        for related in finding.related:
            line = report.sources.get(related.span.file).line_of(related.span.start)
            message += f"\n{shown_path(related.span.file, root)}:{line}: {related.message}"
        lines.append(f"::{_LEVELS[finding.severity.value]} {properties}::{_data(message)}")
    for note in shown_notifications(report, verbose=False):
        where = f" file={_property(shown_path(note.path, root))}" if note.path else ""
        lines.append(f"::{_LEVELS[note.level.value]}{where}::{_data('kernlint: ' + note.message)}")
    return "".join(f"{line}\n" for line in lines)
