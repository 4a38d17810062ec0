"""Whether the threads of a block, or the blocks of a grid, agree on a condition, given what is known of the launch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import gcd

from kernlint.analysis.assumptions import Assumed, assumed
from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.launching.launch_context import LaunchView, launch_context
from kernlint.analysis.launching.launches import LaunchFact, flat_axes, launches
from kernlint.analysis.launching.trials import Block, blocks_agree, threads_agree
from kernlint.analysis.launching.whole_blocks import whole_blocks
from kernlint.analysis.launching.whole_rounds import whole_rounds
from kernlint.analysis.scenarios.axes import size_test
from kernlint.analysis.scenarios.fitting import STRIDES
from kernlint.analysis.scenarios.policy import scenarios
from kernlint.analysis.scenarios.tables import GRIDS, OTHERS, POWERS
from kernlint.prove.meet import WARP
from kernlint.prove.query import FREE, Axes, Bounds, Budget, Launch, Proved, Side
from kernlint.prove.solve import solve
from kernlint.symbolic.intervals import Bound, declared, interval
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import (
    BLOCK,
    BLOCK_DIM,
    FALSE,
    THREAD,
    TRUE,
    Symbol,
    SymbolKind,
    Term,
    Uniformity,
    binary,
    cast,
    conjunction,
    const,
    disjunction,
    negate,
    rebuild,
    substitute,
    symbols,
)
from kernlint.symbolic.uniformity import variation
from kernlint.tree.types import I64, IntType, OpaqueType

_TRIED = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK_DIM, SymbolKind.COUNTER})

_OF_BLOCKS = frozenset({SymbolKind.BLOCK, SymbolKind.GRID_DIM, SymbolKind.COUNTER})

_COMPUTED = _TRIED | {SymbolKind.BLOCK, SymbolKind.GRID_DIM, SymbolKind.PARAM, SymbolKind.TEMPLATE}

BUDGET = Budget(steps=100, points=2_000, rlimit=0)
"""For what follows from statements of the user."""


def by_rows(term: Term) -> bool:
    """Whether a loop takes rows of a given length, as many as the grid has blocks at a time, and the thread's index is
    a place in the row: ``row * length + tid < rows * length``.  Blocks are as long as rows there, and rows whole."""
    if term.op != "lt" or not all(isinstance(arg.type, IntType) for arg in term.args):
        return False
    apart = polynomial(_number(term.args[0])) - polynomial(_number(term.args[1]))
    if apart.coefficients.get((THREAD[0].term,)) != 1:
        return False
    rest = [
        {symbol for atom in mono for symbol in symbols(atom)}
        for mono in apart.coefficients
        if mono != (THREAD[0].term,)
    ]
    if any(symbol.kind in (SymbolKind.THREAD, SymbolKind.BLOCK_DIM) for found in rest for symbol in found):
        return False

    def row(found: set[Symbol], of: SymbolKind) -> bool:
        kinds = {symbol.kind for symbol in found}
        return of in kinds and bool(kinds & {SymbolKind.PARAM, SymbolKind.TEMPLATE})

    turned = [found for found in rest if any(symbol.kind is SymbolKind.COUNTER for symbol in found)]
    return (
        any(row(found, SymbolKind.BLOCK) for found in rest)
        and bool(turned)
        and all(row(found, SymbolKind.GRID_DIM) for found in turned)
    )


class Agreement:
    """Answers whether threads of one block, or blocks of the grid, can disagree on a truth term.

    ``blocks`` and ``grids``: those of the launches in sight; ``visible``: whether ``blocks`` are all of them.
    ``said``: what the user takes for granted of launches.  ``flat``: axes along which every launch in sight has
    blocks of one thread, whatever else is known of them.  ``formal``: axes along which there is one block, and none is
    in sight: tests of the index in the grid against a size are for no more than the size of that block.
    ``strided``: without a launch in sight, the block that the strides of the kernel's loops speak of.  ``views``: the
    launches in sight.
    """

    def __init__(
        self,
        blocks: tuple[Block, ...],
        visible: bool,
        grids: tuple[Block, ...] = (),
        said: Assumed | None = None,
        flat: tuple[int, ...] = (),
        formal: frozenset[int] = frozenset(),
        strided: Block | None = None,
        views: Sequence[LaunchView] = (),
    ) -> None:
        self.said = said or Assumed()
        self.blocks = blocks
        self.visible = visible
        self.grids = grids
        self._flat = {THREAD[axis]: const(0, THREAD[axis].type) for axis in flat}
        self._formal = formal
        self._strided = strided
        self._views = views
        self._memo: dict[Term, Uniformity] = {}
        self._answers: dict[Term, bool] = {}

    def differs(self, term: Term) -> bool:
        """True when threads of one block are known to disagree on ``term`` under a launch worth believing in.

        Data read through a thread-dependent address counts as different; what is not understood does not.  A thread
        that is alone in its block has nobody to disagree with, whatever it reads.
        """
        if len(self._flat) == len(THREAD):
            return False
        known = self._answers.get(term)
        if known is None:
            seen = substitute(self._plain(term), self._flat)
            varies = variation(seen, self._memo) > Uniformity.BLOCK
            agreed = (
                not varies
                or self._cancels(seen)
                or self._padded(seen)
                or self._in_steps(seen)
                or self._settled(seen)
                or self._stated(seen)
                or by_rows(seen)
                or self._launched(seen)
                or whole_rounds(seen, self._views)
                or (seen.op in ("land", "lor", "lnot") and not any(self.differs(part) for part in seen.args))
            )
            known = self._answers[term] = not agreed
        return known

    def parts_at_exit(self, term: Term) -> bool:
        """What :meth:`differs` says of the truth under which threads do not return, unless it is true of all threads of
        the block that the kernel's strides speak of: nothing says that there are more."""
        if not self.differs(term):
            return False
        block = self._strided
        return block is None or not all(self._whole(part, block) for part in conjuncts(term) if self.differs(part))

    @staticmethod
    def _whole(part: Term, block: Block) -> bool:
        found = list(symbols(part))
        sized = {s.kind for s in found} <= {SymbolKind.THREAD, SymbolKind.BLOCK_DIM}
        return sized and threads_agree(part, found, block)

    def _plain(self, term: Term) -> Term:
        """``term`` with the tests that are a formality passed."""
        if not self._formal and not self._views:
            return term
        if term.op == "lnot":
            return negate(self._plain(term.args[0]))
        if term.op in ("land", "lor"):
            join = conjunction if term.op == "land" else disjunction
            return join(self._plain(term.args[0]), self._plain(term.args[1]))
        found = size_test(term)
        if found is None or not (found[0] in self._formal or whole_blocks(term, found, self._views)):
            return term
        return TRUE if found[1] else FALSE

    def parts_blocks(self, term: Term) -> bool:
        """True when blocks of the grid are known to disagree on ``term``, as :meth:`differs` says it of threads."""
        if variation(term, self._memo) <= Uniformity.GRID or self._cancels(term, Uniformity.GRID):
            return False
        found = list(symbols(term))
        if not {symbol.kind for symbol in found} <= _OF_BLOCKS:
            return max(max(grid) for grid in self.grids or GRIDS) > 1
        return not all(blocks_agree(term, found, grid) for grid in self.grids or GRIDS)

    def values_differ(self, term: Term) -> bool:
        """True when threads of one block are known to hold different values of ``term`` under a launch worth believing
        in: what :meth:`differs` is for truth terms."""
        term = substitute(term, self._flat)
        if len(self._flat) == len(THREAD) or variation(term, self._memo) <= Uniformity.BLOCK:
            return False
        if isinstance(term.type, IntType):
            if all(variation(atom, self._memo) <= Uniformity.BLOCK for atom in polynomial(term).atoms):
                return False
            found = list(symbols(term))
            if {symbol.kind for symbol in found} <= _COMPUTED:
                others = {symbol: OTHERS for symbol in found if symbol.kind not in _TRIED}
                return not all(threads_agree(term, found, block, others) for block in self.blocks or POWERS)
        return True

    def _cancels(self, term: Term, level: Uniformity = Uniformity.BLOCK) -> bool:
        """Whether what differs between threads stands on both sides of a comparison alike (``first + tid < last +
        tid``): what is left is as uniform as ``level`` says."""
        if term.op not in ("lt", "le", "eq", "ne") or not all(isinstance(arg.type, IntType) for arg in term.args):
            return False
        apart = polynomial(term.args[0]) - polynomial(term.args[1])
        return all(variation(atom, self._memo) <= level for atom in apart.atoms)

    def _padded(self, term: Term) -> bool:
        """Whether a comparison is between whole blocks of work: the thread's index is all that keeps the two sides from
        being multiples of the block (``first + tid < last`` where both ends are)."""
        if term.op not in ("lt", "le") or not all(isinstance(arg.type, (IntType, OpaqueType)) for arg in term.args):
            return False
        apart = polynomial(self._congruent(term.args[0])) - polynomial(self._congruent(term.args[1]))
        thread, size = (THREAD[0].term,), BLOCK_DIM[0].term
        if apart.coefficients.get(thread) != (1 if term.op == "lt" else -1):
            return False
        ends = {mono: value for mono, value in apart.coefficients.items() if mono != thread}
        if not all(variation(atom, self._memo) <= Uniformity.BLOCK for mono in ends for atom in mono):
            return False
        told = [mono for mono in ends if not _untold(mono, ends[mono])]
        step = gcd(*(ends[mono] for mono in told if size not in mono))
        counted = any(_counts(atom) for mono in ends for atom in mono)
        if len(told) < len(ends) and not counted:
            return False
        if self.visible or not step:
            return all(step % block[0] == 0 for block in self.blocks)
        if all(size in mono or all(_counts(atom) for atom in mono) for mono in told):
            return step % WARP == 0 and counted  # a number: no block of whole warps goes into 130
        return step > 1 and counted  # as in _settled

    def _congruent(self, term: Term) -> Term:
        """``term`` with ``a`` in place of each remainder ``a % m`` by a multiple of the block: as far as multiples of
        the block go the two are one (``n - n % blockDim.x``)."""
        term = _number(term)
        if term.op == "mod" and variation(term.args[0], self._memo) <= Uniformity.BLOCK:
            whole = polynomial(_number(term.args[1])).coefficients
            if all(
                BLOCK_DIM[0].term in mono or (self.visible and all(value % block[0] == 0 for block in self.blocks))
                for mono, value in whole.items()
            ):
                return self._congruent(term.args[0])
        if term.op not in ("add", "sub", "mod"):
            return term
        return rebuild(term, tuple(map(self._congruent, term.terms)))

    def _in_steps(self, term: Term) -> bool:
        """Whether a comparison is between multiples of a number, and what differs between threads does not get from one
        of them to the next (``32 * row + tid % 32 < 768``): all threads are on the same side."""
        if term.op not in ("lt", "le") or not all(isinstance(arg.type, IntType) for arg in term.args):
            return False
        if not self.visible:
            return self._one_side(term, _in_tile(term))
        sized = ((block, {one: const(block[one.axis], one.type) for one in BLOCK_DIM}) for block in self.blocks)
        return all(self._one_side(substitute(term, given), _in_block(block)) for block, given in sized)

    def _one_side(self, term: Term, bounds: Callable[[Symbol], Bound]) -> bool:
        apart = polynomial(term.args[0]) - polynomial(term.args[1])
        common: list[int] = []
        low, high = 0, 0
        for mono, value in apart.coefficients.items():
            if all(variation(atom, self._memo) <= Uniformity.BLOCK for atom in mono):
                common.append(value)
                continue
            least, most = interval(mono[0], bounds) if len(mono) == 1 else (None, None)
            if least is None or most is None:
                return False
            low += min(least * value, most * value)
            high += max(least * value, most * value)
        step = gcd(*common)
        return (low >= 0 and high < step) if term.op == "lt" else (-step < low and high <= 0)

    def _stated(self, term: Term) -> bool:
        """Whether ``term`` holds for every thread of the launches that the user speaks of, or for none."""
        if not self.said.premises:
            return False
        block: Axes = self.blocks[0] if self.visible and len(self.blocks) == 1 else FREE
        grid: Axes = self.grids[0] if len(self.grids) == 1 else FREE
        launch = Launch(block, grid, values=self.said.numbers)
        return any(
            all(_follows(part, self.said.premises, launch) for part in conjuncts(one)) for one in (term, negate(term))
        )

    def _launched(self, term: Term) -> bool:
        """Whether threads agree in each launch in sight, with what it passes for the parameters in ``term``: a part of
        as many elements as some rounds of the block take."""
        if not self._views or not any(symbol.kind is SymbolKind.PARAM for symbol in symbols(term)):
            return False
        for view in self._views:
            x, y, z = view.block
            if x is None or y is None or z is None:
                return False
            passed = {symbol: value for symbol, value in view.images if symbol.kind is SymbolKind.PARAM}
            given = substitute(term, passed)
            if given is term or Agreement(((x, y, z),), True, self.grids, self.said).differs(given):
                return False
        return True

    def _settled(self, term: Term) -> bool:
        """Whether trying out the launches in sight shows that all threads agree.

        Without a launch in sight, only conditions of loops get the benefit of a block size that divides the work:
        ``if (tid < 64)`` would be pointless under the one block size that makes it harmless.
        """
        found = list(symbols(term))
        kinds = {symbol.kind for symbol in found}
        if not kinds <= {SymbolKind.THREAD, SymbolKind.BLOCK_DIM, SymbolKind.COUNTER}:
            return False
        if not self.visible and SymbolKind.COUNTER not in kinds:
            return False
        blocks = self.blocks if self.visible else POWERS
        return all(threads_agree(term, found, block) for block in blocks)


