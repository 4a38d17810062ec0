"""pycparser, taught OpenCL's words, and told to remember where every node begins and ends.

OpenCL's qualifiers go where C's do: an address space is a type qualifier to the grammar, ``__kernel`` a function
specifier.  The built-in types are typedef names.  Attributes are taken out before and kept beside.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pycparser import c_ast, c_parser
from pycparser.c_lexer import CLexer

from kernlint.frontends.pycparser.preprocess import Lexeme, Place
from kernlint.record import dataclass, field

SPACES = {
    "__global": "global",
    "global": "global",
    "__local": "local",
    "local": "local",
    "__constant": "constant",
    "constant": "constant",
    "__private": "private",
    "private": "private",
    "__generic": "generic",
    "generic": "generic",
}
"""Address space qualifiers, each with its plain name."""

_ACCESS = ("read_only", "write_only", "read_write", "__read_only", "__write_only", "__read_write")
_KERNEL = ("__kernel", "kernel")
_SCALARS = ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double", "half")
_LANES = ("2", "3", "4", "8", "16")
BUILT_IN_TYPES = frozenset({
    *("uchar", "ushort", "uint", "ulong", "half", "bool", "quad"),
    *(f"{scalar}{lanes}" for scalar in _SCALARS for lanes in _LANES),
    *("size_t", "ptrdiff_t", "intptr_t", "uintptr_t", "sampler_t", "event_t", "queue_t", "ndrange_t", "clk_event_t"),
    *("reserve_id_t", "cl_mem_fence_flags", "memory_order", "memory_scope", "pipe", "va_list"),
    *(f"image{kind}_t" for kind in ("1d", "1d_buffer", "1d_array", "2d", "2d_array", "2d_depth", "2d_array_depth")),
    *("image3d_t", "image2d_msaa_t", "image2d_array_msaa_t"),
    *(f"atomic_{kind}" for kind in ("int", "uint", "long", "ulong", "float", "double", "flag", "size_t")),
    *("int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t"),
})  # fmt: skip
"""Names that OpenCL C declares as types, over those of C."""

Range = tuple[int, int]
"""Tokens of a chunk: the first, and one past the last."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """``__attribute__((text))`` that stood before the token ``at`` of its chunk."""

    text: str
    at: int


@dataclass(slots=True)
class Chunk:
    """One declaration or function of a file: its tokens, without attributes.

    ``assembly``: the text of each ``asm`` in it.
    """

    lexemes: list[Lexeme] = field(default_factory=list)
    attributes: list[Attribute] = field(default_factory=list)
    is_function: bool = False
    assembly: list[str] = field(default_factory=list)


def chunks(lexemes: Sequence[Lexeme]) -> Iterator[Chunk]:
    """A source cut into its declarations, so that one that is not understood costs nothing else."""
    chunk, depth, round_ = Chunk(), 0, 0
    index = 0
    while index < len(lexemes):
        lexeme = lexemes[index]
        text = lexeme.text
        if text in ("__attribute__", "__attribute"):
            inside, index = _parenthesised(lexemes, index + 1)
            chunk.attributes.append(Attribute(inside, len(chunk.lexemes)))
            continue
        if text in _DROPPED:
            index += 1
            continue
        if text in _ASSEMBLY and depth:
            index = _assembly(lexemes, index, chunk)
            continue
        if text.startswith("#") and depth == 0 and round_ == 0:
            index += 1
            continue
        if text == "{" and depth == 0 and round_ == 0:
            chunk.is_function = bool(chunk.lexemes) and chunk.lexemes[-1].text == ")"
        chunk.lexemes.append(lexeme)
        depth += {"{": 1, "}": -1}.get(text, 0)
        round_ += {"(": 1, ")": -1}.get(text, 0)
        index += 1
        if (text == "}" and depth <= 0 and chunk.is_function) or (text == ";" and depth <= 0 and round_ <= 0):
            yield chunk
            chunk, depth, round_ = Chunk(), 0, 0
    if chunk.lexemes:
        yield chunk


_DROPPED = frozenset({"__extension__", "__inline__", "__forceinline", "_Pragma"})


_ASSEMBLY = frozenset({"asm", "__asm__", "__asm"})

ASSEMBLY = "__kl_asm"
"""The function whose call stands for an ``asm``: its first argument is the number of the text among those of the
chunk, the others are the operands."""


def _assembly(lexemes: Sequence[Lexeme], index: int, chunk: Chunk) -> int:
    """Put a call for the ``asm`` at ``index`` into ``chunk``; the index behind it."""
    first, words, operands = lexemes[index], [], []
    depth = 0
    while index < len(lexemes):
        lexeme = lexemes[index]
        depth -= lexeme.text == ")"
        words.append(lexeme.text)
        index += 1
        if depth == 0 and lexeme.text == ")":
            break
        if depth > 1:
            operands.append(lexeme)
        depth += lexeme.text == "("
        if depth == 2 and lexeme.text == "(":
            operands.append(Lexeme(",", lexeme.place))
    head = (ASSEMBLY, "(", str(len(chunk.assembly)))
    chunk.assembly.append(" ".join(words))
    chunk.lexemes += [Lexeme(text, first.place) for text in head]
    chunk.lexemes += operands
    chunk.lexemes.append(lexemes[index - 1])
    return index


def _parenthesised(lexemes: Sequence[Lexeme], index: int) -> tuple[str, int]:
    """The text of a parenthesised group that begins at ``index``, and the index behind it."""
    words: list[str] = []
    depth = 0
    while index < len(lexemes):
        text = lexemes[index].text
        depth += {"(": 1, ")": -1}.get(text, 0)
        words.append(text)
        index += 1
        if depth == 0:
            break
    return " ".join(words), index


class _Lexer(CLexer):  # type: ignore[misc]
    """pycparser's lexer, whose tokens are numbered: ``lineno`` is the number of the token in its chunk."""

    def token(self) -> Any:
        token = super().token()
        if token is not None:
            at = token.lineno
            if token.type in ("ID", "TYPEID"):
                if token.value in SPACES or token.value in _ACCESS:
                    token.type = "CONST"
                elif token.value in _KERNEL:
                    token.type = "INLINE"
            token.lineno, token.column = at - 1, 0
        return token


