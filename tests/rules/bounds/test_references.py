"""KL104: a reference to an object that is not known has no room of its own."""

from __future__ import annotations

import pytest

from kernlint import registry
from tests.rules.marked import findings

RULE = registry.load().get("KL104")

TEXT = """struct far; __device__ const float4 &at(const far *f, int i);
static __device__ float3 &three(const float4 &v) { return *(float3 *)&v; }
__global__ void k(const far *w, float *out, int n) {
    int i = threadIdx.x;
    OBJECT
    if (i < n) out[i] = three(v).z;
}
"""


@pytest.mark.parametrize("object_", ["const float4 &v = at(w, i);", "const float4 v = at(w, i);"])
def test_what_a_reference_refers_to_is_larger_than_an_address(object_: str) -> None:
    assert not findings(RULE, TEXT.replace("OBJECT", object_))


def test_an_object_that_is_smaller_than_what_is_read_is_still_told() -> None:
    text = TEXT.replace("const float4 &v)", "const float2 &v)").replace("OBJECT", "const float2 v = {1.0f, 2.0f};")
    assert findings(RULE, text)
