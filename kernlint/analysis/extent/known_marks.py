"""Indices from memory that may be no place, as a comment says or another kernel of the file takes for granted.

``slots: [tokens], -1 for padding`` above a kernel that writes at ``slots[t]``; or ``if (i == SIZE) return;`` in the
kernel before, for numbers from the same array that make a place in the same one, or for those that the host passes to
both kernels and that neither changes.  So it is where another kernel asks for the mark of the very element that is read
here, in an array that no kernel of the file writes but such as store the mark: with one that makes a place before the
start.  Members of structs in an array are arrays of their own; an item has the same element, be it a thread or a block.
A kernel that stores in the index array itself says nothing of marks: it leaves out what an earlier round has done; nor
does one that only counts, perhaps errors.
Whoever asks anything of the number here that the mark does not pass knows of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import gcd

from kernlint.analysis.base import Facts, KernelAnalysis, ModuleAnalysis, ModuleFacts, Sentinel
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.bounds import vacuous
from kernlint.analysis.extent.cleared import Cleared, Part, cleared, found_free
from kernlint.analysis.extent.marks import counts_alone, marked
from kernlint.analysis.extent.said_at import nearest_said
from kernlint.analysis.extent.stored_marks import Stored, stored_marks
from kernlint.analysis.launching.launches import HostFacts, LaunchFact, host, launches
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, Guard, GuardKind, RootKind, Trace
from kernlint.analysis.trace.kernels import kernel_traces
from kernlint.analysis.trace.values import PointerValue, fields_of
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, negate, plain, symbols
from kernlint.tree.types import IntType, PointerType, Space, StructType, Type

Spelled = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Excluded:
    """A number that ``kernel`` keeps out of places, or asks for, at ``tested``; ``data``: the arrays whose numbers the
    tests of such places speak of.  ``before``: it would make a place before the start there."""

    value: int
    kernel: str
    tested: Span
    data: frozenset[str]
    before: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class KnownMark:
    """An access at a place made of a number from ``array`` that may be ``value``: by a comment, by what another kernel
    excludes, by how another one leaves elements that a search lets through (``free``), or by what another one stores
    (``stored``)."""

    access: Access
    array: str
    value: int
    comment: Sentinel | None
    other: Excluded | None
    free: Cleared | None = None
    stored: Stored | None = None

    @property
    def why(self) -> tuple[str, Span, str]:
        """In words what is known of the mark, and where it is said, with a remark."""
        if self.comment is not None:
            told = f"the comment says so of {self.array}"
            return f"that may be {self.value}, as a comment says, which is no place", self.comment.span, told
        if self.free is not None:
            told = "there the element is set free"
            why = (
                f"that is {self.value} in elements that {self.free.kernel} sets free, and a search may find one of them"
            )
            return why, self.free.access.span, told
        if self.stored is not None:
            why = f"that is {self.value} where {self.stored.kernel} has found no place"
            return why, self.stored.access.span, "there it is stored"
        assert self.other is not None
        why = f"that {self.other.kernel} takes for no place where it is {self.value}"
        return why, self.other.tested, "there it is tested"


def _data(access: Access) -> Iterator[tuple[Symbol, str]]:
    """The whole numbers from arguments' memory that the place of an access is made of, each with its array's name."""
    for symbol in symbols(access.offset):
        if _from_argument(symbol):
            yield symbol, array_of(symbol)


def _from_argument(symbol: Symbol) -> bool:
    if symbol.kind is not SymbolKind.LOAD or not isinstance(symbol.type, IntType):
        return False
    if not isinstance(symbol.origin, tuple):
        return False
    root = symbol.origin[0]
    return root.kind is RootKind.PARAM and root.space in (Space.GLOBAL, Space.CONSTANT)


def array_of(datum: Symbol) -> str:
    """The array that a number from memory is of, with the members that lead to it where the elements are structs."""
    root, offset = datum.origin
    size, at = root.element.size, polynomial(offset).coefficients.get((), 0)
    return str(root.name) + (_member(root.element, at % size) if size else "")


def _member(kind: Type, at: int) -> str:
    for name, inner, start in fields_of(kind) if not (isinstance(kind, StructType) and kind.union) else ():
        if start is not None and inner.size is not None and start <= at < start + inner.size:
            lane = "xyzw"[int(name)] if name.isdigit() and int(name) < 4 else name
            return f".{lane}" + _member(inner, at - start)
    return ""


def _tests(access: Access, datum: Symbol) -> list[Term]:
    return [part for guard in access.guards for part in conjuncts(guard.term) if datum in symbols(part)]


def _passes(part: Term, datum: Symbol, value: int) -> bool:
    """Whether a mark passes a test, as far as that is plain: a bound from above lets small ones through."""
    held = evaluate(part, {datum: value})
    if held is not None:
        return held != 0
    if part.op not in ("lt", "le") or datum in symbols(part.args[1]):
        return False
    left = part.args[0]
    kind = left.type
    plainly = polynomial(left).coefficients == {(datum.term,): 1}
    return plainly and isinstance(kind, IntType) and kind.signed and value < 0


def _checked(kernel: Trace, datum: Symbol, value: int) -> bool:
    """Whether a test that keeps a thread from nothing, as one that only reports does, fails for a mark."""
    tests = [one.term for one in kernel.conditions if datum in symbols(one.term)]
    tests = [term for term in tests if not all(_passes(part, datum, value) for part in conjuncts(term))]
    if not tests:
        return False
    kept = {part for access in kernel.accesses for guard in access.guards for part in conjuncts(guard.term)}
    return any(term not in kept and negate(term) not in kept for term in tests)


Element = tuple[str, Spelled]
"""The name of an array and how the place in it is made, by the names of what makes it."""


def _element(datum: Symbol) -> Element:
    """The element that a number is read from: that of an item of the grid, whether a thread or a block goes by it, is
    the same one in all kernels."""
    kinds = {symbol.kind for symbol in symbols(datum.origin[1])}
    if SymbolKind.BLOCK not in kinds or not kinds <= _OF_ITEMS:
        return array_of(datum), spelled(datum.origin[1])
    form = polynomial(datum.origin[1]).coefficients
    apart = gcd(*(by for mono, by in form.items() if mono))  # bytes from one item to the next
    return array_of(datum), ("item", apart, form.get((), 0))


_OF_ITEMS = frozenset(
    {SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.BLOCK_DIM, SymbolKind.GRID_DIM, SymbolKind.COUNTER}
)
"""What the number of an item in the grid is made of."""


def spelled(term: Term) -> Spelled:
    """How a term is made, by the names of what makes it: the same in every kernel that takes the same arguments."""
    symbol = term.symbol
    if symbol is not None:
        of_memory = symbol.kind is SymbolKind.LOAD and isinstance(symbol.origin, tuple)
        return (symbol.kind.name, *(_element(symbol) if of_memory else (symbol.name, symbol.axis)))
    name = term.args[0] if term.op == "call" else term.value
    return (term.op, name, *(spelled(part) for part in term.terms))


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What kernels of a file exclude: by (array that is accessed, index array), by the index array alone, by (kernel,
    parameter that leads to the index array, members of its elements), and by the element of an index array that nobody
    writes."""

    places: dict[tuple[str, str], Excluded]
    arrays: dict[str, Excluded]
    kernels: dict[tuple[str, str, str], Excluded]
    elements: dict[Element, list[Excluded]]


