"""Dispatches a command and turns expected failures into one line and an exit code."""

from __future__ import annotations

import sys

from kernlint.cli import CLOSED, closed, ending, quick

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernlint.project.files import Files

FAILURE = 2


RECURSION = 6000
"""Frames: deep enough for a chain of a thousand ``else if``, and within the 8 MB stacks that systems give."""


def run(args: Sequence[str]) -> int:
    """Run the command line ``args``."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION))
    ending.listen()
    try:
        seen = quick.check(args)
        return 0 if seen is True else _dispatch(args, seen or None)
    except ending.Terminated:
        return _ended()
    except SystemExit as error:  # argparse's --help and --version
        return error.code if isinstance(error.code, int) else FAILURE
    except KeyboardInterrupt:
        print("kernlint: interrupted", file=sys.stderr)
        return ending.INTERRUPTED
    except BrokenPipeError:
        closed()  # the reader went away: kernlint ... | head
        return CLOSED
    except Exception:
        if not ending.asked():
            raise
        return _ended()  # what was interrupted half-way may complain of that


def _ended() -> int:
    ending.heard()
    print("kernlint: terminated", file=sys.stderr)
    return ending.TERMINATED


def _dispatch(args: Sequence[str], seen: Files | None) -> int:
    """Run the command; ``seen``: the tree that it is about, as far as somebody has looked at it."""
    from kernlint.cli.deferred import deferred
    from kernlint.cli.options import UsageError, parse

    try:
        options = parse(args)
        registry = deferred()
        if options.command == "check":
            if options.watch:
                from kernlint.cli.watch import watch

                return watch(options, registry, args)
            from kernlint.cli.check import check

            return check(options, registry, args, seen=seen)
        if options.command == "prove":
            from kernlint.cli.prove import prove

            return prove(options, registry)
        if options.command == "why":
            from kernlint.cli.why import why

            return why(options, registry)
        if options.command == "dump":
            from kernlint.cli.dump import dump

            return dump(options, registry)
        if options.command == "lsp":
            from kernlint.cli.lsp import lsp

            return lsp(args[1:])
        from kernlint.cli import rules

        return rules.list_rules(options, registry) if options.command == "rules" else rules.explain(options, registry)
    except Exception as error:
        if not (isinstance(error, UsageError) or is_expected(error)):
            raise
        return _fail(str(error))


def is_expected(error: Exception) -> bool:
    """Whether the user can do something about it; the classes are imported when there is an error."""
    from kernlint.policy.config import ConfigError
    from kernlint.registry import RegistryError, UnknownRule
    from kernlint.targets import UnknownTarget

    return isinstance(error, ConfigError | RegistryError | UnknownRule | UnknownTarget)


def _fail(message: str) -> int:
    print(f"kernlint: {message}", file=sys.stderr)
    return FAILURE
