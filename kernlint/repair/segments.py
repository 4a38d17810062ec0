"""Code taken apart at its barriers, and put together again with the conditions around the work alone.

That is right where the conditions still hold behind the barrier, and where nothing declared in the one part is needed
in the other: such variables are declared in front of it all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kernlint.finding import Edit
from kernlint.record import dataclass, field
from kernlint.repair.calls import barrier_of, leaves, meets
from kernlint.repair.conditions import balanced, is_pure, is_stable, operand, opposite
from kernlint.repair.guards import stripped_block
from kernlint.repair.page import Page
from kernlint.repair.types import arithmetic, zero
from kernlint.repair.values import used
from kernlint.tree.nodes import (
    Block,
    Call,
    DeclStmt,
    ExprStmt,
    If,
    Stmt,
)
from kernlint.tree.walk import strip_casts

WIDTH = 100
"""A statement and its test stand on one line up to this many columns."""


class NotPlain(Exception):
    """The code around the barrier is of another form than what can be taken apart."""


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


class Taker:
    """Takes code of one function apart; ``region`` is all of it."""

    def __init__(self, page: Page, region: Stmt) -> None:
        self.page = page
        self.region = region

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
        call = strip_casts(stmt.expr) if isinstance(stmt, ExprStmt) else None
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


def settled(page: Page, taken: Taken) -> tuple[list[str], list[Segment]]:
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


def replacement(page: Page, start: int, end: int, lines: Sequence[str]) -> Edit:
    """The text between two offsets replaced by lines, indented as what stood there."""
    indent = page.indent(start)
    text = "\n".join(indent + line if line.strip() and number else line for number, line in enumerate(lines))
    return Edit(page.span(start, end), text)
