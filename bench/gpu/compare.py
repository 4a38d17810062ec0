#!/usr/bin/env python3
"""Compares what compute-sanitizer saw with the emulator's and kernlint's verdicts: compare.py RESULTS.csv MANIFEST.json

compute-sanitizer sees accesses beyond an allocation (memcheck), races in shared memory (racecheck), barriers that not
all threads reach (synccheck) and reads of global memory that nothing wrote (initcheck; there is none here).  Races in
global memory and reads of uninitialised shared memory are out of its sight.
"""

from __future__ import annotations

import collections
import csv
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")


def expected(faults: list[str]) -> dict[str, bool]:
    """Which tool should report what the emulator saw; faults out of all tools' sight are under ``unseen``."""
    out = dict.fromkeys((*TOOLS, "unseen"), False)
    for fault in faults:
        kind, space = fault.split()[:2]
        if kind == "out_of_bounds":
            out["memcheck"] = True
        elif kind == "race" and space == "shared":
            out["racecheck"] = True
        elif kind == "barrier_divergence":
            out["synccheck"] = True
        else:
            out["unseen"] = True
    return out


def rows(path: str) -> dict[str, dict[str, tuple[int, str]]]:
    """Exit code and line by program and tool."""
    out: dict[str, dict[str, tuple[int, str]]] = collections.defaultdict(dict)
    with open(path, encoding="utf-8", newline="") as handle:
        for row in csv.DictReader(handle):
            out[row["name"]][row["tool"]] = (int(row["exit"]), row["line"] or "")
    return out


def reported(result: tuple[int, str]) -> bool:
    """Whether a tool found something (hazards that it only warns of included)."""
    code, line = result
    return code == 9 or "Race reported" in line


def disagreements(program: dict[str, Any], results: dict[str, tuple[int, str]]) -> Iterator[str]:
    """Where the emulator and the tools differ."""
    wanted = expected(program["faults"])
    for tool in TOOLS:
        code, line = results[tool]
        seen = reported(results[tool])
        if code == 124:
            yield f"{tool}: no end in time"
        elif seen and not wanted[tool]:
            yield f"{tool} reports what the emulator does not: {line.removeprefix('========= ')}"
        elif wanted[tool] and not seen:
            yield f"{tool} is silent (exit {code})"


def main() -> int:
    """Print the comparison."""
    results = rows(sys.argv[1])
    programs = json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))["programs"]
    counts: collections.Counter[str] = collections.Counter()
    lines: list[str] = []
    for program in programs:
        name, got = program["name"], results.get(program["name"], {})
        counts["programs"] += 1
        if any(tool not in got for tool in TOOLS):
            counts["not run"] += 1
            lines.append(f"- {name}: not run: {got.get('compile', (0, ''))[1]}")
            continue
        wanted = expected(program["faults"])
        real = any(reported(got[tool]) for tool in TOOLS)
        group = "original" if program["kind"] == "original" else "faulty" if program["faults"] else "sound"
        counts[f"{group}: all"] += 1
        counts[f"{group}: reported by compute-sanitizer"] += real
        counts[f"{group}: reported by kernlint"] += bool(program["kernlint"])
        if group == "faulty" and not any(wanted[tool] for tool in TOOLS):
            counts["faulty: out of compute-sanitizer's sight"] += 1
        if real:
            counts["reported by compute-sanitizer: all"] += 1
            counts["reported by compute-sanitizer: reported by kernlint"] += bool(program["kernlint"])
        for tool in TOOLS:
            counts[f"{tool}: agrees with the emulator"] += wanted[tool] == reported(got[tool])
        found = list(disagreements(program, got))
        counts["agree"] += not found
        if found:
            lines.append(
                f"- {name} (line {program['line']}; emulator: {', '.join(program['faults']) or 'sound'}; "
                f"kernlint: {', '.join(program['kernlint']) or 'nothing'}): {'; '.join(found)}"
            )
        if real and not program["kernlint"]:
            lines.append(f"- {name}: a fault on the GPU that kernlint does not report")
    for what, count in sorted(counts.items()):
        print(f"{what}: {count}")
    print("\nDisagreements:")
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
