"""The commands and options of ``kernlint``, and how they overlay a configuration."""

from __future__ import annotations

import argparse
import os
from collections.abc import Collection, Sequence

from kernlint import __version__
from kernlint.cli import COMMANDS
from kernlint.finding import Confidence, Severity
from kernlint.policy.config import FRONTENDS, MACRO, Config, Dim3, Override, std_problem
from kernlint.record import replace
from kernlint.report import FORMATS
from kernlint.text.nearest import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


class UsageError(Exception):
    """The command line is wrong; the message is one clear line."""


# Messages are English: a search for translations of argparse's own would load ``locale`` and look through folders.
argparse._ = str  # type: ignore[attr-defined]


class _Parser(argparse.ArgumentParser):
    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As inherited, but an unknown option names the nearest right one, and paths may stand between options."""
        options, extra = super().parse_known_args(args, namespace)
        if isinstance(paths := getattr(options, "paths", None), list) and not any(t.startswith("-") for t in extra):
            paths += extra
            return options, []
        unknown = [text for text in extra if text.startswith("-")]
        if unknown:
            near = nearest(unknown[0].partition("=")[0], self._option_string_actions)
            hint = f"; did you mean {near[0]}?" if near else ""
            self.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
        return options, extra

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}\nusage: see {self.prog} --help")


def _dim3(text: str) -> Dim3:
    parts = text.replace("x", ",").split(",")
    if not 1 <= len(parts) <= 3 or not all(part.strip().isdigit() and int(part) > 0 for part in parts):
        raise argparse.ArgumentTypeError(f"{text!r} is not one to three positive integers like 16,16")
    x, y, z = (*(int(part) for part in parts), 1, 1)[:3]
    return x, y, z


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive integer")
    return int(text)


def _macro(text: str) -> str:
    if MACRO.fullmatch(text) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME or NAME=VALUE")
    return text


def _standard(text: str) -> str:
    if (problem := std_problem(text)) is not None:
        raise argparse.ArgumentTypeError(problem)
    return text


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _list_option(group: argparse._ArgumentGroup, *flags: str, help: str, metavar: str = "RULE,...") -> None:
    group.add_argument(*flags, action="extend", type=_names, metavar=metavar, help=help)


class _Formatter(argparse.HelpFormatter):
    """Knows the width without ``shutil``, which loads three libraries for compression."""

    def __init__(self, prog: str) -> None:
        try:
            width = int(os.environ.get("COLUMNS", "")) or os.get_terminal_size(1).columns
        except (ValueError, OSError):
            width = 80
        super().__init__(prog, width=max(width, 20) - 2)


def parser(only: str | None = None) -> argparse.ArgumentParser:
    """The whole command line, or as much of it as the command ``only`` needs: options of others are left out."""
    top = _Parser(
        prog="kernlint",
        formatter_class=_Formatter,
        description="Static analysis of CUDA, HIP and OpenCL kernels.",
        epilog="kernlint PATH ... is kernlint check PATH ...; its options are in kernlint check --help. "
        "Exit status: 0 clean, 1 findings, 2 a usage error or a file that was lost.",
    )
    top.add_argument("-V", "--version", action="version", version=f"kernlint {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)

    for name, fill, help in (
        ("check", _check_options, "look for faults (the default command)"),
        ("prove", _prove_options, "say of each kernel what is proved of it, and under which assumptions"),
        ("why", _why_options, "say what was suspected at a line, what excused it, and what is proved there"),
        ("rules", _rules_options, "list the rules"),
        ("rule", _rule_options, "explain one rule"),
        ("dump", _dump_options, "print what kernlint knows about a file"),
        ("lsp", _lsp_options, "serve an editor: the language server, on standard input and output"),
    ):
        command = commands.add_parser(name, help=help, formatter_class=_Formatter)
        if only in (None, name):
            fill(command)
    return top


def _check_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "paths", nargs="*", metavar="PATH", help="files and folders (default: the current folder); - for standard input"
    )
    command.add_argument("--stdin-filename", metavar="NAME", help="the source is on standard input and has this name")
    command.add_argument("--watch", action="store_true", help="check again whenever a file changes, until Ctrl-C")
    _selection(command.add_argument_group("rules"))
    _build(command.add_argument_group("build"))
    _launch(command.add_argument_group("launch and target"))
    _fixes(command.add_argument_group("fixes"))
    _adoption(command.add_argument_group("adoption"))
    _output(command.add_argument_group("output"))
    _general(command.add_argument_group("configuration"))


def _prove_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("paths", nargs="*", metavar="PATH", help="files and folders (default: the current folder)")
    command.add_argument("--json", action="store_true", help="as JSON")
    command.add_argument("--color", choices=("auto", "always", "never"), default="auto")
    _build(command.add_argument_group("build"))
    _launch(command.add_argument_group("launch and target"))
    _general(command.add_argument_group("configuration"))


def _why_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("place", metavar="FILE:LINE", help="a line of a file")
    command.add_argument("--json", action="store_true", help="as JSON")
    command.add_argument("--color", choices=("auto", "always", "never"), default="auto")
    _build(command.add_argument_group("build"))
    _launch(command.add_argument_group("launch and target"))
    _general(command.add_argument_group("configuration"))


def _rules_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="as JSON")
    command.add_argument("--family", metavar="NAME", help="only this family, code prefix or name")
    command.add_argument("--color", choices=("auto", "always", "never"), default="auto")


def _rule_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("name", metavar="NAME", help="code or name")
    command.add_argument("--color", choices=("auto", "always", "never"), default="auto")


def _dump_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("what", choices=("tree", "facts", "accesses", "guards", "phases"))
    command.add_argument("paths", nargs="+", metavar="FILE")
    command.add_argument("--json", action="store_true", help="as JSON")
    _build(command.add_argument_group("build"))
    _launch(command.add_argument_group("launch and target"))
    _general(command.add_argument_group("configuration"))


def _lsp_options(command: argparse.ArgumentParser) -> None:
    _selection(command.add_argument_group("rules"))
    _build(command.add_argument_group("build"))
    _launch(command.add_argument_group("launch and target"))
    output = command.add_argument_group("output")
    output.add_argument("--min-confidence", choices=("low", "medium", "high"), help="show what is at least this sure")
    _settings(command.add_argument_group("configuration"))
    # What some editors add by themselves.
    command.add_argument("--stdio", action="store_true", help=argparse.SUPPRESS)
    command.add_argument("--clientProcessId", help=argparse.SUPPRESS)


def _selection(group: argparse._ArgumentGroup) -> None:
    _list_option(group, "--select", help="run only these: codes, prefixes, names, families or ALL")
    _list_option(group, "--extend-select", help="run these too")
    _list_option(group, "--ignore", help="do not run these")
    group.add_argument("--pedantic", action="store_true", help="report notes too")


def _build(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "-D", dest="defines", action="append", type=_macro, metavar="NAME[=VALUE]", help="define a macro"
    )
    group.add_argument("-I", dest="include", action="append", metavar="DIR", help="look for headers here")
    group.add_argument("--std", type=_standard, metavar="STD", help="language standard, as in -std=")
    group.add_argument("--frontend", choices=FRONTENDS, help="what parses OpenCL C (auto: libclang where it is there)")
    group.add_argument("--compile-commands", metavar="FILE", help="compile_commands.json or the folder it is in")


def _launch(group: argparse._ArgumentGroup) -> None:
    _list_option(group, "--target", help="GPU architectures or products (sm_80, h100, gfx942)", metavar="NAME,...")
    group.add_argument("--block", type=_dim3, metavar="X,Y,Z", help="block size in threads")
    group.add_argument("--grid", type=_dim3, metavar="X,Y,Z", help="grid size in blocks")
    group.add_argument(
        "--assume",
        action="append",
        metavar="TEXT",
        help='what holds of every launch: "n %% 4 == 0", "launch(block=(16,16))", "extent(a, n * m)"',
    )


def _fixes(group: argparse._ArgumentGroup) -> None:
    which = group.add_mutually_exclusive_group()
    which.add_argument("--fix", action="store_true", help="make the fixes that hold, in the files")
    which.add_argument("--diff-fixes", action="store_true", help="print what --fix would change, for git apply")
    group.add_argument(
        "--fixes",
        action=argparse.BooleanOptionalAction,
        help="look for fixes that hold and show them in reports (by default in SARIF alone)",
    )


def _adoption(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--diff", metavar="REV", help="only findings on lines that differ from this git revision")
    group.add_argument("--baseline", metavar="FILE", help="findings in this file do not count")
    group.add_argument("--write-baseline", metavar="FILE", help="write all findings to this file and exit 0")
    group.add_argument("--add-ignores", metavar="REASON", help="silence all findings by directives in the sources")
    group.add_argument("--prune-baseline", action="store_true", help="drop what is gone from the --baseline file")


def _output(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--format",
        dest="formats",
        action="append",
        metavar="NAME[=FILE]",
        help=f"{', '.join(FORMATS)}; several may be given, each with its own file",
    )
    group.add_argument("--output", metavar="FILE", help="where the last --format without a file goes")
    group.add_argument("--fail-on", choices=("note", "warning", "error", "never"), help="exit 1 from this level on")
    group.add_argument("--min-confidence", choices=("low", "medium", "high"), help="report what is at least this sure")
    group.add_argument("--exit-zero", action="store_true", help="exit 0 whatever is found")
    group.add_argument("--statistics", action="store_true", help="count findings by rule")
    group.add_argument("--timings", action="store_true", help="show where the time goes")
    group.add_argument("--color", choices=("auto", "always", "never"), default="auto")
    group.add_argument("-q", "--quiet", action="store_true", help="no summary, no notes about the run")
    group.add_argument("-v", "--verbose", action="store_true", help="say what was not analysed, and tracebacks")


def _settings(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--config", metavar="FILE", help="use this configuration for all files")
    group.add_argument("--no-config", action="store_true", help="look for no configuration")
    group.add_argument("--no-cache", action="store_true", help="read and write no cache")


def _general(group: argparse._ArgumentGroup) -> None:
    _settings(group)
    group.add_argument("--show-settings", action="store_true", help="print the settings for each PATH and stop")
    group.add_argument("--show-files", action="store_true", help="print the files that would be analysed and stop")
    group.add_argument("--no-gitignore", action="store_true", help="look at files that git ignores, too")
    group.add_argument("-j", "--jobs", type=_positive, metavar="N", help="processes (default: one per CPU)")


def parse(args: Sequence[str]) -> argparse.Namespace:
    """The options; ``kernlint PATH`` is ``kernlint check PATH``.  Raises :class:`UsageError`."""
    args = list(args)
    if not args or (args[0] not in COMMANDS and args[0] not in ("-h", "--help", "-V", "--version")):
        if args and args[0].isalpha() and not os.path.lexists(args[0]):
            near = nearest(args[0], COMMANDS, cutoff=0.7)
            if near:
                raise UsageError(f"{args[0]!r} is neither a file nor a command; did you mean {near[0]}?")
        args.insert(0, "check")
        options = parser("check").parse_args(args)
        if misplaced := next((p for p in options.paths if p in COMMANDS and not os.path.lexists(p)), None):
            raise UsageError(f"the command comes first: kernlint {misplaced} ...")
        return options
    return parser(args[0]).parse_args(args)


def overlay(config: Config, options: argparse.Namespace) -> Config:
    """``config`` with what the command line says, which wins over overrides too."""
    changed: dict[str, object] = {}
    if getattr(options, "select", None):
        changed["select"] = tuple(options.select)
        changed["extend_select"] = ()
    if getattr(options, "extend_select", None):
        changed["extend_select"] = (*config.extend_select, *options.extend_select)
    if getattr(options, "ignore", None):
        changed["ignore"] = (*config.ignore, *options.ignore)
    if getattr(options, "pedantic", False):
        changed["pedantic"] = True
    if options.no_cache:
        changed["cache"] = False
    if (fail_on := getattr(options, "fail_on", None)) is not None:
        changed["fail_on"] = None if fail_on == "never" else Severity(fail_on)
    if (confidence := getattr(options, "min_confidence", None)) is not None:
        changed["min_confidence"] = Confidence(confidence)
    if getattr(options, "compile_commands", None):
        changed["compile_commands"] = os.path.abspath(options.compile_commands)
    per_file: dict[str, object] = {}
    if options.defines:
        per_file["defines"] = (*config.defines, *options.defines)
    if options.include:
        per_file["include"] = (*(os.path.abspath(folder) for folder in options.include), *config.include)
    if getattr(options, "frontend", None):
        changed["frontend"] = options.frontend
    for name in ("std", "block", "grid"):
        if getattr(options, name) is not None:
            per_file[name] = getattr(options, name)
    if getattr(options, "assume", None):
        per_file["assume"] = (*config.assume, *options.assume)
    if options.target:
        per_file["target"] = tuple(options.target)
    cleared = tuple(_without(o, per_file) for o in config.overrides)
    return replace(config, **changed, **per_file, overrides=cleared)  # type: ignore[arg-type]


def _without(override: Override, given: Collection[str]) -> Override:
    """``override`` silent about what the command line settles; macros and folders add up instead."""
    return replace(
        override,
        std=None if "std" in given else override.std,
        target=None if "target" in given else override.target,
        block=None if "block" in given else override.block,
        grid=None if "grid" in given else override.grid,
    )
