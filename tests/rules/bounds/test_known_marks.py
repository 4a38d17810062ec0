"""Numbers from memory that are no place: by comments, and by what another kernel of the file takes for granted."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard

from tests.rules.marked import findings

COUNT = """
// group: one number for each item, SAID
__global__ void count(const int *group, int *sizes, int n, int groups) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int g = group[i];
        TEST
        atomicAdd(&sizes[AT], 1);
    }
}
"""


@pytest.mark.parametrize(
    ("said", "test", "at", "bad"),
    [
        ("-1 for items that belong nowhere", "", "g", True),
        ("-1 for items that belong nowhere", "if (g >= groups) continue;", "g", True),
        ("-1 for items that belong nowhere", "if (g < 0) continue;", "g", False),
        ("-1 for items that belong nowhere", "if (g == -1) continue;", "g", False),
        ("-1 for items that belong nowhere", "if ((unsigned)g >= (unsigned)groups) continue;", "g", False),
        ("-1 for items that belong nowhere", '(g >= 0) ? (void)0 : (void)printf("%d", g);', "g", False),
        ("-1 for items that belong nowhere", "if (g >= 0) sizes[g] = 0;", "g", True),
        ("-1 for items that belong nowhere", "", "g + 1", False),
        ("-1 for items that belong nowhere", "", "max(g, 0)", False),
        ("in any order", "", "g", False),
    ],
)
def test_what_a_comment_says(said: str, test: str, at: str, bad: bool) -> None:
    assert (
        bool(findings(MissingBoundsGuard, COUNT.replace("SAID", said).replace("TEST", test).replace("AT", at))) is bad
    )


TWO = """
#define SIDE 5
__global__ void forward(const int *corner, const float *field, float *sum, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int at = corner[i];
    if (FIRST) return;
    sum[i] = field[i * SIDE + at];
}
__global__ void backward(const int *corner, const float *field, float *sum, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int at = corner[i];
    SECOND
    sum[i] -= field[i * SIDE + at];
}
"""


@pytest.mark.parametrize(
    ("first", "second", "bad"),
    [
        ("at == SIDE", "", True),
        ("at == SIDE", "if (at == SIDE) return;", False),
        ("at == SIDE", "if (at >= SIDE) return;", False),
        ("sum[i] == SIDE", "", False),
    ],
)
def test_what_another_kernel_leaves_out(first: str, second: str, bad: bool) -> None:
    assert bool(findings(MissingBoundsGuard, TWO.replace("FIRST", first).replace("SECOND", second))) is bad


FROM_ONE = """
#define SIDE 5
#define CELL(row, column, block) ((row) + SIDE * (column) + 32 * (block))
__global__ void push(const int *pairs, const int *block_of, const int *ids, const float *speed, float *kept,
                     int edges) {
    const int p = threadIdx.x, edge = blockIdx.x;
    if (edge < edges) {
        const int block = block_of[edge] - 1;
        const int r = pairs[2 * (p + SIDE * edge)] - 1, c = pairs[2 * (p + SIDE * edge) + 1] - 1;
        if (FIRST) return;
        const int at = ids[CELL(r, c, block)] - 1;
        kept[p + SIDE * edge] = speed[at];
    }
}
__global__ void pull(const int *pairs, const int *block_of, const int *ids, float *change, const float *kept,
                     int edges) {
    const int p = threadIdx.x, edge = blockIdx.x;
    if (edge < edges) {
        const int block = block_of[edge] - 1;
        const int r = pairs[2 * (p + SIDE * edge)] - 1, c = pairs[2 * (p + SIDE * edge) + 1] - 1;
        SECOND
        const int at = ids[CELL(r, c, block)] - 1;
        atomicAdd(&change[at], -kept[p + SIDE * edge]);
    }
}
"""


@pytest.mark.parametrize(
    ("first", "second", "bad"),
    [
        ("r == SIDE || c == SIDE", "", True),
        ("r == SIDE || c == SIDE", "if (r == SIDE || c == SIDE) return;", False),
        ("r == SIDE || c == SIDE", "if (r >= SIDE || c >= SIDE) return;", False),
        ("edge == SIDE", "", False),
    ],
)
def test_marks_of_places_that_count_from_one(first: str, second: str, bad: bool) -> None:
    assert bool(findings(MissingBoundsGuard, FROM_ONE.replace("FIRST", first).replace("SECOND", second))) is bad


NONE = """
__kernel void lower(__global const int *parent, __global const float *height, __global float *fall, const int n) {
    const int i = get_global_id(0);
    if (i >= n) return;
    const int up = parent[i] - 1;
    if (up != -1) fall[i] = height[i] - height[up];
}
__kernel void raise(__global const int *parent, __global float *height, __global const float *fall, const int n) {
    const int i = get_global_id(0);
    if (i >= n) return;
    SECOND
}
"""


@pytest.mark.parametrize(
    ("second", "bad"),
    [
        ("height[i] = height[parent[i] - 1] + fall[i];", True),
        ("if (parent[i] > 0) height[i] = height[parent[i] - 1] + fall[i];", False),
        ("const int up = parent[i] - 1; if (up < 0) return; height[i] = height[up] + fall[i];", False),
        ("height[i] = height[parent[i]] + fall[i];", False),
    ],
)
def test_none_is_zero_in_places_that_count_from_one(second: str, bad: bool) -> None:
    assert bool(findings(MissingBoundsGuard, NONE.replace("SECOND", second), "opencl")) is bad


ROUTES = """
// route: [n][4], the cells a drop runs through; SAID
__global__ void run_off(const int *route, const int *steps, const float *height, float *loss, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int k = 0; k < steps[i]; ++k) {
        const int cell = route[i * 4 + k];
        FIRST
        sum += height[cell];
    }
    loss[i] = sum;
}
__global__ void wet(const int *route, const int *steps, const float *ARRAY, float *loss, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int k = 0; LOOP; ++k) {
        const int cell = route[i * 4 + k];
        SECOND
        loss[i] += ARRAY[cell];
    }
}
"""


@pytest.mark.parametrize(
    ("said", "first", "array", "loop", "second", "bad"),
    [
        ("none twice", "if (cell < 0) continue;", "height", "k < steps[i]", "", True),
        ("none twice", "if (cell < 0) continue;", "height", "k < 4", "", True),
        ("none twice", "if (cell < 0) continue;", "height", "k < steps[i]", "if (cell < 0) break;", False),
        ("none twice", "if (cell < 0) continue;", "soil", "k < steps[i]", "", False),
        ("-1 where it has left the map", "if (cell < 0) continue;", "soil", "k < steps[i]", "", True),
        (
            "-1 where it has left the map",
            "if (cell < 0) continue;",
            "soil",
            "k < steps[i]",
            "if (cell < 0) break;",
            False,
        ),
        ("none twice", "if (loss[i] < 0) continue;", "height", "k < steps[i]", "", False),
    ],
)
def test_negative_numbers_that_another_kernel_leaves_out(
    said: str, first: str, array: str, loop: str, second: str, bad: bool
) -> None:
    code = ROUTES.replace("SAID", said).replace("FIRST", first).replace("ARRAY", array)
    found = findings(MissingBoundsGuard, code.replace("LOOP", loop).replace("SECOND", second))
    assert bool(found) is bad, [one.message for one in found]


def test_a_list_that_is_counted_here_and_ended_by_a_mark_there() -> None:
    code = ROUTES.replace(
        "k < steps[i]; ++k) {\n        const int cell = route[i * 4 + k];\n        FIRST",
        "k < 4; ++k) {\n        const int cell = route[i * 4 + k];\n        if (cell < 0) break;",
    )
    code = (
        code.replace("SAID", "none twice")
        .replace("ARRAY", "height")
        .replace("LOOP", "k < steps[i]")
        .replace("SECOND", "")
    )
    assert not findings(MissingBoundsGuard, code)


WINNERS = """
constexpr int kNobody = -1;

