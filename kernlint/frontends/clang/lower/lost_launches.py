"""Launches that stand in the text of host code of which the compiler kept too little.

A statement that needs a type of a missing header is lost, and with it what it holds: a launch among others.  Where no
launch of a kernel was kept and the text writes the grid of each as a number (``fill<<<1, n>>>(...)``), that much is
known, whatever became of the arguments.  A variable that the block is as large as, and that is an argument by its name
alone, is one number at both places.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.frontends.clang.lower.heads import blank
from kernlint.source import Span
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import (
    Block,
    Expr,
    ExprStmt,
    FunctionDecl,
    FunctionKind,
    IntLit,
    Launch,
    Opaque,
    Ref,
    VarDecl,
)
from kernlint.tree.types import I32, I64, VOID, Space
from kernlint.tree.walk import traverse

_LAUNCH = pattern(rb"\b([A-Za-z_]\w*)\s*(?:<[^;{}()]*?>\s*)?<<<([^;{}]*?)>>>")
_NUMBER = pattern(rb"\s*(?:dim3\s*[({]\s*(\d{1,9})\s*(?:,\s*1\s*){0,2}[)}]|(\d{1,9})u?)\s*")
_NAMED = pattern(rb"\s*(?:dim3\s*[({]\s*([A-Za-z_]\w*)\s*(?:,\s*1\s*){0,2}[)}]|([A-Za-z_]\w*))\s*")
MOST = 4096
"""Bytes of a launch's arguments that are looked at."""


def add_lost_launches(text: bytes, path: str, functions: Sequence[FunctionDecl]) -> None:
    """Put launches that the tree lacks, with the sizes that the text gives as numbers, before the statements of the
    host functions that they stand in."""
    if b"<<<" not in text:
        return
    kernels = {f.name: f for f in functions if f.kind is FunctionKind.KERNEL and f.generic is None}
    hosts = [f for f in functions if f.kind is FunctionKind.HOST and f.generic is None and f.span.file == path]
    kept = {one.name.split("<")[0].rpartition("::")[2] for host in hosts for one in _launches(host)}
    found: dict[str, list[tuple[Span, Expr | None, Expr | None, tuple[Expr, ...]]]] = {}
    text = blank(text)
    for match in _LAUNCH.finditer(text):
        name = match.group(1).decode()
        if name in kernels and name not in kept:
            span = Span(path, match.start(), match.end())
            sizes = _apart(match.group(2))
            grid, block = _number(sizes[0], span), _number(sizes[1], span) if len(sizes) > 1 else None
            args: tuple[Expr, ...] = ()
            if block is None and len(sizes) > 1 and (named := _NAMED.fullmatch(sizes[1])) is not None:
                block, args = _named(named.group(1) or named.group(2), text, span, kernels[name])
            found.setdefault(name, []).append((span, grid, block, args))
    for name, launches in found.items():
        if any(grid is None for _, grid, *_ in launches):
            continue
        for span, grid, block, args in launches:
            host = next((f for f in hosts if f.span.start <= span.start < f.span.end), None)
            if host is not None and isinstance(host.body, Block):
                kernel = kernels[name]
                launch = Launch(span, VOID, "<<<>>>", name, kernel, grid, block, None, None, args)
                body = Block(host.body.span, (ExprStmt(span, launch), *host.body.body))
                object.__setattr__(host, "body", body)


def _named(name: bytes, text: bytes, span: Span, kernel: FunctionDecl) -> tuple[Expr | None, tuple[Expr, ...]]:
    """The size of a block that is a variable, and the arguments of a launch, where that variable is one of them."""
    depth, end = 0, span.end
    for end in range(span.end, min(len(text), span.end + MOST)):
        depth += (text[end] in b"(") - (text[end] in b")")
        if depth == 0 and text[end] in b");":
            break
    given = _apart(text[span.end : end].strip()[1:])
    if len(given) != len(kernel.params) or not any(each.strip() == name for each in given):
        return None, ()
    size = Ref(span, I64, VarDecl(span, name.decode(), I64, Space.HOST))
    return size, tuple(
        size if each.strip() == name else Opaque(span, param.type, "an argument of a statement that was lost")
        for each, param in zip(given, kernel.params, strict=True)
    )


def _launches(host: FunctionDecl) -> Iterator[Launch]:
    if host.body is not None:
        yield from (node for node in traverse(host.body) if isinstance(node, Launch))


def _apart(sizes: bytes) -> list[bytes]:
    """What stands between the commas of a launch's configuration, but for those in parentheses."""
    depth, begin, out = 0, 0, []
    for at, char in enumerate(sizes):
        depth += (char in b"([{") - (char in b")]}")
        if char == b","[0] and depth == 0:
            out.append(sizes[begin:at])
            begin = at + 1
    return [*out, sizes[begin:]]


def _number(size: bytes, span: Span) -> Expr | None:
    match = _NUMBER.fullmatch(size)
    return IntLit(span, I32, int(match.group(1) or match.group(2))) if match is not None else None
