"""Kernels inside string literals of host code, C++ or Python.

A program in a string is parsed as a text of the host file's length in which everything but the program is blank, so
that every offset is at once one of the host file: no span has to be moved.  Adjacent literals are one program.  So is
the argument of a macro that holds an OpenCL kernel (``STRINGIFY(__kernel void f(...) {...})``): C++ has no such thing.

The kernels that PyOpenCL, PyCUDA and CuPy make out of snippets (``ElementwiseKernel`` and its like) are programs too,
of the snippets and of what the library writes around them: see :mod:`kernlint.frontends.clang.python.snippets`.

Python programs are often filled in when they run.  What a template leaves open (``%(name)s``, ``{name}``, ``${name}``)
becomes a name that is not declared, so that it counts as unknown; of a Mako template's choices the first branch is
taken, and what it repeats stands once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernlint.frontends.clang.lower.heads import blank, matching
from kernlint.frontends.clang.options import Language
from kernlint.record import dataclass
from kernlint.text.patterns import pattern

_TOKEN = pattern(
    rb"""//[^\n]*|/\*.*?\*/
    |(?P<raw>(?:u8|[uUL])?R"(?P<tag>[^\s()\\]{0,16})\((?P<body>.*?)\)(?P=tag)")
    |(?P<text>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*")
    |'(?:\\.|[^'\\\n])+'""",
    re.DOTALL | re.VERBOSE,
)
_PYTHON = pattern(
    rb"""\#[^\n]*
    |(?P<prefix>\b[rRuUbBfF]{1,2})?(?P<quote>\"{3}|'{3})(?P<body>(?:\\.|.)*?)(?P=quote)
    |(?P<short>\b[rRuUbBfF]{1,2})?(?P<one>["'])(?P<line>(?:\\.|(?!(?P=one))[^\\\n])*)(?P=one)""",
    re.DOTALL | re.VERBOSE,
)
PERCENT = pattern(rb"%(?:\((\w+)\)[-#0-9.]*[sdifgxXr]|[-#0-9.]*[sdifgxXr])|%%")
_NAMED = pattern(rb"%\((\w+)\)(?:s|[-#0-9.]*[sdifgxXr]\b)|%%")
BRACES = pattern(rb"\{\{|\}\}|\{([^{}\n]*)\}")
_MAKO = pattern(rb"<%[^>]*?%>|</?%[^>]*>")
_CONTROL = pattern(rb"(?:\\{1,2}\n)?^[ \t]*%[ \t]*(for|endfor|if|elif|else|endif|while|endwhile)\b[^\n]*", re.MULTILINE)
_JINJA = pattern(rb"\{\{-?[ \t]*([^{}\n]*?)[ \t]*-?\}\}")
_BLOCK = pattern(rb"\{%[-+]?[ \t]*(for|endfor|if|elif|else|endif|set|macro|endmacro|\w+)\b.*?%\}", re.DOTALL)
DOLLAR = pattern(rb"\$\{([^{}\n]*)\}|\$([A-Za-z_]\w*)")
_IDENTIFIER = pattern(rb"[A-Za-z_]\w*")
_OPENCL = pattern(
    rb"(?:^|[\s;}\"'])(?:__kernel|kernel)\s+(?:__attribute__\s*\(\(.*?\)\)\s*)?void\s+\w+\s*\(", re.DOTALL
)
_GAP = rb"(?:\s|\\(?:[nrt]|\r?\n)|\")"
_APART = pattern(
    rb"(?:^|[\s;}\"'])(?:__kernel|kernel)%(gap)s+(?:__attribute__\s*\(\(.*?\)\)%(gap)s*)?void%(gap)s+\w+\s*\("
    % {b"gap": _GAP},
    re.DOTALL,
)
"""The head of a kernel where each line may be a literal of its own."""
_PAREN_OR_KERNEL = pattern(
    rb"[()]|(?<![^\s;}])(?:__kernel|kernel)(?=\s+(?:__attribute__\s*\(\(.*?\)\)\s*)?void\s)", re.DOTALL
)
_BREAK = pattern(rb"\\[nt](?=\s|\Z)")
"""A line break that is written out where a macro makes a string of its argument."""
_CALLEE = pattern(rb"[A-Za-z_]\w*\s*\Z")
_NAMELESS = pattern(rb"\b(?:__kernel|kernel)\s+void\s*[\\%${]|\b(?:__kernel|kernel)\s+void\s+\w+\s*\\")
_MADE = pattern(rb"\b(?:Elementwise|Reduction|\w*Scan)Kernel\b|\bListOfListsBuilder\b")
_CUDA = pattern(rb"\b__global__\b[^;{}()]*\(")
_ESCAPE = pattern(rb"\\(?:\r?\n|.)", re.DOTALL)


