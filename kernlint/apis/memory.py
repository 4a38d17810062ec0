"""Allocations, releases, copies, fills, locks and mappings of CUDA, HIP, the driver and OpenCL.

Names are without the prefix of the runtime and the version of the interface (:func:`~.names.base_name`); for methods of
``cl::CommandQueue`` the queue is argument 0, as in C.  Sources: CUDA runtime API 12.x and CUDA driver API (memory
management, stream ordered memory allocator, stream and event management), HIP runtime API 6.x, OpenCL 3.0 API
specification (5.2 buffers, 5.3 images, 5.6 shared virtual memory, 5.13 queues), ``cl2.hpp``, ISO C 7.22.3.
"""

from __future__ import annotations

from kernlint.apis.records import Boxes, Ends, Fills, Made, Makes, Maps, Moves, Ranges

_DEVICE, _MANAGED, _PINNED, _HOST = Made.DEVICE, Made.MANAGED, Made.PINNED, Made.HOST

MAKES: dict[str, Makes] = {
    "Malloc": Makes(_DEVICE, 0, size=1),
    "MallocAsync": Makes(_DEVICE, 0, size=1, stream=2),
    "MallocFromPoolAsync": Makes(_DEVICE, 0, size=1, stream=3),
    "MallocPitch": Makes(_DEVICE, 0, pitch=1),
    "MallocArray": Makes(_DEVICE, 0, linear=False),
    "MallocMipmappedArray": Makes(_DEVICE, 0, linear=False),
    "Malloc3D": Makes(_DEVICE, 0, linear=False),
    "Malloc3DArray": Makes(_DEVICE, 0, linear=False),
    "ArrayCreate": Makes(_DEVICE, 0, linear=False),
    "Array3DCreate": Makes(_DEVICE, 0, linear=False),
    "ExtMallocWithFlags": Makes(_DEVICE, 0, size=1),
    "MemAlloc": Makes(_DEVICE, 0, size=1),
    "MemAllocAsync": Makes(_DEVICE, 0, size=1, stream=2),
    "MemAllocFromPoolAsync": Makes(_DEVICE, 0, size=1, stream=3),
    "MemAllocPitch": Makes(_DEVICE, 0, pitch=1),
    "MallocManaged": Makes(_MANAGED, 0, size=1),
    "MemAllocManaged": Makes(_MANAGED, 0, size=1),
    "MallocHost": Makes(_PINNED, 0, size=1),
    "HostAlloc": Makes(_PINNED, 0, size=1),
    "HostMalloc": Makes(_PINNED, 0, size=1),
    "MemAllocHost": Makes(_PINNED, 0, size=1),
    "MemHostAlloc": Makes(_PINNED, 0, size=1),
    "CreateBuffer": Makes(_DEVICE, None, 4, size=2),
    "CreateBufferWithProperties": Makes(_DEVICE, None, 5, size=3),
    "CreateSubBuffer": Makes(_DEVICE, None, 4),
    "CreateImage": Makes(_DEVICE, None, 5, linear=False),
    "CreateImage2D": Makes(_DEVICE, None, 7, linear=False),
    "CreateImage3D": Makes(_DEVICE, None, 9, linear=False),
    "CreatePipe": Makes(_DEVICE, None, 5, linear=False),
    "SVMAlloc": Makes(_MANAGED, None, size=2),
    "StreamCreate": Makes(Made.STREAM, 0),
    "StreamCreateWithFlags": Makes(Made.STREAM, 0),
    "StreamCreateWithPriority": Makes(Made.STREAM, 0),
    "EventCreate": Makes(Made.EVENT, 0),
    "EventCreateWithFlags": Makes(Made.EVENT, 0),
    "CreateCommandQueue": Makes(Made.QUEUE, None, 3),
    "CreateCommandQueueWithProperties": Makes(Made.QUEUE, None, 3),
    "malloc": Makes(_HOST, None, size=0),
    "calloc": Makes(_HOST, None, size=0, factor=1),
    "aligned_alloc": Makes(_HOST, None, size=1),
    "posix_memalign": Makes(_HOST, 0, size=2),
    "operator new": Makes(_HOST, None),
    "operator new[]": Makes(_HOST, None),
}

