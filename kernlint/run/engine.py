"""Runs rules over the facts of every kernel, contains crashes, and orders what was found.

The life of one file: bytes -> text -> front end -> modules -> for each kernel and variant, facts -> rules ->
findings -> merged over variants -> suppressed by directives -> level by configuration.  A crash costs one rule on one
kernel (or one file, when the front end fails), is reported loudly, and the run goes on.
"""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

import kernlint
from kernlint.analysis import assumptions
from kernlint.analysis.base import AnalysisFailed, AnalysisOptions, Facts, ModuleFacts, Stated
from kernlint.analysis.launching.never_launched import launched
from kernlint.finding import Finding, Fix, Severity
from kernlint.frontends.base import Frontend, FrontendError, FrontendOptions, Surroundings
from kernlint.policy import fingerprint, promises, suppress
from kernlint.policy.amounts import amounts
from kernlint.policy.built_for import built_for
from kernlint.policy.config import Config, ConfigError
from kernlint.policy.levels import levels
from kernlint.policy.precision import single_alone
from kernlint.policy.ranges import ranges
from kernlint.policy.rounded import rounded
from kernlint.policy.selection import Selection
from kernlint.policy.sentinels import sentinels
from kernlint.policy.shapes import shapes
from kernlint.policy.spare import spare
from kernlint.project import Projects, Questions
from kernlint.project.build import flags_for
from kernlint.project.compiledb import NO_FLAGS, Flags, Lookup
from kernlint.prove import effort
from kernlint.record import dataclass, field, replace
from kernlint.registry import CONTROL_CODES, Registry
from kernlint.result import Level, Notification, Report, Result, Suppression
from kernlint.rule import AnyRule, ModuleRule, Rule
from kernlint.run import checking, gaps, merge, quiet, simulation
from kernlint.run.checking import Job
from kernlint.run.elsewhere import Elsewhere
from kernlint.run.linking import ProjectLinks
from kernlint.run.outcome import FileOutcome
from kernlint.source import SourceError, SourceFile, Span, read
from kernlint.targets import UnknownTarget, find
from kernlint.text.launchwords import in_language
from kernlint.text.patterns import pattern
from kernlint.timing import Timings
from kernlint.tree.nodes import FunctionKind, Kernel, Loss, Missed, Module
from kernlint.tree.walk import forget

_ON_DEVICE = (FunctionKind.DEVICE, FunctionKind.BOTH)
_CONFLICT = pattern(rb"^<{7} .*?^={7}$.*?^>{7} ", re.M | re.S)

SelectionLookup = Callable[[str], Selection]
"""The rules and settings for a path."""

Fixing = Callable[["Engine", SourceFile, Selection, FileOutcome], None]
"""Gives the results of one text fixes that hold (:func:`kernlint.run.fixing.suggest`)."""


@lru_cache(maxsize=1)
def default_frontend() -> Frontend:
    """The front ends for Python and for all else, imported when the first file is parsed."""
    from kernlint.frontends.choice import ChosenFrontend
    from kernlint.frontends.python.frontend import PythonFrontend

    return PythonFrontend(ChosenFrontend())


@dataclass(slots=True)
class Kept:
    """What one file was analysed with: facts of each of its ``modules`` and of each variant of each kernel, and the
    ``findings`` at their own levels, before directives and settings.  ``wanted``: the kernels to look at (None: all).
    """

    wanted: Callable[[Kernel], bool] | None = None
    modules: list[ModuleFacts] = field(default_factory=list)
    variants: list[Facts] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


@dataclass(slots=True)
class Counts:
    """The kernels of one file: a kernel that was read under several settings is one, whole when every reading is."""

    _partial: dict[tuple[Span, str], tuple[str, ...]] = field(default_factory=dict)
    _raceless: dict[tuple[Span, str], bool] = field(default_factory=dict)

    def add(self, kernel: Kernel, gaps: tuple[str, ...], raceless: bool) -> None:
        """Count a kernel, or one more reading of it; ``gaps``: why it is known only in part, if it is."""
        place = kernel.function.span, kernel.name  # a call that makes two kernels is the place of both
        self._partial[place] = tuple(dict.fromkeys((*self._partial.get(place, ()), *gaps)))
        self._raceless[place] = self._raceless.get(place, True) and raceless

    def into(self, outcome: FileOutcome) -> None:
        """Add the figures to those of the file."""
        outcome.kernels += len(self._partial)
        outcome.gaps += [gaps for gaps in self._partial.values() if gaps]
        outcome.partial = len(outcome.gaps)
        outcome.raceless += sum(self._raceless.values())


