"""SARIF 2.1.0, as GitHub code scanning and SARIF viewers take it.

Columns count UTF-16 code units, URIs are relative to ``SRCROOT``, a witness becomes a code flow with one thread flow
per GPU thread, and suppressed results are kept with their justification.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

from kernlint import __version__
from kernlint.finding import Edit, Finding, Severity, Step
from kernlint.policy import fingerprint
from kernlint.registry import CONTROL_CODES, CONTROL_TEXTS
from kernlint.report import View, shown_path, source_root
from kernlint.report.words import step_text, witness_text
from kernlint.result import Notification, Report, Result
from kernlint.rule import RuleClass, document
from kernlint.source import Span

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
BASE = "SRCROOT"

Json = dict[str, Any]


def render(report: Report, view: View) -> str:
    """The log as text."""
    return json.dumps(log(report, view), ensure_ascii=False) + "\n"


def log(report: Report, view: View) -> Json:
    """The log as plain data."""
    writer = _Writer(report)
    results = [writer.result(result) for result in report.results]
    notifications = [writer.notification(note) for note in report.notifications]
    run: Json = {
        "tool": {"driver": writer.driver()},
        "automationDetails": {"id": "kernlint/"},
        "invocations": [
            {
                "executionSuccessful": not (report.lost or report.summary.unreached),
                "exitCode": view.exit_code,
                "workingDirectory": {"uri": _folder_uri(report.root)},
                **({"arguments": list(report.command_line[1:])} if report.command_line else {}),
                "toolExecutionNotifications": notifications,
            }
        ],
        "originalUriBaseIds": {
            BASE: {"uri": _folder_uri(writer.root), "description": {"text": "The root of the source tree."}}
        },
        "artifacts": writer.artifacts(),
        "columnKind": "utf16CodeUnits",
        "properties": {"kernels": report.summary.kernels, "kernelsFreeOfRaces": report.summary.raceless},
        "results": results,
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _folder_uri(path: str) -> str:
    return _file_uri(path).rstrip("/") + "/"


_SAFE = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")


def _quote(path: str) -> str:
    """Percent-encode a path (RFC 3986); ``urllib`` does it too, at 4 ms for the import."""
    return "".join(chr(byte) if byte in _SAFE else f"%{byte:02X}" for byte in os.fsencode(path))


def _file_uri(path: str) -> str:
    absolute = os.path.abspath(path).replace(os.sep, "/")
    drive, rest = os.path.splitdrive(absolute)
    return f"file://{'/' + drive if drive else ''}{_quote(rest)}"


class _Writer:
    """Builds the parts of one run; artifacts are numbered as they are met."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.root = source_root(report.root)
        # Only rules that have something to say are described: their pages are the better part of a log.
        used = {result.finding.code for result in report.results} | {note.rule for note in report.notifications}
        rules = report.registry.rules if used else ()
        self.rules: list[RuleClass] = [rule for rule in rules if rule.meta.code in used]
        codes = [rule.meta.code for rule in self.rules] + list(CONTROL_CODES)
        self.codes = [code for code in codes if code in used]
        self._artifacts: dict[str, int] = {}
        self._spelt: dict[str, str] = {}
        for path in report.paths:
            self._artifact(path)

    # ------------------------------------------------------------------------------------------ the tool

    def driver(self) -> Json:
        families = self.report.registry.families if self.rules else {}
        rules = [rule_object(rule, families) for rule in self.rules]
        rules += [_control_rule(code) for code in CONTROL_CODES if code in self.codes]
        return {
            "name": "kernlint",
            "version": __version__,
            "semanticVersion": __version__,
            "fullDescription": {
                "text": "Static analysis of CUDA, HIP and OpenCL kernels: bounds, races, barriers, resources."
            },
            "rules": rules,
        }

    def artifacts(self) -> list[Json]:
        result = []
        for path in self._artifacts:
            source = self.report.sources.get(self._spelt[path])
            entry: Json = {"location": self._location(path)}
            suffix = os.path.splitext(path)[1].lower()
            language = {".cu": "cuda", ".cuh": "cuda", ".hip": "hip", ".cl": "opencl"}.get(suffix)
            if language:
                entry["sourceLanguage"] = language
            if source.data:
                entry["length"] = len(source.data)
            result.append(entry)
        return result

    def _artifact(self, path: str) -> int:
        """The number of a file, however its path is written: a log lists each once."""
        absolute = os.path.abspath(path)
        self._spelt.setdefault(absolute, path)
        return self._artifacts.setdefault(absolute, len(self._artifacts))

    # ------------------------------------------------------------------------------------------- places

    def _location(self, path: str) -> Json:
        shown = shown_path(path, self.root)
        if os.path.isabs(shown):
            return {"uri": _file_uri(shown)}
        return {"uri": _quote(shown), "uriBaseId": BASE}

    def region(self, span: Span) -> Json:
        source = self.report.sources.get(span.file)
        start = source.position(span.start)
        end = source.position(max(span.end, span.start))
        region: Json = {
            "startLine": start.line,
            "startColumn": start.utf16,
            "endLine": end.line,
            "endColumn": end.utf16,
        }
        if start.cell:
            region["properties"] = {"cell": start.cell}
            if end.cell != start.cell or end.line < start.line:
                region.update(endLine=start.line, endColumn=start.utf16)
        text = source.text(span)
        if 0 < len(text) <= 2000:
            region["snippet"] = {"text": text}
        return region

    def physical(self, span: Span, context: bool = False) -> Json:
        place: Json = {
            "artifactLocation": {**self._location(span.file), "index": self._artifact(span.file)},
            "region": self.region(span),
        }
        source = self.report.sources.get(span.file)
        if context and not source.cells:
            first = max(1, source.line_of(span.start) - 2)
            last = min(len(source.line_starts), source.line_of(max(span.start, span.end - 1)) + 2)
            text = "\n".join(source.line_text(line) for line in range(first, last + 1))
            if len(text) <= 4000:
                place["contextRegion"] = {"startLine": first, "endLine": last, "snippet": {"text": text}}
        return place

    # ------------------------------------------------------------------------------------------- results

    def result(self, result: Result) -> Json:
        finding = result.finding
        related = [
            {"id": number, "physicalLocation": self.physical(place.span), "message": {"text": place.message}}
            for number, place in enumerate(finding.related, 1)
        ]
        location: Json = {"physicalLocation": self.physical(finding.span, context=True)}
        if finding.kernel:
            location["logicalLocations"] = [{"name": finding.kernel, "kind": "function"}]
        entry: Json = {
            "ruleId": finding.code,
            "ruleIndex": self.codes.index(finding.code),
            "level": finding.severity.value,
            "kind": "fail",
            "message": {"text": _message(finding, self.report)},
            "locations": [location],
            "partialFingerprints": {fingerprint.VERSION: result.fingerprint},
            "properties": {"rule": finding.rule, "confidence": finding.confidence.value},
        }
        if related:
            entry["relatedLocations"] = related
        if finding.instances:
            entry["properties"]["instances"] = list(finding.instances)
        if finding.assumptions:
            entry["properties"]["assumptions"] = list(finding.assumptions)
        if finding.witness is not None:
            witness = finding.witness
            entry["properties"]["witness"] = {
                "block": list(witness.block),
                "grid": list(witness.grid),
                "values": dict(witness.values),
                "replayed": witness.replayed,
            }
            if witness.steps:
                entry["codeFlows"] = [self._flow(finding)]
        if finding.fix is not None and finding.fix.edits:
            entry["fixes"] = [
                {
                    "description": {"text": _sentence(finding.fix.change or finding.fix.description)},
                    "artifactChanges": self._changes(finding.fix.edits),
                }
            ]
        if result.suppression is not None:
            suppression: Json = {"kind": result.suppression.kind, "status": "accepted"}
            suppression["justification"] = result.suppression.justification or "no reason was given"
            if result.suppression.span is not None:
                suppression["location"] = {"physicalLocation": self.physical(result.suppression.span)}
            entry["suppressions"] = [suppression]
        return entry

    def _flow(self, finding: Finding) -> Json:
        """One thread flow per GPU thread; ``executionOrder`` is the order of the witness's steps."""
        assert finding.witness is not None
        witness = finding.witness
        threads: dict[tuple[tuple[int, int, int], tuple[int, int, int]], list[tuple[int, Step]]] = {}
        for order, step in enumerate(witness.steps, 1):
            threads.setdefault((step.block, step.thread), []).append((order, step))
        flows = []
        for (block, thread), steps in threads.items():
            locations = []
            for order, step in steps:
                state: Json = {"thread": {"text": str(step.thread)}, "block": {"text": str(step.block)}}
                if step.index is not None:
                    state["index"] = {"text": str(step.index)}
                locations.append(
                    {
                        "location": {
                            "physicalLocation": self.physical(step.span),
                            "message": {"text": step_text(witness, step)},
                        },
                        "state": state,
                        "executionOrder": order,
                        "importance": "essential",
                    }
                )
            flows.append(
                {
                    "id": f"block {block} thread {thread}",
                    "message": {"text": f"thread {thread} of block {block}"},
                    "locations": locations,
                }
            )
        return {"message": {"text": witness_text(witness)}, "threadFlows": flows}

    def _changes(self, edits: Iterable[Edit]) -> list[Json]:
        by_file: dict[str, list[Json]] = {}
        for edit in edits:
            region = self.region(edit.span)
            region.pop("snippet", None)
            by_file.setdefault(edit.span.file, []).append(
                {"deletedRegion": region, "insertedContent": {"text": edit.text}}
            )
        return [
            {"artifactLocation": {**self._location(path), "index": self._artifact(path)}, "replacements": changes}
            for path, changes in by_file.items()
        ]

    # ------------------------------------------------------------------------------------- notifications

    def notification(self, note: Notification) -> Json:
        entry: Json = {
            "level": note.level.value,
            "message": {"text": note.message},
            "descriptor": {"id": note.kind},
        }
        if note.span is not None:
            entry["locations"] = [{"physicalLocation": self.physical(note.span)}]
        elif note.path:
            entry["locations"] = [
                {
                    "physicalLocation": {
                        "artifactLocation": {**self._location(note.path), "index": self._artifact(note.path)}
                    }
                }
            ]
        if note.rule in self.codes:
            entry["associatedRule"] = {"id": note.rule, "index": self.codes.index(note.rule)}
        if note.detail:
            entry["exception"] = {"message": note.detail}
        return entry


