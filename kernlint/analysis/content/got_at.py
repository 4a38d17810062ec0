"""Which variables are got at in ways that the walk does not follow.

Assembly, calls out of sight and what was lost may store in every variable that they name; a pointer that is kept in a
list, assigned, or one of two, stores where its value does not show.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kernlint.analysis.base import Facts, ModuleAnalysis
from kernlint.analysis.trace import trace
from kernlint.tree.nodes import (
    AddressOf,
    Asm,
    AsyncCopy,
    Atomic,
    Call,
    Deref,
    Expr,
    FunctionDecl,
    Member,
    Node,
    Opaque,
    Ref,
    Subscript,
    VarDecl,
)
from kernlint.tree.types import FloatType, IntType, VectorType
from kernlint.tree.walk import children, strip_casts, walk


def pointed_to(functions: Iterable[FunctionDecl]) -> set[int]:
    """Variables whose address is kept where the walk may lose it: in a list, an assignment, one of two choices.  What
    is handed to a function with a body, looked through at once, or one pointer's value for good, is followed."""
    kept: dict[int, int] = {}
    followed: set[int] = set()
    for function in functions:
        for node in walk(function.body) if function.body is not None else ():
            if isinstance(node, AddressOf) and isinstance(node.operand, Ref):
                kept[id(node)] = id(node.operand.decl)
            elif isinstance(node, Call):
                followed.update(id(strip_casts(arg)) for arg in node.args)
            elif isinstance(node, (Deref, VarDecl)):
                followed.add(id(strip_casts(node.pointer if isinstance(node, Deref) else node.init)))
            elif isinstance(node, (Member, Subscript)):
                followed.add(id(strip_casts(node.base)))
            elif isinstance(node, (Atomic, AsyncCopy)):
                followed.update(id(strip_casts(part)) for part in children(node) if isinstance(part, Expr))
    return {decl for address, decl in kept.items() if address not in followed}


def handed_over(facts: Facts) -> set[int]:
    """Variables that text which is not followed gets at: assembly, calls out of sight, what was lost."""
    known: frozenset[int] = facts[unfollowed]
    found = set(known)
    if facts.function not in facts.module.functions:
        found |= _got_at((facts.function,))
    for call in facts[trace].calls:
        found |= _named_in(call.node)
    return found


def _named_in(node: Node) -> set[int]:
    """The variables that text names which is not followed, but for numbers that a call takes by value."""
    given = (node.receiver, *_kept(node)) if isinstance(node, Call) else (node,)
    return {id(part.decl) for one in given if one is not None for part in walk(one) if isinstance(part, Ref)}


def _kept(call: Call) -> Iterator[Expr]:
    """The arguments that a call may store in: no numbers, unless it takes a reference to them, or nobody knows."""
    params = call.function.params if call.function is not None else ()
    for place, arg in enumerate(call.args):
        kind = params[place].type if place < len(params) else None
        number = isinstance(arg.type, (IntType, FloatType, VectorType))
        if not number or not (call.pure_math or isinstance(kind, (IntType, FloatType, VectorType))):
            yield arg


def _got_at(functions: Sequence[FunctionDecl]) -> set[int]:
    """Variables that text in ``functions`` gets at that is not in the tree."""
    found: set[int] = set()
    beyond: dict[int, bool] = {}
    for function in functions:
        for node in walk(function.body) if function.body is not None else ():
            if isinstance(node, (Asm, Opaque)) or (isinstance(node, Call) and _beyond_reading(node, beyond)):
                found |= _named_in(node)
    return found


def _beyond_reading(call: Call, known: dict[int, bool]) -> bool:
    """Whether what a call does with its arguments is not in the tree: no body, or one of assembly.  ``known``: what
    was found of functions before."""
    function = call.function
    if function is None or function.body is None:
        return True
    if id(function) not in known:
        known[id(function)] = any(isinstance(node, Asm) for node in walk(function.body))
    return known[id(function)]


unfollowed = ModuleAnalysis("unfollowed", lambda facts: frozenset(_got_at(facts.module.functions)))
"""The variables of a file that text which is not in the tree gets at."""
