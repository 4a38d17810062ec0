"""Barriers brought to where every thread comes: out of branches, out of loops of each thread's own, past exits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kernlint.analysis.base import Facts
from kernlint.finding import Edit, Finding, Fix
from kernlint.repair.calls import barrier_of, leaves, meets
from kernlint.repair.conditions import balanced, is_pure, is_stable, operand, opposite
from kernlint.repair.guards import stripped_block
from kernlint.repair.page import Page, within
from kernlint.repair.segments import NotPlain, Taker, rendered, replacement, settled
from kernlint.repair.types import arithmetic, zero
from kernlint.repair.values import changed, used
from kernlint.source import SourceFile, Span
from kernlint.tree.nodes import (
    Assign,
    Binary,
    Block,
    DeclStmt,
    DoWhile,
    Expr,
    For,
    FunctionDecl,
    If,
    IncDec,
    LaunchValue,
    Quantity,
    Ref,
    Return,
    Stmt,
    VarDecl,
    While,
)
from kernlint.tree.walk import strip_casts, walk


def whole(facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
    """For ``barrier-divergence``: the barrier where all threads meet it, and the condition around the work alone."""
    if not finding.related:
        return
    page = Page(source, facts.module)
    culprit = finding.related[0].span
    function = page.holder(culprit)
    if function is None:
        return
    sites = [finding.span, *(related.span for related in finding.related[1:])]
    place = next((site for site in sites if page.holder(site) is function), None)
    if place is None:
        return
    chain = page.chain(function, place)
    try:
        for stmt in chain:
            if isinstance(stmt, If) and within(culprit, stmt.cond.span):
                yield from _out_of_branch(page, function, stmt)
                return
            if isinstance(stmt, For) and stmt.cond is not None and within(culprit, stmt.cond.span):
                yield from _in_step(page, function, stmt)
                return
        yield from _past_exit(page, facts, function, culprit)
    except NotPlain:
        return


def _out_of_branch(page: Page, function: FunctionDecl, branch: If) -> Iterator[Fix]:
    """``if (c) { a; barrier; b; }`` made ``if (c) a; barrier; if (c) b;``."""
    chain = page.chain(function, branch.span)
    if len(chain) < 2 or not isinstance(chain[-2], Block) or chain[-1] is not branch or not page.is_plain(chain[-2]):
        return
    start, end = branch.span.start, page.end(branch)
    if not page.begins_line(start) or not page.ends_line(end):
        return
    taker = Taker(page, branch)
    taken = taker.block([branch], ())
    if not taken.barriers:
        return
    front, segments = settled(page, taken)
    barriers = list(taken.barriers)
    after = chain[-2].body[chain[-2].body.index(branch) + 1 :]
    if not segments[-1] and after and barrier_of(after[0]) is not None:
        barriers.pop()  # the next one does its work
    lines = [*front, *rendered(segments, barriers, page.unit(function))]
    edits = (replacement(page, start, end, lines), *taken.removed)
    yield Fix("let all threads reach the barrier, and put the condition around the work alone", edits)


def _in_step(page: Page, function: FunctionDecl, loop: For) -> Iterator[Fix]:
    """A loop that each thread begins at its own index made one that all begin at the same, with a test inside."""
    decl, bound = _counter(page, loop)
    chain = page.chain(function, loop.span)
    start, end = loop.span.start, page.end(loop)
    step = loop.step
    if not isinstance(loop.body, Block) or not page.is_plain(loop.body) or not page.begins_line(start):
        return
    if len(chain) < 2 or not isinstance(chain[-2], Block) or not page.ends_line(end) or decl in changed(loop.body):
        return
    base = page.fresh(function, "base", "first", "start")
    begin = _shared_start(page, function, decl.init) if decl.init is not None else None
    kind = page.before_name(decl).strip()
    if base is None or begin is None or step is None or not re.fullmatch(r"[\w:]+(?: [\w:]+)*", kind):
        return
    common, own = begin
    if isinstance(step, IncDec) and step.op == "++" and _is(step.target, decl):
        advance = f"++{base}"
    elif isinstance(step, Assign) and step.op == "+" and _is(step.target, decl) and is_pure(step.value):
        advance = f"{base} += {page.text(step.value)}"
    else:
        return
    test = page.text(loop.cond.span) if loop.cond is not None else ""
    if not balanced(test) or not balanced(advance) or not test:
        return
    taker = Taker(page, loop.body)
    taken = taker.block(loop.body.body, (test,))
    if not taken.barriers:
        return
    front, segments = settled(page, taken)
    unit = page.unit(function)
    plain = kind.removeprefix("const ").strip()
    inside = [
        f"const {plain} {decl.name} = {base} + {own};",
        *front,
        *rendered(segments, taken.barriers, unit),
    ]
    lines = [
        f"for ({plain} {base} = {common}; {base} {bound}; {advance}) {{",
        *(unit + line if line.strip() and not line.startswith("#") else line for line in inside),
        "}",
    ]
    edits = (replacement(page, start, end, lines), *taken.removed)
    yield Fix(f"let all threads go round as often, and test {decl.name} around the work alone", edits)


def _counter(page: Page, loop: For) -> tuple[VarDecl, str]:
    """The counter of a loop, and the relation that it stands on the left of (``< n``)."""
    cond = strip_casts(loop.cond) if loop.cond is not None else None
    if not isinstance(loop.init, DeclStmt) or len(loop.init.decls) != 1 or not isinstance(cond, Binary):
        raise NotPlain
    decl = loop.init.decls[0]
    place = page.operator(cond.lhs, cond.rhs)
    if cond.op not in ("<", "<=") or not _is(cond.lhs, decl) or place is None or not is_pure(cond.rhs):
        raise NotPlain
    if page.text(cond.lhs) != decl.name:
        raise NotPlain
    return decl, page.text(page.span(place.start, cond.span.end))


def _is(expr: Expr, decl: VarDecl) -> bool:
    at = strip_casts(expr)
    return isinstance(at, Ref) and at.decl is decl


def _shared_start(page: Page, function: FunctionDecl, init: Expr) -> tuple[str, str] | None:
    """A start taken apart into what all threads of a block share and the thread's own index, as text."""
    body = function.body
    assert body is not None
    fixed = changed(body)
    at = strip_casts(init)
    if is_own(at, fixed):
        text = page.text(init)
        return ("0", text) if balanced(text) else None
    if isinstance(at, Ref) and at.decl.init is not None and at.decl not in fixed:
        at = strip_casts(at.decl.init)
    if isinstance(at, Binary) and at.op == "+":
        for common, own in ((at.lhs, at.rhs), (at.rhs, at.lhs)):
            texts = page.text(common), page.text(own)
            mixed = any(isinstance(node, LaunchValue) and node.quantity in _OWN for node in walk(common))
            if is_own(strip_casts(own), fixed) and not mixed and is_pure(common) and not set(used(common)) & fixed:
                return texts if all(balanced(text) and "\n" not in text for text in texts) else None
    return None


