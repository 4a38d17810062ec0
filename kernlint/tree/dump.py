"""The kernel tree as text for people and as JSON for scripts."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Any

from kernlint.record import fields
from kernlint.source import Span
from kernlint.tree import nodes as n
from kernlint.tree.types import (
    ArrayType,
    FloatType,
    FunctionType,
    IntType,
    OpaqueType,
    PointerType,
    Space,
    StructType,
    Type,
    VectorType,
    VoidType,
)

_AXES = "xyz"


def type_text(type_: Type) -> str:
    """A short name: ``i32``, ``u8``, ``f32``, ``float[16]`` as ``f32[16]``, ``f32*shared``, ``f32x4``."""
    if isinstance(type_, IntType):
        return "bool" if type_.bits == 1 else f"{'i' if type_.signed else 'u'}{type_.bits}"
    if isinstance(type_, FloatType):
        return f"f{type_.bits}"
    if isinstance(type_, VoidType):
        return "void"
    if isinstance(type_, PointerType):
        words = [w for w, on in (("const", type_.const), ("volatile", type_.volatile)) if on]
        mark = "&" if type_.reference else "*"
        space = "" if type_.space is Space.GENERIC else type_.space.value
        return " ".join([*words, type_text(type_.pointee)]) + mark + space + (" restrict" if type_.restrict else "")
    if isinstance(type_, ArrayType):
        sizes = ""
        inner: Type = type_
        while isinstance(inner, ArrayType):
            sizes += f"[{'' if inner.extent is None else inner.extent}]"
            inner = inner.element
        return type_text(inner) + sizes
    if isinstance(type_, VectorType):
        return f"{type_text(type_.element)}x{type_.lanes}"
    if isinstance(type_, StructType):
        return f"{'union' if type_.union else 'struct'} {type_.name}"
    if isinstance(type_, FunctionType):
        return f"{type_text(type_.result)}({', '.join(map(type_text, type_.params))})"
    return f"?{type_.spelling}" if isinstance(type_, OpaqueType) else type(type_).__name__


# ----------------------------------------------------------------------------------------------------- expressions


def expression_text(expr: n.Expr | None) -> str:
    """An expression on one line; conversions are spelled out, ``(i32)x`` written and ``{i32}x`` implied."""
    if expr is None:
        return "-"
    return str(_EXPRESSIONS.get(type(expr), _other)(expr))


def _args(args: tuple[n.Expr, ...]) -> str:
    return ", ".join(map(expression_text, args))


def _launch_value(e: n.LaunchValue) -> str:
    axis = f".{_AXES[e.axis]}" if e.axis is not None and e.axis < 3 else ""
    if e.axis_expr is not None:
        axis = f"[{expression_text(e.axis_expr)}]"
    return f"@{e.quantity.value}{axis}" + (f"<{e.extent}>" if e.extent is not None else "")


def _cast(e: n.Cast) -> str:
    left, right = "()" if e.explicit else "{}"
    return f"{left}{type_text(e.type)}{':bits' if e.bits else ''}{right}{expression_text(e.operand)}"


def _call(e: n.Call) -> str:
    receiver = f"{expression_text(e.receiver)}." if e.receiver is not None else ""
    mark = "!" if e.pure_math else "" if e.function is not None and e.function.body is not None else "?"
    return f"{receiver}{e.name}{mark}({_args(e.args)})"


def _member(e: n.Member) -> str:
    return f"{expression_text(e.base)}{'->' if e.arrow else '.'}{e.field}"


def _launch(e: n.Launch) -> str:
    extent = f"grid={expression_text(e.grid)}"
    if e.global_size is not None:
        extent = f"global={expression_text(e.global_size)}"
    shared = f", shared={expression_text(e.shared)}" if e.shared is not None else ""
    found = "" if e.kernel is not None else "?"
    template = f"<{', '.join(e.template_args)}>" if e.template_args else ""
    return (
        f"launch[{e.api}] {e.name}{found}{template}({_args(e.args)}) {extent}, block={expression_text(e.block)}{shared}"
    )


def _assign(e: n.Assign) -> str:
    compute = f":{type_text(e.compute)}" if e.compute is not None else ""
    return f"{expression_text(e.target)} {e.op}={compute} {expression_text(e.value)}"


def _lambda(e: n.Lambda) -> str:
    inner = " ".join(line.strip() for line in statement_lines(e.body))
    return f"lambda({', '.join(p.name for p in e.params)}) {inner}"


def _inc(e: n.IncDec) -> str:
    return f"{e.op}{expression_text(e.target)}" if e.prefix else f"{expression_text(e.target)}{e.op}"


def _conditional(e: n.Conditional) -> str:
    return f"({expression_text(e.cond)} ? {expression_text(e.then)} : {expression_text(e.other)})"


def _opaque(e: n.Opaque) -> str:
    flags = "".join(f" {w}" for w, on in (("writes", e.writes), ("may_sync", e.may_sync)) if on)
    return f"OPAQUE<{e.reason}{flags}>({_args(e.children)})"


def _other(expr: n.Expr) -> str:
    """Every node without a notation of its own: its class and its fields."""
    parts = []
    for field in fields(expr):
        value = getattr(expr, field.name)
        if field.name in ("span", "type", "name") or value is None or value == ():
            continue
        if isinstance(value, n.Expr):
            value = expression_text(value)
        elif isinstance(value, tuple):
            value = f"({_args(value)})"
        elif isinstance(value, frozenset):
            value = "{" + ", ".join(sorted(v.value for v in value)) + "}"
        elif isinstance(value, Enum):
            value = value.value
        parts.append(f"{field.name}={value}")
    name = getattr(expr, "name", "")
    return f"{type(expr).__name__}:{name}({', '.join(parts)})" if name else f"{type(expr).__name__}({', '.join(parts)})"


_EXPRESSIONS: dict[type, Any] = {
    n.IntLit: lambda e: f"{e.value}",
    n.FloatLit: lambda e: f"{e.value!r}",
    n.StringLit: lambda e: repr(e.value),
    n.SizeOf: lambda e: f"sizeof({type_text(e.of)})",
    n.Ref: lambda e: e.decl.name or f"%{e.decl.span.start}",
    n.FunctionRef: lambda e: f"fn {e.name}",
    n.LaunchValue: _launch_value,
    n.Unary: lambda e: f"{e.op}{expression_text(e.operand)}",
    n.IncDec: _inc,
    n.Binary: lambda e: f"({expression_text(e.lhs)} {e.op} {expression_text(e.rhs)})",
    n.Assign: _assign,
    n.Conditional: _conditional,
    n.Subscript: lambda e: f"{expression_text(e.base)}[{expression_text(e.index)}]",
    n.Deref: lambda e: f"*{'unaligned ' if e.unaligned else ''}{expression_text(e.pointer)}",
    n.AddressOf: lambda e: f"&{expression_text(e.operand)}",
    n.Member: _member,
    n.Cast: _cast,
    n.InitList: lambda e: f"{type_text(e.type)}{{{_args(e.elements)}}}",
    n.Call: _call,
    n.Lambda: _lambda,
    n.Launch: _launch,
    n.Opaque: _opaque,
}


# ------------------------------------------------------------------------------------------------------ statements


def variable_text(decl: n.VarDecl) -> str:
    """``shared f32[16] tile = ...``."""
    words = [decl.space.value]
    flags = ("const", "volatile", "static", "unsized", "synthesised")
    words += [flag for flag in flags if getattr(decl, flag)]
    value = f" = {decl.value}" if decl.value is not None else ""
    init = f" = {expression_text(decl.init)}" if decl.init is not None and decl.value is None else ""
    return f"{' '.join(words)} {type_text(decl.type)} {decl.name or f'%{decl.span.start}'}{value or init}"


def statement_lines(node: n.Stmt | None, indent: int = 0) -> Iterator[str]:
    """A statement as indented lines."""
    pad = "  " * indent
    if node is None:
        yield f"{pad}(discarded)"
    elif isinstance(node, n.Block):
        yield f"{pad}{{"
        for statement in node.body:
            yield from statement_lines(statement, indent + 1)
        yield f"{pad}}}"
    elif isinstance(node, n.If):
        if node.init is not None:
            yield from statement_lines(node.init, indent)
        yield f"{pad}if{' constexpr' if node.is_constexpr else ''} {expression_text(node.cond)}"
        yield from statement_lines(node.then, indent + 1)
        if node.other is not None:
            yield f"{pad}else"
            yield from statement_lines(node.other, indent + 1)
    elif isinstance(node, n.For):
        init = " ".join(line.strip() for line in statement_lines(node.init)) if node.init is not None else "-"
        unroll = "" if node.unroll is None else f" unroll={node.unroll}"
        yield f"{pad}for ({init}; {expression_text(node.cond)}; {expression_text(node.step)}){unroll}"
        yield from statement_lines(node.body, indent + 1)
    elif isinstance(node, n.While):
        yield f"{pad}while {expression_text(node.cond)}"
        yield from statement_lines(node.body, indent + 1)
    elif isinstance(node, n.DoWhile):
        yield f"{pad}do"
        yield from statement_lines(node.body, indent + 1)
        yield f"{pad}while {expression_text(node.cond)}"
    elif isinstance(node, n.Switch):
        yield f"{pad}switch {expression_text(node.cond)}"
        yield from statement_lines(node.body, indent + 1)
    else:
        yield pad + _simple(node)


def _simple(node: n.Stmt) -> str:
    if isinstance(node, n.DeclStmt):
        return "; ".join(f"let {variable_text(d)}" for d in node.decls)
    if isinstance(node, n.ExprStmt):
        return expression_text(node.expr)
    if isinstance(node, n.Return):
        return f"return {expression_text(node.value)}" if node.value is not None else "return"
    if isinstance(node, n.Case):
        if node.value is None:
            return "default:"
        return f"case {expression_text(node.value)}{f' ... {expression_text(node.high)}' if node.high else ''}:"
    if isinstance(node, n.Goto):
        return f"goto {node.label}"
    if isinstance(node, n.Label):
        return f"{node.name}:"
    if isinstance(node, n.Asm):
        return f"asm {node.text!r} out({_args(node.outputs)}) in({_args(node.inputs)}) may_sync={node.may_sync}"
    if isinstance(node, n.OpaqueStmt):
        return f"OPAQUE<{node.reason}{' may_sync' if node.may_sync else ''}>"
    return type(node).__name__.lower()


def function_lines(function: n.FunctionDecl) -> Iterator[str]:
    """A function with its head, losses and body."""
    template = f"<{', '.join(function.template_params)}>" if function.template_params else ""
    if function.template_args:
        template = f"<{', '.join(f'{name} = {text}' for name, text in function.template_args)}>"
    params = ", ".join(f"{type_text(p.type)} {p.name}" for p in function.params)
    flags = " forced" if function.forced else ""
    yield f"{function.kind.value} {function.qualified}{template}({params}) -> {type_text(function.result)}{flags}"
    bounds = function.bounds
    if bounds != n.LaunchBounds():
        yield f"  bounds max={bounds.max_threads} min_blocks={bounds.min_blocks} required={bounds.required}" + (
            " dependent" if bounds.dependent else ""
        )
    for loss in function.losses:
        yield f"  loss[{loss.kind}] {loss.reason} @{loss.span.start}"
    if function.body is not None:
        yield from statement_lines(function.body)


def module_text(module: n.Module) -> str:
    """The whole module as text."""
    lines = [f"module {module.path} ({module.language})"]
    for name in ("missing_headers", "synthesised", "notes"):
        if value := getattr(module, name):
            lines.append(f"{name}: {', '.join(sorted(value))}")
    lines += [f"missed {m.name}: {m.reason}" for m in module.missed]
    lines += [f"global {variable_text(g)}" for g in module.globals]
    for function in module.functions:
        lines.append("")
        lines.extend(function_lines(function))
    return "\n".join(lines) + "\n"


# ------------------------------------------------------------------------------------------------------------ JSON


def to_json(value: object) -> Any:
    """Nodes, types and spans as plain objects; uses of declarations are given by name and place."""
    if isinstance(value, n.Module):
        return {f.name: to_json(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Type):
        return type_text(value)
    if isinstance(value, Span):
        return [value.file, value.start, value.end]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, n.Ref):
        return {"node": "Ref", "span": to_json(value.span), "type": type_text(value.type), "decl": _link(value.decl)}
    if isinstance(value, (n.Node, n.Kernel, n.Missed, n.Loss, n.LaunchBounds)):
        result: dict[str, Any] = {"node": type(value).__name__}
        for field in fields(value):
            item = getattr(value, field.name)
            linked = isinstance(item, n.FunctionDecl)
            result[field.name] = _link(item) if linked else to_json(item)
        return result
    if isinstance(value, (tuple, list)):
        return [to_json(v) for v in value]
    if isinstance(value, frozenset):
        return sorted(map(str, (to_json(v) for v in value)))
    return value


def _link(decl: n.VarDecl | n.FunctionDecl) -> dict[str, Any]:
    return {"name": decl.name, "span": to_json(decl.span)}
