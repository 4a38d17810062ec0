"""What a thread, a block and their sizes are called in the language of a source.

Terms call them ``tid.x``, ``bid.x``, ``bdim.x`` and ``gdim.x``; whoever reads a finding has ``threadIdx.x`` or
``get_local_id(0)`` in front of them.
"""

from __future__ import annotations

from re import Match

from kernlint.text.patterns import pattern

_CUDA = {"tid": "threadIdx", "bid": "blockIdx", "bdim": "blockDim", "gdim": "gridDim"}
_OPENCL = {"threadIdx": "local_id", "blockIdx": "group_id", "blockDim": "local_size", "gridDim": "num_groups"}
_SHORT = pattern(r"(?<![\w.])(tid|bid|bdim|gdim)\.([xyz])\b")
_LONG = pattern(r"(?<![\w.])(threadIdx|blockIdx|blockDim|gridDim)\.([xyz])\b")
_GLOBAL_ID = pattern(
    r"(?<![\w.])(?:blockIdx\.([xyz]) \* blockDim\.\1|blockDim\.([xyz]) \* blockIdx\.\2) \+ threadIdx\.(?:\1|\2)\b"
    r"(?! [*/%])"
)
_GLOBAL_SIZE = pattern(r"(?<![\w.])(?:blockDim\.([xyz]) \* gridDim\.\1|gridDim\.([xyz]) \* blockDim\.\2)\b")


def in_language(text: str, language: str, *, said: bool = False) -> str:
    """``text`` with the names that ``language`` (``cuda``, ``hip``, ``opencl``) has for them; ``said``: it may be what
    the user has said, whose own words stay."""
    if "." not in text:
        return text
    if said and _LONG.search(text):
        return text
    text = _SHORT.sub(lambda match: f"{_CUDA[match[1]]}.{match[2]}", text)
    if language != "opencl":
        return text
    text = _GLOBAL_ID.sub(lambda match: f"get_global_id({_axis(match)})", text)
    text = _GLOBAL_SIZE.sub(lambda match: f"get_global_size({_axis(match)})", text)
    return _LONG.sub(lambda match: f"get_{_OPENCL[match[1]]}({'xyz'.index(match[2])})", text)


def _axis(match: Match[str]) -> int:
    return "xyz".index(next(filter(None, match.groups())))
