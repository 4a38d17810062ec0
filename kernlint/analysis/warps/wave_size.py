"""Code for HIP that counts on warps of 32 lanes in one place and on whole wavefronts in another.

A wavefront of AMD's data-centre GPUs has 64 lanes, `warpSize` is 32 or 64.  A literal 32 alone is no fault: a reduction
over 32 lanes with one partial result per 32 threads is right on both.  What is told here goes wrong with 64 lanes: a
lane mask kept in 32 bits, a 32-bit shift by a lane index, a literal 32 mixed with a count of whole wavefronts, and what
one lane of every 32 has for its own, passed on by one lane of the whole wavefront.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Guard, Trace, WarpEvent
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.terms import THREAD, WARP_SIZE, Symbol, SymbolKind, Term, plain, symbols
from kernlint.tree.nodes import (
    Assign,
    Binary,
    Cast,
    Expr,
    FunctionDecl,
    IncDec,
    IntLit,
    LaunchValue,
    Node,
    Quantity,
    Ref,
    VarDecl,
    WarpOp,
)
from kernlint.tree.types import IntType, Space
from kernlint.tree.walk import walk

WAVE = 64
HALF = 32


@dataclass(frozen=True, slots=True)
class WaveFault:
    """Something that loses lanes 32 to 63, or (``short``, ``led``) counts on them.  ``kind``: ``mask``, ``shift``,
    ``constant``, ``mixed``, ``broadcast``, ``short`` or ``led``.  ``what``: the fault in words.  ``other``: the place
    it does not fit with."""

    kind: str
    span: Span
    what: str
    other: Span | None = None
    stack: tuple[Span, ...] = ()


# ------------------------------------------------------------------------------------------------ one function


class _Function:
    """Masks and lane indices in the tree of one function."""

    def __init__(self, function: FunctionDecl) -> None:
        self.nodes = list(walk(function.body)) if function.body is not None else []
        self.changed = {decl for node in self.nodes if (decl := _changed(node)) is not None}

    def find(self) -> Iterator[WaveFault]:
        if any(asks_for_size(node) for node in self.nodes):
            return
        split = any(isinstance(n, Binary) and n.op == ">>" and self._is_mask(n.lhs) for n in self.nodes)
        for node in self.nodes:
            if isinstance(node, Cast) and _bits(node) == HALF and self._is_mask(node.operand) and not split:
                yield WaveFault("mask", node.span, "a mask of 64 lanes is cut to 32 bits: lanes 32 to 63 are lost")
            elif isinstance(node, Binary) and node.op == "<<" and _bits(node) == HALF:
                most = self._most(node.rhs)
                if most is not None and most >= HALF:
                    yield WaveFault(
                        "shift",
                        node.span,
                        f"a value of 32 bits is shifted by up to {most} bits: there is no such lane in it from 32 on",
                    )

    def _is_mask(self, expr: Expr, depth: int = 0) -> bool:
        """Whether ``expr`` is a set of lanes in 64 bits."""
        if _bits(expr) != WAVE or depth > 8:
            return False
        if isinstance(expr, WarpOp):
            return expr.kind in ("ballot", "activemask", "match")
        if isinstance(expr, Cast):
            return self._is_mask(expr.operand, depth + 1)
        if isinstance(expr, Binary) and expr.op in ("&", "|", "^"):
            return self._is_mask(expr.lhs, depth + 1) or self._is_mask(expr.rhs, depth + 1)
        if isinstance(expr, Ref) and expr.decl.init is not None:
            return self._is_mask(expr.decl.init, depth + 1)
        return False

    def _most(self, expr: Expr) -> int | None:
        """The greatest value of an expression over the lanes of a wavefront; None when it is not of the lane alone."""
        first = self._value(expr, 0, 0)
        if first is None or self._value(expr, 1, 0) is None or isinstance(expr, IntLit):
            return None
        values = [value for lane in range(WAVE) if (value := self._value(expr, lane, 0)) is not None]
        return max(values) if len(values) == WAVE and len(set(values)) > 1 else None

    def _value(self, expr: Expr, lane: int, depth: int) -> int | None:
        if depth > 12:
            return None
        if isinstance(expr, IntLit):
            return expr.value
        if isinstance(expr, Cast):
            return self._value(expr.operand, lane, depth + 1)
        if isinstance(expr, LaunchValue):
            if expr.quantity is Quantity.WARP_SIZE:
                return WAVE
            return lane if expr.quantity is Quantity.LANE_ID else None
        if isinstance(expr, Ref):
            if expr.decl.value is not None:
                return expr.decl.value
            if expr.decl.init is None or expr.decl in self.changed:
                return None
            return self._value(expr.decl.init, lane, depth + 1)
        if not isinstance(expr, Binary):
            return None
        right = self._value(expr.rhs, lane, depth + 1)
        if right is not None and (expr.op, right) in (("%", WAVE), ("&", WAVE - 1)) and _of_thread(expr.lhs):
            return lane
        left = self._value(expr.lhs, lane, depth + 1)
        if left is None or right is None:
            return None
        return _apply(expr.op, left, right)


def _apply(op: str, left: int, right: int) -> int | None:
    if op in ("/", "%"):
        if right <= 0 or left < 0:
            return None
        return left // right if op == "/" else left % right
    if op in ("<<", ">>"):
        if not 0 <= right < WAVE:
            return None
        return left << right if op == "<<" else left >> right
    table = {"+": left + right, "-": left - right, "*": left * right, "&": left & right, "|": left | right}
    return table.get(op)


def _bits(expr: Expr) -> int | None:
    return expr.type.bits if isinstance(expr.type, IntType) else None


def _changed(node: Node) -> VarDecl | None:
    target = node.target if isinstance(node, (Assign, IncDec)) else None
    return target.decl if isinstance(target, Ref) else None


def _of_thread(expr: Expr) -> bool:
    """Whether an expression is the thread's own index, perhaps by way of variables."""
    for _ in range(6):
        if isinstance(expr, Cast):
            expr = expr.operand
        elif isinstance(expr, Ref) and expr.decl.init is not None:
            expr = expr.decl.init
        else:
            break
    return isinstance(expr, LaunchValue) and expr.quantity in (Quantity.THREAD_ID, Quantity.LINEAR_THREAD_ID)