def _of_module(facts: ModuleFacts) -> Elsewhere:
    """The numbers that all accesses of some kernel which an index array chooses exclude, by ``!=`` or as negative."""
    found = Elsewhere({}, {}, {}, {})
    walks = tuple(facts[kernel_traces].compared())
    written = [_stored_in(of) for _, of in walks]
    for kernel, of in ((kernel, of) for kernel, of in walks if not counts_alone(of)):
        mine: dict[tuple[str, str], list[tuple[Access, Symbol, dict[int, Guard]]]] = {}
        for access in of.accesses:
            if access.root.kind is RootKind.PARAM and access.root.space is Space.GLOBAL:
                for datum, name in _data(access):
                    mine.setdefault((access.root.name, name), []).append((access, datum, _left_out(access, datum)))
        for key, group in mine.items():
            common = set(group[0][2]).intersection(*(set(values) for _, _, values in group))
            for value in sorted(common)[:1]:
                access, datum, values = group[0]
                if any(one.writes and one.root is datum.origin[0] for one in of.accesses):
                    continue  # it keeps there how far it has come, and leaves out what is done
                data = frozenset(name for one, _, _ in group for name in _asked(one))
                before = value < 0 or _below(access, datum, value)
                made = Excluded(value, kernel.function.name, values[value].span, data, before)
                root = str(datum.origin[0].name)
                found.places.setdefault(key, made)
                found.arrays.setdefault(key[1], made)
                found.kernels.setdefault((made.kernel, root, key[1][len(root) :]), made)
        for datum, value, tested in _asked_for(of, [one for group in mine.values() for one in group]):
            stored = [stores[name] for stores in written if (name := datum.origin[0].name) in stores]
            if all(value in numbers for numbers in stored) and (stored or not _ranged(datum, mine)):
                made = Excluded(value, kernel.function.name, tested, frozenset({array_of(datum)}))
                found.elements.setdefault(_element(datum), []).append(made)
    return found


