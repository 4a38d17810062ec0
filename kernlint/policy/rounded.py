"""What comments say of launches: that a grid is rounded up to whole groups, and along which axes.

Kernels without a host in sight say it where nobody else does: ``// Global size: w x h, rounded up to 16 x 16``.
Buffers that are padded as well are no news, nor is what is left open ("may be", "if").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernlint.analysis.base import Rounded
from kernlint.policy.promises import comment_runs
from kernlint.policy.prose import MARK_BEHIND, prose
from kernlint.policy.suppress import code_below
from kernlint.source import SourceFile, Span
from kernlint.text.patterns import pattern
from kernlint.text.pythontext import is_python

_MAYBE = pattern(
    rb"(?:round(?:s|ed)?|padded)\b[^;{}]{0,60}\bup\b|round_?up|ceil_?div|next multiple|\bceil ?\([^()]{1,60}\) ?\*",
    re.I,
)
_SIZE = pattern(
    r"\bglobal (?:work )?(?:sizes?|range)\b|\bND-?Range\b|\bgrid\b(?! ?(?:point|cell|size_))|\bwork.?items\b"
    r"|\b(?:launched|enqueued|dispatched) (?:over|on|for|with) (?=[({])|\b(?:host|launch|enqueue|dispatch)\w*\b"
    r"(?=[^;]*\bmultiple of (?:the |a )?(?:work.?group|thread.?block|local|block|group)(?:'s)?(?: size)?\b)",
    re.I,
)
_UP = pattern(
    r"\brounded up\b(?! to (?:the |a )?(?:next )?power)|\brounds?\b[^.;]{0,60}\bup\b|"
    r"\bround_?up ?\(|\bceil_?div ?\(|\bceil ?\([^()]*/[^()]*\) ?\*|\bto the next multiple\b",
    re.I,
)
_DOUBT = pattern(
    r"\b(?:may|might|could|if|unless|not|never|pad(?:ded|s|ding)?|as well|too|also|alloc\w*|buffers?|arrays?|"
    r"rows are)\b",
    re.I,
)
_AXES = pattern(
    r"\b(?:in|along) ([xyz](?:(?:, | and )[xyz])*)\b(?! ?-?direction)|\b(both|all) (?:directions|axes|dimensions)\b",
    re.I,
)
_EACH = pattern(r"\bglobal ([xyz]) ?(?:=|:|is\b)", re.I)
_CEILED = pattern(r"round|ceil|/[^,]*\*|~", re.I)


def rounded(source: SourceFile) -> Iterator[Rounded]:
    """The comments of a file that say so."""
    data = source.data
    if is_python(source.path) or _MAYBE.search(data) is None:
        return
    for start, end, text in comment_runs(data):
        for sentence in re.split(r"(?<=[a-z)\]}\d])\.(?=\s|$)|;", prose(text, MARK_BEHIND)):
            axes = along(sentence)
            if axes:
                yield Rounded(axes, Span(source.path, start, end), code_below(data, end, headed=True))
                break


def along(sentence: str) -> frozenset[int]:
    """The axes along which a sentence says that a grid is rounded up; none where it says nothing of it."""
    size, up = _SIZE.search(sentence), _UP.search(sentence)
    each = _one_by_one(sentence)
    if (size is None and not each) or up is None or _DOUBT.search(sentence) is not None:
        return frozenset()
    if each or size is None:
        return each
    named = _AXES.search(sentence)
    if named is not None and named[1]:
        return frozenset("xyz".index(name) for name in re.findall(r"\b[xyz]\b", named[1].lower()))
    listed = re.search(r"(?:\[[123]\])? ?(?:=|:|is|of)? ?[({](.*)[)}]", sentence[size.end() :])
    if listed is not None:
        parts = _parted(listed[1])
        ceiled = frozenset(axis for axis, part in enumerate(parts) if _CEILED.search(part))
        behind = sentence[size.end() + listed.end() :]
        if 1 < len(parts) <= 3 and ceiled and _UP.search(behind) is None:
            return ceiled
    return frozenset((0, 1, 2))


def _one_by_one(sentence: str) -> frozenset[int]:
    """The axes that are told each by itself: ``global x = width rounded up to the local size, global y = height``."""
    starts = [*_EACH.finditer(sentence)]
    ends = [one.start() for one in starts[1:]]
    return frozenset(
        "xyz".index(one[1].lower())
        for one, end in zip(starts, [*ends, len(sentence)], strict=False)
        if _UP.search(sentence[one.end() : end]) is not None
    )


def _parted(text: str) -> list[str]:
    parts, depth = [""], 0
    for sign in text:
        depth += (sign in "([{") - (sign in ")]}")
        if depth < 0:
            break
        if sign == "," and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    return parts
