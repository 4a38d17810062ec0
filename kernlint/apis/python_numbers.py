"""Numbers that Python passes for a kernel's parameters.

None of the libraries converts an argument to the parameter's type: the kernel reads the bytes that it is given.

- CuPy passes a Python ``int`` as a 64-bit integer, a ``float`` as a double, a ``complex`` as two doubles.
- PyCUDA takes NumPy scalars only, and packs them one behind the other, each as large as it is.
- cuda.core passes ``int`` and ``float`` as CuPy does.
- PyOpenCL asks the runtime to check the size of each.
"""

from __future__ import annotations

WIDTHS = {
    "bool": 1, "bool_": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "float16": 2, "int32": 4, "uint32": 4,
    "float32": 4, "int64": 8, "uint64": 8, "float64": 8, "complex64": 8, "complex128": 16, "float": 8, "double": 8,
    "single": 4, "intc": 4, "complex": 16, "int": 8, "int_": 8, "intp": 8, "float_": 8, "half": 2,
}  # fmt: skip
"""Bytes of NumPy's types."""

AS_IT_IS = frozenset({"CuPy", "cuda.core"})
"""Libraries that take plain numbers of Python."""


def other_number(given: str, python: bool, floating: bool, size: int | None, api: str) -> str:
    """How to say what is passed, a number of the type ``given`` (``python``: a plain one), where a parameter of
    ``size`` bytes reads it as another one; else empty."""
    if given not in WIDTHS or not _other(given, python, floating, size or 0, api):
        return ""
    kind = "float" if _floating(given) else "int"
    said = f"a Python {kind}, as {given}," if python else given
    said = f"a Python {kind}, which PyCUDA does not take," if python and api == "PyCUDA" else said
    return f"{said} ({WIDTHS[given]} bytes)"


def _floating(dtype: str) -> bool:
    return "float" in dtype or dtype in ("double", "half", "single")


def _other(given: str, python: bool, floating: bool, size: int, api: str) -> bool:
    """Whether a number is read as another one."""
    if "complex" in given:
        return False
    if python and api not in AS_IT_IS:
        return api == "PyCUDA"  # "invalid type on parameter"; what others make of it depends on more
    width = WIDTHS[given]
    if _floating(given) != floating:
        return api in AS_IT_IS or width != size
    if floating or api not in AS_IT_IS:
        return width != size
    return width < size  # of a wider integer the low half is read, which is its value
