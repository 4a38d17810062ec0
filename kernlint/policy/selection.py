"""Which rules run on which file, and at which level their findings are shown."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from typing import Any

from kernlint.finding import Severity
from kernlint.policy.config import Config, ConfigError, place_of
from kernlint.record import dataclass, fields
from kernlint.registry import Registry, UnknownRule
from kernlint.rule import AnyRule, RuleClass
from kernlint.text.nearest import nearest


class Selection:
    """The rules of a registry as one configuration wants them.

    Raises :class:`ConfigError` for a selector, severity or option that names no rule, and for an option a rule does
    not have or of the wrong type.
    """

    def __init__(self, registry: Registry, config: Config) -> None:
        self.registry = registry
        self.config = config
        self._wanted = _ranks(registry, config, "select", (*config.select, *config.extend_select))
        self._unwanted = _ranks(registry, config, "ignore", config.ignore)
        self._named = frozenset(
            rule.meta.code
            for rule in registry.rules
            for selector in (*config.select, *config.extend_select)
            if registry.means_one(selector, rule)
        )
        self._severity = _severities(registry, config)
        options = _options(registry, config)
        self._rules: tuple[AnyRule, ...] = tuple(
            rule(options.get(rule.meta.code)) for rule in registry.rules if self._enabled(rule.meta.code)
        )
        for glob, names in config.per_file_ignores:
            for name in names:
                _matching(registry, config, f"per-file-ignores.{glob}", name)

    def _enabled(self, code: str) -> bool:
        """The more exact of select and ignore wins; ignore wins between equals."""
        wanted = self._wanted.get(code)
        return wanted is not None and wanted > self._unwanted.get(code, -1)

    def rules_for(self, path: str) -> tuple[AnyRule, ...]:
        """The rules to run on the file at ``path``, with their options, in order of code."""
        off = {rule.meta.code for selector in self.config.ignored_in(path) for rule in self.registry.matching(selector)}
        return tuple(rule for rule in self._rules if rule.meta.code not in off) if off else self._rules

    def control_enabled(self, code: str, name: str) -> bool:
        """Whether the finding about directives with this code is wanted."""
        return not any(s.upper() == code or s.lower() == name for s in self.config.ignore)

    def level(self, rule: RuleClass | None, severity: Severity) -> Severity:
        """The level at which a finding of ``severity`` is shown.

        A configured level replaces warnings and errors; a note stays one, since it was never sure, unless the
        rule never says more than a note.
        """
        if rule is None:
            return severity
        configured = self._severity.get(rule.meta.code)
        if configured is None or (severity is Severity.NOTE and rule.meta.severity is not Severity.NOTE):
            return severity
        return configured

    def shows(self, code: str, severity: Severity) -> bool:
        """Whether a finding of this level is reported: notes only when pedantic or the rule was named."""
        return severity is not Severity.NOTE or self.config.pedantic or code in self._named


def _matching(registry: Registry, config: Config, key: str, selector: str) -> tuple[RuleClass, ...]:
    try:
        return registry.matching(selector)
    except UnknownRule as error:
        raise ConfigError(f"{config.path + ': ' if config.path else ''}{key}: {error}") from None


def _ranks(registry: Registry, config: Config, key: str, selectors: tuple[str, ...]) -> Mapping[str, int]:
    """For every rule that a selector fits, how exact the most exact one is."""
    ranks: dict[str, int] = {}
    for selector in selectors:
        for rule in _matching(registry, config, key, selector):
            if selector.strip().upper() == "ALL":
                rank = 0
            elif registry.means_one(selector, rule):
                rank = 100
            elif rule.meta.code.startswith(selector.strip().upper()):
                rank = len(selector.strip())
            else:
                rank = 1  # a family, which is about as exact as a short prefix
            ranks[rule.meta.code] = max(ranks.get(rule.meta.code, -1), rank)
    return ranks


def _severities(registry: Registry, config: Config) -> Mapping[str, Severity]:
    levels: dict[str, Severity] = {}
    exact = sorted(
        config.severity, key=lambda item: len(_matching(registry, config, "severity", item[0])), reverse=True
    )
    for selector, severity in exact:  # narrow selectors last, so that they win
        for rule in registry.matching(selector):
            levels[rule.meta.code] = severity
    return levels


def _options(registry: Registry, config: Config) -> Mapping[str, Any]:
    result = {}
    for name, given in config.rules.items():
        try:
            rule = registry.get(name)
        except UnknownRule as error:
            raise ConfigError(f"{_at(config.path, name)}rules.{name}: {error}") from None
        result[rule.meta.code] = _fill(rule, given, config.path, f"rules.{name}")
    return result


def _at(path: str, *keys: str) -> str:
    """``file:line: `` of nested keys, to go before a message; nothing without a file."""
    return f"{place_of(path, keys)}: " if path else ""


def _fill(rule: RuleClass, given: Mapping[str, Any], path: str, where: str) -> Any:
    table = where.partition(".")[2]
    known = {f.name.replace("_", "-"): f.name for f in fields(rule.Options)}
    hints = typing.get_type_hints(rule.Options)
    values = {}
    for key, value in given.items():
        name = known.get(key.replace("_", "-"))
        if name is None:
            near = nearest(key, known)
            hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(known) or 'no options'}"
            raise ConfigError(f"{_at(path, table, key)}{where}: {rule.meta.name} has no option {key}; {hint}")
        converted = _convert(hints[name], value)
        if converted is _BAD:
            raise ConfigError(
                f"{_at(path, table, key)}{where}.{key}: expected {_type_name(hints[name])}, got {value!r}"
            )
        values[name] = converted
    try:
        return rule.Options(**values)
    except ValueError as error:
        raise ConfigError(f"{_at(path, table)}{where}: {error}") from None


@dataclass(frozen=True, slots=True)
class _Bad:
    """Marks a value that does not have the wanted type."""


_BAD = _Bad()


def _convert(wanted: Any, value: Any) -> Any:
    """``value`` from TOML as the type an option is declared with; :data:`_BAD` when it is not one."""
    origin = typing.get_origin(wanted)
    if origin is typing.Literal:
        return next((each for each in typing.get_args(wanted) if type(each) is type(value) and each == value), _BAD)
    if origin in (typing.Union, types.UnionType):
        return next((c for arm in typing.get_args(wanted) if (c := _convert(arm, value)) is not _BAD), _BAD)
    if origin in (tuple, frozenset):
        item = typing.get_args(wanted)[0]
        if not isinstance(value, list):
            return _BAD
        items = [_convert(item, v) for v in value]
        return _BAD if _BAD in items else origin(items)
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(wanted, type) and isinstance(value, wanted) and (wanted is bool or not isinstance(value, bool)):
        return value
    return _BAD


def _type_name(wanted: Any) -> str:
    names = {bool: "true or false", int: "an integer", float: "a number", str: "a string"}
    if typing.get_origin(wanted) in (tuple, frozenset):
        item = typing.get_args(wanted)[0]
        return f"a list of {_type_name(item)}" if typing.get_origin(item) is typing.Literal else "a list"
    if typing.get_origin(wanted) is typing.Literal:
        return " or ".join(map(repr, typing.get_args(wanted)))
    return names.get(wanted, str(wanted))
