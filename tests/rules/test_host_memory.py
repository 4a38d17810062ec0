"""Memory of host code: what was lost from a text, which ways there are, and what error checks throw."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.device_memory_leak import DeviceMemoryLeak
from kernlint_rules.launch.device_use_after_free import DeviceUseAfterFree
from kernlint_rules.launch.unsynchronised_host_read import UnsynchronisedHostRead
from kernlint_rules.launch.wrong_copy_direction import WrongCopyDirection

from kernlint.finding import Severity
from tests.rules.marked import assert_marked, findings

HEAD = """
#include <stdexcept>
#include <string>
#include <vector>
#define CHECK(call) do { commResult_t r = call; if (r != commOk) { return 1; } } while (0)
#define THROW(call) do { cudaError_t e = (call); if (e != cudaSuccess) { throw std::runtime_error("x"); } } while (0)
void told(std::string text, size_t size);
"""

SUMMED = """
int run(int n, const float *in, float *out) {
    float *a, *b;
    cudaMalloc(&a, n * 4);
    cudaMalloc(&b, n * 4);
    cudaMemcpy(a, in, n * 4, cudaMemcpyHostToDevice);
    CALL
    cudaMemcpy(out, b, n * 4, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("CHECK(commAllReduce(a, b, n,\\n  commSum));", False),
        ("CHECK(commAllReduce(a, a, n, commSum));", True),
        ("commResult_t r = commAllReduce(a, b, n, commSum);", False),
        ("if (n > 4) cudaMemset(b, 0, n * 4);", False),  # which sizes there are is not known
        ("if (n > 4) cudaMemset(a, 0, n * 4);", True),
    ],
)
def test_what_a_lost_call_or_another_way_writes(call: str, told: bool) -> None:
    assert bool(findings(WrongCopyDirection, HEAD + SUMMED.replace("CALL", call))) is told


def test_a_library_call_in_a_lost_check_keeps_nothing() -> None:
    code = HEAD + SUMMED.replace("CALL", "CHECK(ncclAllReduce(a, b, n, ncclFloat, ncclSum, 0, 0));")
    assert any("on this way out" in found.message for found in findings(DeviceMemoryLeak, code))


def test_what_a_macro_throws_is_a_note() -> None:
    code = HEAD + SUMMED.replace("CALL", "THROW(cudaMemset(b, 0, n * 4));")
    assert {found.severity for found in findings(DeviceMemoryLeak, code)} == {Severity.NOTE}
    plain = HEAD + SUMMED.replace("CALL", 'if (cudaMemset(b, 0, n) != cudaSuccess) throw std::runtime_error("x");')
    assert {found.severity for found in findings(DeviceMemoryLeak, plain)} == {Severity.WARNING}


GROWN = """
class Pool {
    char *data = nullptr;
    size_t size = 0;
public:
    ~Pool() { if (data) cudaFree(data); }
    Pool(const Pool &) = delete;
    void reserve(size_t wanted) {
        if (wanted < size) return;
        if (data) {
            GIVEN_BACK
            told("again", wanted);
            cudaMalloc(&data, wanted);
        } else {
            told("first", wanted);
            cudaMalloc(&data, wanted);
        }
        size = wanted;
    }
};
"""


@pytest.mark.parametrize(("before", "told"), [("cudaFree(data);", 0), ("", 1)])
def test_what_a_member_had_before_a_call_out_of_sight(before: str, told: int) -> None:
    assert len(findings(DeviceMemoryLeak, HEAD + GROWN.replace("GIVEN_BACK", before))) == told


READ = """
float run(const float *x, size_t n, cudaStream_t s) {
    MEMORY;
    cudaMemcpyAsync(PLACE, x, n * sizeof(float), cudaMemcpyDeviceToHost, s);
    return *(PLACE);
}
"""


@pytest.mark.parametrize(
    ("memory", "place", "severity"),
    [
        ("float v[1]", "v", Severity.NOTE),
        ("float *v = (float *)malloc(n * sizeof(float))", "v", Severity.NOTE),
        ("std::vector<float> v(n)", "v.data()", Severity.NOTE),
        ("float *v; cudaMallocHost(&v, n * sizeof(float))", "v", Severity.WARNING),
        ("float v[1]; cudaHostRegister(v, sizeof(v), 0)", "v", Severity.WARNING),
    ],
)
def test_copies_to_pageable_memory_are_over(memory: str, place: str, severity: Severity) -> None:
    code = HEAD + READ.replace("MEMORY", memory).replace("PLACE", place)
    assert {found.severity for found in findings(UnsynchronisedHostRead, code)} == {severity}


