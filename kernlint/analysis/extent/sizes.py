"""Parameters that are sizes, and whether a kernel makes any use of them where it matters for bounds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from kernlint.analysis.base import Facts, KernelAnalysis, ModuleAnalysis, ModuleFacts
from kernlint.analysis.coverage import Cover
from kernlint.analysis.extent.bounds import condition_symbols, index_symbols
from kernlint.analysis.launching.launch_context import LaunchView, launch_context
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Trace
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, symbols
from kernlint.tree.nodes import (
    Binary,
    Cast,
    DeclStmt,
    Expr,
    For,
    FunctionDecl,
    ImageOp,
    LaunchValue,
    Member,
    Opaque,
    ParamDecl,
    Ref,
    VarDecl,
)
from kernlint.tree.types import ArrayType, IntType, Space, StructType, Type
from kernlint.tree.walk import walk


@dataclass(frozen=True, slots=True)
class UnusedSize:
    """An integer parameter (``name``, or a field or element of one) that looks like a size, but stands in no index
    and in no condition that can fail.  ``why``: what makes it a size, in words.  ``in_values``: a parameter of
    its own with which the kernel computes something."""

    name: str
    param: ParamDecl
    why: str
    in_values: bool = False


_SIZE_WORDS = """
    n m nx ny nz size sizes sz count cnt counts num numel len length width height depth rows cols columns total limit
    extent extents elements elems items dim dims shape npoints nelem nelems ntotal nelements samples pixels points
    particles vertices atoms cells entries bound end w h
"""
_WORDS = frozenset(_SIZE_WORDS.split())
_HEADS = frozenset({"num", "nof", "number", "total"})


def last_part(name: str) -> str:
    """The last part of a name (``in.cols``, ``job->cols``), as comments call it."""
    return name.replace("->", ".").rpartition(".")[2]


def named_like_a_size(name: str) -> bool:
    """Whether a parameter's name says that it counts elements (the last resort among the kinds of evidence)."""
    leaf = name.rpartition(".")[2]
    words = [w.lower() for w in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", leaf)]
    if not words:
        return False
    plural = words[0] == "n" and words[-1].endswith("s")
    return leaf.lower() in _WORDS or (len(words) > 1 and words[-1] in _WORDS) or words[0] in _HEADS or plural


ANY = -1

BY_NAME = "by its name"

BESIDE = "it stands beside sizes that the kernel uses, and is put to no use"
"""Why the one integer that a kernel has no use for is a size: enough where one axis of several is left untested."""

BESIDE_ONE = "it stands beside a size that the kernel uses, and is put to no use"
"""The same of two integers: nothing is known of the other one but that it is no size that the kernel uses."""


def _leaves(param: ParamDecl) -> Iterator[tuple[str, int | None, str]]:
    """(path, element, text) of the integers in a parameter; ``element``: index in an array field."""

    def of(type_: Type, path: str, depth: int) -> Iterator[tuple[str, int | None, str]]:
        if isinstance(type_, IntType) and type_.bits >= 32:
            yield path, None, path
        elif isinstance(type_, StructType) and depth < 3:
            for field in type_.fields:
                yield from of(field.type, f"{path}.{field.name}", depth + 1)
        elif isinstance(type_, ArrayType) and isinstance(type_.element, IntType) and (type_.extent or 9) <= 4:
            for element in range(type_.extent or 0):
                yield path, element, f"{path}[{element}]"

    yield from of(param.type, param.name, 0)


def _key(symbol: Symbol) -> tuple[str, int | None] | None:
    """The (path, element) of a parameter that a symbol stands for; element ANY: one that is not known."""
    if symbol.kind is SymbolKind.PARAM:
        return symbol.name, None
    if symbol.kind is SymbolKind.LOAD and isinstance(symbol.origin, tuple):
        root, offset = symbol.origin[0], symbol.origin[1]
        if root.decl is not None and isinstance(root.decl, ParamDecl):
            size = root.element.element.size if isinstance(root.element, ArrayType) else root.element.size
            at = polynomial(offset).constant
            return root.name, at // size if at is not None and size else ANY
    return None


def _counts_from_the_end(kernel: Trace) -> bool:
    """Whether the kernel goes to ``size - 1 - i`` for the number of a thread in the grid, which no test holds below the
    size: it takes itself to be launched for just so many."""
    ids = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK})
    for access in kernel.accesses:
        if any(symbol.kind in ids for guard in access.guards for symbol in symbols(guard.term)):
            continue
        form = polynomial(access.offset).coefficients
        down = [m for m, step in form.items() if step < 0 and any(s.kind in ids for a in m for s in symbols(a))]
        sizes = any(
            step > 0 and any(s.kind is SymbolKind.PARAM for a in m for s in a.symbols) for m, step in form.items()
        )
        if down and sizes:
            return True
    return False


