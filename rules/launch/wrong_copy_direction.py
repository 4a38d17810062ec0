r"""The rule ``wrong-copy-direction``."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator

from kernlint.analysis.base import ModuleFacts
from kernlint.analysis.hostmodel.handles import address_of_symbol, array_as_pointer, of_host_compiler
from kernlint.analysis.hostmodel.lifetimes.analysis import lifetimes
from kernlint.analysis.hostmodel.lifetimes.model import Fault
from kernlint.analysis.hostmodel.members import Field, field_of, member_memory
from kernlint.analysis.hostmodel.operations import Copy, HostWalk, Kind, host_operations, object_operations
from kernlint.analysis.hostmodel.places import Where, pointed_to
from kernlint.analysis.remarks import remarks
from kernlint.analysis.trace.events import Access, ApiEvent, Event, LaunchEvent, Root, RootKind
from kernlint.analysis.trace.values import PointerValue, Value, as_term
from kernlint.apis import Moves, api_of, base_name
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, ModuleRule
from kernlint.symbolic.terms import const
from kernlint.tree.nodes import AddressOf, Assign, Binary, Call, Cast, Expr, IntLit, Module, Node, Subscript
from kernlint.tree.types import U8, PointerType, Space, StructType
from kernlint.tree.walk import strip_casts

_FROM = {
    Kind.HOST_TO_DEVICE: Where.HOST,
    Kind.HOST_TO_HOST: Where.HOST,
    Kind.DEVICE_TO_HOST: Where.DEVICE,
    Kind.DEVICE_TO_DEVICE: Where.DEVICE,
}
_TO = {
    Kind.HOST_TO_DEVICE: Where.DEVICE,
    Kind.DEVICE_TO_DEVICE: Where.DEVICE,
    Kind.DEVICE_TO_HOST: Where.HOST,
    Kind.HOST_TO_HOST: Where.HOST,
}

PASSED = "host memory given to kernels"
"""What findings have in common where a program counts on a device that reads the host's memory."""


