"""PTX instructions inside inline assembly, after the PTX ISA 8.5 manual."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kernlint.frontends.clang.intrinsics.barriers import grid_dependency
from kernlint.frontends.clang.intrinsics.base import (
    ALL_MEMORY,
    BOOL,
    U64,
    constant,
)
from kernlint.frontends.clang.intrinsics.ptx_operands import PtxOperands, type_of
from kernlint.frontends.clang.intrinsics.ptx_tables import (
    ARITHMETIC,
    ATOMS,
    COMPARE,
    DIRECTIVES,
    ORDERS,
    PURE,
    QUIET,
    SCOPES,
    SHUFFLES,
    SPACES,
)
from kernlint.tree.nodes import (
    Asm,
    Assign,
    AsyncCopy,
    AsyncWait,
    Atomic,
    Barrier,
    Binary,
    Block,
    Cast,
    Deref,
    Expr,
    ExprStmt,
    Fence,
    If,
    InitList,
    IntLit,
    LaunchValue,
    Opaque,
    Quantity,
    Scope,
    Stmt,
    Trap,
    Unary,
    WarpOp,
)
from kernlint.tree.types import (
    I32,
    U32,
    VOID,
    IntType,
    PointerType,
    Space,
    Type,
    VectorType,
)

Opcode = tuple[str, ...]
Parsed = tuple[Opcode, tuple[str, ...], str, bool]


class _Unknown(Exception):
    """An instruction of which nothing is known."""


class PtxLowering(PtxOperands):
    """Lowers the instructions of one ``asm`` statement in order.

    Registers declared inside hold the expression last moved into them (None: not known); operands that get a value of
    which nothing is known are collected and become the outputs of one :class:`Asm` without effects.
    """

    def run(self, instructions: Sequence[Parsed], labels: bool) -> list[Stmt]:
        """Statements, at least one."""
        heads = {opcode[0] for opcode, *_ in instructions}
        try:
            if labels or "bra" in heads:
                return [self._with_branches(instructions)]
            for opcode, operands, guard, negated in instructions:
                self._guarded(opcode, operands, guard, negated)
        except (_Unknown, IndexError):  # not known, or without the operands and modifiers that its name asks for
            return [self._asm(True, True)]
        # An output that no instruction was seen to give a value got one all the same.
        silent = {index: out for index, out in enumerate(self._outputs) if index not in self._given}
        lost = self._lost | silent
        if lost or not self._body:
            outputs = tuple(lost.values()) if self._body else self._outputs
            self._body.append(Asm(self._span, self._text, outputs, self._inputs, False, False))
        return self._body

    def _asm(self, may_sync: bool, writes: bool) -> Asm:
        return Asm(self._span, self._text, self._outputs, self._inputs, may_sync, writes)

    def _with_branches(self, instructions: Sequence[Parsed]) -> Stmt:
        """Loops are not followed; the usual one spins on an mbarrier."""
        rest = [item for item in instructions if item[0][0] not in PURE | {"bra"} and item[0][0] != ""]
        if not rest:
            return self._asm(False, False)
        waits = [item for item in rest if item[0][0] == "mbarrier" and item[0][1] in ("try_wait", "test_wait")]
        if len(waits) != len(rest):
            return self._asm(True, True)
        opcode, operands, _guard, _negated = waits[0]
        return self._statement(self._mbarrier(opcode, operands, "wait"))

    def _guarded(self, opcode: Opcode, operands: tuple[str, ...], guard: str, negated: bool) -> None:
        if not guard:
            self._instruction(opcode, operands)
            return
        outer, self._body = self._body, []
        try:
            self._instruction(opcode, operands)
        finally:
            inner, self._body = self._body, outer
        for name in operands[:1]:  # its destination may or may not have changed
            self._registers.pop(name, None)
        if inner:
            cond = self._value(guard) or Opaque(self._span, BOOL, "predicate of inline assembly")
            if negated:
                cond = Unary(self._span, BOOL, "!", cond)
            self._body.append(If(self._span, cond, Block(self._span, tuple(inner)), None))

    # -------------------------------------------------------------------------------------------- instructions

    def _instruction(self, opcode: Opcode, operands: tuple[str, ...]) -> None:
        head = opcode[0]
        if head == "":
            if len(opcode) > 1 and opcode[1] in DIRECTIVES:
                return
            raise _Unknown
        handler = _HANDLERS.get(head)
        if handler is not None:
            handler(self, opcode, operands)
        elif head in PURE:
            self._arithmetic(opcode, operands)
        elif opcode == ("griddepcontrol", "wait"):
            self._statement_of(grid_dependency(self._span, VOID))
        elif head not in QUIET:
            raise _Unknown

    def _arithmetic(self, opcode: Opcode, operands: tuple[str, ...]) -> None:
        if not operands:
            return
        for name in operands[0].strip("{} ").split(","):
            self._set(name.strip(), self._computed(opcode, operands) if "{" not in operands[0] else None)

    def _computed(self, opcode: Opcode, operands: tuple[str, ...]) -> Expr | None:
        head, kind = opcode[0], type_of(opcode[-1])
        values = [self._value(text) for text in operands[1:]]
        if head in ("mov", "cvta") and len(values) == 1:
            return values[0]
        if head == "cvt" and len(values) == 1 and values[0] is not None:
            target = type_of(opcode[-2])
            plain = isinstance(target, IntType) and isinstance(kind, IntType) and "sat" not in opcode
            return Cast(self._span, target, values[0], explicit=True) if plain and target is not None else None
        if any(value is None for value in values):
            return None
        if head == "setp" and len(values) == 2 and opcode[1] in COMPARE:
            return Binary(self._span, BOOL, COMPARE[opcode[1]], *self._pair(values))
        if not isinstance(kind, IntType) or len(values) != 2:
            return None
        if head in ARITHMETIC and len(opcode) == 2:
            return Binary(self._span, kind, ARITHMETIC[head], *self._pair(values))
        return Binary(self._span, kind, "*", *self._pair(values)) if opcode[:2] == ("mul", "lo") else None

    @staticmethod
    def _pair(values: Sequence[Expr | None]) -> tuple[Expr, Expr]:
        first, second = values
        assert first is not None and second is not None
        return first, second

    # ---------------------------------------------------------------------------------------- barriers, fences

    def _bar(self, opcode: Opcode, operands: tuple[str, ...]) -> None:
        """``bar.sync a{, b}``, ``bar.arrive a, b``, ``bar.red.op d, a{, b}, {!}c``, ``bar.warp.sync mask``,
        ``barrier.cluster.arrive/wait``."""
        words = [word for word in opcode[1:] if word not in ("aligned", "cta")]
        name = ".".join(opcode)
        if words[:1] == ["warp"]:
            mask = self._known(operands[0], "mask") if operands else None
            self._statement_of(Barrier(self._span, VOID, Scope.WARP, ALL_MEMORY, name, mask=mask))
        elif words[:1] == ["cluster"]:
            part = words[1] if len(words) > 1 else "both"
            self._statement_of(Barrier(self._span, VOID, Scope.CLUSTER, ALL_MEMORY, name, part=part))
        elif words[:1] == ["red"] and len(operands) >= 3:
            count = self._known(operands[2], "threads of a barrier") if len(operands) > 3 else None
            predicate = self._known(operands[-1], "predicate")
            self._set(operands[0], self._named(name, operands[1], count, "both", predicate))
        elif words[:1] in (["sync"], ["arrive"]) and operands:
            count = self._known(operands[1], "threads of a barrier") if len(operands) > 1 else None
            part = "both" if words[0] == "sync" else "arrive"
            self._statement_of(self._named(name, operands[0], count, part, None))
        else:
            raise _Unknown

    def _named(self, name: str, number: str, count: Expr | None, part: str, predicate: Expr | None) -> Barrier:
        barrier_id: Expr | None = self._known(number, "number of a barrier")
        if count is None and constant(barrier_id) == 0:
            barrier_id = None  # the barrier of __syncthreads
        kind: Type = VOID if predicate is None else I32
        return Barrier(
            self._span,
            kind,
            Scope.BLOCK,
            ALL_MEMORY,
            name,
            predicate=predicate,
            barrier_id=barrier_id,
            count=count,
            part=part,
        )

    def _fence(self, opcode: Opcode, operands: tuple[str, ...]) -> None:
        scope = next((SCOPES[word] for word in opcode[1:] if word in SCOPES), Scope.BLOCK)
        self._statement_of(Fence(self._span, VOID, scope, ALL_MEMORY, ".".join(opcode)))

    def _mbarrier(self, opcode: Opcode, operands: tuple[str, ...], part: str) -> Barrier:
        address = next((text for text in operands if text.startswith("[")), "[?]")
        pointer = self._pointer(address, IntType(64, False), Space.SHARED)
        return Barrier(self._span, VOID, Scope.BLOCK, ALL_MEMORY, ".".join(opcode), barrier_id=pointer, part=part)

    def _mbarrier_instruction(self, opcode: Opcode, operands: tuple[str, ...]) -> None:
        action = opcode[1] if len(opcode) > 1 else ""
        if action in ("arrive", "arrive_drop", "test_wait", "try_wait"):
            part = "wait" if action.endswith("wait") else "arrive"
            self._statement_of(self._mbarrier(opcode, operands, part))
            if operands and not operands[0].startswith("["):
                self._set(operands[0], None)
        elif action == "pending_count":
            self._set(operands[0], None)
        elif action in ("init", "inval"):
            pointer = self._pointer(operands[0], IntType(64, False), Space.SHARED)
            count = self._known(operands[1], "count") if len(operands) > 1 else IntLit(self._span, U64, 0)
            name = ".".join(opcode)  # an object of its own kind, of which no thread reads the bytes
            self._statement_of(Atomic(self._span, VOID, "store", pointer, (count,), Scope.BLOCK, "relaxed", name))
        else:
            raise _Unknown

    # ----------------------------------------------------------------------------------------- asynchronous copies

    def _cp(self, opcode: Opcode, operands: tuple[str, ...]) -> None:
        name = ".".join(opcode)
        if "bulk" in opcode:
            self._bulk(opcode, operands)
            return
        if opcode[1:2] != ("async",) or len(opcode) < 3:
            raise _Unknown
        kind = opcode[2]
        if kind == "commit_group":
            self._statement_of(AsyncWait(self._span, VOID, "cp_async", None, (), name, commit=True))
        elif kind in ("wait_group", "wait_all"):
            zero = IntLit(self._span, U32, 0)
            pending = self._known(operands[0], "groups in flight") if kind == "wait_group" and operands else zero
            self._statement_of(AsyncWait(self._span, VOID, "cp_async", pending, (), name))
        elif kind == "mbarrier":
            self._statement_of(self._mbarrier(opcode, operands, "arrive"))
        elif kind in ("ca", "cg") and len(operands) >= 3:
            destination = self._pointer(operands[0], None, Space.SHARED)
            source = self._pointer(operands[1], None, Space.GLOBAL)
            size = self._value(operands[2])
            self._statement_of(AsyncCopy(self._span, VOID, "cp_async", destination, source, size, False, name))
        else:
            raise _Unknown

    def _bulk(self, opcode: Opcode, operands: tuple[str, ...]) -> None:
        """``cp{.reduce}.async.bulk{.tensor}``: copies by the asynchronous proxy, out of shared memory in groups, into
        it counted by an mbarrier.  A tensor map stands for places that nobody here can tell."""
        name = ".".join(opcode)
        if "commit_group" in opcode:
            self._statement_of(AsyncWait(self._span, VOID, "bulk", None, (), name, commit=True))
            return
        if "wait_group" in opcode:
            pending = self._known(operands[0], "groups in flight") if operands else None
            self._statement_of(AsyncWait(self._span, VOID, "bulk", pending, (), name))
            return
        if "prefetch" in opcode:
            return
        spaces = [SPACES[word] for word in opcode if word in SPACES]
        if len(spaces) < 1 or len(operands) < 2:
            raise _Unknown
        into = spaces[0] is Space.SHARED
        nobody = Opaque(self._span, PointerType(VOID, Space.GLOBAL), "place in a tensor")
        far = nobody if "tensor" in opcode else self._pointer(operands[1 if into else 0], None, Space.GLOBAL)
        near = self._pointer(operands[0 if into else 1], None, Space.SHARED)
        size = self._value(operands[2]) if "tensor" not in opcode and len(operands) > 2 else None
        to, source = (near, far) if into else (far, near)
        self._statement_of(AsyncCopy(self._span, VOID, "bulk", to, source, size, False, name))

    # --------------------------------------------------------------------------------------------------- memory

    def _access(self, opcode: Opcode) -> tuple[Type, Space]:
        """Type of the whole access (a vector for ``.v4``) and its space."""
        element = type_of(opcode[-1])
        if element is None:
            raise _Unknown
        lanes = next((int(w[1:]) for w in opcode if w in ("v2", "v4", "v8")), 1)
        space = next((SPACES[w] for w in opcode if w in SPACES), Space.GENERIC)
        return (VectorType(element, lanes) if lanes > 1 else element), space

    def _order(self, opcode: Opcode) -> tuple[str, Scope]:
        order = next((w for w in opcode if w in ORDERS), "")
        return order, next((SCOPES[w] for w in opcode if w in SCOPES), Scope.GRID)

    def _ld(self, opcode: Opcode, operands: tuple[str, ...]) -> None:
        if "param" in opcode or len(operands) < 2:
            raise _Unknown
        type_, space = self._access(opcode)
        pointer = self._pointer(operands[1], type_, space)
        if "volatile" in opcode:
            pointer = self._as_volatile(pointer)
        actual = self._pointee(pointer, type_)
        order, scope = self._order(opcode)
        name = ".".join(opcode)
        read: Expr = Deref(self._span, actual, pointer)
        if order:
            read = Atomic(self._span, actual, "load", pointer, (), scope, order, name)
        if isinstance(type_, VectorType) and operands[0].startswith("{"):
            # One access of the whole vector; what each operand got is not followed.
            self._statement_of(read)
            for lane in operands[0].strip("{} ").split(","):
                self._set(lane.strip(), None)
        elif self._operand_index(operands[0]) is None:
            self._statement_of(read)
            self._set(operands[0], None)
        else:
            self._set(operands[0], read)

    def _st(self, opcode: Opcode, operands: tuple[str, ...]) -> None:
        if len(operands) < 2 or "async" in opcode:
            raise _Unknown
        type_, space = self._access(opcode)
        pointer = self._pointer(operands[0], type_, space)
        if "volatile" in opcode:
            pointer = self._as_volatile(pointer)
        actual = self._pointee(pointer, type_)
        order, scope = self._order(opcode)
        value = self._source(operands[1], actual)
        if order:
            name = ".".join(opcode)
            self._statement_of(Atomic(self._span, VOID, "store", pointer, (value,), scope, order, name))
        else:
            self._statement_of(Assign(self._span, actual, "", Deref(self._span, actual, pointer), value))

    def _source(self, text: str, type_: Type) -> Expr:
        if text.startswith("{"):
            lanes = tuple(self._known(lane.strip(), "register") for lane in text.strip("{} ").split(","))
            return InitList(self._span, type_, lanes)
        return self._known(text, "register")

    def _atom(self, opcode: Opcode, operands: tuple[str, ...]) -> None:
        """``atom`` gives the old value to its first operand, ``red`` to nobody."""
        gives = opcode[0] == "atom"
        op = next((ATOMS[w] for w in opcode[1:] if w in ATOMS), None)
        if op is None or len(operands) < 2 + gives or "async" in opcode:
            raise _Unknown
        type_, space = self._access(opcode)
        pointer = self._pointer(operands[gives], type_, space)
        actual = self._pointee(pointer, type_)
        order, scope = self._order(opcode)
        rest = operands[gives + 1 : gives + 1 + (2 if op == "cas" else 1)]
        values = tuple(self._source(text, actual) for text in rest)
        node = Atomic(self._span, actual, op, pointer, values, scope, order or "relaxed", ".".join(opcode))
        if gives:
            self._set(operands[0], node)
        else:
            self._statement_of(node)

    def _matrix_move(self, opcode: Opcode, operands: tuple[str, ...]) -> None:
        """``ldmatrix``/``stmatrix``: each of the first 8, 16 or 32 lanes gives the address of one row of 16 bytes."""
        loads = opcode[0] == "ldmatrix"
        if len(operands) < 2:
            raise _Unknown
        address, registers = (operands[1], operands[0]) if loads else (operands[0], operands[1])
        matrices = next((int(w[1:]) for w in opcode if w in ("x1", "x2", "x4")), 1)
        row = VectorType(U32, 4)
        pointer = self._pointer(address, row, Space.SHARED)
        place = Deref(self._span, row, pointer)
        access: Expr = place
        if not loads:
            exchanged = tuple(self._known(r.strip(), "register") for r in registers.strip("{} ").split(","))
            value = WarpOp(self._span, row, "shuffle", Scope.WARP, ".".join(opcode), exchanged)
            access = Assign(self._span, row, "", place, value)
        statement: Stmt = ExprStmt(self._span, access)
        if matrices < 4:
            lane = LaunchValue(self._span, U32, Quantity.LANE_ID)
            cond = Binary(self._span, BOOL, "<", lane, IntLit(self._span, U32, 8 * matrices))
            statement = If(self._span, cond, statement, None)
        # All lanes carry it out together: what they stored before is there, what they store later comes after.
        meeting = Barrier(self._span, VOID, Scope.WARP, frozenset(Space), ".".join(opcode))
        self._body += [ExprStmt(self._span, meeting), statement, ExprStmt(self._span, meeting)]
        if loads:
            for register in registers.strip("{} ").split(","):
                self._set(register.strip(), None)

    # ------------------------------------------------------------------------------------------ warp collectives

    def _collective(self, kind: str, opcode: Opcode, values: Sequence[str], mask: str | None, type_: Type) -> WarpOp:
        sync = "sync" in opcode
        lanes = self._known(mask, "mask") if mask is not None else None
        operands = tuple(self._known(text, "register") for text in values)
        name = ".".join(opcode)
        return WarpOp(self._span, type_, kind, Scope.WARP, name, operands, lanes, synchronising=sync)

    def _shfl(self, opcode: Opcode, operands: tuple[str, ...]) -> None:
        kind = next((SHUFFLES[w] for w in opcode if w in SHUFFLES), None)
        sync = "sync" in opcode
        if kind is None or len(operands) < (5 if sync else 4):
            raise _Unknown
        mask = operands[4] if sync else None
        first = self._operand_index(operands[0].partition("|")[0])
        type_ = self._operands[first].type if first is not None else U32
        # Without bits for segments, and the clamp at the warp's end, it goes through the whole warp.
        whole = {"0", "0x0"} if kind == "shuffle_up" else {"31", "0x1f"}
        given = operands[1:3] if operands[3].strip().lower() in whole else operands[1:4]
        self._set(operands[0], self._collective(kind, opcode, given, mask, type_))

    def _vote(self, opcode: Opcode, operands: tuple[str, ...]) -> None:
        kind = next((w for w in opcode if w in ("all", "any", "ballot", "uni")), None)
        sync = "sync" in opcode
        if kind is None or len(operands) < 2 + sync:
            raise _Unknown
        mask = operands[-1] if sync else None
        type_: Type = U32 if kind == "ballot" else BOOL
        self._set(operands[0], self._collective("match" if kind == "uni" else kind, opcode, operands[1:2], mask, type_))

    def _match(self, opcode: Opcode, operands: tuple[str, ...]) -> None:
        if len(operands) < 3:
            raise _Unknown
        self._set(operands[0], self._collective("match", opcode, operands[1:2], operands[2], U32))

    def _redux(self, opcode: Opcode, operands: tuple[str, ...]) -> None:
        if len(operands) < 3:
            raise _Unknown
        type_ = type_of(opcode[-1]) or U32
        self._set(operands[0], self._collective("reduce", opcode, operands[1:2], operands[2], type_))

    def _elect(self, opcode: Opcode, operands: tuple[str, ...]) -> None:
        if len(operands) < 2:
            raise _Unknown
        mask = operands[1]
        lane, _, flag = operands[0].partition("|")
        self._set(flag.strip() or lane.strip(), self._collective("elect", opcode, (), mask, BOOL))

    def _activemask(self, opcode: Opcode, operands: tuple[str, ...]) -> None:
        if not operands:
            raise _Unknown
        self._set(operands[0], self._collective("activemask", opcode, (), None, U32))

    def _tensor_memory(self, opcode: Opcode, operands: tuple[str, ...]) -> None:
        """``tcgen05``: what a warp does with its own part of tensor memory touches nothing else; ``alloc`` stores the
        address that it got in shared memory; multiplications and copies read shared memory in their own time."""
        action = opcode[1] if len(opcode) > 1 else ""
        if action in ("st", "dealloc", "relinquish_alloc_permit", "shift") or action.startswith(("wait", "fence")):
            return
        if action == "ld" and operands:
            self._arithmetic(opcode, operands)
        elif action == "alloc" and operands:
            target = self._pointer(operands[0], U32, Space.SHARED)
            place = Deref(self._span, self._pointee(target, U32), target)
            given = Opaque(self._span, U32, "address in tensor memory")
            # The warp carries it out as one (`.sync.aligned`), and one address is stored for all of it.
            lane = LaunchValue(self._span, U32, Quantity.LANE_ID)
            first = Binary(self._span, BOOL, "==", lane, IntLit(self._span, U32, 0))
            stored = ExprStmt(self._span, Assign(self._span, place.type, "", place, given))
            meeting = ExprStmt(self._span, Barrier(self._span, VOID, Scope.WARP, frozenset(Space), ".".join(opcode)))
            self._body += [meeting, If(self._span, first, stored, None), meeting]
        else:
            raise _Unknown

    def _exit(self, opcode: Opcode, operands: tuple[str, ...]) -> None:
        self._body.append(Trap(self._span))


_Handler = Callable[[PtxLowering, Opcode, "tuple[str, ...]"], None]
_HANDLERS: dict[str, _Handler] = {
    "bar": PtxLowering._bar,
    "barrier": PtxLowering._bar,
    "membar": PtxLowering._fence,
    "fence": PtxLowering._fence,
    "mbarrier": PtxLowering._mbarrier_instruction,
    "cp": PtxLowering._cp,
    "ld": PtxLowering._ld,
    "ldu": PtxLowering._ld,
    "st": PtxLowering._st,
    "atom": PtxLowering._atom,
    "red": PtxLowering._atom,
    "ldmatrix": PtxLowering._matrix_move,
    "stmatrix": PtxLowering._matrix_move,
    "shfl": PtxLowering._shfl,
    "vote": PtxLowering._vote,
    "match": PtxLowering._match,
    "redux": PtxLowering._redux,
    "elect": PtxLowering._elect,
    "activemask": PtxLowering._activemask,
    "tcgen05": PtxLowering._tensor_memory,
    "exit": PtxLowering._exit,
    "trap": PtxLowering._exit,
}
