"""One finding for one fault: over the variants of a template, and over the files that include one header."""

from __future__ import annotations

import functools
import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from kernlint.finding import Finding, Related, Severity
from kernlint.record import dataclass, replace
from kernlint.result import Result, Sources
from kernlint.source import SourceFile, Span
from kernlint.text.patterns import pattern

if TYPE_CHECKING:
    from kernlint.tree.nodes import FunctionDecl

MAX_INCLUDERS = 4
"""At most this many including files are named for a finding in a header."""


@dataclass(frozen=True, slots=True)
class FromVariant:
    """A finding and the variant of the kernel in which it was made."""

    finding: Finding
    variant: FunctionDecl


def instance_label(variant: FunctionDecl) -> str:
    """``T = float, N = 32``; empty for a kernel that is no instance."""
    return ", ".join(f"{name} = {text}" for name, text in variant.template_args)


def over_variants(found: Sequence[FromVariant], variants: Sequence[FunctionDecl]) -> list[Finding]:
    """Findings of one rule on one kernel, each place reported once.

    What holds in every variant is said of the kernel; what holds in some names them.  The loudest variant speaks for
    a place.  A finding that only forced instances have is at most a warning, as no code in sight asks for them, and one
    that only some of those have is a note: it rests on a guess.
    """
    places: dict[Span, list[FromVariant]] = {}
    for item in found:
        places.setdefault(item.finding.span, []).append(item)
    merged = []
    for items in places.values():
        holders = [variant for variant in variants if any(item.variant is variant for item in items)]
        speaker = max(holders, key=lambda v: _loudness(items, v))  # the first of equals
        spoken: dict[str, Finding] = {}
        for item in items:
            if item.variant is speaker:
                spoken.setdefault(item.finding.message, item.finding)
        labels = tuple(label for variant in holders if (label := instance_label(variant)))
        everywhere = len(holders) == len(variants)
        forced = all(variant.forced for variant in holders)
        for finding in spoken.values():
            severity = finding.severity
            if forced:
                severity = Severity.NOTE if not everywhere else _quieter(severity)
            merged.append(replace(finding, severity=severity, instances=() if everywhere else labels))
    return merged


def in_all_variants(found: Sequence[FromVariant], variants: Sequence[FunctionDecl]) -> list[FromVariant]:
    """Those of ``found`` that are made at their place in every variant."""
    holders: dict[Span, set[int]] = {}
    for item in found:
        holders.setdefault(item.finding.span, set()).add(id(item.variant))
    return [item for item in found if len(holders[item.finding.span]) == len(variants)]


def in_all_readings(
    findings: Sequence[Finding], readings: Sequence[tuple[frozenset[str], Sequence[Finding]]], codes: Collection[str]
) -> list[Finding]:
    """``findings`` without those with one of ``codes`` that a reading of the same kernel does not have at that place;
    a reading: the names of its kernels and what was found in it."""
    places = [(kernels, {(one.code, one.span) for one in found}) for kernels, found in readings]
    return [
        finding
        for finding in findings
        if finding.code not in codes
        or all((finding.code, finding.span) in had for kernels, had in places if finding.kernel in kernels)
    ]


def _quieter(severity: Severity) -> Severity:
    return Severity.WARNING if severity is Severity.ERROR else severity


def _loudness(items: Iterable[FromVariant], variant: FunctionDecl) -> tuple[int, bool]:
    rank = max(item.finding.severity.rank for item in items if item.variant is variant)
    return rank, not variant.forced


HOST_SOURCES = (".c", ".cc", ".cpp", ".cxx", ".cu", ".hip", ".py")
"""Files that launch kernels of others: that one is included has to be seen."""


def across_files(outcomes: Sequence[Sequence[Result]], mains: Sequence[str], sources: Sources) -> list[Result]:
    """The results of all files in the order of file, place and code, a finding in a header only once.

    ``mains`` are the analysed files, one for each of ``outcomes``.  A finding in a header names the files that include
    it as related places, unless the header was analysed by itself.
    """
    kept: dict[tuple[str, int, int, str, str], Result] = {}
    includers: dict[tuple[str, int, int, str, str], list[str]] = {}
    real = functools.cache(os.path.realpath)
    real_mains: set[str] | None = None
    for results, main in zip(outcomes, mains, strict=True):
        for result in results:
            finding = result.finding
            key = (real(finding.span.file), finding.span.start, finding.span.end, finding.code, finding.kernel)
            if finding.span.file != main:
                if real_mains is None:
                    real_mains = set(map(real, mains))
                if key[0] not in real_mains:
                    includers.setdefault(key, []).append(main)
            known = kept.get(key)
            if known is None or finding.severity.rank > known.finding.severity.rank:
                kept[key] = result
    merged = []
    for key, result in kept.items():
        header = result.finding.span.file
        lines = [(main, _include_line(sources.get(main), header)) for main in includers.get(key, ())[:MAX_INCLUDERS]]
        extra = tuple(
            Related(line, f"included by {main}")
            for main, line in lines
            if line.end or not header.endswith(HOST_SOURCES)
        )
        if extra:
            result = replace(result, finding=replace(result.finding, related=(*result.finding.related, *extra)))
        merged.append(result)
    merged.sort(key=lambda r: order(r.finding))
    return one_cause(merged, sources)


