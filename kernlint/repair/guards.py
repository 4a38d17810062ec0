"""Tests of an index: put in, moved up, put right."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from kernlint.analysis.base import Facts
from kernlint.analysis.bounds import GlobalId
from kernlint.analysis.coverage import plain
from kernlint.analysis.launch_context import LaunchView, launch_context
from kernlint.analysis.limits import Dimension, limits
from kernlint.analysis.overreach import Fault, Overreach, overreach
from kernlint.analysis.sizes import unused_sizes
from kernlint.analysis.surplus import Exposed, Tier, surplus
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access
from kernlint.finding import Edit, Finding, Fix
from kernlint.repair.conditions import balanced, is_pure, operand
from kernlint.repair.page import Chain, Page, within
from kernlint.repair.values import Values, changed, stripped, used
from kernlint.source import SourceFile, Span
from kernlint.symbolic.polynomial import Polynomial, number, polynomial
from kernlint.symbolic.terms import BLOCK, THREAD, Symbol, SymbolKind, Term, symbols
from kernlint.tree.nodes import (
    Barrier,
    Binary,
    Block,
    Break,
    Call,
    Conditional,
    Continue,
    DeclStmt,
    Expr,
    ExprStmt,
    FloatLit,
    For,
    FunctionDecl,
    If,
    IntLit,
    Label,
    Ref,
    Return,
    Stmt,
    Subscript,
    VarDecl,
    WarpOp,
    While,
)
from kernlint.tree.types import FloatType, IntType
from kernlint.tree.walk import walk

# ------------------------------------------------------------------------------------------- tests put in


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
            width = _text_of(_divided(pitch, unit.constant))
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
    leaving = not any(_meets(stmt) for stmt in later) and not _is_tested({name for name, _ in tests}, later)
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
        wrapped = under(page, function, chain, inside)
        if wrapped is None:
            return
        edits += wrapped
    yield Fix(f"do it only where {inside}", tuple(edits))


def _outer(access: Access) -> Span:
    """The place of an access in the kernel's own text: the call of the helper that makes it."""
    return access.stack[0] if access.stack else access.span


def _meets(stmt: Stmt) -> bool:
    """Whether threads may have to come together in a statement: those that have left would be missing."""
    for node in walk(stmt):
        if isinstance(node, Barrier | WarpOp):
            return True
        if isinstance(node, Call) and not node.pure_math and (node.function is None or node.function.body is None):
            return True
        if isinstance(node, Call) and node.function is not None and node.function.body is not None:
            for inner in _below(node.function):
                if any(isinstance(deep, Barrier | WarpOp) for deep in walk(inner)):
                    return True
    return False


def _below(function: FunctionDecl) -> Iterator[FunctionDecl]:
    """A function and those that it calls, each once."""
    seen: set[int] = set()
    stack = [function]
    while stack:
        at = stack.pop()
        if id(at) in seen:
            continue
        seen.add(id(at))
        yield at
        for node in walk(at):
            if isinstance(node, Call) and node.function is not None and node.function.body is not None:
                stack.append(node.function)


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
            if is_pure(node) and "\n" not in text and balanced(text) and isinstance(stripped(node), Binary):
                return text, None
    return None


def _plain_id(one: GlobalId) -> Polynomial | None:
    """``BLOCK * block size + THREAD`` along one axis."""
    if one.threads != {one.axis}:
        return None
    size = number(one.factor) * Polynomial({one.symbols: 1})
    return Polynomial({(BLOCK[one.axis].term,): 1}) * size + Polynomial({(THREAD[one.axis].term,): 1})


# ------------------------------------------------------------------------------------------- under a test


def under(page: Page, function: FunctionDecl, chain: Chain, condition: str) -> list[Edit] | None:
    """The innermost statement of ``chain`` made to happen only under ``condition``."""
    stmt, parent = chain[-1], chain[-2] if len(chain) > 1 else None
    if isinstance(stmt, If) and (inside := page.condition(stmt)) is not None:
        if stmt.other is not None:
            return None
        text = page.text(inside)
        edits = [page.insertion(inside.start, f"{condition} && ")]
        if operand(text) != text:
            edits = [
                page.insertion(inside.start, f"{condition} && ("),
                page.insertion(inside.end, ")"),
            ]
        return edits
    if isinstance(stmt, ExprStmt) and page.is_single(stmt):
        if isinstance(parent, Block) and page.is_plain(parent):
            return [page.insertion(stmt.span.start, f"if ({condition}) ")]
        if isinstance(parent, If) and parent.other is None and (inside := page.condition(parent)) is not None:
            text = page.text(inside)
            joined = f" && {condition}" if operand(text) == text else f") && {condition}"
            first = [] if operand(text) == text else [page.insertion(inside.start, "(")]
            return [*first, page.insertion(inside.end, joined)]
    return None


