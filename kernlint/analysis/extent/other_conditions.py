"""Accesses that another kernel makes only under a condition of arguments, which this one takes and puts to no use.

``if (level == depth - 1) return;`` before ``mask[node]`` in one kernel of the file says that the last level has no
masks; another one that takes ``level`` and ``depth`` too, and reads ``mask[node]`` whatever they are, was to ask.  The
place is made alike in both: of numbers from arrays of the same names.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis, ModuleAnalysis, ModuleFacts
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.known_marks import array_of
from kernlint.analysis.launching.launches import HostFacts, host, launches
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Guard, GuardKind, RootKind
from kernlint.analysis.trace.kernels import kernel_traces
from kernlint.analysis.wording import element, verb
from kernlint.finding import Related
from kernlint.record import dataclass
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, symbols
from kernlint.tree.nodes import FunctionDecl, Ref
from kernlint.tree.types import Space, Type
from kernlint.tree.walk import walk

Use = tuple[str, frozenset[str]]
"""The name of an array, and of those whose numbers choose a place in it."""


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """``kernel`` makes accesses only where ``part`` holds, by ``guard``; ``scalars``: the arguments it is made of."""

    kernel: str
    guard: Guard
    part: Term
    scalars: tuple[tuple[str, Type], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Unconditional:
    """An ``access`` that is made whatever the arguments are that ``other`` asks."""

    access: Access
    other: Asked

    @property
    def message(self) -> str:
        """What is wrong, in words."""
        names = " and ".join(name for name, _ in self.other.scalars)
        what = f"{element(self.access)} is {verb(self.access)} whatever {names} may be"
        return f"{what}: {self.other.kernel} does so only where {words(self.other.part)}, and no use is made of it here"

    @property
    def related(self) -> list[Related]:
        """The other kernel's test."""
        return [Related(self.other.guard.span, "there it is tested")]


def _use(access: Access) -> Use | None:
    if access.root.kind is not RootKind.PARAM or access.root.space is not Space.GLOBAL:
        return None
    found = set(symbols(access.offset))
    loads = {s for s in found if s.kind is SymbolKind.LOAD}
    if not loads or not all(isinstance(s.origin, tuple) and s.origin[0].kind is RootKind.PARAM for s in loads):
        return None
    return access.root.name, frozenset(array_of(s) for s in loads)


def _scalars(part: Term) -> tuple[Symbol, ...]:
    """The arguments of which alone a truth is that tells ways apart, not whether there is any work."""
    found = tuple(symbols(part))
    if not found or not all(s.kind is SymbolKind.PARAM for s in found):
        return ()
    amount = part.op in ("lt", "le") and any(side.value is not None for side in part.args)
    return () if amount else found


def _conditions(access: Access) -> Iterator[tuple[Guard, Term]]:
    for guard in access.guards:
        if guard.kind in (GuardKind.EXIT, GuardKind.SKIP, GuardKind.BRANCH):
            for part in conjuncts(guard.term):
                if _scalars(part):
                    yield guard, part


def _compute(facts: ModuleFacts) -> dict[Use, list[Asked]]:
    found: dict[Use, list[Asked]] = {}
    for kernel, of in facts[kernel_traces].compared():
        mine: dict[Use, list[Access]] = {}
        for access in of.accesses:
            use = _use(access)
            if use is not None:
                mine.setdefault(use, []).append(access)
        for use, group in mine.items():
            common = {part for _, part in _conditions(group[0])}
            for access in group[1:]:
                common &= {part for _, part in _conditions(access)}
            for guard, part in _conditions(group[0]) if common else ():
                if part in common:
                    scalars = tuple((s.name, s.type) for s in _scalars(part))
                    found.setdefault(use, []).append(Asked(kernel.function.name, guard, part, scalars))
    return found


asked_elsewhere = ModuleAnalysis("asked_elsewhere", _compute, needs=(kernel_traces,))
"""Under which conditions of arguments kernels of a file make all accesses of a kind."""


def _idle(function: FunctionDecl) -> dict[str, Type]:
    """The parameters that a function takes and never names."""
    used = {node.decl for node in walk(function.body) if isinstance(node, Ref)} if function.body is not None else set()
    return {param.name: param.type for param in function.params if param not in used}


def _of(facts: Facts) -> tuple[Unconditional, ...]:
    idle = _idle(facts.function)
    if not idle or len(facts.module.kernels) < 2:
        return ()
    known: dict[Use, list[Asked]] = facts[asked_elsewhere]
    found: dict[tuple[str, Term], Unconditional] = {}
    for access in facts[trace].accesses if known else ():
        use = _use(access)
        for other in known.get(use, ()) if use is not None else ():
            taken = all(idle.get(name) == kind for name, kind in other.scalars)
            if taken and other.kernel != facts.kernel.function.name and _same_values(other, facts):
                found.setdefault((access.root.name, other.part), Unconditional(access, other))
    return tuple(found.values())


def _same_values(other: Asked, facts: Facts) -> bool:
    """Whether the launches in sight pass both kernels the same, if there are any."""
    seen: HostFacts = facts[host]
    mine = facts[launches]
    theirs = [one for one in seen.launches if one.name == other.kernel]
    return not mine or any(
        all(one.argument(name) == their.argument(name) is not None for name, _ in other.scalars)
        for one in mine
        for their in theirs
        if one.walk is their.walk
    )


other_conditions = KernelAnalysis("other_conditions", _of, needs=(trace, launches, host, asked_elsewhere))
"""An :class:`Unconditional` for each array and condition of a kernel variant."""
