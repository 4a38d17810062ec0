"""What comments say of devices: that a program is built for some that have no double precision."""

from __future__ import annotations

import re

from kernlint.policy.promises import comment_runs
from kernlint.policy.prose import prose
from kernlint.source import SourceFile
from kernlint.text.patterns import pattern
from kernlint.text.pythontext import is_python

_MAYBE = pattern(rb"fp64|double|single[- ]precision", re.I)
_DOUBLES = r"(?:(?:cl_khr_)?fp64|double[- ]precision|doubles)"
_WITHOUT = pattern(
    rf"\b(?:without|lacks?|lacking|have no|has no|no support (?:for|of)|(?:do|does) not (?:have|support))"
    rf"(?: (?:any|the|support for|native|hardware))* {_DOUBLES}\b"
    rf"|\b{_DOUBLES}(?: \w+)? (?:is|are) not (?:available|supported|used)\b"
    r"|\b(?:no|never) doubles?\b(?! (?:buffer|count|check|free|precision buffer))"
    r"|\bsingle[- ]precision (?:throughout|only|everywhere)\b|\b(?:only|all(?: \w+)?) in single[- ]precision\b",
    re.I,
)
_DOUBT = pattern(r"\b(?:if|unless|when|may|might|could|would|TODO|FIXME|falls? back|fallback|instead)\b", re.I)


def single_alone(source: SourceFile) -> bool:
    """Whether a comment of a file says that there is no double precision where it runs, or that it uses none."""
    if is_python(source.path) or _MAYBE.search(source.data) is None:
        return False
    for _, _, text in comment_runs(source.data):
        for sentence in prose(text).split(". "):
            if _WITHOUT.search(sentence) is not None and _DOUBT.search(sentence) is None:
                return True
    return False
