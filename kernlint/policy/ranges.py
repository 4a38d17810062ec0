"""What comments say of how small and how large sizes get: ``n: 1 .. 65536``, ``h, w from 1 to 8192``, ``count >= 0``.

Which sizes callers pass is in no code that a file shows; its author writes it beside the parameter or above the
function.  Read are ranges of whole numbers with a name before them, bounds on one side, and what may be empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernlint.policy.promises import runs
from kernlint.policy.suppress import code_of, comments
from kernlint.source import SourceFile
from kernlint.text.patterns import pattern
from kernlint.text.pythontext import comments as python_comments
from kernlint.text.pythontext import is_python

Range = tuple[int | None, int | None]
"""The least and the greatest value; None: not said."""

_MAYBE = pattern(rb"\.\.|[<>] ?=? ?\d|\bto \d|at most|up to|no more than|empty|\b0 (?:for|if|when|in)|be 0|zero", re.I)
_NUMBER = (
    r"(?:\d+ ?<< ?\d+|\d+ ?(?:\^|\*\*) ?\d+|\d{1,3}(?:[ ,']\d{3})+(?!\d)|\d+(?!\d))"
    r"(?: ?- ?1(?!\d))?(?![\w.]*[A-Za-z])"
)
_NAME = r"[A-Za-z_]\w*"
_NAMES = rf"{_NAME}(?:(?:, ?| and | ?& ?|/){_NAME})*"
_MARK = pattern(r"^[ \t]*(?://[/!]?|/\*+!?|\*+(?!/)|#+)[ \t]?|\*+/[ \t]*$", re.M)
_CODE = pattern(r"^.*(?:[;{}]\s*$|->|==|\+\+|&&|\|\||\b(?:if|for|while) ?\(|\w\(|\]\.|\+=).*$", re.M)
"""Lines of code that is left out, which say nothing of what is passed."""
_SENTENCE = pattern(r"(?<![.\s])\.(?=\s|$)|;")
_CLAUSE = pattern(r"(?<![.\s])\.(?=\s|$)|;|[()]")
_CHAIN = pattern(rf"({_NUMBER}) ?(<=?) ?({_NAMES})((?: ?<=? ?{_NAMES})*) ?(<=?) ?({_NUMBER})")
_SPOKEN = pattern(
    rf"(?:^|(?<=, )|\b(?:any|all|and|with|for) )({_NAMES}) ?"
    r"(?:[:=]| (?=in|from|is|are|between|of|goes|runs) ?)"
)
_TO = rf"(?:\.\.\.?|to|through|up to|and(?= \d)|,(?= ?{_NUMBER}\]))"
_BETWEEN = pattern(rf"(?:\[|\b(?:from|between|in) ?)?\b({_NUMBER}) ?{_TO} ?({_NUMBER})")
_MOST = pattern(rf"\b(?:at most|up to|no more than|not more than) ({_NUMBER})(?! ?(?:[KMG]i?B|bytes?|bits?|%|ms|us)\b)")
_SIDE = pattern(rf"(?<![*/+%-])(?<![*/+%-] )\b({_NAMES}) ?(>=|>|<=|<|≥|≤) ?({_NUMBER})(?! ?[*/+-])")
"""(What stands in a product or sum has no bound of its own there.)"""
_EMPTY = pattern(
    rf"\b({_NAME})(?: of [\w ]{{1,20}})? (?:may|can|might|could) (?:also |well )?be (?:0|zero|empty)\b"
    rf"|\[0, ?({_NAME})\)[^.;]*\bempty\b",
    re.I,
)
_ZERO = pattern(r"(?:^|,|\bor\b|\band\b|\bis\b|:) ?(?:0|zero) (?:for|if|when|in|where)\b", re.I)
_DOUBT = pattern(
    r"\b(?:usual|typical|e\.g|example|say\b|about\b|default|not\b|never|if\b|unless|except|was\b|bench|TODO|FIXME|check)",
    re.I,
)
_DECLARED = pattern(r"\b([A-Za-z_]\w*)\s*(?=[,;)]|$)")


def ranges(source: SourceFile) -> dict[str, Range]:
    """Names that comments of a file give a range for; what two comments say differently is not known."""
    found: dict[str, Range] = {}
    if _MAYBE.search(source.data) is None:
        return found
    unclear: set[str] = set()
    read = python_comments if is_python(source.path) else comments
    for start, _, text in runs(source.data, read(source.data)):
        line = source.data[source.data.rfind(b"\n", 0, start) + 1 : start].decode("utf-8", "replace")
        beside = _DECLARED.findall(line) if line.strip() else []
        for name, (low, high) in said(" ".join(_CODE.sub("", _MARK.sub("", text)).split()), beside[-1:]):
            known_low, known_high = found.get(name, (None, None))
            if any(a is not None and b is not None and a != b for a, b in ((low, known_low), (high, known_high))):
                unclear.add(name)
            found[name] = (known_low if low is None else low, known_high if high is None else high)
    known = frozenset(re.findall(_NAME, code_of(source.data).decode("utf-8", "replace"))) if found else ()
    return {name: one for name, one in found.items() if name not in unclear and name in known}


def said(text: str, beside: list[str]) -> Iterator[tuple[str, Range]]:
    """What a comment says of names in it, or of those declared ``beside`` it."""
    for sentence in _SENTENCE.split(text):
        for match in _EMPTY.finditer(sentence) if _DOUBT.search(sentence) is None else ():
            yield match[1] or match[2], (0, None)
    for clause in _CLAUSE.split(text):
        if _DOUBT.search(clause) is None:
            yield from _of_clause(clause.strip(), beside)


def _of_clause(clause: str, beside: list[str]) -> Iterator[tuple[str, Range]]:
    chained = _CHAIN.search(clause)
    if chained is not None:
        low = _value(chained[1]) + (chained[2] == "<")
        high = _value(chained[6]) - (chained[5] == "<")
        for name in re.findall(_NAME, f"{chained[3]} {chained[4]}"):
            if name != "and":
                yield name, (low, high)
    for match in _SIDE.finditer(clause):
        if chained is None or not chained.start() <= match.start() < chained.end():
            value, more = _value(match[3]), match[2] in (">", ">=", "≥")
            bound = value + (match[2] == ">") if more else value - (match[2] == "<")
            yield from ((name, (bound, None) if more else (None, bound)) for name in _each(match[1]))
    spoken = [match for match in _SPOKEN.finditer(clause) if match[0].endswith((":", "=")) or not beside]
    for place, match in enumerate(spoken):
        end = spoken[place + 1].start() if place + 1 < len(spoken) else len(clause)
        one = _of_text(clause[match.end() : end])
        if one is not None:
            yield from ((name, one) for name in _each(match[1]))
    if not spoken and chained is None:
        one = _of_text(clause)
        if one is not None:
            yield from ((name, one) for name in beside)


def _of_text(text: str) -> Range | None:
    """The range that stands in what is said of a name."""
    between, most = _BETWEEN.search(text), _MOST.search(text)
    if between is not None:
        low, high = _value(between[1]), _value(between[2])
        return (low, high) if low <= high else None
    if _ZERO.search(text) is not None:
        return 0, None
    return (None, _value(most[1])) if most is not None else None


def _each(names: str) -> list[str]:
    return [name for name in re.findall(_NAME, names) if name != "and"]


def _value(text: str) -> int:
    """A whole number as comments write it."""
    less = re.search(r"(?<=[\d)]) ?- ?1$", text)
    text = text[: less.start()] if less is not None else text
    parts = [int(re.sub(r"\D", "", part)) for part in re.split(r"<<|\^|\*\*", text)]
    value = parts[0]
    if len(parts) > 1 and parts[1] <= 64:
        value = value << parts[1] if "<<" in text else value ** parts[1]
    return value - (less is not None)
