"""``kernlint prove``: for each kernel what is proved of it, refuted or unknown, and what that rests on."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from kernlint.analysis.base import AnalysisFailed, Facts, ModuleFacts
from kernlint.cli.lines import Lines, short
from kernlint.cli.settings import Settings
from kernlint.frontends.base import FrontendError
from kernlint.project import Projects, discovery
from kernlint.record import dataclass
from kernlint.registry import Registry
from kernlint.run import merge
from kernlint.run.engine import Engine, analysis_options, default_frontend, stated_of
from kernlint.source import SourceError, SourceFile, Span, read

if TYPE_CHECKING:
    from rich.text import Text

    from kernlint.analysis.verdict.proofs import Verdicts
    from kernlint.analysis.verdict.verdicts import Verdict
    from kernlint.finding import Witness

PROPERTIES = ("races", "barriers", "bounds")

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Row:
    """The verdicts on one kernel, or on one instance of a template; ``failed``: an internal failure that left none."""

    path: str
    kernel: str
    instance: str
    span: Span
    verdicts: Verdicts
    failed: str = ""


def prove(options: argparse.Namespace, registry: Registry) -> int:
    """Print the verdicts; 1 when something is refuted, 2 when a file or kernel could not be read or
    analysed."""
    settings = Settings(options, registry)
    paths = [os.fspath(path) for path in options.paths or ["."]]
    projects = Projects(paths)
    engine = Engine(registry, settings.for_path(os.getcwd()), projects=projects)
    sources: dict[str, SourceFile] = {}
    rows: list[Row] = []
    code = 0
    configs = settings.config_for
    holds = lambda path, real: projects.holds_kernels(path, real, configs(path, True).home)  # noqa: E731
    excluded = lambda path, is_file: configs(path, is_file).excluded(path)  # noqa: E731
    found = list(discovery.find(paths, excluded, holds=holds))
    for one in found:
        try:
            for row in _of_file(one.path, engine, settings, sources):
                rows.append(row)
                if row.failed:
                    print(f"kernlint: {one.path}: kernel {row.kernel}: {row.failed}", file=sys.stderr)
                    code = 2
        except (SourceError, FrontendError) as error:
            print(f"kernlint: {one.path}: {error}", file=sys.stderr)
            code = 2
        except Exception as error:
            print(f"kernlint: {one.path}: internal failure: {type(error).__name__}: {error}", file=sys.stderr)
            code = 2
    if not found:
        print(f"kernlint: {' '.join(paths)}: no files to analyse", file=sys.stderr)
        code = 2
    lines = Lines(sources)
    if options.json:
        print(json.dumps(_document(rows, lines), indent=1))
    else:
        _table(rows, lines, options.color)
    refuted = any(verdict.status == "refuted" for row in rows for _, verdict in _each(row.verdicts))
    return code or int(refuted)


def _of_file(path: str, engine: Engine, settings: Settings, sources: dict[str, SourceFile]) -> Iterator[Row]:
    from kernlint.analysis.verdict.proofs import Verdicts, verdicts
    from kernlint.analysis.verdict.verdicts import told_in, unknown

    source = sources[path] = read(path)
    config = settings.for_path(path).config.for_file(path)
    for module in default_frontend().parse_file(source, engine.frontend_options(path, config)):
        facts = ModuleFacts(module, analysis_options(config, stated_of(source, module, config)))
        for kernel in module.kernels:
            for variant in kernel.variants:
                failed = ""
                try:
                    found = Facts(facts, kernel, variant)[verdicts]
                    judged = Verdicts(*(told_in(getattr(found, name), module.language) for name in PROPERTIES))
                except AnalysisFailed as error:
                    failed = f"internal failure: {error}"
                    judged = Verdicts(*(unknown(failed) for _ in PROPERTIES))
                span = variant.name_span or variant.span
                label = ", ".join(filter(None, (merge.instance_label(variant), module.setting)))
                yield Row(path, kernel.name, label, span, judged, failed)


def _each(verdicts: Verdicts) -> tuple[tuple[str, Verdict], ...]:
    return tuple((name, getattr(verdicts, name)) for name in PROPERTIES)


# ---------------------------------------------------------------------------------------------------- as a table


def _cell(verdict: Verdict, line: int | None) -> Text:
    """``proved if n <= len(x)``, ``unknown: index from memory (line 3)``, ``refuted (line 12)``."""
    from rich.text import Text

    where = "" if line is None else f" (line {line})"
    if verdict.status == "refuted":
        under = f" with {'; '.join(verdict.assumptions)}" if verdict.assumptions else ""
        return Text(f"refuted{where}: {verdict.reason}{under}", "red")
    if verdict.status == "unknown":
        return Text(f"unknown: {verdict.reason}{where}", "yellow")
    word = verdict.reason or "proved"
    if not verdict.assumptions:
        return Text(word, "green")
    if word != "proved":
        word = f"{word},"
    return Text(f"{word} if {'; '.join(short(verdict.assumptions))}", "green")


def _table(rows: Sequence[Row], lines: Lines, color: str) -> None:
    from rich.table import Table
    from rich.text import Text

    from kernlint.report.console import console

    out = console(color)
    for path in dict.fromkeys(row.path for row in rows):
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), title=Text(path), title_justify="left")
        for name in ("kernel", *PROPERTIES):
            table.add_column(name, overflow="fold", ratio=1 if name != "barriers" else None)
        for row in rows:
            if row.path == path:
                title = Text(row.kernel + (f" [{row.instance}]" if row.instance else ""))
                table.add_row(title, *(_cell(verdict, lines.of(verdict.span)) for _, verdict in _each(row.verdicts)))
        out.print(table)
        out.print()
    out.print(_summary(rows))


def _summary(rows: Sequence[Row]) -> str:
    """One line with the counts."""
    parts = []
    for name in PROPERTIES:
        counts = Counter(getattr(row.verdicts, name).status for row in rows)
        parts.append(f"{name}: {counts['proved']} proved, {counts['refuted']} refuted, {counts['unknown']} unknown")
    return f"{len(rows)} kernel{'s' if len(rows) != 1 else ''}; " + "; ".join(parts)


# ------------------------------------------------------------------------------------------------------- as JSON


def _document(rows: Sequence[Row], lines: Lines) -> Json:
    kernels = []
    for row in rows:
        entry: Json = {
            "path": row.path,
            "kernel": row.kernel,
            "instance": row.instance,
            "line": lines.of(row.span),
        }
        for name, verdict in _each(row.verdicts):
            entry[name] = {**lines.verdict(verdict), "witness": _witness(verdict.witness, lines)}
        kernels.append(entry)
    counts = {name: dict(Counter(getattr(row.verdicts, name).status for row in rows)) for name in PROPERTIES}
    return {"kernels": kernels, "summary": {"kernels": len(rows), **counts}}


def _witness(witness: Witness | None, lines: Lines) -> Json | None:
    if witness is None:
        return None
    return {
        "block": list(witness.block),
        "grid": list(witness.grid),
        "values": dict(witness.values),
        "steps": [
            {
                "block": list(step.block),
                "thread": list(step.thread),
                "line": lines.of(step.span),
                "what": step.what,
                "index": step.index,
            }
            for step in witness.steps
        ],
        "replayed": witness.replayed,
    }
