"""The harness for rule packs: every example of a rule's docstring is run and compared with its marks.

A pack tests itself with one parametrised test::

    from kernlint.testing import cases, check

    @pytest.mark.parametrize("case", cases("my_rules"), ids=str)
    def test_example(case):
        check(case)
"""

from __future__ import annotations

import importlib

from kernlint.frontends.base import Frontend
from kernlint.policy.config import Config, parse_toml
from kernlint.policy.selection import Selection
from kernlint.record import dataclass, replace
from kernlint.registry import Registry, collect, load
from kernlint.result import Level
from kernlint.rule import Example, RuleClass, document
from kernlint.run.engine import Engine
from kernlint.run.outcome import FileOutcome
from kernlint.source import SourceFile

SUFFIXES = {"cuda": ".cu", "hip": ".hip", "opencl": ".cl", "python": ".py"}


@dataclass(frozen=True, slots=True)
class Case:
    """One example of one rule."""

    rule: RuleClass
    example: Example

    def __str__(self) -> str:
        return f"{self.rule.meta.code}-{self.rule.meta.name}-{self.example.label}"


def cases(package: str | None = None) -> list[Case]:
    """Every example of every rule of an importable package, of all installed packs when None."""
    registry = load() if package is None else collect([importlib.import_module(package)])
    return [Case(rule, example) for rule in registry.rules for example in examples(rule)]


def examples(rule: RuleClass) -> tuple[Example, ...]:
    """The examples in a rule's docstring.  Raises :class:`~kernlint.rule.DocumentationError`."""
    return document(rule).examples


def analyse(rule: RuleClass, example: Example, frontend: Frontend | None = None) -> FileOutcome:
    """Run ``rule`` alone over the example's text under the example's settings."""
    registry = Registry((rule,), {rule.meta.code: rule.meta.family or "example"})
    config = Config(select=(rule.meta.code,), pedantic=True)
    options: dict[str, object] = {}
    for key, value in example.settings:
        if key in ("block", "grid"):
            x, y, z = (*(int(part) for part in value.split(",")), 1, 1)[:3]
            config = replace(config, **{key: (x, y, z)})  # type: ignore[arg-type]
        elif key == "target":
            config = replace(config, target=tuple(value.split(",")))
        elif key == "define":
            config = replace(config, defines=(*config.defines, value))
        elif key.startswith("option."):
            options[key.removeprefix("option.")] = parse_toml("", f"value = {value}")["value"]
        else:
            raise AssertionError(f"{rule.meta.name}: example {example.number} has the unknown setting {key!r}")
    config = replace(config, rules={rule.meta.name: options})
    source = SourceFile(f"example{SUFFIXES[example.language]}", example.code.encode())
    selection = Selection(registry, config)
    return Engine(registry, selection, frontend).check_source(source, selection)


def check_example(rule: RuleClass, example: Example, frontend: Frontend | None = None) -> None:
    """Raise :class:`AssertionError` unless the rule finds exactly what the example's marks say.

    An example that crashes the rule, or in which no kernel or a kernel only in part is analysed, is wrong too.
    """
    outcome = analyse(rule, example, frontend)
    loud = [note for note in outcome.notifications if note.level is not Level.NOTE]
    problems = [f"{note.message}\n{note.detail}".rstrip() for note in loud]
    source = SourceFile("", example.code.encode())
    got = {(source.line_of(r.finding.span.start), r.finding.code): r.finding for r in outcome.results}
    for line, code in example.expected:
        if (line, code) not in got:
            problems.append(f"line {line}: {code} is expected and not found: {source.line_text(line).strip()}")
    for (line, code), finding in sorted(got.items()):
        if (line, code) not in example.expected:
            problems.append(f"line {line}: {code} is not expected: {finding.severity.value}: {finding.message}")
    if problems:
        raise AssertionError(f"{rule.meta.name}, {example.label}:\n" + "\n".join(problems))


def check(case: Case) -> None:
    """:func:`check_example` for a case of :func:`cases`."""
    check_example(case.rule, case.example)
