"""What the text of one file says about includes, kernels and launches, by what it looks like.

Expressions over bytes that run at the speed of reading: comments and strings are not told apart, so a name may be there
that is not meant.  Whoever asks uses the answers to know which files to read, not what is true.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from kernlint.project.definitions import names_defined
from kernlint.project.discovery import makes_kernels, says_kernel
from kernlint.project.hostoptions import options_in
from kernlint.record import dataclass
from kernlint.text.patterns import pattern

MOST = 400
"""Names of one kind that are kept of a file."""

READ_BYTES = 4 << 20
"""A file is read this far."""

_INCLUDE = pattern(rb"include(?:_next)?[ \t]*([\"<])([^\">\n]+)[\">]")
_HEAD = rb"(?:[^;{}()#]|\([^;{}]*?\)\s*\)?)*?\b([A-Za-z_]\w*)\s*(?:<[^<>;{}()]*>\s*)?\((?!\()"
_CUDA_KERNEL = pattern(rb"__global__\b" + _HEAD)
_OPENCL_KERNEL = pattern(rb"kernel(?:(?<=__kernel)|(?<!\wkernel)(?=\s+(?:void|__attribute__)))\b" + _HEAD)
_NOT_NAMES = frozenset({b"__launch_bounds__", b"__attribute__", b"void", b"alignas", b"decltype"})
_TRIPLE = pattern(rb"\b([A-Za-z_]\w*)\s*(?:<(?!<)[^;{}]{0,200}?>\s*)?\)?\s*\Z")
_BY_NAME = pattern(
    rb"\b(?:cudaLaunch\w*|hipLaunch\w*|hipExtLaunch\w*|HIP_KERNEL_NAME|cuLaunchKernel\w*)\s*\(\s*"
    rb"(?:HIP_KERNEL_NAME\s*\(|\([^()]*\)|reinterpret_cast\s*<[^<>]*>\s*\(|\(|&|\s)*([A-Za-z_][\w:]*)"
)
_CREATED = pattern(rb"Kernel\b[^;\"]{0,200}\"([A-Za-z_]\w*)\"")
_GOT = pattern(rb"(?:[gG]et_?[fF]unction|get_kernel)\s*\([^;\"']{0,200}[\"']([A-Za-z_]\w*)[\"']")
_METHOD = pattern(rb"\.\s*([A-Za-z_]\w*)\s*(?:\(|\[\s*[\w(])")
_STARTED = pattern(rb"\b([A-Za-z_]\w*)\s*\[[^\[\]\n]*,[^\[\]\n]*\]\s*\(")
_INSTANCE = pattern(rb"template(?<![.:>\w]template)\s+[^;{}<>()=]*?\b([A-Za-z_]\w*)\s*<[^;{}]*;")
_MACRO = pattern(rb"define[ \t]+([A-Za-z_]\w*)(?:\([^()\n]*\))?[ \t]+((?:[^\n\\]|\\\r?\n|\\.)*)")
_KEYWORD = pattern(rb"\b__global__\b|\b__kernel\b|\bkernel\b(?=\s+(?:void|__attribute__)|\s*$)")
_TESTED = pattern(rb"#[ \t]*(?:if|ifdef|ifndef|elif)\b[ \t]*([^\n]*)")
_BUILT = pattern(rb"(?:[bB]uild|[cC]ompile)(?:Program|With\w*)?\s*\(")
_WORD = pattern(rb"[A-Za-z_]\w*")
_LIBRARIES = (b"cuda", b"opencl")


@dataclass(frozen=True, slots=True)
class FileFacts:
    """Names found in one file.  ``includes``: as written, behind ``"`` or ``<`` for how it is quoted; ``kernels``:
    defined or declared under a keyword; ``launches``: started by name; ``instances``: templates that are explicitly
    instantiated; ``macros``: that stand for the keyword of a kernel (a
    brace behind the name: for a whole one); ``tested``: macros that conditions of the
    preprocessor test, of a file with device code.  ``speaks``: the text looks as if it held a kernel; ``device``: or a
    device function.  ``options`` and ``sources``: what is given to compilers of programs that the file builds when it
    runs, see :func:`~kernlint.project.hostoptions.options_in`.  ``defined``: names that
    the text gives a meaning (see :mod:`kernlint.project.definitions`)."""

    includes: tuple[str, ...] = ()
    kernels: tuple[str, ...] = ()
    launches: tuple[str, ...] = ()
    instances: tuple[str, ...] = ()
    macros: tuple[str, ...] = ()
    tested: tuple[str, ...] = ()
    speaks: bool = False
    device: bool = False
    options: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    defined: tuple[str, ...] = ()


NOTHING = FileFacts()


def read_facts(path: str, size: int) -> FileFacts:
    """The facts of the file at ``path`` of about ``size`` bytes; none for one that cannot be read (any more)."""
    try:
        with open(path, "rb", buffering=0) as handle:
            return facts_of(path, handle.read() if size <= READ_BYTES else handle.read(READ_BYTES))
    except OSError:
        return NOTHING


def facts_of(path: str, data: bytes) -> FileFacts:
    """The facts of a file's text ``data``."""
    if path[-3:].lower() == ".py":
        return _of_python(path, data)
    cuda = b"__global__" in data
    kernel = b"ernel" in data  # one look at the text for both spellings
    opencl = kernel and b"kernel" in data
    device = cuda or b"__device__" in data
    launches = _launches(data, kernel) if kernel or b"<<<" in data else []
    wanted = cuda or opencl or device
    includes = _names(kind + name.strip() for kind, name in _INCLUDE.findall(data))
    defined = _names(names_defined(path, data))
    if not (wanted or launches or includes or defined or b"rogram" in data):
        return NOTHING
    return FileFacts(
        includes,
        _names(_kernels(data, cuda, opencl)),
        _names(launches),
        _names(_INSTANCE.findall(data)) if device or launches else (),
        _names(_keywords(data)) if cuda or opencl else (),
        _names(word for test in _TESTED.findall(data) for word in _WORD.findall(test) if word != b"defined")
        if wanted
        else (),
        says_kernel(data, cuda, opencl),
        device,
        *(options_in(data, False) if b"rogram" in data and _BUILT.search(data) else ((), ())),
        defined,
    )


