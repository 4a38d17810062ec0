"""What the commands that print verdicts share: line numbers of places, and assumptions in few words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from kernlint.source import SourceError, SourceFile, Span, read

if TYPE_CHECKING:
    from kernlint.analysis.verdict.verdicts import Verdict


class Lines:
    """Line numbers of places."""

    def __init__(self, sources: dict[str, SourceFile]) -> None:
        self.sources = sources

    def of(self, span: Span | None) -> int | None:
        if span is None:
            return None
        if span.file not in self.sources:
            try:
                self.sources[span.file] = read(span.file)
            except SourceError:
                return None
        return self.sources[span.file].line_of(span.start)

    def verdict(self, verdict: Verdict) -> dict[str, Any]:
        """A verdict as JSON, without its witness."""
        return {
            "verdict": verdict.status,
            "assumptions": list(verdict.assumptions),
            "reason": verdict.reason,
            "line": self.of(verdict.span),
        }


def short(assumptions: Sequence[str]) -> Iterator[str]:
    """Assumptions for a table: that nothing overflows is said once; the JSON names each place."""
    overflows = [text for text in assumptions if text.startswith("no ") and " overflow in " in text]
    yield from (text for text in assumptions if text not in overflows)
    if len(overflows) == 1:
        yield overflows[0]
    elif overflows:
        yield f"no overflow in {len(overflows)} expressions"