def rule_object(rule: RuleClass, families: Mapping[str, str]) -> Json:
    """The descriptor of a rule, its help taken from the docstring."""
    page = document(rule)
    meta = rule.meta
    title = page.title.rstrip(".") + "."
    summary = _plain(page.body.split("\n\n", 1)[0]) or title
    if "```" in page.body.split("\n\n", 1)[0]:
        summary = title
    return {
        "id": meta.code,
        "name": meta.name,
        "shortDescription": {"text": _plain(title)},
        "fullDescription": {"text": summary if summary.endswith(".") else summary + "."},
        "help": {"text": _plain(page.markdown), "markdown": page.markdown},
        "defaultConfiguration": {"enabled": True, "level": meta.severity.value},
        "properties": {
            "precision": meta.precision,
            "problem.severity": _problem(meta.severity),
            "tags": ["gpu", families[meta.code], *meta.tags],
        },
    }


def _control_rule(code: str) -> Json:
    text = CONTROL_TEXTS[code]
    return {
        "id": code,
        "name": CONTROL_CODES[code],
        "shortDescription": {"text": text},
        "fullDescription": {"text": text},
        "help": {"text": text, "markdown": text},
        "defaultConfiguration": {"enabled": True, "level": "warning"},
        "properties": {"precision": "very-high", "problem.severity": "warning", "tags": ["gpu", "directives"]},
    }