class WrongCopyDirection(ModuleRule):
    r"""A pointer leads to another memory than is said: in a copy, or as the argument of a kernel.

    The kind of a `cudaMemcpy` must fit where its pointers lead. With another one the copy fails, or reads an address of
    one memory in the other. Reported where the allocation of a pointer is in sight; managed and pinned memory may be
    used from both sides. Reported too where a launch is given an array of the host, or memory of `malloc`, `new` or
    `std::vector`, as a pointer (systems that let the device read the host's pages are rare). Where the copy is formally
    right, it may still go nowhere: from memory that nobody has written since it was allocated, into results of a kernel
    that nobody has read, or not at all into the buffer that a kernel then reads.

    Three things besides compile and fail: the address of a symbol where CUDA takes the symbol, an array (`cudaArray_t`)
    where a copy or fill takes a pointer to linear memory, and a buffer of OpenCL that is to use or copy memory of the
    host, with a null pointer (or gets a pointer, and no flag that says what for).

    ```cuda bad
    #include <vector>
    __global__ void twice(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= 2.0f; }
    void run(int n) {
        std::vector<float> x(n);
        twice<<<1, 256>>>(x.data(), n);  // expect: KL606
    }
    ```

    ```hip bad
    #include <hip/hip_runtime.h>
    __global__ void twice(float *x) { x[threadIdx.x] *= 2.0f; }
    void run() {
        float x[64] = {1.0f};
        hipLaunchKernelGGL(twice, dim3(1), dim3(64), 0, 0, x);  // expect: KL606
    }
    ```

    ```cuda bad
    void fetch(float *result, int n) {
        float *sums = nullptr;
        cudaMalloc(&sums, n * sizeof(float));
        cudaMemcpy(result, sums, n * sizeof(float), cudaMemcpyHostToDevice);  // expect: KL606
        cudaFree(sums);
    }
    ```

    ```hip bad
    #include <hip/hip_runtime.h>
    void send(int n) {
        int table[64] = {1, 2, 3};
        int *device = nullptr;
        hipMalloc(&device, sizeof(table));
        hipMemcpyAsync(device, table, sizeof(table), hipMemcpyDeviceToDevice, 0);  // expect: KL606
        hipFree(device);
    }
    ```

    ```cuda bad
    __global__ void count(int *n) { atomicAdd(n, 1); }
    int run() {
        int *n = nullptr;
        cudaMalloc(&n, sizeof(int));
        cudaMemset(n, 0, sizeof(int));
        count<<<4, 64>>>(n);
        const int found = *n;  // expect: KL606
        cudaFree(n);
        return found;
    }
    ```

    ```cuda bad
    #include <stdlib.h>
    __global__ void fill(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1.0f; }
    float run(float *x, int n) {
        float *result = (float *)malloc(n * sizeof(float));
        fill<<<1, 256>>>(x, n);
        cudaMemcpy(x, result, n * sizeof(float), cudaMemcpyHostToDevice);  // expect: KL606
        const float first = result[0];
        free(result);
        return first;
    }
    ```

    ```cuda good
    void fetch(float *result, int n) {
        float *sums = nullptr;
        cudaMalloc(&sums, n * sizeof(float));
        cudaMemset(sums, 0, n * sizeof(float));
        cudaMemcpy(result, sums, n * sizeof(float), cudaMemcpyDeviceToHost);
        cudaFree(sums);
    }
    ```

    ```cuda good
    int last(int *from, int n, bool managed) {
        int *dev, found;
        if (!managed) cudaMalloc(&dev, n * sizeof(int));
        if (managed) dev = from;
        if (managed) found = dev[n - 1];
        else cudaMemcpy(&found, dev + n - 1, sizeof(int), cudaMemcpyDeviceToHost);
        return found;
    }
    ```

    ```cuda bad
    int last(int n, bool managed) {
        int *dev, found;
        if (managed) cudaMallocManaged(&dev, n * sizeof(int));
        else cudaMalloc(&dev, n * sizeof(int));
        if (!managed) found = dev[n - 1];  // expect: KL606
        return found;
    }
    ```

    ```cuda good
    void share(const float *from, int n) {
        float *both = nullptr;
        cudaMallocManaged(&both, n * sizeof(float));
        cudaMemcpy(both, from, n * sizeof(float), cudaMemcpyHostToHost);
        cudaFree(both);
    }
    ```
    """

    meta = Meta("KL606", "wrong-copy-direction", Severity.ERROR, tags=("CUDA-3.3",))
    needs = (host_operations, object_operations, member_memory, lifetimes)

    def check_module(self, facts: ModuleFacts) -> Iterator[Finding]:
        seen: set[object] = set()
        walks = (*facts[host_operations], *facts[object_operations])
        copied = [_members_of(copy) for walk in walks for copy in walk.copies]
        mixed = {one for one, other in copied if one is not None and one == other}
        for walk in walks:
            for copy in walk.copies:
                finding = self._judged(copy, walk, facts, mixed)
                if finding is not None and copy.event.span not in seen:
                    seen.add(copy.event.span)
                    yield finding
        for walk in facts[host_operations]:
            for copy in _of_nothing(walk):
                if copy.event.span not in seen:
                    seen.add(copy.event.span)
                    message = "nothing has been written to the source, and a kernel has worked on the target"
                    fix = "copy the other way, if the results are meant"
                    yield self.finding(copy.event.span, message, severity=Severity.WARNING, fix=fix)
            for access in walk.trace.accesses:
                within = access.root.decl is None and access.stack  # what a container's own code reaches
                if access.span in seen or within or _fetches(access.node):
                    continue
                if walk.leads_to(Where.DEVICE, PointerValue(access.root, const(0), U8), access):
                    seen.add(access.span)
                    message = f"{access.root.name} is device memory, which the host cannot touch"
                    fix = "copy it to the host first, or use managed memory"
                    yield self.finding(access.span, message, fix=fix)
            for made in walk.trace.apis:
                if made.span not in seen and (told := _misgiven(made, walk, facts.module)) is not None:
                    seen.add(made.span)
                    yield self.finding(made.span, told[0], fix=told[1])
            for launch in walk.trace.launches:
                if launch.span not in seen and (finding := self._passed(launch, walk)) is not None:
                    seen.add(launch.span)
                    yield finding
        for fault in facts[lifetimes]:
            if fault.kind in ("nothing", "lost") and fault.span not in seen:
                seen.add(fault.span)
                yield self._of_way(fault)
        for kind, words in _REMARKS.items():
            for remark, related in remarks(facts, kind):
                if remark.span not in seen:
                    message, fix = words[0].format(remark.words[0]), words[1]
                    yield self.finding(remark.span, message, severity=Severity.WARNING, related=related, fix=fix)

    def _of_way(self, fault: Fault) -> Finding:
        """A copy that moves nothing worth having, on one of the ways through the code."""
        if fault.word == "passed":
            message = f"nothing has been written to {fault.name} when a kernel that only reads it is launched"
            fix = "copy to it before, if another buffer was not meant"
        elif fault.kind == "nothing":
            message, fix = f"nothing has been written to {fault.name} when it is copied", "copy the other way, or later"
        else:
            message = f"this copy overwrites what a kernel has written to {fault.name}, which nobody has read"
            fix = "copy the other way, if the results are meant"
        related = [Related(span, word) for span, word in fault.related]
        level = Severity.NOTE if fault.soft else Severity.WARNING  # nobody looks at what comes: the copy is timed
        return self.finding(fault.span, message, severity=level, related=related, fix=fix)

    def _passed(self, launch: LaunchEvent, walk: HostWalk) -> Finding | None:
        params = launch.kernels[0].params if launch.kernels else ()
        for param, value in zip(params, launch.args, strict=False):
            if isinstance(param.type, PointerType) and not param.whole and walk.leads_to(Where.HOST, value, launch):
                fix = "allocate device memory and copy it there, or use managed memory"
                message = f"{param.name} is a pointer to host memory, which the kernel cannot read"
                return self.finding(launch.span, message, fix=fix, habit=PASSED)
        return None

    def _judged(self, copy: Copy, walk: HostWalk, facts: ModuleFacts, mixed: Container[Field]) -> Finding | None:
        """A copy whose direction contradicts where it goes.  ``mixed``: members that are copied from one object to
        another: one of the two may lie on the device and the other on the host."""
        if copy.kind is None:
            return None

        moves = api_of(copy.event.name)
        symbol = moves.symbol if isinstance(moves, Moves) else None

        def where_of(value: Value) -> Where:
            if symbol is not None and value is (copy.source if symbol else copy.target):
                return Where.DEVICE
            found = walk.where(value, copy.event)
            if found is not Where.UNKNOWN:
                return found
            field = _member_of(copy, value)
            return facts[member_memory].get(field, found) if field is not None and field not in mixed else found

        for value, said, word in ((copy.target, _TO[copy.kind], "target"), (copy.source, _FROM[copy.kind], "source")):
            where = where_of(value)
            if where in (Where.DEVICE, Where.HOST) and where is not said:
                source, target = where_of(copy.source), where_of(copy.target)
                return self.finding(
                    copy.event.span,
                    f"the {word} of this copy is {where.value}, but its direction says {said.value}",
                    related=[
                        Related(allocation.span, "allocated here")
                        for allocation in walk.trace.allocations
                        if any(allocation.root is root for root in pointed_to(value))
                    ][:1],
                    fix=f"the direction is {_word(source, copy.kind, True)} to {_word(target, copy.kind, False)}",
                )
        return None


