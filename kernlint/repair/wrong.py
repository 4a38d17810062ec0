"""Tests of an index put right."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from kernlint.analysis.base import Facts
from kernlint.analysis.extent.limits import Dimension, limits
from kernlint.analysis.extent.overreach import overreach
from kernlint.analysis.extent.wrong_guards.faults import Fault, Overreach
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access
from kernlint.finding import Edit, Finding, Fix
from kernlint.repair.calls import called
from kernlint.repair.conditions import balanced
from kernlint.repair.guards import chosen, comparisons, conjuncts, size_text, stripped_block
from kernlint.repair.page import Page, within
from kernlint.repair.values import Values, used
from kernlint.source import SourceFile, Span
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.terms import SymbolKind, symbols
from kernlint.tree.nodes import (
    Binary,
    Block,
    Break,
    Call,
    Conditional,
    Continue,
    DeclStmt,
    Expr,
    FloatLit,
    For,
    FunctionDecl,
    If,
    IntLit,
    Ref,
    Return,
    Subscript,
    VarDecl,
    While,
)
from kernlint.tree.types import IntType
from kernlint.tree.walk import strip_casts, walk

Repair = Callable[[Page, Facts, Overreach], Iterator[Fix]]


def wrong(facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
    """For ``wrong-bounds-guard``: the test put right.

    There is nothing where that takes more than the test, as a tail that no one would treat then.
    """
    page = Page(source, facts.module)
    for one in facts[overreach]:
        if one.access.span == finding.span and (repair := _BY_FAULT.get(one.fault)) is not None:
            yield from repair(page, facts, one)


def _inclusive(page: Page, facts: Facts, one: Overreach) -> Iterator[Fix]:
    """``<=`` made ``<``, or ``>`` made ``>=`` where threads leave."""
    function, values = facts.function, Values.of(facts, facts[trace])
    for node in comparisons(function, one.guard.span):
        place = page.operator(node.lhs, node.rhs)
        wanted = {"<=": "<", ">": ">=", "<": "<=", ">=": ">"}.get(node.op)
        if place is None or wanted is None or page.text(place) != node.op:
            continue
        sides = {values.polynomial(node.lhs), values.polynomial(node.rhs)}
        if one.size not in sides and not _names(one.size) & {decl.name for decl in used(node)}:
            continue
        if (node.op in ("<=", ">=")) == _leaves(function, one.guard.span):
            continue  # i >= n leaves as it should; what is wrong there is another thing
        text = page.text(node)
        yield Fix(
            f"test {text[: place.start - node.span.start].strip()} {wanted} "
            f"{text[place.end - node.span.start :].strip()}",
            (Edit(place, wanted),),
        )


def _leaves(function: FunctionDecl, span: Span) -> bool:
    """Whether threads for which the condition at ``span`` holds leave."""
    for holder in called(function):
        for node in walk(holder.body) if holder.body is not None else ():
            if isinstance(node, If) and within(span, node.span) and within(node.cond.span, span):
                return isinstance(stripped_block(node.then), Return | Continue | Break)
    return False


def _names(size: Polynomial | None) -> set[str]:
    """Names of the variables that a size is made of."""
    if size is None:
        return set()
    return {symbol.name for atom in size.atoms for symbol in symbols(atom)}


def narrower(facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
    """For ``array-index-out-of-range``: ``<`` for ``<=`` in the conditions around the access."""
    page = Page(source, facts.module)
    function = page.holder(finding.span)
    if function is not None:
        yield from tightened(page, function, finding.span)


def tightened(page: Page, function: FunctionDecl, place: Span) -> Iterator[Fix]:
    """Each ``<=`` in the conditions of branches and loops around a place, one side of which is part of a subscript
    there, made ``<``."""
    names = {
        decl
        for node in walk(function)
        if isinstance(node, Subscript) and within(node.span, place)
        for decl in used(node.index)
    }
    for stmt in reversed(page.chain(function, place)):
        cond = stmt.cond if isinstance(stmt, If | For | While) else None
        for node in walk(cond) if cond is not None else ():
            if not isinstance(node, Binary) or node.op not in ("<=", ">=") or not names & set(used(node)):
                continue
            less = node.lhs if node.op == "<=" else node.rhs
            operator = page.operator(node.lhs, node.rhs)
            lower = isinstance(strip_casts(less), IntLit) or within(node.span, place)
            if operator is None or lower or page.text(operator) != node.op:
                continue  # from below by a number
            new = node.op[0]
            yield Fix(f"test {page.text(node.lhs)} {new} {page.text(node.rhs)}", (Edit(operator, new),))


def _reversed(page: Page, facts: Facts, one: Overreach) -> Iterator[Fix]:
    """``in[n - i]`` made ``in[n - 1 - i]``."""
    values = Values.of(facts, facts[trace])
    for node in _index_parts(facts.function, one.access):
        if isinstance(node, Binary) and node.op == "-" and values.polynomial(node.lhs) == one.size:
            place = page.operator(node.lhs, node.rhs)
            if place is not None:
                text = f"{page.text(node.lhs)} - 1 - {page.text(node.rhs)}"
                yield Fix(f"count from the last element: {text}", (page.insertion(place.start, "- 1 "),))


def _clamped(page: Page, facts: Facts, one: Overreach) -> Iterator[Fix]:
    """``min(i, n)`` made ``min(i, n - 1)``."""
    values = Values.of(facts, facts[trace])
    for node in _reaching_nodes(facts.function, one.access):
        if isinstance(node, Call) and node.name in ("min", "clamp"):
            for argument in node.args[1 if node.name == "min" else 2 :] + node.args[: 1 if node.name == "min" else 0]:
                text = page.text(argument)
                if values.polynomial(argument) == one.size and balanced(text) and text.isidentifier():
                    edit = page.insertion(argument.span.end, " - 1")
                    yield Fix(f"clamp to the last element, {text} - 1", (edit,))


def _index_parts(function: FunctionDecl, access: Access) -> Iterator[Expr]:
    """Everything in the subscripts of an access that stands in the kernel's own text."""
    body = function.body
    if body is None or access.stack or not within(access.span, body.span):
        return
    for node in walk(body):
        if isinstance(node, Subscript) and within(node.span, access.span):
            yield from (inner for inner in walk(node.index) if isinstance(inner, Expr))