_OWN = frozenset({Quantity.THREAD_ID, Quantity.LINEAR_THREAD_ID, Quantity.LANE_ID, Quantity.GLOBAL_ID})


def is_own(expr: Expr, fixed: frozenset[VarDecl]) -> bool:
    """Whether an expression is the index of a thread in its block, or a variable that holds it."""
    if isinstance(expr, Ref) and expr.decl not in fixed and expr.decl.init is not None:
        return is_own(strip_casts(expr.decl.init), fixed)
    return isinstance(expr, LaunchValue) and expr.quantity in _OWN - {Quantity.GLOBAL_ID}


def _past_exit(page: Page, facts: Facts, function: FunctionDecl, culprit: Span) -> Iterator[Fix]:
    """``if (c) return; a; barrier; b;`` made ``if (!c) a; barrier; if (!c) b;``."""
    body = function.body
    assert body is not None
    if function is not page.holder(facts.function.body.span if facts.function.body is not None else culprit):
        return
    test = next((s for s in body.body if isinstance(s, If) and within(culprit, s.cond.span)), None)
    if test is None or test.other is not None or not isinstance(stripped_block(test.then), Return):
        return
    inside = page.condition(test)
    if inside is None or not page.is_plain(body) or not is_stable(test.cond, body):
        return
    condition = opposite(page, test.cond, inside)
    if condition is None:
        return
    rest = body.body[body.body.index(test) + 1 :]
    unit = page.unit(function)
    name = page.fresh(function, "inside", "active", "has_work")
    runs = _Runs(page, unit)
    count = runs.count(rest)
    word = name if count > 2 and name is not None else condition
    edits = runs.edits(rest, word)
    if count > 2 and name is not None:
        edits.append(Edit(page.span(test.span.start, page.end(test)), f"const bool {name} = {condition};"))
    else:
        edits.append(page.removal(test))
    yield Fix(f"let all threads reach the barrier, and do the work only where {condition}", tuple(edits))


