"""What functions of PyOpenCL, PyCUDA, CuPy and PyTorch make, copy and wait for: one table.

Sources: PyOpenCL's reference (``enqueue_copy``: ``is_blocking`` is true by default between host and device; a copy
between buffers never waits), PyCUDA's driver interface, CuPy's ``ndarray.get`` and ``asnumpy`` (``blocking`` is true by
default), PyTorch's note on ``non_blocking`` (a copy to the host "requires synchronisation before the data is read").
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from kernlint.record import dataclass


@dataclass(frozen=True, slots=True)
class Made:
    """An array or buffer: where it is, whether without contents, and whether page-locked."""

    where: str
    empty: bool = False
    pinned: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Moved:
    """A copy.  ``later``: it may not be over when the call returns; ``makes``: its target is the call's result, the
    first of a ``pair`` where that has an event with it; ``device``: from the device to the device; ``whole``: it fills
    its target, on the device."""

    target: object
    source: object
    later: bool = False
    makes: bool = False
    pair: bool = False
    device: bool = False
    whole: bool = False


_EMPTY = {"numpy.empty": "host", "numpy.empty_like": "host", "numpy.ndarray": "host", "cupy.empty": "device",
          "cupy.empty_like": "device", "pycuda.driver.mem_alloc": "device", "pycuda.gpuarray.empty": "device",
          "pycuda.gpuarray.empty_like": "device", "pyopencl.array.empty": "device",
          "pyopencl.array.empty_like": "device", "cupyx.empty_pinned": "host", "cupyx.empty_like_pinned": "host",
          "pycuda.driver.pagelocked_empty": "host"}  # fmt: skip
_FULL = {"numpy.zeros": "host", "numpy.ones": "host", "numpy.zeros_like": "host", "numpy.full": "host",
         "numpy.array": "host", "numpy.asarray": "host", "numpy.ascontiguousarray": "host", "numpy.arange": "host",
         "cupyx.zeros_pinned": "host", "pycuda.driver.pagelocked_zeros": "host", "pycuda.gpuarray.to_gpu": "device",
         "pycuda.gpuarray.zeros": "device", "pyopencl.array.to_device": "device", "pyopencl.array.zeros": "device",
         "cupy.asarray": "device", "cupy.array": "device", "cupy.zeros": "device", "cupy.ones": "device",
         "pycuda.driver.to_device": "device"}  # fmt: skip
_TORCH_MAKES = frozenset({"torch.empty", "torch.zeros", "torch.ones", "torch.empty_like", "torch.full", "torch.rand",
                          "torch.randn", "torch.tensor"})  # fmt: skip
_WAITS = frozenset({"synchronize", "finish", "wait", "wait_for_events", "query", "join", "result", "item", "tolist",
                    "cpu", "wait_stream", "wait_event", "elapsed_time"})  # fmt: skip


def _said(e: ast.Call, name: str) -> object:
    """A keyword's constant; None where it is not given, Ellipsis where it is no constant."""
    found = next((key.value for key in e.keywords if key.arg == name), None)
    if found is None:
        return None
    return found.value if isinstance(found, ast.Constant) else ...


def known_call(
    e: ast.Call, name: str, owner: object, args: list[object], keys: dict[str, object]
) -> Made | Moved | None:
    """What a call of a library is; None: none that is known.  ``owner``: the array that it is a method of."""
    last = e.func.attr if isinstance(e.func, ast.Attribute) else name
    if name in _EMPTY:
        return Made(_EMPTY[name], True, "pinned" in name or "pagelocked" in name)
    if name in _FULL:
        return Made(_FULL[name], False, "pinned" in name or "pagelocked" in name)
    if name in _TORCH_MAKES:
        return _tensor(e)
    if name == "pyopencl.Buffer":
        return Made("device", len(e.args) > 2 and "hostbuf" not in keys and "COPY_HOST_PTR" not in ast.dump(e))
    if name.endswith("enqueue_copy") and name.startswith("pyopencl") and len(args) >= 3:
        return _enqueued(e, args)
    if name.startswith("pycuda.driver.memcpy_"):
        return _driver(name.rpartition("_memcpy_")[2] or last, args)
    return _method(e, last, name, owner, args, keys)


def _where(given: object) -> str:
    return str(getattr(given, "where", ""))


