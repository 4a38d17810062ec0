"""Copies that are used too early, and pipelines that are right."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.unawaited_async_copy import UnawaitedAsyncCopy

from tests.rules.marked import assert_marked

OPENCL = {
    "a wait that comes after the use": """
__kernel void k(__global const float *in, __global float *out) {
    __local float tile[64];
    event_t e = async_work_group_copy(tile, in, 64, 0);
    out[get_global_id(0)] = tile[get_local_id(0)]; // bad
    wait_group_events(1, &e);
}
""",
    "a wait under a condition": """
__kernel void k(__global const float *in, __global float *out, const int wait) {
    __local float tile[64];
    event_t e = async_work_group_copy(tile, in, 64, 0);
    if (wait) wait_group_events(1, &e);
    out[get_global_id(0)] = tile[get_local_id(0)]; // bad
}
""",
    "the kernel ends": """
__kernel void k(__global float *out) {
    __local float tile[64];
    tile[get_local_id(0)] = 1.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    async_work_group_copy(out + 64 * get_group_id(0), tile, 64, 0); // bad
}
""",
    "one event of two": """
__kernel void k(__global const float *in, __global float *out) {
    __local float a[64], b[64];
    event_t e[2];
    e[0] = async_work_group_copy(a, in, 64, 0);
    e[1] = async_work_group_copy(b, in + 64, 64, 0);
    wait_group_events(1, e);
    out[get_global_id(0)] = b[get_local_id(0)]; // bad
}
""",
    "both events": """
__kernel void k(__global const float *in, __global float *out) {
    __local float a[64], b[64];
    event_t e[2];
    e[0] = async_work_group_copy(a, in, 64, 0);
    e[1] = async_work_group_copy(b, in + 64, 64, 0);
    wait_group_events(2, e);
    out[get_global_id(0)] = a[get_local_id(0)] + b[get_local_id(0)];
}
""",
    "one event for two copies": """
__kernel void k(__global const float *in, __global float *out) {
    __local float a[64], b[64];
    event_t e = async_work_group_copy(a, in, 64, 0);
    e = async_work_group_copy(b, in + 64, 64, e);
    wait_group_events(1, &e);
    out[get_global_id(0)] = a[get_local_id(0)] + b[get_local_id(0)];
}
""",
    "copy and wait under one condition": """
__kernel void k(__global const float *in, __global float *out, const int copy) {
    __local float tile[64];
    event_t e;
    if (copy) e = async_work_group_copy(tile, in, 64, 0);
    else tile[get_local_id(0)] = 0.0f;
    if (copy) wait_group_events(1, &e);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[get_local_id(0)];
}
""",
    "two buffers in turn": """
__kernel void k(__global const float *in, __global float *out, const int n) {
    __local float tile[2][64];
    event_t e = async_work_group_copy(tile[0], in, 64, 0);
    for (int i = 0; i < n; ++i) {
        wait_group_events(1, &e);
        if (i + 1 < n) e = async_work_group_copy(tile[(i + 1) & 1], in + 64 * (i + 1), 64, 0);
        out[64 * i + get_local_id(0)] = tile[i & 1][get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
""",
}

CUDA = {
    "no commit": """
__global__ void k(const float *in, float *out) {
    __shared__ float tile[128];
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], 4);
    __pipeline_wait_prior(0);
    __syncthreads();
    out[threadIdx.x] = tile[127 - threadIdx.x]; // bad
}
""",
    "a barrier before the wait": """
__global__ void k(const float *in, float *out) {
    __shared__ float tile[128];
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], 4);
    __pipeline_commit();
    __syncthreads();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = tile[127 - threadIdx.x]; // bad
}
""",
    "the own element": """
__global__ void k(const float *in, float *out) {
    __shared__ float tile[128];
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = tile[threadIdx.x];
}
""",
    "a later group may be pending": """
__global__ void k(const float *in, float *out) {
    __shared__ float a[128], b[128];
    __pipeline_memcpy_async(&a[threadIdx.x], &in[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_memcpy_async(&b[threadIdx.x], &in[128 + threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    out[threadIdx.x] = a[127 - threadIdx.x];
    __pipeline_wait_prior(0);
    __syncthreads();
    out[128 + threadIdx.x] = b[127 - threadIdx.x];
}
""",
}


@pytest.mark.parametrize("code", OPENCL.values(), ids=OPENCL.keys())
def test_events(code: str) -> None:
    assert_marked(UnawaitedAsyncCopy, code, "opencl")


@pytest.mark.parametrize("code", CUDA.values(), ids=CUDA.keys())
def test_groups(code: str) -> None:
    assert_marked(UnawaitedAsyncCopy, code)
