"""Barriers brought to where every thread comes: out of branches, out of loops of each thread's own, past early exits.

What stood around the barrier is written again around the work before and after it.  That is right where the condition
still holds then, and where nothing declared in the one part is needed in the other: such variables are declared in
front of it all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kernlint.analysis.base import Facts
from kernlint.finding import Edit, Finding, Fix
from kernlint.record import dataclass, field
from kernlint.repair.conditions import balanced, is_pure, is_stable, operand, opposite
from kernlint.repair.guards import stripped_block
from kernlint.repair.page import Chain, Page, parts, within
from kernlint.repair.types import arithmetic, zero
from kernlint.repair.values import changed, stripped, used
from kernlint.source import SourceFile, Span
from kernlint.tree.nodes import (
    Assign,
    Barrier,
    Binary,
    Block,
    Break,
    Call,
    Continue,
    DeclStmt,
    DoWhile,
    Expr,
    ExprStmt,
    For,
    FunctionDecl,
    Goto,
    If,
    IncDec,
    Label,
    LaunchValue,
    Node,
    Quantity,
    Ref,
    Return,
    Scope,
    Stmt,
    Switch,
    VarDecl,
    While,
)
from kernlint.tree.walk import walk

WIDTH = 100
"""A statement and its test stand on one line up to this many columns."""


class NotPlain(Exception):
    """The code around the barrier is of another form than what can be taken apart."""


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
                yield from _out_of_branch(page, facts, function, stmt)
                return
            if isinstance(stmt, For) and stmt.cond is not None and within(culprit, stmt.cond.span):
                yield from _in_step(page, facts, function, stmt)
                return
        yield from _past_exit(page, facts, function, chain, culprit)
    except NotPlain:
        return


# ------------------------------------------------------------------------------------------- taking apart


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines of one statement, and the conditions under which it happens, outermost first.  ``declares``: false for a
    declaration of which the assignment alone is left."""

    lines: tuple[str, ...]
    conditions: tuple[str, ...] = ()
    stmt: Stmt | None = None
    declares: bool = True


Segment = list[Piece]
"""What happens between two barriers."""


@dataclass(slots=True)
class Taken:
    """Code taken apart at its barriers: one segment more than there are ``barriers`` (their text)."""

    segments: list[Segment] = field(default_factory=lambda: [[]])
    barriers: list[str] = field(default_factory=list)
    removed: list[Edit] = field(default_factory=list)


