"""Expressions of a Python program that is followed."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

from kernlint.frontends.clang.embedded import prefixed_literals
from kernlint.frontends.clang.python.program import PythonProgram, dotted
from kernlint.frontends.clang.python.text import Text, joined, made
from kernlint.frontends.clang.python.texts import filling, library, reading
from kernlint.frontends.clang.python.texts.comparing import compared
from kernlint.frontends.clang.python.texts.rendering import Defined
from kernlint.frontends.clang.python.texts.values import (
    Argument,
    Class,
    Frame,
    Function,
    Instance,
    Named,
    NumpyType,
    Open,
    Super,
    Template,
    items_of,
    literal,
    plain,
    text_of,
    unescaped,
)

STEPS = 30_000
"""Expressions and statements of one file that are followed."""

LARGEST = 1 << 64
LONGEST = 1 << 20
"""Bytes of a text that is put together."""

_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], object]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
    ast.Div: operator.truediv, ast.Mod: operator.mod, ast.LShift: operator.lshift, ast.RShift: operator.rshift,
    ast.BitOr: operator.or_, ast.BitAnd: operator.and_, ast.BitXor: operator.xor, ast.Pow: operator.pow,
}  # fmt: skip


class Spent(Exception):
    """More was followed than one file is worth."""


class Expressions:
    """Works out expressions; calls of the program's own functions are the business of who derives from this."""

    def __init__(self, host: PythonProgram) -> None:
        self.host = host
        self.left = STEPS
        self.turn = 0
        """Which value of a table is taken where that is not known."""
        self.opencl = False
        """Whether the program is one of PyOpenCL."""
        self.choices = 1
        """Values of the largest such table."""
        self.files: Callable[[str], Text | None] | None = None
        """Gives what a file holds by the end of its path; None: no file is read."""

    # What the statements' side does.

    def call(
        self, called: object, args: list[object], keys: dict[str, object], node: ast.Call | None, frame: Frame
    ) -> object:
        """What a call gives."""
        raise NotImplementedError

    def imported(self, name: str, frame: Frame) -> object | None:
        """What a module has under a name that it imports; None where it does not."""
        raise NotImplementedError

    def bind(self, target: ast.expr, value: object, frame: Frame) -> None:
        """Give a target a value."""
        raise NotImplementedError

    def statements(self, text: str, frame: Frame) -> None:
        """Run statements in a template."""
        raise NotImplementedError

    def super_of(self, frame: Frame) -> object:
        """What ``super()`` means in a method."""
        raise NotImplementedError

    # --------------------------------------------------------------------------------------------------- values

    def expression(self, text: str, frame: Frame) -> object:
        """What an expression in a template means."""
        try:
            node = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return Open(text)
        for at in ast.walk(node):
            if isinstance(at, ast.expr):
                at.lineno = 0  # stands nowhere
        return self.value(node, frame)

    def value(self, node: ast.expr | None, frame: Frame) -> object:
        """What an expression means."""
        if node is None:
            return None
        self.left -= 1
        if self.left < 0:
            raise Spent
        work = getattr(self, f"_{type(node).__name__.lower()}", None)
        found: object = work(node, frame) if work is not None else Open("value")
        return found

    def truth(self, value: object) -> bool | None:
        """Whether a value counts as true; None where that is not known."""
        if isinstance(value, Open):
            return None
        if isinstance(value, Text):
            return bool(value.data)
        if isinstance(value, (int, float, str, list, tuple, Mapping)) or value is None:
            return bool(value)
        return True

    def _constant(self, node: ast.Constant, frame: Frame) -> object:
        if isinstance(node.value, str):
            return literal(frame.program, node, self.host) if _in_file(node, frame.program) else made(node.value)
        if isinstance(node.value, bytes):
            return made(node.value.decode("utf-8", "replace"))
        return node.value if isinstance(node.value, (int, float)) or node.value is None else Open("value")

    def _joinedstr(self, node: ast.JoinedStr, frame: Frame) -> object:
        out: list[Text] = []
        program = frame.program
        if not _in_file(node, program):
            for part in node.values:
                inner = part.value if isinstance(part, ast.FormattedValue) else part
                out.append(text_of(self.value(inner, frame)))
            return joined(out)
        for at, data, prefix in prefixed_literals(program.data, program.start(node), program.end(node)):
            text = (
                unescaped(data, at, b"r" in prefix) if program is self.host else made(data.decode("utf-8", "replace"))
            )
            if b"f" not in prefix:
                out.append(text)
                continue
            for piece, content in filling.fields(text):
                out.append(piece if content is None else self._field(content, frame))
        return joined(out)

    def _field(self, content: str, frame: Frame) -> Text:
        """What stands for a field of an f-string."""
        for end in (len(content), content.rfind("!"), content.rfind(":"), content.find(":")):
            if end <= 0:
                continue
            try:
                inner = ast.parse(content[:end].strip().rstrip("="), mode="eval").body
            except (SyntaxError, ValueError):
                continue
            for at in ast.walk(inner):
                if isinstance(at, ast.expr):
                    at.lineno = 0  # stands nowhere
            spec = content[end + 1 :] if content[end : end + 1] == ":" else ""
            value = self.value(inner, frame)
            return filling.field_text(value if not isinstance(value, Open) or value.name != "value" else
                                      Open(content[:end], value.type), spec)  # fmt: skip
        return text_of(Open(content))

    def _name(self, node: ast.Name, frame: Frame) -> object:
        return self.named(node.id, frame)

    def named(self, name: str, frame: Frame) -> object:
        """What a name means in a frame."""
        at: Frame | None = frame
        while at is not None:
            if name in at.names:
                return at.names[name]
            if at.parent is None:
                found = self.imported(name, at)
                if found is not None:
                    return found
            at = at.parent
        return Named(name) if name in library.BUILTINS else Open(name)

    def _attribute(self, node: ast.Attribute, frame: Frame) -> object:
        return self.attribute(self.value(node.value, frame), node.attr)

    def attribute(self, value: object, name: str) -> object:
        """An attribute of a value; the item under a key where the name begins with a bracket."""
        if name.startswith("["):
            return self.item(value, int(name[1:]) if name[1:].isdigit() else name[1:])
        if isinstance(value, Instance):
            if name in value.names:
                return value.names[name]
            found = value.of.find(name)
            if isinstance(found, Function) and not found.static:
                return Function(found.node, found.around, value, home=found.home)
            return found if found is not None else Open(name)
        if isinstance(value, Super):
            bases = (base.find(name) for base in value.home.bases if isinstance(base, Class))
            found = next((one for one in bases if one is not None), None)
            return Function(found.node, found.around, value.owner, home=found.home) if isinstance(
                found, Function) else Open(name)  # fmt: skip
        if isinstance(value, Class):
            found = value.find(name)
            return found if found is not None else Open(name)
        if isinstance(value, Frame):  # a module
            if name in library.NEVER_FOLLOWED:
                return library.constant(f"module.{name}")
            return self.named(name, value)
        if isinstance(value, Named):
            return library.constant(f"{value.name}.{name}")
        if isinstance(value, Argument) and name in ("name", "dtype", "with_offset"):
            return value.name if name == "name" else value.type if name == "dtype" else value.offset
        if isinstance(value, NumpyType):
            return library.of_type(value, name)
        if isinstance(value, Mapping) and name in value and name not in ("items", "keys", "values"):
            return value[name]
        if isinstance(value, Open):
            return Open(name if name not in ("name", "value", "dtype", "type") else value.name, name == "dtype")
        return Open(name)

    def _subscript(self, node: ast.Subscript, frame: Frame) -> object:
        value = self.value(node.value, frame)
        if isinstance(node.slice, ast.Slice):
            low, high, step = (
                self.value(part, frame) for part in (node.slice.lower, node.slice.upper, node.slice.step)
            )
            fits = all(part is None or isinstance(part, int) for part in (low, high, step))
            if isinstance(value, (list, tuple)) and fits:
                return value[slice(low, high, step)]  # type: ignore[arg-type]
            if isinstance(value, Text) and fits and step is None:
                first, last, _ = slice(low, high).indices(len(value.data))
                return value.cut(first, max(first, last))
            return Open("value")
        return self.item(value, self.value(node.slice, frame))

    def item(self, value: object, key: object) -> object:
        """The item of a list or table under a key."""
        known = plain(key)
        if isinstance(value, Mapping):
            try:
                if known in value:
                    return value[known]
            except TypeError:
                pass
            if isinstance(key, Open) and value:
                return self._any_of(list(value.values()), key)
            return Open(known if isinstance(known, str) and known else "value")
        if isinstance(value, (list, tuple, range)) and isinstance(key, int) and -len(value) <= key < len(value):
            return value[key]
        if isinstance(value, (list, tuple)) and isinstance(key, Open) and value:
            return self._any_of(list(value), key)
        if isinstance(value, Open):
            return Open(known if isinstance(known, str) and known.isidentifier() else value.name, value.type)
        return Open("value")

    def _any_of(self, values: list[object], key: Open) -> object:
        """One of the values of a table of texts, where it is not known which: each has its turn; what is not known for
        other tables."""
        if not all(isinstance(one, (Text, Template)) for one in values):
            return Open(key.name)
        self.choices = max(self.choices, len(values))
        return values[self.turn % len(values)]

    # ---------------------------------------------------------------------------------------------- operations

    def _binop(self, node: ast.BinOp, frame: Frame) -> object:
        return self.operation(node.op, self.value(node.left, frame), self.value(node.right, frame))

    def operation(self, op: ast.operator, left: object, right: object) -> object:
        """What an operation gives."""
        if isinstance(op, ast.Div) and isinstance(left, (Text, Open)) and isinstance(right, (Text, Open)):
            return reading.path_of([left, right]) if Text in (type(left), type(right)) else Open("value")
        if isinstance(left, Text) and isinstance(op, ast.Mod):
            return filling.percent(left, right)
        if isinstance(op, ast.Add) and (isinstance(left, Text) or isinstance(right, Text)):
            if isinstance(left, (Text, Open)) and isinstance(right, (Text, Open)):
                whole = text_of(left) + text_of(right)
                return whole if len(whole.data) < LONGEST else Open("value")
            return Open("value")
        if isinstance(op, ast.Mult) and isinstance(right, int) and isinstance(left, (Text, list, tuple)):
            times = max(0, min(right, library.MOST_COPIES))
            return joined([left] * times) if isinstance(left, Text) else left * times
        if isinstance(op, ast.Mult) and isinstance(left, int) and isinstance(right, (Text, list, tuple)):
            return self.operation(op, right, left)
        if isinstance(op, ast.Add) and isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
            return [*left, *right] if isinstance(left, list) else (*left, *right)
        if isinstance(op, ast.BitOr) and isinstance(left, dict) and isinstance(right, dict):
            return {**left, **right}
        if isinstance(left, (int, float)) and isinstance(right, (int, float)):
            if isinstance(op, (ast.LShift, ast.Pow)) and not (abs(left) < LARGEST and 0 <= right <= 64):
                return Open("value")
            try:
                found = _OPERATORS[type(op)](left, right)
            except (KeyError, ArithmeticError, TypeError, ValueError):
                return Open("value")
            return found if not isinstance(found, int) or abs(found) < LARGEST else Open("value")
        return Open("value")

    def _unaryop(self, node: ast.UnaryOp, frame: Frame) -> object:
        value = self.value(node.operand, frame)
        if isinstance(node.op, ast.Not):
            truth = self.truth(value)
            return not truth if truth is not None else Open("value")
        if isinstance(value, (int, float)):
            return -value if isinstance(node.op, ast.USub) else ~value if isinstance(value, int) and isinstance(
                node.op, ast.Invert) else value  # fmt: skip
        return value

    def _boolop(self, node: ast.BoolOp, frame: Frame) -> object:
        stops = isinstance(node.op, ast.Or)
        value: object = None
        for part in node.values:
            value = self.value(part, frame)
            truth = self.truth(value)
            if truth is None or truth is stops:
                return value
        return value

    def _compare(self, node: ast.Compare, frame: Frame) -> object:
        left = self.value(node.left, frame)
        for op, part in zip(node.ops, node.comparators, strict=True):
            right = self.value(part, frame)
            found = compared(op, left, right)
            if found is not True:
                return found
            left = right
        return True

    def _ifexp(self, node: ast.IfExp, frame: Frame) -> object:
        truth = self.truth(self.value(node.test, frame))
        if truth is None:
            chosen = self.value(node.body, frame)
            return chosen if not isinstance(chosen, Open) else self.value(node.orelse, frame)
        return self.value(node.body if truth else node.orelse, frame)

    # ------------------------------------------------------------------------------------------------ containers

    def _elements(self, parts: list[ast.expr], frame: Frame) -> list[object]:
        out: list[object] = []
        for part in parts:
            if isinstance(part, ast.Starred):
                out += items_of(self.value(part.value, frame)) or []
            else:
                out.append(self.value(part, frame))
        return out

    def _list(self, node: ast.List, frame: Frame) -> object:
        return self._elements(node.elts, frame)

    def _set(self, node: ast.Set, frame: Frame) -> object:
        return self._elements(node.elts, frame)

    def _tuple(self, node: ast.Tuple, frame: Frame) -> object:
        return tuple(self._elements(node.elts, frame))

    def _dict(self, node: ast.Dict, frame: Frame) -> object:
        out: dict[object, object] = {}
        for key, part in zip(node.keys, node.values, strict=True):
            value = self.value(part, frame)
            if key is None:
                out.update(value if isinstance(value, dict) else {})
                continue
            name = plain(self.value(key, frame))
            if isinstance(name, (str, int, float, tuple, NumpyType, Named)) or name is None:
                out[name] = value
        return out

    def _listcomp(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp, frame: Frame) -> object:
        out: list[object] = []
        known = self._rounds(node.generators, frame, lambda inner: out.append(self.value(node.elt, inner)))
        return out if known else Open("value")

    _generatorexp = _setcomp = _listcomp

    def _dictcomp(self, node: ast.DictComp, frame: Frame) -> object:
        out: dict[object, object] = {}

        def put(inner: Frame) -> None:
            key = plain(self.value(node.key, inner))
            if isinstance(key, (str, int, float, NumpyType)):
                out[key] = self.value(node.value, inner)

        return out if self._rounds(node.generators, frame, put) else Open("value")

    def _rounds(self, loops: list[ast.comprehension], frame: Frame, done: Callable[[Frame], object]) -> bool:
        """Go through the rounds of a comprehension; False where what it goes through is not known."""
        if not loops:
            done(frame)
            return True
        first, *rest = loops
        over = items_of(self.value(first.iter, frame))
        if over is None:
            return False
        inner = Frame(frame.program, frame)
        for item in over:
            self.bind(first.target, item, inner)
            kept = all(self.truth(self.value(test, inner)) is not False for test in first.ifs)
            if kept and not self._rounds(rest, inner, done):
                return False
        return True

    def _lambda(self, node: ast.Lambda, frame: Frame) -> object:
        return Function(node, frame)

    def _namedexpr(self, node: ast.NamedExpr, frame: Frame) -> object:
        value = self.value(node.value, frame)
        self.bind(node.target, value, frame)
        return value

    def _await(self, node: ast.Await, frame: Frame) -> object:
        return self.value(node.value, frame)

    def _call(self, node: ast.Call, frame: Frame) -> object:
        called: object
        receiver: object = None
        if isinstance(node.func, ast.Attribute):
            receiver = self.value(node.func.value, frame)
            called = self.attribute(receiver, node.func.attr)
        else:
            called = self.value(node.func, frame)
        args = self._elements(node.args, frame)
        keys: dict[str, object] = {}
        for key in node.keywords:
            value = self.value(key.value, frame)
            if key.arg is not None:
                keys[key.arg] = value
            elif isinstance(value, dict):
                keys.update({name: one for name, one in value.items() if isinstance(name, str)})
        if self.files is not None and (read := reading.read(self, node, receiver, args, keys)) is not None:
            return read
        if isinstance(node.func, ast.Attribute) and not isinstance(called, (Function, Class, Named, Defined)):
            known = library.method(self, receiver, node.func.attr, args, keys, frame)
            if known is not library.NOTHING:
                return known
        if isinstance(called, Open) and (name := dotted(node.func)) is not None:
            called = Open(name.rpartition(".")[2]) if called.name != "value" else called
        return self.call(called, args, keys, node, frame)


def _in_file(node: ast.expr, program: PythonProgram) -> bool:
    """Whether a node stands where it says in the file of a program."""
    return 0 < node.lineno <= len(program.starts) and node.end_lineno is not None
