"""Findings about Python kernels in Python's words: rules speak of what CUDA C++ has."""

from __future__ import annotations

import re

from kernlint.finding import Finding
from kernlint.text.patterns import pattern

_WORDS = {
    "__syncthreads": "cuda.syncthreads",
    "__syncwarp": "cuda.syncwarp",
    "__threadfence_block": "cuda.threadfence_block",
    "__threadfence_system": "cuda.threadfence_system",
    "__threadfence": "cuda.threadfence",
    "atomicAdd": "cuda.atomic.add",
    "atomicMax": "cuda.atomic.max",
    "atomicMin": "cuda.atomic.min",
    "atomicCAS": "cuda.atomic.cas",
    "atomicExch": "cuda.atomic.exch",
    "__shared__": "shared",
    "__ballot_sync": "cuda.ballot_sync",
    "__activemask": "cuda.activemask",
    "&&": "and",
    "||": "or",
}
_WORD = pattern("|".join(rf"(?<![\w.]){re.escape(word)}(?!\w)" for word in _WORDS))


def _said(text: str) -> str:
    return _WORD.sub(lambda match: _WORDS[match.group()], text)


def in_python(finding: Finding) -> Finding:
    """The finding with the names that numba has for what it speaks of."""
    return finding.reworded(_said)
