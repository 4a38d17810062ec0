r"""The rule ``group-does-not-divide``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleFacts
from kernlint.analysis.launching.launches import LaunchFact, host
from kernlint.analysis.launching.masked import masked_by
from kernlint.analysis.launching.run_time_sizes import held_after_rounding, other_groups_allowed
from kernlint.finding import Finding, Severity
from kernlint.rule import Meta, ModuleRule
from kernlint.source import Span
from kernlint.symbolic.show import words


class GroupDoesNotDivide(ModuleRule):
    r"""A work-group size that does not divide the global size.

    Before OpenCL 2.0, and in programs built for an earlier version of the language, which is what they are built for
    where no version is asked for, the global size must be a whole number of work-groups along each axis: else the
    launch fails with `CL_INVALID_WORK_GROUP_SIZE`. Reported where both sizes are numbers, and as a warning where a size
    is rounded to whole groups of one size, and the group is held down after that to what the device allows, or where it
    is rounded by a mask of bits (`(n + group - 1) & ~(group - 1)`) to a group that is no power of two.

    ```cuda bad
    cl_int run(cl_command_queue queue, cl_kernel kernel) {
        const size_t all = 1 << 20, group = 96;
        return clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &all, &group, 0, nullptr, nullptr);  // expect: KL619
    }
    ```

    ```cuda bad
    cl_int run(cl_command_queue queue, cl_kernel kernel) {
        const size_t all[2] = {640, 500}, group[2] = {16, 16};
        return clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, all, group, 0, nullptr, nullptr);  // expect: KL619
    }
    ```

    ```cuda bad
    cl_int run(cl_command_queue queue, cl_kernel kernel, cl_device_id device, size_t n, size_t wished) {
        size_t most = 0, group = wished;
        const size_t all = (n + group - 1) / group * group;
        clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof(most), &most, nullptr);
        if (group > most) group = most;
        return clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &all, &group, 0, nullptr, nullptr);  // expect: KL619
    }
    ```

    ```cuda bad
    cl_int run(cl_command_queue queue, cl_kernel kernel, size_t n) {
        const size_t group = 96, all = (n + group - 1) & ~(group - 1);
        return clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &all, &group, 0, nullptr, nullptr);  // expect: KL619
    }
    ```

    ```cuda good
    cl_int run(cl_command_queue queue, cl_kernel kernel, size_t n) {
        const size_t group = 64, all = (n + group - 1) & ~(group - 1);
        return clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &all, &group, 0, nullptr, nullptr);
    }
    ```

    ```cuda good
    cl_int run(cl_command_queue queue, cl_kernel kernel, cl_device_id device, size_t n, size_t wished) {
        size_t most = 0, group = wished;
        clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof(most), &most, nullptr);
        if (group > most) group = most;
        const size_t all = (n + group - 1) / group * group;
        return clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &all, &group, 0, nullptr, nullptr);
    }
    ```

    ```cuda good
    cl_int run(cl_command_queue queue, cl_kernel kernel) {
        const size_t group = 96, all = ((1 << 20) + group - 1) / group * group;
        return clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &all, &group, 0, nullptr, nullptr);
    }
    ```

    ```cuda good
    cl_int run(cl_command_queue queue, cl_program program, cl_device_id device) {
        clBuildProgram(program, 1, &device, "-cl-std=CL2.0", nullptr, nullptr);
        const size_t all = 1000, group = 64;
        cl_kernel kernel = clCreateKernel(program, "fill", nullptr);
        return clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &all, &group, 0, nullptr, nullptr);
    }
    ```
    """

    meta = Meta("KL619", "group-does-not-divide", Severity.ERROR, tags=("OpenCL API",))
    needs = (host,)

    def check_module(self, facts: ModuleFacts) -> Iterator[Finding]:
        seen: set[Span] = set()
        for launch in facts[host].launches:
            message, severity = _wrong(launch), Severity.ERROR
            if message is None:
                message, severity = _rounded_before(launch), Severity.WARNING
            if message is None:
                message, severity = _masked(launch), Severity.WARNING
            if message is not None and launch.span not in seen and not other_groups_allowed((facts.module,)):
                seen.add(launch.span)
                yield self.finding(
                    launch.span,
                    message,
                    severity,
                    fix="round the global size up to whole groups of that size, and test the index in the kernel",
                )


def _wrong(launch: LaunchFact) -> str | None:
    for axis, (size, group) in enumerate(zip(launch.threads or (), launch.block or (), strict=False)):
        if size.value and group.value and size.value % group.value:
            return f"{size.value} work-items along {'xyz'[axis]} are no whole number of work-groups of {group.value}"
    return None


def _rounded_before(launch: LaunchFact) -> str | None:
    for axis in range(3):
        size = held_after_rounding(launch, axis)
        if size is not None:
            return (
                f"the work-items along {'xyz'[axis]} are rounded to whole groups of {words(size)}, and the group is "
                "held down to what the device allows, which need not divide them"
            )
    return None


def _masked(launch: LaunchFact) -> str | None:
    for axis in range(3):
        found = masked_by(launch, axis)
        if found is not None:
            group, size = found
            of = f"{words(group)}, which may be {size}" if group.value is None else f"{size}"
            return (
                f"the work-items along {'xyz'[axis]} are rounded by a mask of bits, which makes whole work-groups of "
                f"powers of two alone, and not of {of}"
            )
    return None