OPEN_TYPE = "kl_open_type_"
"""Before the name of a type that the host program gives a text when it runs."""

OPEN_NUMBER = "KL_OPEN_"
"""Before the name of a number that the host program gives a text when it runs."""

OPEN_CODE = b"/*kernlint: open*/"
"""Stands in a text into which the host program puts code, or declarations, that are not known."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program found in a host file: its dialect and the text, blank where the host code is, of equal length.

    ``start`` and ``end`` are the byte offsets of its first and behind its last literal.  Where a library makes the
    program, ``places`` says which parts of the text stand in the host file: (start, end, offset there); ``start`` and
    ``end`` are then those of what is called to make it, and ``usage`` says how the library launches it, if that is
    known.
    """

    language: Language
    text: bytes
    start: int
    end: int
    places: tuple[tuple[int, int, int], ...] | None = None
    usage: Usage | None = None
    holes: tuple[tuple[int, int], ...] = ()
    """Byte ranges of the text that the host program fills in when it runs; names stand there meanwhile."""
    assembled: bool = False
    """Whether the host program puts it together, of literals and values that ``places`` tells of."""
    varied: bool = False
    """Whether it is one of several that the host program makes of the same literals, with other types or code."""


@dataclass(frozen=True, slots=True)
class Usage:
    """How a library launches a kernel that it made: ``block`` threads, each good for ``items`` of the ``size`` (a
    parameter's name) elements that ``vectors`` (pointer parameters) have.  ``names``: the parameters of a call."""

    size: str
    names: tuple[str, ...]
    vectors: tuple[str, ...]
    block: int
    items: int = 1


def programs(host: bytes, python: bool = False) -> Iterator[Program]:
    """The OpenCL and CUDA programs in the string literals of ``host``, C++ or Python, in order; made ones first."""
    if python and makes_kernels(host):
        from kernlint.frontends.clang.python.snippets import made_programs

        yield from made_programs(host)
    if not (_APART.search(host) or _CUDA.search(host) or (python and _NAMELESS.search(host))):
        return
    if python:
        yield from _python_programs(host)
        return
    yield from stringised(host)
    group: list[re.Match[bytes]] = []
    at = 0  # behind the last literal or comment
    for match in _TOKEN.finditer(host):
        apart = host[at : match.start()].strip(b" \t\r\n\\")
        at = match.end()
        if apart and group:
            yield from _program(host, group)
            group = []
        if match.group("raw") is not None or match.group("text") is not None:
            group.append(match)
    yield from _program(host, group)


def stringised(text: bytes) -> Iterator[Program]:
    """The OpenCL programs that are arguments of macros, as those by which ``#`` makes strings, in order."""
    if not _OPENCL.search(text):
        return
    bare, nothing = blank(text), re.sub(rb"[^\n]", b" ", text)
    calls: list[tuple[int, int]] = []  # of each parenthesis that is open: where its text starts, whether a name calls
    end = 0  # of the last program
    for match in _PAREN_OR_KERNEL.finditer(bare):
        mark = match.group()
        if match.start() < end:
            continue
        if mark == b"(":
            calls.append((match.end(), _CALLEE.search(bare, max(0, match.start() - 80), match.start()) is not None))
        elif mark == b")":
            if calls:
                calls.pop()
        else:
            start = next((start for start, named in reversed(calls) if named), None)
            close = matching(bare, start - 1, len(bare)) if start is not None else None
            if start is not None and close is not None:
                end = close
                inside = _BREAK.sub(_unescape, text[start:end])
                yield Program(Language.OPENCL, nothing[:start] + inside + nothing[end:], start, end)
                calls.clear()


