"""``kernlint why FILE:LINE``: what was suspected at a line, what excused it, what is proved and what is not known."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from kernlint.analysis.base import AnalysisFailed, Facts
from kernlint.cli.lines import Lines, short
from kernlint.cli.options import UsageError
from kernlint.cli.settings import Settings
from kernlint.project import Projects
from kernlint.record import dataclass, replace
from kernlint.registry import Registry
from kernlint.result import Level, Result
from kernlint.run import merge
from kernlint.run.engine import Engine, Kept
from kernlint.source import SourceError, SourceFile, Span, read
from kernlint.tree.nodes import FunctionDecl
from kernlint.tree.walk import functions_of

if TYPE_CHECKING:
    from kernlint.analysis.excuses.excuse import Fired
    from kernlint.analysis.verdict.verdicts import Verdict

ACCESSES = 12
"""Accesses of one line that are judged in one kernel."""

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Judgement:
    """An access or a barrier of the line in words, and the verdicts on it alone, each by its name."""

    what: str
    verdicts: tuple[tuple[str, Verdict], ...]


@dataclass(frozen=True, slots=True)
class Account:
    """What there is to say of the line in one kernel, or in one instance of a template.

    ``unknown``: what was not understood at the line, or what stands in the way of any proof about the kernel.
    """

    kernel: str
    accesses: tuple[Judgement, ...]
    unknown: tuple[str, ...]
    failed: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """All that is known of a line: results that touch it, excuses that counted there, an account for each kernel."""

    path: str
    line: int
    text: str
    results: tuple[Result, ...]
    excused: tuple[Fired, ...]
    accounts: tuple[Account, ...]


def why(options: argparse.Namespace, registry: Registry) -> int:
    """Print what became of the suspicions at a line; 2 when the file could not be read or has no such line."""
    path, line = _place(options.place)
    try:
        source = read(path)
    except SourceError as error:
        print(f"kernlint: {path}: {error}", file=sys.stderr)
        return 2
    count = source.data.count(b"\n") + 1
    if line > count:
        print(f"kernlint: {path} has no line {line}; it has {count}", file=sys.stderr)
        return 2
    settings = Settings(options, registry)
    selection = settings.for_path(path)
    selection = type(selection)(selection.registry, replace(selection.config, pedantic=True, cache=False))
    engine = Engine(selection.registry, selection, projects=Projects([path]))
    lines = Lines({source.path: source})
    answer, lost = _answer(engine, selection, source, line, lines)
    for message in lost:
        print(f"kernlint: {path}: {message}", file=sys.stderr)
    if options.json:
        print(json.dumps(_document(answer, lines), indent=1))
    else:
        _print(answer, lines, options.color)
    return 2 if lost else 0


def _place(text: str) -> tuple[str, int]:
    """A path and a line from ``FILE:LINE`` or ``FILE:LINE:COLUMN``.  Raises :class:`UsageError`."""
    parts = text.split(":")
    while len(parts) > 2 and parts[-1].isdigit() and parts[-2].isdigit():
        parts.pop()
    if len(parts) < 2 or not parts[-1].isdigit() or int(parts[-1]) < 1:
        raise UsageError(f"{text!r} is not FILE:LINE, such as reduce.cu:42")
    return ":".join(parts[:-1]), int(parts[-1])


def _answer(engine: Engine, selection: Any, source: SourceFile, line: int, lines: Lines) -> tuple[Answer, list[str]]:
    from kernlint.analysis.excuses.excuse import ledger

    def here(span: Span | None) -> bool:
        return span is not None and os.path.realpath(span.file) == os.path.realpath(source.path) and _covers(span)

    def _covers(span: Span) -> bool:
        return source.line_of(span.start) <= line <= source.line_of(max(span.start, span.end - 1))

    kept = Kept()
    with ledger() as noted:
        outcome = engine.check_source(source, selection, kept)
        accounts = tuple(_accounts(kept.variants, here))
    results = tuple(
        result
        for result in outcome.results
        if here(result.finding.span) or any(here(related.span) for related in result.finding.related)
    )
    fired = tuple(one for one in noted.fired if any(map(here, one.spans)))
    lost = [note.message for note in outcome.notifications if note.level is Level.ERROR]
    text = source.line_text(line).strip()
    return Answer(source.path, line, text, results, fired, accounts), lost


def _accounts(variants: Sequence[Facts], here: Any) -> Iterator[Account]:
    """What there is to say of the line in each kernel whose code, or the code that it calls, covers it."""
    told: set[Account] = set()
    for facts in variants:
        if not any(here(function.span) for function in _functions(facts)):
            continue
        label = merge.instance_label(facts.function)
        name = facts.kernel.name + (f" [{label}]" if label else "")
        try:
            account = _account(facts, name, here)
        except AnalysisFailed as error:
            account = Account(name, (), (), f"internal failure: {error}")
        if account not in told:
            told.add(account)
            yield account


def _functions(facts: Facts) -> list[FunctionDecl]:
    return [facts.function, *functions_of(facts.kernel)]


def _account(facts: Facts, name: str, here: Any) -> Account:
    from kernlint.analysis.trace import trace
    from kernlint.analysis.verdict.proofs import barriers, judge_of
    from kernlint.analysis.verdict.verdicts import told_in
    from kernlint.analysis.wording import element, verb

    of, language = facts[trace], facts.module.language
    unknown = [loss.reason for loss in facts.losses if here(loss.span)]
    unknown += [gap.reason for gap in of.gaps if here(gap.span)]
    unknown += [f"the call of {call.name} is not followed" for call in of.calls if here(call.span)]
    judge = facts[judge_of]
    judgements: dict[str, Judgement] = {}
    for access in of.accesses:
        if not here(access.span) or len(judgements) >= ACCESSES:
            continue
        what = f"{element(access)} is {verb(access)} ({access.root.space.value} memory)"
        if what not in judgements:
            judged = judge(access)
            races, bounds = told_in(judged.races, language), told_in(judged.bounds, language)
            judgements[what] = Judgement(what, (("races", races), ("bounds", bounds)))
    found = [barrier for barrier in of.barriers if here(barrier.span)]
    if found:
        what = f"{found[0].name} is waited at"
        judgements[what] = Judgement(what, (("barriers", told_in(barriers(facts, refute=False), language)),))
    return Account(name, tuple(judgements.values()), tuple(dict.fromkeys(unknown)))


# ------------------------------------------------------------------------------------------------------ as text


def _print(answer: Answer, lines: Lines, color: str) -> None:
    from kernlint.report.console import Line, to_text, wants_color

    out: list[Line] = [[(f"{answer.path}:{answer.line}", "bold"), (f"  {answer.text}", "dim")]]
    out += _reported(answer)
    out += _excuses(answer, lines)
    for account in answer.accounts:
        out += _told(account, lines)
    if not answer.accounts and not answer.results:
        out.append([("  no kernel of this file reaches the line", "")])
    print(to_text(out, wants_color(color)), end="")


def _reported(answer: Answer) -> Iterator[Any]:
    for result in answer.results:
        finding = result.finding
        style = {"error": "red", "warning": "yellow"}.get(finding.severity.value, "cyan")
        silenced = "" if result.suppression is None else ", suppressed"
        yield [
            ("  reported  ", "bold"),
            (f"{finding.severity.value} {finding.code}", style),
            (f" {finding.message} ({finding.rule}{silenced})", ""),
        ]


def _excuses(answer: Answer, lines: Lines) -> Iterator[Any]:
    for fired in answer.excused:
        others = sorted({at for at in map(lines.of, fired.spans) if at is not None and at != answer.line})
        beside = f" with line {', '.join(map(str, others))}" if others else ""
        launch = f" ({fired.launch})" if fired.launch else ""
        yield [
            ("  excused   ", "bold"),
            (f"suspected{beside}{launch}, not reported: ", ""),
            (fired.reason, "green"),
            (f" ({fired.excuse})", "dim"),
        ]


def _told(account: Account, lines: Lines) -> Iterator[Any]:
    yield [(f"  kernel {account.kernel}", "bold")]
    if account.failed:
        yield [(f"    {account.failed}", "red")]
    for reason in account.unknown:
        yield [("    not known: ", ""), (reason, "yellow")]
    for one in account.accesses:
        yield [(f"    {one.what}", "")]
        for word, verdict in one.verdicts:
            yield [(f"      {word:<8} ", "dim"), _cell(verdict, lines.of(verdict.span))]
    if not (account.accesses or account.unknown or account.failed):
        yield [("    nothing is suspected: no access of memory and no barrier stands on the line", "")]


def _cell(verdict: Verdict, line: int | None) -> tuple[str, str]:
    if verdict.status == "proved":
        word = f"proved: {verdict.reason}" if verdict.reason else "proved"
        rests = "; ".join(short(verdict.assumptions))
        return (f"{word}, if {rests}" if rests else word), "green"
    where = "" if line is None else f" (line {line})"
    return f"not proved: {verdict.reason}{where}", "yellow"


# ------------------------------------------------------------------------------------------------------ as JSON


def _document(answer: Answer, lines: Lines) -> Json:
    return {
        "path": answer.path,
        "line": answer.line,
        "reported": [
            {
                "code": result.finding.code,
                "rule": result.finding.rule,
                "severity": result.finding.severity.value,
                "message": result.finding.message,
                "suppressed": result.suppression is not None,
            }
            for result in answer.results
        ],
        "excused": [
            {
                "excuse": fired.excuse,
                "reason": fired.reason,
                "lines": [lines.of(span) for span in fired.spans],
                "launch": fired.launch,
            }
            for fired in answer.excused
        ],
        "kernels": [
            {
                "kernel": account.kernel,
                "unknown": list(account.unknown),
                "failed": account.failed,
                "accesses": [
                    {"what": one.what, **{word: lines.verdict(verdict) for word, verdict in one.verdicts}}
                    for one in account.accesses
                ],
            }
            for account in answer.accounts
        ],
    }
