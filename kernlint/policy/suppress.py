"""Directives in comments that silence findings, and what is wrong with them.

``// kernlint: ignore[rule-or-code, ...] reason`` silences its own line, or the next line of code when it stands
alone; ``ignore-next-line``, ``ignore-begin``/``ignore-end`` and ``ignore-file`` say so themselves.  Without brackets
all rules are meant.  ``NOLINT(KL201)`` and ``NOLINTNEXTLINE(KL201)`` are honoured when they name a rule of ours; a
bare ``NOLINT`` speaks to other tools.  A directive that silences nothing is a finding, and so is one with a typo.
In a Python program ``#`` begins the comment; in the kernels that its strings hold, ``//`` does.
"""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from kernlint.analysis.assumptions import VERBS as STATEMENTS
from kernlint.analysis.assumptions import AssumptionError
from kernlint.analysis.assumptions import parse as parse_assumption
from kernlint.analysis.base import Stated
from kernlint.finding import Finding, Severity
from kernlint.record import dataclass, replace
from kernlint.registry import CONTROL_CODES, Registry, UnknownRule
from kernlint.result import Suppression
from kernlint.source import SourceFile, Span
from kernlint.text.nearest import nearest
from kernlint.text.patterns import pattern
from kernlint.text.pythontext import comments as python_comments
from kernlint.text.pythontext import is_python

if TYPE_CHECKING:
    from lark import Lark

UNUSED, MALFORMED = CONTROL_CODES

VERBS = ("ignore", "ignore-next-line", "ignore-begin", "ignore-end", "ignore-file")

_TOKEN = pattern(
    rb"//(?:\\\r?\n|[^\n])*"
    rb"|/\*.*?(?:\*/|\Z)"
    rb'|R"(?P<tag>[^()\\\s]{0,16})\(.*?\)(?P=tag)"'
    rb'|"(?:\\.|[^"\\\n])*"'
    rb"|(?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])*'",
    re.S,
)
_OURS = pattern(r"kernlint:[ \t]*")
_NOLINT = pattern(r"\b(?P<verb>NOLINT(?:NEXTLINE)?)\((?P<names>[^)\n]*)\)")


@dataclass(frozen=True, slots=True)
class Selector:
    """One rule, prefix or family in a directive, the rule codes it means, and its place."""

    text: str
    codes: frozenset[str]
    span: Span


@dataclass(frozen=True, slots=True)
class Directive:
    """A directive that was understood.

    ``selectors`` empty: all rules.  It silences findings on lines ``first`` to ``last`` (1-based, inclusive).
    """

    verb: str
    selectors: tuple[Selector, ...]
    reason: str
    span: Span
    first: int
    last: int

    def means(self, code: str) -> bool:
        """Whether findings with this code are silenced."""
        return not self.selectors or any(code in selector.codes for selector in self.selectors)


@dataclass(frozen=True, slots=True)
class Directives:
    """The directives of one file, and findings about those that are wrong."""

    found: tuple[Directive, ...]
    malformed: tuple[Finding, ...]


@lru_cache(maxsize=1)
def _grammar() -> Lark:
    from lark import Lark

    text = pkgutil.get_data("kernlint.data", "directives.lark") or b""
    return Lark(text.decode(), parser="lalr")


def comments(data: bytes) -> Iterator[tuple[int, str]]:
    """Byte offset and text of every comment; what looks like one inside a string is none."""
    for match in _TOKEN.finditer(data):
        text = match.group()
        if text.startswith(b"/"):
            yield match.start(), text.decode("utf-8", "replace")


def parse(source: SourceFile, registry: Registry, require_reason: bool = False) -> Directives:
    """Read the directives of a file.  A file that mentions none costs two searches."""
    if b"kernlint:" not in source.data and b"NOLINT" not in source.data:
        return Directives((), ())
    reader = _Reader(source, registry, require_reason)
    found = list(comments(source.data))
    if is_python(source.path):
        found = sorted({**dict(found), **dict(python_comments(source.data))}.items())
    for offset, text in found:
        reader.comment(offset, text)
    reader.close()
    return Directives(tuple(reader.found), tuple(reader.malformed))


def statements(source: SourceFile) -> Iterator[Stated]:
    """What comments of a file take for granted of launches (``// kernlint: assume(n > 0)``), each with its place."""
    if b"kernlint:" not in source.data:
        return
    for offset, text in comments(source.data):
        ours = _OURS.search(text)
        if ours is None or re.fullmatch(r"[/*!\s]*", text[: ours.start()]) is None:
            continue
        said = text[ours.end() :].removesuffix("*/").split("\n", 1)[0].rstrip()
        if said.startswith(STATEMENTS):
            start = offset + len(text[: ours.end()].encode())
            after = offset + len(text.encode())
            yield Stated(said, Span(source.path, start, start + len(said.encode())), code_below(source.data, after))


