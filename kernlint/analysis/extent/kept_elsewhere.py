"""Coordinates that another kernel of the file keeps inside at an end at which nothing keeps them here.

Kernels that take parameters of the same names are about the same data.  Compared are:

* coordinates that *data* choose: the other kernel makes one of the same data in the same way, and tests or clamps it
  at an end (of the same array, or of rows just as long); here that end is open (of other data in the same way, with
  the same arguments, and for the same array, if the upper end alone is tested here);
* *neighbours* of a place: the other kernel tests ``i + 1 < n`` before element ``i + 1`` of the array, and here the test
  of ``i`` against ``n`` lets it be ``n``;
* *sums* of places: the other kernel tests ``f * hop + t < n``, and here a thread gets past ``n``, whatever is asked
  of the summands;
* places in *rings*: another access to the array takes a number for its place by a remainder or a mask, and here the
  number itself is part of the place, with nothing to bring it back.

Silent where a kernel of the file stores other data where they are read, as it may have brought them into range, or
where the access is made under conditions on more than the test in the other kernel: data may have been cut down since.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis, ModuleAnalysis, ModuleFacts
from kernlint.analysis.extent.asking import Past, asked, kept
from kernlint.analysis.extent.documented import roomier
from kernlint.analysis.extent.doubts import DIGITS
from kernlint.analysis.extent.ends import CLAMPS, Coordinate, coordinate, coordinates, tested_forms
from kernlint.analysis.extent.let_past import FAR
from kernlint.analysis.extent.limits import elements
from kernlint.analysis.extent.member_rooms import asked_of, stored
from kernlint.analysis.extent.named import (
    GIVEN,
    PLACES,
    alone,
    arrays_asked,
    arrays_of,
    converted,
    data_in,
    made_of,
    moving_part,
    named,
    of_any_array,
    product,
    size_of,
    without_rounds,
)
from kernlint.analysis.extent.places import moves, places
from kernlint.analysis.extent.told import Told
from kernlint.analysis.extent.truths import truths
from kernlint.analysis.extent.unclamped import unclamped
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, GuardKind, RootKind
from kernlint.analysis.trace.kernels import kernel_traces
from kernlint.analysis.wording import element, verb
from kernlint.finding import Related
from kernlint.prove.query import Refuted
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.symbolic.polynomial import Monomial, Polynomial, polynomial, term_of
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, is_one_bit, plain, subterms, symbols
from kernlint.tree.types import IntType, Space

Key = tuple[str, str, bool]
"""How what moves in a coordinate is made, its pitch, and whether its lower end is meant."""

Apart = tuple[tuple[str, ...], int]
"""How far elements are apart: the names of sizes that are multiplied, and a number."""


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """What ``kernel`` keeps a coordinate of ``access`` inside by, at ``span``; ``base``: what is added to the
    coordinate; ``size``: what it is kept below, in words, of the arguments ``given``; ``asked``: all that is asked for
    (None: nothing, a clamp takes all)."""

    kernel: str
    access: Access
    span: Span
    base: Polynomial
    size: str
    given: frozenset[str]
    asked: frozenset[str] | None


Rings = dict[str, list[tuple[Apart, Known]]]


@dataclass(frozen=True, slots=True, eq=False)
class OpenHere:
    """An ``access`` at a coordinate that ``other`` keeps at an end, and nothing here."""

    access: Access
    other: Known
    below: bool
    guard: None = None
    ring: bool = False
    """Whether the other one takes the remainder by a size."""

    @property
    def told(self) -> Told:
        """What is wrong, in words."""
        may, how = ("negative", "is not negative") if self.below else ("too large", "is below its end")
        other, clamp = self.other, self.other.asked is None
        if self.ring:
            return Told(
                f"{element(self.access)} is {verb(self.access)} at a place that goes on past the end of a ring: "
                f"{other.kernel} brings such a place back to one of {other.size}, and nothing does here",
                [Related(other.span, f"for {element(other.access)}, it is brought back here")],
                f"the array has {other.size} places, as {other.kernel} says",
                "take the remainder here too",
            )
        what = "clamps such a coordinate to the array" if clamp else f"tests that such a coordinate {how}"
        return Told(
            f"{element(self.access)} is {verb(self.access)} at a coordinate that may be {may}: {other.kernel} {what}, "
            "and nothing does here",
            [Related(other.span, f"for {element(other.access)}, it is {'clamped' if clamp else 'tested'} here")],
            f"there are coordinates {'below 0' if self.below else 'past the end'}, as {other.kernel} says",
            f"{'clamp it' if clamp else 'test it'} here too",
        )


# ------------------------------------------------------------------------------------------------ of other kernels


def _compared(access: Access) -> bool:
    """Whether the place of an access is one that is compared: data, a number or steps of an argument's length make
    it."""
    found = elements(access)
    if found is None or access.root.kind is not RootKind.PARAM:
        return False
    moving = moving_part(found[0])
    return bool(data_in(moving) or found[0].coefficients.get((), 0) > 0 or _steps(moving))


def _steps(moving: Polynomial) -> bool:
    """Whether several places are added up, one of which counts steps of an argument's length."""
    given = (s.kind in GIVEN for mono in moving.coefficients for atom in mono for s in symbols(atom))
    return len(moving.coefficients) > 1 and any(given)