class _Runs:
    """Statements between barriers put under a condition, in blocks that all threads go through."""

    def __init__(self, page: Page, unit: str) -> None:
        self.page = page
        self.unit = unit

    def count(self, stmts: Sequence[Stmt]) -> int:
        """How often the condition will be written."""
        return len(self.edits_of(stmts, "x")[1])

    def edits(self, stmts: Sequence[Stmt], condition: str) -> list[Edit]:
        """The edits that put them there."""
        return self.edits_of(stmts, condition)[0]

    def edits_of(self, stmts: Sequence[Stmt], condition: str) -> tuple[list[Edit], list[Stmt]]:
        """The edits, and the first statement of everything that gets the condition."""
        edits: list[Edit] = []
        heads: list[Stmt] = []
        run: list[Stmt] = []

        def close() -> None:
            if run:
                edits.extend(self.page.wrapped(run, condition, self.unit))
                heads.append(run[0])
                run.clear()

        for index, stmt in enumerate(stmts):
            if isinstance(stmt, DeclStmt):
                new = self._declaration(stmt, condition)
                if run and not set(stmt.decls) & _beyond(stmts, index):
                    run.append(stmt)
                    continue
                close()
                if new:
                    edits.append(new)
                    heads.append(stmt)
            elif barrier_of(stmt) is not None:
                close()
            elif not meets(stmt):
                if leaves(stmt) and not isinstance(stmt, Return):
                    raise NotPlain
                run.append(stmt)
            else:
                close()
                inner = self._inner(stmt)
                more, first = self.edits_of(inner.body, condition)
                edits += more
                heads += first
        close()
        return edits, heads

    def _inner(self, stmt: Stmt) -> Block:
        """The block of a loop or branch that all threads go through alike."""
        body = stmt.body if isinstance(stmt, For | While | DoWhile) else stmt.then if isinstance(stmt, If) else None
        if isinstance(stmt, If) and stmt.other is not None:
            raise NotPlain
        if not isinstance(body, Block) or not self.page.is_plain(body):
            raise NotPlain
        return body

    def _declaration(self, stmt: DeclStmt, condition: str) -> Edit | None:
        """A declaration made to read memory only under the condition; None: it may stay as it is."""
        if all(decl.init is None or is_pure(decl.init) for decl in stmt.decls):
            return None
        decl = stmt.decls[0]
        kind = arithmetic(decl.type, self.page.module.language)
        if len(stmt.decls) != 1 or kind is None or decl.init is None:
            raise NotPlain
        text = self.page.text(decl.init)
        if not balanced(text) or "\n" in text or "?" in text or any(map(meets, [stmt])):
            raise NotPlain
        return Edit(decl.init.span, f"{operand(condition)} ? {text} : {zero(kind)}")


def _beyond(stmts: Sequence[Stmt], index: int) -> set[VarDecl]:
    """Variables that are used behind the next barrier after a statement."""
    found: set[VarDecl] = set()
    met = False
    for stmt in stmts[index + 1 :]:
        met = met or meets(stmt)
        if met:
            found.update(used(stmt))
    return found
