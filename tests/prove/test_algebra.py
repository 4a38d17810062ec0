"""What the algebra proves, refuses and assumes, kind by kind."""

from __future__ import annotations

import pytest

from kernlint.prove.algebra import prove
from kernlint.prove.query import Bounds, Budget, Launch, Overlap, Proved, Query, Side
from kernlint.symbolic.terms import (
    THREAD,
    Symbol,
    SymbolKind,
    Uniformity,
    binary,
    call,
    cast,
    const,
    negate,
    select,
    truth,
    unknown,
)
from kernlint.tree.types import BOOL, F32, I32, I64, U32
from tests.prove.language import (
    BDX,
    BX,
    GDX,
    GX,
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


def proved(query: Query) -> Proved:
    answer = prove(query, Budget())
    assert answer is not None
    return answer


def open_(query: Query) -> None:
    assert prove(query, Budget()) is None


def test_tied_iterations() -> None:
    k = counter("k")
    buffer = side((k & 1) * BDX + TX, loops=((k, 100),))
    other = side(((k + 1) & 1) * BDX + (BDX - 1 - TX), loops=((k, 100),))
    proved(race(buffer, other, tied=((k, k, 0),)))
    open_(race(buffer, other, tied=((k, k, 1),)))
    open_(race(buffer, other))


def test_uniform_shift_of_a_loop_variable() -> None:
    k = counter("k")
    s = E(binary("shr", const(64, I32), symbol_of(k).term, I32))
    store = side(TX, s > TX, loops=((k, s > 0),))
    load = side(TX + s, s > TX, loops=((k, s > 0),))
    proved(race(store, load, tied=((k, k, 0),)))
    open_(race(store, load, tied=((k, k, 1),)))
    proved(bounds(load, 128))
    open_(bounds(load, 127))


def test_power_of_two_shift() -> None:
    k = counter("k")
    step = E(binary("shl", const(1, I32), symbol_of(k).term, I32))
    pick = (TX & (2 * step - 1)).eq(0)
    plain = TX % (2 * step)
    store, load = side(TX, plain.eq(0), loops=((k, 8),)), side(TX + step, plain.eq(0), loops=((k, 8),))
    proved(race(store, load, tied=((k, k, 0),)))
    proved(race(side(TX, pick, loops=((k, 8),)), side(TX, pick, loops=((k, 8),)), tied=((k, k, 0),)))


def test_sizes_matter() -> None:
    proved(race(side(TX, size=4), side(TX, size=4)))
    open_(race(side(TX, size=1), side(TX, size=4)))
    wide = side(4 * TX, size=16, bytes_=True)
    open_(race(wide, wide))
    wide = side(16 * TX, size=16, bytes_=True)
    proved(race(wide, wide))
    word = side(16 * TX + 8, size=4, bytes_=True)
    proved(race(wide, word))
    open_(race(wide, side(16 * TX + 16, size=4, bytes_=True)))


def test_choices_are_split() -> None:
    n = param("n", 1)
    clamped = E(binary("min", TX.term, (n - 1).term, I32))
    proved(bounds(side(clamped), n))
    wrapped = E(select((TX + 1).eq(BDX).term, const(0, I32), (TX + 1).term))
    proved(race(side(wrapped), side(wrapped)))
    proved(bounds(side(wrapped), BDX))
    either = E(negate(binary("lt", const(3, I32), TX.term, BOOL)))
    both = E(negate(truth(const(0, I32))))
    proved(bounds(side(TX, either, both), 4))
    outer = E(select((TX < 4).term, TX.term, const(7, I32)))
    proved(bounds(side(outer), 8))
    open_(bounds(side(outer), 7))


def test_guards_that_exclude_each_other() -> None:
    flag = param("flag")
    answer = proved(race(side(TX, flag.eq(0)), side(TX + 1, flag.ne(0))))
    assert answer.by == "filter"
    real = Symbol(SymbolKind.PARAM, "alpha", F32, uniformity=Uniformity.GRID)
    chosen = binary("lt", real.term, const(0, F32), BOOL)
    one = Side(side(TX).offset, 4, (chosen,))
    two = Side(side(TX + 1).offset, 4, (negate(chosen),))
    proved(Overlap(one, two))
    proved(race(side(TX, TX.eq(0)), side(TX, TX.eq(0))))
    proved(race(side(TX * 0, TX.eq(3)), side(TX * 0, TX.eq(3))))
    n = param("n")
    proved(race(side(TX * 0, n < 4), side(TX * 0, n > 8)))


def test_warps() -> None:
    lane = side(TX & 31)
    open_(race(lane, lane))
    proved(race(lane, lane, require_same_warp=True))
    open_(race(lane, lane, exclude_same_warp=True))
    slot = side(TX >> 5)
    open_(race(slot, slot))
    proved(race(slot, slot, exclude_same_warp=True))
    row = side(TY)
    proved(race(row, row, block=(32, 8, 1), exclude_same_warp=True))
    open_(race(row, row, block=(16, 8, 1), require_same_warp=True))


def test_blocks() -> None:
    own = side(TX)
    proved(race(own, own))
    open_(race(own, own, "blocks"))
    flat = side(GX)
    proved(race(flat, flat, "blocks"))
    proved(race(side(BX * 0 + TX), side(TX), "blocks", grid=(1, 1, 1)))
    tile = side(BX * 64 + TX)
    proved(race(tile, tile, "grid", block=(64, 1, 1)))
    open_(race(tile, tile, "grid", block=(128, 1, 1)))


def test_unsigned_wrap_is_settled_by_the_guard() -> None:
    n = Symbol(SymbolKind.PARAM, "n", U32, uniformity=Uniformity.GRID).term
    tid = THREAD[0].term
    mirrored = binary("sub", binary("sub", n, const(1, U32), U32), tid, U32)
    guard = binary("lt", tid, n, BOOL)
    offset = binary("mul", cast(mirrored, I64), const(4, I64), I64)
    extent = binary("mul", cast(n, I64), const(4, I64), I64)
    answer = proved(Bounds(Side(offset, 4, (guard,)), extent, launch=Launch((None, 1, 1), (1, 1, 1))))
    assert answer.assumptions == ()
    open_(Bounds(Side(offset, 4), extent, launch=Launch((None, 1, 1), (1, 1, 1))))


def test_a_guard_does_not_vouch_for_itself() -> None:
    n = Symbol(SymbolKind.PARAM, "n", U32, uniformity=Uniformity.GRID).term
    tid = THREAD[0].term
    rest = binary("sub", n, tid, U32)
    guard = binary("lt", const(4, U32), rest, BOOL)  # holds too where n - tid wraps
    offset = cast(binary("sub", rest, const(1, U32), U32), I64)
    answer = prove(Bounds(Side(offset, 1, (guard,)), cast(n, I64), launch=Launch((None, 1, 1), (1, 1, 1))), Budget())
    assert answer is not None and any("overflow" in text for text in answer.assumptions)


def test_assumptions_in_words() -> None:
    n = param("n")
    answer = proved(race(side(GX), side(GX), "grid"))
    assert answer.assumptions == ("no 32-bit overflow in bid.x * bdim.x + tid.x",)
    answer = proved(race(side(TX * n), side(TX * n)))
    assert "n > 0" in answer.assumptions
    small = param("m", 1, 16)
    answer = proved(race(side(TX * small), side(TX * small)))
    assert answer.assumptions == ()


def test_premises_and_exact_values() -> None:
    p, w = param("p"), param("w")
    cell = side(TY * p + TX, w > TX)
    open_(race(cell, cell, block=PLANE))
    proved(race(cell, cell, block=PLANE, premises=(p >= w,)))
    proved(race(cell, cell, block=PLANE, values=((p, 1024), (w, 1000))))
    n = param("n")
    proved(bounds(side(GX), n, premises=(n.eq(GDX * BDX),)))


def test_what_varies_is_private() -> None:
    index = loaded("index")
    open_(race(side(index), side(index)))
    proved(race(side(TX * 8 + (index & 7)), side(TX * 8 + (index & 7))))
    mystery = E(unknown("result of a call", I32))
    open_(race(side(mystery), side(mystery)))
    common = E(unknown("uniform", I32, Uniformity.BLOCK))
    proved(race(side(common + TX), side(common + TX)))
    open_(race(side(common + TX), side(common + TX), "grid"))
    query = race(side(common + TX), side(common + TX))
    open_(Overlap(query.a, query.b, private=frozenset({symbol_of(common)}), launch=query.launch))


def test_a_loop_variable_is_shared_only_in_one_iteration() -> None:
    k = counter("k")
    phi = Symbol(SymbolKind.PHI, "x", I32, uniformity=Uniformity.BLOCK, origin=symbol_of(k).origin)
    access = side(E(phi.term) + TX, loops=((k, 10),))
    proved(race(access, access, tied=((k, k, 0),)))
    open_(race(access, access))
    open_(race(access, access, tied=((k, k, 1),)))


def test_functions_are_functions() -> None:
    def offset(e: E) -> E:
        return E(call("f", (e.term,), I32))

    n = param("n")
    proved(race(side(offset(n) + TX), side(offset(n) + TX)))
    open_(race(side(offset(TX)), side(offset(TX))))


@pytest.mark.parametrize("steps", [0, 1, 3, 10])
def test_a_spent_budget_is_no_proof(steps: int) -> None:
    w, h = param("w"), param("h")
    cell = side(GX * w + TY * h, w > GX)
    assert prove(race(cell, cell, "grid", PLANE, PLANE), Budget(steps=steps)) is None
