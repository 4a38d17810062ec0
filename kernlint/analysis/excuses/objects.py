"""Excuses by what an object or an argument is."""

from __future__ import annotations

from kernlint.analysis.accesses.pairs import Pair
from kernlint.analysis.excuses.excuse import excuse
from kernlint.analysis.excuses.places import of_pair
from kernlint.analysis.scenarios.numbers import scalar
from kernlint.analysis.trace.events import AccessKind
from kernlint.prove.query import Actor, Refuted, Side
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import Polynomial, polynomial, term_of
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, GRID_DIM, THREAD, Symbol, SymbolKind, Term, Uniformity, symbols
from kernlint.tree.types import StructType


@excuse("races", of_pair)
def copied_whole(pair: Pair, witness: Refuted) -> bool:
    """A structure is copied as a whole while a field of it is updated: the copy may well do without that field.

    ```cuda excused
    struct Body {
        float mass;
        int hits;
    };
    __device__ float weight(Body body) { return 9.81f * body.mass; }
    __global__ void step(Body *bodies, float *out, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i + 1 >= n) return;
        atomicAdd(&bodies[i].hits, 1);
        out[i] = weight(bodies[i + 1]);
    }
    ```

    ```cuda still-bad
    struct Body {
        float mass;
        int hits;
    };
    __global__ void step(Body *bodies, float *out, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i + 1 >= n) return;
        atomicAdd(&bodies[i].hits, 1);
        out[i] = bodies[i + 1].hits;
    }
    ```
    """
    return any(
        one.kind is AccessKind.READ and isinstance(one.type, StructType) and other.kind is AccessKind.ATOMIC
        for one, other in ((pair.first, pair.second), (pair.second, pair.first))
    )


@excuse("races", of_pair)
def table_of_bits(pair: Pair, witness: Refuted) -> bool:
    """Each thread looks up bits of its own in an argument, such as the colours of a sensor's pixels: no number that is
    made up would be such a table.

    ```opencl excused
    kernel void green(global float *out, global const float *in, const unsigned int colours, const int width) {
        const int x = get_global_id(0);
        if (x + 1 >= width) return;
        if ((colours >> (2 * (x & 3))) & 1) out[x] = in[x];
        else out[x] = out[x + 1];
    }
    ```

    ```opencl still-bad
    kernel void green(global float *out, global const float *in, const unsigned int colours, const int width) {
        const int x = get_global_id(0);
        if (x + 1 >= width) return;
        if ((x & 3) != 1) out[x] = in[x];
        else out[x] = out[x + 1];
    }
    ```
    """
    return any(_tabled(guard) for at in (pair.a, pair.b) for guard in at.guards)


def _tabled(term: Term) -> bool:
    if term.op == "shr" and any(symbol.uniformity > Uniformity.GRID for symbol in symbols(term.args[1])):
        return any(map(scalar, symbols(term.args[0])))
    return any(map(_tabled, term.terms))


@excuse("races", of_pair)
def longer_than_its_row(pair: Pair, witness: Refuted) -> bool:
    """A row is left because the length that memory gives for it is greater than the distance of two rows: what is
    stored there as a length fits.

    ```cuda excused
    __global__ void shift(float *rows, const int *lengths, int pitch) {
        int length = lengths[blockIdx.y];
        if (blockIdx.x >= length) return;
        float *row = rows + ((size_t)blockIdx.y * pitch + blockIdx.x) * pitch;
        for (int i = threadIdx.x; i < length; i += 256) row[i] = row[i] * 0.5f;
    }
    void launch(float *rows, const int *lengths, int pitch) {
        shift<<<dim3(pitch, 64), 256>>>(rows, lengths, pitch);
    }
    ```

    ```cuda still-bad
    __global__ void shift(float *rows, const int *lengths, int pitch) {
        int length = lengths[blockIdx.y];
        if (blockIdx.x >= length) return;
        float *row = rows + (size_t)blockIdx.y * pitch;
        for (int i = threadIdx.x; i < length; i += 256) row[i] = row[i] * 0.5f;
    }
    void launch(float *rows, const int *lengths, int pitch) {
        shift<<<dim3(pitch, 64), 256>>>(rows, lengths, pitch);
    }
    ```
    """
    if not witness.depends_on_data or witness.second is None:
        return False
    return any(
        any(map(_length_in_memory, at.guards)) and _beyond_row(at, actor, witness)
        for at, actor in ((pair.a, witness.first), (pair.b, witness.second))
    )


def _length_in_memory(guard: Term) -> bool:
    """Whether something has to be less than what memory holds for a whole block."""
    limit = guard.args[1].symbol if guard.op == "lt" else None
    return limit is not None and limit.kind is SymbolKind.LOAD and limit.uniformity <= Uniformity.BLOCK


def _beyond_row(at: Side, actor: Actor, witness: Refuted) -> bool:
    """Whether ``actor`` is farther in its row than the next row begins."""
    known: dict[Symbol, int] = {
        **dict(witness.values),
        **dict(actor.counters),
        **dict(actor.data),
        **dict(zip((*BLOCK, *THREAD), (*actor.block, *actor.thread), strict=True)),
        **dict(zip((*BLOCK_DIM, *GRID_DIM), (*witness.block, *witness.grid), strict=True)),
    }
    pitches: list[int] = []
    inside: dict[tuple[Term, ...], int] = {}
    for mono, times in polynomial(at.offset).coefficients.items():
        sizes = [atom for atom in mono if atom.symbol is not None and scalar(atom.symbol)]
        if not sizes:
            inside[mono] = times
        elif len(sizes) < len(mono):
            for size in sizes:
                times *= evaluate(size, known) or 0
            pitches.append(abs(times))
    place = evaluate(term_of(Polynomial(inside)), known)
    return bool(pitches) and place is not None and not 0 <= place < min(pitches)