def asks_for_size(node: Node) -> bool:
    """Whether the code compares the warp size with a number: it has thought of both."""
    if not isinstance(node, Binary) or node.op not in ("==", "!=", "<", ">", "<=", ">="):
        return False
    sides = [side.operand if isinstance(side, Cast) else side for side in (node.lhs, node.rhs)]
    asks = any(isinstance(side, LaunchValue) and side.quantity is Quantity.WARP_SIZE for side in sides)
    return asks and any(isinstance(side, IntLit) for side in sides)


# ------------------------------------------------------------------------------------------------- one kernel


class FirstRound(Mapping[Symbol, int]):
    """The first round of loops on a wavefront of 64 lanes."""

    def __getitem__(self, symbol: Symbol) -> int:
        if symbol is WARP_SIZE:
            return WAVE
        if symbol.kind is SymbolKind.COUNTER:
            return 0
        raise KeyError(symbol)

    def __iter__(self) -> Iterator[Symbol]:
        return iter((WARP_SIZE,))

    def __len__(self) -> int:
        return 1


def lanes_joined(events: list[WarpEvent]) -> int | None:
    """Lanes that the shuffles of a reduction bring together: twice the greatest distance."""
    found: set[int] = set()
    for event in events:
        if event.node.kind in ("shuffle_down", "shuffle_xor") and len(event.operands) > 1:
            distance = evaluate(event.operands[1], FirstRound())
            if distance is None:
                return None
            found.add(distance)
    return 2 * max(found) if found else None


def _modulus(term: Term, op: str) -> int | None:
    """The number of lanes by which the thread index is divided somewhere in ``term``: 32, or 64 for a whole wave."""
    todo = [term]
    while todo:
        at = todo.pop()
        if at.op in (op, "shr" if op == "div" else "and") and _thread_in(at.args[0]):
            value = evaluate(at.args[1], FirstRound())
            if value is not None:
                if at.op == "shr":
                    value = 1 << value if 0 <= value < 32 else 0
                elif at.op == "and":
                    value += 1
                if value in (HALF, WAVE):
                    return value
        todo.extend(at.terms)
    return None


