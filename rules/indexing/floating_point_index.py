r"""The rule ``floating-point-index``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.launching.launches import launches
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, Rule
from kernlint.source import Span
from kernlint.symbolic.polynomial import Monomial, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, subterms, symbols
from kernlint.tree.types import FloatType, IntType, Space, VectorType

EXACT_BITS = 24
"""Integers above 2**24 are no longer all representable in a 32-bit float (IEEE 754 binary32)."""

SLAB = 2
"""Extents that a number is multiplied by, at least, where it names a slab and no row."""


class FloatingPointIndex(Rule):
    r"""An index or size that passes through a 32-bit float.

    A 32-bit float holds integers exactly only up to 2**24 = 16,777,216. Row numbers kept in a float buffer silently
    name a neighbour beyond that. A position that was computed in float (in an array of the thread's own), one of
    several coordinates (side by side in a buffer, or together in an index), one that is left out where it is below
    zero, or that is used as a number too, is a place in an image or a cell of a grid; so is what counts how often a
    value occurs. None of these is reported. A note is what is only so by the letter: elements of the type
    that a template is given for all its numbers, which who has more rows than a float can name gives another one, and
    parts of vectors (`float2`), where a number is packed beside others on purpose.

    ```cuda bad
    __global__ void pick(const float *rows, const float *in, float *out, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n) return;
        int row = (int)rows[i];  // expect: KL405
        out[i] = in[row];
    }
    ```

    ```opencl bad
    __kernel void pick(__global const float *ids, __global const int *in, __global int *out, const int n) {
        const int i = get_global_id(0);
        if (i < n) out[i] = in[(int)ids[i]];  // expect: KL405
    }
    ```

    ```cuda good
    __global__ void pick(const int *rows, const float *in, float *out, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) out[i] = in[rows[i]];
    }
    void run(const int *rows, const float *in, float *out, int n) {
        pick<<<(n + 255) / 256, 256>>>(rows, in, out, n);
    }
    ```

    ```opencl good
    __kernel void sample(__global const float *in, __global float *out, const int n, const float scale) {
        const int i = get_global_id(0);
        const int j = clamp((int)(i * scale), 0, n - 1);
        if (i < n) out[i] = in[j];
    }
    ```

    ```opencl good
    __kernel void warp(__global const float *places, __global const float *in, __global float *out, const int width,
                       const int height) {
        const int x = get_global_id(0);
        const int y = get_global_id(1);
        if (x >= width || y >= height) return;
        const int u = places[2 * (y * width + x)];
        const int v = places[2 * (y * width + x) + 1];
        const bool inside = u >= 0 && v >= 0 && u < width && v < height;
        out[y * width + x] = inside ? in[v * width + u] : 0.0f;
    }
    ```
    """

    meta = Meta("KL405", "floating-point-index", Severity.WARNING, tags=("clang float-conversion",))
    needs = (trace, launches)

    def check(self, facts: Facts) -> Iterator[Finding]:
        walked = facts[trace]
        said: set[Span] = set()
        uses: list[tuple[Term, Span]] = [(a.index, a.span) for a in walked.accesses if a.index is not None]
        placed = {symbol for access in walked.accesses for symbol in _placed(access)}
        seen: set[Term] = set()
        placed.update(symbol for access in walked.accesses for symbol in _measured(access, seen))
        if facts.module.language == "opencl" and facts.module.synthesised:
            return  # the float may be one that stands for a type whose name no header gave
        if facts.function.forced:
            uses = []  # the float is the type that a template was tried with, not one that somebody uses
        uses += [(c.term, c.span) for c in walked.conditions if _against_size(c.term) and not facts.function.forced]
        found = [(symbol, span) for term, span in uses for symbol in _float_ids(term)]
        distinct = dict.fromkeys(symbol for symbol, _ in found)
        for symbol, span in found:
            root, offset = symbol.origin
            if (
                symbol in placed
                or root.space is Space.PRIVATE
                or any(_side_by_side(symbol, other) for other in distinct)
            ):
                continue
            read = next((a for a in walked.accesses if a.root is root and a.offset == offset), None)
            place = read.span if read is not None else span
            if place not in said:
                said.add(place)
                made = [a.offset for a in walked.accesses if a.index is not None and symbol in symbols(a.offset)]
                slabs = bool(made) and all(_of_slabs(index, symbol) for index in made)
                # A number beside others in a vector is packed there on purpose.
                slabs = slabs or _of_any_type(facts, root.name) or isinstance(root.element, VectorType)
                yield self.finding(
                    place,
                    f"an index is read from floating-point memory ({root.name}): beyond 2**{EXACT_BITS} a float no "
                    "longer holds every integer",
                    Severity.NOTE if slabs else None,
                    related=[Related(span, "used as an index here")] if span != place else [],
                    fix="keep indices in an integer array",
                    habit="indices in floats",
                )


def _placed(access: Access) -> Iterator[Symbol]:
    """Floats in the index of an access that is left out where they are below zero: places that were computed, since no
    row has a number below zero."""
    own = set(_float_ids(access.offset))  # (with the part that a pointer has gone on by before)
    for guard in access.guards if own else ():
        for part in subterms(guard.term):
            if part.op in ("lt", "le") and part.args[0].value in (0, -1):
                yield from own.intersection(_float_ids(part.args[1]))


def _measured(access: Access, seen: set[Term]) -> Iterator[Symbol]:
    """Floats that are coordinates or values and no numbers of elements: several of them make one index, an atomic
    update counts them, or the value itself is stored or reckoned with.  ``seen``: what values are made of that have
    been looked at."""
    own = dict.fromkeys(_float_ids(access.index)) if access.index is not None else {}
    if len(own) > 1 or access.kind is AccessKind.ATOMIC:
        yield from own
    if access.value is not None:
        yield from _as_numbers(access.value, seen)


def _of_slabs(index: Term, symbol: Symbol) -> bool:
    """Whether a float only ever numbers parts of at least two extents each (a source, a frame, a channel of an image),
    or is a coordinate beside two others: 2**24 of them is more than memory holds, and only the letter speaks against
    it."""
    monomials = polynomial(index).coefficients
    own = [mono for mono in monomials if any(symbol in symbols(atom) for atom in mono)]
    return all(len(mono) > SLAB for mono in own) or sum(map(_pitched, monomials.keys() - own)) >= SLAB


def _pitched(mono: Monomial) -> bool:
    """Whether part of an index is a thread's place along an axis with the lengths of those below it."""
    moved = (symbol.kind in (SymbolKind.THREAD, SymbolKind.BLOCK) for atom in mono for symbol in symbols(atom))
    return len(mono) > 1 and any(moved)


def _of_any_type(facts: Facts, name: str) -> bool:
    """Whether a parameter's elements have the type that a template is given for all its numbers: who has more rows than
    a float can name gives it another one."""
    pairs = zip(facts.kernel.function.params, facts.function.params, strict=False)
    return any(ours.name == name and ours.type != theirs.type for theirs, ours in pairs)


def _as_numbers(term: Term, seen: set[Term]) -> Iterator[Symbol]:
    """Floats from memory in a term that are not made integers, of parts that have not been ``seen``."""
    stack = [term]
    while stack:
        part = stack.pop()
        if part in seen:
            continue
        seen.add(part)
        symbol = part.symbol
        if symbol is not None:
            if symbol.kind is SymbolKind.LOAD and _narrow_float(symbol.type):
                yield symbol
        elif not (part.op == "cast" and isinstance(part.type, IntType)):
            stack.extend(part.terms)


def _float_ids(term: Term) -> Iterator[Symbol]:
    """Floats straight from memory under an ``(int)`` in a term."""
    for part in subterms(term):
        if part.op != "cast" or not isinstance(part.type, IntType) or part.type.bits < 32:
            continue
        found: Symbol | None = part.args[0].symbol
        if found is not None and found.kind is SymbolKind.LOAD and _narrow_float(found.type):
            yield found


def _side_by_side(one: Symbol, other: Symbol) -> bool:
    """Whether two floats that become indices are different elements of a buffer, a constant distance apart."""
    root, offset = one.origin
    if other is one or other.origin[0] is not root:
        return False
    apart = (polynomial(offset) - polynomial(other.origin[1])).constant
    return apart is not None and apart != 0


def _narrow_float(type_: object) -> bool:
    return isinstance(type_, FloatType) and type_.bits <= 32


def _against_size(term: Term) -> bool:
    """Whether a condition compares with an integer parameter, as a bounds check does."""
    if term.op not in ("lt", "le"):
        return False
    for side in term.args:
        at = side
        at = plain(at)
        symbol = at.symbol
        if symbol is not None and symbol.kind is SymbolKind.PARAM and isinstance(symbol.type, IntType):
            return True
    return False
