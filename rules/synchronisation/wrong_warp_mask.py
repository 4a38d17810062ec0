r"""The rule ``wrong-warp-mask``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import Facts
from kernlint.analysis.extent.extents import numbers_made_up
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import WarpEvent
from kernlint.analysis.warps.beside_mask import BesideMask, beside_mask
from kernlint.analysis.warps.lanes import Lanes, lanes
from kernlint.analysis.warps.leaders import beyond_width, mixed_groups, passed_over
from kernlint.analysis.warps.running import apart, awaited_together, instead_of_mask, whoever_is_left, whoever_runs
from kernlint.analysis.warps.warp_masks import Exclusion, WarpMasks, bad_width, name_of, warp_masks
from kernlint.finding import Finding, Fix, Related, Severity
from kernlint.rule import Meta, Rule
from kernlint.source import SourceFile
from kernlint.symbolic.show import words


class WrongWarpMask(Rule):
    r"""A warp collective whose mask leaves out the lane that calls it, or whose width is none.

    Every lane that executes a `*_sync` intrinsic must be in its own mask, and a shuffle may read only from lanes in
    the mask: otherwise the result is undefined. Masks of sub-warp teams are computed from the lane, and a slip
    (`lane % teams` for `lane / width`) names another team. The width of a shuffle must be a power of two and at most
    the warp size. Without one it is the warp's: reported where the first lane of each team has set a value of its own,
    and all lanes are given that of the first team, and where a reduction reaches beyond the team whose first lane
    stores the result. With one, a sum whose distances are as long as the team is wide gets values twice, or of another
    team.

    `__activemask()` says which lanes happen to be running together, not which ones are meant: where all lanes of the
    warp should take part, use the full mask.  The mask is the first argument: what was written for the older
    intrinsics without one passes a value in its place.

    ```cuda bad
    __global__ void pairs(int *x) {
        unsigned lane = threadIdx.x & 31u;
        unsigned team = 0xffu << (lane % 4u * 8u);
        int v = x[threadIdx.x];
        v += __shfl_xor_sync(team, v, 1, 8);  // expect: KL209
        x[threadIdx.x] = v;
    }
    ```

    ```cuda bad
    __global__ void lower_half(int *x) {
        int v = x[threadIdx.x];
        x[threadIdx.x] = __shfl_sync(0x0000ffffu, v, 0);  // expect: KL209
    }
    ```

    ```cuda bad
    __global__ void votes(const int *x, int *count) {
        int n = __popc(__ballot_sync(__activemask(), x[threadIdx.x] > 0));  // expect: KL209
        if (threadIdx.x % 32 == 0) count[threadIdx.x / 32] = n;
    }
    ```

    ```cuda bad
    __global__ void tally(const int *x, int n, int *count) {
        int c = 0;
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            c += __popc(__ballot_sync(__activemask(), x[i] > 0));  // expect: KL209
        if (threadIdx.x % 32 == 0) atomicAdd(count, c);
    }
    ```

    ```cuda bad
    __global__ void row_sums(const float *x, const int *begin, float *sum) {
        float s = 0.0f;
        for (int k = begin[blockIdx.x] + threadIdx.x; k < begin[blockIdx.x + 1]; k += 32) s += x[k];
        unsigned mask = __activemask();
        for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(mask, s, d);  // expect: KL209
        if (threadIdx.x == 0) sum[blockIdx.x] = s;
    }
    ```

    ```cuda bad
    __global__ void row_sums(const float *x, float *sum) {
        float s = x[blockIdx.x * 32 + threadIdx.x];
        for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(s, d, 32);  // expect: KL209
        if (threadIdx.x == 0) sum[blockIdx.x] = s;
    }
    ```

    ```cuda good
    __global__ void row_sums(const float *x, const int *begin, float *sum) {
        float s = 0.0f;
        for (int k = begin[blockIdx.x] + threadIdx.x; k < begin[blockIdx.x + 1]; k += 32) s += x[k];
        __syncwarp();
        unsigned mask = __activemask();
        for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(mask, s, d);
        if (threadIdx.x == 0) sum[blockIdx.x] = s;
    }
    ```

    ```cuda bad
    __global__ void nearest(const int *cell, const int *depth, int *owner) {
        __shared__ int best[64];
        const int lane = threadIdx.x;
        best[lane] = best[lane + 32] = 1 << 30;
        __syncwarp();
        if (cell[lane] >= 0) {
            const unsigned here = __activemask();
            atomicMin(&best[cell[lane] & 63], depth[lane] << 5 | lane);
            __syncwarp(here);  // expect: KL209
            if (best[cell[lane] & 63] == (depth[lane] << 5 | lane)) owner[cell[lane] & 63] = lane;
        }
    }
    ```

    ```cuda good
    __global__ void pairs(int *x) {
        unsigned lane = threadIdx.x & 31u;
        unsigned team = 0xffu << (lane / 8u * 8u);
        int v = x[threadIdx.x];
        v += __shfl_xor_sync(team, v, 1, 8);
        x[threadIdx.x] = v;
    }
    ```

    ```cuda good
    __global__ void votes(const int *x, int *count, int n) {
        int c = __popc(__ballot_sync(0xffffffffu, x[threadIdx.x] > 0));
        if (threadIdx.x % 32 == 0) count[threadIdx.x / 32] = c;
    }
    ```
    """

    meta = Meta(
        "KL209", "wrong-warp-mask", Severity.WARNING, tags=("CUDA-2.3", "CUDA-2.2", "CUDA PG warp vote functions")
    )
    needs = (trace, lanes, warp_masks, beside_mask)

    def check(self, facts: Facts) -> Iterator[Finding]:
        found: WarpMasks = facts[warp_masks]
        within: Lanes = facts[lanes]
        for exclusion in found.exclusions:
            yield self._excluded(exclusion)
        told = {exclusion.event.span for exclusion in found.exclusions}
        for one in facts[beside_mask]:
            if one.event.span not in told:
                told.add(one.event.span)
                yield self._beside(one)
        yield from self._unmasked(facts[trace].warp_ops)
        for event in facts[trace].warp_ops:
            # A wavefront may have 64 lanes, and what a macro switches on that nobody sets may be code for those.
            most = within.size if facts.module.language == "cuda" and not facts.module.setting else 64
            width = bad_width(event, most) if facts.module.language != "opencl" else None
            if width == 0 and (numbers_made_up(facts) or facts.losses):
                width = None  # a quotient of a template's number, or by the size of a type that no header gave
            if width is not None:
                yield self.finding(
                    event.span,
                    f"{event.node.name} with a width of {width}, which is no power of two up to {most}",
                    related=_calls(event),
                    fix="use a width of 2, 4, 8, 16 or the warp size",
                )
            elif (loop := apart(event, within, facts[trace])) is not None:
                yield self.finding(
                    event.span,
                    f"{event.node.name} takes part with __activemask(), the lanes that happen to run together, and "
                    "lanes leave the loop before it at different times: the lane to read from may not be among them",
                    related=[Related(loop.condition_span or loop.span, "this loop"), *_calls(event)],
                    fix="use the full mask 0xffffffff",
                )
            elif whoever_runs(event, within) or whoever_is_left(event, within, facts[trace]):
                yield self.finding(
                    event.span,
                    f"{event.node.name} takes part with __activemask(), the lanes that happen to run together, where "
                    "the whole warp is meant",
                    related=_calls(event),
                    fix="use the full mask 0xffffffff",
                )
            elif facts.module.language == "cuda" and (leaders := passed_over(event, within, facts[trace])):
                yield self.finding(
                    event.span,
                    f"{event.node.name} reads from one lane of the whole warp, while lanes "
                    f"{', '.join(map(str, leaders[:3]))}.. set one for each group: the others are lost",
                    related=_calls(event),
                    fix=f"give the width of a group, {leaders[1] - leaders[0]}, as the last argument",
                )
        yield from self._mixed(facts)
        for barrier in facts[trace].barriers:
            read = awaited_together(barrier, within, facts[trace])
            if read is not None:
                yield self.finding(
                    barrier.span,
                    f"{barrier.name} waits for __activemask(), the lanes that happen to run together, and not for "
                    "those of the branch that run apart, of which this one reads what they have written",
                    related=[Related(read.span, "read here"), *_calls(barrier)],
                    fix="take the mask from a ballot of the condition before the branch, or wait with all lanes "
                    "outside of it",
                )

    def _beside(self, one: BesideMask) -> Finding:
        event = one.event
        return self.finding(
            event.span,
            f"{name_of(event)} reads from lane {one.source} in lane {one.reader}, which is not in its mask "
            f"{one.mask:#x}",
            related=[Related(one.kept.span, "what comes of it is kept here"), *_calls(event)],
            fix="leave out what comes from lanes that the mask does not name, or let all lanes come, with a neutral "
            "value in the others",
        )

    def _mixed(self, facts: Facts) -> Iterator[Finding]:
        """Shuffles that reach into the next group of lanes."""
        for one in mixed_groups(facts[lanes], facts[trace]) if facts.module.language == "cuda" else ():
            yield self.finding(
                one.event.span,
                f"{one.event.node.name} goes through {one.reach} lanes, while every {one.group} lanes have a result of "
                "their own: those of other groups are in it",
                related=[Related(one.store.span, f"stored by one of {one.group} lanes"), *_calls(one.event)],
                fix=f"begin with a distance of {one.group // 2}, or give a width of {one.group}",
            )

        for event, reach, width in beyond_width(facts[trace]):
            yield self.finding(
                event.span,
                f"{event.node.name} goes {reach} lanes far in groups of {width}: lanes get their own values, or those "
                "of another group, and add them up",
                related=_calls(event),
                fix=f"begin with a distance of {width // 2}",
            )

    def _unmasked(self, events: Sequence[WarpEvent]) -> Iterator[Finding]:
        """Calls with something else where the mask belongs, told of the first in each function."""
        found: dict[str, list[WarpEvent]] = {}
        for event in events:
            what = instead_of_mask(event)
            if what is not None:
                found.setdefault(what, []).append(event)
        for what, calls in found.items():
            first, *others = dict.fromkeys(event.span for event in calls)
            yield self.finding(
                first,
                f"the first argument of {calls[0].node.name} is the mask of the lanes that take part, and here it is "
                f"{what}",
                related=[*(Related(span, "and here") for span in others[:7]), *_calls(calls[0])],
                fix="pass the mask first: 0xffffffff for the whole warp",
            )

    def fixes(self, facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
        """The whole warp in the mask."""
        from kernlint.repair.masks import full_mask

        return full_mask(facts, finding, source)

    def _excluded(self, exclusion: Exclusion) -> Finding:
        event, seen = exclusion.event, exclusion.seen
        assert event.mask is not None
        mask = words(event.mask)
        computed = f" ({mask})" if event.mask.value is None and len(mask) <= 80 else ""
        if exclusion.source:
            message = f"{name_of(event)} reads from lane {seen.lane}, which is not in its mask {seen.mask:#x}"
        else:
            message = (
                f"lane {seen.lane} calls {name_of(event)} with the mask {seen.mask:#x}{computed}, which leaves it out"
            )
        return self.finding(
            event.span,
            message,
            related=_calls(event),
            fix="name every lane that comes in the mask, the calling one among them",
        )


def _calls(event: object) -> tuple[Related, ...]:
    stack = getattr(event, "stack", ())
    return tuple(Related(span, "called from here") for span in reversed(stack))
