"""Places that data choose in two arrays alike, of which one is tested against its size, and the size of the other is
passed for nothing.

``int refs_n, const char *refs, int words_n, const char *words``: ``for (k = 0; word + k < words_n; ++k)`` before
``refs[ref + k]`` and ``words[word + k]``.  Which size is whose is told by the order of the parameters: the one that is
tested stands as far from its array as the other one does.
"""

from __future__ import annotations

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.alike import made
from kernlint.analysis.extent.limits import elements
from kernlint.analysis.extent.places import moves
from kernlint.analysis.extent.told import Told
from kernlint.analysis.extent.truths import slack_of
from kernlint.analysis.extent.unasked_room import without_use
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Guard, RootKind
from kernlint.analysis.wording import element, verb
from kernlint.finding import Related
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, symbols
from kernlint.tree.nodes import FunctionDecl, ParamDecl


@dataclass(frozen=True, slots=True, eq=False)
class Paired:
    """An access that nothing keeps below ``size``, as ``guard`` keeps ``other`` below its own."""

    access: Access
    other: Access
    guard: Guard
    size: ParamDecl

    @property
    def told(self) -> Told:
        """What is wrong, in words."""
        name = self.size.name
        return Told(
            f"{element(self.access)} is {verb(self.access)} at a place from memory that nothing keeps below {name}, "
            f"which is passed for nothing: {element(self.other)}, at a place that is made alike, is tested",
            [
                Related(self.guard.span, f"this is what is asked for {self.other.root.name} alone"),
                Related(self.size.span, f"{name} is not used"),
            ],
            f"{name} is the size of {self.access.root.name}, as the order of the parameters has it",
            f"test the place in {self.access.root.name} against {name} too",
        )


def _of_data(atom: Term) -> bool:
    return moves(atom) and any(symbol.kind is SymbolKind.LOAD for symbol in symbols(atom))


def _position(function: FunctionDecl, decl: object) -> int | None:
    return next((at for at, param in enumerate(function.params) if param is decl), None)


def _tested(access: Access, form: Polynomial) -> tuple[Guard, Symbol] | None:
    """The test that keeps a place below a parameter, and which."""
    for guard in access.guards:
        for part in conjuncts(guard.term):
            slack = slack_of(part)
            rest = slack[0] + form if slack is not None else None
            moving = [mono for mono in rest.coefficients if mono] if rest is not None else []
            symbol = moving[0][0].symbol if len(moving) == 1 and len(moving[0]) == 1 else None
            if slack is None or rest is None or symbol is None or symbol.kind is not SymbolKind.PARAM:
                continue
            if rest.coefficients[moving[0]] == 1 and rest.coefficients.get((), 0) <= slack[1]:
                return guard, symbol
    return None


def _silent(access: Access, form: Polynomial) -> bool:
    """Whether nothing before an access speaks of the data that choose its place, but that it is not negative."""
    mine = {s for atom in form.atoms if _of_data(atom) for s in symbols(atom) if s.kind is not SymbolKind.PARAM}
    for guard in access.guards:
        for part in conjuncts(guard.term):
            below = part.op in ("lt", "le") and part.args[0].value is not None and polynomial(part.args[1]) == form
            if (mine & set(symbols(part)) and not below) or _mark(part, access):
                return False
    ends = [term for loop in access.loops for term in loop.left_by]
    if any(mine & set(symbols(term)) for term in ends):
        return False
    ends += [loop.condition for loop in access.loops if loop.condition is not None]
    return not any(_mark(part, access) for term in ends for part in conjuncts(term))


def _mark(part: Term, access: Access) -> bool:
    """Whether a loop is left, or goes on, by what the array itself holds: an end that is marked there."""
    held = [symbol.origin for symbol in symbols(part) if symbol.kind is SymbolKind.LOAD]
    return part.op in ("eq", "ne") and [isinstance(of, tuple) and of[0] is access.root for of in held] == [True]


def _compute(facts: Facts) -> tuple[Paired, ...]:
    function = facts.function
    unused = [param for name, param in without_use(function).items() if "." not in name]
    if not unused or facts[trace].calls:
        return ()
    found: list[tuple[Access, Polynomial]] = []
    for access in facts[trace].accesses:
        whole = elements(access) if access.root.kind is RootKind.PARAM and not access.root.path else None
        if whole is not None and not whole[1] and any(map(_of_data, whole[0].atoms)):
            found.append((access, whole[0]))
    out: list[Paired] = []
    for other, form in found:
        test = _tested(other, form)
        at = _position(function, other.root.decl)
        of = _position(function, test[1].origin) if test is not None else None
        for access, place in found if at is not None and of is not None else ():
            mine = _position(function, access.root.decl)
            step = 0 if mine is None or at is None or of is None else mine + of - at
            size = function.params[step] if 0 <= step < len(function.params) and mine is not None else None
            if access.root is other.root or size is None or not any(size is one for one in unused) or test is None:
                continue
            alike = access.loops == other.loops and made(place) == made(form)
            if alike and _silent(access, place) and not any(one.access.root is access.root for one in out):
                out.append(Paired(access, other, test[0], size))
    return tuple(out)


paired_sizes = KernelAnalysis("paired_sizes", _compute, needs=(trace,))
"""A :class:`Paired` for each array of a kernel variant that has one, in order of the walk."""
