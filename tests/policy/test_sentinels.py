"""What comments say of numbers in index arrays that are no place."""

from __future__ import annotations

import pytest

from kernlint.policy.sentinels import beside, said, sentinels
from kernlint.source import SourceFile


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("slots: [tokens], -1 for rows of padding", ["slots"]),
        ("next[2 * i + side]: the face beyond, -1 at the rim", ["next"]),
        ("next[2 * i + side]: the face beyond", []),
        ("topk_ids is -1 in the rows of padding", ["topk_ids"]),
        ("parent[i] is -1 at the root", ["parent"]),
        ("left, right: first places of children, or -1", ["left", "right"]),
        ("owners has one entry for each cell; cells without an owner hold -1", ["owner", "owners"]),
        ("owners has one entry for each cell. Free cells are -1", ["cells", "owners"]),
        ("owner: the item in each cell, -1 where there is no item", ["owner"]),
        ("owner has no -1; unused cells are 0", []),
        ("ids are in 0 .. n-1", []),
        ("values are never -1", []),
        ("x is -1 * y", []),
        ("find returns -1 where there is none", []),
    ],
)
def test_named_arrays(text: str, names: list[str]) -> None:
    assert said(text) == names


@pytest.mark.parametrize(
    ("text", "told"),
    [("-1 where there is none", True), ("place of the item, or -1", True), ("n - 1 entries", False), ("-1.0", False)],
)
def test_beside_a_parameter(text: str, told: bool) -> None:
    assert bool(beside(text, "const int *next,")) is told


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("constexpr int kFree = -1;\n// owner: the item in each cell, kFree where there is none\n", ["owner"]),
        ("#define FREE (-1)\n// owner[c] is FREE for cells without an item\n", ["owner"]),
        ("#define FREE 0xFFFFFFFFu\n// owner[c] is FREE for cells without an item\n", ["owner"]),
        ("enum { FREE = -1 };\n// owner[c] is FREE for cells without an item\n", ["owner"]),
        ("#define FREE 255\n// owner[c] is FREE for cells without an item\n", []),
        ("#define FREE (-1.5f)\n// owner[c] is FREE for cells without an item\n", []),
        ("struct Cell {\n    int owner;  // -1 if the cell is free\n};\n", ["owner"]),
        ("struct Cell {\n    int owner;  // never -1\n};\n", []),
    ],
)
def test_marks_by_the_names_of_constants_and_of_members(code: str, names: list[str]) -> None:
    assert [one.name for one in sentinels(SourceFile("cells.cu", code.encode()))] == names
