from __future__ import annotations

from kernlint.finding import Finding, Severity
from kernlint.result import Result, Sources
from kernlint.run.merge import FromVariant, across_files, over_variants
from kernlint.source import SourceFile, Span
from kernlint.tree.nodes import FunctionDecl, FunctionKind
from kernlint.tree.types import VOID

PLACE = Span("a.cu", 10, 14)


def variant(n, forced=False):
    span = Span("a.cu", 0, 40)
    return FunctionDecl(
        span, "k", "k", FunctionKind.KERNEL, (), VOID, None, template_args=(("N", str(n)),), forced=forced
    )


def finding(severity=Severity.ERROR, message="m", span=PLACE):
    return Finding(span, message, severity, code="TST101")


def test_the_loudest_variant_speaks_for_a_place():
    one, two = variant(1), variant(2)
    found = [FromVariant(finding(Severity.WARNING, "n = 1"), one), FromVariant(finding(Severity.ERROR, "n = 2"), two)]
    (merged,) = over_variants(found, (one, two))
    assert (merged.message, merged.severity, merged.instances) == ("n = 2", Severity.ERROR, ())


def test_two_messages_of_one_variant_are_both_kept_once():
    one = variant(1)
    found = [FromVariant(finding(message=m), one) for m in ("x", "y", "x")]
    assert [f.message for f in over_variants(found, (one,))] == ["x", "y"]


def test_forced_only_is_capped_and_named():
    one, two = variant(1), variant(2, forced=True)
    (merged,) = over_variants([FromVariant(finding(), two)], (one, two))
    assert (merged.severity, merged.instances) == (Severity.NOTE, ("N = 2",))
    (merged,) = over_variants([FromVariant(finding(), one), FromVariant(finding(), two)], (one, two))
    assert (merged.severity, merged.instances) == (Severity.ERROR, ())


def test_a_finding_in_a_header_is_told_once_with_its_includers():
    sources = Sources()
    for name in ("a.cu", "b.cu"):
        sources.add(SourceFile(name, b'// first\n#include "inc/h.cuh"\n'))
    sources.add(SourceFile("inc/h.cuh", b"0123456789bad();"))
    result = Result(finding(span=Span("inc/h.cuh", 10, 14)), "f")
    (merged,) = across_files([[result], [result]], ["a.cu", "b.cu"], sources)
    assert [r.message for r in merged.finding.related] == ["included by a.cu", "included by b.cu"]
    assert [sources.get(r.span.file).line_of(r.span.start) for r in merged.finding.related] == [2, 2]


def test_a_header_analysed_by_itself_names_no_includers():
    sources = Sources()
    for name in ("a.cu", "h.cuh"):
        sources.add(SourceFile(name, b"0123456789bad();"))
    result = Result(finding(span=Span("h.cuh", 10, 14)), "f")
    (merged,) = across_files([[result], [result]], ["a.cu", "h.cuh"], sources)
    assert merged.finding.related == ()
