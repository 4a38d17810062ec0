"""Places that one kernel of a file lets reach a size, and another keeps below it.

Kernels of a file that take parameters of the same names are about the same data.  Where one of them makes an access to
``a[row * cols + col]`` for ``row <= rows``, and all others that go by the same place of the array stop before ``row``
is ``rows``, the array has no such row.
"""

from __future__ import annotations

from kernlint.analysis.base import Facts, ModuleAnalysis, ModuleFacts
from kernlint.analysis.extent.limits import Dimension, Limit
from kernlint.analysis.extent.places import places_of
from kernlint.analysis.trace.events import Access, RootKind
from kernlint.analysis.trace.kernels import kernel_traces
from kernlint.symbolic.polynomial import Polynomial, term_of
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import SymbolKind
from kernlint.tree.types import IntType, Space

Key = tuple[str, Polynomial, str, str]
"""The names of an array and of a size, the index along one dimension, and the pitch of that in words."""


def _key(access: Access, index: Polynomial, pitch: Polynomial, limits: tuple[Limit, ...]) -> Key | None:
    size = limits[0].size if limits else None
    if size is None or len(size.coefficients) != 1 or access.root.kind is not RootKind.PARAM:
        return None
    ((mono, times),) = size.coefficients.items()
    symbol = mono[0].symbol if len(mono) == 1 and times == 1 else None
    if symbol is None or symbol.kind is not SymbolKind.PARAM:
        return None
    return access.root.name, index, words(term_of(pitch)), symbol.name


def _compute(facts: ModuleFacts) -> dict[Key, dict[str, bool]]:
    found: dict[Key, dict[str, bool]] = {}
    for kernel, of in facts[kernel_traces].compared():
        for access in of.accesses:
            if access.root.kind is not RootKind.PARAM or access.root.space is not Space.GLOBAL:
                continue
            for place in places_of(access):
                key = _key(access, place.index, place.pitch, place.limits)
                if key is not None:
                    strict = found.setdefault(key, {})
                    name = kernel.function.name
                    strict[name] = strict.get(name, True) and place.limits[0].slack < 0
    return found


kept_below_elsewhere = ModuleAnalysis("kept_below_elsewhere", _compute, needs=(kernel_traces,))
"""By what kernels index, and the size that tests speak of: each kernel, and whether it stays below the size."""


def below_elsewhere(facts: Facts, access: Access, dimension: Dimension) -> bool:
    """Whether other kernels of the file keep the same place of an array strictly below the size that the tests of
    ``dimension`` let through, and none reaches it.  Integers may be the ends of ranges, of which there is one more."""
    key = _key(access, dimension.index, dimension.pitch, dimension.limits)
    if key is None or isinstance(access.root.element, IntType):
        return False
    known: dict[Key, dict[str, bool]] = facts[kept_below_elsewhere]  # walks kernels
    others = [strict for name, strict in known.get(key, {}).items() if name != facts.kernel.function.name]
    return bool(others) and all(others)
