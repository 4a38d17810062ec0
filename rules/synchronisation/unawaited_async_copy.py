r"""The rule ``unawaited-async-copy``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.copies.async_copies import Unawaited, unawaited
from kernlint.analysis.copies.pipelines import made
from kernlint.analysis.sharing.races import essential, read_of_copy, shared_races
from kernlint.analysis.trace import trace
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, Rule
from kernlint.tree.nodes import AsyncCopy


class UnawaitedAsyncCopy(Rule):
    r"""Data of an asynchronous copy is used, or the kernel ends, before anybody has waited for it.

    `async_work_group_copy` gives an event, `cp.async` (`__pipeline_memcpy_async`) belongs to a group that is committed
    and then waited for. Until the wait is over the destination holds old data. All work-items must wait for their
    events before the kernel ends (OpenCL C, async copies). A wait for `cp.async` speaks for the copies of the own
    thread alone: what other threads have copied needs a barrier after it.

    ```opencl bad
    __kernel void halves(__global const float *in, __global float *out) {
        __local float tile[64];
        async_work_group_copy(tile, in + get_group_id(0) * 64, 64, 0);
        out[get_global_id(0)] = 0.5f * tile[63 - get_local_id(0)];  // expect: KL210
    }
    ```

    ```cuda bad
    __global__ void halves(const float *in, float *out) {
        __shared__ float tile[128];
        unsigned t = threadIdx.x;
        __pipeline_memcpy_async(&tile[t], &in[blockIdx.x * 128 + t], 4);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        out[blockIdx.x * 128 + t] = 0.5f * tile[127 - t];  // expect: KL210
    }
    ```

    ```cuda bad
    __global__ void halves(const float *in, float *out) {
        __shared__ float tile[128];
        unsigned t = threadIdx.x;
        __pipeline_memcpy_async(&tile[t], &in[blockIdx.x * 128 + t], 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        out[blockIdx.x * 128 + t] = 0.5f * tile[127 - t];  // expect: KL210
    }
    ```

    ```opencl good
    __kernel void halves(__global const float *in, __global float *out) {
        __local float tile[64];
        event_t done = async_work_group_copy(tile, in + get_group_id(0) * 64, 64, 0);
        wait_group_events(1, &done);
        out[get_global_id(0)] = 0.5f * tile[63 - get_local_id(0)];
    }
    ```

    ```cuda good
    __global__ void halves(const float *in, float *out) {
        __shared__ float tile[128];
        unsigned t = threadIdx.x;
        __pipeline_memcpy_async(&tile[t], &in[blockIdx.x * 128 + t], 4);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        out[blockIdx.x * 128 + t] = 0.5f * tile[127 - t];
    }
    ```
    """

    meta = Meta(
        "KL210",
        "unawaited-async-copy",
        Severity.WARNING,
        tags=("CUDA PG async copies", "OpenCL C async copy note", "OpenCL C events"),
    )
    needs = (unawaited, trace, shared_races)
    requires_whole = True

    def check(self, facts: Facts) -> Iterator[Finding]:
        told: set[int] = set()
        for found in facts[unawaited]:
            told.add(id(found.copy.destination))
            yield self._report(found)
        begun = {made(event): event for event in facts[trace].asyncs}
        for race in essential(race for race in facts[shared_races] if not race.same_warp and read_of_copy(race)):
            copy = begun.get(made(race.accesses[0]))
            if copy is not None and id(copy.destination) not in told:
                told.add(id(copy.destination))
                yield self._report(Unawaited(copy, race.accesses[1], "others"))

    def _report(self, found: Unawaited) -> Finding:
        copy, use = found.copy, found.use
        name = copy.destination.name if copy.destination is not None else "the destination"
        node = copy.node
        assert isinstance(node, AsyncCopy)
        wait = {"event": "wait_group_events", "group": "cooperative_groups::wait"}.get(
            node.mechanism, "commit the group, wait for it and put a barrier"
        )
        if use is None:
            message = f"the kernel ends while {node.name} may still be writing {name}: nothing waits for it"
        else:
            message = f"{name} is read here, {_WHY[found.why]}"
        related = [] if use is None else [Related(copy.span, f"{node.name} begins here")]
        if found.wait is not None:
            related.append(Related(found.wait.span, "the wait"))
        related += [Related(span, "called from here") for span in reversed((use or copy).stack)]
        fix = (
            "put a barrier between the wait and the read"
            if found.why == "others"
            else f"{wait} before the data is used"
        )
        harmless = use is None and node.mechanism == "cp_async"  # nobody reads what comes: a copy too many
        severity = Severity.NOTE if harmless else None
        return self.finding((use or copy).span, message, severity, related=related, fix=fix)


_WHY = {
    "never": "but nothing waits for the asynchronous copy that fills it",
    "late": "but the wait for the asynchronous copy that fills it comes only later",
    "path": "but the wait for the asynchronous copy that fills it happens only under a condition",
    "pending": "but the wait before it leaves the asynchronous copy that fills it outstanding",
    "uncommitted": "but the asynchronous copy that fills it is in no committed group when the wait comes",
    "others": "where another thread's asynchronous copy puts it: a thread waits for its own copies, and no barrier "
    "follows",
}
