"""Findings of kernels that never run, or whose work nobody sees, and of code that is switched off by hand: they are
notes, as nothing comes of them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kernlint.analysis.excuses.excuse import excused
from kernlint.analysis.excuses.runs import ALL
from kernlint.finding import Finding, Severity
from kernlint.record import replace
from kernlint.source import SourceError, SourceFile, read
from kernlint.tree.nodes import Kernel, Module


def unobserved(findings: Iterable[Finding], kernel: Kernel, module: Module) -> list[Finding]:
    """``findings`` of one kernel, as notes where a remark of the front end says why they come to nothing."""
    said = [remark for remark in module.remarks if remark.kind == "unobserved" and remark.span == kernel.function.span]
    if not said:
        return list(findings)
    return [
        replace(finding, severity=Severity.NOTE)
        if finding.severity is not Severity.NOTE and excused(ALL, finding, said[0])
        else finding
        for finding in findings
    ]


_OFF = re.compile(rb"^[ \t]*(?://+|/\*)[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)", re.M)
_ON = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)", re.M)
_CONDITION = re.compile(rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b(.*)", re.M)
_ASKS = re.compile(rb"[ \t(]*(?:defined\b[ \t(]*)?([A-Za-z_]\w*)[ \t)]*(?://.*|/\*.*)?\r?$")


def switched_off(findings: Iterable[Finding], setting: str, source: SourceFile) -> list[Finding]:
    """``findings`` that were made under a ``setting`` of macros, as notes where they lie in a branch that asks for one
    of these whose definition stands in the same file as a comment: who wrote it has switched the code off."""
    defined = {part.partition(" ")[0].encode() for part in setting.split(", ") if part.endswith(" defined")}
    defined -= {part.partition(" ")[0].encode() for part in setting.split(", ") if part.endswith(" not defined")}
    off: dict[str, list[tuple[int, int]]] = {}

    def inside(finding: Finding) -> bool:
        path = finding.span.file
        if path not in off:
            off[path] = list(_branches(_text(path, source), defined))
        return any(start <= finding.span.start < end for start, end in off[path])

    return [
        replace(finding, severity=Severity.NOTE)
        if finding.severity is not Severity.NOTE and inside(finding)
        else finding
        for finding in findings
    ]


def _text(path: str, source: SourceFile) -> bytes:
    if path == source.path:
        return b"" if source.base else source.data
    try:
        return read(path).data
    except SourceError:
        return b""


def _branches(text: bytes, defined: set[bytes]) -> Iterable[tuple[int, int]]:
    """Where the first branches begin and end that ask for a name in ``defined`` alone which is switched off."""
    names = (set(_OFF.findall(text)) & defined) - set(_ON.findall(text))
    if not names:
        return
    open_: list[int | None] = []
    for line in _CONDITION.finditer(text):
        word = line[1]
        if word.startswith(b"if"):
            asked = _ASKS.match(line[2]) if word != b"ifndef" else None
            open_.append(line.end() if asked is not None and asked[1] in names else None)
        elif open_:
            start = open_.pop()
            if start is not None:
                yield start, line.start()
            if word != b"endif":
                open_.append(None)
