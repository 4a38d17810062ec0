"""Witnesses: which launches, values and threads are chosen, and what is said about them."""

from __future__ import annotations

from kernlint.prove import enumerate as small
from kernlint.prove import exhaust, walks
from kernlint.prove.choices import blocks, grids, some_blocks, threads
from kernlint.prove.meet import WARP
from kernlint.prove.query import Actor, Budget, Launch, LoopRange, Overlap, Proved, Query, Refuted, Side
from kernlint.symbolic.terms import (
    THREAD,
    Symbol,
    SymbolKind,
    Uniformity,
    binary,
    cast,
    const,
    negate,
    unknown,
)
from kernlint.tree.types import BOOL, F32, I32, I64, U8
from tests.prove.language import (
    BDX,
    BX,
    GDX,
    GX,
    LINE,
    PLANE,
    TX,
    TY,
    E,
    bounds,
    counter,
    loaded,
    param,
    race,
    side,
    symbol_of,
)
from tests.prove.test_soundness import check_witness


def witness(query: Query) -> Refuted:
    answer = small.refute(query, Budget())
    assert answer is not None
    check_witness(query, answer)
    return answer


def silent(query: Query) -> None:
    assert small.refute(query, Budget()) is None


def test_prefers_two_warps() -> None:
    answer = witness(race(side(TX), side(TX + 1)))
    assert answer.block == (64, 1, 1) and answer.grid == (1, 1, 1)
    assert {answer.first.thread[0], answer.second.thread[0] if answer.second else 0} == {31, 32}
    assert not answer.same_warp and not answer.depends_on_data


def test_one_warp_when_nothing_else_meets() -> None:
    answer = witness(race(side(TX), side(TX ^ 1)))
    assert answer.same_warp
    silent(race(side(TX), side(TX ^ 1), exclude_same_warp=True))
    answer = witness(race(side(TX), side(TX + 1), require_same_warp=True))
    assert answer.second is not None
    assert answer.first.thread[0] // WARP == answer.second.thread[0] // WARP


def test_keeps_to_the_hints() -> None:
    assert witness(race(side(TX), side(TX + 1), block=(48, 1, 1))).block == (48, 1, 1)
    query = race(side(TX), side(TX + 1))
    few = Overlap(query.a, query.b, launch=Launch(LINE, LINE, max_threads=7))
    assert witness(few).block[0] <= 7
    n = param("n")
    fixed = witness(race(side(TX % n), side(TX % n), values=((n, 5),)))
    assert dict(fixed.values)[symbol_of(n)] == 5


