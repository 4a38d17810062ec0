"""Conditions of the preprocessor, and what switches them on."""

from __future__ import annotations

import pytest

from kernlint.frontends.clang.conditions.directives import Branch, Program
from kernlint.frontends.clang.conditions.expressions import evaluate, read
from kernlint.frontends.clang.conditions.settings import Changes, Kind, Search, plan, setting_of
from kernlint.frontends.clang.options import Language


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3 == 7", 1),
        ("defined(A) && !defined B", 1),
        ("A > 0x10 || B", 1),
        ("(A & 3) == 0 ? 5 : 6", 5),
        ("A >= 20u && A < 100L", 1),
        ("C == A", 1),
        ("-7 / 2", -3),
        ("1 / 0", 0),
        ("CALL(1, (2)) + 1", 1),
        ("~0 == -1", 1),
        ("", 0),
    ],
)
def test_conditions_have_the_values_of_the_language(text: str, value: int) -> None:
    assert evaluate(read(text), {"A": "20", "C": "(A)"}) == value


def test_macros_that_name_each_other_end() -> None:
    assert evaluate(read("A"), {"A": "B", "B": "A"}) == 0


def _search(text: str, language: Language = Language.CUDA, headers: dict[str, str] | None = None) -> Search:
    files = headers or {}
    program = Program("a.cu", text.encode(), files, lambda path: files[path].encode())
    return Search(program, language, {"__CUDACC__": "1", "__CUDA_ARCH__": "800"})


def _last(search: Search) -> Branch:
    return search.program.main.branches[-1]


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("#ifdef A\n#endif", {"A": "1"}),
        ("#if A == 7\n#endif", {"A": "7"}),
        ("#if A\n#elif B > 3\n#endif", {"B": "4"}),
        ("#define A 1\n#if !defined(B) && A\n#else\n#endif", {"B": "1"}),
        ("#ifndef SIZE\n#define SIZE 16\n#endif\n#if SIZE > 32\n#endif", {"SIZE": "33"}),
        ("#ifdef A\n#if B >= 2\n#endif\n#endif", {"A": "1", "B": "2"}),
        ("#if __CUDA_ARCH__ >= 900\n#endif", {"__CUDA_ARCH__": "900"}),
        ("#if __CUDA_ARCH__ >= 800\n#else\n#endif", {"__CUDA_ARCH__": "700"}),
        ("#if KIND == FAST\n#endif", {"KIND": "0"}),
        ("#define FAST 3\n#if KIND == FAST\n#endif", {"KIND": "3"}),
        ("#if defined(A)\n#define HAVE 1\n#endif\n#if defined(HAVE)\n#endif", {"A": "1"}),
    ],
)
def test_the_fewest_changes_that_switch_a_branch_on(text: str, changes: Changes) -> None:
    search = _search(text)
    branch = _last(search)
    if branch in search.outcome({}).active:
        return
    kind, found = search.solve(branch, {})
    assert (kind, found) == (Kind.OPEN, changes) or branch in search.outcome(found).active
    assert len(found) == len(changes)


def test_a_definition_in_a_header_leads_to_its_condition() -> None:
    headers = {"features.h": "#pragma once\n#if __CUDA_ARCH__ >= 900\n#define HAVE_TMA\n#endif\n"}
    search = _search('#include "features.h"\n#ifdef HAVE_TMA\n#endif\n', headers=headers)
    kind, found = search.solve(_last(search), {})
    assert kind is Kind.OPEN and len(found) == 1
    setting, _ = setting_of({"__CUDA_ARCH__": "900"}, search.outcome({"__CUDA_ARCH__": "900"}), Language.CUDA)
    assert setting.target == "sm_90" and setting.text() == ""


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("#if 0\n#endif", Kind.DEAD),
        ("#define A 0\n#if A\n#endif", Kind.DEAD),
        ("#ifdef A\n#ifndef A\n#endif\n#endif", Kind.DEAD),
        ("#ifndef __CUDA_ARCH__\n#endif", Kind.HOST),
        ("#ifdef __CUDACC__\n#else\n#endif", Kind.HOST),
        ("#ifdef _MSC_VER\n#endif", Kind.DEAD),
        ("#ifdef __INTELLISENSE__\n#endif", Kind.DEAD),
    ],
)
def test_branches_that_no_setting_compiles(text: str, kind: Kind) -> None:
    search = _search(text)
    assert search.solve(_last(search), {})[0] is kind


