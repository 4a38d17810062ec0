"""Phrases about a witness that several formats share."""

from __future__ import annotations

from kernlint.finding import Step, Witness

Dim3 = tuple[int, int, int]


def step_text(witness: Witness, step: Step) -> str:
    """``thread 32 writes tile[32]``; with the block when the steps are not all in one."""
    thread = f"thread {index(step.thread, witness.block)}"
    if len({other.block for other in witness.steps}) > 1:
        thread = f"block {index(step.block, witness.grid)} {thread}"
    return f"{thread} {step.what}"


def index(place: Dim3, extent: Dim3) -> str:
    """An index with as many axes as the extent has: ``32`` or ``(3, 1)``."""
    axes = max((n + 1 for n in range(3) if extent[n] > 1 or place[n] > 0), default=1)
    return str(place[0]) if axes == 1 else f"({', '.join(map(str, place[:axes]))})"


def dimensions(extent: Dim3) -> str:
    """``(64)`` or ``(16, 16)``."""
    axes = max((n + 1 for n in range(3) if extent[n] > 1), default=1)
    return f"({', '.join(map(str, extent[:axes]))})"


def witness_text(witness: Witness) -> str:
    """``block (64), grid (1), n = 64, replayed``."""
    parts = [f"block {dimensions(witness.block)}", f"grid {dimensions(witness.grid)}"]
    parts += [f"{name} = {value}" for name, value in witness.values]
    return ", ".join([*parts, "replayed"] if witness.replayed else parts)
