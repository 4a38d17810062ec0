"""Whole numbers that names stand for in host code: in a file, in the headers that it includes, in the modules that it
imports from."""

from __future__ import annotations

import operator
import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from kernlint.text.patterns import pattern

if TYPE_CHECKING:
    import ast
    from typing import TypeGuard

DEEPEST = 8
"""Names that stand for each other, and headers that include each other, are followed so far."""

_MOST = 64
"""Headers that are looked through for one name."""

_DEFINE = pattern(rb"#[ \t]*define[ \t]+\Z")
_AS = pattern(rb"[ \t]+([^\n]*)")
_REMARK = pattern(rb"/\*.*?(?:\*/|\Z)|//.*", re.S)
_EQUALS = pattern(rb"\s*(?:=(?!=)\s*([^;,\n}]+)|\{\s*([^{};,\n]+)\}\s*;)")
_MEMBER = pattern(rb"[\w.>]\Z")
_PLAIN = pattern(rb"\d+[uUlL]*|\"[^\"]*\"")
_NAME = pattern(rb"(?:::)?(?:[A-Za-z_]\w*::)*([A-Za-z_]\w*)")
_TYPE = rb"(?:(?:std::)?size_t|(?:std::)?u?int(?:\d+_t)?|unsigned|long|short|uint|ulong|cl_u?(?:int|long)|\s)+"
_CAST = pattern(rb"(?:static_cast\s*<" + _TYPE + rb">|\(" + _TYPE + rb"\)\s*(?=[\w(:]))")
_SCOPE = pattern(rb"(?:\b[A-Za-z_]\w*)?::")
_SUFFIX = pattern(rb"(?<=\d)[uUlLzZ]+\b")
_OCTAL = pattern(rb"\b0\d")
_IMPORTED = pattern(rb"^[ \t]*from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+(\([^()]*\)|[^\n#]*)", re.M)
_WHOLE_MODULE = pattern(rb"^[ \t]*import[ \t]+([\w.]+)(?:[ \t]+as[ \t]+(\w+))?", re.M)
_FIXED = pattern(rb"\b(?:const|constexpr|enum)\b[^()]*\Z")
EXPRESSION = pattern(rb"(?!.*\w\s*\()[\w\s.:+\-*/%<>()&|]*[A-Za-z_][\w\s.:+\-*/%<>()&|]*", re.S)
"""What may be a number by the names in it."""


def constant(data: bytes, name: bytes) -> bytes | None:
    """The number or text that a name stands for in the whole of a file of C; None when it is not one and the same."""
    name = name.strip()
    if _PLAIN.fullmatch(name):
        return name.rstrip(b"uUlL").strip(b'"')
    plain = _NAME.fullmatch(name)
    if plain is None:
        return None
    found = set(_given(data, plain.group(1)))
    if len(found) != 1:
        return None
    (value,) = found
    return value.rstrip(b"uUlL").strip(b'"') if _PLAIN.fullmatch(value) else None


def _given(data: bytes, name: bytes, fixed: bool = False) -> Iterator[bytes]:
    """What ``name`` is defined as or assigned, ``fixed``: as a constant; only the places where it stands are looked at,
    which is much faster."""
    at = data.find(name)
    while at >= 0:
        end = at + len(name)
        if (value := _AS.match(data, end)) is not None and _DEFINE.search(data, max(0, at - 40), at) is not None:
            yield _REMARK.sub(b"", value.group(1)).strip()
        if (
            (value := _EQUALS.match(data, end)) is not None
            and _MEMBER.search(data, max(0, at - 1), at) is None
            and (not fixed or _FIXED.search(re.split(rb"[;}]", data[max(0, at - 400) : at])[-1]) is not None)
        ):
            yield _REMARK.sub(b"", value.group(1) or value.group(2)).strip()
        at = data.find(name, end)