def _member_of(copy: Copy, value: Value, field: Callable[[Expr], Field | None] = field_of) -> Field | None:
    """The member that an argument of a copy reads, by what ``field`` makes of its text."""
    given = zip(copy.event.args, copy.event.node.args, strict=True)
    return next((found for one, arg in given if one is value and (found := field(arg)) is not None), None)


def _members_of(copy: Copy) -> tuple[Field | None, Field | None]:
    """The members whose memory a copy writes to and reads, from whichever element on."""
    return _member_of(copy, copy.target, _array_of), _member_of(copy, copy.source, _array_of)


def _array_of(place: Expr) -> Field | None:
    """The member that a pointer leads into: ``x.a``, ``&x.a[i]``, ``x.a + i``."""
    place = strip_casts(place)
    if isinstance(place, AddressOf) and isinstance(place.operand, Subscript):
        return _array_of(place.operand.base)
    return _array_of(place.lhs) if isinstance(place, Binary) and place.op == "+" else field_of(place)


_REMARKS = {
    "copy-of-nothing": ("nothing has been written to {} when it is copied", "copy the other way, or later"),
    "copy-over-copy": ("this copy overwrites what was just copied to {}, which nothing has used", "copy the other way"),
    "copy-over-results": (
        "this copy overwrites what kernels have left in {}, and the host goes on with what it had",
        "copy the other way",
    ),
}
"""Copies in Python programs, by what the front end remarks of them."""


_HOST_POINTER = {
    "clCreateBuffer": (1, 3),
    "clCreateImage": (1, 4),
    "clCreateImage2D": (1, 6),
    "clCreateImage3D": (1, 8),
}
"""Which argument of a function is the flags, and which the host's memory (OpenCL 3.0 API, 5.2.1 and 5.3.1)."""


