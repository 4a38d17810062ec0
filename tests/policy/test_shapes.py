"""What comments say of the extents of arrays."""

from __future__ import annotations

import pytest

from kernlint.policy.shapes import beside, said, shapes
from kernlint.source import SourceFile


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("grads: [batch, maxT, units]", {"grads": ("batch", "maxT", "units")}),
        ("mask, bias: [rows, cols + 1], padded", {"mask": ("rows", "cols + 1"), "bias": ("rows", "cols + 1")}),
        ("image[n][height][width] is zero padded", {"image": ("n", "height", "width")}),
        ("wide: padded slice, (h + 2 * r) rows of (w + 2 * r) values", {"wide": ("(h + 2 * r)", "(w + 2 * r)")}),
        ("offsets has n + 1 entries in words", {"offsets": ("n + 1",)}),
        ("CL holds the lengths of size symbols", {"CL": ("size",)}),
        ("seen has tiles_x * tiles_y entries", {"seen": ("tiles_x * tiles_y",)}),
        ("weights has shape [out, in]", {"weights": ("out", "in")}),
        ("dst is (w + 1) / 2 by (h + 1) / 2 pixels", {"dst": ("(w + 1) / 2", "(h + 1) / 2")}),
        ("plane: w * h RGBA texels, rows back to back", {"plane": ("w * h",)}),
        ("heap has n of the records", {}),
        ("heap has the n records", {"heap": ("n",)}),
        ("values lie in [0, n)", {}),
        ("sums has 4 values per row", {}),
        ("list holds up to n entries", {}),
        ("keys holds at most n values", {}),
        ("row has pitch bytes", {}),
        ("index is in [0, n]", {}),
    ],
)
def test_arrays_that_are_named(text: str, expected: dict[str, tuple[str, ...]]) -> None:
    assert {name: dims for name, dims, _ in said(text)} == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[n, dim]", ("n", "dim")),
        ("(n, dim), rows sorted", ("n", "dim")),
        ("n + 1", ("n + 1",)),
        ("n * most", ("n * most",)),
        ("size: n", ("n",)),
        ("rows x cols", ("rows", "cols")),
        ("n elements", ("n",)),
        ("the number of nodes", None),
        ("n elements per row", None),
        ("[0, n)", None),
    ],
)
def test_what_stands_beside_a_parameter(text: str, expected: tuple[str, ...] | None) -> None:
    assert [dims for _, dims, _ in beside(text, ["x"])] == ([expected] if expected else [])


def test_numbers_of_the_file_are_put_in() -> None:
    code = b"#define R 3\nconstexpr int kMore = 2;\n// x: [rows + R, cols + kMore]\n"
    code += b"void f(const float *y, // n + R\n int n);\n"
    found = {one.name: one.dims for one in shapes(SourceFile("k.cu", code))}
    assert found == {"x": ("rows + 3", "cols + 2"), "y": ("n + 3",)}


def test_a_comment_behind_code_is_none_of_those_below_it() -> None:
    code = b"const int w = 4; // n values\n// place has n + 1 entries\nvoid f(int *place);\n"
    assert [(one.name, one.dims) for one in shapes(SourceFile("k.cu", code))] == [("place", ("n + 1",))]


def test_a_column_of_explanations() -> None:
    code = b"""
// rates   nx * ny values, y fastest
//         of each cell
// marks   nx entries
__kernel void f(__global float *rates, __global int *marks, int nx, int ny);
"""
    assert {one.name: one.dims for one in shapes(SourceFile("k.cl", code))} == {
        "rates": ("nx * ny",),
        "marks": ("nx",),
    }


@pytest.mark.parametrize(("said_of", "found"), [("[0][1]", []), ("[2][1]", [("2", "1")])])
def test_a_place_is_no_extent(said_of: str, found: list[tuple[str, ...]]) -> None:
    text = f"// table{said_of} == rows\nvoid k(const int *table, int rows);\n"
    assert [shape.dims for shape in shapes(SourceFile("a.cu", text.encode()))] == found
