"""Why kernels are analysed only in part, over a whole run: the largest reasons, each with what can be done about it."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kernlint.tree.nodes import Loss

SHOWN = 2
"""Reasons that are told."""

HEADER = "header "
_NOT_FOUND = " not found"
_OF_NAMES = frozenset({"call", "type", "macro", "name", "value", "constant", "variable"})
"""Kinds of losses that a declaration in a missing header would have prevented."""
_SYSTEM = re.compile(
    r"\w+|(?:sys|net|netinet|arpa|linux|mach|ext|bits|experimental)/.*|(?:pthread|unistd|dirent|fcntl|signal|dlfcn|getopt|locale"
    r"|wchar|wctype|uchar|setjmp|fenv|execinfo|sched|semaphore|poll|termios|pwd|libgen|glob|ftw|syslog|conio|io|process|direct"
    r"|threads|values|memory|mm_malloc|\w*mmintrin|immintrin|cpuid|omp|[Ww]indows|intrin)\.h"
)
"""Headers of the language, the system and the host's compiler: they have no names that a kernel could lack."""


def reasons(losses: Iterable[Loss], missing_headers: Sequence[str]) -> tuple[str, ...]:
    """Why a kernel with these ``losses`` is known only in part, in a file that misses headers.

    What is not declared is put down to the headers that are missing, if there are any; not to those of the system,
    which declare nothing for kernels.
    """
    missing_headers = [name for name in missing_headers if _SYSTEM.fullmatch(name) is None]
    found: dict[str, None] = {}
    for loss in losses:
        if missing_headers and (loss.kind in _OF_NAMES or "declared" in loss.reason or "error" in loss.reason):
            found.update(dict.fromkeys(f"{HEADER}{name}{_NOT_FOUND}" for name in missing_headers))
        else:
            found[loss.reason] = None
    return tuple(found)


def largest(kernels: Sequence[tuple[str, ...]], holder: Callable[[str], str | None]) -> tuple[str, ...]:
    """One line for each of the largest reasons, with the remedy:
    ``16 kernels: header foo.h not found; -I third_party/foo has it``.

    ``kernels``: the reasons of each; ``holder`` gives the folder to be named with ``-I`` for a header, if one is there.
    What one reason explains is not counted again for the next.
    """
    lines = []
    left = list(kernels)
    for _ in range(SHOWN):
        counts = Counter(reason for kernel in left for reason in kernel)
        if not counts:
            break
        reason, count = max(counts.items(), key=lambda item: (item[1], item[0].startswith(HEADER), item[0]))
        lines.append(f"{count} kernel{'' if count == 1 else 's'}: {reason}; {_remedy(reason, holder)}")
        left = [kernel for kernel in left if reason not in kernel]
    return tuple(lines)


def _remedy(reason: str, holder: Callable[[str], str | None]) -> str:
    if reason.startswith(HEADER) and reason.endswith(_NOT_FOUND):
        folder = holder(reason[len(HEADER) : -len(_NOT_FOUND)])
        return f"-I {folder} has it" if folder else "-I FOLDER, or a compile database, says where it is"
    if "#if" in reason:
        return "-D MACRO switches it on"
    if reason.startswith("macro that is not defined"):
        return f"-D {reason.rpartition(' ')[2]}=VALUE gives it"
    if "could not be resolved" in reason or "not declared" in reason:
        return "-I FOLDER of the header that declares it, or -D, if a macro of the build makes it"
    return "-v names each"


def shown_folder(folder: str) -> str:
    """A folder as it is written on the command line: relative where that is shorter."""
    relative = os.path.relpath(folder)
    return relative if len(relative) < len(folder) else folder
