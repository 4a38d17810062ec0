"""Barriers put between two accesses, moved up, and a read kept apart from the write of its own statement."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from kernlint.analysis.base import Facts
from kernlint.analysis.search.collisions import Race
from kernlint.analysis.sharing.of_lanes import of_lanes
from kernlint.analysis.sharing.races import shared_races
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Trace
from kernlint.finding import Edit, Finding, Fix
from kernlint.record import dataclass
from kernlint.repair.conditions import balanced, is_pure
from kernlint.repair.page import Chain, Page, within
from kernlint.repair.types import arithmetic, zero
from kernlint.repair.values import changed, used
from kernlint.repair.wrong import tightened
from kernlint.source import SourceFile, Span
from kernlint.symbolic.terms import Term, Uniformity
from kernlint.symbolic.uniformity import uniformity
from kernlint.tree.nodes import (
    Assign,
    Barrier,
    Block,
    DeclStmt,
    DoWhile,
    ExprStmt,
    For,
    FunctionDecl,
    If,
    Return,
    Scope,
    Stmt,
    Subscript,
    Switch,
    While,
)
from kernlint.tree.types import Space
from kernlint.tree.walk import walk

GAPS = 8
"""Places for one barrier that are proposed."""

RACES = 12
"""Races of one kernel that one change is to take away."""


@dataclass(frozen=True, slots=True, eq=False)
class Gap:
    """A place between the statements of ``block`` in ``function``: in front of number ``index``, or at the end.

    ``behind``: it belongs to the statement before it rather than to the one that follows.
    """

    function: FunctionDecl
    block: Block
    index: int
    behind: bool = False

    def edit(self, page: Page, text: str) -> Edit:
        """``text`` as a line of its own here."""
        body = self.block.body
        if self.index < len(body) and not (self.behind and self.index):
            return page.before(body[self.index], text)
        return page.after(body[self.index - 1], text)

    @property
    def key(self) -> tuple[int, int]:
        """The same for gaps at the same place."""
        return self.block.span.start, self.index


def spelled(page: Page, function: FunctionDecl, language: str) -> str:
    """A barrier for a block, with its semicolon, as the function writes it elsewhere, else in the language's own
    words."""
    usual = "barrier(CLK_LOCAL_MEM_FENCE)" if language == "opencl" else "__syncthreads()"
    for node in walk(function):
        if isinstance(node, Barrier) and _is_usual(node):
            text = page.text(node)
            if re.fullmatch(r"\w+(?:\s*\(\s*(?:CLK_\w+(?:\s*\|\s*CLK_\w+)*)?\s*\))?", text):
                return text + ";"
    return usual + ";"


def _is_usual(node: Barrier) -> bool:
    plain = node.scope is Scope.BLOCK and node.part == "both" and node.barrier_id is None and node.predicate is None
    return plain and Space.SHARED in node.fences


def between(facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
    """For ``shared-memory-race``: a barrier between the two accesses, or between the two halves of a statement."""
    page = Page(source, facts.module)
    races = [race for race in facts[shared_races] if not race.same_warp or not of_lanes(race, facts)]
    for race in races:
        first, second = race.accesses
        if second.span == finding.span and _tells(finding, first):
            yield from _for_race(page, facts, race, races)
            return


def _tells(finding: Finding, first: Access) -> bool:
    return first.span == finding.span or any(related.span == first.span for related in finding.related)


def _for_race(page: Page, facts: Facts, race: Race, races: Sequence[Race]) -> Iterator[Fix]:
    language = facts.module.language
    first, second = race.accesses
    holder = page.holder(second.span)
    if holder is not None and page.chain(holder, first.span) == page.chain(holder, second.span):
        yield from tightened(page, holder, first.span.join(second.span))
    gaps = list(_gaps(page, facts, race))[:GAPS]
    for gap in gaps:
        barrier = spelled(page, gap.function, language)
        yield Fix(f"put {barrier[:-1]} between the two accesses", (gap.edit(page, barrier),))
    others = [one for one in races if one is not race][:RACES]
    split = list(_apart(page, facts, race))
    yield from split
    if others:
        yield from _together(page, facts, [race, *others])


def _together(page: Page, facts: Facts, races: Sequence[Race]) -> Iterator[Fix]:
    """Barriers for several races at once: what is reported first may hide others."""
    chosen: dict[tuple[int, int], Gap] = {}
    for race in races:
        gaps = list(_gaps(page, facts, race))
        if not gaps:
            return
        if not any(gap.key in chosen for gap in gaps):
            chosen[gaps[0].key] = gaps[0]
    if len(chosen) > 1:
        language = facts.module.language
        edits = [gap.edit(page, spelled(page, gap.function, language)) for gap in chosen.values()]
        yield Fix(f"put barriers between the accesses, in {len(chosen)} places", tuple(edits))


def moved_up(facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
    """For ``late-barrier``: the barrier moved between the two accesses, or another one there."""
    page = Page(source, facts.module)
    spans = [related.span for related in finding.related[:2]]
    for race in facts[shared_races]:
        first, second = race.accesses
        if [first.span, second.span] != spans:
            continue
        holder = page.holder(finding.span)
        chain = page.chain(holder, finding.span) if holder is not None else ()
        late = chain[-1] if chain and isinstance(chain[-1], ExprStmt) else None
        for gap in list(_gaps(page, facts, race))[:GAPS]:
            barrier = spelled(page, gap.function, facts.module.language)
            if late is not None and holder is gap.function and len(chain) > 1 and _is_line(page, chain):
                moved = gap.edit(page, page.text(late) + ";")
                yield Fix("move the barrier up, between the two accesses", (moved, page.removal(late)))
            yield Fix(f"put {barrier[:-1]} between the two accesses", (gap.edit(page, barrier),))
        return


def _is_line(page: Page, chain: Chain) -> bool:
    parent = chain[-2]
    return isinstance(parent, Block) and page.is_plain(parent) and isinstance(chain[-1], ExprStmt)


# ------------------------------------------------------------------------------------------- places for a barrier


def _gaps(page: Page, facts: Facts, race: Race) -> Iterator[Gap]:
    """Where a barrier that all threads reach stands between the accesses of a race, best first, each place once."""
    seen: set[tuple[int, int]] = set()
    agreed = Agreed(facts[trace])
    for gap, stack in _places(page, race):
        if gap.key not in seen:
            seen.add(gap.key)
            if page.is_plain(gap.block) and agreed.reaches(page, gap, stack):
                yield gap


def _places(page: Page, race: Race) -> Iterator[tuple[Gap, tuple[Span, ...]]]:
    """Gaps that may separate the accesses, with the call sites that lead to their functions."""
    first, second = race.accesses
    ours, theirs = [*first.stack, first.span], [*second.stack, second.span]
    level = 0
    while level < min(len(ours), len(theirs)) - 1 and ours[level] == theirs[level]:
        level += 1
    stack = tuple(ours[:level])
    carried = race.pair.carried
    holder = page.holder(ours[level])
    if holder is not None and holder is page.holder(theirs[level]):
        if carried is None or ours[level] != theirs[level]:
            yield from ((gap, stack) for gap in _straight(page, holder, ours[level], theirs[level]))
        if carried is not None:
            for gap in _around(page, carried.span, first, second):
                yield gap, _stack_of(first, gap.function, page)
            return
    for access in (first, second):
        if access.stack and (helper := page.holder(access.span)) is not None:
            yield from ((gap, access.stack) for gap in _ends(helper, access is first))
    if holder is not None:
        for stmt in reversed(page.chain(holder, ours[level])):
            loop = isinstance(stmt, For | While | DoWhile) and within(theirs[level], stmt.span)
            if loop and isinstance(body := stmt.body, Block):  # type: ignore[attr-defined]
                yield from ((gap, stack) for gap in _body_ends(holder, body))


def _stack_of(access: Access, function: FunctionDecl, page: Page) -> tuple[Span, ...]:
    """The call sites that lead to ``function`` on the way to an access."""
    sites: list[Span] = []
    for site in (*access.stack, access.span):
        if page.holder(site) is function:
            break
        sites.append(site)
    return tuple(sites)


def _straight(page: Page, function: FunctionDecl, first: Span, second: Span) -> Iterator[Gap]:
    """Between two statements of one function, from the outermost block that tells them apart inwards."""
    one, other = page.chain(function, first), page.chain(function, second)
    for level, (a, b) in enumerate(zip(one, other, strict=False)):
        if a is not b:
            return
        if not isinstance(a, Block) or len(one) <= level + 1 or len(other) <= level + 1:
            continue
        x, y = a.body.index(one[level + 1]), a.body.index(other[level + 1])
        if x < y:
            yield Gap(function, a, y)
            yield Gap(function, a, x + 1, behind=True)
            for index in range(y - 1, x + 1, -1):
                yield Gap(function, a, index)


def _around(page: Page, loop: Span, first: Access, second: Access) -> Iterator[Gap]:
    """At the end and at the head of the body of a loop, and of helpers that it calls."""
    holder = page.holder(loop)
    if holder is None or holder.body is None:
        return
    for node in walk(holder.body):
        if isinstance(node, For | While | DoWhile) and node.span == loop and isinstance(node.body, Block):
            if any(page.holder(access.span) is holder for access in (first, second)):
                yield from _body_ends(holder, node.body)
            for access in (first, second):
                if access.stack and (helper := page.holder(access.span)) is not None and helper is not holder:
                    yield from _ends(helper, access is first)
            yield from _body_ends(holder, node.body)
            return


def _body_ends(function: FunctionDecl, body: Block) -> Iterator[Gap]:
    if body.body:
        yield Gap(function, body, len(body.body), behind=True)
        yield Gap(function, body, 0)


def _ends(helper: FunctionDecl, last: bool) -> Iterator[Gap]:
    """At the end of a helper (before it returns), or at its head."""
    body = helper.body
    if body is None or not body.body:
        return
    if last:
        end = len(body.body) - isinstance(body.body[-1], Return)
        yield Gap(helper, body, end, behind=end == len(body.body))
        return
    first = 0
    while first < len(body.body) - 1 and _declares(body.body[first]):
        first += 1
    yield Gap(helper, body, first)


def _declares(stmt: Stmt) -> bool:
    """Whether a statement declares variables without looking at memory."""
    return isinstance(stmt, DeclStmt) and all(decl.init is None or is_pure(decl.init) for decl in stmt.decls)


class Agreed:
    """Whether the threads of a block, or of a warp, agree on reaching a place, as far as the walk of a kernel shows."""

    def __init__(self, kernel: Trace, among: Uniformity = Uniformity.BLOCK) -> None:
        self._among = among
        self._terms: dict[Span, list[Term]] = {}
        for test in kernel.conditions:
            self._terms.setdefault(test.node.span, []).append(test.term)
        self._loops: dict[Span, list[Term | None]] = {}
        for loop in kernel.loops:
            terms: list[Term | None] = [term for term, _ in (*loop.exits, *loop.leaves)]
            self._loops.setdefault(loop.span, []).extend([loop.condition, *terms])

    def reaches(self, page: Page, gap: Gap, stack: tuple[Span, ...]) -> bool:
        """Whether all threads (of a warp, where that was asked) come by, through the calls of ``stack``."""
        places = [gap.block.span, *stack]
        for place in places:
            holder = page.holder(place)
            if holder is None:
                return False
            chain = page.chain(holder, place)
            if place is gap.block.span:
                chain = chain[: chain.index(gap.block) + 1] if gap.block in chain else ()
            if not chain or not all(self._agree(outer, inner) for outer, inner in pairwise(chain)):
                return False
        return True

    def _agree(self, outer: Stmt, inner: Stmt) -> bool:
        """Whether all threads that come to ``outer`` come to ``inner`` in it."""
        if isinstance(outer, Block):
            return True
        if any(isinstance(node, Barrier) and node.scope is Scope.BLOCK for node in walk(inner)):
            return True  # they have to, already
        if isinstance(outer, If):
            return self._same(self._terms.get(outer.cond.span, []))
        if isinstance(outer, For | While | DoWhile):
            return self._same(self._loops.get(outer.span, []))
        return not isinstance(outer, Switch)

    def _same(self, terms: Iterable[Term | None]) -> bool:
        return all(uniformity(term) <= self._among for term in terms if term is not None)


# ------------------------------------------------------------------------------------------- one statement


def _holder(page: Page, race: Race) -> FunctionDecl | None:
    """The function that has both accesses in its own text, in one call of it."""
    first, second = race.accesses
    holder = page.holder(second.span) if first.stack == second.stack else None
    return holder if holder is page.holder(first.span) else None


def _apart(page: Page, facts: Facts, race: Race, barrier: str = "") -> Iterator[Fix]:
    """``a[i] = f(a[j])`` made a read into a variable, a barrier, and the write."""
    first, second = race.accesses
    holder = _holder(page, race)
    parts = halves(page, holder, first.span, second.span) if holder is not None else None
    if holder is None or parts is None:
        return
    read, write, block, index = parts
    gap = Gap(holder, block, index)
    if page.is_plain(block) and Agreed(facts[trace]).reaches(page, gap, first.stack):
        text = barrier or spelled(page, holder, facts.module.language)
        yield Fix(
            f"read first, then {text[:-1]}, then write",
            (replaced(page, block.body[index], [*read, text, *write]),),
        )


def halves(
    page: Page, function: FunctionDecl, first: Span, second: Span
) -> tuple[list[str], list[str], Block, int] | None:
    """Lines that read and lines that write, for the one statement (perhaps under an ``if``) that holds both accesses,
    and where it stands; None where it is of another form."""
    chain = page.chain(function, first)
    if not chain or chain != page.chain(function, second) or not isinstance(chain[-1], ExprStmt):
        return None
    assign = chain[-1].expr
    if not isinstance(assign, Assign) or not isinstance(assign.target, Subscript) or not is_pure(assign.target.index):
        return None
    if not within(first, assign.span) or changed(assign.value):
        return None
    level = len(chain) - 2
    test: If | None = None
    if isinstance(chain[level], Block) and len(chain[level].body) == 1 and isinstance(chain[level - 1], If):  # type: ignore[attr-defined]
        level -= 1
    if isinstance(chain[level], If):
        test = chain[level]  # type: ignore[assignment]
        level -= 1
    block = chain[level]
    if level < 0 or not isinstance(block, Block):
        return None
    kind = arithmetic(assign.target.type, page.module.language)
    name = page.fresh(function, "next", "updated", "new_value")
    place = page.operator_of(assign)
    if kind is None or name is None or place is None:
        return None
    target = page.text(page.span(assign.span.start, place.start)).strip()
    value = page.text(page.span(place.end, assign.span.end)).strip()
    if "\n" in value + target or not balanced(value) or not balanced(target):
        return None
    set_ = f"{target} {assign.op}= {name};"
    if test is None:
        return [f"const {kind} {name} = {value};"], [set_], block, block.body.index(chain[level + 1])
    inside = page.condition(test)
    if inside is None or test.other is not None or not is_pure(test.cond) or set(used(test.cond)) & changed(assign):
        return None
    condition = page.text(inside)
    if "\n" in condition:
        return None
    read = [f"{kind} {name} = {zero(kind)};", f"if ({condition}) {name} = {value};"]
    return read, [f"if ({condition}) {set_}"], block, block.body.index(test)


def replaced(page: Page, stmt: Stmt, lines: Sequence[str]) -> Edit:
    """A statement of a block replaced by lines."""
    indent = page.indent(stmt.span.start)
    return Edit(page.span(stmt.span.start, page.end(stmt)), f"\n{indent}".join(lines))


# ------------------------------------------------------------------------------------------- warps


WARP_BARRIER = "__syncwarp();"


def in_warp(facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
    """For ``missing-warp-sync``: ``__syncwarp()`` between the accesses of every pair of lanes that meet."""
    page = Page(source, facts.module)
    races = [race for race in facts[shared_races] if race.same_warp and of_lanes(race, facts)]
    mine = [race for race in races if race.accesses[1].span == finding.span]
    if mine:
        agreed = Agreed(facts[trace], Uniformity.WARP)
        yield from _warp_fix(page, agreed, mine)
        yield from _warp_fix(page, agreed, races[:RACES])


def _warp_fix(page: Page, agreed: Agreed, races: Sequence[Race]) -> Iterator[Fix]:
    """A barrier of the warp for each of ``races``, one statement after the other."""
    split: dict[int, tuple[Stmt, list[str]]] = {}
    gaps: dict[tuple[int, int], Gap] = {}
    for race in races:
        first, second = race.accesses
        holder = _holder(page, race)
        if holder is None:
            return
        parts = halves(page, holder, first.span, second.span)
        if parts is not None and first is not second:
            read, write, block, index = parts
            stmt = block.body[index]
            split[stmt.span.start] = (stmt, [*read, WARP_BARRIER, *write])
            if not agreed.reaches(page, Gap(holder, block, index), first.stack):
                return
            continue
        places = _straight(page, holder, first.span, second.span)
        fit = (gap for gap in places if page.is_plain(gap.block) and agreed.reaches(page, gap, first.stack))
        found = next(fit, None)
        if found is None:
            return
        gaps.setdefault(found.key, found)
    edits = [replaced(page, stmt, lines) for stmt, lines in split.values()]
    edits += [gap.edit(page, WARP_BARRIER) for gap in gaps.values()]
    if edits and not (split and len(split) > 1):
        yield Fix("put __syncwarp() between the accesses", tuple(edits))
