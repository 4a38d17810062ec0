"""Excuses by the values that two threads put into a cell, and by how they get there."""

from __future__ import annotations

from collections.abc import Mapping

from kernlint.analysis.accesses.pairs import Pair
from kernlint.analysis.excuses.excuse import excuse
from kernlint.analysis.excuses.places import of_pair
from kernlint.analysis.trace.events import AccessKind, Root, WarpEvent
from kernlint.analysis.trace.joined import joined_in_turn
from kernlint.prove.query import Refuted
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
    Uniformity,
    const,
    substitute,
    symbols,
)
from kernlint.symbolic.uniformity import WARP
from kernlint.tree.types import IntType, Space

Env = Mapping[Symbol, int]

NESTED = 4
"""Variables of loops, at most, of which one is made of the next where it is asked what a value is made of."""


def environments(witness: Refuted) -> tuple[Env, Env]:
    """The values of all symbols for the two threads of a witness."""
    env: dict[Symbol, int] = dict(zip(BLOCK_DIM, witness.block, strict=True))
    env.update(zip(GRID_DIM, witness.grid, strict=True))
    env.update(witness.values)
    assert witness.second is not None
    first, second = (
        {
            **env,
            **dict(zip(THREAD, actor.thread, strict=True)),
            **dict(zip(BLOCK, actor.block, strict=True)),
            **dict(actor.counters),
            **dict(actor.data),
        }
        for actor in (witness.first, witness.second)
    )
    return first, second


@excuse("races", of_pair)
def equal_values(pair: Pair, witness: Refuted) -> bool:
    """Both threads write the same value, made in the same way from the same places.

    What one and the same write puts into an object may come from other places of it: where those change in the same
    phase, that is a race of its own.

    ```cuda excused
    __global__ void halves(const float *x, float *out, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) out[i / 2] = x[i / 2];
    }
    ```

    ```cuda excused
    __global__ void largest(const float *x, int *out, int rows, int columns) {
        int row = blockIdx.x * 32 + threadIdx.x / 4, best = 0;
        if (row >= rows) return;
        for (int c = 1; c < columns; c++)
            if (x[row * columns + c] > x[row * columns + best]) best = c;
        out[row] = best;
    }
    ```

    ```cuda excused
    __global__ void peaks(const float *x, const float *top, float *out, int rows, int columns) {
        int row = blockIdx.x * 32 + threadIdx.x / 4;
        if (row >= rows) return;
        float most = -INFINITY;
        for (int c = 0; c < columns; c++) most = max(most, x[row * columns + c]);
        out[row] = exp(max(top[row], most) - top[row]);
    }
    ```

    ```cuda excused
    __global__ void roots(int *used, int *root) {
        int lane = threadIdx.x % 32, found = -1;
        while (found < 0) {
            unsigned free = __ballot_sync(~0u, used[lane] == 0);
            int from = __ffs(free) - 1;
            if (lane == from && atomicCAS(&used[lane], 0, 1) == 0) found = lane;
            found = __shfl_sync(~0u, found, from);
        }
        *root = found;
    }
    void run(int *used, int *root) { roots<<<1, 32>>>(used, root); }
    ```

    ```cuda excused
    __global__ void rows(const float *x, const int *lengths, float *out) {
        __shared__ float head[4];
        int first = 0;
        for (int r = 0; r < blockIdx.x; r++) first += lengths[r];
        head[threadIdx.x % 4] = x[first + threadIdx.x % 4];
        __syncthreads();
        out[blockIdx.x * blockDim.x + threadIdx.x] = head[threadIdx.x % 4];
    }
    ```

    ```cuda still-bad
    __global__ void halves(const float *x, float *out, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) out[i / 2] = x[i];
    }
    ```

    ```cuda still-bad
    __global__ void rows(const float *x, const int *lengths, float *out) {
        __shared__ float head[4];
        int first = 0;
        for (int r = 0; r < threadIdx.x; r++) first += lengths[r];
        head[threadIdx.x % 4] = x[first + threadIdx.x % 4];
        __syncthreads();
        out[blockIdx.x * blockDim.x + threadIdx.x] = head[threadIdx.x % 4];
    }
    ```

    ```cuda still-bad
    __global__ void largest(const float *x, int *out, int rows, int columns) {
        int row = blockIdx.x * 32 + threadIdx.x / 4, best = threadIdx.x % 4;
        if (row >= rows) return;
        for (int c = threadIdx.x % 4; c < columns; c += 4)
            if (x[row * columns + c] > x[row * columns + best]) best = c;
        out[row] = best;
    }
    ```

    ```cuda still-bad
    __global__ void nearest(const float *x, float *out, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n) return;
        float best[4];
        for (int k = 0; k < 4; k++) best[k] = x[i * 4 + k];
        for (int k = 0; k < 4; k++) out[k] = best[k];
    }
    ```
    """
    if not pair.first.kind is pair.second.kind is AccessKind.WRITE:
        return False
    if pair.first.value is None or pair.second.value is None:
        return False
    ours, theirs = environments(witness)
    first, second = (
        None if pair.first is not pair.second else range(actor.offset, actor.offset + side.size)
        for actor, side in ((witness.first, pair.a), (witness.second or witness.first, pair.b))
    )
    value = pinned(pair.first.value, ours, pair.first.root, first)
    return value is not None and value == pinned(pair.second.value, theirs, pair.first.root, second)


