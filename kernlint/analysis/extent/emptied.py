"""Sizes of the host that may be 0, in a launch that goes ahead nevertheless.

``if (hits > 0) mark<<<...>>>(hits, bins); blend<<<tiles, block>>>(bins, image);`` has memory for ``hits`` ranges: who
asks before one launch whether there are any takes none for possible, and the other launch reads what is not there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.tried import extents_of, settings_of
from kernlint.analysis.launching.launch_context import LaunchView
from kernlint.analysis.launching.launches import HostFacts
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, subterms, symbols


def _asked(view: LaunchView, known: HostFacts, size: Symbol) -> bool:
    """Whether the host makes another launch only where a size is not 0, and this one in any case."""
    for check in view.checks:
        if size in symbols(check) and not any(part.op == "call" for part in subterms(check)):
            return False
    parts: Iterator[Term] = (
        part
        for other in known.launches
        if other.host is view.fact.host and other is not view.fact
        for guard in other.guards
        for part in conjuncts(guard.term)
    )
    return any(symbols(part) == (size,) and evaluate(part, {size: 0}) == 0 for part in parts)


def with_nothing(view: LaunchView, known: HostFacts) -> Iterator[tuple[dict[Symbol, int], Mapping[str, Term]]]:
    """Values of the host's variables with one that is 0, and what is allocated behind parameters for as many."""
    sizes = extents_of(view)
    for size in dict.fromkeys(symbol for _, made in sizes for symbol in symbols(made)):
        if size.kind is SymbolKind.PARAM and _asked(view, known, size):
            empty = {name: made for name, made in sizes if evaluate(made, {size: 0}) == 0}
            for env in settings_of(view) if empty else ():
                yield {**env, size: 0}, empty
                break