def chosen(page: Page, function: FunctionDecl, access: Access, condition: str) -> Edit | None:
    """A read that initialises a variable made ``condition ? read : 0``; None where the read is more than that."""
    chain = page.chain(function, access.span)
    stmt = chain[-1] if chain else None
    if not isinstance(stmt, DeclStmt) or len(stmt.decls) != 1 or access.stack:
        return None
    decl = stmt.decls[0]
    if decl.init is None or decl.init.span != access.span:
        return None
    kind = decl.type
    if isinstance(kind, FloatType):
        zero = "0.0f" if kind.bits == 32 else "0.0" if kind.bits == 64 else None
    else:
        zero = "0" if isinstance(kind, IntType) else None
    if zero is None:
        return None
    text = page.text(decl.init)
    return Edit(decl.init.span, f"{condition} ? {text} : {zero}") if balanced(text) else None


def only_under(page: Page, function: FunctionDecl, decl: VarDecl, condition: str) -> bool:
    """Whether every use of a variable stands under an ``if`` that has ``condition`` among its parts."""
    body = function.body
    assert body is not None
    for node in walk(body):
        if isinstance(node, Ref) and node.decl is decl:
            held = False
            for stmt in page.chain(function, node.span):
                if isinstance(stmt, If) and stmt.then is not None and within(node.span, stmt.then.span):
                    inside = page.condition(stmt)
                    text = page.text(inside) if inside is not None else ""
                    held = held or ("||" not in text and condition in [part.strip() for part in text.split("&&")])
            if not held:
                return False
    return True


# ------------------------------------------------------------------------------------------- tests moved up


