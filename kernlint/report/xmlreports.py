"""JUnit and Checkstyle, for CI servers that read nothing else."""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

from kernlint.finding import Finding
from kernlint.report import View, shown_notifications, shown_path
from kernlint.result import Level, Report
from kernlint.text.patterns import pattern

_NOT_XML = pattern("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _value(text: str) -> str:
    """``text`` as a quoted attribute value, characters that XML 1.0 has no place for replaced."""
    return quoteattr(_NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text))


def _by_file(report: Report) -> dict[str, list[Finding]]:
    """Findings by shown path; every analysed file is there."""
    files: dict[str, list[Finding]] = {shown_path(path, report.root): [] for path in report.paths}
    for result in report.active:
        files.setdefault(shown_path(result.finding.span.file, report.root), []).append(result.finding)
    return files


def junit(report: Report, view: View) -> str:
    """A test suite per file and a failing test case per finding; a file without any is one passing test case."""
    suites = []
    total = failed = errors = 0
    broken = {
        shown_path(note.path, report.root): note.message
        for note in shown_notifications(report, verbose=False)
        if note.level is Level.ERROR and note.path
    }
    for path, findings in _by_file(report).items():
        cases = []
        for finding in findings:
            line, column = _place(report, finding)
            name = f"{finding.code} {finding.rule} {line}:{column}"
            failure = f"<failure type={_value(finding.severity.value)} message={_value(finding.message)}/>"
            cases.append(f'  <testcase classname={_value(path)} name={_value(name)} time="0">{failure}</testcase>')
        failed += len(cases)
        count = len(cases)
        if path in broken:
            errors += 1
            error = f'<error type="kernlint" message={_value(broken[path])}/>'
            cases.append(f'  <testcase classname={_value(path)} name="analysis" time="0">{error}</testcase>')
        elif not cases:
            cases.append(f'  <testcase classname={_value(path)} name="no findings" time="0"/>')
        total += len(cases)
        head = f'name={_value(path)} tests="{len(cases)}" failures="{count}" errors="{int(path in broken)}" time="0"'
        suites.append("\n".join([f" <testsuite {head}>", *cases, " </testsuite>"]))
    head = f'<testsuites name="kernlint" tests="{total}" failures="{failed}" errors="{errors}" '
    head += f'time="{report.summary.seconds:.3f}">'
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', head, *suites, "</testsuites>"]) + "\n"


_SEVERITIES = {"note": "info", "warning": "warning", "error": "error"}


def checkstyle(report: Report, view: View) -> str:
    """Checkstyle's format: an ``error`` element per finding under its file."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<checkstyle version="4.3">']
    for path, findings in _by_file(report).items():
        if not findings:
            continue
        lines.append(f" <file name={_value(path)}>")
        for finding in findings:
            line, column = _place(report, finding)
            place = f'line="{line}" column="{column}"'
            level = _value(_SEVERITIES[finding.severity.value])
            source = _value(f"kernlint.{finding.code}.{finding.rule}")
            lines.append(f"  <error {place} severity={level} message={_value(finding.message)} source={source}/>")
        lines.append(" </file>")
    return "\n".join([*lines, "</checkstyle>"]) + "\n"


def _place(report: Report, finding: Finding) -> tuple[int, int]:
    position = report.sources.get(finding.span.file).position(finding.span.start)
    return position.line, position.column