class _Taker:
    """Takes code of one function apart; ``region`` is all of it."""

    def __init__(self, page: Page, function: FunctionDecl, region: Stmt) -> None:
        self.page = page
        self.function = function
        self.region = region
        self.changed = changed(region)

    def block(self, stmts: Sequence[Stmt], conditions: tuple[str, ...]) -> Taken:
        """Statements one after the other, each under ``conditions``."""
        out = Taken()
        for stmt in stmts:
            self._add(out, stmt, conditions)
        return out

    def _add(self, out: Taken, stmt: Stmt, conditions: tuple[str, ...]) -> None:
        page = self.page
        barrier = barrier_of(stmt)
        if barrier is not None:
            out.barriers.append(page.text(stmt) + ";")
            out.segments.append([])
        elif (ending := self._ends(stmt)) is not None:
            text, removal = ending
            out.segments[-1].append(Piece(self._lines(stmt), conditions, stmt))
            out.barriers.append(text)
            out.segments.append([])
            out.removed.append(removal)
        elif not meets(stmt):
            if leaves(stmt):
                raise NotPlain
            out.segments[-1].append(self._implied(stmt, conditions) or Piece(self._lines(stmt), conditions, stmt))
        elif isinstance(stmt, If):
            self._branch(out, stmt, conditions)
        else:
            raise NotPlain

    def _implied(self, stmt: Stmt, conditions: tuple[str, ...]) -> Piece | None:
        """``if (t < 4) x;`` under ``t < 8``, which goes without saying."""
        if not isinstance(stmt, If) or stmt.other is not None or not conditions:
            return None
        inside, then = self.page.condition(stmt), stripped_block(stmt.then)
        if inside is None or not isinstance(then, ExprStmt) or not is_stable(stmt.cond, self.region):
            return None
        text = self.page.text(inside)
        if joined((*conditions, text)) != text:
            return None
        return Piece(self._lines(then), (*conditions, text), then)

    def _branch(self, out: Taken, stmt: If, conditions: tuple[str, ...]) -> None:
        page = self.page
        inside = page.condition(stmt)
        if inside is None or stmt.is_constexpr or not is_stable(stmt.cond, self.region):
            raise NotPlain
        then = self.block(self._body(stmt.then), (*conditions, page.text(inside)))
        other = Taken()
        if stmt.other is not None:
            contrary = opposite(page, stmt.cond, inside)
            if contrary is None:
                raise NotPlain
            other = self.block(self._body(stmt.other), (*conditions, contrary))
        if then.barriers and other.barriers and len(then.barriers) != len(other.barriers):
            raise NotPlain
        most = max(then, other, key=lambda taken: len(taken.barriers))
        for index in range(len(most.segments)):
            for taken in (then, other):
                if index < len(taken.segments):
                    out.segments[-1] += taken.segments[index]
            if index < len(most.barriers):
                out.barriers.append(most.barriers[index])
                out.segments.append([])
        out.removed += then.removed + other.removed

    def _body(self, stmt: Stmt | None) -> Sequence[Stmt]:
        if stmt is None:
            return ()
        if isinstance(stmt, Block):
            if not self.page.is_plain(stmt):
                raise NotPlain
            return stmt.body
        return (stmt,)

    def _ends(self, stmt: Stmt) -> tuple[str, Edit] | None:
        """The barrier that a called helper ends with, and its removal, where this is the only call of the helper."""
        call = stripped(stmt.expr) if isinstance(stmt, ExprStmt) else None
        helper = call.function if isinstance(call, Call) else None
        body = helper.body if helper is not None else None
        if helper is None or body is None or not body.body or helper.template_params or helper.generic is not None:
            return None
        page, last = self.page, body.body[-1]
        if barrier_of(last) is None or not page.is_plain(body) or any(meets(other) for other in body.body[:-1]):
            return None
        if len(page.uses(helper.name)) != 2 or body.span.file != page.source.path:
            return None
        return page.text(last) + ";", page.removal(last)

    def _lines(self, stmt: Stmt) -> tuple[str, ...]:
        """The lines of a statement with the comments above and behind it, as if it stood at the margin."""
        page = self.page
        start, end = stmt.span.start, page.end(stmt)
        data = page.source.data
        if page.begins_line(start):
            start = page.before(stmt, "").span.start
            indent = page.indent(stmt.span.start)
        else:
            indent = ""
        if page.ends_line(end):
            end = page.line_end(end)
        lines = data[start:end].decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
        return tuple(line.removeprefix(indent) for line in lines)


def barrier_of(stmt: Stmt) -> Barrier | None:
    """The block barrier that a statement is."""
    at = stripped(stmt.expr) if isinstance(stmt, ExprStmt) else None
    plain = isinstance(at, Barrier) and at.scope is Scope.BLOCK and at.part == "both" and at.predicate is None
    return at if plain and isinstance(at, Barrier) and at.barrier_id is None else None


def meets(node: Node) -> bool:
    """Whether a block barrier is somewhere in ``node``, or in what it calls."""
    seen: set[int] = set()
    stack = [node]
    while stack:
        for inner in walk(stack.pop()):
            if isinstance(inner, Barrier) and inner.scope in (Scope.BLOCK, Scope.GRID, Scope.CLUSTER):
                return True
            called = inner.function if isinstance(inner, Call) else None
            if called is not None and called.body is not None and id(called) not in seen:
                seen.add(id(called))
                stack.append(called)
    return False