__global__ void tally(const int *winner, const float *stake, float *paid, int rounds, int players) {
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rounds) return;
    const int who = winner[r];
    FIRST
    paid[r] = stake[who];
}

__global__ void count(CONST int *seats, int *wins, int rounds, int players) {
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rounds) return;
    const int who = seats[r];
    if (SECOND) atomicAdd(&wins[who], 1);
    CHANGE
}

void settle(int *winner, int *table, const float *stake, float *paid, int *wins, int rounds, int players) {
    tally<<<(rounds + 127) / 128, 128>>>(winner, stake, paid, rounds, players);
    count<<<(rounds + 127) / 128, 128>>>(PASSED, wins, rounds, players);
}
"""


@pytest.mark.parametrize(
    ("first", "const", "second", "change", "passed", "bad"),
    [
        ("", "const", "who > kNobody && who < players", "", "winner", True),
        ("", "const", "who != kNobody", "", "winner", True),
        ("if (who < 0) return;", "const", "who != kNobody", "", "winner", False),
        ("if (who == kNobody) return;", "const", "who > kNobody", "", "winner", False),
        ("if ((unsigned)who >= (unsigned)players) return;", "const", "who > kNobody", "", "winner", False),
        ("", "const", "who != kNobody", "", "table", False),  # other data
        ("", "const", "who != kNobody", "", "winner + 1", False),
        ("", "", "who != kNobody", "seats[r] = 0;", "winner", False),  # they are none any more, perhaps
        ("", "const", "who < players", "", "winner", False),
        ("", "const", "who != 7", "", "winner", False),
    ],
)
def test_what_the_host_passes_to_both(first: str, const: str, second: str, change: str, passed: str, bad: bool) -> None:
    code = WINNERS.replace("FIRST", first).replace("CONST", const).replace("SECOND", second)
    found = findings(MissingBoundsGuard, code.replace("CHANGE", change).replace("PASSED", passed))
    assert bool(found) is bad, [one.message for one in found]


CELLS = """
struct Cell { float mass; MEMBER int kind; };

