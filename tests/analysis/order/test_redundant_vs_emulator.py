"""Random small kernels: without the barriers that are called redundant they have no race that they had not before."""

from __future__ import annotations

import re

import pytest

from kernlint.analysis.base import AnalysisOptions, Facts, ModuleFacts
from kernlint.analysis.verdict import removed
from kernlint.analysis.verdict.redundant import redundant
from kernlint.frontends.base import FrontendOptions
from kernlint.prove.emulate import Budget, FaultKind, LaunchSpec, run
from kernlint.run.engine import default_frontend
from kernlint.source import SourceFile
from kernlint.tree.nodes import FunctionDecl, Module
from tests.analysis.test_verdicts_vs_emulator import HELPERS, KERNELS, Writer

CALL = "__syncthreads()"
BUDGET = Budget(steps=60_000, faults=400)


def parsed(text: str) -> Module:
    return default_frontend().parse_file(SourceFile("random.cu", text.encode()), FrontendOptions())[0]


def races(function: FunctionDecl, threads: int, blocks: int, n: int) -> set[tuple[int, ...]] | None:
    """The pairs of places that race in shared memory or within a block; None where the run did not end."""
    outcome = run(function, LaunchSpec((threads, 1, 1), (blocks, 1, 1)), {"n": n}, BUDGET)
    faults = outcome.of(FaultKind.RACE)
    if not outcome.finished or len(faults) >= BUDGET.faults:
        return None
    found = (sorted(one.span.start for one in (f.first, f.second) if one is not None and one.span) for f in faults)
    return {tuple(spans) for f, spans in zip(faults, found, strict=True) if not f.benign}


def wrong(seed: int, rich: bool) -> tuple[list[str], int]:
    """Removals that the emulator sees a new race after, and how many there were."""
    writer = Writer(seed, rich)
    text = HELPERS * rich + "".join(writer.kernel(number) for number in range(KERNELS))
    facts = ModuleFacts(parsed(text), AnalysisOptions(pedantic=True))
    found: list[str] = []
    count = 0
    for kernel in facts.module.kernels:
        one = Facts(facts, kernel)
        told = one[redundant]
        if not told:
            continue
        count += len(told)
        changed = text
        for each in told:
            start = each.barrier.span.start
            assert changed[start:].startswith(CALL)
            changed = changed[:start] + "(void)0".ljust(len(CALL)) + changed[start + len(CALL) :]
        after = next(k for k in parsed(changed).kernels if k.function.name == kernel.function.name)
        said = " ".join(word for each in told for word in each.assumptions)
        given = {int(size) for size in re.findall(r"block = (\d+)\b(?! x)", said)}
        for threads in sorted(given) or [3, 32, 48, 64]:
            for blocks, n in ((1, 5), (2, threads), (3, 2 * threads - 3)):
                was = races(kernel.function, threads, blocks, n)
                now = races(after.function, threads, blocks, n)
                if was is not None and now is not None and not now <= was:
                    places = [text[: pair[0]].count("\n") + 1 for pair in now - was]
                    found.append(f"{kernel.function.name} {threads} {blocks} {n}: {places}, {told[0].assumptions}")
    return found, count


@pytest.mark.parametrize(("seed", "rich"), [(21, False), (22, False), (23, True)])
def test_no_removal_makes_a_race(seed: int, rich: bool) -> None:
    found, count = wrong(seed, rich)
    assert not found, found[0]
    assert count > KERNELS // 10


def test_a_search_that_asks_about_no_pair_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(removed.Ways, "newly", lambda self, other: iter(()))
    assert wrong(21, False)[0]
