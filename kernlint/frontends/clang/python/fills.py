"""What a Python program fills into the text of a kernel: numbers and words that are in sight.

``f"{N}"``, ``"%(N)s" % {"N": N}``, ``.format(N=N)``, ``Template(...).substitute(N=N)``, ``.replace("@N@", str(N))``.
A value takes the place of what it is filled in for where it has as many bytes; a longer one is a macro under a name
that is as short.  What is not known, or filled in differently from place to place, stays a name of which nothing is
known (:mod:`kernlint.frontends.clang.embedded`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from kernlint.frontends.clang.embedded import BRACES, DOLLAR, PERCENT, Program, hole, python_literals
from kernlint.frontends.clang.python.entered import entered
from kernlint.frontends.clang.python.program import Called, PythonProgram, Scope, dotted, program_of
from kernlint.frontends.clang.python.reading import Reader
from kernlint.frontends.clang.python.texts.assembled import assembled
from kernlint.frontends.clang.python.texts.noted import note_read
from kernlint.frontends.python.neighbours import Neighbours
from kernlint.record import dataclass, replace
from kernlint.tree.nodes import IntLit

DEPTH = 3
"""Callers of callers that pass a value on."""

LONGEST = 60
"""Bytes of a word that may stand for a type or an operator."""

INSTANCES = 8
"""Instances of templates, at most, that a program is analysed in for the names in its host file."""

_WORD = re.compile(r"[\w \t*+\-/%<>=!&|^~(),.:\[\]]+")
_NAME = re.compile(rb"[A-Za-z_]\w*")
_TEMPLATE = re.compile(rb"\btemplate\s*<[^;{}()]*?>[^;{}()]*?__global__[^;{}()]*?(\w+)\s*\(")
_EXPRESSION = re.compile(r"\s*[\w:]+<[\w\s:,]+>\s*")
_CLOSING = frozenset({"substitute", "safe_substitute"})


@dataclass(frozen=True, slots=True)
class _Filling:
    """Something that fills in a text: ``style`` is ``%``, ``format``, ``$`` or ``replace``."""

    style: str
    values: Mapping[str | int, ast.expr]
    scope: Scope


def completed(
    path: str, host: bytes, programs: Sequence[Program], elsewhere: bool
) -> Iterator[tuple[Program, tuple[str, ...]]]:
    """The programs of a file with what it says of their open places, and macros (``NAME=VALUE``) for values that are
    too long for these; what it puts together of several parts, or leaves open, as a text of its own.  ``elsewhere``:
    other files of the project may be looked at."""
    around = program_of(host) if any(program.places is None for program in programs) else None
    if around is None:
        yield from ((program, ()) for program in programs)
        return
    before, neighbours = around.neighbour, Neighbours()
    if elsewhere and around.froms:
        neighbours.attach(path, around)
    try:
        known = _Fillings(around)
        plain = [filled(program, known) for program in programs if program.places is None]
    finally:
        around.neighbour = before
    if neighbours.read:
        note_read(path, neighbours)
    whole = iter(zip(assembled(path, around, [program for program, _ in plain], elsewhere), plain, strict=True))
    for program in programs:
        if program.places is not None:
            yield program, ()
            continue
        (better, options), (_, macros) = next(whole)
        yield better, (*macros, *options)


def filled(program: Program, known: _Fillings) -> tuple[Program, tuple[str, ...]]:
    """``program`` with what the host file says of its open places, and macros (``NAME=VALUE``) for the rest."""
    host = known.program.data
    text = bytearray(program.text)
    defines: dict[bytes, str] = {}
    given: set[tuple[int, int]] = set()
    left: set[tuple[int, int]] = set(program.holes)
    for start, body, is_f in python_literals(host, program.start, program.end):
        for low, high, value, is_known in known.of(start, body, is_f):
            size = high - low
            (given if is_known else left).add((low, high))
            written = value.encode()
            if len(written) <= size:
                text[low:high] = written.rjust(size)
            else:
                name = _fresh(bytes(text), size, len(defines))
                if name is not None:
                    defines[name] = value
                    text[low:high] = name.rjust(size)
    macros = tuple(f"{name.decode()}={value}" for name, value in defines.items())
    holes = tuple(sorted(left - given))
    return replace(program, text=_with_instances(bytes(text), program, known), holes=holes), macros


def _with_instances(text: bytes, program: Program, known: _Fillings) -> bytes:
    """A text with uses behind it of the template arguments that the host file names kernels with (``sum<float, 64>``,
    as name expressions are written)."""
    kernels = {match.group(1) for match in _TEMPLATE.finditer(text)}
    if not kernels:
        return text
    asked = [word for word in known.names() if word.encode().partition(b"<")[0].rpartition(b"::")[2] in kernels]
    if not asked:
        return text
    uses = "".join(f" static auto kl_use{at} = {word};" for at, word in enumerate(asked[:INSTANCES])).encode()
    room = text[program.end : program.end + len(uses)]
    if room.strip() or len(room) < len(uses):
        return text + b"\n" + uses
    return text[: program.end] + uses + text[program.end + len(uses) :]


def _fresh(text: bytes, size: int, count: int) -> bytes | None:
    """A name of at most ``size`` bytes that does not occur in a text."""
    for at in range(count, count + 200):
        name = b"_" * (size > 3) + b"QJZXW"[at % 5 : at % 5 + 1] + (b"%d" % (at // 5) if size > 1 else b"")
        if len(name) <= size and not re.search(rb"(?<!\w)" + name + rb"(?!\w)", text):
            return name
    return None


class _Fillings:
    """What fills in the literals of one file."""

    def __init__(self, program: PythonProgram) -> None:
        self.program = program
        self.found: dict[int, list[_Filling]] = {}
        for node, scope in _nodes(program):
            self._note(node, scope)

    def _note(self, node: ast.expr, scope: Scope) -> None:
        text: ast.expr | None = None
        values: dict[str | int, ast.expr] | None = None
        style = ""
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            text, values, style = node.left, self._mapping(node.right, scope), "%"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            style = {"format": "format", "replace": "replace"}.get(node.func.attr, "")
            text = node.func.value
            if node.func.attr in _CLOSING:
                style, text = "$", self._template(text, scope)
            if style == "replace":
                old = self.program.string(node.args[0], scope) if len(node.args) == 2 else None
                values = {old: node.args[1]} if old else None
            elif style:
                values = self._given(node, scope)
        if text is None or not values or not style:
            return
        found = self.program.text(text, scope, style == "%", style == "format")
        for _, _, at in found.places if found is not None else ():
            self.found.setdefault(at, []).append(_Filling(style, values, scope))

    def _template(self, expr: ast.expr, scope: Scope) -> ast.expr | None:
        made, _ = self.program.resolved(expr, scope)
        named = isinstance(made, ast.Call) and (dotted(made.func) or "").rpartition(".")[2] == "Template"
        return made.args[0] if named and isinstance(made, ast.Call) and made.args else None

    def _mapping(self, expr: ast.expr, scope: Scope) -> dict[str | int, ast.expr] | None:
        """Expressions by name or place, as the right side of ``%`` has them."""
        expr, _ = self.program.resolved(expr, scope)
        if isinstance(expr, ast.Tuple):
            return dict(enumerate(expr.elts))
        if isinstance(expr, ast.Dict):
            items = zip(expr.keys, expr.values, strict=True)
            return {k.value: v for k, v in items if isinstance(k, ast.Constant) and isinstance(k.value, str)}
        if isinstance(expr, ast.Call) and isinstance(expr.func, ast.Name):
            if expr.func.id == "dict" and not expr.args:
                return {key.arg: key.value for key in expr.keywords if key.arg is not None}
            if expr.func.id in ("locals", "globals", "vars") and not expr.args:
                whole = scope if expr.func.id != "globals" else self.program.scopes[0]
                return {name: ast.copy_location(ast.Name(name, ast.Load()), expr) for name in whole.bound}
        return {0: expr}

    def _given(self, call: ast.Call, scope: Scope) -> dict[str | int, ast.expr]:
        """Expressions by name or place, as a call has them."""
        out: dict[str | int, ast.expr] = {}
        for at, arg in enumerate(call.args):
            out[at] = arg
            if isinstance(arg, (ast.Dict, ast.Name, ast.Call)):
                out.update({k: v for k, v in (self._mapping(arg, scope) or {}).items() if isinstance(k, str)})
        for key in call.keywords:
            if key.arg is not None:
                out[key.arg] = key.value
            else:
                out.update(self._mapping(key.value, scope) or {})
        return out

    # ------------------------------------------------------------------------------------------------- values

    def of(self, start: int, body: bytes, is_f: bool) -> Iterator[tuple[int, int, str, bool]]:
        """(start, end, text, whether that is what stands there) for open places of a literal, as offsets in the host
        file: the value where there is one, else a name."""
        if is_f:
            scope, line = self._around(start)
            for match in BRACES.finditer(body):
                expr = _parsed(match.group(1), line) if match.group(1) is not None else None
                value = self._value(expr, scope) if expr is not None else None
                if value is not None:
                    yield start + match.start(), start + match.end(), value, True
            return
        found: dict[tuple[int, int], str | None] = {}
        for filling in self.found.get(start, ()):
            for low, high, expr in _places(body, filling):
                value = self._value(expr, filling.scope) if expr is not None else None
                found[low, high] = value if found.get((low, high), value) == value else None
        known = {span for span, text in found.items() if text is not None}
        for match in self._open(start, body):
            found[match.span()] = found.get(match.span()) or hole(match).decode("utf-8", "replace").strip()
            if match.group() in (b"{{", b"}}", b"%%"):
                known.add(match.span())
        for (low, high), text in found.items():
            if text is not None:
                yield start + low, start + high, text, (low, high) in known

    def _open(self, start: int, body: bytes) -> Iterator[re.Match[bytes]]:
        """All places of a literal that something elsewhere fills in, and what stands for a brace or ``%`` there."""
        for style in dict.fromkeys(filling.style for filling in self.found.get(start, ())):
            if style in ("%", "format"):
                yield from (PERCENT if style == "%" else BRACES).finditer(body)

    def _value(self, expr: ast.expr, scope: Scope, depth: int = 0) -> str | None:
        """The text of a number or of a word; None when it is not in sight."""
        if isinstance(expr, ast.Call) and dotted(expr.func) in ("str", "repr") and len(expr.args) == 1:
            expr = expr.args[0]
        word = self.program.string(expr, scope)
        if word is not None:
            return word if len(word) <= LONGEST and _WORD.fullmatch(word) else None
        where = ast.copy_location(ast.Call(expr, [], []), expr)
        known, inner = self.program.resolved(expr, scope)
        if isinstance(known, ast.Constant) and isinstance(known.value, float):
            return repr(known.value)
        number = Reader(self.program, Called(where, "", scope), "").number(expr, scope)
        if isinstance(number, IntLit):
            return str(number.value)
        return self._passed(known, inner, depth) if isinstance(known, ast.Name) and depth < DEPTH else None

    def _passed(self, name: ast.Name, scope: Scope, depth: int) -> str | None:
        """What the calls in the file pass for a parameter, where that is one value; its default where nobody does."""
        node = scope.node
        if not isinstance(node, ast.FunctionDef) or scope.bound.get(name.id) != [None]:
            return None
        call = ast.copy_location(ast.Call(name, [], []), name)
        entries = [one.scope for one in entered(self.program, Called(call, "", scope))]
        found = {self._value(name, inner, depth + 1) for inner in entries}
        if not entries:
            names = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args)]
            defaults = dict(zip(names[::-1], node.args.defaults[::-1], strict=False))
            defaults.update((a.arg, d) for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if d)
            if name.id in defaults:
                found = {self._value(defaults[name.id], scope.parent or scope, depth + 1)}
        return found.pop() if len(found) == 1 else None

    def names(self) -> list[str]:
        """What may be the names of instances among the strings of the file."""
        found: dict[str, None] = {}
        for scope in self.program.scopes:
            stack: list[tuple[ast.AST, dict[str, list[str]]]] = [(scope.node, {})]
            while stack:
                at, each = stack.pop()
                if isinstance(at, ast.Constant):
                    if isinstance(at.value, str) and "<" in at.value and _EXPRESSION.fullmatch(at.value):
                        found[at.value.strip()] = None
                    continue
                if isinstance(at, ast.JoinedStr):
                    found.update((word.strip(), None) for word in self._joined(at, scope, each))
                    continue
                if isinstance(at, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
                    each = {**each, **self._each(at.generators, scope)}
                inner = at is not scope.node
                if not (inner and isinstance(at, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda))):
                    stack += [(child, each) for child in reversed(list(ast.iter_child_nodes(at)))]
        return list(found)

    def _each(self, generators: list[ast.comprehension], scope: Scope) -> dict[str, list[str]]:
        """The words that the variables of a comprehension go through."""
        out: dict[str, list[str]] = {}
        for one in generators:
            whole, where = self.program.resolved(one.iter, scope)
            if isinstance(one.target, ast.Name) and isinstance(whole, (ast.Tuple, ast.List)):
                words = [self._value(item, where) for item in whole.elts]
                out[one.target.id] = [word for word in words if word is not None]
        return out

    def _joined(self, expr: ast.JoinedStr, scope: Scope, each: dict[str, list[str]]) -> list[str]:
        """What an f-string makes names of instances of."""
        first = expr.values[0] if expr.values else None
        if not (isinstance(first, ast.Constant) and isinstance(first.value, str) and "<" in first.value):
            return []
        words = [""]
        for part in expr.values:
            inner = part.value if isinstance(part, ast.FormattedValue) else part
            if isinstance(inner, ast.Name) and inner.id in each:
                choices = each[inner.id]
            else:
                value = inner.value if isinstance(inner, ast.Constant) else self._value(inner, scope)
                choices = [value] if isinstance(value, str) else []
            words = [word + choice for word in words for choice in choices][:INSTANCES]
        return [word for word in words if _EXPRESSION.fullmatch(word)]

    def _around(self, at: int) -> tuple[Scope, tuple[int, int]]:
        """The innermost scope around an offset, and its line and column."""
        best = self.program.scopes[0]
        for scope in self.program.scopes[1:]:
            inside = self.program.start(scope.node) <= at < self.program.end(scope.node)
            if inside:  # those inside stand behind those around them
                best = scope
        line = next((n for n, start in enumerate(self.program.starts) if start > at), len(self.program.starts))
        return best, (line, at - self.program.starts[line - 1])


def _nodes(program: PythonProgram) -> Iterator[tuple[ast.expr, Scope]]:
    """Operations with ``%`` and calls, with their scopes."""
    for called in program.calls:
        yield called.node, called.scope
    for scope in program.scopes:
        stack = list(ast.iter_child_nodes(scope.node))
        while stack:
            at = stack.pop()
            if isinstance(at, ast.BinOp) and isinstance(at.op, ast.Mod):
                yield at, scope
            if not isinstance(at, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
                stack.extend(ast.iter_child_nodes(at))


def _parsed(content: bytes, place: tuple[int, int]) -> ast.expr | None:
    """The expression in a replacement field, as if it stood at ``place``."""
    text = content.decode("utf-8", "replace").strip()
    for end in (len(text), text.rfind(":"), text.rfind("!")):
        try:
            expr = ast.parse(text[: max(end, 0)], mode="eval").body
        except (SyntaxError, ValueError, RecursionError):
            continue
        for node in ast.walk(expr):
            if isinstance(node, ast.expr):
                node.lineno = node.end_lineno = place[0]
                node.col_offset = node.end_col_offset = place[1]
        return expr
    return None


def _places(body: bytes, filling: _Filling) -> Iterator[tuple[int, int, ast.expr | None]]:
    """(start, end, expression) of what a filling fills in."""
    if filling.style == "replace":
        for old, expr in filling.values.items():
            word = str(old).encode()
            edge = rb"(?<!\w)%s(?!\w)" if _NAME.fullmatch(word) else rb"%s"
            for match in re.finditer(edge % re.escape(word), body):
                yield match.start(), match.end(), expr
        return
    count = 0
    for match in {"%": PERCENT, "format": BRACES, "$": DOLLAR}[filling.style].finditer(body):
        key = next((group for group in match.groups() if group is not None), None)
        if key is None and match.group() in (b"%%", b"{{", b"}}"):
            continue
        name = key.decode("utf-8", "replace").partition(":")[0].strip() if key else ""
        if not name or name.isdigit():
            yield match.start(), match.end(), filling.values.get(int(name) if name else count)
            count += 1
        else:
            yield match.start(), match.end(), filling.values.get(name)
