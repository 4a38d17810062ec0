"""Objects of OpenCL's C++ bindings that are made of a handle of C.

``cl::Buffer b(mem)`` takes the caller's reference over: nothing retains it, and the destructor releases it
(``opencl.hpp``, ``Wrapper(const cl_type &obj, bool retainObject)``, whose ``retainObject`` is false where it is left
out).  A copy of the object retains the handle for itself.
"""

from __future__ import annotations

from kernlint.analysis.hostmodel.lifetimes.machine import Machine, Outcome
from kernlint.analysis.hostmodel.lifetimes.model import At, Life, State, Whole
from kernlint.analysis.hostmodel.lifetimes.transfers import used
from kernlint.text.patterns import pattern
from kernlint.tree import nodes as n
from kernlint.tree.types import OpaqueType, PointerType
from kernlint.tree.walk import strip_casts

WRAPPED = "#wrapped"
_MADE = pattern(r"(?:.*::)?cl::(Memory|Buffer|BufferGL|Image\w*)::\1")


def takes_over(e: n.Call) -> bool:
    """Whether a call constructs an object that owns from then on the handle it is given."""
    if _MADE.fullmatch(e.name) is None or e.receiver is not None or len(e.args) not in (1, 2):
        return False
    kind, keeps = strip_casts(e.args[0]).type, strip_casts(e.args[-1])
    inner = kind.pointee if isinstance(kind, PointerType) else None
    if not isinstance(inner, OpaqueType) or not inner.spelling.endswith("_cl_mem"):
        return False
    return len(e.args) == 1 or (isinstance(keeps, n.IntLit) and keeps.value == 0)


def taken_over(m: Machine, e: n.Call, s: State) -> list[Outcome]:
    """The object that such a call makes."""
    out: list[Outcome] = []
    for state, args in m.values(e.args, s):
        given = args[0]
        if isinstance(given, At):
            used(m, given, e.span, state, "wrapped")
        alive = isinstance(given, At) and state.fate(given.thing).life is Life.LIVE
        out.append((state, Whole((((WRAPPED,), given),)) if alive else m.fresh("wrapper")))
    return out


def held_by(at: At, s: State) -> list[At]:
    """The handles that an object or its members release when it ends, where nobody else can have a copy of it."""
    if s.fate(at.thing).out:
        return []
    inside = (held for place, held in s.memory.items() if place.thing is at.thing and place.path[-1:] == (WRAPPED,))
    return [held for held in inside if isinstance(held, At)]