_OURS = os.path.join(os.path.dirname(os.path.abspath(kernlint.__file__)), "")

COLLECT = 300_000
"""Objects made and not yet freed from which on dead cycles are looked for after a file; some 100 bytes each."""


class Engine:
    """Analyses files under a configuration that is looked up for each of them.

    ``selection_for`` gives the rules and settings for a path; ``frontend`` None means clang; ``projects`` knows what
    lies around each file.  ``timings`` collects
    self times of stages, analyses and rules.  ``fix`` is called after each file that was analysed.
    """

    def __init__(
        self,
        registry: Registry,
        selection: Selection,
        frontend: Frontend | None = None,
        *,
        lookup: Lookup | None = None,
        texts: Mapping[str, SourceFile] | None = None,
        trace_headers: bool = False,
        fix: Fixing | None = None,
        projects: Projects | None = None,
    ) -> None:
        self.registry = registry
        self.selection = selection
        self.timings = Timings()
        self.lookup = lookup or Lookup()
        self.texts = texts or {}
        self.trace_headers = trace_headers
        self.fix = fix
        self.projects = projects or Projects()
        self._frontend = frontend
        self._settled = False

    def run(
        self,
        paths: Sequence[str],
        root: str,
        selections: SelectionLookup | None = None,
        jobs: int | None = 1,
        gitignore: bool = True,
    ) -> Report:
        """Analyse everything that ``paths`` mean; never raises for what a file holds.

        ``selections`` gives the settings for a path (the engine's own when None); ``jobs``: processes, None for as
        many as fit.  The report does not depend on it.
        """
        lookup = selections or (lambda path: self.selection)
        self.projects = Projects(paths, self.selection.config.cache)
        configs = lambda path, is_file=False: lookup(path).config  # noqa: E731
        job = Job(paths, root, configs, self.lookup, gitignore, self.texts, projects=self.projects)
        report = checking.check(job, lambda files: self.outcomes(files, lookup, jobs), self.registry)
        return replace(report, timings=dict(self.timings.seconds))

    def outcomes(
        self,
        paths: Sequence[str],
        selections: SelectionLookup,
        jobs: int | None,
        done: Callable[[FileOutcome], None] | None = None,
    ) -> list[FileOutcome]:
        """An outcome for each of the files ``paths``, in their order; ``done`` is called with each as soon as it is
        there, the short files' first, so that a run that is ended early has most of them."""
        order = sorted(range(len(paths)), key=lambda index: self._length(paths[index]))
        files = [(paths[index], selections(paths[index])) for index in order]
        if parallel_pays := len(files) > 1 and jobs != 1:
            from kernlint.run import parallel

            count = parallel.processes(jobs, len(files))
            parallel_pays = count > 1
        if parallel_pays:
            self.projects.prepare((path, selection.config.home) for path, selection in files)
        else:
            outcomes = []
            for left, (path, selection) in zip(range(len(files) - 1, -1, -1), files, strict=True):
                outcomes.append(self.check_file(path, selection, tidy=left > 0))
                if done is not None:
                    done(outcomes[-1])
            return _put_back(outcomes, order)
        outcomes = parallel.Work(Batch(self, files), Died(files), len(files)).results(count, done)
        for outcome in outcomes:
            self.timings.add(outcome.seconds)
        said = dict.fromkeys(problem for outcome in outcomes for problem in outcome.general)
        self.lookup.problems += [problem for problem in said if problem not in self.lookup.problems]
        return _put_back(outcomes, order)

    def _length(self, path: str) -> int:
        """How many bytes a file has; 0 where that cannot be told."""
        if (text := self.texts.get(path)) is not None:
            return len(text.data)
        try:
            return os.path.getsize(path)
        except OSError:
            return 0

    # ------------------------------------------------------------------------------------------- one file

    def check_file(self, path: str, selection: Selection, tidy: bool = True) -> FileOutcome:
        """Read and analyse one file, or the text that stands for it.  ``tidy``: memory is wanted afterwards."""
        # Trees, terms and facts die with their file; looking for dead cycles among millions of live nodes is waste.
        gc.disable()
        try:
            return self._check_file(path, selection)
        finally:
            if tidy and gc.get_count()[0] > COLLECT:
                from kernlint.run.memory import let_go

                let_go()
                if not self._settled:
                    self._settled = True
                    gc.freeze()  # modules and tables stay: they need not be looked at again

    def _check_file(self, path: str, selection: Selection) -> FileOutcome:
        try:
            with self.timings.measure("read"):
                source = self.texts.get(path) or read(path)
        except SourceError as error:
            outcome = FileOutcome(path, unread=True)
            outcome.note(Level.ERROR, "unreadable-file", str(error))
            return outcome
        outcome = self.check_source(source, selection)
        if self.fix is not None:
            with self.timings.measure("fixes"):
                self.fix(self, source, selection, outcome)
        return outcome

    def check_source(self, source: SourceFile, selection: Selection, kept: Kept | None = None) -> FileOutcome:
        """Analyse one text; ``kept`` is filled with what the outcome was made of, and says which kernels to look at."""
        forget()  # no tree of another file is asked about any more
        outcome = FileOutcome(source.path, sources=[source])
        config = selection.config.for_file(source.path)
        if not source.data.strip():
            if not source.cells:  # a notebook may well have no code
                outcome.note(Level.WARNING, "empty-file", "the file is empty")
            return outcome
        if source.encoding == "utf-8-sig":
            outcome.note(Level.NOTE, "encoding", "the file begins with a byte-order mark")
        elif source.encoding != "utf-8":
            outcome.note(Level.WARNING, "encoding", f"the file is not UTF-8 text; it is read as {source.encoding}")
        if b"\n<<<<<<< " in b"\n" + source.data and (conflict := _CONFLICT.search(source.data)):
            place = Span(source.path, conflict.start(), conflict.start() + 7)
            message = "unresolved merge conflict; what stands between its markers is not reliable"
            outcome.note(Level.WARNING, "merge-conflict", message, span=place)
        try:
            with self.timings.measure("front end"):
                frontend = self._frontend or default_frontend()
                questions = self.projects.questions(source.path, config.home)
                options = self.frontend_options(source.path, config, questions)
                modules = frontend.parse_file(source, options)
                if self.trace_headers:
                    outcome.depends = frontend.headers(source, options)
                    if any(module.language == "opencl" for module in modules):
                        outcome.depends += (simulation.path_of(source.path),)
        except FrontendError as error:
            outcome.lost = True
            outcome.note(Level.ERROR, "front-end-failure", str(error))
            return outcome
        except Exception as error:
            outcome.lost = True
            message = f"internal failure in the front end: {_why(error)}; the file is not analysed"
            outcome.note(Level.ERROR, "front-end-failure", message, detail=_trace(error))
            return outcome
        outcome.asked = questions.asked
        for name, header in questions.choices.items():
            others = f" (and {len(header.others)} further away)" if len(header.others) > 1 else ""
            message = f"header {name} is read from {header.path}, not from {header.others[0]}{others}"
            outcome.note(Level.NOTE, "header-choice", message)
        findings: list[Finding] = []
        counts = Counts()
        elsewhere = self.elsewhere(source.path, config, questions)
        readings: list[tuple[frozenset[str], list[Finding]]] = []
        links: ProjectLinks | None = None
        said = analysis_options(config, (), source) if modules else AnalysisOptions()
        for module in modules:
            stated = (*said.stated, *stated_of(source, module, config))
            told = replace(said, stated=stated) if stated else said
            if module.language != "opencl" or links is None:  # readings of device code alone share them
                links = ProjectLinks(elsewhere)
            found = self._check_module(module, source, selection, told, outcome, kept, counts, elsewhere, links)
            readings.append((frozenset(kernel.name for kernel in module.kernels), found))
            findings += _new(found, findings)
        if len(readings) > 1:
            rules = selection.rules_for(source.path)
            codes = {rule.meta.code for rule in rules if isinstance(rule, Rule) and rule.throughout}
            findings = merge.in_all_readings(findings, readings, codes)
        counts.into(outcome)
        if not (outcome.kernels or outcome.missed) and (lonely := _device_functions(modules, source.path)):
            message = f"no kernel reaches the device functions of this file ({lonely}); nothing is said of them"
            outcome.note(Level.NOTE, "no-kernels", message)
        if self.trace_headers:
            outcome.depends += tuple(path for path in elsewhere.depends if path not in outcome.depends)
        if kept is not None:
            kept.findings += findings
        else:
            elsewhere.own.clear()  # each lets go of the other, and of the file's tree
        self._finish(source, findings, selection, outcome)
        return outcome

    def frontend_options(self, path: str, config: Config, questions: Questions | None = None) -> FrontendOptions:
        """How the front end is to read the file at ``path``, by its compile command, ``config`` and the project, which
        ``questions`` is asked through."""
        around = questions or self.projects.questions(path, config.home)
        return frontend_options(config, flags_for(path, config.compile_commands, self.lookup, around), around)

    def elsewhere(self, path: str, config: Config, questions: Questions) -> Elsewhere:
        """The host code around the file at ``path``, read as ``config`` says."""

        def reading(other: str) -> FrontendOptions:
            own = config.for_file(other)
            return frontend_options(own, flags_for(other, own.compile_commands, self.lookup, questions), questions)

        return Elsewhere(path, self._frontend or default_frontend(), questions, reading, self.texts)

    def _check_module(
        self,
        module: Module,
        source: SourceFile,
        selection: Selection,
        options: AnalysisOptions,
        out: FileOutcome,
        kept: Kept | None,
        counts: Counts,
        elsewhere: Elsewhere,
        links: ProjectLinks,
    ) -> list[Finding]:
        facts = ModuleFacts(
            module,
            options,
            self.timings,
            elsewhere.hosts_of,
            elsewhere.definers_of,
            elsewhere.namers_of,
            elsewhere.built_for,
            links,
        )
        if kept is not None:
            kept.modules.append(facts)
        rules = selection.rules_for(module.path)
        findings: list[Finding] = []
        for rule in rules:
            if isinstance(rule, ModuleRule):
                found = self._guarded(rule, facts, "", out)
                findings += [_named(rule, finding, finding.kernel) for finding in found]
        kernel_rules = [rule for rule in rules if isinstance(rule, Rule)]
        for kernel in module.kernels:
            if kept is None or kept.wanted is None or kept.wanted(kernel):
                with effort.of_kernel():
                    found = self._check_kernel(kernel, facts, kernel_rules, out, kept, counts)
                findings += quiet.unobserved(found, kernel, module)
        _note_missed(module.missed, out)
        for header in module.missing_headers:
            out.note(Level.NOTE, "missing-header", f"header {header} was not found; its names are unknown")
        for note in module.notes:
            out.note(Level.WARNING, "front-end-note", note)
        from kernlint.analysis.launching.launches import host

        hosts = facts.known(host)
        if hosts is not None and not hosts.whole:
            out.note(Level.NOTE, "budget", "the host functions of the file are large: they are not all followed")
        for cut in module.cuts:
            out.note(Level.NOTE, "budget", cut)
        # What a stub says a library does is nobody's code to mend.
        findings = [f for f in findings if f.span.file == module.path or not f.span.file.startswith(_OURS)]
        findings = [_said_in(each, module.language) for each in findings]
        if module.written_in == "python":
            from kernlint.run.pythonwords import in_python

            findings = list(map(in_python, findings))
        if module.about:
            findings = [each for each in findings if _concerns(each, module.about)]
        if module.setting:
            findings = quiet.switched_off(findings, module.setting, source)
            findings = [replace(each, assumptions=(*each.assumptions, module.setting)) for each in findings]
        elsewhere.own.append(facts)
        return findings

    def _check_kernel(
        self,
        kernel: Kernel,
        module_facts: ModuleFacts,
        rules: Sequence[Rule],
        out: FileOutcome,
        kept: Kept | None,
        counts: Counts,
    ) -> list[Finding]:
        variants = [Facts(module_facts, kernel, function) for function in kernel.variants]
        if kept is not None:
            kept.variants += variants
        losses = {loss.span: loss for facts in variants for loss in facts.losses if loss.kind != "given"}
        skipped: list[str] = []
        findings = self._misfits(variants[0], out) if variants and variants[0].options.stated else []
        compiles = not _refused(kernel, module_facts.module, losses.values())
        if not compiles:
            out.unsure.update(rule.meta.code for rule in rules)
        alive = launched(variants) if compiles and rules else variants
        for rule in rules if compiles else ():
            effort.next_turn()
            found: list[merge.FromVariant] = []
            obstacles = {id(facts): rule.obstacles(facts) for facts in alive}
            if any(obstacles.values()):
                out.unsure.add(rule.meta.code)
            if all(obstacles.values()):
                skipped.append(rule.meta.name)
            for facts in alive:
                hidden = obstacles[id(facts)]
                if hidden and not rule.looks_back:
                    continue
                for finding in self._guarded(rule, facts, kernel.name, out):
                    if hidden and rule.comes_before(facts, hidden, finding.span):
                        continue
                    named = _resting(_named(rule, finding, kernel.name), facts)
                    found.append(merge.FromVariant(named, facts.function))
            if rule.throughout:
                found = merge.in_all_variants(found, [facts.function for facts in alive])
            findings += merge.over_variants(found, kernel.variants)
        why = gaps.reasons(losses.values(), module_facts.module.missing_headers)
        effort.next_turn()
        counts.add(kernel, why, compiles and self._raceless(variants, rules, findings))
        if effort.was_cut():
            message = f"kernel {kernel.name} raises more questions than are asked of one kernel; some were left out"
            out.note(Level.NOTE, "budget", message, span=kernel.function.name_span or kernel.function.span)
        if losses:
            first = min(losses.values(), key=lambda loss: (loss.span.file, loss.span.start))
            reasons = sorted({f"{loss.kind}: {loss.reason}" for loss in losses.values()})
            message = f"kernel {kernel.name} is analysed only in part ({'; '.join(reasons[:4])})"
            if len(reasons) > 4:
                message += f" and {len(reasons) - 4} more"
            if not compiles:
                message += "; it does not compile, and nothing else is looked for there"
            elif skipped:
                message += f"; not checked there for {', '.join(skipped)}"
            out.note(Level.NOTE, "partial-kernel", message, span=first.span)
        return findings

    def _raceless(self, variants: Sequence[Facts], rules: Sequence[Rule], findings: Sequence[Finding]) -> bool:
        """Whether it shows in passing that no two threads of a kernel race; only where rules look for races."""
        from kernlint.analysis.sharing.races import shared_races
        from kernlint.analysis.verdict.proofs import raceless

        racing = {rule.meta.code for rule in rules if shared_races in rule.needs}
        if not racing or any(finding.code in racing for finding in findings):
            return False
        with self.timings.measure("proofs in passing"):
            try:
                return bool(variants) and all(facts[raceless] for facts in variants)
            except AnalysisFailed:
                return False  # the rules that need what failed have said so

    def _misfits(self, facts: Facts, out: FileOutcome) -> list[Finding]:
        """Findings for assumptions in comments that do not fit their kernel.

        One that is made for all kernels is passed over where a kernel lacks the name.
        """
        try:
            said = facts[assumptions.assumed]
            problems = said.problems
            if facts[assumptions.contradiction]:
                message = f"no launch of kernel {facts.kernel.name} is as assumed: {'; '.join(said.texts)}"
                place = facts.function.name_span or facts.function.span
                out.note(Level.WARNING, "assumption", message, span=place)
        except AnalysisFailed:
            return []  # whoever needs it says so
        findings = []
        for stated, error in problems:
            if stated.span is not None:
                start = stated.span.start + len(stated.text[: error.position].encode())
                place = Span(stated.span.file, start, start + 1)
                findings.append(
                    Finding(place, str(error), Severity.WARNING, suppress.MALFORMED, CONTROL_CODES[suppress.MALFORMED])
                )
            elif not error.name:
                note = f"assumption: {error}\n{assumptions.caret(stated.text, error)}"
                self._note_once(out, Notification(Level.WARNING, "assumption", note, out.path))
        return findings

    def _guarded(self, rule: AnyRule, facts: Facts | ModuleFacts, kernel: str, out: FileOutcome) -> list[Finding]:
        """What the rule finds; a crash becomes a notification and what was yielded before it is kept."""
        found: list[Finding] = []
        where = f" on kernel {kernel}" if kernel else ""
        try:
            with self.timings.measure(f"rule {rule.meta.name}"):
                scoped = facts.scoped(rule.meta.name, rule.needs)
                if isinstance(rule, Rule):
                    assert isinstance(scoped, Facts)
                    found.extend(rule.check(scoped))
                else:
                    assert isinstance(scoped, ModuleFacts)
                    found.extend(rule.check_module(scoped))
        except AnalysisFailed as error:
            cause = error.__cause__ or error
            message = f"analysis {error.name} crashed{where}: {_why(cause)}; rules that need it are off there"
            out.unsure.add(rule.meta.code)
            self._note_once(out, Notification(Level.ERROR, "rule-crash", message, out.path, detail=_trace(cause)))
        except Exception as error:
            message = f"rule {rule.meta.name} crashed{where}: {_why(error)}"
            out.unsure.add(rule.meta.code)
            crash = Notification(
                Level.ERROR, "rule-crash", message, out.path, rule=rule.meta.code, detail=_trace(error)
            )
            self._note_once(out, crash)
        return found

    @staticmethod
    def _note_once(out: FileOutcome, note: Notification) -> None:
        if not any(other.message == note.message for other in out.notifications):
            out.notifications.append(note)

    def _finish(self, source: SourceFile, findings: list[Finding], selection: Selection, outcome: FileOutcome) -> None:
        """Suppressions, levels, fingerprints, order.

        Directives are matched before notes are hidden: one that silences a note is in use, seen or not.
        """
        texts = {source.path: source}

        def text_of(path: str) -> SourceFile:
            if path not in texts:
                try:
                    texts[path] = read(path)
                except SourceError:
                    texts[path] = SourceFile(path, b"")
            return texts[path]

        with self.timings.measure("directives"):
            pairs = self._suppressed(source, findings, selection, outcome, text_of)
        rules = {rule.meta.code: rule for rule in self.registry.rules}
        shown: list[tuple[Finding, Suppression | None]] = []
        for finding, suppression in pairs:
            level = selection.level(rules.get(finding.code), finding.severity)
            if selection.shows(finding.code, level):
                words = finding.fix and Fix(finding.fix.description)  # edits are shown when they were tried
                shown.append((replace(finding, severity=level, fix=words), suppression))
        shown.sort(key=lambda pair: merge.order(pair[0]))
        prints = fingerprint.of([finding for finding, _ in shown], text_of)
        outcome.results = [Result(f, print_, s) for (f, s), print_ in zip(shown, prints, strict=True)]
        outcome.sources = list(texts.values())

    def _suppressed(
        self,
        source: SourceFile,
        findings: list[Finding],
        selection: Selection,
        outcome: FileOutcome,
        text_of: Callable[[str], SourceFile],
    ) -> list[tuple[Finding, Suppression | None]]:
        """Findings with the directive that silences each, those about the file's own directives among them."""
        by_file: dict[str, list[Finding]] = {source.path: []}
        for finding in findings:
            by_file.setdefault(finding.span.file, []).append(finding)
        pairs: list[tuple[Finding, Suppression | None]] = []
        for path, group in by_file.items():
            directives = suppress.parse(text_of(path), self.registry, selection.config.require_reason)
            applied = suppress.apply(directives, group, text_of(path))
            pairs += zip(group, applied.suppressions, strict=True)
            if path == source.path:
                ran = {rule.meta.code for rule in selection.rules_for(path)} - outcome.unsure
                about = [*directives.malformed, *suppress.unused(directives, applied.used, ran)]
                pairs += [(f, None) for f in about if selection.control_enabled(f.code, f.rule)]
        return pairs


