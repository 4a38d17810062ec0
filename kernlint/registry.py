"""Finds the rule packs and checks them before a file is read.

A pack is a package named by an entry point of the group ``kernlint.rules``.  Its modules are walked and every
rule class defined in them is taken: there is no list of rules anywhere.  The built-in pack comes the same way.
"""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

from kernlint import packs
from kernlint.analysis.base import BadGraph, ModuleAnalysis, check_graph
from kernlint.record import dataclass, is_dataclass
from kernlint.rule import DocumentationError, Meta, ModuleRule, Rule, RuleClass, document, plainly_documented
from kernlint.text.nearest import nearest, one_slip
from kernlint.text.patterns import pattern

_CODE = pattern(r"[A-Z]{2,6}\d{3}")
_NAME = pattern(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")

BUILT_IN = "kernlint_rules"
"""The package of the built-in rules, whose examples its own tests read: a run does not."""

CONTROL_CODES = {"KL001": "unused-suppression", "KL002": "malformed-directive"}
"""Findings of kernlint itself about directives in the source; no rule may take their codes or names."""

CONTROL_TEXTS = {
    "KL001": "A directive in the source silences nothing: remove it, or correct the rule it names.",
    "KL002": "A kernlint directive in the source is not understood, so it silences nothing.",
}


class RegistryError(Exception):
    """A rule pack is broken; the message names the pack or rule and what is wrong with it."""


class UnknownRule(ValueError):
    """A selector fits no rule; the message names the nearest ones."""


@dataclass(frozen=True, slots=True)
class Registry:
    """All rules found, ordered by code.  ``families``: folder of each rule by its code."""

    rules: tuple[RuleClass, ...]
    families: Mapping[str, str]

    def get(self, name: str) -> RuleClass:
        """The rule with this code or name.  Raises :class:`UnknownRule`."""
        wanted = name.strip()
        for rule in self.rules:
            if wanted.upper() == rule.meta.code or wanted.lower() == rule.meta.name:
                return rule
        raise UnknownRule(f"unknown rule {name!r}{self._hint(name, families=False)}")

    def matching(self, selector: str) -> tuple[RuleClass, ...]:
        """Rules that ``selector`` means: a code, a prefix of codes (``KL2``), a name, a family, or ``ALL``.

        Raises :class:`UnknownRule` when it means none.
        """
        wanted = selector.strip()
        if wanted.upper() == "ALL":
            return self.rules
        found = tuple(
            rule
            for rule in self.rules
            if wanted.lower() in (rule.meta.name, self.families[rule.meta.code])
            or (re.fullmatch(r"[A-Z]+\d*", wanted.upper()) and rule.meta.code.startswith(wanted.upper()))
        )
        if not found and not names_control(wanted):
            raise UnknownRule(f"unknown rule {selector!r}{self._hint(selector, families=True)}")
        return found

    def means_one(self, selector: str, rule: RuleClass) -> bool:
        """Whether ``selector`` names exactly this rule, by its code or its name."""
        return selector.strip().upper() == rule.meta.code or selector.strip().lower() == rule.meta.name

    def _hint(self, name: str, families: bool) -> str:
        wanted = name.strip()
        codes = [*(rule.meta.code for rule in self.rules), *CONTROL_CODES]
        if re.fullmatch(r"[A-Za-z]+\d\w*", wanted):  # meant as a code: a single slip, or no rule at all
            near = [code for code in nearest(wanted, codes, count=9) if one_slip(wanted.upper(), code)][:2]
            if not near and families:
                return f"; codes begin with {self._prefixes()}"
        else:
            known = [*(rule.meta.name for rule in self.rules), *codes, *CONTROL_CODES.values()]
            near = nearest(wanted, [*known, *sorted(set(self.families.values()))] if families else known, 2, 0.6)
        return f"; did you mean {' or '.join(near)}?" if near else "; see: kernlint rules"

    def _prefixes(self) -> str:
        """``KL1 (bounds), KL2 (synchronisation)``: how the codes of each family begin."""
        found: dict[str, dict[str, None]] = {}
        for rule in self.rules:
            found.setdefault(rule.meta.code[:-2], {})[self.families[rule.meta.code]] = None
        return ", ".join(f"{prefix} ({', '.join(families)})" for prefix, families in sorted(found.items()))


def names_control(selector: str) -> bool:
    """Whether ``selector`` is the code or name of a finding about directives."""
    return selector.upper() in CONTROL_CODES or selector.lower() in CONTROL_CODES.values()


def load() -> Registry:
    """All rules of all installed packs.  Raises :class:`RegistryError`."""
    packages = []
    for name, value in packs.installed():
        try:
            packages.append(importlib.import_module(value))
        except Exception as error:
            raise RegistryError(f"rule pack {name!r} ({value}) cannot be imported: {_why(error)}") from error
    return collect(packages)


def collect(packages: Iterable[ModuleType]) -> Registry:
    """The rules of ``packages``, checked.  Raises :class:`RegistryError`."""
    rules: dict[str, RuleClass] = {}
    names: dict[str, RuleClass] = {}
    families: dict[str, str] = {}
    for package in packages:
        ours = package.__name__ == BUILT_IN
        for module in _modules(package):
            for rule in _rules_of(module):
                _check(rule, ours)
                for taken, key in ((rules, rule.meta.code), (names, rule.meta.name)):
                    if (other := taken.setdefault(key, rule)) is not rule:
                        raise RegistryError(f"{_where(rule)} and {_where(other)} are both called {key}")
                families[rule.meta.code] = rule.meta.family or _family(package, module)
    try:
        check_graph(need for rule in rules.values() for need in rule.needs)
    except BadGraph as error:
        raise RegistryError(f"the rules' needs are not sound: {error}") from error
    return Registry(tuple(rules[code] for code in sorted(rules)), families)


def _modules(package: ModuleType) -> Iterator[ModuleType]:
    yield package
    folders = list(getattr(package, "__path__", ()))
    for name in sorted({name for folder in folders for name in _names(folder)}):
        full = f"{package.__name__}.{name}"
        try:
            module = importlib.import_module(full)
        except Exception as error:
            raise RegistryError(f"rule module {full} cannot be imported: {_why(error)}") from error
        yield from _modules(module)


def _names(folder: str) -> Iterator[str]:
    """The modules and packages in a folder of a package's path; ``pkgutil`` would load ``inspect`` to tell."""
    if not os.path.isdir(folder):  # in a zip file
        import pkgutil

        yield from (info.name for info in pkgutil.iter_modules([folder]))
        return
    for entry in os.scandir(folder):
        name, suffix = os.path.splitext(entry.name)
        module = suffix == ".py" and name != "__init__"
        package = name.isidentifier() and os.path.isfile(os.path.join(entry.path, "__init__.py"))
        if module or package:
            yield name


def _rules_of(module: ModuleType) -> Iterator[RuleClass]:
    for value in vars(module).values():
        if (
            isinstance(value, type)
            and issubclass(value, Rule | ModuleRule)
            and value.__module__ == module.__name__
            and not value.__name__.startswith("_")
        ):
            yield value


def _check(rule: RuleClass, glance: bool) -> None:
    """Raise :class:`RegistryError` unless ``rule`` is fit to run; with a ``glance`` its examples are not read."""
    meta = getattr(rule, "meta", None)
    if not isinstance(meta, Meta):
        raise RegistryError(f"{_where(rule)} has no meta = Meta(...)")
    if not _CODE.fullmatch(meta.code):
        raise RegistryError(f"{_where(rule)}: the code {meta.code!r} is not letters and three digits, like KL201")
    if not _NAME.fullmatch(meta.name):
        raise RegistryError(f"{_where(rule)}: the name {meta.name!r} is not kebab-case, like shared-memory-race")
    if meta.code in CONTROL_CODES or meta.name in CONTROL_CODES.values():
        raise RegistryError(f"{_where(rule)}: {meta.code} {meta.name} belongs to kernlint itself")
    options: Any = rule.Options
    if not (isinstance(options, type) and is_dataclass(options) and _frozen(options)):
        raise RegistryError(f"{_where(rule)}: Options is not a frozen dataclass")
    try:
        options()
    except TypeError as error:
        raise RegistryError(f"{_where(rule)}: every option needs a default ({error})") from error
    if not isinstance(rule.needs, Sequence):
        raise RegistryError(f"{_where(rule)}: needs is not a tuple of analyses")
    method = "check" if issubclass(rule, Rule) else "check_module"
    if getattr(rule, method) is getattr(Rule if method == "check" else ModuleRule, method):
        raise RegistryError(f"{_where(rule)} does not define {method}")
    if issubclass(rule, ModuleRule) and not all(isinstance(need, ModuleAnalysis) for need in rule.needs):
        raise RegistryError(f"{_where(rule)} is about a file, so its needs must be file-level analyses")
    try:
        if not (glance and plainly_documented(rule)):
            document(rule)
    except DocumentationError as error:
        raise RegistryError(f"{_where(rule)}: {error}") from error


def _frozen(options: Any) -> bool:
    return options.__setattr__ is not object.__setattr__


def _family(package: ModuleType, module: ModuleType) -> str:
    """The folder of the pack that the rule's module stands in; the pack's own name for one at its top."""
    inner = module.__name__.removeprefix(package.__name__).strip(".").split(".")
    return (inner[0] if len(inner) > 1 else package.__name__.rpartition(".")[2]).replace("_", "-")


def _where(rule: RuleClass) -> str:
    return f"rule {rule.__module__}.{rule.__qualname__}"


def _why(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
