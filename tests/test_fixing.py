"""Fixes that hold: what is offered was tried, is what the kernel's author would do, and touches nothing else."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from kernlint.finding import Edit, Finding, Fix, Severity
from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.registry import load
from kernlint.result import Level
from kernlint.rule import Rule
from kernlint.run import fixing
from kernlint.run.engine import Engine
from kernlint.run.fixing import Fixer, Repaired, suggest, verified_fixes
from kernlint.source import SourceFile, Span
from kernlint.testing import SUFFIXES, cases


@cache
def tools() -> tuple[Engine, Selection]:
    registry = load()
    selection = Selection(registry, Config())
    return Engine(registry, selection), selection


def findings(source: SourceFile) -> list[Finding]:
    engine, selection = tools()
    return [r.finding for r in engine.check_source(source, selection).results if r.suppression is None]


def repaired(text: str, name: str = "kernel.cu") -> tuple[list[Finding], Repaired]:
    source = SourceFile(name, text.encode())
    found = findings(source)
    return found, Fixer(*tools()).repaired(source, found)


def changes(text: str, result: Repaired) -> list[str]:
    """Lines taken away and put in, without their indentation."""
    new = result.source.data.decode()
    lines = list(difflib.unified_diff(text.splitlines(), new.splitlines(), lineterm="", n=0))
    return [f"{line[0]} {line[1:].strip()}" for line in lines[2:] if line[0] in "+-"]


# --------------------------------------------------------------------------------------------- tests of an index

SCALE = """\
__global__ void scale(float *data, float by, int n) {
    // one element for each thread
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    data[at] *= by;
}
"""

ADDED = """\
__global__ void add_bias(float *values, float bias) {
    const unsigned spot = blockIdx.x * blockDim.x + threadIdx.x;
    values[spot] += bias;
}

void run(float *values, float bias, unsigned amount) {
    add_bias<<<(amount + 63u) / 64u, 64>>>(values, bias);
}
"""

GUARDS = {
    "return": (SCALE, "kernel.cu", ["+ if (at >= n) return;"]),
    "parameter": (
        ADDED,
        "kernel.cu",
        [
            "- __global__ void add_bias(float *values, float bias) {",
            "+ __global__ void add_bias(float *values, float bias, unsigned amount) {",
            "+ if (spot >= amount) return;",
            "- add_bias<<<(amount + 63u) / 64u, 64>>>(values, bias);",
            "+ add_bias<<<(amount + 63u) / 64u, 64>>>(values, bias, amount);",
        ],
    ),
    "barrier follows": (
        """\
__global__ void settle(float *data, const float *start, float *sums, int n) {
    __shared__ float part[128];
    const int at = blockIdx.x * 128 + threadIdx.x;
    data[at] = 0.0f;
    part[threadIdx.x] = start[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0] + part[127];
}
""",
        "kernel.cu",
        ["- data[at] = 0.0f;", "+ if (at < n) data[at] = 0.0f;"],
    ),
    "others have work": (
        """\
__global__ void clear(float *sums, float *rest, const int n, const int more) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    sums[at] = 0.0f;
    if (at < more) rest[at] = 1.0f;
}
""",
        "kernel.cu",
        ["- sums[at] = 0.0f;", "+ if (at < n) sums[at] = 0.0f;"],
    ),
    "two axes": (
        """\
__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void invert(__global uchar *plane, const int columns, const int rows) {
    const int c = get_global_id(0);
    const int r = get_global_id(1);
    plane[r * columns + c] = 255 - plane[r * columns + c];
}
""",
        "kernel.cl",
        ["+ if (c >= columns || r >= rows) return;"],
    ),
    "off by one, leaving": (
        SCALE.replace("    data[at]", "    if (at > n) return;\n    data[at]"),
        "kernel.cu",
        ["- if (at > n) return;", "+ if (at >= n) return;"],
    ),
    "off by one, turned round": (
        SCALE.replace("    data[at]", "    if (n >= at) data[at]"),
        "kernel.cu",
        ["- if (n >= at) data[at] *= by;", "+ if (n > at) data[at] *= by;"],
    ),
    "unsigned difference": (
        SCALE.replace("int n", "unsigned n")
        .replace("const int", "const unsigned")
        .replace("    data[at]", "    if (n - 1u - at >= 0) data[at]"),
        "kernel.cu",
        ["- if (n - 1u - at >= 0) data[at] *= by;", "+ if (at < n) data[at] *= by;"],
    ),
    "counted from the end": (
        """\
