r"""The rule ``launch-limits``."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.extent.capped_blocks import capped_block
from kernlint.analysis.extent.extents import numbers_made_up
from kernlint.analysis.hostmodel.checks import error_checks
from kernlint.analysis.launching.admitted_sizes import held, largest
from kernlint.analysis.launching.asked_twice import asked_twice
from kernlint.analysis.launching.doubled_sizes import doubled
from kernlint.analysis.launching.emptied import emptied, may_be_empty
from kernlint.analysis.launching.empty_by_count import empty_by_count
from kernlint.analysis.launching.launch_context import LaunchView, launch_context
from kernlint.analysis.launching.launches import LaunchFact, launches
from kernlint.analysis.launching.member_limits import member_limits
from kernlint.analysis.launching.members import members
from kernlint.analysis.launching.run_time_sizes import (
    admission_of,
    block_beyond,
    depth_beyond,
    held_by_arrays,
    most_of_device,
    of_no_groups,
    other_groups_allowed,
    rows_beyond,
    tested_size,
)
from kernlint.analysis.launching.stated_sizes import (
    Ranges,
    beyond_rows,
    block_beyond_stated,
    block_of_choices,
    empty,
    within_rows,
)
from kernlint.analysis.launching.written_sizes import passed_zero, written
from kernlint.analysis.remarks import remarks
from kernlint.analysis.trace import trace
from kernlint.finding import Finding, Related, Severity
from kernlint.prove.admission import ANY
from kernlint.rule import Meta, Rule
from kernlint.source import Span
from kernlint.symbolic.show import words

THREADS = 1024
"""Threads of a block on every NVIDIA and AMD architecture (CUDA C++ Programming Guide, technical specifications)."""

DEEP = 64
"""Threads of a block along z (the same table)."""

ROWS = 65535
"""Blocks of a CUDA grid along y and z (the same table)."""

_ROWS = {"cuda": ROWS, "hip": ROWS + 1}
"""The same by languages, where a comment says that a size gets so large; of HIP as AMD's devices report it (HIP runtime
API, ``hipDeviceProp_t::maxGridSize``), though not all of them refuse more."""


class LaunchLimits(Rule):
    r'''A launch that the runtime must refuse.

    A block has at most 1024 threads, at most 64 of them along ``z``, and no more than the kernel's own
    ``__launch_bounds__``; a CUDA grid has at most 65535 blocks along ``y`` and ``z``; nothing may be zero. The launch
    fails, the kernel does not run at all, and unless somebody asks for the error, nothing else happens.

    Reported where the sizes are constants, and as a warning where they are known only when the program runs, nothing
    that the host does keeps them below the limit, and something speaks for large ones: a product of sizes along ``y``
    or ``z``; one block along ``x`` and many along ``y`` whose index the kernel widens, from which it goes on in steps
    of the grid, or which have all the work; a block for each of many rows that is as large as a row; a block as large
    as two sizes together. In OpenCL likewise a global size that the kernel tests its index against, which nothing
    rounds up to whole work-groups, and one that has nothing to do with groups as large as the device says. So is a
    grid of as many blocks as a count says that begins at 0, that is read back, and that nobody asks about, where the
    launch's error is looked at. In Python programs with kernels in strings also a size that is a float, as `/` and
    `np.ceil` make one. What a comment says of how large or small a size gets (`rows: 1 .. 262144`, `n may be 0`) is
    believed: a grid that is too large for it along `y` or `z`, and one that is empty then where somebody looks at the
    launch's error, are reported. So is what the host's own checks and clamps let through: `if (rows > 200000) return`
    before a grid with a block for each row along `y`, `n = std::min(n, 4096)` before a block of `n` threads, and
    `if (n < 0) return`, which lets 0 through, before a grid of `(n + 255) / 256` blocks and a look at the error.

    ```cuda bad
    __global__ void tick(int *n) { n[threadIdx.x] += 1; }
    void run(int *n) {
        tick<<<4, 1500>>>(n);  // expect: KL601
    }
    ```

    ```cuda bad
    __global__ void __launch_bounds__(256) tick(int *n) { n[threadIdx.y * 32 + threadIdx.x] += 1; }
    void run(int *n) {
        tick<<<1, dim3(32, 16)>>>(n);  // expect: KL601
    }
    ```

    ```cuda bad
    __global__ void clear(float *x, int rows, int columns) {
        for (int i = threadIdx.x; i < columns; i += blockDim.x) x[blockIdx.y * (long long)columns + i] = 0.0f;
    }
    void run(float *x, int rows, int columns) {
        clear<<<dim3(1, rows), 256>>>(x, rows, columns);  // expect: KL601
    }
    ```

    ```cuda bad
    __global__ void clear(float *x, int rows, int columns) {
        if (threadIdx.x < columns && threadIdx.y < rows) x[threadIdx.y * columns + threadIdx.x] = 0.0f;
    }
    void run(float *x, int rows, int columns) {
        clear<<<1, dim3(columns, rows)>>>(x, rows, columns);  // expect: KL601
    }
    ```

    ```cuda bad
    const char *program = R"(
    kernel void clear(global float *x, int n) {
        if (get_global_id(0) < n) x[get_global_id(0)] = 0.0f;
    }
    )";
    cl_int run(cl_program built, cl_command_queue queue, cl_mem x, cl_int n) {
        cl_kernel clear = clCreateKernel(built, "clear", nullptr);
        const size_t all = n, group = 64;
        clSetKernelArg(clear, 0, sizeof(cl_mem), &x);
        clSetKernelArg(clear, 1, sizeof(cl_int), &n);
        return clEnqueueNDRangeKernel(queue, clear, 1, nullptr, &all, &group, 0, nullptr, nullptr);  // expect: KL601
    }
    ```

    ```python bad
    import pycuda.autoinit
    import numpy as np
    from pycuda.compiler import SourceModule

    module = SourceModule(r"""
    __global__ void clear(float *x, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] = 0.0f;
    }
    """)
    clear = module.get_function("clear")

    def run(x, n):
        clear(x, np.int32(n), block=(256, 1, 1), grid=(np.ceil(n / 256), 1))  # expect: KL601
    ```

    ```cuda good
    __global__ void clear(float *x, int rows, int columns) {
        for (int row = blockIdx.y; row < rows; row += gridDim.y)
            for (int i = threadIdx.x; i < columns; i += blockDim.x) x[row * (long long)columns + i] = 0.0f;
    }
    void run(float *x, int rows, int columns) {
        clear<<<dim3(1, rows < 65535 ? rows : 65535), 256>>>(x, rows, columns);
    }
    ```

    ```cuda good
    __global__ void sums(const float *x, float *y, int bands) {
        __shared__ float part[32];
        part[threadIdx.x] = x[blockIdx.x * bands + threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0) y[blockIdx.x] = part[0] + part[bands - 1];
    }
    void run(const float *x, float *y, int n, int bands) { sums<<<n, bands>>>(x, y, bands); }
    ```

    ```cuda good
    __global__ void tick(int *n, int count) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < count) n[i] += 1;
    }
    void run(int *n, int count) {
        tick<<<(count + 511) / 512, 512>>>(n, count);
    }
    ```

    ```opencl good
    __kernel __attribute__((reqd_work_group_size(64, 1, 1)))
    void tick(__global int *n) { n[get_global_id(0)] += 1; }
    ```
    '''

    meta = Meta("KL601", "launch-limits", Severity.ERROR, tags=("CUDA PG limits",))
    needs = (trace, launches, launch_context, error_checks, asked_twice, members, member_limits, emptied)

    def check(self, facts: Facts) -> Iterator[Finding]:
        yield from self._run_time(facts)
        if facts.kernel is facts.module.kernels[0]:  # whichever kernel it is that the file launches
            yield from self._asked_twice(facts)
        yield from self._counted(facts)
        floats: set[Span] = set()
        for remark, related in remarks(facts.module_facts, "float-extent"):
            if remark.kernel == facts.kernel.name and remark.span not in floats:
                floats.add(remark.span)
                said = f"the {remark.words[0]} has a size that is a float, and launches take integers only"
                yield self.finding(remark.span, said, related=related, fix="divide with //, and round up")
        for launch in facts[launches]:
            if launch.host.template_params and numbers_made_up(facts):
                continue  # nobody in sight asks for these numbers
            message = self._block(facts, launch) or self._grid(facts, launch)
            if message is not None:
                yield self.finding(
                    launch.span,
                    message,
                    related=_places(launch, facts),
                    fix=_fix_of(message),
                )

    def _asked_twice(self, facts: Facts) -> Iterator[Finding]:
        """Static shared memory that is asked for as dynamic one."""
        for span, asked in facts.module_facts[asked_twice]:
            yield self.finding(
                span,
                "the dynamic shared memory of this launch is as large as what the kernel has of its own: a block gets "
                "both, which together may be more than there is",
                Severity.WARNING,
                related=[Related(asked, "this is the size of the kernel's static shared memory")],
                fix="pass the bytes of extern arrays alone, 0 where there are none",
            )

    def _empty(self, view: LaunchView, facts: Facts) -> tuple[str, str] | None:
        """A grid that is empty for a size that a comment allows, and whose error somebody looks at."""
        elsewhere = may_be_empty(view.fact, facts.module_facts)
        said = empty(view, _ranges(view, facts), ROWS, elsewhere) if facts.module.language == "cuda" else None
        if said is None or view.fact.span not in facts.module_facts[error_checks].checked_launches:
            return None
        message = f"where {said[0]} is 0, as the {said[1]} allows, there are no blocks, and the launch is refused"
        return message, "launch only where there is something to do"

    def _counted(self, facts: Facts) -> Iterator[Finding]:
        """A grid that is empty where the device has counted nothing, and whose error somebody looks at."""
        seen: set[Span] = set()
        for launch in facts[launches]:
            one = empty_by_count(launch) if launch.span not in seen else None
            if one is not None and launch.span in facts.module_facts[error_checks].checked_launches:
                seen.add(launch.span)
                yield self.finding(
                    launch.span,
                    "where the count that is read back is 0 there are no blocks, and the launch is refused",
                    Severity.WARNING,
                    related=[
                        Related(one.read, "the count is read back here"),
                        Related(one.begun, "it begins at 0 here"),
                        *_places(launch, facts),
                    ],
                    fix="launch only where there is something to do",
                )

    def _run_time(self, facts: Facts) -> Iterator[Finding]:
        """Sizes that are known only when the program runs."""
        if facts.function.forced:
            return
        seen: set[Span] = set()
        for view in facts[launch_context].launches:
            admitted = self._admitted(view, facts)
            said = (
                (admitted[0] if admitted is not None and admitted[1] is not None else None)
                or self._device(view, facts)
                or self._rows(view, facts)
                or self._empty(view, facts)
                or self._stated(view, facts)
                or self._together(view, facts)
                or self._groups(view, facts)
                or (admitted and admitted[0])
            )
            if said is not None and view.fact.span not in seen:
                seen.add(view.fact.span)
                message, fix = said
                related = _places(view.fact, facts)
                if admitted is not None and admitted[1] is not None:
                    related = [Related(admitted[1], "this lets it be so large"), *related]
                # Many kernels that one host function launches with the same sizes have one fault.
                one = f"{view.fact.host.name}: {message}"
                yield self.finding(view.fact.span, message, Severity.WARNING, related=related, fix=fix, habit=one)

    def _device(self, view: LaunchView, facts: Facts) -> tuple[str, str] | None:
        """A block that the device allows, and the kernel does not."""
        most = facts.function.bounds.max_threads
        threads = most_of_device(view) if most is not None and not numbers_made_up(facts) else None
        if most is None or threads is None or threads <= most:
            return None
        message = f"a block of as many threads as the device allows, {threads}; the kernel's launch bounds allow {most}"
        return message, f"use no more than {most} threads"

    def _rows(self, view: LaunchView, facts: Facts) -> tuple[str, str] | None:
        known, most = _ranges(view, facts), _ROWS.get(facts.module.language)
        said = beyond_rows(view, known, most) if most is not None else None
        if said is not None:
            along, name, count = said
            message = (
                f"the grid has {count} blocks along {'xyz'[along]} where {name} is as large as the comment allows, and "
                f"{most} at most can be launched"
            )
            return message, "put the large size along x, or loop over it in the kernel"
        axis = rows_beyond(view, ROWS, facts[trace]) if facts.module.language == "cuda" else None
        if axis is None or view.fact.grid is None or within_rows(view, axis, known, ROWS):
            return None
        size = words(view.fact.grid[axis])
        message = f"the grid has {size} blocks along {'xyz'[axis]}, of which {ROWS} at most are allowed"
        return message, "put the large size along x, or loop over it in the kernel"

    def _stated(self, view: LaunchView, facts: Facts) -> tuple[str, str] | None:
        """A block that is too large for sizes that a comment allows, or that callers in sight have stored."""
        if facts.module.language == "opencl":
            return None
        most = _most_threads(facts)
        one = block_beyond_stated(view, _ranges(view, facts), facts[members], most)
        if one is None:
            chosen = block_of_choices(view, most)
            if chosen is None:
                return None
            shape = " x ".join(str(size) for size in chosen)
            return f"a block of {shape} threads is chosen for some sizes; at most {most} can be launched", (
                f"choose no more than {most} threads"
            )
        why = f"as large as the comment allows, {one.value}" if one.comment else f"{one.value}, as a caller makes it"
        message = f"a block has {one.threads} threads where {one.name} is {why}; at most {most} can be launched"
        return message, "use a block of a fixed size and more blocks"

    def _admitted(self, view: LaunchView, facts: Facts) -> tuple[tuple[str, str], Span | None] | None:
        """A block or grid that is too large where sizes are as large as the host's checks and clamps let them be."""
        most = _ROWS.get(facts.module.language)
        if most is None or (view.fact.host.template_params and numbers_made_up(facts)):
            return None
        known, grid, block = facts[member_limits], view.fact.grid, view.fact.block
        one = largest(view, grid[1:], lambda rows: max(rows) > most, known) if grid is not None else None
        if one is not None and not within_rows(view, 1 + (one.sizes[1] > most), _ranges(view, facts), most):
            axis = "yz"[one.sizes[1] > most]
            message = f"the grid has {max(one.sizes)} blocks along {axis} where {one.said}; at most {most} are allowed"
            return (message, "put the large size along x, or loop over it in the kernel"), one.check
        threads = _most_threads(facts)
        many = lambda sides: math.prod(sides) > threads  # noqa: E731
        one = (largest(view, block, many, known) or doubled(view, block, many)) if block is not None else None
        if one is None:
            return None
        message = f"a block has {math.prod(one.sizes)} threads where {one.said}; at most {threads} are allowed"
        return (message, "use a block of a fixed size and more blocks"), one.check

    def _together(self, view: LaunchView, facts: Facts) -> tuple[str, str] | None:
        deep = depth_beyond(view, DEEP) if facts.module.language != "opencl" else None
        if deep is not None and view.fact.block is not None:
            z, shape = words(view.fact.block[2]), " x ".join(map(str, deep))
            message = f"a block of {z} threads along z may have more than {DEEP} there, as with {shape}"
            return message, f"take no more than {DEEP} along z"
        block = block_beyond(view, THREADS, facts[trace]) if facts.module.language != "opencl" else None
        capped = capped_block(view, THREADS) if block is None and facts.module.language != "opencl" else None
        block = block or capped
        if block is None or view.fact.block is None or held_by_arrays(facts[trace], view, THREADS):
            return None
        if capped is None and held(view, view.fact.block, facts[member_limits]):
            return None
        host = view.fact.host
        if not host.internal and any(_calls(text, host.name) for text in facts.module_facts.namers_of(host.name)):
            return None  # callers in other files say how large a block gets
        if capped is not None:
            shape = " x ".join(map(str, block))
            message = f"a block has {shape} threads where its sizes are large, and {THREADS} at most are allowed"
            return message, "hold the sides of the block down together"
        said = " x ".join(words(size) for size in view.fact.block if size.value != 1)
        message = f"a block of {said} threads may have more than {THREADS}, say {' x '.join(map(str, block))}"
        return message, "use a block of a fixed size and more blocks"

    def _groups(self, view: LaunchView, facts: Facts) -> tuple[str, str] | None:
        """A global size that no work-group need divide: the kernel tests its index against it, or it has nothing to do
        with the size of a group."""

        def allowed() -> bool:
            hosts = facts.module_facts.hosts_of(facts.kernel.name)
            return other_groups_allowed(other.module for other in hosts)

        for axis, count in enumerate(view.fact.threads or ()):
            if view.fact.block is not None and of_no_groups(view, axis, facts[trace]) and not allowed():
                group = words(view.fact.block[axis])
                message = f"{words(count)} work-items along {'xyz'[axis]} may be no whole number of groups of {group}"
                return message, "round the global size to whole groups"
            unit = view.block[axis]
            tested = tested_size(view, axis, count, facts[trace]) if unit is not None and unit > 1 else None
            if tested is None or unit is None:
                continue
            size = tested[0]
            if admission_of(view).permits(ANY, values=((size, 3 * unit + 1),)) and not allowed():
                message = f"{size.name} work-items along {'xyz'[axis]} may be no whole number of groups of {unit}"
                return message, "round the global size up to whole groups"
        return None

    def _block(self, facts: Facts, launch: LaunchFact) -> str | None:
        block = launch.constant_block()
        if block is None:
            return None
        threads = block[0] * block[1] * block[2]
        shape = " x ".join(str(size) for size in block)
        if threads <= 0:
            return f"the block {shape} is empty" if written(launch.node.block) else None
        if threads > THREADS:
            return f"a block of {shape} = {threads} threads; at most {THREADS} can be launched"
        if block[2] > DEEP:
            return f"a block of {shape} threads; at most {DEEP} are allowed along z"
        bounds = facts.function.bounds
        if bounds.max_threads is not None and threads > bounds.max_threads and not numbers_made_up(facts):
            return f"a block of {threads} threads; the kernel's launch bounds allow {bounds.max_threads}"
        if bounds.required is not None and block != bounds.required:
            return f"a block of {shape} threads; the kernel requires {' x '.join(map(str, bounds.required))}"
        return None

    def _grid(self, facts: Facts, launch: LaunchFact) -> str | None:
        for axis, size in enumerate(launch.grid or ()):
            if size.value is not None and size.value <= 0 and written(launch.node.grid):
                return f"the grid has {size.value} blocks along {'xyz'[axis]}"
            if size.value == 0 and self._zero_passed(facts, launch):
                return f"the grid has no blocks along {'xyz'[axis]} with the 0 that its caller passes"
            if axis and facts.module.language == "cuda" and size.value is not None and size.value > ROWS:
                return f"a grid of {size.value} along {'xyz'[axis]}; at most {ROWS} are allowed there"
        return None

    def _zero_passed(self, facts: Facts, launch: LaunchFact) -> bool:
        """Whether a caller passes a 0 that it works out itself, to a launch that somebody asks about."""
        checked = facts.module_facts[error_checks].checked_launches
        return launch.span in checked and passed_zero(launch, facts.module)