def _put_back(outcomes: Sequence[FileOutcome], order: Sequence[int]) -> list[FileOutcome]:
    """The outcomes, made in ``order``, each at its own index."""
    by_index = dict(zip(order, outcomes, strict=True))
    return [by_index[index] for index in range(len(order))]


def _new(findings: Sequence[Finding], known: Sequence[Finding]) -> list[Finding]:
    """Findings without those that an earlier reading of the file has as loud."""
    loudest: dict[tuple[str, str, Span], int] = {}
    for finding in known:
        key = (finding.code, finding.kernel, finding.span)
        loudest[key] = max(loudest.get(key, 0), finding.severity.rank)
    return [f for f in findings if loudest.get((f.code, f.kernel, f.span), -1) < f.severity.rank]


def _device_functions(modules: Sequence[Module], path: str) -> int:
    """How many device functions a file has."""
    functions = {f.span for module in modules for f in module.functions if f.kind in _ON_DEVICE and f.body is not None}
    return sum(span.file == path for span in functions)


def _concerns(finding: Finding, path: str) -> bool:
    """Whether the file at ``path`` has a part in a finding."""
    return any(span.file == path for span in (finding.span, *(each.span for each in finding.related)))


def _resting(finding: Finding, facts: Facts) -> Finding:
    """``finding`` with what the user states of the launch, the values and the memory that it shows."""
    if not facts.options.stated or finding.witness is None:
        return finding
    said = facts[assumptions.assumed]
    told = re.findall(r"\w+", " ".join((finding.message, *(step.what for step in finding.witness.steps))))
    values = (name for name, _ in finding.witness.values if name not in said.idle or name in told)
    texts = said.resting(values, told)
    new = tuple(text for text in texts if text not in finding.assumptions)
    return replace(finding, assumptions=(*finding.assumptions, *new)) if new else finding


