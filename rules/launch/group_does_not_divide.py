r"""The rule ``group-does-not-divide``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleFacts
from kernlint.analysis.launching.launches import LaunchFact, host
from kernlint.analysis.launching.run_time_sizes import other_groups_allowed
from kernlint.finding import Finding, Severity
from kernlint.rule import Meta, ModuleRule
from kernlint.source import Span


class GroupDoesNotDivide(ModuleRule):
    r"""A work-group size that does not divide the global size.

    Before OpenCL 2.0, and in programs built for an earlier version of the language, which is what they are built for
    where no version is asked for, the global size must be a whole number of work-groups along each axis: else the
    launch fails with `CL_INVALID_WORK_GROUP_SIZE`. Reported where both sizes are numbers.

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
            message = _wrong(launch)
            if message is not None and launch.span not in seen and not other_groups_allowed((facts.module,)):
                seen.add(launch.span)
                yield self.finding(
                    launch.span, message, fix="round the global size up, and test the index in the kernel"
                )


def _wrong(launch: LaunchFact) -> str | None:
    for axis, (size, group) in enumerate(zip(launch.threads or (), launch.block or (), strict=False)):
        if size.value and group.value and size.value % group.value:
            return f"{size.value} work-items along {'xyz'[axis]} are no whole number of work-groups of {group.value}"
    return None
