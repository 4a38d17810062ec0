"""Places of a tree that was made of a library's text and snippets, moved to where they stand in the Python file."""

from __future__ import annotations

from bisect import bisect_right

from kernlint.frontends.clang.embedded import Program
from kernlint.source import Span
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import FunctionDecl, Module, Node
from kernlint.tree.walk import children

_LINE = pattern(r"line (\d+)")


class _Places:
    """Where the offsets of a program's text are in the host file; what the library wrote is at the call."""

    def __init__(self, program: Program, path: str) -> None:
        self.path = path
        self.program = program
        self.places = program.places or ()
        self.firsts = [start for start, _, _ in self.places]

    def offset(self, at: int, last: bool = False) -> int | None:
        """The place of the byte at ``at`` (``last``: of the one before it, and one further)."""
        index = bisect_right(self.firsts, at - last) - 1
        if index < 0 or at - last >= self.places[index][1]:
            return None
        start, _, host = self.places[index]
        return host + at - start

    def span(self, span: Span) -> Span:
        """The place of ``span``; of what is in parts the library's, the snippet in it where it is one."""
        if span.file != self.path:
            return span
        start, end = self.offset(span.start), self.offset(span.end, span.end > span.start)
        if start is not None and end is not None and start <= end:
            return Span(self.path, start, end)
        inside = [place for place in self.places if place[0] < span.end and span.start < place[1]]
        if len(inside) == 1:
            ((low, high, host),) = inside
            return Span(self.path, host + max(span.start - low, 0), host + min(span.end, high) - low)
        return Span(self.path, self.program.start, self.program.end)


def relocate(module: Module, program: Program, host: bytes) -> None:
    """Move every place of ``module``, which was made of ``program``, to the file that the program's snippets are in."""
    places = _Places(program, module.path)
    seen: set[int] = set()
    stack: list[Node] = [*module.functions, *module.globals, *(kernel.function for kernel in module.kernels)]
    stack += [instance for kernel in module.kernels for instance in kernel.instances]
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        _set(node, "span", places.span(node.span))
        if isinstance(node, FunctionDecl):
            if node.name_span is not None:
                _set(node, "name_span", places.span(node.name_span))
            for loss in node.losses:
                if id(loss) not in seen:
                    seen.add(id(loss))
                    _set(loss, "span", places.span(loss.span))
            if node.generic is not None:
                stack.append(node.generic)
        for name in ("decl", "function", "kernel"):
            linked = getattr(node, name, None)
            if isinstance(linked, Node):
                stack.append(linked)
        stack.extend(children(node))
    for missed in module.missed:
        _set(missed, "span", places.span(missed.span))
    for note in module.compiler:
        _set(note, "span", places.span(note.span))
    _set(module, "inactive", tuple(places.span(span) for span in module.inactive))
    line = host.count(b"\n", 0, program.start) + 1
    _set(module, "notes", tuple(_LINE.sub(f"line {line}", note) for note in module.notes))


def without_others(module: Module, program: Program) -> None:
    """Leave out the kernels of a module that stand in none of the places of a program."""
    places = _Places(program, module.path)

    def elsewhere(function: FunctionDecl) -> bool:
        span = function.name_span or function.span
        return span.file == module.path and places.offset(span.start) is None

    if any(elsewhere(kernel.function) for kernel in module.kernels):
        _set(module, "kernels", tuple(kernel for kernel in module.kernels if not elsewhere(kernel.function)))


def _set(node: object, name: str, value: object) -> None:
    object.__setattr__(node, name, value)
