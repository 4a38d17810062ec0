"""The text that a tree came from: where its statements begin and end, and edits at those places.

What a macro expands to has the place of the macro's use, so several nodes may share one.  Nothing here edits inside of
such a place: statements are told apart by their text, and where that cannot be done there is no edit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kernlint.finding import Edit
from kernlint.record import dataclass
from kernlint.source import SourceFile, Span
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import (
    Assign,
    Block,
    DoWhile,
    Expr,
    ExprStmt,
    For,
    FunctionDecl,
    If,
    Module,
    Node,
    Return,
    Stmt,
    Switch,
    VarDecl,
    While,
)

_SKIP = pattern(rb"(?:[ \t\r\n]|//[^\n]*|/\*.*?\*/|\\\r?\n)*", re.S)
_NOT_CODE = pattern(rb"//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)
_ABOVE = pattern(rb"[ \t]*(?:#[ \t]*pragma\b|//|/\*[^\n]*\*/[ \t]*\r?$)")
_WORD = pattern(r"[A-Za-z_]\w*")

Chain = tuple[Stmt, ...]
"""A function's body, a statement in it, one in that, and so on."""


def parts(stmt: Stmt) -> tuple[Stmt, ...]:
    """The statements directly inside of ``stmt``."""
    if isinstance(stmt, Block):
        return stmt.body
    if isinstance(stmt, If):
        return tuple(part for part in (stmt.init, stmt.then, stmt.other) if part is not None)
    if isinstance(stmt, For):
        return tuple(part for part in (stmt.init, stmt.body) if part is not None)
    return (stmt.body,) if isinstance(stmt, While | DoWhile | Switch) else ()


def within(inner: Span, outer: Span) -> bool:
    """Whether ``inner`` is a part of ``outer`` or the same."""
    return inner.file == outer.file and outer.start <= inner.start and inner.end <= outer.end


