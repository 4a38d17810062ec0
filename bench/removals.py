#!/usr/bin/env python3
"""Whether barriers that KL208 calls redundant are: removals.py PATH... [--kernels N] [--seed N] [--out FOLDER]

Of the kernels under the PATHs that have a barrier N are drawn, of different files (0: all kernels), and kernlint is
asked for KL208 in their files.  For a report that was kept (``.json``) the kernels are those that it proposes a removal
in.  Each kernel is run in the block emulator as it is and without the barrier, under launches that its text speaks of
and others (``trials.py``), with several contents of memory.  A removal is *wrong* when the emulator sees a fault
without the barrier that it does not see with it, *right* when some run passes the barrier and none shows one.  For
kernels whose arguments a ``main`` can make, a program without the barrier is written to FOLDER for ``gpu/run.sh``,
which asks compute-sanitizer.

Prints a line for each removal, with the reason where none of the runs came to its end, and the sums.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "gpu"))

from generate import makeable, program, standing_alone
from mutants import OTHER_CONTENTS, Chosen, alone, blank, content
from trials import BUDGET, Reader, Trial, known, trials

from kernlint.project import discovery
from kernlint.prove.emulate import Index
from kernlint.source import SourceError, read
from kernlint.tree.nodes import Barrier, FunctionDecl, FunctionKind, Kernel, Module, Scope
from kernlint.tree.types import PointerType
from kernlint.tree.walk import functions_of, walk

CONTENTS = (content, *OTHER_CONTENTS)
TELLING = 4
"""Launches that pass the barrier, of each instance of a kernel, after which it counts as right; half of them may have
blocks of one size."""


@dataclass(frozen=True, slots=True)
class Removal:
    """A barrier that is called redundant: ``start`` and ``end`` are its bytes, with the semicolon left out.

    ``assumptions`` are the finding's."""

    path: str
    kernel: str
    line: int
    start: int
    end: int
    assumptions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """``says``: ``wrong``, ``right`` or ``not run``; ``why``: under which launch, or why not.

    ``chosen``: what is run on a GPU."""

    says: str
    why: str
    chosen: tuple[FunctionDecl, Module, Chosen] | None = None


def proposed(path: str) -> Iterator[Removal]:
    """What kernlint proposes to take out of the files under ``path``, or does in a report that was kept (``.json``)."""
    command = ["kernlint", "check", path, "--select", "KL208", "--pedantic", "--format", "json", "--no-cache"]
    if path.endswith(".json"):
        out = Path(path).read_text(encoding="utf-8")
    else:
        out = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    for finding in json.loads(out)["findings"]:
        if finding["code"] != "KL208":
            continue
        file, line = finding["file"], finding["line"]
        data = read(file).data
        lines = data.splitlines(keepends=True)
        start = sum(map(len, lines[: line - 1])) + finding["column"] - 1
        end = data.index(b")", start) + 1
        yield Removal(file, finding["kernel"], line, start, end, tuple(finding.get("assumptions", ())))


def with_barriers(paths: Sequence[str], count: int, seed: int) -> Iterator[tuple[Reader, str, str]]:
    """Kernels that have a barrier for the block, with their files: one of each file, the files in an order drawn with
    ``seed``, until there are ``count``; all kernels where that is 0."""
    choice = random.Random(seed)
    readers = {root: Reader(root) for root in paths}
    files = [(root, found.path) for root in paths for found in discovery.find([root])]
    choice.shuffle(files)
    left = count
    for root, path in files:
        names = names_with_barriers(readers[root], path)
        if names and count:
            left -= 1
            names = [choice.choice(names)]
        yield from ((readers[root], path, name) for name in names)
        if count and not left:
            break


def names_with_barriers(reader: Reader, path: str) -> list[str]:
    """The names of a file's kernels that have a barrier for the block."""
    try:
        data = read(path).data
    except (OSError, SourceError):
        return []
    if not re.search(rb"__syncthreads|\bbarrier\b|\bsync\b|syncthreads", data):
        return []
    kernels = (kernel for module in reader.modules(path, data) for kernel in module.kernels)
    own = (kernel for kernel in kernels if kernel.function.span.file == path)
    return sorted({kernel.name for kernel in own if has_barrier(kernel.function)})


def has_barrier(function: FunctionDecl) -> bool:
    """Whether the kernel, or a function that it calls, waits for the block."""
    return any(
        isinstance(node, Barrier) and node.scope is Scope.BLOCK
        for each in functions_of(Kernel(function))
        for node in walk(each)
    )


def without(text: bytes, removal: Removal) -> bytes:
    """The text without the barrier, every byte after it where it was."""
    taken = text[removal.start : removal.end]
    filled = re.sub(rb"[^\r\n]", b" ", taken[len(b"(void)0") :])
    return text[: removal.start] + b"(void)0" + filled + text[removal.end :]


