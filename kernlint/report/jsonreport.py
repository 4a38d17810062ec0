"""The report as one JSON object, for scripts; SARIF is the format for tools."""

from __future__ import annotations

import json
from typing import Any

from kernlint.finding import Finding, Step, Witness
from kernlint.report import View, shown_path
from kernlint.result import Notification, Report, Result
from kernlint.source import Span

VERSION = 1
"""Raised when a field changes its meaning; new fields do not raise it."""


def render(report: Report, view: View) -> str:
    """Findings (suppressed ones too, marked), notifications and the summary."""
    summary = report.summary
    whole = {
        "version": VERSION,
        "findings": [result_object(report, result) for result in report.results],
        "notifications": [_notification(report, note) for note in report.notifications],
        "summary": {
            "files": summary.files,
            "failed": summary.failed,
            "kernels": summary.kernels,
            "partial": summary.partial,
            "missed": summary.missed,
            "raceless": summary.raceless,
            "seconds": round(summary.seconds, 3),
            "gaps": list(summary.gaps),
            "unreached": summary.unreached,
        },
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def result_object(report: Report, result: Result) -> dict[str, Any]:
    """One finding as plain data; places have 1-based lines and columns in characters."""
    finding: Finding = result.finding
    data: dict[str, Any] = {
        "code": finding.code,
        "rule": finding.rule,
        "severity": finding.severity.value,
        "confidence": finding.confidence.value,
        "message": finding.message,
        "kernel": finding.kernel or None,
        "instances": list(finding.instances),
        **_place(report, finding.span),
        "related": [{"message": r.message, **_place(report, r.span)} for r in finding.related],
        "assumptions": list(finding.assumptions),
        "witness": _witness(report, finding.witness) if finding.witness else None,
        "fix": None,
        "fingerprint": result.fingerprint,
        "suppressed": None,
    }
    if finding.fix is not None:
        edits = [{"text": edit.text, **_place(report, edit.span)} for edit in finding.fix.edits]
        data["fix"] = {"description": finding.fix.description, "edits": edits}
        if finding.fix.change:
            data["fix"]["change"] = finding.fix.change
    if result.suppression is not None:
        data["suppressed"] = {"kind": result.suppression.kind, "justification": result.suppression.justification}
    return data


def _place(report: Report, span: Span) -> dict[str, Any]:
    source = report.sources.get(span.file)
    start, end = source.position(span.start), source.position(span.end)
    cell = {"cell": start.cell} if start.cell else {}
    return {
        "file": shown_path(span.file, report.root),
        **cell,
        "line": start.line,
        "column": start.column,
        "end_line": end.line,
        "end_column": end.column,
    }


def _witness(report: Report, witness: Witness) -> dict[str, Any]:
    return {
        "block": list(witness.block),
        "grid": list(witness.grid),
        "values": dict(witness.values),
        "replayed": witness.replayed,
        "steps": [_step(report, step) for step in witness.steps],
    }


def _step(report: Report, step: Step) -> dict[str, Any]:
    return {
        "block": list(step.block),
        "thread": list(step.thread),
        "what": step.what,
        "index": step.index,
        **_place(report, step.span),
    }


def _notification(report: Report, note: Notification) -> dict[str, Any]:
    data: dict[str, Any] = {"level": note.level.value, "kind": note.kind, "message": note.message}
    if note.span is not None:
        data.update(_place(report, note.span))
    elif note.path:
        data["file"] = shown_path(note.path, report.root)
    if note.rule:
        data["rule"] = note.rule
    return data