def test_premises_define_what_they_can() -> None:
    n = param("n")
    ceil = GDX.eq((n + BDX - 1) // BDX)
    answer = witness(bounds(side(GX), n, premises=(ceil,)))
    value = dict(answer.values)[symbol_of(n)]
    assert answer.grid[0] == (value + answer.block[0] - 1) // answer.block[0]
    m, w = param("m"), param("w")
    answer = witness(race(side(TX % w), side(TX % w), premises=(m.eq(w * 3), w > 2)))
    values = dict(answer.values)
    assert values[symbol_of(m)] == 3 * values[symbol_of(w)] and values[symbol_of(w)] > 2


def test_sizes_are_positive() -> None:
    n = param("n")
    silent(race(side(TX * n), side(TX * n)))
    low = param("low", -4, 0)
    answer = witness(bounds(side(TX + low), 2048))
    assert dict(answer.values)[symbol_of(low)] < 0


def test_bytes_of_different_sizes() -> None:
    answer = witness(race(side(TX, size=1), side(TX, size=4)))
    assert answer.second is not None and answer.second.offset <= answer.first.offset < answer.second.offset + 4
    silent(race(side(16 * TX, size=16, bytes_=True), side(16 * TX + 8, size=4, bytes_=True)))


def test_iterations() -> None:
    k = counter("k")
    access = side(TX + k, loops=((k, 4),))
    answer = witness(race(access, access))
    assert answer.first.counters and answer.second is not None and answer.second.counters
    silent(race(access, access, tied=((k, k, 0),)))
    answer = witness(race(access, access, tied=((k, k, 1),)))
    assert answer.first.counters[0][1] == (answer.second or answer.first).counters[0][1] + 1


def test_what_rests_on_data_says_so() -> None:
    value, bins = loaded("v"), loaded("bins", 0)
    answer = witness(race(side(TX, value > 3), side(TX + 1)))
    assert answer.depends_on_data and not answer.data_in_address
    answer = witness(race(side(bins), side(bins)))
    assert answer.depends_on_data and answer.data_in_address and answer.first.data
    unseen = E(unknown("call", I32, Uniformity.GRID))
    assert witness(race(side(TX, unseen > 3), side(TX + 1))).depends_on_data
    k = Symbol(SymbolKind.COUNTER, "k", I64, low=0, uniformity=Uniformity.GRID)
    endless = Side(side(E(cast(k.term, I32))).offset, 4, (binary("lt", const(0, I64), k.term, BOOL),), (LoopRange(k),))
    assert witness(Overlap(endless, endless, launch=Launch(LINE, LINE))).depends_on_data


def test_guards_that_cannot_be_computed() -> None:
    real = Symbol(SymbolKind.LOAD, "x[..]", F32).term
    positive = binary("lt", const(0, F32), real, BOOL)
    base = race(side(TX), side(TX + 1))
    assert witness(Overlap(Side(base.a.offset, 4, (positive,)), base.b, launch=base.launch)).depends_on_data
    alpha = Symbol(SymbolKind.PARAM, "alpha", F32, uniformity=Uniformity.GRID).term
    chosen = binary("lt", const(0, F32), alpha, BOOL)
    settled = Overlap(Side(base.a.offset, 4, (chosen,)), base.b, launch=base.launch)
    assert not witness(settled).depends_on_data
    apart = Overlap(Side(base.a.offset, 4, (chosen,)), Side(base.b.offset, 4, (negate(chosen),)), launch=base.launch)
    silent(apart)


def test_undefined_values_are_no_witness() -> None:
    n = param("n", 0, 0)
    silent(race(side(TX // n), side(TX // n)))


def test_scope_of_blocks() -> None:
    answer = witness(race(side(TX), side(TX), "blocks"))
    assert answer.second is not None and answer.first.block != answer.second.block
    own = side(BX)
    answer = witness(race(own, own))
    assert answer.second is not None and answer.first.block == answer.second.block
    silent(race(own, own, "blocks"))


def test_wrapping_is_seen() -> None:
    narrow = Side(cast(cast(THREAD[0].term, U8), I64), 1)
    query = Overlap(narrow, narrow, launch=Launch((512, 1, 1), (1, 1, 1)))
    answer = witness(query)
    assert answer.second is not None
    assert (answer.first.thread[0] - answer.second.thread[0]) % 256 == 0


def test_budget_is_in_points() -> None:
    query = race(side(TX), side(TX + 1))
    assert small.refute(query, Budget(points=0)) is None
    first = small.refute(query, Budget(points=2000))
    assert first is not None and first == small.refute(query, Budget(points=2000))


def test_choices() -> None:
    assert blocks(Launch((16, 16, 1))) == [(16, 16, 1)]
    assert all(x * y * z <= 1024 for x, y, z in blocks(Launch()))
    assert blocks(Launch((None, 1, 1), max_threads=4)) == [(4, 1, 1)]
    assert grids(Launch(grid=(4, 1, 1)), race(side(TX), side(TX), "grid")) == [(4, 1, 1)]
    assert len(threads(((1024, 1, 1), 288, 96, 1))) < 300 and threads(((2, 2, 1), 288, 96, 1))[1] == (1, 0, 0)
    assert len(threads(((1024, 1, 1), 288, 96, 4))) < 80 and len(threads(((1024, 1, 1), 1024, 96, 1))) == 1024
    assert some_blocks((9, 1, 1)) == [(0, 0, 0), (1, 0, 0), (8, 0, 0)]
    assert isinstance(witness(race(side(TY), side(TY), block=PLANE)).first, Actor)


def exhausted(query: Query) -> Proved | None:
    return exhaust.prove(query, Budget())


def test_exhaustion_of_a_swizzle() -> None:
    k, n = counter("k"), param("n")
    row = TY + k * 8
    cell = side(row * 32 + (TX ^ row), row < 32, n > GX, loops=((k, row < 32),))
    assert exhausted(race(cell, cell, block=(32, 8, 1))) == Proved((), "exhaustion")
    assert exhausted(bounds(cell, 1024, block=(32, 8, 1))) is not None
    assert exhausted(bounds(cell, 1023, block=(32, 8, 1))) is None
    bad = side(row * 31 + (TX ^ row), row < 32, loops=((k, row < 32),))
    assert exhausted(race(bad, bad, block=(32, 8, 1))) is None


def test_exhaustion_needs_everything_finite() -> None:
    k, n = counter("k"), param("n")
    swizzled = side(TX ^ 5)
    assert exhausted(race(swizzled, swizzled)) is None
    assert exhausted(race(swizzled, swizzled, block=(64, 1, 1))) is not None
    free = side((TX ^ 5) + n)
    assert exhausted(race(free, free, block=(64, 1, 1))) is None
    assert exhausted(race(free, free, block=(64, 1, 1), values=((n, 3),))) is not None
    endless = side((TX ^ 5) + k * 64, loops=((k, k < n),))
    assert exhausted(race(endless, endless, block=(64, 1, 1))) is None
    long = side((TX ^ 5) + k * 64, loops=((k, 1000),))
    assert exhausted(race(long, long, block=(64, 1, 1))) is None
    assert exhausted(race(swizzled, swizzled, "grid", block=(64, 1, 1))) is None


def test_exhaustion_honours_ties_and_drops_strange_guards() -> None:
    k, value = counter("k"), loaded("v")
    step = side((TX ^ 1) + k, TX < 100, value > 2, loops=((k, 4),))
    assert exhausted(race(step, step, block=(64, 1, 1), tied=((k, k, 0),))) is not None
    assert exhausted(race(step, step, block=(64, 1, 1))) is None
    around = side(TX ^ 3, loops=((k, k < value),))  # a loop that the address does not care about
    assert exhausted(race(around, around, block=(64, 1, 1))) is not None
    assert exhausted(race(side(TX // BDX), side(TX // BDX), block=(64, 1, 1), exclude_same_warp=True)) is None
    assert exhausted(race(side(TX >> 5), side(TX >> 5), block=(64, 1, 1), exclude_same_warp=True)) is not None


def test_guards_on_counters_of_loops_not_in_sight() -> None:
    """They may speak of one counter several times; how far it runs is not known, so nothing is refuted."""
    k, m = counter("k"), counter("m")
    silent(race(side(TX, k < 4, k > 1, m < 3, m + k > 2), side(TX + 1)))


def test_a_condition_on_a_loop_inside() -> None:
    """A loop whose condition rests on a counter nested deeper runs as far as that lets it."""
    k, m = counter("k"), counter("m")
    one = side(TX + k + m, loops=((k, k + m < 3), (m, 2)))
    answer = witness(race(one, side(TX)))
    assert answer.second is not None


def test_walks_are_made_once_and_give_the_same() -> None:
    k, n, m = counter("k"), param("n"), param("m")
    first = side(TX + k * BDX, TX + k * BDX < n, loops=((k, k < n),))
    query = race(first, side(TX + 4096, m > TX), block=(64, 1, 1), values=((n, 200),))
    walks.made.forget()
    answers = [small.search(query, Budget()) for _ in range(2)]
    assert answers[0] == answers[1] and answers[0][0] is None and walks.made.late
    walks.made.forget()
    assert small.search(query, Budget()) == answers[0]


def test_small_values_share_the_code_of_a_walk() -> None:
    """Code written for values up to a limit holds for each of them, and is not used for larger ones."""
    n = param("n")
    one = side((TX * n) * 65536, (TX * n) < 4096)
    for value in (1, 2, 4095, 4096, 65536, 131072):
        query = race(one, one, block=(64, 1, 1), values=((n, value),))
        answer = small.refute(query, Budget())
        places = {(t * value * 65536 + 2**31) % 2**32 for t in range(64) if (t * value + 2**31) % 2**32 - 2**31 < 4096}
        threads_in = sum((t * value + 2**31) % 2**32 - 2**31 < 4096 for t in range(64))
        assert (answer is None) is (len(places) == threads_in), value
        if answer is not None:
            check_witness(query, answer)