def makes_kernels(host: bytes) -> bool:
    """Whether a Python file speaks of kernels that a library makes out of snippets."""
    return _MADE.search(host) is not None


def literals(host: bytes, start: int, end: int, percent: bool, braces: bool) -> Iterator[tuple[int, bytes]]:
    """Place and text of what is in each of the Python literals from ``start`` to ``end``.

    ``percent``, ``braces``: whether the operator ``%`` or ``format`` fills them in.
    """
    for match in _PYTHON.finditer(host, start, end):
        found = _literal(match, percent, braces)
        if found is not None:
            yield found[:2]


def python_literals(host: bytes, start: int, end: int) -> Iterator[tuple[int, bytes, bool]]:
    """Place and text, as it is written, of what is in each of the Python literals from ``start`` to ``end``; whether
    it is filled in where it stands."""
    for at, text, prefix in prefixed_literals(host, start, end):
        yield at, text, b"f" in prefix


def prefixed_literals(host: bytes, start: int, end: int) -> Iterator[tuple[int, bytes, bytes]]:
    """Place, text as it is written, and prefix of each of the Python literals from ``start`` to ``end``."""
    for match in _PYTHON.finditer(host, start, end):
        name = "body" if match.group("quote") else "line"
        if match.group(name) is not None:
            prefix = match.group("prefix") or match.group("short") or b""
            yield match.start(name), match.group(name), prefix.lower()


def _python_programs(host: bytes) -> Iterator[Program]:
    group: list[_Piece] = []
    at = 0
    for match in _PYTHON.finditer(host):
        apart = host[at : match.start()].strip(b" \t\r\n\\")
        at = match.end()
        if apart and group:
            yield from _joined(host, group)
            group = []
        after = host[match.end() : match.end() + 40].lstrip(b" \t\r\n)")
        found = _literal(match, after.startswith(b"%"), after.startswith(b".format("))
        if found is not None:
            group.append((match.start(), match.end(), *found))
    if group:
        yield from _joined(host, group)


def _literal(
    match: re.Match[bytes], percent: bool, braces: bool
) -> tuple[int, bytes, tuple[tuple[int, int], ...]] | None:
    """Place and text of what is in a Python literal, and what is filled in there; None for a comment."""
    holes: list[tuple[int, int]] = []

    def fill(found: re.Match[bytes]) -> bytes:
        if found.group() not in (b"{{", b"}}", b"%%"):
            holes.append((match.start(name) + found.start(), match.start(name) + found.end()))
        return hole(found)

    name = "body" if match.group("quote") else "line"
    text = match.group(name)
    if text is None:
        return None
    prefix = (match.group("prefix") or match.group("short") or b"").lower()
    if b"r" not in prefix and name == "line":
        text = _ESCAPE.sub(_unescape, text)
    if b"jinja" in match.string and (b"{%" in text or b"{{" in text):
        text = _JINJA.sub(fill, _one_way(text, _BLOCK))
    if percent:
        text = PERCENT.sub(fill, text)
    elif b"%(" in text:
        text = _NAMED.sub(fill, text)  # filled in elsewhere; no C text has such a thing
    if b"f" in prefix or braces:
        text = BRACES.sub(fill, text)
    text = DOLLAR.sub(fill, _MAKO.sub(_spaces, _one_way(text)))
    return match.start(name), text, tuple(sorted(holes))


def _one_way(text: bytes, control: re.Pattern[bytes] = _CONTROL) -> bytes:
    """A template as it is when the first branch of each choice is taken and each loop goes round once: one of Mako, or
    of another language by its statements (``control``).  A backslash before a line of Mako's control flow joins the
    lines around it."""
    out = bytearray(text)
    left: list[int | None] = []  # for each choice that is open: where the first branch ended, if it has
    for match in control.finditer(text):
        out[match.start() : match.end()] = _spaces(match)
        word = match.group(1)
        if word == b"if":
            left.append(None)
        elif word in (b"elif", b"else") and left and left[-1] is None:
            left[-1] = match.start()
        elif word == b"endif" and left:
            start = left.pop()
            if start is not None:
                out[start : match.end()] = re.sub(rb"[^\n]", b" ", text[start : match.end()])
    return bytes(out)