def number(expr: ast.expr, named: Callable[[ast.expr], int | None], floors: bool = True) -> int | None:
    """The whole number that an expression is, with the numbers that its names stand for; None for what is none, or is
    not known.  ``floors``: ``/`` is none of whole numbers, as in Python."""
    import ast

    if isinstance(expr, ast.Constant):
        return expr.value if type(expr.value) is int else None
    if isinstance(expr, (ast.Name, ast.Attribute)):
        return named(expr)
    if isinstance(expr, ast.UnaryOp) and isinstance(expr.op, ast.USub):
        inner = number(expr.operand, named, floors)
        return None if inner is None else -inner
    if not isinstance(expr, ast.BinOp):
        return None
    left, right = number(expr.left, named, floors), number(expr.right, named, floors)
    if left is None or right is None or abs(left) >= 1 << 64:
        return None
    if isinstance(expr.op, ast.FloorDiv if floors else ast.Div):
        return left // right if right and (floors or left >= 0 < right) else None
    if isinstance(expr.op, ast.Mod):
        return left % right if left >= 0 < right else None
    if isinstance(expr.op, ast.LShift):
        return left << right if 0 <= right < 64 else None
    plain = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul}.get(type(expr.op))
    return None if plain is None else plain(left, right)


def _parsed(text: bytes, mode: str) -> ast.AST | None:
    import ast  # only where host code puts a name into an option
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text.strip(), mode=mode)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _in_c(text: bytes) -> ast.expr | None:
    """An expression of C, without casts and scopes, as one of Python that has its operators."""
    import ast

    plain = _SUFFIX.sub(b"", _SCOPE.sub(b"", _CAST.sub(b"", text)))
    if not EXPRESSION.fullmatch(plain + b" X") or _OCTAL.search(plain) or b"//" in plain or b"**" in plain:
        return None
    tree = _parsed(plain, "eval")
    return tree.body if isinstance(tree, ast.Expression) else None


def whole_number(text: str) -> int | None:
    """The number that an expression of numbers alone is, as C has it."""
    expr = _in_c(text.encode() + b"+0*ONE") if text.strip() else None
    return None if expr is None else number(expr, lambda _: 0, floors=False)