def _reaching_nodes(function: FunctionDecl, access: Access) -> Iterator[Expr]:
    """As :func:`_index_parts`, and what the variables in it are initialised with."""
    seen: set[VarDecl] = set()
    stack: list[Expr] = list(_index_parts(function, access))
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, Ref) and node.decl not in seen and node.decl.init is not None:
            seen.add(node.decl)
            stack += [inner for inner in walk(node.decl.init) if isinstance(inner, Expr)]


def _vacuous(page: Page, facts: Facts, one: Overreach) -> Iterator[Fix]:
    """``n - 1u - i >= 0`` made ``i < n``, in every part of the test."""
    edits = []
    for node in comparisons(facts.function, one.guard.span):
        left, right = strip_casts(node.lhs), strip_casts(node.rhs)
        if node.op != ">=" or not (isinstance(right, IntLit) and right.value == 0):
            continue
        if not isinstance(left, Binary) or left.op != "-" or not isinstance(left.type, IntType) or left.type.signed:
            continue
        size, less = strip_casts(left.lhs), "<="
        if isinstance(size, Binary) and size.op == "-" and _is_one(size.rhs):
            size, less = strip_casts(size.lhs), "<"
        texts = page.text(left.rhs), page.text(size)
        if all(balanced(text) for text in texts):
            edits.append(Edit(node.span, f"{texts[0]} {less} {texts[1]}"))
    if edits:
        said = " and ".join(edit.text for edit in edits)
        yield Fix(f"compare without subtracting: {said}", tuple(edits))


def _is_one(expr: Expr) -> bool:
    at = strip_casts(expr)
    return isinstance(at, IntLit) and at.value == 1


def _swapped(page: Page, facts: Facts, one: Overreach) -> Iterator[Fix]:
    """The extents of two tests exchanged."""
    found = [n for n in comparisons(facts.function, one.guard.span) if isinstance(strip_casts(n.rhs), Ref)]
    if len(found) == 2:
        first, second = (strip_casts(node.rhs) for node in found)
        texts = page.text(first), page.text(second)
        if texts[0] != texts[1] and all(text.isidentifier() for text in texts):
            edits = (Edit(first.span, texts[1]), Edit(second.span, texts[0]))
            yield Fix(f"test each index against its own extent: exchange {texts[0]} and {texts[1]}", edits)


def _padded(page: Page, facts: Facts, one: Overreach) -> Iterator[Fix]:
    """A read beyond the real count made ``index < count ? read : 0``: padding is zero."""
    size = size_text(one.size)
    values = Values.of(facts, facts[trace])
    if size is None or one.access.writes:
        return
    for node in _index_parts(facts.function, one.access):
        if isinstance(node, Ref) and isinstance(node.decl.type, IntType) and _may_pass(values, node, one):
            edit = chosen(page, facts.function, one.access, f"{node.decl.name} < {size}")
            if edit is not None:
                yield Fix(f"read it only where {node.decl.name} < {size}; what is beyond is 0", (edit,))


def _may_pass(values: Values, node: Ref, one: Overreach) -> bool:
    """Whether a variable is the part of the index that outgrows the size: a quotient of what the guard bounds."""
    term = values.term(node)
    if term is None:
        return False
    poly = polynomial(term)
    quotients = [atom for atom in poly.atoms if atom.op == "div"]
    return len(poly.coefficients) == 1 and bool(quotients) and SymbolKind.BLOCK in {s.kind for s in symbols(term)}


