"""Kernels that one thread may well run: they ask for no index, and no launch says how many threads it has.

Those of Python, and device functions that no kernel in sight reaches, such as the body of a loop that is handed to a
launcher (``for_each(1, [=] (int i) { ... })``): an argument may be the number of the only call.
"""

from __future__ import annotations

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.launching.launches import launches
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Trace
from kernlint.symbolic.terms import SymbolKind, symbols
from kernlint.tree.nodes import Barrier, LaunchValue, WarpOp
from kernlint.tree.types import Space
from kernlint.tree.walk import functions_of, walk


def _compute(facts: Facts) -> bool:
    if facts.module.entries:
        return _asks_for_no_thread(facts[trace])
    if facts.module.written_in != "python" or facts[launches]:
        return False
    nodes = (node for function in functions_of(facts.kernel) for node in walk(function))
    return not any(isinstance(node, (LaunchValue, Barrier, WarpOp)) for node in nodes)


def _asks_for_no_thread(of: Trace) -> bool:
    """Whether nothing that is read or written rests on a thread's place or on how many there are, and no thread waits
    for others or shares memory with them."""
    if of.barriers or of.warp_ops or any(one.root.space is Space.SHARED for one in of.accesses):
        return False
    terms = (term for one in of.accesses for term in (one.offset, *(guard.term for guard in one.guards)))
    return not any(symbol.kind in _OF_LAUNCH for term in terms for symbol in symbols(term))


_OF_LAUNCH = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.BLOCK_DIM, SymbolKind.GRID_DIM})


alone = KernelAnalysis("alone", _compute, needs=(launches, trace))
"""Whether nothing says that a kernel is run by more than one thread."""
