"""Kernels that are there to be compiled: what keeps them from being taken for such."""

from __future__ import annotations

import pytest

from tests.frontends.python.test_launches import module

KERNEL = "@cuda.jit\ndef k(x):\n    part = cuda.shared.array(8, dtype=np.float32)\n    x[cuda.grid(1)] = part[0]\n\n"


def said(host: str) -> list[tuple[str, ...]]:
    return [one.words for one in module(KERNEL + host).remarks if one.kind == "unobserved"]


def test_a_kernel_that_only_tells_of_itself() -> None:
    assert said("def test():\n    assert k.get_regs_per_thread() < 255\n") == [("inspected",)]
    assert said("def test():\n    assert k.get_regs_per_thread() < 255\n    tune(k)\n") == []
    assert said("") == []


TEST = "def test():\n    x = np.zeros(8)\n    k[1, 8](x)\n"


@pytest.mark.parametrize(
    "host",
    [
        TEST,
        "def test():\n    x = cuda.to_device(np.ones(8))\n    k[1, 8](x)\n    cuda.synchronize()\n",
        "def made():\n    return np.array([1.0]).reshape(1)\n\ndef test():\n    k[1, 1](made())\n",
    ],
)
def test_nobody_reads_what_comes_out(host: str) -> None:
    assert said(host) == [("unread",)]


@pytest.mark.parametrize(
    "host",
    [
        "def run():\n    x = np.zeros(8)\n    k[1, 8](x)\n    print(x)\n",
        "def run(x):\n    k[1, 8](x)\n",
        "def run(kept):\n    x = kept.rows\n    k[1, 8](x)\n",
        "def run(y):\n    x = np.asarray(y)\n    k[1, 8](x)\n",
        "def run():\n    x = np.zeros(8)\n    def tell():\n        return x\n    k[1, 8](x)\n    return tell\n",
        "x = np.zeros(8)\nk[1, 8](x)\n",
        "def run():\n    global x\n    x = np.zeros(8)\n    k[1, 8](x)\n",
        TEST + "\ndef run(x):\n    k[1, 8](x)\n",
    ],
)
def test_somebody_may_read_it(host: str) -> None:
    assert said(host) == []


@pytest.mark.parametrize(
    "change",
    [
        ("    x[cuda.grid(1)]", "    part[0] = x[0]\n    x[cuda.grid(1)]"),
        ("    x[cuda.grid(1)]", "    fill(part, x)\n    x[cuda.grid(1)]"),
        ("    x[cuda.grid(1)]", "    half = part[:4]\n    half[0] = 1\n    x[cuda.grid(1)]"),
        ("    x[cuda.grid(1)]", "    row = part[0]\n    row[0] = 1\n    x[cuda.grid(1)]"),
        ("    x[cuda.grid(1)]", "    part[0][1] = 1\n    x[cuda.grid(1)]"),
        ("array(8,", "array(0,"),
    ],
)
def test_somebody_may_have_filled_it(change: tuple[str, str]) -> None:
    kernel = KERNEL.replace(*change)
    assert kernel != KERNEL
    assert [one for one in module(kernel + TEST).remarks if one.kind == "unobserved"] == []
