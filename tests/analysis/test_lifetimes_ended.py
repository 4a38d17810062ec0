"""Functions that clean up and may end the program with a status they are given: what follows is not reached then."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.device_use_after_free import DeviceUseAfterFree

from tests.rules.marked import findings

CLEANED = """
#include <CL/cl.h>
DECLARED
static cl_mem *parts;
static unsigned devices;
static void tidy(int status) {
    for (unsigned d = 0; d < devices; ++d) clReleaseMemObject(parts[d]);
    delete[] parts;
    LAST
}
void make(cl_context context, unsigned n) {
    devices = n;
    parts = new cl_mem[n];
    for (unsigned d = 0; d < n; ++d) {
        cl_int rc;
        parts[d] = clCreateBuffer(context, CL_MEM_READ_WRITE, 1024, 0, &rc);
        if (rc != CL_SUCCESS) tidy(1);
    }
    tidy(0);
}
"""


@pytest.mark.parametrize(
    ("declared", "last"),
    [
        ("void finish(int status);", "finish(status);"),
        ("", "finish_of_a_missing_header(LOGGED, status == 0 ? PASSED : FAILED);"),
    ],
    ids=["out of sight", "not understood"],
)
def test_a_status_that_is_handed_on(declared: str, last: str) -> None:
    assert not findings(DeviceUseAfterFree, CLEANED.replace("DECLARED", declared).replace("LAST", last))


def test_a_word_about_it_ends_nothing() -> None:
    code = CLEANED.replace("DECLARED", "void say(const char *);").replace("LAST", 'say("tidied");')
    assert findings(DeviceUseAfterFree, code)
