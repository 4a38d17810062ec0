r"""The rule ``unsynchronised-host-read``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleFacts
from kernlint.analysis.hostmodel.lifetimes.analysis import lifetimes
from kernlint.analysis.hostmodel.lifetimes.model import Fault
from kernlint.analysis.hostmodel.operations import host_operations
from kernlint.analysis.hostmodel.pending import Early, early_accesses
from kernlint.analysis.hostmodel.profiled import untimed
from kernlint.analysis.hostmodel.rerecorded import rerecorded
from kernlint.analysis.remarks import remarks
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, ModuleRule


class UnsynchronisedHostRead(ModuleRule):
    r'''The host reads what the device may not have written yet.

    A copy to the host that the call does not wait for, and a kernel that writes managed memory, run on while the host
    goes on. What they write may be read after a wait for the stream, queue, event or device. Likewise pinned memory
    may be written again only when an asynchronous copy from it is over. Reported where nothing between the two waits;
    any call of a function that is not in sight may do so. A copy of CUDA or HIP to pageable memory (a variable, memory
    of `malloc` or `new` that nobody locks) is over when the call returns: that is a note, as it lasts only until
    somebody pins the memory.

    A wait for an event is for what was recorded last alone. Reported where one event is recorded on stream after
    stream, and waited for when they are through.

    Times of OpenCL's commands are not there before they are over, and never where the queue is made without
    `CL_QUEUE_PROFILING_ENABLE`.

    Kernels may be too early as well: reported where memory is filled on one stream (`cudaMemsetAsync`), a kernel gets
    it on another one that does not wait for the first (the default stream, and one made with `cudaStreamNonBlocking`),
    and nothing is between; and where it reads what a kernel on another stream of the same function writes.

    Arrays of numba likewise: ``copy_to_host`` waits, unless it is given a stream and an array to fill (one that it
    makes itself, or NumPy in sight, is pageable, and filled when the call returns); mapped and managed arrays are
    written by the kernel itself. And what ``to_device`` has made is a copy: where a kernel writes that and nothing
    copies it back, the array that it was made of is still as it was.

    ```cuda bad
    int first(const int *x, cudaStream_t stream) {
        int *pinned = nullptr;
        cudaMallocHost(&pinned, sizeof(int));
        cudaMemcpyAsync(pinned, x, sizeof(int), cudaMemcpyDeviceToHost, stream);
        const int value = *pinned;  // expect: KL614
        cudaStreamSynchronize(stream);
        cudaFreeHost(pinned);
        return value;
    }
    ```

    ```cuda bad
    __global__ void add(int *sum) { atomicAdd(sum, 1); }
    int count() {
        int *sum = nullptr;
        cudaMallocManaged(&sum, sizeof(int));
        add<<<4, 64>>>(sum);
        const int found = *sum;  // expect: KL614
        cudaFree(sum);
        return found;
    }
    ```

    ```hip bad
    #include <hip/hip_runtime.h>
    void send(float *x, size_t n, hipStream_t stream) {
        float *pinned = nullptr;
        hipHostMalloc(&pinned, n * sizeof(float), 0);
        pinned[0] = 1.0f;
        hipMemcpyAsync(x, pinned, n * sizeof(float), hipMemcpyHostToDevice, stream);
        pinned[0] = 2.0f;  // expect: KL614
        hipStreamSynchronize(stream);
    }
    ```

    ```cuda bad
    #include <CL/cl.h>
    float sum(cl_command_queue queue, cl_mem x) {
        float found[2];
        clEnqueueReadBuffer(queue, x, CL_FALSE, 0, sizeof(found), found, 0, nullptr, nullptr);
        return found[0] + found[1];  // expect: KL614
    }
    ```

    ```cuda bad
    void gather(cudaStream_t *streams, int count, cudaStream_t main, cudaEvent_t done) {
        for (int i = 0; i < count; ++i) cudaEventRecord(done, streams[i]);  // expect: KL614
        cudaStreamWaitEvent(main, done, 0);
    }
    ```

    ```python bad
    import numpy as np
    import pycuda.driver as cuda
    from pycuda.compiler import SourceModule

    mod = SourceModule("""
    __global__ void fill(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1.0f; }
    """)

    def run(n, stream):
        host = cuda.pagelocked_empty(n, np.float32)
        device = cuda.mem_alloc(host.nbytes)
        mod.get_function("fill")(device, np.int32(n), block=(256, 1, 1), grid=(1, 1), stream=stream)
        cuda.memcpy_dtoh_async(host, device, stream)
        total = host.sum()  # expect: KL614
        stream.synchronize()
        return total
    ```

    ```python good
    import numpy as np
    import pycuda.driver as cuda
    from pycuda.compiler import SourceModule

    mod = SourceModule("""
    __global__ void fill(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1.0f; }
    """)

    def run(n, stream):
        host = cuda.pagelocked_empty(n, np.float32)
        device = cuda.mem_alloc(host.nbytes)
        mod.get_function("fill")(device, np.int32(n), block=(256, 1, 1), grid=(1, 1), stream=stream)
        cuda.memcpy_dtoh_async(host, device, stream)
        stream.synchronize()
        return host.sum()
    ```

    ```python bad
    from numba import cuda

    @cuda.jit
    def twice(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= 2

    def run(host):
        stream = cuda.stream()
        x = cuda.to_device(host, stream=stream)
        twice[(host.size + 127) // 128, 128, stream](x)
        x.copy_to_host(host, stream=stream)
        return host.sum()  # expect: KL614
    ```

    ```python good
    from numba import cuda

    @cuda.jit
    def twice(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= 2

    def run(host):
        stream = cuda.stream()
        x = cuda.to_device(host, stream=stream)
        twice[(host.size + 127) // 128, 128, stream](x)
        x.copy_to_host(host, stream=stream)
        stream.synchronize()
        return host.sum()
    ```
    ```python good
    from numba import cuda

    @cuda.jit
    def twice(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= 2

    def run(host):
        stream = cuda.stream()
        x = cuda.to_device(host, stream=stream)
        twice[(host.size + 127) // 128, 128, stream](x)
        doubled = x.copy_to_host(stream=stream)
        return doubled.sum()
    ```
    ```python bad
    import numpy as np
    from numba import cuda

    @cuda.jit
    def twice(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= 2

    def run(n):
        host, stream = cuda.pinned_array(n), cuda.stream()
        x = cuda.to_device(host, stream=stream)
        twice[(n + 127) // 128, 128, stream](x)
        x.copy_to_host(host, stream)
        return host.sum()  # expect: KL614
    ```

    ```python good
    import numpy as np
    from numba import cuda

    @cuda.jit
    def twice(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= 2

    def run(n):
        host, stream = np.zeros(n), cuda.stream()
        x = cuda.to_device(host, stream=stream)
        twice[(n + 127) // 128, 128, stream](x)
        x.copy_to_host(host, stream)
        return host.sum()
    ```

    ```python bad
    from numba import cuda

    @cuda.jit
    def twice(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= 2

    def run(host):
        x = cuda.to_device(host)
        twice[(host.size + 127) // 128, 128](x)
        cuda.synchronize()
        return host  # expect: KL614
    ```

    ```cuda good
    void gather(cudaStream_t *streams, int count, cudaStream_t main, cudaEvent_t done) {
        for (int i = 0; i < count; ++i) {
            cudaEventRecord(done, streams[i]);
            cudaStreamWaitEvent(main, done, 0);
        }
    }
    ```

    ```cuda good
    int first(const int *x, cudaStream_t stream) {
        int value = 0;
        cudaMemcpyAsync(&value, x, sizeof(int), cudaMemcpyDeviceToHost, stream);
        cudaStreamSynchronize(stream);
        return value;
    }
    ```

    ```cuda good
    #include <CL/cl.h>
    float sum(cl_command_queue queue, cl_mem x) {
        float found[2];
        cl_event over;
        clEnqueueReadBuffer(queue, x, CL_FALSE, 0, sizeof(found), found, 0, nullptr, &over);
        clWaitForEvents(1, &over);
        return found[0] + found[1];
    }
    ```

    ```cuda good
    __global__ void spin(volatile bool *stop, unsigned long long *rounds) {
        unsigned long long done = 0;
        while (!*stop) ++done;
        rounds[threadIdx.x] = done;
    }
    void measure(unsigned long long *rounds) {
        bool *stop;
        cudaMallocManaged(&stop, sizeof(bool));
        *stop = false;
        spin<<<1, 32>>>(stop, rounds);
        *stop = true;
        cudaDeviceSynchronize();
        cudaFree(stop);
    }
    ```

    ```hip good
    #include <hip/hip_runtime.h>
    __global__ void add(const int *x, int *sum) { atomicAdd(sum, *x); }
    int count(int *sum) {
        int *x = nullptr;
        hipMallocManaged(&x, sizeof(int));
        *x = 3;
        hipLaunchKernelGGL(add, dim3(4), dim3(64), 0, 0, x, sum);
        const int kept = *x;
        hipFree(x);
        return kept;
    }
    ```
    '''

    meta = Meta("KL614", "unsynchronised-host-read", Severity.WARNING, tags=("CUDA PG asynchronous execution",))
    needs = (host_operations, lifetimes)

    def check_module(self, facts: ModuleFacts) -> Iterator[Finding]:
        seen: set[object] = set()
        for walk in facts[host_operations]:
            for early in early_accesses(walk):
                if early.access.span not in seen:
                    seen.add(early.access.span)
                    yield self._found(early)
        for fault in facts[lifetimes]:
            if fault.kind in ("early", "dies") and fault.span not in seen:
                seen.add(fault.span)
                yield self._of_way(fault)
        for one in rerecorded(facts.module.functions):
            message = f"{one.what} is recorded on stream after stream before a wait, which is for the last one alone"
            fix = "wait for the event after each record, or have an event for each stream"
            yield self.finding(one.span, message, related=[Related(one.wait, "waited for here")], fix=fix)
        for late in untimed(facts.module.functions):
            message = "this queue takes no times, and those of commands are asked for: they are never there"
            related = [Related(late.asked, "asked for here")]
            yield self.finding(late.span, message, related=related, fix="add CL_QUEUE_PROFILING_ENABLE")
        for remark, related in remarks(facts, "early-read"):
            name, word = remark.words
            message = f"{name} is read while {word} that writes it may still be under way"
            fix = "wait before: stream.synchronize(), or cuda.synchronize()"
            yield self.finding(remark.span, message, related=related, fix=fix)
        for remark, related in remarks(facts, "result-left"):
            name, copy = remark.words
            message = f"{name} is used as it was before the kernel, which has written {copy}: nothing copies that back"
            yield self.finding(remark.span, message, related=related, fix=f"{copy}.copy_to_host({name}) before this")
        for remark, related in remarks(facts, "early-host-read"):
            if remark.span not in seen:
                message = f"the copy to {remark.words[0]} may not be over when the host reads it"
                fix = "wait for the stream, queue or event first, or copy in a call that waits"
                yield self.finding(remark.span, message, related=related, fix=fix)

    def _of_way(self, fault: Fault) -> Finding:
        """What is too early on one of the ways through the code."""
        fix = "wait for the stream or queue first, or copy in a call that waits"
        if fault.kind == "dies" and fault.what == "used":
            message = f"{fault.name} {_ENDS.get(fault.word, 'is given back')} while a buffer still uses it"
            fix = "keep it as long as the buffer, or copy it (CL_MEM_COPY_HOST_PTR)"
        elif fault.kind == "dies":
            message = f"{fault.name} {_ENDS.get(fault.word, 'is given back')} while a copy may still be at it"
        elif fault.word == "stream":
            message = f"this copies {fault.name} without waiting for the stream whose kernel writes it"
            fix = "wait for that stream first, or copy on it"
        elif fault.word == "filled":
            message = f"nothing puts this kernel behind the fill of {fault.name}, which is on another stream"
            fix = "fill it on the kernel's stream, or wait for the fill"
        elif fault.word == "kernel":
            message = f"nothing puts this kernel behind the one that writes {fault.name}, which is on another stream"
            fix = "launch both on one stream, or make this stream wait for an event of the other one"
        elif fault.word == "times":
            message = "the times of this event are asked for before anything waits for it: they are not there yet"
            fix = "wait for the event first"
        elif fault.word == "launch":
            message, fix = f"{fault.name} is used while the kernel may still write it", "wait for the device first"
        elif fault.word == "written":
            message = f"{fault.name} is written again while an asynchronous copy may still read it"
        else:
            message = f"the copy to {fault.name} may not be over when the host reads it"
        related = [Related(span, word) for span, word in fault.related]
        severity = Severity.NOTE if fault.soft else None
        return self.finding(fault.span, message + (PAGEABLE if fault.soft else ""), severity, related=related, fix=fix)

    def _found(self, early: Early) -> Finding:
        work = early.work
        if work.copy is None:
            message = f"{work.place.name} is used while the kernel that was launched may still write it"
            fix = "wait for the device first"
        elif work.written:
            message = "the copy to this memory may not be over when the host reads it"
            fix = "wait for the stream or queue first, or copy in a call that waits"
        else:
            message = "this memory is written again while an asynchronous copy may still read it"
            fix = "wait for the stream first, or use another buffer"
        related = [Related(work.begun.span, "begun here")]
        related += [Related(span, "called here") for span in early.access.stack[::-1][:2]]
        severity = Severity.NOTE if work.pageable else None
        message += PAGEABLE if work.pageable else ""
        return self.finding(early.access.span, message, severity, related=related, fix=fix)


PAGEABLE = ", once that memory is pinned: the copy to pageable memory ends before the call returns"

_ENDS = {"ends": "goes out of scope", "deleted": "is deleted"}
