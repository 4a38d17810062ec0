"""What comments say of memory behind the last element: ``inputs are allocated with 4 floats after the last element``.

A vector that is read from the last element on is made for that.  Told apart are buffers that are read, those that are
written, all of them, and those that are named.
"""

from __future__ import annotations

import re

from kernlint.policy.promises import comment_runs
from kernlint.policy.prose import MARK_BEHIND, prose
from kernlint.source import SourceFile
from kernlint.text.patterns import pattern
from kernlint.text.pythontext import is_python

READ, WRITTEN = "<read>", "<written>"
"""In place of a name: buffers that a kernel reads, or writes."""

_MAYBE = pattern(rb"\b(?:after|behind|beyond|past|following)\s[^.;{}]{0,12}\s(?:last|end|data|rows?)\b", re.I)
_NOUN = r"(?:elements?|values?|floats?|ints?|doubles?|halves|words?|bytes?|entries|entry|pixels?|vectors?|samples?)"
_SPARE = pattern(
    r"\b(?:allocated|padded|followed|extended|over-?allocated|ha(?:ve|s)|holds?|with|by|plus)\b"
    rf"(?:(?! no | not ).){{0,40}}?\b{_NOUN} (?:of (?:padding|slack|room) )?"
    r"(?:after|behind|beyond|past|following)\b.{0,12}\b(?:last|end|data|rows?)\b",
    re.I,
)
_READ = pattern(r"\b(?:inputs?|sources?|read)(?: (?:buffers?|arrays?|images?|rows?|memory))?\b", re.I)
_WRITTEN = pattern(r"\b(?:outputs?|destinations?|results?|written)(?: (?:buffers?|arrays?|images?|rows?))?\b", re.I)
_ALL = pattern(r"\b(?:all|every|each|the|both) (?:\w+ )?(?:buffers?|arrays?|images?|rows)\b", re.I)
_DOUBT = pattern(r"\b(?:may|might|could|if|unless|never|no|not|without|only|must|should)\b", re.I)


def spare(source: SourceFile) -> frozenset[str]:
    """The buffers of which the comments of a file say that there is memory behind the last element."""
    data = source.data
    if is_python(source.path) or _MAYBE.search(data) is None:
        return frozenset()
    found: set[str] = set()
    for _, _, text in comment_runs(data):
        for sentence in re.split(r"(?<=[a-z)\]}\d])\.(?=\s|$)|;", prose(text, MARK_BEHIND)):
            found |= said(sentence)
    return frozenset(found)


def said(sentence: str) -> set[str]:
    """The buffers that a sentence says it of."""
    match = _SPARE.search(sentence)
    if match is None or _DOUBT.search(sentence[: match.end()]) is not None:
        return set()
    subject = sentence[: match.start()]
    if _READ.search(subject) is not None:
        return {READ}
    if _WRITTEN.search(subject) is not None:
        return {WRITTEN}
    if _ALL.search(subject) is not None:
        return {READ, WRITTEN}
    return set(re.findall(r"\b[A-Za-z_]\w*\b", subject)) - _WORDS


_WORDS = frozenset(("and", "or", "are", "is", "the", "a", "an", "of", "each", "be", "always", "both"))
