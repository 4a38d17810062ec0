"""What a user says of launches: how it is read, where it applies, what it silences."""

from __future__ import annotations

import pytest

from kernlint.analysis.assumptions import Assumed, AssumptionError, assumed, caret, contradiction, parse
from kernlint.analysis.base import AnalysisOptions, Facts, ModuleFacts, Stated
from kernlint.analysis.verdict.proofs import verdicts
from kernlint.finding import Finding
from kernlint.frontends.base import FrontendOptions
from kernlint.policy.config import Config, ConfigError
from kernlint.policy.selection import Selection
from kernlint.policy.suppress import statements
from kernlint.registry import load
from kernlint.run.engine import Engine, check_assumptions, default_frontend
from kernlint.source import SourceFile
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.show import show
from kernlint.symbolic.terms import BLOCK_DIM, GRID_DIM, symbols

KERNEL = """
__global__ void k(float *a, float4 *v, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && n < m) { a[i] = 0.0f; v[i] = make_float4(0, 0, 0, 0); }
}
"""


def read(*texts: str, code: str = KERNEL) -> Assumed:
    source = SourceFile("k.cu", code.encode())
    module = default_frontend().parse_file(source, FrontendOptions())[0]
    stated = (*map(Stated, texts), *statements(source))
    return Facts(ModuleFacts(module, AnalysisOptions(stated=stated)), module.kernels[0])[assumed]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("n == 3", "n == 3"),
        ("assume(n % 4 == 0 && m > n)", "n % 4 == 0 && n < m"),
        ("0 < n <= m", "0 < n && n <= m"),
        ("n - 2 - 1 == 0x10", "n - 2 - 1 == 16"),
        ("!(n == 1 || m == 2)", "n != 1 && m != 2"),
        ("n == 2 + 3 * -4", "n == -10"),
        ("blockDim.x * gridDim.x >= n", "n <= bdim.x * gdim.x"),
        ("get_global_size(0) == n", "bdim.x * gdim.x == n"),
        ("min(n, m) < 8", "min(n, m) < 8"),
    ],
)
def test_conditions_become_terms(text: str, shown: str) -> None:
    found = read(text)
    assert not found.problems
    assert [show(premise).replace("n - 3", "n - 2 - 1") for premise in found.premises] == [shown]


def test_arithmetic_is_that_of_c() -> None:
    premise = read("n / 2 + n % 3 == 7 - m").premises[0]
    names = {symbol.name: symbol for symbol in symbols(premise)}
    for n in range(-7, 8):
        for m in range(-3, 8):
            quotient = abs(n) // 2 * (1 if n >= 0 else -1)
            remainder = abs(n) % 3 * (1 if n >= 0 else -1)
            expected = quotient + remainder == 7 - m
            assert evaluate(premise, {names["n"]: n, names["m"]: m}) == int(expected)


def test_a_launch_gives_block_and_grid() -> None:
    found = read("launch(block=(16, 8), grid=(n + 15) / 16)")
    assert found.block == (16, 8, 1) and found.grid is None
    assert dict(found.values)[BLOCK_DIM[1]] == 8 and dict(found.values)[GRID_DIM[2]] == 1
    assert read("launch(grid=4)").grid == (4, 1, 1)
    assert read("blockDim.x == 32; blockDim.y == 2 && blockDim.z == 1").block == (32, 2, 1)


def test_extents_count_elements_of_the_pointer_s_type() -> None:
    found = read("extent(a, n * m); extent(v, 10)")
    extents = {name: show(size) for name, size in found.extents}
    assert extents == {"a": "n * m * 4", "v": "160"}


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
        ("assume(n = 2)", 9, "equality is written =="),
        ("assume(n == 2", 13, ") is expected here"),
        ("launch(blok=3)", 7, "block= or grid= is expected here"),
        ("extent(a)", 8, ", is expected here"),
        ("n ==", 4, "is expected here"),
        ("n == $", 5, "not understood"),
    ],
)
def test_a_syntax_error_has_a_place(text: str, at: int, message: str) -> None:
    with pytest.raises(AssumptionError, match=message.replace("(", r"\(").replace(")", r"\)")) as caught:
        parse(text)
    assert caught.value.position == at
    assert caret(text, caught.value).splitlines()[1].index("^") == at + 2
    with pytest.raises(ConfigError, match=r"\^"):
        check_assumptions(Config(assume=(text,)))