def _compute(facts: Facts) -> tuple[UnusedSize, ...]:
    kernel = facts[trace]
    if not facts[launch_context].launches and _counts_from_the_end(kernel):
        return ()
    tested = {key for s in condition_symbols(kernel) if (key := _key(s))}
    indexing = {key for s in index_symbols(kernel) if (key := _key(s))}
    used = tested | indexing
    blurred = {path for path, element in used if element == ANY}
    mentioned = _mentioned(facts.function) if _hidden_uses(facts) else frozenset()
    discarded = _discarded(facts)
    own = _compared_in(facts.function)  # a test may as well choose a value
    found = []
    for param in facts.function.params:
        if param.synthesised or param.implicit or param in mentioned or param.name in discarded or param.name in own:
            continue
        for path, element, text in _leaves(param):
            if (path, element) in used or path in blurred:
                continue
            why = _reason(facts, path, element)
            in_values = path == param.name and element is None and param in _mentioned(facts.function)
            if why == BY_NAME and param in _mentioned(facts.function):
                continue  # it is put to some use: an operand of the results, not a count
            if why:
                found.append(UnusedSize(text, param, why, in_values))
    return tuple(found) or _beside(facts, tested | indexing)


def _beside(facts: Facts, used: set[tuple[str, int | None]]) -> tuple[UnusedSize, ...]:
    """The only integer parameter that the kernel never mentions, where all of the others are sizes that it tests."""
    if facts[launch_context].telling or facts.losses or _hidden_uses(facts) or _tiles(facts):
        return ()
    mentioned = _mentioned(facts.kernel.function)
    whole = [param for param in facts.function.params if isinstance(param.type, IntType) and param.type.bits >= 32]
    idle = [param for param in whole if param.name not in {decl.name for decl in mentioned}]
    if len(idle) != 1 or len(whole) < 2 or not all((param.name, None) in used for param in whole if param not in idle):
        return ()
    return (UnusedSize(idle[0].name, idle[0], BESIDE if len(whole) > 2 else BESIDE_ONE),)


def _hidden_uses(facts: Facts) -> bool:
    """Whether a use of a size may be out of sight: an index into an image, an argument of a call not followed."""
    body = facts.function.body
    return bool(facts[trace].calls) or (body is not None and any(isinstance(n, ImageOp | Opaque) for n in walk(body)))


def _discarded(facts: Facts) -> frozenset[str]:
    """Parameters that the template uses and this instance of it does not: what they are for lies in a branch that was
    discarded."""
    template = facts.kernel.function
    if facts.function is template:
        return frozenset()
    used = _mentioned(facts.function)
    unused = {param.name for param in facts.function.params if param not in used}
    return frozenset(decl.name for decl in _mentioned(template) if decl in template.params and decl.name in unused)


def _mentioned(function: FunctionDecl) -> frozenset[VarDecl]:
    """Variables that the kernel's own text uses."""
    body = function.body
    return frozenset(n.decl for n in walk(body) if isinstance(n, Ref)) if body is not None else frozenset()


def _reason(facts: Facts, path: str, element: int | None) -> str:
    """Why an unused integer is taken for a size; empty when nothing says so."""
    launches = facts[launch_context].launches
    for view in launches:
        value = view.fact.argument(path)
        if isinstance(value, Term) and value.value is None:
            given = polynomial(value)
            for cover in view.covers:
                if cover.kind is Cover.EXACT:
                    continue  # there are no more threads than elements
                if cover.count is not None and _part_of(given, polynomial(cover.count)):
                    return "the launch derives its grid from it"
    found = {key for access in facts[trace].accesses for s in _strides(access.offset) if (key := _key(s))}
    striding = {e for p, e in found if p == path and e not in (None, element)}
    if element is not None and striding and not _pitches(facts, path, len(striding)):
        return "another element of the array strides the index"
    if _tiles(facts) and sum(isinstance(param.type, IntType) for param in facts.function.params) > 1:
        return ""  # written for whole tiles, it may well be launched for whole ones, whatever its numbers are
    if launches and all(_counts_blocks(view, path) for view in launches):
        return ""
    if path in facts[compared_parameters] and not (launches and all(_a_block_each(view, path) for view in launches)):
        return "a sibling kernel tests against the parameter of this name"
    if any(view.tells for view in launches):
        return ""  # they show what the grid comes from, and it is not this
    return BY_NAME if named_like_a_size(path) else ""


def _tiles(facts: Facts) -> bool:
    """Whether blocks work together on tiles in shared memory."""
    return any(access.root.space is Space.SHARED for access in facts[trace].accesses)