def _ranged(datum: Symbol, uses: dict[tuple[str, str], list[tuple[Access, Symbol, dict[int, Guard]]]]) -> bool:
    """Whether an access that is made with a number is under a test that it is not too large: who tests both ends trusts
    nobody, and says nothing of marks."""
    return any(
        part.op in ("lt", "le") and datum in symbols(part.args[0])
        for group in uses.values()
        for access, one, _ in group
        if one is datum
        for part in _tests(access, datum)
    )


def _stored_in(of: Trace) -> dict[str, set[int | None]]:
    """The numbers that a kernel stores in each array that it writes, None for others."""
    found: dict[str, set[int | None]] = {}
    for access in of.accesses:
        if access.writes:
            value = plain(access.value).value if access.kind is AccessKind.WRITE and access.value is not None else None
            found.setdefault(access.root.name, set()).add(value if isinstance(value, int) else None)
    return found


def _asked_for(of: Trace, uses: list[tuple[Access, Symbol, dict[int, Guard]]]) -> Iterator[tuple[Symbol, int, Span]]:
    """The marks that a kernel asks for in numbers from memory, with the places of the tests: of those that no access
    is made with, and that would make a place before the start."""
    for test in of.conditions:
        parts = test.term.args if test.term.op in ("land", "lor") else (test.term,)
        for datum, value in dict.fromkeys(asked for part in parts for asked in _asks(part)):
            mine = [(access, values) for access, one, values in uses if one is datum]
            below = value < 0 if not mine else all(_below(access, datum, value) for access, _ in mine)
            if below and all(value in values for _, values in mine):
                yield datum, value, test.span


def _asks(part: Term) -> Iterator[tuple[Symbol, int]]:
    """The number from memory of which a truth asks whether it is a mark, or negative, and the mark."""
    if part.op in ("lt", "le"):
        datum = plain(part.args[0]).symbol or plain(part.args[1]).symbol
        if datum is not None and _from_argument(datum):
            yield from ((datum, value) for one in (part, negate(part)) for value in marked(one) if value < 0)
        return
    for left, right in (part.args, part.args[::-1]) if part.op in ("eq", "ne") else ():
        datum, number = next(iter(symbols(left)), None), right.value
        rest = (polynomial(left) - polynomial(datum.term)).constant if datum is not None else None
        if datum is not None and number is not None and rest is not None and _from_argument(datum):
            yield datum, number - rest


