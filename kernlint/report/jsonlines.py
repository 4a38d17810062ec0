"""One JSON object per line: a finding each, for streams and spreadsheets."""

from __future__ import annotations

import json

from kernlint.report import View
from kernlint.report.jsonreport import result_object
from kernlint.result import Report


def render(report: Report, view: View) -> str:
    """Findings, suppressed ones too (marked), in the order of the other reports."""
    return "".join(json.dumps(result_object(report, result), ensure_ascii=False) + "\n" for result in report.results)
