"""Grids and blocks that are made of sizes which are known only when the program runs.

What host code has made sure of before a launch (clamps, checks, ways out) is part of the launch as the prover takes it;
what that leaves open may be, if the size is one that callers choose: a parameter, a field, the length of a container.
Of what other code works out nothing is known, and nobody argues from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

from kernlint.analysis.launching.launch_context import LaunchView, is_length
from kernlint.analysis.launching.launches import LaunchFact, Sizes
from kernlint.analysis.launching.widened_blocks import narrow, of_planes, widened
from kernlint.analysis.trace.events import RootKind, Trace
from kernlint.analysis.trace.values import MOST_THREADS
from kernlint.prove.admission import Admission, Axes, Way
from kernlint.source import Span
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import (
    BLOCK,
    BLOCK_DIM,
    GRID_DIM,
    THREAD,
    Symbol,
    SymbolKind,
    Term,
    plain,
    subterms,
    symbols,
)
from kernlint.tree.nodes import Module, StringLit
from kernlint.tree.types import IntType, Space
from kernlint.tree.walk import walk


def chosen_by_callers(term: Term) -> bool:
    """Whether a size is made of nothing but what the function's callers choose."""
    for part in subterms(term):
        if part.op == "call" and not is_length(part):
            return False
        symbol = part.symbol
        if symbol is None or _within_length(symbol, term):
            continue
        field = symbol.kind is SymbolKind.LOAD and symbol.origin[0].kind is RootKind.PARAM
        if symbol.kind is not SymbolKind.PARAM and not field and symbol.name != "size()":
            return False
    return term.value is None


def _within_length(symbol: object, term: Term) -> bool:
    """Whether a symbol only says of which object a length is."""
    lengths = [part for part in subterms(term) if part.op == "call"]
    return any(symbol in symbols(part) for part in lengths)


def admission_of(view: LaunchView) -> Admission:
    """The one launch, as the prover takes it."""
    return Admission((Way(view.images, view.checks),))


def rows_beyond(view: LaunchView, most: int, kernel: Trace) -> int | None:
    """The axis (y or z) along which a grid may have more than ``most`` blocks; None where nothing speaks for it.

    That a size may be so large says little: batches are small, images not that high. It is believed of a product of
    three sizes; of a product of two that the kernel takes for a large number, as it widens the block's index before
    that is multiplied (by more than the plane whose rows stand along x), or is told it in 64 bits and goes through it
    in steps of the grid; of one that has 64 bits besides, where what stands along x has 32; and, where nothing stands
    along x, so that there was room, of any product, of a size that the kernel takes for a large one or goes through in
    steps of the grid, and of tiles of all the work that there is. So it is where the host holds all blocks together
    down to a number that is larger than what is allowed along that axis.
    """
    grid = view.fact.grid
    if grid is None:
        return None
    for axis in (1, 2):
        term = grid[axis]
        if not chosen_by_callers(term) or not (
            _many(view, grid, axis, kernel) or _held_together(view, grid, axis, most)
        ):
            continue
        known = admission_of(view)
        tried = (most + 1, most + 5, 70_000, 1 << 17, 1 << 20)
        if any(known.permits(view.block, _along(axis, count)) for count in tried):
            return axis
    return None


def _many(view: LaunchView, grid: Sizes, axis: int, kernel: Trace) -> bool:
    """Whether something speaks for many blocks along an axis."""
    whole = not any(part.op in ("div", "shr") for part in subterms(grid[axis]))
    factors = _factors(grid[axis]) if whole else 1
    room = grid[0].value == 1 and not _uses_x(kernel)
    if factors > 2 or (factors == 2 and (room or (widened(kernel, axis) and not of_planes(view, axis, kernel)))):
        return True
    if factors == 2 and _told_wide(view, grid[axis]) and _in_steps(kernel, axis):
        return True
    if grid[0].value != 1 or (whole and not room):
        return whole and _wider(view, grid, axis) and widened(kernel, axis)
    if whole:
        return widened(kernel, axis) or _in_steps(kernel, axis)
    return grid[3 - axis].value == 1 and _all_the_work(view, grid[axis]) and not _has_rows(view, axis, kernel)