def _enqueued(e: ast.Call, args: list[object]) -> Moved:
    target, source = args[1], args[2]
    parts = any(key.arg in ("src_offset", "dst_offset", "dest_offset", "byte_count", "region") for key in e.keywords)
    between = _where(target) == "device" and _where(source) == "device"
    later = _said(e, "is_blocking") is False and _where(target) == "host"
    return Moved(target, source, later, device=between, whole=not parts and _where(target) == "device")


def _driver(what: str, args: list[object]) -> Moved | None:
    if len(args) < 2:
        return None
    later = what == "dtoh_async" or what.endswith("dtoh_async")
    return Moved(args[0], args[1], later, device="dtod" in what, whole="dtoh" not in what)


def _tensor(e: ast.Call) -> Made:
    """A tensor: on the host where it is page-locked, or where no device is said."""
    pinned = _said(e, "pin_memory") is True
    device = _said(e, "device")
    if device is None or device == "cpu":
        return Made("host", False, pinned)
    return Made("device" if isinstance(device, str) else "", False)


def _method(
    e: ast.Call, last: str, name: str, owner: object, args: list[object], keys: dict[str, object]
) -> Made | Moved | None:
    if not isinstance(e.func, ast.Attribute):
        return None
    later = _said(e, "non_blocking") is True
    if last == "to" and later and e.args and isinstance(e.args[0], ast.Constant) and e.args[0].value == "cpu":
        return Moved(None, owner, True, makes=True)
    if last == "copy_" and owner is not None and args:
        moved = later and _where(owner) == "host" and (getattr(owner, "pinned", False) or _where(args[0]) == "device")
        return Moved(owner, args[0], moved)
    if last == "pin_memory":
        return Made("host", False, True)
    if last == "cuda":
        return Made("device")
    if last == "get" and _said(e, "blocking") is False and "out" in keys:
        return Moved(keys["out"], owner, True)
    if last == "get" and _said(e, "blocking") is False:
        return Moved(None, owner, True, makes=True)
    if name == "cupy.asnumpy" and _said(e, "blocking") is False:
        given = keys.get("out")
        return Moved(given, args[0] if args else None, True, makes=given is None)
    if last == "copy_to_host_async" and args and getattr(args[0], "pinned", False):
        return Moved(args[0], owner, True)  # of a memory pointer of CuPy
    if last == "get_async":
        given = keys.get("ary", args[1] if len(args) > 1 else None)
        return Moved(given, owner, True, makes=given is None, pair=True)
    return None


def waits(e: ast.Call, name: str, owner: object) -> bool:
    """Whether a call waits for the device, or may."""
    last = e.func.attr if isinstance(e.func, ast.Attribute) else name
    if last in ("item", "tolist", "cpu") and owner is not None and _where(owner) != "device":
        return False  # a read
    return last in _WAITS


_OWN_MEMORY = frozenset({"contiguous", "to", "clone", "cuda", "float", "half", "int", "long", "astype", "copy",
                         "asarray", "array", "ascontiguousarray", "empty", "zeros", "ones"})  # fmt: skip
"""Methods and functions that may give an array of its own memory."""


def pointer_of_temporary(e: ast.expr, full: Callable[[ast.expr], str]) -> bool:
    """Whether an expression is the address of an array that nothing keeps: ``x.contiguous().data_ptr()``,
    ``cupy.asarray(x).data.ptr``, ``int(pycuda.driver.to_device(x))``.  ``full``: gives the full name of a function."""
    owner: ast.expr | None = None
    if isinstance(e, ast.Call) and isinstance(e.func, ast.Attribute) and e.func.attr == "data_ptr":
        owner = e.func.value
    elif isinstance(e, ast.Attribute) and e.attr == "ptr" and isinstance(e.value, ast.Attribute):
        owner = e.value.value if e.value.attr == "data" else None
    elif isinstance(e, ast.Call) and full(e.func) == "int" and len(e.args) == 1 and isinstance(e.args[0], ast.Call):
        return full(e.args[0].func) in ("pycuda.driver.to_device", "pycuda.driver.mem_alloc")
    if not isinstance(owner, ast.Call):
        return False
    last = owner.func.attr if isinstance(owner.func, ast.Attribute) else full(owner.func).rpartition(".")[2]
    return last in _OWN_MEMORY