def verdict(reader: Reader, removal: Removal) -> Verdict:
    """What the emulator says of a removal, over all instances of the kernel."""
    text = read(removal.path).data
    defines = [word[: -len(" defined")] for word in removal.assumptions if re.fullmatch(r"\w+ defined", word)]
    before = reader.variants(removal.path, text, removal.kernel, defines)
    after = reader.variants(removal.path, without(text, removal), removal.kernel, defines)
    if not before or len(before) != len(after):
        return Verdict("not run", "no such kernel" if not before else "other instances without it")
    reasons: collections.Counter[str] = collections.Counter()
    right: Verdict | None = None
    for (was, module), (now, _) in zip(before, after, strict=True):
        told = collections.Counter[Index]()
        for trial in trials(was, removal.assumptions):
            if told[trial.block] == TELLING // 2:
                continue
            one = judged(trial, was, now, module.language)
            if one.says == "wrong":
                return one
            if one.says == "not run":
                reasons[one.why] += 1
                continue
            told[trial.block] += 1
            if right is None or (one.why.endswith("clean") and not right.why.endswith("clean")):
                right = Verdict("right", one.why, (was, module, chosen_of(was, module, trial)))
            if told.total() == TELLING:
                break
    return right or Verdict("not run", reasons.most_common(1)[0][0] if reasons else "no launch tried")


def judged(trial: Trial, was: FunctionDecl, now: FunctionDecl, language: str) -> Verdict:
    """What one launch says, with every contents of memory."""
    shown = f"block {'x'.join(map(str, trial.block))} {trial.scalars}"
    clean = True
    for holding in CONTENTS:
        first, _ = trial.run(was, language, holding)
        if not first.finished:
            return Verdict("not run", first.unsupported or "more steps than the budget has")
        second, _ = trial.run(now, language, holding)
        if not second.finished:
            return Verdict("not run", second.unsupported or "more steps than the budget has")
        if second.phases >= first.phases:
            return Verdict("not run", "no run passes the barrier")
        if known(second) - known(first):
            return Verdict("wrong", shown)
        clean = clean and not known(second)
    return Verdict("right", f"{shown} {'clean' if clean else 'with faults that it had before'}")


def chosen_of(function: FunctionDecl, module: Module, trial: Trial) -> Chosen:
    """The launch with the memory that the unchanged kernel uses."""
    _, ends = trial.run(function, module.language, budget=replace(BUDGET, blocks=4))
    pointers = [param for param in function.params if isinstance(param.type, PointerType)]
    extents = {param.name: ends.get(param.name, 0) for param in pointers}
    return Chosen(trial.block, trial.grid, trial.scalars, extents, {}, ends.get(""), {})


def main() -> int:
    """Draw, run, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--kernels", type=int, default=30, help="kernels drawn (0: all)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="folder for programs that gpu/run.sh runs")
    options = parser.parse_args()
    roots = [path for path in options.paths if not path.endswith(".json")]
    removals = [one for path in options.paths if path.endswith(".json") for one in proposed(path)]
    kept = sorted({(one.path, one.kernel) for one in removals})
    if options.kernels and len(kept) > options.kernels:
        kept = random.Random(options.seed).sample(kept, options.kernels)
    drawn = {(path, name): Reader(os.path.dirname(path)) for path, name in kept}
    for reader, path, name in with_barriers(roots, options.kernels, options.seed) if roots else ():
        drawn[path, name] = reader
    for path in sorted({path for path, _ in drawn} - {one.path for one in removals}):
        removals += proposed(path)
    counts = collections.Counter[str]()
    programs: list[dict[str, object]] = []
    for removal in removals:
        if (removal.path, removal.kernel) not in drawn:
            continue
        found = verdict(drawn[removal.path, removal.kernel], removal)
        counts[found.says] += 1
        print(f"{found.says:8} {removal.path}:{removal.line} {removal.kernel}: {found.why}", flush=True)
        if options.out is not None and found.chosen is not None:
            programs += written(removal, *found.chosen, options.out)
    if options.out is not None:
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / "manifest.json").write_text(json.dumps({"programs": programs}, indent=1), encoding="utf-8")
    print(f"{len(drawn)} kernels, {sum(counts.values())} removals: {dict(counts)}")
    return 1 if counts["wrong"] else 0


def written(
    removal: Removal, function: FunctionDecl, module: Module, chosen: Chosen, folder: Path
) -> Iterator[dict[str, object]]:
    """The program without the barrier, where a ``main`` can be written for it, and its line of the manifest."""
    kernel = next((one for one in module.kernels if function in one.variants), None)
    if kernel is None or module.language not in ("cuda", "hip") or not all(map(makeable, function.params)):
        return
    folder.mkdir(parents=True, exist_ok=True)
    text = bytearray(alone(removal.path, module, kernel, without(read(removal.path).data, removal)))
    needed = {each.name for each in functions_of(kernel)}
    for other in module.functions:
        if other.span.file == removal.path and other.kind is FunctionKind.HOST and other.name not in needed:
            blank(text, other.span.start, other.span.end)
    whole = standing_alone(bytes(text), removal.path, removal.assumptions)
    name = f"{Path(removal.path).stem}_{removal.kernel}_{removal.line}"
    (folder / f"{name}.cu").write_text(program(whole, function, chosen), encoding="utf-8")
    yield {"name": name, "kernel": removal.kernel, "kind": "removal", "faults": []}


if __name__ == "__main__":
    sys.exit(main())
