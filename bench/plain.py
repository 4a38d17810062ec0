#!/usr/bin/env python3
"""Python programs without GPU code, against a process that only reads them: plain.py [--files N] [--rounds N]

Both walk the same git work tree of made-up modules, in turn; printed are the ratios of the median processor times, for
a run that knows nothing of the tree and for the next one, and what of it is the start of Python itself.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

READ = """
import os, sys
for folder, folders, files in os.walk(sys.argv[1]):
    folders[:] = [each for each in folders if each != ".git"]
    for name in files:
        with open(os.path.join(folder, name), "rb") as handle:
            handle.read()
"""

WORDS = ("import", "os", "def", "return", "self", "value", "index", "count", "data", "for", "in", "range", "cache")


def make(folder: str, files: int) -> None:
    """Write a tree of modules, forty to a folder."""
    draw = random.Random(3)
    for number in range(files):
        at = os.path.join(folder, f"package{number // 40}")
        os.makedirs(at, exist_ok=True)
        with open(os.path.join(at, f"module{number}.py"), "w", encoding="utf-8") as handle:
            handle.writelines(" ".join(draw.choices(WORDS, k=8)) + "\n" for _ in range(draw.randrange(20, 400)))
    for command in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", "-C", folder, *command], check=True)


def processor(command: list[str], **more: str) -> float:
    """Processor seconds of a command and what it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **more}, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as here:
        tree, cache, code = (os.path.join(here, name) for name in ("tree", "cache", "code"))
        make(tree, options.files)
        more = {"XDG_CACHE_HOME": cache, "PYTHONPYCACHEPREFIX": code, "PYTHONDONTWRITEBYTECODE": ""}
        check = [sys.executable, "-m", "kernlint", "check", tree]
        processor(check, **more)  # Python keeps its code from now on
        times: dict[str, list[float]] = {}
        for _ in range(options.rounds):
            shutil.rmtree(os.path.join(cache, "kernlint"), ignore_errors=True)
            for name, command in (
                ("start of Python", [sys.executable, "-c", "pass"]),
                ("reading", [sys.executable, "-c", READ, tree]),
                ("first run", check),
                ("next run", check),
            ):
                times.setdefault(name, []).append(processor(command, **more))
    base = statistics.median(times["reading"])
    for name, each in times.items():
        print(f"{name:16} {statistics.median(each) * 1000:7.1f} ms {statistics.median(each) / base:5.2f} times reading")


if __name__ == "__main__":
    main()
