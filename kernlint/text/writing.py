"""Files that are replaced at once or not at all, whatever interrupts the writing."""

from __future__ import annotations

import os
import sys


def replace_file(path: str, data: bytes) -> None:
    """Write ``data`` beside ``path`` and move it there; a link is followed, a device or FIFO written to directly.

    Raises :class:`OSError`; the old file is whole then, and nothing is left beside it.
    """
    if os.path.exists(path) and not os.path.isfile(path):  # a device or a FIFO cannot be replaced
        with open(path, "wb") as handle:
            handle.write(data)
        return
    path = os.path.realpath(path)
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with open(temporary, "wb") as handle:
            handle.write(data)
        if os.path.exists(path):
            os.chmod(temporary, os.stat(path).st_mode & 0o7777)
        os.replace(temporary, path)
    except BaseException:
        import contextlib

        with contextlib.suppress(OSError):  # it was never made, or the folder is gone
            os.unlink(temporary)
        raise


def to_standard_output(text: str) -> None:
    """Write ``text`` to standard output, whatever it can encode.  Raises :class:`OSError`."""
    if hasattr(sys.stdout, "buffer"):
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode(sys.stdout.encoding or "utf-8", "replace"))
    else:
        sys.stdout.write(text)
    sys.stdout.flush()
