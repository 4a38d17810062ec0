"""Indices from memory that may be no place, as a comment says or another kernel of the file takes for granted.

``slots: [tokens], -1 for padding`` above a kernel that writes at ``slots[t]``; or ``if (i == SIZE) return;`` in the
kernel before, for numbers from the same array that make a place in the same one.  Whoever asks anything of the number
here that the mark does not pass knows of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis, ModuleAnalysis, ModuleFacts, Sentinel
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.bounds import vacuous
from kernlint.analysis.extent.marks import marked
from kernlint.analysis.extent.other_kernels import KERNELS
from kernlint.analysis.extent.said_at import nearest_said
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, Guard, GuardKind, RootKind, Trace
from kernlint.analysis.trace.run import trace_function
from kernlint.record import dataclass
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, symbols
from kernlint.tree.types import IntType, Space


@dataclass(frozen=True, slots=True)
class Excluded:
    """A number that ``kernel`` keeps out of the places of ``access``, by ``guard``; ``data``: the arrays whose numbers
    the tests of such places speak of."""

    value: int
    kernel: str
    guard: Guard
    access: Access
    data: frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class KnownMark:
    """An access at a place made of a number from ``array`` that may be ``value``: by a comment, or by what another
    kernel excludes."""

    access: Access
    array: str
    value: int
    comment: Sentinel | None
    other: Excluded | None


def _data(access: Access) -> Iterator[tuple[Symbol, str]]:
    """The whole numbers from arguments' memory that the place of an access is made of, each with its array's name."""
    for symbol in symbols(access.offset):
        if symbol.kind is SymbolKind.LOAD and isinstance(symbol.type, IntType) and isinstance(symbol.origin, tuple):
            root = symbol.origin[0]
            if root.kind is RootKind.PARAM and root.space in (Space.GLOBAL, Space.CONSTANT):
                yield symbol, root.name


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


def _of_module(facts: ModuleFacts) -> dict[tuple[str, str], Excluded]:
    """By (array that is accessed, index array): a number that all such accesses of some kernel exclude, by ``!=`` or
    as a negative one."""
    kernels = facts.module.kernels
    found: dict[tuple[str, str], Excluded] = {}
    for kernel in kernels if 1 < len(kernels) <= KERNELS else ():
        mine: dict[tuple[str, str], list[tuple[Access, dict[int, Guard]]]] = {}
        for access in trace_function(kernel.variants[0], facts.module.language).accesses:
            if access.root.kind is RootKind.PARAM and access.root.space is Space.GLOBAL:
                for datum, name in _data(access):
                    mine.setdefault((access.root.name, name), []).append((access, _left_out(access, datum)))
        for key, group in mine.items():
            common = set(group[0][1]).intersection(*(set(values) for _, values in group))
            for value in sorted(common)[:1]:
                access, values = group[0]
                data = frozenset(name for one, _ in group for name in _asked(one))
                found.setdefault(key, Excluded(value, kernel.function.name, values[value], access, data))
                found.setdefault(("", key[1]), found[key])
    return found


def _left_out(access: Access, datum: Symbol) -> dict[int, Guard]:
    """The numbers that a datum is not, with the tests: those by which a thread leaves."""
    out: dict[int, Guard] = {}
    for guard in access.guards:
        for part in conjuncts(guard.term) if guard.kind in (GuardKind.EXIT, GuardKind.SKIP, GuardKind.BRANCH) else ():
            if part.op in ("lt", "le") and polynomial(part.args[1]).coefficients == {(datum.term,): 1}:
                out.update(dict.fromkeys((value for value in marked(part) if value < 0), guard))
            for left, right in (part.args, part.args[::-1]) if part.op == "ne" else ():
                if right.value is not None and polynomial(left).coefficients == {(datum.term,): 1}:
                    out[right.value] = guard
    return out


excluded_elsewhere = ModuleAnalysis("excluded_elsewhere", _of_module)
"""What kernels of a file exclude: (accessed, index array) -> :class:`Excluded`; with "" for any array accessed."""


def _compute(facts: Facts) -> tuple[KnownMark, ...]:
    kernel: Trace = facts[trace]
    said: dict[str, Sentinel] = {}
    for name in {one.name for one in facts.options.sentinels}:
        for one in nearest_said(facts, [one for one in facts.options.sentinels if one.name == name]):
            said.setdefault(name, one)
    data = [(access, datum, name) for access in kernel.accesses for datum, name in _data(access)]
    if not data:
        return ()
    elsewhere: dict[tuple[str, str], Excluded] = facts[excluded_elsewhere]
    found: dict[Access, KnownMark] = {}
    for access, datum, name in data:
        if access in found or access.root.space is Space.PRIVATE or _unclear(access, datum):
            continue
        tests = _tests(access, datum)
        comment, other = said.get(name), elsewhere.get((access.root.name, name))
        if other is None and any(one.name == name for one in facts.options.sentinels):
            other = elsewhere.get(("", name))  # what a comment at another kernel calls a mark, that tests it
        if comment is not None and _sets(kernel, datum, comment.value):
            continue
        if comment is not None and _below(access, datum, comment.value):
            if all(_passes(part, datum, comment.value) for part in tests):
                found[access] = KnownMark(access, name, comment.value, comment, None)
        elif other is not None and other.kernel != facts.kernel.function.name and name not in _asked(access):
            if _chooses(access.offset, datum) or not _asked(access) <= other.data:
                continue
            if other.value < 0 and not _below(access, datum, other.value):
                continue
            found[access] = KnownMark(access, name, other.value, None, other)
    return tuple(found.values())


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
        s.origin[0].name
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


known_marks = KernelAnalysis("known_marks", _compute, needs=(trace, excluded_elsewhere))
"""Each :class:`KnownMark` of a kernel variant, an access once."""
