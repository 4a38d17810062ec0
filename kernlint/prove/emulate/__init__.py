"""A block emulator: runs a kernel of the tree for a concrete launch and judges what its threads do.

It is the referee of the prover.  A witness found by analysis is replayed here; a mutant counts as faulty when it is
seen to be here; and random kernels run here must never contradict a proof.  :func:`run` runs once, :func:`replay`
with several contents of memory, to tell faults that depend on data from those that do not.

What is judged: races (byte-exact, with barriers, warp operations, fences and atomics taken into account), reads of
uninitialised memory, accesses out of bounds or misaligned, barriers and warp operations that not all threads reach,
signed overflow, impossible shifts, division by zero, traps and failed assertions.

Layers: ``report`` (what goes in and out), ``formats``, ``memory``, ``shadow`` (memory and who touched it), ``threads``,
``scheduler``, ``warp``, ``copies`` (threads and how they meet); the translation of the tree to Python, each part a
class on top of the one before: ``frame``, ``quantities``, ``integers``, ``values``, ``aggregates``, ``places``,
``callees``, ``gatherings``, ``loops``, ``statements``; ``mathematics`` and ``runtime`` (what generated code calls);
``program``, ``machine``, ``running``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kernlint.prove.emulate.report import (
    Argument,
    Budget,
    Buffer,
    Fault,
    FaultKind,
    Filler,
    Index,
    LaunchSpec,
    Outcome,
    Participant,
)

if TYPE_CHECKING:
    from kernlint.prove.emulate.program import compile_kernel
    from kernlint.prove.emulate.running import replay, run, without_effect

__all__ = [
    "Argument",
    "Budget",
    "Buffer",
    "Fault",
    "FaultKind",
    "Filler",
    "Index",
    "LaunchSpec",
    "Outcome",
    "Participant",
    "compile_kernel",
    "replay",
    "run",
    "without_effect",
]


def __getattr__(name: str) -> Any:
    """The machinery is loaded when something is run: most files give nothing to replay."""
    if name in ("run", "replay", "without_effect"):
        from kernlint.prove.emulate import running

        return getattr(running, name)
    if name == "compile_kernel":
        from kernlint.prove.emulate import program

        return program.compile_kernel
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
