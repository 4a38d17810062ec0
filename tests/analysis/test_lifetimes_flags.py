"""Ways on which conditions contradict each other: flags that nobody in sight sets, and parts of a condition."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.device_memory_leak import DeviceMemoryLeak
from kernlint_rules.launch.device_use_after_free import DeviceUseAfterFree

from tests.rules.marked import findings

FLAG = """
#include <cuda_runtime.h>
DECLARED
void set(int &flag);
void other(void);
__global__ void fill(float *x) { x[threadIdx.x] = 1; }
void norm(float *out, int n) {
    float *d;
    if (on_device) cudaMalloc(&d, n * 4);
    if (on_device) fill<<<1, 32>>>(d);
    BETWEEN
    if (on_device) cudaFree(d);
}
"""


@pytest.mark.parametrize(
    ("declared", "between", "told"),
    [
        ("extern int on_device;", "other();", False),
        ("static bool on_device = true;", "other();", False),
        ("extern int on_device;", "set(on_device);", True),
        ("extern int on_device; void off(void) { on_device = 0; }", "other();", True),
        ("extern int on_device;", "other(); if (n > 9) return;", True),
    ],
)
def test_a_flag_that_nobody_in_sight_sets_stays_as_it_is(declared: str, between: str, told: bool) -> None:
    code = FLAG.replace("DECLARED", declared).replace("BETWEEN", between)
    assert bool(findings(DeviceMemoryLeak, code)) is told


GROWING = """
#include <cuda_runtime.h>
template <class T> struct Growing {
    void allocate(size_t size) {
        if (d_ && size_ < size) { cudaFree(d_); }
        if (d_ && size_ @enough size) { return; }
        cudaMalloc(&d_, size * sizeof(T));
        size_ = size;
    }
    ~Growing() { if (d_) cudaFree(d_); }
    T *d_ = nullptr;
    size_t size_ = 0;
};
__global__ void fill(float *x) { x[threadIdx.x] = 1; }
Growing<float> one;
void run(size_t n) { one.allocate(n); fill<<<1, 32>>>(one.d_); }
"""


@pytest.mark.parametrize(("enough", "told"), [(">=", False), ("==", True)])
def test_what_is_left_of_a_condition_of_which_a_part_holds(enough: str, told: bool) -> None:
    """Who comes to the second test with memory of its own has room enough, or the first one has freed it."""
    assert bool(findings(DeviceMemoryLeak, GROWING.replace("@enough", enough))) is told


OPTIONS = """
#include <cstdlib>
#include <cuda_runtime.h>
struct Options { int check, time, rounds; int *tuned; };
void fill(float *x, int n);
void ask(Options &how);
void step(int n);
int run(OPTIONS how, int n) {
    float *host = (float *)malloc(n * 4), *kept;
    for (int k = 0; k < how AT rounds; k++) {
        if (how AT check || how AT time) cudaMalloc(&kept, n * 4);
        fill(host, n);
        step(k);
        BETWEEN
        if (WHEN) cudaMemcpy(kept, host, n * 4, cudaMemcpyHostToDevice);
        if (how AT check || how AT time) cudaFree(kept);
    }
    free(host);
    return 0;
}
"""


@pytest.mark.parametrize("options", ["Options &", "Options *"])
@pytest.mark.parametrize(
    ("between", "when", "told"),
    [
        ("", "how AT time", False),
        ("", "how AT check || how AT time", False),
        ("if (how AT rounds > 3) cudaFree(kept);", "how AT time", True),
        ("ask(HOW);", "how AT time", False),
        ("how AT time = k;", "how AT time", True),
        ("step(how AT check);", "how AT time", False),
        ("fill((float *)&how AT time, 1);", "how AT time", True),
    ],
)
def test_numbers_of_the_callers_object_stay_until_they_are_changed(
    options: str, between: str, when: str, told: bool
) -> None:
    code = OPTIONS.replace("OPTIONS", options).replace("BETWEEN", between).replace("WHEN", when)
    code = code.replace("HOW", "how" if "&" in options else "*how").replace(" AT ", "." if "&" in options else "->")
    assert bool(findings(DeviceUseAfterFree, code) or findings(DeviceMemoryLeak, code)) is told


PRIVATE = """
#include <CL/cl.h>
struct Private { int method, count; cl_context context; };
struct Private *own(void *task);
void call(int k);
void scan(int *k);
void change(struct Private *what);
int process(void *task, int n) {
    struct Private *own_data = own(task);
    cl_mem mem;
    cl_int err;
    if (own_data->method == 2) mem = clCreateBuffer(own_data->context, CL_MEM_READ_ONLY, 64, NULL, &err);
    call(n);
    BETWEEN
    if (own_data->LAST == 2) clReleaseMemObject(mem);
    return 1;
}
"""


@pytest.mark.parametrize(
    ("between", "last", "told"),
    [
        ("", "method", False),
        ("call(own_data->method); own_data->count = n;", "method", False),
        ("", "count", True),
        ("change(own_data);", "method", False),
        ("own_data->method = n;", "method", True),
        ("own_data = own(&n);", "method", True),
        ("scan(&own_data->method);", "method", True),
        ("if (n > 9) return 0;", "method", True),
    ],
)
def test_numbers_behind_a_pointer_that_a_function_gave(between: str, last: str, told: bool) -> None:
    code = PRIVATE.replace("BETWEEN", between).replace("LAST", last)
    assert bool(findings(DeviceMemoryLeak, code)) is told


@pytest.mark.parametrize(
    ("lost", "told"),
    [
        ("use(UNKNOWN, &own_data->count);", False),
        ("own_data->count = UNKNOWN;", False),
        ("use(UNKNOWN, own_data);", True),
        ("use(UNKNOWN, &own_data->method);", True),
        ("own_data->method = UNKNOWN;", True),
        ("own_data = UNKNOWN;", True),
    ],
)
def test_a_lost_statement_changes_the_members_that_it_names(lost: str, told: bool) -> None:
    code = PRIVATE.replace("BETWEEN", lost).replace("LAST", "method")
    assert bool(findings(DeviceMemoryLeak, code)) is told


TIMED = """
#include <cuda_runtime.h>
struct Meta { int timed, other; int state[4]; };
void work(Meta *m, int *p);
int failed(Meta *m);
struct Layer {
    Meta *m;
    bool timed;
    void run(int *p);
    void step(int *p);
};
void Layer::run(int *p) {
    cudaEvent_t from, to;
    if (MADE) {
        cudaEventCreate(&from);
        cudaEventCreate(&to);
        cudaEventRecord(from);
    }
    work(m, p);
    step(p);
    BETWEEN
    if (ENDED) {
        cudaEventRecord(to);
        cudaEventSynchronize(to);
        cudaEventDestroy(from);
        cudaEventDestroy(to);
    }
}
"""


@pytest.mark.parametrize(
    ("made", "between", "ended", "told"),
    [
        ("m->timed", "", "m->timed", False),
        ("timed", "", "timed", False),
        ("m->timed && p", "", "m->timed && p", False),
        ("m->timed && p", "", "m->timed", False),
        ("m->timed || timed", "", "m->timed || timed", False),
        ("m->timed == 2", "", "m->timed == 2", False),
        ("!m->timed", "", "!m->timed", False),
        ("m->timed", "", "m->other", True),
        ("m->timed", "", "!m->timed", True),
        ("m->timed", "m->timed = 0;", "m->timed", True),
        ("m->timed", "if (failed(m)) return;", "m->timed", True),
        ("m->timed", "if (m->other) return;", "m->timed", True),
        ("true", "if (m->timed) return;", "true", True),
        ("m->timed", "", "m->timed && p", True),
        ("m->timed == 2", "", "m->timed == 3", True),
    ],
)
def test_what_is_made_and_ended_under_one_question_that_calls_lie_between(
    made: str, between: str, ended: str, told: bool
) -> None:
    code = TIMED.replace("MADE", made).replace("BETWEEN", between).replace("ENDED", ended)
    assert bool(findings(DeviceMemoryLeak, code)) is told


def test_an_error_that_is_asked_about_before_and_after_is_two_questions() -> None:
    code = """
#include <cuda_runtime.h>
struct Context { int error; };
void work(Context *c, int *p);
void run(Context *c) {
    int *p;
    if (c->error) return;
    cudaMalloc(&p, 64);
    work(c, 0);
    if (c->error) return;
    cudaFree(p);
}
"""
    assert findings(DeviceMemoryLeak, code)
