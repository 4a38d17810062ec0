"""Limits of GPU targets, from the packaged table ``data/targets.json``, each with its source.

A limit that nobody looked up is ``None``: unknown, never a guess.  Sizes are bytes, counts are threads,
registers or banks as the name says.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from kernlint.record import dataclass
from kernlint.text.nearest import nearest

OPENCL_MINIMUM = "opencl-minimum"
"""Name of the target that stands for what every conforming OpenCL device must offer."""


class UnknownTarget(ValueError):
    """No target has this name or alias; the message names the nearest ones."""


@dataclass(frozen=True, slots=True)
class Limit:
    """One figure: ``value`` (a number, or one per axis), where it comes from, and what to keep in mind."""

    value: int | tuple[int, ...] | None
    source: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Target:
    """A GPU architecture: ``vendor`` is ``nvidia``, ``amd`` or ``khronos`` (the OpenCL minimum)."""

    name: str
    vendor: str
    limits: Mapping[str, Limit]

    def limit(self, name: str) -> Limit:
        """The limit called ``name`` (``static_shared_bytes_per_block``, ``warp_size``...).

        Raises :class:`KeyError` when no target has a limit of that name: a misspelling must not read as unknown.
        """
        found = self.limits.get(name)
        if found is None:
            if name not in _limit_names():
                raise KeyError(f"no limit is called {name!r}")
            return Limit(None, "not in the table")
        return found

    def value(self, name: str) -> int | None:
        """The scalar value of limit ``name``; None when unknown or given per axis."""
        value = self.limit(name).value
        return value if isinstance(value, int) else None

    def axes(self, name: str) -> tuple[int, ...] | None:
        """The (x, y, z) value of limit ``name``; None when unknown or scalar."""
        value = self.limit(name).value
        return value if isinstance(value, tuple) else None

    @property
    def compute_capability(self) -> tuple[int, int] | None:
        """(major, minor) of an NVIDIA target, else None."""
        digits = self.name.removeprefix("sm_").rstrip("a")
        if digits == self.name or not digits.isdigit():
            return None
        return int(digits[:-1]), int(digits[-1])


@lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    import json

    table: dict[str, Any] = json.loads(pkgutil.get_data("kernlint.data", "targets.json") or b"")
    return table


def _limit(entry: Mapping[str, Any]) -> Limit:
    value = entry["value"]
    return Limit(tuple(value) if isinstance(value, list) else value, entry["source"], entry.get("note", ""))


@lru_cache(maxsize=1)
def all_targets() -> Mapping[str, Target]:
    """Every target by name, in the table's order (NVIDIA, AMD, the OpenCL minimum, variants of these)."""
    targets = dict(general_targets())
    for name, entry in _table()["variants"].items():
        targets[name] = _target(name, {**_table()["targets"][entry["of"]], **entry})
    return targets


@lru_cache(maxsize=1)
def general_targets() -> Mapping[str, Target]:
    """The targets that stand for their generation: what portable code may count on is what all of them allow."""
    return {name: _target(name, entry) for name, entry in _table()["targets"].items()}


def _target(name: str, entry: Mapping[str, Any]) -> Target:
    return Target(name, entry["vendor"], {key: _limit(x) for key, x in entry.items() if isinstance(x, dict)})


@lru_cache(maxsize=1)
def _limit_names() -> frozenset[str]:
    return frozenset(key for target in all_targets().values() for key in target.limits)


def aliases() -> Mapping[str, str]:
    """Product names (``h100``, ``mi300x``) and the target each one is."""
    table: dict[str, str] = _table()["aliases"]
    return table


@lru_cache(maxsize=1)
def _plainly_written() -> Mapping[str, str]:
    return {name.replace("-", ""): target for name, target in aliases().items()}


def find(name: str) -> Target:
    """The target called ``name``: an architecture, ``compute_80``/``8.0`` for ``sm_80``, or a product name, written
    with or without spaces and dashes (``RTX 4090``, ``rtx4090``); features behind ``:`` (``gfx90a:xnack-``) are left
    out.

    Raises :class:`UnknownTarget`.
    """
    key = name.strip().lower().partition(":")[0].replace(" ", "-")
    if key.startswith("compute_"):
        key = "sm_" + key.removeprefix("compute_")
    elif key.replace(".", "", 1).isdigit() and "." in key:
        key = "sm_" + key.replace(".", "")
    if key.startswith("sm_") and key not in all_targets():
        key = key.rstrip("af")  # sm_100f: the limits of sm_100
    key = aliases().get(key) or _plainly_written().get(key.replace("-", ""), key)
    if (target := all_targets().get(key)) is not None:
        return target
    near = nearest(key, [*all_targets(), *aliases()], count=3)
    hint = f"; did you mean {' or '.join(near)}?" if near else f"; known: {', '.join(all_targets())}"
    raise UnknownTarget(f"unknown target {name!r}{hint}")


def common(name: str, targets: Iterable[Target] = (), vendor: str | None = None) -> int | None:
    """The largest value that every one of ``targets`` allows: the smallest of their limits called ``name``.

    Without ``targets``: of all targets of ``vendor`` (of all, when that is None too; the OpenCL minimum counts
    only when asked for by ``vendor="khronos"``).  A target whose limit is unknown does not lower it; None when it
    is known for none.
    """
    chosen = tuple(targets) or tuple(
        t for t in general_targets().values() if (t.vendor == vendor if vendor else t.vendor != "khronos")
    )
    values = [v for t in chosen if (v := t.value(name)) is not None]
    return min(values) if values else None