@lru_cache(maxsize=1)
def code_of(data: bytes) -> bytes:
    """A text without its comments and strings."""
    return _TOKEN.sub(b" ", data)


def code_below(data: bytes, start: int, headed: bool = False) -> int:
    """Offset of the first brace or semicolon of code after ``start``: the end of what stands directly below.
    ``headed``: or of the first macro that is defined there, or file included; a comment before these heads them all."""
    blank = _TOKEN.sub(lambda match: b" " * len(match.group()), data[start : start + 4096])
    found = (_BELOW if headed else _CODE).search(blank)
    return start + (found.start() if found else len(blank))


_CODE = pattern(rb"[;{}]")
_BELOW = pattern(rb"[;{}]|^[ \t]*#[ \t]*(?:define|include|ifndef)\b", re.M)


class _Reader:
    """Turns the comments of one file into directives."""

    def __init__(self, source: SourceFile, registry: Registry, require_reason: bool) -> None:
        self.source = source
        self.registry = registry
        self.require_reason = require_reason
        self.found: list[Directive] = []
        self.malformed: list[Finding] = []
        self.open: list[Directive] = []
        self.last_line = len(source.line_starts)
        self.marks = ("//", "#") if is_python(source.path) else ("//",)

    def comment(self, offset: int, text: str) -> None:
        for match in _NOLINT.finditer(text):
            self._nolint(offset, text, match)
        ours = _OURS.search(text)
        if ours is None:
            return
        at_head = re.fullmatch(r"[/*!#\s]*", text[: ours.start()]) is not None
        rest = text[ours.end() :].removesuffix("*/").split("\n", 1)[0].rstrip()
        if at_head or rest.startswith("ignore"):
            self._ours(offset + len(text[: ours.end()].encode()), rest)

    def close(self) -> None:
        """Report every ``ignore-begin`` that nothing ends."""
        for directive in self.open:
            self._complain(directive.span, "ignore-begin without an ignore-end behind it")

    # ------------------------------------------------------------------------------------------- kinds

    def _ours(self, offset: int, text: str) -> None:
        from lark import Token
        from lark.exceptions import UnexpectedInput

        def place(start: int, end: int) -> Span:
            head, middle = text[:start].encode(), text[start:end].encode()
            return Span(self.source.path, offset + len(head), offset + len(head) + len(middle))

        word = re.match(r"[\w-]*", text)
        verb = word.group() if word else ""
        if verb in STATEMENTS:
            try:
                parse_assumption(text)
            except AssumptionError as error:
                self._complain(place(error.position, error.position + 1), str(error))
            return
        if verb not in VERBS:
            near = nearest(verb, (*VERBS, *STATEMENTS))
            hint = f"did you mean {near[0]}?" if near else f"the directives are {', '.join(VERBS)}"
            self._complain(place(0, max(len(verb), 1)), f"unknown directive {verb or text!r}; {hint}")
            return
        try:
            tree = _grammar().parse(text)
        except UnexpectedInput as error:
            start = error.pos_in_stream if error.pos_in_stream is not None and error.pos_in_stream >= 0 else len(text)
            start = min(start, len(text))
            message = "this directive is not understood here; the form is kernlint: ignore[rule, ...] reason"
            if re.search(r"\[\s*[\w-]+(\s*,\s*[\w-]+)*$", text):
                message, start = "a ] is missing here", len(text)
            elif "[" in text[:start] and "]" not in text[:start]:
                message = (
                    "a rule is expected here" if text[:start].rstrip()[-1] in "[," else "a comma or ] is expected here"
                )
            self._complain(place(max(start, 0), max(start + 1, 1)), message)
            return
        selectors = []
        reason = ""
        for token in tree.scan_values(lambda value: isinstance(value, Token)):
            if token.type == "NAME":
                start = token.start_pos or 0
                selector = self._selector(str(token), place(start, start + len(token)))
                if selector is None:
                    return
                selectors.append(selector)
            elif token.type == "REASON":
                reason = str(token).strip().lstrip(":-").strip()
        self._add(verb, tuple(selectors), reason, place(0, len(text)))

    def _nolint(self, offset: int, text: str, match: re.Match[str]) -> None:
        selectors = []
        for name in re.finditer(r"[^\s,]+", match["names"]):
            start = match.start("names") + name.start()
            begin = offset + len(text[:start].encode())
            span = Span(self.source.path, begin, begin + len(name.group().encode()))
            try:
                codes = frozenset(rule.meta.code for rule in self.registry.matching(name.group()))
            except UnknownRule:
                continue  # a check of another tool
            if codes and name.group().upper() != "ALL":
                selectors.append(Selector(name.group(), codes, span))
        if selectors:
            start = offset + len(text[: match.start()].encode())
            span = Span(self.source.path, start, start + len(match.group().encode()))
            verb = "ignore" if match["verb"] == "NOLINT" else "ignore-next-line"
            reason = text[match.end() :].split("\n", 1)[0].removesuffix("*/").strip().lstrip(":-").strip()
            line = self.source.line_of(start)
            target = line if verb == "ignore" else line + 1
            self.found.append(Directive(match["verb"], tuple(selectors), reason, span, target, target))

    def _selector(self, text: str, span: Span) -> Selector | None:
        try:
            return Selector(text, frozenset(rule.meta.code for rule in self.registry.matching(text)), span)
        except UnknownRule as error:
            self._complain(span, str(error))
            return None

    def _add(self, verb: str, selectors: tuple[Selector, ...], reason: str, span: Span) -> None:
        line = self.source.line_of(span.start)
        if self.require_reason and not reason and verb != "ignore-end":
            self._complain(span, f"{verb} without a reason, which the configuration asks for")
        directive = Directive(verb, selectors, reason, span, line, line)
        if verb == "ignore-begin":
            self.open.append(directive)
        elif verb == "ignore-end":
            wanted = {s.text.lower() for s in selectors}
            for begun in reversed(self.open):
                if not wanted or wanted == {s.text.lower() for s in begun.selectors}:
                    self.open.remove(begun)
                    self.found.append(replace(begun, last=line))
                    return
            self._complain(span, "ignore-end without an ignore-begin of the same rules before it")
        elif verb == "ignore-file":
            self.found.append(replace(directive, first=1, last=self.last_line))
        elif verb == "ignore-next-line" or self._stands_alone(span):
            following = self._next_code_line(self.source.line_of(span.end))
            self.found.append(replace(directive, first=following, last=following))
        else:
            self.found.append(directive)

    # --------------------------------------------------------------------------------------- where things are

    def _stands_alone(self, span: Span) -> bool:
        """Whether nothing but the comment is on its line."""
        head = self.source.data[self.source.line_starts[self.source.line_of(span.start) - 1] : span.start]
        tail = self.source.line_text(self.source.line_of(span.end)).rpartition("*/")[2]
        alone = re.fullmatch(rb"\s*(?://|/\*|#)[/*!#\s]*(?:kernlint:)?[ \t]*", head) is not None
        return alone and (head.lstrip().startswith((b"//", b"#")) or not tail.strip())

    def _next_code_line(self, line: int) -> int:
        """The first line after ``line`` that holds more than white space and a line comment."""
        for number in range(line + 1, self.last_line + 1):
            text = self.source.line_text(number).strip()
            if text and not text.startswith(self.marks):
                return number
        return line + 1

    def _complain(self, span: Span, message: str) -> None:
        self.malformed.append(Finding(span, message, Severity.WARNING, code=MALFORMED, rule=CONTROL_CODES[MALFORMED]))


