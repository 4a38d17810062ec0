"""Memory that is made for other sizes than the kernel is launched for, where nothing says how the two go together."""

from __future__ import annotations

from kernlint.analysis.accesses.pairs import side
from kernlint.analysis.extent.chosen_data import of_other_sizes
from kernlint.analysis.extent.tried import rests_on
from kernlint.analysis.launching.launch_context import LaunchView
from kernlint.analysis.trace.events import Access
from kernlint.prove.query import Refuted
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, Symbol, SymbolKind, Term, symbols
from kernlint.text.patterns import pattern

LAUNCH = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.BLOCK_DIM, SymbolKind.GRID_DIM})
"""What says which thread of a launch it is."""

SHAPE = pattern(r"\.shape\[(\d+)\]$")
"""The name of an extent of an array that the host is given."""


def made_apart(access: Access, size: Term, witness: Refuted, view: LaunchView) -> bool:
    """Whether memory is made for other sizes than the kernel is launched for, neither of which says anything of the
    other: how they go together, callers know."""
    if witness.data_in_address:
        return of_other_sizes(access, size, view, witness)
    images = dict(view.images)
    reached: set[Symbol] = set()
    threads: set[Symbol] = set()
    for symbol in set(side(access).symbols):
        if symbol.kind in (SymbolKind.BLOCK, SymbolKind.THREAD):
            sizes = view.fact.grid if symbol.kind is SymbolKind.BLOCK else view.fact.block
            threads.update(symbols(sizes[symbol.axis]) if sizes is not None else ())
            reached.update(symbols(sizes[symbol.axis]) if sizes is not None and symbol in BLOCK else ())
        elif symbol in images:
            reached.update(symbols(images[symbol]))
    made, reached, threads = rests_on(set(symbols(size))), rests_on(reached), rests_on(threads)
    if any(SHAPE.search(symbol.name) for symbol in reached - made - threads):
        return True  # a test against the extent of an array that the host is given
    if made - reached and reached - made:
        return not _compared(view, made - reached, reached - made)
    return bool(threads or made) and not threads & made and not _tied(access, view, threads, made)


def _compared(view: LaunchView, made: set[Symbol], reached: set[Symbol]) -> bool:
    """Whether the host says how the sizes that memory is ``made`` for go with those of the launch: every one of these
    is in a check with one of those."""
    pairs = [set(symbols(check)) for check in view.checks]
    return all(any(one in found and found & made for found in pairs) for one in reached)


def _tied(access: Access, view: LaunchView, threads: set[Symbol], made: set[Symbol]) -> bool:
    """Whether something says how many threads go with the memory: a check of the host, or a test of the thread's index
    against what the memory is made for (or against a number, where it is made for one)."""
    if any(threads & found and made & found for found in (set(symbols(check)) for check in view.checks)):
        return True
    images = dict(view.images)
    for guard in access.guards:
        found = set(symbols(guard.term))
        said = {
            symbol for mine in found if mine in images and mine not in BLOCK_DIM for symbol in symbols(images[mine])
        }
        if any(symbol.kind in LAUNCH for symbol in found) and (said & made if made else not said):
            return True
    return False
