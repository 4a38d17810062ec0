"""Memory that is asked for by a count of elements, as the launches of the same function have it."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.hostmodel.operations import HostWalk
from kernlint.analysis.trace.events import ApiEvent, LaunchEvent
from kernlint.analysis.trace.values import as_term
from kernlint.apis import makes
from kernlint.source import Span
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, subterms, symbols
from kernlint.tree.nodes import Expr, FunctionDecl, Ref, VarDecl
from kernlint.tree.types import FloatType, IntType, PointerType
from kernlint.tree.walk import strip_casts


def asked_by_count(walk: HostWalk) -> Iterator[tuple[Span, str, str, tuple[Span, ...]]]:
    """Place, message, how to mend it, and the calls that lead there."""
    for api in walk.trace.apis:
        made = makes(api.name)
        if made is None or made.out is None or made.size is None or made.factor is not None:
            continue
        size = plain(as_term(api.args[made.size])) if made.size < len(api.args) else None
        element = _element(api, made.out)
        number = (
            _number(size, api.node.args[made.size]) if size is not None and made.size < len(api.node.args) else None
        )
        if number is None or element is None:
            continue
        for launch in walk.trace.launches:
            kernel = next((kernel for kernel in launch.kernels if _goes_through(kernel, element)), None)
            known = isinstance(number, VarDecl) and size is not None and _one_each_of(launch, number, size.value or 0)
            if kernel is not None and (known or (isinstance(number, Symbol) and _one_each(launch, number))):
                width = element.size or 1
                message = f"{number.name} bytes are asked for, and {kernel.name} goes through as many times {width}"
                yield api.span, message, f"multiply by {width}", api.stack
                break


def _number(size: Term, written: Expr) -> Symbol | VarDecl | None:
    """What counts: a parameter of the host function, or a constant that has a name."""
    if size.symbol is not None:
        return size.symbol if size.symbol.kind is SymbolKind.PARAM else None
    bare = strip_casts(written)
    return bare.decl if size.value is not None and isinstance(bare, Ref) else None


def _element(api: ApiEvent, out: int) -> IntType | FloatType | None:
    """What the pointer leads to that is stored, where that is more than a byte."""
    kind = strip_casts(api.node.args[out]).type if out < len(api.node.args) else None
    inner = kind.pointee if isinstance(kind, PointerType) else None
    element = inner.pointee if isinstance(inner, PointerType) else None
    return element if isinstance(element, (IntType, FloatType)) and (element.size or 1) > 1 else None


def _one_each(launch: LaunchEvent, number: Symbol) -> bool:
    """Whether a launch has a thread for each of so many, and the kernel is told the number."""
    told = any(isinstance(arg, Term) and plain(arg).symbol is number for arg in launch.args)
    grid = launch.grid
    if not told or grid is None or launch.block is None or symbols(grid[0]) != (number,):
        return False
    units = [part.args[1] for part in subterms(grid[0]) if part.op == "div"]
    return len(units) == 1 and plain(units[0]).value == launch.block[0].value is not None


def _one_each_of(launch: LaunchEvent, number: VarDecl, count: int) -> bool:
    """Whether a launch is given a named constant, by its name, and has so many threads, rounded up to whole blocks."""
    named = (strip_casts(arg) for arg in launch.node.args)
    if (
        launch.grid is None
        or launch.block is None
        or not any(isinstance(one, Ref) and one.decl is number for one in named)
    ):
        return False
    blocks, unit = launch.grid[0].value, plain(launch.block[0]).value
    rows = (size.value for size in (*launch.grid[1:], *launch.block[1:]))
    if blocks is None or unit is None or any(size != 1 for size in rows):
        return False
    return unit > 1 and count <= blocks * unit < count + unit


def _goes_through(kernel: FunctionDecl, element: IntType | FloatType) -> bool:
    """Whether a kernel is given arrays, all of such elements."""
    kinds = [one.type.pointee for one in kernel.params if isinstance(one.type, PointerType)]
    return bool(kinds) and all(kind == element for kind in kinds)
