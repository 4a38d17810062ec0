"""Places in the middle of an array that launches in sight pass, where the kernel's own offsets are multiples.

``scale<<<...>>>(x + 1, ...)`` moves each vector of the kernel by one element.  Told is what is known of every such
launch: a number of elements, or a row of a fixed length for each round of a loop of the host.
"""

from __future__ import annotations

from kernlint.analysis.launching.launch_context import LaunchContext, LaunchView
from kernlint.analysis.trace.events import Access, RootKind
from kernlint.analysis.trace.values import PointerValue
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, symbols
from kernlint.tree.types import BOOL


def passed_place(access: Access, align: int, context: LaunchContext) -> tuple[LaunchView, int] | None:
    """The launch that passes a place that is no multiple of ``align`` for the array of an access, with the bytes that
    it is past one (in the second round of the host's loop, where its counter makes the place)."""
    if access.root.kind is not RootKind.PARAM:
        return None
    if any(symbol.type == BOOL for guard in access.guards for symbol in symbols(guard.term)):
        return None  # a flag may say whether vectors fit
    for view in context.launches:
        value = view.fact.argument(access.root.name)
        if not isinstance(value, PointerValue):
            continue
        uneven = [(mono, times) for mono, times in polynomial(value.offset).coefficients.items() if times % align]
        if len(uneven) != 1:
            continue
        ((mono, times),) = uneven
        rounds = (1,) if not mono else _rounds(mono[0].symbol) if len(mono) == 1 else ()
        past = next((times * value % align for value in rounds if times * value % align), 0)
        if past:
            return view, past
    return None


def _rounds(symbol: Symbol | None) -> tuple[int, ...]:
    """The values of a variable in the first two rounds of a loop of the host, where it counts from a number on."""
    if symbol is None or symbol.kind is SymbolKind.COUNTER:
        return () if symbol is None else (0, 1)
    if symbol.kind is not SymbolKind.PHI or symbol.init is None or symbol.step is None:
        return ()
    first = polynomial(symbol.init).constant
    then = polynomial(symbol.step).coefficients
    by = sum(value for mono, value in then.items() if mono)
    counts = all(
        len(mono) == 1 and mono[0].symbol is not None and mono[0].symbol.kind is SymbolKind.COUNTER
        for mono in then
        if mono
    )
    return (first, first + by) if counts and first is not None and then.get((), 0) == first + by else ()
