"""What comments say of the architectures of AMD that a file is built for: ``Built with --offload-arch=gfx1100``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernlint.analysis.base import BuiltFor
from kernlint.policy.promises import comment_runs
from kernlint.policy.prose import prose
from kernlint.source import SourceFile, Span
from kernlint.targets import UnknownTarget, find
from kernlint.text.pythontext import is_python

_ARCHITECTURE = re.compile(r"\bgfx(?:9|1[0-2])[0-9a-f]{2,3}\b")
_BUILT = re.compile(
    r"--?offload-arch|amdgpu[-_]targets?|hip_architectures|\b(?:built|build|compiled?|builds|targets?|ships?|runs?|"
    r"tested|deployed)\b",
    re.I,
)
_DOUBT = re.compile(
    r"\b(?:not|no|never|without|only|unless|except|if|may|might|would|should|could|todo|used to|slower|faster)\b", re.I
)
_ASKS = re.compile(rb"\b__(?:GFX|gfx|AMDGCN)\w*")


def built_for(source: SourceFile) -> Iterator[BuiltFor]:
    """The architectures that comments of a file say it is built for, each with the comment; none where the code asks
    which one it is compiled for."""
    data = source.data
    if b"gfx1" not in data or is_python(source.path) or _ASKS.search(data) is not None:
        return
    for start, end, text in comment_runs(data):
        for sentence in re.split(r"(?<=[a-z)\]}\d])\.(?=\s|$)|;", prose(text)):
            if _BUILT.search(sentence) is None or _DOUBT.search(sentence) is not None:
                continue
            for name in _ARCHITECTURE.findall(sentence):
                try:
                    lanes = find(name).value("warp_size")
                except UnknownTarget:
                    continue
                if lanes is not None:
                    yield BuiltFor(name, lanes, Span(source.path, start, end))
