"""A table in Markdown, for job summaries and merge request comments."""

from __future__ import annotations

import re

from kernlint.report import View, notification_line, shown_notifications, shown_path, summary_line
from kernlint.result import Report


def render(report: Report, view: View) -> str:
    """The summary line, a row per finding, and what happened to the tool."""
    lines = ["## kernlint", "", _escape(summary_line(report))]
    if report.active:
        lines += ["", "| level | rule | place | kernel | finding |", "|---|---|---|---|---|"]
    for result in report.active:
        finding = result.finding
        line = report.sources.get(finding.span.file).line_of(finding.span.start)
        place = f"{_escape(shown_path(finding.span.file, report.root))}:{line}"
        rule = f"{finding.code} {finding.rule}"
        cells = [finding.severity.value, rule, place, _escape(finding.kernel), _escape(finding.message)]
        lines.append(f"| {' | '.join(cells)} |")
    if notes := shown_notifications(report, verbose=False):
        lines += ["", *(f"- {_escape(notification_line(report, note))}" for note in notes)]
    return "\n".join(lines) + "\n"


def _escape(text: str) -> str:
    """``text`` with what Markdown or a table would take for its own escaped, on one line."""
    return re.sub(r"([\\`*_{}\[\]<>|#])", r"\\\1", text.replace("\n", " "))
