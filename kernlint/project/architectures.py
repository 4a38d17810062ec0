"""Which NVIDIA architectures the builds of a project name."""

from __future__ import annotations

from collections.abc import Iterable

from kernlint.text.patterns import pattern

_NAMED = pattern(r"(?<![a-z])(?:sm|compute)_(\d{2,3})(?!\d)", 0)
_OTHERWISE = pattern(
    r"(?<![a-z])(?:sm|compute)_[^\w\s]|\b(?:TORCH_)?(?:CMAKE_)?CUDA_ARCH(?:ITECTURES|_LIST|_BIN|_NAME|S)\b"
    r"|nvcc_arch_flags|(?<!m)arch[= ]*(?:native|all)\b|\bSMS\b",
    0,
)
"""An architecture that is up to who builds, or said by a list."""

_COMMENT = pattern(r"(?m)^[ \t]*#.*$", 0)


def named(texts: Iterable[str]) -> tuple[int, ...]:
    """The architectures that build files with these texts name, as 35 for ``sm_35`` and ``compute_35``, in ascending
    order; none where they name none outside of comments, or leave the choice to who builds or to a list.

    What only a comment names (``#GENCODE += -arch=sm_75``) is offered to whoever builds: it counts beside another.
    """
    found: set[int] = set()
    offered: set[int] = set()
    for text in texts:
        if "sm_" not in text and "compute_" not in text and "CUDA_ARCH" not in text and "arch" not in text:
            continue
        if _OTHERWISE.search(text) is not None:
            return ()
        offered.update(map(int, _NAMED.findall(text)))
        found.update(map(int, _NAMED.findall(_COMMENT.sub("", text))))
    return tuple(sorted(found | offered)) if found else ()
