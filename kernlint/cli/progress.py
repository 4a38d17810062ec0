"""A bar on the terminal while many files are analysed."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

MANY = 20
"""Up to this many files there is no bar."""

PATIENCE = 0.5
"""Seconds before a bar appears: a run that is over by then does not pay for it."""


@contextmanager
def progress(total: int, quiet: bool) -> Iterator[Callable[[], None]]:
    """A function to call after each of ``total`` files; it does nothing when nobody is to see a bar."""
    if total <= MANY or quiet or not sys.stderr.isatty():
        yield lambda: None
        return
    bar = _Bar(total)
    try:
        yield bar.step
    finally:
        bar.close()


class _Bar:
    """Drawn by whoever calls :meth:`step`: no thread of its own could be in the way of processes that are started."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._shown = time.monotonic() + PATIENCE - 0.1
        self._close: Callable[[], None] | None = None
        self._draw: Callable[[int], None] | None = None

    def step(self) -> None:
        self._done += 1
        if time.monotonic() - self._shown < 0.1:
            return
        if self._draw is None:
            self._open()
        assert self._draw is not None
        self._draw(self._done)
        self._shown = time.monotonic()

    def close(self) -> None:
        if self._close is not None:
            self._close()

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("analysing"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("files"),
            TimeRemainingColumn(),
        )
        shown = Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
        task = shown.add_task("", total=self._total)
        shown.start()

        def draw(done: int) -> None:
            shown.update(task, completed=done, refresh=True)

        self._draw = draw
        self._close = shown.stop
