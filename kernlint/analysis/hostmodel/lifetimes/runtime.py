"""What functions of the runtimes do to memory and handles: one table for CUDA, HIP, the driver and OpenCL.

Names are without the prefix of the runtime and the version of the interface (:func:`~..places.base_name`).  Positions
count from 0; for methods of ``cl::CommandQueue`` the queue is argument 0, as in C.  Sources: CUDA runtime API 12.x
(memory management, stream management, API synchronisation behaviour), CUDA driver API, HIP runtime API 6.x, OpenCL 3.0
API specification (5.2 buffers, 5.3 images, 5.13 queues), ``cl.hpp`` and ``cl2.hpp``.
"""

from __future__ import annotations

from typing import NamedTuple

from kernlint.analysis.hostmodel.lifetimes.model import Kind
from kernlint.text.patterns import pattern


class Makes(NamedTuple):
    """A function that makes a thing: the argument that receives it (None: the result), and the one for the status
    (None: the result is the status, or null tells of failure)."""

    kind: Kind
    out: int | None
    status: int | None = None


MAKES: dict[str, Makes] = {
    "Malloc": Makes(Kind.DEVICE, 0),
    "MallocAsync": Makes(Kind.DEVICE, 0),
    "MallocFromPoolAsync": Makes(Kind.DEVICE, 0),
    "MallocPitch": Makes(Kind.DEVICE, 0),
    "MallocArray": Makes(Kind.DEVICE, 0),
    "Malloc3D": Makes(Kind.DEVICE, 0),
    "Malloc3DArray": Makes(Kind.DEVICE, 0),
    "ExtMallocWithFlags": Makes(Kind.DEVICE, 0),
    "MemAlloc": Makes(Kind.DEVICE, 0),
    "MemAllocAsync": Makes(Kind.DEVICE, 0),
    "MemAllocPitch": Makes(Kind.DEVICE, 0),
    "MallocManaged": Makes(Kind.MANAGED, 0),
    "MemAllocManaged": Makes(Kind.MANAGED, 0),
    "MallocHost": Makes(Kind.PINNED, 0),
    "HostAlloc": Makes(Kind.PINNED, 0),
    "HostMalloc": Makes(Kind.PINNED, 0),
    "MemAllocHost": Makes(Kind.PINNED, 0),
    "MemHostAlloc": Makes(Kind.PINNED, 0),
    "CreateBuffer": Makes(Kind.DEVICE, None, 4),
    "CreateSubBuffer": Makes(Kind.DEVICE, None, 4),
    "CreateImage": Makes(Kind.DEVICE, None, 5),
    "CreateImage2D": Makes(Kind.DEVICE, None, 7),
    "CreateImage3D": Makes(Kind.DEVICE, None, 9),
    "SVMAlloc": Makes(Kind.MANAGED, None),
    "StreamCreate": Makes(Kind.STREAM, 0),
    "StreamCreateWithFlags": Makes(Kind.STREAM, 0),
    "StreamCreateWithPriority": Makes(Kind.STREAM, 0),
    "EventCreate": Makes(Kind.EVENT, 0),
    "EventCreateWithFlags": Makes(Kind.EVENT, 0),
    "malloc": Makes(Kind.HOST, None),
    "calloc": Makes(Kind.HOST, None),
    "aligned_alloc": Makes(Kind.HOST, None),
    "operator new": Makes(Kind.HOST, None),
    "operator new[]": Makes(Kind.HOST, None),
}
"""Functions of the prefixes of the runtimes, and of the C library (these have none)."""


class Ends(NamedTuple):
    """A function that gives a thing back: which argument it is, and the stream that it is ordered on (None: none)."""

    what: int
    stream: int | None = None
    verb: str = "freed"


