"""Excuses by what an object or an argument is."""

from __future__ import annotations

from kernlint.analysis.accesses.pairs import Pair
from kernlint.analysis.excuses.excuse import excuse
from kernlint.analysis.excuses.places import of_pair
from kernlint.analysis.scenarios.numbers import scalar
from kernlint.analysis.trace.events import AccessKind
from kernlint.prove.query import Refuted
from kernlint.symbolic.terms import Term, Uniformity, symbols
from kernlint.tree.types import StructType


@excuse("races", of_pair)
def copied_whole(pair: Pair, witness: Refuted) -> bool:
    """A structure is copied as a whole while a field of it is updated: the copy may well do without that field.

    ```cuda excused
    struct Body {
        float mass;
        int hits;
    };
    __global__ void step(Body *bodies, float *out, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i + 1 >= n) return;
        atomicAdd(&bodies[i].hits, 1);
        Body next = bodies[i + 1];
        out[i] = next.mass;
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
