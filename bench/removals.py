#!/usr/bin/env python3
"""Whether barriers that KL208 calls redundant are: removals.py PATH... [--kernels N] [--seed N] [--out FOLDER]

``kernlint check --select KL208`` is run over each PATH; of the kernels that it proposes a removal in, N are drawn.
Each is taken out of its file and run in the block emulator as it is, under launches that leave threads over, under
launches that do not, and with several contents of memory; then once more with the barrier gone.  A removal is *wrong*
when the emulator sees a fault without the barrier that it does not see with it.  For kernels in CUDA whose arguments a
``main`` can make, a program without the barrier is written to FOLDER for ``gpu/run.sh``, which asks compute-sanitizer.

Prints a line for each removal and the sums.
"""

from __future__ import annotations

import argparse
import collections
import json
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "gpu"))

from generate import expressible, program
from mutants import OTHER_CONTENTS, Chosen, Subject, content, faults_of, kernel_of, parse, subjects

from kernlint.source import read

CONTENTS = (content, *OTHER_CONTENTS)


@dataclass(frozen=True, slots=True)
class Removal:
    """A barrier that is called redundant: ``start`` and ``end`` are its bytes, with the semicolon left out."""

    path: str
    kernel: str
    line: int
    start: int
    end: int


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
        yield Removal(file, finding["kernel"], line, start, end)


def without(subject: Subject, removal: Removal) -> bytes:
    """The kernel's text without the barrier, every line where it was."""
    return subject.text[: removal.start] + b"(void)0" + subject.text[removal.end :]


def verdict(subject: Subject, text: bytes) -> tuple[str, Chosen | None]:
    """``wrong``, ``right`` or ``not run`` of a text without the barrier, with the launch that tells."""
    module = parse(subject.path, text)
    kernel = kernel_of(module, subject.name) if module is not None else None
    if module is None or kernel is None:
        return "not run", None
    ran: Chosen | None = None
    for chosen in subject.launches:
        for holding in CONTENTS:
            before = chosen.outcome(subject.function, module.language, endless=True, holding=holding)
            after = chosen.outcome(kernel.variants[0], module.language, endless=True, holding=holding)
            if not before.finished or faults_of(before):
                continue
            if faults_of(after):
                return "wrong", chosen
            ran = chosen if after.finished else ran
    return ("right", ran) if ran is not None else ("not run", None)


def judged(removals: Sequence[Removal], folder: Path | None) -> Iterator[tuple[Removal, str]]:
    """Each removal with its verdict; programs go to ``folder``."""
    programs = []
    for removal in removals:
        found = [one for one in subjects(removal.path, read(removal.path).data) if one.name == removal.kernel]
        if not found:
            yield removal, "not run"
            continue
        text = without(found[0], removal)
        says, chosen = verdict(found[0], text)
        yield removal, says
        runs = chosen is not None and found[0].module.language == "cuda" and expressible(found[0].function)
        if folder is not None and chosen is not None and runs:
            name = f"{Path(removal.path).stem}_{removal.kernel}_{removal.line}"
            (folder / f"{name}.cu").write_text(program(text, found[0].function, chosen), encoding="utf-8")
            programs.append({"name": name, "kernel": removal.kernel, "kind": "removal", "faults": []})
    if folder is not None:
        (folder / "manifest.json").write_text(json.dumps({"programs": programs}, indent=1), encoding="utf-8")


def main() -> int:
    """Draw, run, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--kernels", type=int, default=30, help="kernels drawn (0: all)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="folder for programs that gpu/run.sh runs")
    options = parser.parse_args()
    by_kernel: dict[tuple[str, str], list[Removal]] = collections.defaultdict(list)
    for path in options.paths:
        for removal in proposed(path):
            by_kernel[removal.path, removal.kernel].append(removal)
    names = sorted(by_kernel)
    drawn = random.Random(options.seed).sample(names, min(options.kernels or len(names), len(names)))
    if options.out is not None:
        options.out.mkdir(parents=True, exist_ok=True)
    counts = collections.Counter[str]()
    for removal, says in judged([one for name in drawn for one in by_kernel[name]], options.out):
        counts[says] += 1
        print(f"{says:8} {removal.path}:{removal.line} {removal.kernel}", flush=True)
    print(f"{len(drawn)} of {len(names)} kernels: {dict(counts)}")
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
