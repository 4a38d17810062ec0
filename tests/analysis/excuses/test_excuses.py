"""Every excuse: its example is passed over for its sake alone, and its twin is reported."""

import importlib
import pkgutil

import pytest

from kernlint import registry
from kernlint.analysis import excuses
from kernlint.analysis.excuses.excuse import REGISTERED, UndocumentedExcuse, excuse, excused, ledger, without
from kernlint.finding import Severity
from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.run.engine import Engine
from kernlint.source import SourceFile

for module in pkgutil.iter_modules(excuses.__path__):
    importlib.import_module(f"kernlint.analysis.excuses.{module.name}")

SUFFIXES = {"cuda": ".cu", "hip": ".hip", "opencl": ".cl", "python": ".py"}
FAMILIES = {"races": "KL2", "bounds": "KL1", "runs": "KL"}
"""What codes the findings of a family of suspicions begin with."""


@pytest.fixture(scope="module")
def reported():
    """Codes that warnings and errors about a text have."""
    rules = registry.load()
    selection = Selection(rules, Config())

    def of(example):
        engine = Engine(rules, selection)
        outcome = engine.check_source(SourceFile(f"k{SUFFIXES[example.language]}", example.code.encode()), selection)
        assert not [note.message for note in outcome.notifications if note.level.value != "note"]
        return [r.finding.code for r in outcome.results if r.finding.severity is not Severity.NOTE]

    return of


def examples(excused):
    return [
        pytest.param(one, example, id=one.name)
        for one in sorted(REGISTERED.values(), key=lambda one: one.name)
        for example in one.examples
        if example.excused is excused
    ]


@pytest.mark.parametrize(("one", "example"), examples(True))
def test_an_example_is_passed_over_for_its_excuse_alone(one, example, reported):
    with ledger() as kept:
        assert reported(example) == []
    assert one.name in {fired.excuse for fired in kept.fired}
    with without(one.name):
        assert any(code.startswith(FAMILIES[one.family]) for code in reported(example))


@pytest.mark.parametrize(("one", "example"), examples(False))
def test_the_twin_is_reported(one, example, reported):
    assert any(code.startswith(FAMILIES[one.family]) for code in reported(example))


def test_an_excuse_needs_an_example_and_a_twin():
    def lonely(suspicion, witness):
        """It is right.

        ```cuda excused
        __global__ void k() {}
        ```
        """
        return True

    made = excuse("races", lambda suspicion: ())(lonely)
    REGISTERED.pop(made.name)
    with pytest.raises(UndocumentedExcuse, match="lonely has no twin that is still bad"):
        _ = made.examples


def test_a_ledger_notes_one_suspicion_once_and_the_first_excuse():
    made = [
        excuse("races", lambda suspicion: ())(test)
        for test in (_function("never", False), _function("always", True), _function("too", True))
    ]
    for one in made:
        REGISTERED.pop(one.name)
    with ledger() as kept:
        assert excused(made, 1, None)
        assert excused(made, 1, None)
        with without("always", "too"):
            assert not excused(made, 1, None)
    assert kept.counts == {"always": 1}
    assert excused(made, 1, None)  # nobody keeps a ledger: nothing to note
    assert kept.counts == {"always": 1}


def _function(name, answer):
    def test(suspicion, witness):
        return answer

    test.__name__ = name
    return test
