"""Kernels of one name in several files: which of them a host means, it may choose when it runs.

Programs for devices with and without some feature stand in files side by side and hold kernels of the same names, some
with other parameters.  What a host passes has to fit one of them; only what holds of all is known of the kernel that it
means.  A file that it names alone, or that is nearer to it, is another matter, as is a kernel in the host's own file:
that is the one it means.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.source import SourceError, Span, read

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


def alike(facts: Facts, host: Span, index: int | None = None) -> bool:
    """Whether the kernels of the same name which code at ``host`` may mean as well have the parameter ``index`` alike,
    or all lack it; None: whether they have as many parameters.  Without those, there is nothing to compare."""
    near = list(_as_near(facts, host.file))
    if not near:
        return True
    everyone = [heads(path, facts.kernel.name) for path in (facts.function.span.file, *near)]
    said = {len(head) if index is None else head[index : index + 1] for found in everyone for head in found}
    return len(said) == 1 and all(everyone)


def _as_near(facts: Facts, host: str) -> Iterator[str]:
    """Other files that define a kernel of the name, as near to the host as ours, unless the host names ours alone, or
    holds the kernel itself."""
    ours = facts.function.span.file
    if os.path.abspath(ours) == os.path.abspath(host):
        return
    for path in facts.module_facts.definers_of(facts.kernel.name):
        if os.path.abspath(path) == os.path.abspath(ours) or _shared(path, host) < _shared(ours, host):
            continue
        if not _names(host, ours) or _names(host, path):
            yield path


def _names(host: str, path: str) -> bool:
    """Whether a host writes the name of a file in a text."""
    return os.path.basename(path).encode("utf-8", "surrogateescape") + b'"' in _data(host)


def _data(path: str) -> bytes:
    try:
        return read(path).data
    except (OSError, SourceError):
        return b""


def _shared(one: str, other: str) -> int:
    """How many folders two files have in common."""
    folders = [os.path.dirname(os.path.abspath(path)) for path in (one, other)]
    return os.path.commonpath(folders).count(os.sep)


def heads(path: str, name: str) -> tuple[tuple[str, ...], ...]:
    """The parameters of the functions ``name`` with a body in a file, each as a text without comments and spaces."""
    data = _data(path)
    return _heads(data.decode("utf-8", "replace"), name) if name.encode() in data else ()


@functools.lru_cache(maxsize=64)
def _heads(text: str, name: str) -> tuple[tuple[str, ...], ...]:
    text = _COMMENT.sub(" ", text)
    found = []
    for match in re.finditer(rf"\b{re.escape(name)}\s*\(", text):
        params = _listed(text, match.end())
        if params is not None:
            found.append(params)
    return tuple(dict.fromkeys(found))


def _listed(text: str, start: int) -> tuple[str, ...] | None:
    """The parameters that stand from ``start`` up to a bracket behind which a body follows; None: none does."""
    depth, params = 0, [""]
    for at in range(start, min(len(text), start + 20_000)):
        sign = text[at]
        if sign == ")" and not depth:
            body = text[at + 1 : at + 200].lstrip()
            return tuple(" ".join(one.split()) for one in params) if body.startswith("{") else None
        if sign in ";{}":
            return None
        depth += (sign in "([<") - (sign in ")]>")
        if sign == "," and not depth:
            params.append("")
        else:
            params[-1] += sign
    return None
