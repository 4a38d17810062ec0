#!/usr/bin/env python3
"""How whole real kernels reach the tree: wholeness.py CORPORA.json DIR [--sample N] [--flags] [--markdown FILE]

CORPORA.json describes packages that carry real kernels (name, kernel_globs, exclude, include_dirs, defines); DIR holds
them unpacked, one folder each; or else DIR alone: its folders are the packages, or itself if it is a work tree.  What
is measured is ``kernlint DIR/PACKAGE`` with no flags and no settings: the files that discovery finds, with what the
project knows of each; ``--flags`` gives the folders and macros of CORPORA.json on top.  Every file is analysed in a
process of its own kind of pool with a time limit, so that a crash or a hang costs one file and is counted.  A kernel is

* seen: grep finds its definition in the text;
* whole: it is in the tree and no statement, expression, guard, call, type or macro of any analysed variant was lost;
* decided: every guard and subscript is a term without opaque parts, and no barrier is in doubt (a guard that compares
  the outcome of a long computation on data counts as understood, though its term is cut short).

Prints a row for each package, the totals and the commonest causes of loss.
"""

from __future__ import annotations

import argparse
import collections
import glob
import json
import multiprocessing
import os
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

LOST = frozenset(
    {"statement", "expression", "guard", "barrier", "subscript", "call", "type", "macro", "template", "name"}
)
TOO_LARGE = "expression too large"
NOT_UNDERSTOOD = ("clang", "expression clang", "not resolved")
SECONDS = 120
"""A file that takes longer is stopped and counted as a hang."""


@dataclass
class FileResult:
    """What one file gave: names seen, kernels in the tree, whole, decided; causes of loss; what went wrong."""

    path: str
    seen: int = 0
    tree: int = 0
    missed: int = 0
    whole: int = 0
    decided: int = 0
    seconds: float = 0.0
    causes: dict[str, int] = field(default_factory=dict)
    doubts: dict[str, int] = field(default_factory=dict)
    failure: str = ""


_projects: dict[str, Any] = {}


def analyse(job: tuple[str, str, tuple[str, ...], tuple[str, ...]]) -> FileResult:
    """Parse one file and walk its kernels."""
    path, root, includes, defines = job
    from kernlint.analysis.trace import trace_function
    from kernlint.frontends.base import FrontendError
    from kernlint.policy.config import Config
    from kernlint.policy.selection import Selection
    from kernlint.project import Projects
    from kernlint.registry import Registry
    from kernlint.run.engine import Engine, default_frontend
    from kernlint.source import SourceError, read

    out = FileResult(path)
    started = time.perf_counter()
    if root not in _projects:
        config = Config(include=includes, defines=defines)
        _projects[root] = Engine(Registry((), {}), Selection(Registry((), {}), config), projects=Projects([root]))
    engine = _projects[root]
    try:
        options = engine.frontend_options(path, engine.selection.config)
        modules = default_frontend().parse_file(read(path), options)
    except (FrontendError, SourceError) as error:
        out.failure = str(error)
        return out
    except Exception as error:  # a crash is what this looks for
        out.failure = f"crash: {type(error).__name__}: {error}"
        return out
    causes: collections.Counter[str] = collections.Counter()
    doubts: collections.Counter[str] = collections.Counter()
    readings: dict[Any, list[tuple[bool, bool]]] = {}  # a kernel may be read under several settings
    for module in modules:
        out.missed += len(module.missed)
        for missed in module.missed:
            causes[f"not in the tree: {missed.reason}"] += 1
        for kernel in module.kernels:
            whole = decided = True
            mine: set[str] = set()
            opaque: set[str] = set()
            for variant in kernel.variants:
                for loss in variant.losses:
                    if loss.kind in LOST:
                        whole = False
                        mine.add(f"{loss.kind}: {loss.reason}")
                try:
                    trace = trace_function(variant, module.language)
                except Exception as error:
                    out.failure = f"crash in {kernel.name}: {type(error).__name__}: {error}"
                    whole = decided = False
                    continue
                reason = _undecided(trace)
                if reason is not None:
                    decided = False
                    opaque.add(reason)
            readings.setdefault(kernel.function.span, []).append((whole, decided))
            for cause in mine:
                causes[cause] += 1
            for cause in opaque:
                doubts[cause] += 1
    out.tree = len(readings)
    out.whole = sum(all(whole for whole, _ in each) for each in readings.values())
    out.decided = sum(all(decided for _, decided in each) for each in readings.values())
    out.seen = out.tree + out.missed
    out.causes, out.doubts = dict(causes), dict(doubts)
    out.seconds = time.perf_counter() - started
    return out


