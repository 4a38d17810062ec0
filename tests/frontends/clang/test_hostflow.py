"""What is remarked of the host code of Python programs: reads that are too early, copies of nothing, uses of what was
given back."""

from __future__ import annotations

import pytest

from kernlint.frontends.clang.python.hostnotes import add_host_remarks

CASES: dict[str, str] = {
    "a method copies and another one reads": """
import numpy as np
import pyopencl as cl

class Engine:
    def __init__(self, ctx):
        self.queue = cl.CommandQueue(ctx)

    def fetch(self, buf, n):
        out = np.empty(n, np.float32)
        cl.enqueue_copy(self.queue, out, buf, is_blocking=False)
        return out

    def norm(self, buf, n):
        v = self.fetch(buf, n)
        return np.sqrt((v * v).sum())  # early-host-read

    def waited(self, buf, n):
        v = self.fetch(buf, n)
        self.queue.finish()
        return np.sqrt((v * v).sum())
""",
    "tensors": """
import torch

def top(model, batch):
    scores = model(batch.cuda()).softmax(-1).to("cpu", non_blocking=True)
    return [float(s.max()) for s in scores]  # early-host-read

def kept(results):
    return {name: one.to("cpu", non_blocking=True) for name, one in results.items()}

def upload(batch, device):
    return batch.to(device, non_blocking=True).sum()

def waited(model, batch):
    scores = model(batch.cuda()).to("cpu", non_blocking=True)
    torch.cuda.synchronize()
    return scores.max()

def either(model, batch, now):
    scores = model(batch.cuda()).to("cpu", non_blocking=True)
    if now:
        torch.cuda.synchronize()
    return scores.max()
""",
    "page-locked members": """
import torch

class Collector:
    def __init__(self, n):
        self.host = torch.empty(n, pin_memory=True)
        self.stream = torch.cuda.Stream()

    def gather(self, dev):
        self.host.copy_(dev, non_blocking=True)
        return self.host.numpy().sum()  # early-host-read

    def gathered(self, dev):
        self.host.copy_(dev, non_blocking=True)
        self.stream.synchronize()
        return self.host.numpy().sum()
""",
    "arrays of CuPy and PyOpenCL": """
import cupy as cp
import cupyx
import numpy as np
import pyopencl.array as cla

def collect(x, stream):
    host = cupyx.empty_pinned(x.shape, x.dtype)
    x.get(stream=stream, out=host, blocking=False)
    return np.argmax(host)  # early-host-read

def mean(queue, values):
    host, event = cla.to_device(queue, values).get_async(queue)
    event.wait()
    return host.mean()

def hasty(queue, values):
    host, event = cla.to_device(queue, values).get_async(queue)
    return host.mean()  # early-host-read
""",
    "copies the wrong way": """
import numpy as np
import pyopencl as cl

class Blur:
    def __init__(self, ctx, n):
        self.queue = cl.CommandQueue(ctx)
        self.mem = {}
        for name in ("input", "scale"):
            self.mem[name] = cl.Buffer(ctx, cl.mem_flags.READ_WRITE, n)

    def process(self, image):
        cl.enqueue_copy(self.queue, self.mem["input"], image)
        cl.enqueue_copy(self.queue, self.mem["input"], self.mem["scale"])  # copy-over-copy

    def processed(self, image):
        cl.enqueue_copy(self.queue, self.mem["input"], image)
        cl.enqueue_copy(self.queue, self.mem["scale"], self.mem["input"])

def fetch(ctx, queue, kernel, n):
    device = cl.Buffer(ctx, cl.mem_flags.WRITE_ONLY, n)
    out = np.empty(n, np.float32)
    kernel(queue, (n,), None, device)
    cl.enqueue_copy(queue, device, out)  # copy-of-nothing
    return out
""",
    "addresses": """
import cupy as cp
import pycuda.driver as drv

def run(kernel, x, y):
    p = x.contiguous().data_ptr()  # pointer-of-temporary
    kept = y.contiguous()
    q = kept.data_ptr()
    v = y.view(-1).data_ptr()
    a = cp.asarray(y).data.ptr  # pointer-of-temporary
    d = int(drv.to_device(y))  # pointer-of-temporary
    kernel((1,), (64,), (p, q, v, a, d))
""",
    "bytes for elements": """
import numpy as np
import pycuda.driver as drv
import pyopencl as cl

def blur(ctx, queue, kernel, image):
    rows = np.zeros(image.shape, "float32")
    mask = np.zeros(image.shape, np.uint8)
    kept = np.zeros(image.shape)
    a = cl.Buffer(ctx, cl.mem_flags.READ_WRITE, rows.size)  # elements-as-bytes
    b = cl.Buffer(ctx, cl.mem_flags.READ_WRITE, mask.size)
    c = cl.Buffer(ctx, cl.mem_flags.READ_WRITE, rows.size * 4)
    d = cl.Buffer(ctx, cl.mem_flags.READ_WRITE, rows.size)
    e = cl.Buffer(ctx, cl.mem_flags.READ_WRITE, size=int(kept.size))  # elements-as-bytes
    kernel(queue, rows.shape, None, a, b, c, d, e)
    cl.enqueue_copy(queue, rows, a)
    cl.enqueue_copy(queue, mask, b)
    cl.enqueue_copy(queue, rows, c)
    cl.enqueue_copy(queue, mask, d)
    cl.enqueue_copy(queue, kept, e)
    return rows, mask, kept

class Sender:
    def __init__(self, data):
        self.data = np.ascontiguousarray(data, dtype=np.int32)
        self.device = drv.mem_alloc(len(self.data))  # elements-as-bytes
        drv.memcpy_htod(self.device, self.data)
""",
    "a pointer of CuPy copies": """
import cupy as cp
import cupyx
import numpy as np

class Meter:
    def __init__(self):
        self.stream = cp.cuda.Stream(non_blocking=True)
        self.fixed = cupyx.zeros_pinned((4,), dtype=np.float32)
        self.paged = np.zeros((4,), dtype=np.float32)

    def late(self, values):
        values.data.copy_to_host_async(self.fixed.ctypes.data, self.fixed.nbytes, self.stream)
        self.stream.synchronize()
        return float(self.fixed[0])

    def early(self, values):
        values.data.copy_to_host_async(self.fixed.ctypes.data, self.fixed.nbytes, self.stream)
        return float(self.fixed[0])  # early-host-read

    def staged(self, values):
        values.data.copy_to_host_async(self.paged.ctypes.data, self.paged.nbytes, self.stream)
        return float(self.paged[0])
""",
    "addresses that outlive": """
import cupy as cp
import numpy as np
import pycuda.driver as drv

def table(parts):
    found = np.zeros(len(parts), np.uint64)
    for i, part in enumerate(parts):
        one = drv.mem_alloc(part.nbytes)
        drv.memcpy_htod(one, part)
        found[i] = int(one)  # address-of-dropped
    return drv.to_device(found)

def listed(parts):
    found = []
    for part in parts:
        one = cp.array(part)
        found.append(one.data.ptr)  # address-of-dropped
    return cp.array(found)

def held(parts):
    found, arrays = [], []
    for part in parts:
        one = cp.array(part)
        arrays.append(one)
        found.append(one.data.ptr)
    return cp.array(found), arrays

def owned(parts, store):
    found = []
    for part in parts:
        one = drv.to_device(part)
        store.add(one)
        found.append(int(one))
    return found
""",
    "given back": """
import numpy as np
import pycuda.driver as drv

def run(kernel, n, early):
    device = drv.mem_alloc(n)
    out = np.zeros(n, np.float32)
    kernel(device, block=(64, 1, 1))
    device.free()
    drv.memcpy_dtoh(out, device)  # used-after-release
    return out

def some(kernel, n, early):
    device = drv.mem_alloc(n)
    out = np.zeros(n, np.float32)
    kernel(device, block=(64, 1, 1))
    if early:
        device.free()
        return out
    drv.memcpy_dtoh(out, device)
    device.free()
    return out
""",
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_remarked(name: str) -> None:
    text = CASES[name]
    lines = text.splitlines()
    expected = {(i, line.partition("  # ")[2]) for i, line in enumerate(lines, 1) if "  # " in line}
    modules = add_host_remarks("program.py", text.encode(), [])
    got = {(text[: one.span.start].count("\n") + 1, one.kind) for module in modules for one in module.remarks}
    assert got == expected
