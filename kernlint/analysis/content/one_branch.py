"""The only branch in which a private variable is set, where the kernel goes on without it.

A kernel that asks data a question is written for both answers.  A variable that one answer sets, in a branch beside its
declaration, is unset for the other, and a use that nothing keeps to the first answer takes that up::

    float least;                                  int stride, steps;
    if (here > 0) {                               if (down) { stride = -width; steps = y; }
        least = here;                             else steps = height - 1 - y;
        for (...) least = min(least, x[k]);       for (int i = 0; i < steps; ++i) p += stride;
    }
    out[i] = least;

Of arguments the same is said only where the other answer has a branch too, as a caller may give the first one always.
A chain of ``else if`` may have a branch for all there is.  Data that guard the use, or that are factors of what is
used, may say the same as those that were asked: silent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kernlint.analysis.trace.events import Event, GuardKind
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, symbols
from kernlint.tree.nodes import (
    Assign,
    Block,
    Break,
    Continue,
    DeclStmt,
    FunctionDecl,
    If,
    Member,
    Node,
    Ref,
    Stmt,
    VarDecl,
)
from kernlint.tree.walk import strip_casts, walk

_ASKED = frozenset({SymbolKind.LOAD, SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.BLOCK_DIM, SymbolKind.PARAM})


@dataclass(frozen=True, slots=True)
class OneBranch:
    """``test``: the branch; ``both``: it has another side, which does something else; ``within``: the function."""

    test: If
    both: bool
    within: Span


def one_branch(decl: VarDecl, functions: Iterable[FunctionDecl]) -> OneBranch | None:
    """The only branch that sets ``decl``, if it stands beside the declaration."""
    for function in functions:
        for node in walk(function.body) if function.body is not None else ():
            if isinstance(node, Block) and any(_declares(one, decl) for one in node.body):
                return _only(decl, node, function.span)
    return None


def _declares(statement: Stmt, decl: VarDecl) -> bool:
    return isinstance(statement, DeclStmt) and any(one is decl for one in statement.decls)


def _only(decl: VarDecl, block: Block, within: Span) -> OneBranch | None:
    stores = {id(node) for node in walk(block) if _sets(node, decl)}
    for test in block.body:
        if not isinstance(test, If) or test.is_constexpr:
            continue
        then, other = _stores(test.then, decl), _stores(test.other, decl)
        if not then and not other:
            continue
        rest = test.then if other else test.other
        if (then and other) or then | other != stores or (not then and not other) or _goes_on_asking(rest):
            return None
        return OneBranch(test, rest is not None and any(isinstance(node, Assign) for node in walk(rest)), within)
    return None


def _sets(node: Node, decl: VarDecl) -> bool:
    if not isinstance(node, Assign) or node.op:  # (an update needs what it updates)
        return False
    target = strip_casts(node.target)
    while isinstance(target, Member) and not target.arrow:
        target = strip_casts(target.base)
    return isinstance(target, Ref) and target.decl is decl


def _stores(side: Stmt | None, decl: VarDecl) -> set[int]:
    return {id(node) for node in walk(side) if _sets(node, decl)} if side is not None else set()


def _goes_on_asking(rest: Stmt | None) -> bool:
    """Whether the other side is one more question, or leaves."""
    while isinstance(rest, Block) and len(rest.body) == 1:
        rest = rest.body[0]
    if rest is None:
        return False
    return isinstance(rest, If) or any(isinstance(node, (Break, Continue)) for node in walk(rest))


def taken_up(event: Event, used: Term, facts: list[Term], unset: Symbol, within: Span) -> bool:
    """Whether a use of ``used`` takes up the ``unset`` value of a branch that data alone choose, by the ``facts`` under
    which it is unset (of a branch within the branch, several), and no other data have a say."""
    questions = [_beside_loop(fact) for fact in facts]
    if not facts or any(s.kind not in _ASKED for one in questions for s in symbols(one)):
        return False
    asked = [symbol for fact in facts for symbol in symbols(fact) if symbol.kind is SymbolKind.LOAD]
    if not asked or any(map(_after_loop, questions)):
        return False
    return settled(event, unset, asked, within) and not any(_same_data(part, asked) for part in _factors(used, unset))


def settled(
    event: Event, unset: Symbol | None = None, asked: Sequence[Symbol] = (), within: Span | None = None
) -> bool:
    """Whether no data have a say in whether a use is made: but for data that the function ``within`` has asked before
    the ``unset`` variable is declared, and that are others than those that are ``asked`` afterwards."""
    decl = unset.origin if unset is not None else None
    for guard in event.guards:
        ended = guard.kind is GuardKind.AFTER_LOOP and guard.loop is not None and not guard.loop.exits
        if ended or not any(symbol.kind not in SETTLED for symbol in symbols(guard.term)):
            continue
        before = within is not None and isinstance(decl, VarDecl) and _before(guard.span, decl.span, within)
        if not before or _same_data(guard.term, asked):
            return False
    return True


def _before(guard: Span, decl: Span, within: Span) -> bool:
    """Whether a function asks a guard before it declares a variable."""
    return guard.file == decl.file == within.file and within.start <= guard.start < decl.start


SETTLED = (_ASKED - {SymbolKind.LOAD}) | {SymbolKind.GRID_DIM, SymbolKind.COUNTER}


def _after_loop(term: Term) -> bool:
    return (term.op == "call" and term.args[0].startswith("after")) or any(map(_after_loop, term.terms))


def _beside_loop(fact: Term) -> Term:
    """What memory holds that a condition compares with what a loop has found: the best of a search may be no better
    than it.  Else the condition itself."""
    test = fact.args[0] if fact.op == "lnot" else fact
    if test.op in ("lt", "le"):
        for found, other in (test.args, test.args[::-1]):
            held = plain(other).symbol
            if _after_loop(found) and held is not None and held.kind is SymbolKind.LOAD:
                return plain(other)
    return fact


def switch(used: Term, facts: Sequence[Term], unset: Symbol) -> bool:
    """Whether an argument that is only asked whether it is a certain number chooses the branch: a switch, which has
    two positions, or one of several ways to work, of which there are others.  What it multiplies may be nothing in one
    of them."""
    named = {symbol for fact in facts for symbol in symbols(fact)}
    if len(named) != 1 or any(symbol.kind is not SymbolKind.PARAM for symbol in named):
        return False
    return all(map(_of_number, facts)) and not any(named & set(symbols(part)) for part in _factors(used, unset))


def _of_number(fact: Term) -> bool:
    """Whether a condition asks whether a value is a certain number, or a truth value true."""
    if fact.op in ("eq", "ne"):
        return fact.args[1].value is not None and plain(fact.args[0]).symbol is not None
    return plain(fact.args[0] if fact.op == "lnot" else fact).symbol is not None


def _factors(term: Term, unset: Symbol) -> Iterator[Term]:
    """What a used value is made of beside the selection that holds the unset one."""
    if term.op in ("select", "sym") or (term.op == "call" and term.args[0].startswith("after")):
        return
    for part in term.terms:
        if any(one is unset or (one.origin is unset.origin and one.kind is unset.kind) for one in part.symbols):
            yield from _factors(part, unset)  # (another lane or field of it is chosen as it is)
        else:
            yield part


def _same_data(part: Term, asked: Sequence[Symbol]) -> bool:
    roots = [one.origin[0] for one in asked if isinstance(one.origin, tuple)]
    held = (symbol.origin for symbol in symbols(part) if symbol.kind is SymbolKind.LOAD)
    return any(isinstance(origin, tuple) and any(origin[0] is root for root in roots) for origin in held)
