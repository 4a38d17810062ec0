"""Places in memory that are computed in 32 bits although what they count has 64.

What is looked at are values, not spellings: the part of an address that was computed in 32 bits before it was widened
(through helpers, variables, pointers moved ahead), or that was computed in 64 and cut.  That it gets too large is
never guessed; something in sight has to say so:

``count``    it is compared, either way round, with a count of 64 bits, which it can never reach
``numbers``  a launch in sight gives, or checks, numbers with which it leaves its type
``comments`` comments of the file say how large sizes get, and with these it leaves its type
``whole``    it numbers the cells of a grid of constant extents, of which there are more
``amounts``  it has as many factors as a sentence of a comment states extents, and with these it leaves its type
``twin``     the same product is made in 64 bits in another address of the kernel, or that of an index that stays below
             a size which is multiplied in its place
``rows``     rows of the same length are multiplied in 64 bits elsewhere, and data or the block choose the row
``cut``      it was made in 64 bits from factors that were widened, and cut to 32 on its way
``factor``   a factor is a parameter of 64 bits that was cut to 32, where another place multiplies such ones whole
``bound``    a product of three or more sizes that an index is compared with which was widened on purpose, or of which a
             comment says that there are more elements
``ranges``   another kernel of the file goes through ranges of the same table in 64 bits
``grid``     the launch in sight makes its grid of a product in 64 bits, and nothing of 32 bits bounds the index
``host``     the launch in sight multiplies the same arguments in 64 bits: for its grid, or to count an array's elements
``larger``   it has the factors of a product that the kernel widens on purpose, or what they go up to, and one more; or
             is a larger multiple of the block's number than one that is
``volume``   a product of three or more sizes, where another subscript or test of the kernel has one in 64 bits
``kept``     a sum of products of three or more sizes is put into a variable of 64 bits with a sign, or converted by a
             word where the kernel widens factors elsewhere
``apart``    a number of an item is widened and then taken apart into rows and columns of two sizes
``short``    it is kept in 8 or 16 bits, and the kernel's own tests or a launch in sight let it be larger
``shift``    it is a number shifted by 32 bits and more, by the numbers in sight, and widened when that is done
``array``    data choose a row of an array that has more elements in a launch in sight, by the host's checks
``sibling``  another kernel of the file multiplies the same rows in 64 bits
``elsewhere`` as ``numbers``, of a product that is widened to make a condition or a value, and no place

Whatever says so, a product that fits its type in all launches in sight is none.  A check of the host that keeps a
product, made in 64 bits, below what 32 hold says that it fits, and nothing else.
"""

from __future__ import annotations

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.launching.admitted import admitted
from kernlint.analysis.launching.launches import LaunchFact, host, launches
from kernlint.analysis.launching.member_limits import member_limits
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.kernels import kernel_traces
from kernlint.analysis.values.narrow_amounts import amounted
from kernlint.analysis.values.narrow_bounds import bounds
from kernlint.analysis.values.narrow_counts import apart, counted, gridded, hosted
from kernlint.analysis.values.narrow_cut import cut, cut_factors, passed_in_32
from kernlint.analysis.values.narrow_dominated import dominated, pitched, scaled
from kernlint.analysis.values.narrow_elsewhere import elsewhere
from kernlint.analysis.values.narrow_hosted import allocated, held_to_32_bits, of_data, refused_beyond
from kernlint.analysis.values.narrow_part import Narrow
from kernlint.analysis.values.narrow_products import (
    Places,
    commented,
    numbered,
    rows,
    twins,
    wide_ids,
)
from kernlint.analysis.values.narrow_ranges import ranges_cut
from kernlint.analysis.values.narrow_shifts import shifted_late
from kernlint.analysis.values.narrow_short import shortened
from kernlint.analysis.values.narrow_siblings import careful_counts, careful_siblings, siblings
from kernlint.analysis.values.narrow_volumes import kept_wide, volumes
from kernlint.analysis.values.narrow_whole import whole
from kernlint.analysis.values.products import rounded_down
from kernlint.analysis.values.reach import Reach
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, THREAD, Term, binary
from kernlint.tree.types import U32, IntType, Space

MAY_FIT = frozenset(
    {
        "count",
        "whole",
        "amounts",
        "twin",
        "rows",
        "host",
        "array",
        "larger",
        "volume",
        "kept",
        "apart",
        "sibling",
        "factor",
    }
)
"""Evidence that says that somebody cares, not how large a part gets."""

UNTYPED = frozenset({"CuPy", "PyCUDA", "PyOpenCL", "cuda.core", "cuda.bindings", "numba"})
"""Libraries whose host code has integers of no width: that a product is wide there says nothing."""


def _all_threads(one: Narrow) -> bool:
    """Whether an unsigned index is the number of a thread of the grid: HIP starts fewer than 2**32 along an axis (HIP
    programming guide, kernel launch)."""
    kind = one.index.type
    return isinstance(kind, IntType) and not kind.signed and polynomial(one.index) == _THREAD


_THREAD = polynomial(binary("add", binary("mul", BLOCK[0].term, BLOCK_DIM[0].term, U32), THREAD[0].term, U32))


def _compute(facts: Facts) -> tuple[Narrow, ...]:
    of = facts[trace]
    subscripts = [access for access in (*of.accesses, *of.addresses) if access.root.space is Space.GLOBAL]
    if any(access.stack for access in subscripts):  # what the kernel makes itself is told there, not in its helpers
        subscripts.sort(key=lambda access: (bool(access.stack), access.order))
    seen: tuple[LaunchFact, ...] = facts[launches]
    typed = [fact for fact in seen if fact.node.api not in UNTYPED]
    language = facts.module.language
    found: list[Narrow] = []
    said: set[Term] = set()
    wide = wide_ids(language, facts.function)
    places = Places(of, subscripts, wide)
    reach = Reach(facts)
    for one in (
        *(one for one in counted(of, subscripts, seen, reach, facts) if not (language == "hip" and _all_threads(one))),
        *numbered(places, reach),
        *commented(places, reach),
        *whole(places, reach),
        *amounted(places, reach.amounts, reach),
        *twins(places, seen),
        *rows(places),
        *cut(subscripts, wide),
        *cut_factors(places, seen, facts.function),
        *passed_in_32(places, seen, facts),
        *bounds(places, reach.amounts, facts.function),
        *ranges_cut(subscripts, facts),
        *gridded(subscripts, typed),
        *hosted(subscripts, typed),
        *of_data(places, seen),
        *allocated(places, seen, reach.amounts),
        *held_to_32_bits(places, seen),
        *dominated(places),
        *pitched(places),
        *(scaled(places) if language != "opencl" else ()),
        *volumes(places),
        *kept_wide(places),
        *apart(subscripts, seen),
        *siblings(places, facts),
        *shortened(facts, subscripts, reach),
        *shifted_late(of, facts),
        *(elsewhere(of, reach, facts.function) if seen else ()),
    ):
        if one.index not in said:
            said.add(one.index)
            if rounded_down(one.index) or (one.evidence == "elsewhere" and found):
                continue
            if one.evidence in MAY_FIT and one.use is not None and reach.fits(one.use, one.index):
                continue
            if one.evidence not in ("numbers", "short", "elsewhere", "shift") and refused_beyond(one, seen):
                continue
            found.append(one)
    return tuple(found)


narrow = KernelAnalysis(
    "narrow",
    _compute,
    needs=(trace, kernel_traces, launches, admitted, host, careful_siblings, careful_counts, member_limits),
)
"""Each :class:`Narrow` part of an address of a kernel variant, the strongest evidence first."""
