"""The bounds rules on kernels of many kinds: what is wrong is found where it is marked, what is right is left alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kernlint.finding import Severity
from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.registry import load
from kernlint.run.engine import Engine
from kernlint.source import read

FIXTURES = Path(__file__).parents[3] / "fixtures" / "bounds"


def found(path: Path, *, pedantic: bool = False) -> set[tuple[int, str]]:
    """(line, code) of the warnings and errors of the family and of swapped axes; also notes when ``pedantic``."""
    registry = load()
    config = Config(select=("bounds", "KL403"), pedantic=pedantic)
    selection = Selection(registry, config)
    outcome = Engine(registry, selection).check_source(read(str(path)), selection)
    assert not [note for note in outcome.notifications if note.level.value == "error"]
    source = read(str(path))
    return {
        (source.line_of(result.finding.span.start), result.finding.code)
        for result in outcome.results
        if pedantic or result.finding.severity is not Severity.NOTE
    }


def expected(path: Path) -> set[tuple[int, str]]:
    """The marks of a file."""
    marks = set()
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if match := re.search(r"// expect: (.*)", line):
            marks |= {(number, code.strip()) for code in match[1].split(",")}
    return marks


@pytest.mark.parametrize("name", ["faults.cu", "faults.cl"])
def test_every_fault_is_found_at_its_line(name: str) -> None:
    marks = expected(FIXTURES / name)
    assert len(marks) > 5
    assert found(FIXTURES / name) == marks


@pytest.mark.parametrize("name", ["sound.cu", "sound.cl"])
def test_sound_kernels_are_left_alone(name: str) -> None:
    assert found(FIXTURES / name) == set()


def write(tmp_path: Path, text: str, suffix: str = ".cu") -> Path:
    path = tmp_path / f"kernel{suffix}"
    path.write_text(text)
    return path


UNGUARDED = "__global__ void k(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 0.0f; }\n"


@pytest.mark.parametrize(
    ("host", "codes"),
    [
        ("void run(float *a, int n) { k<<<(n + 255) / 256, 256>>>(a); }", {"KL101"}),
        ("void run(float *a, int n) { k<<<(n - 1) / 256 + 1, 256>>>(a); }", {"KL101"}),
        ("void run(float *a, int n) { k<<<n / 256 + (n % 256 != 0), 256>>>(a); }", {"KL101"}),
        ("void run(float *a, int n) { const dim3 b(128), g((n + b.x - 1) / b.x); k<<<g, b>>>(a); }", {"KL101"}),
        (
            "int up(int n, int b) { return (n + b - 1) / b; }\nvoid run(float *a, int n) { k<<<up(n, 64), 64>>>(a); }",
            {"KL101"},
        ),
        ("void run(float *a, int n) { k<<<n / 256, 256>>>(a); }", set()),
        ("void run(float *a, int n) { if (n % 256) return; k<<<(n + 255) / 256, 256>>>(a); }", set()),
        ("void run(float *a, int rows) { k<<<(rows * 512 + 255) / 256, 256>>>(a); }", set()),
        ("void run(float *a) { k<<<16, 256>>>(a); }", set()),
        ("", set()),
    ],
)
def test_a_rounded_up_launch_makes_a_missing_guard_a_fault(tmp_path: Path, host: str, codes: set[str]) -> None:
    path = write(tmp_path, UNGUARDED + host)
    assert {code for _, code in found(path)} == codes


def test_nothing_known_is_a_note(tmp_path: Path) -> None:
    path = write(tmp_path, UNGUARDED)
    assert found(path) == set()
    assert found(path, pedantic=True) == {(1, "KL101")}


def test_an_unguarded_axis_beside_a_guarded_one_is_a_note(tmp_path: Path) -> None:
    text = """
__kernel void k(__global float *a, int w) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < w) a[y * w + x] = 0.0f;
}
"""
    path = write(tmp_path, text, ".cl")
    assert found(path) == set()
    assert found(path, pedantic=True) == {(4, "KL101")}


@pytest.mark.parametrize(
    ("test", "codes"),
    [
        ("if (i < n)", set()),
        ("if (!(i >= n))", set()),
        ("if (n > i && m > 0)", set()),
        ("if (n - i > 0)", set()),
        ("for (; i < n; i += gridDim.x * blockDim.x)", set()),
        ("while (i < n)", set()),
        ("if (i > 0)", {"KL101"}),
        ("if (i % 2 == 0)", {"KL101"}),
        ("if (threadIdx.x < 64)", {"KL101"}),
    ],
)
def test_what_counts_as_a_guard(tmp_path: Path, test: str, codes: set[str]) -> None:
    step = "i += gridDim.x * blockDim.x;" if test.startswith("while") else ""
    used = "" if codes else ", int n, int m"
    text = f"""
__global__ void k(float *a{used}{", int count" if codes else ""}) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  {test} {{ a[i] = 1.0f; {step} }}
}}
"""
    assert {code for _, code in found(write(tmp_path, text))} == codes


@pytest.mark.parametrize("index", ["min(i, n - 1)", "i % n", "i & 1023", "i < n ? i : 0", "max(0, min(i, n - 1))"])
def test_an_index_that_is_held_needs_no_guard(tmp_path: Path, index: str) -> None:
    text = f"""
__global__ void k(float *a, int n, int count) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[{index}] = 1.0f;
}}
"""
    assert found(write(tmp_path, text)) == set()


def test_statements_lost_on_the_way_silence_the_family(tmp_path: Path) -> None:
    text = """
__global__ void k(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return $;
  a[i] = 1.0f;
}
"""
    assert found(write(tmp_path, text)) == set()


@pytest.mark.parametrize(
    "check",
    [
        'if (n % 256 != 0) throw "no";',
        "assert(n % 256 == 0);",
        "if (n % 256 != 0) abort();",
        'TORCH_CHECK(n % 256 == 0, "n must be a multiple of 256");',
    ],
)
def test_checks_of_the_host_make_a_launch_exact(tmp_path: Path, check: str) -> None:
    head = "#include <cassert>\n#include <torch/extension.h>\n"
    host = f"void run(float *a, int n) {{ {check} k<<<(n + 255) / 256, 256>>>(a); }}"
    assert found(write(tmp_path, head + UNGUARDED + host)) == set()
