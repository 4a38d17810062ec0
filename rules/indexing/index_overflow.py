r"""The rule ``index-overflow``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.launches import LaunchFact, launches
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Trace
from kernlint.finding import Finding, Fix, Related, Severity
from kernlint.rule import Meta, Rule
from kernlint.source import SourceFile, Span
from kernlint.symbolic.show import show
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, THREAD, SymbolKind, Term, plain, subterms, symbols
from kernlint.tree.types import IntType, Space

FACTORS = 3
"""A product of so many sizes and indices is the length of a volume, not of a line: it is what passes 2**31."""

PLACE = frozenset({"add", "sub", "mul", "neg", "shl", "cast", "select"})
"""Operations whose operands are parts of a place; what a quotient is taken of is none."""


class IndexOverflow(Rule):
    r"""A 32-bit index in a kernel that is written for more than 2**31 elements.

    ``blockIdx.x * blockDim.x + threadIdx.x`` is computed in 32 bits whatever it is assigned to. Where the element
    count is a 64-bit parameter, the index wraps before the count is reached: an ``int`` turns negative, passes the
    comparison and addresses memory in front of the array; an ``unsigned`` starts again at 0.

    Reported is a 32-bit index of the grid compared with a 64-bit count and used as a subscript; and a 32-bit
    product of three or more sizes in a subscript, in a kernel that widens another subscript of the same kind before
    multiplying (a note when all that it widens are products of more sizes). Kernels that use 32-bit counts throughout
    are not reported: nothing says that their data is large.

    ```cuda bad
    __global__ void twice(float *x, long long n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n)  // expect: KL401
            x[i] *= 2.0f;
    }
    ```

    ```opencl bad
    __kernel void twice(__global float *x, const long n) {
        int i = get_global_id(0);
        if (i < n)  // expect: KL401
            x[i] *= 2.0f;
    }
    ```

    ```cuda good
    __global__ void twice(float *x, long long n) {
        long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] *= 2.0f;
    }
    ```

    ```cuda good
    __global__ void tiles(const float *x, float *y, long long pitch, int across, int down, int deep, int n) {
        int k = blockIdx.x * blockDim.x + threadIdx.x;
        if (k >= n) return;
        int plane = k / (across * down * deep);
        int rest = (k - across * down * deep * plane) / across;
        y[plane * pitch * down + threadIdx.x] = x[rest];
    }
    ```

    ```cuda good
    __global__ void times(const float *a, const float *b, float *c, int step, int length, int width) {
        const int first = step * blockIdx.y;
        const float *row = a + first * length;
        for (int k = threadIdx.x; k < length; k += blockDim.x)
            c[first * length + k] = row[k] * b[first * length * width + k * width];
    }
    ```

    ```cuda good
    __global__ void twice(float *x, long long n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] *= 2.0f;
    }
    void run(float *x, int n) {
        twice<<<(n + 255) / 256, 256>>>(x, n);
    }
    ```

    ```opencl good
    __kernel void twice(__global float *x, const int n) {
        int i = get_global_id(0);
        if (i < n) x[i] *= 2.0f;
    }
    ```
    """

    meta = Meta("KL401", "index-overflow", Severity.WARNING, tags=("PyTorch cuda-index-width",))
    needs = (trace, launches)

    def check(self, facts: Facts) -> Iterator[Finding]:
        walked = facts[trace]
        said: set[Term] = set()
        counts: dict[Term, list[tuple[Span, Term, Span]]] = {}
        for condition in walked.conditions:
            found = _narrow_against_wide(condition.term)
            if found is None or found[0] in said or _narrow_in_launches(found[1], facts[launches]):
                continue
            index, count = found
            use = _subscript_with(walked, index)
            if use is not None:
                said.add(index)
                counts.setdefault(count, []).append((condition.span, index, use))
        for count, (first, *others) in counts.items():
            span, index, use = first
            kind = index.type
            assert isinstance(kind, IntType)
            limit = "2**31" if kind.signed else "2**32"
            yield self.finding(
                span,
                f"the index is computed in 32 bits but the count ({_short(count)}) has 64: it wraps at {limit}",
                # 2**32 threads and a size_t, which is what sizes are by habit, say nothing of how large they get.
                Severity.NOTE if not kind.signed and _by_habit(count) else Severity.WARNING,
                related=[
                    Related(use, "used as a subscript here"),
                    *(Related(other, "and so is another index, here") for other, _, _ in others[:3]),
                ],
                fix=_widening(count, facts.module.language),
            )
        yield from self._volumes(walked)

    def fixes(self, facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
        """The index in 64 bits."""
        from kernlint.repair.widening import widened

        return widened(facts, finding, source)

    def _volumes(self, walked: Trace) -> Iterator[Finding]:
        """Narrow products of many sizes beside a subscript that was widened in time."""
        subscripts = [a for a in walked.accesses if a.root.space is Space.GLOBAL]
        widened = [(len(_factors(found)), a) for a in subscripts if (found := _product(a.offset, 64)) is not None]
        if not widened:
            return
        least, wide = min(widened, key=lambda found: (found[0], found[1].order))
        said: set[Span] = set()
        for access in subscripts:
            product = _product(access.offset, 32)
            if product is not None and access.span not in said and not _product(access.offset, 64):
                said.add(access.span)
                count = len(_factors(product))
                # Care with the product of more sizes says nothing of a smaller one, nor does a type of the caller's.
                weak = count < least or _wide_by_type(wide.offset)
                yield self.finding(
                    access.span,
                    f"a product of {count} sizes and indices is computed in 32 bits and used as a subscript of "
                    f"{access.root.name}",
                    Severity.NOTE if weak else Severity.WARNING,
                    related=[Related(wide.span, "here the same kind of subscript is computed in 64 bits")],
                    fix="widen the first factor to 64 bits",
                )


def _narrow_against_wide(term: Term) -> tuple[Term, Term] | None:
    """(index, count) of ``index < count`` with a 32-bit index of the grid and a 64-bit count."""
    if term.op not in ("lt", "le"):
        return None
    left, count = term.args
    if left.op != "cast" or not isinstance(left.type, IntType) or left.type.bits != 64:
        return None
    index = left.args[0]
    if not isinstance(index.type, IntType) or index.type.bits != 32 or not _is_grid_index(index):
        return None
    wide = any(s.kind is SymbolKind.PARAM and isinstance(s.type, IntType) and s.type.bits == 64 for s in symbols(count))
    return (index, count) if wide else None


def _wide_by_type(offset: Term) -> bool:
    """Whether a 64-bit parameter made a subscript wide, and not the one who wrote it: strides in bytes come as
    ``size_t`` from everywhere, which says little of how much data there is."""
    found = [symbol for symbol in symbols(offset) if symbol.kind is SymbolKind.PARAM]
    return any(isinstance(symbol.type, IntType) and symbol.type.bits == 64 for symbol in found)


def _narrow_in_launches(count: Term, seen: tuple[LaunchFact, ...]) -> bool:
    """Whether every launch in sight passes a 32-bit value for the count."""
    count = plain(count)
    if count.symbol is None or not seen:
        return False
    for launch in seen:
        passed = launch.argument(count.symbol.name)
        if not isinstance(passed, Term) or passed.op != "cast" or (passed.args[0].type.size or 8) > 4:
            return False
    return True


def _is_grid_index(term: Term) -> bool:
    found = set(symbols(term))
    return bool(found & set(BLOCK)) and bool(found & set(THREAD)) and bool(found & set(BLOCK_DIM))


def _subscript_with(walked: Trace, index: Term) -> Span | None:
    """Where ``index`` is part of a subscript of global memory."""
    for access in walked.accesses:
        if access.root.space is Space.GLOBAL and any(part == index for part in subterms(access.offset)):
            return access.span
    return None


def _product(offset: Term, bits: int) -> Term | None:
    """The multiplication of ``bits`` bits in ``offset`` with the most factors that vary, at least FACTORS.

    What a quotient or remainder is taken of is no part of the place: a count of tiles or a linear index, taken apart.
    """
    best: Term | None = None
    most = FACTORS - 1
    stack = [offset]
    while stack:
        at = stack.pop()
        if at.op == "mul" and isinstance(at.type, IntType) and at.type.bits == bits:
            factors = [factor for factor in _factors(at) if _is_extent(factor)]
            if len(factors) > most and (bits == 64 or at.type.signed):
                best, most = at, len(factors)
        if at.op == "cast" and isinstance(at.type, IntType) and at.type.bits < (at.args[0].type.size or 8) * 8:
            continue  # narrowed: the wide arithmetic below is of no use to the subscript
        if at.op in PLACE:
            stack.extend(at.terms)
    return best


def _is_extent(term: Term) -> bool:
    """Whether a factor can be large: it has a parameter, data or the block's index in it, not the block's size."""
    large = (SymbolKind.PARAM, SymbolKind.LOAD, SymbolKind.BLOCK)
    return any(symbol.kind in large for symbol in symbols(term))


def _widening(count: Term, language: str) -> str:
    """How to compute an index in the 64 bits of ``count``, in the words of the language."""
    signed = not isinstance(count.type, IntType) or count.type.signed
    if language == "opencl":
        kind = "long" if signed else "ulong"
        return f"widen before multiplying: ({kind})get_group_id(0) * get_local_size(0) + get_local_id(0)"
    kind = "long long" if signed else "size_t"
    return f"widen before multiplying: ({kind})blockIdx.x * blockDim.x + threadIdx.x"


def _factors(term: Term) -> list[Term]:
    """The factors of a product that are no constants (conversions looked through); a product in fewer bits, widened
    when it was done, is one factor."""
    out: list[Term] = []
    stack = [term]
    while stack:
        at = stack.pop()
        if at.op == "mul" and at.type.size == term.type.size:
            stack.extend(at.args)
        elif at.op == "cast" and isinstance(at.args[0].type, IntType):
            stack.append(at.args[0])
        elif at.op != "const":
            out.append(at)
    return out


def _by_habit(count: Term) -> bool:
    """Whether a count is an unsigned parameter of 64 bits as it stands (``size_t n``)."""
    inner = count
    inner = plain(inner)
    return inner.op == "sym" and isinstance(inner.type, IntType) and not inner.type.signed


def _short(term: Term) -> str:
    text = show(term)
    return text if len(text) <= 40 else text[:37] + "..."