__global__ void flip(const int *from, int *to, int n) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < n) to[at] = from[n - at];
}
""",
        "kernel.cu",
        ["- if (at < n) to[at] = from[n - at];", "+ if (at < n) to[at] = from[n - 1 - at];"],
    ),
    "moved up": (
        """\
__global__ void look_up(const int *keys, const float *table, float *out, int n) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    const int key = keys[at];
    if (at >= n) return;
    out[at] = table[key];
}
""",
        "kernel.cu",
        ["+ if (at >= n) return;", "- if (at >= n) return;"],
    ),
    "put first": (
        """\
__kernel void sift(__global int *heap, const int from) {
    const int value = heap[from];
    int hole = from - 1;
    while (heap[hole] > value && hole >= 0) {
        heap[hole + 1] = heap[hole];
        --hole;
    }
    heap[hole + 1] = value;
}
""",
        "kernel.cl",
        ["- while (heap[hole] > value && hole >= 0) {", "+ while (hole >= 0 && heap[hole] > value) {"],
    ),
    "neighbours": (
        """\
__kernel void mean(__global const float *from, __global float *to, const int w, const int h) {
    const int c = get_global_id(0), r = get_global_id(1);
    if (c >= w || r >= h) return;
    float sum = 0.0f;
    for (int up = -2; up <= 2; ++up) {
        const int row = r + up;
        if (row < 0) continue;
        sum += from[row * w + c];
    }
    to[r * w + c] = sum / 5.0f;
}
""",
        "kernel.cl",
        ["- if (row < 0) continue;", "+ if (row < 0 || row >= h) continue;"],
    ),
}

# ------------------------------------------------------------------------------------------------- barriers

BARRIERS = {
    "between": (
        """\
__global__ void rotate(const int *from, int *to) {
    __shared__ int ring[128];
    const int t = threadIdx.x;
    ring[t] = from[blockIdx.x * 128 + t];
    // the neighbour's value
    to[blockIdx.x * 128 + t] = ring[(t + 1) % 128];
}
""",
        "kernel.cu",
        ["+ __syncthreads();"],
    ),
    "end of a loop, as the kernel writes it": (
        """\
#define MEET() barrier(CLK_LOCAL_MEM_FENCE)
__kernel void totals(__global const float *from, __global float *to, __local float *part, const int rows) {
    const int t = get_local_id(0), many = get_local_size(0);
    for (int r = 0; r < rows; ++r) {
        part[t] = from[r * many + t];
        MEET();
        float sum = 0.0f;
        for (int k = 0; k < many; ++k) sum += part[k];
        if (t == 0) to[r] = sum;
    }
}
""",
        "kernel.cl",
        ["+ MEET();"],
    ),
    "one statement": (
        """\
__global__ void creep(const float *from, float *to) {
    __shared__ float line[256];
    const int t = threadIdx.x;
    line[t] = from[t];
    __syncthreads();
    if (t > 0) line[t] = fminf(line[t], line[t - 1]);
    __syncthreads();
    to[t] = line[t];
}
""",
        "kernel.cu",
        [
            "- if (t > 0) line[t] = fminf(line[t], line[t - 1]);",
            "+ float next = 0.0f;",
            "+ if (t > 0) next = fminf(line[t], line[t - 1]);",
            "+ __syncthreads();",
            "+ if (t > 0) line[t] = next;",
        ],
    ),
    "counter": (
        """\
