"""Comparisons of what a Python program that is followed works with."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from kernlint.frontends.clang.python.text import Text
from kernlint.frontends.clang.python.texts import library
from kernlint.frontends.clang.python.texts.values import Named, NumpyType, Open, is_known, items_of, plain

_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}  # fmt: skip


def compared(op: ast.cmpop, left: object, right: object) -> object:
    """Whether a comparison holds; what is not known where that is not."""
    one, other = plain(left), plain(right)
    if any(isinstance(each, Text) and not is_known(each) for each in (left, right)):
        return Open("value")
    if isinstance(op, (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)) and (one is None or other is None):
        given = one is None and other is None  # what is passed but not known is no None
        return given == isinstance(op, (ast.Is, ast.Eq))
    if isinstance(op, (ast.In, ast.NotIn)):
        values = [plain(item) for item in items_of(right) or []] if not isinstance(right, Text) else None
        if isinstance(left, Open) or isinstance(right, Open):
            return Open("value")
        if values is not None:
            found = one in values
        elif isinstance(one, str) and isinstance(other, str):
            found = one in other
        else:
            return Open("value")
        return found == isinstance(op, ast.In)
    if isinstance(left, (Named, NumpyType)) or isinstance(right, (Named, NumpyType)):
        if isinstance(left, Open) or isinstance(right, Open):
            return Open("value")
        same = library.same_type(left, right)
        return same == isinstance(op, (ast.Eq, ast.Is)) if isinstance(op, (ast.Eq, ast.NotEq, ast.Is, ast.IsNot)) else (
            Open("value"))  # fmt: skip
    numbers = isinstance(one, (int, float)) and isinstance(other, (int, float))
    texts = isinstance(one, str) and isinstance(other, str)
    if (numbers or texts) and type(op) in _COMPARISONS:
        return _COMPARISONS[type(op)](one, other)
    if isinstance(op, (ast.Is, ast.IsNot)) and isinstance(one, bool) and isinstance(other, bool):
        return (one is other) == isinstance(op, ast.Is)
    fits = isinstance(op, (ast.Eq, ast.NotEq)) and all(
        isinstance(each, (str, int, float, tuple)) for each in (one, other))  # fmt: skip
    return (one == other) == isinstance(op, ast.Eq) if fits else Open("value")