ENDS: dict[str, Ends] = {
    "Free": Ends(0),
    "FreeAsync": Ends(0, 1),
    "FreeArray": Ends(0),
    "FreeHost": Ends(0),
    "HostFree": Ends(0),
    "MemFree": Ends(0),
    "MemFreeAsync": Ends(0, 1),
    "MemFreeHost": Ends(0),
    "ReleaseMemObject": Ends(0, verb="released"),
    "SVMFree": Ends(1),
    "free": Ends(0),
    "operator delete": Ends(0, verb="deleted"),
    "operator delete[]": Ends(0, verb="deleted"),
    "StreamDestroy": Ends(0, verb="destroyed"),
    "EventDestroy": Ends(0, verb="destroyed"),
}

RESETS = frozenset({"DeviceReset", "ThreadExit"})
"""Functions after which nothing that was allocated on the device is there any more."""


class Moves(NamedTuple):
    """A copy: arguments that are target and source (None: a symbol of the device), the direction (None: see ``at``),
    the argument that says it, the stream, the flag that makes it wait (None: ``waits``), and the bytes."""

    target: int | None
    source: int | None
    kind: int | None = None
    at: int | None = None
    stream: int | None = None
    flag: int | None = None
    waits: bool = True
    size: int | None = None


H2D, D2H, D2D = 1, 2, 3

MOVES: dict[str, Moves] = {
    "Memcpy": Moves(0, 1, at=3, size=2),
    "MemcpyAsync": Moves(0, 1, at=3, stream=4, waits=False, size=2),
    "Memcpy2D": Moves(0, 2, at=6),
    "Memcpy2DAsync": Moves(0, 2, at=6, stream=7, waits=False),
    "MemcpyHtoD": Moves(0, 1, H2D, size=2),
    "MemcpyDtoH": Moves(0, 1, D2H, size=2),
    "MemcpyDtoD": Moves(0, 1, D2D, size=2),
    "MemcpyHtoDAsync": Moves(0, 1, H2D, stream=3, waits=False, size=2),
    "MemcpyDtoHAsync": Moves(0, 1, D2H, stream=3, waits=False, size=2),
    "MemcpyDtoDAsync": Moves(0, 1, D2D, stream=3, waits=False, size=2),
    "MemcpyToSymbol": Moves(None, 1, H2D, size=2),
    "MemcpyToSymbolAsync": Moves(None, 1, H2D, stream=5, waits=False, size=2),
    "MemcpyFromSymbol": Moves(0, None, D2H, size=2),
    "MemcpyFromSymbolAsync": Moves(0, None, D2H, stream=5, waits=False, size=2),
    "EnqueueReadBuffer": Moves(5, 1, D2H, stream=0, flag=2, size=4),
    "EnqueueWriteBuffer": Moves(1, 5, H2D, stream=0, flag=2, size=4),
    "EnqueueReadImage": Moves(7, 1, D2H, stream=0, flag=2),
    "EnqueueWriteImage": Moves(1, 7, H2D, stream=0, flag=2),
    "EnqueueReadBufferRect": Moves(10, 1, D2H, stream=0, flag=2),
    "EnqueueWriteBufferRect": Moves(1, 10, H2D, stream=0, flag=2),
    "EnqueueCopyImage": Moves(2, 1, D2D, stream=0, waits=False),
    "EnqueueCopyImageToBuffer": Moves(2, 1, D2D, stream=0, waits=False),
    "EnqueueCopyBufferToImage": Moves(2, 1, D2D, stream=0, waits=False),
    "EnqueueCopyBuffer": Moves(2, 1, D2D, stream=0, waits=False),
    "EnqueueSVMMemcpy": Moves(2, 3, stream=0, flag=1, size=4),
}

FILLS = {"Memset": 0, "MemsetAsync": 0, "MemsetD8": 0, "MemsetD16": 0, "MemsetD32": 0, "Memset2D": 0,
         "EnqueueFillBuffer": 1, "MemsetD8Async": 0, "MemsetD32Async": 0}  # fmt: skip