__global__ void count_up(int *to) {
    __shared__ int counter;
    if (threadIdx.x == 0) counter = 0;
    __syncthreads();
    counter += 2;
    __syncthreads();
    if (threadIdx.x == 0) to[blockIdx.x] = counter;
}
""",
        "kernel.cu",
        ["- counter += 2;", "+ atomicAdd(&counter, 2);"],
    ),
    "too late": (
        """\
__global__ void pass_on(const int *from, int *to) {
    __shared__ int ring[64];
    ring[threadIdx.x] = from[threadIdx.x];
    int got = ring[63 - threadIdx.x];
    __syncthreads();
    to[threadIdx.x] = got;
}
""",
        "kernel.cu",
        ["+ __syncthreads();", "- __syncthreads();"],
    ),
    "out of a branch": (
        """\
__global__ void halves(float *data) {
    __shared__ float part[64];
    part[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 32) {
        // the upper half is added to the lower
        part[threadIdx.x] += part[threadIdx.x + 32];
        __syncthreads();
        if (threadIdx.x == 0) data[0] = part[0] + part[31];
    }
}
""",
        "kernel.cu",
        [
            "- __syncthreads();",
            "+ }",
            "+ __syncthreads();",
            "+ if (threadIdx.x < 32) {",
        ],
    ),
    "out of a branch, with a value": (
        """\
__kernel void swap_ends(__global int *data, __local int *cells) {
    const int t = get_local_id(0);
    cells[t] = data[t];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < 8) {
        const int other = cells[15 - t];
        barrier(CLK_LOCAL_MEM_FENCE);
        cells[t] = other;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    data[t] = cells[t];
}
""",
        "kernel.cl",
        [
            "- if (t < 8) {",
            "- const int other = cells[15 - t];",
            "- barrier(CLK_LOCAL_MEM_FENCE);",
            "- cells[t] = other;",
            "- }",
            "+ int other = 0;",
            "+ if (t < 8) other = cells[15 - t];",
            "+ barrier(CLK_LOCAL_MEM_FENCE);",
            "+ if (t < 8) cells[t] = other;",
        ],
    ),
    "a loop in step": (
        """\