def _neighbour(page: Page, facts: Facts, one: Overreach) -> Iterator[Fix]:
    """The index that is used tested at its upper end, where and as its lower end is tested already."""
    function = facts.function
    values = Values.of(facts, facts[trace])
    shown = next((i for i in facts[limits] if i.access is one.access), None)
    if shown is None or one.access.stack:
        return
    wanted: dict[str, str] = {}
    for dimension in shown.dimensions:
        if _excess(dimension) > 0:
            size, index = size_text(dimension.limits[0].size), _written(page, values, function, one.access, dimension)
            if size is None or index is None:
                return
            wanted[index] = size
    if not wanted:
        return
    beyond = " || ".join(f"{index} >= {size}" for index, size in wanted.items())
    inside = " && ".join(f"{index} < {size}" for index, size in wanted.items())
    chain = page.chain(function, one.access.span)
    for block, stmt in pairwise(chain):
        for test in block.body[: block.body.index(stmt)] if isinstance(block, Block) else ():
            leaves = stripped_block(test.then) if isinstance(test, If) and test.other is None else None
            if isinstance(test, If) and isinstance(leaves, Return | Continue | Break):
                place = page.condition(test)
                if place is not None and set(wanted) <= _below_number(page, test.cond, "||"):
                    edit = page.insertion(place.end, f" || {beyond}")
                    yield Fix(f"leave out what is beyond too: {beyond}", (edit,))
    for stmt in reversed(chain):
        if isinstance(stmt, If) and stmt.then is not None and within(one.access.span, stmt.then.span):
            place = page.condition(stmt)
            if place is not None and set(wanted) <= _at_least_number(page, stmt.cond):
                yield Fix(f"test the upper end too: {inside}", (page.insertion(place.end, f" && {inside}"),))
    like = _mirrored(page, function, one.access, inside)
    if like is not None:
        yield Fix(f"read it only where {inside}", (like,))


def _mirrored(page: Page, function: FunctionDecl, access: Access, condition: str) -> Edit | None:
    """A read that initialises a variable made ``condition ? read : other``, where the neighbour on the other side is
    read so from the same array."""
    stmt = page.chain(function, access.span)[-1]
    if not isinstance(stmt, DeclStmt) or len(stmt.decls) != 1 or stmt.decls[0].init is None:
        return None
    init, body = stmt.decls[0].init, function.body
    read = strip_casts(init)
    if body is None or not isinstance(read, Subscript) or read.span != access.span:
        return None
    for node in walk(body):
        if not isinstance(node, Conditional):
            continue
        then, text = strip_casts(node.then), page.text(node.other)
        base = page.text(then.base) if isinstance(then, Subscript) else ""
        literal = isinstance(strip_casts(node.other), IntLit | FloatLit)
        if base == page.text(read.base) and literal and page.text(init) == page.text(read):
            return Edit(init.span, f"{condition} ? {page.text(read)} : {text}")
    return None


def _excess(dimension: Dimension) -> int:
    if not dimension.limits or dimension.extra:
        return 0
    return max(dimension.limits[0].slack + 1, 0)


def _written(page: Page, values: Values, function: FunctionDecl, access: Access, dimension: Dimension) -> str | None:
    """How the kernel writes the index of a dimension: a variable, or a sum."""
    sums: list[str] = []
    for node in _index_parts(function, access):
        at = strip_casts(node)
        if isinstance(at, Ref | Binary) and values.polynomial(at) == dimension.index:
            text = page.text(at)
            if isinstance(at, Ref):
                return text
            if at.op in ("+", "-") and balanced(text) and "\n" not in text:
                sums.append(text)
    return sums[0] if sums else None


def _below_number(page: Page, cond: Expr, op: str) -> set[str]:
    """What a condition finds to be below a number: the texts ``x`` of its parts ``x < 0``."""
    at = strip_casts(cond)
    if isinstance(at, Binary) and at.op == op:
        return _below_number(page, at.lhs, op) | _below_number(page, at.rhs, op)
    if isinstance(at, Binary) and at.op == "<" and isinstance(strip_casts(at.rhs), IntLit):
        return {page.text(at.lhs)}
    return set()


def _at_least_number(page: Page, cond: Expr) -> set[str]:
    """What a condition requires to be at least a number: the texts ``x`` of its parts ``x >= 0``."""
    found = set()
    for part in conjuncts(cond):
        at = strip_casts(part)
        if isinstance(at, Binary) and at.op in (">", ">=") and isinstance(strip_casts(at.rhs), IntLit):
            found.add(page.text(at.lhs))
    return found


_BY_FAULT: dict[Fault, Repair] = {
    Fault.INCLUSIVE: _inclusive,
    Fault.NEIGHBOUR: _neighbour,
    Fault.REVERSED: _reversed,
    Fault.CLAMPED: _clamped,
    Fault.SWAPPED: _swapped,
    Fault.VACUOUS: _vacuous,
    Fault.PADDED: _padded,
}