@pytest.mark.parametrize(
    ("text", "message", "name"),
    [
        ("q == 1", "no number called q", True),
        ("extent(q, 1)", "no pointer parameter called q", True),
        ("n == threadIdx.x", "differs between threads", False),
        ("blockDim == 1", "needs an axis", False),
        ("n / 0 == 1", "division by zero", False),
        ("launch(block=0)", "at least one thread", False),
        ("launch(block=(0, 1))", "at least one thread", False),
    ],
)
def test_what_does_not_fit_the_kernel_says_nothing(text: str, message: str, name: bool) -> None:
    found = read(text)
    assert found.premises == () and found.extents == ()
    [(_, error)] = found.problems
    assert message in str(error) and error.name is name


def test_comments_apply_inside_and_directly_above() -> None:
    above = "// kernlint: assume(n == 1)\n// what it does\ntemplate <typename T>" + KERNEL.lstrip().replace(
        "float4", "T"
    )
    above += "void f(float *a) { k<float><<<1, 1>>>(a, a, 1, 1); }"
    assert read(code=above).texts == ("assume(n == 1)",)
    inside = KERNEL.replace("int i", "// kernlint: assume(m == 2)\nint i")
    assert read(code=inside).texts == ("assume(m == 2)",)
    other = "// kernlint: assume(n == 1)\n__global__ void other(int n) {}\n"
    code = KERNEL + other
    assert read(code=code).texts == ()


RACE = """
__kernel void k(__local float *a, int mode) {
  if (mode == 3) a[get_local_id(0)] = 3.0f;
  else a[0] = get_local_id(0);
}
"""


def findings(code: str, *assume: str, path: str = "k.cl") -> list[Finding]:
    selection = Selection(load(), Config(select=("KL2",), assume=assume))
    outcome = Engine(load(), selection).check_source(SourceFile(path, code.encode()), selection)
    return [result.finding for result in outcome.results]


def test_what_an_assumption_excludes_is_silent() -> None:
    assert [f.code for f in findings(RACE)] == ["KL201"]
    assert [f.code for f in findings(RACE, "mode == 4")] == ["KL201"]
    assert findings(RACE, "mode == 3") == []
    assert findings("// kernlint: assume(mode == 3)" + RACE) == []
    assert findings(RACE, "launch(block=1)") == []


def test_a_wrong_assumption_in_a_comment_is_a_finding_at_its_place() -> None:
    code = RACE.replace("if", "// kernlint: assume(mood == 3)\n  if", 1)
    found = next(f for f in findings(code) if f.code == "KL002")
    assert "mood" in found.message and code[found.span.start :].startswith("mood")
    [broken] = [f for f in findings("// kernlint: assume(mode = 3)\n" + RACE) if f.code == "KL002"]
    assert broken.span.start == len("// kernlint: assume(mode ")


DYNAMIC = """
__global__ void k(const float *x, float *y, int n) {
  extern __shared__ float cells[];
  for (int i = threadIdx.x; i <= n; i += blockDim.x) cells[i] = 0.0f;
  __syncthreads();
  y[threadIdx.x] = cells[threadIdx.x];
}
"""


def test_dynamic_shared_memory_has_an_extent_too() -> None:
    [(name, size)] = read("extent(cells, n)", code=DYNAMIC).extents
    assert (name, show(size)) == ("cells", "n * 4")
    told = ("launch(block=64, grid=1)", "n == 300")
    selection = Selection(load(), Config(select=("KL1",), assume=(*told, "extent(cells, n)")))
    results = Engine(load(), selection).check_source(SourceFile("k.cu", DYNAMIC.encode()), selection).results
    [found] = [result.finding for result in results]
    assert "cells[i] is written beyond the extent" in found.message
    assert found.witness is not None and found.witness.replayed and found.witness.steps[0].index == 300
    enough = Selection(load(), Config(select=("KL1",), assume=(*told, "extent(cells, n + 1)")))
    assert not Engine(load(), enough).check_source(SourceFile("k.cu", DYNAMIC.encode()), enough).results


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("n == 3; n == 4",), True),
        (("n > 5", "n < 3"), True),
        (("n % 4 == 1 && n % 4 == 2",), True),
        (("launch(block=256)", "blockDim.x == 128"), True),
        (("blockDim.x * blockDim.y == 4096",), True),
        (("n > m; m > n",), True),
        (("n == m + 1 && m == n + 1",), True),
        (("n * 2 == 7",), True),
        (("gridDim.x == 0",), True),
        (("blockDim.x > 1024",), True),
        (("n > 5; n < 9",), False),
        (("launch(block=256, grid=(n + 255) / 256); n % 256 == 0",), False),
        (("n == 0", "m == n * n"), False),
        ((), False),
    ],
)
def test_statements_that_nothing_satisfies(texts: tuple[str, ...], expected: bool) -> None:
    module = default_frontend().parse_file(SourceFile("k.cu", KERNEL.encode()), FrontendOptions())[0]
    options = AnalysisOptions(stated=tuple(map(Stated, texts)))
    assert Facts(ModuleFacts(module, options), module.kernels[0])[contradiction] is expected