def _uses_x(kernel: Trace) -> bool:
    """Whether blocks along x stand for something in the kernel, though this launch has but one: there is no room."""
    terms = (term for access in kernel.accesses for term in (access.offset, *(guard.term for guard in access.guards)))
    return any(BLOCK[0] in symbols(term) for term in terms)


def _held_together(view: LaunchView, grid: Sizes, axis: int, most: int) -> bool:
    """Whether a check holds a count down to what a number above ``most`` leaves beside the blocks along x."""
    count, beside = _bare(grid[axis]).symbol, set(symbols(grid[0]))
    if count is None or not beside:
        return False
    for check in view.checks:
        if check.op not in ("lt", "le") or _bare(check.args[0]).symbol is not count:
            continue
        limit = _bare(check.args[1])
        above = _bare(limit.terms[0]).value if limit.op == "div" else None
        if above is not None and above > most and polynomial(_bare(limit.terms[1])) == polynomial(_bare(grid[0])):
            return True
    return False


def _wider(view: LaunchView, grid: Sizes, axis: int) -> bool:
    """Whether a count has 64 bits, for the kernel too, and all that the blocks along x are made of has 32."""
    count, beside = _bare(grid[axis]).symbol, symbols(grid[0])
    told = [symbol for symbol, image in view.images if symbol not in _LAUNCH and _bare(image).symbol is count]
    wide = count is not None and all(_bits(symbol) == 64 for symbol in (count, *told))
    return wide and bool(told) and bool(beside) and all(_bits(symbol) <= 32 for symbol in beside)


def _told_wide(view: LaunchView, count: Term) -> bool:
    """Whether the kernel is told a number of blocks in 64 bits, although all that it is made of has 32."""
    if not narrow(count):
        return False
    wanted = polynomial(_bare(count))
    wide = (image for symbol, image in view.images if symbol not in _LAUNCH and _bits(symbol) == 64)
    return any(polynomial(_bare(image)) == wanted for image in wide)


def _bits(symbol: Symbol) -> int:
    return symbol.type.bits if isinstance(symbol.type, IntType) else 0


def _all_the_work(view: LaunchView, count: Term) -> bool:
    """Whether all that is passed is made of what a count is made of: there is no other size."""
    known = set(symbols(count))
    return all(set(symbols(image)) <= known for _, image in view.images)


def _has_rows(view: LaunchView, axis: int, kernel: Trace) -> bool:
    """Whether blocks along an axis take whole rows, as long as a block has threads along x: those have no part in the
    test of the index, and there are fewer rows than there is work."""
    if view.block[0] == 1:
        return False
    tests = [guard.term.symbols for access in kernel.accesses for guard in access.guards]
    tests = [found for found in tests if BLOCK[axis] in found]
    return bool(tests) and not any(THREAD[0] in found for found in tests)


def _factors(count: Term) -> int:
    """How many sizes a count is a product of."""
    return max((len(mono) for mono in polynomial(_bare(count)).coefficients), default=0)


def _in_steps(kernel: Trace, axis: int) -> bool:
    """Whether a loop of the kernel goes on in steps of the grid along an axis."""
    steps = (phi.step for loop in kernel.loops for phi in loop.phis if phi.step is not None)
    return any(GRID_DIM[axis] in symbols(step) for step in steps) or any(
        GRID_DIM[axis] in symbols(access.offset) and access.loops for access in kernel.accesses
    )


