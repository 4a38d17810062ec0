"""What ends with an object: its members and bases, those of classes in headers, and what ends out of sight."""

from __future__ import annotations

from pathlib import Path

import pytest
from kernlint_rules.launch.device_memory_leak import DeviceMemoryLeak

from tests.project.test_launches_elsewhere import found
from tests.rules.marked import assert_pair

EVENT = """
class Event {
  public:
    ~Event() {
        if (made) cudaEventDestroy(made);  // only good
    }
    void record() {
        if (!made) cudaEventCreate(&made);  // bad
        cudaEventRecord(made);
    }
    cudaEvent_t made = nullptr;
};
"""

USES = {
    "a member of an object without a destructor": """
        class Timer { Event start; public: void go() { start.record(); } };
        int timed() { Timer timer; timer.go(); return 1; }
    """,
    "a member of an object with one of its own": """
        class Timer { Event start; public: void go() { start.record(); } ~Timer() { printf("done"); } };
        int timed() { Timer timer; timer.go(); return 1; }
    """,
    "a base": """
        struct Timer : Event { int count = 0; };
        int timed() { Timer timer; timer.record(); return timer.count; }
    """,
    "what is deleted": """
        struct Timer { Event start; void go() { start.record(); } };
        int timed() { auto *timer = new Timer; timer->go(); delete timer; return 1; }
    """,
}


@pytest.mark.parametrize("use", USES.values(), ids=USES.keys())
def test_parts(use: str) -> None:
    assert_pair(DeviceMemoryLeak, EVENT + use)


ARRAYS = """
struct Pair { Event both[2]; void go() { both[1].record(); } };
int timed() { Pair pair; pair.go(); return 1; }
int more() { Event both[2]; both[0].record(); return 1; }
"""


def test_elements_of_arrays_may_give_back() -> None:
    lines = EVENT.replace("  // only good", "").replace("  // bad", "")
    assert_pair(DeviceMemoryLeak, lines + ARRAYS)


HEADER = """
#pragma once
#include <cuda_runtime.h>
template <class T> __global__ void clear(T *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 0; }
class Scratch {
    float *room = nullptr;
  public:
    int fill(size_t n) { return cudaMalloc(&room, n); }
    DESTRUCTOR
};
"""

USER = """
#include "scratch.h"
int work(size_t n) { Scratch scratch; return scratch.fill(n) ? 1 : 0; }
struct Pair { Scratch one; Scratch other[2]; };
int works(size_t n) { Pair *pair = new Pair; pair->one.fill(n); delete pair; return 0; }
"""


@pytest.mark.parametrize(
    ("destructor", "bad"),
    [
        ("~Scratch() { if (room) cudaFree(room); }", False),
        ("~Scratch() { release(); } void release() { cudaFree(room); room = nullptr; }", False),
        ("~Scratch();", False),
        ("~Scratch() { room = nullptr; }", True),
    ],
)
def test_classes_of_headers(tmp_path: Path, destructor: str, bad: bool) -> None:
    files = {"scratch.h": HEADER.replace("DESTRUCTOR", destructor), "work.cu": USER}
    assert bool([one for one in found(tmp_path, files) if "leak" in one]) is bad
