"""What waits for what, in host code: CUDA, HIP, the driver and OpenCL.

Names are as in :mod:`.memory`.  Sources: CUDA runtime API 12.x (API synchronisation behaviour, stream and event
management), CUDA driver API, HIP runtime API 6.x, OpenCL 3.0 API specification (5.11 to 5.15).
"""

from __future__ import annotations

WAITS: dict[str, int | None] = {
    "DeviceSynchronize": None, "ThreadSynchronize": None, "CtxSynchronize": None, "StreamSynchronize": 0,
    "EventSynchronize": 0, "StreamQuery": None, "EventQuery": None, "Finish": 0, "WaitForEvents": None,
    "EventElapsedTime": None, "ReleaseCommandQueue": None, "GetEventInfo": None, "GetEventProfilingInfo": None,
    "LaunchHostFunc": None, "StreamAddCallback": None, "EnqueueBarrier": None, "EnqueueBarrierWithWaitList": None,
    "EnqueueMarkerWithWaitList": None, "EnqueueMarker": None, "EnqueueWaitForEvents": None,
    "EnqueueUnmapMemObject": None,
    "StreamBeginCapture": None, "StreamEndCapture": None, "GraphLaunch": None, "SetEventCallback": None,
}  # fmt: skip
"""Functions that wait, or after which it is not known what is over: for what argument 0 is, or (None) for all."""

RECORDS = frozenset({"EventRecord", "EventRecordWithFlags"})
"""Functions after which an event (argument 0) stands for what a stream (argument 1) has been given."""

RESETS = frozenset({"DeviceReset", "ThreadExit"})
"""Functions after which nothing that was allocated on the device is there any more."""

ASKS_ERROR = frozenset({"GetLastError", "PeekAtLastError"})

USE_HOST_PTR = 8
"""Flag of a buffer that has its contents in memory of the host, as long as it lives (OpenCL 3.0 API, 5.2.1)."""

NON_BLOCKING = 1
"""Flag of a stream that does not wait for the default one."""