def _thread_in(term: Term) -> bool:
    term = plain(term)
    if term.op == "sym":
        return bool(term.args[0].kind is SymbolKind.THREAD)
    return term.op in ("add", "mul") and any(_thread_in(arg) for arg in term.terms)


def _lane_test(guards: tuple[Guard, ...]) -> tuple[int, Span] | None:
    """The size in ``lane == 0``."""
    for guard in guards:
        if guard.term.op == "eq" and guard.term.args[1].value == 0:
            size = _modulus(guard.term.args[0], "mod")
            if size is not None:
                return size, guard.span
    return None


def _mixed(of: Trace) -> Iterator[WaveFault]:
    """Partial results stored once per warp, where lane test, slot and reduction mean warps of different sizes."""
    shuffles = [event for event in of.warp_ops if event.node.kind in ("shuffle_down", "shuffle_xor")]
    together = lanes_joined(shuffles)
    for access in of.accesses:
        if access.root.space is not Space.SHARED or not access.writes:
            continue
        slot, test = _modulus(access.offset, "div"), _lane_test(access.guards)
        if slot is None or test is None:
            continue
        lane, place = test
        if slot != lane:
            what = f"one slot for every {slot} threads is written by one lane of every {lane}: " + (
                "two lanes write each slot" if slot > lane else "every other slot is never written"
            )
            yield WaveFault("mixed", access.span, what, place, access.stack)
        elif together in (HALF, WAVE) and together != slot:
            yield _reduction(access, shuffles[0], together, slot)


def _reduction(access: Access, shuffle: WarpEvent, together: int, slot: int) -> WaveFault:
    what = f"the shuffles bring {together} lanes together, and one result is kept for every {slot} threads"
    return WaveFault("mixed", shuffle.span, what, access.span, shuffle.stack)


def _broadcasts(of: Trace, most: int) -> Iterator[WaveFault]:
    """What one lane of every 32 has fetched for its own 32, passed on by lane 0 to the whole wavefront.  ``most``:
    threads that a block may have."""
    if most <= HALF:
        return
    for event in of.warp_ops:
        if event.node.kind != "shuffle" or event.width is not None or len(event.operands) < 2:
            continue
        value, lane = event.operands[:2]
        if plain(lane).value != 0 or any(WARP_SIZE in symbols(guard.term) for guard in event.guards):
            continue
        own = fetched(plain(value), HALF)
        if own is not None and any(_modulus(place, "div") == HALF for place in _places(own)):
            what = (
                f"one lane of every {HALF} threads has the value of its own {HALF}, and {event.node.name} without a "
                "width passes on that of lane 0 to the whole wavefront"
            )
            yield WaveFault("broadcast", event.span, what, None, event.stack)


def fetched(value: Term, lanes: int) -> Term | None:
    """What the first lane of every ``lanes`` has, where the others have a constant."""
    if value.op != "select" or plain(value.args[2]).op != "const":
        return None
    test = value.args[0]
    if test.op != "eq" or test.args[1].value != 0 or _modulus(test.args[0], "mod") != lanes:
        return None
    own: Term = value.args[1]
    return own


def _places(term: Term) -> list[Term]:
    """Offsets of what is loaded for a value."""
    return [symbol.origin[1] for symbol in symbols(term) if symbol.kind is SymbolKind.LOAD]


def _gathers(of: Trace, most: int) -> Iterator[WaveFault]:
    """Shuffles without a width in which each lane of every 32 names one of the first 32, where lanes work in groups of
    32: the second group of a wavefront gets what the first has.  ``most``: as for :func:`_broadcasts`."""
    found = [
        event
        for event in of.warp_ops
        if event.node.kind == "shuffle" and event.width is None and len(event.operands) > 1
    ]
    found = [event for event in found if _in_half(event.operands[1]) and _differs(event.operands[0])]
    if most <= HALF or not found:
        return
    terms = [access.offset for access in of.accesses] + [test.term for test in of.conditions]
    terms += [operand for event in of.warp_ops for operand in event.operands]
    if any(WARP_SIZE in symbols(term) or WAVE in lane_groups(term) for term in terms):
        return  # it knows of whole wavefronts
    widths = (evaluate(event.width, FirstRound()) for event in of.warp_ops if event.width is not None)
    if HALF not in widths and not any(_modulus(term, "div") == HALF for term in terms):
        return
    for event in found:
        what = (
            f"lanes work in groups of {HALF}, and {event.node.name} without a width takes what the second group of a "
            "wavefront asks for from the first"
        )
        yield WaveFault("broadcast", event.span, what, None, event.stack)