def test_copies_to_a_structure_of_numbers_are_over() -> None:
    code = (
        HEAD
        + """
struct Moments { float mean, most[3]; };
Moments run(const float *x, cudaStream_t s) {
    Moments found;
    cudaMemcpyAsync(&found, x, sizeof(found), cudaMemcpyDeviceToHost, s);
    found.mean *= 2.0f;
    return found;
}
"""
    )
    assert {found.severity for found in findings(UnsynchronisedHostRead, code)} == {Severity.NOTE}


def test_reads_of_a_queue_are_not_over() -> None:
    assert_marked(
        UnsynchronisedHostRead,
        """
#include <CL/cl.h>
float run(cl_command_queue q, cl_mem x) {
    float v[4];
    clEnqueueReadBuffer(q, x, CL_FALSE, 0, sizeof(v), v, 0, nullptr, nullptr);
    return v[0];  // bad
}
""",
    )


TIMED = """
#include <CL/cl.h>
void wait_all(cl_event *e);
double timed(cl_command_queue q, cl_kernel k, cl_mem m, float *host, size_t n) {
    cl_event e, other;
    cl_ulong start;
    clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, &e);
    WAIT
    clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_START, sizeof(start), &start, NULL);
    clReleaseEvent(e);
    return start * 1e-9;
}
"""


@pytest.mark.parametrize(
    ("wait", "told"),
    [
        ("", True),
        ("clFlush(q);", True),
        ("clWaitForEvents(1, &e);", False),
        ("clFinish(q);", False),
        ("wait_all(&e);", False),
        ("clEnqueueReadBuffer(q, m, CL_TRUE, 0, n, host, 1, &e, NULL);", False),
        ("clEnqueueReadBuffer(q, m, CL_FALSE, 0, n, host, 1, &e, &other);", True),
        ("clEnqueueReadBuffer(q, m, CL_FALSE, 0, n, host, 1, &e, &other); clWaitForEvents(1, &other);", False),
    ],
)
def test_times_of_events(wait: str, told: bool) -> None:
    assert bool(findings(UnsynchronisedHostRead, TIMED.replace("WAIT", wait))) is told


LATE = """
#include <CL/opencl.hpp>
float sum(cl::CommandQueue q, cl::Kernel k, cl::Buffer b, int n) {
    std::vector<float> host(n);
    cl::Event done, read;
    q.enqueueNDRangeKernel(k, cl::NullRange, cl::NDRange(n), cl::NullRange, nullptr, &done);
    q.enqueueReadBuffer(b, CL_FALSE, 0, n * sizeof(float), host.data(), nullptr, &read);
    WAIT;
    const float first = host[0];
    q.finish();
    return first;
}
"""


@pytest.mark.parametrize(("wait", "told"), [("done.wait()", True), ("read.wait()", False), ("q.flush()", True)])
def test_a_wait_for_an_event_is_none_for_later_ones(wait: str, told: bool) -> None:
    assert bool(findings(UnsynchronisedHostRead, "#include <vector>\n" + LATE.replace("WAIT", wait))) is told


@pytest.mark.parametrize(
    ("memory", "flags", "told"),
    [
        ("float v[4]", "CL_MEM_READ_ONLY", True),
        ("float v[4]", "CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR", False),
        ("float v[4]", "CL_MEM_USE_HOST_PTR", False),
        ("std::vector<float> w(n); float *v = w.data()", "CL_MEM_READ_WRITE", True),
        ("float *v = given", "CL_MEM_READ_WRITE", False),
        ("float *v = nullptr", "CL_MEM_READ_WRITE", False),
        ("float v[4]; cl_mem_flags set = asked", "set", False),
    ],
)
def test_host_memory_that_no_flag_asks_for(memory: str, flags: str, told: bool) -> None:
    code = f"""
#include <CL/cl.h>
#include <vector>
cl_mem make(cl_context c, size_t n, float *given, cl_mem_flags asked, cl_int *err) {{
    {memory};
    return clCreateBuffer(c, {flags}, n, v, err);
}}
"""
    assert bool(findings(WrongCopyDirection, code)) is told


