"""Sizes that the program tells of: elements left out on purpose, lengths of literals, kernels compiled anew."""

from __future__ import annotations

import pytest

from tests.frontends.python.test_pairs import found

MARK = "@cuda.jit\ndef mark(x):\n    i = cuda.grid(1)\n    if i < x.size:\n        x[i] = 1\n\n"


def rules(code: str) -> set[str]:
    return {rule for rule, _, _ in found(code)}


@pytest.mark.parametrize(("extent", "told"), [("count + 1", set()), ("9", {"uncovered-tail"})])
def test_one_element_more_than_threads(extent: str, told: set[str]) -> None:
    host = f"def test():\n    count = 8\n    x = np.zeros({extent})\n    mark[1, count](x)\n    assert x[-1] == 0\n"
    assert rules(MARK + host) == told


@pytest.mark.parametrize(
    ("name", "lengths", "told"),
    [
        ("_check", (64, 128), set()),
        ("_check", (64, 100), {"uncovered-tail"}),
        ("check", (64, 128), {"uncovered-tail"}),
        ("_check", (), {"uncovered-tail"}),
    ],
)
def test_what_callers_pass(name: str, lengths: tuple[int, ...], told: set[str]) -> None:
    host = f"def {name}(x):\n    blocks = int(len(x) / 16)\n    mark[blocks, 16](x)\n    return x\n\n"
    for at, length in enumerate(lengths):
        host += f"def test_{at}():\n    assert {name}(np.zeros({length})).all()\n\n"
    assert rules(MARK + host) == told


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ("[(1, [1, 2, 3]), (2, [4, 5, 6])]", set()),
        ("kept", {"launch-limits"}),
    ],
)
def test_a_block_for_each_of_a_literals_items(rows: str, told: set[str]) -> None:
    host = f"def run(kept):\n    for number, row in {rows}:\n        host = np.array(row, dtype=np.int64)\n"
    host += "        x = cuda.device_array(len(host), dtype=np.int64)\n        mark[1, len(host)](x)\n"
    host += "        print(x.copy_to_host())\n"
    assert rules(MARK + host) == told


COMPILED = """
LIMIT = 2.0

def body(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = min(LIMIT, x[i])

def limited(limit):
    global LIMIT
    LIMIT = limit
    return cuda.jit("void(float64[:])")(body)
"""


def test_a_kernel_that_is_compiled_behind_each_change() -> None:
    assert rules(COMPILED) == set()
    assert rules(COMPILED + "\nfirst = cuda.jit('void(float64[:])')(body)\n") == {"stale-captured-global"}
    early = COMPILED.replace("    LIMIT = limit\n    return cuda", "    made = cuda").replace(
        "(body)", "(body)\n    LIMIT = limit\n    return made"
    )
    assert rules(early) == {"stale-captured-global"}
    other = COMPILED + "\ndef set_limit(limit):\n    global LIMIT\n    LIMIT = limit\n"
    assert rules(other) == {"stale-captured-global"}


@pytest.mark.parametrize(("blocks", "told"), [("flat.size // 64", {"uncovered-tail"}), ("-(-flat.size // 64)", set())])
def test_all_elements_of_an_image_in_one_row(blocks: str, told: set[str]) -> None:
    host = "def run(image):\n    flat = np.ascontiguousarray(image, dtype=np.uint8).ravel()\n"
    host += f"    x = cuda.to_device(flat)\n    mark[{blocks}, 64](x)\n    return x.copy_to_host()\n"
    assert rules(MARK + host) == told
