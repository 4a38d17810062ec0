"""Vectors of which the first element is tested, and rows that kernels of a file end one element at a time."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleAnalysis, ModuleFacts
from kernlint.analysis.extent.limits import counter_ranges
from kernlint.analysis.extent.places import Place, Places, places_of
from kernlint.analysis.extent.wrong_guards.faults import Fault, Overreach
from kernlint.analysis.extent.wrong_guards.steps import (
    Ended,
    Promised,
    in_whole,
    multiple,
    rounds_items,
    speaks_of,
    wants_alignment,
)
from kernlint.analysis.launching.launch_context import LaunchContext
from kernlint.analysis.trace.events import RootKind
from kernlint.analysis.trace.kernels import kernel_traces
from kernlint.symbolic.polynomial import Polynomial
from kernlint.symbolic.terms import SymbolKind
from kernlint.tree.types import Space

Tail = tuple[str, int]
"""The name of a size, and the elements of the vectors that are taken as long as whole ones are below it."""


def name_of(size: Polynomial) -> str:
    """The name of the argument that a size is as it stands; empty where it is none."""
    atoms = list(size.atoms)
    symbol = atoms[0].symbol if len(atoms) == 1 else None
    alone = symbol is not None and symbol.kind is SymbolKind.PARAM and size.coefficients == {(atoms[0],): 1}
    return symbol.name if symbol is not None and alone else ""


def _lanes(place: Place) -> int:
    """The elements that a loop of constant length goes through side by side, as many as each thread takes; 1: none."""
    ranged = counter_ranges(place.access)
    rounds = [ranged[s][1] + 1 for s in ranged if place.index.coefficients.get((s.term,)) == 1]
    steps = {value for mono, value in place.index.coefficients.items() if mono and mono[0].symbol not in ranged}
    return rounds[0] if len(rounds) == 1 and steps and all(step % rounds[0] == 0 for step in steps) else 1


def _compute(facts: ModuleFacts) -> frozenset[Tail]:
    found: set[Tail] = set()
    for _, of in facts[kernel_traces].compared():
        whole: set[tuple[int, str, int]] = set()
        single: set[tuple[int, str]] = set()
        for access in of.accesses:
            root = access.root
            if root.kind is not RootKind.PARAM or root.space is not Space.GLOBAL or not access.guards:
                continue
            place = next(iter(places_of(access)[-1:]), None)
            best = place.limits[0] if place is not None and place.limits else None
            if place is None or best is None or best.slack != -1 or place.pitch.constant != 1 or not name_of(best.size):
                continue
            lanes = place.extra + 1 if place.extra else _lanes(place)
            if lanes > 1:
                whole.add((id(root), name_of(best.size), lanes))
            else:
                single.add((id(root), name_of(best.size)))
        found |= {(name, lanes) for root_, name, lanes in whole if (root_, name) in single}
    return frozenset(found)


vector_tails = ModuleAnalysis("vector_tails", _compute, needs=(kernel_traces,))
"""Each :data:`Tail` of a file: vectors as long as they are whole, and single elements behind the last of them."""


def vectors(found: Places, context: LaunchContext, whole: Promised, ended: Ended) -> Iterator[Overreach]:
    """A vector of which the first element is tested, whatever else the place is made of.  Rows with a distance of their
    own may end in padding, unless the rows are ``ended`` one element at a time elsewhere."""
    for access, places in found.items():
        place = places[-1]
        if not place.extra or not place.limits or place.pitch.constant != 1:
            continue
        best = place.limits[0]
        if best.slack != place.extra - 1 or best.part.op != "lt":
            continue
        padded = place.row is not None and place.row != best.size
        if padded and not ended(best.size, place.extra + 1):
            continue
        if any(limit.part.op == "lt" and in_whole(limit, place.index, place.extra + 1) for limit in place.limits):
            continue
        if len(places) > 1 and wants_alignment(access):
            continue  # a row that is no whole number of vectors would have the next one misaligned: there is none
        if multiple(context, best, place.extra + 1) or whole(best.size, place.extra + 1):
            continue
        told = any(speaks_of(view, best.size) for view in context.launches)
        if not told or rounds_items(context, best, place.extra + 1):
            why = f"the launch rounds it up to whole groups of {place.extra + 1}"
            if not told:
                why = "the test of the first element bounds by it"
            if padded:
                why = f"vectors are taken elsewhere as long as they end below {best.size}, and the rest one by one"
            yield Overreach(access, Fault.VECTOR, best.guard, best.part, best.size, place.extra, why)
