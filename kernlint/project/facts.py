"""What the text of one file says about includes, kernels and launches, by what it looks like.

Words are looked for in bytes, expressions run only where one stands: comments and strings are not told apart, so a name
may be there that is not meant.  Whoever asks uses the answers to know which files to read, not what is true.

What every run asks (:class:`FileFacts`) is found apart from what few do (:class:`Started`, :class:`Includes`,
:class:`Programs`, :class:`Defined`): a look at the bytes of a file costs as much as reading it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from kernlint.project import words
from kernlint.project.discovery import makes_kernels, says_kernel, works_in_python, works_with_devices
from kernlint.record import dataclass
from kernlint.text.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    Kind = TypeVar("Kind", bound="Said")
    """One kind of what a file says."""

MOST = 400
"""Names of one kind that are kept of a file."""

_INCLUDE = pattern(rb"include(?:_next)?[ \t]*([\"<])([^\">\n]+)[\">]")
_NO_NAME = rb"(?!(?:__launch_bounds__|__cluster_dims__|__attribute__|alignas|decltype)\b)"
_HEAD = rb"(?:[^;{}()#]|\([^;{}]*?\)\s*\)?)*?\b" + _NO_NAME + rb"([A-Za-z_]\w*)\s*(?:<[^<>;{}()]*>\s*)?\((?!\()"
_MADE = rb"(?:\s*([A-Za-z_]\w*)\s*[,)])?"
"""The first word in the brackets alone: no parameter, but what a macro makes the name and the parameters of."""
_CUDA_KERNEL = pattern(rb"__global__\b" + _HEAD + _MADE)
_OPENCL_KERNEL = pattern(rb"kernel(?:(?<=__kernel)|(?<!\wkernel)(?=\s+(?:void|__attribute__)))\b" + _HEAD + _MADE)
_NOT_NAMES = frozenset({b"__launch_bounds__", b"__attribute__", b"void", b"alignas", b"decltype"})
_TRIPLE = pattern(rb"\b([A-Za-z_]\w*)\s*(?:<(?!<)[^;{}]{0,200}?>\s*)?\)?\s*\Z")
_BY_NAME = pattern(
    rb"\b(?:cudaLaunch\w*|hipLaunch\w*|hipExtLaunch\w*|HIP_KERNEL_NAME|cuLaunchKernel\w*)\s*\(\s*"
    rb"(?:HIP_KERNEL_NAME\s*\(|\([^()]*\)|reinterpret_cast\s*<[^<>]*>\s*\(|\(|&|\s)*([A-Za-z_][\w:]*)"
)
_CREATED = pattern(rb"Kernel\b[^;\"]{0,200}\"([A-Za-z_]\w*)\"")
_GOT = pattern(rb"(?:[gG]et_?[fF]unction|get_kernel)\s*\([^;\"']{0,200}[\"']([A-Za-z_]\w*)[\"']")
_HELPED = pattern(rb"\w\(\s*[\"']([A-Za-z_]\w*)[\"'][^()\n]*\)\s*\((?<=\)\()")
_TEXT = pattern(rb"\"([A-Za-z_]\w*)\"")
_PASSED = pattern(rb"[\"']([A-Za-z_]\w*)[\"']\s*[,)]")
_OPENCL_HOST = (b"cl_kernel", b"cl_program", b"cl_context", b"cl_mem", b"cl_int", b"cl_uint", b"cl_float", b"cl::",
                b"boost/compute")  # fmt: skip
_METHOD = pattern(rb"\.\s*([A-Za-z_]\w*)\s*(?:\(|\[\s*[\w(])")
_STARTED = pattern(rb"\b([A-Za-z_]\w*)\s*(?:\[(?:[^\[\]\n]|\[[^\[\]\n]*\])*\]\s*\((?<=\]\()|\.\s*forall\s*\()")
_INSTANCE = pattern(rb"template(?<![.:>\w]template)\s+[^;{}<>()=]*?\b([A-Za-z_]\w*)\s*<[^;{}]*;")
_MACRO = pattern(rb"#[ \t]*define[ \t]+([A-Za-z_]\w*)(?:\([^()\n]*\))?[ \t]+((?:[^\n\\]|\\\r?\n|\\.)*)")
_LINE_END = pattern(rb"(?:[^\n\\]|\\\r?\n|\\.)*")
_KEYWORD = pattern(rb"\b__global__\b|\b__kernel\b|\bkernel\b(?=\s+(?:void|__attribute__)|\s*$)")
_TESTED = pattern(rb"#[ \t]*(?:if|ifdef|ifndef|elif)\b[ \t]*([^\n]*)")
_BUILT = pattern(rb"(?:[bB]uild|[cC]ompile)(?:Program|With\w*)?\s*\(")
_WORD = pattern(rb"[A-Za-z_]\w*")
_LAST_WORD = pattern(rb"([A-Za-z_]\w*)\s*\Z")
_PROGRAMS = (b"pyopencl", b"pycuda", b"cupy", b"cuda.core", b"cuda.bindings")


class Said:
    """What one file says; ``python``: of programs of Python alone."""

    __slots__ = ()
    python = False

    @classmethod
    def of(cls, path: str, data: bytes) -> Said:
        """What the text ``data`` of the file at ``path`` says."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class FileFacts(Said):
    """Names found in one file.  ``kernels``: defined or declared under a keyword; ``launches``: started by name;
    ``instances``: templates that are explicitly instantiated; ``macros``: that stand for the keyword of a kernel (a
    brace behind the name: for a whole one); ``tested``: macros that conditions of the preprocessor test, of a file with
    device code.  ``speaks``: the text looks as if it held a kernel; ``device``: or a device function; ``works``: host
    code in it moves memory of devices, or launches."""

    kernels: tuple[str, ...] = ()
    launches: tuple[str, ...] = ()
    instances: tuple[str, ...] = ()
    macros: tuple[str, ...] = ()
    tested: tuple[str, ...] = ()
    speaks: bool = False
    device: bool = False
    works: bool = False

    @classmethod
    def of(cls, path: str, data: bytes) -> FileFacts:
        """The facts of a file's text ``data``."""
        if path[-3:].lower() == ".py":
            return _of_python(data)
        program = NOTHING
        if path[-6:].lower() == ".ipynb":
            data = data.replace(b"\\n", b"\n")  # lines of a cell as JSON has them
            program = _of_python(data)
        cuda = b"__global__" in data
        kernel = b"ernel" in data  # one look at the text for both spellings
        opencl = kernel and b"kernel" in data
        device = cuda or b"__device__" in data
        named = (b"cl_" in data or b"cl::" in data or b"boost/compute" in data) and any(
            word in data for word in _OPENCL_HOST
        )
        launches = _launches(data, kernel, named) if kernel or named or b"<<<" in data or b"<< <" in data else []
        wanted = cuda or opencl or device
        works = works_with_devices(data)
        if not (wanted or launches or works):
            return program
        return cls(
            _names(_kernels(data, cuda, opencl)),
            _names(launches),
            _names(_INSTANCE.findall(data)) if device or launches else (),
            _names(_keywords(data, cuda, opencl)),
            _names(word for test in _TESTED.findall(data) for word in _WORD.findall(test) if word != b"defined")
            if wanted
            else (),
            says_kernel(data, cuda, opencl) or program.speaks,
            device,
            works or program.works,
        )