@dataclass(frozen=True, slots=True)
class Page:
    """A source file and a module that was read from it."""

    source: SourceFile
    module: Module

    def text(self, place: Span | Node) -> str:
        """The text of a place."""
        return self.source.text(place.span if isinstance(place, Node) else place)

    def before_name(self, decl: VarDecl) -> str:
        """What stands before the name in a declaration: the type and its qualifiers, as they are written."""
        text = self.text(decl)
        found = re.search(rf"\b{re.escape(decl.name)}\b", text)
        return text[: found.start()] if found else ""

    def span(self, start: int, end: int) -> Span:
        """A place in this file."""
        return Span(self.source.path, start, end)

    def insertion(self, at: int, text: str) -> Edit:
        """``text`` put in front of byte ``at``."""
        return Edit(self.span(at, at), text)

    # ------------------------------------------------------------------------------------------- finding places

    def holder(self, span: Span) -> FunctionDecl | None:
        """The function of this file whose body holds ``span``, as written (not an instance of it)."""
        found: FunctionDecl | None = None
        if span.file != self.source.path:
            return None
        for function in self.module.functions:
            body = function.body
            if body is None or function.generic is not None or not within(span, body.span):
                continue
            if found is None or within(function.span, found.span):
                found = function
        return found

    def chain(self, function: FunctionDecl, span: Span) -> Chain:
        """The statements of ``function`` around ``span``, outermost first; empty where it has none."""
        if function.body is None or not within(span, function.body.span):
            return ()
        found: list[Stmt] = [function.body]
        while True:
            inner = [part for part in parts(found[-1]) if within(span, part.span)]
            if len(inner) != 1:
                return tuple(found)
            found.append(inner[0])

    def is_plain(self, block: Block) -> bool:
        """Whether the statements of a block stand one after the other in the text, in braces of their own."""
        text = self.source.data
        if text[block.span.start : block.span.start + 1] != b"{" or text[block.span.end - 1 : block.span.end] != b"}":
            return False
        at = block.span.start + 1
        for stmt in block.body:
            if stmt.span.file != self.source.path or stmt.span.start < at or stmt.span.end <= stmt.span.start:
                return False
            at = stmt.span.end
        return at < block.span.end

    def is_if(self, stmt: If) -> bool:
        """Whether an ``if`` is one in the text, and not in a macro."""
        start, cond = stmt.span.start, stmt.cond.span
        head = self.source.data[start : cond.start]
        return re.fullmatch(rb"if\s*(?:constexpr\s*)?\((?:.|\s)*", head) is not None and cond.start > start

    def condition(self, stmt: If) -> Span | None:
        """What stands between the parentheses of an ``if``; None in a macro or with a declaration there."""
        if not self.is_if(stmt) or stmt.init is not None:
            return None
        opened = self.source.data.index(b"(", stmt.span.start)
        closed = self.matching(opened)
        return None if closed is None else self.span(opened + 1, closed)

    def matching(self, opened: int) -> int | None:
        """Offset of the parenthesis that closes the one at ``opened``."""
        text = _NOT_CODE.sub(lambda match: b" " * len(match.group()), self.source.data[opened : opened + 20_000])
        depth = 0
        for found in re.finditer(rb"[()]", text):
            depth += 1 if found.group() == b"(" else -1
            if depth == 0:
                return opened + found.start()
        return None

    def end(self, stmt: Stmt) -> int:
        """Offset behind ``stmt``, its semicolon included."""
        last: Stmt | None = stmt
        while last is not None:  # the end of a statement that ends with another one is that one's
            inner = parts(last)
            if isinstance(last, Block | DoWhile | Switch) or not inner or inner[-1].span.end < last.span.end:
                break
            last = inner[-1]
        assert last is not None
        data, at = self.source.data, last.span.end
        if isinstance(last, Block | Switch) or data[at - 1 : at] == b";":
            return at
        skipped = _SKIP.match(data, at)
        after = skipped.end() if skipped else at
        return after + 1 if data[after : after + 1] == b";" else at

    def line_start(self, at: int) -> int:
        """Offset of the first byte of the line of ``at``."""
        return self.source.data.rfind(b"\n", 0, at) + 1

    def line_end(self, at: int) -> int:
        """Offset of the line break that ends the line of ``at`` (of its carriage return), or the end of the text."""
        found = self.source.data.find(b"\n", at)
        end = len(self.source.data) if found < 0 else found
        return end - 1 if self.source.data[end - 1 : end] == b"\r" and end > at else end

    def indent(self, at: int) -> str:
        """The blanks that the line of ``at`` begins with."""
        start = self.line_start(at)
        line = self.source.data[start : self.line_end(start)].decode("utf-8", "replace")
        return line[: len(line) - len(line.lstrip(" \t"))]

    def unit(self, function: FunctionDecl) -> str:
        """One step of indentation, as the function has it."""
        body = function.body
        for stmt in body.body if body is not None else ():
            outer, inner = self.indent(function.span.start), self.indent(stmt.span.start)
            if self.begins_line(stmt.span.start) and inner.startswith(outer) and len(inner) > len(outer):
                return inner[len(outer) :]
        return "    "

    def begins_line(self, at: int) -> bool:
        """Whether nothing but blanks stands before ``at`` on its line."""
        return not self.source.data[self.line_start(at) : at].strip(b" \t")

    def ends_line(self, at: int) -> bool:
        """Whether nothing but blanks and a comment follow ``at`` on its line."""
        rest = self.source.data[at : self.line_end(at)].strip(b" \t")
        return not rest or rest.startswith(b"//") or (rest.startswith(b"/*") and rest.find(b"*/") == len(rest) - 2)

    # ------------------------------------------------------------------------------------------- edits

    def before(self, stmt: Stmt, *lines: str) -> Edit:
        """Lines of their own in front of a statement of a block, above the pragmas and comments that belong to it."""
        at = stmt.span.start
        if not self.begins_line(at):
            return self.insertion(at, " ".join(lines) + " ")
        indent = self.indent(at)
        start = self.line_start(at)
        while start > 0:
            above = self.line_start(start - 1)
            if not _ABOVE.match(self.source.data[above:start].rstrip(b"\r\n")):
                break
            start = above
        return self.insertion(start, "".join(f"{indent}{line}\n" for line in lines))

    def after(self, stmt: Stmt, *lines: str) -> Edit:
        """Lines of their own behind a statement of a block."""
        at = self.end(stmt)
        if not self.ends_line(at):
            return self.insertion(at, " " + " ".join(lines))
        indent = self.indent(stmt.span.start)
        return self.insertion(self.line_end(at), "".join(f"\n{indent}{line}" for line in lines))

    def removal(self, stmt: Stmt) -> Edit:
        """A statement of a block taken out, with its line where it has one to itself."""
        start, end = stmt.span.start, self.end(stmt)
        rest = self.source.data[end : self.line_end(end)].strip(b" \t")
        if self.begins_line(start) and not rest:
            start, end = self.line_start(start), self.line_end(end)
            if self.source.data[end : end + 1] == b"\r":
                end += 1
            return Edit(self.span(start, min(end + 1, len(self.source.data))), "")
        while self.source.data[end : end + 1] in (b" ", b"\t"):
            end += 1
        return Edit(self.span(start, end), "")

    def operator(self, left: Expr, right: Expr) -> Span | None:
        """The place of the operator between two operands; None where the text does not show it plainly."""
        if left.span.file != self.source.path or left.span.end > right.span.start:
            return None
        between = self.source.data[left.span.end : right.span.start]
        found = re.fullmatch(rb"[\s)]*(<=|>=|==|!=|&&|\|\||[-+*/%<>])[\s(]*", between)
        if found is None:
            return None
        return self.span(left.span.end + found.start(1), left.span.end + found.end(1))

    def operator_of(self, assign: Assign) -> Span | None:
        """The place of ``=`` or ``+=``; None where the text does not show it plainly."""
        left, right = assign.target.span.end, assign.value.span.start
        found = re.fullmatch(rb"[\s)]*([-+*/%&|^]?=|<<=|>>=)[\s(]*", self.source.data[left:right])
        if found is None or found.group(1) != assign.op.encode() + b"=":
            return None
        return self.span(left + found.start(1), left + found.end(1))

    def names(self, function: FunctionDecl) -> frozenset[str]:
        """All words in the text of a function, and those of the file's declarations, which a new name must not be."""
        words = set(_WORD.findall(self.text(function)))
        words.update(_WORD.findall("\n".join(self.defined())))
        return frozenset(words)

    def defined(self) -> Iterator[str]:
        """Lines of ``#define``."""
        for found in re.finditer(rb"(?m)^[ \t]*#[ \t]*define[^\n]*", self.source.data):
            yield found.group().decode("utf-8", "replace")

    def fresh(self, function: FunctionDecl, *wishes: str) -> str | None:
        """The first of ``wishes`` that is not yet a name in ``function``."""
        taken = self.names(function)
        return next((name for name in wishes if name not in taken), None)

    def uses(self, name: str) -> list[int]:
        """Offsets at which a word stands in the file, comments and strings left out."""
        text = _NOT_CODE.sub(lambda match: b" " * len(match.group()), self.source.data)
        return [found.start() for found in re.finditer(rb"(?<!\w)" + re.escape(name.encode()) + rb"(?!\w)", text)]

    def is_single(self, stmt: Stmt) -> bool:
        """Whether a statement is an expression or a return on one line."""
        return isinstance(stmt, ExprStmt | Return) and "\n" not in self.text(stmt)

    def indented(self, start: int, end: int, unit: str) -> list[Edit]:
        """One step of indentation more for the lines that begin between two offsets."""
        edits, at = [], self.line_start(start)
        if at < start and not self.begins_line(start):
            at = self.line_end(start) + 1
        while at < end:
            line = self.source.data[at : self.line_end(at)]
            if line.strip() and not line.lstrip().startswith(b"#"):
                edits.append(self.insertion(at, unit))
            at = self.source.data.find(b"\n", at) + 1
            if at == 0:
                break
        return edits

    def wrapped(self, run: Sequence[Stmt], condition: str, unit: str) -> list[Edit]:
        """Statements of a block, one after the other, put under ``if (condition)``."""
        first, last = run[0], run[-1]
        start, end = first.span.start, self.end(last)
        if len(run) == 1 and isinstance(first, ExprStmt):
            return [self.insertion(start, f"if ({condition}) ")]
        if not self.begins_line(start) or not self.ends_line(end):
            return [self.insertion(start, f"if ({condition}) {{ "), self.insertion(end, " }")]
        indent = self.indent(start)
        opening = self.before(first, f"if ({condition}) {{")
        inside = self.indented(opening.span.start, end, unit)
        merged = [edit for edit in inside if edit.span != opening.span]
        joined = Edit(opening.span, opening.text + unit) if len(merged) < len(inside) else opening
        return [joined, *merged, self.insertion(self.line_end(end), f"\n{indent}}}")]
