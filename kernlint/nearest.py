"""Names for a mistyped one."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(word: str, known: Iterable[str], count: int = 1, cutoff: float = 0.5) -> list[str]:
    """At most ``count`` of ``known`` that look like ``word``, best first, upper and lower case being the same.

    ``cutoff`` is the least similarity, from 0 to 1.
    """
    import difflib  # only a mistake pays for it

    by_key = {name.lower(): name for name in known}
    return [by_key[key] for key in difflib.get_close_matches(word.lower(), by_key, n=count, cutoff=cutoff)]
