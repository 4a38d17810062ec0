"""What findings look like in the language server protocol."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence

import attrs
from lsprotocol import types

from kernlint.finding import Finding, Severity
from kernlint.lsp.messages import Page
from kernlint.project.ignores import directive, mark_at, may_stand_before
from kernlint.record import dataclass
from kernlint.registry import CONTROL_CODES
from kernlint.report.words import step_text, witness_text
from kernlint.result import Level, Notification, Result
from kernlint.source import Span

SOURCE = "kernlint"

REASON = "TODO: say why"
"""Stands in a directive until somebody gives the reason."""

MOST_RELATED = 24
"""Places shown with one finding."""

_LEVELS = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.NOTE: types.DiagnosticSeverity.Information,
}


class Text:
    """A text with places as the protocol counts them: lines end at any of CR, LF and CRLF; ``encoding`` says in
    which units columns are (``utf-8``, ``utf-16`` or ``utf-32``)."""

    def __init__(self, data: bytes, encoding: str) -> None:
        self.data = data
        self._encoding = encoding
        self._starts = [0, *(match.end() for match in re.finditer(rb"\r\n?|\n", data))]

    def position(self, offset: int) -> types.Position:
        """The place of byte ``offset``, which is clamped to the text."""
        offset = min(max(offset, 0), len(self.data))
        line = bisect_right(self._starts, offset) - 1
        return types.Position(line, self._units(self.data[self._starts[line] : offset].decode("utf-8", "replace")))

    def range(self, start: int, end: int) -> types.Range:
        """The range from byte ``start`` to before byte ``end``."""
        return types.Range(self.position(start), self.position(max(start, end)))

    def start(self, number: int) -> int:
        """The first byte of a line, counted from 0."""
        return self._starts[min(number, len(self._starts) - 1)]

    def line(self, number: int) -> str:
        """The text of a line, counted from 0, without its line break; empty when there is none."""
        if not 0 <= number < len(self._starts):
            return ""
        end = self._starts[number + 1] if number + 1 < len(self._starts) else len(self.data)
        return self.data[self._starts[number] : end].decode("utf-8", "replace").rstrip("\r\n")

    def offset(self, line: int, character: int) -> int:
        """The byte offset of a character of a line."""
        return self._starts[line] + len(self.line(line)[:character].encode())

    def character(self, position: types.Position) -> int:
        """The index into its line of the character at ``position``."""
        units = 0
        for index, letter in enumerate(line := self.line(position.line)):
            if units >= position.character:
                return index
            units += self._units(letter)
        return len(line)

    def _units(self, text: str) -> int:
        if self._encoding == "utf-8":
            return len(text.encode())
        return len(text) if self._encoding == "utf-32" else len(text.encode("utf-16-le", "surrogatepass")) // 2


@dataclass(frozen=True, slots=True)
class Abilities:
    """What the editor can show of a diagnostic, and whether it takes edits with versions."""

    related: bool = True
    description: bool = True
    versions: bool = True
    tags: bool = True

    @staticmethod
    def of(client: types.ClientCapabilities) -> Abilities:
        """What ``client`` says of itself."""
        shown = client.text_document and client.text_document.publish_diagnostics
        edits = client.workspace and client.workspace.workspace_edit
        return Abilities(
            related=bool(shown and shown.related_information),
            description=bool(shown and shown.code_description_support),
            versions=bool(edits and edits.document_changes),
            tags=bool(shown and shown.tag_support),
        )


@dataclass(frozen=True, slots=True)
class View:
    """Turns findings into diagnostics.

    ``text_of`` gives the text of a path, ``uri_of`` its address; ``page_uri`` the address of a rule's page by code,
    None when there is none.
    """

    abilities: Abilities
    text_of: Callable[[str], Text]
    uri_of: Callable[[str], str]
    page_uri: Callable[[str], str | None]

    def diagnostic(self, result: Result) -> types.Diagnostic:
        """What the editor underlines for a finding."""
        finding = result.finding
        related = self._related(finding)
        lines = [_sentence(finding), *_evidence(finding)]
        if not self.abilities.related:
            lines += [f"line {place.location.range.start.line + 1}: {place.message}" for place in related]
        href = self.page_uri(finding.code) if self.abilities.description else None
        unused = self.abilities.tags and CONTROL_CODES.get(finding.code) == "unused-suppression"
        return types.Diagnostic(
            range=self._range(finding.span),
            message="\n".join(lines),
            severity=_LEVELS[finding.severity],
            code=finding.code,
            code_description=types.CodeDescription(href) if href else None,
            source=SOURCE,
            related_information=related if related and self.abilities.related else None,
            tags=[types.DiagnosticTag.Unnecessary] if unused else None,
        )

    def notice(self, note: Notification) -> types.Diagnostic | None:
        """What the editor underlines for something that happened to the tool at a place; None for what has none."""
        if note.span is None or note.level is Level.NOTE:
            return None
        level = types.DiagnosticSeverity.Information
        return types.Diagnostic(self._range(note.span), note.message, severity=level, code=note.kind, source=SOURCE)

    def _range(self, span: Span) -> types.Range:
        return self.text_of(span.file).range(span.start, span.end)

    def _related(self, finding: Finding) -> list[types.DiagnosticRelatedInformation]:
        places = [(related.span, related.message) for related in finding.related]
        if (witness := finding.witness) is not None:
            steps = [(step.span, step_text(witness, step)) for step in witness.steps]
            places += [one for one in steps if not any(s == one[0] and one[1] in said for s, said in places)]
        return [
            types.DiagnosticRelatedInformation(types.Location(self.uri_of(span.file), self._range(span)), message)
            for span, message in list(dict.fromkeys(places))[:MOST_RELATED]
        ]


def together(diagnostics: Iterable[types.Diagnostic]) -> list[types.Diagnostic]:
    """``diagnostics`` with those that say the same of one place made one, which has the related places of all."""
    found: dict[tuple[object, ...], types.Diagnostic] = {}
    for one in diagnostics:
        start, end = one.range.start, one.range.end
        key = (start.line, start.character, end.line, end.character, one.code, one.message)
        known = found.setdefault(key, one)
        if known is not one and one.related_information:
            places = [*(known.related_information or ()), *one.related_information]
            distinct = [place for n, place in enumerate(places) if place not in places[:n]]
            found[key] = attrs.evolve(known, related_information=distinct)
    return list(found.values())


def _sentence(finding: Finding) -> str:
    return f"{finding.message} (in kernel {finding.kernel})" if finding.kernel else finding.message


def _evidence(finding: Finding) -> list[str]:
    lines = [f"holds for {'; '.join(finding.instances)}"] if finding.instances else []
    if finding.witness is not None:
        lines.append(f"witness: {witness_text(finding.witness)}")
    if finding.assumptions:
        lines.append(f"assuming: {'; '.join(finding.assumptions)}")
    return lines


# ------------------------------------------------------------------------------------------------- hover


def page_markdown(page: Page, examples: bool = True) -> str:
    """A rule's page under its code, name and level."""
    text = page.text if examples else page.text.partition("\nReported:\n")[0]
    return f"### {page.code} {page.name}\n\n*{page.family}, {page.level}*\n\n{text.rstrip()}\n"


