"""Running clang: one call to the library's parser, and what it said.

Nothing of this machine leaks into a parse: environment variables and configuration files through which a compiler
driver picks up folders or options are put out of its way.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from kernlint.frontends.base import FrontendError
from kernlint.frontends.clang.kinds import ParseFlag, Severity
from kernlint.frontends.clang.native import LIB, CXUnsavedFile, take
from kernlint.frontends.clang.unit import Unit
from kernlint.record import dataclass
from kernlint.text.patterns import pattern

PARSE_FLAGS = ParseFlag.KEEP_GOING | ParseFlag.DETAILED_PREPROCESSING_RECORD
_PRELUDE_FLAGS = ParseFlag.INCOMPLETE | ParseFlag.FOR_SERIALIZATION

_ERROR_CODES = {
    1: "clang failed",
    2: "clang crashed",
    3: "clang refused its arguments",
    4: "clang could not read a precompiled header",
}

_ENVIRONMENT = (
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "OBJC_INCLUDE_PATH",
    "CCC_OVERRIDE_OPTIONS",
    "SDKROOT",
)
STACK_BYTES = 512 << 20
"""Stack for a parse; only what is used of it becomes memory.  Clang takes some 2 KB for a level of nesting."""

LAST_SECONDS = 3.0
"""How long an interrupt waits for a parse to end."""

_TELLING = pattern(
    r"too (?:few|many) arguments to function call|no matching (?:member )?function for|redefinition of "
    r"|reference to __host__ function"
)
"""Errors of which the notes say what is to be known."""

_stack_lock = threading.Lock()
_environment_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A message of the compiler. ``offset`` is in bytes, line and column count from 1, column in bytes.

    ``notes``: the places (file, offset) that it names beside, among them those that asked for a template's instance;
    ``said``: what stands there, for errors about calls and second definitions.
    """

    severity: Severity
    message: str
    file: str | None
    line: int
    column: int
    offset: int
    notes: tuple[tuple[str | None, int], ...] = ()
    said: tuple[str, ...] = ()


class _Index:
    """The one index of this process; translation units of an index that is freed would dangle."""

    handle: int | None = None

    @classmethod
    def get(cls) -> int:
        if cls.handle is None:
            cls.handle = LIB.createIndex(1, 0)  # declarations of a precompiled header are not top-level ones
        assert cls.handle is not None
        return cls.handle


def parse_unit(path: str, arguments: Sequence[str], files: Mapping[str, bytes], flags: int = int(PARSE_FLAGS)) -> Unit:
    """Run clang on ``path``, which must be among ``files`` (path to content), the files that exist only in memory.

    Raises ``FrontendError`` when no translation unit comes back.
    """
    handle = ctypes.c_void_p()
    encoded = [os.fsencode(argument) for argument in arguments]
    argv = (ctypes.c_char_p * len(encoded))(*encoded)
    unsaved = (CXUnsavedFile * len(files))(
        *(CXUnsavedFile(os.fsencode(name), content, len(content)) for name, content in files.items())
    )

    def parse() -> int:
        code: int = LIB.parseTranslationUnit2(
            _Index.get(), os.fsencode(path), argv, len(argv), unsaved, len(unsaved), flags, ctypes.byref(handle)
        )
        return code

    os.environ.setdefault("LIBCLANG_NOTHREADS", "1")  # else the library makes a thread of its own, with a small stack
    with _plain_environment():
        code = _on_a_deep_stack(parse)
    if code != 0 or not handle.value:
        raise FrontendError(_ERROR_CODES.get(code, f"clang error {code}"))
    return Unit(handle.value, path, len(files[path]))


def _on_a_deep_stack(parse: Callable[[], int]) -> int:
    """The result of ``parse`` on a thread with :data:`STACK_BYTES`, or as many as the system gives.

    A recursive-descent parser overruns an ordinary stack on a few thousand prefix operators, and takes the process
    with it.  The thread does not keep an interrupted process alive.
    """
    codes: list[int] = []
    with _stack_lock:
        before = threading.stack_size()
        try:
            for size in (STACK_BYTES, STACK_BYTES // 8, 0):
                threading.stack_size(size)
                thread = threading.Thread(target=lambda: codes.append(parse()), daemon=True)
                try:
                    thread.start()
                    break
                except RuntimeError:  # not that much address space
                    continue
            else:
                return parse()
        finally:
            threading.stack_size(before)
    try:
        thread.join()
    except KeyboardInterrupt:  # the library is best left in order
        thread.join(LAST_SECONDS)
        raise
    return codes[0] if codes else 1


def precompile(headers: Sequence[str], arguments: Sequence[str], target: str) -> bool:
    """Write the precompiled form of ``headers`` to ``target``; False if clang would not."""
    main = "kernlint-prelude.h"
    text = "".join(f'#include "{header.replace(os.sep, "/")}"\n' for header in headers)
    try:
        unit = parse_unit(main, arguments, {main: text.encode()}, int(_PRELUDE_FLAGS))
    except FrontendError:
        return False
    try:
        if any(diagnostic.severity >= Severity.ERROR for diagnostic in read_diagnostics(unit)):
            return False
        return bool(LIB.saveTranslationUnit(unit.live_handle(), os.fsencode(target), 0) == 0)
    finally:
        unit.dispose()


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
        telling = severity is Severity.ERROR and _TELLING.match(message) is not None
        notes = _notes(unit, raw) if telling or severity is Severity.WARNING else ()
        LIB.disposeDiagnostic(raw)
        places, said = tuple(each[:2] for each in notes), tuple(each[2] for each in notes) if telling else ()
        result.append(Diagnostic(severity, message, *place, places, said))
    return tuple(result)


def _notes(unit: Unit, diagnostic: int) -> tuple[tuple[str | None, int, str], ...]:
    """Where the notes of a diagnostic stand and what they say; the set they come in is the diagnostic's own."""
    children = LIB.getChildDiagnostics(diagnostic)
    found = []
    for index in range(LIB.getNumDiagnosticsInSet(children)):
        raw = LIB.getDiagnosticInSet(children, index)
        file, _, _, offset = unit.location_of(LIB.getDiagnosticLocation(raw))
        found.append((file, offset, take(LIB.getDiagnosticSpelling(raw))))
        LIB.disposeDiagnostic(raw)
    return tuple(found)


def read_skipped(unit: Unit) -> tuple[tuple[int, int], ...]:
    """Byte ranges of the main file that the preprocessor skipped, directives excluded, in order."""
    if not unit.main_file:
        return ()
    ranges = LIB.getSkippedRanges(unit.live_handle(), unit.main_file)
    try:
        listed = ranges.contents
        extents = [unit.extent_of(listed.ranges[i]) for i in range(listed.count)]
    finally:
        LIB.disposeSourceRangeList(ranges)
    return tuple((extent.start, extent.end) for extent in extents)
