r"""The rule ``dynamic-shared-memory-omitted``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.accesses.pairs import side
from kernlint.analysis.base import Facts
from kernlint.analysis.extent.allocated import Allocated, undersized
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.analysis.launching.launches import LaunchFact, launches
from kernlint.analysis.launching.raised_above import of_size, raised_above, tested
from kernlint.analysis.launching.raised_once import RAISING, raised_once
from kernlint.analysis.launching.stated_sizes import bytes_beyond
from kernlint.analysis.replay import Replayer, replayer
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Root
from kernlint.analysis.wording import element, element_size, verb, witness_of
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, Rule
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import SymbolKind, Term, symbols
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import Asm, Assign, Call, Cast, FunctionRef, IntLit, Member, ParamDecl, Ref, VarDecl
from kernlint.tree.types import Space
from kernlint.tree.walk import walk

GRANTED = 48 * 1024
"""Bytes of shared memory that a block gets without asking, on every NVIDIA architecture."""

LIMITS = {"cuda": GRANTED, "hip": 64 * 1024}
"""Bytes of shared memory that a block may have: unasked on NVIDIA's architectures, at most on AMD's before gfx950."""

MOST_SHARED = 1 << 31
"""Bytes that no size of shared memory in an ``int`` reaches: an offset beyond them has wrapped below 0."""


class DynamicSharedMemoryOmitted(Rule):
    r"""A launch that does not provide the dynamic shared memory its kernel uses.

    ``extern __shared__`` has no size of its own: the third launch argument gives it. Left out, the array is empty and
    the first access is out of bounds. Above 48 KiB, with the kernel's own shared arrays, the launch fails, unless the
    limit was raised for this kernel with ``cudaFuncSetAttribute`` before. It counts bytes: where the launch gives fewer
    than the kernel touches (elements instead of bytes, one of two arrays, a tile without its halo), the rest lies
    beyond the end. A size that is kept in a static variable is that of the first call, whatever later ones pass; so is
    a limit that is raised behind a mark, once, to what the first launch needs, and one that is raised only for
    sizes that are too large already, as the kernel's own arrays count too.

    ```cuda bad
    __global__ void flip(float *x) {
        extern __shared__ float tile[];
        tile[threadIdx.x] = x[threadIdx.x];
        __syncthreads();
        x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
    }
    void run(float *x) {
        flip<<<1, 256>>>(x);  // expect: KL607
    }
    ```

    ```cuda bad
    __global__ void look(const float *table, float *out) {
        extern __shared__ float lut[];
        for (int k = threadIdx.x; k < 16384; k += blockDim.x) lut[k] = table[k];
        __syncthreads();
        out[threadIdx.x] = lut[threadIdx.x * 7];
    }
    void run(const float *table, float *out) {
        look<<<1, 256, 65536>>>(table, out);  // expect: KL607
    }
    ```

    ```cuda bad
    __global__ void flip(float *x) {
        extern __shared__ float tile[];
        tile[threadIdx.x] = x[threadIdx.x];
        __syncthreads();
        x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
    }
    void run(float *x) {
        flip<<<1, 256, 256>>>(x);  // expect: KL607
    }
    ```

    ```cuda bad
    __global__ void look(const float *table, float *out) {
        extern __shared__ float lut[];
        __shared__ float sums[4096];
        for (int k = threadIdx.x; k < 10240; k += blockDim.x) lut[k] = table[k];
        for (int k = threadIdx.x; k < 4096; k += blockDim.x) sums[k] = 0.0f;
        __syncthreads();
        out[threadIdx.x] = lut[threadIdx.x * 7] + sums[threadIdx.x];
    }
    void run(const float *table, float *out) {
        look<<<1, 256, 40960>>>(table, out);  // expect: KL607
    }
    ```

    ```cuda bad
    __global__ void mean(const float *x, float *out, int n) {
        extern __shared__ float row[];
        for (int k = threadIdx.x; k < n; k += blockDim.x) row[k] = x[k];
        __syncthreads();
        if (threadIdx.x < n) out[threadIdx.x] = row[n - 1 - threadIdx.x] / n;
    }
    void run(const float *x, float *out, int n) {
        static const size_t bytes = n * sizeof(float);
        mean<<<1, 256, bytes>>>(x, out, n);  // expect: KL607
    }
    ```

    ```cuda good
    __global__ void mean(const float *x, float *out, int n) {
        extern __shared__ float row[];
        for (int k = threadIdx.x; k < n; k += blockDim.x) row[k] = x[k];
        __syncthreads();
        if (threadIdx.x < n) out[threadIdx.x] = row[n - 1 - threadIdx.x] / n;
    }
    void run(const float *x, float *out, int n) {
        static const size_t unit = sizeof(float);
        const size_t bytes = n * unit;
        mean<<<1, 256, bytes>>>(x, out, n);
    }
    ```

    ```cuda good
    __global__ void look(const float *table, float *out) {
        extern __shared__ float lut[];
        for (int k = threadIdx.x; k < 16384; k += blockDim.x) lut[k] = table[k];
        __syncthreads();
        out[threadIdx.x] = lut[threadIdx.x * 7];
    }
    void run(const float *table, float *out) {
        if (cudaFuncSetAttribute(look, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536) != cudaSuccess) return;
        look<<<1, 256, 65536>>>(table, out);
    }
    ```

    ```cuda good
    __global__ void scale(float *x, const float *table, int n, bool cached) {
        extern __shared__ float lut[];
        if (cached) {
            for (int k = threadIdx.x; k < n; k += blockDim.x) lut[k] = table[k];
            __syncthreads();
        }
        x[threadIdx.x] *= cached ? lut[threadIdx.x % n] : table[threadIdx.x % n];
    }
    void run(float *x, const float *table, int n) {
        scale<<<1, 256>>>(x, table, n, false);
    }
    ```

    ```opencl good
    __kernel void flip(__global float *x, __local float *tile) {
        tile[get_local_id(0)] = x[get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        x[get_local_id(0)] = tile[get_local_size(0) - 1 - get_local_id(0)];
    }
    ```
    """

    meta = Meta("KL607", "dynamic-shared-memory-omitted", Severity.ERROR, tags=("CUDA PG extern shared",))
    needs = (trace, launches, launch_context, undersized, replayer)

    def check(self, facts: Facts) -> Iterator[Finding]:
        uses = _uses(facts)
        own = sum(root.extent or 0 for root in {access.root for access in facts[trace].accesses} if _sized(root))
        for launch in facts[launches]:
            kept = _kept(launch) if uses else None
            if kept is not None:
                yield self.finding(
                    launch.span,
                    f"{kept.name} keeps what the first call makes of its arguments; later calls get the same size",
                    Severity.WARNING,
                    related=[Related(kept.span, "initialised once"), Related(uses[0].span, "used here")],
                    fix=f"make {kept.name} no static variable",
                )
            once = raised_once(launch, facts.module.functions) if facts.module.language == "cuda" else None
            if once is not None and launch.shared is not None:
                yield self.finding(
                    launch.span,
                    f"the limit is raised to {words(launch.shared)} bytes for the first launch alone: one that needs "
                    "more is refused",
                    Severity.WARNING,
                    related=[Related(once.span, "raised once")],
                    fix="raise it whenever a launch needs more than before",
                )
            use = next((access for access in uses if not _excluded(access, launch)), None)
            above = raised_above(launch, facts.module.functions) if facts.module.language == "cuda" else None
            size = _least(launch.shared) if launch.shared is not None else None
            if size is None and above is not None and above.most + own > GRANTED:
                yield self.finding(
                    launch.span,
                    f"the limit is raised for more than {above.most} bytes alone, and more than {GRANTED - own} are "
                    "refused already" + (f", with {own} of the kernel's own" if own else ""),
                    Severity.WARNING,
                    related=[Related(above.span, "tested here")],
                    fix="add the kernel's static shared memory (sharedSizeBytes) to what is tested",
                )
            if size is None:
                continue
            if use is not None and size == 0 and _none_given(launch):
                yield self._finding(
                    launch,
                    f"{facts.kernel.name} uses dynamic shared memory ({use.root.name}), but this launch gives it none",
                    Related(use.span, f"{use.root.name} is accessed here"),
                    "pass its size in bytes as the third launch argument",
                )
            elif size and size + own > GRANTED and facts.module.language == "cuda" and not _raised(facts, launch, size):
                more = f" and {own} of its own" if size <= GRANTED else ""
                given = words(launch.shared) if launch.shared is not None else size
                yield self._finding(
                    launch,
                    f"{given} bytes of dynamic shared memory{more} are more than the {GRANTED} that a kernel gets "
                    "unasked",
                    Related(facts.kernel.function.span, "the kernel"),
                    "raise cudaFuncAttributeMaxDynamicSharedMemorySize for the kernel first",
                )
        yield from self._as_commented(facts, own)
        for one in facts[undersized]:
            before = one.witness.first.offset > MOST_SHARED  # a place before the array, which no size would mend
            if one.view is not None and not before and not _of_one_structure(one):
                yield self._short(one, one.view.fact, facts[replayer])
                return

    def _as_commented(self, facts: Facts, own: int) -> Iterator[Finding]:
        """A launch that asks for more than there is where sizes are as large as a comment allows."""
        limit = LIMITS.get(facts.module.language)
        for view in facts[launch_context].launches if limit is not None and facts.options.ranges else ():
            assert limit is not None
            here = view.fact.span.file == facts.module.path
            said = bytes_beyond(view, dict(facts.options.ranges), limit - own) if here else None
            if said is None or _raised(facts, view.fact, said[2]):
                continue
            name, value, count = said
            yield self.finding(
                view.fact.span,
                f"{count} bytes of dynamic shared memory are asked for where {name} is as large as the comment allows, "
                f"{value}; a block gets {limit - own} at most" + (" unasked" if limit == GRANTED else ""),
                Severity.WARNING,
                fix="use a smaller table, or fewer threads"
                if limit != GRANTED
                else "raise cudaFuncAttributeMaxDynamicSharedMemorySize for the kernel first",
            )
            return

    def _short(self, one: Allocated, launch: LaunchFact, again: Replayer) -> Finding:
        access, size = one.access, element_size(one.access)
        seen = again.beyond(one.witness, access.span, access.root, one.extent)
        return self.finding(
            launch.span,
            f"this launch gives {one.extent} bytes of dynamic shared memory, but {element(access)} is {verb(access)} "
            f"at byte {one.witness.first.offset}",
            Severity.ERROR if seen is not None and seen.certain and one.fixed else Severity.WARNING,
            related=[Related(access.span, f"{element(access)} is {verb(access)} here"), *_called(launch)],
            witness=witness_of(access, one.witness, size, seen),
            fix="count all arrays in it with all their elements, in bytes",
        )

    def _finding(self, launch: LaunchFact, message: str, related: Related, fix: str) -> Finding:
        return self.finding(launch.span, message, related=[related, *_called(launch)], fix=fix)


def _called(launch: LaunchFact) -> tuple[Related, ...]:
    return tuple(Related(at, "called here") for at in launch.stack[:-3:-1])


def _sized(root: Root) -> bool:
    return root.space is Space.SHARED and root.decl is not None and not root.decl.unsized


def _kept(launch: LaunchFact) -> VarDecl | None:
    """The local static variable whose value at its first use, which rests on arguments, is the size ever after."""
    given, body = launch.node.shared, launch.host.body
    while isinstance(given, Cast):
        given = given.operand
    decl = given.decl if isinstance(given, Ref) else None
    if decl is None or not decl.static or decl.is_global or decl.init is None or body is None:
        return None
    nodes = tuple(walk(decl.init))
    if any(isinstance(node, Call) and (node.function is None or node.function.body is None) for node in nodes):
        return None  # what it asks may never change
    changed = any(
        isinstance(node, Assign) and isinstance(node.target, Ref) and node.target.decl is decl for node in walk(body)
    )
    passed = any(isinstance(node, Ref) and node.decl in launch.host.params for node in nodes)
    return decl if passed and not changed else None


def _least(size: Term) -> int | None:
    """The size as a number, or the least that it is where it is the sum of a number and of sizes; None: not known."""
    if size.value is not None:
        return size.value
    form = polynomial(size).coefficients
    whole = form.get((), 0)
    return whole if whole > GRANTED and all(value > 0 for value in form.values()) else None


def _none_given(launch: LaunchFact) -> bool:
    """Whether the size is left out, or 0 is written: an expression that comes out as 0 may rest on a macro or header
    that is not there."""
    given = launch.node.shared
    while isinstance(given, Cast):
        given = given.operand
    if given is None:
        # Of a launch within a macro's argument there may be nothing to see but its place.
        return launch.node.stream is None and launch.span.end > launch.span.start
    while isinstance(given, Member):  # of an object that launches, as it was made
        given = given.base
    if isinstance(given, Ref):  # what a caller passes, or leaves to the default
        return isinstance(given.decl, ParamDecl)
    return isinstance(given, IntLit) and given.span.end - given.span.start <= len("0UL")


def _uses(facts: Facts) -> list[Access]:
    """The accesses to unsized shared arrays; none where assembly declares shared memory that they may stand for."""
    found = [a for a in facts[trace].accesses if a.root.space is Space.SHARED and a.root.decl is not None]
    found = [access for access in found if access.root.decl is not None and access.root.decl.unsized]
    if found and any(isinstance(node, Asm) and _DECLARED.search(node.text) for f in facts.reached for node in walk(f)):
        return []
    return found


_DECLARED = pattern(r"(?<![\w.])\.shared\s")


def _excluded(access: Access, launch: LaunchFact) -> bool:
    """Whether a guard of the access fails for the constants that the launch passes: a kernel may use its dynamic
    shared memory in one mode only."""
    passed = {name: value.value for name, value in launch.arguments if isinstance(value, Term)}
    for guard in access.guards:
        known = {
            s: v for s in symbols(guard.term) if s.kind is SymbolKind.PARAM and (v := passed.get(s.name)) is not None
        }
        if known and evaluate(guard.term, known) == 0:
            return True
    return False


def _of_one_structure(one: Allocated) -> bool:
    """Whether the size is made of a member of a structure, and what the access rests on is another member of it: how
    the two belong together is the business of whoever fills the structure; but where the kernel multiplies one by the
    other, it has so many times as much."""
    images = dict(one.view.images) if one.view is not None else {}
    counted = {symbol for symbol in symbols(one.size) if "." in symbol.name}
    reached = {symbol for symbol in side(one.access).symbols if symbol.kind is SymbolKind.PARAM}
    passed = {inner for symbol in reached for inner in symbols(images.get(symbol, symbol.term))}
    holders = {symbol.name.rpartition(".")[0] for symbol in counted}
    others = {symbol for symbol in passed - counted if symbol.name.rpartition(".")[0] in holders}
    products = (polynomial(term) for fact in (one.access.offset, *side(one.access).facts) for term in _sides(fact))
    for form in products:
        for mono in form.coefficients:
            mixed = {inner for atom in mono for s in symbols(atom) for inner in symbols(images.get(s, s.term))}
            if mixed & counted and mixed & others:
                return False
    return bool(counted) and bool(others)


def _sides(fact: Term) -> tuple[Term, ...]:
    return fact.terms if fact.op in ("lt", "le", "eq", "ne") else (fact,)


def _raised(facts: Facts, launch: LaunchFact, size: int) -> bool:
    """Whether host code of the file, or what comes before the launch, raises the limit for this kernel, or for kernels
    it does not name, and not only for sizes above that of the launch."""
    if launch.walk is not None and any(api.name in RAISING for api in launch.walk.apis):
        return True
    own = {id(facts.kernel.function), *(id(instance) for instance in facts.kernel.instances)}
    for function in facts.module.functions:
        if function.body is None:
            continue
        for node in walk(function.body):
            if not isinstance(node, Call) or node.name.rpartition("::")[2] not in RAISING:
                continue
            above = tested(node, (function,)) if of_size(node, launch.node) else None
            if above is not None and size <= above.most:
                continue
            named = [n for arg in node.args for n in walk(arg) if isinstance(n, FunctionRef)]
            if not named or any(
                id(n.function) in own or n.name.rpartition("::")[2].startswith(facts.kernel.name) for n in named
            ):
                return True
    return False
