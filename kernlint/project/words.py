"""Words without which a Python program is of no use here.

Most programs have none of them, so how fast that is found decides how fast a tree of Python is passed.  An expression
that begins with a letter which is not frequent passes a byte in a third of a nanosecond, two to four times as fast as
``in`` looks for so short a word; an alternative of words costs ten times as much.
"""

from __future__ import annotations

import os
import re

_CUDA_OR_CUPY = re.compile(rb"cu(?:da|py)").search
_PYOPENCL = re.compile(rb"yopencl").search
_KERNEL = re.compile(rb"kernel").search
_NUMBA_OR_GLOBAL = re.compile(rb"ba(?:(?<=numba)|(?<=__globa)l__)").search

READ_BYTES = 4 << 20
"""A file is read this far."""

_HOW = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


def silent(data: bytes) -> bool:
    """Whether a Python program names no library of kernels and no keyword of a kernel."""
    return not (_CUDA_OR_CUPY(data) or _KERNEL(data) or _PYOPENCL(data) or _NUMBA_OR_GLOBAL(data))


def names_library(data: bytes) -> bool:
    """Whether a Python program names a library by which kernels are made, compiled or launched."""
    return b"numba" in data or (_CUDA_OR_CUPY(data) or _PYOPENCL(data)) is not None


def read(path: str, size: int) -> bytes | None:
    """The text of the file at ``path`` of about ``size`` bytes, as far as it is read; None when it cannot be."""
    try:
        handle = os.open(path, _HOW)
    except OSError:
        return None
    try:
        data = os.read(handle, min(size + 1, READ_BYTES))
        if len(data) > size:  # it has grown meanwhile
            data += os.read(handle, READ_BYTES)
        return data
    except OSError:
        return None
    finally:
        os.close(handle)
