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