HABIT = 3
"""Findings of a habit in one file, or files of one folder with such findings, from which on they are told as one."""


def one_cause(results: Sequence[Result], sources: Sources) -> list[Result]:
    """``results`` with those of one cause told once, the others as related places.

    One cause have findings at one place that several kernels reach (a helper's fault), findings that say the same
    of several uses of one macro, and findings of one habit: :data:`HABIT` or more in one file are one finding of
    that file, and those of :data:`HABIT` or more files of one folder are one finding of that folder (what else is
    named in a run may be the work of somebody else). What is suppressed stands for itself. The loudest speaks; the
    order is kept.
    """
    open_ = [one.finding for one in results if one.suppression is None]
    in_file = Counter((one.code, one.habit, one.span.file) for one in open_ if one.habit)
    files = Counter((code, habit, os.path.dirname(file)) for code, habit, file in in_file)
    groups: dict[tuple[object, ...], list[int]] = {}
    macros = _Macros(sources)
    for at, result in enumerate(results):
        finding = result.finding
        if result.suppression is not None:
            continue
        span, habit = finding.span, (finding.code, finding.habit)
        folder = (*habit, os.path.dirname(span.file))
        name = macros.used_at(span)
        key: tuple[object, ...] = (span, finding.code)
        if name:
            key = (span.file, finding.code, macros.without_arguments(finding.message, span), name)
        if files.get(folder, 0) >= HABIT:
            key = (*folder, finding.severity)
        elif in_file.get((*habit, span.file), 0) >= HABIT:
            key = (*habit, finding.severity, span.file)
        groups.setdefault(key, []).append(at)
    told: dict[int, Result] = {}
    gone: set[int] = set()
    for members in groups.values():
        if len(members) < 2:
            continue
        first = max(members, key=lambda at: results[at].finding.severity.rank)  # the first of equals
        finding = results[first].finding
        rest = [at for at in members if _who(results[at].finding) != _who(finding)]
        others = [results[at].finding for at in rest]
        more = tuple(_elsewhere(finding, others))
        told[first] = replace(results[first], finding=replace(finding, related=(*finding.related, *more)))
        gone.update(rest)
    return [told.get(at, result) for at, result in enumerate(results) if at not in gone]


def _who(finding: Finding) -> tuple[str, Span]:
    return finding.kernel, finding.span


OTHERS = 6
"""Places or kernels named of those that share a cause."""


def _elsewhere(finding: Finding, others: Sequence[Finding]) -> Iterable[Related]:
    """Where else the cause of ``finding`` shows."""
    kernels = [name for name in dict.fromkeys(other.kernel for other in others) if name and name != finding.kernel]
    if all(other.span == finding.span for other in others):
        if kernels:
            rest = f" and {len(kernels) - OTHERS} more" if len(kernels) > OTHERS else ""
            noun = "kernel" if len(kernels) == 1 else "kernels"
            yield Related(finding.span, f"so it is in {noun} {', '.join(kernels[:OTHERS])}{rest}")
        return
    for number, other in enumerate(others):
        if number == OTHERS - 1 and len(others) > OTHERS:
            yield Related(other.span, f"so it is here and at {len(others) - number - 1} more places")
            return
        yield Related(other.span, f"so it is here, in kernel {other.kernel}" if other.kernel else "so it is here")


class _Macros:
    """Function-like macros of files."""

    _USE = pattern(rb"([A-Za-z_]\w*)\s*\(")
    _DEFINITION = pattern(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)\(", re.M)
    _NAME = pattern(r"[A-Za-z_]\w*")

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._defined: dict[str, frozenset[bytes]] = {}

    def used_at(self, span: Span) -> bytes:
        """The macro of the same file that is used at ``span``; empty for none."""
        data = self._sources.get(span.file).data
        use = self._USE.match(data, span.start)
        if use is None:
            return b""
        if span.file not in self._defined:
            self._defined[span.file] = frozenset(self._DEFINITION.findall(data))
        return use[1] if use[1] in self._defined[span.file] else b""

    def without_arguments(self, message: str, span: Span) -> str:
        """A message without the words that the use of a macro at ``span`` gave it: names pasted together of them."""
        text = self._sources.get(span.file).data[span.start : span.end].decode("utf-8", "replace")
        given = {word for word in self._NAME.findall(text.partition("(")[2]) if len(word) > 1}
        return self._NAME.sub(lambda it: "" if any(word in it[0] for word in given) else it[0], message)


def order(finding: Finding) -> tuple[str, int, str, int, str]:
    """The order of reports: file, place, code."""
    return finding.span.file, finding.span.start, finding.code, finding.span.end, finding.message


def _include_line(source: SourceFile, header: str) -> Span:
    """The ``#include`` of ``header`` in ``source``; the head of the file when it comes by way of another."""
    name = re.escape(os.path.basename(header).encode())
    match = re.search(rb'^[ \t]*#[ \t]*include[ \t]*["<][^">\n]*\b' + name + rb'[">]', source.data, re.M)
    return Span(source.path, match.start(), match.end()) if match else Span(source.path, 0, 0)
