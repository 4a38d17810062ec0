"""What the functions of the runtimes do, argument by argument: one table for every interface that host code uses.

CUDA's runtime and driver, HIP, OpenCL in C and C++, and the Python libraries over them.  Front ends and analyses ask
here what allocates, copies, fills, gives back, waits, and in which unit each argument counts; nobody keeps a list of
their own.  :mod:`.records` says what can be known of a function, :mod:`.memory` and :mod:`.order` are the table for C
and C++, :mod:`.python` that for Python, each with the sources of its facts.
"""

from __future__ import annotations

from functools import lru_cache

from kernlint.apis.memory import ENDS, FILLS, MAKES, MAPS, MOVES, RANGES
from kernlint.apis.names import base_name, known_name
from kernlint.apis.records import Ends, Fills, Made, Makes, Maps, Moves, Ranges, Role, roles

__all__ = (
    "ENDS", "FILLS", "MAKES", "MAPS", "MOVES", "RANGES", "Ends", "Fills", "Made", "Makes", "Maps", "Moves", "Ranges",
    "Role", "api_of", "base_name", "known_name", "makes", "roles", "roles_of",
)  # fmt: skip

Api = Makes | Ends | Moves | Fills | Ranges | Maps


@lru_cache(maxsize=4096)
def api_of(name: str, method: bool = False) -> Api | None:
    """What the function of a runtime, or of the C library, called ``name`` does; None for any other.  ``method``: it is
    one of ``cl::CommandQueue``, which counts as argument 0."""
    plain = known_name(name, method)
    if plain is None:
        return None
    if method and plain == "EnqueueFillBuffer":  # the pattern's size is that of its type
        return Fills(1, size=4, value=2, offset=3, bytewise=False, stream=0)
    for table in (MAKES, ENDS, MOVES, FILLS, RANGES, MAPS):
        found = table.get(plain)
        if found is not None:
            return found
    return None


def makes(name: str) -> Makes | None:
    """What a function makes; None where it makes nothing, or is not known."""
    plain = known_name(name)
    return MAKES.get(plain) if plain is not None else None


def roles_of(name: str, method: bool = False) -> dict[int, Role]:
    """What the arguments of a function mean, by their positions; nothing is said of those that matter to nobody."""
    found = api_of(name, method)
    return roles(found) if found is not None else {}