def _problem(severity: Severity) -> str:
    return "recommendation" if severity is Severity.NOTE else severity.value


def _plain(markdown: str) -> str:
    return re.sub(r"``?([^`\n]+)``?", r"\1", markdown.replace("```", "")).strip()


def _message(finding: Finding, report: Report) -> str:
    """The message with what it rests on, related places as links, brackets of our own escaped."""

    def escape(text: str) -> str:
        return re.sub(r"([\[\]\\])", r"\\\1", text)

    text = escape(_sentence(finding.message))
    if finding.kernel:
        text = f"In kernel {escape(finding.kernel)}: {text}"
    if finding.instances:
        text += f" It holds for {escape('; '.join(finding.instances))}."
    links = []
    for number, place in enumerate(finding.related, 1):
        line = report.sources.get(place.span.file).line_of(place.span.start)
        links.append(f"[{escape(place.message).rstrip('.')}]({number}) (line {line})")
    if links:
        text += f" See {'; '.join(links)}."
    if finding.witness is not None:
        text += f" Witness: {escape(witness_text(finding.witness))}."
    if finding.assumptions:
        text += f" Assuming: {escape('; '.join(finding.assumptions))}."
    if finding.fix is not None:
        text += f" Fix: {escape(_sentence(finding.fix.description))}"
    return text


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else text + "."
