#!/usr/bin/env python3
"""Which names keep kernels from being understood whole: unresolved.py FOLDER... [--include DIR] [--top N]

Every file with device code below the folders is read as it stands.  What a kernel, or a function that it can call, lost
on its way into the tree is counted by the name that the compiler did not know (or by the reason, where no name is in
it): the number of kernels that lack it, alone or together with others, and the first file.  The names at the top are
those worth a declaration in ``frontends/clang/preludes/stubs``.
"""

from __future__ import annotations

import argparse
import collections
import json
import multiprocessing
import os
import re
import sys

SUFFIXES = (".cu", ".cuh", ".hip", ".cl", ".opencl", ".clh", ".cc", ".cpp", ".h", ".hpp", ".py")
SECONDS = 60
DEVICE = re.compile(rb"__global__|__kernel\b|\bkernel\s+void\b")
NAME = re.compile(
    r"(?:declared|known|resolved|function|argument|defined|type name|identifier|named|call to)[:,]? '?([A-Za-z_][\w:]*)"
    r"|: ([A-Za-z_][\w:]*)$"
)


def lost(job: tuple[str, str, tuple[str, ...]]) -> dict[str, list[str]]:
    """For each kernel of a file (by its name) what it lost."""
    path, folder, includes = job
    from kernlint.frontends.base import FrontendError, FrontendOptions
    from kernlint.frontends.clang import ClangFrontend
    from kernlint.project import Projects
    from kernlint.source import SourceError, read
    from kernlint.tree.walk import functions_of

    options = FrontendOptions(include_dirs=includes, around=Projects([folder]).questions(path))
    try:
        modules = ClangFrontend().parse_file(read(path), options)
    except (FrontendError, SourceError, RecursionError):
        return {}
    found: dict[str, list[str]] = {}
    for module in modules:
        for kernel in module.kernels:
            losses = [loss for function in functions_of(kernel) for loss in function.losses if loss.kind != "inactive"]
            mine = found.setdefault(f"{kernel.name}@{kernel.function.span.start}", [])
            mine += sorted({f"{loss.kind}: {loss.reason}" for loss in losses} - {*mine})
        for missed in module.missed:
            found[f"{missed.name}@{missed.span.start}"] = [f"missed: {missed.reason}"]
    return found


def name_of(reason: str) -> str:
    """The name that a loss is about; the reason itself where it has none."""
    found = [next(filter(None, groups)) for groups in NAME.findall(reason)]
    return found[-1] if found else reason[:90]


def main() -> int:
    """Count and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--include", action="append", default=[], help="an include folder")
    parser.add_argument("--top", type=int, default=60)
    parser.add_argument("--sample", type=int, default=0, help="every how many files one is read")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--json", help="write what each kernel lost")
    options = parser.parse_args()
    files = []
    for folder in options.folders:
        for root, _, names in sorted(os.walk(folder)):
            for name in sorted(names):
                path = os.path.join(root, name)
                if name.endswith(SUFFIXES) and os.path.isfile(path):
                    with open(path, "rb") as handle:
                        if DEVICE.search(handle.read()):
                            files.append((path, folder))
    files = files[:: options.sample or 1]
    everything: dict[str, dict[str, list[str]]] = {}
    with multiprocessing.get_context("spawn").Pool(options.jobs, maxtasksperchild=20) as pool:
        waiting = [(path, pool.apply_async(lost, ((path, folder, tuple(options.include)),))) for path, folder in files]
        for path, result in waiting:
            try:
                everything[path] = result.get(SECONDS)
            except multiprocessing.TimeoutError:
                print(f"{path}: no answer", file=sys.stderr)
    kernels = sum(map(len, everything.values()))
    whole = sum(not losses for found in everything.values() for losses in found.values())
    print(f"{len(files)} files, {kernels} kernels, {whole} whole ({whole / max(kernels, 1):.1%})")
    counts: collections.Counter[str] = collections.Counter()
    alone: collections.Counter[str] = collections.Counter()
    where: dict[str, tuple[str, str]] = {}
    for path, found in everything.items():
        for losses in found.values():
            names = {name_of(loss): loss for loss in losses}
            counts.update(list(names))
            alone.update(list(names) if len(names) == 1 else ())
            for name, loss in names.items():
                where.setdefault(name, (path, loss))
    for name, count in counts.most_common(options.top):
        path, loss = where[name]
        print(f"{count:5} {alone[name]:5}  {name}   [{loss[:90]}]  {path}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as handle:
            json.dump(everything, handle, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
