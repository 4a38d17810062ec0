r"""The rule ``wrong-fence``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.order.broken import Broken
from kernlint.analysis.order.published import Published
from kernlint.analysis.replay import Replayer, replayer
from kernlint.analysis.search.collisions import Race
from kernlint.analysis.sharing.fences import EarlyTicket, Fences, UnfencedTicket, WeakBarrier, fences
from kernlint.analysis.sharing.narrow_atomics import NarrowAtomic
from kernlint.analysis.sharing.race_words import (
    actors,
    calls,
    cell,
    device_fence,
    fence_for_barrier,
    shown,
    thread_name,
    verb,
    witness,
)
from kernlint.analysis.sharing.races import essential, shared_races, within_warps
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, FenceEvent, Root
from kernlint.finding import Finding, Fix, Related, Severity
from kernlint.rule import Meta, Rule
from kernlint.source import SourceFile
from kernlint.symbolic.terms import SymbolKind, symbols
from kernlint.tree.nodes import Atomic
from kernlint.tree.types import Space


class WrongFence(Rule):
    r"""Data exchanged across a barrier, fence or atomic operation that is too narrow for it.

    `barrier(CLK_LOCAL_MEM_FENCE)` makes work-items wait, but promises only for local memory that the others see what
    was written before; data in global memory needs `CLK_GLOBAL_MEM_FENCE`, and the other way round. A partial result
    stored in global memory before a ticket is drawn from an atomic counter needs a `__threadfence()` in between:
    without it the block that draws the last ticket may read the element as it was. `__threadfence_block()` and
    `atomicAdd_block()` reach the own block only. A fence waits for no other thread: where all threads of a block store
    something and one of them draws the ticket for all, a barrier has to come first.

    The same goes for flags, turns and locks: `volatile` and relaxed atomic operations make the word itself visible, but
    nothing that was stored before it. A fence for the device has to stand between the data and the word on the side
    that sets it, and between the wait and the data on the other; or the word is set with `memory_order_release` and
    awaited with `memory_order_acquire`.

    ```cuda bad
    __device__ unsigned done;

    __global__ void total(const float *in, float *part, float *out) {
        float s = in[blockIdx.x];
        __shared__ bool last;
        if (threadIdx.x == 0) {
            part[blockIdx.x] = s;  // expect: KL206
            last = atomicAdd(&done, 1u) == gridDim.x - 1;
        }
        __syncthreads();
        if (last && threadIdx.x == 0) {
            float sum = 0.0f;
            for (int b = 0; b < gridDim.x; ++b) sum += part[b];
            *out = sum;
        }
    }
    ```

    ```cuda bad
    __device__ unsigned done;

    __global__ void totals(const float *in, float *sums, float *out) {
        atomicAdd(&sums[threadIdx.x], in[blockIdx.x * blockDim.x + threadIdx.x]);
        __threadfence();
        __shared__ bool last;
        if (threadIdx.x == 0) last = atomicAdd(&done, 1u) == gridDim.x - 1;  // expect: KL206
        __syncthreads();
        if (last) out[threadIdx.x] = sqrtf(sums[threadIdx.x]);
    }
    ```

    ```cuda bad
    __global__ void relay(const float *in, float *table, volatile int *ready, float *out) {
        if (blockIdx.x == 0) {
            table[threadIdx.x] = sqrtf(in[threadIdx.x]);  // expect: KL206
            __syncthreads();
            if (threadIdx.x == 0) *ready = 1;
            return;
        }
        if (threadIdx.x == 0) {
            while (*ready == 0) {}
            __threadfence();
        }
        __syncthreads();
        out[blockIdx.x * blockDim.x + threadIdx.x] = table[threadIdx.x];
    }
    ```

    ```opencl bad
    __kernel void reverse(__global int *data) {
        const int t = get_local_id(0);
        const int n = get_local_size(0);
        data[get_global_id(0)] += t;
        barrier(CLK_LOCAL_MEM_FENCE);  // expect: KL206
        const int other = data[get_group_id(0) * n + (n - 1 - t)];
        barrier(CLK_GLOBAL_MEM_FENCE);
        data[get_global_id(0)] = other;
    }
    ```

    ```cuda good
    __device__ unsigned done;

    __global__ void total(const float *in, float *part, float *out) {
        float s = in[blockIdx.x];
        __shared__ bool last;
        if (threadIdx.x == 0) {
            part[blockIdx.x] = s;
            __threadfence();
            last = atomicAdd(&done, 1u) == gridDim.x - 1;
        }
        __syncthreads();
        if (last && threadIdx.x == 0) {
            float sum = 0.0f;
            for (int b = 0; b < gridDim.x; ++b) sum += part[b];
            *out = sum;
        }
    }
    ```

    ```cuda good
    __global__ void relay(const float *in, float *table, volatile int *ready, float *out) {
        if (blockIdx.x == 0) {
            table[threadIdx.x] = sqrtf(in[threadIdx.x]);
            __threadfence();
            __syncthreads();
            if (threadIdx.x == 0) *ready = 1;
            return;
        }
        if (threadIdx.x == 0) {
            while (*ready == 0) {}
            __threadfence();
        }
        __syncthreads();
        out[blockIdx.x * blockDim.x + threadIdx.x] = table[threadIdx.x];
    }
    ```

    ```opencl good
    __kernel void rank(__global float *x, const int n) {
        __local float part[256];
        int l = get_local_id(0);
        part[l] = x[l];
        barrier(CLK_LOCAL_MEM_FENCE);
        int place = 0;
        for (int i = 0; i < 256; i++) place += part[i] < part[l] || (part[i] == part[l] && i < l);
        x[place] = part[l];
    }
    ```

    ```opencl good
    __kernel void reverse(__global int *data) {
        const int t = get_local_id(0);
        const int n = get_local_size(0);
        data[get_global_id(0)] += t;
        barrier(CLK_GLOBAL_MEM_FENCE);
        const int other = data[get_group_id(0) * n + (n - 1 - t)];
        barrier(CLK_GLOBAL_MEM_FENCE);
        data[get_global_id(0)] = other;
    }
    ```
    """

    meta = Meta(
        "KL206",
        "wrong-fence",
        Severity.WARNING,
        tags=("OpenCL C barrier table", "OpenCL C memory scopes", "OpenCL C mem fence", "CUDA PG threadFenceReduction"),
    )
    needs = (fences, replayer, trace, shared_races)

    def check(self, facts: Facts) -> Iterator[Finding]:
        found: Fences = facts[fences]
        if facts.module.language == "cuda":
            races: tuple[Race, ...] = facts[shared_races]
            for race in essential(within_warps(races), most=2):
                fence = fence_for_barrier(race, facts[trace])
                if fence is not None:
                    yield self._no_barrier(race, fence, facts)
        for weak in found.barriers:
            yield self._barrier(weak, facts[replayer])
        for ticket in found.tickets:
            yield self._ticket(ticket, facts.module.language)
        for early in found.early:
            yield self._early(early, facts.module.language)
        for narrow in found.atomics:
            yield self._atomic(narrow, facts[replayer])
        for handed, *others in _by_signal(found.handed):
            if handed.met:
                yield self._handed(handed, others, facts.module.language)
            else:
                yield self._hasty(handed, facts)
        for ahead in found.published:
            yield self._published(ahead, facts.module.language)

    def _barrier(self, weak: WeakBarrier, again: Replayer) -> Finding:
        race, barrier = weak.race, weak.barrier
        first, second = race.pair.first, race.pair.second
        found = race.witness
        assert found.second is not None
        here, there = thread_name(found.first, found.block), thread_name(found.second, found.block)
        space = "local" if race.root.space is Space.SHARED else "global"
        flag = "CLK_LOCAL_MEM_FENCE" if race.root.space is Space.SHARED else "CLK_GLOBAL_MEM_FENCE"
        evidence = shown(race, again.race(found, (first.span, second.span)))
        name = cell(first, found.first.offset)
        return self.finding(
            barrier.span,
            f"{barrier.name} does not fence {space} memory, where {there} {verb(second)} {name} after {here} "
            f"{verb(first)} it",
            related=(
                Related(first.span, f"{here} {verb(first)} {name} here"),
                Related(second.span, f"{there} {verb(second)} {name} here"),
                *calls(first, second),
            ),
            witness=evidence,
            fix=f"add {flag} to the barrier's flags",
        )

    def fixes(self, facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
        """The fence, or the flags, that are missing."""
        from kernlint.repair.fences import fenced

        return fenced(facts, finding, source)

    def _ticket(self, found: UnfencedTicket, language: str) -> Finding:
        fence = device_fence(language)
        narrow = () if found.narrow is None else (Related(found.narrow.span, "this fence reaches the own block only"),)
        return self.finding(
            found.store.span,
            f"{found.store.root.name} is stored for other blocks, which learn of it by the atomic operation on "
            f"{found.ticket.root.name}, with no fence for the device between",
            related=(
                Related(found.ticket.span, "the ticket is drawn here"),
                Related(found.load.span, "another block reads it here"),
                *narrow,
                *calls(found.store),
            ),
            fix=f"put {fence} between the store and the atomic operation",
        )

    def _no_barrier(self, race: Race, fence: FenceEvent, facts: Facts) -> Finding:
        first, second = race.accesses
        found = race.witness
        actor, other = actors(race)
        here, there = thread_name(actor, found.block), thread_name(other, found.block)
        name = cell(first, actor.offset)
        return self.finding(
            fence.span,
            f"{fence.name} waits for no other thread: {there} {verb(second)} {name}, which {here} {verb(first)} before "
            "its own",
            related=(
                Related(first.span, f"{here} {verb(first)} {name} here"),
                Related(second.span, f"{there} {verb(second)} {name} here"),
                *calls(first, second),
            ),
            witness=shown(race, facts[replayer].race(found, (first.span, second.span))),
            assumptions=race.pair.unseen,
            fix="put __syncthreads() in its place, or __syncwarp() where one warp is meant",
        )

    def _hasty(self, found: Broken, facts: Facts) -> Finding:
        barrier = "barrier(CLK_GLOBAL_MEM_FENCE)" if facts.module.language == "opencl" else "__syncthreads()"
        name, word = _name(found.store.root), found.signal.root.name
        return self.finding(
            found.signal.span,
            f"one thread changes {word} for its block while others may not have stored theirs into {name} yet: no "
            "barrier stands between",
            related=(
                Related(found.store.span, f"every thread of the block stores into {name} here"),
                Related(found.observer.span, f"another block waits for {word} here"),
                Related(found.load.span, "and reads it here"),
                *calls(found.signal),
            ),
            fix=f"put {barrier} before {word} is changed",
        )

    def _handed(self, found: Broken, others: list[Broken], language: str) -> Finding:
        name, word = _name(found.store.root), found.signal.root.name
        fence = device_fence(language)
        given = "given back" if found.lock else "changed"
        if not found.released:
            how = f"take the lock {word} next" if found.lock else f"wait for {word}"
            how = f"find its place in {word}" if found.placed else how
            message = f"{name} is stored for other blocks, which {how}, with no fence for the device before {word} is "
            message += given
            access, cure = found.store, f"put {fence} between the store and the change of {word}"
            if _ordered(found.signal):
                cure = f"change {word} with memory_order_release, or {cure}"
            other = Related(found.load.span, "and uses it here")
        else:
            what = "taking the lock" if found.lock else "a wait for"
            message = f"{name} is used after {what} {word}, which does not order what comes after: what another block "
            message += "has stored may not be seen yet"
            access, cure = found.store if found.lock else found.load, f"put {fence} behind the wait"
            if _ordered(found.observer):
                cure = f"wait with memory_order_acquire, or {cure}"
            other = Related(found.load.span if found.lock else found.store.span, "it is stored here")
        narrow = () if found.narrow is None else (Related(found.narrow.span, "this fence reaches the own block only"),)
        return self.finding(
            access.span,
            message,
            related=(
                Related(found.signal.span, f"{word} is {given} here"),
                Related(found.observer.span, f"another block {_does(found)} it here"),
                other,
                *narrow,
                *calls(access),
                *(Related(one.store.span, f"so is {_name(one.store.root)}") for one in others[:3]),
            ),
            fix=cure,
        )

    def _published(self, found: Published, language: str) -> Finding:
        name, word = found.store.root.name, found.signal.root.name
        if found.claimed:
            message = f"{name} is stored after its place has been claimed by {word}: another thread that has found "
            message += f"{word} there reads {name} as it was before"
            if found.store.root is found.signal.root:
                message = f"the rest of an element of {name} is stored after the element has been claimed: another "
                message += "thread that has found it taken finds the rest as it was before"
            fix = f"let readers wait until {name} has been stored, or put both into one word"
        else:
            message = (
                f"{name} is stored after {word}, which says that it is there, has been changed: whoever waits for "
            )
            message += f"{word} may read {name} as it was before"
            fix = f"store {name} first, then {device_fence(language)}, then change {word}"
        return self.finding(
            found.store.span,
            message,
            related=(
                Related(found.load.span, "another thread reads it here"),
                Related(found.signal.span, f"{word} is {'claimed' if found.claimed else 'changed'} here"),
                *calls(found.store),
            ),
            fix=fix,
        )

    def _early(self, found: EarlyTicket, language: str) -> Finding:
        barrier = "barrier(CLK_GLOBAL_MEM_FENCE)" if language == "opencl" else "__syncthreads()"
        name = found.store.root.name
        return self.finding(
            found.ticket.span,
            f"one thread draws the ticket for its block while others may not have put theirs into {name} yet: no "
            "barrier stands between",
            related=(
                Related(found.store.span, f"every thread of the block changes {name} here"),
                Related(found.load.span, "it is read here once the ticket says that all blocks are done"),
                *calls(found.ticket),
            ),
            fix=f"put {barrier} before the ticket is drawn",
        )

    def _atomic(self, found: NarrowAtomic, again: Replayer) -> Finding:
        access = found.access
        evidence = witness(access, access, found.witness, again.race(found.witness, (access.span,)))
        return self.finding(
            access.span,
            f"an atomic operation of block scope on {cell(access, found.witness.first.offset)}, which several blocks "
            "use",
            related=calls(access),
            witness=evidence,
            fix="use the operation of device scope",
        )


def _by_signal(handed: tuple[Broken, ...]) -> Iterator[list[Broken]]:
    """What one fence would put in order: of what is stored under a lock before it is given back, what lies at places of
    the kernel's own making comes first, and what data pick (each holder may have others) not at all beside it."""
    groups: dict[tuple[int, ...], list[Broken]] = {}
    for one in handed:
        key = (id(one.signal.node), one.released, one.acquired) if one.lock and one.met else (id(one),)
        groups.setdefault(key, []).append(one)
    for group in groups.values():
        sure = [one for one in group if not any(s.kind is SymbolKind.LOAD for s in symbols(one.store.offset))]
        yield sure or group


def _name(root: Root) -> str:
    """What an object is called; by the first of those that it may be where pointers have changed places."""
    return root.candidates[0].name if root.candidates else root.name


def _does(found: Broken) -> str:
    """What another block does with the word."""
    return "takes" if found.lock else "looks at" if found.placed else "waits for"


def _ordered(access: Access) -> bool:
    """Whether the operation is of a kind that has an order to choose."""
    name = getattr(access.node, "name", "")
    return (isinstance(access.node, Atomic) and not name.startswith("atomic")) or name.endswith("_explicit")
