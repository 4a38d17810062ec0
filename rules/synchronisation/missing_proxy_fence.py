r"""The rule ``missing-proxy-fence``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.order.proxies import Unproxied, unproxied
from kernlint.analysis.trace.events import FenceEvent
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, Rule


class MissingProxyFence(Rule):
    r"""A bulk copy takes shared memory away that ordinary stores have filled, with no proxy fence between.

    Bulk and tensor copies (TMA) read shared memory through the asynchronous proxy, ordinary stores go through the
    generic one. A barrier makes the threads wait for each other, but does not make the stores visible to the other
    proxy: every thread that has stored needs `fence.proxy.async` (`cuda::ptx::fence_proxy_async`) before the barrier.
    Behind it the fences of the others come too late for what they have stored; that only the thread that copies has
    one, behind the barrier, is a note, since the memory model can be read so that it is enough.

    ```cuda bad
    #include <cuda/ptx>
    namespace ptx = cuda::ptx;
    __global__ void flush(const float *in, float *out) {
        __shared__ alignas(128) float tile[256];
        tile[threadIdx.x] = 2.0f * in[threadIdx.x];  // expect: KL211
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, tile, sizeof(tile));
            ptx::cp_async_bulk_commit_group();
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
        }
    }
    ```

    ```cuda good
    #include <cuda/ptx>
    namespace ptx = cuda::ptx;
    __global__ void flush(const float *in, float *out) {
        __shared__ alignas(128) float tile[256];
        tile[threadIdx.x] = 2.0f * in[threadIdx.x];
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, tile, sizeof(tile));
            ptx::cp_async_bulk_commit_group();
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
        }
    }
    ```
    """

    meta = Meta("KL211", "missing-proxy-fence", Severity.WARNING, tags=("PTX ISA proxies", "CUDA PG TMA"))
    needs = (unproxied,)

    def check(self, facts: Facts) -> Iterator[Finding]:
        found: tuple[Unproxied, ...] = facts[unproxied]
        for one in found:
            if one.late is not None:
                yield self._late(one, one.late)
                continue
            name = one.read.root.name
            yield self.finding(
                one.store.span,
                f"{name} is stored in the ordinary way, then {one.copy.node.name} reads it through the asynchronous "
                "proxy, with no proxy fence between",
                related=(
                    Related(one.copy.span, "the copy reads it here"),
                    *(Related(span, "called from here") for span in reversed(one.store.stack)),
                ),
                fix="let every thread that stores execute fence.proxy.async before the barrier",
            )

    def _late(self, one: Unproxied, fence: FenceEvent) -> Finding:
        name = one.read.root.name
        return self.finding(
            fence.stack[0] if fence.stack else fence.span,
            f"this proxy fence comes after the barrier: {one.copy.node.name} may read {name} before the other threads, "
            "which have stored there in the ordinary way, have come to theirs",
            Severity.NOTE if one.by_copier else None,
            related=(Related(one.store.span, "stored here"), Related(one.copy.span, "the copy reads it here")),
            fix="let every thread that stores execute fence.proxy.async before the barrier",
        )
