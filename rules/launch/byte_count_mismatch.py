r"""The rule ``byte-count-mismatch``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleFacts
from kernlint.analysis.hostmodel.asked_by_count import asked_by_count
from kernlint.analysis.hostmodel.boxes import misfits
from kernlint.analysis.hostmodel.in_elements import in_elements
from kernlint.analysis.hostmodel.instances import twins
from kernlint.analysis.hostmodel.mapped_range import past_the_range
from kernlint.analysis.hostmodel.offsets import offset_of_elements
from kernlint.analysis.hostmodel.operations import Copy, Fill, HostWalk, host_operations, object_operations, widths
from kernlint.analysis.hostmodel.overdone import LONGEST, overdone
from kernlint.analysis.hostmodel.pieces import element_apart, part_of_number, piece_by_name
from kernlint.analysis.hostmodel.pitches import pitch_unused
from kernlint.analysis.hostmodel.places import Extent, as_pointer, element_of, extent_of
from kernlint.analysis.hostmodel.queried import queried
from kernlint.analysis.hostmodel.sizes import (
    bounded_as_elements,
    exceeds,
    made_of_sizes,
    may_exceed,
    moving,
    of_rows,
    overwrites,
    part_of_elements,
    same_count,
    scaled_pitch,
)
from kernlint.analysis.hostmodel.smaller import smaller
from kernlint.analysis.hostmodel.sub_buffers import beyond
from kernlint.analysis.hostmodel.textures import of_textures
from kernlint.analysis.hostmodel.written import (
    in_bytes,
    is_count,
    is_fraction,
    made_of_elements,
    more_than_a_byte,
    of_container,
    of_pointer,
    same_name,
    size_factor,
)
from kernlint.analysis.remarks import remarks
from kernlint.analysis.trace.values import PointerValue, Value, as_term
from kernlint.analysis.values.wrapped_sizes import wrapped_sizes
from kernlint.apis import api_of
from kernlint.apis.records import Fills
from kernlint.finding import Finding, Related, Severity
from kernlint.record import replace
from kernlint.rule import Meta, ModuleRule
from kernlint.source import Span
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import Term
from kernlint.tree.nodes import FunctionDecl


class ByteCountMismatch(ModuleRule):
    r"""A copy or fill counts in something else than bytes.

    The runtime's functions count in bytes. Reported where a copy or fill is larger than the allocation in sight, or
    may be, as one of two ways to count the same strided rows; where it is smaller by just the size of an element, so
    that elements were counted, or to as many elements of a smaller type; where a size is checked against the number
    of elements of an array; where a row is copied whose width times the size of an element is the pitch
    (`cudaMemcpy2D`, `cudaMemcpy3D`), with a pitch below its width, or with another pitch than that of the memory;
    where rows of pitched memory are copied in one piece; where an offset that is made of a pitch, which is in bytes,
    is added to a pointer to larger elements; and where memory is filled with a floating-point number, of which one
    byte is taken. Libraries that count in elements (BLAS, FFT, random numbers, CUB, NCCL) are asked about the same way,
    and so are rows of arrays and textures over memory.

    ```cuda bad
    void send(const float *from, int n) {
        float *x = nullptr;
        cudaMalloc(&x, n * sizeof(float));
        cudaMemcpy(x, from, n, cudaMemcpyHostToDevice);  // expect: KL605
    }
    ```

    ```cuda bad
    #include <cuda.h>
    void clear(CUdeviceptr x, int n) {
        cuMemsetD32(x, 0, n * sizeof(unsigned));  // expect: KL605
    }
    ```

    ```cuda bad
    #include <climits>
    void start(int *x, int n) {
        cudaMemset(x, INT_MAX, n * sizeof(int));  // expect: KL605
    }
    ```

    ```cuda good
    #include <cuda.h>
    void start(int *x, CUdeviceptr y, int n) {
        cudaMemset(x, 0x3f3f3f3f, n * sizeof(int));
        cudaMemset(x, 0xff, n * sizeof(int));
        cuMemsetD32(y, 1000, n);
        cuMemsetD8(y, 0, n * sizeof(unsigned));
    }
    ```

    ```cuda bad
    void start(float *x, int n, float first) {
        cudaMemset(x, first, n * sizeof(float));  // expect: KL605
    }
    ```

    ```hip bad
    #include <hip/hip_runtime.h>
    void send(const double *from, int n) {
        double *x = nullptr;
        hipMalloc(&x, n * sizeof(float));  // expect: KL605
        hipMemcpy(x, from, n * sizeof(double), hipMemcpyHostToDevice);  // expect: KL605
    }
    ```

    ```cuda bad
    cudaError_t rows(float *to, size_t pitch, const float *from, int width, int height) {
        return cudaMemcpy2D(to, pitch, from, width * sizeof(float), width, height,  // expect: KL605
                            cudaMemcpyHostToDevice);
    }
    ```

    ```hip bad
    #include <hip/hip_runtime.h>
    hipError_t fill(hipPitchedPtr to, double *from, size_t nx, size_t ny, size_t nz) {
        hipMemcpy3DParms job = {};
        job.srcPtr = make_hipPitchedPtr(from, nx * sizeof(double), nx, ny);
        job.dstPtr = to;
        job.extent = make_hipExtent(nx, ny, nz);
        job.kind = hipMemcpyHostToDevice;
        return hipMemcpy3D(&job);  // expect: KL605
    }
    ```

    ```cuda good
    cudaError_t fill(cudaPitchedPtr to, cudaArray_t pixels, float *from, size_t nx, size_t ny, size_t nz) {
        cudaMemcpy3DParms job = {};
        job.srcPtr = make_cudaPitchedPtr(from, nx * sizeof(float), nx, ny);
        job.dstPtr = to;
        job.extent = make_cudaExtent(nx * sizeof(float), ny, nz);
        job.kind = cudaMemcpyHostToDevice;
        const cudaError_t err = cudaMemcpy3D(&job);
        if (err != cudaSuccess) return err;
        cudaMemcpy3DParms other = {};
        other.srcPtr = job.srcPtr;
        other.dstArray = pixels;
        other.extent = make_cudaExtent(nx, ny, nz);
        other.kind = cudaMemcpyHostToDevice;
        return cudaMemcpy3D(&other);
    }
    ```

    ```cuda good
    void send(const float *from, int n) {
        float *x = nullptr;
        cudaMalloc(&x, n * sizeof(float));
        cudaMemset(x, 0, n * sizeof(float));
        cudaMemcpy(x, from, n * sizeof(float), cudaMemcpyHostToDevice);
    }
    ```

    ```hip good
    #include <hip/hip_runtime.h>
    void send(const double *from, int n, int used) {
        double *x = nullptr;
        hipMalloc(&x, n * sizeof(double));
        hipMemcpy(x, from, used * sizeof(double), hipMemcpyHostToDevice);
    }
    ```
    """

    meta = Meta("KL605", "byte-count-mismatch", Severity.ERROR, tags=("CUDA runtime API text", "OpenCL API"))
    needs = (host_operations, object_operations)

    def check_module(self, facts: ModuleFacts) -> Iterator[Finding]:
        for remark, related in remarks(facts, "elements-as-bytes"):
            buffer, array, width = remark.words
            message = f"{buffer} has as many bytes as {array} has elements, of {width} bytes each"
            yield self.finding(remark.span, message, related=related, fix=f"allocate {array}.nbytes")
        for remark, _ in remarks(facts, "elements-copied"):
            array, width = remark.words
            message = f"a number of elements of {array}, of {width} bytes each, is passed as the number of bytes"
            yield self.finding(remark.span, message, fix=f"pass {array}.nbytes")
        yield from self._of_smaller(facts)
        yield from self._wrapped(facts)
        yield from self._of_words(facts)
        yield from self._of_calls(facts)
        found: dict[Span, Finding] = {}
        right: dict[Span, set[object]] = {}
        """Operations that are right in an instance of a template, which they may be meant for alone."""
        wrong: dict[Span, FunctionDecl] = {}
        for walk in (*facts[host_operations], *facts[object_operations]):
            operations: list[Copy | Fill] = [*walk.copies, *walk.fills, *walk.ranges, *walk.own]
            for one in operations:
                finding, span = self._judged(one, walk), one.event.span
                if finding is not None and finding.span not in found:
                    called = tuple(Related(at, "called here") for at in one.event.stack[:-3:-1])
                    found[finding.span] = replace(finding, related=(*finding.related, *called))
                    wrong[finding.span] = walk.function
                elif finding is None and not walk.function.template_params and _sized(one, walk):
                    right.setdefault(span, set()).add(walk.function)
        for span, finding in found.items():
            others = right.get(span, set()) - {wrong[span]}
            if not any(twins(wrong[span], other) for other in others):
                yield finding

    def _of_calls(self, facts: ModuleFacts) -> Iterator[Finding]:
        """Calls for boxes, and of libraries that count in elements, that do not fit by themselves."""
        seen: set[Span] = set()
        for walk in (*facts[host_operations], *facts[object_operations]):
            for span, message, fix, made, stack in _misfits(walk):
                if span not in seen:
                    seen.add(span)
                    related = [Related(made, "allocated here")] if made is not None else []
                    related += [Related(at, "called here") for at in stack[:-3:-1]]
                    yield self.finding(span, message, Severity.WARNING, related=related, fix=fix)

    def _of_words(self, facts: ModuleFacts) -> Iterator[Finding]:
        """Fills of words that are given a number of bytes."""
        seen: set[Span] = set()
        for api in (api for walk in facts[host_operations] for api in walk.trace.apis):
            fills = api_of(api.name, api.receiver is not None)
            if not isinstance(fills, Fills) or fills.unit < 2 or fills.size is None or api.span in seen:
                continue
            if fills.size < len(api.node.args) and size_factor(api.node.args[fills.size]) == fills.unit:
                seen.add(api.span)
                message = f"a number of elements of {fills.unit} bytes is wanted here, and a number of bytes is given"
                yield self.finding(api.span, message, fix="leave out the size of an element")

    def _wrapped(self, facts: ModuleFacts) -> Iterator[Finding]:
        """Memory of a size that has wrapped in 32 bits, where sizes are as large as checks let them be."""
        for one in wrapped_sizes((*facts[host_operations], *facts[object_operations])):
            yield self.finding(
                one.span,
                f"{words(one.part)} is computed in 32 bits, but comes to {one.value} where sizes are as large as the "
                "checks before let them be: less memory is asked for than is meant, or none",
                Severity.WARNING,
                related=[] if one.span == one.call else [Related(one.call, "memory of that size is asked for here")],
                fix="multiply in 64 bits (size_t)",
            )

    def _of_smaller(self, facts: ModuleFacts) -> Iterator[Finding]:
        """Memory for pointers or numbers that is asked for by the size of something smaller."""
        for span, size, width in smaller(facts):
            yield self.finding(
                span,
                f"{words(size)} bytes are asked for by the size of less than the elements, of {width} bytes each",
                Severity.WARNING,
                fix="multiply by the size of what the pointer leads to",
            )

    def _judged(self, one: Copy | Fill, walk: HostWalk) -> Finding | None:
        values = (one.target, one.source) if isinstance(one, Copy) else (one.target,)
        filled = as_term(one.event.args[one.at]).value if isinstance(one, Fill) and one.bytewise else None
        if more_than_a_byte(filled):
            message = f"each byte is filled with the lowest one of {filled}, which is another number then"
            return self.finding(one.event.span, message, Severity.WARNING, fix="fill with a kernel")
        if isinstance(one, Fill) and one.bytewise and is_fraction(one.event.node.args[one.at]):
            message = "each byte is filled with the whole part of a floating-point number, of which one byte is taken"
            fix = "fill with a kernel, or with std::fill on the host and a copy"
            return self.finding(one.event.span, message, Severity.WARNING, fix=fix)
        if of_pointer(one):
            message = "the size is that of a pointer, not of what it points to"
            return self.finding(one.event.span, message, fix="multiply a number of elements by the size of one")
        owner = of_container(one)
        if owner is not None:
            message = f"the size is that of a {owner} itself, not of what it holds"
            return self.finding(one.event.span, message, fix="multiply its size() by the size of an element")
        if isinstance(one, Copy) and one.pitches is not None:
            return self._rows(one, walk)
        counted = offset_of_elements(one) if isinstance(one, Copy) else 0
        if counted:
            message = f"the offset of this copy counts elements of {counted} bytes, and is taken for a number of bytes"
            return self.finding(one.event.span, message, fix=f"multiply it by {counted}")
        element, severity = element_apart(one, values), None
        if not element and isinstance(one, Copy) and not in_bytes(one):
            element, severity = piece_by_name(one), Severity.WARNING
        if element:
            message = (
                f"{words(one.size)} counts elements of {element} bytes: the pieces lie {element} times as far apart"
            )
            return self.finding(one.event.span, message, severity, fix=f"multiply by {element}")
        width = part_of_number(one) if isinstance(one, Copy) else 0
        if width:
            message = f"{words(one.size)} bytes of a number of {width} are copied: the others stay as they were"
            return self.finding(one.event.span, message, fix=f"copy {width} bytes")
        target = as_pointer(one.target) if isinstance(one, Copy) and moving(one.source) else None
        if target is not None and overwrites(one.size, target.offset):
            message = f"each of these pieces of {words(one.size)} bytes overwrites a part of the one before"
            return self.finding(one.event.span, message, Severity.WARNING, fix="move on by the bytes of a piece")
        for value in values:
            found = self._against_memory(one, value, walk)
            if found is not None:
                return found
        return None

    def _against_memory(self, one: Copy | Fill, value: Value, walk: HostWalk) -> Finding | None:
        behind = extent_of(value, walk.allocations)
        if behind is None:
            return None
        if behind.row is not None:
            dense = pitch_unused(behind, walk.function)
            return self._in_one_piece(one, behind) if isinstance(one, Copy) and not dense else None
        offset = polynomial(behind.offset)
        given, there = polynomial(one.size) + offset, polynomial(behind.size)
        where = words(behind.size)
        related = (
            [Related(behind.span, f"{where} bytes are there" if len(where) < LONGEST // 2 else "allocated here")]
            if behind.span is not None
            else []
        )
        if exceeds(given, there):
            rest = f" from byte {words(behind.offset)} on" if behind.offset.value != 0 else ""
            message = f"{words(one.size)} bytes are asked for{rest}, of {where} that are allocated"
            if len(message) > LONGEST:
                message = "more bytes are asked for than are allocated"
            return self.finding(one.event.span, message, related=related, fix="count both in bytes of one type")
        guards = tuple(guard.term for guard in one.event.guards)
        found = may_exceed(given, there, guards)
        if found is not None:
            values = ", ".join(f"{symbol.name} = {value}" for symbol, value in found.items())
            message = f"{words(one.size)} bytes are asked for, which may be more than the {where} that are allocated"
            fix = "count both in the same way"
            return self.finding(
                one.event.span, f"{message}, as with {values}", Severity.WARNING, related=related, fix=fix
            )
        more = overdone(one.size, behind, given, guards, there)
        if more is not None:
            fix = "count both in the same way"
            return self.finding(one.event.span, more, Severity.WARNING, related=related, fix=fix)
        if (
            behind.declared
            and behind.element > 1
            and bounded_as_elements(one.size, (behind.size.value or 0) // behind.element, guards)
        ):
            message = f"{words(one.size)} is checked to be no more than the elements of the array, but counts bytes"
            return self.finding(one.event.span, message, related=related, fix=f"multiply by {behind.element}")
        sides = (one.target, one.source) if isinstance(one, Copy) else (one.target,)
        sizes = widths(one) | {behind.element, *map(element_of, sides)}
        element = next((size for size in sizes if size > 1 and given.scaled(size) == there), 0)
        counts = one.size.value is None or (behind.declared and is_count(one))
        counts = counts or (is_count(one, False) and made_of_elements(behind, walk)) or same_name(one, behind, walk)
        if element and behind.offset.value == 0 and counts and not in_bytes(one):
            message = f"{words(one.size)} counts elements of {element} bytes: only a part of them is reached"
            return self.finding(one.event.span, message, related=related, fix=f"multiply by {element}")
        part = next(((part, size) for size in sizes if (part := part_of_elements(given, there, size))), None)
        if part is not None and behind.offset.value == 0 and one.size.value is None:
            message = f"{words(one.size)} counts elements of {part[0]} bytes, and those here have {part[1]}"
            return self.finding(
                one.event.span, message, Severity.WARNING, related=related, fix="multiply by the size of these elements"
            )
        return None

    def _in_one_piece(self, copy: Copy, behind: Extent) -> Finding | None:
        """Several rows of pitched memory that are copied as if nothing stood between them."""
        if behind.row is None or not of_rows(polynomial(copy.size), polynomial(behind.row)):
            return None
        message = "several rows are copied in one piece to or from pitched memory, whose rows lie further apart"
        related = [Related(behind.span, "allocated here")] if behind.span is not None else []
        return self.finding(copy.event.span, message, Severity.WARNING, related=related, fix="copy rows by their pitch")

    def _pitch(self, copy: Copy, walk: HostWalk) -> Finding | None:
        """A pitch below the width of a row, or one that is not that of the memory."""
        assert copy.pitches is not None
        width = polynomial(copy.size)
        for value, pitch in zip((copy.target, copy.source), copy.pitches, strict=True):
            if pitch.value == 0 or exceeds(width, polynomial(pitch)):
                return self.finding(
                    copy.event.span,
                    f"the pitch {words(pitch)} is less than the {words(copy.size)} bytes of a row: the call fails",
                    fix="pass the distance from row to row in bytes",
                )
            if pitch.value is None and _several_rows(copy) and of_rows(width, polynomial(pitch)):
                return self.finding(
                    copy.event.span,
                    f"the pitch {words(pitch)} is less than the {words(copy.size)} bytes of a row, unless that is one "
                    "byte for each: the call fails",
                    Severity.WARNING,
                    fix="pass the distance from row to row in bytes",
                )
            behind = extent_of(value, walk.allocations)
            if behind is not None and behind.row is not None and made_of_sizes(pitch) and _several_rows(copy):
                related = [Related(behind.span, "allocated here")] if behind.span is not None else []
                return self.finding(
                    copy.event.span,
                    f"rows of this memory do not lie {words(pitch)} bytes apart, but as far as its allocation says",
                    Severity.WARNING,
                    related=related,
                    fix="pass the pitch that the allocation gave",
                )
        return None

    def _rows(self, copy: Copy, walk: HostWalk) -> Finding | None:
        assert copy.pitches is not None
        found = self._pitch(copy, walk)
        if found is not None:
            return found
        for value in (copy.target, copy.source):
            behind = extent_of(value, walk.allocations)
            if behind is not None and behind.row is not None and behind.offset.value == 0:
                row = polynomial(behind.row)
                if exceeds(polynomial(copy.size), row) and polynomial(copy.size) == row.scaled(behind.element):
                    message = (
                        f"rows of {words(copy.size)} bytes are copied, but memory for {words(behind.row)} is asked for"
                    )
                    related = [Related(behind.span, "allocated here")] if behind.span is not None else []
                    fix = f"multiply the width of the allocation by {behind.element}"
                    return self.finding(copy.event.span, message, related=related, fix=fix)
        sides = ((copy.target, copy.pitches[0]), (copy.source, copy.pitches[1]))
        width = polynomial(copy.size)
        known = widths(copy)
        sizes = (
            one for value, at in sides for one in {element_of(value), *known} if width.scaled(one) == polynomial(at)
        )
        size = max(sizes, default=1)
        if size > 1 and copy.size.value is None:
            made = [
                Related(api.span, "the extent is made here")
                for api in walk.trace.apis
                if api.name.startswith("make_") and api.name.endswith("Extent") and same_count(api.args[0], width)
            ]
            return self.finding(
                copy.event.span,
                f"{words(copy.size)} counts elements of {size} bytes: only a part of each row is copied",
                related=made,
                fix=f"multiply the width by {size}",
            )
        for value, pitch in sides:
            size = element_of(value)
            if isinstance(value, PointerValue) and size > 1 and scaled_pitch(value.offset, pitch, size):
                return self.finding(
                    copy.event.span,
                    f"an offset made of the pitch, in bytes, is added to a pointer to elements of {size} bytes",
                    fix="add it to a pointer to bytes: (char *)data + offset",
                )
        return None


def _misfits(walk: HostWalk) -> Iterator[tuple[Span, str, str, Span | None, tuple[Span, ...]]]:
    """Place, message, how to mend it, where the memory is allocated, and the calls that lead there."""
    yield from ((*one, None, ()) for one in misfits(walk))
    yield from ((at, told, fix, None, stack) for at, told, fix, stack in (*asked_by_count(walk), *queried(walk)))
    yield from beyond(walk)
    yield from past_the_range(walk)
    for api, *told, made in (*in_elements(walk), *of_textures(walk)):
        yield api.span, told[0], told[1], made, api.stack


def _sized(one: Copy | Fill, walk: HostWalk) -> bool:
    """Whether the size of some memory that an operation is about is known; of a template by itself, it is not."""
    values = (one.target, one.source) if isinstance(one, Copy) else (one.target,)
    return any(extent_of(value, walk.allocations) is not None for value in values)


def _several_rows(copy: Copy) -> bool:
    """Whether a copy by rows may be of more than one."""
    args = copy.event.args
    return len(args) > 5 and isinstance(args[5], Term) and args[5].value != 1
