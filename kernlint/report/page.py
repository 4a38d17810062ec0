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
    text = document(rule).markdown
    if options := options_markdown(rule):
        text += f"\nOptions, in `[tool.kernlint.rules.{rule.meta.name}]`:\n\n{options}"
    out.print(Markdown(text, code_theme="ansi_dark"))


def options_markdown(rule: RuleClass) -> str:
    """A table of the rule's options and what they mean; empty when it has none."""
    from dataclasses import fields

    options = fields(rule.Options)
    if not options:
        return ""
    meaning = (rule.Options.__doc__ or "").replace("``", "`")
    for option in options:
        meaning = meaning.replace(f"`{option.name}`", f"`{option.name.replace('_', '-')}`")
    rows = [f"| `{option.name.replace('_', '-')}` | `{_toml(option.default)}` |" for option in options]
    table = "\n".join(["| option | default |", "|---|---|", *rows])
    return f"{table}\n\n{' '.join(meaning.split())}".rstrip() + "\n"


def _toml(value: object) -> str:
    """A default as it would be written in a configuration."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple | frozenset):
        return f"[{', '.join(map(_toml, sorted(value)))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def print_control_page(name: str, color: str) -> None:
    """Print what is to say about a finding on directives, named by its code or name."""
    code = next(c for c, n in CONTROL_CODES.items() if name.upper() == c or name.lower() == n)
    out = console(color)
    out.print(f"{code} {CONTROL_CODES[code]}", style="bold", highlight=False)
    out.print()
    out.print(CONTROL_TEXTS[code], highlight=False, markup=False)
