"""One source, read under as many settings as it takes to see all of its device code.

The first reading is the default one.  Only where it left out code that matters, further settings are chosen
(``conditions``) and the source is read again; of those readings the kernels are kept that have code no earlier one
had.  What a kernel lacks in one reading and has in another is no loss.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from kernlint.frontends.clang.conditions import Ranges
from kernlint.frontends.clang.kinds import Severity
from kernlint.frontends.clang.lower.module import Wanted
from kernlint.frontends.clang.options import Language, ParseOptions
from kernlint.frontends.clang.session import ParseResult
from kernlint.frontends.clang.starts import MadeUpText, Promising, Start
from kernlint.frontends.clang.unknowns import unknown_names
from kernlint.record import dataclass
from kernlint.tree.nodes import Module


@dataclass(frozen=True, slots=True)
class Reading:
    """A source read under one setting.

    ``skipped``: what was not compiled; ``unknown``: names that no header gave, ``made_up`` what was declared for them;
    ``found``: the headers that were read; ``start``: what the first parse came to.
    """

    module: Module
    skipped: Ranges
    unknown: frozenset[str]
    found: tuple[str, ...]
    made_up: MadeUpText
    start: Start

    @property
    def losses(self) -> int:
        """What errors cost, see :mod:`kernlint.frontends.clang.losses`."""
        return self.made_up.losses


WEIGHT = 128 << 20
"""Bytes of trees, made for one source, from which on it is read under no further setting and no other file is read for
it; some sixty take a second."""


@dataclass(slots=True)
class Cost:
    """What the parses for one source have cost: bytes of trees, the same on every machine."""

    weight: int = 0

    def note(self, parsed: ParseResult) -> None:
        """Another parse."""
        self.weight += parsed.weight

    def spent(self) -> bool:
        """Whether nothing further is parsed."""
        return self.weight > WEIGHT


@dataclass(frozen=True, slots=True)
class Look:
    """Which kernels and device functions of a parse are looked at (None: all), and where those kernels begin of which
    one instance of the template is enough."""

    wanted: Wanted | None
    sampled: frozenset[int] = frozenset()


Choose = Callable[[Ranges], Look | None]
"""By what a parse skipped, what of it is looked at; None: the parse is of no use."""


Worth = Callable[[ParseResult], bool]
"""Whether what was parsed is worth a look at its kernels."""


class Read(Protocol):
    """Reads the source once; None when ``worth`` or ``choose`` refuse what was parsed, or what was parsed at first was
    not ``promising``."""

    def __call__(
        self,
        language: Language,
        options: ParseOptions,
        known: MadeUpText | None = None,
        choose: Choose | None = None,
        worth: Worth | None = None,
        promising: Promising | None = None,
        /,
    ) -> Reading | None: ...


def reading(module: Module, parsed: ParseResult) -> Reading:
    """What is to be known of a parse when it is closed."""
    skipped = parsed.skipped
    if not (skipped or parsed.losses or parsed.synthesised):
        return Reading(module, (), frozenset(), (), parsed.made_up, parsed.start)
    return Reading(module, skipped, unknown_in(parsed), parsed.includes.found, parsed.made_up, parsed.start)


def unknown_in(parsed: ParseResult) -> frozenset[str]:
    """Names that no header gave to what was parsed."""
    errors = [each for each in parsed.diagnostics if each.severity >= Severity.ERROR]
    return parsed.synthesised | {each.name for each in unknown_names(errors, {})}


def read_configured(
    text: bytes, language: Language, options: ParseOptions, read: Read, cost: Cost, *, further: bool = True
) -> list[Module]:
    """The modules of a source: the default one, and one for each setting that shows more of its kernels, until enough
    is spent (``read`` notes the ``cost``).

    Without ``further`` only the first one, under a setting that takes the place of the default.
    """
    first = read(language, options)
    assert first is not None
    if not (first.skipped or first.unknown):
        return [first.module]
    from kernlint.frontends.clang.further import Configured  # sources that are read whole do without it

    configured = Configured(text, language, options, read, first, cost)
    return configured.modules() if further else configured.first()