@excuse("races", of_pair)
def puts_back(pair: Pair, witness: Refuted) -> bool:
    """What is written is what has just been read from the cell that all threads read, or from the very cell, so that it
    changes nothing.

    ```cuda excused
    __global__ void spread(int *x) { x[threadIdx.x] = x[0]; }
    void run(int *x) { spread<<<1, 64>>>(x); }
    ```

    ```cuda excused
    __global__ void copies(const float *x, float *y) {
        __shared__ float s[128];
        if (threadIdx.x < 32) s[threadIdx.x] = x[threadIdx.x];
        __syncthreads();
        s[threadIdx.x] = s[threadIdx.x % 32];
        y[threadIdx.x] = s[threadIdx.x];
    }
    void run(const float *x, float *y) { copies<<<1, 128>>>(x, y); }
    ```

    ```cuda still-bad
    __global__ void spread(int *x) { x[threadIdx.x] = x[threadIdx.x / 2]; }
    void run(int *x) { spread<<<1, 64>>>(x); }
    ```
    """
    for write, other in ((pair.first, pair.second), (pair.second, pair.first)):
        if write.kind is not AccessKind.WRITE or other.kind is not AccessKind.READ or write.value is None:
            continue
        read = write.value.symbol
        if read is None or read.kind is not SymbolKind.LOAD or read.origin != (other.root, other.offset):
            continue
        if write.size == other.size and all(s.uniformity is Uniformity.GRID for s in symbols(other.offset)):
            return True
    ours, theirs = environments(witness)
    for write, env in ((pair.first, ours), (pair.second, theirs)):
        held = write.value.symbol if write.kind is AccessKind.WRITE and write.value is not None else None
        if held is None or held.kind is not SymbolKind.LOAD:
            continue
        if held.origin[0] is write.root and held.origin[1] != write.offset:  # else it was read before a barrier
            place = evaluate(write.offset, env)
            if place is not None and place == evaluate(held.origin[1], env) and write.size == held.type.size:
                return True  # the thread itself has read it there
    return False


def pinned(
    term: Term, env: Env, written: Root, place: range | None = None, within: frozenset[Symbol] = frozenset()
) -> object:
    """What ``term`` is for one thread: a number, or how it is made from memory and arguments; None: not known.

    It is not known where it comes from the object that is ``written``, but for bytes of it outside ``place``.
    ``within``: variables of loops of which it is being asked what they are made of.
    """
    if term.op == "const":
        return term.args[0]
    if term.op == "sym":
        symbol = term.args[0]
        if symbol.kind is SymbolKind.LOAD and (symbol not in env or _varies(symbol)):
            # that a witness gives two places one content is no reason
            return _loaded(symbol, env, written, place, within)
        agreed = _agreed(symbol, env, written, place, within)
        if agreed is not None:
            return agreed
        if symbol in env:
            return env[symbol]
        if symbol.uniformity is Uniformity.GRID or symbol in within:
            return "same", id(symbol)
        return _grown(symbol, env, written, place, within)
    name = term.args[0] if term.op == "call" else term.op
    after = term.op == "call" and name.startswith("after")
    if term.op == "call" and ("@" in name or name.startswith(("returned", "left"))):
        return None  # more than a function of its arguments
    if joined_in_turn(term):
        return _group(env, WARP), term
    parts = [pinned(arg, env, written, place, within) for arg in term.terms]
    if any(part is None for part in parts):
        return None
    number = evaluate(term, env) if not after and all(isinstance(part, int) for part in parts) else None
    return (name, *parts) if number is None else number


def _grown(symbol: Symbol, env: Env, written: Root, place: range | None, within: frozenset[Symbol]) -> object:
    """What a variable of a loop is made of, before it and in each round; when the loop ends stands beside it where it
    is used afterwards."""
    if symbol.kind is not SymbolKind.PHI or symbol.init is None or symbol.step is None or len(within) >= NESTED:
        return None
    within |= {symbol}
    parts = [pinned(term, env, written, place, within) for term in (symbol.init, symbol.step)]
    return None if None in parts else ("loop", id(symbol), *parts)


