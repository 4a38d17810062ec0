"""What the server asks of the process that analyses, and what comes back: pickled, each behind its length in bytes."""

from __future__ import annotations

import pickle
import struct
from collections.abc import Mapping
from dataclasses import field

from kernlint.finding import Finding, Fix
from kernlint.record import dataclass
from kernlint.result import Notification, Result


@dataclass(frozen=True, slots=True)
class Start:
    """The first message: the arguments of ``kernlint lsp``.  Its answer is :class:`Pages`."""

    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """A rule for people: ``level`` is the loudest it reaches, ``text`` its page as Markdown."""

    code: str
    name: str
    family: str
    level: str
    text: str


@dataclass(frozen=True, slots=True)
class Pages:
    """All rules by code; ``problem``: why there are none."""

    pages: Mapping[str, Page] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """Analyse ``data`` (UTF-8) as the content of the file at the absolute ``path``; the answer is :class:`Checked`.

    ``fresh``: read compile commands again.
    """

    path: str
    data: bytes
    fresh: bool = True


@dataclass(frozen=True, slots=True)
class Checked:
    """What is to be said about a text.

    ``results`` are those to show, suppressed ones left out; ``texts``: the text of every file they point into;
    ``depends``: paths of headers.  ``problem``: the settings are wrong, and nothing was analysed.  ``excluded``: the
    settings keep the file out.
    """

    results: tuple[Result, ...] = ()
    notifications: tuple[Notification, ...] = ()
    texts: Mapping[str, bytes] = field(default_factory=dict)
    depends: tuple[str, ...] = ()
    problem: str = ""
    excluded: bool = False


@dataclass(frozen=True, slots=True)
class Repair:
    """Look for a fix for ``finding``, which an analysis of ``data`` gave; the answer is :class:`Repaired`."""

    path: str
    data: bytes
    finding: Finding


@dataclass(frozen=True, slots=True)
class Repaired:
    """A fix that was tried and holds, its edits being of the text it was looked for in; None when there is none."""

    fix: Fix | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """A request that could not be answered, and why."""

    reason: str


Request = Start | Check | Repair
Answer = Pages | Checked | Repaired | Failed

HEAD = struct.Struct("!Q")
"""Stands before every message: how many bytes it has."""


def pack(message: Request | Answer) -> bytes:
    """One message behind its length."""
    data = pickle.dumps(message)
    return HEAD.pack(len(data)) + data