def tested_size(view: LaunchView, axis: int, count: Term, kernel: Trace) -> tuple[Symbol, Span] | None:
    """The scalar that is passed ``count`` and that the kernel tests its index along ``axis`` against, and where."""
    wanted = polynomial(_bare(count))
    sizes = [symbol for symbol, image in view.images if symbol not in _LAUNCH and polynomial(_bare(image)) == wanted]
    index = {THREAD[axis], BLOCK[axis]}
    for guard in (guard for access in kernel.accesses for guard in access.guards) if sizes else ():
        mentioned = set(symbols(guard.term))
        size = next((size for size in sizes if size in mentioned), None)
        if size is not None and index <= mentioned:
            return size, guard.span
    return None


def _bare(term: Term) -> Term:
    """A size without the conversions around it, which keep sizes as they are."""
    while term.op == "cast" and isinstance(term.args[0].type, IntType):
        term = term.args[0]
    return term


_LAUNCH = frozenset((*BLOCK_DIM, *GRID_DIM))


def other_groups_allowed(modules: Iterable[Module]) -> bool:
    """Whether some program of the host code is built for a version of OpenCL C whose groups need not divide the global
    size."""
    for function in (function for module in modules for function in module.functions):
        for node in walk(function.body) if function.body is not None else ():
            if isinstance(node, StringLit) and "-cl-std=" in node.value and "-cl-std=CL1" not in node.value:
                return True
    return False


def _along(axis: int, count: int) -> Axes:
    return (None, count, None) if axis == 1 else (None, None, count)


def of_no_groups(view: LaunchView, axis: int, kernel: Trace) -> bool:
    """Whether nothing makes a global size a whole number of work-groups, whose size the device says: it is worked out
    of other things alone, or is the size that the kernel tests its index against."""
    block, threads = view.fact.block, view.fact.threads
    if block is None or threads is None or view.block[axis] is not None:
        return False
    group, count = _bare(block[axis]), _bare(threads[axis])
    asked = [symbol for symbol in symbols(group) if symbol.kind is SymbolKind.LOAD or _from_device(symbol)]
    if not asked or len(asked) < len(set(symbols(group))):
        return False
    if {_place(symbol) for symbol in asked} & {_place(symbol) for symbol in symbols(count)}:
        return False
    if count.value is not None or any(symbol.kind is SymbolKind.UNKNOWN for symbol in symbols(count)):
        return False
    if any(set(asked) & set(symbols(check)) and _divides(check) for check in view.checks):
        return False
    return count.symbol is None or tested_size(view, axis, count, kernel) is not None


def held_after_rounding(launch: LaunchFact, axis: int) -> Term | None:
    """The size of a group that a global size is rounded to, where the group is held down after that to what the device
    or the kernel allows: the group that is launched need not divide it.  None where nothing says so, or the size is a
    power of two, as most of what a device says is."""
    if launch.block is None or launch.threads is None:
        return None
    group, count = _bare(launch.block[axis]), launch.threads[axis]
    wished, allowed = _lesser(group)
    if wished is None or allowed is None or not _asked_for(allowed):
        return None
    if wished.value is not None and wished.value & (wished.value - 1) == 0:
        return None
    mine = set(symbols(allowed))
    if mine & set(symbols(count)) or any(mine & set(symbols(g.term)) and _divides(g.term) for g in launch.guards):
        return None
    rounded = (part for part in subterms(count) if part.op in ("div", "mod"))
    return wished if any(polynomial(_bare(part.args[1])) == polynomial(wished) for part in rounded) else None


def _asked_for(size: Term) -> bool:
    found = list(symbols(size))
    return bool(found) and all(map(_from_device, found))


def _lesser(group: Term) -> tuple[Term | None, Term | None]:
    """The two of which a size is the lesser, that which the device says behind the other."""
    sides: list[Term] = []
    if group.op == "min":
        sides = [_bare(side) for side in group.terms]
    elif group.op == "select" and group.terms[0].op in ("lt", "le"):
        less, more = map(_bare, group.terms[0].args)
        chosen = [_bare(side) for side in group.terms[1:]]
        sides = chosen if chosen == [less, more] else []
    if len(sides) != 2:
        return None, None
    return (sides[1], sides[0]) if _asked_for(sides[0]) else (sides[0], sides[1])


