from __future__ import annotations

import subprocess
import sys

import pytest

from kernlint.policy import suppress
from kernlint.policy.config import Config
from kernlint.source import SourceFile


def told(report):
    """(line, code, suppressed) of every result."""
    source = report.sources.get("a.cu")
    return [(source.line_of(r.finding.span.start), r.finding.code, r.suppression is not None) for r in report.results]


def kernel(*lines):
    return {"a.cu": "__global__ void k() {\n" + "\n".join(lines) + "\n}\n"}


@pytest.mark.parametrize(
    "lines",
    [
        ["bad(); // kernlint: ignore[TST101] one warp"],
        ["bad(); /* kernlint: ignore[bad-call] */"],
        ["bad(); // kernlint: ignore"],
        ["bad(); // kernlint:ignore[TST1, suspect-call]", "suspect(); // NOLINT(TST102)"],
        ["// kernlint: ignore[TST101] why", "bad();"],
        ["// kernlint: ignore[TST101]", "// more words", "", "bad();"],
        ["// kernlint: ignore-next-line[calls]", "bad();"],
        ["// NOLINTNEXTLINE(TST101, bugprone-other)", "bad();"],
        ["good(); bad(); // NOLINT(bad-call)"],
        ["// kernlint: ignore-begin[TST101] old code", "bad();", "", "bad();", "// kernlint: ignore-end[TST101]"],
        ["bad();", "// kernlint: ignore-file[TST101]"],
        ["bad(); // see the ticket, kernlint: ignore[TST101]"],
    ],
)
def test_silenced(check, lines):
    report = check(kernel(*lines), Config(ignore=("unused-suppression",)))
    assert report.results and all(hidden for _, _, hidden in told(report))
    assert report.active == ()


@pytest.mark.parametrize(
    "lines",
    [
        ["bad(); // NOLINT"],  # speaks to other tools
        ["bad(); // NOLINT(bugprone-other)"],
        ['f("// kernlint: ignore[TST101]"); bad();'],
        ["// about kernlint: the linter", "bad();"],
        ["bad();", "// kernlint: ignore[TST101]"],
        ["bad(); // kernlint: ignore-next-line[TST101]"],
    ],
)
def test_not_silenced(check, lines):
    report = check(kernel(*lines), Config(ignore=("unused-suppression", "malformed-directive")))
    assert [(code, hidden) for _, code, hidden in told(report)] == [("TST101", False)]


def test_the_reason_is_kept(check):
    report = check(kernel("bad(); // kernlint: ignore[TST101]: the block is one warp"))
    (result,) = report.results
    assert result.suppression is not None
    assert (result.suppression.kind, result.suppression.justification) == ("inSource", "the block is one warp")


def test_an_unused_directive_is_a_finding_at_the_rule_it_names(check):
    report = check(kernel("good(); // kernlint: ignore[TST101, TST102]", "bad(); // kernlint: ignore[TST101, TST102]"))
    source = report.sources.get("a.cu")
    marked = [(source.text(r.finding.span), r.finding.code) for r in report.active]
    assert marked == [("TST101", "KL001"), ("TST102", "KL001"), ("TST102", "KL001")]


def test_a_directive_for_a_rule_that_did_not_look_is_not_unused(check):
    assert check(kernel("good(); // kernlint: ignore[TST101]"), Config(ignore=("TST101",))).results == ()
    assert check(kernel("lost(); // kernlint: ignore[TST102]")).results == ()  # partly analysed: who knows
    assert check(kernel("crash(); // kernlint: ignore[TST102]")).results == ()


def test_a_directive_that_silences_a_hidden_note_is_used(check):
    assert check(kernel("hint(); // kernlint: ignore[TST102]")).results == ()


@pytest.mark.parametrize(
    ("line", "marked", "message"),
    [
        ("// kernlint: ingore[TST101]", "ingore", "did you mean ignore?"),
        ("// kernlint: ignore[bad-cal]", "bad-cal", "did you mean bad-call?"),
        ("// kernlint: ignore[TST101 because", "b", "a comma or ] is expected here"),
        ("// kernlint: ignore[]", "]", "a rule is expected here"),
        ("// kernlint: ignore-end[TST101]", "ignore-end[TST101]", "without an ignore-begin"),
        ("// kernlint: ignore-begin[TST101]", "ignore-begin[TST101]", "without an ignore-end"),
        ("/* é */ // kernlint: disable[TST101]", "disable", "the directives are ignore,"),
    ],
)
def test_a_typo_has_a_caret_under_it(check, line, marked, message):
    report = check(kernel("good();", line))
    (result,) = report.results
    assert result.finding.code == "KL002" and message in result.finding.message
    assert report.sources.get("a.cu").text(result.finding.span) == marked


def test_require_reason(check):
    report = check(kernel("bad(); // kernlint: ignore[TST101]"), Config(require_reason=True))
    assert [code for _, code, hidden in told(report) if not hidden] == ["KL002"]
    report = check(kernel("bad(); // kernlint: ignore[TST101] checked by hand"), Config(require_reason=True))
    assert report.active == ()


def test_comments_are_told_from_strings():
    text = b'a("// no"); // yes\n\'"\' /* also */ R"x(// no)" )x" 1\'000 // end \\\n still'
    assert [t for _, t in suppress.comments(text)] == ["// yes", "/* also */", "// end \\\n still"]


def test_lark_is_imported_for_directives_alone():
    probe = (
        "import sys; from kernlint.policy import suppress; from kernlint.registry import Registry;"
        "from kernlint.source import SourceFile;"
        "r = Registry((), {}); suppress.parse(SourceFile('a', b'// x NOLINT'), r); print('lark' in sys.modules);"
        "suppress.parse(SourceFile('a', b'// kernlint: ignore'), r); print('lark' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


def test_directives_in_a_large_file_are_found_in_linear_time(sample):
    text = b'int x; /* a */ "s" // c\n' * 20_000 + b"// kernlint: ignore-file[TST101]\n"
    directives = suppress.parse(SourceFile("a.cu", text), sample)
    assert [d.last for d in directives.found] == [20_002]
