"""Configuration: ``[tool.kernlint]`` in ``pyproject.toml``, or ``kernlint.toml``; the nearest one above a file wins.

Everything is checked when it is read: an unknown key names the nearest right one, a wrong type says what was
expected, broken TOML gives file and line.  Rule names and options are checked later, by who knows the rules.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence

from kernlint.finding import Confidence, Severity
from kernlint.record import dataclass, field, fields, replace
from kernlint.text.nearest import nearest
from kernlint.text.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Dim3 = tuple[int, int, int]


MACRO = pattern(r"[A-Za-z_$][\w$]*(?:\([^()]*\))?(?:=.*)?", re.S)
"""What may be defined: NAME, NAME=VALUE, NAME(PARAMETERS)=VALUE."""


_YEARS = ("98", "03", "11", "14", "17", "20", "23", "26", "0x", "1y", "1z", "2a", "2b", "2c")
STANDARDS = (
    *(f"{family}{year}" for family in ("c++", "gnu++") for year in _YEARS),
    *(f"{family}{year}" for family in ("c", "gnu") for year in ("89", "90", "99", "11", "17", "23")),
    *(f"cl{version}" for version in ("1.0", "1.1", "1.2", "2.0", "3.0", "c++", "c++1.0", "c++2021")),
)
"""What may stand behind ``-std=``."""


class ConfigError(Exception):
    """The configuration is wrong; the message begins with the file, and the line where it is known."""


@dataclass(frozen=True, slots=True)
class Override:
    """Settings for the files that one of ``files`` (globs) fits; None leaves the general setting."""

    files: tuple[str, ...]
    defines: tuple[str, ...] | None = None
    include: tuple[str, ...] | None = None
    std: str | None = None
    target: tuple[str, ...] | None = None
    block: Dim3 | None = None
    grid: Dim3 | None = None
    assume: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of one configuration file, or the defaults.

    ``path`` is the file they came from ("" for the defaults); ``root`` its folder, to which globs and ``include`` are
    relative (``include`` is absolute already).  ``fail_on`` None: findings never fail the run.  ``block`` is in
    threads, ``grid`` in blocks; ``assume`` holds of every launch.
    """

    path: str = ""
    root: str = ""
    select: tuple[str, ...] = ("ALL",)
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    severity: tuple[tuple[str, Severity], ...] = ()
    target: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    std: str | None = None
    block: Dim3 | None = None
    grid: Dim3 | None = None
    assume: tuple[str, ...] = ()
    compile_commands: str | None = None
    frontend: str = "auto"
    fail_on: Severity | None = Severity.WARNING
    min_confidence: Confidence = Confidence.LOW
    exclude: tuple[str, ...] = ()
    pedantic: bool = False
    cache: bool = True
    require_reason: bool = False
    overrides: tuple[Override, ...] = ()
    rules: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def home(self) -> str:
        """The folder of the configuration file; "" for the defaults."""
        return os.path.dirname(self.path)

    @property
    def plain(self) -> bool:
        """Whether it says nothing that rules, targets or kernels have to be asked about."""
        usual = Config()
        return all(getattr(self, name) == getattr(usual, name) for name in _CHECKED_LATER)

    def for_file(self, path: str) -> Config:
        """These settings with every override that fits ``path`` applied, later ones winning."""
        config = self
        for override in self.overrides:
            if any(glob_fits(glob, path, self.root) for glob in override.files):
                names = [f.name for f in fields(override) if f.name != "files"]
                changed = {n: v for n in names if (v := getattr(override, n)) is not None}
                config = replace(config, **changed)
        return config

    def excluded(self, path: str) -> bool:
        """Whether ``exclude`` names ``path`` or a folder above it."""
        return any(glob_fits(glob, path, self.root) for glob in self.exclude)

    def ignored_in(self, path: str) -> tuple[str, ...]:
        """Selectors that ``per-file-ignores`` switches off for ``path``."""
        return tuple(s for glob, names in self.per_file_ignores if glob_fits(glob, path, self.root) for s in names)