def _agreed(symbol: Symbol, env: Env, written: Root, place: range | None, within: frozenset[Symbol]) -> object:
    """What a vote gives to all lanes of a warp (of a tile), or a shuffle to all that read from one lane, or that it
    joins; None: it is nothing that lanes agree on, whatever a witness would have it be for each."""
    event = symbol.origin
    if symbol.kind is not SymbolKind.UNKNOWN or not isinstance(event, WarpEvent):
        return None
    if event.node.kind == "shuffle_xor" and symbol.uniformity <= Uniformity.WARP:
        return _group(env, WARP), id(event)
    width = WARP if event.width is None else event.width.value
    if width is None or not event.node.synchronising or event.node.kind not in ("ballot", "any", "all", "shuffle"):
        return None
    group = _group(env, width)
    if event.node.kind != "shuffle":
        return group, id(event)
    source = pinned(event.operands[1], env, written, place, within) if len(event.operands) > 1 else None
    return None if source is None else (group, id(event), source)


def _group(env: Env, width: int) -> tuple[object, ...]:
    """The warp (or tile of ``width`` lanes) of a thread."""
    x, y, z = (env[symbol] for symbol in THREAD)
    wide, high, _ = (env[symbol] for symbol in BLOCK_DIM)
    return "group", *(env[symbol] for symbol in BLOCK), ((z * high + y) * wide + x) // width


def _varies(symbol: Symbol) -> bool:
    """Whether two threads load from places that their indices give."""
    root, offset = symbol.origin
    return root.space is Space.GLOBAL and symbol.uniformity > Uniformity.BLOCK and offset.value is None


def _loaded(symbol: Symbol, env: Env, written: Root, place: range | None, within: frozenset[Symbol]) -> object:
    """Which bytes of which object a load is of, as :func:`pinned` has it."""
    root, offset = symbol.origin
    if root.space is Space.PRIVATE and symbol.uniformity is not Uniformity.GRID:
        return None  # an array that each thread has of its own
    at: object = evaluate(offset, env)
    if root is written:
        size = symbol.type.size
        if place is None or not isinstance(at, int) or size is None:
            return None
        return ("load", id(root), at) if at + size <= place.start or place.stop <= at else None
    if symbol.uniformity > max((one.uniformity for one in symbols(offset)), default=Uniformity.GRID):
        return None  # more than the place tells threads apart: the kernel writes there
    if at is None:
        rest = substitute(offset, {s: const(env[s], s.type) for s in symbols(offset) if s in env})
        unknown = {one.uniformity for one in symbols(rest) if one not in within}
        if not unknown <= {Uniformity.GRID, Uniformity.BLOCK}:
            return None
        at = polynomial(rest)
        if Uniformity.BLOCK in unknown:
            return "load", id(root), at, *(env[block] for block in BLOCK)
    return "load", id(root), at


@excuse("races", of_pair)
def wrapped_index(pair: Pair, witness: Refuted) -> bool:
    """The place is reached only as an index wraps around, which another rule speaks of.

    ```cuda excused
    __global__ void rows(float *out, int n) {
        unsigned short i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) out[(unsigned short)(i * 256)] = i;
    }
    ```

    ```cuda still-bad
    __global__ void rows(float *out, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) out[i % 256] = i;
    }
    ```
    """
    if witness.data_in_address:
        return False
    ours, theirs = environments(witness)
    first, second = ideal(pair.a.offset, ours), ideal(pair.b.offset, theirs)
    return first is not None and second is not None and not -pair.a.size < first - second < pair.b.size


def ideal(term: Term, env: Mapping[Symbol, int]) -> int | None:
    """Value of an integer term over mathematical integers, as far as sums, products and conversions go."""
    op, args = term.op, term.args
    if op in ("const", "sym"):
        return evaluate(term, env)
    if op == "cast" and isinstance(args[0].type, IntType):
        return ideal(args[0], env)
    if op in ("add", "sub", "mul"):
        a, b = ideal(args[0], env), ideal(args[1], env)
        if op == "add" and args[1].op == "const" and isinstance(term.type, IntType) and not term.type.signed and b:
            b = b - (1 << term.type.bits) if b >> (term.type.bits - 1) else b  # `x - 1` is kept as a sum
        if a is None or b is None:
            return None
        return a + b if op == "add" else a - b if op == "sub" else a * b
    return evaluate(term, env)
