from __future__ import annotations

import re
from itertools import pairwise

import pytest

from kernlint.finding import Finding, Related, Severity, Step, Witness
from kernlint.report import View, render
from kernlint.report.console import cells
from kernlint.report.frame import Mark, frames
from kernlint.report.shown import marks_of
from kernlint.report.words import step_text, witness_text
from kernlint.result import Sources
from kernlint.source import SourceFile, Span
from tests.report.fixtures import make

RACE = """\
error[TST101] bad-call: tile is read before the barrier that publishes it
   --> src/a stencil.cu:8:12  in kernel blur
    |
  6 |     tile[threadIdx.x] = x[i];
    |     ~~~~~~~~~~~~~~~~~ tile[threadIdx.x] is written: thread 32 writes tile[32]
  8 |     y[i] = tile[threadIdx.x + 1];
    |            ^^^^^^^^^^^^^^^^^^^^^ thread 31 reads tile[32]; no barrier in between
    |
    = witness: block (64), grid (1), n = 64, replayed
      block  thread  line  index
      0      32      6     32
      0      31      8     32
    = assuming: x and y do not overlap
    = fix: __syncthreads() after line 6
         7 +     __syncthreads();
    = kernlint rule TST101

"""


@pytest.fixture
def report(sample, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return make(sample, str(tmp_path))


def test_a_race_looks_like_this(report):
    text = render("full", report, View(color="never", width=100))
    assert text.startswith(RACE)
    assert "silenced" not in text
    assert text.endswith(
        "kernlint: src/a stencil.cu: error: rule bad-call crashed\n"
        "kernlint: /elsewhere/b.cu: error: does not exist\n"
        "1 kernel in 1 file (1 only in part, 1 file failed): 1 error, 1 warning, 1 note (1 ignored) in 0.21 s\n"
    )


@pytest.mark.parametrize("width", [60, 80, 100, 140, 200])
def test_frames_fit_the_width(report, width):
    lines = render("full", report, View(color="never", width=width, quiet=True)).splitlines()
    assert max(cells(line) for line in lines if " --> " not in line) <= width
    assert not any(line != line.rstrip() for line in lines)


@pytest.mark.parametrize("width", [60, 80, 100, 140, 200])
def test_marks_stand_under_what_they_mark(report, width):
    lines = render("full", report, View(color="never", width=width, quiet=True)).splitlines()
    marked = []
    for above, below in pairwise(lines):
        if (mark := re.match(r" +\| +(\^+|~+)", below)) and re.match(r" +\d+ \|", above):
            marked.append(above[mark.start(1) : mark.end(1)])
    assert marked == [
        "tile[threadIdx.x]",
        "tile[threadIdx.x + 1]",
        "blockIdx.x * blockDim.x + threadIdx.x",
        "__syncthreads()",
        "the_last_one[threadIdx.x]",
    ]


def test_verbose_tells_all(report):
    text = render("full", report, View(color="never", width=100, verbose=True))
    assert "kernlint: src/a stencil.cu:8: kernel blur is analysed only in part\n" in text
    assert "    x.py:1\n" in text


def test_no_escapes_when_piped_and_some_when_asked(report):
    plain = render("full", report, View(color="auto", width=100, to_file=True))
    colored = render("full", report, View(color="always", width=100))
    assert "\x1b" not in plain and "\x1b[1;31merror[TST101]" in colored
    assert re.sub(r"\x1b\[[\d;]*m", "", colored) == plain


def test_statistics(report):
    text = render("concise", report, View(color="never", statistics=True))
    assert "     2  TST102  suspect-call\n     1  TST101  bad-call\n" in text


def test_concise_is_a_line_for_each(report):
    lines = render("concise", report, View(quiet=True)).splitlines()
    assert lines[0] == (
        "src/a stencil.cu:8:12: error[TST101] bad-call: "
        "tile is read before the barrier that publishes it (in kernel blur)"
    )
    assert len(lines) == 3


def frame(data, *marks, width=80):
    sources = Sources()
    for name, text in data.items():
        sources.add(SourceFile(name, text.encode()))
    lines = frames([Mark(*m) for m in marks], sources, width, "red", {})
    return ["".join(text for text, _ in line).rstrip() for line in lines]


def test_other_files_have_frames_of_their_own():
    data = {"a.cu": "f();\n", "h.cuh": "\n\nvoid f();\n"}
    assert frame(data, (Span("a.cu", 0, 3), "called", True), (Span("h.cuh", 7, 8), "declared")) == [
        "    |",
        "  1 | f();",
        "    | ^^^ called",
        "  ::: h.cuh:3",
        "    |",
        "  3 | void f();",
        "    |      ~ declared",
        "    |",
    ]


def test_gaps_tabs_and_control_characters():
    text = "\ta\x1b = 1;\nmiddle\nb;\n\n\n\n\u4f60c;\n"
    data = text.encode()
    c = data.index(b"c;")
    lines = frame(
        {"x": text}, (Span("x", 1, 2), "one", True), (Span("x", data.index(b"b;"), 20), ""), (Span("x", c, c + 1), "")
    )
    assert lines == [
        "    |",
        "  1 |     a\N{REPLACEMENT CHARACTER} = 1;",
        "    |     ^ one",
        "  2 | middle",
        "  3 | b;",
        "    | ~~",
        "... |",
        "  7 | \u4f60c;",
        "    |   ~",
        "    |",
    ]


def test_a_place_at_the_end_or_past_it_does_no_harm():
    assert frame({"x": "ab"}, (Span("x", 2, 2), "", True))[1:3] == ["  1 | ab", "    |   ^"]
    assert frame({"x": ""}, (Span("x", 90, 99), "", True))[1:3] == ["  1 |", "    | ^"]


def test_blocks_are_named_when_there_are_several():
    steps = tuple(Step((n, 0, 0), (1, 0, 0), Span("x", n, n + 1), "writes a[0]", 0) for n in range(2))
    witness = Witness((16, 16, 1), (2, 1, 1), steps=steps)
    assert [step_text(witness, step) for step in steps] == [
        "block 0 thread (1, 0) writes a[0]",
        "block 1 thread (1, 0) writes a[0]",
    ]
    assert step_text(Witness((16, 1, 1), (2, 1, 1), steps=steps[:1]), steps[0]) == "thread 1 writes a[0]"
    assert witness_text(witness) == "block (16, 16), grid (2)"


def test_a_related_place_that_names_the_thread_speaks_for_the_witness():
    step = Step((0, 0, 0), (5, 0, 0), Span("x", 4, 5), "reads a[5]", 5)
    finding = Finding(
        Span("x", 0, 1),
        "m",
        Severity.ERROR,
        related=(Related(step.span, "thread 5 reads it here"),),
        witness=Witness((64, 1, 1), (1, 1, 1), steps=(step,)),
    )
    assert [mark.label for mark in marks_of(finding)] == ["", "thread 5 reads it here"]
