"""Where the time of a run goes: self time by name, nested measurements subtracted."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager


class Timings:
    """Seconds spent under each name, without what was spent under names measured inside it."""

    __slots__ = ("_inner", "seconds")

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._inner: list[float] = []

    @contextmanager
    def measure(self, name: str) -> Iterator[None]:
        """Add the self time of the ``with`` body to ``name``, also when the body raises."""
        start = time.perf_counter()
        self._inner.append(0.0)
        try:
            yield
        finally:
            whole = time.perf_counter() - start
            self.seconds[name] = self.seconds.get(name, 0.0) + whole - self._inner.pop()
            if self._inner:
                self._inner[-1] += whole

    def add(self, other: Mapping[str, float]) -> None:
        """Add the seconds of another run (of another process)."""
        for name, seconds in other.items():
            self.seconds[name] = self.seconds.get(name, 0.0) + seconds
