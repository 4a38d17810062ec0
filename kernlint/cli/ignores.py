"""``--add-ignores``: a directive for every finding, checked by analysing the files again."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping

from kernlint.cli.options import UsageError
from kernlint.project.ignores import IgnoreError, insert
from kernlint.registry import CONTROL_CODES
from kernlint.report import shown_path
from kernlint.result import Report
from kernlint.text.writing import replace_file


def check_reason(reason: str) -> None:
    """Raise :class:`UsageError` for what cannot stand at the end of a line comment."""
    if not reason.strip() or not reason.isprintable() or reason.rstrip().endswith(("\\", "*/")):
        raise UsageError("--add-ignores needs a reason of one line that does not end in a backslash")


def add(report: Report, reason: str, again: Callable[[], Report]) -> Report:
    """Put directives above the unsuppressed findings of ``report``; the report that ``again`` then gives.

    A file in which they do not silence just what they should is given back its old content.
    """
    before: dict[str, bytes] = {}
    added: dict[str, int] = {}
    left: dict[str, int] = {}
    for path, lines in _places(report).items():
        if path not in report.paths:
            _say(report, path, "is no file of this run but included by one; name it to have directives added")
            continue
        try:
            with open(path, "rb") as handle:
                raw = handle.read()
            text, left_out = insert(raw, lines, reason.strip(), path)
            for number in left_out:
                _say(report, f"{path}:{number}", "there is no place for a directive behind a backslash", path)
            if len(left_out) < len(lines):
                replace_file(path, text)
                before[path] = raw
                added[path] = len(lines) - len(left_out)
                left[path] = sum(len(lines[number]) for number in left_out)
        except IgnoreError as error:
            _say(report, path, str(error))
        except OSError as error:
            _say(report, path, f"no directives added: {error.strerror or error}")
    if not before:
        return report
    new = again()
    wrong = [path for path in before if _left(new, path) > left[path] + _control(report, path)]
    for path in wrong:
        replace_file(path, before[path])
        _say(report, path, "directives do not silence the findings here; the file is left as it was")
    done = [path for path in before if path not in wrong]
    count = sum(added[path] for path in done)
    print(f"kernlint: {count} directives added to {len(done)} files", file=sys.stderr)
    return again() if wrong else new


def _places(report: Report) -> dict[str, Mapping[int, list[str]]]:
    """Codes of the findings by path and line; what is said about directives themselves is left out."""
    places: dict[str, dict[int, list[str]]] = {}
    for result in report.active:
        finding = result.finding
        if finding.code in CONTROL_CODES:
            continue
        line = report.sources.get(finding.span.file).line_of(finding.span.start)
        codes = places.setdefault(finding.span.file, {}).setdefault(line, [])
        if finding.code not in codes:
            codes.append(finding.code)
            codes.sort()
    return dict(places)


def _left(report: Report, path: str) -> int:
    """Distinct lines and codes still reported in the file."""
    source = report.sources.get(path)
    return len(
        {(source.line_of(r.finding.span.start), r.finding.code) for r in report.active if r.finding.span.file == path}
    )


def _control(report: Report, path: str) -> int:
    source = report.sources.get(path)
    return len(
        {
            (source.line_of(r.finding.span.start), r.finding.code)
            for r in report.active
            if r.finding.span.file == path and r.finding.code in CONTROL_CODES
        }
    )


def _say(report: Report, place: str, message: str, path: str = "") -> None:
    shown = (
        shown_path(path or place, report.root) + place.removeprefix(path) if path else shown_path(place, report.root)
    )
    print(f"kernlint: {shown}: {message}".replace(os.sep, "/"), file=sys.stderr)