def _pitches(facts: Facts, path: str, striding: int) -> bool:
    """Whether an array holds pitches, not sizes: each axis of the launch has an element that its index is multiplied
    by (of sizes the outermost is no pitch), and none is divided by."""
    ids = (SymbolKind.THREAD, SymbolKind.BLOCK)
    if striding < len({s.axis for s in index_symbols(facts[trace]) if s.kind in ids}):
        return False
    return not any(_divides(access.offset, path) for access in facts[trace].accesses)


@lru_cache(maxsize=4096)
def _divides(term: Term, path: str) -> bool:
    """Whether an element of a parameter's array is a divisor in ``term``."""
    if term.op in ("div", "mod") and any((key := _key(s)) and key[0] == path for s in symbols(term.args[1])):
        return True
    return any(_divides(arg, path) for arg in term.terms)


@lru_cache(maxsize=4096)
def _strides(term: Term) -> frozenset[Symbol]:
    """Symbols of an index but those that only choose between values."""
    if term.op == "sym":
        return frozenset((term.args[0],))
    parts = term.args[1:] if term.op == "select" else term.terms
    return frozenset().union(*map(_strides, parts))


def _a_block_each(view: LaunchView, path: str) -> bool:
    """Whether a launch has as many blocks as another argument than ``path`` counts: what is passed as ``path`` is then
    the length of what each block works on."""
    if view.fact.grid is None or view.block[0] is None:
        return False
    counts = [plain(term) for term in view.fact.grid if term.value is None]
    given = [plain(value) for name, value in view.fact.arguments if name != path and isinstance(value, Term)]
    own = view.fact.argument(path)
    return bool(counts) and all(count in given and count is not own for count in counts)


def _counts_blocks(view: LaunchView, path: str) -> bool:
    """Whether a launch of several threads each has exactly as many blocks as is passed: rows, of which each block has
    one, whatever is in it."""
    own = view.fact.argument(path)
    if view.fact.grid is None or view.block[0] in (None, 1) or not isinstance(own, Term) or own.value is not None:
        return False
    return any(plain(count) == plain(own) for count in view.fact.grid)


def _part_of(given: Polynomial, count: Polynomial) -> bool:
    """Whether ``count`` is ``given``, or a product with it."""
    if given == count:
        return True
    atoms = given.atoms
    return len(atoms) == 1 and given.coefficients == {tuple(atoms): 1} and atoms <= count.atoms


def _compared(facts: ModuleFacts) -> frozenset[str]:
    """Names of integer parameters that some kernel of the file compares with something, directly."""
    found: set[str] = set()
    for kernel in facts.module.kernels:
        function = kernel.function
        if function.body is not None:
            found |= _compared_in(function, data=False)
    return frozenset(found)


def _compared_in(function: FunctionDecl, data: bool = True) -> set[str]:
    """Names of parameters that a kernel compares with something; without ``data``, with what may be a place, and is
    not read from memory."""
    names: set[str] = set()
    params = set(function.params)
    if function.body is None:
        return names
    counting = {id(node.cond) for node in walk(function.body) if isinstance(node, For) and _counts(node, params)}
    for node in walk(function.body):
        if isinstance(node, Binary) and node.op in ("<", "<=", ">", ">=") and id(node) not in counting:
            for side, other in ((node.lhs, node.rhs), (node.rhs, node.lhs)):
                inner = _bare(side)
                if isinstance(inner, Ref) and inner.decl in params and (data or not _from_memory(_bare(other))):
                    names.add(inner.decl.name)
    return names


def _from_memory(expr: Expr) -> bool:
    """Whether an expression reads a member of what a pointer leads to."""
    return isinstance(expr, Member) and (expr.arrow or _from_memory(expr.base))


def _counts(loop: For, params: set[ParamDecl]) -> bool:
    """Whether a loop goes through the same numbers in all threads: it begins at what the arguments alone say."""
    if not isinstance(loop.init, DeclStmt) or not loop.init.decls:
        return False
    first = loop.init.decls[0].init
    return first is not None and all(
        not isinstance(node, LaunchValue) and not (isinstance(node, Ref) and node.decl not in params)
        for node in walk(first)
    )


def _bare(expr: Expr) -> Expr:
    while isinstance(expr, Cast):
        expr = expr.operand
    return expr


compared_parameters = ModuleAnalysis("compared_parameters", _compared)
"""Names of integer parameters that kernels of the file compare with something."""

unused_sizes = KernelAnalysis("unused_sizes", _compute, needs=(trace, launch_context, compared_parameters))
"""Each :class:`UnusedSize` of a kernel."""
