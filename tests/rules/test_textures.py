"""Copies to and from arrays of CUDA and HIP, and textures over linear memory."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.byte_count_mismatch import ByteCountMismatch

from tests.rules.marked import findings

ARRAY = """
cudaArray_t upload(const float *host, size_t width, size_t height) {
    cudaChannelFormatDesc desc = DESC;
    cudaArray_t made = nullptr;
    if (cudaMallocArray(&made, &desc, width, height) != cudaSuccess) return nullptr;
    cudaMemcpy2DToArray(made, 0, 0, host, PITCH, WIDTH, height, cudaMemcpyHostToDevice);
    return made;
}
"""


@pytest.mark.parametrize(
    ("desc", "pitch", "width", "told"),
    [
        ("cudaCreateChannelDesc<float>()", "width * sizeof(float)", "width * sizeof(float)", ""),
        ("cudaCreateChannelDesc<float4>()", "width * sizeof(float4)", "width * sizeof(float4)", ""),
        ("cudaCreateChannelDesc<float4>()", "width * sizeof(float)", "width * sizeof(float)", "a part of each row"),
        ("cudaCreateChannelDesc(32, 32, 0, 0, cudaChannelFormatKindFloat)", "4 * width", "4 * width", "a part of each"),
        ("cudaCreateChannelDesc(8, 8, 8, 8, cudaChannelFormatKindUnsigned)", "4 * width", "4 * width", ""),
        ("cudaCreateChannelDesc<unsigned char>()", "width * 4", "width * 4", "the call fails"),
        ("cudaCreateChannelDesc<float>()", "width", "width * sizeof(float)", "the pitch width is less"),
        ("cudaCreateChannelDesc<float>()", "0", "width * sizeof(float)", "the pitch 0 is less"),
        ("cudaCreateChannelDesc<float>()", "width * sizeof(float)", "width", "a part of each row"),
        ("cudaCreateChannelDesc<float>()", "height * sizeof(float)", "height * sizeof(float)", ""),
    ],
)
def test_rows_of_arrays(desc: str, pitch: str, width: str, told: str) -> None:
    code = ARRAY.replace("DESC", desc).replace("PITCH", pitch).replace("WIDTH", width)
    found = [one.message for one in findings(ByteCountMismatch, code)]
    assert [told in message for message in found] == ([True] if told else [])


VOLUME = """
void upload(float *host, size_t nx, size_t ny, size_t nz) {
    cudaExtent size = make_cudaExtent(nx, ny, nz);
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaArray_t made;
    cudaMalloc3DArray(&made, &desc, size);
    cudaMemcpy3DParms job = {};
    job.srcPtr = make_cudaPitchedPtr(host, PITCH, nx, ny);
    job.dstArray = made;
    job.extent = EXTENT;
    job.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&job);
    cudaFreeArray(made);
}
"""


@pytest.mark.parametrize(
    ("pitch", "extent", "told"),
    [
        ("nx * sizeof(float)", "size", 0),
        ("nx * sizeof(float)", "make_cudaExtent(nx * sizeof(float), ny, nz)", 1),
        ("nx", "size", 1),
    ],
)
def test_volumes_with_an_array_count_elements(pitch: str, extent: str, told: int) -> None:
    assert len(findings(ByteCountMismatch, VOLUME.replace("PITCH", pitch).replace("EXTENT", extent))) == told


TEXTURE = """#include <string.h>
struct Lists { int id[1024]; double x[1024]; };
template <class T> cudaTextureObject_t over(void *at, size_t bytes) {
    cudaResourceDesc res;
    memset(&res, 0, sizeof res);
    res.resType = cudaResourceTypeLinear;
    res.res.linear.devPtr = at;
    res.res.linear.desc = cudaCreateChannelDesc<T>();
    res.res.linear.sizeInBytes = bytes;
    cudaTextureDesc how = {};
    cudaTextureObject_t made = 0;
    cudaCreateTextureObject(&made, &res, &how, nullptr);
    return made;
}
Lists *lists;
float *table;
cudaTextureObject_t first, second;
void begin(int n) {
    cudaMalloc((void **)&lists, sizeof(Lists));
    cudaMalloc(&table, n * sizeof(float));
    first = over<int2>(lists->x, SIZE);
    second = over<float>(table, OTHER);
}
"""


@pytest.mark.parametrize(
    ("size", "other", "told"),
    [
        ("1024 * sizeof(double)", "n * sizeof(float)", 0),
        ("1024 * sizeof(int)", "n * sizeof(float)", 1),
        ("512 * sizeof(double)", "n / 2 * sizeof(float)", 0),
        ("1024 * sizeof(double)", "n", 1),
        ("1024 * sizeof(double)", "(n + 1) * sizeof(float)", 1),
    ],
)
def test_textures_over_linear_memory(size: str, other: str, told: int) -> None:
    assert len(findings(ByteCountMismatch, TEXTURE.replace("SIZE", size).replace("OTHER", other))) == told
