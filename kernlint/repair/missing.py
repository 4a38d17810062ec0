"""Tests of an index put in: as an early return, or around the access."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kernlint.analysis.base import Facts
from kernlint.analysis.extent.bounds import GlobalId
from kernlint.analysis.extent.sizes import unused_sizes
from kernlint.analysis.extent.surplus import Exposed, Tier, surplus
from kernlint.analysis.launching.launch_context import LaunchView, launch_context
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access
from kernlint.finding import Edit, Finding, Fix
from kernlint.repair.calls import gathers
from kernlint.repair.conditions import balanced, is_pure
from kernlint.repair.guards import size_text, under
from kernlint.repair.page import Page
from kernlint.repair.values import Values, changed, used
from kernlint.source import SourceFile, Span
from kernlint.symbolic.polynomial import Polynomial, number, polynomial
from kernlint.symbolic.terms import BLOCK, THREAD, SymbolKind, Term, plain, symbols
from kernlint.tree.nodes import (
    Binary,
    Conditional,
    DeclStmt,
    Expr,
    For,
    FunctionDecl,
    If,
    Label,
    Ref,
    Stmt,
    While,
)
from kernlint.tree.types import IntType
from kernlint.tree.walk import strip_casts, walk


def missing(facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
    """For ``missing-bounds-guard``: tests against the size that the evidence names."""
    first = next((one for one in facts[surplus] if one.access.span == finding.span and not one.late), None)
    if first is None:
        return
    found = [one for one in facts[surplus] if one.tier is first.tier and not one.late]
    page, function = Page(source, facts.module), facts.function
    if function.body is None:
        return
    values = Values.of(facts, facts[trace])
    accesses = list({one.access: None for one in found})
    if any(one.axis != first.axis for one in found):
        yield from _plane(page, facts, values, found)
        return
    index = _index(page, values, function, first)
    if index is None:
        return
    bound = _bound(facts, first, len(facts[unused_sizes]))
    if bound is not None:
        yield from _tests(page, facts, accesses, [(index[0], bound)], index[1])
    elif first.tier is Tier.ROUNDED_UP and (given := _passed(page, facts, first.axis)) is not None:
        name, edits = given
        for fix in _tests(page, facts, accesses, [(index[0], name)], index[1]):
            yield Fix(f"pass {name}, and {fix.description}", (*fix.edits, *edits))


def _plane(page: Page, facts: Facts, values: Values, found: Sequence[Exposed]) -> Iterator[Fix]:
    """Tests of both indices of ``a[row * pitch + column]``, of which neither is tested: the column against the pitch,
    and the row against the only size that is left."""
    sizes = facts[unused_sizes]
    if len(sizes) != 1 or sizes[0].name != sizes[0].param.name:
        return
    for one in found:
        both = [other for other in found if other.access is one.access]
        if len(both) != 2 or one.tier is not Tier.UNUSED_SIZE or one is not both[0]:
            continue
        pitches = [_pitch(one.access, other.axis) for other in both]
        for slow, fast in ((0, 1), (1, 0)):
            pitch, unit = pitches[slow], pitches[fast]
            if pitch is None or unit is None or unit.constant is None:
                continue
            width = size_text(_divided(pitch, unit.constant))
            rows = _index(page, values, facts.function, both[slow])
            columns = _index(page, values, facts.function, both[fast])
            if width is None or rows is None or columns is None or rows[1] is None or columns[1] is None:
                continue
            home = max(rows[1], columns[1], key=lambda stmt: stmt.span.start)
            tests = [(columns[0], width), (rows[0], sizes[0].name)]
            yield from _tests(page, facts, list({o.access: None for o in found}), tests, home)
            return


def _pitch(access: Access, axis: int) -> Polynomial | None:
    """What the thread's index along an axis is multiplied by in the offset of an access, in bytes."""
    thread = THREAD[axis].term
    out: dict[tuple[Term, ...], int] = {}
    for mono, value in polynomial(access.offset).coefficients.items():
        if thread in mono:
            rest = list(mono)
            rest.remove(thread)
            out[tuple(rest)] = value
        elif any(symbol is THREAD[axis] for atom in mono for symbol in symbols(atom)):
            return None
    return Polynomial(out)