class Constants:
    """Numbers of names over the files of a project; ``read`` gives the text of one, ``files`` says which there are,
    ``included`` what one of C includes."""

    def __init__(
        self, read: Callable[[str], bytes], files: Collection[str], included: Callable[[str], Iterable[str]]
    ) -> None:
        self._read = read
        self._files = files
        self._included = included
        self._modules: dict[str, Mapping[str, list[ast.expr]]] = {}
        self._known: dict[tuple[str, bytes], int | None] = {}

    def value(self, path: str, text: str) -> int | None:
        """The number that the expression ``text`` is in the file at ``path``."""
        import ast

        if not path.endswith(".py"):
            return self._in_file(path, text.encode())
        tree = _parsed(text.encode(), "eval")
        return number(tree.body, lambda name: self._in_module(path, name)) if isinstance(tree, ast.Expression) else None

    # ------------------------------------------------------------------------------------------------------------- C

    def _in_file(self, path: str, text: bytes, depth: int = 0) -> int | None:
        """The number that an expression is in a file of C; where names are none of the file's own, of its headers."""
        import ast

        expr = _in_c(text) if depth < DEEPEST else None
        if expr is None:
            return None

        def named(name: ast.expr) -> int | None:
            return self._of_name(path, name.id.encode(), depth + 1) if isinstance(name, ast.Name) else None

        return number(expr, named, floors=False)

    def _of_name(self, path: str, name: bytes, depth: int) -> int | None:
        if (path, name) in self._known:
            return self._known[path, name]
        self._known[path, name] = None
        seen, front = {path}, [path]
        for _ in range(DEEPEST):
            for at in front:
                found = {value for value in _given(self._read(at), name, at != path) if value}
                if found:
                    values = {self._in_file(at, value, depth) for value in found}
                    self._known[path, name] = values.pop() if len(values) == 1 else None
                    return self._known[path, name]
            front = [one for at in front for one in self._included(at) if one not in seen]
            front = list(dict.fromkeys(front))[: _MOST - len(seen)]
            if not front:
                break
            seen.update(front)
        return None

    # -------------------------------------------------------------------------------------------------------- Python

    def _in_module(self, path: str, name: ast.expr, depth: int = 0) -> int | None:
        """The number of a name, or of a name of a module or a class; of several numbers the largest."""
        import ast

        if depth > DEEPEST:
            return None
        if isinstance(name, ast.Attribute):
            if not isinstance(name.value, ast.Name) or name.value.id in ("self", "cls"):
                return None
            owner, word = name.value.id, name.attr
        else:
            assert isinstance(name, ast.Name)
            owner, word = "", name.id
        asked = (path, f"{owner}.{word}".encode())
        if asked not in self._known:
            self._known[asked] = None
            self._known[asked] = self._of_module(path, owner, word, depth)
        return self._known[asked]

    def _of_module(self, path: str, owner: str, word: str, depth: int) -> int | None:
        import ast

        given = self._module(path).get(f"{owner}.{word}" if owner else word)
        if given is not None:
            numbers = [number(one, lambda inner: self._in_module(path, inner, depth + 1)) for one in given]
            return max((one for one in numbers if one is not None), default=None)
        for there, what in _homes(self._read(path), owner or word):
            inner: ast.expr = ast.Name(what) if what and not owner else ast.Name(word)
            if owner and what:  # a class that is imported, or a module out of a package
                module = self._path_of(path, f"{there}.{what}" if there.strip(".") else there + what)
                if module is None:
                    module, inner = self._path_of(path, there), ast.Attribute(ast.Name(what), word)
            else:
                module = self._path_of(path, there)
            if module is not None and module != path:
                return self._in_module(module, inner, depth + 1)
        return None

    def entries(self, path: str, name: str) -> Iterator[tuple[str, int]]:
        """The numbers of a dictionary, of the file of Python at ``path`` or imported there, by their keys."""
        import ast

        made = self._module(path).get(name, [])
        if not made:
            for there, what in _homes(self._read(path), name):
                module = self._path_of(path, there)
                if module is not None and module != path and what:
                    path, made = module, self._module(module).get(what, [])
                    break
        table = made[0] if len(made) == 1 else None
        pairs: list[tuple[object, ast.expr]] = []
        if isinstance(table, ast.Dict):
            pairs = [(key.value, of) for key, of in zip(table.keys, table.values, strict=True) if _is_text(key)]
        elif isinstance(table, ast.Call) and isinstance(table.func, ast.Name) and table.func.id == "dict":
            pairs = [(key.arg, key.value) for key in table.keywords]
        for key, of in pairs:
            worth = number(of, lambda inner: self._in_module(path, inner))
            if isinstance(key, str) and key.isidentifier() and worth is not None:
                yield key, worth

    def _module(self, path: str) -> Mapping[str, list[ast.expr]]:
        """What a file of Python assigns to names, those in the bodies of its classes by the class too."""
        import ast

        if path not in self._modules:
            found: dict[str, list[ast.expr]] = {}
            tree = _parsed(self._read(path), "exec")
            for node in ast.walk(tree) if tree is not None else ():
                for word, value in _assigned(node):
                    found.setdefault(word, []).append(value)
                if isinstance(node, ast.ClassDef):
                    for one in node.body:
                        for word, value in _assigned(one):
                            found.setdefault(f"{node.name}.{word}", []).append(value)
            self._modules[path] = found
        return self._modules[path]

    def _path_of(self, host: str, module: str) -> str | None:
        """The file of a module that the program at ``host`` imports."""
        inner = module.lstrip(".")
        folder = posixpath.dirname(host)
        for _ in range(len(module) - len(inner) - 1):
            folder = posixpath.dirname(folder)
        tail = inner.replace(".", "/")
        for base in (folder, "") if not module.startswith(".") else (folder,):
            whole = posixpath.join(base, tail)
            for path in (f"{whole}.py", posixpath.join(whole, "__init__.py")):
                if path in self._files:
                    return path
        return None


def _is_text(node: ast.expr | None) -> TypeGuard[ast.Constant]:
    import ast

    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _assigned(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """The names that a statement of Python assigns, with what."""
    import ast

    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
        yield node.target.id, node.value
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return
    target, value = node.targets[0], node.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        yield from ((one.id, of) for one, of in zip(target.elts, value.elts, strict=True) if isinstance(one, ast.Name))
    elif isinstance(target, ast.Name):
        yield target.id, value


def _homes(data: bytes, name: str) -> Iterator[tuple[str, str]]:
    """Where a program of Python has a name from, the module and what it is called there; of a whole module nothing."""
    word = name.encode()
    for match in _IMPORTED.finditer(data):
        for one in match.group(2).strip(b"() ").split(b","):
            there, _, here = one.strip().partition(b" as ")
            if (here or there).strip() == word and re.fullmatch(rb"\w+", there.strip()):
                yield match.group(1).decode(), there.strip().decode()
    for match in _WHOLE_MODULE.finditer(data):
        if (match.group(2) or match.group(1)) == word:
            yield match.group(1).decode(), ""
