"""Which lines a diff against a revision of git touches.  What git ignores: :mod:`kernlint.project.gitignored`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from kernlint.project.gitignored import GitError, started
from kernlint.record import dataclass, field
from kernlint.text.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Match

WHOLE_FILE = ((1, 1 << 62),)

_HUNK = pattern(rb"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ESCAPE = pattern(rb"\\([0-7]{3}|.)")
_LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}


@dataclass(frozen=True, slots=True)
class Changes:
    """Lines that differ from a revision: 1-based inclusive ranges in order, by the real path of a file."""

    lines: Mapping[str, Sequence[tuple[int, int]]] = field(default_factory=dict)

    def touch(self, path: str, first: int, last: int) -> bool:
        """Whether one of the lines ``first`` to ``last`` of the file at ``path`` was changed."""
        ranges = self.lines.get(os.path.realpath(path), ())
        return any(begin <= last and first <= end for begin, end in ranges)


def changes(revision: str, folder: str) -> Changes:
    """How the work tree around ``folder`` differs from ``revision``; files that git does not know yet are new.

    Lines that were deleted count as changes of the lines before and behind them.  Raises :class:`GitError`.
    """
    top = os.path.realpath(os.fsdecode(_git_or(folder, "is not a git repository", "rev-parse", "--show-toplevel")[:-1]))
    try:
        commit = _git(top, "rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}")
    except GitError:
        _git_or(top, "the repository has no commits yet", "rev-parse", "--verify", "--quiet", "HEAD")
        raise GitError(f"git knows no revision {revision!r}") from None
    options = ("--unified=0", "--text", "--no-color", "--no-ext-diff", "--no-textconv", "--find-renames")
    prefixes = ("--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules=all")
    text = _git(top, "diff", *options, *prefixes, commit.decode().strip(), "--")
    lines: dict[str, Sequence[tuple[int, int]]] = {
        os.path.join(top, *os.fsdecode(name).split("/")): ranges for name, ranges in hunks(text).items()
    }
    for name in _git(top, "ls-files", "--others", "--exclude-standard", "-z").split(b"\0"):
        if name:
            lines[os.path.join(top, *os.fsdecode(name).split("/"))] = WHOLE_FILE
    return Changes(lines)


def hunks(diff: bytes) -> dict[bytes, list[tuple[int, int]]]:
    """Changed lines of the new side of a diff without context, by file name as git writes it after ``b/``."""
    found: dict[bytes, list[tuple[int, int]]] = {}
    name = b""
    left = 0  # lines of the hunk's body that are still to come
    for line in diff.split(b"\n"):
        if left and line[:1] in (b"+", b"-"):
            left -= 1
        elif line.startswith(b"+++ "):
            name = _file_name(line[4:])
        elif (hunk := _HUNK.match(line)) and name:
            removed, start, added = int(hunk[1] or 1), int(hunk[2]), int(hunk[3] or 1)
            left = removed + added
            found.setdefault(name, []).append((start, start + added - 1 if added else start + 1))
    return found


def _file_name(text: bytes) -> bytes:
    """The name behind ``+++``; empty for a file that was deleted."""
    text = text.removesuffix(b"\t")  # git writes it behind a name with a space
    if text.startswith(b'"') and text.endswith(b'"'):
        text = _ESCAPE.sub(_plain, text[1:-1])
    return text[2:] if text.startswith(b"b/") else b""


def _plain(escape: Match[bytes]) -> bytes:
    code = escape[1]
    return bytes((int(code, 8) & 255,)) if len(code) == 3 else _LETTERS.get(code, code)


def _git_or(folder: str, otherwise: str, *arguments: str) -> bytes:
    """As :func:`_git`, with a message of our own when git refuses."""
    try:
        return _git(folder, *arguments)
    except GitError as error:
        if error.__cause__ is not None:  # git did not run at all
            raise
        where = f"{folder}: " if otherwise.startswith("is ") else ""
        raise GitError(where + otherwise) from None


def _git(folder: str, *arguments: str) -> bytes:
    return started(folder, *arguments)()
