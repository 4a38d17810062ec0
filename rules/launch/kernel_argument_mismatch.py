r"""The rule ``kernel-argument-mismatch``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import Facts
from kernlint.analysis.content.filled_in_part import filled_in_part
from kernlint.analysis.extent.allocated import allocated
from kernlint.analysis.launching.access_flags import against_flags
from kernlint.analysis.launching.crossed import crossed_sizes
from kernlint.analysis.launching.filled_short import filled_short
from kernlint.analysis.launching.first_alone import first_alone
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.analysis.launching.launches import host, launches
from kernlint.analysis.launching.misfits import certain_parameters, misfits, misfits_alone, misfits_of_only
from kernlint.analysis.launching.unnamed import unnamed
from kernlint.analysis.remarks import remarks
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, ApiEvent
from kernlint.analysis.trace.kernels import kernel_traces
from kernlint.analysis.wording import element, verb
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, Rule
from kernlint.source import Span
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import SymbolKind, symbols
from kernlint.tree.nodes import Cast, ParamDecl, Ref
from kernlint.tree.types import PointerType, Type
from kernlint.tree.walk import strip_casts, walk


class KernelArgumentMismatch(Rule):
    r'''What a launch passes is not what the kernel takes.

    Where arguments are passed by address and size, no compiler compares them with the kernel: `clSetKernelArg` with the
    size of another type fails when the program runs, and an array of addresses that is too short, or of variables of
    another width, makes the driver read what was not meant. Reported where the launch and the kernel are in sight.

    A raw kernel gets the bytes of its arguments, and nobody converts them to the types of its parameters. CuPy passes a
    Python ``float`` as a double and an ``int`` as 64 bits; a ``float`` parameter then reads the low half of the double.
    PyCUDA packs NumPy's numbers as large as they are, so that one of the wrong size moves those behind it. PyOpenCL
    refuses a number whose size is not the parameter's (``INVALID_ARG_SIZE``). An array of ``float64``, which NumPy and
    CuPy make where no type is given, is read as nonsense through a ``float *``.

    Memory counts too: where as many bytes are allocated for a pointer as the kernel reaches elements behind it, the
    allocation was counted in elements, or in those of another type; so does a fill of as many bytes.

    So do sizes: a grid that is made for one size along x and another along y tells that two sizes are passed the wrong
    way round.

    A buffer of OpenCL that is made for reading alone, and written by the kernel, is told too, and the other way round.

    A prepared call of PyCUDA packs what it is given by the types that `prepare` states, whatever the kernel takes.

    Silent where the low half of a wider integer is read, which is its value, where bytes are passed, and where the
    library converts (arguments of prepared calls of PyCUDA, element-wise kernels).

    ```cuda bad
    const char *program = R"(
    kernel void place(global float *x, const ulong at) { x[at + get_global_id(0)] = 0.0f; }
    )";
    cl_int run(cl_program built, cl_command_queue queue, cl_mem x, cl_uint at) {
        cl_kernel place = clCreateKernel(built, "place", nullptr);
        const size_t all = 4096, group = 64;
        clSetKernelArg(place, 0, sizeof(cl_mem), &x);
        clSetKernelArg(place, 1, sizeof(cl_uint), &at);  // expect: KL617
        return clEnqueueNDRangeKernel(queue, place, 1, nullptr, &all, &group, 0, nullptr, nullptr);
    }
    ```

    ```cuda bad
    extern "C" __global__ void scale(float *x, float by, int n) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] *= by;
    }
    CUresult run(CUmodule module, CUdeviceptr x, float by, int n) {
        CUfunction function;
        cuModuleGetFunction(&function, module, "scale");
        void *args[] = {&x, &by};
        return cuLaunchKernel(function, (n + 63) / 64, 1, 1, 64, 1, 1, 0, 0, args, 0);  // expect: KL617
    }
    ```

    ```cuda good
    extern "C" __global__ void scale(float *x, float by, int n) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] *= by;
    }
    CUresult run(CUmodule module, CUdeviceptr x, float by, int n) {
        CUfunction function;
        cuModuleGetFunction(&function, module, "scale");
        void *args[] = {&x, &by, &n};
        return cuLaunchKernel(function, (n + 63) / 64, 1, 1, 64, 1, 1, 0, 0, args, 0);
    }
    ```

    ```cuda good
    const char *program = R"(
    kernel void place(global float *x, const ulong at) { x[at + get_global_id(0)] = 0.0f; }
    )";
    cl_int run(cl_program built, cl_command_queue queue, cl_mem x, cl_ulong at) {
        cl_kernel place = clCreateKernel(built, "place", nullptr);
        const size_t all = 4096, group = 64;
        clSetKernelArg(place, 0, sizeof(cl_mem), &x);
        clSetKernelArg(place, 1, sizeof(at), &at);
        return clEnqueueNDRangeKernel(queue, place, 1, nullptr, &all, &group, 0, nullptr, nullptr);
    }
    ```

    ```python bad
    import cupy as cp

    scale = cp.RawKernel(r"""
    extern "C" __global__ void scale(float *x, const float gain, const int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] *= gain;
    }
    """, "scale")

    def run(x, n):
        scale(((n + 255) // 256,), (256,), (x, 1.5, n))  # expect: KL617
    ```

    ```python bad
    import cupy as cp
    import numpy as np

    scale = cp.RawKernel(r"""
    extern "C" __global__ void scale(float *x, const int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] *= 2.0f;
    }
    """, "scale")

    def run(n):
        x = cp.zeros(n)
        scale(((n + 255) // 256,), (256,), (x, np.int32(n)))  # expect: KL617
        return x
    ```

    ```python bad
    import pycuda.autoinit
    from pycuda.compiler import SourceModule

    module = SourceModule(r"""
    __global__ void scale(float *x, float gain, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] *= gain;
    }
    """)
    scale = module.get_function("scale")
    scale.prepare("Pdi")  # expect: KL617
    ```

    ```python good
    import cupy as cp
    import numpy as np

    scale = cp.RawKernel(r"""
    extern "C" __global__ void scale(float *x, const float gain, const int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] *= gain;
    }
    """, "scale")

    def run(n):
        x = cp.zeros(n, dtype=cp.float32)
        scale(((n + 255) // 256,), (256,), (x, np.float32(1.5), np.int32(n)))
        return x
    ```
    '''

    meta = Meta("KL617", "kernel-argument-mismatch", Severity.ERROR, tags=("OpenCL API", "CuPy raw kernels"))
    needs = (
        trace,
        host,
        launches,
        launch_context,
        kernel_traces,
        allocated,
        crossed_sizes,
        unnamed,
        certain_parameters,
    )

    def check(self, facts: Facts) -> Iterator[Finding]:
        yield from self._in_python(facts)
        yield from self._counted(facts)
        yield from self._filled(facts)
        yield from self._crossed(facts)
        yield from self._against_flags(facts)
        if facts.module.setting:
            return  # whether the host's code is meant for the kernel as it is under that setting, nobody says
        seen: set[Span] = set()
        known = (one for launch in facts[launches] for one in misfits(launch, facts))
        alone = misfits_alone(facts)
        guessed = (one for launch in facts[unnamed] for one in misfits_of_only(launch, facts))
        place = Related(facts.kernel.function.name_span or facts.kernel.function.span, "the kernel")
        for severity, (span, message, stack) in (
            *((Severity.ERROR, one) for one in known),
            *((Severity.ERROR, one) for one in alone),
            *((Severity.WARNING, one) for one in guessed),
        ):
            if span not in seen:
                seen.add(span)
                called = [Related(at, "called here") for at in stack[:-3:-1]]
                yield self.finding(span, message, severity, related=[*called, place])

    def _counted(self, facts: Facts) -> Iterator[Finding]:
        """Memory whose bytes are as many as the kernel takes it to have elements."""
        seen: set[str] = set()
        for one in facts[allocated]:
            if not one.in_other_unit or one.view is None or one.access.root.name in seen:
                continue
            seen.add(one.access.root.name)
            fact, name = one.view.fact, one.access.root.name
            made = next((at for at_name, at in fact.allocated if at_name == name), fact.span)
            first = one.witness.first
            yield self.finding(
                made,
                f"{words(one.size)} bytes are allocated for {name}, and the kernel needs {one.times} times as many: "
                f"{element(one.access)} is {verb(one.access)} at byte {first.offset} of {one.extent}, by thread "
                f"{first.thread} of block {first.block}",
                severity=Severity.WARNING,
                related=[
                    Related(fact.span, "launched here"),
                    Related(one.access.span, f"{verb(one.access)} here"),
                    *(Related(at, "called here") for at in fact.stack[-1:]),
                ],
                fix="multiply the number of elements by the size of one",
            )

    def _filled(self, facts: Facts) -> Iterator[Finding]:
        """Memory that is not filled as far as the kernel goes."""
        for call, access, message, fix in _badly_filled(facts):
            yield self.finding(
                call.span,
                message,
                severity=Severity.WARNING,
                related=[Related(access.span, f"{verb(access)} here")],
                fix=fix,
            )

    def _against_flags(self, facts: Facts) -> Iterator[Finding]:
        """Buffers that the kernel uses otherwise than they were made for."""
        seen: set[Span] = set()
        for one in against_flags(facts):
            if one.span in seen:
                continue
            seen.add(one.span)
            flag = "CL_MEM_READ_ONLY" if one.access.writes else "CL_MEM_WRITE_ONLY"
            yield self.finding(
                one.span,
                f"the buffer passed for {one.name} is made {flag}, and is {verb(one.access)} by the kernel: what comes "
                "of that is undefined",
                Severity.WARNING,
                related=[
                    Related(one.made, "made here"),
                    Related(one.access.span, f"{verb(one.access)} here"),
                    *(Related(at, "called here") for at in one.stack[:-3:-1]),
                ],
                fix="make it CL_MEM_READ_WRITE",
            )

    def _crossed(self, facts: Facts) -> Iterator[Finding]:
        """Two sizes that are passed the wrong way round."""
        for one in facts[crossed_sizes]:
            if not one.exchangeable:
                continue
            (first, second), counts = one.sizes, [words(count) for count in one.counts]
            yield self.finding(
                one.view.fact.span,
                f"{first.name} gets {counts[1]} and {second.name} gets {counts[0]}, the other way round than the grid "
                "is made",
                Severity.WARNING,
                related=[
                    *(
                        Related(at, f"the index is tested against {s.name} here")
                        for s, at in zip(one.sizes, one.places, strict=True)
                    ),
                    *(Related(at, "called here") for at in one.view.fact.stack[-1:]),
                ],
                fix=f"exchange the arguments for {first.name} and {second.name}",
            )

    def _in_python(self, facts: Facts) -> Iterator[Finding]:
        """What the front end found of launches in a program."""
        for remark, related in remarks(facts.module_facts, "argument-order"):
            name, *axes = remark.words
            if remark.kernel == facts.kernel.name and _by_rows(facts, name, axes):
                yield self.finding(
                    remark.span,
                    f"a view whose elements lie in another order is passed for {name} with its shape, and the kernel "
                    f"counts in rows of {axes[-1]}",
                    Severity.WARNING,
                    related=related,
                    fix="pass a contiguous copy (ascontiguousarray), or the strides",
                )
        for remark, related in remarks(facts.module_facts, "argument-misfit"):
            if remark.kernel != facts.kernel.name:
                continue
            what, given, name, wanted = remark.words
            if what == "array" and _only_cast(facts, name):
                continue
            message = f"{given} is passed for {name}, which the kernel reads as {wanted}"
            if what == "number":
                message = f"types of {given} arguments are stated, and {name} has {wanted}"
            elif what == "count":
                passed = "1 argument is" if given == "1" else f"{given} arguments are"
                message = f"{passed} passed, and {name} takes {wanted}"
            elif what == "keyword":
                message = f"{name} is passed by name, and the launch of a numba kernel takes {wanted}"
            yield self.finding(remark.span, message, related=related, fix=_FIXES[what])


_FIXES = {
    "array": "give the array the type of the parameter",
    "scalar": "pass a NumPy number of that type",
    "format": "state the type of the parameter",
    "number": "state a type for each parameter",
    "count": "pass an argument for each parameter",
    "keyword": "pass it in its place",
}


def _by_rows(facts: Facts, name: str, axes: Sequence[str]) -> bool:
    """Whether a kernel reaches elements behind a parameter in rows as long as one of its scalars says."""
    for access in facts[trace].accesses:
        if access.root.name != name:
            continue
        for mono in polynomial(access.offset).coefficients:
            if len(mono) > 1 and any(s.name in axes and s.kind is SymbolKind.PARAM for a in mono for s in symbols(a)):
                return True
    return False


def _only_cast(facts: Facts, name: str) -> bool:
    """Whether a kernel does nothing with a parameter but to make a pointer to another type of it."""
    uses = casts = 0
    for node in walk(facts.function.body) if facts.function.body is not None else ():
        uses += isinstance(node, Ref) and node.decl.name == name and isinstance(node.decl, ParamDecl)
        made = strip_casts(node) if isinstance(node, Cast) and isinstance(node.type, PointerType) else None
        if isinstance(node, Cast) and isinstance(made, Ref) and isinstance(made.decl, ParamDecl):
            kind = made.decl.type
            other = isinstance(kind, PointerType) and _element(node.type) != _element(kind)
            casts += made.decl.name == name and other
    return 0 < uses <= casts


def _element(kind: Type) -> tuple[type, int | None]:
    """What a pointer leads to, as far as its representation goes."""
    inner = kind.pointee if isinstance(kind, PointerType) else kind
    return type(inner), getattr(inner, "size", None)


def _badly_filled(facts: Facts) -> Iterator[tuple[ApiEvent, Access, str, str]]:
    """Calls that fill too little, what the kernel does with the rest, and in words what is wrong and what helps."""
    for one in filled_short(facts):
        message = (
            f"{words(one.size)} bytes of {one.name} are filled, and the kernel takes that for a number of "
            f"elements, of {one.width} bytes each"
        )
        yield one.call, one.access, message, "multiply the number of elements by the size of one"
    told: set[Span] = set()
    for part in filled_in_part(facts):
        told.add(part.call.span)
        message = (
            f"{words(part.size)} bytes of {part.name} are filled, of {words(part.extent)}, and the kernel takes up "
            "what lies behind them"
        )
        yield part.call, part.access, message, "fill all of it"
    for first in (one for one in first_alone(facts) if one.call.span not in told):
        message = (
            f"the first {first.size} bytes of {first.name} are filled, and the kernel goes on from others behind "
            "them as well"
        )
        yield first.call, first.access, message, "fill all that the kernel adds to"
