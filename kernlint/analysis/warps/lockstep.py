"""Whether the lanes of a warp may part: from compute capability 7.0 on each has a program counter of its own."""

from __future__ import annotations

from kernlint.analysis.base import Facts
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.trace.events import Access
from kernlint.prove.query import Refuted
from kernlint.symbolic.terms import THREAD, Term, subterms

VOLTA = 70
"""Threads of a warp are scheduled independently from compute capability 7.0 on (CUDA Programming Guide)."""

WARP = 32


def told_in_step(facts: Facts) -> str | None:
    """Why the lanes of a warp run in step wherever the project is built for, in words: all architectures that its build
    files name are older than 7.0 (PTX of these is run so on newer ones too).  None where they do not, or targets were
    named."""
    if facts.options.targets or facts.module.language != "cuda":
        return None
    built = facts.module_facts.built_for()
    if not built or built[-1] >= VOLTA:
        return None
    return f"lanes part on sm_{VOLTA} and newer alone; the build files name none after sm_{built[-1]}"


def all_in_step(facts: Facts) -> bool:
    """Whether targets are named and the lanes of a warp move in lockstep on all of them."""
    targets = facts.options.targets
    return bool(targets) and all(t.vendor != "nvidia" or _capability(t.name) < VOLTA for t in targets)


def _capability(name: str) -> int:
    digits = name.removeprefix("sm_").rstrip("af")
    return int(digits) if digits.isdigit() else VOLTA


def of_first_warp(access: Access) -> bool:
    """Whether a test lets the threads of one warp of the block alone make an access: ``t < 32``, ``t / 32 == 0``."""
    return any(_few(part) for guard in access.guards for part in conjuncts(guard.term))


def _few(part: Term) -> bool:
    if part.op == "eq":
        of_threads = not set(part.args[0].symbols).isdisjoint(THREAD)
        quotient = any(at.op in ("div", "shr") for at in subterms(part.args[0]))
        return of_threads and part.args[1].value is not None and quotient
    return first_threads(part)


def first_threads(part: Term) -> bool:
    """``t < 16``: a test that the threads of no other warp than the first pass."""
    if part.op not in ("lt", "le") or set(part.args[0].symbols).isdisjoint(THREAD):
        return False
    most = part.args[1].value
    return most is not None and most + (part.op == "le") <= WARP


def of_one_warp(found: Refuted) -> bool:
    """Whether the two threads of a witness belong to one warp of one block."""
    first, second = found.first, found.second
    if second is None or first.block != second.block:
        return False
    x, y, _ = found.block
    lanes = [(t[2] * y + t[1]) * x + t[0] for t in (first.thread, second.thread)]
    return lanes[0] // WARP == lanes[1] // WARP