USED = """
#include <CL/cl.h>
#include <stdlib.h>
#include <utility>
#include <vector>
struct Field {
    cl_mem made = nullptr;
    std::vector<float> kept;
    void make(cl_context c, size_t n, cl_int *err) {
        MEMORY;
        made = clCreateBuffer(c, CL_MEM_READ_ONLY | FLAG, n, v, err);
        AFTER
    }
};
"""


@pytest.mark.parametrize(
    ("memory", "flag", "after", "told"),
    [
        ("float v[4]", "CL_MEM_USE_HOST_PTR", "", True),
        ("float v[4]", "CL_MEM_COPY_HOST_PTR", "", False),
        ("static float v[4]", "CL_MEM_USE_HOST_PTR", "", False),
        ("float *v = (float *)malloc(n)", "CL_MEM_USE_HOST_PTR", "free(v);", True),
        ("float *v = (float *)malloc(n)", "CL_MEM_USE_HOST_PTR", "clReleaseMemObject(made); free(v);", False),
        ("std::vector<float> w(n); float *v = w.data()", "CL_MEM_USE_HOST_PTR", "", True),
        ("std::vector<float> w(n); float *v = w.data()", "CL_MEM_USE_HOST_PTR", "kept = std::move(w);", False),
        ("kept.resize(n); float *v = kept.data()", "CL_MEM_USE_HOST_PTR", "", False),
    ],
)
def test_buffers_that_use_memory_of_the_host(memory: str, flag: str, after: str, told: bool) -> None:
    code = USED.replace("MEMORY", memory).replace("FLAG", flag).replace("AFTER", after)
    assert bool(findings(UnsynchronisedHostRead, code)) is told


OWNED = """
#include <memory>
struct Base { virtual ~Base() {} };
struct Frees : Base { float *p; explicit Frees(float *q) : p(q) {} ~Frees() { cudaFree(p); } };
struct Leaves { float *p; explicit Leaves(float *q) : p(q) {} };
void run(size_t n) {
    float *p;
    cudaMalloc(&p, n);
    USE
}
"""


@pytest.mark.parametrize(
    ("use", "told"),
    [
        ("Frees *o = new Frees(p); delete o;", False),
        ("Base *o = new Frees(p); delete o;", False),
        ("std::unique_ptr<Frees> o(new Frees(p));", False),
        ("Leaves *o = new Leaves(p); delete o;", True),
    ],
)
def test_delete_runs_the_destructor_of_the_object(use: str, told: bool) -> None:
    assert bool(findings(DeviceMemoryLeak, OWNED.replace("USE", use))) is told


def test_addresses_that_are_read_back_from_the_device() -> None:
    code = """
#include <stdlib.h>
void run(int n) {
    float **table, **host = (float **)malloc(n * sizeof(float *));
    cudaMalloc(&table, n * sizeof(float *));
    for (int i = 0; i < n; i++) cudaMalloc(&host[i], 64);
    cudaMemcpy(table, host, n * sizeof(float *), cudaMemcpyHostToDevice);
    free(host);
    float **again = (float **)malloc(n * sizeof(float *));
    cudaMemcpy(again, table, n * sizeof(float *), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) cudaFree(again[i]);
    cudaFree(table);
    free(again);
}
"""
    assert not findings(DeviceMemoryLeak, code)


def test_numbers_of_a_template_are_no_arguments() -> None:
    code = """
template <class T, int D> struct View {
    T *data;
    int size[D];
    __host__ __device__ View(T *x, const int (&of)[D]) : data(x) { for (int i = 0; i < D; ++i) size[i] = of[i]; }
};
__global__ void k(View<float, 1> v) { if (threadIdx.x < v.size[0]) v.data[threadIdx.x] = 0.0f; }
void run(int n) {
    float *x;
    cudaMalloc(&x, n * sizeof(float));
    int of[1] = {n};
    k<<<1, 256>>>(View<float, 1>(x, of));
    cudaFree(x);
}
"""
    assert not findings(WrongCopyDirection, code)


