"""Operands of PTX instructions: what a register, an address or a special register stands for in the tree."""

from __future__ import annotations

from kernlint.frontends.clang.intrinsics.base import (
    BOOL,
    U64,
    VOID,
    as_pointer,
    constant,
)
from kernlint.frontends.clang.intrinsics.launch_values import SPECIAL_REGISTERS
from kernlint.source import Span
from kernlint.tree.nodes import (
    Assign,
    Atomic,
    Barrier,
    Binary,
    Call,
    Cast,
    Deref,
    Expr,
    ExprStmt,
    IntLit,
    LaunchValue,
    Opaque,
    Quantity,
    Stmt,
    Unary,
    WarpOp,
)
from kernlint.tree.types import (
    F16,
    F32,
    F64,
    I32,
    U8,
    U32,
    FloatType,
    IntType,
    PointerType,
    Space,
    Type,
    VectorType,
)


def type_of(modifier: str) -> Type | None:
    """The scalar type that a PTX type modifier names (``u32``, ``b64``, ``f16x2``), or None."""
    if modifier in ("f16x2", "bf16x2"):
        return VectorType(F16, 2)
    if modifier in ("bf16", "f16"):
        return F16
    if len(modifier) < 2 or modifier[0] not in "busf" or not modifier[1:].isdigit():
        return None
    bits = int(modifier[1:])
    if modifier[0] == "f":
        return {32: F32, 64: F64}.get(bits)
    return IntType(bits, modifier[0] == "s")


class PtxOperands:
    """The operands and registers of one ``asm``, and the statements made so far.

    Registers declared inside hold the expression last moved into them (None: not known); operands that get a value of
    which nothing is known are collected in ``_lost``.
    """

    def __init__(self, text: str, outputs: tuple[Expr, ...], inputs: tuple[Expr, ...], span: Span) -> None:
        self._text = text
        self._outputs = outputs
        self._operands = (*outputs, *inputs)
        self._inputs = inputs
        self._span = span
        self._registers: dict[str, Expr | None] = {}
        self._lost: dict[int, Expr] = {}
        self._given: set[int] = set()
        """Numbers of the operands that an instruction gave a value, known or not."""
        self._body: list[Stmt] = []

    def _operand_index(self, text: str) -> int | None:
        digits = text[1:] if text[:1] in "%$" else ""
        return int(digits) if digits.isdigit() and int(digits) < len(self._operands) else None

    def _value(self, text: str) -> Expr | None:
        """The expression that an operand stands for, None when it is not known."""
        index = self._operand_index(text)
        if index is not None:
            return None if index in self._lost else self._operands[index]
        name = text.lstrip("%")
        if text.startswith("%"):
            if (special := self._special(name)) is not None:
                return special
            return self._registers.get(name)
        if text.startswith("!"):
            inner = self._value(text[1:].strip())
            return Unary(self._span, BOOL, "!", inner) if inner is not None else None
        try:
            return IntLit(self._span, I32, int(text.rstrip("uU"), 0))
        except ValueError:
            return self._registers.get(text)

    def _known(self, text: str, what: str) -> Expr:
        return self._value(text) or Opaque(self._span, U32, what)

    def _special(self, name: str) -> Expr | None:
        if name in SPECIAL_REGISTERS:
            quantity, axis = SPECIAL_REGISTERS[name]
            return LaunchValue(self._span, U32, quantity, axis)
        if name.startswith("lanemask_"):
            lane = LaunchValue(self._span, U32, Quantity.LANE_ID)
            return Call(self._span, U32, name, None, (lane,), None, True)
        if name == "warpid":
            # In practice the thread's warp, yet PTX promises only that it is some number of it.
            thread = LaunchValue(self._span, U32, Quantity.LINEAR_THREAD_ID)
            return Call(self._span, U32, name, None, (thread,), None, True)
        if name == "WARP_SZ":
            return LaunchValue(self._span, U32, Quantity.WARP_SIZE)
        known = ("smid", "nsmid", "nwarpid", "gridid", "clock", "globaltimer", "dynamic_smem", "total_smem", "cluster")
        if name.startswith(known):
            return Call(self._span, U64 if "64" in name or "timer" in name else U32, name, None, ())
        return None

    def _set(self, text: str, value: Expr | None) -> None:
        """Give a destination its value; ``p|q`` and ``_`` are PTX's pairs and sinks."""
        if "|" in text:
            first, _, second = text.partition("|")
            self._set(first.strip(), value)
            self._set(second.strip(), None)
            return
        index = self._operand_index(text)
        if index is None:
            if value is not None and _has_effect(value):
                self._statement_of(value)
                value = None
            self._registers[text.lstrip("%")] = value
            return
        target = self._operands[index]
        self._given.add(index)
        if value is None:
            self._lost[index] = target
            return
        self._lost.pop(index, None)
        if value.type != target.type:
            value = Cast(self._span, target.type, value, explicit=True, bits=isinstance(target.type, FloatType))
        self._statement_of(Assign(self._span, target.type, "", target, value))

    def _statement(self, expr: Expr) -> Stmt:
        return ExprStmt(self._span, expr)

    def _statement_of(self, expr: Expr) -> None:
        self._body.append(ExprStmt(self._span, expr))

    def _pointer(self, text: str, element: Type | None, space: Space) -> Expr:
        """A pointer to ``element`` (None: to whatever it points to) for an operand ``[base]``, ``[base + offset]``."""
        base_text, plus, offset_text = text.strip("[] ").partition("+")
        base = self._value(base_text.strip()) or Opaque(self._span, U64, "address in inline assembly")
        offset = self._value(offset_text.strip()) if plus else None
        moved = bool(plus) and constant(offset) != 0
        found = as_pointer(base)
        if found is None:
            pointer, kind, integer = base, PointerType(VOID, space), True
        else:
            (pointer, kind), integer = found, False
            if kind.space is Space.GENERIC:
                kind = PointerType(kind.pointee, space, kind.const, kind.volatile)
        if moved:
            bytes_ = PointerType(U8, kind.space)
            pointer = Cast(self._span, bytes_, pointer, explicit=True, bits=integer)
            step = offset or Opaque(self._span, I32, "offset in inline assembly")
            pointer = Binary(self._span, bytes_, "+", pointer, step)
            kind, integer = bytes_, False
        if element is None:
            element = U8 if integer else kind.pointee
        if not integer and _same_object(kind.pointee, element):
            return pointer
        target = PointerType(element, kind.space, kind.const, kind.volatile)
        return Cast(self._span, target, pointer, explicit=True, bits=integer)

    def _as_volatile(self, pointer: Expr) -> Expr:
        """``pointer`` to a volatile object."""
        found = as_pointer(pointer)
        if found is None or found[1].volatile:
            return pointer
        kind = found[1]
        return Cast(self._span, PointerType(kind.pointee, kind.space, kind.const, True), pointer, explicit=True)

    def _pointee(self, pointer: Expr, element: Type) -> Type:
        kind = as_pointer(pointer)
        return kind[1].pointee if kind is not None else element


def _same_object(pointee: Type, element: Type) -> bool:
    """True when an access of PTX type ``element`` is one of the C type ``pointee`` (``u32`` does for ``int``)."""
    if isinstance(element, VectorType) or pointee.size is None or pointee.size != element.size:
        return pointee == element
    return type(pointee) is type(element)


def _has_effect(expr: Expr) -> bool:
    return isinstance(expr, (Atomic, Barrier, WarpOp, Assign, Deref))
