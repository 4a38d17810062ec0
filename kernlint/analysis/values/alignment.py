"""Accesses of vectors at addresses that are no multiple of the vector's alignment.

Objects start where any vector may (allocators align to 256 bytes, compilers give shared arrays the room), so only the
offset is asked about.  Parameters and data are given the benefit of the doubt: they are multiples of 4096 while the
thread, its block and the rounds of loops run over small numbers.  What is misaligned even so is certain
(:attr:`Misaligned.thread`).  More kinds are told apart: an offset into shared memory that depends on how many threads
or warps a block has (``block``), or on how many smaller elements an argument asks for before it (``carved``, for
numbers of 8 bytes too), a run of smaller elements that begins where data say, runs lying back to back (``data``), a
row of a fixed length that is no multiple, whose number a counter hands out or data say (``row``), and a row whose pitch
is a parameter that the kernel itself does not take for a multiple, since it handles the elements left over one by one
(``pitch``).

An access that is made where an address or a pitch was tested for alignment is left alone; a test elsewhere in the
kernel says nothing of it, nor does one of another array's address (:mod:`~kernlint.analysis.values.aligned_tests`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import compress, product
from math import gcd

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.launching.launch_context import LaunchContext, LaunchView, launch_context
from kernlint.analysis.scenarios.policy import scenarios
from kernlint.analysis.scenarios.scenario import Scenarios
from kernlint.analysis.scenarios.tables import Block
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Guard, GuardKind, Root, Trace
from kernlint.analysis.values.aligned_tests import (
    OWN,
    SIZES,
    Tests,
    bounds,
    checked_short,
    of_callers,
    parts_of,
    pitch_of,
    remainder,
    tests_of,
)
from kernlint.analysis.values.by_lanes import by_lanes, of_lane
from kernlint.analysis.values.data_rows import chosen_starts, ends_at_next, odd_row
from kernlint.analysis.values.laid_out import (
    alignment_of,
    behind_smaller,
    in_memory,
    laid_closer,
    member_start,
    passed_behind,
    promised_less,
)
from kernlint.analysis.values.passed_places import passed_place
from kernlint.record import dataclass, replace
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import (
    BLOCK,
    BLOCK_DIM,
    GRID_DIM,
    THREAD,
    Symbol,
    SymbolKind,
    symbols,
)
from kernlint.tree.nodes import Deref
from kernlint.tree.types import BOOL, FloatType, IntType, PointerType, Space, StructType, VectorType
from kernlint.tree.walk import walk

ALIGNED = 4096
"""What everything that is not the thread's own is a multiple of, even when divided by the size of a group."""

COUNTS = ((32, 1, 1), (96, 1, 1), (160, 1, 1), (32, 3, 1), (32, 5, 1))
"""Blocks with a number of warps that is no power of two."""

TRIED = (0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 96, 128)
"""Threads along x that are tried."""

ROWS = (25, 3, 100, 1, 1000, 0)
"""Vectors in a row, beside some elements, that are tried as a pitch."""


@dataclass(frozen=True, slots=True)
class Misaligned:
    """A vector access at ``offset`` bytes, where ``align`` is asked for.

    ``kind``: ``thread``, ``constant``, ``block``, ``carved``, ``behind`` (``tested`` elements of ``offset`` bytes that
    the host puts before it), ``data``, ``row`` (``offset``: its length), ``passed`` (``view``: the launch), ``layout``,
    ``bytes``, ``chosen`` (data choose one of the distances ``tested``), ``pitch`` or ``untested`` (only the address of
    the array ``tested`` was). ``thread``: who does it under ``block`` threads. ``pitch``: the parameter's name (or ``K
    / 2``), or that of the array whose values say where (``data``). ``scalar``: the access that handles elements left
    over. ``registers``: the object most likely has no address.
    """

    access: Access
    align: int
    kind: str
    offset: int = 0
    thread: Block = (0, 0, 0)
    block: Block = (1, 1, 1)
    pitch: str = ""
    scalar: Access | None = None
    tested: str = ""
    view: LaunchView | None = None
    registers: bool = False


