"""What can be known of a function of a runtime.  Positions count from 0; None: there is no such argument."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Made(Enum):
    """What a function makes."""

    DEVICE = "device memory"
    MANAGED = "managed memory"
    PINNED = "pinned memory"
    HOST = "memory of the host"
    STREAM = "stream"
    EVENT = "event"
    QUEUE = "command queue"


class Role(Enum):
    """What an argument means."""

    BYTES = "a number of bytes"
    ELEMENTS = "a number of elements, whose size the function knows"
    COUNT = "a number that the bytes are multiplied by"
    OFFSET = "bytes behind a pointer or handle"
    PITCH = "bytes from row to row"
    ROWS = "a number of rows"
    TARGET = "memory that is written"
    SOURCE = "memory that is read"
    MEMORY = "memory"
    OUT = "where a pointer or handle is stored"
    STATUS = "where a status is stored"
    KIND = "a direction"
    STREAM = "a stream or queue"
    BLOCKING = "whether the call waits"
    VALUE = "what memory is filled with"
    HANDLE = "what is given back"


class Makes(NamedTuple):
    """A function that makes a thing: the argument that receives it (``out``; None: the result), the one for the status
    (None: the result is the status, or null tells of failure), the bytes (``size``, times ``factor``), and where it
    stores the bytes from row to row (``pitch``).  ``linear``: it is memory that a pointer alone leads to, no array,
    image or structure.  ``stream``: the one that the allocation is ordered on."""

    made: Made
    out: int | None
    status: int | None = None
    size: int | None = None
    factor: int | None = None
    pitch: int | None = None
    linear: bool = True
    stream: int | None = None


class Ends(NamedTuple):
    """A function that gives a thing back: which argument it is, the stream that it is ordered on, a word for it, and
    what it takes (empty: handles, or what is not told apart)."""

    what: int
    stream: int | None = None
    verb: str = "freed"
    of: frozenset[Made] = frozenset()
    arrays: bool = False


class Moves(NamedTuple):
    """A copy: target and source (None: a symbol of the device), the direction (``kind``, as ``cudaMemcpyKind``; None:
    see ``at``) or the argument that says it (``at``), the stream, the flag that makes it wait (None: ``waits``), the
    bytes (of one row, where there are ``rows``), the offsets in bytes and the pitches of both sides."""

    target: int | None
    source: int | None
    kind: int | None = None
    at: int | None = None
    stream: int | None = None
    flag: int | None = None
    waits: bool = True
    size: int | None = None
    target_offset: int | None = None
    source_offset: int | None = None
    pitches: tuple[int, int] | None = None
    rows: int | None = None
    symbol: int | None = None
    arrays: bool = False


class Boxes(NamedTuple):
    """A copy of a box between buffers or a buffer and memory of the host: its extents, an array of which the first one
    is in bytes, the second in rows and the third in slices; the pitches of rows on both sides (0: the first extent);
    and the pointer of the host, where there is one."""

    region: int
    pitches: tuple[int, int]
    host: int | None = None


class Fills(NamedTuple):
    """A fill: ``size`` elements of ``unit`` bytes at ``target`` are set to ``value``; ``bytewise``: to one byte of it.
    With a ``pitch`` it is that of one of several ``rows``."""

    target: int
    size: int | None = None
    unit: int = 1
    value: int = 1
    offset: int | None = None
    bytewise: bool = False
    stream: int | None = None
    waits: bool = True
    pitch: int | None = None
    rows: int | None = None


class Ranges(NamedTuple):
    """A function for a range of memory that writes nothing there: a lock, a prefetch, advice."""

    memory: int
    size: int
    locks: bool = False


class Maps(NamedTuple):
    """A function that gives a pointer of the host to part of a buffer, complete at once where ``flag`` says so."""

    memory: int
    flag: int
    offset: int | None = None
    size: int | None = None
    stream: int = 0


def roles(api: Makes | Ends | Moves | Fills | Ranges | Maps) -> dict[int, Role]:
    """The meaning of each argument that a record speaks of."""
    named: list[tuple[int | None, Role]] = []
    if isinstance(api, Makes):
        named = [(api.out, Role.OUT), (api.status, Role.STATUS), (api.size, Role.BYTES), (api.factor, Role.COUNT),
                 (api.pitch, Role.OUT), (api.stream, Role.STREAM)]  # fmt: skip
    elif isinstance(api, Ends):
        named = [(api.what, Role.HANDLE), (api.stream, Role.STREAM)]
    elif isinstance(api, Moves):
        to, start = api.pitches or (None, None)
        named = [(api.target, Role.TARGET), (api.source, Role.SOURCE), (api.symbol, Role.MEMORY), (api.at, Role.KIND),
                 (api.stream, Role.STREAM), (api.flag, Role.BLOCKING), (api.size, Role.BYTES),
                 (api.target_offset, Role.OFFSET), (api.source_offset, Role.OFFSET), (to, Role.PITCH),
                 (start, Role.PITCH), (api.rows, Role.ROWS)]  # fmt: skip
    elif isinstance(api, Fills):
        counted = Role.BYTES if api.unit == 1 else Role.ELEMENTS
        named = [(api.target, Role.TARGET), (api.size, counted), (api.value, Role.VALUE), (api.offset, Role.OFFSET),
                 (api.stream, Role.STREAM), (api.pitch, Role.PITCH), (api.rows, Role.ROWS)]  # fmt: skip
    elif isinstance(api, Ranges):
        named = [(api.memory, Role.MEMORY), (api.size, Role.BYTES)]
    else:
        named = [(api.memory, Role.MEMORY), (api.flag, Role.BLOCKING), (api.offset, Role.OFFSET),
                 (api.size, Role.BYTES), (api.stream, Role.STREAM)]  # fmt: skip
    return {at: role for at, role in named if at is not None}
