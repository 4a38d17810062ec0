"""Dispatches a command and turns expected failures into one line and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from kernlint.cli import CLOSED, closed, ending
from kernlint.cli.options import UsageError, parse

FAILURE = 2


RECURSION = 6000
"""Frames: deep enough for a chain of a thousand ``else if``, and within the 8 MB stacks that systems give."""


def run(args: Sequence[str]) -> int:
    """Run the command line ``args``."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION))
    ending.listen()
    try:
        return _dispatch(args)
    except ending.Terminated:
        return _ended()
    except SystemExit as error:  # argparse's --help and --version
        return error.code if isinstance(error.code, int) else FAILURE
    except UsageError as error:
        return _fail(str(error))
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


def _dispatch(args: Sequence[str]) -> int:
    options = parse(args)
    from kernlint.cli.deferred import deferred

    try:
        registry = deferred()
        if options.command == "check":
            if options.watch:
                from kernlint.cli.watch import watch

                return watch(options, registry, args)
            from kernlint.cli.check import check

            return check(options, registry, args)
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
        if isinstance(error, UsageError) or not is_expected(error):
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