ELAPSED = """
__global__ void k(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = n; }
float timed(float *x, float *host, int n) {
    cudaEvent_t a, b;
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    cudaEventRecord(a);
    k<<<1, 256>>>(x, n);
    cudaEventRecord(b);
    WAIT
    float took = 0;
    cudaEventElapsedTime(&took, a, b);
    cudaEventDestroy(a);
    cudaEventDestroy(b);
    return took;
}
"""


@pytest.mark.parametrize(
    ("wait", "told"),
    [
        ("", True),
        ("cudaEventSynchronize(a);", True),
        ("cudaEventSynchronize(b);", False),
        ("cudaDeviceSynchronize();", False),
        ("cudaMemcpy(host, x, n, cudaMemcpyDeviceToHost);", False),
        ("while (cudaEventQuery(b) != cudaSuccess) {}", False),
    ],
)
def test_time_between_events(wait: str, told: bool) -> None:
    assert bool(findings(UnsynchronisedHostRead, ELAPSED.replace("WAIT", wait))) is told


STREAMS = """
#include <set>
__global__ void k(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = n; }
float run(int n, std::set<int> &ids) {
    cudaStream_t s[2];
    float *x;
    cudaMallocManaged(&x, n * sizeof(float));
    int c = 0;
    for (auto id = ids.begin(); id != ids.end(); id++) cudaStreamCreate(&s[c++]);
    c = 0;
    for (auto id = ids.begin(); id != ids.end(); id++) k<<<1, 256, 0, s[c++]>>>(x, n);
    c = 0;
    WAIT
    const float first = x[0];
    cudaFree(x);
    return first;
}
"""


@pytest.mark.parametrize(
    ("wait", "told"),
    [("for (auto id = ids.begin(); id != ids.end(); id++) cudaStreamSynchronize(s[c++]);", False), ("", True)],
)
def test_a_wait_for_each_stream_of_an_array(wait: str, told: bool) -> None:
    assert bool(findings(UnsynchronisedHostRead, STREAMS.replace("WAIT", wait))) is told


TWICE = """
#include <cstdio>
#define CHECK(err) \\
    if (err != cudaSuccess) { fprintf(stderr, "%s", cudaGetErrorString(err)); exit(1); }
__global__ void k(float *a) { a[threadIdx.x] = 0.0f; }
void run() {
    float *p;
    CHECK(cudaMalloc(&p, 1024));
    k<<<1, 256>>>(p);
    FREE
}
"""


@pytest.mark.parametrize(
    ("free", "told"),
    [
        ("CHECK(cudaFree(p));", False),  # the second evaluation is of a call that failed
        ("if (cudaFree(p) != cudaSuccess) cudaFree(p);", False),
        ("if (cudaFree(p) == cudaSuccess) cudaFree(p);", True),
        ("for (int i = 0; i < 2; i++) { CHECK(cudaFree(p)); }", True),
        ("CHECK(cudaFree(p)); CHECK(cudaFree(p));", True),
    ],
)
def test_what_a_failed_release_leaves(free: str, told: bool) -> None:
    assert bool(findings(DeviceUseAfterFree, TWICE.replace("FREE", free))) is told


def test_an_array_of_handles_is_freed_by_a_helper() -> None:
    source = """
    #include <CL/cl.h>
    static void drop(cl_mem *all, int n) { for (int i = 0; i < n; i++) clReleaseMemObject(all[i]); }
    int run(cl_context c, size_t n, int again) {
        cl_mem all[2];
        all[0] = clCreateBuffer(c, CL_MEM_READ_WRITE, n, NULL, NULL);
        if (!all[0]) return -1;
        all[1] = clCreateBuffer(c, CL_MEM_READ_WRITE, n, NULL, NULL);  // SECOND
        if (!all[1]) { drop(all, 1); return -1; }
        drop(all, COUNT);
        return 0;
    }
    """
    assert not findings(DeviceMemoryLeak, source.replace("COUNT", "2"))
    assert len(findings(DeviceMemoryLeak, source.replace("COUNT", "1"))) == 1


