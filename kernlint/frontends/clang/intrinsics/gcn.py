"""AMD GCN instructions inside inline assembly."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kernlint.frontends.clang.intrinsics.base import ALL_MEMORY
from kernlint.source import Span
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import Asm, Barrier, Block, Expr, ExprStmt, Scope, Stmt, Trap
from kernlint.tree.types import VOID

_HEAD = pattern(r"^\s*(?:s|v|ds|buffer|global|flat|scratch|tbuffer|image|exp)_\w+", re.M)
_BARRIERS = frozenset({"s_barrier", "s_barrier_wait", "s_barrier_signal"})
# Scalar instructions that only count, wait for the thread's own memory operations, sleep or hint.
_QUIET = (
    "s_waitcnt",
    "s_wait_",
    "s_nop",
    "s_sleep",
    "s_setprio",
    "s_delay_alu",
    "s_clause",
    "s_inst_prefetch",
    "s_icache",
)
_CONTROL = ("s_branch", "s_cbranch", "s_setpc", "s_swappc", "s_call", "s_trap", "s_sendmsg", "s_barrier", "s_rfe")
_MEMORY = (
    "ds_",
    "buffer_",
    "global_",
    "flat_",
    "scratch_",
    "tbuffer_",
    "image_",
    "s_store",
    "s_buffer_store",
    "s_atomic",
)
_READS = ("_load", "_read", "_bpermute", "_permute", "_swizzle", "_inv", "_wbinv", "_wb")


def looks_like(text: str) -> bool:
    """True for GCN rather than PTX."""
    return _HEAD.search(text.replace("\\n", "\n").replace("\\t", " ").lstrip('"')) is not None


def lower(
    instructions: Sequence[tuple[str, tuple[str, ...]]],
    text: str,
    outputs: tuple[Expr, ...],
    inputs: tuple[Expr, ...],
    span: Span,
) -> Stmt:
    """Statements for ``instructions`` (mnemonic, operands): barriers as barriers, the rest as one :class:`Asm`."""
    before: list[Stmt] = []
    may_sync = writes = rest = False
    for name, _operands in instructions:
        if name in _BARRIERS:
            part = {"s_barrier_wait": "wait", "s_barrier_signal": "arrive"}.get(name, "both")
            before.append(ExprStmt(span, Barrier(span, VOID, Scope.BLOCK, ALL_MEMORY, name, part=part)))
        elif name == "s_endpgm":
            before.append(Trap(span))
        elif name.startswith(_QUIET):
            continue
        else:
            rest = True
            if name.startswith(_CONTROL) or not name.startswith(("s_", "v_", *_MEMORY)):
                may_sync = writes = True
            elif name.startswith(_MEMORY):
                # A load into LDS writes shared memory.
                writes |= not any(mark in name for mark in _READS) or "_lds" in name or " lds" in text
    if before and not rest and not outputs:
        return before[0] if len(before) == 1 else Block(span, tuple(before))
    asm = Asm(span, text, outputs, inputs, may_sync, writes)
    return Block(span, (asm, *before)) if before else asm
