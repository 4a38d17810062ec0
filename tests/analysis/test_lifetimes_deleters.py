"""Owners with a deleter of the program's own, which runs where they end."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.device_memory_leak import DeviceMemoryLeak
from kernlint_rules.launch.device_use_after_free import DeviceUseAfterFree
from kernlint_rules.launch.wrong_copy_direction import WrongCopyDirection

from tests.rules.marked import findings

POOLED = """
#include <memory>
#include <utility>
#include <vector>
struct Streams {
    static Streams &all() { static Streams one; return one; }
    cudaStream_t pool{};
private:
    Streams() { cudaStreamCreateWithFlags(&pool, cudaStreamNonBlocking); }
};
struct PoolFree { void operator()(void *p) const { cudaFreeAsync(p, Streams::all().pool); } };
template <class T> using Pooled = std::unique_ptr<T[], PoolFree>;
template <class T> Pooled<T> pooled(size_t n) {
    T *p = nullptr;
    cudaMallocAsync((void **)&p, n * sizeof(T), Streams::all().pool);
    Pooled<T> made(p);
    cudaStreamSynchronize(Streams::all().pool);
    return made;
}
__global__ void mark(const float *x, int *m, int n) { int i = threadIdx.x; if (i < n) m[i] = x[i] > 0; }
struct Filter {
    cudaStream_t stream{};
    Pooled<int> kept;
    std::vector<Pooled<int>> all;
    Filter() { cudaStreamCreate(&stream); }
    ~Filter() { cudaStreamDestroy(stream); }
    Filter(const Filter &) = delete;
    BODY
};
"""
LAUNCH = "mark<<<1, 64, 0, stream>>>(x, m.get(), n);"


def _told(body: str) -> bool:
    code = POOLED.replace("BODY", body.replace("LAUNCH", LAUNCH))
    assert not findings(DeviceMemoryLeak, code)
    found = findings(DeviceUseAfterFree, code)
    assert all("another stream" in one.message for one in found), found
    return bool(found)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("void run(const float *x, int n) { auto m = pooled<int>(n); LAUNCH }", True),
        ("void run(const float *x, int n) { auto m = pooled<int>(n); LAUNCH cudaStreamSynchronize(stream); }", False),
        ("void run(const float *x, int n) { auto m = pooled<int>(n); LAUNCH kept = std::move(m); }", False),
        ("void run(const float *x, int n) { auto m = pooled<int>(n); LAUNCH all.push_back(std::move(m)); }", False),
        ("Pooled<int> run(const float *x, int n) { auto m = pooled<int>(n); LAUNCH return m; }", False),
        ("int *run(const float *x, int n) { auto m = pooled<int>(n); LAUNCH return m.release(); }", False),
        ("void run(const float *x, int n) { Pooled<int> &m = kept; LAUNCH }", False),
        (
            "void run(const float *x, int n) { { auto m = pooled<int>(n); LAUNCH cudaDeviceSynchronize(); }"
            " auto m = pooled<int>(n); if (n > 3) return; }",
            False,
        ),
    ],
)
def test_memory_goes_back_on_the_deleters_stream(body: str, told: bool) -> None:
    assert _told(body) is told


OWNED = """
#include <memory>
#include <utility>
struct Free { void operator()(float *p) const { cudaFree(p); } };
using Device = std::unique_ptr<float, Free>;
static Device device(size_t n) { float *p; cudaMalloc(&p, n); cudaMemset(p, 0, n); return Device(p); }
struct Pair { Device first, second; };
void take(Device d);
static void keep(Device &&d, Pair &p) { p.first = std::move(d); }
static void fill(const Device &d, size_t n) { cudaMemset(d.get(), 1, n); }
void run(size_t n, bool full, Pair &pair, float *to) { LINES }
"""


@pytest.mark.parametrize("rule", [DeviceMemoryLeak, DeviceUseAfterFree, WrongCopyDirection])
@pytest.mark.parametrize(
    "lines",
    [
        "auto d = device(n); fill(d, n); cudaMemcpy(to, d.get(), n, cudaMemcpyDeviceToHost);",
        "auto d = device(n); Device other = std::move(d); cudaMemset(other.get(), 1, n);",
        "auto d = device(n); keep(std::move(d), pair); cudaMemset(pair.first.get(), 1, n);",
        "auto d = device(n); take(std::move(d));",
        "auto d = device(n); if (full) pair.second = std::move(d); cudaMemset(pair.second.get(), 1, n);",
        "auto d = device(n); d = device(2 * n); fill(d, n);",
        "Device d; if (full) d = device(n); if (d) fill(d, n);",
        "auto d = device(n); d.reset(); d = device(n); fill(d, n);",
        "Pair own; own.first = device(n); own.second = device(n); fill(own.first, n);",
        "Pair own{device(n), device(n)}; fill(own.second, n); std::swap(own.first, own.second);",
        "fill(device(n), n); cudaMemset(device(n).get(), 1, n);",
        "std::unique_ptr<Pair> p(new Pair); p->first = device(n); fill(p->first, n);",
        "for (int i = 0; i < 4; i++) { auto d = device(n); fill(d, n); }",
        "auto d = device(n); float *raw = d.release(); cudaFree(raw);",
    ],
)
def test_owners_that_are_moved_and_end(rule: type, lines: str) -> None:
    assert not findings(rule, OWNED.replace("LINES", lines))


def test_a_pointer_that_outlives_its_owner() -> None:
    lines = "float *raw; { auto d = device(n); raw = d.get(); } cudaMemset(raw, 0, n);"
    (found,) = findings(DeviceUseAfterFree, OWNED.replace("LINES", lines))
    assert "after it was given back" in found.message


GIVEN = """#include <memory>
static void give_back(float *p) { cudaFree(p); }
static void keep(std::shared_ptr<float> one);
void copy(float *out, int n) {
    auto end = [](float *p) { cudaFree(p); };
    float *p = nullptr, *raw = nullptr;
    cudaMalloc(&p, n * sizeof(float));
    std::shared_ptr<float> other;
    BODY
    cudaMemcpy(out, raw, n * sizeof(float), cudaMemcpyDeviceToHost);
    LAST
}
"""


@pytest.mark.parametrize(
    ("body", "last", "told"),
    [
        ("{ std::unique_ptr<float, decltype(end)> b(p, end); raw = b.get(); }", "", 1),
        ("{ std::shared_ptr<float> b(p, cudaFree); raw = b.get(); }", "", 1),
        ("{ std::shared_ptr<float> b(p, give_back); raw = b.get(); }", "", 1),
        ("{ std::shared_ptr<float> b(p, [](float *q) { cudaFree(q); }); raw = b.get(); }", "", 1),
        ("{ std::shared_ptr<float> b(p, [](float *q) { cudaFree(q); }); raw = b.get(); other = b; }", "", 0),
        ("{ std::shared_ptr<float> b(p, cudaFree); raw = b.get(); keep(b); }", "", 0),
        ("{ std::shared_ptr<float> b(p, [](float *) {}); raw = b.get(); }", "cudaFree(p);", 0),
        ("std::shared_ptr<float> b(p, cudaFree); raw = b.get();", "", 0),
        ("std::unique_ptr<float, decltype(end)> b(p, end); raw = b.get(); b.reset();", "", 1),
        ("std::unique_ptr<float, decltype(end)> b(p, end); raw = b.get();", "b.reset();", 0),
        ("std::unique_ptr<float, decltype(end)> b(p, end); raw = b.release();", "cudaFree(raw);", 0),
    ],
)
def test_a_deleter_that_the_owner_is_given(body: str, last: str, told: int) -> None:
    code = GIVEN.replace("BODY", body).replace("LAST", last)
    assert len(findings(DeviceUseAfterFree, code)) == told


HANDED_BACK = """
#include <memory>
struct Free { void operator()(ELEMENT *p) const { cudaFree(p); } };
TEMPLATE using Held = std::unique_ptr<ELEMENT[], Free>;
TEMPLATE Held ARGUMENT make(size_t n) {
    void *p = nullptr;
    if (cudaMalloc(&p, n * sizeof(float)) != cudaSuccess) return nullptr;
    return Held ARGUMENT(static_cast<float *>(p));
}
int send(const float *from, size_t n) {
    auto one = make USED(n), two = make USED(n);
    if (!one || !two) return 1;
    float *more = nullptr;
    MORE
    const cudaError_t status = cudaMemcpy(one.get(), from, n * sizeof(float), cudaMemcpyHostToDevice);
    if (status != cudaSuccess) return 2;
    LESS
    return 0;
}
"""


@pytest.mark.parametrize("generic", [False, True])
@pytest.mark.parametrize("leaks", [False, True])
def test_an_owner_of_an_array_that_a_helper_returns(generic: bool, leaks: bool) -> None:
    text = HANDED_BACK.replace("TEMPLATE", "template <class T>" if generic else "")
    text = text.replace("ARGUMENT", "<T>" if generic else "").replace("USED", "<float>" if generic else "")
    text = text.replace("ELEMENT[]", "T[]" if generic else "float[]").replace("ELEMENT", "void")
    more = "if (cudaMalloc(&more, n) != cudaSuccess) return 3;" if leaks else ""
    text = text.replace("MORE", more).replace("LESS", "cudaFree(more);" if leaks else "")
    assert ["more" in one.message for one in findings(DeviceMemoryLeak, text)] == [True] * leaks


BY_FLAGS = """
#include <cstdlib>
#include <memory>
enum { MAPPED = 1, PLAIN = 2 };
struct Maker {
    void *raw(int how, void *host, size_t n) {
        void *p = host;
        if (how & MAPPED) cudaHostRegister(host, n, 0);
        else cudaMalloc(&p, n);
        return p;
    }
    void drop(int how, void *p) {
        if (how & MAPPED) cudaHostUnregister(p);
        else cudaFree(p);
    }
    std::shared_ptr<void> made(int how, void *host, size_t n) {
        std::shared_ptr<void> owner(raw(how, host, n), [this, how](void *p) { drop(DROPPED, p); });
        return owner;
    }
};
void run(Maker &maker, size_t n) {
    void *host = aligned_alloc(64, n);
    {
        std::shared_ptr<void> owner(maker.raw(MAPPED, host, n), [&maker, n](void *p) { maker.drop(LAST, p); });
        cudaMemset(nullptr, 0, n);
    }
    {
        auto other = maker.made(MAPPED, host, n);
        cudaMemset(nullptr, 0, n);
    }
    free(host);
}
"""


@pytest.mark.parametrize(
    ("dropped", "last", "told"),
    [("how", "MAPPED", False), ("PLAIN", "MAPPED", True), ("how", "PLAIN", True), ("how | PLAIN", "MAPPED", False)],
)
def test_numbers_that_a_deleter_captures(dropped: str, last: str, told: bool) -> None:
    code = BY_FLAGS.replace("DROPPED", dropped).replace("LAST", last)
    assert bool(findings(DeviceUseAfterFree, code)) is told
