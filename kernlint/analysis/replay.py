"""Replay of witnesses: the block emulator runs the kernel under a witness's launch and looks for the same fault.

The prover computes with terms; the emulator executes the tree.  A finding that both agree on is *replayed*: nothing
else may be called an error in the families of bounds and synchronisation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.trace.events import Root, RootKind
from kernlint.prove import effort
from kernlint.prove.emulate import Argument, Budget, Buffer, Fault, FaultKind, LaunchSpec, Outcome
from kernlint.prove.query import Refuted
from kernlint.record import dataclass, replace
from kernlint.source import Span
from kernlint.symbolic.terms import Symbol, SymbolKind
from kernlint.targets import Target
from kernlint.tree.nodes import FunctionDecl, ParamDecl
from kernlint.tree.types import FloatType, IntType, StructType, Type

BUDGET = Budget(steps=300_000, blocks=3)
"""About a third of a second at most for each content of memory."""

RACES = frozenset({FaultKind.RACE})
BOUNDS = frozenset({FaultKind.OUT_OF_BOUNDS, FaultKind.NULL})


@dataclass(frozen=True, slots=True)
class Replayed:
    """The fault as the emulator saw it.

    ``certain``: it showed with every content of memory that was tried.  ``fallback``: the value of every integer
    argument, where the replay chose one.
    """

    fault: Fault
    certain: bool
    fallback: int | None = None


def arguments(function: FunctionDecl, values: Iterable[tuple[Symbol, int]], fallback: int) -> dict[str, Argument]:
    """Arguments for a run: scalars from a witness's ``values`` (by parameter, or field of one), the others made up.

    An integer that the witness does not mention is ``fallback``, a floating-point number 1.
    """
    known = {symbol.name: value for symbol, value in values if symbol.kind in (SymbolKind.PARAM, SymbolKind.TEMPLATE)}
    out: dict[str, Argument] = {}
    for param in function.params:
        made = _argument(param, known, fallback)
        if made is not None:
            out[param.name] = made
    for name, value in known.items():
        if "." not in name and name not in out:
            out[name] = value
    return out


def _argument(param: ParamDecl, known: dict[str, int], fallback: int) -> Argument | None:
    if isinstance(param.type, StructType):
        fields: dict[str, int | float] = {}
        for field in param.type.fields:
            value = _scalar(field.type, known.get(f"{param.name}.{field.name}"), fallback)
            if value is not None:
                fields[field.name] = value
        return fields
    return _scalar(param.type, known.get(param.name), fallback)


def _scalar(type_: Type, value: int | None, fallback: int) -> int | float | None:
    if isinstance(type_, IntType):
        return value if value is not None else type_.wrap(fallback) if type_.bits > 1 else 1
    return 1.0 if isinstance(type_, FloatType) else None


WARP, WAVE = 32, 64
"""Threads that run in step: on NVIDIA's hardware, and at most on AMD's."""


def _stated(value: Argument) -> str:
    """An argument as part of a key: buffers of one extent are alike."""
    return f"buffer of {value.extent}" if isinstance(value, Buffer) else repr(value)


VOLTA = 70
"""Compute capability from which on the lanes of a warp run independently."""


def lanes_apart(targets: Sequence[Target]) -> bool:
    """Whether targets are named and all of them run the lanes of a warp independently of each other."""
    return bool(targets) and all(target.vendor == "nvidia" and _capability(target) >= VOLTA for target in targets)


def _capability(target: Target) -> int:
    digits = target.name.removeprefix("sm_").rstrip("af")
    return int(digits) if digits.isdigit() else VOLTA


RUNS = 8
STEPS = 1_200_000
"""Different launches replayed for one variant of a kernel, and steps spent on all of them, shared by the variants:
witnesses beyond them stay unreplayed.  Each variant has one launch at least."""


class Replayer:
    """Replays witnesses of one kernel, each launch once."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.outcomes: dict[object, Outcome] = {}
        self.left = STEPS // max(len(facts.kernel.variants), 1)

    def outcome(
        self,
        block: tuple[int, int, int],
        grid: tuple[int, int, int],
        values: Sequence[tuple[Symbol, int]],
        shared_bytes: int | None = None,
        given: Mapping[str, Argument] | None = None,
        blocks: Iterable[tuple[int, int, int]] = (),
        fallback: int | None = None,
    ) -> Outcome | None:
        """What running the kernel under a launch shows, with several contents of memory.

        ``values`` of parameters, ``given`` arguments (buffers of known extent) by name; ``shared_bytes`` of dynamic
        shared memory; ``blocks`` that must be among those run; ``fallback`` for integers that ``values`` leave out
        (None: the number of threads).  None when the kernel's runs are used up.
        """
        function = self.facts.function
        total = grid[0] * grid[1] * grid[2]
        threads = block[0] * block[1] * block[2] * total
        args = arguments(function, values, max(threads, 1) if fallback is None else fallback)
        if given:
            args.update(given)
        run = tuple(dict.fromkeys(blocks)) if total > (BUDGET.blocks or 1) else ()
        stated = tuple(sorted((name, _stated(value)) for name, value in args.items()))
        key = (block, grid, shared_bytes, stated, run)
        known = self.outcomes.get(key)
        if known is None:
            if len(self.outcomes) >= RUNS or self.left <= 0 or effort.spent():
                return None
            spec = LaunchSpec(block, grid, run or None, shared_bytes)
            language = self.facts.module.language
            from kernlint.prove.emulate import replay  # loaded for a kernel that has something to replay

            known = replay(function, spec, args, BUDGET, language, WAVE if language == "hip" else WARP)
            self.outcomes[key] = known
            self.left -= known.steps
            effort.spend(effort.STEP * known.steps)
        return known

    def race(self, found: Refuted, places: Sequence[Span]) -> Replayed | None:
        """The race of a witness between the accesses at ``places``, when the emulator sees it too.

        Threads of one warp count only where the witness itself has such, and in OpenCL, which knows no lockstep.
        """
        assert found.second is not None
        outcome = self.outcome(found.block, found.grid, found.values, blocks=(found.first.block, found.second.block))
        across = not found.same_warp and self.facts.module.language != "opencl"
        seen = confirm(outcome, RACES, places, across_warps=across) if outcome is not None else None
        if seen is not None and found.same_warp and self.facts.module.language != "opencl":
            # on hardware that runs a warp in step the accesses are in order
            return replace(seen, certain=seen.certain and lanes_apart(self.facts.options.targets))
        return seen

    def beyond(
        self, found: Refuted, place: Span, root: Root | None = None, extent: int | None = None
    ) -> Replayed | None:
        """The access at ``place`` out of bounds, as the witness says; ``extent`` in bytes of the object ``root``, where
        it is not its own."""
        dynamic = root is not None and root.kind is RootKind.VARIABLE
        given = {} if root is None or dynamic else {root.name: Buffer(extent)}
        shared = extent if dynamic else None
        outcome = self.outcome(found.block, found.grid, found.values, shared, given, blocks=(found.first.block,))
        return confirm(outcome, BOUNDS, (place,)) if outcome is not None else None

    def divergence(self, block: tuple[int, int, int], grid: tuple[int, int, int], barrier: Span) -> Replayed | None:
        """Threads of a block that wait at ``barrier`` for others that are elsewhere, or have left the kernel.

        Arguments are tried that are just short of the number of threads, a handful, and more than half.
        """
        threads = block[0] * block[1] * block[2] * grid[0] * grid[1] * grid[2]
        best: Replayed | None = None
        for fallback in dict.fromkeys((max(threads - 3, 1), 3, threads // 2 + 1)):
            outcome = self.outcome(block, grid, (), fallback=fallback)
            for fault in outcome.of(FaultKind.BARRIER_DIVERGENCE) if outcome is not None else ():
                spans = [p.span for p in (fault.first, fault.second) if p is not None and p.span is not None]
                if any(_overlap(span, barrier) for span in spans):
                    found = Replayed(fault, fault.data_independent is True, fallback)
                    if found.certain:
                        return found
                    best = best or found
        return best

    def without_effect(self, block: tuple[int, int, int], values: Sequence[tuple[Symbol, int]], place: Span) -> bool:
        """Whether a block that reads shared memory at ``place`` which nobody has set leaves behind the same as with
        anything else there: what is read goes nowhere."""
        threads = block[0] * block[1] * block[2]
        if self.left <= 0 or effort.spent():
            return False
        from kernlint.prove.emulate import without_effect  # loaded for a kernel that has something to replay

        function, language = self.facts.function, self.facts.module.language
        spec, warp = LaunchSpec(block, (1, 1, 1)), WAVE if language == "hip" else WARP
        same, outcome = without_effect(function, spec, arguments(function, values, threads), BUDGET, language, warp)
        self.left -= outcome.steps
        effort.spend(effort.STEP * outcome.steps)
        unset = (fault.first.span for fault in outcome.of(FaultKind.UNINITIALISED))
        return same and any(span is not None and _overlap(span, place) for span in unset)


replayer = KernelAnalysis("replayer", Replayer)
"""The :class:`Replayer` of a kernel."""


def confirm(
    outcome: Outcome,
    kinds: frozenset[FaultKind],
    places: Sequence[Span],
    *,
    across_warps: bool = False,
) -> Replayed | None:
    """The fault of one of ``kinds`` whose participants stand at ``places`` (in any order), when the run showed it.

    ``across_warps``: the threads must be of different warps.
    """
    wanted = {(span.file, span.start) for span in places}
    best: Replayed | None = None
    for fault in outcome.of(*kinds):
        spans = [p.span for p in (fault.first, fault.second) if p is not None and p.span is not None]
        seen = {(span.file, span.start) for span in spans}
        if not seen or not (seen <= wanted or _inside(spans, places)):
            continue
        if fault.benign or (across_warps and fault.same_warp):
            continue
        found = Replayed(fault, fault.data_independent is True)
        if best is None or (found.certain and not best.certain):
            best = found
    return best


def _inside(seen: Sequence[Span], places: Sequence[Span]) -> bool:
    """Whether each place seen overlaps one that was asked for (an access is part of a larger expression)."""
    return all(any(_overlap(one, place) for place in places) for one in seen)


def _overlap(a: Span, b: Span) -> bool:
    return a.file == b.file and a.start < b.end and b.start < a.end
