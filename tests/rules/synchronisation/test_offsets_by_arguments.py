"""Places that an argument moves, in rows that a block uses again in each round of a loop or reads with no barrier."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import assert_marked

KERNEL = """
__global__ void __launch_bounds__(128) shift_lines(const float *in, float *out, int lines, int n, int lag) {{
    {memory}
    for (int line = blockIdx.x; line < lines; line += gridDim.x) {{
        {loop} row[c] = in[line * 512 + c]; {end}
        __syncthreads();
        {loop} out[line * 512 + c] = {read}; {end}
        {barrier}
    }}
}}
"""

READS = {
    "shifted": "c >= lag ? row[c - lag] : 0.f",
    "turned": "row[c >= lag ? c - lag : c - lag + {n}]",
    "rotated": "row[(c + lag) % {n}]",
    "mirrored": "row[{n} - 1 - c]",
    "last": "row[{n} - 1]",
}
LOOPS = {
    "constant": ("for (int c = threadIdx.x; c < 512; c += 128) {", "512"),
    "size": ("for (int c = threadIdx.x; c < n; c += blockDim.x) {", "n"),
    "threads": ("if (threadIdx.x < n) { int c = threadIdx.x;", "n"),
}
MEMORY = {
    "whole": "__shared__ float row[512];",
    "part": "__shared__ float all[1024]; float *row = all + 512;",
    "dynamic": "extern __shared__ float all[]; float *row = all;",
}


@pytest.mark.parametrize("memory", MEMORY)
@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("read", READS)
def test_the_next_round_fills_what_others_still_read(read: str, loop: str, memory: str) -> None:
    if (read, memory) == ("rotated", "dynamic") and loop != "constant":
        pytest.skip("a base in memory of unknown length, cut down to a size that is not known, may be anywhere")
    head, n = LOOPS[loop]
    for barrier in ("", "__syncthreads();"):
        bad = "" if barrier else "  // bad"
        code = KERNEL.format(memory=MEMORY[memory], loop=head, end="}", read=READS[read].format(n=n), barrier=barrier)
        lines = [line + bad if "= in[" in line and bad else line for line in code.split("\n")]
        assert_marked(SharedMemoryRace, "\n".join(lines))


def test_a_base_behind_a_part_of_another_length_is_none() -> None:
    assert_marked(
        SharedMemoryRace,
        """
        __global__ void __launch_bounds__(128) two_parts(const float *in, float *out, int second) {
            __shared__ float parts[512];
            parts[threadIdx.x] = in[threadIdx.x];
            parts[second + threadIdx.x] = in[128 + threadIdx.x];
            __syncwarp();
            out[threadIdx.x] = parts[threadIdx.x] + parts[second + threadIdx.x];
        }
        """,
    )


def test_fills_and_marks_that_data_choose_without_a_barrier_between() -> None:
    for barrier in ("", "barrier(CLK_LOCAL_MEM_FENCE);"):
        bad = "" if barrier else "  // bad"
        assert_marked(
            SharedMemoryRace,
            f"""
            __kernel __attribute__((reqd_work_group_size(128, 1, 1)))
            void strike_out(__global const uint *first, __global const uint *step, uint steps, __global uint *out) {{
                __local uint flags[256];
                for (uint w = get_local_id(0); w < 256; w += 128) flags[w] = 0;
                {barrier}
                for (uint i = get_local_id(0); i < steps; i += 128)
                    for (uint at = first[i]; at < 8192; at += step[i])
                        atomic_or(&flags[at >> 5], 1u << (at & 31u));{bad}
                barrier(CLK_LOCAL_MEM_FENCE);
                for (uint w = get_local_id(0); w < 256; w += 128) out[get_group_id(0) * 256 + w] = flags[w];
            }}
            """,
            "opencl",
        )
