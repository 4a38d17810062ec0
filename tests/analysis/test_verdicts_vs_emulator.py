"""Random small kernels: what is proved of one is never contradicted by running it."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import cache

import pytest

from kernlint.analysis import verdicts as asking
from kernlint.analysis.base import Facts, ModuleFacts
from kernlint.analysis.proofs import EXITED, Verdicts, raceless, verdicts
from kernlint.analysis.verdicts import Ladder
from kernlint.engine import default_frontend
from kernlint.frontends.base import FrontendOptions
from kernlint.prove.emulate import Argument, Budget, Buffer, FaultKind, LaunchSpec, run
from kernlint.prove.query import Answer, Proved
from kernlint.source import SourceFile
from kernlint.tree.nodes import FunctionDecl, Module

KERNELS = 60

INDICES = ("t", "i", "t + 1", "t - 1", "63 - t", "t / 2", "t * 2", "i * 2", "i * 2 + 1", "t % 8", "0", "k", "t + 8 * k")
CONDITIONS = ("t < 32", "i < n", "t > 0", "n > 4", "t == 0", "t < n", "blockIdx.x == 0", "i + 1 < n", "t % 2 == 0")


class Writer:
    """Writes kernels over ``a`` and ``b`` in global memory and ``s`` in shared memory."""

    def __init__(self, seed: int) -> None:
        self.pick = random.Random(seed)

    def place(self, depth: int) -> str:
        index = self.pick.choice(INDICES if depth else [text for text in INDICES if "k" not in text])
        return f"{self.pick.choice(['s', 's', 'a', 'b'])}[{index}]"

    def statements(self, depth: int, loops: int) -> Iterator[str]:
        for _ in range(self.pick.randint(1, 3)):
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

    def kernel(self, number: int) -> str:
        body = "\n  ".join(self.statements(0, 0))
        return (
            f"__global__ void k{number}(int *a, int *b, int n) {{\n  __shared__ int s[128];\n"
            f"  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n  {body}\n}}\n"
        )


@cache
def module(seed: int) -> Module:
    writer = Writer(seed)
    text = "".join(writer.kernel(number) for number in range(KERNELS))
    return default_frontend().parse_file(SourceFile("random.cu", text.encode()), FrontendOptions())[0]


def judged(seed: int) -> Iterator[tuple[FunctionDecl, Verdicts]]:
    facts = ModuleFacts(module(seed))
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


def contradictions(seed: int) -> tuple[list[str], dict[str, int]]:
    wrong: list[str] = []
    proved = {"races": 0, "barriers": 0, "bounds": 0}
    for function, found in judged(seed):
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
                if status[name] and faults:
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


def test_a_prover_that_proves_everything_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def credulous(self: Ladder, query: object, *, guess: bool = False) -> Answer:
        return Proved()

    monkeypatch.setattr(asking.Ladder, "proves", credulous)
    wrong, _ = contradictions(3)
    assert any(" races " in text for text in wrong) and any(" bounds " in text for text in wrong)
