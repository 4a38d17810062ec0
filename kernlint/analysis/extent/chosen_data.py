"""How far data take an access that are tested, from below and from above, before they make its place.

``if (x < 0 || y < 0 || x >= width || y >= width) return; image[y * width + x] = ...`` with x and y from memory: who
tests such numbers does not trust them, so any that pass the tests may be there.  The largest ones are tried in launches
whose allocations are in sight.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.accesses.pairs import side
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.launching.launch_context import LaunchView
from kernlint.analysis.trace.events import Access
from kernlint.prove.query import Actor, Launch, Refuted
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, GRID_DIM, THREAD, Symbol, SymbolKind, Term, plain, symbols
from kernlint.tree.types import IntType

_FIXED = frozenset({SymbolKind.PARAM, SymbolKind.BLOCK_DIM, SymbolKind.GRID_DIM})


def tested_data(access: Access) -> dict[Symbol, list[tuple[Term, int]]]:
    """The numbers from memory that make the place of an access, with what the tests before it keep them below or at
    (minus 1 or 0); empty where one of them is not tested on both sides, or something else makes the place too."""
    found: dict[Symbol, list[tuple[Term, int]]] = {}
    for symbol in symbols(access.offset):
        if symbol.kind is SymbolKind.LOAD and isinstance(symbol.type, IntType):
            found[symbol] = []
        elif symbol.kind not in _FIXED:
            return {}
    least = {symbol for symbol in found if isinstance(symbol.type, IntType) and not symbol.type.signed}
    for part in _tests(access) if found else ():
        low, high = part.args[:2]
        bounded, kept = plain(low).symbol, plain(high).symbol
        if bounded in found and {s.kind for s in symbols(high)} <= _FIXED:
            found[bounded].append((high, -1 if part.op == "lt" else 0))
        if kept in found and low.value is not None and low.value >= (-1 if part.op == "lt" else 0):
            least.add(kept)
    return found if all(found.values()) and least >= set(found) else {}


def _tests(access: Access) -> Iterator[Term]:
    for fact in side(access).facts:
        yield from (part for part in conjuncts(fact) if part.op in ("lt", "le"))


def furthest(access: Access, launch: Launch, extent: int) -> Refuted | None:
    """A thread that such data take beyond ``extent`` bytes under a launch with numbers for all its sizes."""
    data = tested_data(access)
    size, (block, grid) = access.size, (launch.block, launch.grid)
    if not data or not size or None in block or None in grid:
        return None
    env: dict[Symbol, int] = dict(launch.values)
    env.update((symbol, value or 1) for symbol, value in zip((*BLOCK_DIM, *GRID_DIM), (*block, *grid), strict=True))
    env.update(dict.fromkeys((*THREAD, *BLOCK), 0))
    for symbol, bounds in data.items():
        limits = [None if (most := evaluate(bound, env)) is None else most + less for bound, less in bounds]
        known = [most for most in limits if most is not None]
        if len(known) < len(limits) or min(known) < 0:
            return None
        env[symbol] = min(known)
    offset = evaluate(access.offset, env)
    if offset is None or offset + size <= extent:
        return None
    for fact in side(access).facts:
        held = evaluate(fact, env)
        if held == 0 or (held is None and any(symbol in data for symbol in symbols(fact))):
            return None
    x, y, z = (value or 1 for value in block)
    a, b, c = (value or 1 for value in grid)
    actor = Actor((0, 0, 0), (0, 0, 0), offset, data=tuple((symbol, env[symbol]) for symbol in data))
    return Refuted(
        (x, y, z), (a, b, c), launch.values, actor, depends_on_data=True, data_in_address=True, extent=extent
    )


def of_other_sizes(access: Access, size: Term, view: LaunchView) -> bool:
    """Whether memory is made of other sizes than those that the data are tested against and multiplied by."""
    images = dict(view.images)
    own = {symbol for symbol in symbols(access.offset) if symbol.kind is SymbolKind.PARAM}
    own |= {s for bounds in tested_data(access).values() for bound, _ in bounds for s in symbols(bound)}
    reached = {symbol for one in own if one in images for symbol in symbols(images[one])}
    made = set(symbols(size))
    return not reached & made or bool(reached - made)