_OF_DEVICE = frozenset({_DEVICE, _MANAGED})
_OF_PINNED = frozenset({_PINNED})
_OF_HOST = frozenset({_HOST})

ENDS: dict[str, Ends] = {
    "Free": Ends(0, of=_OF_DEVICE),
    "FreeAsync": Ends(0, 1, of=_OF_DEVICE),
    "FreeArray": Ends(0, of=_OF_DEVICE, arrays=True),
    "FreeMipmappedArray": Ends(0, of=_OF_DEVICE, arrays=True),
    "ArrayDestroy": Ends(0, verb="destroyed", of=_OF_DEVICE, arrays=True),
    "FreeHost": Ends(0, of=_OF_PINNED),
    "HostFree": Ends(0, of=_OF_PINNED),
    "MemFree": Ends(0, of=_OF_DEVICE),
    "MemFreeAsync": Ends(0, 1, of=_OF_DEVICE),
    "MemFreeHost": Ends(0, of=_OF_PINNED),
    "ReleaseMemObject": Ends(0, verb="released"),
    "SVMFree": Ends(1),
    "free": Ends(0, of=_OF_HOST),
    "operator delete": Ends(0, verb="deleted", of=_OF_HOST),
    "operator delete[]": Ends(0, verb="deleted", of=_OF_HOST),
    "StreamDestroy": Ends(0, verb="destroyed"),
    "EventDestroy": Ends(0, verb="destroyed"),
    "DestroyTextureObject": Ends(0, verb="destroyed"),
    "DestroySurfaceObject": Ends(0, verb="destroyed"),
    "TexObjectDestroy": Ends(0, verb="destroyed"),
    "SurfObjectDestroy": Ends(0, verb="destroyed"),
}

H2D, D2H, D2D = 1, 2, 3
"""Directions, as ``cudaMemcpyKind`` numbers them."""

MOVES: dict[str, Moves] = {
    "Memcpy": Moves(0, 1, at=3, size=2),
    "MemcpyAsync": Moves(0, 1, at=3, stream=4, waits=False, size=2),
    "MemcpyWithStream": Moves(0, 1, at=3, stream=4, size=2),
    "MemcpyUnified": Moves(0, 1, size=2),
    "MemcpyUnifiedAsync": Moves(0, 1, size=2, stream=3, waits=False),
    "MemcpyPeer": Moves(0, 2, D2D, size=4, waits=False),
    "MemcpyPeerAsync": Moves(0, 2, D2D, size=4, stream=5, waits=False),
    "Memcpy2D": Moves(0, 2, at=6, size=4, pitches=(1, 3), rows=5),
    "Memcpy2DAsync": Moves(0, 2, at=6, stream=7, waits=False, size=4, pitches=(1, 3), rows=5),
    "MemcpyHtoD": Moves(0, 1, H2D, size=2),
    "MemcpyDtoH": Moves(0, 1, D2H, size=2),
    "MemcpyDtoD": Moves(0, 1, D2D, size=2),
    "MemcpyHtoDAsync": Moves(0, 1, H2D, stream=3, waits=False, size=2),
    "MemcpyDtoHAsync": Moves(0, 1, D2H, stream=3, waits=False, size=2),
    "MemcpyDtoDAsync": Moves(0, 1, D2D, stream=3, waits=False, size=2),
    "MemcpyToSymbol": Moves(None, 1, H2D, at=4, size=2, target_offset=3, symbol=0),
    "MemcpyToSymbolAsync": Moves(None, 1, H2D, at=4, stream=5, waits=False, size=2, target_offset=3, symbol=0),
    "MemcpyFromSymbol": Moves(0, None, D2H, at=4, size=2, source_offset=3, symbol=1),
    "MemcpyFromSymbolAsync": Moves(0, None, D2H, at=4, stream=5, waits=False, size=2, source_offset=3, symbol=1),
    "MemcpyToArray": Moves(0, 3, at=5, size=4, arrays=True),
    "MemcpyFromArray": Moves(0, 1, at=5, size=4, arrays=True),
    "Memcpy2DToArray": Moves(0, 3, at=7, size=5, arrays=True),
    "Memcpy2DFromArray": Moves(0, 2, at=7, size=5, arrays=True),
    "EnqueueReadBuffer": Moves(5, 1, D2H, stream=0, flag=2, size=4, source_offset=3),
    "EnqueueWriteBuffer": Moves(1, 5, H2D, stream=0, flag=2, size=4, target_offset=3),
    "EnqueueReadImage": Moves(7, 1, D2H, stream=0, flag=2, arrays=True),
    "EnqueueWriteImage": Moves(1, 7, H2D, stream=0, flag=2, arrays=True),
    "EnqueueReadBufferRect": Moves(10, 1, D2H, stream=0, flag=2, arrays=True),
    "EnqueueWriteBufferRect": Moves(1, 10, H2D, stream=0, flag=2, arrays=True),
    "EnqueueCopyImage": Moves(2, 1, D2D, stream=0, waits=False, arrays=True),
    "EnqueueCopyImageToBuffer": Moves(2, 1, D2D, stream=0, waits=False, arrays=True),
    "EnqueueCopyBufferToImage": Moves(2, 1, D2D, stream=0, waits=False, arrays=True),
    "EnqueueCopyBufferRect": Moves(2, 1, D2D, stream=0, waits=False, arrays=True),
    "EnqueueCopyBuffer": Moves(2, 1, D2D, stream=0, waits=False, size=5, target_offset=4, source_offset=3),
    "EnqueueSVMMemcpy": Moves(2, 3, stream=0, flag=1, size=4),
}
"""``arrays``: one side is no memory that a pointer leads to, or lies in boxes: its bytes are not compared."""

