"""Headers of the project, found without an include folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kernlint.cli import main
from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.project import Projects
from kernlint.project.headers import linked
from kernlint.registry import load
from kernlint.result import Report
from kernlint.run.engine import Engine
from tests.project.test_project import write

RACE = """#include "filters/sizes.h"
ROW_KERNEL turn(float *x) {
  __shared__ float line[ROW];
  line[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = line[ROW - 1 - threadIdx.x];
}
"""
SIZES = "#pragma once\n#define ROW 128\n#define ROW_KERNEL __global__ void __launch_bounds__(ROW)\n"


def check(root: Path, *paths: str, config: Config | None = None) -> Report:
    registry = load()
    return Engine(registry, Selection(registry, config or Config())).run([str(root / p) for p in paths], str(root))


def codes(report: Report) -> list[str]:
    return [result.finding.code for result in report.results]


def kinds(report: Report) -> set[str]:
    return {note.kind for note in report.notifications}


def test_an_own_header_is_found_and_its_macro_makes_a_kernel(tmp_path: Path) -> None:
    write(tmp_path, {"Makefile": "", "include/filters/sizes.h": SIZES, "src/turn.cu": RACE})
    for paths in (["."], ["src"], ["src/turn.cu"]):
        report = check(tmp_path, *paths)
        assert (codes(report), report.summary.kernels, report.summary.partial) == (["KL201"], 1, 0)
        assert not kinds(report)


def test_the_nearest_of_two_is_taken_and_that_is_said(tmp_path: Path) -> None:
    other = SIZES.replace("128", "32")
    write(tmp_path, {"Makefile": "", "a/filters/sizes.h": SIZES, "b/filters/sizes.h": other, "b/src/turn.cu": RACE})
    report = check(tmp_path, ".")
    (note,) = [note for note in report.notifications if note.kind == "header-choice"]
    assert os.path.join("b", "filters", "sizes.h") in note.message.split(" not ")[0]
    assert report.results[0].finding.witness.block[0] == 32  # type: ignore[union-attr]


def test_settings_of_a_build_that_are_called_like_a_header_are_none(tmp_path: Path) -> None:
    settings = "ROOT = /opt/tools\n# where the queue is\nQUEUE = short\n# endif\n"
    commented = "/* as in\n# where the queue is\n*/\n#pragma once\n"
    files = {
        "Makefile": "",
        "tools/filters/sizes.h": settings,
        "setup/filters/sizes.h.in": SIZES,
        "src/run/t.cu": RACE,
    }
    write(tmp_path, files)
    report = check(tmp_path, "src/run/t.cu")
    assert (codes(report), report.summary.kernels, report.summary.partial) == (["KL201"], 1, 0)
    write(tmp_path, {"tools/filters/sizes.h": commented + SIZES.replace("128", "32")})
    (one,) = check(tmp_path, "src/run/t.cu").results
    assert one.finding.witness.block[0] == 32  # type: ignore[union-attr]


def test_the_template_beside_is_meant_and_none_of_several_that_a_build_copies_there(tmp_path: Path) -> None:
    broken = SIZES.replace("128", "runtime")
    copies = {f"src/for/{name}/filters/sizes.h": broken for name in ("cray", "sparc")}
    write(tmp_path, {"Makefile": "", "src/filters/sizes.h.in": SIZES, "src/t.cu": RACE, **copies})
    report = check(tmp_path, "src/t.cu")
    assert (codes(report), report.summary.partial) == (["KL201"], 0)
    write(tmp_path, {"src/near/filters/sizes.h": SIZES, "src/near/t.cu": RACE})
    assert codes(check(tmp_path, "src/near/t.cu")) == ["KL201"]


def test_an_include_folder_wins(tmp_path: Path) -> None:
    other = SIZES.replace("128", "32")
    write(tmp_path, {"Makefile": "", "far/x/filters/sizes.h": other, "src/filters/sizes.h": SIZES, "s/turn.cu": RACE})
    report = check(tmp_path, "s", config=Config(include=(str(tmp_path / "far/x"),)))
    assert report.results[0].finding.witness.block[0] == 32  # type: ignore[union-attr]


def test_one_name_may_mean_two_files(tmp_path: Path) -> None:
    kernel = '#include "p/one.h"\n#include "q/two.h"\n__global__ void k(int *x) { x[threadIdx.x] = A + B; }\n'
    files = {"p/x/p/one.h": '#include "n.h"\n', "q/x/q/two.h": '#include "n.h"\n', "k.cu": kernel, "Makefile": ""}
    write(tmp_path, files | {"p/x/y/n.h": "#define A 1\n", "q/x/y/n.h": "#define B 2\n"})
    report = check(tmp_path, "k.cu")
    assert report.summary.partial == 0 and report.summary.kernels == 1


def test_circles_end(tmp_path: Path) -> None:
    write(tmp_path, {"Makefile": "", "a/x/one.h": '#include "y/two.h"\n', "b/y/two.h": '#include "x/one.h"\n'})
    write(tmp_path, {"k.cu": '#include "x/one.h"\n__global__ void k(int *x) { x[0] = 1; }\n'})
    report = check(tmp_path, "k.cu")
    assert report.summary.kernels == 1


def test_headers_named_like_those_of_the_system_and_of_toolkits_are_not_taken(tmp_path: Path) -> None:
    text = "".join(f"#include <{name}>\n" for name in ("cuda_runtime.h", "math.h", "cub/cub.cuh", "vector"))
    trap = "#error taken\n"
    names = ("t/cuda_runtime.h", "t/math.h", "third_party/cub/cub.cuh", "t/vector", "t/vector.h")
    write(tmp_path, {"Makefile": "", "k.cu": text + "__global__ void k(int *x) { x[0] = 1; }\n"})
    write(tmp_path, dict.fromkeys(names, trap))
    report = check(tmp_path, "k.cu")
    assert report.summary.kernels == 1 and report.summary.partial == 0
    assert not any("error" in note.kind for note in report.notifications)


def test_own_headers_whose_names_begin_like_those_of_toolkits_are_taken(tmp_path: Path) -> None:
    text = '#include "device_sizes.h"\n#include "cuda/more.cuh"\n'
    text += "__global__ void k(float *x) { __shared__ float s[N]; s[M] = x[0]; x[1] = s[M]; }\n"
    write(tmp_path, {"Makefile": "", "k/k.cu": text, "i/device_sizes.h": "#define N 4\n"})
    write(tmp_path, {"i/cuda/more.cuh": "#define M 4\n"})
    assert "KL104" in codes(check(tmp_path, "."))


def test_links_out_of_the_root_are_not_followed(tmp_path: Path) -> None:
    write(tmp_path, {"root/Makefile": "", "root/turn.cu": RACE, "out/filters/sizes.h": SIZES})
    os.symlink(tmp_path / "out", tmp_path / "root/inside")
    assert "missing-header" in kinds(check(tmp_path / "root", "turn.cu"))


def test_a_text_that_stands_for_a_link_is_followed(tmp_path: Path) -> None:
    files = {"src/k.cu": RACE, "published/filters/sizes.h": "../../src/lib/sizes.h", "src/lib/sizes.h": SIZES}
    write(tmp_path, {"Makefile": "", **files})
    report = check(tmp_path, "src/k.cu")
    assert codes(report) == ["KL201"] and "header-choice" not in kinds(report)
    for text, target in (("../a/b-c.h\n", str(tmp_path / "a/b-c.h")), ("/etc/x.h", ""), ("int x;", "")):
        write(tmp_path, {"include/link.h": text})
        assert linked(str(tmp_path / "include/link.h"), len(text)) == target


def test_two_projects_in_one_run_do_not_mix(tmp_path: Path) -> None:
    write(tmp_path, {"a/Makefile": "", "a/turn.cu": RACE, "b/Makefile": "", "b/filters/sizes.h": SIZES})
    write(tmp_path, {"b/turn.cu": RACE})
    report = check(tmp_path, ".")
    assert [os.path.basename(os.path.dirname(r.finding.span.file)) for r in report.results] == ["b"]


def test_kept_results_count_while_headers_mean_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"Makefile": "", "far/filters/sizes.h": SIZES, "src/turn.cu": RACE})
    for path in tmp_path.rglob("*"):
        os.utime(path, (1e9, 1e9))

    def run() -> str:
        main(["check", "src", "--format", "json"])
        return "\n".join(line for line in capfd.readouterr().out.splitlines() if '"seconds"' not in line)

    first = run()
    assert first.count("KL201") and "128" in first
    write(tmp_path, {"src/near/filters/sizes.h": SIZES.replace("128", "32")})
    os.utime(tmp_path / "src/near/filters/sizes.h", (1e9, 1e9))
    later = run()
    assert "128" not in later and "thread 31 " in later


def test_files_of_nowhere_have_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"filters/x/sizes.h": SIZES, "turn.cu": RACE})
    assert Projects().of("turn.cu").header("filters/sizes.h", "turn.cu") is None
