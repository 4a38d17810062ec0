#!/usr/bin/env python3
"""Do both front ends for OpenCL C make the same tree?  frontends.py CORPORA.json DIR [PACKAGE...] [--sample N]

Every ``.cl`` file of the packages is read by libclang's front end and by pycparser's, as ``kernlint DIR/PACKAGE
--flags`` would read it, and each kernel's tree is compared with all that it calls, up to places and to conversions that
the language implies.  A kernel that one of them has and the other lacks is a difference, but for kernels that only
readings under further settings show, which libclang's front end alone makes.  ``--sample N`` takes N files
of a package by a fixed seed; ``--show N`` prints the first differing line of N kernels of each package.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import sys
import time
from collections.abc import Iterator
from typing import Any

_IMPLIED = re.compile(r"(?:\{[^{}]*\})+(?=[\w(\-~!@*&'])")
_PLACE = re.compile(r" @\d+|(?:struct|union) \(unnamed[^)]*\)")


def kernels_of(modules: list[Any]) -> dict[str, list[str]]:
    """For each kernel its tree as lines, with the functions that it reaches, without places and implied conversions."""
    from kernlint.tree.dump import function_lines
    from kernlint.tree.walk import functions_of

    texts: dict[int, list[str]] = {}
    out: dict[str, list[str]] = {}
    for module in modules:
        for kernel in module.kernels:
            lines: list[str] = []
            for function in functions_of(kernel):
                if id(function) not in texts:
                    texts[id(function)] = list(_lines("\n".join(function_lines(function))))
                lines += texts[id(function)]
            out.setdefault(kernel.name, lines)
    return out


def _lines(text: str) -> Iterator[str]:
    for line in _PLACE.sub("", _IMPLIED.sub("", text)).splitlines():
        if line.strip() and "loss[" not in line:
            yield line


def main() -> int:
    """Compare, print a row for each package; fails below 98%."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora")
    parser.add_argument("folder")
    parser.add_argument("package", nargs="*")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--show", type=int, default=0)
    args = parser.parse_args()
    with open(args.corpora) as file:
        corpora = json.load(file)["corpora"]
    total = same = 0
    for package in corpora:
        folder = os.path.join(args.folder, package["name"])
        if "opencl" not in package["languages"] or not os.path.isdir(folder):
            continue
        if args.package and package["name"] not in args.package:
            continue
        seen, equal = compare(package, folder, args)
        total, same = total + seen, same + equal
        print(f"{package['name']}: {equal} of {seen} kernels equal", flush=True)
    print(f"all: {same} of {total} kernels equal ({same / max(total, 1):.1%})")
    return 0 if same >= 0.98 * total else 1


def compare(package: dict[str, Any], folder: str, args: argparse.Namespace) -> tuple[int, int]:
    """Kernels of a package, and those of them that are equal."""
    from wholeness import files_of, options_of

    from kernlint.frontends.base import FrontendError
    from kernlint.frontends.clang import ClangFrontend
    from kernlint.frontends.pycparser import PycparserFrontend
    from kernlint.policy.config import Config
    from kernlint.policy.selection import Selection
    from kernlint.project import Projects
    from kernlint.registry import Registry
    from kernlint.run.engine import Engine
    from kernlint.source import read

    root, found_files = files_of(package, os.path.dirname(folder), True)
    files = [path for path in found_files if path.endswith(".cl")]
    if args.sample and len(files) > args.sample:
        files = sorted(random.Random(1).sample(files, args.sample))
    include, defines = options_of(package, root)
    nothing = Registry((), {})
    engine = Engine(nothing, Selection(nothing, Config(include=include, defines=defines)), projects=Projects([root]))
    seen = equal = 0
    took = [0.0, 0.0]
    for path in files:
        options = engine.frontend_options(path, engine.selection.config)
        found: list[dict[str, list[str]]] = []
        further: dict[str, list[str]] = {}
        for at, frontend in enumerate((ClangFrontend(), PycparserFrontend())):
            started = time.process_time()
            try:
                modules = frontend.parse_file(read(path), options)
                found.append(kernels_of(modules[:1]))
                further = further or kernels_of(modules)
            except FrontendError as error:
                print(f"{path}: {error}")
                found.append({})
            took[at] += time.process_time() - started
        for name in sorted(found[0].keys() | found[1].keys()):
            seen += 1
            first, second = found[0].get(name) or further.get(name), found[1].get(name)
            if first == second:
                equal += 1
            elif args.show > seen - equal - 1:
                _show(path, name, first, second)
        if args.show:
            print(f"{os.path.basename(path)}: {equal} of {seen} kernels equal so far", flush=True)
    print(f"{package['name']}: {took[0]:.0f} s by clang, {took[1]:.0f} s by pycparser")
    return seen, equal


def _show(path: str, name: str, first: list[str] | None, second: list[str] | None) -> None:
    if first is None or second is None:
        print(f"{os.path.basename(path)} {name}: only {'pycparser' if first is None else 'clang'} has it")
        return
    pairs = zip([*first, ""], [*second, ""], strict=False)
    at = next((pair for pair in pairs if pair[0] != pair[1]), ("", ""))
    print(f"{os.path.basename(path)} {name}:\n   {at[0].strip()[:300]}\n   {at[1].strip()[:300]}")


if __name__ == "__main__":
    sys.exit(main())