__global__ void gather(const Cell *cells, const float *charge, float *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const Cell c = cells[i];
    FIRST
    out[i] = c.mass * charge[c.owner];
}

__global__ void mark(const Cell *cells, float *charge, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (SECOND) charge[cells[i].owner] = 1.0f;
}
"""


@pytest.mark.parametrize(
    ("member", "first", "second", "bad"),
    [
        ("int owner;", "", "cells[i].owner >= 0", True),
        ("int owner;", "if (c.owner < 0) return;", "cells[i].owner >= 0", False),
        ("int owner;", "", "cells[i].kind >= 0", False),
        ("int owner;", "if (c.kind == 2) return;", "cells[i].owner >= 0", False),  # the kind tells, perhaps
        ("int owner;  // -1 if nobody has it\n", "", "cells[i].owner < n", True),
        ("int owner;  // -1 if nobody has it\n", "if (c.kind == 2) return;", "cells[i].owner < n", False),
        ("int owner;  // -1 if nobody has it\n", "if (c.owner == -1) return;", "cells[i].owner >= 0", False),
    ],
)
def test_members_of_structs(member: str, first: str, second: str, bad: bool) -> None:
    found = findings(
        MissingBoundsGuard, CELLS.replace("MEMBER", member).replace("FIRST", first).replace("SECOND", second)
    )
    lines = {one.message for one in found if "charge[cells[..]] is read" in one.message or "gather" in one.message}
    assert bool([one for one in found if " is read" in one.message]) is bad, lines


PROGRESS = """
__global__ void split(int *cell, const float *field, float *sum, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int at = cell[i];
    if (at < 0) return;
    sum[i] = field[at];
    STORE
}
__global__ void vote(int *cell, const float *field, float *sum, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    sum[i] += field[cell[i]];
}
"""


@pytest.mark.parametrize(("store", "bad"), [("", True), ("cell[i] = -1 - at;", False), ("sum[i + n] = at;", True)])
def test_who_stores_there_too_leaves_out_what_is_done(store: str, bad: bool) -> None:
    assert bool(findings(MissingBoundsGuard, PROGRESS.replace("STORE", store))) is bad


CHECKED = """
__global__ void check(const int *cell, const int *map, unsigned *errors, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int at = cell[i];
    if (at == 0) WRONG;
    else if (map[at - 1] < 0) atomicAdd(errors + 1, 1u);
}
__global__ void change(int *cell, const int *map, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int at = cell[i];
    cell[i] = map[at - 1];
}
"""


@pytest.mark.parametrize(("wrong", "bad"), [("atomicAdd(errors, 1u)", False), ("errors[i] = 1", True)])
def test_who_does_nothing_but_count_may_count_errors(wrong: str, bad: bool) -> None:
    assert bool(findings(MissingBoundsGuard, CHECKED.replace("WRONG", wrong))) is bad
