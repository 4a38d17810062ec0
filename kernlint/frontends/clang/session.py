"""From the bytes of a source to a parsed translation unit.

``parse`` puts together the language's arguments, the prelude, the missing headers and the text in memory, and hands
back a ``ParseResult``, which owns the translation unit. Nothing is written to the source's folder and no file outside
the include folders is read.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from kernlint.frontends.base import FrontendError
from kernlint.frontends.clang.compiler import Diagnostic, parse_unit, read_diagnostics, read_skipped
from kernlint.frontends.clang.includes import VIRTUAL_FOLDER, IncludeScan, scan_includes
from kernlint.frontends.clang.kinds import Severity
from kernlint.frontends.clang.options import Language, ParseOptions, base_arguments, source_arguments
from kernlint.frontends.clang.prelude import CACHE, precompiled_arguments, prelude_headers, text_arguments
from kernlint.frontends.clang.stubs import StubChoice
from kernlint.frontends.clang.unit import Unit


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
    choice = StubChoice(language)
    includes = scan_includes(name, text, options.include_dirs, look=choice.see, resolved=choice.found)
    headers = prelude_headers(language, choice.headers())
    scanned = time.perf_counter()
    content = text + b"\n" + appended.encode() if appended else text
    files = {name: content, **dict.fromkeys(sorted(includes.virtual), b"\n")}
    unit = _parse_with_prelude(
        name, base_arguments(language, options), headers, source_arguments(options), files, use_cache
    )
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


def _parse_with_prelude(
    path: str,
    base: list[str],
    headers: tuple[Path, ...],
    rest: list[str],
    files: Mapping[str, bytes],
    use_cache: bool,
) -> Unit:
    """Parse with the precompiled prelude, or with its text where that is not to be had."""
    rest = [*rest, f"-I{VIRTUAL_FOLDER}"]
    if ready := precompiled_arguments(headers, base, use_cache):
        loading, key = ready
        try:
            return parse_unit(path, [*base, *loading, *rest], files)
        except FrontendError:
            CACHE.forget(key)
    return parse_unit(path, [*base, *text_arguments(headers), *rest], files)
