"""Threads, blocks and sizes in the words of a language."""

from __future__ import annotations

import pytest

from kernlint.text.launchwords import in_language

TERMS = {
    "tid.x < 32": ("threadIdx.x < 32", "get_local_id(0) < 32"),
    "bid.y * bdim.y + tid.y < n": ("blockIdx.y * blockDim.y + threadIdx.y < n", "get_global_id(1) < n"),
    "bdim.x * bid.x + tid.x": ("blockDim.x * blockIdx.x + threadIdx.x", "get_global_id(0)"),
    "bid.x * bdim.x + tid.x * 4": (
        "blockIdx.x * blockDim.x + threadIdx.x * 4",
        "get_group_id(0) * get_local_size(0) + get_local_id(0) * 4",
    ),
    "bdim.x * gdim.x <= len(x)": ("blockDim.x * gridDim.x <= len(x)", "get_global_size(0) <= len(x)"),
    "at[bid.z] and a.tid.x": ("at[blockIdx.z] and a.tid.x", "at[get_group_id(2)] and a.tid.x"),
    "no index here.": ("no index here.", "no index here."),
}


@pytest.mark.parametrize("text", TERMS)
def test_words(text: str) -> None:
    cuda, opencl = TERMS[text]
    assert in_language(text, "cuda") == in_language(text, "hip") == cuda
    assert in_language(text, "opencl") == opencl


def test_what_the_user_has_said_stays() -> None:
    assert in_language("blockDim.x == 64", "opencl", said=True) == "blockDim.x == 64"
    assert in_language("bdim.x <= len(x)", "opencl", said=True) == "get_local_size(0) <= len(x)"