_SENTENCES = (c_ast.If, c_ast.For, c_ast.While, c_ast.DoWhile, c_ast.Switch, c_ast.Return, c_ast.Break)


class Parsed:
    """The nodes of a chunk and where each is.

    ``inner`` and ``outer``: the tokens of a node without and with the parentheses around it.
    """

    def __init__(self, chunk: Chunk) -> None:
        self.chunk = chunk
        self.nodes: list[c_ast.Node] = []
        self.inner: dict[int, Range] = {}
        self.outer: dict[int, Range] = {}

    def place(self, node: c_ast.Node, outer: bool = False) -> Place:
        """The bytes of ``node``; of a macro's use where both ends came out of it."""
        found = (self.outer if outer else self.inner).get(id(node)) or self._computed(node)
        if isinstance(node, _SENTENCES) and self.chunk.lexemes[found[1] - 1].text == ";":
            found = found[0], max(found[0] + 1, found[1] - 1)  # its semicolon belongs to no statement
        first, last = self._at(found[0]), self._at(max(found[0], found[1] - 1))
        if first.file != last.file:
            return first
        return Place(first.file, min(first.start, last.start), max(first.end, last.end), first.in_macro)

    def parenthesised(self, node: c_ast.Node) -> bool:
        """Whether ``node`` stands in parentheses."""
        return self.inner.get(id(node)) != self.outer.get(id(node))

    def text_after(self, node: c_ast.Node) -> str:
        """The token behind ``node``."""
        end = (self.outer.get(id(node)) or self._computed(node))[1]
        return self.chunk.lexemes[end].text if end < len(self.chunk.lexemes) else ""

    def _at(self, index: int) -> Place:
        lexemes = self.chunk.lexemes
        return lexemes[min(max(index, 0), len(lexemes) - 1)].place

    def _computed(self, node: c_ast.Node) -> Range:
        """The tokens of a node that no rule of the grammar gave back by itself: from its first part to its last."""
        found = [self.outer.get(id(child)) or self._computed(child) for _, child in node.children()]
        if not found:
            at = node.coord.line if node.coord is not None else 0
            return at, at + 1
        start, end = min(low for low, _ in found), max(high for _, high in found)
        if isinstance(node, c_ast.ArrayRef | c_ast.FuncCall):
            end += 1 if not (isinstance(node, c_ast.FuncCall) and node.args is None) else 2
        elif isinstance(node, c_ast.UnaryOp):
            end += node.op in ("p++", "p--")
            start -= node.op not in ("p++", "p--")
        self.inner[id(node)] = start, end
        return start, end


_READS_TOKENS = "lexer" not in inspect.signature(c_parser._TokenStream).parameters
"""Whether pycparser's stream is given a function that reads a token (since 3.12) rather than a lexer."""