def depth_beyond(view: LaunchView, most: int) -> tuple[int, int, int] | None:
    """A block of more than ``most`` threads along z, which are what a number of threads leaves beside small sizes along
    the other axes: the smaller these, the deeper it is.  None where there is none."""
    block = view.fact.block
    if block is None or not chosen_by_callers(block[2]):
        return None
    made = [part.args for part in subterms(block[2]) if part.op == "div"]
    if not any(by[0].value is not None and symbols(by[1]) for by in made):
        return None
    sizes, known = list(dict.fromkeys(symbol for size in block for symbol in symbols(size))), admission_of(view)
    for value in (2, 3, 4, 5, 8):
        env = dict.fromkeys(sizes, value)
        x, y, z = (evaluate(size, env) or 0 for size in block)
        checks = [check for check in view.checks if set(symbols(check)) <= set(sizes)]
        if any(evaluate(check, env) == 0 for check in checks):
            continue
        if x > 0 and y > 0 and z > most and known.permits((x, y, z)):
            return x, y, z
    return None


def most_of_device(view: LaunchView) -> int | None:
    """The threads of a block that is as large as the device says that one may be, which is 1024 on every device of
    today (CUDA C++ Programming Guide, technical specifications; HIP, hipDeviceProp_t); None for others."""
    threads, asked = 1, False
    for size in view.fact.block or ():
        symbol = _bare(size).symbol
        if size.value is None:
            if asked or symbol is None or MOST_THREADS not in symbol.reason:
                return None
            if any(symbol in symbols(check) for check in view.checks):
                return None
            asked = True
        threads *= size.value or 1024
    return threads if asked else None


def _from_device(symbol: Symbol) -> bool:
    """Whether a number is what the device or the kernel is asked for."""
    return any(name in symbol.reason for name in ("clGetDeviceInfo", "clGetKernelWorkGroupInfo"))


def _place(symbol: Symbol) -> object:
    """The place that a number was read from, at whatever time; the number itself where it was not read."""
    return (id(symbol.origin[0]), symbol.origin[1]) if symbol.kind is SymbolKind.LOAD else symbol


def _divides(check: Term) -> bool:
    return any(part.op == "mod" for part in subterms(check))


def _a_size(view: LaunchView, threads: Term) -> bool:
    """Whether a number of threads is the size of something: callers choose it, and the kernel is told it."""
    if not chosen_by_callers(threads) or any(part.op in ("div", "shr", "min", "select") for part in subterms(threads)):
        return False
    wanted = polynomial(_bare(threads))
    return any(symbol not in _LAUNCH and polynomial(_bare(image)) == wanted for symbol, image in view.images)


def _one_each(view: LaunchView) -> bool:
    """Whether a grid has a block for each of as many things as another size says: rows, each with all its elements."""
    grid = view.fact.grid
    if grid is None or grid[1].value != 1 or grid[2].value != 1 or not chosen_by_callers(grid[0]):
        return False
    return not any(part.op in ("div", "shr") for part in subterms(grid[0]))


def _bounded(view: LaunchView, size: Term, value: int) -> bool:
    """Whether some check of the host, as far as it can be told, keeps a size from having a value."""
    symbol = _bare(size).symbol
    if symbol is None:
        return True
    checks = [check for check in view.checks if symbol in symbols(check)]
    return any(set(symbols(check)) != {symbol} or evaluate(check, {symbol: value}) == 0 for check in checks)


def _handed_on(sizes: Iterable[Term]) -> bool:
    """Whether sizes are the members of one structure: a block that callers give as a whole."""
    names = [symbol.name.rpartition(".") if (symbol := plain(size).symbol) is not None else ("",) * 3 for size in sizes]
    return len({holder for holder, _, _ in names}) == 1 and all(holder and part in "xyz" for holder, _, part in names)


