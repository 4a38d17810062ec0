r"""The rule ``index-overflow``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.extent.extents import numbers_made_up
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.analysis.launching.launches import launches
from kernlint.analysis.launching.member_limits import member_limits
from kernlint.analysis.launching.stated_sizes import short
from kernlint.analysis.trace import trace
from kernlint.analysis.values.constant_products import wrapped_constants
from kernlint.analysis.values.made import products_in
from kernlint.analysis.values.narrow import narrow
from kernlint.analysis.values.narrow_elsewhere import place_of, written_in
from kernlint.analysis.values.narrow_part import Narrow
from kernlint.analysis.values.passed_products import passed_too_large
from kernlint.analysis.values.products import bits, products
from kernlint.finding import Finding, Fix, Related, Severity
from kernlint.rule import Meta, Rule
from kernlint.source import SourceFile, Span
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import Term
from kernlint.tree.types import IntType

HABIT = "32 bits"
"""Indices in 32 bits where others have 64 go through whole projects, as they are written in one way."""
SHOWN = frozenset({"numbers", "comments", "amounts", "short", "elsewhere", "shift"})
"""Evidence that stands for itself: what the index comes to."""

_MADE = "{part} is computed in 32 bits and {used}"
SAID = {
    "twin": (_MADE, ""),
    "rows": (_MADE, ""),
    "larger": (f"{_MADE}, but gets larger than a product that is made in 64 bits", ""),
    "sibling": (f"{_MADE}; another kernel makes the same in 64 bits", ""),
    "apart": (
        "{part} is computed in 32 bits and then widened to count the items of rows and columns, of which there may be "
        "more: it wraps at {limit}",
        "",
    ),
    "amounts": (f"{_MADE}, but comes to {{value}} with as much data as a comment says", ""),
    "whole": (f"{_MADE}, but comes to {{value}} by what its coordinates are kept below", ""),
    "array": (
        f"{_MADE}, which a launch in sight allocates with {{value}} elements where sizes are as large as the host lets "
        "them be",
        "",
    ),
    "cut": (
        "{part} is computed in 64 bits and cut to 32 before it is used as a subscript of {name}",
        "keep the index in 64 bits",
    ),
    "factor": (
        f"{_MADE}, although it has a factor of 64 bits, which is cut to 32 for it",
        "keep the factor in 64 bits",
    ),
    "bound": (
        "{part} is computed in 32 bits and wraps at {limit}, and an index of 64 bits is compared with it, which leaves "
        "elements out",
        "",
    ),
    "ranges": (
        "{part} has 64 bits and is cut to 32 before it is {used}; another kernel goes through such ranges in 64",
        "keep both ends of the range, and the index, in 64 bits",
    ),
    "host": (
        "{part} is computed in 32 bits and used as a subscript of {name}, but the host code counts the same in 64 bits",
        "",
    ),
    "grid": (
        "the index is computed in 32 bits and wraps at {limit}, but the launch makes its grid of a product in 64 bits",
        "",
    ),
}
"""What is said of a part by its evidence, and how to mend it where it is not widened as others are."""


class IndexOverflow(Rule):
    r"""A 32-bit index in a kernel that is written for more than 2**31 elements.

    ``blockIdx.x * blockDim.x + threadIdx.x`` is computed in 32 bits whatever it is assigned to. Where the element
    count is a 64-bit parameter, the index wraps before the count is reached: an ``int`` turns negative, passes the
    comparison and addresses memory in front of the array; an ``unsigned`` starts again at 0.

    Reported is what something in sight says is too large for 32 bits: an index of the grid that is compared with a
    64-bit count; a product that leaves its type by the numbers that a launch in sight passes or checks, or that
    comments name as the largest sizes, or that has as many factors as a comment states extents; a product that
    another subscript of the kernel makes in 64 bits, or that another row of the same length has; a product that was
    made in 64 bits and is then cut to 32; an index of a grid that the launch in sight makes of a 64-bit product, or
    a product of arguments that the host multiplies in 64 bits, for its grid or to count the elements of an array; a
    product of three or more sizes in a kernel that widens another such product (a note when all that it widens are
    products of more sizes), or that is put into a signed variable of 64 bits when it is done; a product
    that is converted to 64 bits by a word when it is done, where the kernel widens the factors of others, or a multiple
    of the block's number that is larger than one which is widened; rows that another
    kernel of the file multiplies in 64 bits; a number that is widened and then taken apart into rows and columns of
    two sizes; an index that is kept in 8 or 16 bits and gets larger than these hold by what the kernel tests of it,
    or in a launch in sight; and a count of elements that the host makes in 32 bits of sizes which its own checks
    let be so large that it wraps, before the kernel compares its index with it, or makes in 64 bits and cuts for a
    kernel whose index was widened. Of numbers that are shifted by up to 32 bits and more it is enough that they are
    widened afterwards. Where no launch is in sight, numbers that the kernel tests sizes against will do. Sums and
    products of constants that leave 32 bits are always wrong, and so are ranges of a table of 64 bits that are gone
    through in 32 where another kernel has 64 for them. Of numbers that are passed or checked it is enough that a
    condition or a value rests on the product. Addresses that a kernel stores for others count as its own subscripts do.
    Products that fit under all that launches and tests say are not reported, nor are kernels that use 32-bit counts
    throughout: nothing says that their data is large. A count of 64 bits is a note where it is a size by habit: a
    `size_t`, or what the launches in sight hand on without multiplying anything; and says nothing of rows that a table
    of 32 bits begins. So is a `size_t` that the host makes for an allocation, or to go through elements itself.

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

    ```cuda bad
    __global__ void halve(const float *in, float *out, int width) {
        const float *row = in + blockIdx.x * width;
        float *to = out + (long long)blockIdx.x * width;
        for (int c = threadIdx.x; c < width; c += blockDim.x)
            to[c] = row[c] * 0.5f;  // expect: KL401
    }
    ```

    ```opencl bad
    #define WORDS 150000000
    __kernel void mark(__global uint *words, __global const ulong *keys) {
        const ulong bit = keys[get_global_id(0)] % (ulong)(WORDS * 32);  // expect: KL401
        atomic_or(&words[bit / 32], 1u << (bit % 32));
    }
    ```

    ```opencl good
    #define WORDS 150000000
    __kernel void mark(__global uint *words, __global const ulong *keys) {
        const ulong bit = keys[get_global_id(0)] % ((ulong)WORDS * 32);
        const uint mixed = 0x9e3779b9u * 33u + (uint)bit;
        atomic_or(&words[bit / 32], 1u << (mixed % 32));
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
    needs = (narrow, trace, launches, launch_context, member_limits)

    def check(self, facts: Facts) -> Iterator[Finding]:
        found: tuple[Narrow, ...] = facts[narrow]
        counts: dict[Term, list[Narrow]] = {}
        said: set[Span] = set()
        for one in found:
            if one.count is not None:
                counts.setdefault(one.count, []).append(one)
        for count, (first, *others) in counts.items():
            said |= {one.use.span for one in (first, *others) if one.use is not None}
            yield self._against_count(first, others, count, facts.module.language)
        for one in found:
            if one.count is None and one.span not in said:
                said.add(one.span)
                yield self._of_product(one, facts)
        hosts = dict.fromkeys(fact.host for fact in facts[launches] if not fact.host.losses)
        own = () if numbers_made_up(facts) or facts.losses else facts.reached
        for wrapped in wrapped_constants((*own, *hosts)):
            yield self.finding(
                wrapped.span,
                f"an operation on constants is done in 32 bits, and comes to {wrapped.value}",
                fix="widen one of the constants to 64 bits",
            )
        for passed in passed_too_large(facts):
            given = ", ".join(f"{name} = {value}" for name, value in passed.given[:4])
            yield self.finding(
                passed.span,
                f"{_short(passed.part)} is computed in 32 bits for {passed.name}, but comes to {passed.value} where "
                f"sizes are as large as the host lets them be ({given})"
                if given
                else f"{_short(passed.part)} is computed in 64 bits for {passed.name}, and cut to 32 before the kernel "
                "compares an index of 64 bits with it",
                Severity.WARNING,
                related=[Related(passed.test, "the index is compared with it here")],
                fix="count the elements, and make the index, in 64 bits",
            )

    def fixes(self, facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
        """The index in 64 bits."""
        from kernlint.repair.widening import widened

        return widened(facts, finding, source)

    def _against_count(self, first: Narrow, others: list[Narrow], count: Term, language: str) -> Finding:
        assert first.use is not None
        return self.finding(
            first.span,
            f"the index is computed in 32 bits but the count ({_short(count)}) has 64: it wraps at {_limit(first)}",
            Severity.NOTE if first.weak else Severity.WARNING,
            related=[
                Related(first.use.span, "used as a subscript here"),
                *(Related(other.span, "and so is another index, here") for other in others[:3]),
            ],
            fix=_widening(count, language),
            habit=HABIT,
        )

    def _of_product(self, one: Narrow, facts: Facts) -> Finding:
        assert one.use is not None
        power = one.index.op == "shl" and one.index.args[0].value is not None
        name, fix = one.use.root.name, f"{'shift a number of' if power else 'widen the first factor to'} 64 bits"
        used = f"used as a subscript of {name}" if one.use.size is not None else f"used to point into {name}"
        related = []
        if one.other is not None:
            related = [Related(one.other.span, "here the same kind of subscript is computed in 64 bits")]
        elif one.shown is not None:
            related = [Related(one.shown, "here such a product is made in 64 bits")]
        if one.evidence == "kept" and one.shown is not None:
            related = [Related(one.shown, "64 bits are kept for it here, which it has wrapped before it gets to")]
        made = products_in(one.use.node, of=one.index)
        related += [Related(span, "it is computed here") for span in made[:2] if span != one.span]
        if one.evidence in ("volume", "kept"):
            what = (
                f"a product of {_most_factors(one.index)} sizes and indices is computed in 32 bits and used as a "
                f"subscript of {name}"
            )
        elif one.evidence == "numbers":
            given = ", ".join(f"{symbol.name} = {value}" for symbol, value in one.values[:4])
            what = (
                f"{_short(one.index)} is computed in 32 bits and {used}, but comes to "
                f"{one.value} {'by what the kernel tests' if one.tested else 'in a launch in sight'}"
                + (f" ({given})" if given else "")
            )
        elif one.evidence == "elsewhere":
            given = ", ".join(f"{symbol.name} = {value}" for symbol, value in one.values[:4])
            related = [Related(one.use.span, "and this rests on it")]
            what = f"{_short(one.index)} is computed in 32 bits, but comes to {one.value} in a launch in sight" + (
                f" ({given})" if given else ""
            )
        elif one.evidence == "shift":
            related = [Related(one.use.span, "and this rests on it")] if one.use.span != one.span else []
            what = f"{_short(one.index)} is computed in {bits(one.index)} bits and then widened"
            what += f", but the amount goes up to {one.value}"
            fix = "shift a number of 64 bits"
        elif one.evidence == "short":
            given = ", ".join(f"{symbol.name} = {value}" for symbol, value in one.values[:4])
            what = f"{_short(one.index)} is kept in {bits(one.index)} bits and {used}, but comes to {one.value}" + (
                f" in a launch in sight ({given})" if given else " by what is tested of it"
            )
            fix = "keep the index in 32 bits"
        elif one.evidence == "comments":
            sizes = {short(symbol): value for symbol, value in one.values}
            given = ", ".join(f"{size} = {value}" for size, value in [*sizes.items()][:4])
            what = (
                f"{_short(one.index)} is computed in 32 bits and {used}, but comes to {one.value} where sizes are as "
                f"large as comments say ({given})"
            )
        else:
            related = [Related(one.use.span, "and this rests on it")] if one.evidence == "bound" else related
            said, fix = SAID[one.evidence][0], SAID[one.evidence][1] or fix
            what = said.format(part=_short(one.index), used=used, name=name, limit=_limit(one), value=one.value)
        span = one.span
        if not made and one.use.stack and one.span == one.use.span:  # (a helper gets it as its place)
            span = place_of(one.index, [*written_in(facts.function)]) or span
            related += [Related(one.span, "used here")] if span != one.span else []
        severity = Severity.NOTE if one.weak else Severity.WARNING
        habit = "" if one.evidence in SHOWN else HABIT
        return self.finding(span, what, severity, related=related, fix=fix, habit=habit)


def _limit(one: Narrow) -> str:
    return "2**31" if isinstance(one.index.type, IntType) and one.index.type.signed else "2**32"


def _widening(count: Term, language: str) -> str:
    """How to compute an index in the 64 bits of ``count``, in the words of the language."""
    signed = not isinstance(count.type, IntType) or count.type.signed
    if language == "opencl":
        kind = "long" if signed else "ulong"
        return f"widen before multiplying: ({kind})get_group_id(0) * get_local_size(0) + get_local_id(0)"
    kind = "long long" if signed else "size_t"
    return f"widen before multiplying: ({kind})blockIdx.x * blockDim.x + threadIdx.x"


def _most_factors(index: Term) -> int:
    return max((len(product.factors) for product in products(index)), default=0)


def _short(term: Term) -> str:
    text = words(term)
    return text if len(text) <= 40 else text[:37] + "..."