def _of_tests(name: str, access: Access) -> Iterator[tuple[Key, Known]]:
    for one in coordinates(access, tested_forms(access)):
        made, pitch = made_of(one.core), made_of(one.pitch)
        if made is None or pitch is None:
            continue
        for below in (True, False):
            end, size = one.end(below), size_of(one.high.size)
            tested = end.guard is not None and end.kept and end.exact and end.guard.kind is not GuardKind.AFTER_LOOP
            if not tested or end.guard is None or (not below and size is None):
                continue
            asks = asked_of(access) if data_in(one.core) else frozenset()
            named, given = size if size is not None and not below else ("", frozenset())
            known = Known(name, access, end.guard.span, one.base, named, given, asks)
            yield (made, pitch, below), known


def _of_clamps(name: str, access: Access) -> Iterator[tuple[Key, Known]]:
    found = elements(access)
    for mono, by in found[0].coefficients.items() if found is not None else ():
        clamps = [(atom, clamp) for atom in mono if moves(atom) and (clamp := unclamped(atom)) is not None]
        if len(clamps) != 1 or by < 1:
            continue
        atom, clamp = clamps[0]
        rest = tuple(other for other in mono if other is not atom)
        form = polynomial(clamp.core)
        made, pitch = made_of(moving_part(form)), made_of(Polynomial({rest: by}))
        size = size_of(clamp.size)
        if made is None or pitch is None or not data_in(form):
            continue
        base = form - moving_part(form)
        if clamp.low:
            yield (made, pitch, True), Known(name, access, access.span, base, "", frozenset(), None)
        if clamp.high and size is not None:
            yield (made, pitch, False), Known(name, access, access.span, base, *size, None)


@dataclass(frozen=True, slots=True, eq=False)
class Elsewhere:
    """What kernels of a file keep inside, by how it is made; ``settled``: the arrays that kernels fill anew;
    ``ends``: the kernels that read the place at a size, by array and size, after a test of the one before it."""

    known: dict[Key, list[Known]]
    settled: frozenset[str]
    ends: dict[tuple[str, str], set[str]]