def leaves(stmt: Stmt, *, looped: bool = False) -> bool:
    """Whether a statement may go on elsewhere than behind itself."""
    if isinstance(stmt, Return | Goto | Label):
        return True
    if isinstance(stmt, Break | Continue):
        return not looped
    inside = looped or isinstance(stmt, For | While | DoWhile | Switch)
    return any(leaves(part, looped=inside) for part in parts(stmt))


# ------------------------------------------------------------------------------------------- putting together


def _settled(page: Page, function: FunctionDecl, taken: Taken) -> tuple[list[str], list[Segment]]:
    """Declarations in front of it all, and the segments with what is needed in later ones no longer declared there."""
    front: list[str] = []
    segments = [list(segment) for segment in taken.segments]
    for number, segment in enumerate(segments):
        later = {decl for other in segments[number + 1 :] for p in other if p.stmt is not None for decl in used(p.stmt)}
        for index, piece in enumerate(segment):
            if not isinstance(piece.stmt, DeclStmt) or not (set(piece.stmt.decls) & later):
                continue
            if all(decl.init is not None and is_pure(decl.init) for decl in piece.stmt.decls):
                segment[index] = Piece(piece.lines, (), piece.stmt)
                continue
            head, line = _hoisted(page, piece.stmt)
            front.append(head)
            segment[index] = Piece((line,), piece.conditions, piece.stmt, declares=False)
    return front, segments


def _hoisted(page: Page, stmt: DeclStmt) -> tuple[str, str]:
    """``T x;`` and ``x = value;`` of ``const T x = value;``."""
    if len(stmt.decls) != 1:
        raise NotPlain
    decl = stmt.decls[0]
    kind = arithmetic(decl.type, page.module.language)
    if kind is None or decl.init is None or decl.static or decl.volatile:
        raise NotPlain
    value = page.text(decl.init)
    if not balanced(value) or "\n" in value:
        raise NotPlain
    return f"{kind} {decl.name} = {zero(kind)};", f"{decl.name} = {value};"


def rendered(segments: Sequence[Segment], barriers: Sequence[str], unit: str) -> list[str]:
    """The lines of segments with barriers between them."""
    lines: list[str] = []
    for number, segment in enumerate(segments):
        at = 0
        while at < len(segment):
            conditions = segment[at].conditions
            end = at
            while end < len(segment) and segment[end].conditions == conditions:
                end += 1
            lines += _guarded(segment[at:end], conditions, unit)
            at = end
        if number < len(barriers):
            lines.append(barriers[number])
    return lines


def _guarded(pieces: Sequence[Piece], conditions: tuple[str, ...], unit: str) -> list[str]:
    body = [line for piece in pieces for line in piece.lines]
    while body and not body[0].strip():
        del body[0]
    if not conditions:
        return body
    test = joined(conditions)
    plain = isinstance(pieces[0].stmt, ExprStmt) or not pieces[0].declares
    single = len(pieces) == 1 and plain and len(body) == 1
    if single and len(test) + len(body[0]) + 5 <= WIDTH:
        return [f"if ({test}) {body[0]}"]
    inside = [unit + line if line.strip() and not line.startswith("#") else line for line in body]
    return [f"if ({test}) {{", *inside, "}"]


_BELOW = re.compile(r"([\w.]+)\s*<\s*(\d+)")


def joined(conditions: Sequence[str]) -> str:
    """Conditions that hold together; a bound that a tighter one implies is left out."""
    kept: list[str] = []
    for condition in conditions:
        new = _BELOW.fullmatch(condition.strip())
        for index, other in enumerate(kept):
            old = _BELOW.fullmatch(other.strip())
            if new and old and new[1] == old[1]:
                kept[index] = condition if int(new[2]) < int(old[2]) else other
                break
        else:
            kept.append(condition)
    return kept[0] if len(kept) == 1 else " && ".join(operand(one) for one in kept)


def _replacement(page: Page, start: int, end: int, lines: Sequence[str]) -> Edit:
    """The text between two offsets replaced by lines, indented as what stood there."""
    indent = page.indent(start)
    text = "\n".join(indent + line if line.strip() and number else line for number, line in enumerate(lines))
    return Edit(page.span(start, end), text)