def _left_out(access: Access, datum: Symbol) -> dict[int, Guard]:
    """The numbers that a datum is not, with the tests: those by which a thread leaves."""
    out: dict[int, Guard] = {}
    for guard in access.guards:
        for part in conjuncts(guard.term) if guard.kind in (GuardKind.EXIT, GuardKind.SKIP, GuardKind.BRANCH) else ():
            if part.op in ("lt", "le") and polynomial(part.args[1]).coefficients == {(datum.term,): 1}:
                out.update(dict.fromkeys((value for value in marked(part) if value < 0), guard))
            for left, right in (part.args, part.args[::-1]) if part.op == "ne" else ():
                rest = (
                    polynomial(left) - polynomial(datum.term)
                ).constant  # of places that count from 1: ``id[i] - 1``
                if right.value is not None and rest is not None:
                    out[right.value - rest] = guard
    return out


excluded_elsewhere = ModuleAnalysis("excluded_elsewhere", _of_module, needs=(kernel_traces,))
"""What kernels of a file exclude, as :class:`Elsewhere`."""


def _compute(facts: Facts) -> tuple[KnownMark, ...]:
    kernel: Trace = facts[trace]
    said: dict[str, Sentinel] = {}
    for name in {one.name for one in facts.options.sentinels}:
        for one in nearest_said(facts, [one for one in facts.options.sentinels if one.name == name]):
            said.setdefault(name, one)
    data = [(access, datum, name) for access in kernel.accesses for datum, name in _data(access)]
    if not data:
        return ()
    elsewhere: Elsewhere = facts[excluded_elsewhere]
    found: dict[Access, KnownMark] = {}
    for access, datum, name in data:
        if access in found or access.root.space is Space.PRIVATE or _unclear(access, datum):
            continue
        tests = _tests(access, datum)
        comment, other = _told(said, access, name), elsewhere.places.get((access.root.name, name))
        if other is None and any(one.name == name for one in facts.options.sentinels):
            other = elsewhere.arrays.get(name)  # what a comment at another kernel calls a mark, that tests it
        if other is None and elsewhere.kernels and comment is None:
            other = _passed_to_both(datum, name, elsewhere, facts)
        if other is None and elsewhere.elements and comment is None:
            other = _same_element(access, datum, elsewhere, facts)
        if comment is not None and _sets(kernel, datum, comment.value):
            continue
        if comment is not None and _below(access, datum, comment.value):
            if all(_passes(part, datum, comment.value) for part in tests) and not _checked(
                kernel, datum, comment.value
            ):
                found[access] = KnownMark(access, name, comment.value, comment, None)
        elif other is not None and other.kernel != facts.kernel.function.name and name not in _asked(access):
            if _chooses(access.offset, datum) or not _asked(access) <= other.data:
                continue
            if other.before and not _below(access, datum, other.value):
                continue
            found[access] = KnownMark(access, name, other.value, None, other)
        elif not tests and name not in _asked(access):
            known: dict[Part, Cleared] = facts[cleared]
            free = found_free(access, datum, known) if known else None
            if free is not None and free.kernel != facts.kernel.function.name and _below(access, datum, -1):
                found[access] = KnownMark(access, name, -1, None, None, free)
                continue
            stored = _stored(access, datum, facts) if not _asked(access) else None
            if stored is not None:
                found[access] = KnownMark(access, name, stored.value, None, None, None, stored)
    return tuple(found.values())


def _stored(access: Access, datum: Symbol, facts: Facts) -> Stored | None:
    """The mark that another kernel stores in the array that a place is made of, unless the host gives the two kernels
    different arrays."""
    known: dict[str, Stored] = facts[stored_marks]
    one = known.get(datum.origin[0].name)
    if one is None or one.kernel == facts.kernel.function.name or not _below(access, datum, one.value):
        return None
    if _chooses(access.offset, datum) or not isinstance(datum.type, IntType) or not datum.type.signed:
        return None
    return one if _one_array(datum.origin[0].name, one.kernel, facts) else None


def _told(said: dict[str, Sentinel], access: Access, name: str) -> Sentinel | None:
    """What a comment says of an array, or of a member of its elements where nothing asks for another one of them."""
    array, _, member = re.sub(r"\.[xyzw]$", "", name).rpartition(".") if name not in said else ("", "", name)
    if not array:
        return said.get(member)
    beside = any(one.startswith(f"{array}.") for one in _asked(access) if one != name)
    return None if beside else said.get(member)


