"""Memory that is given to a function which cannot give it back.

Each allocator has its own counterpart: ``cudaFree`` takes what ``cudaMalloc``, ``cudaMallocManaged`` and their like
gave, ``cudaFreeHost`` page-locked memory, ``cudaFreeArray`` arrays (CUDA runtime API, memory management; the driver and
HIP name the same four kinds), ``free`` and ``delete`` memory of the host.  All of them take the pointer by value.
"""

from __future__ import annotations

from kernlint.analysis.hostmodel.lifetimes.machine import Machine
from kernlint.analysis.hostmodel.lifetimes.model import Fault, Life, State, Thing
from kernlint.apis import ENDS, Made, base_name
from kernlint.source import Span
from kernlint.tree import nodes as n
from kernlint.tree.types import PointerType
from kernlint.tree.walk import strip_casts, walk

_ARRAYS = frozenset(name for name, ends in ENDS.items() if ends.arrays)
_ALL = frozenset(name for name, ends in ENDS.items() if ends.of)


def _right(m: Machine, thing: Thing) -> frozenset[str]:
    """The functions that give a thing back; empty where it is not known what made it."""
    of_member = thing.key is not None and thing.key in m.program.kinds and thing.key not in m.program.assigned
    if (not thing.api and not of_member) or thing.api.startswith("cl"):
        return frozenset()
    if base_name(thing.api).endswith(("Array", "ArrayCreate", "3DCreate")):
        return _ARRAYS
    made = Made.__members__.get(thing.kind.name)
    if of_member and not thing.api and made is Made.DEVICE:  # an array, perhaps
        return frozenset(name for name in _ALL if made in ENDS[name].of)
    return frozenset(name for name in _ALL - _ARRAYS if made in ENDS[name].of)


def to_the_wrong(m: Machine, thing: Thing, api: str, span: Span, s: State) -> bool:
    """Take note of memory that is given to the function of another allocator; False where that fits, or where the
    function that gives it back chooses among several."""
    right, fate = _right(m, thing), s.fate(thing)
    if api not in _ALL or not right or api in right or fate.life is not Life.LIVE:
        return False
    body = m.frames[-1].function.body if m.frames else None
    chosen = (base_name(node.name) in right for node in walk(body) if isinstance(node, n.Call)) if body else ()
    if any(chosen):
        return False
    made = thing.api.rpartition("::")[2]
    related = ((thing.span, f"allocated by {made} here"),) if thing.span is not None else ()
    calls = tuple((frame.call, "called here") for frame in m.frames[:0:-1] if frame.call is not None)
    m.report(Fault("other", span, thing.name, "given to the function of another allocator", (*related, *calls[:2])))
    s.change(thing, life=Life.DOUBT)
    return True


def by_address(m: Machine, expr: n.Expr, api: str, span: Span) -> None:
    """Take note of the address of a pointer where the pointer is meant."""
    expr = strip_casts(expr)
    if api not in _ALL or not isinstance(expr, n.AddressOf) or not isinstance(expr.operand, (n.Ref, n.Member)):
        return
    if isinstance(expr.operand.type, PointerType) and not expr.operand.type.reference:
        name = expr.operand.field if isinstance(expr.operand, n.Member) else expr.operand.decl.name
        m.report(Fault("other", span, name, "given by its address, which is not that of its memory"))