def late(facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
    """For ``late-bounds-guard``: the test before the access, or to the left of it."""
    page = Page(source, facts.module)
    for one in facts[surplus]:
        if one.tier is Tier.SIBLING and one.late and one.access.span == finding.span:
            yield from _earlier(page, facts, one)
            return
    if finding.related:
        yield from _reordered(page, facts.function, finding.span, finding.related[0].span)


def _earlier(page: Page, facts: Facts, one: Exposed) -> Iterator[Fix]:
    """The test of ``one`` put in front of its access."""
    assert one.guard is not None
    function = facts.function
    chain, test = page.chain(function, one.access.span), page.chain(function, one.guard.span)
    branch = next((stmt for stmt in reversed(test) if isinstance(stmt, If)), None)
    condition = page.condition(branch) if branch is not None else None
    if branch is None or condition is None or not chain or one.access.stack:
        return
    shared = _common(chain, test)
    if shared is not None:
        block, ours, theirs = shared
        moved = _moved(page, block, ours, theirs) if theirs is branch and page.is_plain(block) else None
        if moved is not None:
            yield Fix("test the index before the access", moved)
    stmt = chain[-1]
    if isinstance(stmt, DeclStmt) and len(stmt.decls) == 1 and _mentions_earlier(branch.cond, stmt.span.start):
        for part in _conjuncts(branch.cond):
            text = page.text(part)
            if is_pure(part) and balanced(text) and only_under(page, function, stmt.decls[0], text):
                edit = chosen(page, function, one.access, text)
                if edit is not None:
                    yield Fix(f"read it only where {text}", (edit,))


def _conjuncts(expr: Expr) -> Iterator[Expr]:
    at = stripped(expr)
    if isinstance(at, Binary) and at.op == "&&":
        yield from _conjuncts(at.lhs)
        yield from _conjuncts(at.rhs)
    else:
        yield expr


def _mentions_earlier(expr: Expr, start: int) -> bool:
    return all(decl.span.start < start for decl in used(expr))


def _common(one: Chain, other: Chain) -> tuple[Block, Stmt, Stmt] | None:
    """The innermost block that holds both, and the statements of it that do."""
    found = None
    for level, (a, b) in enumerate(zip(one, other, strict=False)):
        if a is not b:
            break
        if isinstance(a, Block) and len(one) > level + 1 and len(other) > level + 1:
            found = (a, one[level + 1], other[level + 1])
    return found


def _moved(page: Page, block: Block, access: Stmt, test: Stmt) -> tuple[Edit, ...] | None:
    """``if (...) return;`` moved from behind ``access`` to in front of it; None where something between matters."""
    assert isinstance(test, If)
    leaves = stripped_block(test.then)
    if test.other is not None or not isinstance(leaves, Return | Continue | Break) or not is_pure(test.cond):
        return None
    start, end = block.body.index(access), block.body.index(test)
    between = block.body[start:end]
    if start >= end or any(_meets(stmt) for stmt in between):
        return None
    names = {decl for stmt in between if isinstance(stmt, DeclStmt) for decl in stmt.decls}
    names.update(decl for stmt in between for decl in changed(stmt))
    if set(used(test.cond)) & names:
        return None
    text = page.source.data[test.span.start : page.end(test)].decode("utf-8", "replace")
    if "\n" in text or any(isinstance(stmt, ExprStmt) for stmt in between):
        return None
    return page.before(access, text), page.removal(test)


def stripped_block(stmt: Stmt | None) -> Stmt | None:
    """The only statement of a block, or the statement itself."""
    if isinstance(stmt, Block) and len(stmt.body) == 1:
        return stmt.body[0]
    return stmt


def _reordered(page: Page, function: FunctionDecl, access: Span, test: Span) -> Iterator[Fix]:
    """The operands of the ``&&`` or ``||`` whose left one holds ``access`` and whose right one is a test, swapped."""
    body = function.body
    if body is None or not within(test, body.span):
        return
    for node in walk(body):
        if not (isinstance(node, Binary) and node.op in ("&&", "||") and within(node.span, test)):
            continue
        if not within(access, node.lhs.span) or not is_pure(node.rhs):
            continue
        inner = stripped(node.lhs)
        if isinstance(inner, Binary) and inner.op == node.op and within(access, inner.rhs.span):
            pass  # a && t[k] && k < n: the whole left side may go behind the test
        place = page.operator(node.lhs, node.rhs)
        if place is None:
            continue
        left = page.source.data[node.span.start : place.start].decode()
        right = page.source.data[place.end : node.span.end].decode()
        if balanced(left) and balanced(right) and "\n" not in left + right:
            op = page.text(place)
            swapped = Edit(node.span, f"{right.strip()} {op} {left.strip()}")
            yield Fix("test the index first, then the element", (swapped,))


# ------------------------------------------------------------------------------------------- tests put right


def _inclusive(page: Page, facts: Facts, one: Overreach) -> Iterator[Fix]:
    """``<=`` made ``<``, or ``>`` made ``>=`` where threads leave."""
    function, values = facts.function, Values.of(facts, facts[trace])
    for node in _comparisons(function, one.guard.span):
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


def _comparisons(function: FunctionDecl, span: Span) -> Iterator[Binary]:
    """The comparisons in a condition of a function or of one that it calls."""
    seen: set[Span] = set()
    for holder in _below(function):
        if holder.body is None or not within(span, holder.body.span):
            continue
        for node in walk(holder.body):
            if not isinstance(node, Binary) or node.op not in ("<", "<=", ">", ">="):
                continue
            if within(node.span, span) and node.span not in seen:
                seen.add(node.span)
                yield node


def _leaves(function: FunctionDecl, span: Span) -> bool:
    """Whether threads for which the condition at ``span`` holds leave."""
    for holder in _below(function):
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
            lower = isinstance(stripped(less), IntLit) or within(node.span, place)
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
    for node in _comparisons(facts.function, one.guard.span):
        left, right = stripped(node.lhs), stripped(node.rhs)
        if node.op != ">=" or not (isinstance(right, IntLit) and right.value == 0):
            continue
        if not isinstance(left, Binary) or left.op != "-" or not isinstance(left.type, IntType) or left.type.signed:
            continue
        size, less = stripped(left.lhs), "<="
        if isinstance(size, Binary) and size.op == "-" and _is_one(size.rhs):
            size, less = stripped(size.lhs), "<"
        texts = page.text(left.rhs), page.text(size)
        if all(balanced(text) for text in texts):
            edits.append(Edit(node.span, f"{texts[0]} {less} {texts[1]}"))
    if edits:
        said = " and ".join(edit.text for edit in edits)
        yield Fix(f"compare without subtracting: {said}", tuple(edits))


def _is_one(expr: Expr) -> bool:
    at = stripped(expr)
    return isinstance(at, IntLit) and at.value == 1


def _swapped(page: Page, facts: Facts, one: Overreach) -> Iterator[Fix]:
    """The extents of two tests exchanged."""
    found = [n for n in _comparisons(facts.function, one.guard.span) if isinstance(stripped(n.rhs), Ref)]
    if len(found) == 2:
        first, second = (stripped(node.rhs) for node in found)
        texts = page.text(first), page.text(second)
        if texts[0] != texts[1] and all(text.isidentifier() for text in texts):
            edits = (Edit(first.span, texts[1]), Edit(second.span, texts[0]))
            yield Fix(f"test each index against its own extent: exchange {texts[0]} and {texts[1]}", edits)


def _padded(page: Page, facts: Facts, one: Overreach) -> Iterator[Fix]:
    """A read beyond the real count made ``index < count ? read : 0``: padding is zero."""
    size = _text_of(one.size)
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


def _text_of(size: Polynomial | None) -> str | None:
    """A size as the kernel writes it: the name of a parameter, or a product of some."""
    if size is None or len(size.coefficients) != 1:
        return None
    mono, factor = next(iter(size.coefficients.items()))
    if factor != 1 or not mono or any(atom.op != "sym" for atom in mono):
        return None
    found: list[Symbol] = [atom.args[0] for atom in mono]
    if any(s.kind not in (SymbolKind.PARAM, SymbolKind.TEMPLATE) or not s.name.isidentifier() for s in found):
        return None
    return " * ".join(s.name for s in found)


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
            size, index = _text_of(dimension.limits[0].size), _written(page, values, function, one.access, dimension)
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
    read = stripped(init)
    if body is None or not isinstance(read, Subscript) or read.span != access.span:
        return None
    for node in walk(body):
        if not isinstance(node, Conditional):
            continue
        then, text = stripped(node.then), page.text(node.other)
        base = page.text(then.base) if isinstance(then, Subscript) else ""
        literal = isinstance(stripped(node.other), IntLit | FloatLit)
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
        at = stripped(node)
        if isinstance(at, Ref | Binary) and values.polynomial(at) == dimension.index:
            text = page.text(at)
            if isinstance(at, Ref):
                return text
            if at.op in ("+", "-") and balanced(text) and "\n" not in text:
                sums.append(text)
    return sums[0] if sums else None


def _below_number(page: Page, cond: Expr, op: str) -> set[str]:
    """What a condition finds to be below a number: the texts ``x`` of its parts ``x < 0``."""
    at = stripped(cond)
    if isinstance(at, Binary) and at.op == op:
        return _below_number(page, at.lhs, op) | _below_number(page, at.rhs, op)
    if isinstance(at, Binary) and at.op == "<" and isinstance(stripped(at.rhs), IntLit):
        return {page.text(at.lhs)}
    return set()


def _at_least_number(page: Page, cond: Expr) -> set[str]:
    """What a condition requires to be at least a number: the texts ``x`` of its parts ``x >= 0``."""
    found = set()
    for part in _conjuncts(cond):
        at = stripped(part)
        if isinstance(at, Binary) and at.op in (">", ">=") and isinstance(stripped(at.rhs), IntLit):
            found.add(page.text(at.lhs))
    return found


Repair = Callable[[Page, Facts, Overreach], Iterator[Fix]]


def wrong(facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
    """For ``wrong-bounds-guard``: the test put right.

    There is nothing where that takes more than the test, as a tail that no one would treat then.
    """
    page = Page(source, facts.module)
    for one in facts[overreach]:
        if one.access.span == finding.span and (repair := _BY_FAULT.get(one.fault)) is not None:
            yield from repair(page, facts, one)


_BY_FAULT: dict[Fault, Repair] = {
    Fault.INCLUSIVE: _inclusive,
    Fault.NEIGHBOUR: _neighbour,
    Fault.REVERSED: _reversed,
    Fault.CLAMPED: _clamped,
    Fault.SWAPPED: _swapped,
    Fault.VACUOUS: _vacuous,
    Fault.PADDED: _padded,
}
