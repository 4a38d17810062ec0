"""``kernlint prove``: verdicts in the table and in JSON, with what they rest on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kernlint.analysis.base import Facts
from kernlint.analysis.verdict import proofs
from kernlint.analysis.verdict.verdicts import Verdict
from kernlint.cli import main

CODE = """
__global__ void saxpy(float a, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
__global__ void total(const float *x, float *out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[blockIdx.x * 256 + t];
  __syncthreads();
  for (int h = 128; h > 0; h >>= 1) { if (t < h) s[t] += s[t + h]; __syncthreads(); }
  if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void flip(float *x) {
  __shared__ float s[256];
  s[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = s[255 - threadIdx.x];
}
__global__ void halves(float *x) {
  if (threadIdx.x < 32) __syncthreads();
  x[threadIdx.x] = 1;
}
__global__ void histogram(const int *x, int *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) bins[x[i]] += 1;
}
__global__ void eight(const int *x, int *y) {
  int seen[8];
  for (int d = 0; d <= 8; ++d) seen[d] = x[d];
  y[threadIdx.x] = seen[threadIdx.x % 8];
}
__global__ void tile(float *x, int n) {
  int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  x[r * n + c] = 1;
}
__global__ void hidden(float *x, void (*f)(float *)) { f(x); }
__global__ void chain(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n) x[i] = x[i + 1];
}
"""


@pytest.fixture
def verdicts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def of(*args: str, code: str = CODE) -> tuple[int, dict[str, Any]]:
        path = tmp_path / "k.cu"
        path.write_text(code)
        exit_code = main(["prove", "--no-config", "--no-cache", "--json", *args, str(path)])
        document = json.loads(capsys.readouterr().out)
        return exit_code, {kernel["kernel"]: kernel for kernel in document["kernels"]} | {"": document["summary"]}

    return of


def test_verdicts_and_their_assumptions(verdicts: Any) -> None:
    code, found = verdicts()
    assert code == 1
    races = {name: kernel["races"]["verdict"] for name, kernel in found.items() if name}
    assert races == {
        "saxpy": "proved",
        "total": "proved",
        "flip": "refuted",
        "halves": "proved",
        "histogram": "unknown",
        "eight": "proved",
        "tile": "proved",
        "hidden": "unknown",
        "chain": "refuted",
    }
    assert "x and y do not overlap" in found["saxpy"]["races"]["assumptions"]
    assert "block.x * grid.x <= n" in found["tile"]["races"]["assumptions"]
    assert any("grid.x" in text for text in found["halves"]["races"]["assumptions"])  # every block writes the same
    assert found["saxpy"]["barriers"]["reason"] == "none" and found["total"]["barriers"]["reason"] == "uniform"
    assert found["halves"]["barriers"]["verdict"] == "refuted" and found["halves"]["barriers"]["line"] == 20
    assert {"n <= len(x)", "n <= len(y)"} <= set(found["saxpy"]["bounds"]["assumptions"])
    assert found["eight"]["bounds"]["verdict"] == "refuted" and found["eight"]["bounds"]["line"] == 29
    assert "not followed" in found["hidden"]["races"]["reason"]
    assert found[""]["races"] == {"proved": 5, "refuted": 2, "unknown": 2}


def test_a_refutation_shows_two_threads(verdicts: Any) -> None:
    _, found = verdicts()
    shown = found["flip"]["races"]["witness"]
    assert shown["replayed"] and len(shown["steps"]) == 2
    assert shown["steps"][0]["index"] == shown["steps"][1]["index"]
    assert found["flip"]["races"]["line"] in {step["line"] for step in shown["steps"]}


def test_what_is_said_of_the_launch_is_used_and_shown(verdicts: Any) -> None:
    _, found = verdicts(
        "--assume", "extent(x, gridDim.x * 256)", "--assume", "extent(out, gridDim.x)", "--block", "256"
    )
    bounds = found["total"]["bounds"]
    assert bounds["verdict"] == "proved"
    assert "extent(x, gridDim.x * 256)" in bounds["assumptions"]
    assert not [text for text in bounds["assumptions"] if "len(" in text]
    _, less = verdicts("--assume", "extent(x, gridDim.x * 255)", "--block", "256")
    assert less["total"]["bounds"]["verdict"] == "unknown"


def test_two_rows_of_threads_break_a_proof_for_one(verdicts: Any) -> None:
    _, found = verdicts("--block", "16,16")
    assert found["saxpy"]["races"]["verdict"] != "proved"


def test_the_table_names_verdict_reason_and_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "k.cu"
    path.write_text(CODE)
    assert main(["prove", "--no-config", "--no-cache", str(path)]) == 1
    text = " ".join(capsys.readouterr().out.split())
    for part in ("refuted (line", "uniform", "proved if", "9 kernels; races: 5 proved, 2 refuted, 2 unknown"):
        assert part in text


def test_nothing_refuted_is_success_and_no_file_is_failure(verdicts: Any, tmp_path: Path) -> None:
    code, _ = verdicts(code=CODE.split("__global__ void total")[0])
    assert code == 0
    assert main(["prove", "--no-config", str(tmp_path / "nothing.cu")]) == 2


@pytest.mark.parametrize(
    ("code", "name", "reason"),
    [
        ("__kernel void k(__local int *p, int x) { p[0] = x; barrier(x); }", "races", "not a constant"),
        ("__kernel void k(__write_only image2d_t d) { write_imagef(d, (int2)(0, 0), 1.0f); }", "races", "images"),
        (
            "__kernel void k(__global float *p) { __local float s[8];"
            " if (get_local_id(0) < 4) async_work_group_copy(s, p, 8, 0); }",
            "barriers",
            "whole group",
        ),
        (
            "__kernel void k(__local int *p) { p[get_local_id(0)] = 1; barrier(2); p[0] = 2; }",
            "races",
            "does not fence",
        ),
        ("__kernel void k(__global int *p, __global int *q) { p[q[get_global_id(0)]] = 1; }", "races", "may meet"),
        ("__kernel void k(__global int *p, int n) { p[n] = get_global_id(0); }", "races", "may meet"),
        ("__kernel void k(__global int *p) { int *q = (int *)17; *q = 1; }", "races", "unknown origin"),
    ],
)
def test_what_is_not_followed_is_unknown_and_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], code: str, name: str, reason: str
) -> None:
    path = tmp_path / "k.cl"
    path.write_text(code)
    main(["prove", "--no-config", "--no-cache", "--json", str(path)])
    [kernel] = json.loads(capsys.readouterr().out)["kernels"]
    assert kernel[name]["verdict"] != "proved"
    if kernel[name]["verdict"] == "unknown":
        assert reason in kernel[name]["reason"]


def test_a_block_that_cannot_be_launched_proves_nothing_by_being_empty(verdicts: Any) -> None:
    code = "__global__ void k(int *x) { x[threadIdx.x / 2] = threadIdx.x; }"
    _, found = verdicts("--block", "64,64", code=code)
    assert found["k"]["races"]["verdict"] != "proved"


def test_check_counts_what_it_proves_in_passing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "src").mkdir()
    for name, code in (("a.cu", CODE), ("b.cu", CODE.split("__global__ void total")[0])):
        (tmp_path / "src" / name).write_text(code)

    def summary(*args: str) -> Any:
        main(["check", "--no-config", "--format", "json", *args, str(tmp_path / "src")])
        return json.loads(capsys.readouterr().out)["summary"]["raceless"]

    proved = {"saxpy", "eight", "halves", "tile"}  # of the nine kernels of CODE; not total: too many pairs
    main(["prove", "--no-config", "--no-cache", "--json", str(tmp_path / "src" / "a.cu")])
    kernels = json.loads(capsys.readouterr().out)["kernels"]
    assert proved <= {kernel["kernel"] for kernel in kernels if kernel["races"]["verdict"] == "proved"}
    first = summary("--no-cache", "-j1")
    assert 3 <= first <= len(proved) + 1
    assert summary("--no-cache", "-j2") == first
    assert summary() == first and summary() == first, "also what the cache knows"
    assert summary("--no-cache", "--select", "KL7") == 0, "where nobody looks for races, none are proved absent"
    main(["check", "--no-config", "--no-cache", "--format", "sarif", str(tmp_path / "src")])
    run = json.loads(capsys.readouterr().out)["runs"][0]
    assert run["properties"] == {"kernels": 10, "kernelsFreeOfRaces": first}
    main(["check", "--no-config", "--no-cache", str(tmp_path / "src" / "b.cu")])
    assert "no findings, 1 proved free of races in" in capsys.readouterr().out


def test_a_failure_inside_costs_its_kernel(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    original = proofs.bounds

    def fails(facts: Facts) -> Verdict:
        if facts.kernel.name == "total":
            raise RuntimeError("out of luck")
        return original(facts)

    monkeypatch.setattr(proofs, "bounds", fails)
    path = tmp_path / "k.cu"
    path.write_text(CODE)
    assert main(["prove", "--no-config", "--no-cache", "--json", str(path)]) == 2
    out, err = capsys.readouterr()
    found = {kernel["kernel"]: kernel for kernel in json.loads(out)["kernels"]}
    assert len(found) == 9 and found["saxpy"]["races"]["verdict"] == "proved"
    assert found["total"]["races"]["verdict"] == "unknown" and "out of luck" in found["total"]["races"]["reason"]
    assert "kernel total: internal failure" in err


def test_no_more_memory_is_asked_for_than_is_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of the sizes that are enough the least is named; rows of constant length end where the last one is used."""
    uses = {
        "if (threadIdx.x < 32) o[blockIdx.x] = 1;": "gridDim.x <= len(o)",
        "if (threadIdx.x == 0) o[blockIdx.x * 32] = 1;": "gridDim.x * 32 - 31 <= len(o)",
        "if (threadIdx.x < 32) o[blockIdx.x * 32 + 5] = 1;": "gridDim.x * 32 - 26 <= len(o)",
        "if (threadIdx.x < 32) o[blockIdx.x * 32 + threadIdx.x] = 1;": "gridDim.x * 32 <= len(o)",
        "if (threadIdx.x < n) o[threadIdx.x] = 1;": "n <= len(o)",
    }
    path = tmp_path / "a.cu"
    path.write_text("".join(f"__global__ void k{i}(float *o, int n) {{ {text} }}\n" for i, text in enumerate(uses)))
    main(["prove", "--json", str(path)])
    rows = json.loads(capsys.readouterr().out)["kernels"]
    told = [[text for text in row["bounds"]["assumptions"] if "len(" in text] for row in rows]
    assert told == [[text] for text in uses.values()]
