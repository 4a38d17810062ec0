"""Reuse of shared buffers, places that data choose, other blocks: each faulty kernel is found, its twin is clean."""

from __future__ import annotations

import pytest

from kernlint.finding import Finding, Severity
from kernlint.registry import load
from kernlint.rule import Example
from kernlint.testing import analyse
from tests.rules.synchronisation.reuse_pairs import PAIRS, Kernel


def said(kernel: Kernel, text: str) -> list[Finding]:
    """The warnings and errors of the kernel's rule about ``text``."""
    rule = next(rule for rule in load().rules if rule.meta.name == kernel.rule)
    outcome = analyse(rule, Example(kernel.language, True, text, (), ()))
    return [r.finding for r in outcome.results if r.finding.severity is not Severity.NOTE]


def lines(finding: Finding, text: str) -> set[int]:
    """The lines of a finding and of its related places."""
    spans = [finding.span, *(related.span for related in finding.related)]
    return {text.encode()[: span.start].count(b"\n") + 1 for span in spans}


@pytest.mark.parametrize("kernel", PAIRS, ids=lambda kernel: kernel.name)
def test_the_faulty_one_is_found(kernel: Kernel) -> None:
    text = kernel.faulty
    marked = {at for at, line in enumerate(text.splitlines(), 1) if line.endswith("// fault")}
    found = said(kernel, text)
    assert any(lines(finding, text) & marked for finding in found), [finding.message for finding in found]


@pytest.mark.parametrize("kernel", PAIRS, ids=lambda kernel: kernel.name)
def test_the_correct_one_is_silent(kernel: Kernel) -> None:
    assert [finding.message for finding in said(kernel, kernel.correct)] == []
