"""Programs that a Python program puts together: of several literals, of templates, of what callers pass.

The program is followed (:mod:`~kernlint.frontends.clang.python.texts.followed`).  Of one text that is made several
times, what differs from time to time is as unknown as what is never in sight; where whole parts differ one is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.frontends.clang.embedded import OPEN_NUMBER, Program, dialect_of
from kernlint.frontends.clang.lower.heads import kernel_definitions
from kernlint.frontends.clang.options import Language
from kernlint.frontends.clang.python.program import PythonProgram
from kernlint.frontends.clang.python.text import Text, joined, made
from kernlint.frontends.clang.python.texts import library
from kernlint.frontends.clang.python.texts.followed import handed_over, handed_over_elsewhere
from kernlint.frontends.clang.python.texts.running import Made
from kernlint.frontends.clang.python.texts.standins import closed
from kernlint.frontends.clang.python.texts.values import OPENS, Open, mark
from kernlint.record import replace
from kernlint.text.patterns import pattern

SHORT = 60
"""Bytes of a value, as against a part of the program."""

_VALUE = pattern(rb"[^;{}#\n]*")
_NUMBER = pattern(rb"\s*-?\d[\w.]*\s*")
_HOLE = pattern(rb"[A-Za-z_]\w*")


def assembled(
    path: str, program: PythonProgram, plain: Sequence[Program], around: bool
) -> list[tuple[Program, tuple[str, ...]]]:
    """The programs of a file, given those that its literals are by themselves: instead of each of these the text that
    the file makes of it, where that is more, and the macros that it is compiled with.  ``around``: other files may be
    looked at."""
    more = b"-D" in program.data or b".replace(" in program.data
    asked = [one for one in plain if one.holes or more or not _by_itself(program, one)]
    texts = handed_over(path, program, around) if asked else []
    if around and any((one.holes or not texts) and not _met(texts, one) for one in asked):
        texts = [*texts, *handed_over_elsewhere(path, program)]
    out: list[tuple[Program, tuple[str, ...]]] = []
    for one in plain:
        handed = _met(texts, one) if one in asked else []
        macros = macros_of(handed)
        better, differs = merged([each.text for each in handed], one, program.data) if handed else (None, False)
        if better is None and one.holes:
            better = _alone(one)
        if better is None or not (one.holes or _is_more(better, one)):
            out.append((one, macros))
            continue
        out.append((_program(better, one, differs), macros))
    return out


def _met(texts: Sequence[Made], one: Program) -> list[Made]:
    """The texts that all the kernels of a program stand in."""
    heads = _heads(one)
    found = [each for each in texts if heads and all(_holds(each.text, head) for head in heads)]
    first = min((each.turn for each in found), default=0)
    return [each for each in found if each.turn == first]


def macros_of(texts: list[Made]) -> tuple[str, ...]:
    """The macros that options define; of different values none is known."""
    found: dict[str, str] = {}
    for macro in (macro for each in texts for macro in each.options):
        name = macro.partition("=")[0]
        same = found.setdefault(name, macro) == macro
        found[name] = macro if same else f"{name}={OPEN_NUMBER}{name.upper()}"
    return tuple(found.values())


def _by_itself(program: PythonProgram, one: Program) -> bool:
    """Whether a library is given the literals of a program as they are, as far as can be seen at once."""
    for called in program.calls:
        maker = library.MAKERS.get(called.name.rpartition(".")[2])
        if maker is None:
            continue
        at, name = maker
        keys = {key.arg: key.value for key in called.node.keywords}
        given = called.node.args[at : at + 1]
        text = program.text(given[0] if given else keys.get(name), called.scope)
        if text is not None and text.places and all(one.start <= place < one.end for _, _, place in text.places):
            return True
    return False


def _heads(one: Program) -> list[int]:
    """Where the words stand that begin the kernels of a text."""
    opencl = one.language is Language.OPENCL
    words = (b"kernel",) if opencl else (b"__global__",)
    return [
        max(one.text.rfind(word, 0, start) for word in words) for _, start, _ in kernel_definitions(one.text, opencl)
    ]


def _program(text: Text, of: Program, differs: bool) -> Program:
    """The program of a text, of several that differ."""
    whole = closed(text)
    language = dialect_of(whole.data) or of.language
    return replace(
        of, language=language, text=whole.data, places=whole.places, assembled=True, varied=differs, holes=()
    )


def _holds(text: Text, at: int) -> bool:
    return any(place <= at < place + end - start for start, end, place in text.places)


def _is_more(text: Text, one: Program) -> bool:
    """Whether a text has more than a literal by itself: lines or braces of somewhere else."""
    return any(len(part.strip()) > SHORT or not _VALUE.fullmatch(part.strip()) for part in _others(text, one))


def _others(text: Text, one: Program) -> Iterator[bytes]:
    """The parts of a text that stand elsewhere than in the literals of a program."""
    last = 0
    for start, end, place in text.places:
        if one.start <= place < one.end:
            if start > last:
                yield text.data[last:start]
            last = end
    if last < len(text.data):
        yield text.data[last:]


def merged(texts: list[Text], one: Program, host: bytes) -> tuple[Text, bool]:
    """One text for several: numbers that differ are not known; whether more than those differs."""
    first = min(texts, key=lambda text: (text.data.count(OPENS + b"e"), text.data.count(OPENS), -len(text.data)))
    frame, parts = _parted(first, one)
    differs = False
    for other in texts:
        if other is first:
            continue
        same, others = _parted(other, one)
        if same != frame:
            differs = True
            continue
        for at, (mine, theirs) in enumerate(zip(parts, others, strict=True)):
            if not at % 2 or mine.data == theirs.data or OPENS in mine.data + theirs.data:
                continue
            if all(_NUMBER.fullmatch(each.data) for each in (mine, theirs)):
                before = frame[at // 2 - 1][1] if at // 2 else one.start
                word = _HOLE.search(host, before, frame[at // 2][0] if at // 2 < len(frame) else before + SHORT)
                parts[at] = mark(Open(word.group().decode() if word is not None else "value"))
            else:
                differs = True
    return joined(parts), differs


def _parted(text: Text, one: Program) -> tuple[list[tuple[int, int]], list[Text]]:
    """Where the parts of a text in a program's literals stand, and all of its parts: others, and those, in turn."""
    frame: list[tuple[int, int]] = []
    parts: list[Text] = []
    last = 0
    for start, end, place in text.places:
        if one.start <= place < one.end:
            parts += [text.cut(last, start), text.cut(start, end)]
            frame.append((place, place + end - start))
            last = end
    parts.append(text.cut(last, len(text.data)))
    # Other parts stand at even places: shift them to odd ones, so that a place says whether it is a value.
    return frame, [made(""), *parts]


def _alone(one: Program) -> Text:
    """The text of a program by itself, with marks for what it leaves open."""
    parts: list[Text] = []
    last = one.start
    whole = Text(one.text, ((0, len(one.text), 0),))
    for start, end in one.holes:
        if start < last:
            continue
        word = _HOLE.search(one.text, start, end)
        parts += [whole.cut(last, start), mark(Open(word.group().decode() if word is not None else "value"))]
        last = end
    parts.append(whole.cut(last, max(last, one.end)))
    if one.text[one.end :].strip():
        parts.append(whole.cut(one.end, len(one.text)))
    return joined(parts)
