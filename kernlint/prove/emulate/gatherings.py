"""Translation of what concerns more than one thread: barriers, fences, atomics, warp operations, copies."""

from __future__ import annotations

from kernlint.prove.emulate.callees import Callees
from kernlint.prove.emulate.formats import cell_format
from kernlint.prove.emulate.frame import result_type
from kernlint.prove.emulate.threads import Meeting, MeetingKind
from kernlint.tree.nodes import (
    Assume,
    AsyncCopy,
    AsyncWait,
    Atomic,
    Barrier,
    Expr,
    Fence,
    IntLit,
    Opaque,
    Scope,
    WarpOp,
)
from kernlint.tree.types import IntType, OpaqueType, PointerType, StructType

_FOLDS = (
    ("logical_and", "all"),
    ("logical_or", "any"),
    ("add", "add"),
    ("plus", "add"),
    ("sum", "add"),
    ("less", "min"),
    ("min", "min"),
    ("greater", "max"),
    ("max", "max"),
    ("mul", "mul"),
    ("xor", "xor"),
    ("and", "and"),
    ("or", "or"),
)
_ORDERS = ("release", "acq_rel", "seq_cst")


class Gatherings(Callees):
    """Barriers, fences, atomics, warp operations, asynchronous copies, assumptions."""

    def special(self, expr: Expr) -> str:
        if isinstance(expr, Barrier):
            return self._barrier(expr)
        if isinstance(expr, WarpOp):
            return self._warp_operation(expr)
        if isinstance(expr, Atomic):
            return self._atomic(expr)
        if isinstance(expr, Fence):
            return "FENCE(T)" if expr.scope in (Scope.GRID, Scope.SYSTEM) else "0"
        if isinstance(expr, AsyncCopy):
            return self._copy(expr)
        if isinstance(expr, AsyncWait):
            return self._wait(expr)
        assert isinstance(expr, Assume)
        return f"(0 if {self.truth(expr.cond)} else ASSUME(T, {self.site(expr)}, {expr.checked}))"

    def _meeting(
        self,
        kind: MeetingKind,
        expr: Expr,
        name: str,
        op: str = "sync",
        convergent: bool = False,
        extent: int | None = None,
    ) -> str:
        fences = expr.fences if isinstance(expr, Barrier) else frozenset()
        meetings = self.program.meetings
        meetings.append(Meeting(kind, self.site(expr), name, op, fences, convergent, extent))
        return f"M{len(meetings) - 1}"

    # ------------------------------------------------------------------------------------------------ barriers

    def _barrier(self, expr: Barrier) -> str:
        scope = expr.scope
        if scope is Scope.THREAD:
            return "0"
        if scope is Scope.CLUSTER:
            return self.unsupported("clusters")
        if scope in (Scope.GRID, Scope.SYSTEM):
            return f"(yield {self._meeting(MeetingKind.GRID, expr, expr.name)})"
        if scope in (Scope.WARP, Scope.TILE):
            return self._warp_barrier(expr)
        if expr.barrier_id is not None and not isinstance(result_type(expr.barrier_id.type), IntType):
            return self.unsupported("barrier objects")
        if expr.barrier_id is not None:
            return self._named_barrier(expr)
        if expr.part != "both":
            kind = MeetingKind.ARRIVE if expr.part == "arrive" else MeetingKind.WAIT
            return f"(yield REQUEST({self._meeting(kind, expr, expr.name)}, (), None, None, 0))"
        if expr.predicate is None and "scan" not in expr.name:
            return f"(yield {self._meeting(MeetingKind.BLOCK, expr, expr.name)})"
        op = self._block_operation(expr)
        if op is None or (not expr.args and expr.predicate is None):
            return self.unsupported(f"the collective {expr.name}")
        operands = expr.args or (() if expr.predicate is None else (expr.predicate,))
        codes = "".join(f"{self.value(item)}, " for item in operands)
        return f"(yield REQUEST({self._meeting(MeetingKind.BLOCK, expr, expr.name, op)}, ({codes})))"

    @staticmethod
    def _block_operation(expr: Barrier) -> str | None:
        name = expr.name.lower()
        if name.endswith(("_count", "_popc")):
            return "count"
        if "broadcast" in name:
            return "broadcast"
        way = ("scan_exclusive_" if "exclusive" in name else "scan_inclusive_") if "scan" in name else ""
        if not way and "reduce" not in name:
            return {"and": "all", "all": "all", "or": "any", "any": "any"}.get(name.rpartition("_")[2])
        fold = _fold_named(name)
        return None if fold is None else way + fold if way else f"reduce_{fold}"

    def _named_barrier(self, expr: Barrier) -> str:
        assert expr.barrier_id is not None
        kind = {"both": MeetingKind.NAMED, "arrive": MeetingKind.ARRIVE, "wait": MeetingKind.WAIT}[expr.part]
        if kind is not MeetingKind.NAMED:
            return self.unsupported("halves of a named barrier")
        count = self.value(expr.count) if expr.count is not None else "None"
        meeting = self._meeting(kind, expr, expr.name)
        return f"(yield REQUEST({meeting}, (), None, None, {self.value(expr.barrier_id)}, {count}))"

    def _warp_barrier(self, expr: Barrier) -> str:
        extent = expr.count.value if isinstance(expr.count, IntLit) else None
        convergent = expr.scope is Scope.TILE and extent is None
        meeting = self._meeting(MeetingKind.WARP, expr, expr.name, "sync", convergent, extent)
        if expr.mask is None or _is_default(expr.mask):
            return f"(yield {meeting})"
        return f"(yield REQUEST({meeting}, (), {self.value(expr.mask)} & FULL))"

    # ---------------------------------------------------------------------------------------- warp operations

    def _warp_operation(self, expr: WarpOp) -> str:
        op = self._warp_kind(expr)
        if op is None or expr.scope not in (Scope.WARP, Scope.TILE, Scope.THREAD):
            return self.unsupported(f"the warp operation {expr.name}")
        width = "None"
        extent = None
        if isinstance(expr.width, IntLit):
            if (expr.mask is None and expr.scope is not Scope.WARP) or not op.startswith("shuffle"):
                extent = expr.width.value
            width = str(expr.width.value)
        elif expr.width is not None and not _is_default(expr.width):
            width = self.value(expr.width)
        convergent = expr.mask is None and extent is None and not expr.synchronising
        meeting = self._meeting(MeetingKind.WARP, expr, expr.name, op, convergent, extent)
        operands = [item for item in expr.operands if not isinstance(item.type, (StructType, OpaqueType))]
        codes = "".join(f"{self.value(item)}, " for item in operands)
        mask = "None" if expr.mask is None else f"{self.value(expr.mask)} & FULL"
        return f"(yield REQUEST({meeting}, ({codes}), {mask}, {width}))"

    def _warp_kind(self, expr: WarpOp) -> str | None:
        kind, name = expr.kind, expr.name.lower()
        if name.startswith(("__builtin_amdgcn", "__hip_")) and kind.startswith("shuffle"):
            return None
        if "rotate" in name or (name.startswith("intel_") and len(expr.operands) > 2):
            return None
        if kind in ("shuffle", "shuffle_up", "shuffle_down", "shuffle_xor"):
            return kind if len(expr.operands) == 2 else None
        if kind == "match":
            return "match" if "all" not in name else None
        if kind == "broadcast" and len(expr.operands) == 1:
            return "first"
        if kind in ("reduce", "scan"):
            fold = _fold_named(name) or self._functor_fold(expr)
            if fold is None:
                return None
            if kind == "reduce":
                return f"reduce_{fold}"
            return f"scan_{'exclusive' if 'exclusive' in name else 'inclusive'}_{fold}"
        if kind in ("any", "all", "ballot", "broadcast", "activemask", "elect"):
            return kind
        return None

    @staticmethod
    def _functor_fold(expr: WarpOp) -> str | None:
        """The operation of ``cg::plus<int>()`` and its like."""
        for operand in expr.operands[1:]:
            kind = operand.type
            spelling = kind.name if isinstance(kind, StructType) else getattr(kind, "spelling", "")
            found = _fold_named(spelling.partition("<")[0].rpartition("::")[2])
            if found is not None:
                return found
        return "add" if len(expr.operands) == 1 and expr.kind == "scan" else None

    # ------------------------------------------------------------------------------------------------ atomics

    def _atomic(self, expr: Atomic) -> str:
        pointer = result_type(expr.pointer.type)
        kind = pointer.pointee if isinstance(pointer, PointerType) else result_type(expr.type)
        fmt = cell_format(kind)
        if fmt is None:
            kind = result_type(expr.type)
            fmt = cell_format(kind)
        if fmt is None or (expr.op == "cas" and len(expr.operands) < 2):
            return self.unsupported(f"the atomic {expr.name} on a type that is not known")
        obj, off = self.pointer(expr.pointer)
        device = expr.scope in (Scope.GRID, Scope.SYSTEM, Scope.CLUSTER)
        bits = (kind.bits if kind.signed else -kind.bits) if isinstance(kind, IntType) else 0
        operands = "".join(f", {self.value(item)}" for item in expr.operands)
        change = f"A_{expr.op}({bits}{operands})"
        code = f"{obj}.atomic({off}, {fmt!r}, T, {self.site(expr)}, {change}, {device})"
        return f"(FENCE(T), {code})[1]" if device and expr.order in _ORDERS and expr.op != "load" else code

    # ------------------------------------------------------------------------------------- asynchronous copies

    def _copy(self, expr: AsyncCopy) -> str:
        if expr.mechanism == "bulk":
            return self.unsupported(f"{expr.name}, whose end a barrier counts in bytes")
        if expr.size is None:
            return self.unsupported(f"the copy {expr.name} of a size that is not known")
        target, source = self.value_of_pointer(expr.destination), self.value_of_pointer(expr.source)
        fmt = self.pointed_format(expr.destination)
        args = f"{target}, {source}, {self.value(expr.size)}, {fmt!r}"
        if expr.mechanism == "event":
            chained = "0" if expr.event is None else self.value(expr.event)
            return f"(yield REQUEST({self._meeting(MeetingKind.COPY, expr, expr.name)}, ({args}, {chained})))"
        return f"COPY(T, {expr.mechanism!r}, {args}, {self.site(expr)})"

    def _wait(self, expr: AsyncWait) -> str:
        if expr.commit:
            return f"COMMIT(T, {expr.mechanism!r})"
        if expr.mechanism == "event":
            if len(expr.args) != 2:
                return self.unsupported("a wait for events that is not understood")
            args = f"{self.value(expr.args[0])}, {self.value_of_pointer(expr.args[1])}"
            return f"(yield REQUEST({self._meeting(MeetingKind.AWAIT, expr, expr.name)}, ({args})))"
        pending = "None" if expr.pending is None else self.value(expr.pending)
        return f"AWAIT(T, {expr.mechanism!r}, {pending})"


def _is_default(expr: Expr) -> bool:
    """Whether the argument is not written and stands for the function's default."""
    return isinstance(expr, Opaque) and "default" in expr.reason


def _fold_named(name: str) -> str | None:
    """The fold that a function's name tells."""
    for word, fold in _FOLDS:
        if word in name:
            return fold
    return None