def _compute(facts: ModuleFacts) -> Elsewhere:
    found = Elsewhere({}, frozenset(), {})
    settled: set[str] = set()
    for kernel, of in facts[kernel_traces].compared():
        name = kernel.function.name
        seen: set[object] = set()
        for access in of.accesses:
            if access.root.kind is not RootKind.PARAM or not access.size:
                continue
            settled |= {access.root.name} if stored(access, {access.root.name}) else set()
            key_ = (access.root.name, access.offset, tuple(guard.term for guard in access.guards), access.writes)
            if key_ in seen or not _compared(access):
                continue
            seen.add(key_)
            for key, one in (*_of_tests(name, access), *_of_clamps(name, access)):
                found.known.setdefault(key, []).append(one)
                if key[2] and (any_ := of_any_array(key[0])) != key[0]:
                    found.known.setdefault((any_, *key[1:]), []).append(one)
            for past in _neighbours(access):
                size = size_of(past.high.size)
                if size is not None:
                    found.ends.setdefault((access.root.name, size[0]), set()).add(name)
    return Elsewhere(found.known, frozenset(settled), found.ends)


def _all_rings(facts: ModuleFacts) -> Rings:
    found: Rings = {}
    for kernel, of in facts[kernel_traces].compared():
        for access in of.accesses:
            if access.root.kind is RootKind.PARAM and access.size and access.offset.value is None:
                for ring in _rings(kernel.function.name, access):
                    found.setdefault(access.root.name, []).append(ring)
    return found


rings_in_file = ModuleAnalysis("rings_in_file", _all_rings, needs=(kernel_traces,))
"""How far elements of arrays are apart whose place is a remainder, with what is divided, by array."""


def _rings(name: str, access: Access) -> Iterator[tuple[Apart, Known]]:
    """(how far apart, what is known) of numbers, not of threads alone, whose remainders are places."""
    found = elements(access)
    whole = found[0] if found is not None else Polynomial({})
    digits = {plain(one).args[0] for one in whole.atoms if plain(one).op in ("div", "shr")}  # row and column
    for mono, by in whole.coefficients.items():
        for at, atom in enumerate(mono):
            size = _remainder(atom)
            divided = plain(atom).args[0] if size is not None else None
            if size is None or divided is None or by < 1 or divided in digits:
                continue
            base = {one: times for one, times in polynomial(divided).coefficients.items() if one}
            base = {one: times for one, times in base.items() if product(one) not in (None, "#")}
            if base:
                given = frozenset(str(s.name) for s in symbols(plain(atom).args[1]))
                sizes = tuple(str(named(other)) for other in mono[:at] + mono[at + 1 :])
                yield (sizes, by), Known(name, access, access.span, Polynomial(base), size, given, None)


def _remainder(atom: Term) -> str | None:
    """What a number is the remainder by, in words; None where it is none by arguments and numbers."""
    atom = plain(atom)
    by = atom.args[1] if atom.op in ("mod", "and") else None
    if by is None or not all(s.kind in GIVEN for s in symbols(by)):
        return None
    if atom.op == "mod":
        return words(by) if by.value is None or by.value > 1 else None
    return str(by.value + 1) if is_one_bit((by.value or 0) + 1) and by.value else None


kept_in_file = ModuleAnalysis("kept_in_file", _compute, needs=(kernel_traces,))
"""What kernels of a file keep inside at an end, as :class:`Elsewhere`."""


# ----------------------------------------------------------------------------------------------------------- here


def _farther(one: Polynomial, other: Polynomial, below: bool) -> bool:
    """Whether a coordinate lies as far towards an end as another one, or farther, by what is added to it."""
    apart = one.coefficients.get((), 0) - other.coefficients.get((), 0)
    names = [made_of(form - Polynomial({(): form.coefficients.get((), 0)})) for form in (one, other)]
    return names[0] is not None and names[0] == names[1] and (apart <= 0 if below else apart >= 0)


