"""What comments say of how small and how large sizes get: ``n: 1 .. 65536``, ``h, w from 1 to 8192``, ``count >= 0``.

Which sizes callers pass is in no code that a file shows; its author writes it beside the parameter or above the
function.  Read are ranges of whole numbers with a name before them, bounds on one side, what may be empty, and sizes
that are named as examples (``n = 300 steps * 50 bands``), which are reached.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernlint.analysis.launching.stated_sizes import FITS
from kernlint.policy.promises import comment_runs
from kernlint.policy.prose import MARK, line_before
from kernlint.policy.suppress import code_of
from kernlint.source import SourceFile
from kernlint.text.patterns import pattern
from kernlint.text.pythontext import is_python

Range = tuple[int | None, int | None]
"""The least and the greatest value; None: not said."""

_MAYBE = pattern(
    rb"\.\.|[<>] ?=? ?\d|\bto \d|at most|up to|(?:more|fewer|less) than|below|under|or more|and more|"
    rb"as (?:many|large) as|= ?\d|\bof \d|\bfrom \d|\d to [A-Za-z]|e\.g|empty|\b0 (?:for|if|when|in)|be 0|zero",
    re.I,
)
_NUMBER = (
    r"(?:\d+(?:\.\d+)? ?(?:million|billion|thousand)\b|"
    r"\d+[uU]?[lL]* ?<< ?\d+|\d+ ?(?:\^|\*\*) ?\d+|\d{1,3}(?:[ ,']\d{3})+(?!\d)|\d+[kKM](?!\w)|\d+(?!\d))"
    r"(?: ?- ?1(?!\d))?(?![\w.]*[A-Za-z])"
)
_NAME = r"[A-Za-z_]\w*"
_NAMES = rf"{_NAME}(?:(?:, ?| and | ?& ?|/){_NAME})*"
CODE = pattern(r"^.*(?:[;{}]\s*$|->|==|\+\+|&&|\|\||\b(?:if|for|while) ?\(|\w\(|\]\.|\+=).*$", re.M)
"""Lines of code that is left out, which say nothing of what is passed."""
_SENTENCE = pattern(r"(?<![.\s])\.(?=\s|$)|;")
_CLAUSE = pattern(r"(?<![.\s])\.(?=\s|$)|;|[()]")
_CHAIN = pattern(rf"({_NUMBER}) ?(<=?) ?({_NAMES})((?: ?<=? ?{_NAMES})*) ?(<=?) ?({_NUMBER})")
_SPOKEN = pattern(
    rf"(?:^|(?<=, )|\b(?:any|all|and|with|for) )(?!(?:number|amount|multiple)s? of\b)({_NAMES}) ?"
    r"(?:[:=]| (?=in|from|is|are|between|of|goes|runs|stays?\b|remains?\b|lies?\b|reach|up to\b|at most\b|below \d|"
    r"under \d|no (?:more|larger|greater)\b|(?:less|fewer|smaller) than\b|"
    r"(?:may|can|could|might|will) (?:be|reach|have)\b) ?)"
)
_VALUES = pattern(
    rf"(?:^|(?<=, )|\b(?:any|all|and|the) )({_NAME}) (?:values|ids|ind(?:ic|ex)es|numbers|codes|keys)\b"
    r"[a-z ]{1,30}?(?:\b(?:from|between|in)\b|(?=[\[<]))",
    re.I,
)
"""What the values of an array are called: ``category values are dense and run from 0 to 1024``."""
CONSTANT = pattern(
    rf"^[ \t]*#[ \t]*define[ \t]+({_NAME})[ \t]+\(?({_NUMBER})\)?[ \t]*$"
    rf"|\bconst(?:expr)?\b[\w: \t]*?\b({_NAME}) ?= ?({_NUMBER}) ?;",
    re.M,
)
"""A constant that is a number: its name and the number, or these as the third and fourth group."""
_TO = rf"(?:\.\.\.?|to|through|up to|and(?= \d)|,(?= ?{_NUMBER}\]))"
_BETWEEN = pattern(rf"(?:\[|\b(?:from|between|in) ?)?\b({_NUMBER}) ?{_TO} ?({_NUMBER})")
_UNITS = r"(?! ?(?:(?:[KMG]i?B|[Bb]ytes?|bits?|ms|us|[x*] ?\w+)\b|%))"
_MOST = pattern(
    rf"\b(at most|up to|no (?:more|larger|greater) than|not more than|as (?:many|large) as|below|under|"
    rf"(?:less|fewer|smaller) than) ({_NUMBER}){_UNITS}"
)
_MORE = pattern(rf"\b({_NUMBER})(?:\+| (?:and|or) (?:more|above)\b)")
_AFTER = pattern(rf"\b({_NAME}) \((<=?|>=?|≤|≥) ?({_NUMBER})\)")
_BESIDE = pattern(rf"\b({_NAME}) (?:is|are|comes|come|stands|counts?)\b[\w ]{{0,40}}\((?:up to|at most) ({_NUMBER})\)")
"""``the pitch is in bytes (up to 432128)``"""
_SIDES = pattern(rf"\b(?:up to|at most|as large as|no larger than) ({_NUMBER}) ?(?:x|by) ?({_NUMBER})(?! ?(?:x|by)\b)")
_FRAMES = (("width", "height"), ("cols", "rows"), ("columns", "rows"), ("w", "h"))
"""What the sides of something with two of them are called."""
_SMALL = pattern(r"\b(?:threads?|tiles?|blocks?|groups?|windows?|filters?|kernels?|patch(?:es)?|stencils?)\b", re.I)
"""What is small, however much data there is."""
_FACTOR = rf"{_NUMBER}(?: (?!x\b)[a-z]{{2,}})?"
_PRODUCT = rf"({_FACTOR}(?: ?(?:\*|x\b) ?{_FACTOR})*)(?! ?(?:[-+*/<>=&|^]|x\b))"
_EQUALS = pattern(rf"(?<![*/+%.-])(?<![*/+%-] )\b({_NAME}) ?= ?{_PRODUCT}")
_HAS = pattern(rf"\b(?:has|have|with) an? ({_NAME}) of {_PRODUCT}")
_EXAMPLE = pattern(
    rf"^({_NAME}) (?:is|are|counts|holds)\b.*?\b(?:e\.g|for example|for instance|such as),?(?: [^=\d]*=)? {_PRODUCT}"
)
_NOUNS = r"(?: (?!of\b|in\b|per\b|and\b|by\b)(?:[a-z]{3,}|[A-Z]{2,})){1,2}"
_COUNTED = pattern(
    rf"\b(?:between {_NUMBER} and|at most|up to|no more than|fewer than) ({_NUMBER})"
    rf"({_NOUNS}(?:,? (?:and|by|x) {_NUMBER}{_NOUNS})*)"
)
_FURTHER = pattern(rf"(?:^|,? (?:and|by|x) ({_NUMBER}))({_NOUNS})")
_PER = pattern(r"\b(?:one|an?) (\w+) per (\w+)", re.I)
_COUNT_OF = r"(?i:(?:n|num|nof|nr|no_of|num_of|n_of|number_of)_?{0}|{0}_?(?:count|num|cnt))"
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
_WRONG = pattern(r"\b(?:not\b|never|if\b|unless|except|was\b|bench|TODO|FIXME|check|default)", re.I)
"""What keeps an example from being a size that there is."""
_FITTING = pattern(
    r"\b(?:fits?|below|under|within|(?:less|fewer|smaller|more) than|at most|exceeds?|overflows?|range of|"
    r"limit of|[<≤]=?)"
    r" ?(?:in(?:to)? |of )?(?:an? |the |signed |unsigned )*"
    r"(?:u?int\b|u?int32|32[- ]?bit|INT_MAX|2 ?(?:\^|\*\*) ?3[12]\b|1[uU]?[lL]* ?<< ?3[12]\b|2147483647|"
    r"[24] ?Gi?B?\b|[24] billion)",
    re.I,
)
_DECLARED = pattern(r"\b([A-Za-z_]\w*)\s*(?=[,;)]|$)")


def ranges(source: SourceFile) -> dict[str, Range]:
    """Names that comments of a file give a range for; what two comments say differently is not known."""
    found: dict[str, Range] = {}
    if _MAYBE.search(source.data) is None:
        return found
    unclear: set[str] = set()
    examples: dict[str, int] = {}
    sides = 0
    constants = constants_of(code_of(source.data).decode("utf-8", "replace"))
    for start, _, text in comment_runs(source.data, is_python(source.path)):
        line = line_before(source.data, start).decode("utf-8", "replace")
        beside = _DECLARED.findall(line) if line.strip() else []
        prose = _plain(text)
        prose = re.sub(_NAME, lambda word: constants.get(word[0], word[0]), prose) if constants else prose
        together = re.search(r"\b(?:each|both)\b", prose) is not None
        sides = max(sides, _of_sides(prose))
        for name, value in attained(prose):
            examples[name] = max(value, examples.get(name, 0))
        for name, (low, high) in said(prose, beside if together else beside[-1:]):
            known_low, known_high = found.get(name, (None, None))
            if any(a is not None and b is not None and a != b for a, b in ((low, known_low), (high, known_high))):
                unclear.add(name)
            found[name] = (known_low if low is None else low, known_high if high is None else high)
    if not found and not examples and not sides:
        return found
    known = frozenset(re.findall(_NAME, code_of(source.data).decode("utf-8", "replace")))
    counted = {nouns: found.pop(nouns) for nouns in [name for name in found if name.startswith("#")]}
    named = {nouns: [name for noun in nouns[1:].split() for name in _counts(noun, known)] for nouns in counted}
    told = {name for names in named.values() for name in names}
    for nouns, one in counted.items():
        for name in named[nouns] or _short(nouns[1:], known, told):
            found.setdefault(name, one)
    for frame in _FRAMES if sides else ():
        if known.issuperset(frame):
            for name in frame:
                found.setdefault(name, (None, sides))
    for noun in [name for name in found if name not in known and name.islower() and name.isalpha()]:
        for name in known:
            if name.endswith((f"_{noun}", noun.capitalize())):
                found.setdefault(name, found[noun])
    for noun in [name for name in found if name.startswith("@")]:
        one = found.pop(noun)
        for name in _holding(noun[1:], known):
            found.setdefault(name, one)
    for name, value in examples.items():
        low, high = found.get(name, (None, None))
        found[name] = (low, value if high is None else high)
    unclear |= {name for name, (low, high) in found.items() if low is not None and high is not None and low > high}
    return {name: one for name, one in found.items() if name not in unclear and (name in known or name == FITS)}


def _of_sides(prose: str) -> int:
    """How long the shorter side of what a comment gives two sides of is; 0 where it gives none."""
    found = 0
    for clause in _SENTENCE.split(prose):
        if _DOUBT.search(clause) is None and _SMALL.search(clause) is None:
            found = max((min(_value(one[1]), _value(one[2])) for one in _SIDES.finditer(clause)), default=found)
    return found


def _plain(text: str) -> str:
    """A comment in one line, without marks, code, and full stops that end no sentence."""
    prose = " ".join(CODE.sub("", MARK.sub("", text)).split())
    prose = re.sub(r"\be\. ?g\.", "e.g", prose)
    return _AFTER.sub(r"; \1 \2 \3 ;", _BESIDE.sub(r"; \1 <= \2 ;", prose))


def _counts(noun: str, known: frozenset[str]) -> list[str]:
    """The names that say that they count what a comment calls ``noun``."""
    count = re.compile(_COUNT_OF.format(f"{noun.removesuffix('s')}(?:s|es)?"))
    return [name for name in known if count.fullmatch(name) is not None]


def constants_of(code: str) -> dict[str, str]:
    """The constants of a file that are numbers, as text; none that has two values."""
    found: dict[str, set[str]] = {}
    for match in CONSTANT.finditer(code):
        found.setdefault(match[1] or match[3], set()).add(match[2] or match[4])
    return {name: next(iter(values)) for name, values in found.items() if len(values) == 1}


def _holding(noun: str, known: frozenset[str]) -> list[str]:
    """The names of what holds values of which comments speak as ``noun``: ``category``, ``chosen_categories``."""
    stem = noun.removesuffix("s")
    holds = re.compile(rf"(?:\w+_)?(?:{stem}(?:s|es)?|{stem.removesuffix('y')}ies)", re.I)
    return [name for name in known if holds.fullmatch(name) is not None]


def _short(nouns: str, known: frozenset[str], told: set[str]) -> list[str]:
    """The only name that says in short that it counts what a comment calls ``nouns`` (``nt``: time samples), and
    nothing else that comments count."""
    starts = "|".join(_start(noun) for noun in nouns.split())
    count = re.compile(rf"(?:n|num)_?(?:{starts})", re.I)
    found = [name for name in known if name not in told and count.fullmatch(name) is not None]
    return found if len(found) == 1 else []


def _start(noun: str) -> str:
    """A pattern for what a noun begins with, one letter of it at least."""
    return "".join(f"{letter}(?:" for letter in noun) + ")?" * len(noun)


def attained(text: str) -> Iterator[tuple[str, int]]:
    """Names with values of which a comment says that they occur: ``n = 300 epochs * 50 bands``, ``a width of 27``."""
    for clause in _CLAUSE.split(text):
        if _WRONG.search(clause) is None:
            for found in (*_EQUALS.finditer(clause), *_HAS.finditer(clause), *_EXAMPLE.finditer(clause.strip())):
                value = 1
                for factor in re.findall(_NUMBER, found[2]):
                    value *= _value(factor)
                yield found[1], value


def said(text: str, beside: list[str]) -> Iterator[tuple[str, Range]]:
    """What a comment says of names in it, or of those declared ``beside`` it."""
    for sentence in _SENTENCE.split(text):
        for match in _EMPTY.finditer(sentence) if _DOUBT.search(sentence) is None else ():
            yield match[1] or match[2], (0, None)
    if _FITTING.search(text) is not None:
        yield FITS, (None, (1 << 31) - 1)
    alike = {two: one for one, two in _PER.findall(text)}
    for clause in _CLAUSE.split(text):
        if _DOUBT.search(clause) is None:
            yield from _of_clause(clause.strip(), beside)
            for match in _COUNTED.finditer(clause):
                for one in _FURTHER.finditer(match[2]):
                    most = _value(one[1] or match[1])
                    yield f"#{one[2].strip()}", (None, most)
                    for noun in one[2].split():
                        other = alike.get(noun, alike.get(noun.removesuffix("s")))
                        if other is not None:
                            yield f"#{other}", (None, most)


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
    values = _VALUES.search(clause)
    one = _of_text(clause[values.end() :]) if values is not None else None
    if values is not None and one is not None:
        yield f"@{values[1]}", one
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
    between, most, more = _BETWEEN.search(text), _MOST.search(text), _MORE.search(text)
    if between is not None:
        low, high = _value(between[1]), _value(between[2])
        return (low, high) if low <= high else None
    if _ZERO.search(text) is not None:
        return 0, None
    if most is not None:
        return None, _value(most[2]) - (most[1] in _LESS)
    return (None, _value(more[1])) if more is not None else None


_LESS = frozenset({"below", "under", "less than", "fewer than", "smaller than"})


def _each(names: str) -> list[str]:
    return [name for name in re.findall(_NAME, names) if name != "and"]


_WORDS = {"thousand": 10**3, "million": 10**6, "billion": 10**9}


def _value(text: str) -> int:
    """A whole number as comments write it."""
    spelled = re.match(r"(\d+(?:\.\d+)?) ?(million|billion|thousand)", text)
    if spelled is not None:
        return int(float(spelled[1]) * _WORDS[spelled[2]])
    less = re.search(r"(?<=[\d)]) ?- ?1$", text)
    text = text[: less.start()] if less is not None else text
    parts = [int(re.sub(r"\D", "", part)) for part in re.split(r"<<|\^|\*\*", text)]
    value = parts[0] * (1000 if text[-1] in "kK" else 1_000_000 if text[-1] == "M" else 1)
    if len(parts) > 1 and parts[1] <= 64:
        value = value << parts[1] if "<<" in text else value ** parts[1]
    return value - (less is not None)
