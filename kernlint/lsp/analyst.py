"""The process that analyses for the language server.

It is apart from the server, so that the editor is answered while a kernel is walked, and so that text a compiler
library dies of costs one analysis.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
from collections.abc import Sequence
from typing import BinaryIO

from kernlint.cli.options import UsageError, parse
from kernlint.cli.run import RECURSION
from kernlint.cli.settings import Settings
from kernlint.finding import Finding
from kernlint.lsp.messages import (
    HEAD,
    Answer,
    Check,
    Checked,
    Failed,
    Page,
    Pages,
    Repair,
    Repaired,
    Request,
    Start,
    pack,
)
from kernlint.policy.config import ConfigError
from kernlint.project import Projects
from kernlint.project.compiledb import Lookup
from kernlint.registry import CONTROL_CODES, CONTROL_TEXTS, Registry, RegistryError, UnknownRule, load
from kernlint.result import Report
from kernlint.rule import document
from kernlint.run import checking
from kernlint.run.checking import Job
from kernlint.run.engine import Engine
from kernlint.run.fixing import CANDIDATES, Fixer
from kernlint.run.outcome import FileOutcome
from kernlint.source import SourceError, SourceFile, decode
from kernlint.targets import UnknownTarget


class Analyst:
    """Answers requests, one after the other; what a request is about never raises."""

    def __init__(self) -> None:
        self._options = parse(["lsp"])
        self._registry: Registry | None = None
        self._lookup = Lookup()
        self._projects: dict[str, Projects] = {}

    def answer(self, request: Request) -> Answer:
        """The answer to ``request``."""
        try:
            if isinstance(request, Start):
                self._options = parse(["lsp", *request.arguments])
                return Pages(_pages(self._rules()))
            return self._check(request) if isinstance(request, Check) else self._repair(request)
        except (ConfigError, RegistryError, UnknownRule, UnknownTarget, UsageError) as error:
            if isinstance(request, Repair):
                return Repaired()
            return Pages(problem=str(error)) if isinstance(request, Start) else Checked(problem=str(error))
        except Exception as error:
            return Failed(f"internal failure: {type(error).__name__}: {error}")

    def _rules(self) -> Registry:
        if self._registry is None:
            self._registry = load()
        return self._registry

    def _check(self, request: Check) -> Checked:
        settings = Settings(self._options, self._rules())  # anew: the files they are in may have changed
        selection = settings.for_path(request.path)
        if selection.config.excluded(request.path):
            return Checked(excluded=True)
        try:
            decode(request.data)
        except SourceError as error:
            return Checked(problem=f"{request.path}: {error}")
        if request.fresh:
            self._lookup = Lookup()
            self._projects.clear()
        texts = {request.path: SourceFile(request.path, request.data)}
        projects = self._around(request.path)
        engine = Engine(
            self._rules(), selection, lookup=self._lookup, texts=texts, trace_headers=True, projects=projects
        )
        depends: list[str] = []

        def analyse(files: Sequence[str]) -> Sequence[FileOutcome]:
            outcomes = engine.outcomes(files, settings.for_path, 1)
            depends.extend(path for outcome in outcomes for path in outcome.depends)
            return outcomes

        folder = os.path.dirname(request.path)
        job = Job([request.path], folder, settings.config_for, self._lookup, texts=texts, projects=projects)
        report = checking.check(job, analyse, self._rules())
        sure = selection.config.min_confidence.rank
        results = tuple(r for r in report.active if r.finding.confidence.rank >= sure)
        paths = {path for result in results for path in _paths(result.finding)}
        return Checked(results, report.notifications, _texts(report, paths), tuple(depends))

    def _around(self, path: str) -> Projects:
        """What lies around the file at ``path``, as it was when files beside it may last have changed."""
        found = self._projects.get(path)
        if found is None:
            found = self._projects[path] = Projects([path])
        return found

    def _repair(self, request: Repair) -> Repaired:
        selection = Settings(self._options, self._rules()).for_path(request.path)
        projects = self._around(request.path)
        fixer = Fixer(Engine(self._rules(), selection, lookup=self._lookup, projects=projects), selection)
        source = SourceFile(request.path, request.data)
        found = next(fixer.fixes(source, [request.finding], CANDIDATES), None)
        return Repaired(found.fix if found is not None else None)


def _paths(finding: Finding) -> set[str]:
    spans = [finding.span, *(related.span for related in finding.related)]
    if finding.witness is not None:
        spans += [step.span for step in finding.witness.steps]
    return {span.file for span in spans}


def _texts(report: Report, paths: set[str]) -> dict[str, bytes]:
    noted = {note.span.file for note in report.notifications if note.span is not None}
    return {path: report.sources.get(path).data for path in paths | noted}


def _pages(registry: Registry) -> dict[str, Page]:
    pages = {}
    for rule in registry.rules:
        meta = rule.meta
        family = registry.families[meta.code]
        pages[meta.code] = Page(meta.code, meta.name, family, meta.severity.value, document(rule).markdown)
    for code, name in CONTROL_CODES.items():
        pages[code] = Page(code, name, "directives", "warning", CONTROL_TEXTS[code] + "\n")
    return pages


def _send(stream: BinaryIO, message: Answer) -> None:
    stream.write(pack(message))
    stream.flush()


def _receive(stream: BinaryIO) -> Request | None:
    """The next message; None when there will be no more."""
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    (length,) = HEAD.unpack(head)
    data = stream.read(length)
    if len(data) < length:
        return None
    request: Request = pickle.loads(data)
    return request


def main() -> None:
    """Answer what comes on standard input until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server ends this process
    sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION))
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing that a library prints may get between the answers
    analyst = Analyst()
    while (request := _receive(sys.stdin.buffer)) is not None:
        _send(answers, analyst.answer(request))
        gc.collect()  # nobody waits now, and the engine has switched it off
