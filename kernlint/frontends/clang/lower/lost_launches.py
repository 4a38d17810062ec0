"""Launches that stand in the text of host code of which the compiler kept too little.

A statement that needs a type of a missing header is lost, and with it what it holds: a launch among others.  Where no
launch of a kernel was kept and the text writes the grid of each as a number (``fill<<<1, n>>>(...)``), that much is
known, whatever became of the arguments.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.frontends.clang.lower.heads import blank
from kernlint.source import Span
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import Block, Expr, ExprStmt, FunctionDecl, FunctionKind, IntLit, Launch
from kernlint.tree.types import I32, VOID
from kernlint.tree.walk import walk

_LAUNCH = pattern(rb"\b([A-Za-z_]\w*)\s*(?:<[^;{}()]*?>\s*)?<<<([^;{}]*?)>>>")
_NUMBER = pattern(rb"\s*(?:dim3\s*[({]\s*(\d{1,9})\s*(?:,\s*1\s*){0,2}[)}]|(\d{1,9})u?)\s*")


def add_lost_launches(text: bytes, path: str, functions: Sequence[FunctionDecl]) -> None:
    """Put launches that the tree lacks, with the sizes that the text gives as numbers, before the statements of the
    host functions that they stand in."""
    if b"<<<" not in text:
        return
    kernels = {f.name: f for f in functions if f.kind is FunctionKind.KERNEL and f.generic is None}
    hosts = [f for f in functions if f.kind is FunctionKind.HOST and f.generic is None and f.span.file == path]
    kept = {one.name.split("<")[0].rpartition("::")[2] for host in hosts for one in _launches(host)}
    found: dict[str, list[tuple[Span, Expr | None, Expr | None]]] = {}
    for match in _LAUNCH.finditer(blank(text)):
        name = match.group(1).decode()
        if name in kernels and name not in kept:
            span = Span(path, match.start(), match.end())
            sizes = [_number(size, span) for size in _apart(match.group(2))]
            found.setdefault(name, []).append((span, sizes[0], sizes[1] if len(sizes) > 1 else None))
    for name, launches in found.items():
        if any(grid is None for _, grid, _ in launches):
            continue
        for span, grid, block in launches:
            host = next((f for f in hosts if f.span.start <= span.start < f.span.end), None)
            if host is not None and isinstance(host.body, Block):
                kernel = kernels[name]
                launch = Launch(span, VOID, "<<<>>>", name, kernel, grid, block, None, None, ())
                body = Block(host.body.span, (ExprStmt(span, launch), *host.body.body))
                object.__setattr__(host, "body", body)


def _launches(host: FunctionDecl) -> Iterator[Launch]:
    if host.body is not None:
        yield from (node for node in walk(host.body) if isinstance(node, Launch))


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
