"""Guards that let more through than the array holds, by what the kernel and its launches say of the extents.

An extent is never taken from one access alone.  A size is *supported* when another access is bounded by it strictly,
when it is the pitch of a dimension, when a launch derives its grid from it, or, for ``<=`` only, by its name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import partial

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.excuses.promised import memory_behind
from kernlint.analysis.extent.asking import asked, kept
from kernlint.analysis.extent.below_elsewhere import below_elsewhere, kept_below_elsewhere
from kernlint.analysis.extent.bounds import Reach, reaches
from kernlint.analysis.extent.documented import roomier
from kernlint.analysis.extent.limits import Dimension, Indexed, limits
from kernlint.analysis.extent.other_kernels import ends_of_items, inside_elsewhere, tested_elsewhere, whole_arrays
from kernlint.analysis.extent.past_end import of_overreach
from kernlint.analysis.extent.places import Places, places
from kernlint.analysis.extent.sizes import BESIDE_ONE, UnusedSize, last_part, unused_sizes
from kernlint.analysis.extent.wrong_guards.axes import (
    either,
    either_digit,
    either_end,
    other_axis,
    square,
    swapped,
    twice,
)
from kernlint.analysis.extent.wrong_guards.chosen import chosen_rows, clamped_neighbours, repeated_tests
from kernlint.analysis.extent.wrong_guards.clamped_rows import clamped_to_rows
from kernlint.analysis.extent.wrong_guards.digit_margins import digit_margins
from kernlint.analysis.extent.wrong_guards.ends import (
    backwards,
    clamped,
    clamped_data,
    clamped_numbers,
    counted_down,
    hollow,
    padded,
    whole_of,
)
from kernlint.analysis.extent.wrong_guards.faults import Fault, Overreach, parameter_names, supports_of
from kernlint.analysis.extent.wrong_guards.foreign import extents_of_file, foreign_rows
from kernlint.analysis.extent.wrong_guards.hollow import masked, raised, wrapped
from kernlint.analysis.extent.wrong_guards.inclusive import inclusive, kept_elsewhere
from kernlint.analysis.extent.wrong_guards.last_blocks import last_blocks
from kernlint.analysis.extent.wrong_guards.last_instead import last_instead
from kernlint.analysis.extent.wrong_guards.last_shares import last_shares
from kernlint.analysis.extent.wrong_guards.margins import ahead
from kernlint.analysis.extent.wrong_guards.other_limits import other_limits
from kernlint.analysis.extent.wrong_guards.rounds import first_of_parts, last_parts, last_rounds, whole_rounds
from kernlint.analysis.extent.wrong_guards.rows import padded_rows, past_rows, rows_by_length
from kernlint.analysis.extent.wrong_guards.run_ends import run_ends
from kernlint.analysis.extent.wrong_guards.shares import repeated, rounded_groups
from kernlint.analysis.extent.wrong_guards.steps import (
    groups,
    items,
    neighbours,
    promised,
    scalars,
    vector_counts,
)
from kernlint.analysis.extent.wrong_guards.vector_tails import name_of, vector_tails, vectors
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, RootKind
from kernlint.prove.query import Refuted
from kernlint.symbolic.polynomial import Polynomial, number
from kernlint.tree.types import IntType


def _others(indexed: Sequence[Indexed], found: Places) -> Iterator[Indexed]:
    """Accesses whose index is no sum of ids (``tid / 32``), laid out as the others are."""
    known = {one.access for one in indexed}
    for access, mine in found.items():
        if access not in known:
            yield Indexed(
                access,
                tuple(Dimension(p.index + number(p.extra), p.pitch, p.limits, None, p.extra) for p in mine),
            )


def _held(one: Overreach, facts: Facts) -> bool:
    """Whether other tests on the way keep the index below the size, or the numbers of the launch in sight do."""
    past = of_overreach(one, facts)
    return past is not None and kept(past, facts)


def _fenced(facts: Facts, access: Access, size: Polynomial) -> bool:
    """Whether another kernel of the file reads the array at the size, as the end of what begins before it.

    Excused: ``if (i <= n) offset[i] += base;`` beside ``if (i < n) size[i] = offset[i + 1] - offset[i];``
    Still bad: beside a kernel that reads ``offset[i]`` alone.
    """
    known: frozenset[tuple[str, str]] = facts[ends_of_items]
    return any((access.root.name, name) in known for name in parameter_names(size))


def _whole(facts: Facts, access: Access, size: Polynomial) -> bool:
    """Whether another kernel of the file goes through the array, and ends before the size."""
    if access.root.kind is not RootKind.PARAM or isinstance(access.root.element, IntType):
        return False
    known: dict[tuple[str, str], Access] = facts[whole_arrays]
    names = parameter_names(size)
    return len(names) == 1 and (access.root.name, names[0]) in known and not _fenced(facts, access, size)


def _ended_elsewhere(facts: Facts, access: Access, dimension: Dimension) -> str:
    """How other kernels of the file say that an array ends before the size that a test lets through."""
    best = dimension.limits[0]
    if best.guard.loop is not None and _whole(facts, access, best.size):
        return "another kernel of the file keeps the array's places below it"
    if below_elsewhere(facts, access, dimension) and not _fenced(facts, access, best.size):
        return "another kernel of the file keeps the same place below it"
    return ""


def _counts_items(size: Polynomial) -> bool:
    """Whether a size is the number of items that CuPy calls an element-wise kernel for: what it passes as ``_ind``
    (CuPy, user-defined kernels: ``_ind.size()``). Raw arrays have sizes of their own, and the others that one."""
    return any(
        atom.symbol is not None and atom.symbol.name == "_ind.count" for mono in size.coefficients for atom in mono
    )


_STEPS = (Fault.VECTOR, Fault.GROUP, Fault.NEIGHBOUR)


def _of(access: Access, said: Collection[str]) -> bool:
    """Whether what is ``said`` of buffers is said of the one that is accessed."""
    return ("<written>" if access.writes else "<read>") in said or last_part(access.root.name) in said


def _compute(facts: Facts) -> tuple[Overreach, ...]:
    indexed = facts[limits]
    context = facts[launch_context]
    found: list[Overreach] = []
    if not context.all_exact:
        supports = supports_of(indexed)
        every = (*indexed, *_others(indexed, facts[places]))
        fenced, ended_by = partial(_fenced, facts), partial(_ended_elsewhere, facts)
        found += inclusive(facts[trace].accesses, every, context, supports, fenced, ended_by)
        elsewhere = partial(inside_elsewhere, facts)
        found += (
            one for one in neighbours(facts[trace], indexed, supports, context, elsewhere) if not _held(one, facts)
        )
        whole = promised(facts[places], dict(facts.options.multiples))

        def ended(size: Polynomial, lanes: int) -> bool:
            return (name_of(size), lanes) in facts[vector_tails]

        found += vectors(facts[places], context, whole, ended)
        told = {one.guard for one in found}
        found += [one for one in groups(facts[places], context, whole, ended) if one.guard not in told]
        seen = {one.access for one in found}
        found += [one for one in rounded_groups(facts[places], context) if one.access not in seen]
        found += [one for one in repeated(facts[places]) if one.access not in seen]
        found += items(facts[places])
        found += counted_down(indexed, supports)
        found += backwards(indexed, supports)
        found += clamped(facts[trace].accesses, whole_of(indexed) | supports)
        seen = {one.access for one in found}
        found += [one for one in clamped_data(facts[places]) if one.access not in seen]
        found += clamped_numbers(facts[places])
        seen = {one.access for one in found}
        found += [one for one in clamped_to_rows(facts[places], facts[trace].accesses) if one.access not in seen]
        found += swapped(every)
        grown: tuple[Reach, ...] = facts[reaches]
        found += either(indexed, facts[places])
        found += twice(indexed, grown)
        idle: tuple[UnusedSize, ...] = facts[unused_sizes]
        passed = [size for size in idle if size.why != BESIDE_ONE]
        found += square(facts[trace], facts[places], passed)
        seen = {one.access for one in found}
        found += [one for one in chosen_rows(facts[places]) if one.access not in seen]
        seen = {one.access for one in found}
        found += [one for one in clamped_neighbours(facts[places]) if one.access not in seen]
        found += [one for one in repeated_tests(facts[places]) if one.access not in seen]
        seen = {one.access for one in found}
        found += [one for one in past_rows(facts[places]) if one.access not in seen and not _held(one, facts)]
        seen = {one.access for one in found}
        found += [one for one in padded_rows(facts[places]) if one.access not in seen and not _held(one, facts)]
        seen = {one.access for one in found}
        counted = rows_by_length(facts[places], lambda past: not kept(past, facts))
        found += [one for one in counted if one.access not in seen]
        seen = {one.access for one in found}
        multiples = dict(facts.options.multiples)
        for rounds in (last_rounds, whole_rounds):
            gone = rounds(facts[places], multiples, lambda past: isinstance(asked(past, facts), Refuted))
            found += [one for one in gone if one.access not in seen]
        found += last_blocks(facts[places], context, dict(facts.options.multiples))
        seen = {one.access for one in found}
        shares = last_shares(facts[places], context, dict(facts.options.multiples))
        found += [one for one in shares if one.access not in seen]
        found += last_parts(facts[places], dict(facts.options.multiples))
        found += first_of_parts(facts[places], dict(facts.options.multiples), context)
        found += scalars(facts[trace], indexed, context)
        found += vector_counts(facts[trace], facts[places], context)
        found += wrapped(facts[trace].accesses)
        found += raised(facts[trace].accesses)
        found += masked(facts[trace].accesses)
        found += either_end(facts[trace].accesses)
        found += either_digit(facts[trace].accesses)
        seen = {one.access for one in found}
        found += [one for one in other_axis(indexed, context) if one.access not in seen]
        seen = {one.access for one in found}
        in_sight = bool(context.launches or context.stated)
        astray = foreign_rows(
            facts[places],
            lambda: facts[extents_of_file],
            lambda past: not in_sight or not kept(past, facts),
        )
        found += [one for one in astray if one.access not in seen]
        seen = {one.access for one in found}
        astray = other_limits(facts[places], facts[trace].conditions, context, lambda past: not kept(past, facts))
        found += [one for one in astray if one.access not in seen]
        seen = {one.access for one in found}
        beyond = ahead(facts[places], lambda past: not in_sight or not kept(past, facts))
        found += [one for one in beyond if one.access not in seen]
        seen = {one.access for one in found}
        found += [one for one in kept_elsewhere(facts[places]) if one.access not in seen and not _held(one, facts)]
        seen = {one.access for one in found}
        found += [one for one in last_instead(facts[trace].accesses) if one.access not in seen]
        found += [one for one in run_ends(facts[trace].accesses) if one.access not in seen]
        seen = {one.access for one in found}
        found += [one for one in digit_margins(facts[trace].accesses) if one.access not in seen]
        found += hollow(grown)
        found += padded(grown)
    found = [one for one in found if one.size is None or not _counts_items(one.size)]
    found = [
        one
        for one in found
        if one.fault not in _STEPS or not memory_behind.holds(one.access, _of(one.access, facts.options.spare))
    ]
    room = roomier(facts) if found else None
    return tuple(one for one in found if room is None or one.size is None or not room(one.access, one.size))


overreach = KernelAnalysis(
    "overreach",
    _compute,
    needs=(
        trace,
        limits,
        places,
        reaches,
        launch_context,
        unused_sizes,
        ends_of_items,
        kept_below_elsewhere,
        tested_elsewhere,
        whole_arrays,
        extents_of_file,
        vector_tails,
    ),
)
"""Each :class:`Overreach` of a kernel."""