def _chosen(facts: Facts) -> Iterator[OpenHere]:
    """Coordinates that data choose."""
    given = {param.name for param in facts.function.params}
    own = facts.kernel.function.name
    for access, mine in facts[places].items():
        for place in mine:
            moving = moving_part(place.index)
            data = data_in(moving)
            if not data:
                continue
            at = coordinate(access, moving, place.index - moving, place.pitch, Polynomial({(): place.extra}))
            for below in (True, False):
                if at.clamped(below) or not _open(at, below):
                    continue
                form = without_rounds(at.core) if below else at.core
                made, pitch = made_of(form), made_of(at.pitch)
                known: Elsewhere = facts[kept_in_file] if made is not None else Elsewhere({}, frozenset(), {})
                row = size_of(place.row)
                alike = below and at.end(False).guard is not None and converted(form)
                exact = known.known.get((str(made), str(pitch), below), ())
                for other in (
                    *exact,
                    *(known.known.get((of_any_array(str(made)), str(pitch), below), ()) if alike else ()),
                ):
                    same = other.access.root.name == access.root.name
                    rows = row is not None and row[0] == other.size and not alone(form)
                    if other.kernel == own or not (same or rows or (below and not alone(form))):
                        continue
                    if not {name.partition(".")[0] for name in other.given} <= given:
                        continue
                    if other not in exact and not same:
                        continue
                    asks = asked_of(access) if other in exact else arrays_asked(access) - arrays_of(data)
                    if not _farther(at.base, other.base, below) or (
                        other.asked is not None and not asks <= other.asked
                    ):
                        continue
                    if not {s.origin[0].name for s in data if isinstance(s.origin, tuple)} & known.settled:
                        yield OpenHere(access, other, below)
                        break


def _open(one: Coordinate, below: bool) -> bool:
    """Whether nothing keeps a coordinate at an end: it may be a digit of something, as the other one is too."""
    end = one.end(below)
    clamps = any(part.op in CLAMPS for atom in one.moving.atoms for part in subterms(atom))
    return end.open() or (not below and not end.kept and not end.doubts and end.guard is None and not clamps)


def _neighbours(access: Access) -> Iterator[Coordinate]:
    """Neighbours of a place that the test of it lets past the end."""
    found = elements(access)
    if access.writes or access.root.space is not Space.GLOBAL or found is None or found[0].coefficients.get((), 0) < 1:
        return
    moving = moving_part(found[0])
    forms = dict.fromkeys((*tested_forms(access), moving))
    for one in coordinates(access, forms):
        past = one.fixed.constant
        beside = past is not None and 0 < past <= FAR and one.high.reach == past and len(one.high.limits) == 1
        if beside and not any(_may_speak(part, one) for part in one.high.doubts):
            yield one


def _of_middle(access: Access) -> bool:
    """Whether a test keeps the first place away too: ``i > 0 && i + 1 < n``."""
    lefts = [truth.left for truth in truths(access.guards)]
    found = coordinates(access, tested_forms(access))
    return any(((left - one.moving).constant or 0) < 0 for one in found for left in lefts)


def _may_speak(part: Term, one: Coordinate) -> bool:
    """Whether a truth may speak of a place: of what it is made of, or of a whole number that stands there."""
    own = {s for atom in one.moving.atoms for s in symbols(atom)}
    return any(s in own or (s.kind is SymbolKind.LOAD and isinstance(s.type, IntType)) for s in symbols(part))


def _sums(access: Access) -> Iterator[Coordinate]:
    """Sums of places, one of which counts steps of an argument's length, of which no test speaks."""
    found = elements(access)
    moving = moving_part(found[0]) if found is not None else Polynomial({})
    if found is None or not _steps(moving) or data_in(moving):
        return
    at = coordinate(access, moving, found[0] - moving, Polynomial({(): 1}), Polynomial({(): found[1]}))
    if not at.high.kept and at.high.guard is None:
        yield at


