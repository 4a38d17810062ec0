"""Memory that is asked for by a count of elements, as the launches of the same function have it."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.hostmodel.operations import HostWalk
from kernlint.analysis.trace.events import ApiEvent, LaunchEvent
from kernlint.analysis.trace.values import as_term
from kernlint.apis import makes
from kernlint.source import Span
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, subterms, symbols
from kernlint.tree.nodes import FunctionDecl
from kernlint.tree.types import FloatType, IntType, PointerType
from kernlint.tree.walk import strip_casts


def asked_by_count(walk: HostWalk) -> Iterator[tuple[Span, str, str, tuple[Span, ...]]]:
    """Place, message, how to mend it, and the calls that lead there."""
    for api in walk.trace.apis:
        made = makes(api.name)
        if made is None or made.out is None or made.size is None or made.factor is not None:
            continue
        number = plain(as_term(api.args[made.size])).symbol if made.size < len(api.args) else None
        element = _element(api, made.out)
        if number is None or number.kind is not SymbolKind.PARAM or element is None:
            continue
        for launch in walk.trace.launches:
            kernel = next((kernel for kernel in launch.kernels if _goes_through(kernel, element)), None)
            if kernel is not None and _one_each(launch, number):
                width = element.size or 1
                message = f"{number.name} bytes are asked for, and {kernel.name} goes through as many times {width}"
                yield api.span, message, f"multiply by {width}", api.stack
                break


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


def _goes_through(kernel: FunctionDecl, element: IntType | FloatType) -> bool:
    """Whether a kernel is given arrays, all of such elements."""
    kinds = [one.type.pointee for one in kernel.params if isinstance(one.type, PointerType)]
    return bool(kinds) and all(kind == element for kind in kinds)
