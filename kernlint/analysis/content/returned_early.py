"""Values that a helper returns before it has set them, and a caller that takes them up whatever the helper met::

    Hit trace(const float *p) {                Hit hit = trace(p + i);
        Hit hit;                               depth[i] = hit.depth;
        if (!(p[0] >= 0)) {                    colour[i] = hit.colour;
            hit.depth = 10.0f;
            return hit;
        }
        hit.depth = p[0];
        hit.colour = p[1];
        return hit;
    }

Somebody has written the way out for such data, so they are met.  Where data guard the use, or are factors of what is
used, that the helper may have asked, or made the answer of: silent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kernlint.analysis.content.one_branch import SETTLED
from kernlint.analysis.trace.events import Event, GuardKind
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, symbols
from kernlint.tree.nodes import (
    Assign,
    Block,
    DeclStmt,
    DoWhile,
    For,
    FunctionDecl,
    If,
    Member,
    Node,
    Ref,
    Return,
    VarDecl,
    While,
)
from kernlint.tree.walk import strip_casts, walk


def returned_early(
    decl: VarDecl, event: Event, used: Term, facts: Sequence[Term], unset: Symbol, functions: Iterable[FunctionDecl]
) -> If | None:
    """The branch in which a helper returns ``decl`` before it sets it, or a field of it, where data decide by ``facts``
    whether it is taken and have no further say in whether ``used`` is."""
    data = [{symbol for symbol in symbols(fact) if symbol.kind not in SETTLED} for fact in facts]
    asked = set[Symbol]().union(*data)
    if not asked or sum(map(len, data)) > len(asked) or not _regardless(event, used, asked, unset):
        return None  # (of questions about the same data one may be whether it was the other way)
    for function in functions:
        body = function.body
        for node in walk(body) if body is not None else ():
            if isinstance(node, DeclStmt) and any(one is decl for one in node.decls):
                assert body is not None
                return next(_ways_out(decl, body), None)
    return None


def _regardless(event: Event, used: Term, asked: set[Symbol], unset: Symbol) -> bool:
    """Whether what was ``asked`` of data neither guards a use nor is a factor of what is used."""
    for guard in event.guards:
        ended = guard.kind is GuardKind.AFTER_LOOP and guard.loop is not None and not guard.loop.exits
        if not ended and not _apart(guard.term, asked):
            return False
    return all(_apart(part, asked) for part in _beside(used, unset))


def _apart(term: Term, asked: set[Symbol]) -> bool:
    """Whether a term has nothing in it of what was asked: no number of the same array, nor one of a loop."""
    roots = {id(one.origin[0]) for one in asked if isinstance(one.origin, tuple)}
    for symbol in symbols(term):
        if symbol in asked or symbol.kind in (SymbolKind.PHI, SymbolKind.UNKNOWN, SymbolKind.TRIPS):
            return False
        if symbol.kind is SymbolKind.LOAD and (not isinstance(symbol.origin, tuple) or id(symbol.origin[0]) in roots):
            return False
    return True


def _beside(used: Term, unset: Symbol) -> Iterator[Term]:
    """What a value is made of beside the selection that holds the unset one: of a vector, in its own lane."""
    if used.op in ("select", "sym") or unset not in used.symbols:
        return
    for part in used.terms:
        if unset in part.symbols:
            yield from _beside(part, unset)
        elif used.op != "call" or used.args[0] != "struct":
            yield part


def _ways_out(decl: VarDecl, body: Block) -> Iterator[If]:
    """The branches that end with the return of a variable which is set behind them alone, or a field of it."""
    assigned = [(node, _field(node, decl)) for node in walk(body) if isinstance(node, Assign) and not node.op]
    stores = [(node, field) for node, field in assigned if field is not None]
    loops = [node for node in walk(body) if isinstance(node, (For, While, DoWhile))]
    for test in walk(body):
        if not isinstance(test, If) or test.is_constexpr or not _returns(test.then, decl):
            continue
        again = [loop for loop in loops if _within(test, loop)]
        end = max([test.span.end if test.then is None else test.then.span.end, *(loop.span.end for loop in again)])
        early = {field for node, field in stores if node.span.start < end}
        if "" not in early and any(field not in early for _, field in stores):
            yield test


def _field(store: Assign, decl: VarDecl) -> str | None:
    """The field of a variable that an assignment sets (empty: all of it), None where it sets something else."""
    target, field = strip_casts(store.target), ""
    while isinstance(target, Member) and not target.arrow:
        field = target.field
        target = strip_casts(target.base)
    return field if isinstance(target, Ref) and target.decl is decl else None


def _returns(branch: Node | None, decl: VarDecl) -> bool:
    while isinstance(branch, Block) and branch.body:
        branch = branch.body[-1]
    value = strip_casts(branch.value) if isinstance(branch, Return) and branch.value is not None else None
    return isinstance(value, Ref) and value.decl is decl


def _within(inner: Node, outer: Node) -> bool:
    return inner.span.file == outer.span.file and outer.span.start <= inner.span.start < outer.span.end
