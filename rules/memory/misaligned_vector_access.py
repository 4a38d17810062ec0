r"""The rule ``misaligned-vector-access``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.values.alignment import Misaligned, in_elements, misaligned
from kernlint.finding import Confidence, Finding, Related, Severity, Step, Witness
from kernlint.rule import Meta, Rule
from kernlint.tree.types import StructType, VectorType


class MisalignedVectorAccess(Rule):
    r"""A vector is read or written at an address that is no multiple of its size.

    A `float4` wants an address that is a multiple of 16 bytes. A pointer to single elements, moved to an arbitrary
    one and cast to a vector pointer, has no such address: the access faults, or touches other bytes than meant. OpenCL
    has `vload4` and `vstore4` for that, which ask for the alignment of one element only.

    The same holds of a number that is read from a buffer of smaller elements, and of one that is read from the middle
    of structs whose size is no multiple of it.

    Reported when some thread's offset is certainly no multiple (with the numbers of a launch in sight, too), when a
    place in shared memory depends on how many warps a block has, when the rows of a matrix follow each other at a pitch
    that the kernel itself does not take for a multiple (it handles the last elements of a row one by one), or that the
    host checks to be one of fewer elements, when data say where runs of elements begin that lie back to back, or choose
    one of two headers of different lengths before them, or a counter hands out rows whose fixed length is no multiple,
    where vectors lie behind as many single elements in shared memory as an argument says, where a launch in sight
    passes a place a few elements into an array, where only the address of another array was tested, and where an OpenCL
    kernel gets local memory as bytes. Start addresses are taken to be aligned; other parameters and data get the
    benefit of the doubt. An access that stands under a test of its address or a pitch is left alone.

    ```opencl bad
    __kernel void window(__global const float *img, __global float *out, const int pitch) {
        const int x = get_global_id(0);
        const int y = get_global_id(1);
        const float4 v = *(__global const float4 *)(img + y * pitch + x);  // expect: KL503
        out[y * pitch + x] = v.x + v.y + v.z + v.w;
    }
    ```

    ```cuda bad
    __global__ void stage(const float4 *in, float *out) {
        extern __shared__ float4 pool[];
        float *sums = reinterpret_cast<float *>(pool);
        float *cache = sums + blockDim.x / 32;
        reinterpret_cast<float4 *>(cache)[threadIdx.x] = in[threadIdx.x];  // expect: KL503
        if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = 0.0f;
        __syncthreads();
        out[threadIdx.x] = cache[threadIdx.x] + sums[0];
    }
    ```

    ```opencl good
    __kernel void window(__global const float *img, __global float *out, const int pitch) {
        const int x = get_global_id(0);
        const int y = get_global_id(1);
        const float4 v = vload4(0, img + y * pitch + x);
        out[y * pitch + x] = v.x + v.y + v.z + v.w;
    }
    ```

    ```cuda good
    __global__ void scale(float *x, int n) {
        int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
        if (i + 3 < n) {
            float4 v = *reinterpret_cast<float4 *>(x + i);
            v.x *= 2.0f; v.y *= 2.0f; v.z *= 2.0f; v.w *= 2.0f;
            *reinterpret_cast<float4 *>(x + i) = v;
        }
    }
    ```
    """

    meta = Meta(
        "KL503",
        "misaligned-vector-access",
        Severity.ERROR,
        tags=("OpenCL C alignment", "CUDA PG size and alignment", "OpenCL C vector load and store"),
    )
    needs = (misaligned,)

    def check(self, facts: Facts) -> Iterator[Finding]:
        for found in facts[misaligned]:
            yield self._report(found, facts.module.language)

    def _report(self, found: Misaligned, language: str) -> Finding:
        access = found.access
        verb = "written" if access.writes else "read"
        lanes = access.type.lanes if isinstance(access.type, VectorType) else 0
        what = f"a vector of {lanes} is {verb} through {access.root.name}"
        if isinstance(access.type, StructType):
            what = f"a struct that is aligned to {found.align} bytes is {verb} through {access.root.name}"
        elif not lanes:
            what = f"a number of {access.size} bytes is {verb} in {access.root.name}"
        related = [Related(span, "called from here") for span in reversed(access.stack)]
        witness: Witness | None = None
        if found.kind == "pitch":
            if found.scalar is not None:
                related.insert(0, Related(found.scalar.span, "elements left over are handled one by one here"))
            message = (
                f"{what} in rows that are {found.pitch} elements apart, which need not be a multiple of "
                f"{in_elements(access, found.align)}"
            )
            if found.scalar is None and "/" in found.pitch:
                message += ": what the host checks makes the whole size a multiple, not a part of it"
            elif found.scalar is None:
                message += ": what the host checks makes it a multiple of fewer"
        elif found.kind == "data":
            assert found.scalar is not None
            related.insert(0, Related(found.scalar.span, "the elements left over are handled one by one here"))
            message = (
                f"{what} at a place that {found.pitch} says, where runs of any length lie back to back: it need not be "
                f"a multiple of {found.align}"
            )
        elif found.kind == "passed":
            assert found.view is not None
            related.insert(0, Related(found.view.fact.span, "this launch passes it"))
            message = (
                f"{what}, and {access.root.name} is given a place {found.offset} bytes past a multiple of {found.align}"
            )
        elif found.kind == "row":
            message = (
                f"{what} in rows of {found.offset} bytes, of which data say the number: not all begin at a multiple of "
                f"{found.align}"
            )
        elif found.kind == "layout":
            size = access.root.element.size
            message = f"{what}, whose elements of {size} bytes lie back to back: not all are multiples of {found.align}"
        elif found.kind == "carved":
            message = f"{what} behind as many smaller elements as {found.pitch} says: no multiple of {found.align}"
        elif found.kind == "behind":
            message = (
                f"{what} at {found.pitch}, which the host makes the end of {found.tested} elements of {found.offset} "
                f"bytes: no multiple of {found.align} for every number of them"
            )
        elif found.kind == "untested":
            assert found.scalar is not None
            related.insert(0, Related(found.scalar.span, "single elements are taken here"))
            message = (
                f"{what} where only the address of {found.tested} was tested for alignment: rows of "
                f"{access.root.name} are {found.pitch} elements apart, which need not be a multiple of "
                f"{in_elements(access, found.align)}"
            )
        elif found.kind == "chosen":
            message = (
                f"{what} {found.tested} bytes behind a place, as data say: whatever the place is, one of the two is no "
                f"multiple of {found.align}"
            )
        elif found.kind == "bytes":
            message = f"{what}, which the kernel is given as bytes: nothing aligns it to {found.align}"
        elif found.kind == "constant":
            message = f"{what}, always {found.offset} bytes past a multiple of {found.align}"
        elif found.kind == "block":
            message = (
                f"{what} at a place that depends on the number of threads: with {_size(found.block)} it is byte "
                f"{found.offset}, no multiple of {found.align}"
            )
        else:
            message = f"{what} at byte {found.offset} by thread {_index(found)}, which is no multiple of {found.align}"
        if found.kind in ("thread", "block"):
            step = Step((0, 0, 0), found.thread, access.span, f"{verb[:4]} at byte {found.offset}")
            witness = Witness(found.block, (1, 1, 1), steps=(step,))
        return self.finding(
            access.span,
            message,
            Severity.NOTE if found.registers else Severity.WARNING,
            related=related,
            witness=witness,
            assumptions=(f"{_whose(found)} is aligned to {found.align} bytes",) if found.kind != "bytes" else (),
            fix=_fix(found, language, lanes),
            confidence=Confidence.HIGH if found.kind in ("thread", "constant", "row") else Confidence.MEDIUM,
        )


def _fix(found: Misaligned, language: str, lanes: int) -> str:
    if found.kind == "bytes":
        return "declare the parameter as a pointer to the largest type in it"
    if language == "opencl" and lanes:
        return f"use vload{lanes} or vstore{lanes}"
    return "round the offset up to a multiple of the vector, or access single elements"


def _whose(found: Misaligned) -> str:
    """What is taken to be aligned."""
    root = found.access.root
    if found.view is not None:
        return f"the memory in which {root.name} lies"
    return "the structure" if root.path else f"{root.name} itself"


def _size(block: tuple[int, int, int]) -> str:
    return " x ".join(str(size) for size in block[: 2 if block[1] > 1 else 1]) + " threads"


def _index(found: Misaligned) -> str:
    x, y, z = found.thread
    return f"{x}" if found.block[1] == found.block[2] == 1 else f"({x}, {y}, {z})"