NOTHING = FileFacts()


@dataclass(frozen=True, slots=True)
class Started(Said):
    """Names that a Python program calls as kernels of other modules may be launched, ``name[grid, block](...)`` and
    ``name.forall(n)(...)``; found apart, as many a call has the look of one where no module has a kernel."""

    started: tuple[str, ...] = ()
    python = True

    @classmethod
    def of(cls, path: str, data: bytes) -> Started:
        """What a program's text ``data`` calls so."""
        called = path[-3:].lower() == ".py" and (b"](" in data or b"forall" in data)
        return cls(_names(_started(data))) if called else cls()


@dataclass(frozen=True, slots=True)
class Includes(Said):
    """Names that a file includes, as written, behind ``"`` or ``<`` for how each is quoted."""

    includes: tuple[str, ...] = ()

    @classmethod
    def of(cls, path: str, data: bytes) -> Includes:
        """What a file's text ``data`` includes."""
        if path[-3:].lower() == ".py" or b"include" not in data:
            return cls()
        return cls(_names(kind + name.strip() for kind, name in _INCLUDE.findall(data)))


@dataclass(frozen=True, slots=True)
class Programs(Said):
    """What a file gives to compilers of programs that it builds when it runs, see
    :func:`~kernlint.project.hostoptions.options_in`; ``words``: macros that it defines as words, ``NAME=VALUE``, or
    ``NAME`` where the host works the word out, also where others build the program."""

    options: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    @classmethod
    def of(cls, path: str, data: bytes) -> Programs:
        """What a file's text ``data`` gives."""
        from kernlint.project.hostoptions import options_in, words_in

        if path[-3:].lower() == ".py":
            compiles = any(word in data for word in (b"pyopencl", b"pycuda", b"cupy", b"_cuda_cflags"))
            return cls(*options_in(data, True)) if compiles and (b"-D" in data or b"-I" in data) else cls()
        if b'"-D' not in data and b"rogram" not in data:
            return cls()
        built = _BUILT.search(data) is not None
        if not built and b'"-D' not in data:
            return cls()
        options, sources = options_in(data, False)
        return cls(options if built else (), sources if built else (), words_in(options))


