"""Facts that have nothing to do with each other.

Host code that checks every call for errors leaves hundreds of facts about hundreds of values before the last of its
launches; each of them says nothing of the others, nor of the sizes.
"""

from __future__ import annotations

from functools import lru_cache

from kernlint.symbolic.terms import Symbol, Term, subterms

Link = Symbol | Term
"""What facts have in common that are not independent of each other: a symbol, or a term that is made of none."""


@lru_cache(maxsize=4096)
def _links(fact: Term) -> tuple[Link, ...]:
    loose = dict.fromkeys(at for at in subterms(fact) if not at.symbols and at.op != "const")
    return (*fact.symbols, *loose) or (fact,)


def apart(facts: tuple[Term, ...]) -> list[tuple[Term, ...]]:
    """``facts`` in groups, of which no two have a symbol or a part in common; in order within each group."""
    above: dict[Link, Link] = {}  # of each link another one of its group, up to the one that stands for the group

    def top(link: Link) -> Link:
        while (higher := above.setdefault(link, link)) is not link:
            above[link] = link = above[higher]
        return link

    for fact in facts:
        first, *others = _links(fact)
        for other in others:
            one, two = top(first), top(other)
            if one is not two:
                above[one] = two
    groups: dict[Link, list[Term]] = {}
    for fact in facts:
        groups.setdefault(top(_links(fact)[0]), []).append(fact)
    return [tuple(group) for group in groups.values()]
