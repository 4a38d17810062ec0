"""How grids cover the work: spellings of rounding up, of exact launches, and what the host has checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.analysis.base import Facts, ModuleFacts
from kernlint.analysis.coverage import Cover
from kernlint.analysis.launching.launch_context import LaunchContext, launch_context
from kernlint.frontends.base import FrontendOptions
from kernlint.frontends.clang.frontend import ClangFrontend
from kernlint.source import read
from kernlint.symbolic.show import show

KERNEL = "__global__ void k(float *a, int count) { a[blockIdx.x * blockDim.x + threadIdx.x] = count; }\n"


def context(tmp_path: Path, text: str, suffix: str = ".cu") -> LaunchContext:
    path = tmp_path / f"host{suffix}"
    path.write_text(text)
    (module,) = ClangFrontend().parse_file(read(str(path)), FrontendOptions())
    kernel = module.kernels[0]
    return Facts(ModuleFacts(module), kernel, kernel.variants[0])[launch_context]


@pytest.mark.parametrize(
    ("grid", "block", "kind", "count"),
    [
        ("(n + 255) / 256", "256", Cover.ROUNDED_UP, "n"),
        ("(n + 255) >> 8", "256", Cover.ROUNDED_UP, "n"),
        ("(255 + n) / 256", "256", Cover.ROUNDED_UP, "n"),
        ("1 + (n - 1) / 256", "256", Cover.ROUNDED_UP, "n"),
        ("n / 256 + 1", "256", Cover.ROUNDED_UP, "n"),
        ("n / 256 + (n % 256 ? 1 : 0)", "256", Cover.ROUNDED_UP, "n"),
        ("(n + b - 1) / b", "b", Cover.ROUNDED_UP, "n"),
        ("std::min((n + 255) / 256, 65535)", "256", Cover.ROUNDED_UP, "n"),
        ("(n + 64 - n % 64) / 64", "64", Cover.ROUNDED_UP, "n"),
        ("(n % b == 0 ? n : n + b - n % b) / b", "b", Cover.ROUNDED_UP, "n"),
        ("(n % 64 ? n + (64 - n % 64) : n) / 64", "64", Cover.ROUNDED_UP, "n"),
        ("(n % 64 ? n - n % 64 : n) / 64", "64", Cover.EXACT, "n % 64 != 0 ? n - n % 64 : n"),
        ("(n * m + 127) / 128", "128", Cover.ROUNDED_UP, "n * m"),
        ("(((n + 255) & ~255) + 255) / 256", "256", Cover.EXACT, "n + 255 & -256"),
        ("(((n + 63) & ~63) + 255) / 256", "256", Cover.ROUNDED_UP, "n + 63 & -64"),
        ("n / 256", "256", Cover.EXACT, "n"),
        ("(n * 256 + 255) / 256", "256", Cover.EXACT, "n * 256"),
        ("(n * b + b - 1) / b", "b", Cover.EXACT, "n * b"),
        ("108", "256", Cover.CONSTANT, None),
        ("n", "256", Cover.UNKNOWN, None),
        ("n + 7", "256", Cover.UNKNOWN, None),
    ],
)
def test_spellings(tmp_path: Path, grid: str, block: str, kind: Cover, count: str | None) -> None:
    host = f"void run(float *a, int n, int m, int b) {{ k<<<{grid}, {block}>>>(a, n); }}"
    (view,) = context(tmp_path, "#include <algorithm>\n" + KERNEL + host).launches
    assert view.covers[0].kind is kind
    assert (None if view.covers[0].count is None else show(view.covers[0].count)) == count


@pytest.mark.parametrize(
    ("check", "kind"),
    [
        ("if (n % 256 != 0) return;", Cover.EXACT),
        ("if (n % 512) return;", Cover.EXACT),
        ("if (n <= 0 || n % 256 != 0) return;", Cover.EXACT),
        ("if (n % 128 != 0) return;", Cover.ROUNDED_UP),
        ("if (m % 256 != 0) return;", Cover.ROUNDED_UP),
        ("if (n % 256 == 0) return;", Cover.ROUNDED_UP),
        ("", Cover.ROUNDED_UP),
    ],
)
def test_what_the_host_checks(tmp_path: Path, check: str, kind: Cover) -> None:
    host = f"void run(float *a, int n, int m) {{ {check} k<<<(n + 255) / 256, 256>>>(a, n); }}"
    (view,) = context(tmp_path, KERNEL + host).launches
    assert view.covers[0].kind is kind
    assert view.exact is (kind is Cover.EXACT)


def test_blocks_come_from_attributes_launches_and_guesses(tmp_path: Path) -> None:
    launched = context(tmp_path, KERNEL + "void run(float *a) { k<<<2, dim3(32, 4)>>>(a, 1); }")
    assert [(c.block, c.source) for c in launched.blocks] == [((32, 4, 1), "launch")]
    assert launched.known_blocks == ((32, 4, 1),)
    bounded = context(tmp_path, KERNEL.replace("void k", "void __launch_bounds__(192) k"))
    assert [(c.block, c.source) for c in bounded.blocks] == [((192, 1, 1), "bounds")]
    assert (bounded.max_threads, bounded.known_blocks) == (192, ())
    guessed = context(tmp_path, KERNEL)
    assert {c.source for c in guessed.blocks} == {"usual"}
    required = context(
        tmp_path,
        "__kernel __attribute__((reqd_work_group_size(8, 8, 1))) void k(__global int *a) { a[get_local_id(0)] = 0; }",
        ".cl",
    )
    assert [(c.block, c.source) for c in required.blocks] == [((8, 8, 1), "required")]
    assert [show(term) for term in required.premises] == ["bdim.x == 8", "bdim.y == 8", "bdim.z == 1"]


def test_premises_tie_parameters_and_sizes_to_host_values(tmp_path: Path) -> None:
    host = "void run(float *a, int n) { if (n < 1) return; k<<<(n + 63) / 64, 64>>>(a, 2 * n); }"
    found = {show(term) for term in context(tmp_path, KERNEL + host).premises}
    assert any("count ==" in text for text in found)
    assert "bdim.x == 64" in found
    assert any(text.startswith("gdim.x ==") for text in found)
