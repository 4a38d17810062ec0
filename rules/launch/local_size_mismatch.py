r"""The rule ``local-size-mismatch``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.extent.allocated import allocated
from kernlint.analysis.extent.allocated_words import in_words
from kernlint.analysis.replay import replayer
from kernlint.finding import Finding, Severity
from kernlint.rule import Meta, Rule
from kernlint.tree.types import Space


class LocalSizeMismatch(Rule):
    r"""A `local` argument is smaller than what the work-group of its launch uses.

    How much local memory is behind a `local` pointer, the host says: by `clSetKernelArg` with a size and no value, or
    `cl::Local`. Nothing checks that it goes with the size of the work-group. Reported where a launch in sight gives
    both, and some work-item gets beyond.

    ```cuda bad
    const char *program = R"(
    kernel void turn(global const float *x, global float *y, local float *tile) {
        const int at = get_local_id(0);
        tile[at] = x[get_global_id(0)];  // expect: KL618
        barrier(CLK_LOCAL_MEM_FENCE);
        y[get_global_id(0)] = tile[get_local_size(0) - 1 - at];
    }
    )";
    cl_int run(cl_program built, cl_command_queue queue, cl_mem x, cl_mem y) {
        cl_kernel turn = clCreateKernel(built, "turn", nullptr);
        const size_t all = 4096, group = 128;
        clSetKernelArg(turn, 0, sizeof(cl_mem), &x);
        clSetKernelArg(turn, 1, sizeof(cl_mem), &y);
        clSetKernelArg(turn, 2, 64 * sizeof(float), nullptr);
        return clEnqueueNDRangeKernel(queue, turn, 1, nullptr, &all, &group, 0, nullptr, nullptr);
    }
    ```

    ```cuda bad
    const char *program = R"(
    kernel void turn(global const float *x, global float *y, local float *tile) {
        const int at = get_local_id(0);
        tile[at] = x[get_global_id(0)];  // expect: KL618
        barrier(CLK_LOCAL_MEM_FENCE);
        y[get_global_id(0)] = tile[get_local_size(0) - 1 - at];
    }
    )";
    class Turn {
        static constexpr size_t group = 128;
        cl::Kernel turn;
    public:
        explicit Turn(cl::Program built) { turn = cl::Kernel(built, "turn"); }
        void run(cl::CommandQueue queue, cl::Buffer x, cl::Buffer y) {
            turn.setArg(0, x);
            turn.setArg(1, y);
            turn.setArg(2, cl::Local(group));
            queue.enqueueNDRangeKernel(turn, cl::NullRange, cl::NDRange(32 * group), cl::NDRange(group));
        }
    };
    ```

    ```cuda good
    const char *program = R"(
    kernel void turn(global const float *x, global float *y, local float *tile) {
        const int at = get_local_id(0);
        tile[at] = x[get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        y[get_global_id(0)] = tile[get_local_size(0) - 1 - at];
    }
    )";
    cl_int run(cl_program built, cl_command_queue queue, cl_mem x, cl_mem y) {
        cl_kernel turn = clCreateKernel(built, "turn", nullptr);
        const size_t all = 4096, group = 128;
        clSetKernelArg(turn, 0, sizeof(cl_mem), &x);
        clSetKernelArg(turn, 1, sizeof(cl_mem), &y);
        clSetKernelArg(turn, 2, group * sizeof(float), nullptr);
        return clEnqueueNDRangeKernel(queue, turn, 1, nullptr, &all, &group, 0, nullptr, nullptr);
    }
    ```
    """

    meta = Meta("KL618", "local-size-mismatch", Severity.WARNING, tags=("OpenCL C local",))
    needs = (allocated, replayer)

    def check(self, facts: Facts) -> Iterator[Finding]:
        if facts.module.language != "opencl":
            return
        beyond = [one for one in facts[allocated] if one.access.root.space is Space.SHARED]
        if beyond:
            span, message, severity, related, witness = in_words(
                beyond, "the local memory of the launch is too small for its work-group", facts[replayer]
            )
            fix = "give as many elements as a work-group has work-items, in bytes"
            yield self.finding(span, message, severity, related=related, witness=witness, fix=fix)