_CHECKED_LATER = (
    "select", "extend_select", "ignore", "per_file_ignores", "severity", "target", "block", "grid", "assume",
    "overrides", "rules",
)  # fmt: skip
"""Settings that may be wrong although the file they stand in is sound."""


def glob_fits(glob: str, path: str, root: str) -> bool:
    """Whether ``glob`` fits ``path`` or a folder above it, relative to ``root``.

    A glob without a slash fits a name at any depth; ``*`` crosses slashes, as in ``fnmatch``.
    """
    import fnmatch

    relative = os.path.relpath(os.path.abspath(path), root or os.getcwd()).replace(os.sep, "/")
    glob = glob.rstrip("/").removeprefix("./")
    parts = relative.split("/")
    heads = ["/".join(parts[: n + 1]) for n in range(len(parts))]
    if "/" not in glob and any(fnmatch.fnmatchcase(part, glob) for part in parts):
        return True
    globs = {glob, glob.removeprefix("**/")}
    return any(fnmatch.fnmatchcase(head, g) for head in heads for g in globs)


# ------------------------------------------------------------------------------------------- finding and reading


def load(path: str) -> Config:
    """Read the configuration file at ``path``, with what it extends.  Raises :class:`ConfigError`."""
    return _load(os.path.abspath(path), ())


def check_paths(config: Config) -> None:
    """Raise :class:`ConfigError` for an include folder or a compile database that is not there: what depends on it
    would silently be analysed without it."""
    where = f"{config.path}: " if config.path else ""
    for folder in (*config.include, *(f for o in config.overrides for f in o.include or ())):
        if not os.path.isdir(folder):
            raise ConfigError(f"{where}the include folder {folder} does not exist")
    database = config.compile_commands
    if database is not None and not os.path.exists(database):
        raise ConfigError(f"{where}the compile database {database} does not exist")


def _load(path: str, seen: tuple[str, ...]) -> Config:
    if path in seen:
        raise ConfigError(f"{path}: extends itself, by way of {' -> '.join(seen[seen.index(path) :])}")
    try:
        with open(path, "rb") as handle:
            text = handle.read().decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: is not UTF-8 text") from None
    table = parse_toml(path, text)
    if os.path.basename(path) == "pyproject.toml":
        table = table.get("tool", {}).get("kernlint", {})
    reader = _Reader(path, text)
    base = Config()
    if (parent := table.pop("extend", None)) is not None:
        if not isinstance(parent, str):
            raise reader.wrong("extend", "a path", parent)
        base = _load(os.path.join(os.path.dirname(path), os.path.expanduser(parent)), (*seen, path))
    return replace(base, path=path, root=os.path.dirname(path), **reader.read(table, KEYS))