def _fix_of(message: str) -> str:
    if "no blocks" in message:
        return "launch only where there is something to do"
    if "the kernel requires" in message:
        return "launch it with the block that it requires, or change what it requires"
    if message.endswith("is empty"):
        return "give the block at least one thread along each axis"
    return "use a smaller block and more blocks" if "block" in message else "spread the grid along x"


def _most_threads(facts: Facts) -> int:
    """The threads that a block of a kernel may have."""
    allowed = facts.function.bounds.max_threads
    return min(THREADS, THREADS if allowed is None or numbers_made_up(facts) else allowed)


def _ranges(view: LaunchView, facts: Facts) -> Ranges:
    """What comments say of sizes, of a launch in the same file."""
    here = view.fact.span.file == facts.module.path
    return dict(facts.options.ranges) if here else {}


def _calls(text: bytes, name: str) -> bool:
    """Whether a text may call a function of another file: it names it with arguments, and has no body for it."""
    called = rb"\b" + re.escape(name.encode("utf-8", "surrogateescape")) + rb"\s*\("
    if re.search(called + rb"[^;{}]*\)[^;{}()]*\{", text) is not None:
        return False
    return re.search(called, text) is not None


def _places(launch: LaunchFact, facts: Facts) -> list[Related]:
    """The call that gives a launch its sizes, and the kernel."""
    called = [Related(at, "called here") for at in launch.stack[-1:]]
    return [*called, Related(facts.kernel.function.span, "the kernel")]
