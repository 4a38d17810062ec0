"""What git knows: which files it ignores, and which lines a diff against a revision touches.

git is asked by its own program, so everything that counts for it (global excludes, attributes, submodules) counts here.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping, Sequence

from kernlint.record import dataclass, field
from kernlint.text.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Match

WHOLE_FILE = ((1, 1 << 62),)

_HUNK = pattern(rb"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ESCAPE = pattern(rb"\\([0-7]{3}|.)")
_LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}
_REPOSITORY = ("GIT_DIR", "GIT_WORK_TREE", "GIT_PREFIX", "GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS")
"""Variables that say which repository is meant (hooks set them), or that change how a diff looks."""


class GitError(Exception):
    """git cannot answer; the message is one clear line."""


@dataclass(frozen=True, slots=True)
class Changes:
    """Lines that differ from a revision: 1-based inclusive ranges in order, by the real path of a file."""

    lines: Mapping[str, Sequence[tuple[int, int]]] = field(default_factory=dict)

    def touch(self, path: str, first: int, last: int) -> bool:
        """Whether one of the lines ``first`` to ``last`` of the file at ``path`` was changed."""
        ranges = self.lines.get(os.path.realpath(path), ())
        return any(begin <= last and first <= end for begin, end in ranges)


def ignored(folder: str) -> frozenset[str]:
    """Files and whole folders below ``folder`` that git ignores, as real paths.

    Empty when git cannot say, and when ``folder`` is ignored itself: whoever names it means it.
    """
    return ignored_soon(folder)()


def ignored_soon(folder: str) -> Callable[[], frozenset[str]]:
    """What waits for the answer of :func:`ignored`, which git begins to work on at once."""
    try:
        answer = _started_at_once(
            folder, "ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"
        )
    except GitError:
        return frozenset

    def wait() -> frozenset[str]:
        try:
            return _real_paths(folder, answer())
        except GitError:
            return frozenset()

    return wait


def _real_paths(folder: str, listed: bytes) -> frozenset[str]:
    names = {os.fsdecode(name).rstrip("/") for name in listed.split(b"\0") if name}
    if "." in names:
        return frozenset()
    real = os.path.realpath(folder)
    return frozenset(os.path.join(real, *name.split("/")) for name in names)


def in_work_tree(folder: str) -> bool:
    """Whether ``folder``, a real path, lies in a git work tree."""
    while not os.path.exists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return False
        folder = parent
    return True


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
    return _started(folder, *arguments)()


def _started_at_once(folder: str, *arguments: str) -> Callable[[], bytes]:
    """As :func:`_started` for a run that every check makes: ``subprocess``, with all that it imports, takes longer than
    git does.  What git says of an error is lost."""
    pipe = os.pipe() if hasattr(os, "posix_spawnp") else (0, 0)
    out, into = pipe
    if min(pipe) <= _STANDARD_ERROR:  # systems without it, and processes that were started without standard streams
        for end in set(pipe) - {0}:
            os.close(end)
        return _started(folder, *arguments)
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, into, 1),
        (os.POSIX_SPAWN_OPEN, _STANDARD_ERROR, os.devnull, os.O_WRONLY, 0),
    ]
    command = _command(folder, *arguments)
    try:
        process = os.posix_spawnp(command[0], command, _environment(), file_actions=actions)
    except OSError as error:
        os.close(out)
        raise GitError(f"git cannot be run: {error.strerror or error}") from error
    finally:
        os.close(into)

    def wait() -> bytes:
        with open(out, "rb", buffering=0) as end:
            output = end.read()
        with contextlib.suppress(ChildProcessError):  # who runs this process waits for all that it starts
            if os.waitpid(process, 0)[1]:
                raise GitError(f"git {arguments[0]} failed")
        return output

    return wait


_STANDARD_ERROR = 2


def _command(folder: str, *arguments: str) -> list[str]:
    return ["git", "-C", folder, "-c", "core.quotePath=false", *arguments]


def _environment() -> dict[str, str]:
    environment = {name: value for name, value in os.environ.items() if name not in _REPOSITORY}
    environment["GIT_OPTIONAL_LOCKS"] = "0"
    return environment


def _started(folder: str, *arguments: str) -> Callable[[], bytes]:
    """What waits for the output of git, which runs meanwhile."""
    import subprocess  # only where somebody asks for changes

    command, environment = _command(folder, *arguments), _environment()
    try:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, env=environment
        )
    except OSError as error:
        raise GitError(f"git cannot be run: {error.strerror or error}") from error

    def wait() -> bytes:
        with process:
            output, errors = process.communicate()
        if process.returncode:
            words = errors.decode("utf-8", "replace").strip().splitlines()
            raise GitError(words[0] if words else f"git {arguments[0]} failed")
        return output

    return wait
