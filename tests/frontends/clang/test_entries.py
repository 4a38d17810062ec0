"""Device functions that no kernel reaches."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.project.run import Projects
from kernlint.registry import load
from kernlint.run.engine import Engine
from kernlint.run.outcome import FileOutcome
from kernlint.source import SourceFile, read

RACE = """__device__ float turned(float v) {
    __shared__ float t[64];
    t[threadIdx.x] = v;
    return t[63 - threadIdx.x];
}
"""


def _check(path: Path, text: str) -> FileOutcome:
    path.write_text(text)
    registry = load()
    selection = Selection(registry, Config())
    engine = Engine(registry, selection, projects=Projects([str(path)], cache=False))
    return engine.check_source(read(str(path)), selection)


def _codes(outcome: FileOutcome) -> list[tuple[str, str]]:
    return [(result.finding.code, result.finding.kernel) for result in outcome.results]


def test_what_the_body_itself_settles_is_found(tmp_path: Path) -> None:
    outcome = _check(tmp_path / "a.cuh", RACE)
    assert _codes(outcome) == [("KL201", "turned")]
    assert "all threads of a block call the function" in outcome.results[0].finding.assumptions


def test_a_function_is_looked_at_through_the_one_that_calls_it(tmp_path: Path) -> None:
    outcome = _check(tmp_path / "a.cuh", RACE + "__device__ float outer(float v) { return turned(v) + 1; }\n")
    assert _codes(outcome) == [("KL201", "outer")]


@pytest.mark.parametrize(
    "body",
    [
        "buf[lane] = v; __syncthreads(); v = buf[lane + 1];",
        "if (flag) __syncthreads();",
        "float a[4]; a[lane] = v; v = a[lane & 3];",
        "buf[threadIdx.x] = v; v = buf[lane];",
        "if (lane < 7) __syncthreads();",
    ],
)
def test_nothing_rests_on_a_guess_about_callers(body: str, tmp_path: Path) -> None:
    text = f"__device__ float f(float v, int lane, float *buf, bool flag) {{ {body} return v; }}\n"
    assert not _codes(_check(tmp_path / "a.cuh", text))


def test_functions_of_which_nothing_can_be_said_are_counted(tmp_path: Path) -> None:
    outcome = _check(tmp_path / "a.cuh", "__device__ float twice(float v) { return 2 * v; }\n")
    assert outcome.kernels == 0
    assert [note.message for note in outcome.notifications] == [
        "no kernel reaches the device functions of this file (1); nothing is said of them"
    ]


def test_a_text_without_a_project_has_no_entries() -> None:
    registry = load()
    selection = Selection(registry, Config())
    outcome = Engine(registry, selection).check_source(SourceFile("a.cu", b"int main() { return 0; }"), selection)
    assert not outcome.results and not outcome.notifications


@pytest.mark.parametrize(
    ("written", "found"),
    [("sums[1] = v; sums[0] = v * v;", []), ("sums[threadIdx.x / 2] = v;", [("KL205", "noted")])],
)
def test_one_thread_alone_may_call(written: str, found: list[tuple[str, str]], tmp_path: Path) -> None:
    """What all callers would write at one place is no race where nothing says that there are several."""
    text = f"__device__ float *sums;\n__device__ void noted(float v) {{ {written} }}\n"
    beside = "__device__ float own(int i) { float a[2] = {}; return a[i & 1]; }\n"
    assert _codes(_check(tmp_path / "a.cuh", text + beside)) == found
