"""Kernels that never run: what keeps them from being taken for such."""

from __future__ import annotations

from tests.frontends.python.test_launches import module

KERNEL = "@cuda.jit\ndef k(x):\n    part = cuda.shared.array(8, dtype=np.float32)\n    x[cuda.grid(1)] = part[0]\n\n"


def said(host: str) -> list[tuple[str, ...]]:
    return [one.words for one in module(KERNEL + host).remarks if one.kind == "unobserved"]


def test_a_kernel_that_only_tells_of_itself() -> None:
    assert said("def test():\n    assert k.get_regs_per_thread() < 255\n") == [("inspected",)]
    assert said("def test():\n    assert k.get_regs_per_thread() < 255\n    tune(k)\n") == []
    assert said("") == []
    assert said("def test():\n    x = np.zeros(8)\n    k[1, 8](x)\n") == []
