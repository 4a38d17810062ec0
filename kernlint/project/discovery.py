"""Which files a run looks at: named ones as they are, folders walked for kernel sources."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator

from kernlint.project import gitignored
from kernlint.project.tree import HOST_SOURCES, HOST_SUFFIXES, KERNEL_SUFFIXES, KERNEL_TEMPLATES, SKIPPED_FOLDERS
from kernlint.record import dataclass
from kernlint.text.patterns import pattern

MOST_HOSTS = 60
"""Files without a kernel that are looked at under one folder, as each costs a reading of all that it includes."""

# Each begins with a literal, which is found at the speed of memory; what must stand before it is looked at behind it.
_KERNEL = pattern(rb"kernel(?:(?<=\b__kernel)|(?<!\wkernel)\s+(?:__attribute__\s*\(\(.*?\)\)\s*)?void)\b")
_GLOBAL = pattern(rb"__global__(?<!\w__global__)\b")
_MADE = pattern(rb"Kernel(?:(?<=\bElementwiseKernel)|(?<=\bReductionKernel)|(?<=ScanKernel))\b")
_BUILDER = pattern(rb"ListOfListsBuilder(?<!\wListOfListsBuilder)\b")
_NUMBA = pattern(rb"numba(?<!\wnumba)(?:_cuda|_hip)?\s*\.\s*(?:cuda|hip|roc)\b")
_RENAMED = pattern(rb"\b(?:cuda|hip|roc)\s+as\s+(\w+)")
_JIT = pattern(rb"jit(?<!\wjit)\b")
_COMPILER = pattern(rb"\b(?:cuda|hip|roc)\s*\.\s*\Z")
_HANDED_ON = pattern(rb"@[ \t]*(?:\w+\.)*cuda_jit\b")
_RAW = pattern(rb"rawkernel(?<!\wrawkernel)\b")

_WORKS = pattern(
    rb"\b(?:(?:cuda|hip)(?:M(?:alloc|emcpy|emset)|HostAlloc|HostMalloc|LaunchK)\w*|cuMem(?:Alloc|cpy|set)\w*"
    rb"|cuLaunchKernel\w*|cl(?:CreateBuffer|Enqueue[RWN]\w+|SetKernelArg)"
    rb"|enqueue(?:ReadBuffer|WriteBuffer|NDRangeKernel))\s*\("
)
_RUNTIMES = (b"cuda", b"hip", b"cuMem", b"clEnq", b"cl::")
_WORDS = (b"cudaM", b"cudaHostA", b"cudaL", b"hipM", b"hipHost", b"hipL", b"cuMem", b"cuLaunch", b"clCreateB", b"clEnq",
          b"clSetKernelA", b"enqueueRead", b"enqueueWrite", b"enqueueND")  # fmt: skip
_PYTHON_WORKS = pattern(rb"\b(?:enqueue_copy|memcpy_[hd]to[hd]\w*|mem_alloc)\s*\(")

_SCAN_BYTES = 4 << 20
"""A host file is scanned this far for a kernel."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file to analyse.  ``named``: the user named it, rather than a folder above it."""

    path: str
    named: bool


def holds_kernels(path: str) -> bool:
    """Whether the text of ``path`` looks as if it held a kernel; False when it cannot be read."""
    try:
        with open(path, "rb") as handle:
            return speaks_of_kernels(path, handle.read(_SCAN_BYTES))
    except OSError:
        return False


def speaks_of_kernels(path: str, data: bytes) -> bool:
    """Whether the text ``data`` of a host file looks as if it held a kernel."""
    notebook = path.lower().endswith(".ipynb")
    if notebook:
        data = data.replace(b"\\n", b"\n")  # lines of a cell as JSON has them
    return says_kernel(data) or ((notebook or path.lower().endswith(".py")) and makes_kernels(data))


def says_kernel(data: bytes, cuda: bool = True, opencl: bool = True) -> bool:
    """Whether the keyword of a kernel stands in a text; ``cuda``, ``opencl``: whether it may be one of theirs."""
    return (cuda and _GLOBAL.search(data) is not None) or (opencl and _KERNEL.search(data) is not None)


def works_with_devices(data: bytes) -> bool:
    """Whether a program of C or C++ speaks of calls that allocate, copy or launch."""
    if not any(word in data for word in _RUNTIMES):  # most files: few words to look for
        return False
    return any(word in data for word in _WORDS) and _WORKS.search(data) is not None


def works_in_python(data: bytes) -> bool:
    """Whether a Python program speaks of copies and allocations by bytes."""
    return (b"pyopencl" in data or b"pycuda" in data) and _PYTHON_WORKS.search(data) is not None


