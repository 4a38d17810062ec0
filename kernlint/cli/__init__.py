"""The command line.  ``--version`` and usage errors must be quick, so nothing heavy is imported here."""

from __future__ import annotations

import sys

from kernlint import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = ("check", "prove", "why", "rules", "rule", "dump", "lsp")

CLOSED = 141
"""The exit code when nobody reads the output any more: what a shell says of a program that a closed pipe ended."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``kernlint`` and return its exit code: 0 clean, 1 findings, 2 failure, 130 interrupted, 141 nobody
    reads what it writes."""
    args = list(sys.argv[1:] if argv is None else argv)
    if args in (["--version"], ["-V"]):
        try:
            print(f"kernlint {__version__}", flush=True)
        except BrokenPipeError:
            closed()
            return CLOSED
        return 0
    import gc

    # Loading modules makes no garbage; the engine collects between files.
    gc.disable()
    from kernlint.cli.run import run

    return run(args)


def closed() -> None:
    """Let what is left for standard output, which nobody reads any more, go nowhere: it must not raise again."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
