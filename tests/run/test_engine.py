from __future__ import annotations

import os

import pytest

from kernlint.finding import Severity
from kernlint.policy.config import Config
from kernlint.result import Level


def lines(report, code=None):
    return [
        report.sources.get(r.finding.span.file).line_of(r.finding.span.start)
        for r in report.active
        if code in (None, r.finding.code)
    ]


def kinds(report):
    return [n.kind for n in report.notifications]


def test_findings_are_ordered_and_named(check):
    report = check(
        {"b.cu": "__global__ void k() {\n suspect();\n bad(); bad();\n}", "a.cu": "__global__ void j() { bad(); }"}
    )
    assert [(r.finding.span.file, r.finding.code) for r in report.results] == [
        ("a.cu", "TST101"),
        ("b.cu", "TST102"),
        ("b.cu", "TST101"),
        ("b.cu", "TST101"),
    ]
    assert [r.finding.kernel for r in report.results] == ["j", "k", "k", "k"]
    assert report.results[0].finding.rule == "bad-call"
    assert report.summary.files == 2 and report.summary.kernels == 2
    assert report.exit_code(Severity.WARNING) == 1 and report.exit_code(None) == 0


def test_a_finding_of_some_instances_names_them_and_one_of_all_does_not(check):
    report = check({"a.cu": "template <int N>\n__global__ void k() {\n only1();\n bad();\n}"})
    assert [(r.finding.instances, r.finding.severity) for r in report.results] == [
        (("N = 1",), Severity.ERROR),
        ((), Severity.ERROR),
    ]


def test_what_only_forced_instances_have_is_at_most_a_warning(check):
    report = check(
        {"a.cu": "template <int N>\n__global__ void k() {\n only2();\n}"}, Config(rules={"bad-call": {"name": "only2"}})
    )
    assert [r.finding.severity for r in report.results] == [Severity.ERROR]  # both instances have it
    report = check(
        {"a.cu": "template <int N>\n__global__ void k() {\n only1();\n}"}, Config(rules={"bad-call": {"name": "only1"}})
    )
    assert report.results == ()  # renamed in the first instance, dropped in the forced one


def test_a_crash_costs_one_rule_on_one_kernel(check):
    report = check({"a.cu": "__global__ void k() { bad(); crash(); }\n__global__ void j() { suspect(); }"})
    assert lines(report) == [1, 2]
    (note,) = report.notifications
    assert note.kind == "rule-crash" and note.level is Level.ERROR and note.rule == "TST102"
    assert "suspect-call crashed on kernel k: RuntimeError: this rule is broken" in note.message
    assert "raise RuntimeError" in note.detail
    assert not report.lost and report.exit_code(Severity.WARNING) == 1


@pytest.mark.parametrize("what", ["fail", "crash"])
def test_a_failing_front_end_costs_one_file(check, what):
    report = check({"a.cu": f"// front end: {what}", "b.cu": "__global__ void k() { bad(); }"})
    assert lines(report) == [1]
    assert kinds(report) == ["front-end-failure"]
    assert report.lost and report.exit_code(None) == 2


def test_rules_that_argue_from_absence_are_off_where_something_was_lost(check):
    report = check({"a.cu": "__global__ void k() { lost(); suspect(); bad(); }"})
    assert [r.finding.code for r in report.results] == ["TST101"]
    (note,) = report.notifications
    assert note.kind == "partial-kernel"
    assert note.message == (
        "kernel k is analysed only in part (statement: unknown name); not checked there for suspect-call"
    )
    assert report.summary.partial == 1


def test_missed_kernels_are_told(check):
    report = check({"a.cu": "__global__ void k(...) {}"})
    assert kinds(report) == ["missed-kernel"] and report.summary.missed == 1