def _undecided(trace: Any) -> str | None:
    """Why a guard, barrier or subscript of the kernel is opaque; None when none is."""
    from kernlint.symbolic.terms import SymbolKind, symbols

    for gap in trace.gaps:
        if gap.kind in ("guard", "barrier", "subscript", "goto", "budget", "statement", "lost"):
            return f"{gap.kind}: {gap.reason}"
    for barrier in trace.barriers:
        if not barrier.certain:
            return f"barrier: {barrier.name}"
    subscripts = [access.offset for access in trace.accesses]
    for term in [*subscripts, *(event.term for event in trace.conditions)]:
        stack = [term]
        while stack:
            at = stack.pop()
            if at.op == "call" and str(at.args[0]).startswith("opaque"):
                return "term: opaque expression"
            stack.extend(at.terms)
        for symbol in symbols(term):
            if symbol.kind is SymbolKind.UNKNOWN and symbol.reason.startswith(
                ("clang", "expression clang", "not resolved")
            ):
                return f"term: {symbol.reason}"
    if any(s.kind is SymbolKind.UNKNOWN and s.reason == TOO_LARGE for term in subscripts for s in symbols(term)):
        return "subscript: expression too large"
    return None


def files_of(package: dict[str, Any], folder: str, flags: bool) -> tuple[str, list[str]]:
    """Root folder and kernel files of a package (an unpacked sdist may have kept its top folder)."""
    root = os.path.join(folder, package["name"])
    if not flags:
        from kernlint.project import discovery

        return root, sorted(found.path for found in discovery.find([root]))
    inner = [entry for entry in sorted(os.listdir(root)) if os.path.isdir(os.path.join(root, entry))]
    for base in (root, *(os.path.join(root, entry) for entry in inner)):
        found = {p for g in package["kernel_globs"] for p in glob.glob(os.path.join(base, g), recursive=True)}
        left_out = {p for g in package["exclude"] for p in glob.glob(os.path.join(base, g), recursive=True)}
        if found - left_out:
            return base, sorted(p for p in found - left_out if os.path.isfile(p))
    return root, []


