from __future__ import annotations

import pytest

from kernlint.analysis.base import (
    Analysis,
    AnalysisFailed,
    BadGraph,
    Facts,
    ModuleAnalysis,
    ModuleFacts,
    UndeclaredNeed,
    check_graph,
)
from kernlint.source import SourceFile
from tests.minimal import MinimalFrontend


@pytest.fixture
def facts():
    (module,) = MinimalFrontend().parse_file(SourceFile("a.cu", b"__global__ void k() { bad(); }"), None)
    return Facts(ModuleFacts(module), module.kernels[0])


def test_each_fact_is_computed_once(facts):
    runs = []
    inner = Analysis("inner", lambda f: runs.append("inner") or 20)
    outer = Analysis("outer", lambda f: runs.append("outer") or f[inner] + 1, needs=(inner,))
    assert (facts[outer], facts[outer], facts[inner]) == (21, 21, 20)
    assert runs == ["outer", "inner"]


def test_file_level_facts_are_shared_by_all_kernels(facts):
    runs = []
    whole = ModuleAnalysis("whole", lambda f: runs.append(f.module.path) or len(f.module.kernels))
    kernel = Analysis("kernel", lambda f: f[whole] + f.module_facts[whole], needs=(whole,))
    other = Facts(facts.module_facts, facts.kernel)
    assert (facts[kernel], other[kernel]) == (2, 2)
    assert runs == ["a.cu"]


def test_asking_for_what_was_not_declared_is_an_error(facts):
    inner = Analysis("inner", lambda f: 1)
    greedy = Analysis("greedy", lambda f: f[inner])
    with pytest.raises(UndeclaredNeed, match="greedy asks for inner"):
        facts[greedy]
    with pytest.raises(UndeclaredNeed, match="my-rule asks for inner"):
        facts.scoped("my-rule", ())[inner]
    assert facts.scoped("my-rule", (inner,))[inner] == 1
    whole = ModuleAnalysis("whole", lambda f: 1)
    with pytest.raises(UndeclaredNeed):
        facts.scoped("my-rule", (inner,)).module_facts[whole]


def test_a_failure_is_remembered(facts):
    runs = []

    def compute(f):
        runs.append(1)
        raise ValueError("no")

    broken = Analysis("broken", compute)
    outer = Analysis("outer", lambda f: f[broken], needs=(broken,))
    for _ in range(2):
        with pytest.raises(AnalysisFailed, match="analysis broken failed: ValueError: no"):
            facts[outer]
    assert runs == [1]


def test_time_is_counted_where_it_is_spent(facts):
    import time

    inner = Analysis("inner", lambda f: time.sleep(0.03))
    outer = Analysis("outer", lambda f: f[inner], needs=(inner,))
    facts[outer]
    seconds = facts.timings.seconds
    assert seconds["analysis inner"] >= 0.03 > seconds["analysis outer"]


def test_a_circle_of_needs_is_named():
    needs: list = []
    first = Analysis("first", lambda f: 1, needs=needs)
    second = Analysis("second", lambda f: 1, needs=(first,))
    needs.append(second)
    with pytest.raises(BadGraph, match="first -> second -> first"):
        check_graph([first])


def test_an_unsound_graph_is_refused():
    kernel = Analysis("x", lambda f: 1)
    with pytest.raises(BadGraph, match="file-level analysis y needs the kernel-level x"):
        check_graph([ModuleAnalysis("y", lambda f: 1, needs=(kernel,))])
    with pytest.raises(BadGraph, match="two analyses are called x"):
        check_graph([kernel, Analysis("x", lambda f: 2)])
    with pytest.raises(BadGraph, match="not an analysis"):
        check_graph([Analysis("z", lambda f: 1, needs=("x",))])


def test_the_order_has_needs_first():
    a = Analysis("a", lambda f: 1)
    b = Analysis("b", lambda f: 1, needs=(a,))
    c = Analysis("c", lambda f: 1, needs=(b, a))
    assert [x.name for x in check_graph([c, a])] == ["a", "b", "c"]