_Piece = tuple[int, int, int, bytes, tuple[tuple[int, int], ...]]
"""Start and end of a literal, start and text of what is in it, and what is filled in there."""


def _joined(host: bytes, literals: list[_Piece]) -> Iterator[Program]:
    joined = b" ".join(text for _, _, _, text, _ in literals)
    language = dialect_of(joined)
    if language is None:
        return
    out = bytearray(b" " * len(host))
    for _, _, start, text, _ in literals:
        out[start : start + len(text)] = text
    holes = tuple(each for _, _, _, _, found in literals for each in found)
    yield Program(language, bytes(out), literals[0][0], literals[-1][1], holes=holes)


def dialect_of(text: bytes) -> Language | None:
    """The language of a text with kernels; None: it has none."""
    if b"{" not in text:
        return None
    return Language.OPENCL if _OPENCL.search(text) else Language.CUDA if _CUDA.search(text) else None


def hole(match: re.Match[bytes]) -> bytes:
    """A place that a template leaves open as a name, in as many bytes."""
    whole = match.group()
    if whole in (b"{{", b"}}"):
        return b" " + whole[:1]
    if whole == b"%%":
        return b" %"
    name = next((part for part in match.groups() if part and _IDENTIFIER.fullmatch(part.strip())), b"").strip()
    return (name or b"_" * (len(whole) - 1)).rjust(len(whole))


def _spaces(match: re.Match[bytes]) -> bytes:
    return re.sub(rb"[^\n]", b" ", match.group())


def _program(host: bytes, literals: list[re.Match[bytes]]) -> Iterator[Program]:
    pieces: list[_Piece] = []
    for literal in literals:
        if literal.group("raw") is not None:
            start, text = literal.start("body"), literal.group("body")
        else:
            quote = literal.group().index(b'"')
            start, text = literal.start() + quote + 1, _ESCAPE.sub(_unescape, literal.group()[quote + 1 : -1])
        pieces.append((literal.start(), literal.end(), start, text, ()))
    if pieces:
        yield from _joined(host, pieces)


def _unescape(match: re.Match[bytes]) -> bytes:
    """What an escape stands for, in as many bytes as it is written with."""
    escape = match.group()
    if escape == b"\\n":
        return b" \n"
    if escape in (b"\\t", b"\\r") or escape[1:2] in (b"\n", b"\r"):
        return b" " * len(escape)
    return b" " + escape[1:2]


_ENDED = pattern(rb"\A(\s*);")
_RAW_LITERAL = pattern(rb'R"([^\s()\\"]{0,16})\((.*?)\)\1"', re.DOTALL)


_OPENED = pattern(rb"^[\w \t*\[\]]+=[ \t]*\"[ \t]*(?=\r?\n)", re.MULTILINE)
_CLOSED = pattern(rb"\"[ \t]*;[ \t]*(?=\r?\n|\Z)")


def unwrapped(text: bytes) -> bytes:
    """An OpenCL program without the marks by which host code includes the file as a string: those of raw literals, a
    macro around it that the file does not define, and quotation marks at the ends of lines, between which a script
    takes it for a literal."""
    if _OPENED.search(text):
        text = _CLOSED.sub(_spaces, _OPENED.sub(_spaces, text))
    for program in stringised(text):
        name = _CALLEE.search(text, 0, program.start - 1)
        if name is not None and not re.search(rb"#[ \t]*define[ \t]+" + name.group().strip() + rb"\b", text):
            head, body, rest = text[: name.start()], text[program.start : program.end], text[program.end + 1 :]
            text = head + b" " * (program.start - name.start()) + body + b" " + _ENDED.sub(rb"\1 ", rest)
    if b'R"' not in text:
        return text

    def inside(match: re.Match[bytes]) -> bytes:
        mark = len(match.group(1))
        return b" " * (3 + mark) + match.group(2) + b" " * (2 + mark)

    return _RAW_LITERAL.sub(inside, text)
