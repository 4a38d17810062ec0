"""Where the time of a run goes: self time by name, nested measurements subtracted."""

from __future__ import annotations

import time
from collections.abc import Mapping


class Timings:
    """Seconds spent under each name, without what was spent under names measured inside it."""

    __slots__ = ("_inner", "seconds")

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._inner: list[float] = []

    def measure(self, name: str) -> Measured:
        """Add the self time of the ``with`` body to ``name``, also when the body raises."""
        return Measured(self, name)

    def add(self, other: Mapping[str, float]) -> None:
        """Add the seconds of another run (of another process)."""
        for name, seconds in other.items():
            self.seconds[name] = self.seconds.get(name, 0.0) + seconds


class Measured:
    """The ``with`` body of :meth:`Timings.measure`; there are hundreds for each kernel."""

    __slots__ = ("_name", "_start", "_timings")

    def __init__(self, timings: Timings, name: str) -> None:
        self._timings, self._name = timings, name

    def __enter__(self) -> None:
        self._timings._inner.append(0.0)
        self._start = time.perf_counter()

    def __exit__(self, *raised: object) -> None:
        whole = time.perf_counter() - self._start
        seconds, inner = self._timings.seconds, self._timings._inner
        seconds[self._name] = seconds.get(self._name, 0.0) + whole - inner.pop()
        if inner:
            inner[-1] += whole