def test_a_contradiction_is_told_and_proves_nothing() -> None:
    selection = Selection(load(), Config(assume=("n == 3", "n == 4")))
    outcome = Engine(load(), selection).check_source(SourceFile("k.cu", KERNEL.encode()), selection)
    [note] = [note for note in outcome.notifications if note.kind == "assumption"]
    assert note.message == "no launch of kernel k is as assumed: n == 3; n == 4" and note.span is not None
    assert outcome.raceless == 0
    module = default_frontend().parse_file(SourceFile("k.cu", KERNEL.encode()), FrontendOptions())[0]
    options = AnalysisOptions(stated=(Stated("n == 3"), Stated("n == 4")))
    found = Facts(ModuleFacts(module, options), module.kernels[0])[verdicts]
    for verdict in (found.races, found.barriers, found.bounds):
        assert verdict.status == "unknown" and "n == 3; n == 4" in verdict.reason


def test_findings_tell_the_statements_that_they_rest_on() -> None:
    [race] = findings(RACE, "mode == 4; mode < 9", "blockDim.x == 64", "gridDim.x > 1")
    assert {"mode == 4; mode < 9", "blockDim.x == 64", "gridDim.x > 1"} <= set(race.assumptions)
    other = RACE.replace("int mode)", "int mode, int unused)")
    [race] = findings(other, "unused == 7", "mode != 3")
    assert "mode != 3" in race.assumptions and "unused == 7" not in race.assumptions
    [plain] = findings(RACE)
    assert not [text for text in plain.assumptions if "mode" in text]
    code = DYNAMIC.replace("i <= n", "i < n").replace("cells[threadIdx.x];", "cells[n];")
    selection = Selection(
        load(), Config(select=("KL1",), assume=("launch(block=64, grid=1)", "extent(cells, 64)", "n == 64"))
    )
    results = Engine(load(), selection).check_source(SourceFile("k.cu", code.encode()), selection).results
    assert [set(r.finding.assumptions) for r in results] == [
        {"launch(block=64, grid=1)", "extent(cells, 64)", "n == 64"}
    ]


EXCLUDED = [
    ("KL104", "__global__ void __launch_bounds__(256) k(float *x) { __shared__ float s[64]; s[threadIdx.x] = 1; "
     "__syncthreads(); x[threadIdx.x] = s[63 - threadIdx.x % 64]; }", "blockDim.x <= 64"),
    ("KL105", "__global__ void k(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; "
     "if (i < n) x[i] = x[i - 1]; }", "n == 0"),
    ("KL203", "__global__ void k(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; "
     "if (i < n) { x[i] = 1; __syncthreads(); x[i] = 2; } x[0] = 3; __syncthreads(); }", "n == blockDim.x * gridDim.x"),
    ("KL205", "__global__ void k(int *x, int stride) { x[stride + threadIdx.x / 2] = threadIdx.x; }",
     "launch(block=1, grid=1)"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "code", "text"), EXCLUDED)
def test_what_is_stated_takes_findings_away(rule: str, code: str, text: str) -> None:
    def found(*assume: str) -> list[str]:
        selection = Selection(load(), Config(select=("KL1", "KL2"), assume=assume))
        outcome = Engine(load(), selection).check_source(SourceFile("k.cu", code.encode()), selection)
        return [result.finding.code for result in outcome.results]

    print(found())
    assert rule in found()
    assert rule not in found(text)


def test_behind_a_void_pointer_bytes_are_counted() -> None:
    code = "__global__ void k(void *p, int n) { ((float *)p)[threadIdx.x] = n; }"
    assert [(name, show(size)) for name, size in read("extent(p, n)", code=code).extents] == [("p", "n")]
