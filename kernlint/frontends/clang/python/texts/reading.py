"""Files that a Python program reads, of which the end of the path is known."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kernlint.frontends.clang.python.text import Text, joined
from kernlint.frontends.clang.python.texts.values import OPENS, Open, Template, text_of

if TYPE_CHECKING:
    from kernlint.frontends.clang.python.texts.expressions import Expressions

_OPENING = frozenset({"open", "Path", "PurePath", "abspath", "realpath", "normpath", "expanduser", "resolve", "str",
                      "fspath", "absolute", "as_posix", "open_text", "open_binary"})  # fmt: skip
"""What makes a path of a path, or opens it."""

_JOINING = frozenset({"join", "joinpath", "path"})
_READING = frozenset({"read", "read_text", "read_bytes", "get_data", "resource_string", "get_source", "read_binary",
                      "get_template"})  # fmt: skip


def path_of(parts: list[object]) -> Text:
    """A path of several parts."""
    return joined([text_of(part) for part in parts], "/")


def read(
    machine: Expressions, node: ast.Call, receiver: object, args: list[object], keys: dict[str, object]
) -> object | None:
    """What a call has to do with a file gives: a path, or what stands in the file; None for any other call."""
    func = node.func
    last = func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""
    if last in _JOINING and not isinstance(receiver, (Text, list)) and args:
        whole = args if isinstance(func, ast.Attribute) and last == "join" else [receiver or Open("path"), *args]
        return path_of(whole)
    if last == "joinpath" and args:
        return path_of([receiver, *args])
    if last in _OPENING:
        given = next((one for one in (*args[-1:0:-1], *args[:1]) if _is_path(machine, one)), None)
        if given is None and isinstance(receiver, Text) and _is_path(machine, receiver):
            given = receiver
        return given
    if last == "Template" and isinstance(name := keys.get("filename"), Text):
        found = _content(machine, name)
        return Template(found, "mako") if found is not None else None
    if last not in _READING:
        return None
    for one in (receiver, *reversed(args)):
        found = _content(machine, one) if isinstance(one, Text) else None
        if found is not None:
            engine = "mako" if b"<%" in found.data or b"${" in found.data else "jinja2"
            return Template(found, engine) if last == "get_template" else found
    return None


def _is_path(machine: Expressions, value: object) -> bool:
    return isinstance(value, Text) and _content(machine, value) is not None


def _content(machine: Expressions, path: Text) -> Text | None:
    """What stands in a file."""
    base = path.data.rpartition(b"/")[2]
    if machine.files is None or OPENS in base or not base or b"\n" in base or len(base) > LONGEST:
        return None
    return machine.files(base.decode("utf-8", "replace"))


LONGEST = 200
"""Bytes of a name of a file."""
