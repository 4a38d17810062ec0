"""Arrays that carry their strides and extents along: torch's accessors, as the prelude declares them.

An accessor of N dimensions has a pointer ``data_``, strides ``s0`` to ``sN`` and extents ``n0`` to ``nN``
(``preludes/stubs/torch.h``).  A tensor may be a part of another one, but its accessor says where its own places end.
"""

from __future__ import annotations

from kernlint.analysis.extent.places import Place
from kernlint.analysis.trace.events import Root
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, symbols
from kernlint.tree.types import StructType

_TYPE = "TensorAccessor<"
_DATA, _STRIDE, _EXTENT = ".data_", ".s", ".n"


def is_accessor(root: Root) -> bool:
    """Whether memory is what an accessor that is passed leads to."""
    kind = root.decl.type if root.decl is not None else None
    return isinstance(kind, StructType) and _TYPE in kind.name and root.name.endswith(_DATA)


def extent_along(root: Root, pitch: Polynomial) -> str:
    """The name of the extent of the dimension that a stride is of; empty where there is none."""
    atoms = list(pitch.atoms)
    symbol = atoms[0].symbol if len(atoms) == 1 and pitch.coefficients == {(atoms[0],): 1} else None
    own = root.name.removesuffix(_DATA) + _STRIDE
    if symbol is None or symbol.kind is not SymbolKind.PARAM or not symbol.name.startswith(own):
        return ""
    return root.name.removesuffix(_DATA) + _EXTENT + symbol.name[len(own) :] if is_accessor(root) else ""


def is_own(root: Root, pitch: Polynomial, size: Polynomial) -> bool:
    """Whether a size is the extent of the dimension that a stride is of."""
    name = extent_along(root, pitch)
    return bool(name) and _name(size) == name


def missed_extent(place: Place, name: str) -> Polynomial | None:
    """The extent of that name, where all tests of a place let more through, or are against the extents of other
    dimensions of the accessor; None where one may keep the place inside."""
    others = name.rpartition(".")[0] + _EXTENT
    for limit in place.limits:
        size = _name(limit.size)
        if size is None or not (size.startswith(others) and (size != name or limit.slack >= 0)):
            return None
    known = {s for guard in place.access.guards for s in symbols(guard.term) if s.name == name}
    return polynomial(known.pop().term) if len(known) == 1 else None


def _name(size: Polynomial) -> str | None:
    """The name of the argument that a size is."""
    atoms = list(size.atoms)
    symbol: Symbol | None = atoms[0].symbol if len(atoms) == 1 and size.coefficients == {(atoms[0],): 1} else None
    return symbol.name if symbol is not None and symbol.kind is SymbolKind.PARAM else None
