"""What git ignores, and how git is asked: little code, as a run over a tree without kernels loads no more of git.

git is asked by its own program, so everything that counts for it (global excludes, attributes, submodules) counts here.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_REPOSITORY = ("GIT_DIR", "GIT_WORK_TREE", "GIT_PREFIX", "GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS")
"""Variables that say which repository is meant (hooks set them), or that change how a diff looks."""


class GitError(Exception):
    """git cannot answer; the message is one clear line."""


def ignored(folder: str) -> frozenset[str]:
    """Files and whole folders below ``folder`` that git ignores, as real paths.

    Empty when git cannot say, and when ``folder`` is ignored itself: whoever names it means it.
    """
    options = ("--others", "--ignored", "--exclude-standard", "--directory", "-z")
    try:
        return _real_paths(folder, _started_at_once(folder, "ls-files", *options)())
    except GitError:
        return frozenset()


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


def _started_at_once(folder: str, *arguments: str) -> Callable[[], bytes]:
    """As :func:`started` for a run that every check makes: ``subprocess``, with all that it imports, takes longer than
    git does.  What git says of an error is lost."""
    pipe = os.pipe() if hasattr(os, "posix_spawnp") else (0, 0)
    out, into = pipe
    if min(pipe) <= _STANDARD_ERROR:  # systems without it, and processes that were started without standard streams
        for end in set(pipe) - {0}:
            os.close(end)
        return started(folder, *arguments)
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
        try:
            failed = os.waitpid(process, 0)[1]
        except ChildProcessError:  # who runs this process waits for all that it starts
            failed = 0
        if failed:
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


def started(folder: str, *arguments: str) -> Callable[[], bytes]:
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
