"""Variables of a file that get memory again while they have some."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.device_memory_leak import DeviceMemoryLeak
from kernlint_rules.launch.device_use_after_free import DeviceUseAfterFree

from tests.rules.marked import findings

CODE = """
static cl_context context;
STATIC cl_mem in, out;
static size_t work;
static void drop(void) {
    if (in) { clReleaseMemObject(in); clReleaseMemObject(out); in = out = NULL; }
}
static void make(size_t n) {
    cl_int status;
    FIRST
    in = clCreateBuffer(context, CL_MEM_READ_ONLY, n, NULL, &status);
    out = clCreateBuffer(context, CL_MEM_WRITE_ONLY, n, NULL, &status);
    work = n;
}
void tune(double (*rate)(size_t), void (*run)(void)) {
    size_t n, best = 64;
    for (n = 64; n < 65536; n *= 2) {
        make(n);
        if (CALL > 2.0) break;
        best = n;
        BETWEEN
    }
    LAST
    make(best);
}
void done(void) { drop(); }
"""
STATIC, CALL, LAST = "static", "rate(n)", "drop();"


@pytest.mark.parametrize(
    ("static", "first", "call", "between", "last", "told"),
    [
        (STATIC, "", CALL, "", LAST, True),
        (STATIC, "", CALL, "drop();", LAST, False),
        (STATIC, "drop();", CALL, "", LAST, False),
        (STATIC, "", "(run(), 1.0)", "", LAST, False),  # which may call done()
        (STATIC, "", CALL, "", "", False),  # nothing here knows that it has to
        ("", "", CALL, "", LAST, False),  # other files may see to it
    ],
)
def test_a_variable_of_the_file(static: str, first: str, call: str, between: str, last: str, told: bool) -> None:
    code = CODE.replace("STATIC", static).replace("FIRST", first).replace("CALL", call)
    found = findings(DeviceMemoryLeak, code.replace("BETWEEN", between).replace("LAST", last))
    assert bool(found) is told, found


TAKEN = """
#include <list>
#include <stack>
#include <utility>
#include <vector>
struct Pool { void *memory; size_t size; };
static std::vector<Pool> pools;
static std::vector<std::pair<void *, int>> pairs;
static std::stack<Pool> stacked;
static std::list<Pool> listed;
Pool another();
bool more();
void give_back() {
    BODY
}
"""


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("Pool one; while (!pools.empty()) { one = pools.back(); cudaFree(one.memory); pools.pop_back(); }", False),
        ("while (!pools.empty()) { cudaFree(pools.back().memory); pools.pop_back(); }", False),
        ("while (!pools.empty()) { cudaFree(pools.front().memory); pools.erase(pools.begin()); }", False),
        (
            "std::pair<void *, int> one; while (!pairs.empty()) { one = pairs.back(); cudaFree(one.first);"
            " pairs.pop_back(); }",
            False,
        ),
        ("Pool one; while (!stacked.empty()) { one = stacked.top(); cudaFree(one.memory); stacked.pop(); }", False),
        ("Pool one; for (auto &each : listed) { one = each; cudaFree(one.memory); }", False),
        ("Pool one; while (more()) { one = another(); cudaFree(one.memory); }", False),
        ("Pool one = another(); while (more()) { cudaFree(one.memory); }", True),
        ("Pool one = pools.back(); while (!pools.empty()) { cudaFree(one.memory); pools.pop_back(); }", True),
        ("Pool one; one = another(); Pool two; two = one; cudaFree(one.memory); cudaFree(two.memory);", True),
        ("Pool one; one = pools.back(); cudaFree(one.memory); cudaFree(pools.back().memory); pools.pop_back();", True),
    ],
)
def test_objects_assigned_anew_hold_other_memory(body: str, told: bool) -> None:
    assert bool(findings(DeviceUseAfterFree, TAKEN.replace("BODY", body))) is told
