"""``kernlint check`` of one folder that holds no kernel: known with little code, and said as :mod:`kernlint.cli.check`
says it.  Whatever is unusual (an option, settings, a terminal, a link to a folder) is left to that."""

from __future__ import annotations

import os
import sys

from kernlint.cli import COMMANDS
from kernlint.policy.configfile import counts, find_file
from kernlint.project.files import Files
from kernlint.project.root import is_system, root_of
from kernlint.project.tree import SKIPPED_FOLDERS
from kernlint.text.writing import to_standard_output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_OPTIONS = ("--no-cache", "-q", "--quiet", "-v", "--verbose", "--exit-zero")
"""Options that change nothing else of such a run."""


def check(args: Sequence[str]) -> bool | Files:
    """Whether the folder that ``args`` name holds no kernel, which is said then; what was seen of its tree where it
    does, for the run that follows.  False where that run has to see for itself."""
    first = args[0] if args else ""
    if first in COMMANDS and first != "check":
        return False
    paths = [text for text in args[first == "check" :] if text not in _OPTIONS]
    path = paths[0] if paths else os.curdir
    if len(paths) > 1 or path.startswith("-") or not os.path.isdir(path):
        return False
    if os.environ.get("FORCE_COLOR") or sys.stdout is None or sys.stdout.isatty():
        return False
    folder = os.path.abspath(path)
    known: dict[str, str | None] = {}
    try:
        if find_file(os.getcwd(), known) or find_file(folder, known):
            return False
    except OSError:  # the current folder is gone
        return False
    root, marked = root_of(folder, "", (folder,))
    inside = os.path.realpath(folder)[len(root) :].split(os.sep)
    if is_system(root) or any(name.startswith(".") or name in SKIPPED_FOLDERS for name in inside):
        return False
    files = Files(root, marked, cache="--no-cache" not in args)
    tree = files.met()
    if not files.silent() or any(map(counts, tree.settings)) or tree.passes_over(os.path.realpath(folder)):
        return files
    if "-q" not in args and "--quiet" not in args:
        to_standard_output(f"kernlint: warning: no kernel sources under {path}\nnothing was checked\n")
    return True
