"""Memory between files: what was worked out about terms of files that are done is let go.

Functions over terms remember their answers (``lru_cache``), and a term leads to its symbols, loops and declarations, so
to the whole tree of its file.
"""

from __future__ import annotations

import functools
import gc
import sys
from collections.abc import Callable, Iterator

from kernlint.analysis.trace import launch, values
from kernlint.prove import enumerate as launches
from kernlint.tree.walk import forget

_ABOUT_TERMS = ("kernlint.analysis.", "kernlint.prove.", "kernlint.symbolic.", "kernlint_rules.")


def caches() -> Iterator[functools._lru_cache_wrapper[object]]:
    """Functions of loaded modules that remember answers about terms."""
    for name, module in list(sys.modules.items()):
        if name.startswith(_ABOUT_TERMS):
            for value in list(vars(module).values()):
                if isinstance(value, functools._lru_cache_wrapper):
                    yield value


def let_go() -> None:
    """Forget what is known of terms, and free what is dead by now."""
    for cache in caches():
        cache.cache_clear()
    for table in (values._ROOT_SYMBOLS, launch._TEMPLATES, launches._collectors, launches._ranges):
        table.clear()
    forget()
    gc.collect()
    _trim()(0)


@functools.lru_cache(maxsize=1)
def _trim() -> Callable[[int], object]:
    """What gives freed memory back to the system, where the C library has it: a parser leaves large holes."""
    import ctypes

    try:
        found: Callable[[int], object] = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError, TypeError):
        return int
    return found