def _in_half(lane: Term) -> bool:
    """Whether what the lanes of a wavefront name differs, is below 32, and the same for each lane and the one 32
    further."""
    if not any(HALF % size == 0 for size in lane_groups(lane)):
        return False
    named = [evaluate(lane, MadeUp(thread)) for thread in range(WAVE)]
    known = [one for one in named if one is not None]
    whole = len(known) == WAVE and known[:HALF] == known[HALF:]
    return whole and len(set(known)) > 1 and 0 <= min(known) <= max(known) < HALF


def _differs(value: Term) -> bool:
    """Whether a lane and the one 32 further have loaded a value from two places."""
    for place in _places(value):
        first, second = (evaluate(place, MadeUp(thread)) for thread in (3, 3 + HALF))
        if first is not None and second is not None and first != second:
            return True
    return False


def lane_groups(term: Term) -> set[int]:
    """The numbers of lanes by which the thread index is divided anywhere in ``term``."""
    out: set[int] = set()
    todo = [term]
    while todo:
        at = todo.pop()
        if at.op in ("div", "mod", "shr", "and") and _thread_in(at.args[0]):
            value = evaluate(at.args[1], FirstRound())
            if value is not None and 0 <= value < 1 << 20:
                out.add({"shr": 1 << min(value, 20), "and": value + 1}.get(at.op, value))
        todo.extend(at.terms)
    return out - {0}


class MadeUp(FirstRound):
    """What a thread of a block of one row has, with numbers made up for what is the same for a wavefront."""

    def __init__(self, thread: int) -> None:
        self.thread = thread

    def __getitem__(self, symbol: Symbol) -> int:
        if symbol.kind is SymbolKind.THREAD:
            return self.thread if symbol is THREAD[0] else 0
        if symbol.kind in _SHARED_BY_WAVE:
            return _MADE_UP
        return super().__getitem__(symbol)


_SHARED_BY_WAVE = frozenset({SymbolKind.BLOCK, SymbolKind.BLOCK_DIM, SymbolKind.GRID_DIM, SymbolKind.PARAM})
_MADE_UP = 256
"""A size or an index for what a launch says: whole wavefronts, as a size of the block."""


def _constants(of: Trace) -> Iterator[WaveFault]:
    """The first mask of 32 lanes in a kernel that asks for the size of a wavefront somewhere."""
    terms = [access.offset for access in of.accesses] + [test.term for test in of.conditions]
    terms += [operand for event in of.warp_ops for operand in event.operands]
    if not any(symbol is WARP_SIZE for term in terms for symbol in symbols(term)):
        return
    for event in of.warp_ops:
        mask = event.mask.value if event.mask is not None else None
        if mask == 0xFFFFFFFF and event.node.synchronising:
            what = f"the mask 0xffffffff of {event.node.name} names only lanes 0 to 31"
            yield WaveFault("constant", event.span, what, None, event.stack)
            return


def _most_threads(facts: Facts) -> int:
    """The most threads that a block may have: as many as in a launch, where launches are in sight."""
    context = facts[launch_context]
    sizes = [view.block for view in context.launches]
    known = [x * y * z for x, y, z in sizes if x is not None and y is not None and z is not None]
    return max(known) if known and len(known) == len(sizes) else context.max_threads


def _compute(facts: Facts) -> tuple[WaveFault, ...]:
    targets = facts.options.targets
    if facts.module.language != "hip" or (targets and all(target.value("warp_size") == HALF for target in targets)):
        return ()
    found: list[WaveFault] = []
    for function in facts.reached:
        found += _Function(function).find()
    found += _mixed(facts[trace])
    found += _broadcasts(facts[trace], _most_threads(facts))
    found += _gathers(facts[trace], _most_threads(facts))
    found += _constants(facts[trace])
    return tuple({fault.span: fault for fault in reversed(found)}.values())[::-1]


wave_faults = KernelAnalysis("wave_faults", _compute, needs=(trace, launch_context))
"""Every :class:`WaveFault` of a kernel variant; none for other languages than HIP or targets with 32 lanes."""
