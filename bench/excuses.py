"""How often each excuse counts on real code: ``python bench/excuses.py PATH ...`` over files and folders.

An excuse that never fires on any of the trees it is run over is one that nobody needs: it goes.  Figures are
suspicions that were silenced, each pair of places once per kernel, and the files in which that happened.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections import Counter

from kernlint import registry
from kernlint.analysis import excuses
from kernlint.analysis.excuses.excuse import REGISTERED, ledger
from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.project import Projects, discovery
from kernlint.run.engine import Engine
from kernlint.source import SourceError, read


def main(paths: list[str]) -> int:
    """Print a line for each excuse, the busiest first; 2 without files."""
    for module in pkgutil.iter_modules(excuses.__path__):
        importlib.import_module(f"{excuses.__name__}.{module.name}")
    rules = registry.load()
    config = Config(cache=False)
    selection = Selection(rules, config)
    projects = Projects(paths)
    engine = Engine(rules, selection, projects=projects)
    times: Counter[str] = Counter()
    files: Counter[str] = Counter()
    found = list(discovery.find(paths, holds=projects.holds_kernels))
    for number, one in enumerate(found, 1):
        if sys.stderr.isatty():
            print(f"\r{number}/{len(found)}", end="", file=sys.stderr)
        try:
            source = read(one.path)
        except SourceError:
            continue
        with ledger() as kept:
            engine.check_source(source, selection)
        times.update(kept.counts)
        files.update(kept.counts.keys())
    print(f"\r{len(found)} files", file=sys.stderr)
    for name in sorted(REGISTERED, key=lambda name: (-times[name], name)):
        print(f"{times[name]:7}  in {files[name]:5} files  {name}: {REGISTERED[name].reason}")
    return 0 if found else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