# ------------------------------------------------------------------------------------------- out of a branch


def _out_of_branch(page: Page, facts: Facts, function: FunctionDecl, branch: If) -> Iterator[Fix]:
    """``if (c) { a; barrier; b; }`` made ``if (c) a; barrier; if (c) b;``."""
    chain = page.chain(function, branch.span)
    if len(chain) < 2 or not isinstance(chain[-2], Block) or chain[-1] is not branch or not page.is_plain(chain[-2]):
        return
    start, end = branch.span.start, page.end(branch)
    if not page.begins_line(start) or not page.ends_line(end):
        return
    taker = _Taker(page, function, branch)
    taken = taker.block([branch], ())
    if not taken.barriers:
        return
    front, segments = _settled(page, function, taken)
    barriers = list(taken.barriers)
    after = chain[-2].body[chain[-2].body.index(branch) + 1 :]
    if not segments[-1] and after and barrier_of(after[0]) is not None:
        barriers.pop()  # the next one does its work
    lines = [*front, *rendered(segments, barriers, page.unit(function))]
    edits = (_replacement(page, start, end, lines), *taken.removed)
    yield Fix("let all threads reach the barrier, and put the condition around the work alone", edits)


# ------------------------------------------------------------------------------------------- loops in step


def _in_step(page: Page, facts: Facts, function: FunctionDecl, loop: For) -> Iterator[Fix]:
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
    taker = _Taker(page, function, loop.body)
    taken = taker.block(loop.body.body, (test,))
    if not taken.barriers:
        return
    front, segments = _settled(page, function, taken)
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
    edits = (_replacement(page, start, end, lines), *taken.removed)
    yield Fix(f"let all threads go round as often, and test {decl.name} around the work alone", edits)


def _counter(page: Page, loop: For) -> tuple[VarDecl, str]:
    """The counter of a loop, and the relation that it stands on the left of (``< n``)."""
    cond = stripped(loop.cond) if loop.cond is not None else None
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
    at = stripped(expr)
    return isinstance(at, Ref) and at.decl is decl


def _shared_start(page: Page, function: FunctionDecl, init: Expr) -> tuple[str, str] | None:
    """A start taken apart into what all threads of a block share and the thread's own index, as text."""
    body = function.body
    assert body is not None
    fixed = changed(body)
    at = stripped(init)
    if is_own(at, fixed):
        text = page.text(init)
        return ("0", text) if balanced(text) else None
    if isinstance(at, Ref) and at.decl.init is not None and at.decl not in fixed:
        at = stripped(at.decl.init)
    if isinstance(at, Binary) and at.op == "+":
        for common, own in ((at.lhs, at.rhs), (at.rhs, at.lhs)):
            texts = page.text(common), page.text(own)
            mixed = any(isinstance(node, LaunchValue) and node.quantity in _OWN for node in walk(common))
            if is_own(stripped(own), fixed) and not mixed and is_pure(common) and not set(used(common)) & fixed:
                return texts if all(balanced(text) and "\n" not in text for text in texts) else None
    return None


_OWN = frozenset({Quantity.THREAD_ID, Quantity.LINEAR_THREAD_ID, Quantity.LANE_ID, Quantity.GLOBAL_ID})


def is_own(expr: Expr, fixed: frozenset[VarDecl]) -> bool:
    """Whether an expression is the index of a thread in its block, or a variable that holds it."""
    if isinstance(expr, Ref) and expr.decl not in fixed and expr.decl.init is not None:
        return is_own(stripped(expr.decl.init), fixed)
    return isinstance(expr, LaunchValue) and expr.quantity in _OWN - {Quantity.GLOBAL_ID}


# ------------------------------------------------------------------------------------------- past an exit


def _past_exit(page: Page, facts: Facts, function: FunctionDecl, chain: Chain, culprit: Span) -> Iterator[Fix]:
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
