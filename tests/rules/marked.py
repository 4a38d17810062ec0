"""Runs one rule over a text in which the lines to be reported end in ``// bad``."""

from __future__ import annotations

from kernlint.finding import Finding
from kernlint.result import Level
from kernlint.rule import Example, RuleClass
from kernlint.testing import analyse


def findings(rule: RuleClass, code: str, language: str = "cuda", **settings: str) -> list[Finding]:
    """What ``rule`` finds in ``code``; nothing must have crashed."""
    example = Example(language, True, code, (), tuple(settings.items()))
    outcome = analyse(rule, example)
    loud = [note.message for note in outcome.notifications if note.level is not Level.NOTE]
    assert not loud, loud
    return [result.finding for result in outcome.results]


def assert_marked(rule: RuleClass, code: str, language: str = "cuda", **settings: str) -> None:
    """The lines reported are those marked, no more and no less."""
    expected = {number for number, line in enumerate(code.splitlines(), 1) if line.rstrip().endswith("// bad")}
    got = {
        code.encode()[: f.span.start].count(b"\n") + 1: f.message for f in findings(rule, code, language, **settings)
    }
    assert got.keys() == expected, got


def assert_pair(rule: RuleClass, code: str, language: str = "cuda") -> None:
    """A case with its fault and mended: lines ``// only bad`` and ``// only good`` are of one of the two alone."""

    def variant(left_out: str) -> str:
        kept = [line for line in code.splitlines() if left_out not in line]
        return "\n".join(line.replace("  // only bad", "").replace("  // only good", "") for line in kept)

    assert_marked(rule, variant("// only good"), language)
    good = variant("// only bad").splitlines()
    assert_marked(rule, "\n".join(line.removesuffix("  // bad") for line in good), language)
