"""Groups of elements that end with the row along one axis, and go on along the other."""

from __future__ import annotations

import pytest

from tests.rules.bounds.test_wrong_axes import codes

SHRINK = """
kernel void shrink(global const float *big, const int bw, const int bh, global float *small, const int w, const int h) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h) return;
  const int cols = COLS, rows = ROWS;
  float most = big[EDGE];
  for (int v = 0; v < rows; v++)
    for (int u = 0; u < cols; u++) most = fmax(most, big[(3 * y + v) * bw + 3 * x + u]);
  small[y * w + x] = most;
}
"""


@pytest.mark.parametrize("edge", ["0", "(bh - 1) * bw"])
@pytest.mark.parametrize(
    ("cols", "rows", "wrong"),
    [
        ("min(3, bw - 3 * x)", "3", True),
        ("3 * x + 2 < bw ? 3 : 1", "3", True),
        ("min(3, bw - 3 * x)", "min(3, bh - 3 * y)", False),
        ("3", "3", False),
        ("min(3, bw - 3 * x)", "1", False),
    ],
)
def test_groups_along_two_axes(cols: str, rows: str, wrong: bool, edge: str) -> None:
    code = SHRINK.replace("COLS", cols).replace("ROWS", rows).replace("EDGE", edge)
    found = codes(code, "k.cl", select=("KL102",))
    assert found == (["KL102"] if wrong and edge == "0" else [])  # else the other size is put to some use
