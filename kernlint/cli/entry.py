"""The process's own way in and out."""

from __future__ import annotations

import os
import sys

from kernlint.cli import CLOSED, main

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def entry() -> NoReturn:
    """Run ``kernlint`` and end the process.

    Taking apart a few hundred thousand objects that nobody will use takes as long as parsing a small file, so the
    process ends without it, once everything is written and what is registered for the end has run.
    """
    code = 2
    try:
        code = main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 2
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BrokenPipeError:
        code = CLOSED
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:  # the reader has gone
        code = CLOSED
    except OSError:
        code = code or 1
    if "atexit" in sys.modules:
        sys.modules["atexit"]._run_exitfuncs()
    os._exit(code)