def test_many_missed_kernels_are_told_in_one_line(check):
    report = check({"a.cu": "".join(f"__global__ void k{n}(...) {{}}\n" for n in range(5))})
    loud = [note for note in report.notifications if note.level is Level.WARNING]
    assert [note.message.partition(":")[0] for note in loud] == ["5 kernels are not analysed"]
    assert report.summary.missed == 5 and kinds(report) == ["missed-kernel"] * 6


def test_notes_are_hidden_unless_pedantic_or_named(check):
    text = {"a.cu": "__global__ void k() { hint(); }"}
    assert check(text).results == ()
    assert check(text, Config(select=("TST1",))).results == ()
    assert len(check(text, Config(pedantic=True)).results) == 1
    assert len(check(text, Config(select=("suspect-call",))).results) == 1
    assert len(check(text, Config(extend_select=("TST102",))).results) == 1


def test_configured_levels_replace_warnings_and_errors_but_not_notes(check):
    config = Config(severity=(("TST", Severity.WARNING), ("TST102", Severity.ERROR)), pedantic=True)
    report = check({"a.cu": "__global__ void k() { bad(); suspect(); hint(); }"}, config)
    assert [r.finding.severity.value for r in report.results] == ["warning", "error", "note"]


def test_bad_files_get_a_line_each_and_the_rest_is_analysed(check, tmp_path):
    (tmp_path / "loop.cu").symlink_to("loop.cu")
    os.mkfifo(tmp_path / "fifo.cu")
    report = check(
        {"binary.cu": b"\x7fELF\0", "good.cu": "__global__ void k() { bad(); }", "empty.cu": ""},
        paths=["missing.cu", "loop.cu", "fifo.cu", "binary.cu", "empty.cu", "good.cu"],
    )
    assert lines(report) == [1]
    said = {n.path: n.message for n in report.notifications}
    assert said == {
        "missing.cu": "does not exist",
        "loop.cu": "is a dangling link or a loop of links",
        "fifo.cu": "is not a regular file",
        "binary.cu": "binary file (it holds a NUL byte)",
        "empty.cu": "the file is empty",
    }
    assert report.summary.failed == 4 and not report.lost


def test_every_named_file_unreadable_is_a_failure(check):
    report = check({}, paths=["missing.cu", "gone.cu"])
    assert report.lost and report.exit_code(None) == 2


def test_per_file_ignores(check):
    report = check(
        {"legacy/a.cu": "__global__ void k() { bad(); }", "new/b.cu": "__global__ void k() { bad(); }"},
        Config(per_file_ignores=(("legacy/*", ("bad-call",)),)),
    )
    assert [r.finding.span.file for r in report.results] == ["new/b.cu"]


def test_fingerprints_survive_moved_lines_and_tell_twins_apart(check):
    before = check({"a.cu": "__global__ void k() {\n bad();\n bad();\n}"})
    after = check({"a.cu": "// moved\n\n__global__ void k() {\n     bad( );\n bad();\n}".replace("( )", "()")})
    first = [r.fingerprint for r in before.results]
    assert [r.fingerprint for r in after.results] == first and len(set(first)) == 2


def test_the_same_file_named_twice_is_analysed_once(check, tmp_path):
    report = check({"a.cu": "__global__ void k() { bad(); }"}, paths=["a.cu", "./a.cu", str(tmp_path)])
    assert len(report.results) == 1 and report.summary.files == 1


def test_odd_text_is_told(check):
    conflict = "<<<<<<< ours\n__global__ void k() { bad(); }\n=======\n>>>>>>> theirs\n"
    report = check({"a.cu": "// caf\xe9\n".encode("latin-1"), "b.cu": "// x".encode("utf-16"), "c.cu": conflict})
    assert [(n.path, n.kind, n.level.value) for n in report.notifications] == [
        ("a.cu", "encoding", "warning"),
        ("b.cu", "encoding", "warning"),
        ("c.cu", "merge-conflict", "warning"),
    ]
    assert lines(report) == [2]
    assert kinds(check({"a.cu": "// <<<<<<< no\n=======\n"})) == []
