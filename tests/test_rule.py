from __future__ import annotations

import pytest

from kernlint.finding import Severity
from kernlint.rule import DocumentationError, Meta, Rule, document
from kernlint.source import Span
from kernlint.tree.nodes import ExprStmt, Opaque
from kernlint.tree.types import VOID

GOOD = "```cuda good\nint a;\n```\n"
BAD = "```opencl bad block=64,2 target=sm_80\nint a;\nint b; // expect: KL101, KL102\n```\n"


def rule(doc):
    return type("Some", (Rule,), {"__doc__": doc, "meta": Meta("KL101", "some", Severity.WARNING)})


def test_a_docstring_is_read():
    page = document(rule(f"Title of it.\n\n    Text with `code`.\n\n{BAD}\n{GOOD}\n```c\nillustration\n```\n"))
    assert page.title == "Title of it."
    bad, good = page.examples
    assert (bad.language, bad.bad, bad.label) == ("opencl", True, "opencl-bad-1")
    assert bad.expected == ((2, "KL101"), (2, "KL102"))
    assert bad.settings == (("block", "64,2"), ("target", "sm_80"))
    assert (good.language, good.bad, good.code, good.number) == ("cuda", False, "int a;\n", 2)
    assert "```c\nint a;" in page.markdown and "opencl bad" not in page.markdown


@pytest.mark.parametrize(
    ("doc", "message"),
    [
        (None, "no docstring"),
        (f"T.\n\n{GOOD}", "no bad example"),
        (f"T.\n\n{BAD}", "no good example"),
        (f"T.\n\n{BAD}{GOOD}```metal bad\nx // expect: KL101\n```\n", "in 'metal'"),
        (f"T.\n\n{GOOD}```cuda bad\nx\n```\n", "marks no line"),
        (f"T.\n\n{BAD}```cuda good\nx // expect: KL101\n```\n", "is good but expects KL101"),
        (f"T.\n\n{BAD}```cuda good fast\nx\n```\n", "not of the form key=value"),
    ],
)
def test_a_docstring_that_will_not_do(doc, message):
    with pytest.raises(DocumentationError, match=message):
        document(rule(doc))


def test_a_finding_takes_place_level_and_advice():
    made = rule("x")().finding(ExprStmt(Span("a", 1, 2), Opaque(Span("a", 1, 2), VOID, "r")), "m", fix="do")
    assert (made.span, made.severity, made.code, made.rule) == (Span("a", 1, 2), Severity.WARNING, "KL101", "some")
    assert made.fix is not None and (made.fix.description, made.fix.edits) == ("do", ())
    assert rule("x")().finding(Span("a", 1, 2), "m", Severity.NOTE).severity is Severity.NOTE