def test_settings_are_put_together_unless_they_contradict_each_other() -> None:
    search = _search("#ifdef A\n#endif\n#ifdef B\n#endif\n#if C == 1\n#elif C == 2\n#endif\n")
    plans, kinds = plan(search, search.program.main.branches, {})
    assert plans == [
        ({"A": "1", "B": "1", "C": "1"}, [{"A": "1"}, {"B": "1"}, {"C": "1"}]),
        ({"C": "2"}, [{"C": "2"}]),
    ]
    assert set(kinds.values()) == {Kind.OPEN}


def test_a_setting_that_includes_the_hip_runtime_is_read_as_hip() -> None:
    search = _search("#ifdef USE_ROCM\n#include <hip/hip_runtime.h>\n#else\n#include <cuda_runtime.h>\n#endif\n")
    changes: Changes = {"USE_ROCM": "1"}
    setting, language = setting_of(changes, search.outcome(changes), Language.CUDA)
    assert language is Language.HIP and setting.words() == "USE_ROCM defined"
    assert setting.text() == "#undef USE_ROCM\n#define USE_ROCM 1\n"


BOARDS = """
#if BOARD == (1 << 3)
#define HAS_LANES
#elif BOARD == 2
#define HAS_QUADS
#else
#define HAS_NOTHING
#endif
"""


def test_what_a_value_of_another_macro_defines_is_switched_by_that() -> None:
    search = _search('#include "boards.h"\n#ifdef HAS_LANES\n#endif\n', headers={"boards.h": BOARDS})
    assert search.solve(_last(search), {}) == (Kind.OPEN, {"BOARD": "8"})


def test_headers_that_another_reading_has_found_are_learnt() -> None:
    text = "#ifdef ALONE\n#include TEXT(FOLDER/boards.h)\n#endif\n#ifdef HAS_QUADS\n#endif\n"
    files = {"lib/boards.h": BOARDS}
    program = Program("a.cl", text.encode(), (), lambda path: files[path].encode())
    search = Search(program, Language.OPENCL, {})
    assert search.solve(_last(search), {"ALONE": "1"})[1] == {"ALONE": "1", "HAS_QUADS": "1"}
    search.learn(tuple(files))
    assert search.solve(_last(search), {"ALONE": "1"})[1] == {"ALONE": "1", "BOARD": "2"}


def test_a_setting_that_shows_what_another_one_shows_too_is_left_out() -> None:
    search = _search("#if WIDTH >= 2\n#endif\n#if WIDTH >= 4\n#endif\n#if WIDTH >= 8\n#endif\n")
    assert plan(search, search.program.main.branches, {})[0] == [({"WIDTH": "8"}, [{"WIDTH": "8"}])]


def test_a_branch_may_take_back_what_has_been_set_for_others() -> None:
    search = _search("#ifdef A\n#if WIDTH >= 4\n#endif\n#endif\n")
    plans, _ = plan(search, search.program.main.branches[1:], {"A": "1", "WIDTH": "1", "B": "2"})
    assert [changes for changes, _ in plans] == [{"A": "1", "WIDTH": "4", "B": "2"}]


def test_the_guard_of_a_header_is_no_macro_of_the_build() -> None:
    header = "#ifndef COMMON_H\n#define COMMON_H\n#define FAST\n#ifndef WIDE\n#define WIDE 1\n#endif\n#endif\n"
    search = _search('#include "c.h"\n#ifdef FAST\n#else\n#endif', headers={"c.h": header})
    assert "COMMON_H" not in setting_changes(search)


def setting_changes(search: Search) -> Changes:
    """The changes that switch on the last branch of a source."""
    return search.solve(_last(search), {})[1]


BRANCHES = (
    "#ifdef WITH_CUDA\n#include <cuda_runtime.h>\nint a;\n#endif\n#ifdef OTHER\n#include <RUNTIME>\nint b;\n#endif\n"
)


@pytest.mark.parametrize("always", [{}, {"WITH_CUDA": "1"}])
def test_no_setting_builds_a_source_for_two_platforms_at_once(always: Changes) -> None:
    search = _search(BRANCHES.replace("RUNTIME", "hip/hip_runtime.h"))
    made = [changes for changes, _ in plan(search, search.program.main.branches, always)[0]]
    assert made and {"WITH_CUDA": "1", "OTHER": "1"} not in made
    both = _search(BRANCHES.replace("RUNTIME", "cublas_v2.h"))
    made = [changes for changes, _ in plan(both, both.program.main.branches, always)[0]]
    assert made == [{"WITH_CUDA": "1", "OTHER": "1"}]
