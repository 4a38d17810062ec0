"""The report for people: findings with their evidence, and one summary line."""

from __future__ import annotations

from kernlint.report import (
    View,
    notification_line,
    shown_notifications,
    statistics,
    summary_line,
)
from kernlint.report.console import Line, terminal_width, to_text, wants_color
from kernlint.result import Report

_STYLES = {"error": "bold red", "warning": "bold yellow"}


def render(report: Report, view: View) -> str:
    """All unsuppressed findings, what happened to the tool, and the summary line."""
    width = view.width or terminal_width()
    colored = wants_color(view.color, view.to_file)
    lines: list[Line] = []
    if report.active:
        from kernlint.report.shown import finding_lines  # with all that draws frames
    for result in report.active:
        lines += finding_lines(result.finding, report, width)
        lines.append(())
    if not view.quiet:
        for note in shown_notifications(report, view.verbose):
            style = _STYLES.get(note.level.value, "") if note.level.value != "note" else "dim"
            lines.append((("kernlint: ", style), (notification_line(report, note), "")))
            if view.verbose and note.detail:
                lines += [((f"    {line}", "dim"),) for line in note.detail.splitlines()]
        if view.statistics:
            lines += [((line, ""),) for line in statistics(report).splitlines()]
        lines.append(((summary_line(report), "bold"),))
        lines += [((line, "dim"),) for line in report.summary.gaps]
    return to_text(lines, colored)
