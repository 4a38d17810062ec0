"""How much data there is, as comments say: ``up to 1M tokens, 128 heads of size 128``, ``2048 x 2048 x 1536 samples``.

Unlike a range (:mod:`kernlint.policy.ranges`) an amount need not be that of a name: what counts is how many extents a
sentence has and what they come to.  Bytes, times and bits are none, nor are sizes of blocks and tiles, which are small
by themselves; nor is what a sentence with a condition or a denial says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernlint.policy.promises import comment_runs
from kernlint.policy.prose import MARK, line_before
from kernlint.policy.ranges import CODE
from kernlint.source import SourceFile
from kernlint.text.patterns import pattern
from kernlint.text.pythontext import is_python

MOST = 4
"""Extents of one sentence; more numbers are no extents."""

TOTAL = 1 << 30
"""A number that counts all there is, and no extent."""

SEVERAL = 3
"""What several millions are at least."""

_MAYBE = pattern(rb"(?:\d|several|many) ?(?:[kKM]\b|million|billion|\^|\*\*|x|\*|<<) ?|\d{5}|\d[ ,']\d{3}|\de\d")
_NUMBER = (
    r"(?:(?<![\w.^])(?:\d+ ?(?:\^|\*\*|<<) ?\d+|\d+(?:\.\d+)?[eE]\d+|\d{1,3}(?:[ ,']\d{3})+(?!\d)|\d+(?:\.\d+)?)"
    r"(?: ?(?:million|billion|thousand)\b|[kKM](?![\w]))?(?![\w.]*\w)|\b(?:[Ss]everal|[Mm]any) [mb]illion\b)"
)
_UNIT = r"(?! ?(?:[KMGT]i?B|[Bb]ytes?|bits?|ms|us|ns|s|sec|seconds|[KMG]?[Hh]z|%|GFLOPS?|TFLOPS?)\b|-(?:bit|byte|way))"
_BY = r" ?(?:x|\*|by) ?"
_EXTENTS = pattern(rf"{_NUMBER}(?:{_BY}{_NUMBER})+{_UNIT}")
_UP_TO = (
    r"\b(?:[Uu]p to|at most|as (?:many|large|long) as|about|around|some|over|more than|reach(?:es)?|go(?:es)? to|"
    r"of size|(?:seen|observed)(?: are|:)?)"
)
_STATED = pattern(rf"{_UP_TO} (?:[A-Za-z_]\w* \()?({_NUMBER}){_UNIT}")
_FURTHER = pattern(rf"^(?: ?[A-Za-z][\w-]*){{1,3}}(?:,| and|, and| of| with| of size| per \w+, ) ?({_NUMBER}){_UNIT}")
_WHOLE = pattern(
    rf"\b(?:more than|over|reach(?:es)?|pass(?:es)?|beyond|exceeds?|between|several) ({_NUMBER})"
    r"(?: and [\d^ ]+)?(?: [a-z]+){0,2}? (?:elements|values|entries|items|cells|voxels|pixels|samples)\b"
)
_SENTENCE = pattern(r"(?<![.\s])\.(?=\s|$)|;")
_ITEM = pattern(r"^(?=[ \t]*(?:[-*+] )?[\w.\[\]]+ ?: )", re.M)
"""Where a line begins that says something of one name: ``rows: of the table (seen: 70000)``."""
_ARRAY = pattern(rb"\[.*\]|__shared__|\blocal\b|<<<|\bdim3\b")
"""Code beside a comment that has sizes of its own, of arrays and launches."""
_WRONG = pattern(
    r"\b(?:threads?\b|warps?\b|fragments?\b|shared\b|bank\b|not\b|no\b|never|cannot|if\b|unless|except|was\b|bench|default|tile|block\b|reject|refuse|limit|must|split|"
    r"(?:in|into|by|as) (?:\w+ ){0,2}chunks\b|chunks of (?:up to )?\d|"
    r"fits?\b|INT_MAX|32[- ]bit|TODO|FIXME|check)",
    re.I,
)


def amounts(source: SourceFile) -> tuple[tuple[int, ...], ...]:
    """The extents that sentences of comments state together, each the largest first."""
    found: dict[tuple[int, ...], None] = {}
    if _MAYBE.search(source.data) is None:
        return ()
    for start, _, text in comment_runs(source.data, is_python(source.path)):
        line = line_before(source.data, start)
        if _ARRAY.search(line) is None:
            for one in said(" ".join(_ITEM.sub("; ", CODE.sub("", MARK.sub("", text))).split())):
                found[one] = None
    return tuple(found)


def said(text: str) -> Iterator[tuple[int, ...]]:
    """The extents that each sentence of a comment states, those that stand together in it, and all of a comment's; and,
    alone, a number of all elements that there are."""
    stated: list[int] = []
    for sentence in _SENTENCE.split(text):
        if _WRONG.search(sentence) is None:
            together = [[_value(one) for one in re.findall(_NUMBER, m[0])] for m in _EXTENTS.finditer(sentence)]
            whole = list(_of_sentence(sentence))
            stated += whole if _STATED.search(sentence) is not None else []
            for values in (*together, whole):
                yield from _together(values)
            for match in _WHOLE.finditer(sentence):
                if _value(match[1]) >= TOTAL:
                    yield (_value(match[1]),)
    yield from _together(stated)


def _together(values: list[int]) -> Iterator[tuple[int, ...]]:
    extents = [value for value in values if 1 < value < TOTAL]
    if 0 < len(extents) <= MOST:
        yield tuple(sorted(extents, reverse=True))


def _of_sentence(sentence: str) -> Iterator[int]:
    at = 0
    while at < len(sentence):
        extents, stated = _EXTENTS.search(sentence, at), _STATED.search(sentence, at)
        if extents is not None and (stated is None or extents.start() <= stated.start(1)):
            yield from (_value(one) for one in re.findall(_NUMBER, extents[0]))
            at = extents.end()
        elif stated is not None:
            yield _value(stated[1])
            at = stated.end()
        else:
            return
        while (more := _FURTHER.match(sentence[at:])) is not None:
            if _EXTENTS.match(sentence, at + more.start(1)) is not None:
                break
            yield _value(more[1])
            at += more.end()


def _value(text: str) -> int:
    text = re.sub(r"^(?:several|many)\b", str(SEVERAL), text, flags=re.I)
    scale = {"million": 10**6, "M": 10**6, "billion": 10**9, "thousand": 1000, "k": 1000, "K": 1000}
    word = re.search(r" ?(million|billion|thousand|[kKM])$", text)
    text = text[: word.start()] if word is not None else text
    factor = scale[word[1]] if word is not None else 1
    power = re.fullmatch(r"(\d+) ?(\^|\*\*|<<) ?(\d+)", text)
    if power is not None:
        base, end = int(power[1]), min(int(power[3]), 64)
        return factor * (base << end if power[2] == "<<" else base**end if base < 1 << 12 else 0)
    if re.fullmatch(r"\d+(?:\.\d+)?[eE]\d+|\d+\.\d+", text):
        return int(float(text) * factor) if len(text) < 12 and float(text) < 1e15 else 0
    return int(re.sub(r"\D", "", text)) * factor
