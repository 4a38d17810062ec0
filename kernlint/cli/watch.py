"""``--watch``: the check is run again whenever a file it looks at has changed."""

from __future__ import annotations

import argparse
import copy
import gc
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from kernlint.cli.check import check, outputs
from kernlint.cli.options import UsageError
from kernlint.cli.run import is_expected
from kernlint.project.compiledb import FILE_NAME as COMPILE_COMMANDS
from kernlint.project.tree import HOST_SUFFIXES, KERNEL_SUFFIXES, SETTINGS, SKIPPED_FOLDERS

if TYPE_CHECKING:
    from kernlint.registry import Registry

INTERVAL = 0.3
"""Seconds between two looks at the files, at least; looking takes no more than a tenth of the time."""

SETTLE = 0.1
"""Seconds that the files must stay as they are before they are analysed: editors write in several steps."""

_AGAINST = (
    "stdin_filename",
    "fix",
    "diff_fixes",
    "write_baseline",
    "prune_baseline",
    "add_ignores",
    "show_settings",
    "show_files",
)

_WATCHED = KERNEL_SUFFIXES | HOST_SUFFIXES

State = dict[str, tuple[int, int]]
"""Time of the last change in nanoseconds and size in bytes, by path."""


def watch(options: argparse.Namespace, registry: Registry, args: Sequence[str]) -> int:
    """Check, and check again after every change, until an interrupt ends the run.

    Raises :class:`UsageError` for options that make no sense here, and what :func:`check` raises in the first round; in
    later ones it is said and waited out.
    """
    for option in _AGAINST:
        if getattr(options, option):
            raise UsageError(f"--{option.replace('_', '-')} is about one run, so --watch cannot go with it")
    options = _each_round(options)
    paths = [os.fspath(path) for path in options.paths or ["."]]
    depends: set[str] = set()
    before = _state(paths, depends)
    check(options, registry, args, depends)
    before |= _times(depends - before.keys())
    if not options.quiet:
        print(f"kernlint: watching {_counted(_sources(paths))}; Ctrl-C ends it", file=sys.stderr)
    while True:
        after = _changed_state(paths, depends, before)
        if not options.quiet:
            print(f"-- {time.strftime('%H:%M:%S')} {_names(before, after)}", file=sys.stderr)
        before = after
        try:
            check(options, registry, args, depends)
        except Exception as error:
            if not (isinstance(error, UsageError) or is_expected(error)):
                raise
            print(f"kernlint: {error}", file=sys.stderr)
        before |= _times(depends - before.keys())
        sys.stdout.flush()
        gc.collect()


def _each_round(options: argparse.Namespace) -> argparse.Namespace:
    """The options of one check: something short goes to the terminal when nothing else does."""
    wanted = outputs(options)
    formats = [f"{output.format}={output.path}" if output.path else output.format for output in wanted]
    if options.formats is None and not options.output:
        formats = ["concise"]
    elif all(output.path for output in wanted):
        formats.append("concise")
    options = copy.copy(options)
    options.formats, options.output = formats, None
    return options


def _changed_state(paths: Sequence[str], depends: set[str], before: State) -> State:
    """The files as soon as they are not as ``before`` and stay so for a moment."""
    interval = INTERVAL
    while True:
        time.sleep(interval)
        start = time.monotonic()
        after = _state(paths, depends)
        interval = max(INTERVAL, 10 * (time.monotonic() - start))
        if after == before:
            continue
        while True:
            time.sleep(SETTLE)
            again = _state(paths, depends)
            if again == after:
                return after
            after = again


def _state(paths: Sequence[str], depends: Iterable[str]) -> State:
    """Every file that a run over ``paths`` may look at, those of ``depends`` and settings above them among them, by
    absolute path."""
    state = _sources(paths)
    folders = {os.path.abspath(path if os.path.isdir(path) else os.path.dirname(path)) for path in paths}
    return state | _times(depends) | _times(_settings(folders))


def _sources(paths: Sequence[str]) -> State:
    """The files that ``paths`` name, and those in the folders among them."""
    state: State = {}
    for path in map(os.path.abspath, paths):
        if os.path.isdir(path):
            _walk(path, state, set())
        else:
            state |= _times([path])
    return state


def _walk(folder: str, state: State, seen: set[str]) -> None:
    real = os.path.realpath(folder)
    if real in seen:
        return
    seen.add(real)
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                try:
                    if entry.is_dir():
                        if not (entry.name.startswith(".") or entry.name in SKIPPED_FOLDERS):
                            _walk(entry.path, state, seen)
                    elif os.path.splitext(entry.name)[1].lower() in _WATCHED or entry.name in SETTINGS:
                        status = entry.stat()
                        state[entry.path] = status.st_mtime_ns, status.st_size
                except OSError:  # gone, or a loop of links
                    continue
    except OSError:
        return


def _times(paths: Iterable[str]) -> State:
    """The state of single files; (0, -1) for one that is not there, so that it is noticed when it comes."""
    state: State = {}
    for path in map(os.path.abspath, paths):
        try:
            status = os.stat(path)
            state[path] = status.st_mtime_ns, status.st_size
        except OSError:
            state[path] = 0, -1
    return state


def _settings(folders: Iterable[str]) -> Iterator[str]:
    """Where settings and compile commands for files in ``folders`` may be: there and in every folder above."""
    for folder in folders:
        while True:
            for name in (*SETTINGS, COMPILE_COMMANDS, ".gitignore"):
                yield os.path.join(folder, name)
            yield os.path.join(folder, "build", COMPILE_COMMANDS)
            parent = os.path.dirname(folder)
            if parent == folder:
                break
            folder = parent


def _names(before: State, after: State) -> str:
    """``scan.cu changed``, or how many files did."""
    changed = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
    return f"{os.path.relpath(changed[0])} changed" if len(changed) == 1 else f"{len(changed)} files changed"


def _counted(state: State) -> str:
    number = sum(size >= 0 and os.path.basename(path) not in SETTINGS for path, (_, size) in state.items())
    return f"{number} file{'' if number == 1 else 's'}"
