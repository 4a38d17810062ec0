r"""The rule ``negative-index``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import Facts
from kernlint.analysis.extent.allocated import allocated
from kernlint.analysis.extent.extents import outside, replayed
from kernlint.analysis.extent.launched_below import LaunchedBelow, launched_below
from kernlint.analysis.extent.leaving import Outside
from kernlint.analysis.extent.mirrored import Mirrored, mirrored
from kernlint.analysis.extent.open_ends import OpenEnd, open_ends
from kernlint.analysis.extent.painted import Painted, painted
from kernlint.analysis.extent.sentinels import Sentinel, sentinels
from kernlint.analysis.extent.shifted_back import ShiftedBack, shifted_back
from kernlint.analysis.extent.signed_remainders import SignedRemainder, signed_remainders
from kernlint.analysis.extent.told_apart import ToldApart, told_apart
from kernlint.analysis.replay import Replayer, replayer
from kernlint.analysis.sharing.race_words import calls
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Root, RootKind
from kernlint.analysis.wording import also, element, index, verb, witness_of
from kernlint.finding import Confidence, Finding, Related, Severity
from kernlint.rule import Meta, Rule


class NegativeIndex(Rule):
    r"""The index is below zero for the first threads.

    The left neighbour of element 0, the row above row 0, the difference of an unsigned index and a number: for
    thread 0 such an index is negative, or wraps to a huge one, unless a test or a clamp keeps the first threads
    away. So it is where one of two coordinates made of data is tested for that, and the other only for being too large.
    Silent where an index rests on data otherwise, where a parameter is subtracted (it may be what makes the index
    start at zero), and where a launch in sight passes a pointer into the middle of an array.

    ```cuda bad
    __global__ void difference(const float *in, float *out, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) out[i] = in[i] - in[i - 1];  // expect: KL105
    }
    ```

    ```opencl bad
    __kernel void blur(__global const float *in, __global float *out, int width, int height) {
        int x = get_global_id(0), y = get_global_id(1);
        if (x >= width || y >= height) return;
        float above = in[(y - 1) * width + x];  // expect: KL105
        out[y * width + x] = 0.5f * (above + in[y * width + x]);
    }
    ```

    ```cuda bad
    __global__ void __launch_bounds__(64) left(const float *in, float *out) {
        __shared__ float s[64];
        s[threadIdx.x] = in[threadIdx.x];
        __syncthreads();
        out[threadIdx.x] = s[threadIdx.x - 1];  // expect: KL105
    }
    ```

    ```cuda good
    __global__ void difference(const float *in, float *out, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) out[i] = in[i] - (i > 0 ? in[i - 1] : 0.0f);
    }
    ```

    ```cuda good
    __global__ void mirror(const float *in, float *out) {
        __shared__ float row[16];
        row[threadIdx.x] = in[blockIdx.x * 16 + threadIdx.x];
        __syncthreads();
        out[blockIdx.x * 16 + threadIdx.x] = row[15 - threadIdx.x];  // sixteen threads, as the array says
    }
    ```

    ```cuda good
    __global__ void reverse(const float *in, float *out, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) out[i] = in[n - 1 - i];
    }
    ```

    ```opencl good
    __kernel void blur(__global const float *in, __global float *out, int width, int height) {
        int x = get_global_id(0), y = get_global_id(1);
        if (x >= width || y >= height) return;
        float above = in[max(y - 1, 0) * width + x];
        out[y * width + x] = 0.5f * (above + in[y * width + x]);
    }
    ```
    """

    meta = Meta("KL105", "negative-index", Severity.WARNING, tags=("CUDASecurity",), precision="high")
    needs = (
        trace,
        outside,
        sentinels,
        open_ends,
        shifted_back,
        signed_remainders,
        allocated,
        told_apart,
        mirrored,
        painted,
        launched_below,
        replayer,
    )
    requires_whole = True
    looks_back = True

    def check(self, facts: Facts) -> Iterator[Finding]:
        if not facts[trace].guards_known(facts.function.span):
            return
        arrays: dict[Root, list[Outside]] = {}
        told = {id(past.access) for past in facts[allocated]}  # by the rules that know the allocation
        for one in facts[outside]:
            if one.below and id(one.access) not in told:
                arrays.setdefault(one.access.root, []).append(one)
        for found in arrays.values():
            yield self._report(found, facts[replayer])
        for kept in facts[sentinels]:
            yield self._nothing_found(kept)
        apart: tuple[ToldApart, ...] = facts[told_apart]
        for state in apart:
            if state.below and not state.empty and state.access.root not in arrays:
                yield self.told(state.access.span, state.told, calls(state.access))
        halves: tuple[OpenEnd, ...] = facts[open_ends]
        for half in halves:
            if half.below:
                yield self.told(half.access.span, half.told, calls(half.access))
        turned: tuple[Mirrored, ...] = facts[mirrored]
        yield from (self.told(one.access.span, one.told, calls(one.access)) for one in turned)
        around: tuple[Painted, ...] = facts[painted]
        yield from (self.told(one.access.span, one.told, calls(one.access)) for one in around)
        rests: tuple[SignedRemainder, ...] = facts[signed_remainders]
        yield from (self._remainder(one) for one in rests if one.access.root not in arrays)
        back: tuple[ShiftedBack, ...] = facts[shifted_back]
        yield from (self._shifted(one) for one in back if one.access.root not in arrays)
        begun: tuple[LaunchedBelow, ...] = facts[launched_below]
        yield from (self._launched(one) for one in begun if one.access.root not in arrays)

    def _launched(self, one: LaunchedBelow) -> Finding:
        access = one.access
        return self.finding(
            access.span,
            f"{element(access)} is {verb(access)} at a coordinate that is negative for surplus threads of the launch: "
            "only its upper end is tested",
            related=[
                Related(one.tested.span, "this test lets negative coordinates pass"),
                Related(one.view.fact.span, "this launch has threads for which the coordinate is negative"),
                *calls(access),
            ],
            assumptions=(f"{access.root.name} points to the start of its memory",),
            fix="test that the coordinate is not negative too",
            confidence=Confidence.MEDIUM,
        )

    def _shifted(self, one: ShiftedBack) -> Finding:
        access, shift = one.access, one.shift.name
        return self.finding(
            access.span,
            f"{element(access)} is {verb(access)} at a coordinate that {shift} is taken from, which is negative for "
            f"the first threads where {shift} is positive: only its upper end is tested",
            related=[Related(one.tested.span, "this test is of use where the shift is negative"), *calls(access)],
            assumptions=(f"{shift} may be positive",),
            fix="test that the coordinate is not negative too",
            confidence=Confidence.MEDIUM,
        )

    def _remainder(self, one: SignedRemainder) -> Finding:
        access, related = one.access, list(calls(one.access))
        if one.other is None:
            why = "a hash that is mixed in a signed type, where products wrap, and % keeps its sign"
        else:
            why = "a number that may be negative, and % keeps its sign"
            related = [Related(one.other, "here the divisor is added to what may be negative"), *related]
        return self.finding(
            access.span,
            f"{element(access)} is {verb(access)} at a remainder of {why}: the place may be before the start",
            related=related,
            assumptions=("the data make the number negative",),
            fix="divide unsigned numbers, or add the divisor where the remainder is negative",
            confidence=Confidence.MEDIUM,
        )

    def _nothing_found(self, kept: Sentinel) -> Finding:
        access, name = kept.access, kept.variable.name
        return self.finding(
            access.span,
            f"{element(access)} is {verb(access)} with {name} as index, which is still {kept.value} where the loop has "
            "found nothing, and nothing asks",
            severity=Severity.NOTE if kept.computed else Severity.WARNING,
            related=[Related(kept.variable.origin.span, f"{name} is set here, for elements that meet a condition")],
            fix=f"test that {name} is not negative",
            confidence=Confidence.MEDIUM,
        )

    def _report(self, found: Sequence[Outside], again: Replayer) -> Finding:
        one = found[0]
        access = one.access
        size = one.unit
        at = one.witness.first.offset // size
        block, thread = one.witness.first.block, one.witness.first.thread
        who = "the first thread" if not any((*block, *thread)) else f"thread {thread} of block {block}"
        how = f"reaches element {at}" if at < 0 else f"wraps to element {at}"
        related = []
        if access.root.kind is RootKind.VARIABLE and access.root.decl is not None:
            related.append(Related(access.root.decl.span, f"{access.root.name} is declared here"))
        also([other.access for other in found], "before", related)
        related += calls(access)
        seen_again, severity = replayed(one, again)
        return self.finding(
            access.span,
            f"{element(access)} is {verb(access)} before the start of {access.root.name}: {who} {how}, "
            f"and nothing keeps {index(access)} from being negative",
            severity,
            related=related,
            witness=witness_of(access, one.witness, size, seen_again),
            assumptions=() if one.extent is not None else (f"{access.root.name} points to the start of its memory",),
            fix="test the index, or clamp it to 0",
            confidence=Confidence.HIGH if one.extent is not None else Confidence.MEDIUM,
        )
