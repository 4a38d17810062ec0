"""Fixes that hold: a change is made to a copy of the text, and the copy is analysed before anybody is offered it.

A rule proposes changes (:meth:`kernlint.rule.Rule.fixes`).  One is kept only if the finding is gone from the changed
text, nothing that was not there before is found in it, notes included, and the front end understands as much of it as
before and has no more errors.  A fix that is offered has therefore been tried; what fails is not shown to anyone.

Trials are counted, not timed, so that the same fixes are found on every machine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import suppress

from kernlint.analysis.base import AnalysisFailed
from kernlint.analysis.trace.kernels import trace
from kernlint.finding import Finding, Fix, Severity
from kernlint.policy.selection import Selection
from kernlint.project import Projects
from kernlint.project.compiledb import Lookup
from kernlint.record import dataclass, replace
from kernlint.registry import CONTROL_CODES
from kernlint.result import Level, Result
from kernlint.rule import ModuleRule, Rule
from kernlint.run.engine import Engine, Kept
from kernlint.run.outcome import FileOutcome
from kernlint.run.patch import Patch, PatchError, overlap, patch
from kernlint.source import SourceFile, Span
from kernlint.tree.nodes import FunctionKind, Kernel, Module
from kernlint.tree.walk import functions_of

CANDIDATES = 12
"""Changes that are tried for one finding."""

TRIALS = 60
"""Changes that are tried in one text before no more fixes are looked for."""

SUGGESTED, BYTES, WORK = 24, 1_500_000, 12_000
"""Changes that are tried in one text for the fixes of a report, which nobody asked to be made yet: at most, and the
bytes and the work of all of them together (see :func:`_work`); one in any case."""

FUNCTION, ACCESS = 10, 5
"""The work that a function takes which the front end reads, and that an access of a kernel takes which rules look at;
a thousand is about a second of a processor of 2024."""

ROUNDS = 100
"""Fixes that are made in one file."""


@dataclass(frozen=True, slots=True)
class Verified:
    """A finding and a fix for it that was tried: ``fix.edits`` are of the text it was looked for in."""

    finding: Finding
    fix: Fix


def verified_fixes(
    source: SourceFile,
    findings: Collection[Finding],
    selection: Selection,
    lookup: Lookup | None = None,
    projects: Projects | None = None,
) -> list[Verified]:
    """A fix for each of ``findings`` that has one, in their order.

    ``findings`` are those that an analysis of ``source`` under ``selection`` gave, or some of them; ``lookup`` are the
    compile commands it used, ``projects`` what lay around it.  Each fix is of ``source`` as it is: after one is made,
    the others have to be asked for again.  ``source`` need not be what is on disk.
    """
    fixer = Fixer(Engine(selection.registry, selection, lookup=lookup, projects=projects), selection)
    return list(fixer.fixes(source, findings))


def suggest(engine: Engine, source: SourceFile, selection: Selection, outcome: FileOutcome) -> None:
    """Give the results in ``outcome``, which ``engine`` has for ``source``, the fixes that hold.

    A crash costs the fixes of this file and is told.
    """
    outcome.fixed = True
    wanted = [result.finding for result in outcome.results if result.suppression is None]
    try:
        for found in Fixer(engine, selection).fixes(source, wanted, SUGGESTED, BYTES, WORK):
            outcome.results = [
                _with(result, found.fix) if result.finding is found.finding else result for result in outcome.results
            ]
    except Exception as error:
        message = f"internal failure while fixes were looked for: {type(error).__name__}: {error}"
        outcome.note(Level.WARNING, "fix-crash", message)


def _with(result: Result, fix: Fix) -> Result:
    """``result`` with the edits of ``fix`` beside its own advice."""
    finding = result.finding
    words = finding.fix.description if finding.fix is not None else fix.description
    return replace(result, finding=replace(finding, fix=Fix(words, fix.edits, fix.description)))


@dataclass(frozen=True, slots=True)
class Repaired:
    """A text with ``fixes`` made one after the other, each of the text that the ones before it left."""

    source: SourceFile
    fixes: tuple[Verified, ...] = ()


@dataclass(slots=True)
class _State:
    """A text and all that is known of it; ``whole``: all of its kernels were looked at."""

    source: SourceFile
    outcome: FileOutcome
    kept: Kept
    whole: bool = True

    @property
    def active(self) -> list[Finding]:
        """What is found and not silenced, notes included."""
        return [result.finding for result in self.outcome.results if result.suppression is None]


class Fixer:
    """Looks for fixes with ``engine``, which analyses under ``selection``."""

    def __init__(self, engine: Engine, selection: Selection) -> None:
        self._engine = engine
        self._advice = frozenset(r.meta.code for r in self._engine.registry.rules if r.meta.severity is Severity.NOTE)
        # Notes are compared too: a fix must not trade a warning for one.
        self._selection = Selection(selection.registry, replace(selection.config, pedantic=True))
        self._trials = 0

    def fixes(
        self,
        source: SourceFile,
        findings: Collection[Finding],
        most: int = TRIALS,
        size: int | None = None,
        work: int | None = None,
    ) -> Iterator[Verified]:
        """A fix for each of ``findings`` that has one; at most ``most`` changes are tried, and no more than ``size``
        bytes and ``work`` (see :func:`_work`) allow."""
        wanted = [finding for finding in findings if self._may_fix(source, finding)]
        if not wanted:
            return
        state = self._examine(source)
        limits = [most]
        limits += [] if size is None else [size // max(len(source.data), 1)]
        limits += [] if work is None else [work // max(_work(state.kept), 1)]
        self._trials = max(1, min(limits))
        for finding in wanted:
            found = self._fix(state, finding)
            if found is not None:
                yield Verified(finding, found[0])

    def repaired(self, source: SourceFile, findings: Collection[Finding], most: int = TRIALS) -> Repaired:
        """``source`` with fixes for ``findings`` made until no more of them has one."""
        left = [finding for finding in findings if self._may_fix(source, finding)]
        if not left:
            return Repaired(source)
        made: list[Verified] = []
        self._trials = most
        state = self._examine(source)
        tried: set[tuple[bytes, str, str, int]] = set()
        while len(made) < ROUNDS:
            for finding in left:
                key = (state.source.data, finding.code, finding.message, finding.span.start)
                if key in tried:
                    continue
                tried.add(key)
                found = self._fix(state, finding)
                if found is not None:
                    break
            else:
                break
            fix, change, new = found
            made.append(Verified(finding, fix))
            state = new if new.whole else self._examine(new.source)
            left = [new for new in state.active if any(_same(change, old, new) for old in left)]
        return Repaired(state.source, tuple(made))

    # --------------------------------------------------------------------------------------------- one finding

    def _may_fix(self, source: SourceFile, finding: Finding) -> bool:
        """Whether a rule could have a fix for a finding of the text itself: most have none, which costs nothing."""
        if finding.span.file != source.path or finding.code in CONTROL_CODES or source.cells:
            return False
        rule = next((rule for rule in self._selection.registry.rules if rule.meta.code == finding.code), None)
        if rule is None:
            return False
        base = ModuleRule if issubclass(rule, ModuleRule) else Rule
        return rule.fixes is not base.fixes or bool(finding.fix and finding.fix.edits)

    def _fix(self, state: _State, finding: Finding) -> tuple[Fix, Patch, _State] | None:
        """The first change proposed for ``finding`` that holds, and the text with it."""
        seen: set[bytes] = set()
        for fix in self._candidates(state, finding):
            if len(seen) == CANDIDATES or not self._trials:
                return None
            try:
                change = patch(state.source, fix.edits)
            except PatchError:
                continue
            data = change.apply(state.source.data)
            if data in seen:
                continue
            seen.add(data)
            self._trials -= 1
            new = self._examine(replace(state.source, data=data, _starts=[]), change)
            if _holds(state, new, change, finding, self._advice):
                return replace(fix, edits=change.edits), change, new
        return None

    def _candidates(self, state: _State, finding: Finding) -> Iterator[Fix]:
        """Changes that the finding's rule proposes, for each variant of the kernel that has it."""
        for rule in self._selection.rules_for(state.source.path):
            if rule.meta.code != finding.code:
                continue
            found = [f for f in state.kept.findings if f.code == finding.code and f.span == finding.span]
            raw = next((f for f in found if f.message == finding.message), found[0] if found else None)
            if raw is None:
                return
            if isinstance(rule, ModuleRule):
                for module in state.kept.modules:
                    if module.module.written_in == "python":
                        continue  # what rules write is C
                    yield from rule.fixes(module, raw, state.source)
                return
            for facts in state.kept.variants:
                own = facts.kernel.name == raw.kernel and facts.module.written_in == "c"
                if own and not rule.obstacles(facts):
                    yield from rule.fixes(facts, raw, state.source)

    def _examine(self, source: SourceFile, change: Patch | None = None) -> _State:
        """Analyse a text; with ``change``, the kernels that it may have to do with."""
        kept = Kept()
        skipped = False

        def touched(kernel: Kernel) -> bool:
            nonlocal skipped
            assert change is not None
            wanted = _touched(kernel, kept.modules[-1].module, change)
            skipped = skipped or not wanted
            return wanted

        kept.wanted = touched if change is not None else None
        outcome = self._engine.check_source(source, self._selection, kept)
        return _State(source, outcome, kept, not skipped)