def _said_in(finding: Finding, language: str) -> Finding:
    """``finding`` with the names that the language of its source has for threads, blocks and their sizes."""
    witness = finding.witness
    if witness is not None:
        steps = tuple(replace(step, what=in_language(step.what, language)) for step in witness.steps)
        witness = replace(witness, steps=steps)
    rests_on = tuple(in_language(text, language, said=True) for text in finding.assumptions)
    told = finding.reworded(lambda text: in_language(text, language))
    return replace(told, witness=witness, assumptions=rests_on)


SHOWN = 2
"""Names of a file's lost kernels that are told at once; all of them are to who wants details."""


def _note_missed(missed: Iterable[Missed], out: FileOutcome) -> None:
    """Say which kernels of a file were not analysed, in one line for each reason."""
    by_reason: dict[str, list[Missed]] = {}
    for one in missed:
        out.missed += 1
        by_reason.setdefault(one.reason, []).append(one)
    for reason, lost in by_reason.items():
        level = Level.WARNING
        if len(lost) > 1:
            names = ", ".join([one.name for one in lost[:SHOWN]] + ["..."] * (len(lost) > SHOWN))
            out.note(
                level, "missed-kernel", f"{len(lost)} kernels are not analysed: {reason}: {names}", span=lost[0].span
            )
            level = Level.NOTE
        for one in lost:
            out.note(level, "missed-kernel", f"kernel {one.name} is not analysed: {reason}", span=one.span)


