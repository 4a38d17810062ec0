"""The largest reasons for kernels that are known only in part."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from kernlint.run.gaps import largest, reasons
from kernlint.source import Span
from kernlint.tree.nodes import Loss
from tests.project.test_own_headers import check
from tests.project.test_project import write

PLACE = Span("k.cu", 0, 1)
CALL = Loss("call", "call of a function that is not declared: f", PLACE)
PART = Loss("inactive", "code under an #if that was not compiled", PLACE)


def test_what_is_not_declared_is_put_down_to_missing_headers() -> None:
    assert reasons([CALL, PART], ()) == (CALL.reason, PART.reason)
    assert reasons([CALL, PART], ("a.h", "b/c.h")) == ("header a.h not found", "header b/c.h not found", PART.reason)
    assert reasons([], ("a.h",)) == ()
    assert reasons([CALL], ("pthread.h", "typeinfo", "a.h")) == ("header a.h not found",)
    assert reasons([CALL], ("sys/stat.h",)) == (CALL.reason,)


def test_the_two_largest_are_told_each_with_a_remedy() -> None:
    header, part = reasons([CALL, PART], ("a.h",))
    kernels = [(header, part)] * 3 + [(header,)] + [(part,)] * 2 + [("other",)]
    folder: Callable[[str], str | None] = {"a.h": "third_party/x"}.get
    assert largest(kernels, folder) == (
        "5 kernels: code under an #if that was not compiled; -D MACRO switches it on",
        "1 kernel: header a.h not found; -I third_party/x has it",
    )
    assert largest([], folder) == ()
    assert "-I FOLDER" in largest([(header,)], lambda name: None)[0]


def test_a_header_in_a_folder_that_is_passed_over_is_named(tmp_path: Path) -> None:
    kernel = '#include "made/sizes.h"\n__global__ void k(int *x) { x[threadIdx.x] = scaled(x); }\n'
    write(tmp_path, {"Makefile": "", "k.cu": kernel, "build/gen/made/sizes.h": "__device__ int scaled(int *);\n"})
    (line,) = check(tmp_path, ".").summary.gaps
    assert line.startswith("1 kernel: header made/sizes.h not found; -I ") and line.endswith("build/gen has it")