def finding_markdown(finding: Finding, lines: Mapping[Span, int]) -> str:
    """A finding with all that is known of it; ``lines``: the line, counted from 1, of each place."""
    text = f"**{finding.severity.value}** {finding.code} {finding.rule}: {_escape(_sentence(finding))}\n"
    text += "".join(f"- line {lines[place.span]}: {_escape(place.message)}\n" for place in finding.related)
    text += "".join(f"- {_escape(line)}\n" for line in _evidence(finding))
    if (witness := finding.witness) is not None:
        for step in witness.steps:
            text += f"    - line {lines[step.span]}: {_escape(step_text(witness, step))}\n"
    if finding.fix is not None:
        text += f"- fix: {_escape(finding.fix.description)}\n"
    return text.replace("\n- ", "\n\n- ", 1)


def _escape(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>|#])", r"\\\1", text.replace("\n", " "))


_WORD = re.compile(r"[A-Za-z][\w-]*")


def named_rule(line: str, index: int, pages: Iterable[Page]) -> tuple[Page, int, int] | None:
    """The rule whose code or name stands at ``index`` in a line with a directive, with the ends of the word."""
    if "kernlint:" not in line and "NOLINT" not in line:
        return None
    for word in _WORD.finditer(line):
        if word.start() <= index <= word.end():
            for page in pages:
                if word.group().upper() == page.code or word.group().lower() == page.name:
                    return page, word.start(), word.end()
    return None


# ------------------------------------------------------------------------------------------------- edits


def ignore_edit(text: Text, line: int, codes: Sequence[str], path: str = "") -> types.TextEdit | None:
    """The directive above a line (from 0) of ``path``, as ``--add-ignores`` puts it; None where none can stand."""
    if not may_stand_before(text.line(line - 1)):
        return None
    ending = "\r\n" if b"\r\n" in text.data else "\n"
    start = types.Position(line, 0)
    mark = mark_at(path, text.data, text.start(line))
    return types.TextEdit(types.Range(start, start), directive(text.line(line), codes, REASON, mark) + ending)


def overlaps(one: types.Range, other: types.Range) -> bool:
    """Whether the two have a line in common."""
    return one.start.line <= other.end.line and other.start.line <= one.end.line


def holds(place: types.Range, position: types.Position) -> bool:
    """Whether ``position`` is in ``place`` or right behind it."""
    start = (place.start.line, place.start.character)
    return start <= (position.line, position.character) <= (place.end.line, place.end.character)


def same_file(one: str, other: str) -> bool:
    """Whether two absolute paths mean one file, links followed."""
    return one == other or os.path.realpath(one) == os.path.realpath(other)
