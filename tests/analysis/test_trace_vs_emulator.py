"""The trace and the block emulator were written apart; on small launches they must not contradict each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.analysis.trace.run import trace_function
from kernlint.prove.emulate.report import LaunchSpec
from kernlint.source import SourceFile
from tests.analysis.concrete import Launched, disagreements
from tests.analysis.facts import modules
from tests.analysis.test_facts import FILES

LAUNCHES = (
    (LaunchSpec((16, 1, 1), (2, 1, 1)), 21),
    (LaunchSpec((4, 4, 2), (2, 2, 1)), 5),
    (LaunchSpec((40, 1, 1), (1, 1, 1)), 3),
)
"""Launches tried, each with the value of every integer argument."""


def compared(path: Path, spec: LaunchSpec, number: int) -> tuple[int, list[str]]:
    """Variants of the file that the emulator ran, and all disagreements."""
    source = SourceFile(str(path), path.read_bytes())
    ran, out = 0, []
    for module in modules(path):
        for kernel in module.kernels:
            for variant in kernel.variants:
                launched = Launched(variant, spec, number)
                outcome, log = launched.watch(module.language, source)
                if outcome.unsupported or outcome.exhausted:
                    continue
                ran += 1
                trace = trace_function(variant, module.language)
                out += [f"{variant.name}: {text}" for text in disagreements(trace, launched, outcome, log, source)]
    return ran, out


@pytest.mark.parametrize("spec, number", LAUNCHES, ids=lambda value: str(getattr(value, "block", value)))
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_what_happens_is_predicted_and_what_is_certain_happens(path: Path, spec: LaunchSpec, number: int) -> None:
    ran, out = compared(path, spec, number)
    assert out == []
    assert ran >= 3, "the emulator understands next to nothing of this file"