def _passed_to_both(datum: Symbol, name: str, elsewhere: Elsewhere, facts: Facts) -> Excluded | None:
    """What another kernel excludes of the numbers that the host passes to both, where no kernel changes them."""
    root = datum.origin[0].name
    seen: HostFacts = facts[host]
    for mine in facts[launches]:
        passed = mine.argument(root)
        if not isinstance(passed, PointerValue):
            continue
        beside = [one for one in seen.launches if one.walk is mine.walk]
        users = [(one, param) for one in beside for param, value in one.arguments if value == passed]
        if any(_may_change(one, param) for one, param in users):
            continue
        for one, param in users:
            other = elsewhere.kernels.get((one.name, param, name[len(root) :]))
            if other is not None and other.before:
                return other
    return None


def _same_element(access: Access, datum: Symbol, elsewhere: Elsewhere, facts: Facts) -> Excluded | None:
    """The mark that another kernel asks for in the element that a place is made of, where it makes one before the
    start here, unless the host gives the two kernels different arrays."""
    root = datum.origin[0].name
    for other in elsewhere.elements.get(_element(datum), ()):
        if other.kernel == facts.kernel.function.name or not _below(access, datum, other.value):
            continue
        if _one_array(root, other.kernel, facts):
            return other
    return None


def _one_array(root: str, other: str, facts: Facts) -> bool:
    """Whether a kernel and an ``other`` one may get the same array by one name, for all that the host shows."""
    seen: HostFacts = facts[host]
    theirs = [one.argument(root) for one in seen.launches if one.name == other]
    mine = [one.argument(root) for one in facts[launches]]
    return not (theirs and mine) or any(one == their is not None for one in mine for their in theirs)


def _may_change(launch: LaunchFact, param: str) -> bool:
    """Whether a kernel that is launched may write where a parameter leads, as far as its type says."""
    decl = next((one for one in launch.kernel.params if one.name == param), None) if launch.kernel is not None else None
    return decl is None or not (isinstance(decl.type, PointerType) and decl.type.const)


def _unclear(access: Access, datum: Symbol) -> bool:
    """Whether a test of the number is one that is not followed."""
    return any(
        vacuous(part) or any(s.kind is SymbolKind.UNKNOWN for s in symbols(part)) for part in _tests(access, datum)
    )


def _sets(kernel: Trace, datum: Symbol, value: int) -> bool:
    """Whether the kernel puts the mark into the array itself: the comment is about what comes out of it, and whoever
    launches it again has taken those that are done out of the list."""
    root = datum.origin[0]
    return any(
        access.root is root
        and access.kind is AccessKind.WRITE
        and access.value is not None
        and plain(access.value).value == value
        for access in kernel.accesses
    )


def _chooses(term: Term, datum: Symbol) -> bool:
    """Whether a place chooses by a number: a clamp, a selection, a remainder."""
    if term.op in ("select", "min", "max", "and", "mod") and datum in symbols(term):
        return True
    return any(_chooses(part, datum) for part in term.terms)


def _asked(access: Access) -> set[str]:
    """The arrays of arguments whose numbers any condition of an access speaks of: who asks for a length here and a mark
    there may have lists of two kinds."""
    return {
        array_of(s)
        for guard in access.guards
        for s in symbols(guard.term)
        if s.kind is SymbolKind.LOAD and isinstance(s.origin, tuple)
    }


def _below(access: Access, datum: Symbol, value: int) -> bool:
    """Whether a mark takes a place that is made of the number and of nothing that is larger below the start."""
    rest = {s: 0 for s in symbols(access.offset) if s is not datum}
    sizes = {s: 64 for s in rest if s.kind in (SymbolKind.PARAM, SymbolKind.BLOCK_DIM, SymbolKind.TEMPLATE)}
    at = evaluate(access.offset, {**rest, **sizes, datum: value})
    return at is not None and (at < 0 or at >= 1 << 31)


known_marks = KernelAnalysis(
    "known_marks", _compute, needs=(trace, launches, host, excluded_elsewhere, cleared, stored_marks)
)
"""Each :class:`KnownMark` of a kernel variant, an access once."""
