"""``kernlint check``."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Mapping, Sequence
from enum import Enum

from kernlint import report
from kernlint.cli import ending
from kernlint.cli.adopt import Adoption, check_writable
from kernlint.cli.options import UsageError
from kernlint.cli.progress import progress
from kernlint.cli.settings import Settings
from kernlint.policy.config import Config
from kernlint.project import Projects, compiledb, discovery
from kernlint.project.compiledb import Lookup
from kernlint.record import dataclass, field, fields, replace
from kernlint.result import Report
from kernlint.run import checking
from kernlint.run.checking import Job
from kernlint.source import MAX_BYTES, SourceError, SourceFile, decode
from kernlint.text.nearest import nearest
from kernlint.text.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernlint.policy.selection import Selection
    from kernlint.project.files import Files
    from kernlint.registry import Registry
    from kernlint.run.cache import Cache
    from kernlint.run.engine import Engine
    from kernlint.run.outcome import FileOutcome


@dataclass(frozen=True, slots=True)
class Output:
    """One report: its format and its file, None for standard output."""

    format: str
    path: str | None


def outputs(options: argparse.Namespace) -> list[Output]:
    """What to write where.  Raises :class:`UsageError` for an unknown format or two reports in one place."""
    result = []
    for text in options.formats or ["full"]:
        name, equals, path = text.partition("=")
        if name not in report.FORMATS:
            near = nearest(name, report.FORMATS, cutoff=0.4)
            hint = f"did you mean {near[0]}?" if near else f"the formats are {', '.join(report.FORMATS)}"
            raise UsageError(f"unknown format {name!r}; {hint}")
        if equals and not path:
            raise UsageError(f"--format {text}: no file behind the =")
        result.append(Output(name, path or None))
    if options.output:
        without = [n for n, output in enumerate(result) if output.path is None]
        if not without:
            raise UsageError("--output names a file, but every --format has one already")
        result[without[-1]] = replace(result[without[-1]], path=options.output)
    places = [output.path and os.path.abspath(output.path) for output in result]
    if len(set(places)) < len(places):
        raise UsageError("two reports would go to the same place; write --format NAME=FILE")
    for output in result:
        if output.path is not None:
            check_writable("--output", output.path)
    return result


def _show(options: argparse.Namespace, settings: Settings, paths: Sequence[str]) -> None:
    """Print what a run would use, instead of running."""
    if options.show_settings:
        for path in paths:
            chosen = settings.for_path(path)
            print(f"# {path}: {chosen.config.path or 'defaults'}")
            config = chosen.config.for_file(path)
            for setting in fields(config):
                if setting.name not in ("path", "root"):
                    print(f"{setting.name.replace('_', '-')} = {_shown(getattr(config, setting.name))}")
            database = config.compile_commands or compiledb.find(path if os.path.isdir(path) else os.path.dirname(path))
            print(f"# compile database: {database or 'none'}")
            print(f"# rules: {' '.join(rule.meta.code for rule in chosen.rules_for(path))}")
    if options.show_files:
        configs, projects = settings.config_for, Projects(paths)
        holds = lambda path, real: projects.holds_kernels(path, real, configs(path, True).home)  # noqa: E731
        excluded = lambda path, is_file: configs(path, is_file).excluded(path)  # noqa: E731
        ignore = not options.no_gitignore
        works = lambda path, real: projects.works_with_devices(path, real, configs(path, True).home)  # noqa: E731
        for found in discovery.find(paths, excluded, ignore, holds, works=works):
            print(found.path)


def _shown(value: object) -> str:
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, tuple):
        return f"[{', '.join(map(_shown, value))}]"
    return "none" if value is None else str(value)


def check(
    options: argparse.Namespace,
    registry: Registry,
    args: Sequence[str],
    depends: set[str] | None = None,
    seen: Files | None = None,
) -> int:
    """Analyse, report, and say by the exit code what came out.

    ``depends`` is filled with the paths of headers, those looked for in vain among them; ``seen``: what is known of the
    tree.
    """
    wanted = outputs(options)
    settings = Settings(options, registry)
    here = os.getcwd()
    config = settings.config_for(here)
    texts = _standard_input(options)
    paths = [os.fspath(path) for path in texts or options.paths or ["."]]
    if options.show_settings or options.show_files:
        _show(options, settings, paths)
        return 0
    if options.add_ignores is not None:
        from kernlint.cli import ignores

        ignores.check_reason(options.add_ignores)
        if options.write_baseline or options.prune_baseline:
            raise UsageError("--add-ignores and writing a baseline are two ways to the same end; choose one")
    changing = options.fix or options.diff_fixes
    if changing and (options.write_baseline or options.prune_baseline or options.add_ignores is not None):
        raise UsageError("findings are either fixed or kept out of the report; choose one")
    adoption = Adoption(options, config.min_confidence)
    fixes = options.fixes if options.fixes is not None else any(output.format == "sarif" for output in wanted)
    run = Run(options, registry, settings, config, texts, depends, fixes and not changing)
    recording = options.write_baseline or options.prune_baseline or options.add_ignores is not None
    run.seen = seen
    run.whole_or_part = not (changing or recording or options.watch)

    def runs_on(path: str, code: str) -> bool:
        from kernlint.registry import CONTROL_CODES

        return code in CONTROL_CODES or any(code == rule.meta.code for rule in settings.for_path(path).rules_for(path))

    def adopted(adoption: Adoption) -> Report:
        return adoption.apply(replace(run.report(paths, here), command_line=("kernlint", *args)), runs_on)

    result = adopted(adoption)
    if options.add_ignores is not None:
        result = ignores.add(result, options.add_ignores, lambda: adopted(Adoption(options, config.min_confidence)))
    if changing:
        from kernlint.cli.fixes import make

        if make(result, settings, run.lookup, run.projects, write=options.fix):
            run.fixes = fixes
            result = adopted(Adoption(options, config.min_confidence))
        if options.diff_fixes:
            wanted = [output for output in wanted if output.path is not None]
    code = result.exit_code(config.fail_on)
    if options.exit_zero and code == 1:
        code = 0
    if run.ended is not None:
        code = ending.TERMINATED if isinstance(run.ended, ending.Terminated) else ending.INTERRUPTED
    view = report.View(
        color=options.color, quiet=options.quiet, verbose=options.verbose, exit_code=code, statistics=options.statistics
    )
    for output in wanted:
        text = report.render(output.format, result, replace(view, to_file=output.path is not None))
        try:
            report.write(text, output.path)
        except OSError as error:
            if output.path is None and isinstance(error, BrokenPipeError):
                raise
            print(f"kernlint: {output.path}: cannot be written: {error.strerror or error}", file=sys.stderr)
            code = 2
    if not any(output.format in ("full", "concise") for output in wanted) and not options.quiet:
        report.notify(result, verbose=options.verbose)
        if options.statistics:
            print(report.statistics(result), end="", file=sys.stderr)
    if options.timings:
        print(report.timings(result), file=sys.stderr)
    if run.ended is not None:
        raise run.ended
    return code


def _cache(config: Config, folder: str) -> Cache | None:
    if not config.cache:
        return None
    from kernlint.run.cache import Cache

    return Cache(folder, config)


@dataclass(slots=True)
class Run:
    """One analysis of the files that the command line means; the engine is made when a file needs it.

    ``seen``: what is known of the tree; ``whole_or_part``: a report of some of the files is of use where the run is
    ended early; ``ended``: by what it was.
    """

    options: argparse.Namespace
    registry: Registry
    settings: Settings
    config: Config
    texts: Mapping[str, SourceFile]
    depends: set[str] | None = None
    fixes: bool = False
    lookup: Lookup = field(default_factory=Lookup)
    projects: Projects = field(default_factory=Projects)
    seen: Files | None = None
    whole_or_part: bool = False
    ended: BaseException | None = None

    def report(self, paths: Sequence[str], root: str) -> Report:
        """Everything that is to be said about ``paths``."""
        cache = _cache(self.config, root)
        for path in (root, *paths):
            if self.settings.config_for(path).plain:
                continue  # where no file holds a kernel no rule need be loaded
            if cache is None or not cache.knows(self.settings.config_for(path)):
                self.settings.for_path(path)  # a broken configuration stops the run before a file is read
                if cache is not None:
                    cache.trust(self.settings.config_for(path))
        lookup = self.lookup = Lookup()
        projects = self.projects = Projects(paths, self.config.cache, self.seen)
        self.seen = None  # the next look finds what has changed
        timings: dict[str, float] = {}

        def analyse(files: Sequence[str]) -> Sequence[FileOutcome]:
            from kernlint.run.engine import Engine

            selection = self.settings.for_path(root)
            engine = Engine(
                selection.registry,
                selection,
                lookup=lookup,
                texts=self.texts,
                trace_headers=cache is not None or self.depends is not None,
                fix=_suggest if self.fixes else None,
                projects=projects,
            )
            outcomes = self._outcomes(engine, files)
            timings.update(engine.timings.seconds)
            if self.depends is not None:
                self.depends.update(header for outcome in outcomes for header in outcome.depends)
            return outcomes

        self.ended = None
        gitignore = not self.options.no_gitignore
        job = Job(paths, root, self.settings.config_for, lookup, gitignore, self.texts, self.fixes, projects)
        result = replace(checking.check(job, analyse, self.registry, cache), timings=timings)
        if self.depends is not None and cache is not None:
            self.depends.update(header for path in result.paths for header in cache.depends(path))
        return result

    def _outcomes(self, engine: Engine, files: Sequence[str]) -> Sequence[FileOutcome]:
        """An outcome for each of the files; of those that were finished where somebody has ended the run and a report
        of these is of use: what they had to say is said, and kept for the next run."""
        finished: list[FileOutcome] = []
        try:
            with progress(len(files), self.options.quiet) as step:

                def done(outcome: FileOutcome) -> None:
                    if ending.asked():  # what was raised for it may have been lost half-way through this file
                        raise ending.Terminated
                    finished.append(outcome)
                    step()

                return engine.outcomes(files, self.settings.for_path, self.options.jobs, done)
        except (KeyboardInterrupt, ending.Terminated) as error:
            if not self.whole_or_part:
                raise
            ending.heard()
            self.ended = error
            return finished


def _suggest(engine: Engine, source: SourceFile, selection: Selection, outcome: FileOutcome) -> None:
    """Give results fixes that hold; what looks for them is imported for the first file that has a result."""
    outcome.fixed = True
    if outcome.results:
        from kernlint.run.fixing import suggest

        suggest(engine, source, selection, outcome)


_OPENCL_ONLY = pattern(r"\A(?!.*\b__global__\b).*\b(?:__kernel|kernel\s+void)\b", re.DOTALL)
"""A text that has kernels, all of them OpenCL's."""


def _standard_input(options: argparse.Namespace) -> dict[str, SourceFile]:
    """The text on standard input under the name it is to have.  Raises :class:`UsageError`."""
    name: str | None = options.stdin_filename
    if name is None and options.paths != ["-"]:
        return {}
    for option in ("diff", "write_baseline", "prune_baseline", "add_ignores", "fix", "diff_fixes"):
        if getattr(options, option):
            raise UsageError(f"--{option.replace('_', '-')} is about files, so standard input cannot go with it")
    if options.paths not in ([], ["-"]):
        raise UsageError("--stdin-filename takes the source from standard input; no PATH can go with it")
    if name is not None and (not name or os.path.isdir(name)):
        raise UsageError(f"--stdin-filename {name}: is a folder, not the name of a file")
    raw = sys.stdin.buffer.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise UsageError(f"standard input is too large (the limit is {MAX_BYTES} bytes)")
    try:
        text, encoding = decode(raw)
    except SourceError as error:
        raise UsageError(f"{name or 'standard input'}: {error}") from None
    if name is None:
        name = "stdin.cl" if _OPENCL_ONLY.search(text) else "stdin.cu"
    return {name: SourceFile(name, raw if encoding == "utf-8" else text.encode(), encoding)}