READS: dict[str, tuple[int, ...]] = {
    "memcpy": (1,), "memmove": (1,), "memcmp": (0, 1), "fwrite": (0,), "write": (1,), "send": (1,),
    "std::memcpy": (1,), "std::memmove": (1,), "std::memcmp": (0, 1), "std::fwrite": (0,),
    "std::ostream::write": (1,), "std::ofstream::write": (1,), "std::fstream::write": (1,),
    "std::iostream::write": (1,), "std::ostringstream::write": (1,), "std::stringstream::write": (1,),
}  # fmt: skip
"""Functions of the C and C++ libraries that read, before they return, what an argument points to (ISO C 7.24.2, 7.21.8;
POSIX write, send; ISO C++ [ostream.unformatted]); a method's object is argument 0."""

MAPS = {"EnqueueMapBuffer": 2, "EnqueueMapImage": 2}
"""Functions that give a pointer of the host, complete at once where the flag says so."""

WAITS: dict[str, int | None] = {
    "DeviceSynchronize": None, "ThreadSynchronize": None, "CtxSynchronize": None, "StreamSynchronize": 0,
    "EventSynchronize": 0, "StreamQuery": None, "EventQuery": None, "Finish": 0, "WaitForEvents": None,
    "EventElapsedTime": None, "ReleaseCommandQueue": None, "GetEventInfo": None, "GetEventProfilingInfo": None,
    "LaunchHostFunc": None, "StreamAddCallback": None, "EnqueueBarrier": None, "EnqueueUnmapMemObject": None,
    "StreamBeginCapture": None, "StreamEndCapture": None, "GraphLaunch": None, "SetEventCallback": None,
}  # fmt: skip
"""Functions that wait, or after which it is not known what is over: for what argument 0 is, or (None) for all."""

MAY_WAIT = pattern(
    r"\w*(?:[Ss]ync|[Ww]ait|[Qq]uery|[Ff]inish|[Bb]arrier|[Cc]allback|HostFunc|join|[Cc]omplete|[Ff]lush|[Pp]oll)\w*"
)
"""Names of functions out of sight that may wait."""

RECORDS = frozenset({"EventRecord", "EventRecordWithFlags"})
ASKS_ERROR = frozenset({"GetLastError", "PeekAtLastError"})

BORROWS = pattern(
    r"(?:cuda|hip|cu|cl)(?!\w*(?:Free|Release|Destroy|Delete|Dealloc|Check|Safe|Call|Try|Own|Wrap))[A-Z]\w*"
    r"|cl(?:Release|Retain)(?:Event|Kernel|Program|Context|Device|Sampler)"
    r"|(?:cuda|hip|cu)\w+(?:Object|Graph|Exec)Destroy"
    r"|(?:cublas|cufft|cusparse|cusolver|curand|cudnn|nccl|rccl|hipblas|hipfft|hipsparse|hiprand|rocblas|rocfft"
    r"|rocsparse|rocrand|miopen|clblast|npp|nvjpeg|nvtx|hipcub)\w*|CLBlast\w*"
    r"|(?:thrust|cub|hipcub|rocprim|clblast|clblas)::(?!device_ptr|device_vector).*|make_\w+"
    r"|\w*printf|puts|putchar|f(?:open|close|flush|write|puts|seek|tell|read)|perror|assert"
    r"|mem(?:cpy|set|move|cmp)|str(?:cmp|len|cpy|error)|getenv|ato[if]|time|clock|rand|srand|abs|sqrtf?|min|max"
    r"|std::(?:min|max|abs|sqrt|copy|copy_n|fill|fill_n|memcpy|memset|accumulate|sort"
    r"|cout|cerr|to_string|iota|generate)"
    r"|operator(?:<<|>>|==|!=|<|>)|std::operator(?:<<|>>)|std::basic_ostream::operator<<|cl::CommandQueue::\w+"
    r"|cl::Kernel::setArg"
)
"""Functions that use what they are given, and keep, free or wait for none of it."""

ENDS_PROGRAM = frozenset({"exit", "abort", "_exit", "_Exit", "quick_exit", "terminate", "__assert_fail"})

USE_HOST_PTR = 8
"""Flag of a buffer that has its contents in memory of the host, as long as it lives (OpenCL 3.0 API, 5.2.1)."""

NON_BLOCKING = 1
"""Flag of a stream that does not wait for the default one."""
