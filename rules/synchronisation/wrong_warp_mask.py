r"""The rule ``wrong-warp-mask``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.extent.extents import numbers_made_up
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import GuardKind, Trace, WarpEvent
from kernlint.analysis.warps.lanes import Lanes, lanes
from kernlint.analysis.warps.warp_masks import Exclusion, WarpMasks, bad_width, name_of, warp_masks
from kernlint.finding import Finding, Fix, Related, Severity
from kernlint.rule import Meta, Rule
from kernlint.source import SourceFile
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import Symbol, symbols


class WrongWarpMask(Rule):
    r"""A warp collective whose mask leaves out the lane that calls it, or whose width is none.

    Every lane that executes a `*_sync` intrinsic must be in its own mask, and a shuffle may read only from lanes in
    the mask: otherwise the result is undefined. Masks of sub-warp teams are computed from the lane, and a slip
    (`lane % teams` for `lane / width`) names another team. The width of a shuffle must be a power of two and at most
    the warp size.

    `__activemask()` says which lanes happen to be running together, not which ones are meant: where all lanes of the
    warp should take part, use the full mask.

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
    needs = (trace, lanes, warp_masks)

    def check(self, facts: Facts) -> Iterator[Finding]:
        found: WarpMasks = facts[warp_masks]
        within: Lanes = facts[lanes]
        for exclusion in found.exclusions:
            yield self._excluded(exclusion)
        for event in facts[trace].warp_ops:
            most = within.size if facts.module.language == "cuda" else 64  # a wavefront may have 64 lanes
            width = bad_width(event, most) if facts.module.language != "opencl" else None
            if width == 0 and numbers_made_up(facts):
                width = None  # a quotient of a template's number
            if width is not None:
                yield self.finding(
                    event.span,
                    f"{event.node.name} with a width of {width}, which is no power of two up to {most}",
                    related=_calls(event),
                    fix="use a width of 2, 4, 8, 16 or the warp size",
                )
            elif _whoever_runs(event, within) or _whoever_is_left(event, within, facts[trace]):
                yield self.finding(
                    event.span,
                    f"{event.node.name} takes part with __activemask(), the lanes that happen to run together, where "
                    "the whole warp is meant",
                    related=_calls(event),
                    fix="use the full mask 0xffffffff",
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


def _whoever_runs(event: WarpEvent, within: Lanes) -> bool:
    """Whether the mask is ``__activemask()`` at a place that all lanes of the warp reach, with a result that depends
    on who takes part."""
    symbol = event.mask.symbol if event.mask is not None else None
    if symbol is None or not isinstance(symbol.origin, WarpEvent) or symbol.origin.node.kind != "activemask":
        return False
    if not event.node.synchronising or event.node.kind not in ("ballot", "all", "reduce"):
        return False
    kinds = (GuardKind.ASSERT, GuardKind.AFTER_LOOP)
    conditions = [guard.term for guard in event.guards if guard.kind not in kinds]
    for loop in event.loops:
        conditions += [term for term, _ in (*loop.exits, *loop.leaves)]
    return not any(within.varies(term) for term in conditions)


def _whoever_is_left(event: WarpEvent, within: Lanes, of: Trace) -> bool:
    """Whether votes are counted in a loop that lanes leave at different times, by ``__activemask()`` on the spot, and
    nothing else asks who was there: the lanes that go on may run apart, and then each group counts for itself."""
    symbol = event.mask.symbol if event.mask is not None else None
    if symbol is None or not isinstance(symbol.origin, WarpEvent) or symbol.origin.node.kind != "activemask":
        return False
    if event.node.kind not in ("ballot", "reduce") or not event.node.synchronising:
        return False
    conditions = [loop.condition for loop in event.loops if loop.condition is not None]
    if not any(within.varies(term) for term in conditions):
        return False
    asked = {other.node.span for other in of.warp_ops if other.node.kind == "activemask"}
    others = (o for o in of.warp_ops if o.mask is not None and o.mask.symbol is symbol and o.node is not event.node)
    return len(asked) == 1 and next(others, None) is None and not _asked_for(symbol, of)


def _asked_for(symbol: Symbol, of: Trace) -> bool:
    """Whether a value or a condition is made of ``symbol``."""
    for access in of.accesses:
        terms = [guard.term for guard in access.guards]
        terms += [term for term in (access.value, access.offset) if term is not None]
        if any(symbol in symbols(term) for term in terms):
            return True
    return any(symbol in symbols(operand) for op in of.warp_ops for operand in op.operands)


def _calls(event: object) -> tuple[Related, ...]:
    stack = getattr(event, "stack", ())
    return tuple(Related(span, "called from here") for span in reversed(stack))
