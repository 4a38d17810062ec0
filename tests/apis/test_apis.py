"""The table of the runtimes' functions, held against the declarations that stand in for their headers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import kernlint
from kernlint.apis import Fills, Made, Makes, Maps, Moves, Role, api_of, makes, roles_of
from kernlint.apis.names import base_name, known_name

_PRELUDES = Path(kernlint.__file__).parent / "frontends" / "clang" / "preludes"
_WIDE = re.compile(r"\bsize_t\b")
_DECLARED = re.compile(r"\b((?:cuda|hip|cu|cl)[A-Z]\w*)\s*\(([^;{}()]*(?:\([^()]*\)[^;{}()]*)*)\)")


def _declarations() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in sorted(_PRELUDES.rglob("*.h")):
        for name, params in _DECLARED.findall(path.read_text("utf-8")):
            kinds = [part.strip() for part in params.split(",")]
            if any(re.search(r"\b(?:size_t|void|int|CUdeviceptr|cl_\w+)\b", kind) for kind in kinds):
                found.setdefault(name, kinds)
    return found


DECLARED = _declarations()
KNOWN = sorted(name for name in DECLARED if roles_of(name))


def test_most_of_the_table_is_declared() -> None:
    assert len(KNOWN) > 60


@pytest.mark.parametrize("name", KNOWN)
def test_positions_fit_the_declarations(name: str) -> None:
    params, meant = DECLARED[name], roles_of(name)
    assert all(at < len(params) or role is Role.STREAM for at, role in meant.items())
    for at, role in meant.items():
        if at < len(params) and role in (Role.BYTES, Role.ELEMENTS, Role.OFFSET, Role.PITCH, Role.COUNT, Role.ROWS):
            assert _WIDE.search(params[at]), (at, role, params)
        if at < len(params) and role is Role.KIND:
            assert "Kind" in params[at], (at, params)
        if at < len(params) and role is Role.STREAM:
            assert re.search(r"[Ss]tream|queue", params[at]), (at, params)


@pytest.mark.parametrize(
    ("name", "made", "size"),
    [
        ("cudaMalloc", Made.DEVICE, 1),
        ("hipHostMalloc", Made.PINNED, 1),
        ("cuMemAllocManaged", Made.MANAGED, 1),
        ("cuMemAlloc_v2", Made.DEVICE, 1),
        ("clCreateBuffer", Made.DEVICE, 2),
        ("calloc", Made.HOST, 0),
        ("hipMallocPitch", Made.DEVICE, None),
    ],
)
def test_allocations(name: str, made: Made, size: int | None) -> None:
    found = makes(name)
    assert found is not None
    assert (found.made, found.size) == (made, size)


def test_units_of_fills() -> None:
    words, bytes_ = api_of("cuMemsetD32Async"), api_of("hipMemsetAsync")
    assert isinstance(words, Fills)
    assert isinstance(bytes_, Fills)
    assert (words.unit, words.stream, words.bytewise) == (4, 3, False)
    assert (bytes_.unit, bytes_.stream, bytes_.bytewise) == (1, 3, True)


def test_methods_of_queues_count_the_queue() -> None:
    read, fill = api_of("enqueueReadBuffer", method=True), api_of("enqueueFillBuffer", method=True)
    assert isinstance(read, Moves)
    assert (read.stream, read.source, read.flag, read.size, read.target) == (0, 1, 2, 4, 5)
    assert isinstance(fill, Fills)
    assert (fill.target, fill.offset, fill.size) == (1, 3, 4)
    assert isinstance(api_of("clEnqueueMapBuffer"), Maps)


def test_functions_of_nobody() -> None:
    assert api_of("Malloc") is None
    assert api_of("my::Memcpy") is None
    assert api_of("mallocPitch") is None
    assert known_name("enqueueReadBuffer") is None
    assert isinstance(api_of("std::malloc"), Makes)


def test_names_without_prefix_and_version() -> None:
    assert [base_name(name) for name in ("cudaMemcpy", "cuMemcpyHtoD_v2", "cudaMemcpyAsync_ptsz", "clear")] == [
        "Memcpy",
        "MemcpyHtoD",
        "MemcpyAsync",
        "clear",
    ]
