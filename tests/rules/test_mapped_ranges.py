"""What the host touches past the end of a mapped range."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.byte_count_mismatch import ByteCountMismatch

from tests.rules.marked import findings

PROGRAM = """
#include <CL/cl.h>
#include <cstdint>
struct Head { cl_uint next; cl_uint used; };
void start(cl_command_queue q, cl_mem head, cl_mem list, size_t n, cl_uint first) {
    cl_int status;
    void *at = clEnqueueMapBuffer(q, head, CL_TRUE, CL_MAP_WRITE, 0, SIZE, 0, nullptr, nullptr, &status);
    void *all = clEnqueueMapBuffer(q, list, CL_TRUE, CL_MAP_WRITE, 0, MORE, 0, nullptr, nullptr, &status);
    BODY
    clEnqueueUnmapMemObject(q, list, all, 0, nullptr, nullptr);
    clEnqueueUnmapMemObject(q, head, at, 0, nullptr, nullptr);
}
"""


@pytest.mark.parametrize(
    ("size", "more", "body", "told"),
    [
        ("sizeof(cl_uint)", "64", "*static_cast<uint64_t *>(at) = first;", True),
        ("sizeof(cl_uint)", "64", "*static_cast<cl_uint *>(at) = first;", False),
        ("sizeof(cl_uint)", "64", "*static_cast<uint64_t *>(all) = first;", False),
        ("64", "sizeof(cl_uint)", "*static_cast<uint64_t *>(at) = first;", False),
        ("sizeof(cl_uint)", "64", "static_cast<Head *>(at)->used = first;", True),
        ("sizeof(Head)", "64", "static_cast<Head *>(at)->used = first;", False),
        ("n", "64", "*static_cast<uint64_t *>(at) = first;", False),
        ("16", "n", "static_cast<cl_uint *>(at)[4] = first;", True),
        ("16", "n", "static_cast<cl_uint *>(at)[3] = first;", False),
        ("16", "n", "static_cast<cl_uint *>(at)[first] = first;", False),
    ],
)
def test_an_access_past_the_mapped_range(size: str, more: str, body: str, told: bool) -> None:
    code = PROGRAM.replace("SIZE", size).replace("MORE", more).replace("BODY", body)
    found = findings(ByteCountMismatch, code)
    assert sum("that is mapped" in one.message for one in found) == told == len(found)