@dataclass(frozen=True, slots=True)
class Defined(Said):
    """Names that a file gives a meaning (see :mod:`kernlint.project.definitions`)."""

    defined: tuple[str, ...] = ()

    @classmethod
    def of(cls, path: str, data: bytes) -> Defined:
        """The names of a file's text ``data``."""
        from kernlint.project.definitions import names_defined

        return cls() if path[-3:].lower() == ".py" else cls(_names(names_defined(path, data)))


def look(kind: type[Kind], path: str, size: int) -> Kind:
    """What the file at ``path`` of about ``size`` bytes says; nothing when it cannot be read (any more)."""
    data = words.read(path, size)
    said = kind() if data is None else kind.of(path, data)
    assert isinstance(said, kind)
    return said


def _of_python(data: bytes) -> FileFacts:
    if words.silent(data):
        return NOTHING
    library = words.names_library(data)
    void = b"void" in data  # what a kernel in a text returns
    cuda = void and b"__global__" in data
    opencl = void and b"kernel" in data
    if not (cuda or opencl or library):
        return NOTHING
    started = library and any(name in data for name in _PROGRAMS)
    launches = _METHOD.findall(data) + _GOT.findall(data) + _HELPED.findall(data) if started else []
    if started:
        launches += _PASSED.findall(data)
    kernels = _names(_kernels(data, cuda, opencl))
    speaks = says_kernel(data, cuda, opencl) or (library and makes_kernels(data))
    works = library and works_in_python(data)
    if not (launches or kernels or speaks or works):
        return NOTHING
    return FileFacts(kernels, _names(launches), speaks=speaks, works=works)


def _started(data: bytes) -> Iterator[bytes]:
    """Names that are called through a subscript, or by ``forall``; only the lines of such calls are looked at."""
    for word in (b"](", b"forall"):
        at = data.find(word)
        while at >= 0:
            end = data.find(b"\n", at)
            end = len(data) if end < 0 else end
            above = data.rfind(b"\n", 0, max(0, data.rfind(b"\n", 0, at))) + 1
            yield from _STARTED.findall(data, above, end)
            at = data.find(word, end)


def _kernels(data: bytes, cuda: bool, opencl: bool) -> Iterator[bytes]:
    for there, expression in ((cuda, _CUDA_KERNEL), (opencl, _OPENCL_KERNEL)):
        if there:
            yield from (name for head in expression.findall(data) for name in head if name and name not in _NOT_NAMES)


