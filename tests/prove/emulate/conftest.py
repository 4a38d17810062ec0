"""Runs kernels given as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import pytest

from kernlint.frontends.base import FrontendOptions
from kernlint.frontends.clang.frontend import ClangFrontend
from kernlint.prove.emulate import Argument, Budget, LaunchSpec, Outcome, replay, run
from kernlint.source import SourceFile
from kernlint.tree.nodes import FunctionDecl

_FRONTEND = ClangFrontend()


@lru_cache(maxsize=256)
def _kernels(text: str, language: str) -> dict[str, FunctionDecl]:
    name = {"cuda": "kernel.cu", "opencl": "kernel.cl", "hip": "kernel.hip"}[language]
    modules = _FRONTEND.parse_file(SourceFile(name, text.encode()), FrontendOptions(language=language))
    return {
        kernel.name: variant for module in modules for kernel in module.kernels for variant in reversed(kernel.variants)
    }


@pytest.fixture
def kernel() -> Callable[..., FunctionDecl]:
    """``kernel(text, name=None, language="cuda")``: the tree of a kernel (the only one unless named)."""

    def find(text: str, name: str | None = None, language: str = "cuda") -> FunctionDecl:
        found = _kernels(text, language)
        if name is None:
            assert len(found) == 1, sorted(found)
            return next(iter(found.values()))
        return found[name]

    return find


@pytest.fixture
def emulate(kernel: Callable[..., FunctionDecl]) -> Callable[..., Outcome]:
    """``emulate(text, block, grid, args, ...)``: the outcome of one run; ``seeds`` makes it a replay."""

    def go(
        text: str,
        block: int | tuple[int, ...] = 32,
        grid: int | tuple[int, ...] = 1,
        args: Mapping[str, Argument] | None = None,
        *,
        name: str | None = None,
        language: str = "cuda",
        shared: int | None = None,
        seeds: tuple[int, ...] | None = None,
        budget: Budget | None = None,
        **more: Any,
    ) -> Outcome:
        function = kernel(text, name, language)
        launch = LaunchSpec(_three(block), _three(grid), dynamic_shared=shared)
        if seeds is not None:
            return replay(function, launch, args or {}, budget, language, seeds=seeds, **more)
        return run(function, launch, args or {}, budget, language, **more)

    return go


def _three(size: int | tuple[int, ...]) -> tuple[int, int, int]:
    given = (size,) if isinstance(size, int) else size
    x, y, z = (*given, 1, 1, 1)[:3]
    return x, y, z
