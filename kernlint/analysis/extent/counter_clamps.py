"""What kernels and hosts hold counters down to: ``min(*count, room)`` says that there may be more than that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TypeVar

from kernlint.analysis.base import ModuleAnalysis, ModuleFacts
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.sizes import last_part
from kernlint.analysis.launching.launch_context import LaunchView
from kernlint.analysis.launching.members import member_of
from kernlint.analysis.trace.events import Guard, GuardKind, Root
from kernlint.analysis.trace.kernels import KERNELS, kernel_traces
from kernlint.analysis.trace.values import PointerValue
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, subterms


@dataclass(frozen=True, slots=True, eq=False)
class Clamp:
    """``kernel`` goes by a counter up to ``limit`` at most, by ``guard``; ``lists``: what it reads or writes then."""

    kernel: str
    guard: Guard
    limit: Term
    lists: frozenset[str]


def called(root: Root) -> str:
    """What kernels of a file call the same object: the name of an argument, or of the member that leads to it."""
    return last_part(root.name)


def held_in(term: Term) -> Root | None:
    """The object that a number has been read from."""
    symbol = plain(term).symbol
    if symbol is None or symbol.kind not in _FROM_MEMORY or not isinstance(symbol.origin, tuple):
        return None
    root = symbol.origin[0]
    return root if isinstance(root, Root) else None


_FROM_MEMORY = frozenset({SymbolKind.LOAD, SymbolKind.PARAM})
"""What numbers in memory are: PARAM, where a launch finds them as the host has left them."""

Held = TypeVar("Held")


def _is_room(limit: Term) -> bool:
    symbol = plain(limit).symbol
    return (limit.value or 0) > 1 or (symbol is not None and symbol.kind is SymbolKind.PARAM)


@lru_cache(maxsize=4096)
def _limiting(term: Term) -> tuple[Term, ...]:
    """The comparisons and choices in a condition."""
    return tuple(part for part in subterms(term) if part.op in ("lt", "min", "select"))


def limits_of(
    term: Term, loop: bool, held: Callable[[Term], Held | None], room: Callable[[Term], bool] = _is_room
) -> Iterator[tuple[Held, Term, bool]]:
    """The numbers that a condition goes by, what it holds them down to, and whether it does: it may only ask if there
    are more.  ``loop``: it is one of a loop.  ``room``: whether it may be how much room there is."""
    for part in _limiting(term):
        found = held(part.args[1]) if part.op == "lt" else None
        if found is not None and room(part.args[0]):
            yield found, part.args[0], False
        sides = part.args if part.op == "min" else part.args[1:] if part.op == "select" else ()
        if part.op == "select" and (
            part.args[0].op not in ("lt", "le") or {*map(plain, sides)} != {*map(plain, part.args[0].args)}
        ):
            continue
        for one, limit in (sides, sides[::-1]) if len(sides) == 2 else ():
            found = held(one)
            if found is not None and room(limit):
                yield found, limit, True
    ends = [(part.args[0], part.args[1]) for part in conjuncts(term) if part.op == "lt"] if loop else []
    for at, end in ends if len(ends) > 1 else ():  # i < *count && i < room
        found = held(end)
        for same, limit in ends if found is not None else ():
            if same == at and found is not None and room(limit):
                yield found, limit, True


def _is_member(limit: Term) -> bool:
    """Whether a number of the host is a member of what a pointer or a reference leads to."""
    symbol = plain(limit).symbol
    return symbol is not None and symbol.kind is SymbolKind.LOAD and member_of(symbol) is not None


def _clamps(facts: ModuleFacts) -> dict[str, list[Clamp]]:
    found: dict[str, list[Clamp]] = {}
    kernels = facts.module.kernels
    for kernel in kernels if len(kernels) <= KERNELS else ():
        known: dict[tuple[Guard, str, Term], set[str]] = {}
        for access in facts[kernel_traces].of(kernel.variants[0]).accesses:
            for guard in access.guards:
                for root, limit, holds in limits_of(guard.term, guard.kind is GuardKind.LOOP, held_in):
                    lists = known.setdefault((guard, called(root), limit), set())
                    lists |= {called(access.root)} if holds else set()
        for (guard, counter, limit), lists in known.items():
            found.setdefault(counter, []).append(Clamp(kernel.function.name, guard, limit, frozenset(lists)))
    return found


clamped_counters = ModuleAnalysis("clamped_counters", _clamps, needs=(kernel_traces,))
"""By what counters are called, how kernels of a file clamp them: a :class:`Clamp` for each."""


def held_down_by_host(view: LaunchView, counter: str) -> Iterator[Clamp]:
    """What the host holds down a number to that it has copied from what it passes for ``counter``."""
    passed, walk = view.fact.argument(counter), view.fact.walk
    if walk is None or not isinstance(passed, PointerValue):
        return
    copied: set[Symbol] = set()
    for api in walk.apis:
        if any(isinstance(arg, PointerValue) and arg.root is passed.root for arg in api.args):
            got = [plain(term).symbol for term in api.after if isinstance(term, Term)]
            copied |= {one for one in got if one is not None and one.kind is SymbolKind.UNKNOWN}
    used: list[tuple[Term, Span]] = [(test.term, test.span) for test in walk.conditions] if copied else []
    used += [(arg, api.span) for api in walk.apis if copied for arg in api.args if isinstance(arg, Term)]
    if copied:  # and what it hands on
        used += [(one.value, one.span) for one in walk.exits if one.value is not None]
        used += [(one.value, one.span) for one in walk.accesses if one.writes and one.value is not None]
    for term, span in used:
        found = limits_of(
            term,
            False,
            lambda one: one if plain(one).symbol in copied else None,
            lambda one: _is_room(one) or _is_member(one),
        )
        for _, limit, _ in found:
            yield Clamp(view.fact.host.name, Guard(term, GuardKind.BRANCH, span), limit, frozenset())