def _named(rule: AnyRule, finding: Finding, kernel: str) -> Finding:
    return replace(finding, code=rule.meta.code, rule=rule.meta.name, kernel=kernel)


@dataclass(frozen=True, slots=True)
class Batch:
    """The work on a list of files, by index, for another process: texts stay there, times come along."""

    engine: Engine
    files: Sequence[tuple[str, Selection]]

    def __call__(self, index: int) -> FileOutcome:
        """Analyse one file."""
        self.engine.timings.seconds.clear()
        self.engine.lookup.problems.clear()
        outcome = self.engine.check_file(*self.files[index])
        outcome.seconds = dict(self.engine.timings.seconds)
        outcome.general = list(self.engine.lookup.problems)
        outcome.sources = []
        return outcome


@dataclass(frozen=True, slots=True)
class Died:
    """What is left of a file whose process died."""

    files: Sequence[tuple[str, Selection]]

    def __call__(self, index: int) -> FileOutcome:
        """An outcome without results."""
        outcome = FileOutcome(self.files[index][0], lost=True)
        message = "the process that analysed the file died; it is not analysed"
        outcome.note(Level.ERROR, "front-end-failure", message)
        return outcome


def frontend_options(config: Config, flags: Flags = NO_FLAGS, around: Surroundings | None = None) -> FrontendOptions:
    """What the configuration, a compile command and what lies ``around`` the file say to the front end; the
    configuration has the last word."""
    return FrontendOptions(
        defines=(*flags.defines, *config.defines),
        undefines=flags.undefines,
        include_dirs=(*config.include, *flags.include),
        forced=flags.forced,
        std=config.std or flags.std,
        target=_target_names(config)[0] if config.target else flags.target,
        cache=config.cache,
        frontend=config.frontend,
        around=around,
    )


