"""What comments say of how deep trees get: ``at most 62 levels``, ``a depth of MAX_DEPTH``, ``// deepest level``.

A walk of a tree keeps what it has yet to visit in a list of constant length; how many levels there are no code in sight
says, but its author does, beside a constant or above the kernel.  Read are whole numbers, and constants of the file
that are such.
"""

from __future__ import annotations

import re

from kernlint.policy.promises import comment_runs
from kernlint.policy.prose import MARK_BEHIND, line_before
from kernlint.policy.ranges import CONSTANT, constants_of
from kernlint.policy.suppress import code_of
from kernlint.source import SourceFile
from kernlint.text.patterns import pattern
from kernlint.text.pythontext import is_python

_MAYBE = pattern(rb"\b(?:levels?|deep|deeper|deepest|depths?|heights?)\b", re.I)
_LEVELS = pattern(
    r"(?<![\w.^*/+-])(?<!\bof )(?:(?<= )|^)(\d{1,4}) (?:(?:tree|node|inner|octree|bvh|further|nested) )?"
    r"(?:levels?\b(?! of detail| per\b)|deep\b)",
    re.I,
)
_DEPTH = pattern(
    r"\b(?:depths?|heights?|levels?|deep|deeper)\b(?: of (?:the |a |any )?(?:tree|bvh|octree|hierarchy|path)s?)?"
    r" ?(?:(?:is|are|can be|may be|be|goes|gets|reach(?:es)?|never exceeds|does not exceed|stays|kept|limited|capped|"
    r"bounded|than|up|at|by|to|most|below|under|of|=|:|<=|\u2264) ?){1,4}(\d{1,4})\b(?![.\w^*/+-]*\w)",
    re.I,
)
_BESIDE = pattern(
    r"\b(?:deepest|depth of|height of|maximum depth|max(?:imum)? (?:tree )?(?:depth|height)|tree depth|levels of)\b",
    re.I,
)
_TREE = pattern(
    r"\b(?:trees?|bvh|octree|quadtree|kd|nodes?|hierarchy|builder|root|path|stack|travers\w+|split\w*)\b", re.I
)
_DOUBT = pattern(
    r"\b(?:usual|usually|typical|typically|average|about|e\.g|example|not bounded|unbounded|mostly|default|if|unless|"
    r"mip\w*|gr[ae]y|pyramid|detail|colou?rs?|images?|volumes?|pixels?|cache|loops?|columns?|bits? deep|TODO|FIXME)\b",
    re.I,
)
_SENTENCE = pattern(r"(?<![.\s])\.(?=\s|$)|;")

LEAST = 4
"""Fewer levels are not those of a tree that is walked."""


def levels(source: SourceFile) -> int | None:
    """The levels that the trees of a file have by its comments, the least of several numbers; None: nothing is said."""
    data = source.data
    if is_python(source.path) or _MAYBE.search(data) is None:
        return None
    known = constants_of(code_of(data).decode("utf-8", "replace"))
    found: list[int] = []
    for start, _, text in comment_runs(data):
        line = line_before(data, start).decode("utf-8", "replace")
        prose = " ".join(MARK_BEHIND.sub("", text).split())
        prose = re.sub(r"[A-Za-z_]\w*", lambda word: known.get(word[0], word[0]), prose)
        constant = CONSTANT.search(line)
        found += said(prose, int(constant[2] or constant[4]) if constant is not None and _plain(constant) else None)
    return min((value for value in found if value >= LEAST), default=None)


def _plain(constant: re.Match[str]) -> bool:
    return (constant[2] or constant[4]).isdigit()


def said(text: str, beside: int | None = None) -> list[int]:
    """The numbers of levels in what a comment says, of a constant ``beside`` it where there is one."""
    if _TREE.search(text) is None:
        return []
    found: list[int] = []
    for sentence in _SENTENCE.split(text):
        if _DOUBT.search(sentence) is None:
            found += [int(match[1]) for match in (*_LEVELS.finditer(sentence), *_DEPTH.finditer(sentence))]
            if beside is not None and _BESIDE.search(sentence) is not None:
                found.append(beside)
    return found
