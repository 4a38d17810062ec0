"""What an excuse is, how it is asked, and where it is noted that one has counted.

A *suspicion* is what an analysis could report: a witness, or a place of which too little is known to stay silent.  An
:class:`Excuse` is a reason to stay silent all the same, with an example in its docstring and a twin that must still be
reported::

    @excuse("races")
    def equal_values(pair: Pair, witness: Refuted) -> bool:
        \"\"\"Both threads write the same value.

        ```cuda excused
        ...
        ```

        ```cuda still-bad
        ...
        ```
        \"\"\"

Tests run both, and the first again without the excuse, where it must be reported: an excuse that nothing needs goes.
What follows from algebra, order or uniformity is no excuse: there is no suspicion then.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Generic, Protocol, TypeVar

from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.text.patterns import pattern

P = TypeVar("P", contravariant=True)
W = TypeVar("W", contravariant=True)
S = TypeVar("S")
T = TypeVar("T")

_FENCE = pattern(
    r"^[ \t]*```(?P<language>\w+) (?P<what>excused|still-bad)[ \t]*\n(?P<code>.*?)^[ \t]*```[ \t]*$", re.M | re.S
)


class UndocumentedExcuse(ValueError):
    """An excuse has no reason, no excused example or no twin that is still bad; the message says which."""


@dataclass(frozen=True, slots=True)
class Example:
    """A kernel out of an excuse's docstring.  ``excused``: it is right; else it is the twin that is still bad."""

    language: str
    excused: bool
    code: str


@dataclass(frozen=True, slots=True)
class Fired:
    """An excuse that has counted.  ``spans``: the places of the suspicion; ``launch``: under which launch, in words."""

    excuse: str
    reason: str
    spans: tuple[Span, ...]
    launch: str = ""


class Test(Protocol[P, W]):
    """A function of a suspicion and of its witness."""

    __doc__: str | None
    __name__: str

    def __call__(self, suspicion: P, witness: W, /) -> bool: ...


@dataclass(frozen=True, slots=True)
class Excuse(Generic[S, T]):
    """A reason not to report a suspicion.

    ``name``: in kebab case, as users see it; ``family``: what kind of suspicion it is for; ``test``: whether it counts;
    ``spans``: where the suspicion is.
    """

    name: str
    family: str
    test: Test[S, T]
    spans: Callable[[S], tuple[Span, ...]]

    @property
    def reason(self) -> str:
        """The first sentence of its docstring, without the full stop."""
        text = (self.test.__doc__ or "").strip().split("\n\n")[0]
        return " ".join(text.split()).rstrip(".")

    @property
    def examples(self) -> tuple[Example, ...]:
        """The kernels in its docstring.

        Raises :class:`UndocumentedExcuse` where the reason, the excused one or the twin is missing.
        """
        found = []
        for fence in _FENCE.finditer(self.test.__doc__ or ""):
            lines = fence["code"].split("\n")
            margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
            code = "\n".join(line[margin:] for line in lines)
            found.append(Example(fence["language"], fence["what"] == "excused", code))
        for excused, word in ((True, "excused example"), (False, "twin that is still bad")):
            if not self.reason or not any(example.excused is excused for example in found):
                raise UndocumentedExcuse(f"{self.name} has no {word}")
        return tuple(found)

    def holds(self, suspicion: S, witness: T) -> bool:
        """Whether it counts here; noted in the ledger if one is kept."""
        if self.name in _OFF.get() or not self.test(suspicion, witness):
            return False
        ledger = _LEDGER.get()
        if ledger is not None:
            ledger.note(Fired(self.name, self.reason, self.spans(suspicion), _launch(witness)))
        return True


class Ledger:
    """The excuses that have counted while it was kept, each suspicion once, in the order of their coming."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, tuple[tuple[str, int, int], ...]], Fired] = {}

    def note(self, fired: Fired) -> None:
        """Enter one."""
        where = tuple((span.file, span.start, span.end) for span in fired.spans)
        self._found.setdefault((fired.excuse, where), fired)

    @property
    def fired(self) -> tuple[Fired, ...]:
        """What was entered."""
        return tuple(self._found.values())

    @property
    def counts(self) -> Counter[str]:
        """How many suspicions each excuse has silenced."""
        return Counter(one.excuse for one in self._found.values())


_LEDGER: ContextVar[Ledger | None] = ContextVar("ledger", default=None)
_OFF: ContextVar[frozenset[str]] = ContextVar("off", default=frozenset())


@contextmanager
def ledger() -> Iterator[Ledger]:
    """Keep a ledger of the excuses that count in this thread meanwhile."""
    kept = Ledger()
    token = _LEDGER.set(kept)
    try:
        yield kept
    finally:
        _LEDGER.reset(token)


@contextmanager
def without(*names: str) -> Iterator[None]:
    """Let the excuses ``names`` count for nothing meanwhile."""
    token = _OFF.set(_OFF.get() | frozenset(names))
    try:
        yield
    finally:
        _OFF.reset(token)


REGISTERED: dict[str, Excuse[object, object]] = {}
"""Every excuse by its name, as far as its module has been loaded."""


class Maker(Protocol[S]):
    """Makes an excuse of a function of a suspicion ``S`` and its witness."""

    def __call__(self, test: Test[S, T], /) -> Excuse[S, T]: ...


def excuse(family: str, spans: Callable[[S], tuple[Span, ...]]) -> Maker[S]:
    """Make an excuse of a function; its name is the function's."""

    def made(test: Test[S, T], /) -> Excuse[S, T]:
        value = Excuse(test.__name__.replace("_", "-"), family, test, spans)
        REGISTERED[value.name] = value  # type: ignore[assignment]
        return value

    return made


def excused(excuses: Iterable[Excuse[S, T]], suspicion: S, witness: T) -> bool:
    """Whether one of ``excuses`` counts; the first that does is noted."""
    return any(one.holds(suspicion, witness) for one in excuses)


def _launch(witness: object) -> str:
    """``block 256 x 1 x 1, grid 2 x 1 x 1`` of a witness that has one."""
    block, grid = getattr(witness, "block", None), getattr(witness, "grid", None)
    if not isinstance(block, tuple) or not isinstance(grid, tuple):
        return ""
    return ", ".join(f"{word} {' x '.join(map(str, sizes))}" for word, sizes in (("block", block), ("grid", grid)))