def _work(kept: Kept) -> int:
    """What an analysis took: its functions and the accesses of its kernels, in all variants."""
    accesses = 0
    for facts in kept.variants:
        with suppress(AnalysisFailed):
            accesses += len(facts[trace].accesses)
    return FUNCTION * sum(len(facts.module.functions) for facts in kept.modules) + ACCESS * accesses


def _touched(kernel: Kernel, module: Module, change: Patch) -> bool:
    """Whether a change may have to do with a kernel: it is in a function that the kernel can call, or in none, or in
    host code."""
    spots = [Span(change.path, start, end) for start, end in change.regions]
    for spot in spots:
        holders = [f for f in module.functions if overlap(f.span, spot)]
        if not holders or any(f.kind is FunctionKind.HOST for f in holders):
            return True
    reach = list(functions_of(kernel))
    reach += [f.generic for f in reach if f.generic is not None]
    return any(overlap(function.span, spot) for function in reach for spot in spots)


def _holds(old: _State, new: _State, change: Patch, target: Finding, advice: frozenset[str]) -> bool:
    """Whether the changed text is without ``target``, without anything new, and understood as well as before.

    ``advice``: codes of rules that never say more than a note.
    """
    if new.outcome.lost or not _understood(old, new):
        return False
    if any(_same(change, target, finding) for finding in new.active):
        return False
    before = [was for was in old.active if was is not target]
    for finding in new.active:
        if not new.whole and finding.code in CONTROL_CODES:
            continue  # what a directive silences may be in a kernel that was not looked at
        known = [was for was in before if _same(change, was, finding) and was.severity.rank >= finding.severity.rank]
        if not known and finding.code in advice:
            continue  # that a barrier is no longer needed, say
        if not known:
            return False
        # Each speaks for one: two in the place of one are something new.
        before.remove(next((was for was in known if was.message == finding.message), known[0]))
    return True


