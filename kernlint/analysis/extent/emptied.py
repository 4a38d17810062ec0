"""Sizes of the host that may be 0, in a launch that goes ahead nevertheless.

``if (hits > 0) mark<<<...>>>(hits, bins); blend<<<tiles, block>>>(bins, image);`` has memory for ``hits`` ranges: who
asks before one launch whether there are any takes none for possible, and the other launch reads what is not there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.tried import extents_of, settings_of
from kernlint.analysis.launching.launch_context import LaunchView
from kernlint.analysis.launching.launches import HostFacts, LaunchFact
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, subterms, symbols


def _asked(view: LaunchView, known: HostFacts, size: Symbol) -> bool:
    """Whether the host makes another launch only where a size is not 0, and this one in any case."""
    for check in view.checks:
        if size in symbols(check) and not any(part.op == "call" for part in subterms(check)):
            return False
    asking = _asking(known).get((id(view.fact.host), size), {})
    return any(launch is not view.fact for launch in asking.values())


@lru_cache(maxsize=1)
def _asking(known: HostFacts) -> dict[tuple[int, Symbol], dict[int, LaunchFact]]:
    """By a host function and a size of it, the launches that are made only where that is not 0."""
    found: dict[tuple[int, Symbol], dict[int, LaunchFact]] = {}
    sizes: dict[Term, tuple[Symbol, ...]] = {}
    for launch in known.launches:
        for guard in launch.guards:
            term = guard.term
            if term not in sizes:
                sizes[term] = tuple(
                    part.symbols[0]
                    for part in conjuncts(term)
                    if len(part.symbols) == 1 and evaluate(part, {part.symbols[0]: 0}) == 0
                )
            for size in sizes[term]:
                found.setdefault((id(launch.host), size), {})[id(launch)] = launch
    return found


def with_nothing(view: LaunchView, known: HostFacts) -> Iterator[tuple[dict[Symbol, int], Mapping[str, Term]]]:
    """Values of the host's variables with one that is 0, and what is allocated behind parameters for as many."""
    sizes = extents_of(view)
    for size in dict.fromkeys(symbol for _, made in sizes for symbol in symbols(made)):
        if size.kind is SymbolKind.PARAM and _asked(view, known, size):
            empty = {name: made for name, made in sizes if evaluate(made, {size: 0}) == 0}
            for env in settings_of(view) if empty else ():
                yield {**env, size: 0}, empty
                break
