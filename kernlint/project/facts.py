"""What the text of one file says about includes, kernels and launches, by what it looks like.

Expressions over bytes that run at the speed of reading: comments and strings are not told apart, so a name may be there
that is not meant.  Whoever asks uses the answers to know which files to read, not what is true.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import islice

from kernlint.discovery import speaks_of_kernels
from kernlint.patterns import pattern
from kernlint.record import dataclass

MOST = 400
"""Names of one kind that are kept of a file."""

READ_BYTES = 4 << 20
"""A file is read this far."""

_INCLUDE = pattern(rb"include(?:_next)?[ \t]*([\"<])([^\">\n]+)[\">]")
_DEFINED = pattern(
    rb"(?:\b__global__|\b__kernel|\bkernel(?=\s+(?:void|__attribute__)))\b(?:[^;{}()#]|\([^;{}]*?\)\s*\)?)*?"
    rb"\b([A-Za-z_]\w*)\s*(?:<[^<>;{}()]*>\s*)?\((?!\()"
)
_NOT_NAMES = frozenset({b"__launch_bounds__", b"__attribute__", b"void", b"alignas", b"decltype"})
_TRIPLE = pattern(rb"\b([A-Za-z_]\w*)\s*(?:<(?!<)[^;{}]{0,200}?>\s*)?\)?\s*<<<")
_BY_NAME = pattern(
    rb"\b(?:cudaLaunch\w*|hipLaunch\w*|hipExtLaunch\w*|HIP_KERNEL_NAME|cuLaunchKernel\w*)\s*\(\s*"
    rb"(?:HIP_KERNEL_NAME\s*\(|\([^()]*\)|reinterpret_cast\s*<[^<>]*>\s*\(|\(|&|\s)*([A-Za-z_][\w:]*)"
)
_CREATED = pattern(
    rb"(?:\bclCreateKernel\s*\([^;\"]{0,200}|\bKernel\b[^;\"]{0,120}|\bget_function\s*\(\s*|\bget_kernel\s*\(\s*"
    rb"|\bcuModuleGetFunction\s*\([^;\"]{0,200}|\bcreateKernel\s*\([^;\"]{0,120})[\"']([A-Za-z_]\w*)[\"']"
)
_METHOD = pattern(rb"\.\s*([A-Za-z_]\w*)\s*(?:\(|\[\s*[\w(])")
_INSTANCE = pattern(rb"(?:^|[;}])\s*(?:extern\s+)?template\s+[^;{}<>()=]*?\b([A-Za-z_]\w*)\s*<[^;{}]*;", 8)
_MACRO = pattern(
    rb"define[ \t]+([A-Za-z_]\w*)(?:\([^()\n]*\))?[ \t]+((?:[^\n\\]|\\\r?\n|\\.)*)",
)
_KEYWORD = pattern(rb"\b__global__\b|\b__kernel\b|\bkernel\b(?=\s+(?:void|__attribute__)|\s*$)")
_TESTED = pattern(rb"^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif)\b[ \t]*([^\n]*)", 8)
_WORD = pattern(rb"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class FileFacts:
    """Names found in one file.  ``includes``: as written, behind ``"`` or ``<`` for how it is quoted; ``kernels``:
    defined or declared under a keyword; ``launches``: started by name; ``instances``: templates that are explicitly
    instantiated; ``macros``: that stand for the keyword of a kernel; ``tested``: macros that conditions of the
    preprocessor test, of a file with device code.  ``speaks``: the text looks as if it held a kernel; ``device``: or a
    device function."""

    includes: tuple[str, ...] = ()
    kernels: tuple[str, ...] = ()
    launches: tuple[str, ...] = ()
    instances: tuple[str, ...] = ()
    macros: tuple[str, ...] = ()
    tested: tuple[str, ...] = ()
    speaks: bool = False
    device: bool = False


NOTHING = FileFacts()


def read_facts(path: str) -> FileFacts:
    """The facts of the file at ``path``; none for one that cannot be read (any more)."""
    try:
        with open(path, "rb", buffering=0) as handle:
            return facts_of(path, handle.read(READ_BYTES))
    except OSError:
        return NOTHING


def facts_of(path: str, data: bytes) -> FileFacts:
    """The facts of a file's text ``data``."""
    python = os.path.splitext(path)[1].lower() == ".py"
    keyed = b"__global__" in data or b"kernel" in data
    device = b"__device__" in data or keyed
    includes: tuple[str, ...] = ()
    if not python and b"include" in data:
        includes = _names(kind + name.strip() for kind, name in _INCLUDE.findall(data))
    kernels: tuple[str, ...] = ()
    macros: tuple[str, ...] = ()
    tested: tuple[str, ...] = ()
    instances: tuple[str, ...] = ()
    if keyed:
        kernels = _names(name for name in _DEFINED.findall(data) if name not in _NOT_NAMES)
        if not python and b"define" in data:
            macros = _names(name for name, body in _MACRO.findall(data) if _KEYWORD.search(body))
    if device and not python:
        tested = _names(word for test in _TESTED.findall(data) for word in _WORD.findall(test) if word != b"defined")
    if not python and b"template" in data:
        instances = _names(_INSTANCE.findall(data))
    return FileFacts(
        includes,
        kernels,
        _names(_launches(data, python)),
        instances,
        macros,
        tested,
        speaks_of_kernels(path, data),
        b"__device__" in data,
    )


def _launches(data: bytes, python: bool) -> list[bytes]:
    found: list[bytes] = []
    if b"<<<" in data:
        found += _TRIPLE.findall(data)
    if b"Launch" in data or b"HIP_KERNEL_NAME" in data:
        found += [name.rpartition(b"::")[2] for name in _BY_NAME.findall(data)]
    if b"Kernel" in data or b"get_function" in data or b"get_kernel" in data or b"GetFunction" in data:
        found += _CREATED.findall(data)
    if python and (b"opencl" in data or b"cuda" in data or b"cupy" in data or b"numba" in data):
        found += _METHOD.findall(data)
    return found


def _names(found: Iterable[bytes]) -> tuple[str, ...]:
    return tuple(name.decode("utf-8", "surrogateescape") for name in islice(dict.fromkeys(found), MOST))
