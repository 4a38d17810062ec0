"""Leaks of functions that a program runs once are notes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kernlint.analysis.hostmodel.lifetimes.once import calls_in_text
from kernlint.cli import main

LEAK = """
__global__ void fill(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }
float measured(int n) {
    float *x, first = 0;
    cudaMalloc(&x, n * 4);
    fill<<<1, 64>>>(x, n);
    cudaMemcpy(&first, x, 4, cudaMemcpyDeviceToHost);
    return first;
}
"""


def _levels(folder: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    main(["check", "--no-cache", "--pedantic", "--select", "KL608", "--format", "json", str(folder)])
    return [one["severity"] for one in json.loads(capsys.readouterr().out)["findings"]]


@pytest.mark.parametrize(
    ("rest", "level"),
    [
        ("", "warning"),
        ("int main() { return measured(10) > 1; }", "note"),
        ("int main() { for (int i = 0; i < 9; ++i) measured(i); }", "warning"),
        ("static float both() { return measured(1) + measured(2); } int main() { return both() > 0; }", "note"),
        ("float both() { return measured(1) + measured(2); } float more() { return both(); }", "warning"),
    ],
)
def test_within_a_file(rest: str, level: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.cu").write_text(LEAK + rest)
    assert _levels(tmp_path, capsys) == [level]


@pytest.mark.parametrize(
    ("other", "level"),
    [
        (
            "float measured(int);\nint main(int c, char **) {\n  if (c > 1) {\n    return measured(c) > 0;\n  }\n}\n",
            "note",
        ),
        ("float measured(int);\nint main(int c, char **) {\n  while (c--) measured(c);\n}\n", "warning"),
        ("float measured(int);\nfloat twice() { return measured(1) + measured(2); }\n", "warning"),
        ("float measured(int);\n", "warning"),
    ],
)
def test_by_another_file(other: str, level: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "CMakeLists.txt").write_text("project(a)\n")
    (tmp_path / "a.cu").write_text(LEAK)
    (tmp_path / "b.cu").write_text("__global__ void none(int *x) { *x = 0; }\n" + other)
    assert _levels(tmp_path, capsys) == [level]


def test_calls_in_a_text() -> None:
    text = b"""
    float f(int);  // f(1)
    namespace a { int g() { do { f(1); } while (f(2)); return f(3); } }
    int main() { for (int i = 0; i < 2; ++i) if (i) f(4); f(5); if (1) { for (;;) { if (2) { f(6); } } } auto p = f; }
    float f(int x) { return x; }
    """
    found = list(calls_in_text(text, "f"))
    assert [name for name, _ in found] == [b"g"] * 3 + [b"main"] * 4
    assert [looped for _, looped in found] == [True, True, False, True, False, True, False]


def test_another_function_of_the_name_is_called_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "CMakeLists.txt").write_text("project(a)\n")
    (tmp_path / "a.cu").write_text(LEAK + "void all() { measured(3); }\n")
    (tmp_path / "main.cpp").write_text("void all();\nint main() {\n  all();\n}\n")
    own = "float measured(int n) { return n; }\n"
    rest = "void many() { for (int i = 0; i < 9; ++i) measured(i); }\n"
    (tmp_path / "b.cpp").write_text(own + rest)
    assert _levels(tmp_path, capsys) == ["note"]
    (tmp_path / "b.cpp").write_text("float measured(int n);\n" + rest)
    assert _levels(tmp_path, capsys) == ["warning"]
