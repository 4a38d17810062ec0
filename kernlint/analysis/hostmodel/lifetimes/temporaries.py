"""Pointers into objects that end with the statement: the elements of a tensor or sequence that a call has just made.

``float *p = x.contiguous().data_ptr<float>()`` keeps the pointer and not the copy: where ``x`` is not contiguous, its
memory is given back at the semicolon.  As an argument of a call or launch such a pointer is good, as the object lives
to the end of the full expression.  Views of a tensor share the memory of the tensor.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.hostmodel.lifetimes.model import Fault
from kernlint.analysis.hostmodel.lifetimes.program import Program
from kernlint.text.patterns import pattern
from kernlint.tree import nodes as n
from kernlint.tree.types import PointerType, StructType
from kernlint.tree.walk import strip_casts, walk

_POINTERS = frozenset({"data_ptr", "mutable_data_ptr", "const_data_ptr", "data"})
_SAME = frozenset({"thrust::raw_pointer_cast", "std::move", "std::forward"})
_SEQUENCE = pattern(r"(?:struct |class )?(?:std::vector|thrust::(?:device|host)_vector)\b.*")
_TENSOR = pattern(r"(?:struct |class )?(?:at|torch)::Tensor")
_COPIES = frozenset(
    {"contiguous", "to", "clone", "cuda", "cpu", "toType", "to_dense", "empty", "zeros", "ones", "full", "empty_like",
     "zeros_like", "ones_like", "arange", "tensor", "cat", "stack"}
)  # fmt: skip
"""Functions of PyTorch that may give a tensor of its own memory; what they give otherwise is a view."""


def dangling(program: Program) -> Iterator[Fault]:
    """Variables that are given such a pointer."""
    for function in program.functions:
        if function.body is None or function.span.file != program.module.path:
            continue
        calls = [node for node in walk(function.body) if isinstance(node, n.Call)]
        if not any(node.name.rpartition("::")[2] in _POINTERS for node in calls):
            continue
        checked = any(node.name.endswith("is_contiguous") for node in calls)
        for node in walk(function.body):
            if isinstance(node, n.VarDecl) and node.init is not None and isinstance(node.type, PointerType):
                made, name = _made(node.init), node.name
            elif isinstance(node, n.Assign) and not node.op and isinstance(node.target.type, PointerType):
                target = node.target
                name = target.decl.name if isinstance(target, n.Ref) else getattr(target, "field", "the pointer")
                made = _made(node.value)
            else:
                continue
            if made is not None and not (checked and made.name.endswith("contiguous")):
                yield Fault("temporary", node.span, name, made.name.rpartition("::")[2])


def _made(expr: n.Expr) -> n.Call | None:
    """The call that makes the object into which an expression points, where nothing keeps that."""
    while True:
        if isinstance(expr, n.Cast):
            expr = expr.operand
        elif isinstance(expr, n.Call) and expr.name in _SAME and len(expr.args) == 1:
            expr = expr.args[0]
        else:
            break
    if not isinstance(expr, n.Call) or expr.receiver is None or expr.name.rpartition("::")[2] not in _POINTERS:
        return None
    made = expr.receiver
    made = strip_casts(made)
    if not isinstance(made, n.Call) or not isinstance(made.type, StructType):
        return None
    if made.function is not None and isinstance(made.function.result, PointerType):  # a reference
        return None
    last = made.name.rpartition("::")[2]
    if _TENSOR.fullmatch(made.type.name):
        return made if last in _COPIES and made.name.startswith(("at::", "torch::")) else None
    user = made.function is not None and made.receiver is None and not last.startswith("operator")
    return made if user and _SEQUENCE.fullmatch(made.type.name) else None
