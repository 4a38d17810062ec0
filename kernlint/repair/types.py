"""How arithmetic types are written."""

from __future__ import annotations

from kernlint.tree.types import FloatType, IntType, Type

_INTEGERS = {
    (8, True): ("signed char", "char"),
    (8, False): ("unsigned char", "uchar"),
    (16, True): ("short", "short"),
    (16, False): ("unsigned short", "ushort"),
    (32, True): ("int", "int"),
    (32, False): ("unsigned int", "uint"),
    (64, True): ("long long", "long"),
    (64, False): ("unsigned long long", "ulong"),
}


def arithmetic(kind: Type, language: str) -> str | None:
    """The name of an arithmetic type in CUDA and HIP, or in OpenCL; None for another type."""
    if isinstance(kind, FloatType):
        return {32: "float", 64: "double"}.get(kind.bits)
    if isinstance(kind, IntType):
        names = _INTEGERS.get((kind.bits, kind.signed))
        return None if names is None else names[language == "opencl"]
    return None


def zero(name: str) -> str:
    """Nought in an arithmetic type."""
    return {"float": "0.0f", "double": "0.0"}.get(name, "0")
