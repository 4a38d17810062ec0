"""Guards that let through a step too many: the neighbour of what is tested, the rest of a vector or group."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import gcd

from kernlint.analysis.coverage import Cover, conjuncts, cover
from kernlint.analysis.extent.limits import Dimension, Indexed, Limit, counter_ranges, of_two_sizes
from kernlint.analysis.extent.places import Place, Places
from kernlint.analysis.extent.sizes import last_part
from kernlint.analysis.extent.wrong_guards.faults import (
    MOVING,
    Fault,
    Overreach,
    Supports,
    in_host_terms,
    kind_of,
    moves,
    parameter_names,
)
from kernlint.analysis.extent.wrong_guards.stencils import Surroundings, exchanged
from kernlint.analysis.launching.launch_context import LaunchContext, LaunchView
from kernlint.analysis.trace.events import Access, Trace
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.terms import SymbolKind, Term, binary, const, plain, substitute, subterms, symbols
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import Deref, ParamDecl
from kernlint.tree.types import I64, IntType, VectorType
from kernlint.tree.walk import walk

_OFFSETS = pattern(r"ptr|off|cum|start|begin|prefix|scan|row_?p|indptr|bound|edge|pos", re.IGNORECASE)
"""Names of arrays that hold one element more than there are items, by convention: silence only."""


Elsewhere = Callable[[Access, Dimension], bool]
"""Whether another kernel of the file keeps the same place of the same array strictly inside its row."""


def neighbours(
    kernel: Trace, indexed: Sequence[Indexed], supports: Supports, context: LaunchContext, elsewhere: Elsewhere
) -> Iterator[Overreach]:
    about = Surroundings(indexed)
    for one in indexed:
        beyond = [d for d in one.dimensions if _excess(d) > 0]
        if not beyond:
            continue
        for dimension in beyond:
            best = dimension.limits[0]
            support = supports.get(best.size)
            if support is None or _tested_in_row(one.access) or _tested_otherwise(one.access, dimension):
                continue
            if _multiplied_out(best.size):
                continue
            if support.root is not one.access.root and _meant(dimension, context):
                continue
            if one.access.writes:
                made = _one_more(indexed, one) or _made_of_the_one_before(one)
                if len(one.dimensions) > 1 or (made and not exchanged(kernel, one.access, dimension.index)):
                    continue
                if _behind_a_head(kernel, indexed, one):
                    continue
            elif not (_whole_rows(one) and (about.seen(one, dimension) or elsewhere(one.access, dimension))):
                continue
            steps = gcd(*(value for mono, value in dimension.index.coefficients.items() if mono))
            if steps > _excess(dimension) and multiple(context, best, steps):
                continue  # each thread has as many elements to itself
            yield Overreach(
                one.access,
                Fault.NEIGHBOUR,
                best.guard,
                best.part,
                best.size,
                _excess(dimension),
                "another access is kept below it",
                support,
            )
            break


def _multiplied_out(size: Polynomial) -> bool:
    """Whether a size is a product of others with something taken away, ``(rows - 1) * (columns - 1)``: the number that
    comes out of it is a part of the size, and no step past its end."""
    products = any(len(mono) > 1 for mono in size.coefficients)
    return products and any(len(mono) == 1 and value < 0 for mono, value in size.coefficients.items())


def _tested_in_row(access: Access) -> bool:
    """Whether a test asks for the place in a row, or for the row, by dividing: the neighbour is in the same rows then
    (``i % width < width - 1`` before ``x[i + 1]``)."""
    parts = (part for guard in access.guards for part in conjuncts(guard.term) if part.op in ("lt", "le", "ne"))
    divided = (at for part in parts for at in subterms(part) if at.op in ("mod", "div") and at.args[1].value is None)
    return any(moves(at.args[0]) and not moves(at.args[1]) for at in divided)


def _tested_otherwise(access: Access, dimension: Dimension) -> bool:
    """Whether a test that is not followed, a function's or one in floating point, asks for what the index is made of.

    Excused: ``if (inside(p + d, size))``, a function that is not in sight. Still bad: ``if (w[d] > 0)``.
    """
    own = {s for atom in dimension.index.atoms for s in symbols(atom) if s.kind in MOVING}
    parts = (part for guard in access.guards for part in subterms(guard.term))
    asked = (
        part
        for part in parts
        if part.op == "call"
        or (part.op in ("lt", "le") and not all(isinstance(arg.type, IntType) for arg in part.args))
    )
    return any(own & set(symbols(part)) for part in asked)


def _excess(dimension: Dimension) -> int:
    """Elements by which the index passes the size that its tightest guard speaks of; 0 when it does not."""
    if not dimension.limits or dimension.extra:
        return 0
    best = dimension.limits[0]
    if best.unit > 1 or (best.slack == 0 and best.part.op == "le"):
        return 0
    return max(best.slack + 1, 0)


def _meant(dimension: Dimension, context: LaunchContext) -> bool:
    """Whether more elements than the size are asked for on purpose: the index itself is tested, against the size and
    something more (``i < n + 1``), and launches in sight have a thread for each of these.

    Still bad: ``if (i < n + 1) y[i] = x[i];`` where ``n`` elements are launched for.
    """
    part = dimension.limits[0].part
    if part.op != "lt" or polynomial(part.args[0]) != dimension.index:
        return False
    for view in context.launches:
        wanted = polynomial(substitute(plain(part.args[1]), dict(view.images)))
        if any(cover.count is not None and polynomial(cover.count) == wanted for cover in view.covers):
            return True
    return False


def _one_more(indexed: Sequence[Indexed], one: Indexed) -> bool:
    """Whether a write to the next element is that of an array with one element more than there are items."""
    root = one.access.root
    if _OFFSETS.search(root.name) or _beside_offsets(indexed, one):
        return True
    return isinstance(root.element, IntType) and any(
        other.access.root is root and other is not one and other.dimensions[0].index != one.dimensions[0].index
        for other in indexed
    )


def _behind_a_head(kernel: Trace, indexed: Sequence[Indexed], one: Indexed) -> bool:
    """Whether each place of an array that the kernel touches with the thread is so many elements further on: what
    comes before them is a head, and the size of another array says nothing of this one.  One element alone is no head
    where the kernel does not use it: that is a step too far.

    Excused: ``y[4 + i] = x[i];`` Still bad: ``y[1 + i] = x[i];``
    """
    root = one.access.root
    ours = [
        (other.dimensions[0].index.coefficients.get((), 0), other.dimensions[0].limits)
        for other in indexed
        if other.access.root is root and len(other.dimensions) == 1
    ]
    (limit, *_) = one.dimensions[0].limits
    first = min(shift for shift, _ in ours)
    if first < 1 or limit.slack + 1 > first:
        return False
    return first > 1 or any(other.root is root and other.offset.value is not None for other in kernel.accesses)


def _made_of_the_one_before(one: Indexed) -> bool:
    """Whether a value is made of what the element before holds: of n steps there are n + 1 results."""
    made = symbols(one.access.value) if one.access.value is not None else ()
    held = (symbol.origin for symbol in made if symbol.kind is SymbolKind.LOAD)
    return any(origin[0] is one.access.root and origin[1] != one.access.offset for origin in held)


def _beside_offsets(indexed: Sequence[Indexed], one: Indexed) -> bool:
    """Whether integers of another array are read at the index of a write and at the one before, as the ends of ranges
    are: the array written is laid out as that one is."""
    index = one.dimensions[0].index
    read: dict[int, set[Polynomial]] = {}
    for other in indexed:
        root = other.access.root
        if root is not one.access.root and not other.access.writes and isinstance(root.element, IntType):
            read.setdefault(id(root), set()).add(other.dimensions[0].index)
    return any({index, index - number(1)} <= each for each in read.values())


def _whole_rows(one: Indexed) -> bool:
    """Whether the tests let through whole rows.  Where the pitch is another size than those tested, the kernel may
    work on a part of a larger image, which goes on on all sides."""
    tested = {limit.size for dimension in one.dimensions for limit in dimension.limits}
    return all(
        dimension.pitch.constant is not None
        or dimension.pitch in tested
        or any(dimension.pitch == first * second for first in tested for second in tested)
        for dimension in one.dimensions
    )


Promised = Callable[[Polynomial, int], bool]
"""Whether a size is promised to be a multiple of a number."""


def promised(found: Places, multiples: Mapping[str, int]) -> Promised:
    """What comments say (``multiples``), and what vectors along rows do: were the length of a row no multiple of its
    vectors, they would be misaligned in the next one."""
    rows: dict[Polynomial, int] = {}
    for access, places in found.items():
        if len(places) > 1 and wants_alignment(access) and places[-1].row is not None and places[-1].extra:
            row = places[-1].row
            rows[row] = max(rows.get(row, 1), places[-1].extra + 1)

    def told(size: Polynomial, count: int) -> bool:
        if size.constant is None and size in rows and rows[size] % count == 0:
            return True
        known = [multiples.get(last_part(name), 0) for name in parameter_names(size)]
        return bool(known) and all(one and one % count == 0 for one in known)

    return told


def wants_alignment(access: Access) -> bool:
    """Whether an access is one of a vector as such, and not of its elements side by side (``vload4``), or of a word
    that takes several elements (``*(uint64_t *)&halves[i]``); an asynchronous copy of several elements is (PTX ISA,
    cp.async: aligned to its size)."""
    if access.asynchronous:
        return True
    wide = isinstance(access.type, VectorType | IntType)
    return wide and not any(isinstance(node, Deref) and node.unaligned for node in walk(access.node))


def in_whole(limit: Limit, first: Polynomial, lanes: int) -> bool:
    """Whether a test bounds by a number of whole vectors: ``4 * i < n / 4 * 4``."""
    return all(value % lanes == 0 for value in (*first.coefficients.values(), *limit.size.coefficients.values()))


Ended = Callable[[Polynomial, int], bool]
"""Whether a kernel of the file takes rows that end at a size in vectors of so many elements, and the rest by ones."""


def groups(found: Places, context: LaunchContext, whole: Promised, ended: Ended) -> Iterator[Overreach]:
    """A thread that takes several elements and tests the first alone: ``4 * i < n`` before ``x[4 * i + k]``, or
    ``i < (n + 1) / 2`` before ``x[2 * i + 1]``."""
    for access, places in found.items():
        for place in places:
            if place.extra and len(places) > 1 and wants_alignment(access):
                continue
            best = place.limits[0] if place.limits else None
            count = 0 if best is None else _run(place, best)
            if best is None or not count or best.part.op != "lt" or of_two_sizes(place.limits):
                continue
            if not _dense(place, best.size, context) and not ended(best.size, count):
                continue
            if any(in_whole(limit, Polynomial({}), count) for limit in place.limits) or multiple(context, best, count):
                continue
            if whole(best.size, count) or _asks_for_rest(access, best.size):
                continue
            told = any(speaks_of(view, best.size) for view in context.launches)
            if best.unit > 1:
                why = f"it is rounded up to whole groups of {count}"
            elif not told:
                why = "the test of the first element bounds by it"
            elif rounds_items(context, best, count):
                why = f"the launch rounds it up to whole groups of {count}"
            else:
                continue
            yield Overreach(access, Fault.GROUP, best.guard, best.part, best.size, count - 1, why)
            break


def _run(place: Place, best: Limit) -> int:
    """Elements that each thread takes of which the test ``best`` is about the first and the access about another; 0
    where it is not so."""
    ranged = counter_ranges(place.access)
    steps = [
        value
        for mono, value in place.index.coefficients.items()
        if mono and not (len(mono) == 1 and mono[0].symbol in ranged)
    ]
    count = gcd(*steps)
    if best.unit > 1:
        count = best.unit if count % best.unit == 0 else 0
    return count if 0 < best.slack + 1 < count and any(kind_of(a) in _IDS for a in place.index.atoms) else 0


def _asks_for_rest(access: Access, size: Polynomial) -> bool:
    """Whether a test before an access asks what is left over of a size: then that may be looked after.

    Excused: ``if (n % 2 == 1 && i == n / 2) .. else x[2 * i + 1]``. Still bad: ``if (i > 0) x[2 * i + 1]``.
    """
    mine = {symbol for atom in size.atoms for symbol in symbols(atom)}
    parts = (part for guard in access.guards for part in subterms(guard.term) if part.op in ("mod", "and"))
    return any(part.args[1].value is not None and mine.intersection(symbols(part.args[0])) for part in parts)


def _dense(place: Place, size: Polynomial, context: LaunchContext) -> bool:
    """Whether rows of ``size`` elements lie one behind the other, by the kernel or by its launches.  With a pitch of
    its own a row may end in padding, which the last vector may cross into."""
    if place.row is None or place.row == size:
        return True
    return bool(context.launches) and all(_equal(view, place.row, size) for view in context.launches)


def _equal(view: LaunchView, one: Polynomial, other: Polynomial) -> bool:
    """Whether a launch passes the same for two sizes; what is read twice from one place is the same."""
    images = dict(view.images)
    return _places_read(in_host_terms(one, images)) == _places_read(in_host_terms(other, images))


def _places_read(form: Polynomial) -> dict[tuple[object, ...], int]:
    return {tuple(sorted((_read(atom) for atom in mono), key=repr)): value for mono, value in form.coefficients.items()}


def _read(atom: Term) -> object:
    symbol = plain(atom).symbol
    if symbol is not None and symbol.kind is SymbolKind.LOAD and isinstance(symbol.origin, tuple):
        return id(symbol.origin[0]), symbol.origin[1]
    return atom


def multiple(context: LaunchContext, best: Limit, count: int) -> bool:
    """Whether the host of some launch has seen to it that the size is a multiple."""
    for view in context.launches:
        size = term_of(in_host_terms(best.size, dict(view.images)))
        raised = binary("add", size, const(count - 1, I64), I64)
        if cover(binary("div", raised, const(count, I64), I64), view.checks).kind is Cover.EXACT:
            return True
    return False


def items(found: Places) -> Iterator[Overreach]:
    """``if (i < n / 4) v[2 * i + k]`` of vectors of four: a thread's number is tested against the number of vectors, of
    which each thread takes two."""
    for access, places in found.items():
        kind, place = access.root.element, places[-1]
        if not isinstance(kind, VectorType) or len(places) > 1 or place.limits or place.extra:
            continue
        ids = {m: v for m, v in place.index.coefficients.items() if any(kind_of(a) in _IDS for a in m)}
        count = next(iter(ids.values()), 0)
        if count < 2 or any(value != count for value in ids.values()):
            continue
        own = Polynomial(dict.fromkeys(ids, 1))
        for guard in access.guards:
            for part in conjuncts(guard.term):
                if part.op != "lt" or polynomial(part.args[0]) != own:
                    continue
                whole = _divided_by(plain(part.args[1]), kind.lanes)
                if whole is not None and whole.constant is None:
                    why = f"{whole} elements make {whole} / {kind.lanes} vectors"
                    size = polynomial(part.args[1])
                    yield Overreach(access, Fault.ITEMS, guard, part, size, count, why)


_IDS = (SymbolKind.THREAD, SymbolKind.BLOCK)


def rounds_items(context: LaunchContext, limit: Limit, lanes: int) -> bool:
    """Whether a launch in sight rounds the size up to whole vectors, or to blocks of them: it need not be a multiple of
    their length."""
    for view in context.launches:
        for one in view.covers:
            if one.kind is not Cover.ROUNDED_UP or one.count is None or one.unit is None:
                continue
            items = polynomial(one.unit).constant or 0  # of a block of any size: 0
            if items % lanes == 0 and _wanted(view, limit, one.count):
                return True
            inner = cover(one.count, view.checks)
            if inner.kind is not Cover.ROUNDED_UP or inner.count is None or inner.unit is None:
                continue
            if _wanted(view, limit, inner.count) and polynomial(inner.unit).constant == lanes:
                return True
    return False


def speaks_of(view: LaunchView, size: Polynomial) -> bool:
    """Whether a launch says something of a size: it is an argument, and the grid no number that just anybody gives."""
    given = {symbol for symbol, _ in view.images if isinstance(symbol.origin, ParamDecl)}
    return view.tells and any(symbol in given for atom in size.atoms for symbol in symbols(atom))


def _wanted(view: LaunchView, limit: Limit, count: Term) -> bool:
    """Whether a launch passes ``count`` as the size of a limit."""
    given = _places_read(in_host_terms(limit.size, dict(view.images)))
    return given == _places_read(polynomial(count))


def scalars(kernel: Trace, indexed: Sequence[Indexed], context: LaunchContext) -> Iterator[Overreach]:
    """``if (i < n) ((float4 *)x)[i]`` where n counts floats: something else divides it by the length of a vector."""
    for one in indexed:
        dimension = one.dimensions[-1]
        lanes = dimension.extra + 1
        if len(one.dimensions) != 1 or lanes < 2 or dimension.limits or dimension.pitch.constant != 1:
            continue
        first = dimension.index - number(dimension.extra)
        if any(value % lanes for value in first.coefficients.values()):
            continue
        vector = Polynomial({mono: value // lanes for mono, value in first.coefficients.items()})
        tests = [(g, part) for g in one.access.guards for part in conjuncts(g.term) if moves(part)]
        if len(tests) != 1 or tests[0][1].op != "lt" or polynomial(tests[0][1].args[0]) != vector:
            continue
        guard, part = tests[0]
        size = polynomial(part.args[1])
        names = [s for atom in size.atoms for s in symbols(atom)]
        if len(names) != 1 or size != polynomial(names[0].term) or names[0].kind is not SymbolKind.PARAM:
            continue
        why = _counts_scalars(kernel, context, size, lanes)
        if why:
            yield Overreach(one.access, Fault.SCALARS, guard, part, size, lanes, why)


def vector_counts(kernel: Trace, found: Places, context: LaunchContext) -> Iterator[Overreach]:
    """``if (i < n) v[i]`` of vectors, where the kernel takes the rest of ``n`` divided by their length from the same
    array as single elements: n counts those."""
    for access, places in found.items():
        kind, place = access.root.element, places[-1]
        if not isinstance(kind, VectorType) or len(places) > 1 or place.extra or place.bound is None:
            continue
        size, best = place.bound, place.limits[0]
        if _given_in_vectors(context, size, kind.lanes):
            continue
        rest = [
            one for one in kernel.accesses if one.root is access.root and one.size and one.size < (access.size or 0)
        ]
        for one in rest:
            terms = (one.offset, *(guard.term for guard in one.guards))
            if any(_divided_by(part, kind.lanes) == size for term in terms for part in subterms(term)):
                why = f"what is left of it by groups of {kind.lanes} is taken one by one elsewhere"
                yield Overreach(access, Fault.SCALARS, best.guard, best.part, size, kind.lanes, why)
                break


def _counts_scalars(kernel: Trace, context: LaunchContext, size: Polynomial, lanes: int) -> str:
    """What says that a size counts single elements and not vectors of ``lanes``; empty: nothing."""
    if _given_in_vectors(context, size, lanes):
        return ""
    for view in context.launches:
        given = in_host_terms(size, dict(view.images))
        for one in view.covers:
            whole = None if one.count is None else _divided_by(plain(one.count), lanes)
            if one.kind is Cover.ROUNDED_UP and whole == given and given.constant is None:
                return f"the launch has a thread for every {lanes} of it"
    terms = [test.term for test in kernel.conditions] + [access.offset for access in kernel.accesses]
    if any(_divided_by(part, lanes) == size for term in terms for part in subterms(term)):
        return f"it is divided by {lanes} elsewhere in the kernel"
    return ""


def _given_in_vectors(context: LaunchContext, size: Polynomial, lanes: int) -> bool:
    """Whether a launch in sight passes as ``size`` what it has divided by the length of a vector."""
    for view in context.launches:
        given = term_of(in_host_terms(size, dict(view.images)))
        for part in subterms(given):
            by = part.args[1].value if part.op in ("div", "shr") else None
            if by is not None and (1 << by if part.op == "shr" else by) % lanes == 0:
                return True
    return False


def _divided_by(term: Term, lanes: int) -> Polynomial | None:
    """What is divided by ``lanes`` in a quotient, a remainder, or a mask that makes one of them."""
    if term.op not in ("div", "mod", "shr", "and") or term.args[1].value is None:
        return None
    by = term.args[1].value
    if term.op == "shr":
        by = 1 << by if 0 <= by < 32 else 0
    elif term.op == "and":
        by = by + 1
    return polynomial(term.args[0]) if by == lanes else None
