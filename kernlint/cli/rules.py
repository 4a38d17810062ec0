"""``kernlint rules`` and ``kernlint rule NAME``."""

from __future__ import annotations

import argparse
import dataclasses
import json
from typing import Any

from kernlint.registry import Registry, names_control
from kernlint.rule import RuleClass, document


def list_rules(options: argparse.Namespace, registry: Registry) -> int:
    """Print all rules, or those of one family, as a table or as JSON."""
    rules = registry.matching(options.family) if options.family else registry.rules
    if options.json:
        print(json.dumps([_as_json(rule, registry) for rule in rules], indent=2))
        return 0
    width = max((len(rule.meta.name) for rule in rules), default=0)
    families = dict.fromkeys(registry.families[rule.meta.code] for rule in rules)
    for number, family in enumerate(families):
        print(f"{chr(10) if number else ''}{family}")
        for rule in rules:
            if registry.families[rule.meta.code] == family:
                title = document(rule).title.replace("`", "")
                print(f"  {rule.meta.code}  {rule.meta.name:<{width}}  {rule.meta.severity.value:<7}  {title}")
    return 0


def explain(options: argparse.Namespace, registry: Registry) -> int:
    """Print one rule's page: its docstring, which is also its test."""
    from kernlint.report.page import print_control_page, print_page

    if names_control(options.name):
        print_control_page(options.name, options.color)
        return 0
    rule = registry.get(options.name)
    print_page(rule, registry.families[rule.meta.code], options.color)
    return 0


def _as_json(rule: RuleClass, registry: Registry) -> dict[str, Any]:
    page = document(rule)
    return {
        "code": rule.meta.code,
        "name": rule.meta.name,
        "family": registry.families[rule.meta.code],
        "severity": rule.meta.severity.value,
        "since": rule.meta.since,
        "tags": list(rule.meta.tags),
        "title": page.title,
        "options": {f.name.replace("_", "-"): _plain(f.default) for f in dataclasses.fields(rule.Options)},
        "help": page.markdown,
    }


def _plain(value: object) -> object:
    return value if isinstance(value, bool | int | float | str) or value is None else repr(value)