def _placed(facts: Facts) -> Iterator[OpenHere]:
    """Neighbours and sums of places."""
    own = facts.kernel.function.name
    sizes: dict[str, Symbol] = {}
    found: list[tuple[Access, Coordinate]] = []
    for access in facts[trace].accesses:
        if access.root.kind is RootKind.PARAM and access.root.space is Space.GLOBAL and access.guards:
            found += [(access, one) for one in (*_neighbours(access), *_sums(access))]
            given = (s for guard in access.guards for s in symbols(guard.term) if s.kind is SymbolKind.PARAM)
            sizes.update((str(s.name), s) for s in given)
    room = roomier(facts) if found else None
    for access, one in found:
        known: Elsewhere = facts[kept_in_file]
        made = made_of(one.moving)
        for other in known.known.get((str(made), _ONE, False), ()) if made is not None else ():
            size = sizes.get(next(iter(other.given))) if len(other.given) == 1 else None
            if other.kernel == own or other.access.root.name != access.root.name or size is None:
                continue
            if other.size != made_of(polynomial(size.term)) or one.fixed != other.base:
                continue
            if one.fixed.coefficients and (
                len(known.ends.get((access.root.name, other.size), ())) > 1 or _of_middle(other.access)
            ):
                continue  # the array has one more, or the other one goes to what has neighbours on both sides
            past = Past(access, term_of(one.moving + one.fixed), size.term)
            if room is not None and room(access, polynomial(size.term)):
                continue
            if not kept(past, facts) if one.high.limits else isinstance(asked(past, facts), Refuted):
                yield OpenHere(access, other, False)
                break


def _on_rings(facts: Facts) -> Iterator[OpenHere]:
    """Places that go on past the end of a ring."""
    given = {param.name for param in facts.function.params}
    rings: Rings = facts[rings_in_file]
    for access in facts[trace].accesses if rings else ():
        if access.root.kind is not RootKind.PARAM or access.root.space is not Space.GLOBAL or not access.size:
            continue
        found = elements(access) if access.root.name in rings else None
        for apart, other in rings[access.root.name] if found is not None and not found[1] else ():
            at = _counted(found[0], apart) if found is not None else None
            if at is None or not {name.partition(".")[0] for name in other.given} <= given:
                continue
            own = {product(mono): by for mono, by in at.coefficients.items()}
            if not all(own.get(product(mono)) == by for mono, by in other.base.coefficients.items()):
                continue
            moving = moving_part(at)
            end = coordinate(access, moving, at - moving, Polynomial({(): 1}), Polynomial({})).high
            names = {product(mono) for mono in other.base.coefficients}
            grows = all(names <= {product(mono) for mono in limit.coefficients} for limit in end.limits)
            if grows and not end.doubts and (not end.kept or end.limits) and (end.guard is None or end.limits):
                yield OpenHere(access, other, False, ring=True)
                break


def _counted(form: Polynomial, apart: Apart) -> Polynomial | None:
    """What an index counts elements by that are so far apart; None where remainders or choices have a say."""
    out: dict[Monomial, int] = {}
    for mono, by in form.coefficients.items():
        left, names = list(mono), list(apart[0])
        for atom in mono:
            if (name := named(atom)) in names:
                names.remove(str(name))
                left.remove(atom)
        if not names and len(left) <= (2 if left and all(map(_place, left)) else 1) and not by % apart[1]:
            out[tuple(left)] = by // apart[1]
    held = any(part.op in _HELD for mono in out for atom in mono for part in subterms(atom))
    return None if held else Polynomial(out)


def _place(atom: Term) -> bool:
    return all(symbol.kind in PLACES for symbol in symbols(atom))


_HELD = CLAMPS | DIGITS | {"max", "call"}

_ONE = str(made_of(Polynomial({(): 1})))


def _of(facts: Facts) -> tuple[OpenHere, ...]:
    out: dict[tuple[object, bool], OpenHere] = {}
    if len(facts.module.kernels) > 1:
        for one in (*_chosen(facts), *_placed(facts), *_on_rings(facts)):
            out.setdefault((one.access.root, one.below), one)
    return tuple(out.values())


kept_elsewhere = KernelAnalysis(
    "kept_elsewhere", _of, needs=(trace, places, launch_context, kept_in_file, rings_in_file)
)
"""An :class:`OpenHere` for each array and end of a kernel variant that has one."""
