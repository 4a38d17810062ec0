"""Launches of numba kernels as host functions: sizes in all spellings, arrays with shapes and types."""

from __future__ import annotations

import pytest

from kernlint.tree.dump import expression_text
from kernlint.tree.nodes import FunctionKind, Launch
from kernlint.tree.types import PointerType
from kernlint.tree.walk import walk
from tests.frontends.python.test_lowering import module

KERNEL = "@cuda.jit\ndef k(x, out):\n    i = cuda.grid(1)\n    if i < x.size:\n        out[i] = x[i]\n\n"


def launches(code: str) -> list[Launch]:
    hosts = [f for f in module(KERNEL + code).functions if f.kind is FunctionKind.HOST]
    return [node for host in hosts for node in walk(host) if isinstance(node, Launch)]


def grid(code: str) -> str:
    (launch,) = launches(code)
    return expression_text(launch.grid)


UP = "struct dim3{{u32}(((x.shape[0] + 128) - 1) / 128)}"


@pytest.mark.parametrize(
    "size",
    [
        "math.ceil(x.size / 128)",
        "int(np.ceil(len(x) / 128))",
        "-(-x.shape[0] // 128)",
        "int(math.ceil(float(x.size) / 128))",
        "ceildiv(x.size, 128)",
    ],
)
def test_rounding_up_in_all_spellings(size: str) -> None:
    code = f"def ceildiv(a, b):\n    return -(-a // b)\n\ndef run(x, out):\n    k[{size}, 128](x, out)\n"
    assert grid(code) == UP


def test_names_and_tuples_are_followed() -> None:
    code = "def run(x, out):\n    n, = x.shape\n    tpb = 128\n    cfg = math.ceil(n / tpb), tpb\n    k[cfg](x, out)\n"
    assert grid(code) == UP
    code = "def run(x, out):\n    go = k[(x.size + 128 - 1) // 128, 128]\n    go(x, out)\n"
    assert grid(code) == UP


def test_comprehensions_over_sizes_are_written_out() -> None:
    both = "struct dim3{{u32}(((rows + 16) - 1) / 16), {u32}(((cols + 8) - 1) / 8)}"
    head = "BLOCK = (16, 8)\ndef run(rows, cols, out):\n    x = np.zeros((rows, cols))\n    "
    for made in (
        "tuple(math.ceil(n / b) for n, b in zip(x.shape, BLOCK))",
        "tuple([(n + b - 1) // b for n, b in zip(x.shape, BLOCK)])",
        "[-(-n // b) for b, n in zip(BLOCK, x.shape)]",
    ):
        assert grid(f"{head}grid = {made}\n    k[grid, BLOCK](x, out)\n") == both
    code = head + "grid = tuple(n // 16 for n in (rows, 32))\n    k[grid, BLOCK](x, out)\n"
    assert grid(code) == "struct dim3{{u32}(rows / 16), {u32}2}"


def test_forall_rounds_up() -> None:
    assert grid("def run(x, out):\n    k.forall(x.size)(x, out)\n") == "struct dim3{{u32}((x.shape[0] + 127) / 128)}"


def test_a_copy_of_an_argument_is_the_argument() -> None:
    code = "def run(x, out):\n    x = np.ascontiguousarray(x, dtype=np.float64)\n    k[x.size, 1](x, out)\n"
    (launch,) = launches(code)
    assert expression_text(launch.grid) == "struct dim3{{u32}x.shape[0]}"
    assert launch.kernel is not None
    type_ = launch.kernel.params[0].type
    assert isinstance(type_, PointerType) and type_.pointee.size == 8


def test_types_come_from_what_is_passed() -> None:
    code = (
        "def run(n):\n    x = np.zeros(n, dtype=np.int16)\n    out = cuda.device_array(n, np.uint8)\n"
        "    k[n, 32](x, out)\n"
    )
    (launch,) = launches(code)
    assert launch.kernel is not None
    sizes = [p.type.pointee.size for p in launch.kernel.params if isinstance(p.type, PointerType)]
    assert sizes == [2, 1]


def test_kernels_of_a_factory_are_launched_under_other_names() -> None:
    code = (
        "def make(width):\n    @cuda.jit\n    def inner(a):\n        a[cuda.grid(1) % width] = 1\n    return inner\n\n"
        "def run(a):\n    f = make(3)\n    f[4, 32](a)\n"
    )
    (launch,) = launches(code)
    assert launch.name == "inner"


def test_what_a_method_returns_has_the_type_that_it_is_given() -> None:
    kernel = "@cuda.jit('void(float64[:], int64[:])')\ndef s(w, at):\n    i = cuda.grid(1)\n    w[at[i]] = 1.0\n\n"
    owner = (
        "class Cells:\n    def find(self, x):\n        cell = np.floor(x * 2)\n        return cell.astype(np.KIND)\n\n"
    )
    owner += "    def run(self, x, w):\n        s[1, 64](cuda.to_device(w), cuda.to_device(self.find(x)))\n"
    told = {
        kind: [one.words for one in module(kernel + owner.replace("KIND", kind)).remarks if one.kind != "unobserved"]
        for kind in ("int32", "int64")
    }
    assert told["int32"] == [("at", "int32[:]", "int64[:]")]
    assert not told["int64"]