def _keywords(data: bytes, cuda: bool, opencl: bool) -> Iterator[bytes]:
    """Macros that stand for the keyword of a kernel, and no other spelling of the keyword itself."""
    if not (cuda or opencl) or b"define" not in data:
        return
    for line in _lines_with(data, ((cuda, b"__global__"), (opencl, b"kernel"))):
        for name, body in _MACRO.findall(line):
            if _KEYWORD.search(body) and name not in (b"__global__", b"__kernel", b"kernel"):
                yield name + b"{" if b"{" in body else name


def _lines_with(data: bytes, words: tuple[tuple[bool, bytes], ...]) -> Iterator[bytes]:
    """The lines, with those that continue them, in which a definition stands before one of the words, in order."""
    starts: dict[int, None] = {}
    for there, word in words:
        at = data.find(word) if there else -1
        while at >= 0:
            start = data.rfind(b"\n", 0, at) + 1
            while start and data[max(0, start - 3) : start].rstrip(b"\r\n").endswith(b"\\"):
                start = data.rfind(b"\n", 0, start - 1) + 1
            if data.find(b"define", start, at) >= 0:
                starts[start] = None
            at = data.find(word, at + len(word))
    for start in sorted(starts):
        match = _LINE_END.match(data, start)
        if match is not None:
            yield match.group()


def _handed(data: bytes, launched: bytes) -> Iterator[bytes]:
    """Names that are handed to a function of the file, a template mostly, whose parameter ``launched`` is:
    ``Kernel kernel`` or ``void (*kernel)(Params...)``."""
    word = re.escape(launched)
    for head in re.finditer(
        rb"[\w>&*]\s*[\s&*]" + word + rb"\s*[,)]|\(\s*\*\s*(?:const\s+)?" + word + rb"\s*\)\s*\(", data
    ):
        opened = _opened(data, head.start())
        name = _LAST_WORD.search(data, max(0, opened - 80), opened) if opened > 0 else None
        by_pointer = head.group().endswith(b"(")
        if name is not None and (by_pointer or b"template" in data[max(0, name.start() - 200) : name.start()]):
            for call in re.finditer(rb"\b" + re.escape(name.group(1)) + rb"\s*(?:<[^<>;{}]*>\s*)?\(", data):
                yield from _WORD.findall(data[call.end() : call.end() + 200].partition(b";")[0])
            return


def _opened(data: bytes, at: int) -> int:
    """Where the bracket opens that ``at`` stands in; negative if that is far away."""
    depth = 0
    for place in range(at - 1, max(-1, at - 200), -1):
        depth += (data[place] == 0x29) - (data[place] == 0x28)  # ) and (
        if depth < 0:
            return place
    return -1


def _launches(data: bytes, kernel: bool, named: bool) -> list[bytes]:
    from kernlint.text.chevrons import joined

    data = joined(data)
    found: list[bytes] = []
    at = data.find(b"<<<")
    while at >= 0:
        if (match := _TRIPLE.search(data, max(0, at - 300), at)) is not None:
            found.append(match.group(1))
        at = data.find(b"<<<", at + 3)
    if kernel and b"Launch" in data:
        found += (name.rpartition(b"::")[2] for name in _BY_NAME.findall(data))
    if found and (b"template" in data or b"(*" in data):
        found += [name for launched in dict.fromkeys(found) for name in _handed(data, launched)]
    if kernel and b"Kernel" in data:
        found += _CREATED.findall(data)
        if b"etFunction" in data:
            found += _GOT.findall(data)
    if named:
        found += _TEXT.findall(data)  # kernels are looked up by functions of the project's own, and by lists of names
    return found


def _names(found: Iterable[bytes]) -> tuple[str, ...]:
    if not found:
        return ()
    return tuple(name.decode("utf-8", "surrogateescape") for name in islice(dict.fromkeys(found), MOST))
