"""Names for findings that stay the same when lines move or are reformatted."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from kernlint.finding import Finding
from kernlint.source import SourceFile
from kernlint.text.digest import hexdigest

VERSION = "kernlint/v1"
"""Key of the fingerprint in SARIF and in baselines; changes when the recipe does."""


def of(findings: Sequence[Finding], text_of: Callable[[str], SourceFile]) -> list[str]:
    """A fingerprint for each of ``findings``, which are in the order of reports.

    It is made of rule, kernel and the marked source text without white space: not of lines, columns or the message.
    Findings that agree in all of that are told apart by counting them from the top of the file.
    """
    if not findings:
        return []
    seen: dict[str, int] = {}
    prints = []
    for finding in findings:
        text = re.sub(r"\s+", "", text_of(finding.span.file).text(finding.span))
        recipe = "\0".join((finding.code, finding.kernel, text))
        count = seen[recipe] = seen.get(recipe, 0) + 1
        prints.append(hexdigest(f"{recipe}\0{count}".encode()))
    return prints