def _of_python(path: str, data: bytes) -> FileFacts:
    cuda = b"__global__" in data
    opencl = b"kernel" in data
    library = any(name in data for name in _LIBRARIES)
    if not (cuda or opencl or library or b"jit" in data):
        return NOTHING
    launches: list[bytes] = []
    options: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    if library:
        if b"numba" in data or b"cupy" in data:
            launches += _STARTED.findall(data)
        if b"pyopencl" in data or b"pycuda" in data or b"cupy" in data:
            launches += _METHOD.findall(data) + _GOT.findall(data)
            if b"-D" in data or b"-I" in data:
                options = options_in(data, True)
    kernels = _names(_kernels(data, cuda, opencl))
    speaks = says_kernel(data, cuda, opencl) or ((library or b"jit" in data) and makes_kernels(data))
    if not (launches or kernels or speaks or options[0]):
        return NOTHING
    return FileFacts((), kernels, _names(launches), (), (), (), speaks, False, *options)


def _kernels(data: bytes, cuda: bool, opencl: bool) -> Iterator[bytes]:
    for there, expression in ((cuda, _CUDA_KERNEL), (opencl, _OPENCL_KERNEL)):
        if there:
            yield from (name for name in expression.findall(data) if name not in _NOT_NAMES)


def _keywords(data: bytes) -> Iterator[bytes]:
    """Macros that stand for the keyword of a kernel, and no other spelling of the keyword itself."""
    for name, body in _MACRO.findall(data):
        if _KEYWORD.search(body) and name not in (b"__global__", b"__kernel", b"kernel"):
            yield name + b"{" if b"{" in body else name


def _launches(data: bytes, kernel: bool) -> list[bytes]:
    found: list[bytes] = []
    at = data.find(b"<<<")
    while at >= 0:
        if (match := _TRIPLE.search(data, max(0, at - 300), at)) is not None:
            found.append(match.group(1))
        at = data.find(b"<<<", at + 3)
    if kernel and b"Kernel" in data:
        if b"Launch" in data:
            found += (name.rpartition(b"::")[2] for name in _BY_NAME.findall(data))
        found += _CREATED.findall(data)
        if b"etFunction" in data:
            found += _GOT.findall(data)
    return found


def _names(found: Iterable[bytes]) -> tuple[str, ...]:
    if not found:
        return ()
    return tuple(name.decode("utf-8", "surrogateescape") for name in islice(dict.fromkeys(found), MOST))
