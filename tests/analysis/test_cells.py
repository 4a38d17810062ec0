"""Cells of host memory: what a branch writes is its own, and what neither wrote is not gone through again."""

from __future__ import annotations

from kernlint.analysis.trace.cells import Cells, join_cells
from kernlint.analysis.trace.events import Root, RootKind
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, const
from kernlint.tree.types import I32, I64, Space

HERE = Root("here", RootKind.VARIABLE, Space.HOST, None, I32)
THERE = Root("there", RootKind.VARIABLE, Space.HOST, None, I32)
COND = Symbol(SymbolKind.PARAM, "c", I32).term


def _cells() -> Cells:
    cells = Cells()
    cells.write(HERE, const(0, I64), I32, const(1, I32), 1)
    cells.write(HERE, const(4, I64), I32, const(2, I32), 2)
    return cells


def test_a_fork_keeps_its_changes_to_itself() -> None:
    cells = _cells()
    first, second = cells.fork(), cells.fork()
    first.write(HERE, const(0, I64), I32, const(7, I32), 3)
    second.forget_object(HERE, 4)
    cells.put(THERE, const(0, I64), const(9, I32))
    assert first.read(HERE, const(0, I64), I32) == const(7, I32) and first.since(HERE, I32) == (0, 0)
    assert second.read(HERE, const(4, I64), I32) != const(2, I32) and second.since(HERE, I32) == (0, 4)
    assert cells.read(HERE, const(0, I64), I32) == const(1, I32) and cells.since(HERE, I32) == (0, 0)
    assert first.read(THERE, const(0, I64), I32) is None


def test_branches_that_write_nothing_meet_as_they_were() -> None:
    cells = _cells()
    left, right = cells.fork(), cells.fork()
    assert join_cells(COND, left, right, 5, set()) is left
    right.forget_all(6, pointers=False)
    joined = join_cells(COND, left, right, 7, set())
    assert joined.numbers == 7 and joined.read(HERE, const(0, I64), I32) != const(1, I32)


def test_what_one_branch_wrote_depends_on_the_condition() -> None:
    cells = _cells()
    left, right = cells.fork(), cells.fork()
    left.write(HERE, const(0, I64), I32, const(7, I32), 3)
    right.write(THERE, const(0, I64), I32, const(8, I32), 4)
    joined = join_cells(COND, left, right, 5, set())
    chosen = joined.read(HERE, const(0, I64), I32)
    assert chosen is not None and getattr(chosen, "op", "") == "select"
    assert joined.read(HERE, const(4, I64), I32) == const(2, I32)
    only = joined.read(THERE, const(0, I64), I32)
    assert only is not None and only != const(8, I32)
    assert left.read(THERE, const(0, I64), I32) is None


def test_what_several_branches_do_not_agree_on_is_said_once() -> None:
    cells = _cells()
    first, second, third = cells.fork(), cells.fork(), cells.fork()
    for one, value in ((second, 8), (first, 9)):
        one.write(THERE, const(0, I64), I32, const(value, I32), value)
    unknown: set[tuple[Root, Term]] = set()
    joined = join_cells(COND, second, third, 10, unknown)
    only = joined.read(THERE, const(0, I64), I32)
    again = join_cells(COND, first, joined, 11, unknown)
    assert unknown == {(THERE, const(0, I64))}
    assert only is not None and again.read(THERE, const(0, I64), I32) is only
    assert join_cells(COND, first, joined, 12, set()).read(THERE, const(0, I64), I32) is not only
