"""Macros that a host puts before a program's text, with a value that it works out."""

from __future__ import annotations

from kernlint.project.definitions import _in_strings


def test_a_value_that_is_put_behind_the_name_is_not_empty() -> None:
    assert _in_strings('before << "#define WIDE " << wide << std::endl;', "WIDE") == []
    assert _in_strings('before << "#define WIDE\\t" + text(wide);', "WIDE") == []


def test_a_macro_without_a_value_is_empty() -> None:
    assert _in_strings('before << "#define WIDE" << std::endl;', "WIDE") == ["#define WIDE"]
    assert _in_strings('before << "#define WIDE 8\\n";', "WIDE") == ["#define WIDE 8"]
