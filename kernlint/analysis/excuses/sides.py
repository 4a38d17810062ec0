"""Excuses by a condition on data that both threads decide alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kernlint.analysis.accesses.pairs import Pair
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.excuses.excuse import excuse
from kernlint.analysis.excuses.places import of_pair
from kernlint.analysis.excuses.values import environments, pinned
from kernlint.analysis.trace.events import Guard
from kernlint.prove.query import Refuted
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, Uniformity, negate, symbols
from kernlint.tree.types import Space


@excuse("races", of_pair)
def opposite_sides(pair: Pair, witness: Refuted) -> bool:
    """The accesses stand on two sides of a condition on data, which both threads read from the same places, whether
    they ask it in one branch or each of its own.

    ```cuda excused
    __global__ void shade(const float *nearest, const float *farthest, float *out, int rays) {
        int ray = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
        if (ray >= rays) return;
        if (nearest[ray] > farthest[ray]) {
            out[ray * 4 + lane / 8] = 1.0f;
            return;
        }
        if (lane % 8 == 0) out[ray * 4 + lane / 8] = farthest[ray] - nearest[ray] + lane;
    }
    ```

    ```cuda excused
    __global__ void heal(float *level, const int *__restrict__ broken, int length) {
        const int at = blockIdx.x * blockDim.x + threadIdx.x;
        if (at < 1 || at >= length || broken[at] == 0) return;
        if (broken[at - 1] == 0) level[at] = level[at - 1];
    }
    ```

    ```cuda still-bad
    __global__ void heal(float *level, const int *__restrict__ broken, int length) {
        const int at = blockIdx.x * blockDim.x + threadIdx.x;
        if (at < 1 || at >= length || broken[at] == 0) return;
        if (broken[at - 1] != 2) level[at] = level[at - 1];
    }
    ```

    ```cuda still-bad
    __global__ void shade(const float *nearest, const float *farthest, float *out, int rays) {
        int ray = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
        if (ray >= rays) return;
        if (nearest[ray * 32 + lane] > farthest[ray]) {
            out[ray * 4 + lane / 8] = 1.0f;
            return;
        }
        if (lane % 8 == 0) out[ray * 4 + lane / 8] = farthest[ray] - nearest[ray] + lane;
    }
    ```
    """
    if pair.first is pair.second:
        return False
    asked, theirs = (list(filter(_on_memory, _parts(at.guards))) for at in (pair.first, pair.second))
    if not asked or not theirs:
        return False
    first, second = environments(witness)
    written = pair.first.root
    denied = {pinned(negate(part), second, written) for part in theirs}
    for part in asked:
        one = pinned(part, first, written)
        if one in denied and (isinstance(one, tuple) or (one is not None and negate(part) in theirs)):
            return True
    return False


def _parts(guards: Iterable[Guard]) -> Iterator[Term]:
    for guard in guards:
        yield from conjuncts(guard.term)


def _on_memory(part: Term) -> bool:
    """Whether a condition is on memory that stays as it is while threads decide."""
    loads = [symbol for symbol in symbols(part) if symbol.kind is SymbolKind.LOAD]
    return bool(loads) and all(map(_stays, loads))


def _stays(load: Symbol) -> bool:
    root = load.origin[0]
    return root.space is Space.SHARED or root.readonly or load.uniformity < Uniformity.VARYING
