"""What functions of Python's libraries do with memory: PyCUDA, PyOpenCL, CuPy, numba, PyTorch.

Sources: PyCUDA 2024 (Device Interface), PyOpenCL 2024 (Runtime: Memory, Command Queues), CuPy v13 (``cupy``,
``cupy.cuda.runtime``, ``cupyx``), numba 0.60 (CUDA: Memory Management), PyTorch 2.x (``torch``).
"""

from __future__ import annotations

from typing import NamedTuple

from kernlint.apis.memory import D2D, D2H, H2D


class Copied(NamedTuple):
    """A copy: where target and source stand, its direction (None: by what they are), whether the call returns before
    it is over, and where the number of bytes stands (None: it is that of the array)."""

    target: int
    source: int
    kind: int | None
    later: bool = False
    size: int | None = None


BYTES: dict[str, int] = {
    "pyopencl.Buffer": 2,
    "pycuda.driver.mem_alloc": 0,
    "pycuda.driver.managed_zeros": 0,
    "cupy.cuda.alloc": 0,
    "cupy.cuda.alloc_pinned_memory": 0,
    "cupy.cuda.Memory": 0,
    "cupy.cuda.runtime.malloc": 0,
    "cupy.cuda.runtime.mallocManaged": 0,
    "cupy.cuda.runtime.hostAlloc": 0,
}
"""Functions that allocate so many bytes as an argument says."""

COPIES: dict[str, Copied] = {
    "pycuda.driver.memcpy_htod": Copied(0, 1, H2D),
    "pycuda.driver.memcpy_htod_async": Copied(0, 1, H2D, True),
    "pycuda.driver.memcpy_dtoh": Copied(0, 1, D2H),
    "pycuda.driver.memcpy_dtoh_async": Copied(0, 1, D2H, True),
    "pycuda.driver.memcpy_dtod": Copied(0, 1, D2D, size=2),
    "pycuda.driver.memcpy_dtod_async": Copied(0, 1, D2D, True, 2),
    "pyopencl.enqueue_copy": Copied(1, 2, None),
}
"""Functions that copy between the host's arrays and memory of the device."""

COUNTED: dict[str, tuple[tuple[int, ...], int]] = {
    **{f"cupy.cuda.runtime.{name}": ((0, 1), 2) for name in ("memcpy", "memcpyAsync")},
    **{f"cupy.cuda.runtime.{name}": ((0,), 2) for name in ("memset", "memsetAsync")},
    **{f"pycuda.driver.{name}": ((0, 1), 2) for name in ("memcpy_dtod", "memcpy_dtod_async")},
    **{
        f"{home}.{name}": ((0, 1), 2)
        for home in ("cuda.bindings.runtime", "cuda.cudart")
        for name in ("cudaMemcpy", "cudaMemcpyAsync")
    },
    **{f"{home}.{name}": ((0,), 2) for home in ("cuda.bindings.runtime", "cuda.cudart") for name in ("cudaMemset",)},
}
"""Functions that are told how many bytes they copy or set: where the memory stands, and where that number does."""

COUNTED_METHODS: dict[str, tuple[tuple[int, ...], int]] = {
    **{f"copy_{way}{later}": ((0,), 1) for way in ("from_host", "to_host", "from_device") for later in ("", "_async")},
    **{f"memset{later}": ((), 1) for later in ("", "_async")},
}
"""The like for methods of CuPy's ``MemoryPointer``, of which an array's ``data`` is one."""

COPY_NAMES: dict[str, Copied] = {name.rpartition(".")[2]: copy for name, copy in COPIES.items()}
"""The same by the last part of their names."""

MAKERS = frozenset(
    f"{library}.{name}"
    for library, names in {
        "pycuda.driver": ("to_device", "mem_alloc"),
        "pycuda.gpuarray": ("to_gpu", "empty", "zeros", "empty_like", "zeros_like"),
        "cupy": ("array", "empty", "zeros", "ones", "full", "empty_like", "zeros_like", "ones_like"),
        "torch": ("empty", "zeros", "ones", "full", "rand", "randn", "empty_like", "zeros_like"),
    }.items()
    for name in names
)
"""Functions whose result has memory of its own."""

WAITS = frozenset({"synchronize", "finish", "wait", "wait_for_events", "get", "query"})
"""Methods and functions that wait, or tell that something is over."""
