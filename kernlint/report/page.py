"""A rule's page on the terminal."""

from __future__ import annotations

from kernlint.registry import CONTROL_CODES, CONTROL_TEXTS
from kernlint.report.console import console
from kernlint.rule import RuleClass, document


def print_page(rule: RuleClass, family: str, color: str) -> None:
    """Print the docstring of ``rule`` as rendered Markdown, under its code, name and level."""
    from rich.markdown import Markdown

    out = console(color)
    out.print(f"{rule.meta.code} {rule.meta.name}", style="bold", highlight=False)
    facts = [family, rule.meta.severity.value, f"since {rule.meta.since}", *rule.meta.tags]
    out.print("  ".join(facts), style="dim", highlight=False)
    out.print()
    out.print(Markdown(document(rule).markdown, code_theme="ansi_dark"))


def print_control_page(name: str, color: str) -> None:
    """Print what is to say about a finding on directives, named by its code or name."""
    code = next(c for c, n in CONTROL_CODES.items() if name.upper() == c or name.lower() == n)
    out = console(color)
    out.print(f"{code} {CONTROL_CODES[code]}", style="bold", highlight=False)
    out.print()
    out.print(CONTROL_TEXTS[code], highlight=False, markup=False)
