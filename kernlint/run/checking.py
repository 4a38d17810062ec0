"""A whole run: the files that are meant, what the cache knows of them, the analysis of the rest, one report.

Nothing heavy is imported here: a run in which nothing changed loads neither rules nor a front end.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from kernlint.finding import Fix
from kernlint.policy.config import Config
from kernlint.project import Project, Projects, discovery
from kernlint.project.compiledb import NO_FLAGS, Lookup
from kernlint.record import dataclass, field, replace
from kernlint.result import Level, Notification, Report, Result, Sources, Summary
from kernlint.run.cache import Cache, Key
from kernlint.run.outcome import FileOutcome
from kernlint.source import SourceFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from kernlint.registry import Registry

    class Configs(Protocol):
        """Gives the settings for a path."""

        def __call__(self, path: str, is_file: bool = False) -> Config:
            """The settings for ``path``; ``is_file``: it is known as a file."""


Analyse = Callable[[Sequence[str]], Sequence[FileOutcome]]
"""Analyses files, one outcome for each; for fewer of them where somebody has ended the run."""


@dataclass(frozen=True, slots=True)
class Job:
    """What is asked of a run.

    ``configs`` gives the settings for a path, ``lookup`` its compile command, ``projects`` what lies around it;
    ``root`` is the folder that reported paths are relative to.  ``texts``: what stands for the content of a file.
    ``fixes``: results are to have fixes that hold, which ``analyse`` sees to.
    """

    paths: Sequence[str]
    root: str
    configs: Configs
    lookup: Lookup
    gitignore: bool = True
    texts: Mapping[str, SourceFile] = field(default_factory=dict)
    fixes: bool = False
    projects: Projects = field(default_factory=Projects)
    _by_folder: dict[str, Project] = field(default_factory=dict)

    def holds_kernels(self, path: str, real: str) -> bool | None:
        """Whether the host file at ``path``, whose real path is ``real``, has a kernel, as far as its project knows;
        None where nothing in it is of use."""
        return self._around(path).holds_kernels(path, real)

    def works_with_devices(self, path: str, real: str) -> bool:
        """Whether the file of host code at ``path``, whose real path is ``real``, allocates, copies or launches."""
        return self._around(path).works_with_devices(real)

    def _around(self, path: str) -> Project:
        """The project of a file, which is the same for all files of a folder."""
        folder = path.rpartition(os.sep)[0]
        project = self._by_folder.get(folder)
        if project is None:
            project = self._by_folder[folder] = self.projects.of(path, self.configs(path, True).home)
        return project


def check(job: Job, analyse: Analyse, registry: Registry, cache: Cache | None = None) -> Report:
    """Everything that is to be said about the files of ``job``; never raises for what a file holds."""
    start = time.perf_counter()
    passed: list[str] = []
    found = discovery.find(
        job.paths,
        lambda path, is_file: job.configs(path, is_file).excluded(path),
        job.gitignore,
        job.holds_kernels,
        job.projects.ignored,
        job.works_with_devices,
        passed,
    )
    files = [file.path for file in found]
    outcomes = _outcomes(job, files, analyse, cache)
    sources = Sources()
    for outcome in outcomes:
        for source in outcome.sources:
            sources.add(source)
    for text in job.texts.values():
        sources.add(text)
    results = _merged(outcomes, sources) if outcomes else []
    said = [*job.lookup.problems, *_useless_databases(job, files)]
    problems = [Notification(Level.WARNING, "compile-commands", problem) for problem in said]
    if cache is not None and cache.problem is not None:
        problems.append(Notification(Level.WARNING, "cache", f"results are not kept for the next run: {cache.problem}"))
    if passed:
        more = f"{len(passed)} more files of host code without kernels are not looked at, from {passed[0]} on"
        problems.append(
            Notification(Level.NOTE, "host-code", f"{more}; name them, or folders of theirs, to check them")
        )
    notifications = [*problems, *(note for outcome in outcomes for note in outcome.notifications)]
    if not files:
        where = ", ".join(job.paths)
        notifications.append(Notification(Level.WARNING, "nothing-to-do", f"no kernel sources under {where}"))
    unreached = len(files) - len(outcomes)
    if unreached:
        message = f"the run was ended early: {unreached} of {len(files)} files were not reached"
        notifications.append(Notification(Level.ERROR, "interrupted", message))
    summary = Summary(
        files=sum(not (o.unread or o.lost) for o in outcomes),
        failed=sum(o.unread or o.lost for o in outcomes),
        kernels=sum(o.kernels for o in outcomes),
        partial=sum(o.partial for o in outcomes),
        missed=sum(o.missed for o in outcomes),
        raceless=sum(o.raceless for o in outcomes),
        seconds=time.perf_counter() - start,
        gaps=_largest(job, files, outcomes) if outcomes else (),
        unreached=unreached,
    )
    return Report(
        results=tuple(results),
        notifications=tuple(notifications),
        summary=summary,
        sources=sources,
        registry=registry,
        root=job.root,
        lost=any(o.lost for o in outcomes) or (bool(outcomes) and all(o.unread for o in outcomes)),
        paths=tuple(outcome.path for outcome in outcomes),
        gaps={o.path: None if o.lost or o.unread else frozenset(o.unsure) for o in outcomes},
    )


def _merged(outcomes: Sequence[FileOutcome], sources: Sources) -> list[Result]:
    """What the files say together."""
    from kernlint.run import merge

    return merge.across_files([o.results for o in outcomes], [o.path for o in outcomes], sources)


def _largest(job: Job, files: Sequence[str], outcomes: Sequence[FileOutcome]) -> tuple[str, ...]:
    """What is missing most."""
    from kernlint.run import gaps

    return gaps.largest([gap for o in outcomes for gap in o.gaps], partial(_holder, job, files))


def _useless_databases(job: Job, files: Sequence[str]) -> list[str]:
    """What to say of compile databases that were named and have no command for any of ``files``."""
    asked: dict[str, bool] = {}
    for path in files:
        database = job.configs(path).for_file(path).compile_commands
        if database is not None:
            asked[database] = asked.get(database, False) or job.lookup.flags(path, database) != NO_FLAGS
    return [f"{path}: no command in it compiles any of the files checked" for path, used in asked.items() if not used]


def _outcomes(job: Job, files: Sequence[str], analyse: Analyse, cache: Cache | None) -> list[FileOutcome]:
    """An outcome for each of ``files`` that was reached, from the cache where it has one."""
    if not files:
        return []
    if cache is None:
        return list(analyse(files))
    cache.load()
    known: dict[str, FileOutcome] = {}
    keys: dict[str, Key] = {}
    for path in files:
        config = job.configs(path).for_file(path)
        key = cache.key(path, config, job.lookup.flags(path, config.compile_commands), job.texts.get(path))
        if key is not None:
            keys[path] = key
            outcome = cache.get(key, partial(job.projects.of, path, config.home))
            if outcome is not None and (outcome.fixed or not (job.fixes and outcome.results)):
                known[path] = outcome if job.fixes else unfixed(outcome)
    unknown = [path for path in files if path not in known]
    if unknown:
        for outcome in analyse(unknown):
            known[outcome.path] = outcome
            if outcome.path in keys:
                cache.put(keys[outcome.path], outcome)
        cache.save()
    return [known[path] for path in files if path in known]


def _holder(job: Job, files: Sequence[str], header: str) -> str | None:
    """The folder of a project that has ``header`` where nobody looks for it, to be named with ``-I``."""
    for project in {job.projects.of(path, job.configs(path).home): None for path in files}:
        if (folder := project.left_out(header)) is not None:
            from kernlint.run.gaps import shown_folder

            return shown_folder(folder)
    return None


def unfixed(outcome: FileOutcome) -> FileOutcome:
    """``outcome`` with fixes in words alone."""
    if any(result.finding.fix is not None and result.finding.fix.edits for result in outcome.results):
        outcome.results = [
            replace(r, finding=replace(r.finding, fix=Fix(r.finding.fix.description))) if r.finding.fix else r
            for r in outcome.results
        ]
    return outcome
