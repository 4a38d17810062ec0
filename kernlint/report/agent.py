"""Findings for programs that write kernels: one compact block each, with the counterexample and how to check a change.

Nothing is drawn and nothing depends on the width of a terminal; every line has one meaning, told by its first word.
"""

from __future__ import annotations

import shlex

from kernlint.finding import Finding
from kernlint.report import View, notification_line, shown_notifications, shown_path, summary_line
from kernlint.report.words import step_text, witness_text
from kernlint.result import Report, Result


def render(report: Report, view: View) -> str:
    """A block for each finding, an empty line between them, then what was not analysed and the summary."""
    blocks = [_block(report, result) for result in report.active]
    notes = [f"note {notification_line(report, note)}" for note in shown_notifications(report, view.verbose)]
    return "\n".join([*blocks, *(f"{line}\n" for line in (*notes, f"summary {summary_line(report)}"))])


def _block(report: Report, result: Result) -> str:
    finding = result.finding
    lines = [
        f"{finding.severity.value} {finding.code} {finding.rule}",
        f"at {_place(report, finding.span.file, finding.span.start)}" + _kernel(finding),
        f"says {_line(finding.message)}",
        f"code {_line(report.sources.get(finding.span.file).text(finding.span))}",
    ]
    for related in finding.related:
        lines.append(f"see {_place(report, related.span.file, related.span.start)} {_line(related.message)}")
    if (witness := finding.witness) is not None:
        lines.append(f"counterexample {witness_text(witness)}")
        for step in witness.steps:
            where = _place(report, step.span.file, step.span.start)
            lines.append(f"step {where} {_line(step_text(witness, step))}")
    lines += [f"assuming {_line(assumption)}" for assumption in finding.assumptions]
    if finding.fix is not None:
        lines.append(f"cure {_line(finding.fix.description)}")
        for edit in finding.fix.edits:
            where = _place(report, edit.span.file, edit.span.start)
            end = report.sources.get(edit.span.file).position(edit.span.end)
            lines.append(f"edit {where}-{end.line}:{end.column} {_quoted(edit.text)}")
    path = shlex.quote(shown_path(finding.span.file, report.root))
    lines.append(f"check kernlint check --select {finding.code} --format agent {path}")
    return "".join(f"{line}\n" for line in lines)


def _kernel(finding: Finding) -> str:
    return f" kernel {finding.kernel}" if finding.kernel else ""


def _place(report: Report, path: str, offset: int) -> str:
    position = report.sources.get(path).position(offset)
    return f"{shown_path(path, report.root)}:{position.line}:{position.column}"


def _line(text: str) -> str:
    return " ".join(text.split())


def _quoted(text: str) -> str:
    """An edit's text as a JSON string, so that line ends stay on the line."""
    import json

    return json.dumps(text, ensure_ascii=False)
