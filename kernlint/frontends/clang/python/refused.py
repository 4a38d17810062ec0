"""What a Python program expects to fail: statements of tests that an exception has to leave.

``with self.assertRaises(TypingError):`` and ``with pytest.raises(ValueError):`` say of what stands below them that it
is refused; so do ``self.assertRaises(TypingError, function, ...)`` and its like of what they are given.  A launch there
is none that anybody wants to succeed, and a kernel that is named nowhere else never runs.
"""

from __future__ import annotations

import ast
from collections.abc import Set

from kernlint.frontends.clang.python.program import PythonProgram, dotted

_RAISES = frozenset({"assertRaises", "assertRaisesRegex", "assertRaisesRegexp", "assert_raises", "assert_raises_regex"})
"""Of ``unittest`` and of NumPy's testing; pytest's is ``raises``."""


def refused(program: PythonProgram) -> Set[int]:
    """Ids of the nodes of a program that stand where an exception is expected."""
    if b"aises" not in program.data:
        return frozenset()
    found: set[int] = set()
    for node in ast.walk(program.scopes[0].node):
        if isinstance(node, (ast.With, ast.AsyncWith)):
            if any(_expects(program, item.context_expr) for item in node.items):
                found.update(id(at) for statement in node.body for at in ast.walk(statement))
        elif isinstance(node, ast.Call) and len(node.args) > 1 and _expects(program, node):
            found.update(id(at) for arg in node.args[1:] for at in ast.walk(arg))
    return found


def _expects(program: PythonProgram, expr: ast.expr) -> bool:
    if not isinstance(expr, ast.Call):
        return False
    name = dotted(expr.func) or ""
    return name.rpartition(".")[2] in _RAISES or program.imported(name) == "pytest.raises"
