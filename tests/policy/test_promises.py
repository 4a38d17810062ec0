"""Comments that promise that no element occurs twice, or that a size is a multiple."""

import pytest

from kernlint.policy.promises import multiples, promise, unlike
from kernlint.source import SourceFile


@pytest.mark.parametrize(
    "text",
    [
        "// The vertices of one set are distinct.",
        "/* Pairs of one\n * round: no particle\n * stands in two, and none is named twice. */",
        "# slots is a permutation of 0 .. n - 1",
        "// Atomics are not needed, as edges of one colour share no vertex",
        "// the ids do not repeat",
        "// `to` has rows without duplicates",
        "// Scatters the rows (indices must be unique).",
        "// every cell occurs at most once in the list",
        "// No two faces of a batch touch the same corner.",
        "// links: those of one batch; no bead occurs in two links of a batch",
        "// Within a group a node is used by at most one bar.",
    ],
)
def test_said(text):
    assert promise(text)


@pytest.mark.parametrize(
    "text",
    [
        "// The indices need not be distinct.",
        "// If all indices are unique this is faster.",
        "// They are not unique.",
        "// May be called twice.",
        "// Counts the unique words of a text.",
        "// whether cells occur at most once is for the caller to say",
        "// Writes once for each row.",
        "// no bead may be missing in two links",
        "// Every sample falls into at most one bin.",
    ],
)
def test_not_said(text):
    assert not promise(text)


def test_lines_that_follow_one_another_are_one_comment_and_the_code_below_is_known():
    code = b"int n; // no end\n// The rows of one list\n// are distinct.\nvoid f(int *x) { x[0] = 1; }\n"
    (said,) = unlike(SourceFile("k.cu", code))
    assert said.span is not None and code[said.span.start :].startswith(b"// no end")
    assert said.until == code.index(b"{")


def test_what_stands_in_a_string_is_no_comment():
    assert list(unlike(SourceFile("k.cu", b'const char *s = "// all are distinct";\n'))) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("// n is a multiple of 4, rows are aligned", {"n": 4}),
        ("/* width and height must be multiples of 16 */", {"width": 16, "height": 16}),
        ("// cols is always divisible by 8.", {"cols": 8}),
        ("// Chosen by the host only if cols % 16 == 0 and rows % 2 == 0.", {"cols": 16, "rows": 2}),
        ("// n need not be a multiple of 4", {}),
        ("// if n % 4 == 0 there is no tail", {}),
        ("// a multiple of 4 threads", {}),
    ],
)
def test_sizes_that_comments_call_multiples(text: str, found: dict[str, int]) -> None:
    assert multiples(SourceFile("k.cu", text.encode() + b"\n__global__ void k(int n) {}\n")) == found


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("int width, height;  // even and positive", {"width": 2, "height": 2}),
        ("int stride;  // always a multiple of 64", {"stride": 64}),
        ("int width;  // even if height is not", {}),
        ("int width;  // evenly spread", {}),
    ],
)
def test_comments_speak_of_what_is_declared_before_them(line: str, found: dict[str, int]) -> None:
    assert multiples(SourceFile("k.cu", line.encode() + b"\n__global__ void k(int n) {}\n")) == found
