"""Python that is odd, old, broken or huge: one clear line, and the rest is analysed."""

from __future__ import annotations

import pytest

from kernlint.frontends.clang.python.spelling import spellings
from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.registry import load
from kernlint.result import Level
from kernlint.run.engine import Engine
from kernlint.run.outcome import FileOutcome
from kernlint.source import SourceFile

KERNEL = "@cuda.jit\ndef k(x):\n    i = cuda.grid(1)\n    if i < x.size:\n        x[i] = N\n"
HEAD = "from numba import cuda\n"


def checked(code: str) -> FileOutcome:
    registry = load()
    selection = Selection(registry, Config())
    return Engine(registry, selection).check_source(SourceFile("k.py", code.encode()), selection)


def loud(outcome: FileOutcome) -> list[str]:
    return [note.message for note in outcome.notifications if note.level is not Level.NOTE]


def test_python_2_is_read() -> None:
    outcome = checked(HEAD + "N = 3L\nprint 'go'\n" + KERNEL)
    assert (outcome.kernels, loud(outcome)) == (1, [])


def test_a_syntax_error_is_one_line() -> None:
    outcome = checked(HEAD + "N = (\n" + KERNEL)
    assert loud(outcome) == ["kernel k is not analysed: the file is no Python that can be read"]


@pytest.mark.parametrize(
    "constant",
    ["1 << 10 ** 9", "10 ** 10 ** 10", "'a' * 10 ** 12", "(0,) * 10 ** 12", "N", "M + 1\nM = N", "f'{open(0)}'",
     "-" * 500 + "1", "+".join(["1"] * 3000), "{}[0]", "__import__('os').getpid()"],
)  # fmt: skip
def test_constants_are_worked_out_within_limits(constant: str) -> None:
    outcome = checked(f"{HEAD}N = {constant}\n{KERNEL}")
    assert not outcome.lost
    assert outcome.kernels <= 1 and len(loud(outcome)) <= 1


def test_what_exec_makes_is_said() -> None:
    outcome = checked(f"{HEAD}N = 1\nexec('''@cuda.jit\\ndef m(x): pass''')\n{KERNEL}")
    assert outcome.kernels == 1
    assert loud(outcome) == ["line 3: what exec makes is not analysed"]


@pytest.mark.parametrize(
    ("parameters", "body", "partial"),
    [
        ("y, *x", "y[0] = f(*x)", 0),
        ("y, *x", "g(y, 1, *x)", 0),
        ("y, *x", "h(y, *x)", 0),
        ("y, *x", "y[0] = x[1][0]", 1),
        ("y, *x", "y[0] = f(*x, 1)", 1),
        ("y, *x", "g(*x)", 1),
        ("y, **x", "y[0] = 1", 1),
    ],
)
def test_kernels_with_stars(parameters: str, body: str, partial: int) -> None:
    around = "@cuda.jit\ndef g(y, n, *rest):\n    y[n] = 1\n    append(n, *rest)\n\n@cuda.jit\ndef h(y, *rest):\n"
    around += "    g(y, 2, *rest)\n\n"
    outcome = checked(f"{HEAD}N = 1\n{around}@cuda.jit\ndef m({parameters}):\n    {body}\n\n{KERNEL}")
    assert outcome.partial == partial
    assert not outcome.results


def test_recursion_ends() -> None:
    code = "@cuda.jit(device=True)\ndef f(v):\n    return f(v - 1) if v > 0 else 0\n"
    outcome = checked(f"{HEAD}{code}@cuda.jit\ndef k(x):\n    x[0] = f(3)\n")
    assert outcome.kernels == 1 and not outcome.lost


@pytest.mark.parametrize("size", ["1 << (1 << 60)", "2 ** (2 ** 40)", "n << -1", "n >> 500", "f(1 << 50)", "10 ** 400"])
def test_sizes_beyond_all_numbers_cost_no_rule(size: str) -> None:
    made = f"def f(n):\n    return 2 ** n\n\nH = {size}\ny = cuda.device_array(H)\n"
    launches = "k[H, 32](y)\nk[1, H](y)\nk[(1, 2, H), 64](y)\n"
    index = f"i + ({size.replace('f(', '2 ** (')})"
    inside = f"@cuda.jit\ndef odd(x, n):\n    i = cuda.threadIdx.x\n    x[{index}] = i << 70\n"
    outcome = checked(HEAD + "N = 1\n" + KERNEL + made + launches + inside)
    assert (outcome.kernels, loud(outcome)) == (2, [])


@pytest.mark.parametrize(
    "statement",
    [
        "print >>f, 'x'",
        "exec 'y = 1' in {}",
        "if n <> 3: raise ValueError, 'bad'",
        "t = `n`",
        "t = 0777L",
        "t = ur'abc'",
        "t = lambda (a, b): a + b",
        "try: pass\nexcept (OSError, ValueError), e: print e",
    ],
)
def test_what_is_no_longer_python_is_read(statement: str) -> None:
    kept = "T = '''<> ` 0777 lambda (a): ur'''\nU = 1.05 + 1e-05 + 00.5  # <> `\n"
    outcome = checked(f"{HEAD}N = 3\nprint 'go'\n{statement}\n{kept}{KERNEL}")
    assert (outcome.kernels, loud(outcome)) in ((1, []), (1, ["line 4: what exec makes is not analysed"]))
    text, today = spellings(f"{statement}\n{kept}")
    assert len(text) == len(today) and today.endswith(kept)
