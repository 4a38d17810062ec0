"""Macros of a project that stand for the keyword of a kernel, or for a whole kernel."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernlint.project.facts import FileFacts
    from kernlint.project.table import Table


class Keywords:
    """What the sources of a project define as keywords of kernels; ``facts``: what each says, by its path."""

    def __init__(self, facts: Table[FileFacts]) -> None:
        self._facts = facts

    @cached_property
    def languages(self) -> Mapping[str, str]:
        """The language that each macro belongs to; one that stands for a whole kernel is written with a brace."""
        found: dict[str, str] = {}
        for path, macros in self._facts.column("macros"):
            if macros:
                device = self._facts[path].device or path.endswith(".cu")
                opencl = path.lower().endswith((".cl", ".clh", ".ocl")) or not device
                for name in macros:
                    found.setdefault(name, "opencl" if opencl else "cuda")
        return found

    @cached_property
    def _kernel(self) -> re.Pattern[bytes]:
        """The head of a kernel under one of the macros, with parameters that a body follows, or the use of one that
        stands for a whole kernel."""
        heads = b"|".join(name.encode() for name in self.languages if not name.endswith("{"))
        wholes = b"|".join(name[:-1].encode() for name in self.languages if name.endswith("{"))
        head = rb"(" + heads + rb")(?!\w)[^;#{}]*?\([^;#{}]*\)[^;#{}]*\{" if heads else rb"(?!)()"
        whole = rb"(" + wholes + rb")\s*\(" if wholes else rb"(?!)()"
        return re.compile(rb"^[^#\n]*?(?<!\w)(?:" + head + rb"|" + whole + rb")", re.M)

    def dialect(self, text: bytes) -> str | None:
        """The language of the kernels that stand under the macros in ``text``; None when there are none."""
        there = any(name.rstrip("{").encode() in text for name in self.languages)
        match = self._kernel.search(text) if there else None
        names = [] if match is None else [(match[1] or b"").decode(), (match[2] or b"").decode() + "{"]
        return next((self.languages[name] for name in names if name in self.languages), None)
