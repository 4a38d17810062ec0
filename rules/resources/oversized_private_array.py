r"""The rule ``oversized-private-array``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.extent.extents import numbers_made_up
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Root
from kernlint.analysis.wording import takes
from kernlint.finding import Finding, Severity
from kernlint.record import dataclass
from kernlint.rule import Meta, Rule
from kernlint.tree.nodes import Call, Ref, Subscript, VarDecl
from kernlint.tree.types import Space
from kernlint.tree.walk import strip_casts, walk

REGISTERS = 255 * 4
"""Bytes that all registers of an NVIDIA thread hold (255 registers of 4 bytes): what is larger goes to memory."""


@dataclass(frozen=True, slots=True)
class Options:
    """``warn_bytes``: from how many bytes of private arrays on it is a warning; ``note_bytes``: a note."""

    warn_bytes: int = 8192
    note_bytes: int = 1024


class OversizedPrivateArray(Rule):
    r"""Private arrays too large for registers, spilled to slow memory for every thread.

    An array declared inside a kernel belongs to each thread alone. What does not fit in registers lives in device
    memory ("local memory", scratch), once for every thread in flight: 8 KiB a thread is 16 MiB for 2048 threads on
    one multiprocessor. It is slow, it may fail at launch, and above the target's limit it does not compile or run.

    The sizes of all private arrays of the kernel and of the helpers it calls are added up. From 1 KiB on (more than
    all 255 registers hold) it is a note, from 8 KiB on (eight times as much) a warning, above the limit of a named
    target an error. An array of which every subscript is a constant number is none to the compiler: it takes it apart
    into variables, of which only those take room whose value is still needed.

    ```cuda bad
    __global__ void smooth(const float *in, float *out, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        float window[8192];  // expect: KL301
        for (int k = 0; k < 8192; ++k) window[k] = in[k];
        if (i < n) out[i] = window[i & 8191];
    }
    ```

    ```opencl bad
    __kernel void rank_all(__global const int *keys, __global int *ranks, const int n) {
        int seen[4096];  // expect: KL301
        const int i = get_global_id(0);
        for (int k = 0; k < 4096; ++k) seen[k] = keys[k];
        if (i < n) ranks[i] = seen[keys[i] & 4095];
    }
    ```

    ```cuda good
    __global__ void smooth(const float *in, float *out, float *scratch, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        float window[8];
        for (int k = 0; k < 8; ++k) window[k] = i + k < n ? in[i + k] : 0.0f;
        if (i < n) out[i] = window[0] + window[7];
    }
    ```

    ```opencl good
    __kernel void rank_all(__global const int *keys, __global int *ranks, const int n, __local int *seen) {
        const int i = get_global_id(0);
        if (i < n) ranks[i] = keys[i] & 3;
    }
    ```
    """

    meta = Meta("KL301", "oversized-private-array", Severity.ERROR, tags=("CUDA PG local memory",))
    needs = (trace,)
    Options = Options

    def check(self, facts: Facts) -> Iterator[Finding]:
        arrays = [
            root
            for root in facts[trace].arrays
            if root.space is Space.PRIVATE and root.extent and root.decl is not None
        ]
        if sum(root.extent or 0 for root in arrays) >= self.options.note_bytes:
            arrays = _in_memory(arrays, facts)
        total = sum(root.extent or 0 for root in arrays)
        if not arrays or total < self.options.note_bytes or numbers_made_up(facts):
            return
        largest = max(arrays, key=lambda root: root.extent or 0)
        assert largest.decl is not None
        limit, name = self._limit(facts)
        if limit is not None and total > limit:
            severity, beyond = Severity.ERROR, f", above the {limit} bytes that {name} allows"
        elif total >= self.options.warn_bytes:
            severity, beyond = Severity.WARNING, ""
        else:
            severity, beyond = Severity.NOTE, f" (registers hold {REGISTERS})"
        others = [root for root in arrays if root is not largest]
        what = f"{largest.name} takes {largest.extent} bytes of private memory in every thread"
        if others:
            what = f"private arrays take {total} bytes in every thread, {largest.name} {largest.extent} of them"
        yield self.finding(
            largest.decl,
            what + beyond,
            severity,
            related=[takes(root) for root in others[:4]],
            fix="keep it in a global scratch buffer or in shared memory, or process the data in smaller pieces",
        )

    def _limit(self, facts: Facts) -> tuple[int | None, str]:
        """The least private memory that a named target grants a thread, in bytes."""
        known = [
            (value, target.name)
            for target in facts.options.targets
            if (value := target.value("max_local_bytes_per_thread")) is not None
        ]
        return min(known) if known else (None, "")


def _in_memory(arrays: list[Root], facts: Facts) -> list[Root]:
    """Those that a compiler cannot take apart into variables: of which a place is named that is no constant, or the
    address given to what is not followed.  (Scalar replacement of aggregates, as in LLVM's pass SROA.)"""
    kept: set[VarDecl | None] = set()
    for access in facts[trace].accesses:
        if access.offset.value is None or access.size is None:
            roots = (access.root, *access.root.candidates, *(root for _, root, _ in access.root.choices))
            kept.update(root.decl for root in roots)
    named: set[int] = set()
    for function in facts.reached:
        for node in walk(function.body) if function.body is not None else ():
            if isinstance(node, Subscript):
                named.add(id(strip_casts(node.base)))
            elif isinstance(node, Call) and node.function is not None and node.function.body is not None:
                named.update(id(strip_casts(arg)) for arg in node.args)
            elif isinstance(node, Ref) and id(node) not in named:  # what names a part of it comes before it
                kept.add(node.decl)
    whole = facts[trace].complete
    return [root for root in arrays if root.decl in kept or root.volatile or not whole]
