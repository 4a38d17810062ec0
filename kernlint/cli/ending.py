"""How a process learns that it is to end: SIGTERM, raised like Ctrl-C."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from types import FrameType
else:  # without the names of signals, which take as long to make as a hundred files to read
    try:
        import _signal as signal
    except ImportError:  # another interpreter
        import signal

INTERRUPTED, TERMINATED = 130, 143
"""Exit codes after SIGINT and SIGTERM: what a shell says of a program that they end."""


class Terminated(BaseException):
    """Somebody sent SIGTERM: end as after Ctrl-C, so that files are left whole and workers end too."""


AGAIN = 2
"""Seconds after which the wish to end is told once more: what is raised in a callback of the interpreter, such as
those around ``fork``, is lost."""


class _State:
    asked = False


def listen() -> None:
    """Raise :class:`Terminated` when SIGTERM comes, unless whoever runs this process has other plans."""
    try:
        if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
            signal.signal(signal.SIGTERM, _terminated)
    except ValueError:  # not in the main thread: whoever runs this one knows what to do
        pass


def asked() -> bool:
    """Whether somebody has asked this process to end by SIGTERM."""
    return _State.asked


def heard() -> None:
    """It need not be told again."""
    if _State.asked and hasattr(signal, "alarm"):
        signal.alarm(0)


def _terminated(number: int, frame: FrameType | None) -> None:
    _State.asked = True
    if hasattr(signal, "alarm"):
        signal.signal(signal.SIGALRM, _terminated)
        signal.alarm(AGAIN)
    raise Terminated
