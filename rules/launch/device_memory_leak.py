r"""The rule ``device-memory-leak``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleFacts
from kernlint.analysis.hostmodel.operations import HostWalk, Release, host_operations
from kernlint.analysis.hostmodel.ownership import stays
from kernlint.analysis.hostmodel.places import Where, as_pointer, pointed_to, where_of
from kernlint.analysis.hostmodel.settings import excluded, implied
from kernlint.analysis.trace.events import AllocationEvent, ApiEvent, ExitEvent
from kernlint.analysis.trace.values import PointerValue, VarPlace
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, ModuleRule
from kernlint.source import Span
from kernlint.symbolic.terms import Term, const, negate, subterms, truth
from kernlint.tree.nodes import Assign, Call, Cast, FunctionDecl, Node, Ref, VarDecl
from kernlint.tree.types import U8
from kernlint.tree.walk import children, walk

_UNFOLLOWED = frozenset({"goto", "budget", "statement", "lost"})


class DeviceMemoryLeak(ModuleRule):
    r"""Device memory is not given back on a path that leaves the function early.

    A function that allocates memory for itself and frees it at its end leaks it where an error makes it return or
    throw in between. Reported where nothing but the function knows the pointer, which it frees elsewhere, and where a
    `return` or `throw` is sure to come behind the allocation and before any release, once for each function; what a
    helper throws that checks an error is a note, as that mostly ends the program.

    Silent where the pointer is stored, returned or handed to something that may own it, where the way out is taken
    because the allocation itself failed, in `main`, and where exceptions are caught in the function.

    ```cuda bad
    #include <stdexcept>
    __global__ void clear(int *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 0; }
    void run(const int *from, int n) {
        int *x = nullptr;
        if (cudaMalloc(&x, n * sizeof(int)) != cudaSuccess) throw std::runtime_error("no memory");
        clear<<<1, 64>>>(x, n);
        if (cudaGetLastError() != cudaSuccess) throw std::runtime_error("not launched");  // expect: KL608
        cudaFree(x);
    }
    ```

    ```cuda bad
    cudaError_t run(const int *from, int n) {
        int *x = nullptr, *y = nullptr;
        cudaError_t err = cudaMalloc(&x, n * sizeof(int));
        if (err != cudaSuccess) return err;
        err = cudaMalloc(&y, n * sizeof(int));
        if (err != cudaSuccess) return err;  // expect: KL608
        err = cudaMemcpy(y, from, n * sizeof(int), cudaMemcpyHostToDevice);
        cudaFree(y);
        cudaFree(x);
        return err;
    }
    ```

    ```hip bad
    #include <hip/hip_runtime.h>
    int run(const float *from, int n) {
        float *x = nullptr;
        if (hipMalloc(&x, n * sizeof(float)) != hipSuccess) return 1;
        if (hipMemcpy(x, from, n * sizeof(float), hipMemcpyHostToDevice) != hipSuccess) return 2;  // expect: KL608
        hipFree(x);
        return 0;
    }
    ```

    ```cuda good
    cudaError_t run(const int *from, int n) {
        int *x = nullptr;
        cudaError_t err = cudaMalloc(&x, n * sizeof(int));
        if (err != cudaSuccess) return err;
        err = cudaMemcpy(x, from, n * sizeof(int), cudaMemcpyHostToDevice);
        cudaFree(x);
        return err;
    }
    ```

    ```cuda good
    struct Owner {
        int *held;
        explicit Owner(int *x) : held(x) {}
        ~Owner() { cudaFree(held); }
    };
    int run(const int *from, int n) {
        int *x = nullptr;
        if (cudaMalloc(&x, n * sizeof(int)) != cudaSuccess) return 1;
        Owner owner(x);
        if (cudaMemcpy(x, from, n * sizeof(int), cudaMemcpyHostToDevice) != cudaSuccess) return 2;
        return 0;
    }
    ```

    ```hip good
    #include <hip/hip_runtime.h>
    int run(const float *from, int n) {
        float *x = nullptr;
        if (hipMalloc(&x, n * sizeof(float)) != hipSuccess) return 1;
        if (hipMemcpy(x, from, n * sizeof(float), hipMemcpyHostToDevice) != hipSuccess) {
            hipFree(x);
            return 2;
        }
        hipFree(x);
        return 0;
    }
    ```
    """

    meta = Meta("KL608", "device-memory-leak", Severity.WARNING, tags=("CUDA BPG", "Axivion lifetimes"))
    needs = (host_operations,)

    def check_module(self, facts: ModuleFacts) -> Iterator[Finding]:
        handled = [loss.span for f in facts.module.functions for loss in f.losses if loss.kind == "handler"]
        for walk_ in facts[host_operations]:
            if walk_.function.name == "main" or any(gap.kind in _UNFOLLOWED for gap in walk_.trace.gaps):
                continue
            for one, decl, results in _own(walk_):
                found = self._judged(walk_, one, decl, results, handled)
                if found is not None:
                    yield found
                    break

    def _judged(
        self, walk_: HostWalk, one: AllocationEvent, decl: VarDecl, results: tuple[Term, ...], handled: list[Span]
    ) -> Finding | None:
        releases = [release for release in walk_.releases if release.event.order > one.order]
        # What may be given back in them is not known.
        unknown = [release for release in releases if not pointed_to(release.target)]
        own = [release for release in releases if one.root in pointed_to(release.target)]
        if not own or not stays(decl, walk_.function):
            return None
        ways = sorted((*walk_.trace.exits, *walk_.trace.throws), key=lambda way: way.order)
        leaks = [
            way
            for way in ways
            if _passed(one, way)
            and not _failed(walk_, one, way, decl, results)
            and not any(_may_pass(release, way) for release in (*own, *unknown))
            and not _caught(way, handled)
        ]
        if not leaks:
            return None
        careful = [release for release in own if any(release.event.guards == way.guards for way in ways[:-1])]
        freed = next((one for one in careful if one.event.order < own[-1].event.order), own[-1])
        thrown = {id(way) for way in walk_.trace.throws if way.stack}
        leaks.sort(key=lambda way: id(way) in thrown)
        return self.finding(
            (*leaks[0].stack, leaks[0].span)[0],
            f"the memory of {decl.name} is not given back on this way out of {walk_.function.name}",
            # What a check throws mostly ends the program.
            Severity.NOTE if id(leaks[0]) in thrown else None,
            related=[Related(one.span, "allocated here"), Related(freed.event.span, "given back here")],
            fix="free it before, or let an object own it",
        )


def _own(walk_: HostWalk) -> Iterator[tuple[AllocationEvent, VarDecl, tuple[Term, ...]]]:
    """Allocations for variables of the function itself that are plain pointers or handles, each with what the call
    told of its success: what it returned, and the numbers behind the addresses that it was given."""
    calls: dict[tuple[Span, tuple[Span, ...]], ApiEvent] = {(api.span, api.stack): api for api in walk_.trace.apis}
    for one in walk_.trace.allocations:
        api = calls.get((one.span, one.stack))
        if (
            api is None
            or one.doubted
            or where_of(PointerValue(one.root, const(0), U8), walk_.allocations) is Where.HOST
        ):
            continue
        told = tuple(
            value for value in (api.result, *api.after) if isinstance(value, Term) and as_pointer(value) is None
        )
        if one.place is None:
            decl = _assigned(walk_.function, api.node)
        elif isinstance(one.place, VarPlace) and not one.place.path:
            decl = one.place.decl
        else:
            continue
        if decl is not None and _local(decl, walk_.function):
            yield one, decl, told


def _assigned(function: FunctionDecl, call: Node) -> VarDecl | None:
    """The variable that the result of a call is stored in."""
    for node in walk(function.body) if function.body is not None else ():
        if isinstance(node, VarDecl) and node.init is not None and _bare(node.init) is call:
            return node
        if isinstance(node, Assign) and not node.op and _bare(node.value) is call and isinstance(node.target, Ref):
            return node.target.decl
    return None


def _bare(node: Node) -> Node:
    while isinstance(node, Cast):
        node = node.operand
    return node


def _local(decl: VarDecl, function: FunctionDecl) -> bool:
    if decl.static or decl.is_global or decl in function.params or function.body is None:
        return False
    return any(node is decl for node in walk(function.body))


def _passed(one: AllocationEvent, way: ExitEvent) -> bool:
    """Whether whoever leaves by ``way`` has come by the allocation, in the same round of all loops."""
    return way.order > one.order and not way.doubted and way.loops == one.loops and implied(one.guards, way.guards)


def _may_pass(release: Release, way: ExitEvent) -> bool:
    """Whether somebody who leaves by ``way`` may have come by the release."""
    guards = (*release.event.guards, *way.guards)
    return release.event.order < way.order and not excluded(tuple(guard.term for guard in guards))


def _failed(walk_: HostWalk, one: AllocationEvent, way: ExitEvent, decl: VarDecl, told: tuple[Term, ...]) -> bool:
    """Whether the way out may be taken for the reason alone that nothing was allocated."""
    spans = {guard.span for guard in way.guards}
    if any(event.span in spans and _mentions(event.node, decl) for event in walk_.trace.conditions):
        return True
    return not told or any(_for_failure(result, way) for result in told)


def _for_failure(result: Term, way: ExitEvent) -> bool:
    """Whether a way out is taken only where a call's status is no success."""
    terms = [guard.term for guard in way.guards if result in subterms(guard.term)]
    asked = (at for term in terms for at in subterms(term) if at.op == "call" and at != result)
    if any(result in subterms(at) for at in asked):
        return True
    casts = {at for term in terms for at in subterms(term) if at.op == "cast" and at.args[0] == result}
    return excluded((*terms, *(negate(truth(value)) for value in (result, *casts))))


def _mentions(node: Node, decl: VarDecl) -> bool:
    """Whether the pointer itself is looked at, and not merely what a call that is given it returns."""
    if isinstance(node, Call):
        return False
    return (isinstance(node, Ref) and node.decl is decl) or any(_mentions(child, decl) for child in children(node))


def _caught(way: ExitEvent, handled: list[Span]) -> bool:
    return any(
        span.file == place.file and span.start <= place.start < span.end
        for span in handled
        for place in (way.span, *way.stack)
    )
