"""``kernlint lsp``."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

from kernlint.cli.options import UsageError

INSTALL = 'kernlint lsp needs a library that is not here: pip install "kernlint[lsp]"'


def lsp(arguments: Sequence[str]) -> int:
    """Serve an editor on standard input and output, under the options ``arguments``, until it leaves.

    Raises :class:`UsageError` when the extra is not installed.
    """
    try:
        from kernlint.lsp.server import serve
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol", "cattrs", "attr", "attrs"):
            raise
        raise UsageError(INSTALL) from None
    if sys.stdin.isatty():
        print("kernlint: waiting for an editor on standard input; see docs/editors.md", file=sys.stderr)
    gc.enable()  # this process lives as long as its editor
    messages = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing that is printed may get between the messages
    return serve(arguments, sys.stdin.buffer, messages)