def options_of(package: dict[str, Any], root: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Include folders and macros of a package, as the front end takes them."""
    includes = tuple(os.path.join(root, d) for d in package["include_dirs"])
    words = [w for w in package["defines"] if w.startswith("-D")]
    if any("for csrc/rocm only" in d for d in package["defines"]):
        words = []
    # A placeholder (`-DINCLUDE_PATH=<OpenCL dir>`) stands for the package's own include folder.
    defines = [w[2:] if "<" not in w else f"{w[2:].partition('=')[0]}={includes[0]}" for w in words]
    return includes, tuple(defines)


def run(package: dict[str, Any], folder: str, sample: int, jobs: int, flags: bool) -> list[FileResult]:
    """Analyse the files of one package; those of a process that died or hung are marked so."""
    root, files = files_of(package, folder, flags)
    if sample and len(files) > sample:
        files = sorted(random.Random(1).sample(files, sample))
    includes, defines = options_of(package, root) if flags else ((), ())
    out: list[FileResult] = []
    with multiprocessing.get_context("spawn").Pool(jobs, maxtasksperchild=25) as pool:
        waiting = [(path, pool.apply_async(analyse, ((path, root, includes, defines),))) for path in files]
        for path, result in waiting:
            try:
                out.append(result.get(SECONDS))
            except multiprocessing.TimeoutError:
                out.append(FileResult(path, failure=f"no answer within {SECONDS} s"))
    return out


def report(rows: list[tuple[str, list[FileResult]]]) -> Iterator[str]:
    """The table and the causes as Markdown."""
    yield "| package | files | kernels | in the tree | whole | decided | failures | ms a file (median) |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    total = [0, 0, 0, 0, 0, 0]
    causes: collections.Counter[str] = collections.Counter()
    doubts: collections.Counter[str] = collections.Counter()
    for name, results in rows:
        seen, tree = sum(r.seen for r in results), sum(r.tree for r in results)
        whole, decided = sum(r.whole for r in results), sum(r.decided for r in results)
        failed = [r for r in results if r.failure]
        times = sorted(r.seconds for r in results) or [0.0]
        yield (
            f"| {name} | {len(results)} | {seen} | {tree} | {_share(whole, seen)} | {_share(decided, seen)} | "
            f"{len(failed)} | {times[len(times) // 2] * 1000:.0f} |"
        )
        for index, value in enumerate((len(results), seen, tree, whole, decided, len(failed))):
            total[index] += value
        for result in results:
            causes.update(result.causes)
            doubts.update(result.doubts)
    files, seen, tree, whole, decided, bad = total
    yield f"| all | {files} | {seen} | {tree} | {_share(whole, seen)} | {_share(decided, seen)} | {bad} | |"
    yield ""
    yield "The commonest causes of loss, in kernels:"
    yield ""
    for cause, count in causes.most_common(10):
        yield f"- {count}: {cause}"
    yield ""
    yield "The commonest reasons why a guard, barrier or subscript stays opaque, in kernels:"
    yield ""
    for cause, count in doubts.most_common(10):
        yield f"- {count}: {cause}"
    for _, results in rows:
        for result in results:
            if result.failure:
                yield f"- failure: {os.path.basename(result.path)}: {result.failure}"


def _share(part: int, whole: int) -> str:
    return f"{part} ({part / whole:.1%})" if whole else "0"


def main() -> int:
    """Run over all packages; 1 when a file crashed or hung."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", help="CORPORA.json, or a folder instead of both")
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--flags", action="store_true", help="with the folders and macros of CORPORA.json")
    parser.add_argument("--only", default="", help="comma-separated package names")
    parser.add_argument("--sample", type=int, default=0, help="files of a package (0: all; packages over 1000: 100)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--markdown", help="write the report to this file too")
    options = parser.parse_args()
    folder = options.folder or os.path.abspath(options.corpora)
    if options.folder:
        with open(options.corpora, encoding="utf-8") as handle:
            packages = json.load(handle)["corpora"]
    else:
        names = sorted(entry for entry in os.listdir(folder) if os.path.isdir(os.path.join(folder, entry)))
        if os.path.exists(os.path.join(folder, ".git")):
            folder, name = os.path.split(folder)
            names = [name]
        packages = [{"name": name, "files_with_kernels": 0} for name in names]
    wanted = set(options.only.split(",")) if options.only else None
    rows = []
    for package in packages:
        if wanted is not None and package["name"] not in wanted:
            continue
        if not os.path.isdir(os.path.join(folder, package["name"])):
            print(f"{package['name']}: not in {folder}", file=sys.stderr)
            continue
        sample = options.sample or (100 if package["files_with_kernels"] > 1000 else 0)
        rows.append((package["name"], run(package, folder, sample, options.jobs, options.flags)))
        print(f"{package['name']}: done", file=sys.stderr)
    text = "\n".join(report(rows))
    print(text)
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as handle:
            handle.write(text + "\n")
    return 1 if any(r.failure for _, results in rows for r in results) else 0


if __name__ == "__main__":
    sys.exit(main())
