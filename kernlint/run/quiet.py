"""Findings of kernels that never run, or whose work nobody sees: they are notes, as nothing comes of them."""

from __future__ import annotations

from collections.abc import Iterable

from kernlint.analysis.excuses.excuse import excused
from kernlint.analysis.excuses.runs import ALL
from kernlint.finding import Finding, Severity
from kernlint.record import replace
from kernlint.tree.nodes import Kernel, Module


def unobserved(findings: Iterable[Finding], kernel: Kernel, module: Module) -> list[Finding]:
    """``findings`` of one kernel, as notes where a remark of the front end says why they come to nothing."""
    said = [remark for remark in module.remarks if remark.kind == "unobserved" and remark.span == kernel.function.span]
    if not said:
        return list(findings)
    return [
        replace(finding, severity=Severity.NOTE)
        if finding.severity is not Severity.NOTE and excused(ALL, finding, said[0])
        else finding
        for finding in findings
    ]