IN_PROGRAM = """
int work(const float *from, int n) {
    float *a;
    if (cudaMalloc(&a, n * 4) != cudaSuccess) return 1;
    if (strange(n)) return CODE;
    cudaMemcpy(a, from, n * 4, cudaMemcpyHostToDevice);
    cudaFree(a);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("code", "program", "loud"), [("1", True, False), ("0", True, True), ("1", False, True), ("-3", True, False)]
)
def test_a_program_that_tells_of_failure_ends(code: str, program: bool, loud: bool) -> None:
    text = IN_PROGRAM.replace("CODE", code) + (
        "int main() { int e = 0; for (int n = 1; n < 3; ++n) e |= work(0, n); return e; }" if program else ""
    )
    told = findings(DeviceMemoryLeak, "int strange(int n);\n" + text)
    assert [one.severity is not Severity.NOTE for one in told] == [loud]


def test_what_a_map_leads_to_is_no_temporary() -> None:
    source = """
    #include <map>
    struct Sized { void *at; size_t size; };
    struct Cache {
        std::map<int, Sized> kept;
        void *get(int key, size_t n) {
            if (kept.count(key) == 0) cudaMalloc(&kept[key].at, n);
            return kept[key].at;
        }
        void reset() { for (auto &each : kept) cudaFree(each.second.at); kept.clear(); }
    };
    """
    assert not findings(DeviceMemoryLeak, source)


OWN_NEW = """
class Managed {
public:
    void *operator new(size_t bytes) { void *p; ALLOCATE; return p; }
    void operator delete(void *p) { RELEASE; }
};
struct Item : public BASE { float weight; };
__global__ void halve(Item *item) { item->weight *= 0.5f; }
void start(Item *item) { halve<<<1, 1>>>(item); cudaDeviceSynchronize(); }
int main() {
    Item *item = new Item;
    item->weight = 1.0f;
    start(item);
    delete item;
}
"""


@pytest.mark.parametrize(("base", "told"), [("Managed", False), ("Plain", True)])
def test_objects_of_a_class_that_allocates_them_itself(base: str, told: bool) -> None:
    code = OWN_NEW.replace("BASE", base).replace("ALLOCATE", "cudaMallocManaged(&p, bytes)")
    code = "struct Plain {};\n" + code.replace("RELEASE", "cudaFree(p)")
    assert any("host memory" in one.message for one in findings(WrongCopyDirection, code)) is told


VECTORS = """
#include <thrust/host_vector.h>
#include <thrust/device_vector.h>
__global__ void halve(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= 0.5f; }
static float *made(int n) { float *p; cudaMalloc(&p, n * 4); return p; }
float run(int n) {
    thrust::host_vector<float> sums(n);
    thrust::device_vector<float> on_device = sums;
    halve<<<1, 64>>>(thrust::raw_pointer_cast(on_device.data()), n);
    sums = on_device;
    float *first = READ;
    return first[0];
}
"""


@pytest.mark.parametrize(("read", "told"), [("sums.data()", False), ("made(n)", True)])
def test_a_vector_of_the_host_gets_the_elements_of_one_of_the_device(read: str, told: bool) -> None:
    assert (
        any("cannot touch" in one.message for one in findings(WrongCopyDirection, VECTORS.replace("READ", read)))
        is told
    )


POOL = """
#include <cstddef>
struct Pool {
    char *at;
    size_t left;
    template <typename T> T aligned_alloc(size_t size, size_t alignment);
    float *malloc(size_t size);
};
void run(Pool &pool, const float *in, size_t n) {
    float *x = MADE;
    cudaMemcpy(x, in, n * sizeof(float), cudaMemcpyHostToDevice);
}
"""


@pytest.mark.parametrize(
    ("made", "told"),
    [
        ("pool.malloc(n * sizeof(float))", False),
        ("pool.aligned_alloc<float *>(n * sizeof(float), 16)", False),
        ("(float *)malloc(n * sizeof(float))", True),
        ("(float *)std::malloc(n * sizeof(float))", True),
    ],
)
def test_functions_of_a_class_are_none_of_the_language(made: str, told: bool) -> None:
    assert bool(findings(WrongCopyDirection, POOL.replace("MADE", made))) is told


KEPT = """
#include <vector>
struct Pool { void *at; size_t left; template <typename T> T *aligned_alloc(size_t size, size_t alignment); };
class Handler {
    void *at_;
public:
    template <typename I> void start(Pool &pool, I *in, size_t n) {
        std::vector<I> held(in, in + n);
        at_ = MADE(sizeof(I) * held.size()ALIGNED);
        cudaMemcpyAsync(at_, held.data(), sizeof(I) * held.size(), cudaMemcpyHostToDevice, 0);
    }
};
"""


@pytest.mark.parametrize(
    ("made", "aligned", "told"), [("pool.aligned_alloc<void *>", ", 16", False), ("malloc", "", True)]
)
def test_members_that_a_function_of_a_class_gives(made: str, aligned: str, told: bool) -> None:
    code = KEPT.replace("MADE", made).replace("ALIGNED", aligned)
    assert bool(findings(WrongCopyDirection, code)) is told


@pytest.mark.parametrize(
    ("flags", "given", "told"),
    [
        ("CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR", "nullptr", True),
        ("CL_MEM_COPY_HOST_PTR", "NULL", True),
        ("CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR", "nullptr", False),
        ("CL_MEM_USE_HOST_PTR", "from", False),
        ("from ? CL_MEM_COPY_HOST_PTR : 0", "from", False),
        ("flags", "nullptr", False),
    ],
)
def test_memory_of_the_host_that_is_said_and_not_given(flags: str, given: str, told: bool) -> None:
    code = f"""
    #include <CL/cl.h>
    cl_mem make(cl_context context, cl_mem_flags flags, void *from, size_t n, cl_int *status) {{
        return clCreateBuffer(context, {flags}, n, {given}, status);
    }}
    """
    assert bool(findings(WrongCopyDirection, code)) == told


def test_host_memory_that_kernels_are_given_is_of_one_habit() -> None:
    text = """
    #include <stdlib.h>
    __global__ void twice(int *data) { data[threadIdx.x] *= 2; }
    void run() {
        int *data = (int *)malloc(128 * 4);
        twice<<<1, 128>>>(data);
        int *kept;
        cudaMalloc(&kept, 512);
        cudaMemcpy(kept, data, 512, cudaMemcpyDeviceToHost);
    }
    """
    found = findings(WrongCopyDirection, text)
    assert [bool(one.habit) for one in found if one.severity is not Severity.NOTE] == [True, False]


STOPWATCH = """
__global__ void clear(int *x) { x[threadIdx.x] = 0; }
float timed(int *x, int n) {
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin);
    clear<<<1, 64>>>(x);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float took = 0;
    cudaEventElapsedTime(&took, begin, end);
    AFTER
    return took;
}
"""


@pytest.mark.parametrize(
    ("after", "places"),
    [
        ("", [2]),
        ("cudaEventDestroy(begin);", [1]),
        ("cudaEventDestroy(begin); cudaEventDestroy(end);", []),
    ],
)
def test_one_omission_is_told_once(after: str, places: list[int]) -> None:
    found = findings(DeviceMemoryLeak, STOPWATCH.replace("AFTER", after))
    assert [1 + sum(one.message.startswith("nor is") for one in f.related) for f in found] == places


TWO_OBJECTS = """
#include <cuda_runtime.h>
struct State { float *v; float *w; int n; };
struct Net {
    State device, host;
    void make(int n) {
        cudaMalloc((void **)&device.v, n * sizeof(float));
        cudaMalloc((void **)&device.w, n * sizeof(float));
    }
    void move(State *to, State *from, int n, cudaMemcpyKind kind) {
        cudaMemcpy(&to->v[1], from->v, (n - 1) * sizeof(float), kind);
    }
    void up(int n) { move(&device, &host, n, cudaMemcpyHostToDevice); }
    void fetch(float *out, int n) { cudaMemcpy(out, device.w, n * sizeof(float), KIND); }
};
"""


@pytest.mark.parametrize(("kind", "bad"), [("cudaMemcpyDeviceToHost", False), ("cudaMemcpyHostToDevice", True)])
def test_objects_of_one_type_may_lie_on_both_sides(kind: str, bad: bool) -> None:
    assert bool(findings(WrongCopyDirection, TWO_OBJECTS.replace("KIND", kind))) is bad
