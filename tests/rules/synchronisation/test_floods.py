"""Many races of one cause in a kernel are a few findings."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from tests.rules.marked import findings

FIELDS = [f"f{number}" for number in range(9)]


def _kernel(place: str) -> str:
    params = ", ".join(f"float *{name}" for name in FIELDS)
    body = "\n".join(f"  {name}[{place}] = 0.5f * {name}[{place}] + t;" for name in FIELDS)
    head = f"__global__ void age({params}, const int *cell, int n) {{\n  int t = threadIdx.x, b = blockIdx.x;\n"
    return f"{head}  if (t > 99) t = 99;\n{body}\n}}\nvoid run({params}, const int *cell, int n) {{\n" + (
        f"  age<<<n, 128>>>({', '.join(FIELDS)}, cell, n);\n}}\n"
    )


def test_the_same_two_threads_race_for_many_objects() -> None:
    told = findings(GlobalMemoryRace, _kernel("b * 100 + t"))
    alone = [one for one in told if "both write" in one.message]
    assert len(alone) == 3 and len(told) == 6  # as many where one writes what the other reads
    assert [len(one.related) for one in alone] == [0, 0, 5]
    assert alone[-1].related[-1].message == "and so is it here, and in 1 more places"


def test_each_object_is_told_of_where_there_are_few() -> None:
    text = _kernel("b * 100 + t")
    for name in FIELDS[2:]:
        text = text.replace(f"  {name}[b * 100 + t] = 0.5f * {name}[b * 100 + t] + t;\n", "")
    assert len(findings(GlobalMemoryRace, text)) == 4


def test_loops_that_no_thread_has_a_part_of_are_of_one_habit() -> None:
    text = """
    __global__ void run(float *x, float *y, int *last) {
        for (int i = 0; i < blockDim.x; i++) y[i] += x[i] * 0.5f;
        for (int i = threadIdx.x; i < 40; i++) x[i] += 1.0f;
        last[blockIdx.x] = threadIdx.x;
    }
    """
    habits = {
        text[: one.span.start].count("\n") + 1: one.habit
        for one in findings(GlobalMemoryRace, text)
        if "both write" in one.message
    }
    assert set(habits) == {3, 4, 5}
    assert habits[3] and not habits[4] and not habits[5]


RESET = """
__global__ void totals(const unsigned *x, unsigned *sum, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) SET
    if (i < n) {
        atomicAdd(&sum[0], x[i]);
        atomicMax(&sum[0], 7u);
        atomicAdd(&sum[1], x[i] >> 16);
    }
}
"""


@pytest.mark.parametrize(
    ("put", "places"),
    [("*(unsigned long long *)sum = 0;", [2]), ("{ sum[0] = 0; sum[1] = 0; }", [1, 0]), (";", [])],
    ids=["one store", "two stores", "none"],
)
def test_a_store_among_updates_is_told_once(put: str, places: list[int]) -> None:
    found = findings(GlobalMemoryRace, RESET.replace("SET", put))
    assert [sum("so is it here" in one.message for one in f.related) for f in found] == places
