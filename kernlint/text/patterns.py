"""Regular expressions that are compiled when they are first used.

A run over one file looks at few of the hundred patterns that the modules name, and compiling them all costs more than
reading the file.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, AnyStr

    def pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
        """``re.compile(text, flags)``, put off until the pattern is used."""
        ...

else:

    class pattern:
        """Stands for ``re.compile(text, flags)`` and becomes it at the first use."""

        def __init__(self, text: Any, flags: int = 0) -> None:
            self._arguments = (text, flags)
            self._compiled = None

        def __getattr__(self, name: str) -> Any:
            if self._compiled is None:
                self._compiled = re.compile(*self._arguments)
            found = getattr(self._compiled, name)
            if not name.startswith("_"):
                self.__dict__[name] = found  # the next one finds it without asking here
            return found