def _divided(pitch: Polynomial, unit: int) -> Polynomial | None:
    if not unit or any(value % unit for value in pitch.coefficients.values()):
        return None
    return Polynomial({mono: value // unit for mono, value in pitch.coefficients.items()})


def _passed(page: Page, facts: Facts, axis: int) -> tuple[str, tuple[Edit, ...]] | None:
    """The count of every launch in sight made one more argument and parameter: its name, and the edits.

    None where the kernel is launched or declared elsewhere too, as far as the file shows, or where the count is no
    parameter of the function that launches.
    """
    function, views = facts.function, facts[launch_context].launches
    if facts.kernel.instances or not function.params or page.source.path.endswith(_HEADERS):
        return None
    if len(page.uses(function.name)) != 1 + len({view.fact.span for view in views}):
        return None
    declared: set[tuple[str, str]] = set()
    edits = []
    for view in views:
        count, node = view.covers[axis].count, view.fact.node
        if view.fact.stack:
            return None
        symbol = plain(count).symbol if count is not None else None
        decl = next((p for p in view.fact.host.params if symbol is not None and p.name == symbol.name), None)
        body = view.fact.host.body
        if decl is None or body is None or decl in changed(body) or not node.args or node.api != "<<<>>>":
            return None
        declared.add((decl.name, page.text(decl)))
        edits.append(page.insertion(node.args[-1].span.end, f", {decl.name}"))
    if len(declared) != 1:
        return None
    (name, text) = declared.pop()
    words = text.rpartition(name)
    if page.fresh(function, name) is None or words[2].strip() or not words[0].strip() or "=" in text:
        return None
    last = function.params[-1]
    if last.init is not None or last.span.file != page.source.path:
        return None
    return name, (*edits, page.insertion(last.span.end, f", {text}"))


_HEADERS = (".cuh", ".h", ".hpp", ".hxx", ".inl", ".inc")


def _tests(
    page: Page, facts: Facts, accesses: Sequence[Access], tests: Sequence[tuple[str, str]], home: Stmt | None
) -> Iterator[Fix]:
    """Each of ``tests`` (an index, and what it has to be below) put in front of ``accesses``: as an early return where
    that is safe, else around them.  ``home``: what declares the indices."""
    function, body = facts.function, facts.function.body
    assert body is not None
    chains = [page.chain(function, _outer(access)) for access in accesses]
    if not all(len(chain) > 1 and page.is_plain(body) for chain in chains):
        return
    firsts = [chain[1] for chain in chains]
    at = min(firsts, key=lambda stmt: stmt.span.start)
    position = body.body.index(at)
    if home in body.body:
        position = min(position, body.body.index(home) + 1)
        at = body.body[position]
    later = body.body[position:]
    leaving = not any(gathers(stmt) for stmt in later) and not _is_tested({name for name, _ in tests}, later)
    if leaving and not _has_label(body.body[:position]):
        beyond = " || ".join(f"{name} >= {bound}" for name, bound in tests)
        edit = page.before(at, f"if ({beyond}) return;")
        if home in body.body and position == body.body.index(home) + 1:
            edit = page.after(home, f"if ({beyond}) return;")
        yield Fix(f"return early where {beyond}", (edit,))
        return
    inside = " && ".join(f"{name} < {bound}" for name, bound in tests)
    edits: list[Edit] = []
    for stmt in dict.fromkeys(chain[-1] for chain in chains):
        chain = next(chain for chain in chains if chain[-1] is stmt)
        wrapped = under(page, chain, inside)
        if wrapped is None:
            return
        edits += wrapped
    yield Fix(f"do it only where {inside}", tuple(edits))


def _outer(access: Access) -> Span:
    """The place of an access in the kernel's own text: the call of the helper that makes it."""
    return access.stack[0] if access.stack else access.span


def _has_label(stmts: Iterable[Stmt]) -> bool:
    """Whether a label stands among statements: a jump would come to what follows from elsewhere."""
    return any(isinstance(node, Label) for stmt in stmts for node in walk(stmt))


def _is_tested(names: set[str], stmts: Iterable[Stmt]) -> bool:
    """Whether one of ``names`` is tested: there is work for threads that a return would send away."""
    for stmt in stmts:
        for node in walk(stmt):
            cond = node.cond if isinstance(node, If | While | For | Conditional) else None
            if cond is not None and names & {decl.name for decl in used(cond)}:
                return True
    return False


def _bound(facts: Facts, one: Exposed, sizes: int) -> str | None:
    """What the index has to be below, as the kernel can write it."""
    if one.tier is Tier.UNUSED_SIZE:
        # A size that only its name speaks for is the extent where there is no other, and no other axis to bound.
        size = one.size
        plain = size is not None and size.name == size.param.name and sizes == 1 and len(one.reach.open_axes) == 1
        return size.name if plain and size is not None and not _within_rows(one) else None
    if one.tier is not Tier.ROUNDED_UP:
        return None
    views = facts[launch_context].launches
    for param in facts.function.params:
        if isinstance(param.type, IntType) and views and all(_is_count(view, one.axis, param.name) for view in views):
            return param.name
    return None


def _is_count(view: LaunchView, axis: int, name: str) -> bool:
    """Whether a launch passes the count of an axis, which it rounds up, for a parameter."""
    count, passed = view.covers[axis].count, view.fact.argument(name)
    return count is not None and isinstance(passed, Term) and polynomial(passed) == polynomial(count)


def _within_rows(one: Exposed) -> bool:
    """Whether the index runs along rows of a length that is known: that bounds it, and no other size."""
    pitch = _pitch(one.access, one.axis)
    if pitch is None or pitch.constant is None:
        return pitch is None
    rest = (mono for mono in polynomial(one.access.offset).coefficients if THREAD[one.axis].term not in mono)
    return any(s.kind is SymbolKind.PARAM for mono in rest for atom in mono for s in symbols(atom))


def _index(page: Page, values: Values, function: FunctionDecl, one: Exposed) -> tuple[str, Stmt | None] | None:
    """How the kernel writes the global id of ``one``: the name of a variable and its declaration, or an expression."""
    body = function.body
    wanted = _plain_id(one.id)
    if body is None or wanted is None:
        return None
    outer = _outer(one.access)
    for stmt in body.body:
        if stmt.span.start >= outer.start:
            break
        if isinstance(stmt, DeclStmt):
            for decl in stmt.decls:
                if decl in values.set_again or decl.init is None or not isinstance(decl.type, IntType):
                    continue
                if values.polynomial(decl.init) == wanted:
                    return decl.name, stmt
    chain = page.chain(function, outer)
    for node in walk(chain[-1]) if chain else ():
        if isinstance(node, Expr) and not isinstance(node, Ref) and values.polynomial(node) == wanted:
            text = page.text(node)
            if is_pure(node) and "\n" not in text and balanced(text) and isinstance(strip_casts(node), Binary):
                return text, None
    return None


def _plain_id(one: GlobalId) -> Polynomial | None:
    """``BLOCK * block size + THREAD`` along one axis."""
    if one.threads != {one.axis}:
        return None
    size = number(one.factor) * Polynomial({one.symbols: 1})
    return Polynomial({(BLOCK[one.axis].term,): 1}) * size + Polynomial({(THREAD[one.axis].term,): 1})
