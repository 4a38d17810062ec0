"""Random small kernels: what is proved of one is never contradicted by running it."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from functools import cache

import pytest

from kernlint.analysis.accesses import pairs
from kernlint.analysis.base import Facts, ModuleFacts
from kernlint.analysis.trace.events import Access
from kernlint.analysis.verdict import proofs
from kernlint.analysis.verdict import verdicts as asking
from kernlint.analysis.verdict.proofs import EXITED, Verdicts, raceless, verdicts
from kernlint.analysis.verdict.verdicts import Ladder
from kernlint.frontends.base import FrontendOptions
from kernlint.prove.emulate import Argument, Budget, Buffer, FaultKind, LaunchSpec, run
from kernlint.prove.query import Answer, Proved
from kernlint.run.engine import default_frontend
from kernlint.source import SourceFile
from kernlint.symbolic.terms import Term, Uniformity, binary, const
from kernlint.tree.nodes import FunctionDecl, Module
from kernlint.tree.types import I64

KERNELS = 60

INDICES = ("t", "i", "t + 1", "t - 1", "63 - t", "t / 2", "t * 2", "i * 2", "i * 2 + 1", "t % 8", "0", "k", "t + 8 * k")
CONDITIONS = ("t < 32", "i < n", "t > 0", "n > 4", "t == 0", "t < n", "blockIdx.x == 0", "i + 1 < n", "t % 2 == 0")


HELPERS = """
__device__ int half(int v) { return v / 2; }
__device__ void put(int *p, int at, int v) { if (at >= 0) p[at] = v; }
__device__ void meet(int t) { if (t >= 0) __syncthreads(); }
__device__ int sum(int *p, int from, int to) { int r = 0; for (int j = from; j < to; ++j) r += p[j]; return r; }
__device__ void turn(int *p, int t) { p[t] = t; __syncthreads(); p[63 - t] += 1; }
"""


class Writer:
    """Writes kernels over ``a`` and ``b`` in global memory and ``s`` in shared memory; ``rich``: with more of the
    language."""

    def __init__(self, seed: int, rich: bool = False) -> None:
        self.pick = random.Random(seed)
        self.rich = rich

    def place(self, depth: int) -> str:
        index = self.pick.choice(INDICES if depth else [text for text in INDICES if "k" not in text])
        return f"{self.pick.choice(['s', 's', 'a', 'b'])}[{index}]"

    def statements(self, depth: int, loops: int) -> Iterator[str]:
        for _ in range(self.pick.randint(1, 3)):
            if self.rich and self.pick.random() < 0.4:
                yield from self.more(depth, loops)
                continue
            what = self.pick.random()
            if what < 0.45 or depth == 3:
                yield f"{self.place(loops)} = {self.place(loops)} + {self.pick.choice(['t', '1', 'n'])};"
            elif what < 0.55:
                yield f"{self.place(loops)} = 1;"
            elif what < 0.75:
                yield "__syncthreads();"
            elif what < 0.8 and not loops:
                yield f"if (!({self.pick.choice(CONDITIONS)})) return;"
            elif what < 0.9:
                body = " ".join(self.statements(depth + 1, loops))
                yield f"if ({self.pick.choice(CONDITIONS)}) {{ {body} }}"
            elif not loops:
                body = " ".join(self.statements(depth + 1, 1))
                head = self.pick.choice(["int k = 0; k < 4; k++", "int k = 0; k < n; k++", "int k = 1; k < 8; k *= 2"])
                yield f"for ({head}) {{ {body} }}"

    def more(self, depth: int, loops: int) -> Iterator[str]:
        """Calls, atomics, selections, and loops of other kinds."""
        place, value = self.place(loops), self.pick.choice(["t", "1", "n", "half(t)"])
        condition = self.pick.choice(CONDITIONS)
        plain = (
            f"atomicAdd(&{place}, {value});",
            f"put(s, {self.pick.choice(['t', 't - 1', 'half(t)', 't % 16'])}, {value});",
            f"{place} = {condition} ? {self.place(loops)} : {value};",
            f"if ({condition}) {place} = {value}; else {self.place(loops)} = 1;",
            "meet(t);",
            f"{place} = sum(s, 0, 4);",
            f"a[half(i)] = {value};",
            "turn(s, t % 64);",
            f"switch (n % 3) {{ case 0: {place} = 1; break; case 1: __syncthreads(); default: {place} = t; }}",
            f"__shared__ int r{depth}{loops}[2]; if (t < 2) r{depth}{loops}[t] = t; __syncthreads(); "
            f"{place} = r{depth}{loops}[t % 2];",
        )
        if loops or depth == 3 or self.pick.random() < 0.7:
            yield self.pick.choice(plain)
            return
        body = " ".join(self.statements(depth + 1, 1))
        leave = self.pick.choice(["", f"if ({condition}) break;", f"if ({condition}) continue;", "if (k == n) break;"])
        head = self.pick.choice(
            [
                "int k = 0; while (k < 3) { k++; BODY }",
                "int k = 0; do { BODY k++; } while (k < n % 4);",
                "for (int k = t; k < 64; k += blockDim.x) { BODY }",
                "for (int k = 3; k > 0; k--) { BODY }",
                "for (int k = 0; k < 2; k++) for (int j = k; j < 2; j++) { BODY }",
            ]
        )
        if "do {" in head and "continue" in leave:
            leave = ""
        yield "{ " + head.replace("BODY", f"{leave} {body}") + " }"

    def kernel(self, number: int) -> str:
        body = "\n  ".join(self.statements(0, 0))
        return (
            f"__global__ void k{number}(int *a, int *b, int n) {{\n  __shared__ int s[128];\n"
            f"  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n  {body}\n}}\n"
        )


@cache
def module(seed: int, rich: bool = False) -> Module:
    writer = Writer(seed, rich)
    text = HELPERS * rich + "".join(writer.kernel(number) for number in range(KERNELS))
    return default_frontend().parse_file(SourceFile("random.cu", text.encode()), FrontendOptions())[0]


def judged(seed: int, rich: bool = False) -> Iterator[tuple[FunctionDecl, Verdicts]]:
    facts = ModuleFacts(module(seed, rich))
    for kernel in facts.module.kernels:
        yield kernel.function, Facts(facts, kernel)[verdicts]


def launches(found: Verdicts) -> Iterator[tuple[int, int, int]]:
    """(threads, blocks, n) under which the assumptions hold."""
    texts = [text for verdict in (found.races, found.barriers, found.bounds) for text in verdict.assumptions]
    given = {int(match[1]) for text in texts if (match := re.match(r"block = (\d+)\b(?! x)", text))}
    for threads in sorted(given) or [3, 32, 48, 64]:
        for blocks, n in ((1, 5), (2, threads), (3, 2 * threads - 3)):
            yield threads, blocks, n


def extents(found: Verdicts, names: dict[str, int]) -> dict[str, Argument]:
    """Buffers as long as the verdict on bounds asks for, no longer."""
    out: dict[str, Argument] = {}
    for name in ("a", "b"):
        counts = [
            int(eval(match[1].replace("/", "//"), {}, names))
            for text in found.bounds.assumptions
            if (match := re.fullmatch(rf"(.+) <= len\({name}\)", text.replace("bdim.x", "B").replace("gdim.x", "G")))
        ]
        out[name] = Buffer(4 * max(counts) if counts else None)
    return out


def contradictions(seed: int, rich: bool = False) -> tuple[list[str], dict[str, int]]:
    wrong: list[str] = []
    proved = {"races": 0, "barriers": 0, "bounds": 0}
    for function, found in judged(seed, rich):
        status = {name: getattr(found, name).status == "proved" for name in proved}
        for name, holds in status.items():
            proved[name] += holds
        if not any(status.values()):
            continue
        for threads, blocks, n in launches(found):
            sizes = {"n": n, "B": threads, "G": blocks}
            args: dict[str, Argument] = {"n": n}
            if status["bounds"]:
                args |= extents(found, sizes)
            outcome = run(function, LaunchSpec((threads, 1, 1), (blocks, 1, 1)), args, Budget(steps=60_000))
            kinds = {
                "races": [f for f in outcome.of(FaultKind.RACE) if not f.benign],
                "barriers": [
                    f
                    for f in outcome.of(FaultKind.BARRIER_DIVERGENCE)
                    if not (f.exited and EXITED in found.barriers.assumptions)
                ],
                "bounds": list(outcome.of(FaultKind.OUT_OF_BOUNDS)),
            }
            for name, faults in kinds.items():
                alone = any("grid.x = " in text for text in getattr(found, name).assumptions)
                if status[name] and faults and not (alone and blocks > 1):
                    wrong.append(f"{function.name} {name} {sizes}: {faults[0]} against {getattr(found, name)}")
    return wrong, proved


@pytest.mark.parametrize("seed", [1, 2])
def test_no_run_contradicts_a_proof(seed: int) -> None:
    wrong, proved = contradictions(seed)
    assert not wrong, wrong[0]
    assert all(count > KERNELS // 20 for count in proved.values()), proved


@pytest.mark.parametrize("seed", [1, 2])
def test_what_is_proved_in_passing_is_proved(seed: int) -> None:
    facts = ModuleFacts(module(seed))
    found = [
        (one.function.name, one[verdicts].races.status)
        for one in (Facts(facts, kernel) for kernel in facts.module.kernels)
        if one[raceless]
    ]
    assert len(found) > KERNELS // 20 and {status for _, status in found} == {"proved"}, found


@pytest.mark.parametrize("seed", [11, 12])
def test_no_run_contradicts_a_proof_about_richer_kernels(seed: int) -> None:
    wrong, proved = contradictions(seed, rich=True)
    assert not wrong, wrong[0]
    assert all(count > KERNELS // 20 for count in proved.values()), proved


def test_a_prover_that_proves_everything_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def credulous(self: Ladder, query: object, *, guess: bool = False) -> Answer:
        return Proved()

    monkeypatch.setattr(asking.Ladder, "proves", credulous)
    wrong, _ = contradictions(3)
    assert any(" races " in text for text in wrong) and any(" bounds " in text for text in wrong)


def _no_pairs_in_a_block(patch: pytest.MonkeyPatch) -> None:
    """Barriers are taken to order all that a block does."""
    patch.setattr(proofs, "concurrent", lambda first, second: ())


def _writes_do_not_conflict(patch: pytest.MonkeyPatch) -> None:
    """Two writes to one place are forgiven."""
    original = pairs.conflicting
    patch.setattr(proofs, "conflicting", lambda a, b: original(a, b) and not (a.writes and b.writes))


def _all_values_agree(patch: pytest.MonkeyPatch) -> None:
    """No condition is taken to differ between threads."""
    patch.setattr(proofs, "uniformity", lambda term: Uniformity.GRID)


def _plain_writes_are_the_same(patch: pytest.MonkeyPatch) -> None:
    """Whatever two threads write, it is taken to be one number."""
    patch.setattr(proofs, "same_constant", lambda first, second: first.writes and second.writes)


def _extents_are_generous(patch: pytest.MonkeyPatch) -> None:
    """Extents are counted twice."""
    original = proofs._stays

    def broken(ladder: Ladder, access: Access, extent: Term, *, guess: bool = False) -> bool:
        return original(ladder, access, binary("mul", extent, const(2, I64), I64), guess=guess)

    patch.setattr(proofs, "_stays", broken)


@pytest.mark.parametrize(
    ("sabotage", "name"),
    [
        (_no_pairs_in_a_block, "races"),
        (_writes_do_not_conflict, "races"),
        (_plain_writes_are_the_same, "races"),
        (_all_values_agree, "barriers"),
        (_extents_are_generous, "bounds"),
    ],
)
def test_broken_reasoning_about_kernels_is_caught(
    sabotage: Callable[[pytest.MonkeyPatch], None], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sabotage(monkeypatch)
    for seed in (11, 12, 13, 14):
        wrong, _ = contradictions(seed, rich=True)
        if any(f" {name} " in text for text in wrong):
            return
    raise AssertionError("240 random kernels did not notice")
