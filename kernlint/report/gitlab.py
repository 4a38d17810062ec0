"""GitLab's code quality report (a subset of Code Climate's format).

https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
"""

from __future__ import annotations

import json

from kernlint.report import View, shown_path, source_root
from kernlint.result import Report
from kernlint.text.digest import hexdigest

_LEVELS = {"note": "info", "warning": "minor", "error": "major"}


def render(report: Report, view: View) -> str:
    """An array of issues; GitLab tells them apart by fingerprint, so the path is part of it here."""
    issues = []
    root = source_root(report.root)
    for result in report.active:
        finding = result.finding
        source = report.sources.get(finding.span.file)
        path = shown_path(finding.span.file, root)
        issues.append(
            {
                "description": f"{finding.message} (in kernel {finding.kernel})" if finding.kernel else finding.message,
                "check_name": f"{finding.code} {finding.rule}",
                "fingerprint": hexdigest(f"{path}\0{result.fingerprint}".encode(), 40),
                "severity": _LEVELS[finding.severity.value],
                "location": {
                    "path": path,
                    "lines": {
                        "begin": source.line_of(finding.span.start),
                        "end": source.line_of(max(finding.span.start, finding.span.end - 1)),
                    },
                },
            }
        )
    return json.dumps(issues, indent=1, ensure_ascii=False) + "\n"
