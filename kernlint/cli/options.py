"""The commands and options of ``kernlint``, and how they overlay a configuration."""

from __future__ import annotations

import argparse
import os
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, NoReturn

from kernlint import __version__
from kernlint.config import MACRO, Config, Dim3, Override, std_problem
from kernlint.finding import Confidence, Severity
from kernlint.nearest import nearest
from kernlint.report import FORMATS

COMMANDS = ("check", "prove", "rules", "rule", "dump")


class UsageError(Exception):
    """The command line is wrong; the message is one clear line."""


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


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    top = _Parser(
        prog="kernlint",
        description="Static analysis of CUDA, HIP and OpenCL kernels.",
        epilog="kernlint PATH ... is kernlint check PATH ...; its options are in kernlint check --help. "
        "Exit status: 0 clean, 1 findings, 2 a usage error or a file that was lost.",
    )
    top.add_argument("-V", "--version", action="version", version=f"kernlint {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)

    check = commands.add_parser("check", help="look for faults (the default command)")
    check.add_argument("paths", nargs="*", metavar="PATH", help="files and folders (default: the current folder)")
    check.add_argument("--stdin-filename", metavar="NAME", help="the source is on standard input and has this name")
    _selection(check.add_argument_group("rules"))
    _build(check.add_argument_group("build"))
    _launch(check.add_argument_group("launch and target"))
    _adoption(check.add_argument_group("adoption"))
    _output(check.add_argument_group("output"))
    _general(check.add_argument_group("configuration"))

    prove = commands.add_parser("prove", help="say of each kernel what is proved of it, and under which assumptions")
    prove.add_argument("paths", nargs="*", metavar="PATH", help="files and folders (default: the current folder)")
    prove.add_argument("--json", action="store_true", help="as JSON")
    prove.add_argument("--color", choices=("auto", "always", "never"), default="auto")
    _build(prove.add_argument_group("build"))
    _launch(prove.add_argument_group("launch and target"))
    _general(prove.add_argument_group("configuration"))

    rules = commands.add_parser("rules", help="list the rules")
    rules.add_argument("--json", action="store_true", help="as JSON")
    rules.add_argument("--family", metavar="NAME", help="only this family, code prefix or name")
    rules.add_argument("--color", choices=("auto", "always", "never"), default="auto")

    rule = commands.add_parser("rule", help="explain one rule")
    rule.add_argument("name", metavar="NAME", help="code or name")
    rule.add_argument("--color", choices=("auto", "always", "never"), default="auto")

    dump = commands.add_parser("dump", help="print what kernlint knows about a file")
    dump.add_argument("what", choices=("tree", "facts", "accesses", "guards", "phases"))
    dump.add_argument("paths", nargs="+", metavar="FILE")
    dump.add_argument("--json", action="store_true", help="as JSON")
    _build(dump.add_argument_group("build"))
    _launch(dump.add_argument_group("launch and target"))
    _general(dump.add_argument_group("configuration"))
    return top


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


def _general(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--config", metavar="FILE", help="use this configuration for all files")
    group.add_argument("--no-config", action="store_true", help="look for no configuration")
    group.add_argument("--show-settings", action="store_true", help="print the settings for each PATH and stop")
    group.add_argument("--show-files", action="store_true", help="print the files that would be analysed and stop")
    group.add_argument("--no-gitignore", action="store_true", help="look at files that git ignores, too")
    group.add_argument("-j", "--jobs", type=_positive, metavar="N", help="processes (default: one per CPU)")
    group.add_argument("--no-cache", action="store_true", help="read and write no cache")


def parse(args: Sequence[str]) -> argparse.Namespace:
    """The options; ``kernlint PATH`` is ``kernlint check PATH``.  Raises :class:`UsageError`."""
    args = list(args)
    if not args or (args[0] not in COMMANDS and args[0] not in ("-h", "--help", "-V", "--version")):
        if args and args[0].isalpha() and not os.path.lexists(args[0]):
            near = nearest(args[0], COMMANDS, cutoff=0.7)
            if near:
                raise UsageError(f"{args[0]!r} is neither a file nor a command; did you mean {near[0]}?")
        args.insert(0, "check")
        options = parser().parse_args(args)
        if misplaced := next((p for p in options.paths if p in COMMANDS and not os.path.lexists(p)), None):
            raise UsageError(f"the command comes first: kernlint {misplaced} ...")
        return options
    return parser().parse_args(args)


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