_GUESSES = 16
"""Unknown types of one declaration that are guessed."""

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*\Z")
_WORDS = frozenset({
    "if", "else", "for", "while", "do", "switch", "case", "default", "break", "continue", "return", "goto",
    "sizeof", "struct", "union", "enum", "typedef", "const", "volatile", "restrict", "static", "inline",
    "extern", "void", "char", "short", "int", "long", "float", "double", "signed", "unsigned",
}) | {*SPACES, *_ACCESS, *_KERNEL}  # fmt: skip


class Parser(c_parser.CParser):  # type: ignore[misc]
    """Parses chunks of one file, one after the other, with the typedef names of those before."""

    def __init__(self) -> None:
        super().__init__(lexer=_Lexer)
        self.types: dict[str, bool] = dict.fromkeys(BUILT_IN_TYPES, True)
        self.guessed: set[str] = set()
        self._parsed: Parsed | None = None

    def chunk(self, chunk: Chunk) -> Parsed:
        """The nodes of ``chunk``; a name that can only be a type is taken for one, and is among ``guessed`` then.

        Raises :class:`pycparser.c_parser.ParseError`, whose message is in words.
        """
        for _ in range(_GUESSES):
            try:
                return self._attempt(chunk)
            except c_parser.ParseError as error:
                name = self._unknown_type(chunk, str(error))
                if name is None:
                    raise
                self.types[name] = True
                self.guessed.add(name)
        return self._attempt(chunk)

    def _unknown_type(self, chunk: Chunk, message: str) -> str | None:
        """The name near the place of an error that stands where a type must be: before another name, or a ``*``."""
        place = re.match(r"[^:]*:(\d+):", message)
        texts = [lexeme.text for lexeme in chunk.lexemes]
        near = range(len(texts))  # an error that says no place
        if place is not None:
            near = range(int(place[1]), int(place[1]) - 3, -1)
        for index in near:
            if not (0 <= index < len(texts) - 1 and _IDENTIFIER.match(texts[index])):
                continue
            if texts[index] in self.types or texts[index] in _WORDS:
                continue
            following = texts[index + 1]
            named = _IDENTIFIER.match(following) is not None and following not in _WORDS
            if named or (following in ("*", ")") and index and texts[index - 1] in ("(", ",", *SPACES, "const")):
                return texts[index]
        return None

    def _attempt(self, chunk: Chunk) -> Parsed:
        parsed = self._parsed = Parsed(chunk)
        # One token a line: the lexer's line is the number of the token.
        self.clex.input("\n".join(_readable(lexeme.text) for lexeme in chunk.lexemes) + "\n", "")
        self._scope_stack = [dict(self.types)]
        self._typedef_checked_token = None
        self._tokens = c_parser._TokenStream(self.clex.token if _READS_TOKENS else self.clex)
        tree = self._parse_translation_unit_or_empty()
        if (left := self._peek()) is not None:
            self._parse_error(f"before: {left.value}", self._tok_coord(left))
        parsed.nodes = list(tree.ext)
        for node in parsed.nodes:
            parsed.inner[id(node)] = 0, len(chunk.lexemes)
        self.types = self._scope_stack[0]
        return parsed

    def _lexemes(self, start: int, end: int) -> Range:
        """The lexemes that tokens ``start`` to ``end`` stand for; a pragma is one lexeme and two tokens."""
        buffer = self._tokens._buffer
        first = buffer[start] if start < len(buffer) else None
        last = buffer[end - 1] if 0 < end <= len(buffer) else None
        low = first.lineno if first is not None else 0
        return low, max(low, last.lineno if last is not None else low) + 1


def _readable(text: str) -> str:
    """A token as C has it: a half's suffix is OpenCL's alone."""
    if text.startswith("#"):
        return text
    if re.fullmatch(r"(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?[hH]", text):
        return text[:-1] + "f"
    return text


def _recorded(method: Callable[..., Any]) -> Callable[..., Any]:
    def parse(self: Parser, *args: Any, **kwargs: Any) -> Any:
        start = self._tokens._index
        node = method(self, *args, **kwargs)
        if isinstance(node, c_ast.Node) and self._parsed is not None:
            found = self._lexemes(start, self._tokens._index)
            self._parsed.inner.setdefault(id(node), found)
            self._parsed.outer[id(node)] = found
        return node

    return parse


for _name in list(vars(c_parser.CParser)):
    if _name.startswith("_parse_") and _name not in ("_parse_error", "_parse_translation_unit_or_empty"):
        setattr(Parser, _name, _recorded(getattr(c_parser.CParser, _name)))
