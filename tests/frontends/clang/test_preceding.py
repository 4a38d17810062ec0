"""What counts as a declaration in a text that the compiler did not understand."""

from __future__ import annotations

import pytest

from kernlint.frontends.clang.preceding import _declares


@pytest.mark.parametrize(
    ("text", "declared"),
    [
        ("word width;", True),
        ("vec<T> width = 1;", True),
        ("word * const width, int n", False),
        ("f(word *  width)", True),
        ("3 * width;", True),  # a pointer of a type that is no word
        ("return width;", False),
        ("return * width;", False),
        ("word width == 1", False),
        ("word widths; widthword width)", True),
        ("word*width;", False),
        ("width;", False),
        ("", False),
    ],
)
def test_declarations(text: str, declared: bool) -> None:
    assert _declares(text, "width") == declared
