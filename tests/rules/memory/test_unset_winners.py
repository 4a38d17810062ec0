"""Places that a search sets where something wins, and data that none of them do."""

from __future__ import annotations

import pytest
from kernlint_rules.memory.uninitialised_private import UninitialisedPrivate

from tests.rules.marked import assert_marked

RIDGE = """
__global__ void ridge(const TYPE *height, int *peak, int rows, int columns) {
    int tile = blockIdx.x * blockDim.x + threadIdx.x;
    const TYPE *mine = height + (size_t)tile * rows * columns;
    int place;
    TYPE most = START;
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) {
            TYPE h = VALUE;
            if (TEST) {
                most = h;
                place = r * columns + c;
            }
        }
    KEPT peak[tile] = place;MARK
}
"""


@pytest.mark.parametrize(
    ("start", "test", "kind", "value", "kept", "bad"),
    [
        ("-INFINITY", "h > most", "float", "mine[r * columns + c]", "", True),
        ("-INFINITY", "h > most || isnan(h)", "float", "mine[r * columns + c]", "", True),
        ("0", "most < h", "unsigned", "mine[r * columns + c]", "", True),
        ("-INFINITY", "h >= most", "float", "mine[r * columns + c]", "", False),
        ("INFINITY", "h > most", "float", "mine[r * columns + c]", "", False),
        ("-INFINITY", "h > most || r + c == 0", "float", "mine[r * columns + c]", "", False),
        ("-1e30f", "h > most", "float", "mine[r * columns + c]", "", False),
        ("-INFINITY", "h > most", "float", "fabsf(mine[r * columns + c]) + 1.0f", "", False),
        ("-INFINITY", "h > most", "float", "mine[r * columns + c]", "if (most > 0.0f)", False),
        ("-1", "h > most", "int", "mine[r * columns + c]", "", False),
    ],
)
def test_a_search_in_two_loops(start: str, test: str, kind: str, value: str, kept: str, bad: bool) -> None:
    text = RIDGE
    for name, put in (("TYPE", kind), ("START", start), ("VALUE", value), ("TEST", test), ("KEPT", kept)):
        text = text.replace(name, put)
    assert_marked(UninitialisedPrivate, text.replace("MARK", " // bad" if bad else ""))
    assert_marked(UninitialisedPrivate, text.replace("int place;", "int place = 0;").replace("MARK", ""))
