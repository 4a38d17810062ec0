"""What comments say of the extents of arrays: ``[rows, cols]``, ``n + 1 entries``, ``height rows of width values``.

How long the memory behind a pointer is stands in no declaration; its author writes it beside the parameter, above the
kernel or at the head of the file.  Read are lists in brackets after names, products, rows of so many elements, and
numbers of elements.  Sizes in bytes are left out, as are numbers alone, and what holds for a part ("per row", "up to").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernlint.analysis.base import Shape
from kernlint.policy.constants import constants
from kernlint.policy.promises import runs
from kernlint.policy.prose import POINTER, line_before
from kernlint.policy.suppress import code_below, code_of, comments
from kernlint.source import SourceFile, Span
from kernlint.text.patterns import pattern
from kernlint.text.pythontext import is_python

_NAME = r"[A-Za-z_]\w*(?:(?:\.|->)[A-Za-z_]\w*)*"
_ATOM = rf"(?:{_NAME}|\d+[uUlL]*|\([^()]*(?:\([^()]*\)[^()]*)*\))"
_FACTORS = rf"{_ATOM}(?: ?(?:\*|/|<<|>>) ?{_ATOM})*"
_SIZE = rf"{_FACTORS}(?: ?[-+] ?{_FACTORS})*"
_LIST = rf"{_SIZE}(?: ?, ?{_SIZE})*"
_TIMES = r"(?: x | by | \u00d7 |\u00d7)"
_NAMES = rf"{_NAME}(?:(?:, and |, | and |/| & ){_NAME})*"
_NOUNS = (
    "entries|elements|values|words|slots|items|floats|ints|integers|doubles|numbers|symbols|halves|cells|pixels|faces|"
    "points|entry|samples|uints|bins|keys|ids|indices|texels|voxels|records|particles|nodes|vertices|weights|"
    "coefficients|counters|counts|labels|scores|blocks"
)
_NOUN = (
    rf"(?:{_NOUNS})\b"
    r"(?!['\u2019]| ?(?:per|each|for|of|at a time|in (?:each|every)|by|an?)\b)"
)

ALL = "*"
"""In place of a name: what is said holds for all fields."""

_BRACKETS = pattern(
    rf"(?<![\w.>])({_NAMES})"
    rf"(?: ?[:=-]| is| are|,? (?:has|have|with|of) shape:?| shape:?)? ?\[({_LIST})\](?!\[)"
)
_SUBSCRIPTS = pattern(rf"(?<![\w.>])(?:({_NAME})|({_NAMES}) ?[:=] ?)((?:\[{_SIZE}\]){{2,}})")
_ROWS = pattern(
    rf"(?<![\w.>])({_NAMES}) ?(?::| -| is| are| has| have| holds?)"
    rf"(?: [^.;:\[\]]{{0,30}}?)?? ({_SIZE}) rows of ({_SIZE})(?! ?bytes)"
)
_PRODUCT = pattern(
    rf"(?<![\w.>])({_NAMES}) ?(?::| -| is| are| has| have| holds?)(?: (?:a|an|the|all|packed|dense))?? "
    rf"({_SIZE}(?:{_TIMES}{_SIZE})+)"
)
_COUNT = pattern(
    rf"(?<![\w.>])({_NAMES})(?: ?:| -| has| have| holds?| contains?| is| are)(?: [^.;:\[\]]{{0,40}}?)??"
    rf"(?<!at most)(?<!up to)(?<!at least)(?<!first)(?<!last)(?<!than)(?<!every)"
    rf"(?<! [-+*/x\u00d7])(?<! by) ({_SIZE}) {_NOUN}"
)
_EVERY = pattern(
    rf"\b(?:all|every|each)(?: of)?(?: the)? (?:fields?|arrays?|buffers?|grids?|planes?) "
    rf"(?:holds?|contains?|has|have|is|are|consists? of) ({_SIZE}(?:{_TIMES}{_SIZE})*) {_NOUN}",
    re.I,
)
"""What is said of all arrays of a file at once."""
_OTHER = (
    "of|or|and|at|to|in|per|for|each|every|more|less|by|times|x|rows|columns|lines|bytes|bits|plus|minus|as|is|are|the|"
    "all|an?|its|their|up|about|only|just|exactly|total|most|least|one|both|these|those|such|some|many|no|not|same"
)
_KIND = pattern(
    rf"(?<![\w.>])({_NAMES})(?: ?:| -| has| have| holds?| contains?| is| are) (?!(?:{_OTHER})\b)({_SIZE}) "
    rf"(?!(?:{_OTHER})\b)[A-Za-z][\w-]* {_NOUN}"
)
"""A number of elements of a kind (``w * h RGBA texels``); neither the number nor the kind is a word of another use."""
_BY, _COUNTED = pattern(rf"\w\)?{_TIMES}\(?\w"), pattern(rf"\w\)? {_NOUN}")
_ENDS = pattern(r"\b(?:offsets?|starts?|begin|ends?|first|last|bound|pointers?|prefix|cumulative|scan) ", re.I)
"""Words of what there is one more of than of the items that are counted."""
_KINDS = pattern(r"\bthe [a-z]+s? of ?$")
"""What says which numbers an array holds (``the lengths of n symbols``), and not how many lots of them."""
_BESIDE = pattern(
    rf"(?:(?:shape|size|dims?|length|len)\b ?[:=]? ?)?(?:[\[(]({_LIST})[\])]|({_SIZE}(?:{_TIMES}{_SIZE})*))"
    rf" ?(?=$|[,.;]|{_NOUN}|\(|row.major)"
)

_COLUMN = pattern(r"^[ \t]*([A-Za-z_][\w.]*)(?: {2,}|[ ]*\t\s*)(?=[\w(\[])", re.M)
"""A name that stands before a column of explanations."""

_MARK = pattern(r"^[ \t]*(?://[/!]?<?|/\*+!?<?|\*+(?!/)|#+)[ \t]?|\*+/[ \t]*$|[@\\]param(?:\[[\w, ]*\])?[ \t]*", re.M)
_MAYBE = pattern(rb"\[ ?\w[^\]\n]*,|\]\[|rows of| x | by |//[ <!/]*[\[(\w]|" + _NOUNS.encode())


def shapes(source: SourceFile) -> Iterator[Shape]:
    """What the comments of a file say of arrays, in order."""
    data = source.data
    if is_python(source.path) or _MAYBE.search(data) is None:
        return
    numbers = constants(code_of(data).decode("utf-8", "replace"))
    for start, end, text, line in _runs(data):
        found = beside(_prose(text), POINTER.findall(line)) if line else said(_prose(text))
        span, until = Span(source.path, start, end), code_below(data, end, headed=True)
        for name, dims, ordered in found:
            known = tuple(re.sub(r"\b[A-Za-z_]\w*", lambda m: numbers.get(m[0], m[0]), dim) for dim in dims)
            if "0" not in known:  # (``table[0][1]``: an element)
                yield Shape(name, known, ordered, span, until)


def _runs(data: bytes) -> Iterator[tuple[int, int, str, str]]:
    """Comments that follow one another, as one, each with the code before it in its line: (offset, end, text, code).
    What stands behind code is a comment of its own."""
    alone: list[tuple[int, str]] = []
    for offset, text in comments(data):
        line = line_before(data, offset).decode("utf-8", "replace").strip()
        if not line or line.startswith(("//", "/*")):
            alone.append((offset, text))
            continue
        yield from ((*one, "") for one in runs(data, iter(alone)))
        alone = []
        yield offset, offset + len(text.encode()), text, line
    yield from ((*one, "") for one in runs(data, iter(alone)))


Said = tuple[str, tuple[str, ...], bool]
"""Name, extents, and whether they are in order."""


def _prose(text: str) -> str:
    return " ".join(_COLUMN.sub(r"\1: ", _MARK.sub("", text).replace("`", "")).split())


def beside(text: str, pointers: list[str]) -> Iterator[Said]:
    """What a comment behind the declaration of a pointer says of it."""
    found = _BESIDE.match(text) if len(pointers) == 1 else None
    if found is None:
        return
    if found[1]:
        dims = _parted(found[1])
        if dims and dims[0] != "0":
            yield pointers[0], dims, True
        return
    dims = tuple(re.split(_TIMES, found[2]))
    yield pointers[0], dims, len(dims) == 1


def said(text: str) -> Iterator[Said]:
    """What a comment says of arrays that it names."""
    told: set[str] = set()
    for names, dims, ordered in _said(text):
        for name in re.findall(_NAME, names) if names != ALL else (ALL,):
            if name not in told and name != "and":
                told.add(name)
                yield name, dims, ordered


def _said(text: str) -> Iterator[Said]:
    for found in _BRACKETS.finditer(text) if "[" in text else ():
        dims = _parted(found[2])
        if dims[0] != "0" and (len(dims) > 1 or found[0][len(found[1]) :].lstrip()[0] in ":="):
            yield found[1], dims, True
    for found in _SUBSCRIPTS.finditer(text) if "][" in text else ():
        yield found[1] or found[2], tuple(re.findall(rf"\[({_SIZE})\]", found[3])), True
    for found in _ROWS.finditer(text) if " rows of " in text else ():
        yield found[1], (found[2], found[3]), True
    for found in _PRODUCT.finditer(text) if _BY.search(text) is not None else ():
        dims = tuple(re.split(_TIMES, found[2]))
        if not text[found.end() :].lstrip().startswith("byte"):
            yield found[1], dims, len(dims) > 2
    for found in _EVERY.finditer(text) if _COUNTED.search(text) is not None else ():
        yield ALL, tuple(re.split(_TIMES, found[1])), " x " not in found[1]
    for found in _KIND.finditer(text) if _COUNTED.search(text) is not None else ():
        yield found[1], (found[2],), True
    for found in _COUNT.finditer(text) if _COUNTED.search(text) is not None else ():
        between = text[found.end(1) : found.start(2)]
        if _ENDS.search(between + " ") is None and (" of" not in between or _KINDS.search(between) is not None):
            yield found[1], (found[2],), True


def _parted(text: str) -> tuple[str, ...]:
    """The parts of a list, as far as parentheses stand around none of them."""
    parts, depth = [""], 0
    for sign in text:
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    return tuple(part.strip() for part in parts)
