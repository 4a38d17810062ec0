r"""The rule ``local-declaration-scope``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleFacts
from kernlint.finding import Finding, Severity
from kernlint.rule import Meta, ModuleRule
from kernlint.tree.nodes import DeclStmt, FunctionDecl, FunctionKind, VarDecl
from kernlint.tree.types import Space
from kernlint.tree.walk import walk


class LocalDeclarationScope(ModuleRule):
    r"""An OpenCL `__local` variable where the language has no place for one.

    Variables in local memory live as long as the work-group, so OpenCL C (6.7.2, address space qualifiers) allows them
    only in the outermost scope of a kernel, and without an initialiser. In a helper function, in an inner block, or
    with an initialiser some compilers refuse them and others give each call, or each inlined copy, memory of its own.
    Declare the array in the kernel and pass a `__local` pointer.

    ```opencl bad
    int sum_of(const int v) {
        __local int part[64];  // expect: KL701
        part[get_local_id(0)] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        int s = 0;
        for (int i = 0; i < 64; ++i) s += part[i];
        return s;
    }

    __kernel void total(__global const int *x, __global int *y) {
        y[get_global_id(0)] = sum_of(x[get_global_id(0)]);
    }
    ```

    ```opencl bad
    __kernel void reversed(__global float *x, const int n) {
        if (n > 0) {
            __local float tile[64];  // expect: KL701
            tile[get_local_id(0)] = x[get_global_id(0)];
            barrier(CLK_LOCAL_MEM_FENCE);
            x[get_global_id(0)] = tile[63 - get_local_id(0)];
        }
    }
    ```

    ```opencl good
    int sum_of(const int v, __local int *part) {
        part[get_local_id(0)] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        int s = 0;
        for (int i = 0; i < 64; ++i) s += part[i];
        return s;
    }

    __kernel void total(__global const int *x, __global int *y) {
        __local int part[64];
        y[get_global_id(0)] = sum_of(x[get_global_id(0)], part);
    }
    ```

    ```opencl good
    __kernel void reversed(__global float *x, const int n) {
        __local float tile[64];
        if (n > 0) {
            __local float *mine = tile + get_local_id(0);
            *mine = x[get_global_id(0)];
            barrier(CLK_LOCAL_MEM_FENCE);
            x[get_global_id(0)] = tile[63 - get_local_id(0)];
        }
    }
    ```
    """

    meta = Meta("KL701", "local-declaration-scope", Severity.ERROR, tags=("OpenCL C local",), precision="very-high")

    def check_module(self, facts: ModuleFacts) -> Iterator[Finding]:
        if facts.module.language != "opencl":
            return
        for function in facts.module.functions:
            for decl, where in _misplaced(function):
                yield self.finding(
                    decl,
                    f"the local variable {decl.name} {where}",
                    fix="declare it in the outermost scope of the kernel"
                    + ("" if function.kind is FunctionKind.KERNEL else " and pass a pointer to it")
                    if "initialiser" not in where
                    else "let one work-item give it its value, and put a barrier behind that",
                )


def _misplaced(function: FunctionDecl) -> Iterator[tuple[VarDecl, str]]:
    """Local variables that the language does not allow where they stand, and why."""
    if function.body is None:
        return
    outermost = {id(statement) for statement in function.body.body}
    for node in walk(function.body):
        if not isinstance(node, DeclStmt):
            continue
        for decl in node.decls:
            if decl.space is not Space.SHARED or decl.is_global:
                continue
            if function.kind is not FunctionKind.KERNEL:
                yield decl, f"is declared in {function.name}, which is not a kernel"
            elif id(node) not in outermost:
                yield decl, "is declared in an inner block: the language allows it only in the kernel's outermost scope"
            elif decl.init is not None:
                yield decl, "has an initialiser, which local memory cannot have"
