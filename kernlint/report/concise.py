"""One line per finding: ``file:line:column: level[CODE] rule: message``."""

from __future__ import annotations

from kernlint.report import (
    View,
    notification_line,
    shown_notifications,
    shown_path,
    statistics,
    summary_line,
)
from kernlint.result import Report


def render(report: Report, view: View) -> str:
    """The whole report, notifications last."""
    lines = []
    for result in report.active:
        finding = result.finding
        place = report.sources.get(finding.span.file).position(finding.span.start)
        path = shown_path(finding.span.file, report.root)
        level = f"{finding.severity.value}[{finding.code}]"
        kernel = f" (in kernel {finding.kernel})" if finding.kernel else ""
        lines.append(f"{path}:{place.shown}: {level} {finding.rule}: {finding.message}{kernel}")
    if not view.quiet:
        lines += [notification_line(report, note) for note in shown_notifications(report, view.verbose)]
        if view.statistics:
            lines += statistics(report).splitlines()
        lines += [summary_line(report), *report.summary.gaps]
    return "".join(f"{line}\n" for line in lines)
