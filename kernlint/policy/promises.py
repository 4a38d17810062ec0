"""What comments promise of a kernel's arguments: that no element occurs twice in an index array, that a size is a
multiple of a number.

Whether two entries of an array are equal, or which sizes a library takes, is in no code; the author of a kernel that
adds without an atomic operation, or reads vectors without a look at the tail, writes it above the kernel, or in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from kernlint.analysis.base import Stated
from kernlint.policy.prose import line_before, prose
from kernlint.policy.suppress import code_below, comments
from kernlint.source import SourceFile, Span
from kernlint.text.patterns import pattern
from kernlint.text.pythontext import comments as python_comments
from kernlint.text.pythontext import is_python

_MAYBE = pattern(
    rb"distinct|unique|twice|y once|t once|than once|duplicat|repeat|disjoint|injective|permutation|no two|shares? no|"
    rb"(?:in|by) (?:two|several|more)\b|most one\b",
    re.I,
)
"""A word without which there is no promise in a file: most have none, and cost one search."""

_PROMISE = pattern(
    r"\b(?:are|is|be|stay|remain|holds?|has|have) (?:all |always |pairwise |mutually |guaranteed |to |be )*"
    r"(?:distinct|unique|disjoint|injective|duplicate[- ]free|an injective|a permutation)\b"
    r"|\b(?:no|none|neither)\b[^.;]*\b(?:twice|more than once)\b"
    r"|\bno \w+ (?:ever )?(?:occurs?|appears?|is (?:named|touched|written|listed|updated|used|shared))"
    r" (?:in|by) (?:two|several|more than one)\b"
    r"|\b(?:occurs?|appears?|is (?:named|touched|written|listed|updated|used)) (?:in|by) at most one\b"
    r"|\bno two\b[^.;]*\b(?:share|meet|touch|equal|same|alike|have|name|write|update)"
    r"|\b(?:never|do not|does not|don't|doesn't|cannot|must not) repeat\b"
    r"|\b(?:no|without) (?:duplicates?|repetitions?|repeats)\b"
    r"|\b(?:occurs?|appears?|is (?:named|touched|written|listed|updated)) (?:at most|only|exactly) once\b"
    r"|\bshares? no\b",
    re.I,
)
_DOUBT = pattern(r"\b(?:not|need|needn't|may|might|could|if|unless|whether|when|where|aren't|isn't)\b", re.I)
_CLAUSE = pattern(r"(?<=[.;:])\s|[()]|\b(?:as|since|because|so)\b", re.I)


def unlike(source: SourceFile) -> Iterator[Stated]:
    """The comments of a file that say that no element occurs twice, each with its place and the code below it."""
    if _MAYBE.search(source.data) is None:
        return
    for start, end, text in comment_runs(source.data, is_python(source.path)):
        said = promise(text)
        if said:
            yield Stated(said, Span(source.path, start, end), code_below(source.data, end))


_MULTIPLE = pattern(
    r"\b([A-Za-z_]\w*(?:(?:,| and|,? both| &) *[A-Za-z_]\w*)*),? "
    r"(?:is|are|be|being|stays?|(?:must|has to|have to|should|shall|will) be) "
    r"(?:(?:always|both|all|assumed|guaranteed|required|known|padded|rounded up|to|be|a|an) )*"
    r"(?:(?:(?:integer |whole |exact )?multiples? of|divisible by|evenly divisible by) (\d+)\b|even\b)"
    r"|\b([A-Za-z_]\w*) ?% ?(\d+) ?== ?0\b",
    re.I,
)
_BESIDE = pattern(
    r"(?:(?:always|both|all|a|must be|are|is) )*(?:multiples? of (\d+)|divisible by \d+|even)\b(?! if)", re.I
)
"""A comment that speaks of what is declared before it in its line."""
_DECLARED = pattern(r"\b([A-Za-z_]\w*)\s*(?=[,;)]|$)")
_ONLY = pattern(r"\bonly (?:if|when|where)\b", re.I)


_MAYBE_MULTIPLE = pattern(rb"multiple|ivisible|\beven\b|%\W*\d+\W*==\W*0", re.I)
"""Something without which a file says nothing of multiples: most have none, and cost one search."""


def multiples(source: SourceFile) -> dict[str, int]:
    """Names that comments of a file say stand for multiples of a number, each with the number."""
    found: dict[str, int] = {}
    if _MAYBE_MULTIPLE.search(source.data) is None:
        return found
    for start, _, text in comment_runs(source.data, is_python(source.path)):
        if (beside := _BESIDE.match(prose(text))) is not None:
            line = line_before(source.data, start).decode("utf-8", "replace")
            found.update(dict.fromkeys(_DECLARED.findall(line), int(beside[1] or 2)))
        for clause in _CLAUSE.split(prose(text)):
            for match in _MULTIPLE.finditer(clause):
                if _DOUBT.search(_ONLY.sub("", clause[: match.start()])) is None:
                    names = re.findall(r"\w+", match[1] or match[3])
                    found.update(dict.fromkeys(set(names) - _JOINING, int(match[2] or match[4] or 2)))
    return found


_JOINING = frozenset({"and", "both"})


def promise(text: str) -> str:
    """The clause of a comment that promises it; empty: none does.

    One that leaves it open (``need not be distinct``, ``if they are unique``) promises nothing.
    """
    for clause in _CLAUSE.split(prose(text)):
        found = _PROMISE.search(clause)
        if found is not None and _DOUBT.search(clause[: found.start()]) is None:
            return clause.strip()
    return ""


@lru_cache(maxsize=2)
def comment_runs(data: bytes, python: bool = False) -> tuple[tuple[int, int, str], ...]:
    """The comments of a file, those that follow one another as one: see :func:`runs`."""
    return tuple(runs(data, (python_comments if python else comments)(data)))


def runs(data: bytes, found: Iterator[tuple[int, str]]) -> Iterator[tuple[int, int, str]]:
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
