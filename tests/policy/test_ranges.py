"""Ranges of sizes that comments state."""

from __future__ import annotations

import pytest

from kernlint.policy.ranges import ranges
from kernlint.source import SourceFile

SHOWN = "void run(int rows, int cols, const float *x, size_t count, int k);\n"


@pytest.mark.parametrize(
    ("comment", "said"),
    [
        ("// rows: frames of a batch, 1 .. 262144", {"rows": (1, 262144)}),
        ("// rows, cols: 1 to 2^20 - 1; k: 3 .. 7", {"rows": (1, 1048575), "cols": (1, 1048575), "k": (3, 7)}),
        ("/* any rows, cols from 1 to 8 192 */", {"rows": (1, 8192), "cols": (1, 8192)}),
        ("// 1 <= rows <= cols <= 1 << 24, k >= 1.", {"rows": (1, 1 << 24), "cols": (1, 1 << 24), "k": (1, None)}),
        ("// x has count elements (count > 0)", {"count": (1, None)}),
        ("/* count is what is left over,\n * 0 for a frame without any object. */", {"count": (0, None)}),
        ("// count may be zero", {"count": (0, None)}),
        ("// on some ranks the domain [0, count) is empty", {"count": (0, None)}),
        ("// rows: up to 64 KiB of them", {}),
        ("// rows: usually 1 to 8", {}),
        ("// rows: any number of frames up to 1 << 20", {"rows": (None, 1 << 20)}),
        ("// rows <= 64, cols up to 2^30", {"rows": (None, 64), "cols": (None, 1 << 30)}),
        ("// rows may be as large as 30000000", {"rows": (None, 30_000_000)}),
        ("// rows * cols * count < 2^31", {}),
        ("// rows + count <= 4096, cols < 2^20", {"cols": (None, (1 << 20) - 1)}),
        ("// if (rows < 3) return;", {}),
        ("// rows (<= 131072) x cols (< 16) bytes", {"rows": (None, 131072), "cols": (None, 15)}),
        ("// rows stays below 2^30; up to 20k cols", {"rows": (None, (1 << 30) - 1)}),
        (
            "// A long run has rows = 300 steps * 50 bands and cols = 2 * 128.",
            {"rows": (None, 15000), "cols": (None, 256)},
        ),
        ("// rows is the product of all others, e.g. batch * length = 512 * 512.", {"rows": (None, 262144)}),
        ("// such a matrix has a count of 27", {"count": (None, 27)}),
        ("// it was slow with rows = 70000", {}),
        ("// rows <= 4096, rows * cols fits an int", {"rows": (None, 4096), "*": (None, (1 << 31) - 1)}),
        ("// rows: 1 .. 4\nint a;\n// rows: 1 .. 8", {}),
        ("// nothing: 1 .. 4", {}),
    ],
)
def test_ranges(comment: str, said: dict[str, tuple[int | None, int | None]]) -> None:
    assert ranges(SourceFile("t.cu", f"{comment}\n{SHOWN}".encode())) == said


def test_beside_a_declaration() -> None:
    text = b"struct Batch {\n    int size;  /* any number from 0 to 1 << 28 */\n};\n"
    assert ranges(SourceFile("t.cu", text)) == {"size": (0, 1 << 28)}


def test_beside_each_of_a_line() -> None:
    text = b"struct Size {\n    unsigned int nx, ny, nz;   // up to 2560 cells each\n};\n"
    assert ranges(SourceFile("t.cu", text)) == dict.fromkeys(("nx", "ny", "nz"), (None, 2560))


def test_open_ended_beside_a_declaration() -> None:
    text = b"struct Batch {\n    int ranges;  // of all requests, 100k and more\n};\n"
    assert ranges(SourceFile("t.cu", text)) == {"ranges": (None, 100_000)}


def test_what_a_name_counts() -> None:
    text = b"// One state per shot: up to 2^20 shots.\nvoid run(int num_states, int shots_done);\n"
    assert ranges(SourceFile("t.cu", text)) == {"num_states": (None, 1 << 20)}
