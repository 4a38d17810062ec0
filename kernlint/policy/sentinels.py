"""What comments say of numbers in index arrays that are no place: ``slots: [tokens], -1 for rows of padding``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernlint.analysis.base import Sentinel
from kernlint.policy.promises import runs
from kernlint.policy.prose import MARK_BEHIND, POINTER, line_before, prose
from kernlint.policy.suppress import code_below, comments
from kernlint.source import SourceFile, Span
from kernlint.text.patterns import pattern
from kernlint.text.pythontext import is_python

_MAYBE = pattern(rb"//[^\n]*-1\b|\*[^/\n]*-1\b")
_NAME = r"[A-Za-z_]\w*"
_NAMES = rf"{_NAME}(?:(?:, and |, | and |/| & ){_NAME})*"
_FOR = r"-1 ?(?:for|in|where|when|if|means|marks|meaning|=|is|at|on|\()"
_SAID = pattern(
    rf"(?<![\w.>])({_NAMES})(?:\[[\w ]*\])? ?(?:is|are|=|==|holds?|may be|can be|contains?) (?:an? )?"
    rf"(-1)\b(?! ?[-+*/\d])"
    rf"|(?<![\w.>])({_NAMES}) ?:[^.;:]*?(?:[,;]|\bor|\() ?(?:{_FOR}|-1\b(?= ?(?:[,;.)]|$)))"
)
_BESIDE = pattern(rf"(?:^|[,;(] ?|\bor ){_FOR}|\bor -1\b|\(-1\b")
_DOUBT = pattern(r"\b(?:never|not|no|returns?|unless)\b", re.I)


def sentinels(source: SourceFile) -> Iterator[Sentinel]:
    """The arrays of which comments of a file say that they hold -1 where there is no place, in order."""
    data = source.data
    if is_python(source.path) or _MAYBE.search(data) is None:
        return
    for start, end, text in runs(data, comments(data)):
        if "-1" not in text:
            continue
        line = line_before(data, start).decode("utf-8", "replace")
        plain = prose(text, MARK_BEHIND)
        for name in beside(plain, line) if line.strip() else said(plain):
            yield Sentinel(name, -1, Span(source.path, start, end), code_below(data, end))


def beside(text: str, line: str) -> list[str]:
    """The pointer that is declared in a line, if the comment behind it says so."""
    names = POINTER.findall(line)
    return names if len(names) == 1 and _BESIDE.search(text) and not _DOUBT.search(text) else []


def said(text: str) -> list[str]:
    """The names of which a comment says so."""
    found: list[str] = []
    for sentence in re.split(r"(?<=[a-z)\]\d])\.(?=\s|$)|;(?! ?-1)", text):
        for match in _SAID.finditer(sentence) if _DOUBT.search(sentence) is None else ():
            found += [name for name in re.findall(_NAME, match[1] or match[3]) if name != "and"]
    return found
