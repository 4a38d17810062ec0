"""Names of the runtimes' functions without what tells the interfaces apart."""

from __future__ import annotations

from functools import lru_cache

from kernlint.text.patterns import pattern

_PREFIX = pattern(r"(?:cuda|hip|cu|cl)(?=[A-Z])")
_SUFFIXES = ("_v2", "_ptsz", "_ptds")
"""Versions of an interface, and the streams per thread (CUDA driver API, API entry points)."""

_OTHER = {
    "cuMemcpy": "MemcpyUnified",
    "cuMemcpyAsync": "MemcpyUnifiedAsync",
    "cuMemcpy2D": "Memcpy2DOf",
    "cuMemcpy2DUnaligned": "Memcpy2DOf",
    "cuMemcpy2DAsync": "Memcpy2DOfAsync",
}
"""Functions of the driver whose arguments are others than those of the runtime's function of that name."""

_BARE = frozenset(
    {"malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign", "free", "operator new", "operator new[]",
     "operator delete", "operator delete[]"}
)  # fmt: skip
"""Functions of the languages themselves."""


PLACED = "operator new at"
"""What front ends call a ``new`` that makes an object in memory which it is given, as its first argument."""


@lru_cache(maxsize=4096)
def base_name(name: str) -> str:
    """A function's name without the prefix of its runtime and the version of its interface."""
    name = name.rpartition("::")[2]
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return _OTHER.get(name) or _PREFIX.sub("", name, count=1)


@lru_cache(maxsize=4096)
def known_name(name: str, method: bool = False) -> str | None:
    """The name under which the tables have a function; None for one of no runtime.  ``method``: as of
    :func:`~kernlint.apis.api_of`."""
    scope, _, last = name.rpartition("::")
    if method:
        return f"E{last[1:]}" if last.startswith("enqueue") else None
    if last in _BARE:
        return last if scope in ("", "std") else None  # a class may have a function of that name
    plain = base_name(last)
    return plain if plain != last and _PREFIX.match(last) is not None else None
