"""From the bytes of a source to a parsed translation unit.

``parse`` puts together the language's arguments, the prelude, the missing headers and the text in memory, and hands
back a ``ParseResult``, which owns the translation unit. Nothing is written to the source's folder and no file outside
the include folders is read.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType

from kernlint.frontends.base import Defined, FrontendError, Served, Surroundings
from kernlint.frontends.clang.braced import parenthesised
from kernlint.frontends.clang.compiler import Diagnostic, parse_unit, read_diagnostics, read_skipped
from kernlint.frontends.clang.embedded import unwrapped
from kernlint.frontends.clang.includes import VIRTUAL_FOLDER, FindOwn, IncludeScan, scan_includes
from kernlint.frontends.clang.kinds import Severity
from kernlint.frontends.clang.losses import Losses, count_losses
from kernlint.frontends.clang.options import Language, ParseOptions, base_arguments, source_arguments
from kernlint.frontends.clang.preceding import (
    MAX_INCLUDERS,
    MOST_NAMES,
    ROUNDS,
    Preceding,
    lacking,
    leads_to,
    until_included,
)
from kernlint.frontends.clang.prelude import CACHE, FOLDER, precompiled_arguments, prelude_headers, text_arguments
from kernlint.frontends.clang.qualifiers import linked_names, qualifiers
from kernlint.frontends.clang.sregs import escaped
from kernlint.frontends.clang.starts import (
    NOTHING_BEFORE,
    NOTHING_MADE_UP,
    MadeUpText,
    Promising,
    Recipe,
    Recipes,
    Start,
)
from kernlint.frontends.clang.stubs import StubChoice, is_foreign, served
from kernlint.frontends.clang.unit import Unit
from kernlint.frontends.clang.unknowns import Role, unknown_names
from kernlint.record import dataclass, replace
from kernlint.text.branches import holds_code
from kernlint.text.chevrons import joined
from kernlint.text.patterns import pattern

SYNTHESISED_HEADER = f"{VIRTUAL_FOLDER}/__kernlint_made_up__.h"
"""The file, present only in memory, that made-up declarations stand in."""

SETTING_HEADER = f"{VIRTUAL_FOLDER}/__kernlint_setting__.h"
"""The file, present only in memory, with the macros of a setting."""

BEFORE_HEADER = f"{VIRTUAL_FOLDER}/__kernlint_before__.h"
"""The file, present only in memory, with the lines that the project puts before the source."""

MAX_ROUNDS = 4
"""Parses with made-up declarations that one source may cost."""

MIN_ROUNDS = 2
"""Parses from which on there is another one only for what device code lacks."""


MAX_DECLARATIONS = 1000
"""Function instances and other declarations of a source from which on another round would cost too much."""


LARGE = 1 << 18
"""Bytes of a source and its headers from which on declarations that brought nothing back are the last."""

MADE_UP_WEIGHT = 96 << 20
"""Bytes of trees that parses with made-up declarations may make for one source; some sixty take a second. Where the
last of several has brought back a quarter of what was lost, two and a half times as many."""

TEXT = 4
"""Bytes of trees that are made while one byte of text is looked at."""

HEAVY = 1 << 20
"""Bytes of a source and its headers from which on nothing is made up for a source without device code of its own."""

_DEVICE = pattern(rb"__global__|__device__|<< ?<|\bkernel\b|__kernel")


_Scan = tuple["Surroundings | None", IncludeScan, tuple[str, ...]]


class _Scans:
    """What texts include and which preludes fit, where that is kept: a source has the same under every setting."""

    kept: dict[object, _Scan] | None = None


@contextmanager
def one_source() -> Iterator[None]:
    """In the ``with`` body headers are taken not to change."""
    _Scans.kept = {}
    try:
        yield
    finally:
        _Scans.kept = None


@dataclass(frozen=True, slots=True)
class _Job:
    """All that a parse of one source is made of, but what is appended or made up.

    ``parts``: of the files before it those that include the source, up to where they do: it has its place in them.
    """

    path: str
    text: bytes
    language: Language
    options: ParseOptions
    includes: IncludeScan
    headers: tuple[str, ...]
    use_cache: bool
    before: Preceding
    parts: Mapping[str, bytes]

    @classmethod
    def of(
        cls,
        path: str,
        text: bytes,
        language: Language,
        options: ParseOptions,
        use_cache: bool,
        before: Preceding = NOTHING_BEFORE,
    ) -> _Job:
        """What there is to read for a source with what goes ``before`` it; what that includes is not forced too."""
        parts = {file: part for file in before.files if (part := until_included(file, path)) is not None}
        if parts and options.forced:
            forced = tuple(file for file in options.forced if not any(leads_to(each, file) for each in parts))
            options = replace(options, forced=forced)
        quoted = (os.fsencode(file) for file in (*options.forced, *before.files))
        whole = b"".join(b'#include "%b"\n' % file for file in quoted) + text
        key = (path, whole, language, options.include_dirs)
        scans = _Scans.kept if _Scans.kept is not None else {}
        known = scans.get(key)
        if known is None or known[0] is not options.around:
            choice = StubChoice(language)
            includes = scan_includes(
                path,
                whole,
                options.include_dirs,
                look=choice.see,
                resolved=choice.found,
                own=own_headers(options.around, language),
                unwrap=unwrapped if language is Language.OPENCL else escaped,
            )
            known = scans[key] = options.around, includes, prelude_headers(language, choice.headers())
        _, includes, headers = known
        return cls(path, text, language, options, includes, headers, use_cache, before, parts)

    def preceded(self, found: Iterable[Defined], names: frozenset[str]) -> _Job:
        """The same with what was ``found`` for ``names`` before the source."""
        before = Preceding.of(found, names)
        before = replace(before, lines=tuple(dict.fromkeys((*self.before.lines, *before.lines))))
        return _Job.of(self.path, self.text, self.language, self.options, self.use_cache, before)

    @property
    def heavy(self) -> bool:
        """Whether a parse costs much and what it loses is code of headers alone."""
        return self.includes.size > HEAVY and not self.options.about and _DEVICE.search(self.text) is None

    def run(self, appended: str, made_up: str) -> Unit:
        """Parse once, with the precompiled prelude or with its text where that is not to be had."""
        text = self.text if self.language is Language.OPENCL else escaped(parenthesised(joined(self.text)))
        content = text + b"\n" + appended.encode() if appended else text
        files = {self.path: content, **dict.fromkeys(sorted(self.includes.virtual), b"\n"), **self.includes.texts}
        base = base_arguments(self.language, self.options)
        rest = [*source_arguments(self.options), f"-I{VIRTUAL_FOLDER}"]
        for file in self.before.files:
            rest += ["-include", file]
        files |= self.parts
        if self.before.lines:
            files[BEFORE_HEADER] = self.before.text.encode("latin-1", "replace")
            rest = ["-include", BEFORE_HEADER, *rest]
        if made_up:
            files[SYNTHESISED_HEADER] = made_up.encode("latin-1")
            rest = ["-include", SYNTHESISED_HEADER, *rest]
        if setting := _naming(self.includes.namers) + self.options.setting:
            files[SETTING_HEADER] = setting.encode()
            rest = ["-include", SETTING_HEADER, *rest]
        if ready := precompiled_arguments(self.headers, base, self.use_cache):
            loading, key = ready
            try:
                return parse_unit(self.path, [*base, *loading, *rest], files)
            except FrontendError:
                CACHE.forget(key)
        return parse_unit(self.path, [*base, *text_arguments(self.headers), *rest], files)


@dataclass(slots=True)
class ParseResult:
    """A parsed source; close it (or use it as a context manager) when its cursors are no longer needed.

    ``text`` is what was parsed, without ``appended``. ``skipped`` are the byte ranges of the main file with code that
    an inactive ``#if`` left out. ``synthesised`` are the qualified names whose declarations were made up: no conclusion
    may rest on their types or values; all of them are declared in the file ``SYNTHESISED_HEADER``. ``losses`` weighs
    the errors in device code (see ``losses``), ``rounds`` counts the parses it took, ``seconds`` the time spent in
    each stage.
    """

    unit: Unit
    path: str
    text: bytes
    language: Language
    options: ParseOptions
    diagnostics: tuple[Diagnostic, ...]
    skipped: tuple[tuple[int, int], ...]
    includes: IncludeScan
    synthesised: frozenset[str]
    losses: int
    rounds: int
    appended: str
    seconds: Mapping[str, float]
    start: Start
    _job: _Job
    _made_up: str

    @property
    def missing(self) -> frozenset[str]:
        """Names of headers that were not found and were served empty."""
        return self.includes.missing

    @property
    def refused(self) -> tuple[str, ...]:
        """Notes on headers that exist but were not read."""
        return self.includes.refused

    @property
    def made_up(self) -> MadeUpText:
        """The declarations that were made up."""
        return MadeUpText(self.synthesised, self._made_up, self.losses, self._job.before)

    @property
    def weight(self) -> int:
        """Bytes of the trees of all parses that it took, about, and of the texts, whose bytes take as long as
        :data:`TEXT` of a tree: what it cost, the same on every machine."""
        return (self.unit.weight + TEXT * self.includes.size) * self.rounds

    def errors(self) -> Iterator[Diagnostic]:
        """The diagnostics that are errors."""
        return (d for d in self.diagnostics if d.severity >= Severity.ERROR)

    def with_appended(self, appended: str) -> ParseResult:
        """The same source parsed once more with ``appended`` behind its text; this result stays valid.

        Raises ``FrontendError`` as ``parse`` does.
        """
        started = time.perf_counter()
        attempt = _Attempt.of(self._job, appended, frozenset(), self._made_up)
        attempt.names = self.synthesised
        return attempt.result({"parse": time.perf_counter() - started}, 1, self.start)

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


@dataclass(slots=True)
class _Attempt:
    """One parse and what it lost."""

    job: _Job
    appended: str
    unit: Unit
    diagnostics: tuple[Diagnostic, ...]
    skipped: tuple[tuple[int, int], ...]
    names: frozenset[str]
    made_up: str
    lost: Losses

    @classmethod
    def of(cls, job: _Job, appended: str, names: frozenset[str] = frozenset(), made_up: str = "") -> _Attempt:
        unit = job.run(appended, made_up)
        if job.options.about:
            unit.known_as = (os.path.realpath(job.options.about), job.options.about)
        diagnostics = read_diagnostics(unit)
        skipped = tuple(part for part in read_skipped(unit) if holds_code(job.text[slice(*part)]))
        lost = count_losses(unit, job.text, job.language, diagnostics, skipped)
        return cls(job, appended, unit, diagnostics, skipped, names, made_up, lost)

    @property
    def losses(self) -> int:
        """What errors cost, see :mod:`kernlint.frontends.clang.losses`."""
        return self.lost.weight

    @property
    def costly(self) -> tuple[Diagnostic, ...]:
        """The errors that cost something."""
        return tuple(d for d in self.diagnostics if (d.file, d.offset) in self.lost.places)

    @property
    def errors(self) -> int:
        """Errors of the compiler in the source itself."""
        return sum(d.severity >= Severity.ERROR and d.file == self.job.path for d in self.diagnostics)

    @property
    def start(self) -> Start:
        """What is to be known of it if it is the first."""
        unknown = frozenset(each.name for each in unknown_names(self.diagnostics, {})) if self.losses else frozenset()
        return Start(self.losses, unknown, self.skipped, self.made_up)

    def result(self, seconds: Mapping[str, float], rounds: int, start: Start) -> ParseResult:
        return ParseResult(
            unit=self.unit,
            path=self.job.path,
            text=self.job.text,
            language=self.job.language,
            options=self.job.options,
            diagnostics=self.diagnostics,
            skipped=self.skipped,
            includes=self.job.includes,
            synthesised=self.names,
            losses=self.losses,
            rounds=rounds,
            appended=self.appended,
            seconds=seconds,
            start=start,
            _job=self.job,
            _made_up=self.made_up,
        )


def parse(
    path: str | os.PathLike[str],
    text: bytes,
    language: Language,
    options: ParseOptions | None = None,
    *,
    appended: str = "",
    use_cache: bool = True,
    synthesise: bool = True,
    known: MadeUpText | None = None,
    promising: Promising | None = None,
) -> ParseResult:
    """Parse ``text`` (UTF-8, without a byte order mark) as the content of the file ``path``, which need not exist.

    ``appended`` is put behind the text in memory, so that offsets into the text stay valid. Where errors cost device
    code, the parse is repeated with declarations made up for the unknown names, and the attempt that lost least is
    kept; ``synthesise`` turns that off. ``known`` are the declarations made up for a parse of the same text under
    other settings: where they do as well here, one parse is enough; so it is where that is not ``promising``.

    Raises ``FrontendError`` when libclang is missing or fails as a whole.
    """
    options = options or ParseOptions()
    name = os.fspath(path)
    known = None if known is NOTHING_MADE_UP else known
    started = time.perf_counter()
    job = _Job.of(name, text, language, options, use_cache, known.before if known else NOTHING_BEFORE)
    scanned = time.perf_counter()
    key = _recipe_key(job, appended) if synthesise and not job.heavy else None
    made = _RECIPES.get(key)
    if made is not None and known is None and (promising is None or promising(made.start)):
        best, start, rounds = _Attempt.of(job, appended, made.names, made.text), made.start, made.rounds
        parsed = time.perf_counter()
    else:
        best = _Attempt.of(job, appended, known.names, known.text) if known else _Attempt.of(job, appended)
        best, rounds = _qualified(best) if synthesise and known is None else (best, 1)
        job, start = best.job, best.start
        parsed = time.perf_counter()
        if (
            synthesise
            and not job.heavy
            and (best.losses > (known.losses if known else 0) or (known is None and _hidden(best)))
            and (promising is None or promising(start))
        ):
            if made is not None:
                best.unit.dispose()
                best, rounds = _Attempt.of(job, appended, made.names, made.text), made.rounds
            else:
                again = best if known is None else _Attempt.of(job, appended)
                bare = again.start
                again, asked = _preceded(again)
                best, rounds = _complete(again.job, appended, again)
                rounds += asked
                if key is not None and bare.losses and best.job.before == NOTHING_BEFORE:
                    _RECIPES.keep(key, Recipe(bare, best.names, best.made_up, rounds))
    seconds = {
        "includes": scanned - started,
        "parse": parsed - scanned,
        "synthesis": time.perf_counter() - parsed,
    }
    return best.result(seconds, rounds, start)


_RECIPES = Recipes()


def _recipe_key(job: _Job, appended: str) -> object:
    """What a recipe for a source rests on; None where there is to be none."""
    if job.before != NOTHING_BEFORE or not any(not served(name, job.language) for name in job.includes.missing):
        return None
    options = replace(job.options, around=None, about="")
    scan = job.includes
    return job.path, hash(job.text), job.language, options, appended, scan.found, scan.missing, scan.size


def _naming(macros: tuple[str, ...]) -> str:
    """Definitions of macros that turn their argument into the name of a header, where the build does not give them."""
    lines = [f"#ifndef {name}\n#define {name}(...) __KL_TEXT(__VA_ARGS__)\n#endif" for name in macros]
    return "\n".join(["#define __KL_TEXT(...) #__VA_ARGS__", *lines, ""]) if macros else ""


def own_headers(around: Surroundings | None, language: Language) -> FindOwn | None:
    """How headers of the project are found that no include folder has; None where nothing is known of a project.

    What the preludes and stubs declare is not looked for: a copy of a toolkit or of a library in the tree is long,
    built for its own compiler, and says no more.  Within the library itself its headers are read.
    """
    if around is None:
        return None
    find = around.header

    def own(name: str, includer: str) -> Served | None:
        return None if is_foreign(name, includer, language) else find(name, includer)

    return own


def _hidden(attempt: _Attempt) -> bool:
    """Whether there may be kernels that only a macro shows, which the project knows and the source does not."""
    around = attempt.job.options.around
    if attempt.losses or around is None or all(d.severity < Severity.ERROR for d in attempt.diagnostics):
        return False
    return around.dialect(attempt.job.path) is not None


def _qualified(first: _Attempt) -> tuple[_Attempt, int]:
    """The attempt with definitions of the macros before functions that nothing in reach defines, and the parses."""
    job, around = first.job, first.job.options.around
    if job.language is Language.OPENCL or job.heavy or not first.errors:
        return first, 1
    lacked = unknown_names((d for d in first.diagnostics if d.file == job.path), {})
    types = {one.name for one in lacked if one.role is Role.TYPE and not one.scope}
    words = sorted(name for name in types if name.isupper())
    if not words:
        return first, 1
    found = around.definitions(job.path, job.language.value, words) if around is not None else ()
    text = job.text.decode("latin-1")
    lines = qualifiers(text, words, found) + linked_names(text, types)
    if not lines:
        return first, 1
    before = replace(job.before, lines=(*job.before.lines, *lines))
    trial = _Job.of(job.path, job.text, job.language, job.options, job.use_cache, before)
    first.unit.dispose()
    return _Attempt.of(trial, first.appended), 2


def _preceded(first: _Attempt) -> tuple[_Attempt, int]:
    """The attempt with what the project puts before the source, as long as that helps, and the parses it took.

    A name that is known lets the compiler read on, to names that it did not come to before, so that errors may grow in
    number for a while; what is made of names that nobody knows may have some at each of its uses.
    """
    around, job = first.job.options.around, first.job
    if around is None:
        return first, 0
    foreign = any(not served(name, job.language) for name in job.includes.missing)  # may have what is lacked
    hidden = not foreign and _hidden(first)
    if not (first.losses or hidden):
        return first, 0
    chain, asked, rounds = [first], job.before.names, 0
    lacked = lacking(first.diagnostics, _texts(job, first.diagnostics))
    if lacked and (behind := _behind_includer(first, around)) is not None:
        return behind, 1
    if foreign:
        return first, 0
    while (chain[-1].losses or rounds == 0) and rounds < ROUNDS:
        names = lacked - asked
        if not names or len(names) > MOST_NAMES:
            break
        asked |= names
        trial = job.preceded(around.definitions(job.path, job.language.value, asked), asked)
        if trial.before.same_text(chain[-1].job.before):
            break
        attempt = _Attempt.of(trial, first.appended)
        rounds += 1
        left = lacking(attempt.diagnostics, _texts(trial, attempt.diagnostics))
        if lacked <= left and attempt.losses >= chain[-1].losses:
            attempt.unit.dispose()
            break
        chain.append(attempt)
        lacked = left
    most = first.losses + first.losses // 8
    best = [attempt for attempt in chain if hidden or attempt.losses <= most][-1]
    for attempt in chain:
        if attempt is not best:
            attempt.unit.dispose()
    return best, rounds


def _behind_includer(first: _Attempt, around: Surroundings) -> _Attempt | None:
    """The attempt behind what stands before the source in the file that includes it, where that file says more; and
    behind what stands before that one, where it is a header itself that others include."""
    job, best = first.job, first
    chain: tuple[str, ...] = ()
    includers = _programs_including(around, job.path, job.language)
    while best.losses and len(chain) < MAX_INCLUDERS:
        includer = next((each for each in includers if until_included(each, job.path) is not None), None)
        if includer is None or includer in chain:
            break
        chain = (includer, *chain)
        trial = _Job.of(job.path, job.text, job.language, job.options, job.use_cache, Preceding(chain))
        attempt = _Attempt.of(trial, first.appended)
        worse = best if (attempt.errors, attempt.losses) < (best.errors, best.losses) else attempt
        best = attempt if worse is best else best
        if worse is not first:
            worse.unit.dispose()
        includers = _programs_including(around, includer, job.language)
    if best is first:
        return None
    first.unit.dispose()
    return best


_OPENCL = (".cl", ".clh", ".ocl", ".opencl", ".h")
"""Names of files that an OpenCL compiler reads."""


def _programs_including(around: Surroundings, path: str, language: Language) -> Sequence[str]:
    """The files that include one and are read by the same compiler: a host that includes an OpenCL file has it in a
    literal, behind nothing of its own."""
    found = around.files_including(path)
    return [one for one in found if one.endswith(_OPENCL)] if language is Language.OPENCL else found


def _complete(job: _Job, appended: str, first: _Attempt) -> tuple[_Attempt, int]:
    """The best attempt, and the number of parses, with declarations made up for the names that ``first`` lacked."""
    from kernlint.frontends.clang.synthesis import Synthesis  # files that lack nothing do without it

    synthesis = Synthesis(job.language, all(served(name, job.language) for name in job.includes.missing))
    best = last = first
    rounds, limit = 1, MADE_UP_WEIGHT
    while best.losses and rounds <= MAX_ROUNDS and best.unit.weight * rounds <= limit:
        told = last.costly if rounds > MIN_ROUNDS else last.diagnostics
        if not synthesis.feed(told, _texts(job, last.diagnostics)):
            break
        before, last = last, _Attempt.of(job, appended, synthesis.names, synthesis.text())
        rounds += 1
        stuck = last.losses == before.losses and job.includes.size > LARGE
        enough = stuck or len(last.unit.top_level()) > MAX_DECLARATIONS
        limit = MADE_UP_WEIGHT * 5 // 2 if last.losses * 4 <= before.losses * 3 else MADE_UP_WEIGHT
        if last.losses < best.losses:
            best.unit.dispose()  # at once: a large source's unit takes hundreds of megabytes
            best = last
        else:
            last.unit.dispose()
        if enough:
            break
    if any(_lacks_qualifier(each, job.path) for each in best.costly):
        last = _Attempt.of(job, appended, best.names, f"{best.made_up}\n{_ON_BOTH_SIDES}\n")
        rounds += 1
        launches = any(_NO_LAUNCH in each.message for each in last.diagnostics)
        worse = best if last.losses < best.losses and not launches else last
        best = last if worse is best else best
        worse.unit.dispose()
    return best, rounds


def _lacks_qualifier(error: Diagnostic, path: str) -> bool:
    """Whether device code calls a function of a header that has no qualifier: its build's macro for one was not met."""
    if not any("__host__ function" in said for said in (error.message, *error.said)):
        return False
    return any(file is not None and file != path for file, _ in error.notes)


_NO_LAUNCH = "in __host__ __device__ function"
"""How the error ends that a function of both sides launches a kernel, or takes its address."""

_ON_BOTH_SIDES = "#pragma clang force_cuda_host_device begin"
"""Makes functions of the host and the device out of those behind it."""


def _texts(job: _Job, diagnostics: tuple[Diagnostic, ...]) -> dict[str, str]:
    """The main file and the headers with errors, one character per byte."""
    texts = {job.path: job.text.decode("latin-1")}
    for name in {d.file for d in diagnostics if d.severity >= Severity.ERROR and d.file is not None}:
        if name not in texts and not name.startswith((VIRTUAL_FOLDER, FOLDER)):
            texts[name] = _read(name).decode("latin-1")
    return texts


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as handle:
            return handle.read()
    except OSError:
        return b""
