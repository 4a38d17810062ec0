"""Races of random access patterns, against a happens-before relation computed the long way."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from random import Random

import pytest

from kernlint.prove.emulate import FaultKind, LaunchSpec, run
from kernlint.source import Span
from kernlint.tree.nodes import AddressOf as Address
from kernlint.tree.nodes import (
    Assign,
    Atomic,
    Barrier,
    Binary,
    Block,
    Cast,
    DeclStmt,
    Expr,
    ExprStmt,
    FunctionDecl,
    FunctionKind,
    If,
    IntLit,
    LaunchValue,
    Quantity,
    Ref,
    Scope,
    Stmt,
    Subscript,
    VarDecl,
)
from kernlint.tree.types import BOOL, I32, VOID, ArrayType, PointerType, Space

THREADS, WARP, CELLS = 6, 4, 2
EVERYTHING = frozenset({Space.SHARED, Space.GLOBAL})


@dataclass(frozen=True)
class Touch:
    """One access by one thread."""

    thread: int
    cell: int
    kind: str


@dataclass(frozen=True)
class Meet:
    """A barrier of the block (``lanes`` None), or of some lanes of a warp."""

    lanes: frozenset[int] | None = None


Step = Touch | Meet


def pattern(random: Random) -> list[Step]:
    """A few steps of a warp of four and a warp of two lanes; barriers of a few lanes are as frequent as accesses."""
    steps: list[Step] = []
    for _ in range(random.randint(3, 16)):
        choice = random.random()
        if choice < 0.45:
            kind = random.choice(("read", "write", "atomic"))
            steps.append(Touch(random.randrange(THREADS), random.randrange(CELLS), kind))
        elif choice < 0.9:
            steps.append(Meet(frozenset(random.sample(range(WARP), random.randint(2, 3)))))
        else:
            steps.append(Meet(random.choice((None, frozenset({4, 5})))))
    return steps


def races(program: list[Step]) -> set[tuple[int, int]]:
    """Pairs of positions of accesses that race."""
    known: list[set[int]] = [set() for _ in range(THREADS)]  # accesses that each thread comes after
    before: dict[int, set[int]] = {}
    for at, step in enumerate(program):
        if isinstance(step, Touch):
            before[at] = set(known[step.thread])
            known[step.thread].add(at)
        else:
            group = range(THREADS) if step.lanes is None else step.lanes
            shared = set().union(*(known[thread] for thread in group))
            for thread in group:
                known[thread] = set(shared)
    found = set()
    for a, b in combinations(before, 2):
        first, second = program[a], program[b]
        assert isinstance(first, Touch) and isinstance(second, Touch)
        kinds = {first.kind, second.kind}
        if first.cell == second.cell and a not in before[b] and kinds != {"read"} and kinds != {"atomic"}:
            found.add((a, b))
    return found


def kernel(program: list[Step]) -> FunctionDecl:
    """The steps in order, each by the threads that it concerns; step ``i`` stands at offset ``i``."""
    array = VarDecl(Span("t", 0, 0), "s", ArrayType(I32, CELLS), Space.SHARED)
    body: list[Stmt] = [DeclStmt(Span("t", 0, 0), (array,))]
    for at, step in enumerate(program):
        span = Span("t", at, at)
        if isinstance(step, Touch):
            place = Subscript(span, I32, Ref(span, array.type, array), IntLit(span, I32, step.cell))
            act: Expr
            if step.kind == "write":
                act = Assign(span, I32, "", place, IntLit(span, I32, at))
            elif step.kind == "read":
                act = Cast(span, I32, place, True)
            else:
                pointer = Address(span, PointerType(I32, Space.SHARED), place)
                act = Atomic(span, I32, "add", pointer, (IntLit(span, I32, 1),), Scope.GRID, "relaxed", "atomicAdd")
            body.append(If(span, _is(span, step.thread), ExprStmt(span, act), None))
        elif step.lanes is None:
            body.append(ExprStmt(span, Barrier(span, VOID, Scope.BLOCK, EVERYTHING, "__syncthreads")))
        else:
            mask = IntLit(span, I32, sum(1 << lane % WARP for lane in step.lanes))
            barrier = Barrier(span, VOID, Scope.WARP, EVERYTHING, "__syncwarp", mask=mask)
            test = _is(span, min(step.lanes))
            for lane in sorted(step.lanes)[1:]:
                test = Binary(span, BOOL, "||", test, _is(span, lane))
            body.append(If(span, test, ExprStmt(span, barrier), None))
    at_all = Span("t", 0, len(program))
    return FunctionDecl(at_all, "f", "f", FunctionKind.KERNEL, (), VOID, Block(at_all, tuple(body)))


def _is(span: Span, thread: int) -> Expr:
    return Binary(span, BOOL, "==", LaunchValue(span, I32, Quantity.THREAD_ID, 0), IntLit(span, I32, thread))


@pytest.mark.parametrize("seed", range(8))
def test_races_are_those_that_nothing_orders(seed: int) -> None:
    random = Random(seed)
    for _ in range(150):
        program = pattern(random)
        outcome = run(kernel(program), LaunchSpec((THREADS, 1, 1)), warp_size=WARP)
        assert outcome.finished, outcome.unsupported
        expected = races(program)
        seen = set()
        for fault in outcome.of(FaultKind.RACE):
            assert fault.first.span is not None and fault.second is not None and fault.second.span is not None
            a, b = sorted((fault.first.span.start, fault.second.span.start))
            seen.add((a, b))
        assert seen <= expected, program
        cells = [{step.cell for a, _ in pairs if isinstance(step := program[a], Touch)} for pairs in (seen, expected)]
        assert cells[0] == cells[1], program
