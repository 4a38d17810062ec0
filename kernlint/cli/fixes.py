"""``--fix`` and ``--diff-fixes``: fixes that hold, made in the files or shown."""

from __future__ import annotations

import difflib
import os
import re
import sys
from collections.abc import Iterator

from kernlint.cli.settings import Settings
from kernlint.finding import Finding
from kernlint.project import Projects
from kernlint.project.compiledb import Lookup
from kernlint.report import shown_path, source_root
from kernlint.result import Report
from kernlint.run.engine import Engine
from kernlint.run.fixing import Fixer
from kernlint.run.patch import PatchError, encoded
from kernlint.source import SourceError, SourceFile, decode
from kernlint.text.writing import replace_file


def make(report: Report, settings: Settings, lookup: Lookup, projects: Projects, write: bool) -> bool:
    """Make the fixes for the unsuppressed findings of ``report``; whether files were changed.

    With ``write`` each file is replaced at once or not at all; else what would be changed goes to standard output as a
    diff.
    """
    files, fixes = 0, 0
    for path, findings in _by_file(report).items():
        try:
            with open(path, "rb") as handle:
                raw = handle.read()
            count, new = _fixed(path, raw, findings, settings, lookup, projects)
            if not count:
                continue
            if write:
                with open(path, "rb") as handle:
                    if handle.read() != raw:
                        raise PatchError("it was changed meanwhile")
                replace_file(path, new)
            else:
                _show(path, report.root, raw, new)
        except BrokenPipeError:  # nobody reads the diff any more
            raise
        except (OSError, SourceError, PatchError) as error:
            reason = error.strerror or error if isinstance(error, OSError) else error
            print(f"kernlint: {shown_path(path, report.root)}: not fixed: {reason}", file=sys.stderr)
            continue
        files += 1
        fixes += count
    said = "made in" if write else "to be made in"
    sys.stdout.flush()
    print(f"kernlint: {_count(fixes, 'fix')} {said} {_count(files, 'file')}", file=sys.stderr)
    return write and files > 0


def _fixed(
    path: str, raw: bytes, findings: list[Finding], settings: Settings, lookup: Lookup, projects: Projects
) -> tuple[int, bytes]:
    """How many fixes a file gets, and its bytes with them."""
    text, encoding = decode(raw)
    source = SourceFile(path, raw if encoding == "utf-8" else text.encode("utf-8"), encoding)
    selection = settings.for_path(path)
    engine = Engine(selection.registry, selection, lookup=lookup, projects=projects)
    repaired = Fixer(engine, selection).repaired(source, findings)
    return len(repaired.fixes), encoded(repaired.source.data, encoding, raw)


def _by_file(report: Report) -> dict[str, list[Finding]]:
    """Findings by the file they are in, as far as it was named and not only included."""
    found: dict[str, list[Finding]] = {}
    for result in report.active:
        path = result.finding.span.file
        if path in report.paths:
            found.setdefault(path, []).append(result.finding)
    return found


def _show(path: str, root: str, old: bytes, new: bytes) -> None:
    name = shown_path(path, source_root(root))
    for line in unified(name.lstrip("/"), old, new):
        sys.stdout.buffer.write(line)


def unified(name: str, old: bytes, new: bytes) -> Iterator[bytes]:
    """The lines of a unified diff of two versions of the file ``name``, as git writes them."""
    if b"\0" in old:
        raise PatchError("a diff cannot show UTF-16 text; use --fix")
    one, other = (re.findall(r"[^\n]*\n|[^\n]+", data.decode("latin-1")) for data in (old, new))
    before, after = _quoted(f"a/{name}"), _quoted(f"b/{name}")
    for line in difflib.unified_diff(one, other, before, after):
        if line.startswith(("--- ", "+++ ")):
            yield os.fsencode(line)
        else:
            yield line.encode("latin-1")
            if not line.endswith("\n"):
                yield b"\n\\ No newline at end of file\n"


def _quoted(name: str) -> str:
    """A path as git quotes it in a diff."""
    if not re.search(r'[\x00-\x1f"\\\x7f]', name):
        return f"{name}\t" if " " in name else name
    escaped = re.sub(r'["\\]', lambda match: "\\" + match[0], name)
    return '"' + re.sub(r"[\x00-\x1f\x7f]", lambda match: f"\\{ord(match[0]):03o}", escaped) + '"'


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 'es' if noun.endswith('x') else 's'}"
