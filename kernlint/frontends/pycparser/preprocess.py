"""Preprocessing with pcpp, in which every token keeps its place in the source.

pcpp gives tokens their line and their offset in the text it was handed.  The text is therefore handed over with each
byte as one character and without line continuations (two spaces stand for one), so that offsets are bytes of the
file.  A token that comes out of a macro has the place of the macro's use, as an argument of one its own.
"""

from __future__ import annotations

import io
import os
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Any

import pcpp

from kernlint.record import dataclass, field
from kernlint.text.branches import holds_code

MAX_TOKENS = 2_000_000
"""Tokens of one source, all headers included, from which on it is not read any further."""


@dataclass(frozen=True, slots=True)
class Place:
    """Bytes of a file.  ``in_macro``: the text there is a macro's use, and the token came out of it."""

    file: str
    start: int
    end: int
    in_macro: bool = False


@dataclass(frozen=True, slots=True)
class Lexeme:
    """One token behind the preprocessor."""

    text: str
    place: Place


@dataclass(slots=True)
class Preprocessed:
    """``lexemes`` in order (``#pragma`` lines are one each), headers that were ``missing`` (as written), those
    ``found`` (paths), the code of the main file that an ``#if`` left out (``skipped``, bytes), and ``errors`` in
    words."""

    lexemes: list[Lexeme] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    found: list[str] = field(default_factory=list)
    skipped: list[tuple[int, int]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


_CONTINUED = re.compile(r"\\(\r?\n)")
_ODD_LINE_ENDS = re.compile("[\r\x0b\x0c\x1c\x1d\x1e\x85]")


def _plain(text: str) -> str:
    """``text`` with the same length whose lines end where pcpp ends them."""
    text = _CONTINUED.sub(lambda match: " " * len(match[0]), text)
    return _ODD_LINE_ENDS.sub(" ", text)


class _Lines:
    """Turns offsets into pcpp's copy of a text, whose lines lost the spaces at their ends, into offsets of the text."""

    def __init__(self, text: str) -> None:
        self.real, self.stripped = [0], [0]
        for line in text.split("\n"):
            self.real.append(self.real[-1] + len(line) + 1)
            self.stripped.append(self.stripped[-1] + len(line.rstrip()) + 1)

    def offset(self, at: int) -> int:
        line = bisect_right(self.stripped, at) - 1
        return self.real[line] + at - self.stripped[line]


_NOT_YET = object()


class _Preprocessor(pcpp.Preprocessor):  # type: ignore[misc]
    """pcpp, told where headers are and asked to remember places."""

    def __init__(self, include_dirs: Iterable[str], out: Preprocessed) -> None:
        super().__init__()
        self.out = out
        self.lines: dict[str, _Lines] = {}
        self.sources: dict[str, Any] = {}
        self.expand_filemacro = self.expand_countermacro = False
        self.rewrite_paths: list[tuple[str, str]] = []
        self.main = ""
        for folder in include_dirs:
            self.add_path(folder)

    # what pcpp asks

    def on_error(self, file: str, line: int, msg: str) -> None:
        self.out.errors.append(f"{file}:{line}: {msg}")

    def on_include_not_found(self, is_malformed: bool, is_system_include: bool, curdir: str, includepath: str) -> None:
        if not is_malformed and includepath not in self.out.missing:
            self.out.missing.append(includepath)
        raise pcpp.OutputDirective(pcpp.Action.IgnoreAndRemove)

    def on_directive_handle(self, directive: Any, toks: list[Any], ifpassthru: bool, precedingtoks: list[Any]) -> Any:
        if directive.value == "pragma" and not (toks and toks[0].value == "once"):
            raise pcpp.OutputDirective(pcpp.Action.IgnoreAndPassThrough)
        return True

    def on_directive_unknown(
        self, directive: Any, toks: list[Any], ifpassthru: bool, precedingtoks: list[Any]
    ) -> bool | None:
        return True

    def on_comment(self, tok: Any) -> bool:
        return False

    def on_unknown_macro_in_defined_expr(self, tok: Any) -> bool:
        return False

    def on_unknown_macro_in_expr(self, ident: str) -> int:
        return 0

    def on_unknown_macro_function_in_expr(self, ident: str) -> Any:
        return lambda x: 0

    def on_file_open(self, is_system_include: bool, includepath: str) -> Any:
        with open(includepath, encoding="latin-1", newline="") as handle:
            text = _plain(handle.read())
        self.lines[os.path.abspath(includepath)] = _Lines(text)
        self.sources.clear()
        if includepath not in self.out.found:
            self.out.found.append(includepath)
        return _Text(text, includepath)

    # places

    def expand_macros(self, tokens: list[Any], expanding_from: list[str] = []) -> list[Any]:  # noqa: B006 (pcpp's own)
        if expanding_from:
            return list(super().expand_macros(tokens, expanding_from))
        before = [token for token in tokens if token.type == self.t_ID and token.value in self.macros]
        for number, token in enumerate(tokens):
            if getattr(token, "place", None) is None:
                token.place = self._place(token)
            token.serial = number
        uses = [(token.serial, token.value, token.place) for token in before]
        result = super().expand_macros(tokens, expanding_from)
        last = -1
        for token in result:
            came_from = getattr(token, "expanded_from", ())
            own = getattr(token, "place", None)
            if own is not None and not came_from:
                last = max(last, token.serial)
            elif own is None or getattr(token, "serial", -1) < 0:
                name = came_from[-1] if came_from else ""
                token.place = next((p for s, n, p in uses if s > last and n == name), uses[-1][2] if uses else None)
                if token.place is not None:
                    token.place = Place(token.place.file, token.place.start, token.place.end, True)
        return list(result)

    def _place(self, token: Any) -> Place | None:
        known = self.sources.get(token.source or "", _NOT_YET)
        if known is _NOT_YET:
            whole = os.path.abspath(token.source) if token.source else ""
            lines = self.lines.get(whole)
            file = self.main if whole == os.path.abspath(self.main) else token.source
            known = self.sources[token.source or ""] = None if lines is None else (lines, file)
        if known is None:
            return None
        lines, file = known
        start = lines.offset(token.lexpos)
        return Place(file, start, start + len(str(token.value)))


class _Text(io.StringIO):
    """A text that pcpp may read as a file."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__(text)
        self.name = name


def preprocess(
    path: str, text: bytes, defines: Iterable[str], undefines: Iterable[str], include_dirs: Iterable[str]
) -> Preprocessed:
    """The tokens of ``text``, the content of the file ``path``, behind the preprocessor."""
    out = Preprocessed()
    engine = _Preprocessor([os.path.dirname(path) or os.curdir, *include_dirs], out)
    for define in defines:
        name, equals, value = define.partition("=")
        engine.define(f"{name} {value if equals else '1'}")
    for name in undefines:
        engine.undef(name)
    plain = _plain(text.decode("latin-1"))
    engine.main = path
    engine.lines[os.path.abspath(path)] = _Lines(plain)
    engine.parse(plain, path)
    out.lexemes = list(_lexemes(engine, path))
    seen = {lexeme.place.start for lexeme in out.lexemes if lexeme.place.file == path}
    out.skipped = [part for part in _skipped(plain, seen) if holds_code(text[slice(*part)])]
    return out


def _lexemes(engine: _Preprocessor, path: str) -> Iterator[Lexeme]:
    pragma: list[str] | None = None
    nowhere = Place(path, 0, 0, True)
    count = 0
    number: Lexeme | None = None
    while (token := engine.token()) is not None:
        value = str(token.value)
        if pragma is not None:
            if "\n" in value:
                yield Lexeme(" ".join(pragma), nowhere)
                pragma = None
            elif not value.isspace():
                pragma.append(value)
            continue
        if number is not None:
            if _continues(number.text, value):
                place = getattr(token, "place", None) or number.place
                end = place.end if not place.in_macro and place.start == number.place.end else number.place.end
                number = Lexeme(
                    number.text + value, Place(number.place.file, number.place.start, end, number.place.in_macro)
                )
                continue
            yield number
            number = None
        if value.isspace() or token.type in engine.t_WS or token.type in engine.t_COMMENT:
            continue
        if value == "#":
            pragma = ["#"]
            continue
        place = getattr(token, "place", None)
        count += 1
        if count > MAX_TOKENS:
            engine.out.errors.append("too many tokens")
            return
        if value == "_Pragma":
            continue
        lexeme = Lexeme(value, place if place is not None else nowhere)
        if value[0].isdigit() or value in (".", "^"):
            number = lexeme  # pcpp knows neither floating-point numbers nor ``^=``, and gives them in pieces
        else:
            yield lexeme
    if number is not None:
        yield number
    if pragma is not None:
        yield Lexeme(" ".join(pragma), nowhere)


_WORD = re.compile(r"\w+\Z")
_EXPONENT = re.compile(r"(?:0[xX][\da-fA-F.]*[pP]|[\d.]*[eE])\Z")


def _continues(number: str, text: str) -> bool:
    """Whether ``text``, with no space before it, is a further piece of a number (C's pp-number), or of ``^=``."""
    if "^" in number:
        return number == "^" and text == "="
    if number == ".":
        return text[0].isdigit()
    return text == "." or _WORD.match(text) is not None or (text in "+-" and _EXPONENT.match(number) is not None)


_CONDITIONAL = re.compile(r"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b", re.M)


def _skipped(text: str, seen: set[int]) -> Iterator[tuple[int, int]]:
    """Byte ranges between two conditional directives that hold text and gave no token."""
    starts = sorted(seen)
    depth = 0
    at: int | None = None
    for match in _CONDITIONAL.finditer(text):
        if at is not None:
            low = bisect_right(starts, at)
            found = low < len(starts) and starts[low] < match.start()
            body = re.sub(r"^[ \t]*#.*$|//.*$|/\*.*?\*/", "", text[at : match.start()], flags=re.M)
            if not found and body.strip():
                yield at, match.start()
        word = match[1]
        depth += {"if": 1, "ifdef": 1, "ifndef": 1, "endif": -1}.get(word, 0)
        at = text.find("\n", match.end()) if depth > 0 else None
