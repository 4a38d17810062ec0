"""Excuses by what a pointer leads to: a part of something larger."""

from __future__ import annotations

from kernlint.analysis.excuses.excuse import excuse
from kernlint.analysis.excuses.places import of_access
from kernlint.analysis.trace.events import Access
from kernlint.prove.query import Refuted
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import SymbolKind, symbols


@excuse("bounds", of_access)
def part_of_an_image(access: Access, witness: Refuted) -> bool:
    """The tests keep a thread to rows that are shorter than their pitch, for all that is known: so a part of a larger
    image is passed, which has pixels on all sides.

    A write there is not excused: it would change pixels that are not this kernel's.

    ```cuda excused
    __global__ void rise(const float *in, float *out, int width, int height, int pitch) {
        int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
        if (x >= width || y >= height) return;
        out[y * pitch + x] = in[y * pitch + x] - in[(y - 1) * pitch + x];
    }
    ```

    ```cuda still-bad
    __global__ void rise(const float *in, float *out, int width, int height) {
        int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
        if (x >= width || y >= height) return;
        out[y * width + x] = in[y * width + x] - in[(y - 1) * width + x];
    }
    ```
    """
    if access.writes:
        return False
    moving = (SymbolKind.THREAD, SymbolKind.BLOCK)
    pitches = {
        atom
        for mono in polynomial(access.offset).coefficients
        if any(atom.op == "sym" and atom.args[0].kind in moving for atom in mono)
        for atom in mono
        if atom.op == "sym" and atom.args[0].kind is SymbolKind.PARAM
    }
    tested = {symbol for guard in access.guards for symbol in symbols(guard.term)}
    sizes = {symbol for symbol in tested if symbol.kind is SymbolKind.PARAM}
    return bool(pitches and sizes) and not any(atom.args[0] in sizes for atom in pitches)


@excuse("races", of_access)
def slice_of_rows(access: Access, witness: None) -> bool:
    """An element lies in a slice whose two ends are neighbours in one array: ``e`` from ``begin[r]`` up to
    ``begin[r + 1]``. Slices of compressed rows do not overlap: no element is in two of them.

    ```cuda excused
    __global__ void scale(const int *begin, const float *by, float *values, int rows) {
        int row = blockIdx.x * blockDim.x + threadIdx.x;
        if (row >= rows) return;
        for (int e = begin[row]; e < begin[row + 1]; e++) values[e] += by[row];
    }
    ```

    ```cuda still-bad
    __global__ void scale(const int *column, const float *by, float *values, int rows, int columns) {
        int row = blockIdx.x * blockDim.x + threadIdx.x;
        if (row >= rows || column[row] >= columns) return;
        values[column[row]] += by[row];
    }
    ```
    """
    starts = [symbol for symbol in symbols(access.offset) if symbol.kind is SymbolKind.LOAD]
    for loop in access.loops:
        for end in symbols(loop.condition) if loop.condition is not None else ():
            if end.kind is not SymbolKind.LOAD:
                continue
            for start in starts:
                apart = polynomial(end.origin[1]) - polynomial(start.origin[1])
                if start.origin[0] is end.origin[0] and apart.constant == start.type.size:
                    return True
    return False