class _Values(Mapping[Symbol, int]):
    """One thread in one round, everything else a multiple of ``ALIGNED``."""

    def __init__(
        self, thread: Block, place: Block, block: Block, count: int, given: Iterable[tuple[Symbol, int]] = ()
    ) -> None:
        self.known: dict[Symbol, int] = dict(given)
        for axis in range(3):
            self.known[THREAD[axis]] = thread[axis]
            self.known[BLOCK[axis]] = place[axis]
            self.known[BLOCK_DIM[axis]] = block[axis]
            self.known[GRID_DIM[axis]] = 4
        self.count = count

    def __getitem__(self, symbol: Symbol) -> int:
        known = self.known.get(symbol)
        if known is not None:
            return known
        if symbol.kind is SymbolKind.COUNTER:
            return self.count
        if symbol.high is not None and symbol.high < ALIGNED:
            return 0
        return ALIGNED

    def __iter__(self) -> Iterator[Symbol]:
        return iter(self.known)

    def __len__(self) -> int:
        return len(self.known)


class _Finder:
    def __init__(self, of: Trace, known: Scenarios, language: str, context: LaunchContext) -> None:
        self.context = context
        self.of = of
        self.language = language
        self.blocks = tuple(dict.fromkeys(shape.block for shape in known.plausible)) or ((64, 1, 1),)
        self.seen = known.seen
        self.admission = known.admission
        self.whole = tuple(by_lanes(of.accesses))

    def find(self) -> Iterator[Misaligned]:
        """The first of each place, and of each layout that lets all accesses behind it down."""
        told: set[object] = set()
        for access in (*self.of.accesses, *self.whole):
            align = alignment_of(access.type, self.language) or _of_number(access, self.language)
            laid = laid_closer(access, align)
            if align is None or access.span in told or not (laid or _plain(access.root)) or access.asynchronous:
                continue
            tests = tests_of(access)
            if tests.settle(access, align):
                continue
            even = all(value % align == 0 for value in polynomial(access.offset).coefficients.values())
            if even and (start := member_start(access.root) % align):
                told.add(access.span)
                yield Misaligned(access, align, "constant", start)
                continue
            found = self._by_memory(access, align, tests)
            if even or (found is not None and found.kind == "passed"):
                if found is not None and (access.root, found.kind) not in told:
                    told |= {access.span, (access.root, found.kind)}
                    yield found
                continue
            if any(isinstance(node, Deref) and node.unaligned for node in walk(access.node)):
                continue
            wide = isinstance(access.type, (VectorType, StructType))
            found = self._by_carving(access, align)
            if laid:
                found = self._by_layout(access, align)
            elif tests.others:
                found = self._by_other_test(access, align, tests)
            elif (row := odd_row(access, align)) is not None:
                found = Misaligned(access, align, "row", row)
            elif found is None and access.root.space is Space.GLOBAL and not wide:
                found = self._by_thread(access, align) or self._by_data(access, align) or self._behind(access, align)
            elif found is None and wide:
                found = self._by_thread(access, align) or self._by_block(access, align) or self._by_pitch(access, align)
            if found is None and not (laid or tests.others) and (starts := chosen_starts(access, align)):
                found = Misaligned(access, align, "chosen", starts[0], tested=f"{starts[0]} or {starts[1]}")
            layout = (access.root, found.kind, found.pitch) if found is not None and found.pitch else None
            if found is not None and layout not in told:
                told |= {access.span, layout} - {None}
                yield found

    def _by_memory(self, access: Access, align: int, tests: Tests) -> Misaligned | None:
        """A place that is no multiple for what the kernel is given, or need not be for what it is promised."""
        if promised_less(access, align, self.language):
            return Misaligned(access, align, "bytes")
        passed = None if tests.others else passed_place(access, align, self.context)
        return Misaligned(access, align, "passed", passed[1], view=passed[0]) if passed is not None else None

    def _by_thread(self, access: Access, align: int) -> Misaligned | None:
        rest = remainder(access, align)
        if rest:
            return Misaligned(access, align, "constant", rest)
        first: Misaligned | None = None
        for block in self.blocks:
            found = self._under(access, align, block, "thread")
            if found is None and not self.seen:
                return None
            first = first or found
        return first

    def _by_layout(self, access: Access, align: int) -> Misaligned | None:
        """A member of structs that lie closer together than the number's alignment: of two threads or rounds that are
        not equally far past a multiple, one is misaligned wherever the first struct lies."""
        rest = remainder(access, align)
        if rest:
            return Misaligned(access, align, "constant", rest)
        known = all(symbol.kind in OWN or symbol.kind in SIZES for symbol in symbols(access.offset))
        block, given = self.blocks[0], self.admission.numbers
        first: int | None = None
        along = [x for x in TRIED[:4] if x < block[0]] if known else []
        for x, count in product(along, range(2)):
            env = _Values((x, 0, 0), (0, 0, 0), block, count, given)
            offset = evaluate(access.offset, env)
            if offset is None or any(evaluate(g.term, env) == 0 for g in _held(access)):
                continue
            if first is not None and (offset - first) % align:
                odd = offset if offset % align else first
                return Misaligned(access, align, "layout", odd, (x, 0, 0), block, access.root.name)
            first = offset if first is None else first
        return None

    def _by_block(self, access: Access, align: int) -> Misaligned | None:
        """An offset into shared memory that counts threads or warps."""
        if self.seen or access.root.space is not Space.SHARED:
            return None
        if not any(symbol.kind is SymbolKind.BLOCK_DIM for symbol in symbols(access.offset)):
            return None
        for block in COUNTS:
            found = self._under(access, align, block, "block")
            if found is not None:
                return found
        return None

    def _by_carving(self, access: Access, align: int) -> Misaligned | None:
        """A place in shared memory behind as many smaller elements as a parameter says, and a few more."""
        if access.root.space is not Space.SHARED:
            return None
        ahead = {mono: value for mono, value in polynomial(access.offset).coefficients.items() if value % align}
        names = [atom.args[0] for mono in ahead for atom in mono if atom.op == "sym"]
        if not names or any(one.kind is not SymbolKind.PARAM for one in names) or any(len(mono) > 1 for mono in ahead):
            return None
        if any(atom.op != "sym" for mono in ahead for atom in mono):
            return None
        certain = isinstance(access.type, (IntType, FloatType)) or () in ahead
        for name in names if len(names) == 1 or not certain else ():
            lanes = align // gcd(align, ahead[(name.term,)])
            if (certain or self._counted_one_by_one(access, name, ahead[(name.term,)])) and self._uneven(name, lanes):
                return Misaligned(access, align, "carved", pitch=name.name)
        return None

    def _counted_one_by_one(self, access: Access, count: Symbol, size: int) -> bool:
        """Whether the kernel goes through as many single elements, of ``size`` bytes in all for each, as an argument of
        a launch in sight says, and does not take it for a number of whole vectors anywhere."""
        if not self.admission.ways:
            return False
        singly = False
        for other in self.of.accesses:
            terms = (other.offset, *(guard.term for guard in other.guards))
            if any(parts_of(term, count) for term in terms):
                return False
            if (
                other.root is not access.root
                or not other.size
                or size % other.size
                or alignment_of(other.type, self.language)
            ):
                continue
            singly = singly or any(bounds(guard.term, count, size // other.size) for guard in other.guards)
        return singly

    def _under(self, access: Access, align: int, block: Block, kind: str) -> Misaligned | None:
        """A thread of ``block`` whose offset is no multiple; where something made up stands in the offset, one whose
        distance from the first thread's is none."""
        given = self.admission.numbers
        named = {symbol for symbol, _ in given}
        made_up = any(symbol.kind not in OWN and symbol not in named for symbol in symbols(access.offset))
        start = (
            evaluate(access.offset, _Values((0, 0, 0), (0, 0, 0), block, 0, given))
            if made_up and kind == "thread"
            else 0
        )
        if start is None:
            return None
        along = [x for x in TRIED if x < block[0]]
        threads = product(along, range(min(block[1], 2)), range(min(block[2], 2)))
        moving = [
            *(symbol in access.offset.symbols for symbol in THREAD),
            any(s in BLOCK for s in access.offset.symbols),
        ]
        repeated = any(symbol.kind is SymbolKind.COUNTER for symbol in access.offset.symbols)
        offsets: dict[object, int | None] = {}
        guards = [guard for guard in _held(access) if not of_callers(guard, access)]
        for thread, place, count in product(list(threads), ((0, 0, 0), (1, 1, 0)), range(3)):
            env = _Values(thread, place, block, count, given)
            key = tuple(compress((*thread, place), moving)), repeated and count
            if key not in offsets:
                offsets[key] = evaluate(access.offset, env)
            offset = offsets[key]
            if offset is None or offset % align == 0 or (offset - start) % align == 0:
                continue
            if any(evaluate(guard.term, env) == 0 for guard in guards):
                continue
            return Misaligned(access, align, kind, offset, thread, block)
        return None

    def _uneven(self, pitch: Symbol, lanes: int, divisor: int = 1) -> bool:
        """Whether a launch in sight, or one with an ordinary block, may have rows that are no multiple of ``lanes``
        apart, ``pitch / divisor`` each: where the pitch is the number of threads, it is as even as blocks are."""
        given = dict(self.admission.numbers).get(pitch)
        if given is not None:
            return given // divisor % lanes != 0
        odd = ((lanes * rows + extra) * divisor for rows in ROWS for extra in range(1, lanes))
        return any(self.admission.permits(self.blocks[0], values=((pitch, value),)) for value in odd)

    def _by_data(self, access: Access, align: int) -> Misaligned | None:
        """A number in a run of smaller elements that begins where data say, where runs lie back to back: the elements
        left over of one that ends where the next begins are handled one by one."""
        for mono, value in polynomial(access.offset).coefficients.items():
            start = mono[0].symbol if len(mono) == 1 and value % align else None
            if start is None or start.kind is not SymbolKind.LOAD or not isinstance(start.origin, tuple):
                continue
            for other in self.of.accesses:
                single = other.root is access.root and other.size == access.root.element.size
                if single and start in other.offset.symbols and ends_at_next(other, start):
                    return Misaligned(access, align, "data", pitch=start.origin[0].name, scalar=other)
        return None

    def _behind(self, access: Access, align: int) -> Misaligned | None:
        """A number behind as many smaller ones as an argument, or a size of the host, says."""
        count = behind_smaller(access, align, self.of.accesses, self.admission.ways)
        if count is not None and self._uneven(count, 2):
            return Misaligned(access, align, "carved", pitch=count.name)
        passed = passed_behind(access, align, self.admission.ways)
        if passed is None:
            return None
        place, many, size = passed
        return Misaligned(access, align, "behind", size, pitch=place, tested=many)

    def _by_other_test(self, access: Access, align: int, tests: Tests) -> Misaligned | None:
        """A row at a pitch of its own, where only the address of another array was tested, and single elements are
        taken where that is not aligned."""
        single = access.root.element.size
        others = (one for one in self.of.accesses if one.root is access.root and one.size == single)
        other = next((one for one in others if not of_lane(one)), None)
        if other is None or access.root.space is not Space.GLOBAL:
            return None
        for pitches in tests.unasked(access, align):
            if all(self._uneven(pitch, in_elements(access, align)) for pitch in pitches):
                name, pitch = ", ".join(root.name for root in tests.others), " * ".join(one.name for one in pitches)
                return Misaligned(access, align, "untested", pitch=pitch, scalar=other, tested=name)
        return None

    def _by_pitch(self, access: Access, align: int) -> Misaligned | None:
        """A row whose pitch is a parameter, with the rest of the row handled element by element."""
        unclear = (SymbolKind.UNKNOWN, SymbolKind.EXIT, SymbolKind.PHI)
        if access.root.space is not Space.GLOBAL or any(symbol.kind in unclear for symbol in symbols(access.offset)):
            return None  # what is not known may be what is left to the next multiple
        pitch, divisor = pitch_of(access.offset, align) or (None, 1)
        if pitch is None or not self._uneven(pitch, in_elements(access, align), divisor):
            return None
        if any(symbol.type == BOOL for g in access.guards for symbol in symbols(g.term)):
            return None  # a flag may say whether vectors fit
        lanes = align // (access.root.element.size or align)
        if checked_short(self.admission.ways, pitch, divisor, lanes):
            return Misaligned(access, align, "pitch", pitch=f"{pitch.name} / {divisor}" if divisor > 1 else pitch.name)
        for other in self.of.accesses:
            if other.root is not access.root or other.size != access.root.element.size or other is access:
                continue
            if of_lane(other):
                continue
            names = {symbol for guard in other.guards for symbol in symbols(guard.term)}
            rest = pitch in names or _goes_on(other, access)
            if rest and pitch_of(other.offset, align) == (pitch, divisor):
                name = pitch.name if divisor == 1 else f"{pitch.name} / {divisor}"
                return Misaligned(access, align, "pitch", pitch=name, scalar=other)
        return None


def in_elements(access: Access, align: int) -> int:
    """How many elements of the array make the bytes that a vector's address must be a multiple of."""
    return max(align // (access.root.element.size or align), 2)


def _plain(root: Root) -> bool:
    """Whether an object holds numbers or vectors of them: the members of structs are placed by the compiler."""
    return isinstance(root.element, (IntType, FloatType, VectorType))


def _held(access: Access) -> list[Guard]:
    """What holds wherever an access is made, whatever loops before it have done."""
    return [guard for guard in access.guards if guard.kind is not GuardKind.AFTER_LOOP]


def _goes_on(other: Access, access: Access) -> bool:
    """Whether a loop over single elements begins where the one over vectors has ended."""
    return bool(other.loops) and other.order > access.order and not set(other.loops) & set(access.loops)


def _of_number(access: Access, language: str) -> int | None:
    """What the address of a single number must be a multiple of that is no element of an array of its size: of 8 bytes
    in shared memory, or in an array of smaller elements in global memory (AMD's hardware reads those anywhere)."""
    kind, element = access.type, access.root.element
    if not isinstance(kind, (IntType, FloatType, PointerType)) or not kind.size:
        return None
    if access.root.space is Space.SHARED:
        return 8 if kind.size == 8 and element.size != 8 else None
    smaller = isinstance(element, (IntType, StructType)) and (element.align or kind.size) < kind.size
    return kind.size if smaller and access.root.space is Space.GLOBAL and language != "hip" else None


def _compute(facts: Facts) -> tuple[Misaligned, ...]:
    of = facts[trace]
    language = facts.module.language
    wide = any(isinstance(a.type, (VectorType, StructType)) or _of_number(a, language) for a in of.accesses)
    if not wide and next(by_lanes(of.accesses), None) is None:
        return ()
    finder = _Finder(of, facts[scenarios], language, facts[launch_context])
    return tuple(
        replace(one, registers=True)
        if one.access.root.space is Space.PRIVATE and not in_memory(one.access.root, of.accesses)
        else one
        for one in finder.find()
    )


misaligned = KernelAnalysis("misaligned", _compute, needs=(trace, scenarios, launch_context))
"""Every :class:`Misaligned` access of a kernel variant, the first of each place."""