def stated_of(source: SourceFile, module: Module, config: Config) -> Iterator[Stated]:
    """What is stated of the launches of a file's kernels, in its comments and in a simulation file beside it."""
    yield from suppress.statements(source)
    yield from simulation.statements(source.path, module, config.block is not None or config.grid is not None)


def analysis_options(
    config: Config, stated: Iterable[Stated] = (), source: SourceFile | None = None
) -> AnalysisOptions:
    """What the configuration, ``stated`` and the comments of the file ``source`` say to analyses and rules."""
    return AnalysisOptions(
        targets=tuple(find(name) for name in config.target),
        block=config.block,
        grid=config.grid,
        defines=config.defines,
        pedantic=config.pedantic,
        stated=(*map(Stated, config.assume), *stated),
        unlike=tuple(promises.unlike(source)) if source is not None else (),
        multiples=tuple(promises.multiples(source).items()) if source is not None else (),
        ranges=tuple(ranges(source).items()) if source is not None else (),
        amounts=amounts(source) if source is not None else (),
        shapes=tuple(shapes(source)) if source is not None else (),
        rounded=tuple(rounded(source)) if source is not None else (),
        sentinels=tuple(sentinels(source)) if source is not None else (),
        spare=spare(source) if source is not None else frozenset(),
        levels=levels(source) if source is not None else None,
        built_for=tuple(built_for(source)) if source is not None else (),
        single_alone=source is not None and single_alone(source),
    )


