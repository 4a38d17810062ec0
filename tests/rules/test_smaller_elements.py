"""Memory that is asked for by the size of less than its elements, directly and by helpers of the program."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.byte_count_mismatch import ByteCountMismatch

from tests.rules.marked import findings

CODE = """
#define SLOTS 4096
#define NUMBER_OF_PLANES 4
struct Node { int key; Node *next; };
struct Table { Node **heads; double *sums; int *counts; Node *pool; };
static void zeroed(void **to, size_t bytes) { cudaMalloc(to, bytes); cudaMemset(*to, 0, bytes); }
static void *fresh(size_t bytes) { void *p = nullptr; if (cudaMalloc(&p, bytes) != cudaSuccess) abort(); return p; }
template <class T> static void make(T *&p, size_t bytes) { cudaMalloc(&p, bytes); }
template <class T> static void many(T **p, size_t count) { cudaMalloc((void **)p, count * sizeof(T)); }
void run(Table *t, size_t n) { CALL; }
"""


def _told(call: str) -> bool:
    return any(
        "less than the elements" in one.message for one in findings(ByteCountMismatch, CODE.replace("CALL", call))
    )


@pytest.mark.parametrize(
    "call",
    [
        "cudaMalloc(&t->heads, n * sizeof(unsigned))",
        "cudaMalloc(&t->heads, SLOTS * sizeof(unsigned))",
        "zeroed((void **)&t->heads, n * sizeof(int))",
        "zeroed((void **)&t->heads, SLOTS * sizeof(unsigned int))",
        "zeroed((void **)&t->sums, n * sizeof(float))",
        "t->heads = (Node **)fresh(n * sizeof(int))",
        "double *sums = static_cast<double *>(fresh(SLOTS * sizeof(float)))",
        "make(t->sums, n * sizeof(float))",
    ],
)
def test_the_size_of_something_smaller(call: str) -> None:
    assert _told(call)


@pytest.mark.parametrize(
    "call",
    [
        "zeroed((void **)&t->heads, n * sizeof(Node *))",
        "zeroed((void **)&t->heads, SLOTS * sizeof(Node *))",
        "zeroed((void **)&t->counts, n * sizeof(int))",
        "zeroed((void **)&t->pool, n * sizeof(int))",  # of a structure, perhaps with room behind
        "zeroed((void **)&t->sums, NUMBER_OF_PLANES * sizeof(double))",
        "zeroed((void **)&t->sums, n * 2 * sizeof(float))",
        "zeroed((void **)&t->sums, n)",
        "t->heads = (Node **)fresh(n * sizeof(Node *))",
        "void *any = fresh(n * sizeof(int))",
        "make(t->sums, n * sizeof(double))",
        "many(&t->sums, n * sizeof(int))",  # more than enough
        "many(&t->heads, n)",
    ],
)
def test_as_much_as_the_elements_need(call: str) -> None:
    assert not _told(call)