BOXES: dict[str, Boxes] = {
    "EnqueueReadBufferRect": Boxes(5, (6, 8), 10),
    "EnqueueWriteBufferRect": Boxes(5, (6, 8), 10),
    "EnqueueCopyBufferRect": Boxes(5, (6, 8)),
}
"""OpenCL 3.0 API, 5.2.3: "The region width and the offsets along it are given in bytes"; a pitch that is not 0 and less
than the width fails (CL_INVALID_VALUE)."""

FILLS: dict[str, Fills] = {
    "Memset": Fills(0, 2, bytewise=True),
    "MemsetAsync": Fills(0, 2, bytewise=True, stream=3, waits=False),
    "MemsetD8": Fills(0, 2),
    "MemsetD16": Fills(0, 2, unit=2),
    "MemsetD32": Fills(0, 2, unit=4),
    "MemsetD8Async": Fills(0, 2, stream=3, waits=False),
    "MemsetD16Async": Fills(0, 2, unit=2, stream=3, waits=False),
    "MemsetD32Async": Fills(0, 2, unit=4, stream=3, waits=False),
    "Memset2D": Fills(0, 3, value=2, bytewise=True, pitch=1, rows=4),
    "Memset2DAsync": Fills(0, 3, value=2, bytewise=True, stream=5, waits=False, pitch=1, rows=4),
    "MemsetD2D8": Fills(0, 3, value=2, pitch=1, rows=4),
    "MemsetD2D16": Fills(0, 3, unit=2, value=2, pitch=1, rows=4),
    "MemsetD2D32": Fills(0, 3, unit=4, value=2, pitch=1, rows=4),
    "EnqueueFillBuffer": Fills(1, 5, value=2, offset=4, stream=0, waits=False),
    "EnqueueSVMMemFill": Fills(1, 4, value=2, stream=0, waits=False),
}

HOST_MOVES: dict[str, Moves] = {"memcpy": Moves(0, 1, size=2), "memmove": Moves(0, 1, size=2)}
HOST_FILLS: dict[str, Fills] = {"memset": Fills(0, 2, bytewise=True)}
"""What the language's library does to memory that the host reaches (ISO C 7.24.2 and 7.24.6); it waits for nothing."""

RANGES: dict[str, Ranges] = {
    "HostRegister": Ranges(0, 1, locks=True),
    "MemHostRegister": Ranges(0, 1, locks=True),
    "MemPrefetchAsync": Ranges(0, 1),
    "MemAdvise": Ranges(0, 1),
}

MAPS: dict[str, Maps] = {
    "EnqueueMapBuffer": Maps(1, 2, offset=4, size=5),
    "EnqueueMapImage": Maps(1, 2),
}
