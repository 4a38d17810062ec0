"""Objects that are made in memory which was there before, and lists of pointers that are given back one by one."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard
from kernlint_rules.launch.aliased_restrict_arguments import AliasedRestrictArguments
from kernlint_rules.launch.device_memory_leak import DeviceMemoryLeak
from kernlint_rules.launch.device_use_after_free import DeviceUseAfterFree
from kernlint_rules.launch.unsynchronised_host_read import UnsynchronisedHostRead
from kernlint_rules.launch.wrong_copy_direction import WrongCopyDirection

from kernlint.rule import RuleClass
from tests.rules.marked import assert_marked, assert_pair, findings

PLACED = """
#include <new>
#include <memory>
struct Totals { int hits = 0; float worst = 0; Totals() {} void show() const { printf("%d %f", hits, worst); } };
struct Unmanage { template <class T> void operator()(T *p) const { p->~T(); cudaFree(p); } };
template <class T> using Shared = std::unique_ptr<T, Unmanage>;
template <class T> Shared<T> shared() {
    void *where = nullptr;
    if (cudaMallocManaged(&where, sizeof(T)) != cudaSuccess) abort();
    return Shared<T>(new (where) T());
}
__global__ void count(const float *x, Totals *t) { if (x[threadIdx.x] > 1) atomicAdd(&t->hits, 1); }
int run(const float *x) {
    auto totals = shared<Totals>();
    count<<<1, 64>>>(x, totals.get());
    cudaDeviceSynchronize();
    totals->show();
    return totals->hits;
}
"""


@pytest.mark.parametrize("rule", [DeviceMemoryLeak, DeviceUseAfterFree, WrongCopyDirection, UnsynchronisedHostRead])
def test_a_new_at_a_place_allocates_nothing(rule: RuleClass) -> None:
    assert_marked(rule, PLACED)


def test_a_method_that_reads_too_early_is_told_with_its_call() -> None:
    code = PLACED.replace("    cudaDeviceSynchronize();\n", "")
    (found, *_) = findings(UnsynchronisedHostRead, code)
    called = [code[one.span.start : one.span.end] for one in found.related if one.message == "called here"]
    assert called == ["totals->show()"]


def test_a_plain_object_of_managed_memory_made_in_place() -> None:
    assert_pair(
        UnsynchronisedHostRead,
        """
        #include <hip/hip_runtime.h>
        #include <new>
        struct Box { int low, high; explicit Box(int n) : low(n), high(-n) {} };
        __global__ void widen(Box *b) { atomicMin(&b->low, (int)threadIdx.x); }
        int low(int n) {
            void *raw;
            hipMallocManaged(&raw, sizeof(Box));
            Box *box = ::new (raw) Box(n);
            widen<<<1, 64>>>(box);
            hipDeviceSynchronize();  // only good
            const int found = box->low;  // bad
            hipFree(raw);
            return found;
        }
        """,
        "hip",
    )


LISTS = """
struct Field {
    int n; float *now, *next, *left, *right;
    explicit Field(int n_) : n(n_) {
        for (float **p : {&now, &next, &left, &right}) cudaMalloc(p, n * sizeof(float));
    }
    ~Field() { END }
    Field(const Field &) = delete;
};
void pair(int n) {
    float *a, *b;
    cudaMalloc(&a, n);
    cudaMalloc(&b, n);
    cudaMemset(a, 0, n);
    FREE
}
"""


@pytest.mark.parametrize(
    "end",
    [
        "for (float *p : {now, next, left, right}) cudaFree(p);",
        "float *all[] = {now, next, left, right}; for (int i = 0; i < 4; i++) cudaFree(all[i]);",
        "float *all[] = {now, next, left, right}; for (auto p : all) cudaFree(p);",
    ],
)
@pytest.mark.parametrize(
    "free", ["for (float *p : {a, b}) cudaFree(p);", "void *both[] = {a, b}; for (void *p : both) cudaFree(p);"]
)
def test_what_a_list_leads_to_is_given_back(end: str, free: str) -> None:
    assert_marked(DeviceMemoryLeak, LISTS.replace("END", end).replace("FREE", free))


def test_what_a_list_leaves_out_is_not() -> None:
    assert_pair(
        DeviceMemoryLeak,
        """
        static float *zeros(int n) { float *p; cudaMalloc(&p, n * 4); cudaMemset(p, 0, n * 4); return p; }
        void run(int n) {
            float *a = zeros(n), *b = zeros(n);
            float *c;
            cudaMalloc(&c, n);  // bad
            cudaMemcpy(c, b, n, cudaMemcpyDeviceToDevice);
            for (float *p : {a, b}) cudaFree(p);  // only bad
            for (float *p : {a, b, c}) cudaFree(p);  // only good
        }
        """,
    )


ROWS = """
__global__ void subtract(int rows, int columns, int pitch, const float *a, float *c) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i >= (long long)rows * columns) return;
    long long at = i / rows * pitch + i % rows;
    c[at] -= a[at];
}
struct Solver {
    int rows, columns, pitch;
    float *grad = nullptr;
    Solver(int r, int c, int p) : rows(r), columns(c), pitch(p) {
        cudaMalloc(&grad, sizeof(float) * (size_t)SIZE);
    }
    ~Solver() { cudaFree(grad); }
    void step(const float *a) {
        subtract<<<(rows * columns + 255) / 256, 256>>>(rows, columns, pitch, a, grad);
    }
};
"""


@pytest.mark.parametrize("size", ["pitch * columns", "p * c"])
def test_a_pitch_is_no_less_than_the_rows_that_a_remainder_counts(size: str) -> None:
    assert not findings(WrongBoundsGuard, ROWS.replace("SIZE", size))


IN_PLACE = """
__global__ void forward(int rounds, int count, int stride, const float *by, const float *from, float *to) {
    int b = blockIdx.x * 256 + threadIdx.x;
    if (b >= count) return;
    to[b] = from[b];
    for (int i = 1; i < rounds; ++i) to[i * stride + b] = from[i * stride + AT] - by[i] * to[(i - 1) * stride + b];
}
void run(int rounds, int count, int stride, const float *by, float *x) {
    forward<<<(count - 1) / 256 + 1, 256>>>(rounds, count, stride, by, x, x);
}
"""


@pytest.mark.parametrize(("at", "told"), [("b", False), ("(count - 1 - b)", True)])
def test_columns_in_place_lie_as_far_apart_as_there_are_rows(at: str, told: bool) -> None:
    assert bool(findings(AliasedRestrictArguments, IN_PLACE.replace("AT", at))) is told
