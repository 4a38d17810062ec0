"""What functions of Python, NumPy, PyOpenCL, PyCUDA and CuPy give, as far as texts of kernels are made with them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from kernlint.frontends.clang.embedded import OPEN_NUMBER
from kernlint.frontends.clang.python.snippets import TYPES
from kernlint.frontends.clang.python.text import Text, joined, made
from kernlint.frontends.clang.python.texts import filling
from kernlint.frontends.clang.python.texts.rendering import rendered
from kernlint.frontends.clang.python.texts.values import (
    OPENS,
    Argument,
    Class,
    Frame,
    Named,
    NumpyType,
    Open,
    Template,
    is_known,
    items_of,
    plain,
    text_of,
)
from kernlint.text.patterns import pattern

if TYPE_CHECKING:
    from kernlint.frontends.clang.python.texts.expressions import Expressions

MOST_COPIES = 1000
"""Copies of a text or list that ``*`` makes."""

BUILTINS = frozenset({
    "str", "int", "float", "len", "range", "enumerate", "zip", "map", "min", "max", "sum", "list", "tuple", "dict",
    "sorted", "reversed", "any", "all", "repr", "abs", "bool", "round", "set", "isinstance", "filter", "bytes", "type",
    "locals", "globals", "vars", "getattr", "super",
})  # fmt: skip

NEVER_FOLLOWED = frozenset({
    "SourceModule", "Program", "RawKernel", "RawModule", "dtype_to_ctype", "VectorArg", "ScalarArg", "Template",
    "ElementwiseKernel", "ReductionKernel", "dtype_to_c_struct", "get_or_register_dtype",
})  # fmt: skip
"""Names whose meaning is known here, wherever they come from."""

MAKERS = {"SourceModule": (0, "source"), "RawModule": (0, "code"), "RawKernel": (0, "code"), "Program": (1, "source"),
          "DynamicSourceModule": (0, "source")}  # fmt: skip
"""What makes a program of a text: the argument that holds it, by place and name."""

NOTHING = object()
"""A method that is not known here."""

_BYTES = {"int8": 1, "uint8": 1, "bool": 1, "int16": 2, "uint16": 2, "float16": 2, "int32": 4, "uint32": 4,
          "float32": 4, "int64": 8, "uint64": 8, "float64": 8, "complex64": 8, "complex128": 16, "intp": 8, "uintp": 8,
          "float": 8, "int": 8, "double": 8, "single": 4, "intc": 4}  # fmt: skip
_KINDS = {"f": "float", "i": "int", "u": "uint", "c": "complex", "b": "bool"}
_ALIASES = {"double": "float64", "single": "float32", "float_": "float64", "float": "float64", "int_": "int64",
            "int": "int64", "intc": "int32", "f4": "float32", "f8": "float64", "i4": "int32", "i8": "int64",
            "u4": "uint32", "u8": "uint64", "u1": "uint8", "i1": "int8", "i2": "int16", "u2": "uint16",
            "c8": "complex64", "c16": "complex128", "longlong": "int64", "half": "float16"}  # fmt: skip
_COMPLEX = {"pycuda": {"complex64": "pycuda::complex<float>", "complex128": "pycuda::complex<double>"}}


def constant(name: str) -> object:
    """What a dotted name of a library stands for."""
    first, _, last = name.rpartition(".")
    if last in TYPES and first.partition(".")[0] in ("numpy", "np", "cupy", "cp", "jnp"):
        return NumpyType(last)
    if first in ("math", "numpy", "np") and last in ("pi", "e"):
        return getattr(math, last)
    return Named(name)


def type_of(value: object) -> object:
    """The type of NumPy that a value names; what is not known is one as well."""
    if isinstance(value, NumpyType):
        return value
    if isinstance(value, Text) and (name := value.data.decode("utf-8", "replace").lstrip("<=|>")):
        name = _ALIASES.get(name, name)
        return NumpyType(name) if name in TYPES else Open(name, True)
    if isinstance(value, Named) and value.name in ("float", "int", "bool", "complex"):
        return NumpyType({"complex": "complex128"}.get(value.name, value.name))
    return Open(value.name if isinstance(value, Open) else "dtype", True)


def of_type(value: NumpyType, name: str) -> object:
    """An attribute of a type of NumPy."""
    whole = _ALIASES.get(value.name, value.name)
    if name in ("type", "dtype", "base"):
        return value
    if name == "name":
        return made(whole)
    if name == "itemsize" and whole in _BYTES:
        return _BYTES[whole]
    if name == "kind":
        return made(next((kind for kind, word in _KINDS.items() if whole.startswith(word)), "V"))
    return Open(name)


def same_type(left: object, right: object) -> bool:
    """Whether two values name one type of NumPy, or are one thing of a library."""
    one, other = (
        _ALIASES.get(each.name, each.name) if isinstance(each, NumpyType) else getattr(each, "name", None)
        for each in (left, right)
    )
    return one is not None and one == other


def c_type(value: object, library: str) -> object:
    """A type of NumPy as C has it."""
    found = type_of(value)
    if not isinstance(found, NumpyType):
        return found
    return made(_COMPLEX.get(library, {}).get(found.name) or TYPES[found.name])


def declared(argument: Argument, opencl: bool) -> Text:
    """The declaration of a ``VectorArg`` or ``ScalarArg``."""
    space = "__global " if argument.vector and opencl else ""
    of = c_type(argument.type, "" if opencl else "pycuda")
    if argument.offset and opencl:
        name = text_of(argument.name)
        return joined([made(space), text_of(of), made(" *"), name, made("__base, long "), name, made("__offset")])
    return joined([made(space), text_of(of), made(" *" if argument.vector else " "), text_of(argument.name)])


def macros(options: object) -> list[str]:
    """The macros, ``NAME=VALUE``, that options of a compiler define; what is not known is a number."""
    parts = items_of(options) if isinstance(options, (list, tuple)) else [options]
    text = b" ".join(part.data for part in parts or [] if isinstance(part, Text))
    out: list[str] = []
    for match in _MACRO.finditer(text):
        name, value = match.group(1).decode(), match.group(2)
        if value is None:
            out.append(name)
        elif OPENS not in value:
            out.append(f"{name}={value.decode('utf-8', 'replace')}")
        else:
            out.append(f"{name}={OPEN_NUMBER}{name.upper()}")
    return out


_MACRO = pattern(rb"-D\s*([A-Za-z_]\w*)(?:=([^\s\"']+))?")


# ---------------------------------------------------------------------------------------------------------- functions


def function(machine: Expressions, name: str, args: list[object], keys: dict[str, object], frame: Frame) -> object:
    """What a function of a library gives, or a builtin."""
    last = name.rpartition(".")[2]
    first = args[0] if args else None
    if "." not in name:
        return _builtin(machine, name, args, keys, frame)
    if last == "dtype_to_ctype" and args:
        if keys.get("with_fp_tex_hack") and isinstance(type_of(first), NumpyType):
            kind = type_of(first)
            known = {"float64": "double", "complex64": "cfloat", "complex128": "cdouble"}
            if isinstance(kind, NumpyType) and kind.name in known:
                return made(f"fp_tex_{known[kind.name]}")
            return c_type(first, "pycuda")
        return c_type(first, "pycuda" if "pycuda" in name else "")
    if last == "dtype" and first is not None:
        return type_of(first)
    if last in ("VectorArg", "ScalarArg") and len(args) >= 2:
        return Argument(last == "VectorArg", type_of(first), args[1], keys.get("with_offset") is True)
    if last == "Template":
        text = first if first is not None else keys.get("text", keys.get("source"))
        engine = name.partition(".")[0]
        return Template(text_of(text), engine) if isinstance(text, (Text, Open)) else Open("template")
    if last == "from_string" and isinstance(first, Text):
        return Template(first, "jinja2")
    if last == "dedent" and args:
        return first
    if last in TYPES and args:  # numpy.float32(x)
        return int(first) if isinstance(first, (int, float)) and "int" in last else first
    if last in ("log2", "ceil", "floor", "sqrt", "log", "prod", "gcd", "array") and args:
        return _number(last, args)
    if last in ("copy", "deepcopy", "cast") and args:
        return args[-1]
    return Open(last)


def _number(name: str, args: list[object]) -> object:
    """What a function of numbers gives."""
    if name == "array":
        return args[0]
    if name == "prod" and isinstance(args[0], (list, tuple)):
        numbers = [one for one in args[0] if isinstance(one, (int, float))]
        return math.prod(numbers) if len(numbers) == len(args[0]) else Open(name)
    if not all(isinstance(one, (int, float)) for one in args):
        return Open(name)
    try:
        return getattr(math, name)(*args)
    except (ValueError, OverflowError, TypeError, AttributeError):
        return Open(name)


def _builtin(machine: Expressions, name: str, args: list[object], keys: dict[str, object], frame: Frame) -> object:
    first = args[0] if args else None
    if name == "super":
        return machine.super_of(frame)
    if name in ("locals", "globals", "vars"):
        return dict(frame.names if name != "globals" else frame.module().names)
    if name in ("str", "repr", "bytes"):
        return text_of(first) if args and (not isinstance(first, Open) or name == "str") else (
            first if args else made(""))  # fmt: skip
    if name in ("int", "float", "bool", "round", "abs"):
        return _converted(machine, name, args)
    if name == "dict":
        start = dict(first) if isinstance(first, Mapping) else {}
        if isinstance(first, (list, tuple)):
            pairs = [one for one in first if isinstance(one, (list, tuple)) and len(one) == 2]
            start = {key: value for one, value in pairs if isinstance(key := plain(one), (str, int, float))}
        return {**start, **keys}
    if name == "range" and args:
        whole = [one for one in args if isinstance(one, int)]
        fits = len(whole) == len(args) < 4 and 0 not in whole[2:3]
        return range(*whole) if fits else Open("i")
    if name == "len":
        if isinstance(first, Text):
            return len(first.data) if OPENS not in first.data else Open("len")
        return len(first) if isinstance(first, (list, tuple, Mapping, range)) else Open("len")
    if name == "getattr" and len(args) >= 2 and isinstance(args[1], Text):
        return machine.attribute(first, plain(args[1]))  # type: ignore[arg-type]
    if name == "isinstance" and len(args) == 2:
        return _is_a(first, args[1])
    lists = [items_of(one) for one in args]
    if name in ("list", "tuple", "set", "sorted", "reversed"):
        return _listed(name, lists[0] if lists else [])
    if name in ("enumerate", "zip", "map", "filter"):
        return _paired(machine, name, args, lists, keys, frame)
    if name in ("min", "max", "sum", "any", "all"):
        values = lists[0] if len(args) == 1 and lists[0] is not None else list(args)
        return _gathered(machine, name, values)
    return Open(name)


def _converted(machine: Expressions, name: str, args: list[object]) -> object:
    known = plain(args[0]) if args else 0
    if name == "bool":
        truth = machine.truth(args[0]) if args else False
        return truth if truth is not None else Open("value")
    if isinstance(known, (int, float, str)) and is_known(args[0] if args else 0):
        try:
            of = {"int": int, "float": float, "round": round, "abs": abs}[name]
            return of(known) if len(args) < 2 or name == "int" else round(known, args[1])  # type: ignore
        except (ValueError, TypeError, OverflowError):
            return Open(name)
    return args[0] if args else Open(name)


def _is_a(value: object, kind: object) -> object:
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if isinstance(value, Open):
        return Open("value")
    of = {"str": Text, "int": int, "float": float, "dict": dict, "list": list, "tuple": tuple, "bool": bool}
    found = []
    for one in kinds:
        last = one.name.rpartition(".")[2] if isinstance(one, (Named, Class)) else ""
        if last in ("VectorArg", "ScalarArg"):
            found.append(isinstance(value, Argument) and value.vector == (last == "VectorArg"))
        elif last in of:
            found.append(isinstance(value, of[last]))
        else:
            return Open("value")
    return any(found)


def _listed(name: str, items: list[object] | None) -> object:
    if items is None:
        return Open("value")
    if name == "sorted":
        try:
            return sorted(items, key=plain)  # type: ignore[arg-type]
        except TypeError:
            return items
    return tuple(items) if name == "tuple" else items[::-1] if name == "reversed" else list(items)


def _paired(machine: Expressions, name: str, args: list[object], lists: list[list[object] | None],
            keys: dict[str, object], frame: Frame) -> object:  # fmt: skip
    if name in ("map", "filter"):
        over = lists[1] if len(lists) > 1 else None
        if over is None:
            return Open("value")
        if name == "filter":
            return over
        return [machine.call(args[0], [one], {}, None, frame) for one in over]
    if any(one is None for one in lists) or not lists:
        return Open("value")
    known = [one for one in lists if one is not None]
    if name == "enumerate":
        start = args[1] if len(args) > 1 else keys.get("start", 0)
        first = start if isinstance(start, int) else 0
        return [(at + first, item) for at, item in enumerate(known[0])]
    return [tuple(items) for items in zip(*known, strict=False)]


def _gathered(machine: Expressions, name: str, values: list[object]) -> object:
    if name in ("any", "all"):
        truths = [machine.truth(one) for one in values]
        if None in truths:
            return Open("value")
        return any(truths) if name == "any" else all(truths)
    numbers = [one for one in values if isinstance(one, (int, float))]
    if len(numbers) != len(values) or not numbers:
        return Open(name)
    return min(numbers) if name == "min" else max(numbers) if name == "max" else sum(numbers)


# ------------------------------------------------------------------------------------------------------------ methods


def method(
    machine: Expressions, value: object, name: str, args: list[object], keys: dict[str, object], frame: Frame
) -> object:
    """What a method of a text, list, table or template gives; ``NOTHING`` where that is not known here."""
    if isinstance(value, Text):
        return _of_text(machine, value, name, args, keys)
    if isinstance(value, Template):
        if name in ("substitute", "safe_substitute"):
            return filling.dollar(value.text, _names(args, keys))
        if name in ("render", "render_unicode"):
            inner = Frame(frame.program, None, dict(_names(args, keys)))
            return rendered(value.text, value.engine, inner, machine)
    if isinstance(value, Argument) and name == "declarator":
        return declared(value, machine.opencl)
    if isinstance(value, dict):
        return _of_table(value, name, args, keys)
    if isinstance(value, list) and name in ("append", "extend", "insert", "copy", "index", "pop"):
        return _of_list(value, name, args)
    if name == "from_string" and args and isinstance(args[0], Text):
        return Template(args[0], "jinja2")
    if isinstance(value, Open) and name in ("strip", "format", "replace", "encode", "decode", "astype", "rstrip"):
        return value
    return NOTHING


def _names(args: list[object], keys: dict[str, object]) -> dict[str, object]:
    out: dict[str, object] = {}
    for one in args:
        if isinstance(one, Mapping):
            out.update({key: value for key, value in one.items() if isinstance(key, str)})
    return {**out, **keys}


def _of_text(machine: Expressions, text: Text, name: str, args: list[object], keys: dict[str, object]) -> object:
    first = args[0] if args else None
    if name == "format":
        return filling.formatted(text, args, keys, machine.attribute)
    if name == "format_map" and isinstance(first, dict):
        return filling.formatted(text, [], first, machine.attribute)
    if name == "replace" and len(args) >= 2 and isinstance(first, Text):
        return filling.replaced(text, first, args[1])
    if name == "join" and args:
        items = items_of(first)
        if items is None:
            return first if isinstance(first, Open) and first.name != "value" else Open("list")
        return joined([text_of(one) for one in items], plain(text))  # type: ignore[arg-type]
    if name in ("strip", "lstrip", "rstrip"):
        low = len(text.data) - len(text.data.lstrip()) if name != "rstrip" else 0
        high = len(text.data.rstrip()) if name != "lstrip" else len(text.data)
        return text.cut(low, max(low, high)) if not args else text
    if name in ("encode", "decode", "expandtabs"):
        return text
    if name in ("upper", "lower", "title", "capitalize") and OPENS not in text.data:
        return made(getattr(plain(text), name)())
    if name in ("startswith", "endswith", "find", "count", "isdigit", "index") and OPENS not in text.data:
        try:
            return getattr(plain(text), name)(*map(plain, args))
        except (TypeError, ValueError):
            return Open("value")
    if name in ("split", "splitlines", "rsplit") and OPENS not in text.data:
        return _split(text, name, first)
    return Open("value") if name in ("zfill", "ljust", "rjust", "center", "partition", "rpartition") else NOTHING


def _split(text: Text, name: str, by: object) -> object:
    word = b"\n" if name == "splitlines" else by.data if isinstance(by, Text) else b""
    if not word:
        words = plain(text)
        return [made(one) for one in words.split()]  # type: ignore[attr-defined]
    out, last = [], 0
    while (at := text.data.find(word, last)) >= 0:
        out.append(text.cut(last, at))
        last = at + len(word)
    return [*out, text.cut(last, len(text.data))]


def _of_table(table: dict[object, object], name: str, args: list[object], keys: dict[str, object]) -> object:
    first = plain(args[0]) if args else None
    if name == "items":
        return [(made(key) if isinstance(key, str) else key, value) for key, value in table.items()]
    if name == "keys":
        return items_of(table)
    if name == "values":
        return list(table.values())
    if name == "copy":
        return dict(table)
    if name == "update":
        table.update(_names(args, keys))
        return None
    if name in ("get", "pop", "setdefault") and args:
        try:
            if first in table:
                return table[first]
        except TypeError:
            return Open("value")
        if isinstance(args[0], Open):
            return Open(args[0].name)
        return args[1] if len(args) > 1 else keys.get("default")
    return NOTHING


def _of_list(items: list[object], name: str, args: list[object]) -> object:
    if name == "append" and args:
        items.append(args[0])
    elif name == "extend" and args:
        items.extend(items_of(args[0]) or [])
    elif name == "insert" and len(args) == 2 and isinstance(args[0], int):
        items.insert(args[0], args[1])
    elif name == "copy":
        return list(items)
    elif name == "pop":
        return items.pop() if items and not args else Open("value")
    return None if name in ("append", "extend", "insert") else Open("value")
