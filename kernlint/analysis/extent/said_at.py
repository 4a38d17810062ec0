"""Which of the things that comments say are meant for a kernel."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from kernlint.analysis.assumptions import applies
from kernlint.analysis.base import Facts, Rounded, Sentinel, Shape, Stated

Said = TypeVar("Said", Shape, Rounded, Sentinel)


def nearest_said(facts: Facts, said: Iterable[Said]) -> tuple[Said, ...]:
    """What comments say at the kernel; where nothing is said there, what they say at no kernel of the file."""
    near: list[Said] = []
    far: list[Said] = []
    spans = [kernel.function.span for kernel in facts.module.kernels]
    for one in said:
        if applies(Stated("", one.span, one.until), facts):
            near.append(one)
        elif not any(
            span.start <= one.span.start < span.end or one.span.end <= span.start <= one.until for span in spans
        ):
            far.append(one)
    return tuple(near or far)
