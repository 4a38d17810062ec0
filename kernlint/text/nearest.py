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


def one_slip(word: str, meant: str) -> bool:
    """Whether ``word`` is ``meant`` but for one character that is wrong, missing or too much, or two in wrong order."""
    start = 0
    while start < min(len(word), len(meant)) and word[start] == meant[start]:
        start += 1
    a, b = word[start:], meant[start:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[1::-1] == b[:2] and a[2:] == b[2:])
