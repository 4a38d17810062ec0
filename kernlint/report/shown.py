"""One finding for people: a code frame with the evidence."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

from kernlint.finding import Finding, Fix, Witness
from kernlint.report import shown_path
from kernlint.report.console import Line, cells
from kernlint.report.frame import TAB, Mark, frames, gutter_of
from kernlint.report.words import index, step_text, witness_text
from kernlint.result import Report

STYLES = {"error": "bold red", "warning": "bold yellow", "note": "bold cyan"}

MAX_CHANGES = 16
"""Lines of a fix that are shown."""

MAX_MARKS = 8
"""Related places beyond this many are left to the machine-readable formats."""


def finding_lines(finding: Finding, report: Report, width: int) -> Iterator[Line]:
    """Header, place, frames, and the evidence below them."""
    style = STYLES[finding.severity.value]
    head = f"{finding.severity.value}[{finding.code}]"
    wrapped = textwrap.wrap(
        f"{finding.rule}: {finding.message}", max(width - len(head) - 1, 30), break_on_hyphens=False
    ) or [""]
    yield ((head, style), (f" {wrapped[0]}", "bold"))
    for part in wrapped[1:]:
        yield ((" " * (len(head) + 1) + part, "bold"),)

    marks = marks_of(finding)
    gutter = gutter_of(marks, report.sources)
    position = report.sources.get(finding.span.file).position(finding.span.start)
    where = f"{shown_path(finding.span.file, report.root)}:{position.shown}"
    context = f"  in kernel {finding.kernel}" if finding.kernel else ""
    if finding.instances:
        context += f", for {_instances(finding.instances)}"
    yield ((" " * (gutter + 1) + "--> ", "blue"), (where, ""), (context, "dim"))
    names = {mark.span.file: shown_path(mark.span.file, report.root) for mark in marks}
    yield from frames(marks, report.sources, width, style, names)
    yield from _evidence(finding, report, width, gutter)


def _instances(instances: tuple[str, ...]) -> str:
    shown = "; ".join(instances[:3])
    return shown if len(instances) <= 3 else f"{shown} and {len(instances) - 3} more"


def marks_of(finding: Finding) -> list[Mark]:
    """The places of a finding with what to write under each: what the witness's threads do there, else the
    message of the related place."""
    steps = finding.witness.steps if finding.witness else ()
    said = {step.span: step_text(finding.witness, step) for step in reversed(steps) if finding.witness}
    marks = [Mark(finding.span, said.pop(finding.span, ""), primary=True)]
    for related in finding.related:
        label = said.pop(related.span, "")
        if re.search(r"\bthread\b", related.message):  # it says what the witness would
            label = related.message
        elif label and related.message and label != related.message:
            label = f"{related.message}: {label}"
        if related.span == finding.span:
            marks[0] = Mark(finding.span, marks[0].label or related.message, primary=True)
        else:
            marks.append(Mark(related.span, label or related.message))
    marks += [Mark(span, label) for span, label in said.items()]
    return marks[:MAX_MARKS]


def _evidence(finding: Finding, report: Report, width: int, gutter: int) -> Iterator[Line]:
    indent = " " * (gutter + 2)
    notes: list[tuple[str, str]] = []
    if finding.witness is not None:
        notes.append(("witness", witness_text(finding.witness)))
    notes += [("assuming", text) for text in finding.assumptions]
    if finding.fix is not None:
        notes.append(("fix", finding.fix.description))
    hint = f"kernlint rule {finding.code}"
    last = 0
    rows: list[tuple[Line, int]] = []
    for key, text in notes:
        lead = f"{indent}= {key}: "
        wrapped = textwrap.wrap(text, max(width - cells(lead), 24), break_on_hyphens=False) or [""]
        for number, part in enumerate(wrapped):
            head = lead if number == 0 else " " * cells(lead)
            last = cells(head) + cells(part)
            rows.append((((head, "bold"), (part, "")), last))
        if key == "witness" and finding.witness is not None and len(finding.witness.steps) > 1:
            rows += [(((row, "dim"),), cells(row)) for row in _table(finding.witness, report, indent + "  ")]
        if key == "fix" and finding.fix is not None and finding.fix.edits:
            rows += [
                (((row, style),), cells(row)) for row, style in _changes(finding.fix, report, indent + "  ", width)
            ]
    for line, _ in rows[:-1]:
        yield line
    right = min(width, 100)
    shows_code = finding.fix is not None and bool(finding.fix.edits)
    if rows and not shows_code and rows[-1][1] + 2 + len(hint) <= right:
        line, used = rows[-1]
        yield (*line, (" " * (right - used - len(hint)) + hint, "dim"))
        return
    if rows:
        yield rows[-1][0]
    yield ((f"{indent}= {hint}", "dim"),)


def _changes(fix: Fix, report: Report, indent: str, width: int) -> Iterator[tuple[str, str]]:
    """The lines that a fix changes, as they are and as they would be, with how they are coloured."""
    from kernlint.run.patch import changed_lines

    source = report.sources.get(fix.edits[0].span.file)
    lines = changed_lines(source, fix.edits)
    for number, sign, text in lines[:MAX_CHANGES]:
        line = f"{indent}{number:4} {sign} {text.expandtabs(TAB)}"
        if cells(line) > width:
            line = f"{line[: width - 3 - (cells(line) - len(line))]}..."
        yield line.rstrip(), "green" if sign == "+" else "red"
    if len(lines) > MAX_CHANGES:
        yield f"{indent}and {len(lines) - MAX_CHANGES} lines more", "dim"


def _table(witness: Witness, report: Report, indent: str) -> Iterator[str]:
    """Who does what where, one row per step."""
    labelled = len({step.span for step in witness.steps}) == len(witness.steps) <= MAX_MARKS
    head = ("block", "thread", "line", "index", "")
    rows = [
        (
            index(step.block, witness.grid),
            index(step.thread, witness.block),
            str(report.sources.get(step.span.file).line_of(step.span.start)),
            "" if step.index is None else str(step.index),
            "" if labelled else step.what,  # the frame says it already
        )
        for step in witness.steps
    ]
    widths = [max(len(row[n]) for row in (head, *rows)) for n in range(4)]
    for row in (head, *rows):
        yield indent + "  ".join([*(f"{row[n]:<{widths[n]}}" for n in range(4)), row[4]]).rstrip()
