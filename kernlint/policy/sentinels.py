"""What comments say of numbers in index arrays that are no place: ``slots: [tokens], -1 for rows of padding``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernlint.analysis.base import Sentinel
from kernlint.policy.promises import comment_runs
from kernlint.policy.prose import MARK_BEHIND, POINTER, line_before, prose
from kernlint.policy.suppress import code_below
from kernlint.source import SourceFile, Span
from kernlint.text.patterns import pattern
from kernlint.text.pythontext import is_python

_MAYBE = pattern(rb"//[^\n]*-1\b|\*[^/\n]*-1\b")
_CONSTANT = pattern(
    rb"(?:#[ \t]*define[ \t]+|\b(?:const|constexpr)\b[^;{}()=\n]*? |\benum\b[^;()]*?[ {,\n])"
    rb"([A-Za-z_]\w*)[ \t]*=?[ \t]*\(?[ \t]*(?:-[ \t]*1(?![\w.])|~[ \t]*0[uUlL]*\b|0[xX][fF]{8}[uU]?\b|UINT_MAX\b)"
)
"""A constant that has all bits set."""
_NAME = r"[A-Za-z_]\w*"
_NAMES = rf"{_NAME}(?:(?:, and |, | and |/| & ){_NAME})*"
_FOR = r"-1 ?(?:for|in|where|when|if|means|marks|meaning|=|is|at|on|\()"
_SAID = pattern(
    rf"(?<![\w.>])({_NAMES})(?:\[[^\]]*\])? ?(?:is|are|=|==|holds?|may be|can be|contains?) (?:an? )?"
    rf"(-1)\b(?! ?[-+*/\d])"
    rf"|(?<![\w.>])({_NAMES})(?:\[[^\]]*\])? ?:[^.;:]*?(?:[,;]|\bor|\() ?(?:{_FOR}|-1\b(?= ?(?:[,;.)]|$)))"
)
_TOPIC = pattern(rf"^({_NAME}) (?:has|have|holds?|keeps?|gives?|maps?|names?|lists?|stores?|contains?|is|are)\b")
"""What a comment begins with is what its sentences are about."""
_ENTRIES = pattern(
    r"\b(?:without|with no|unused|empty|free|padd(?:ed|ing)|missing|absent|others?|rest|invalid|unassigned)\b[^.;:]*?"
    r" (?:is|are|holds?|contains?|has|have|gets?) (?:an? )?-1\b(?! ?[-+*/\d])",
    re.I,
)
"""Elements of what a comment is about."""
_MEMBER = pattern(
    r"(?:^|[{;])\s*(?:unsigned |signed )?(?:int|short|long|u?int(?:16|32|64)_t|uint) ([A-Za-z_]\w*)\s*;\s*$"
)
_BESIDE = pattern(rf"(?:^|[,;(] ?|\bor ){_FOR}|\bor -1\b|\(-1\b")
_DOUBT = pattern(r"\b(?:never|not|no|returns?|unless)\b", re.I)
_WHEN = pattern(r"-1,? ?(?:for|in|where|when|if|means|marks|meaning|=|at|on|\()")
"""What follows says when, and may say that something is not there."""


def sentinels(source: SourceFile) -> Iterator[Sentinel]:
    """The arrays of which comments of a file say that they hold -1 where there is no place, in order."""
    data = source.data
    if is_python(source.path):
        return
    constants = sorted({match[1].decode() for match in _CONSTANT.finditer(data)})
    if _MAYBE.search(data) is None and not constants:
        return
    named = re.compile(rf"\b(?:{'|'.join(constants)})\b") if constants else None
    for start, end, text in comment_runs(data):
        if "-1" not in text and (named is None or named.search(text) is None):
            continue
        line = line_before(data, start).decode("utf-8", "replace")
        plain = prose(text, MARK_BEHIND)
        plain = named.sub("-1", plain) if named is not None else plain
        for name in beside(plain, line) if line.strip() else said(plain):
            yield Sentinel(name, -1, Span(source.path, start, end), code_below(data, end, headed=True))


def beside(text: str, line: str) -> list[str]:
    """The pointer, or the member of a struct, that is declared in a line, if the comment behind it says so."""
    names = POINTER.findall(line) or _MEMBER.findall(line)
    return names if len(names) == 1 and _BESIDE.search(text) and not _doubtful(text) else []


def said(text: str) -> list[str]:
    """The names of which a comment says so."""
    found: list[str] = []
    topic = _TOPIC.match(text)
    for sentence in re.split(r"(?<=[a-z)\]\d])\.(?=\s|$)|;(?! ?-1)", text):
        if "-1" not in sentence or _doubtful(sentence):
            continue
        for match in _SAID.finditer(sentence):
            found += [name for name in re.findall(_NAME, match[1] or match[3]) if name != "and"]
        if topic is not None and _ENTRIES.search(sentence):
            found.append(topic[1])
    return found


def _doubtful(text: str) -> bool:
    """Whether a sentence may say that there is no -1."""
    when = _WHEN.search(text)
    return _DOUBT.search(text[: when.start()] if when is not None else text) is not None