def _whole_in_block(view: LaunchView, sizes: Sequence[Term]) -> bool:
    """Whether the sides of a block are sizes of the work, and no tile of it: there is one block alone, or the sides are
    different sizes that the kernel is told and of which the grid is not made."""
    grid = view.fact.grid
    if grid is None:
        return False
    if all(count.value == 1 for count in grid):
        return True
    if not all(_a_size(view, size) for size in sizes):
        return False
    sides = [set(symbols(size)) for size in sizes]
    made = {symbol for count in grid for symbol in symbols(count)}
    divided = any(part.op in ("div", "shr") for count in grid for part in subterms(count))
    return not divided and not any(side & made for side in sides) and len({frozenset(side) for side in sides}) > 1


def _clamped(block: tuple[Term, Term, Term], most: int) -> tuple[int, int, int] | None:
    """The block that a size is held down to by a number of the text, where that is too large itself."""
    shape = []
    for size in block:
        bare = plain(size)
        limits = [arg.value for arg in bare.args if isinstance(arg, Term)] if bare.op == "min" else []
        known = [limit for limit in limits if limit is not None]
        if size.value is None and len(known) != 1:
            return None
        shape.append(size.value if size.value is not None else known[0])
    x, y, z = shape
    return (x, y, z) if x * y * z > most else None


def block_beyond(view: LaunchView, most: int, kernel: Trace) -> tuple[int, int, int] | None:
    """A block of more than ``most`` threads that a launch may have whose block is as large as a size that the kernel is
    told, or as several sizes together; None where there is none."""
    block = view.fact.block
    if block is None:
        return None
    open_ = [axis for axis in range(3) if block[axis].value is None]
    clamped = _clamped(block, most) if len(open_) == 1 else None
    if clamped is not None:
        return clamped
    if open_ == [0] and _a_size(view, block[0]) and (_one_each(view) or _one_of_many(view, block[0], kernel)):
        shape = [size.value or 0 for size in block]
        shape[open_[0]] = 2 * most + 1
        x, y, z = shape
        return None if _bounded(view, block[open_[0]], 2 * most + 1) else (x, y, z)
    if len(open_) < 2 or not all(chosen_by_callers(block[axis]) for axis in open_):
        return None
    if _handed_on([block[axis] for axis in open_]) or not _whole_in_block(view, [block[axis] for axis in open_]):
        return None
    known = admission_of(view)
    for sizes in product((8, 33, 64, 512), repeat=len(open_)):
        shape = [size.value or 0 for size in block]
        for axis, size in zip(open_, sizes, strict=True):
            shape[axis] = size
        x, y, z = shape
        if x * y * z > most and known.permits((x, y, z)):
            return x, y, z
    return None


def _one_of_many(view: LaunchView, threads: Term, kernel: Trace) -> bool:
    """Whether one block is launched for all of a size, of a kernel that is made for many blocks: it tests the index of
    a thread in the grid against that size."""
    alone = view.fact.grid is not None and all(size.value == 1 for size in view.fact.grid)
    return alone and tested_size(view, 0, threads, kernel) is not None


def held_by_arrays(kernel: Trace, view: LaunchView, most: int) -> bool:
    """Whether arrays of the kernel, of no more than ``most`` elements, have a place for each thread along every axis
    whose size the launch leaves open: who starts the kernel knows of them."""
    open_axes = {axis for axis, size in enumerate(view.block) if size is None}
    for access in kernel.accesses:
        size, extent = access.size, access.root.extent
        if access.root.space is not Space.SHARED or not size or not extent or extent // size > most:
            continue
        of_threads = any(s.kind is SymbolKind.THREAD for guard in access.guards for s in symbols(guard.term))
        places = polynomial(access.offset).coefficients
        if not of_threads and all(atom.symbol is not None for mono in places for atom in mono):
            open_axes -= {axis for axis in open_axes if places.get((THREAD[axis].term,), 0) >= size}
    return not open_axes
