"""What comments at a kernel promise of its index arrays: that no element occurs twice in them.

Whether two entries of an array are equal is in no code; the author of a kernel that adds without an atomic operation
writes it above the kernel, or in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernlint.analysis.base import Stated
from kernlint.policy.suppress import code_below, comments
from kernlint.source import SourceFile, Span
from kernlint.text.patterns import pattern
from kernlint.text.pythontext import comments as python_comments
from kernlint.text.pythontext import is_python

_MAYBE = pattern(
    rb"distinct|unique|twice|y once|t once|than once|duplicat|repeat|disjoint|injective|permutation|no two|shares? no",
    re.I,
)
"""A word without which there is no promise in a file: most have none, and cost one search."""

_PROMISE = pattern(
    r"\b(?:are|is|be|stay|remain|holds?|has|have) (?:all |always |pairwise |mutually |guaranteed |to |be )*"
    r"(?:distinct|unique|disjoint|injective|duplicate[- ]free|an injective|a permutation)\b"
    r"|\b(?:no|none|neither)\b[^.;]*\b(?:twice|more than once)\b"
    r"|\bno two\b[^.;]*\b(?:share|meet|touch|equal|same|alike|have|name|write|update)"
    r"|\b(?:never|do not|does not|don't|doesn't|cannot|must not) repeat\b"
    r"|\b(?:no|without) (?:duplicates?|repetitions?|repeats)\b"
    r"|\b(?:occurs?|appears?|is (?:named|touched|written|listed|updated)) (?:at most|only|exactly) once\b"
    r"|\bshares? no\b",
    re.I,
)
_DOUBT = pattern(r"\b(?:not|need|needn't|may|might|could|if|unless|whether|when|where|aren't|isn't)\b", re.I)
_CLAUSE = pattern(r"(?<=[.;:])\s|[()]|\b(?:as|since|because|so)\b", re.I)
_MARK = pattern(r"^[ \t]*(?://[/!]?|/\*+!?|\*+(?!/)|#+)[ \t]?|\*+/[ \t]*$", re.M)


def unlike(source: SourceFile) -> Iterator[Stated]:
    """The comments of a file that say that no element occurs twice, each with its place and the code below it."""
    if _MAYBE.search(source.data) is None:
        return
    read = python_comments if is_python(source.path) else comments
    for start, end, text in _runs(source.data, read(source.data)):
        said = promise(text)
        if said:
            yield Stated(said, Span(source.path, start, end), code_below(source.data, end))


def promise(text: str) -> str:
    """The clause of a comment that promises it; empty: none does.

    One that leaves it open (``need not be distinct``, ``if they are unique``) promises nothing.
    """
    for clause in _CLAUSE.split(" ".join(_MARK.sub("", text).split())):
        found = _PROMISE.search(clause)
        if found is not None and _DOUBT.search(clause[: found.start()]) is None:
            return clause.strip()
    return ""


def _runs(data: bytes, found: Iterator[tuple[int, str]]) -> Iterator[tuple[int, int, str]]:
    """Comments that follow one another with nothing between, as one: (offset, end, text)."""
    start, end, texts = 0, 0, list[str]()
    for offset, text in found:
        if texts and data[end:offset].strip():
            yield start, end, "\n".join(texts)
            texts = []
        start = start if texts else offset
        texts.append(text)
        end = offset + len(text.encode())
    if texts:
        yield start, end, "\n".join(texts)
