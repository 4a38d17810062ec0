"""What comments say of how deep trees get."""

from __future__ import annotations

import pytest

from kernlint.policy.levels import levels
from kernlint.source import SourceFile


@pytest.mark.parametrize(
    ("code", "most"),
    [
        ("// A path from the root has up to 62 levels.", 62),
        ("// Trees are at most 40 levels deep.", 40),
        ("// The depth of the tree is at most 48.", 48),
        ("#define DEEP 21 // maximum depth of the octree", 21),
        ("constexpr int kLevels = 30;  // deepest path from the root", 30),
        ("#define DEEP 33\n// The builder makes leaves of what is left at DEEP levels.", 33),
        ("/* nodes: a kd-tree, no deeper than 24\n */", 24),
        ("// tree height <= 20", 20),
        ("// Upper trees have 12 levels, those below up to 30 levels.", 12),
        ("// The tree typically has 20 levels.", None),
        ("// Depth of the tree is not bounded: leaves are cut off at 8 points only.", None),
        ("// fewer than 2^20 points, so the tree has 2^20 levels", None),
        ("// 256 grey levels in a tree of histograms", None),
        ("// field: 64 levels of 128 columns", None),
        ("// one value per level and node, 32 per level", None),
        ("#define DEEP 21 // bits of a code", None),
    ],
)
def test_levels_of_trees(code: str, most: int | None) -> None:
    assert levels(SourceFile("tree.cu", code.encode())) == most
