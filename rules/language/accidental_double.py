r"""The rule ``accidental-double``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleFacts
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, ModuleRule
from kernlint.tree.nodes import Assign, Binary, Cast, Expr, FloatLit, FunctionDecl, FunctionKind, Node
from kernlint.tree.types import F32, F64, FloatType
from kernlint.tree.walk import walk


class AccidentalDouble(ModuleRule):
    r"""A constant without a suffix that makes arithmetic of single precision double.

    ``0.5 * x`` of a float x is a product of doubles, which is rounded back when it is stored. Devices without double
    precision refuse it, or compute it in software; others do it at a fraction of their speed.

    Reported where a comment of the file says that it is built for devices without double precision, or uses none, and
    no function of it has a double of its own.

    ```opencl bad
    // Builds on devices without double precision.
    __kernel void halve(__global float *x) {
        const size_t i = get_global_id(0);
        x[i] = 0.5 * x[i];  // expect: KL705
    }
    ```

    ```cuda bad
    // Single precision throughout.
    __global__ void damp(float *x, float rate) {
        x[threadIdx.x] *= 1.0 - rate;  // expect: KL705
    }
    ```

    ```opencl good
    // Builds on devices without double precision.
    __kernel void halve(__global float *x) {
        const size_t i = get_global_id(0);
        x[i] = 0.5f * x[i];
    }
    ```

    ```cuda good
    __global__ void damp(float *x, float rate) {
        x[threadIdx.x] *= 1.0 - rate;
    }
    ```
    """

    meta = Meta("KL705", "accidental-double", Severity.WARNING, tags=("precision",))

    def check_module(self, facts: ModuleFacts) -> Iterator[Finding]:
        if not facts.options.single_alone:
            return
        places: list[Node] = []
        for function in facts.module.functions:
            if function.kind is FunctionKind.HOST or function.body is None:
                continue
            if _has_doubles(function):
                return
            places += [node for node in walk(function.body) if _made_double(node)]
        inner = {id(part) for node in places for part in walk(node) if part is not node}
        places = [node for node in places if id(node) not in inner and node.span.file == facts.module.path]
        if places:
            places.sort(key=lambda node: node.span.start)
            yield self.finding(
                places[0].span,
                "a constant without the suffix f makes this arithmetic double, and a comment says that there is no "
                "double precision",
                related=[Related(node.span, "and this") for node in places[1:8]],
                fix="write the constants with the suffix f",
            )


def _has_doubles(function: FunctionDecl) -> bool:
    """Whether a function has parameters or variables of double precision, or converts to it in so many words."""
    body = function.body
    return any(param.type == F64 for param in function.params) or any(
        (isinstance(node, Cast) and node.explicit and node.type == F64)
        or (not isinstance(node, Expr) and getattr(node, "type", None) == F64)
        for node in (walk(body) if body is not None else ())
    )


def _made_double(node: Node) -> bool:
    """Whether a number of single precision is made one of double to be put together with a constant."""
    if isinstance(node, Assign) and node.compute == F64 and node.target.type == F32:
        return any(isinstance(part, FloatLit) and part.type == F64 for part in walk(node.value))
    if not isinstance(node, Binary) or node.type != F64:
        return False
    sides = (node.lhs, node.rhs)
    single = [side for side in sides if isinstance(side, Cast) and not side.explicit and _single(side.operand)]
    return bool(single) and any(
        isinstance(part, FloatLit) and part.type == F64 for side in sides for part in walk(side)
    )


def _single(operand: Expr) -> bool:
    return isinstance(operand.type, FloatType) and operand.type == F32
