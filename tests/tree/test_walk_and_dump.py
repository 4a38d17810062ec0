"""Walking and printing trees."""

from __future__ import annotations

import json

from kernlint.source import Span
from kernlint.tree.dump import expression_text, module_text, statement_lines, to_json, type_text
from kernlint.tree.nodes import (
    Binary,
    Block,
    Call,
    Cast,
    DeclStmt,
    ExprStmt,
    FunctionDecl,
    FunctionKind,
    IntLit,
    Kernel,
    LaunchValue,
    Module,
    Opaque,
    Quantity,
    Ref,
    VarDecl,
)
from kernlint.tree.types import F32, I32, U8, VOID, ArrayType, PointerType, Space, VectorType
from kernlint.tree.walk import children, forget, functions_of, traverse, walk

AT = Span("a.cu", 0, 1)


def literal(value: int) -> IntLit:
    return IntLit(AT, I32, value)


def function(name: str, *body: DeclStmt | ExprStmt) -> FunctionDecl:
    return FunctionDecl(AT, name, name, FunctionKind.DEVICE, (), VOID, Block(AT, body))


def test_children_are_what_a_node_owns() -> None:
    decl = VarDecl(AT, "x", I32, Space.PRIVATE, literal(3))
    use = Ref(AT, I32, decl)
    callee = function("f")
    call = Call(AT, I32, "f", callee, (use, literal(1)))
    assert list(children(call)) == list(call.args)
    assert list(children(use)) == []
    assert list(children(DeclStmt(AT, (decl,)))) == [decl]
    assert list(children(decl)) == [decl.init]


def test_walk_goes_in_order_and_not_into_callees() -> None:
    inner = function("g", ExprStmt(AT, literal(9)))
    tree = function("f", ExprStmt(AT, Binary(AT, I32, "+", literal(1), Call(AT, I32, "g", inner, (literal(2),)))))
    assert [n.value for n in walk(tree) if isinstance(n, IntLit)] == [1, 2]


def test_what_is_below_a_block_is_looked_up_once_until_it_is_let_go() -> None:
    block = Block(AT, (ExprStmt(AT, literal(1)), ExprStmt(AT, literal(2))))
    first = list(walk(block))
    assert first == list(traverse(block)) == list(walk(block))
    object.__setattr__(block, "body", ())
    assert list(walk(block)) == first
    assert list(traverse(block)) == [block]
    forget()
    assert list(walk(block)) == [block]


def test_functions_of_a_kernel_are_each_there_once_even_in_a_circle() -> None:
    f, g = function("f"), function("g")
    object.__setattr__(f, "body", Block(AT, (ExprStmt(AT, Call(AT, VOID, "g", g, ())),)))
    object.__setattr__(g, "body", Block(AT, (ExprStmt(AT, Call(AT, VOID, "f", f, ())),)))
    assert list(functions_of(Kernel(f))) == [f, g]


def test_types_as_text() -> None:
    assert type_text(ArrayType(ArrayType(F32, 3), None)) == "f32[][3]"
    assert type_text(PointerType(U8, Space.SHARED, const=True, restrict=True)) == "const u8*shared restrict"
    assert type_text(VectorType(F32, 4)) == "f32x4"


def test_expressions_as_text() -> None:
    axis = LaunchValue(AT, I32, Quantity.THREAD_ID, 0)
    assert expression_text(Cast(AT, F32, axis, False)) == "{f32}@thread_id.x"
    assert expression_text(Opaque(AT, I32, "why", (literal(1),), writes=True)) == "OPAQUE<why writes>(1)"
    assert expression_text(None) == "-"


def test_statements_as_lines() -> None:
    decl = VarDecl(AT, "x", I32, Space.SHARED, literal(3))
    assert list(statement_lines(Block(AT, (DeclStmt(AT, (decl,)),)))) == ["{", "  let shared i32 x = 3", "}"]


def test_modules_as_text_and_as_json() -> None:
    tree = function("f", ExprStmt(AT, Call(AT, VOID, "g", function("g"), ())))
    found = Module("a.cu", "cuda", (tree,), (Kernel(tree),), ())
    assert "device f() -> void" in module_text(found)
    data = json.loads(json.dumps(to_json(found)))
    call = data["functions"][0]["body"]["body"][0]["expr"]
    assert call["node"] == "Call" and call["function"] == {"name": "g", "span": ["a.cu", 0, 1]}
