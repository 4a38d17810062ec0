"""Parts of buffers of OpenCL that reach beyond the buffer (``clCreateSubBuffer``).

``CL_INVALID_VALUE``, "if the region specified by the cl_buffer_region structure ... is out of bounds in buffer" (OpenCL
3.0 API, 5.2.1).
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.hostmodel.operations import HostWalk
from kernlint.analysis.hostmodel.overdone import let_through
from kernlint.analysis.hostmodel.places import extent_of
from kernlint.analysis.hostmodel.sizes import by_one, exceeds
from kernlint.analysis.trace.values import StructValue
from kernlint.source import Span
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import SymbolKind, Term, binary, cast, const, substitute, symbols
from kernlint.tree.types import I64


def beyond(walk: HostWalk) -> Iterator[tuple[Span, str, str, Span | None, tuple[Span, ...]]]:
    """Place, message, how to mend it, where the buffer is made, and the calls that lead there."""
    for api in walk.trace.apis:
        region = api.behind[3] if api.name == "clCreateSubBuffer" and len(api.behind) > 3 else None
        if not isinstance(region, StructValue):
            continue
        origin, size = region.get("origin"), region.get("size")
        behind = extent_of(api.args[0], walk.allocations)
        if behind is None or behind.offset.value != 0 or not isinstance(origin, Term) or not isinstance(size, Term):
            continue
        end = _by_rounds(binary("add", cast(origin, I64), cast(size, I64), I64))
        checked = let_through(end, behind, [guard.term for guard in api.guards])
        if checked is not None or exceeds(polynomial(end), polynomial(behind.size)):
            message = f"this part of the buffer ends behind its {words(behind.size)} bytes"
            if checked is not None:
                message += f", at byte {checked[2]}, where {checked[0].name or 'a size'} is {checked[1]}"
            yield api.span, message, "give origin and size in bytes, within the buffer", behind.span, api.stack


def _by_rounds(end: Term) -> Term:
    """A place by the number of the loop's round, of which the loop's condition speaks, for a variable that grows by one
    from round to round."""
    rounds = {
        one: binary("sub", cast(one.step, I64), const(1, I64), I64)
        for one in symbols(end)
        if one.kind is SymbolKind.PHI and one.step is not None and by_one(one)
    }
    return substitute(end, {one: cast(made, one.type) for one, made in rounds.items()}) if rounds else end
