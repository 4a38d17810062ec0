"""From the bytes of a source to a parsed translation unit.

``parse`` puts together the language's arguments, the prelude, the missing headers and the text in memory, and hands
back a ``ParseResult``, which owns the translation unit. Nothing is written to the source's folder and no file outside
the include folders is read.
"""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType

from kernlint.frontends.base import FrontendError
from kernlint.frontends.clang.cursor import Unit
from kernlint.frontends.clang.includes import VIRTUAL_FOLDER, IncludeScan, scan_includes
from kernlint.frontends.clang.kinds import ParseFlag, Severity
from kernlint.frontends.clang.native import LIB, CXUnsavedFile, take
from kernlint.frontends.clang.options import Language, ParseOptions, base_arguments, source_arguments
from kernlint.frontends.clang.prelude import prelude_headers

PARSE_FLAGS = ParseFlag.KEEP_GOING | ParseFlag.DETAILED_PREPROCESSING_RECORD

_ERROR_CODES = {1: "clang failed", 2: "clang crashed", 3: "invalid arguments", 4: "an AST file could not be read"}

# Variables through which a driver would pick up folders or options of this machine.
_ENVIRONMENT = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH", "CCC_OVERRIDE_OPTIONS", "SDKROOT")
_environment_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A message of the compiler. ``offset`` is in bytes, line and column count from 1, column in bytes."""

    severity: Severity
    message: str
    file: str | None
    line: int
    column: int
    offset: int


@dataclass(slots=True)
class ParseResult:
    """A parsed source; close it (or use it as a context manager) when its cursors are no longer needed.

    ``text`` is what was parsed, without ``appended``. ``skipped`` are the byte ranges of the main file that an inactive
    ``#if`` left out. ``missing`` are the headers that were not found, ``refused`` notes on what was not read, and
    ``synthesised`` the names whose declarations were made up: no conclusion may rest on their types or values.
    ``seconds`` has the time spent in each stage.
    """

    unit: Unit
    path: str
    text: bytes
    language: Language
    options: ParseOptions
    diagnostics: tuple[Diagnostic, ...]
    skipped: tuple[tuple[int, int], ...]
    includes: IncludeScan
    synthesised: frozenset[str] = frozenset()
    appended: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def missing(self) -> frozenset[str]:
        """Names of headers that were not found and were served empty."""
        return self.includes.missing

    @property
    def refused(self) -> tuple[str, ...]:
        """Notes on headers that exist but were not read."""
        return self.includes.refused

    def errors(self) -> Iterator[Diagnostic]:
        """The diagnostics that are errors."""
        return (d for d in self.diagnostics if d.severity >= Severity.ERROR)

    def close(self) -> None:
        """Free the translation unit; cursors and types of it must not be used afterwards."""
        self.unit.dispose()

    def __enter__(self) -> ParseResult:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.unit.dispose()


def parse(
    path: str | os.PathLike[str],
    text: bytes,
    language: Language,
    options: ParseOptions | None = None,
    *,
    appended: str = "",
    use_cache: bool = True,
) -> ParseResult:
    """Parse ``text`` (UTF-8, without a byte order mark) as the content of the file ``path``, which need not exist.

    ``appended`` is put behind the text in memory, so that offsets into the text stay valid.

    Raises ``FrontendError`` when libclang is missing or fails as a whole.
    """
    options = options or ParseOptions()
    name = os.fspath(path)
    started = time.perf_counter()
    includes = scan_includes(name, text, options.include_dirs)
    scanned = time.perf_counter()
    arguments = base_arguments(language, options)
    for header in prelude_headers(language):
        arguments += ["-include", str(header)]
    arguments += [*source_arguments(options), f"-I{VIRTUAL_FOLDER}"]
    content = text + b"\n" + appended.encode() if appended else text
    files = {name: content, **dict.fromkeys(sorted(includes.virtual), b"\n")}
    unit = parse_unit(name, arguments, files)
    parsed = time.perf_counter()
    return ParseResult(
        unit=unit,
        path=name,
        text=text,
        language=language,
        options=options,
        diagnostics=read_diagnostics(unit),
        skipped=read_skipped(unit),
        includes=includes,
        appended=appended,
        seconds={"includes": scanned - started, "parse": parsed - scanned},
    )


class _Index:
    """The one index of this process; translation units of an index that is freed would dangle."""

    handle: int | None = None

    @classmethod
    def get(cls) -> int:
        if cls.handle is None:
            cls.handle = LIB.createIndex(1, 0)  # declarations of a precompiled header are not top-level ones
        assert cls.handle is not None
        return cls.handle


def parse_unit(path: str, arguments: list[str], files: Mapping[str, bytes], flags: int = PARSE_FLAGS) -> Unit:
    """Run clang on ``path``, with ``files`` (path to content) overriding the file system.

    Raises ``FrontendError`` when no translation unit comes back.
    """
    handle = ctypes.c_void_p()
    encoded = [os.fsencode(argument) for argument in arguments]
    argv = (ctypes.c_char_p * len(encoded))(*encoded)
    unsaved = (CXUnsavedFile * len(files))(
        *(CXUnsavedFile(os.fsencode(name), content, len(content)) for name, content in files.items())
    )
    with _plain_environment():
        code = LIB.parseTranslationUnit2(
            _Index.get(), os.fsencode(path), argv, len(argv), unsaved, len(unsaved), int(flags), ctypes.byref(handle)
        )
    if code != 0 or not handle.value:
        raise FrontendError(_ERROR_CODES.get(code, f"clang error {code}"))
    return Unit(handle.value, path, len(files[path]) if path in files else os.path.getsize(path))


@contextmanager
def _plain_environment() -> Iterator[None]:
    present = [name for name in _ENVIRONMENT if name in os.environ]
    if not present:
        yield
        return
    with _environment_lock:
        saved = {name: os.environ.pop(name) for name in present if name in os.environ}
        try:
            yield
        finally:
            os.environ.update(saved)


def read_diagnostics(unit: Unit) -> tuple[Diagnostic, ...]:
    """All diagnostics of a unit, in the order they were given."""
    handle = unit.live_handle()
    result = []
    for index in range(LIB.getNumDiagnostics(handle)):
        raw = LIB.getDiagnostic(handle, index)
        severity = Severity(LIB.getDiagnosticSeverity(raw))
        message = take(LIB.getDiagnosticSpelling(raw))
        place = unit.location_of(LIB.getDiagnosticLocation(raw))
        LIB.disposeDiagnostic(raw)
        result.append(Diagnostic(severity, message, *place))
    return tuple(result)


def read_skipped(unit: Unit) -> tuple[tuple[int, int], ...]:
    """Byte ranges of the main file that the preprocessor skipped, directives excluded, in order."""
    main = unit.main_file
    if not main:
        return ()
    ranges = LIB.getSkippedRanges(unit.live_handle(), main)
    try:
        listed = ranges.contents
        extents = [unit.extent_of(listed.ranges[i]) for i in range(listed.count)]
    finally:
        LIB.disposeSourceRangeList(ranges)
    return tuple((extent.start, extent.end) for extent in extents)