def makes_kernels(data: bytes) -> bool:
    """Whether a Python program speaks of kernels that a library makes of snippets or compiles of its functions."""
    if _MADE.search(data) is not None or _BUILDER.search(data) is not None:
        return True
    if b"numba" in data:
        if _NUMBA.search(data) is not None:
            return True
        if any(re.search(rb"\b" + name + rb"\s*\.\s*jit\b", data) for name in set(_RENAMED.findall(data))):
            return True
    if b"cuda_jit" in data and _HANDED_ON.search(data) is not None:
        return True
    if b"rawkernel" in data and _RAW.search(data) is not None:
        return True
    jits = _JIT.finditer(data) if b"jit" in data else ()
    return any(_COMPILER.search(data, max(0, jit.start() - 24), jit.start()) is not None for jit in jits)


def find(
    paths: Iterable[str],
    excluded: Callable[[str, bool], bool] = lambda path, is_file: False,
    gitignore: bool = True,
    holds: Callable[[str, str], bool | None] = lambda path, real: holds_kernels(path),
    ignored: Callable[[str], frozenset[str]] = gitignored.ignored,
    works: Callable[[str, str], bool] = lambda path, real: False,
    passed: list[str] | None = None,
) -> Iterator[Found]:
    """The files that ``paths`` mean, each once, in the order given, folders in the order of their names.

    A named file is handed on whatever it is, also when it does not exist: reading it says what is wrong.
    ``excluded`` keeps files and folders that were not named out (it is told which of both a path is); so does git, in a
    work tree, unless ``gitignore`` is off.  ``holds`` says whether the host file at a path, and at its real path, has a
    kernel, and None for one that says nothing at all; ``ignored`` what git ignores below a folder, a real path;
    ``works`` whether host code without a kernel works with devices: of each folder :data:`MOST_HOSTS` such files are
    meant, and ``passed`` gets the others.
    """
    seen: set[str] = set()
    for path in paths:
        named = not os.path.isdir(path)
        walk = _Walk(excluded, gitignore, holds, ignored, works, passed if passed is not None else [])
        for file, real in ((path, os.path.realpath(path)),) if named else _folder(path, walk):
            if real not in seen:
                seen.add(real)
                yield Found(file, named)


def _folder(path: str, walk: _Walk) -> Iterator[tuple[str, str]]:
    real = os.path.realpath(path)
    skipped = walk.ignored(real) if walk.gitignore and gitignored.in_work_tree(real) else frozenset[str]()
    return walk.files(os.path.normpath(path), real, skipped, frozenset())


@dataclass(slots=True)
class _Walk:
    """A walk for kernel files, and for some host code.  ``hosts``: how many files without a kernel it has met."""

    excluded: Callable[[str, bool], bool]
    gitignore: bool
    holds: Callable[[str, str], bool | None]
    ignored: Callable[[str], frozenset[str]]
    works: Callable[[str, str], bool]
    passed: list[str]
    hosts: int = 0

    def files(
        self, folder: str, real: str, skipped: frozenset[str], above: frozenset[str]
    ) -> Iterator[tuple[str, str]]:
        """(path, real path) of the kernel files under ``folder``, whose real path is ``real``.

        ``skipped``: real paths that git ignores; ``above``: real folders on the way down, so that loops end.
        """
        if real in above:
            return
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            return
        head = "" if folder == os.curdir else os.path.join(folder, "")
        real_head = os.path.join(real, "")
        if above and self.gitignore and any(entry.name == ".git" for entry in entries):
            skipped = self.ignored(real)  # a work tree of its own
        folders = []
        for entry in entries:
            name = entry.name
            path = head + name
            try:
                is_folder = entry.is_dir()
                real_path = os.path.realpath(path) if entry.is_symlink() else real_head + name
                if real_path in skipped or not (is_folder or entry.is_file()):
                    continue
            except OSError:  # a loop of links
                continue
            if is_folder:
                if not (name.startswith(".") or name in SKIPPED_FOLDERS or self.excluded(path, False)):
                    folders.append((path, real_path))
            elif self._wanted(name, path, real_path) and not self.excluded(path, True):
                yield path, real_path
        for path, real_path in folders:
            yield from self.files(path, real_path, skipped, above | {real})

    def _wanted(self, name: str, path: str, real: str) -> bool:
        dot = name.rfind(".")
        suffix = name[dot:].lower() if dot > 0 else ""
        if suffix in KERNEL_SUFFIXES or (suffix == ".in" and name.lower().endswith(KERNEL_TEMPLATES)):
            return True
        if suffix in HOST_SUFFIXES and (holds := self.holds(path, real)) is not False:
            return holds is True
        if suffix not in HOST_SOURCES or not self.works(path, real) or self.excluded(path, True):
            return False
        self.hosts += 1
        if self.hosts > MOST_HOSTS:
            self.passed.append(path)
        return self.hosts <= MOST_HOSTS