def _same(change: Patch, was: Finding, finding: Finding) -> bool:
    """Whether ``finding`` of the changed text is ``was`` of the old one."""
    if (was.code, was.kernel) != (finding.code, finding.kernel):
        return False
    return overlap(change.moved(was.span), finding.span)


def _understood(old: _State, new: _State) -> bool:
    """Whether the front end and the analyses follow the new text at least as far as the old one."""
    if len(old.kept.modules) != len(new.kept.modules):
        return False
    if not new.outcome.unsure <= old.outcome.unsure:
        return False
    crashes = Counter(note.message for note in old.outcome.notifications if note.kind == "rule-crash")
    if Counter(note.message for note in new.outcome.notifications if note.kind == "rule-crash") - crashes:
        return False
    pairs = zip(old.kept.modules, new.kept.modules, strict=True)
    return all(_no_worse(was.module, now.module) for was, now in pairs)


def _no_worse(was: Module, now: Module) -> bool:
    if (was.language, [k.name for k in was.kernels]) != (now.language, [k.name for k in now.kernels]):
        return False
    if now.errors > was.errors or len(now.missed) > len(was.missed) or len(now.compiler) > len(was.compiler):
        return False
    if not (now.synthesised <= was.synthesised and set(now.missing_headers) <= set(was.missing_headers)):
        return False
    if [len(k.variants) for k in was.kernels] != [len(k.variants) for k in now.kernels]:
        return False
    return not (_losses(now) - _losses(was))


def _losses(module: Module) -> Counter[tuple[str, str, str]]:
    """What each function lost on its way into the tree, counted."""
    return Counter((f.qualified, loss.kind, loss.reason) for f in module.functions for loss in f.losses)