def parse_toml(path: str, text: str) -> dict[str, Any]:
    """The table that the TOML ``text`` of the file at ``path`` holds.  Raises :class:`ConfigError`."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        table: dict[str, Any] = tomllib.loads(text)
        return table
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = re.search(r" \(at line (\d+), column (\d+)\)$", message)
        if place is None:
            line = text.count("\n") + 1
            raise ConfigError(
                f"{path}:{line}: {message.replace(' (at end of document)', ' at the end of the file')}"
            ) from None
        raise ConfigError(f"{path}:{place[1]}:{place[2]}: {message[: place.start()]}") from None


def place_of(path: str, keys: Sequence[str]) -> str:
    """``file:line`` of the last of nested keys in the settings at ``path``, each behind the one before; of those that
    are found where one is not, and ``file`` where none is."""
    try:
        with open(path, encoding="utf-8") as handle:
            text = handle.read()
    except (OSError, UnicodeDecodeError):
        return path
    return _place_in(path, text, keys)


def _place_in(path: str, text: str, keys: Sequence[str]) -> str:
    """The same of settings whose text is known."""
    place, at = path, 0
    for key in keys:
        leaf = re.escape(key).replace("_", "[-_]").replace(r"\-", "[-_]")
        match = re.compile(_KEY.format(leaf), re.M).search(text, at)
        if match is None:
            break
        at = match.end() - 1
        place = f"{path}:{text.count(chr(10), 0, match.start()) + 1}"
    return place


_KEY = r"(?:^|[.{{,])[ \t]*(?:\[+[^\]\n]*?)?[\"']?\b{}[\"']?[ \t]*(?:=|\.|\])"
"""How a key of a table is written, of which the name is to be filled in."""


class _Reader:
    """Checks tables against keys and says where things stand."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text

    def at(self, key: str) -> str:
        """``file:line`` of the last part of a dotted key, ``file`` when it is not found."""
        return _place_in(self.path, self.text, (key.rpartition(".")[2],))

    def wrong(self, key: str, expected: str, value: object) -> ConfigError:
        return ConfigError(f"{self.at(key)}: {key}: expected {expected}, got {_shown(value)}")

    def read(self, table: Mapping[str, Any], keys: Mapping[str, _Parser], prefix: str = "") -> dict[str, Any]:
        result = {}
        for key, value in table.items():
            parse = keys.get(key)
            if parse is None:
                near = nearest(key, keys)
                hint = f"did you mean {near[0]}?" if near else f"the keys are {', '.join(sorted(keys))}"
                raise ConfigError(f"{self.at(prefix + key)}: unknown key {prefix + key}; {hint}")
            result[key.replace("-", "_")] = parse(self, prefix + key, value)
        return result


def _shown(value: object) -> str:
    kinds = {bool: "a boolean", int: "an integer", float: "a number", str: "a string", list: "a list", dict: "a table"}
    kind = kinds.get(type(value), type(value).__name__)
    return f"{kind} ({value!r})" if isinstance(value, bool | int | float | str) else kind


if TYPE_CHECKING:
    _Parser = Callable[[_Reader, str, Any], Any]