def _misgiven(call: ApiEvent, walk: HostWalk, module: Module) -> tuple[str, str] | None:
    """What is wrong with what a call is given, and how to mend it."""
    if _no_symbol(call, walk):
        message = "this is a variable of the host, where the call takes a symbol of the device"
        return message, "exchange the first two arguments"
    if address_of_symbol(call) and not of_host_compiler(module):
        message = "this is the address of a symbol, where the call takes the symbol itself: it fails"
        return message, "leave out the &, and pass an offset as such"
    if array_as_pointer(call):
        message = "this is an array, a handle, where the call takes a pointer to linear memory: it fails"
        return message, "use the function for arrays (Memcpy2DToArray)"
    if _for_nothing(call):
        message = "memory of the host is given, but no flag says to copy or to use it: the call fails"
        return message, "add CL_MEM_COPY_HOST_PTR, or give no pointer"
    if _from_nowhere(call):
        message = "the flags say to use or copy memory of the host, and none is given: the call fails"
        return message, "leave out the flag, or give the pointer"
    return None


def _no_symbol(call: ApiEvent, walk: HostWalk) -> bool:
    """Whether a copy to or from a symbol is given a variable of the host in its place."""
    moves = api_of(call.name)
    at = moves.symbol if isinstance(moves, Moves) else None
    if at is None or len(call.args) < 2:
        return False
    other = pointed_to(call.args[1 - at])
    symbols = any(root.decl is not None and root.decl.space is not Space.HOST and root.decl.is_global for root in other)
    return symbols and walk.leads_to(Where.HOST, call.args[at], call)


_USES = 8 | 32
"""CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR."""


def _for_nothing(made: ApiEvent) -> bool:
    """Whether a memory object is made with memory of the host that its flags say nothing of (CL_INVALID_HOST_PTR)."""
    at = _HOST_POINTER.get(made.name)
    if at is None or len(made.args) <= at[1]:
        return False
    flags, pointer = as_term(made.args[at[0]]).value, made.args[at[1]]
    roots = pointed_to(pointer)  # what a parameter leads to may be null
    given = bool(roots) and all(root.kind is RootKind.VARIABLE for root in roots)
    return flags is not None and not flags & _USES and given


def _from_nowhere(made: ApiEvent) -> bool:
    """Whether a memory object is to use or copy memory of the host, and a null pointer is written there
    (CL_INVALID_HOST_PTR too, OpenCL 3.0 API, 5.2.1 and 5.3.1)."""
    at = _HOST_POINTER.get(made.name)
    if at is None or len(made.args) <= at[1] or len(made.node.args) != len(made.args):
        return False
    flags, given = as_term(made.args[at[0]]).value, strip_casts(made.node.args[at[1]])
    return flags is not None and bool(flags & _USES) and isinstance(given, IntLit) and given.value == 0


def _fetches(node: Node) -> bool:
    """Whether an element is read or written through a reference that copies it from or to the device
    (``device_vector::operator[]`` gives a ``thrust::device_reference``)."""
    while isinstance(node, (Cast, Assign)):
        node = node.operand if isinstance(node, Cast) else node.target
    kind = node.receiver.type if isinstance(node, Call) and node.receiver is not None else None
    return isinstance(kind, StructType) and "device_vector" in kind.name


def _of_nothing(walk: HostWalk) -> Iterator[Copy]:
    """Copies to memory that a kernel has worked on, from host memory that nobody has written since it was allocated."""
    written: set[Root] = set()
    launched: set[Root] = set()
    copies = {copy.event.order: copy for copy in walk.copies}
    events: list[Event] = [*walk.trace.apis, *walk.trace.launches]
    events += [access for access in walk.trace.accesses if access.writes]
    for event in sorted(events, key=lambda one: one.order):
        copy = copies.get(event.order)
        if copy is not None:
            roots = pointed_to(copy.source)
            fresh = len(roots) == 1 and id(roots[0]) in walk.allocations and roots[0] not in written
            plain = fresh and base_name(walk.allocations[id(roots[0])].api) in ("malloc", "MallocHost", "operator new")
            if plain and copy.kind is Kind.HOST_TO_DEVICE and launched.intersection(pointed_to(copy.target)):
                yield copy
            written.update(pointed_to(copy.target))
        elif isinstance(event, Access):
            written.add(event.root)
        elif isinstance(event, LaunchEvent):
            launched.update(root for value in event.args for root in pointed_to(value))
        elif isinstance(event, ApiEvent) and base_name(event.name) not in ("free", "Free", "MallocHost"):
            written.update(root for value in event.args for root in pointed_to(value))


def _word(where: Where, kind: Kind, source: bool) -> str:
    if where in (Where.DEVICE, Where.HOST):
        return where.name.lower()
    return (_FROM if source else _TO)[kind].name.lower()
