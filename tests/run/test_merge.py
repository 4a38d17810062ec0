from __future__ import annotations

from kernlint.finding import Finding, Severity
from kernlint.record import replace
from kernlint.result import Result, Sources, Suppression
from kernlint.run.merge import FromVariant, across_files, one_cause, over_variants
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


def of(kernel, span=PLACE, message="m", severity=Severity.WARNING):
    return Result(replace(finding(severity, message, span), kernel=kernel), "f")


def texts(data=b"0123456789bad();", files=("a.cu",)):
    sources = Sources()
    for file in files:
        sources.add(SourceFile(file, data))
    return sources


def test_a_place_that_several_kernels_reach_is_told_once_and_names_them():
    results = [of("a"), of("b", severity=Severity.ERROR, message="n"), of("c")]
    (one,) = one_cause(results, texts())
    assert (one.finding.kernel, one.finding.severity) == ("b", Severity.ERROR)
    assert [r.message for r in one.finding.related] == ["so it is in kernels a, c"]
    (one,) = one_cause([of(f"k{n}") for n in range(9)], texts())
    assert [r.message for r in one.finding.related] == ["so it is in kernels k1, k2, k3, k4, k5, k6 and 2 more"]


def test_two_messages_of_one_kernel_at_one_place_stay_two():
    assert len(one_cause([of("a", message="x"), of("a", message="y")], texts())) == 2


def test_uses_of_one_macro_are_one_finding_with_the_others_beside_it():
    text = b"#define SUM(x) x\n#define MAX(x) x\nSUM(1)\nSUM(2)\nMAX(3)\nf(4)\nf(5)\n"
    at = [text.index(word) for word in (b"SUM(1", b"SUM(2", b"MAX(3", b"f(4", b"f(5")]
    results = [of(f"k{n}", Span("a.cu", start, start + 4)) for n, start in enumerate(at)]
    told = one_cause(results, texts(text))
    assert [one.finding.kernel for one in told] == ["k0", "k2", "k3", "k4"]
    assert [(r.span.start, r.message) for r in told[0].finding.related] == [(at[1], "so it is here, in kernel k1")]
    assert len(one_cause([results[0], of("k1", results[1].finding.span, message="other")], texts(text))) == 2


def test_many_uses_of_a_macro_are_counted():
    text = b"#define SUM(x) x\n" + b"SUM(1)\n" * 10
    results = [of(f"k{n}", Span("a.cu", 17 + 7 * n, 20 + 7 * n)) for n in range(10)]
    (one,) = one_cause(results, texts(text))
    assert len(one.finding.related) == 6
    assert one.finding.related[-1].message == "so it is here and at 3 more places"


def test_what_is_suppressed_stands_for_itself():
    silent = replace(of("b"), suppression=Suppression("inSource"))
    assert one_cause([of("a"), silent], texts()) == [of("a"), silent]


def habitual(at: int, file: str = "a.cu", habit: str = "narrow") -> Result:
    result = of(f"k{at}", Span(file, 10 * at, 10 * at + 2), message=f"of {at}")
    return replace(result, finding=replace(result.finding, habit=habit))


def test_a_habit_is_told_once_for_a_file() -> None:
    results = [habitual(at) for at in range(4)]
    assert len(one_cause([habitual(at, habit="") for at in range(4)], texts())) == 4
    assert len(one_cause(results[:2], texts())) == 2
    (one,) = one_cause(results, texts())
    assert one.finding.message == "of 0"
    assert [other.span for other in one.finding.related[-3:]] == [result.finding.span for result in results[1:]]


def test_a_habit_of_several_files_is_told_once_for_all() -> None:
    files = ["a.cu", "b.cu", "c.cu"]
    results = [habitual(at, file) for file in files for at in range(2)]
    assert one_cause(results[:4], texts(files=files)) == results[:4]
    (one,) = one_cause(results, texts(files=files))
    assert one.finding.span.file == "a.cu"
    assert {other.span.file for other in one.finding.related} == set(files)


def test_files_of_several_folders_may_be_of_several_hands() -> None:
    files = ["one/a.cu", "two/a.cu", "three/a.cu"]
    results = [habitual(at, file) for at, file in enumerate(files)]
    assert one_cause(results, texts(files=files)) == results


def test_two_habits_are_two_findings() -> None:
    results = [habitual(at, habit="one" if at < 3 else "other") for at in range(6)]
    assert len(one_cause(results, texts())) == 2


def test_names_that_the_use_of_a_macro_gives_do_not_make_two_findings_of_one() -> None:
    text = b"#define ALL(name) x\nALL(erode)\nALL(dilate)\n"
    at = [text.index(word) for word in (b"ALL(erode", b"ALL(dilate")]
    spans = [Span("a.cu", start, text.index(b")", start) + 1) for start in at]
    results = [
        of("", span, message=f"{name}11_t is read") for span, name in zip(spans, ("erode", "dilate"), strict=True)
    ]
    (one,) = one_cause(results, texts(text))
    assert [r.span for r in one.finding.related] == [spans[1]]
    other = replace(results[1], finding=replace(results[1].finding, message="dilate11_t is written"))
    assert len(one_cause([results[0], other], texts(text))) == 2