def _in_block(block: Block) -> Callable[[Symbol], Bound]:
    """The bounds of symbols in a block."""

    def bounds(symbol: Symbol) -> Bound:
        return (0, block[symbol.axis] - 1) if symbol.kind is SymbolKind.THREAD else declared(symbol)

    return bounds


def _in_tile(term: Term) -> Callable[[Symbol], Bound]:
    """The bounds of symbols where the comparison ``term`` says what each block has: with ``blockIdx.x * 64 +
    threadIdx.x * 4`` there are 16 threads, since more would be at the work of the next block."""
    sizes = (polynomial(term.args[0]) - polynomial(term.args[1])).coefficients

    def bounds(symbol: Symbol) -> Bound:
        tile, own = (
            (abs(sizes.get((at[symbol.axis].term,), 0)) for at in (BLOCK, THREAD))
            if symbol.kind is SymbolKind.THREAD
            else (0, 0)
        )
        return (0, tile // own - 1) if tile and own and tile % own == 0 else declared(symbol)

    return bounds


def _number(term: Term) -> Term:
    """``term`` without conversions, those to types that were made up for a missing header included."""
    while term.op == "cast" or (term.op == "call" and isinstance(term.type, OpaqueType) and len(term.terms) == 1):
        term = term.terms[0]
    return term


def _counts(atom: Term) -> bool:
    return atom.symbol is not None and atom.symbol.kind is SymbolKind.COUNTER


def _untold(mono: tuple[Term, ...], value: int) -> bool:
    """Whether a summand may be a multiple of the block as far as can be told: it is not understood, or a product with
    the result of a function that is not known (``f(n) * 128``)."""
    atoms = [_number(atom) for atom in mono]
    if any(atom.symbol is not None and atom.symbol.kind is SymbolKind.UNKNOWN for atom in atoms):
        return True
    return any(atom.op == "call" for atom in atoms) and (len(mono) > 1 or abs(value) > 1)


def _follows(part: Term, premises: tuple[Term, ...], launch: Launch) -> bool:
    """Whether a comparison of values that are not negative holds for every thread of the launches of ``premises``."""
    if part.op not in ("lt", "le") or not all(isinstance(arg.type, IntType) for arg in part.args):
        return False
    small, large = (cast(arg, I64) for arg in part.args)
    if part.op == "le":
        large = binary("add", large, const(1, I64), I64)
    return isinstance(solve(Bounds(Side(small, 1), large, premises, launch=launch), BUDGET), Proved)


def _compute(facts: Facts) -> Agreement:
    blocks: list[Block] = []
    bounds = facts.function.bounds
    given = facts[assumed].block or facts.options.block
    seen = facts[launches]
    if given is not None:
        blocks.append(given)
    elif bounds.required is not None:
        blocks.append(bounds.required)
    else:
        constant = [launch.constant_block() for launch in seen]
        if seen and all(block is not None for block in constant):
            blocks.extend(block for block in constant if block is not None)
    grid = facts[assumed].grid or facts.options.grid
    grids = [grid] if grid is not None else [_constant(launch.grid) for launch in seen]
    known = tuple(dict.fromkeys(grid for grid in grids if grid is not None)) if None not in grids else ()
    flat, formal, strided = _flat(blocks, seen), frozenset[int](), None
    if not blocks and not seen:
        guessed = facts[scenarios].plausible
        flat = tuple(axis for axis in range(3) if all(shape.block[axis] == 1 for shape in guessed))
        formal = facts[scenarios].single
        strided = guessed[0].block if len(guessed) == 1 and guessed[0].reason == STRIDES else None
    views = facts[launch_context].launches if given is None and grid is None else ()
    return Agreement(tuple(dict.fromkeys(blocks)), bool(blocks), known, facts[assumed], flat, formal, strided, views)


def _flat(blocks: list[Block], seen: tuple[LaunchFact, ...]) -> tuple[int, ...]:
    """The axes along which all ``blocks`` have one thread, or without any the blocks of all launches in sight."""
    if blocks:
        return tuple(axis for axis in range(3) if all(block[axis] == 1 for block in blocks))
    return flat_axes(seen)


def _constant(sizes: tuple[Term, Term, Term] | None) -> Block | None:
    if sizes is None:
        return None
    x, y, z = (term.value for term in sizes)
    return None if x is None or y is None or z is None else (x, y, z)


agreement = KernelAnalysis("agreement", _compute, needs=(scenarios, launches, launch_context, assumed))
"""The :class:`Agreement` of a kernel's blocks."""
