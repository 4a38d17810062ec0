"""The command line.  ``--version`` and usage errors must be quick, so nothing heavy is imported here."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from kernlint import __version__


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``kernlint`` and return its exit code: 0 clean, 1 findings, 2 failure, 130 interrupted."""
    args = list(sys.argv[1:] if argv is None else argv)
    if args in (["--version"], ["-V"]):
        print(f"kernlint {__version__}")
        return 0
    import gc

    # Loading modules makes no garbage; the engine collects between files.
    gc.disable()
    from kernlint.cli.run import run

    return run(args)
