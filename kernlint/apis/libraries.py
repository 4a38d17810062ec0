"""What the functions of NVIDIA's and AMD's libraries count in elements: cuBLAS, cuRAND, cuFFT, NCCL, CUB and theirs.

Names are without the prefix of the library, as :func:`counts_of` takes it off.  Sources: cuBLAS 12 (2.4 helper
functions, 2.5 level 1), cuRAND 12 (host API), NCCL 2 (collective and point-to-point communication functions), CUB 2
(device-wide primitives), cuFFT 12 (4.2 plans, 4.3 execution; 2.4 data layout); hipBLAS, hipRAND, hipFFT and RCCL have
the same functions by the same names.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from kernlint.text.patterns import pattern


class Counts(NamedTuple):
    """A function that counts elements: the product of the arguments ``counts``, in each ``memory``: a pointer, and the
    argument that says how far its elements are apart (None: they follow each other).  The bytes of an element are
    ``width``, or what the argument ``unit`` says, or else what the pointer leads to.  ``held``: whether the function
    goes through as much of the memory for certain."""

    counts: tuple[int, ...]
    memory: tuple[tuple[int, int | None], ...]
    width: int | None = None
    unit: int | None = None
    held: bool = True


_LETTERS = {"S": 4, "D": 8, "C": 8, "Z": 16}
"""The types of BLAS by the letters of its functions, and their bytes."""

_LEVEL_1: dict[str, tuple[tuple[int, int | None], ...]] = {
    "scal": ((3, 4),), "axpy": ((3, 4), (5, 6)), "copy": ((2, 3), (4, 5)), "swap": ((2, 3), (4, 5)),
    "dot": ((2, 3), (4, 5)), "dotu": ((2, 3), (4, 5)), "dotc": ((2, 3), (4, 5)), "nrm2": ((2, 3),),
    "asum": ((2, 3),), "rot": ((2, 3), (4, 5)), "rotm": ((2, 3), (4, 5)),
}  # fmt: skip

_VECTORS = Counts((0,), ((2, 3), (4, 5)), unit=1)

_BLAS: dict[str, Counts] = {
    "SetVector": _VECTORS, "GetVector": _VECTORS, "SetVectorAsync": _VECTORS, "GetVectorAsync": _VECTORS,
    "SetMatrix": Counts((0, 1), (), unit=2), "GetMatrix": Counts((0, 1), (), unit=2),
    "SetMatrixAsync": Counts((0, 1), (), unit=2), "GetMatrixAsync": Counts((0, 1), (), unit=2),
    **{f"{letter}{name}": Counts((1,), memory, width)
       for letter, width in _LETTERS.items() for name, memory in _LEVEL_1.items()},
    **{f"I{letter.lower()}{name}": Counts((1,), ((2, 3),), width)
       for letter, width in _LETTERS.items() for name in ("amax", "amin")},
}  # fmt: skip

_RANDOM = {
    name: Counts((2,), ((1, None),))
    for name in (
        "Generate", "GenerateLongLong", "GenerateUniform", "GenerateUniformDouble", "GenerateNormal",
        "GenerateNormalDouble", "GenerateLogNormal", "GenerateLogNormalDouble", "GeneratePoisson",
    )
}  # fmt: skip

_COMMUNICATION = {
    "AllReduce": Counts((2,), ((0, None), (1, None))), "Reduce": Counts((2,), ((0, None),)),
    "Broadcast": Counts((2,), ((1, None),)), "Bcast": Counts((1,), ((0, None),)),
    "AllGather": Counts((2,), ((0, None),)), "ReduceScatter": Counts((2,), ((1, None),)),
    "Send": Counts((1,), ((0, None),)), "Recv": Counts((1,), ((0, None),)),
}  # fmt: skip

_DEVICE_WIDE = {
    **{f"DeviceReduce::{name}": Counts((4,), ((2, None),)) for name in ("Sum", "Min", "Max", "ArgMin", "ArgMax",
                                                                        "Reduce")},
    **{f"DeviceScan::{name}": Counts((4,), ((2, None), (3, None))) for name in ("ExclusiveSum", "InclusiveSum")},
    "DeviceScan::InclusiveScan": Counts((5,), ((2, None), (3, None))),
    "DeviceScan::ExclusiveScan": Counts((6,), ((2, None), (3, None))),
    **{f"DeviceRadixSort::{name}": Counts((4,), ((2, None), (3, None)), held=False)
       for name in ("SortKeys", "SortKeysDescending")},
    **{f"DeviceRadixSort::{name}": Counts((6,), ((2, None), (3, None), (4, None), (5, None)), held=False)
       for name in ("SortPairs", "SortPairsDescending")},
    "DeviceSelect::Flagged": Counts((6,), ((2, None), (3, None))), "DeviceSelect::If": Counts((5,), ((2, None),)),
    "DeviceSelect::Unique": Counts((5,), ((2, None),)), "DeviceRunLengthEncode::Encode": Counts((6,), ((2, None),)),
    "DeviceHistogram::HistogramEven": Counts((7,), ((2, None),)),
}  # fmt: skip

_NAMES = pattern(r"(?:cu|hip)(blas|rand)([A-Z]\w*?)(?:_v2|_64|_v2_64)?|(?:hip)?(cub)::(\w+::\w+)|(nccl)([A-Z]\w*)")
_TABLES = {"blas": _BLAS, "rand": _RANDOM, "cub": _DEVICE_WIDE, "nccl": _COMMUNICATION}


@lru_cache(maxsize=4096)
def counts_of(name: str) -> Counts | None:
    """What a function, by its name with namespaces, counts in elements; None for any other."""
    match = _NAMES.fullmatch(name)
    if match is None:
        return None
    library, last = (part for part in match.groups() if part is not None)
    return _TABLES[library].get(last)


class Matrices(NamedTuple):
    """A product or sum of matrices that lie by columns: for each one the argument that is its leading dimension, that
    which says whether it is transposed (None: it never is), and those that are its rows where it is not and where it
    is.  A leading dimension is no less than these (cuBLAS 12, 2.7 and 2.8)."""

    of: tuple[tuple[str, int, int | None, int, int], ...]


def _product(a: int, b: int, c: int) -> Matrices:
    return Matrices((("A", a, 1, 3, 5), ("B", b, 2, 5, 4), ("C", c, None, 3, 3)))


MATRICES: dict[str, Matrices] = {
    **{f"{letter}gemm": _product(8, 10, 13) for letter in (*_LETTERS, "H")},
    **{f"{letter}gemmStridedBatched": _product(8, 11, 15) for letter in (*_LETTERS, "H")},
    **{f"{letter}gemmBatched": _product(8, 10, 13) for letter in (*_LETTERS, "H")},
    **{f"{letter}geam": Matrices((("A", 7, 1, 3, 4), ("B", 10, 2, 3, 4), ("C", 12, None, 3, 3)))
       for letter in _LETTERS},
    **{f"{letter}gemv": Matrices((("A", 6, None, 2, 2),)) for letter in _LETTERS},
    "GemmEx": _product(9, 12, 16),
}  # fmt: skip


@lru_cache(maxsize=1024)
def matrices_of(name: str) -> Matrices | None:
    """What is known of the matrices of a function of cuBLAS or hipBLAS; None for any other."""
    match = _NAMES.fullmatch(name)
    return MATRICES.get(match[2]) if match is not None and match[1] == "blas" else None


AS_IT_IS = frozenset({0, 111})
"""``CUBLAS_OP_N`` and ``HIPBLAS_OP_N``: a matrix is not transposed."""


class Transform(NamedTuple):
    """A transform that a plan is for: how many elements go in and come out of one whose last extent is n, as ``n`` or
    half of it (``n / 2 + 1``), and the bytes of these elements.  Argument 0 of the call is the plan."""

    half_in: bool
    half_out: bool
    into: int
    out: int


TRANSFORMS = {
    "ExecC2C": Transform(False, False, 8, 8), "ExecZ2Z": Transform(False, False, 16, 16),
    "ExecR2C": Transform(False, True, 4, 8), "ExecD2Z": Transform(False, True, 8, 16),
    "ExecC2R": Transform(True, False, 8, 4), "ExecZ2D": Transform(True, False, 16, 8),
}  # fmt: skip

PLANS: dict[str, tuple[tuple[int, ...], int | None]] = {
    "Plan1d": ((1,), 3), "Plan2d": ((1, 2), None), "Plan3d": ((1, 2, 3), None),
    "MakePlan1d": ((1,), 3), "MakePlan2d": ((1, 2), None), "MakePlan3d": ((1, 2, 3), None),
}  # fmt: skip
"""Plans: the arguments that are extents, the last one the fastest, and the one that says how many transforms."""

_FFT = pattern(r"(?:cu|hip)fft([A-Z]\w*)")


@lru_cache(maxsize=1024)
def of_fft(name: str) -> str:
    """The name of a function of cuFFT or hipFFT without the prefix; empty for any other."""
    match = _FFT.fullmatch(name)
    return match[1] if match is not None else ""


def goes_through(name: str) -> bool:
    """Whether a function is one of a library that goes through as much memory as can be told."""
    return counts_of(name) is not None or of_fft(name) in TRANSFORMS or matrices_of(name) is not None
