"""OpenCL kernels that a table names: one file fills its handles, another launches by a number, callers pass that."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.test_launches_elsewhere import found

KERNELS = """
__kernel void lift(__global float *y, __global const float *x, int n) {
    int i = get_global_id(0);
    if (i < n) y[i] = x[i] + 1.0f;
}
__kernel void fold(__global float *y, __global const float *x, int n) {
    __local float part[64];
    int l = get_local_id(0), i = get_global_id(0);
    part[l] = i < n ? x[i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) y[get_group_id(0)] = part[0] + part[get_local_size(0) - 1];
}
"""

ROWS = """#pragma once
#include <CL/cl.h>
enum { LIFT, FOLD, COUNT };
struct row { int id; const char *name; cl_kernel handle; };
extern struct row table[COUNT];
int run(cl_command_queue q, int which, cl_mem y, cl_mem x, int n, size_t group);
"""

FILLED = """#include "rows.h"
struct row table[COUNT] = {{LIFT, "lift", NULL}, {FOLD, "fold", NULL}};
int load(cl_program program) {
    cl_int err;
    WALK
}
"""

WALKS = {
    "by number": """for (int i = 0; i < COUNT; i++) {
        table[i].handle = clCreateKernel(program, table[i].name, &err);
        if (err != CL_SUCCESS) return -1;
    }
    return 0;""",
    "by pointer": """for (struct row *e = table; e < table + COUNT; e++) {
        e->handle = clCreateKernel(program, e->name, &err);
        if (err != CL_SUCCESS) return -1;
    }
    return 0;""",
    "one by one": """table[LIFT].handle = clCreateKernel(program, "lift", &err);
    if (err != CL_SUCCESS) return -1;
    table[FOLD].handle = clCreateKernel(program, "fold", &err);
    return err == CL_SUCCESS ? 0 : -1;""",
}

RUN = """#include "rows.h"
int run(cl_command_queue q, int which, cl_mem y, cl_mem x, int n, size_t group) {
    TAKE
    size_t all = (n + group - 1) / group * group;
    if (clSetKernelArg(k, 0, sizeof(cl_mem), &y) != CL_SUCCESS) return -1;
    if (clSetKernelArg(k, 1, sizeof(cl_mem), &x) != CL_SUCCESS) return -1;
    if (clSetKernelArg(k, 2, sizeof(int), &n) != CL_SUCCESS) return -1;
    return clEnqueueNDRangeKernel(q, k, 1, NULL, &all, &group, 0, NULL, NULL) == CL_SUCCESS ? 0 : -1;
}
"""

TAKEN = {
    "an element": "cl_kernel k = table[which].handle;",
    "a row": "struct row *row = &table[which]; cl_kernel k = row->handle;",
}

MAIN = """#include "rows.h"
int process(cl_command_queue q, cl_mem a, cl_mem b, int n) {
    if (run(q, LIFT, b, a, n, LIFTED)) return -1;
    return run(q, FOLD, a, b, n, FOLDED);
}
"""

BEYOND = "cl/ops.cl:array-index-out-of-range"


@pytest.mark.parametrize("walk", WALKS)
@pytest.mark.parametrize("taken", TAKEN)
@pytest.mark.parametrize(("lifted", "folded", "bad"), [("256", "64", False), ("64", "128", True)])
def test_callers_say_which_row(tmp_path: Path, walk: str, taken: str, lifted: str, folded: str, bad: bool) -> None:
    files = {
        "cl/ops.cl": KERNELS,
        "src/rows.h": ROWS,
        "src/rows.c": FILLED.replace("WALK", WALKS[walk]),
        "src/run.c": RUN.replace("TAKE", TAKEN[taken]),
        "src/main.c": MAIN.replace("LIFTED", lifted).replace("FOLDED", folded),
    }
    assert found(tmp_path, files) == [BEYOND] * bad


@pytest.mark.parametrize(("lifted", "folded", "bad"), [("256", "64", False), ("64", "128", True)])
def test_in_one_file(tmp_path: Path, lifted: str, folded: str, bad: bool) -> None:
    parts = (
        ROWS.replace("extern struct row table[COUNT];", ""),
        FILLED.replace("WALK", WALKS["by number"]),
        RUN.replace("TAKE", TAKEN["an element"]),
        MAIN.replace("LIFTED", lifted).replace("FOLDED", folded),
    )
    host = "".join(part.replace('#include "rows.h"', "").replace("#pragma once", "") for part in parts)
    assert found(tmp_path, {"cl/ops.cl": KERNELS, "src/host.c": host}) == [BEYOND] * bad


@pytest.mark.parametrize(("lifted", "folded", "bad"), [("256", "64", False), ("64", "128", True)])
def test_handles_beside_a_list_of_names(tmp_path: Path, lifted: str, folded: str, bad: bool) -> None:
    rows = ROWS.replace("struct row { int id; const char *name; cl_kernel handle; };", "")
    filled = """#include "rows.h"
static const char *const names[COUNT] = {"lift", "fold"};
cl_kernel handles[COUNT];
int load(cl_program program) {
    cl_int err;
    for (int i = 0; i < COUNT; i++) {
        handles[i] = clCreateKernel(program, names[i], &err);
        if (err != CL_SUCCESS) return -1;
    }
    return 0;
}
"""
    files = {
        "cl/ops.cl": KERNELS,
        "src/rows.h": rows.replace("extern struct row table[COUNT];", "extern cl_kernel handles[COUNT];"),
        "src/rows.c": filled,
        "src/run.c": RUN.replace("TAKE", "cl_kernel k = handles[which];"),
        "src/main.c": MAIN.replace("LIFTED", lifted).replace("FOLDED", folded),
    }
    assert found(tmp_path, files) == [BEYOND] * bad