# ------------------------------------------------------------------------------------------------- applying


@dataclass(slots=True)
class Applied:
    """What directives did: a suppression or None for every finding, and which (directive, selector) did it."""

    suppressions: list[Suppression | None]
    used: set[tuple[Span, str]]


def apply(directives: Directives, findings: Sequence[Finding], source: SourceFile) -> Applied:
    """Match ``findings``, all of them in ``source``, with its directives.

    A directive fits a finding whose marked text begins or ends on a line it is about.
    """
    applied = Applied([], set())
    for finding in findings:
        lines = (source.line_of(finding.span.start), source.line_of(max(finding.span.start, finding.span.end - 1)))
        chosen: Directive | None = None
        for directive in directives.found:
            if directive.means(finding.code) and any(directive.first <= line <= directive.last for line in lines):
                chosen = chosen or directive
                for selector in directive.selectors:
                    if finding.code in selector.codes:
                        applied.used.add((directive.span, selector.text))
                applied.used.add((directive.span, ""))
        applied.suppressions.append(Suppression("inSource", chosen.reason, chosen.span) if chosen else None)
    return applied


def unused(directives: Directives, used: set[tuple[Span, str]], ran: Collection[str]) -> list[Finding]:
    """Findings for directives, and rules in them, that silenced nothing.

    ``ran``: codes of the rules that looked at all of the file.  A rule that did not may be what the directive is for.
    """
    findings = []
    for directive in directives.found:
        if not directive.selectors:
            if (directive.span, "") not in used and ran:
                findings.append(_unused(directive.span, "this directive silences nothing"))
            continue
        for selector in directive.selectors:
            if (directive.span, selector.text) not in used and selector.codes and selector.codes <= set(ran):
                findings.append(_unused(selector.span, f"{selector.text} has no finding here to silence"))
    return findings


def _unused(span: Span, message: str) -> Finding:
    return Finding(span, message, Severity.WARNING, code=UNUSED, rule=CONTROL_CODES[UNUSED], fix=None)