def _boolean(reader: _Reader, key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise reader.wrong(key, "true or false", value)
    return value


def _string(reader: _Reader, key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise reader.wrong(key, "a string", value)
    return value


def _strings(reader: _Reader, key: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise reader.wrong(key, "a list of strings", value)
    return tuple(value)


def _std(reader: _Reader, key: str, value: Any) -> str:
    text = _string(reader, key, value)
    if (problem := std_problem(text)) is not None:
        raise ConfigError(f"{reader.at(key)}: {key}: {problem}")
    return text


def _frontend(reader: _Reader, key: str, value: Any) -> str:
    text = _string(reader, key, value)
    if text not in FRONTENDS:
        raise ConfigError(f"{reader.at(key)}: {key}: {text!r} is none of {', '.join(FRONTENDS)}")
    return text


FRONTENDS = ("auto", "clang", "pycparser")
"""What may parse OpenCL C."""


def std_problem(text: str) -> str | None:
    """What is wrong with the name of a language standard, None when nothing is."""
    if text.lower() in STANDARDS:
        return None
    near = nearest(text, STANDARDS)
    return f"unknown standard {text!r}; " + (f"did you mean {near[0]}?" if near else "such as c++17 or cl2.0")


def _one_or_more(reader: _Reader, key: str, value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else _strings(reader, key, value)


def _defines(reader: _Reader, key: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, dict):
        if not all(isinstance(v, str | int) for v in value.values()):
            raise reader.wrong(key, "strings and integers as values", next(iter(value.values())))
        made = tuple(n if v is True else f"{n}={int(v) if isinstance(v, bool) else v}" for n, v in value.items())
    else:
        made = _strings(reader, key, value)
    for text in made:
        if MACRO.fullmatch(text) is None:
            raise reader.wrong(key, "macros as NAME or NAME=VALUE", text)
    return made


def _folders(reader: _Reader, key: str, value: Any) -> tuple[str, ...]:
    base = os.path.dirname(reader.path)
    return tuple(os.path.normpath(os.path.join(base, os.path.expanduser(v))) for v in _strings(reader, key, value))


def _file(reader: _Reader, key: str, value: Any) -> str:
    return os.path.normpath(os.path.join(os.path.dirname(reader.path), _string(reader, key, value)))


def _severity(reader: _Reader, key: str, value: Any) -> Severity:
    try:
        return Severity(value)
    except ValueError:
        raise reader.wrong(key, '"note", "warning" or "error"', value) from None


def _fail_on(reader: _Reader, key: str, value: Any) -> Severity | None:
    if value == "never":
        return None
    try:
        return Severity(value)
    except ValueError:
        raise reader.wrong(key, '"note", "warning", "error" or "never"', value) from None


def _confidence(reader: _Reader, key: str, value: Any) -> Confidence:
    try:
        return Confidence(value)
    except ValueError:
        raise reader.wrong(key, '"low", "medium" or "high"', value) from None


def _severities(reader: _Reader, key: str, value: Any) -> tuple[tuple[str, Severity], ...]:
    if not isinstance(value, dict):
        raise reader.wrong(key, "a table of rule = level", value)
    return tuple((name, _severity(reader, f"{key}.{name}", level)) for name, level in value.items())


def _ignores(reader: _Reader, key: str, value: Any) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, dict):
        raise reader.wrong(key, "a table of glob = list of rules", value)
    return tuple((glob, _one_or_more(reader, f"{key}.{glob}", names)) for glob, names in value.items())


def _dim3(reader: _Reader, key: str, value: Any) -> Dim3:
    values = [value] if isinstance(value, int) and not isinstance(value, bool) else value
    good = isinstance(values, list) and 1 <= len(values) <= 3
    if not good or not all(isinstance(n, int) and not isinstance(n, bool) and n > 0 for n in values):
        raise reader.wrong(key, "one to three positive integers", value)
    x, y, z = (*values, 1, 1)[:3]
    return x, y, z


def _rules(reader: _Reader, key: str, value: Any) -> Mapping[str, Mapping[str, Any]]:
    if not isinstance(value, dict):
        raise reader.wrong(key, "tables of options by rule name", value)
    for name, options in value.items():
        if not isinstance(options, dict):
            raise reader.wrong(f"{key}.{name}", "a table of options", options)
    return value


def _overrides(reader: _Reader, key: str, value: Any) -> tuple[Override, ...]:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise reader.wrong(key, "an array of tables ([[tool.kernlint.overrides]])", value)
    for item in value:
        if "files" not in item:
            raise ConfigError(f"{reader.at(key)}: {key}: a table without files = [globs]")
    return tuple(Override(**reader.read(item, _OVERRIDE_KEYS, "overrides.")) for item in value)


_OVERRIDE_KEYS: Mapping[str, _Parser] = {
    "files": _strings,
    "defines": _defines,
    "include": _folders,
    "std": _std,
    "target": _one_or_more,
    "block": _dim3,
    "grid": _dim3,
    "assume": _strings,
}

KEYS: Mapping[str, _Parser] = {
    "select": _strings,
    "extend-select": _strings,
    "ignore": _strings,
    "per-file-ignores": _ignores,
    "severity": _severities,
    "target": _one_or_more,
    "defines": _defines,
    "include": _folders,
    "std": _std,
    "block": _dim3,
    "grid": _dim3,
    "assume": _strings,
    "compile-commands": _file,
    "frontend": _frontend,
    "fail-on": _fail_on,
    "min-confidence": _confidence,
    "exclude": _strings,
    "pedantic": _boolean,
    "cache": _boolean,
    "require-reason": _boolean,
    "overrides": _overrides,
    "rules": _rules,
}
"""Every key of the configuration and how its value is checked."""
