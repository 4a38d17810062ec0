"""Whether a launch in one file is a launch of the kernel in another.

A name alone says little: a tree of examples has many kernels called ``add``.  A launch in another file is of this one
when the definition that it sees is this very text (a header that both include), or when it sees a declaration without a
body whose parameters are of the same types; of a kernel that is local to its file nobody else sees a declaration.
"""

from __future__ import annotations

import os

from kernlint.analysis.base import Facts
from kernlint.tree.nodes import FunctionDecl, Launch
from kernlint.tree.types import FloatType, IntType, PointerType, StructType, Type, VectorType


def same_kernel(seen: FunctionDecl | None, launch: Launch, facts: Facts) -> bool:
    """Whether ``seen``, what a ``launch`` in another file calls, is the kernel of ``facts``; None: it is called by its
    name in a string alone."""
    ours = facts.kernel.function
    if seen is None:
        return launch.api in BY_NAME
    if launch.api in IN_PYTHON and all(param.synthesised for param in seen.params):
        return not seen.params or len(seen.params) == len(facts.function.params)
    generic = seen.generic or seen
    if generic.body is not None:
        return _same_file(generic.span.file, ours.span.file) and generic.span.start == ours.span.start
    if ours.internal and not _same_file(generic.span.file, ours.span.file):
        return False
    if len(seen.params) != len(facts.function.params):
        return False
    return all(alike(a.type, b.type) for a, b in zip(seen.params, facts.function.params, strict=True))


BY_NAME = frozenset(
    {
        "clEnqueueNDRangeKernel",
        "enqueueNDRangeKernel",
        "cl::KernelFunctor",
        "cuLaunchKernel",
        "hipModuleLaunchKernel",
        "cuLaunchCooperativeKernel",
        "hipModuleLaunchCooperativeKernel",
    }
)
"""Functions that launch a kernel which was looked up by its name."""


IN_PYTHON = frozenset({"PyOpenCL", "PyCUDA", "CuPy", "cuda.core", "cuda.bindings"})
"""Libraries of Python that do the same; of the kernel's parameters only the launch speaks."""


def _same_file(one: str, other: str) -> bool:
    return one == other or os.path.realpath(one) == os.path.realpath(other)


def alike(one: Type, other: Type) -> bool:
    """Whether two types may be the same, as far as headers that were not read let it be known."""
    if isinstance(one, IntType) and isinstance(other, IntType):
        return one.bits == other.bits
    if isinstance(one, FloatType) and isinstance(other, FloatType):
        return one.bits == other.bits
    if isinstance(one, VectorType) and isinstance(other, VectorType):
        return one.lanes == other.lanes and alike(one.element, other.element)
    if isinstance(one, (FloatType, VectorType)) and isinstance(other, (FloatType, VectorType)):
        return False
    if isinstance(one, PointerType) and isinstance(other, PointerType):
        return alike(one.pointee, other.pointee)
    if isinstance(one, StructType) and isinstance(other, StructType):
        return one.name == other.name
    return isinstance(one, (IntType, PointerType)) == isinstance(other, (IntType, PointerType))