def _target_names(config: Config) -> list[str]:
    return [find(name).name for name in config.target]


def check_targets(config: Config) -> None:
    """Raise :class:`~kernlint.targets.UnknownTarget` for a target, general or in an override, nobody knows."""
    for name in (*config.target, *(t for o in config.overrides for t in o.target or ())):
        try:
            find(name)
        except UnknownTarget as error:
            raise UnknownTarget(f"{config.path + ': ' if config.path else ''}{error}") from None


def check_assumptions(config: Config) -> None:
    """Raise :class:`~kernlint.policy.config.ConfigError` for an assumption that is not understood, with a caret."""
    for text in (*config.assume, *(t for o in config.overrides for t in o.assume or ())):
        try:
            assumptions.parse(text)
        except assumptions.AssumptionError as error:
            where = f"{config.path}: " if config.path else ""
            raise ConfigError(f"{where}{error}\n{assumptions.caret(text, error)}") from None


def _why(error: BaseException) -> str:
    text = str(error).splitlines()[0] if str(error) else ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _trace(error: BaseException) -> str:
    """The innermost few frames of a traceback, one line each."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)[-6:]
    return "\n".join(f"{frame.filename}:{frame.lineno} in {frame.name}: {frame.line}" for frame in frames)


def _refused(kernel: Kernel, module: Module, losses: Iterable[Loss]) -> bool:
    """Whether numba refuses to compile a kernel for what stands in it, of which other rules tell: it does nothing."""
    unsupported = any(loss.kind == "unsupported" for loss in losses)
    return unsupported or any(r.kind == "run-time-shape" and r.kernel == kernel.name for r in module.remarks)