__kernel void bands(__global const float *from, __global float *to, __local float *row, const int bands) {
    const int x = get_local_id(0), y = get_local_id(1);
    for (int b = y; b < bands; b += get_local_size(1)) {
        row[y * 32 + x] = from[b * 32 + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        to[b * 32 + x] = row[y * 32 + 31 - x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
""",
        "kernel.cl",
        [
            "- for (int b = y; b < bands; b += get_local_size(1)) {",
            "- row[y * 32 + x] = from[b * 32 + x];",
            "+ for (int base = 0; base < bands; base += get_local_size(1)) {",
            "+ const int b = base + y;",
            "+ if (b < bands) row[y * 32 + x] = from[b * 32 + x];",
            "- to[b * 32 + x] = row[y * 32 + 31 - x];",
            "+ if (b < bands) to[b * 32 + x] = row[y * 32 + 31 - x];",
        ],
    ),
    "past an exit": (
        """\
__kernel void sharpen(__global float *x, __local float *tile, const int n) {
    const int i = get_global_id(0);
    const int t = get_local_id(0);
    if (i >= n) return;
    const float mine = x[i];
    tile[t] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    x[i] = 2.0f * mine - tile[t ^ 1];
}
""",
        "kernel.cl",
        [
            "- if (i >= n) return;",
            "- const float mine = x[i];",
            "- tile[t] = mine;",
            "+ const bool inside = i < n;",
            "+ const float mine = inside ? x[i] : 0.0f;",
            "+ if (inside) tile[t] = mine;",
            "- x[i] = 2.0f * mine - tile[t ^ 1];",
            "+ if (inside) x[i] = 2.0f * mine - tile[t ^ 1];",
        ],
    ),
    "warp": (
        """\
__global__ void trade(int *data) {
    __shared__ int cells[64];
    const int t = threadIdx.x;
    cells[t] = data[t];
    data[t] = cells[t ^ 2];
}
""",
        "kernel.cu",
        ["+ __syncwarp();"],
    ),
    "fence": (
        """\
__device__ unsigned tickets;
__global__ void finish(const float *from, float *parts, float *to) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = from[blockIdx.x];
        last = atomicAdd(&tickets, 1u) + 1u == gridDim.x;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float sum = 0.0f;
        for (int b = 0; b < gridDim.x; ++b) sum += parts[b];
        *to = sum;
    }
}
""",
        "kernel.cu",
        ["+ __threadfence();"],
    ),
}

# -------------------------------------------------------------------------------------------------- the rest

OTHERS = {
    "wide index": (
        """\
__global__ void halve(float *x, long long count) {
    int where = blockIdx.x * blockDim.x + threadIdx.x;
    if (where < count) x[where] *= 0.5f;
}
""",
        "kernel.cu",
        [
            "- int where = blockIdx.x * blockDim.x + threadIdx.x;",
            "+ long long where = (long long)blockIdx.x * blockDim.x + threadIdx.x;",
        ],
    ),
    "axis": (
        """\
__global__ void stripe(float *image, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.x + threadIdx.y;
    if (x < w && y < h) image[y * w + x] = 1.0f;
}
""",
        "kernel.cu",
        [
            "- int y = blockIdx.y * blockDim.x + threadIdx.y;",
            "+ int y = blockIdx.y * blockDim.y + threadIdx.y;",
        ],
    ),
    "mask": (
        """\
__global__ void ballot(const int *x, unsigned *votes) {
    const unsigned lanes = __activemask();
    const unsigned got = __ballot_sync(lanes, x[threadIdx.x] != 0);
    if (threadIdx.x % 32 == 0) votes[threadIdx.x / 32] = got;
}
""",
        "kernel.cu",
        ["- const unsigned lanes = __activemask();", "+ const unsigned lanes = 0xffffffffu;"],
    ),
    "launch": (
        """\
__global__ void zero(float *x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 0.0f;
}

void run(float *x, int n) {
    zero<<<64, (n + 63) / 64>>>(x, n);
}
""",
        "kernel.cu",
        ["- zero<<<64, (n + 63) / 64>>>(x, n);", "+ zero<<<(n + 63) / 64, 64>>>(x, n);"],
    ),
    "last element of a table": (
        """\
__global__ void weigh(const float *from, float *to) {
    float kept[6];
    for (int k = 0; k <= 6; ++k) kept[k] = from[k];
    to[threadIdx.x] = kept[threadIdx.x % 6];
}
""",
        "kernel.cu",
        [
            "- for (int k = 0; k <= 6; ++k) kept[k] = from[k];",
            "+ for (int k = 0; k < 6; ++k) kept[k] = from[k];",
        ],
    ),
    "update": (
        """\
__kernel void tally(__global const int *which, __global int *votes, const int n) {
    const int i = get_global_id(0);
    if (i < n) votes[which[i]]++;
}
""",
        "kernel.cl",
        ["- if (i < n) votes[which[i]]++;", "+ if (i < n) atomic_add(&votes[which[i]], 1);"],
    ),
}

ALL = {**GUARDS, **BARRIERS, **OTHERS}


@pytest.mark.parametrize("case", ALL.values(), ids=ALL)
def test_the_fix_is_what_the_author_would_do(case: tuple[str, str, list[str]]) -> None:
    text, name, expected = case
    found, result = repaired(text, name)
    assert found and changes(text, result) == expected
    assert findings(result.source) == []


@pytest.mark.parametrize("case", ALL.values(), ids=ALL)
def test_each_fix_is_offered_for_the_text_as_it_is(case: tuple[str, str, list[str]]) -> None:
    text, name, _ = case
    source = SourceFile(name, text.encode())
    offered = verified_fixes(source, findings(source), tools()[1])
    assert offered
    for one in offered:
        assert all(edit.span.file == name and edit.span.end <= len(source.data) for edit in one.fix.edits)
        assert one.fix.description


# ------------------------------------------------------------------------------------------- what gets no fix

UNFIXED = {
    "a tail that nobody would treat": """\
__global__ void quads(const float *x, float *y, int n) {
    const int at = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (at < n) *reinterpret_cast<float4 *>(y + at) = *reinterpret_cast<const float4 *>(x + at);
}

void run(const float *x, float *y, int n) {
    quads<<<((n + 3) / 4 + 127) / 128, 128>>>(x, y, n);
}
""",
    "a size that is only one of a product": """\
struct Box { int shape[2]; };
__global__ void fill(float *cells, Box box) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    cells[at / box.shape[1] * box.shape[1] + at % box.shape[1]] = 1.0f;
}
""",
    "everybody's value in one cell": """\
__global__ void last(const float *x, float *y) {
    __shared__ float cell;
    cell = x[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) y[blockIdx.x] = cell;
}
""",
    "an update with what others update": """\
__global__ void smear(float *row) {
    const int at = threadIdx.x + 64 * blockIdx.x;
    row[at] += row[at + 1];
}

void run(float *row) {
    smear<<<64, 64>>>(row);
}
""",
    "a condition on what others change": """\
__device__ void take(int *left) { atomicSub(left, 1); }
__global__ void share_out(int *to) {
    __shared__ int left;
    if (threadIdx.x == 0) left = to[0];
    __syncthreads();
    if (threadIdx.x < left) {
        take(&left);
        __syncthreads();
        to[threadIdx.x + 1] = threadIdx.x;
    }
}
""",
    "a condition that the first half changes": """\
__kernel void drain(__global int *x, __local int *left) {
    int t = get_local_id(0);
    if (t < x[0]) {
        t += x[1];
        barrier(CLK_LOCAL_MEM_FENCE);
        x[t + 2] = left[0];
    }
}
""",
}


@pytest.mark.parametrize("text", UNFIXED.values(), ids=UNFIXED)
def test_what_takes_more_than_that_gets_no_fix(text: str) -> None:
    name = "kernel.cl" if "__kernel" in text else "kernel.cu"
    found, result = repaired(text, name)
    assert found and not result.fixes
    assert result.source.data == text.encode()


def test_a_kernel_that_a_macro_writes_is_left_alone() -> None:
    text = """\
#define SHIFT(name, step)                                              \\
    __global__ void name(const int *from, int *to) {                   \\
        __shared__ int ring[128];                                      \\
        ring[threadIdx.x] = from[threadIdx.x];                         \\
        to[threadIdx.x] = ring[(threadIdx.x + step) % 128];            \\
    }
SHIFT(by_one, 1)
"""
    found, result = repaired(text)
    assert [finding.code for finding in found] == ["KL201"] and not result.fixes


def test_a_kernel_in_a_string_stays_in_it() -> None:
    kernel = (
        "__attribute__((reqd_work_group_size(64, 1, 1))) __kernel void f(__global float *a, const int n) "
        "{ const int i = get_global_id(0); a[i] = 1.0f; }"
    )
    host = "void build(cl_program p) { clBuildProgram(p, 0, 0, 0, 0, 0); }\n"
    text = f'const char *source = " {kernel}";\n{host}'
    found, result = repaired(text, "host.cpp")
    assert [finding.code for finding in found] == ["KL101"]
    assert result.source.data.decode() == text.replace("a[i] =", "if (i >= n) return; a[i] =")
    lines = text.replace("; ", ';\\n"\n"')
    _, result = repaired(lines, "host.cpp")
    assert result.source.data.decode() == lines.replace("get_global_id(0);", "get_global_id(0); if (i >= n) return;")
    raw = 'const char *source = R"(\n' + kernel.replace("; ", ";\n").replace("{ ", "{\n") + '\n)";\n' + host
    found, result = repaired(raw, "host.cpp")
    assert [finding.code for finding in found] == ["KL101"] and changes(raw, result) == ["+ if (i >= n) return;"]


def test_kernels_in_the_strings_of_a_python_file() -> None:
    text = '''\
LONG = """
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void scale(__global float *data, const float by, const int n) {
    const int at = get_global_id(0);
    data[at] *= by;
}
"""
PARTS = ("__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void one(__global float *d, const int n) {\\n"
         "    const int j = get_global_id(0);\\n"
         "    d[j] = 1.0f;\\n"
         "}\\n")
'''
    found, result = repaired(text, "kernels.py")
    assert [finding.code for finding in found] == ["KL101", "KL101"] and findings(result.source) == []
    assert changes(text, result) == [
        "+ if (at >= n) return;",
        '- "    const int j = get_global_id(0);\\n"',
        '+ "    const int j = get_global_id(0); if (j >= n) return;\\n"',
    ]
    compile(result.source.data, "kernels.py", "exec")


# --------------------------------------------------------------------------------------------- several at once


def test_fixes_are_made_one_after_the_other() -> None:
    text = SCALE + BARRIERS["between"][0] + GUARDS["off by one, leaving"][0].replace("scale", "stretch")
    found, result = repaired(text)
    assert sorted(finding.code for finding in found) == ["KL101", "KL102", "KL201"]
    assert sorted(made.finding.code for made in result.fixes) == ["KL101", "KL102", "KL201"]
    assert findings(result.source) == []
    again = Fixer(*tools()).repaired(result.source, findings(result.source))
    assert not again.fixes and again.source is result.source


def test_a_fix_may_take_two_findings_away() -> None:
    text = """\
__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void hand_over(__global const int *from, __global int *to) {
    __local int box[64];
    const int t = get_local_id(0);
    if (t < 64) {
        box[t] = from[t];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t >= 64) to[t] = box[t - 64];
}
"""
    found, result = repaired(text, "kernel.cl")
    assert {finding.code for finding in found} == {"KL203", "KL201"} and len(result.fixes) == 1
    assert findings(result.source) == []


def test_what_is_silenced_is_not_fixed() -> None:
    text = SCALE.replace("    data[at]", "    // kernlint: ignore[KL101] exact launches only\n    data[at]")
    found, result = repaired(text)
    assert found == [] and not result.fixes


def test_line_breaks_and_other_bytes_stay() -> None:
    text = SCALE.replace("one element", "ein Körper\t ").replace("\n", "\r\n")
    _, result = repaired(text)
    new = result.source.data
    assert new == text.encode().replace(b"threadIdx.x;\r\n", b"threadIdx.x;\r\n    if (at >= n) return;\r\n")


# ------------------------------------------------------------------------------------------------- what holds


def candidate(monkeypatch: pytest.MonkeyPatch, code: str, *fixes: Fix) -> None:
    """Let the rule ``code`` propose ``fixes`` and nothing else."""
    rule = next(rule for rule in load().rules if rule.meta.code == code)

    def proposed(self: Rule, facts: object, finding: Finding, source: SourceFile) -> Iterator[Fix]:
        yield from fixes

    monkeypatch.setattr(rule, "fixes", proposed)


def at(text: str, what: str, new: str) -> Edit:
    start = text.encode().index(what.encode())
    return Edit(Span("kernel.cu", start, start + len(what.encode())), new)


@dataclass(frozen=True)
class Bad:
    """A change that must not be offered for :data:`SCALE`, and why."""

    what: str
    new: str


BAD = {
    "the finding stays": Bad("float by", "float  by"),
    "a name that is not there": Bad("data[at]", "if (at < size) data[at]"),
    "a syntax error": Bad("data[at]", "if (at < n { data[at]"),
    "the kernel is gone": Bad("__global__ void", "void"),
    "a warning in its place": Bad("data[at] *=", "if (at <= n) data[at] *="),
    "a function that is not there": Bad("data[at]", "if (is_inside(at, n)) data[at]"),
    "another kernel beside it": Bad(
        "}\n", "}\n__global__ void more(int *x) { __shared__ int s; s = x[threadIdx.x]; }\n"
    ),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_what_does_not_hold_is_not_offered(bad: Bad, monkeypatch: pytest.MonkeyPatch) -> None:
    candidate(monkeypatch, "KL101", Fix("bad", (at(SCALE, bad.what, bad.new),)))
    found, result = repaired(SCALE)
    assert [finding.code for finding in found] == ["KL101"] and not result.fixes


def test_a_note_in_its_place_is_no_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    text = BARRIERS["between"][0]
    late = text.replace("    ring[t] =", "    if (t >= 100) return;\n    ring[t] =")
    found, _ = repaired(late)
    assert [finding.code for finding in found] == ["KL201"]
    good = at(late, "    // the", "    __syncthreads();\n    // the")
    candidate(monkeypatch, "KL201", Fix("barrier", (good,)))
    _, result = repaired(late)
    assert not result.fixes  # the early return before a barrier is a note that was not there


def test_two_findings_in_the_place_of_one_are_one_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """\
__global__ void mix(const int *from, int *to) {
    __shared__ int p[128], q[128], r[128];
    const int t = threadIdx.x;
    p[t] = q[t] = r[t] = from[t];
    to[t] = p[127 - t];
    to[t + 128] = q[127 - t] + r[t];
}
"""
    found, _ = repaired(text)
    assert [finding.code for finding in found] == ["KL201", "KL201"]
    good = at(text, "    to[t] =", "    __syncwarp();\n    __syncthreads();\n    to[t] =")
    worse = at(text, "q[127 - t] + r[t]", "q[127 - t] + q[t] + r[127 - t]")
    late = at(text, "p[t] = q[t] = r[t] = from[t];", "p[t] = from[t];")
    kept = at(text, "    to[t + 128]", "    q[t] = r[t] = from[t];\n    to[t + 128]")
    candidate(monkeypatch, "KL201", Fix("worse", (good, late, kept, worse)), Fix("good", (good, late, kept)))
    target = next(finding for finding in found if "p[" in finding.message)
    source = SourceFile("kernel.cu", text.encode())
    (offered,) = verified_fixes(source, [target], tools()[1])
    assert offered.fix.description == "good"


def test_the_first_change_that_holds_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = Fix("wrong", (at(SCALE, "float by", "float  by"),))
    right = Fix("right", (at(SCALE, "data[at] *=", "if (at < n) data[at] *="),))
    other = Fix("other", (at(SCALE, "data[at] *=", "if (n > at) data[at] *="),))
    candidate(monkeypatch, "KL101", wrong, wrong, right, other)
    _, result = repaired(SCALE)
    assert [made.fix.description for made in result.fixes] == ["right"]


def test_overlapping_edits_and_those_of_other_files_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    good = at(SCALE, "data[at] *=", "if (at < n) data[at] *=")
    inner = at(SCALE, "at] *", "at ] *")
    elsewhere = Edit(Span("other.cuh", 0, 0), "x")
    candidate(monkeypatch, "KL101", Fix("overlap", (good, inner)), Fix("header", (good, elsewhere)))
    _, result = repaired(SCALE)
    assert not result.fixes


def test_trials_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    many = [Fix(str(n), (at(SCALE, "float by", f"float{' ' * (n + 2)}by"),)) for n in range(40)]
    right = Fix("right", (at(SCALE, "data[at] *=", "if (at < n) data[at] *="),))
    candidate(monkeypatch, "KL101", *many, right)
    tried: list[bytes] = []
    engine, selection = tools()
    real = engine.check_source

    def counted(source: SourceFile, *args: object) -> object:
        tried.append(source.data)
        return real(source, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(engine, "check_source", counted)
    source = SourceFile("kernel.cu", SCALE.encode())
    assert not Fixer(engine, selection).repaired(source, findings(source)).fixes
    assert len(tried) <= 15


def test_findings_that_no_rule_has_a_fix_for_cost_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "__kernel void f(__global float *a) {\n    float rows[9000];\n    rows[get_local_id(0)] = a[0];\n"
    text += "    a[1] = rows[3];\n}\n"
    source = SourceFile("kernel.cl", text.encode())
    found = [finding for finding in findings(source) if finding.code == "KL301"]
    assert found
    engine, selection = tools()
    monkeypatch.setattr(engine, "check_source", lambda *args: pytest.fail("it was analysed again"))
    assert list(Fixer(engine, selection).fixes(source, found)) == []


# ----------------------------------------------------------------------------------------------------- reports


def test_results_get_edits_only_after_they_were_tried() -> None:
    engine, selection = tools()
    source = SourceFile("kernel.cu", SCALE.encode())
    outcome = engine.check_source(source, selection)
    (before,) = outcome.results
    assert before.finding.fix is not None and not before.finding.fix.edits and not outcome.fixed
    suggest(engine, source, selection, outcome)
    (after,) = outcome.results
    assert after.finding.fix is not None and len(after.finding.fix.edits) == 1 and outcome.fixed
    assert after.finding.fix.description == before.finding.fix.description
    assert after.finding.fix.change == "return early where at >= n"


@pytest.mark.parametrize(("work", "fixed"), [(0, 1), (fixing.WORK, 3)])
def test_what_took_long_to_analyse_is_tried_less_often(monkeypatch: pytest.MonkeyPatch, work: int, fixed: int) -> None:
    monkeypatch.setattr(fixing, "WORK", work)
    engine, selection = tools()
    source = SourceFile("kernel.cu", "".join(SCALE.replace("scale", f"scale{at}") for at in range(3)).encode())
    outcome = engine.check_source(source, selection)
    assert len(outcome.results) == 3
    suggest(engine, source, selection, outcome)
    assert sum(bool(one.finding.fix and one.finding.fix.edits) for one in outcome.results) == fixed


def test_a_crash_costs_the_fixes_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = next(rule for rule in load().rules if rule.meta.code == "KL101")

    def broken(self: Rule, facts: object, finding: Finding, source: SourceFile) -> Iterator[Fix]:
        raise KeyError("no such thing")
        yield

    monkeypatch.setattr(rule, "fixes", broken)
    engine, selection = tools()
    source = SourceFile("kernel.cu", SCALE.encode())
    outcome = engine.check_source(source, selection)
    suggest(engine, source, selection, outcome)
    (note,) = [note for note in outcome.notifications if note.kind == "fix-crash"]
    assert note.level is Level.WARNING and "KeyError" in note.message
    assert [result.finding.severity for result in outcome.results] == [Severity.WARNING]


# ------------------------------------------------------------------------------------ over everything there is

EXAMPLES = [case for case in cases() if case.example.bad]
FIXTURES = sorted(path for path in (Path(__file__).parents[1] / "fixtures").rglob("*") if path.suffix in (".cu", ".cl"))


def holds(source: SourceFile) -> Repaired:
    """Fix ``source`` and check all that is promised of it."""
    before = findings(source)
    result = Fixer(*tools()).repaired(source, before)
    if not result.fixes:
        return result
    after = findings(result.source)
    keys = [[(f.code, f.kernel) for f in found] for found in (before, after)]
    assert len(after) < len(before)
    assert all(keys[1].count(key) <= keys[0].count(key) for key in keys[1])
    data = source.data
    for made in result.fixes:
        for edit in sorted(made.fix.edits, key=lambda edit: -edit.span.start):
            data = data[: edit.span.start] + edit.text.encode() + data[edit.span.end :]
    assert data == result.source.data
    return result


@pytest.mark.parametrize("case", EXAMPLES, ids=str)
def test_fixes_of_the_rules_examples_hold(case) -> None:  # type: ignore[no-untyped-def]
    holds(SourceFile(f"example{SUFFIXES[case.example.language]}", case.example.code.encode()))


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_fixes_of_the_fixtures_hold(path: Path) -> None:
    holds(SourceFile(path.name, path.read_bytes()))
