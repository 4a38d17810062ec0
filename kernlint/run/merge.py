"""One finding for one fault: over the variants of a template, and over the files that include one header."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kernlint.finding import Finding, Related, Severity
from kernlint.record import dataclass, replace
from kernlint.result import Result, Sources
from kernlint.source import SourceFile, Span

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


def _quieter(severity: Severity) -> Severity:
    return Severity.WARNING if severity is Severity.ERROR else severity


def _loudness(items: Iterable[FromVariant], variant: FunctionDecl) -> tuple[int, bool]:
    rank = max(item.finding.severity.rank for item in items if item.variant is variant)
    return rank, not variant.forced


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
        extra = tuple(
            Related(_include_line(sources.get(main), result.finding.span.file), f"included by {main}")
            for main in includers.get(key, ())[:MAX_INCLUDERS]
        )
        if extra:
            result = replace(result, finding=replace(result.finding, related=(*result.finding.related, *extra)))
        merged.append(result)
    merged.sort(key=lambda r: order(r.finding))
    return merged


def order(finding: Finding) -> tuple[str, int, str, int, str]:
    """The order of reports: file, place, code."""
    return finding.span.file, finding.span.start, finding.code, finding.span.end, finding.message


def _include_line(source: SourceFile, header: str) -> Span:
    """The ``#include`` of ``header`` in ``source``; the head of the file when it comes by way of another."""
    name = re.escape(os.path.basename(header).encode())
    match = re.search(rb'^[ \t]*#[ \t]*include[ \t]*["<][^">\n]*\b' + name + rb'[">]', source.data, re.M)
    return Span(source.path, match.start(), match.end()) if match else Span(source.path, 0, 0)
