"""Texts that are filled in: ``%``, ``str.format``, ``string.Template``, ``replace``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from kernlint.frontends.clang.python.text import Text, joined, made
from kernlint.frontends.clang.python.texts.values import Open, text_of
from kernlint.text.patterns import pattern

_PERCENT = pattern(
    rb"%(?:%|(?:\((?P<name>[^()]*)\))?(?P<spec>[-#0+ ]*\d*(?:\.\d+)?)[hlL]?(?P<kind>[diouxXeEfFgGcrsa]))"
)
_DOLLAR = pattern(rb"\$(?:\$|\{(?P<braced>\w+)\}|(?P<name>[A-Za-z_]\w*))")
_FIELD = pattern(
    r"(?P<first>\w*)(?P<rest>(?:\.\w+|\[[^\]]*\])*)(?:!(?P<conversion>[rsa]))?(?::(?P<spec>.*))?", re.DOTALL
)
_WORD = pattern(rb"\w+")

Attribute = Callable[[object, str], object]
"""Gives the attribute of a value, or the item under a key where the name stands in brackets."""


def percent(text: Text, values: object) -> Text:
    """``text % values``."""
    whole = values if isinstance(values, tuple) else (values,)
    parts, last, count = [], 0, 0
    for match in _PERCENT.finditer(text.data):
        parts.append(text.cut(last, match.start()))
        last = match.end()
        if match.group() == b"%%":
            parts.append(made("%"))
            continue
        name = match.group("name")
        if name is not None:
            value = _of_name(values, name.decode("utf-8", "replace"))
        else:
            value = whole[count] if count < len(whole) else Open("value")
            count += 1
        parts.append(_formatted("%" + match.group("spec").decode() + match.group("kind").decode(), value, old=True))
    return joined([*parts, text.cut(last, len(text.data))])


def _of_name(values: object, name: str) -> object:
    if isinstance(values, Mapping):
        return values.get(name, Open(name))
    return Open(name)


def _formatted(spec: str, value: object, old: bool = False) -> Text:
    """A value as a format has it; texts and what is not known as they are."""
    if isinstance(value, (int, float)):
        try:
            return made(spec % value if old else format(value, spec))
        except (ValueError, TypeError, OverflowError):
            return made(str(value))
    return text_of(value)


def formatted(text: Text, args: list[object], keys: Mapping[str, object], attribute: Attribute) -> Text:
    """``text.format(*args, **keys)``."""
    parts, count = [], 0
    for piece, content in fields(text):
        if content is None:
            parts.append(piece)
            continue
        match = _FIELD.fullmatch(content.strip())
        if match is None:
            parts.append(text_of(Open(content)))
            continue
        first = match.group("first")
        if not first or first.isdigit():
            at = int(first) if first else count
            count += not first
            value = args[at] if at < len(args) else Open("value")
        else:
            value = keys.get(first, Open(first))
        for dotted, item in re.findall(r"\.(\w+)|\[([^\]]*)\]", match.group("rest") or ""):
            value = attribute(value, dotted or f"[{item}")
        parts.append(_formatted(match.group("spec") or "", value))
    return joined(parts)


def fields(text: Text) -> list[tuple[Text, str | None]]:
    """The parts of a text with braces: (text, None), or what stands between braces that open a field."""
    out: list[tuple[Text, str | None]] = []
    data, last, at = text.data, 0, 0
    while at < len(data):
        char = data[at : at + 1]
        if char in b"{}" and data[at + 1 : at + 2] == char:
            out.append((text.cut(last, at + 1), None))
            last = at = at + 2
        elif char == b"{":
            end = _closing(data, at)
            out.append((text.cut(last, at), None))
            out.append((text.cut(at, end), data[at + 1 : end - 1].decode("utf-8", "replace")))
            last = at = end
        else:
            at += 1
    out.append((text.cut(last, len(data)), None))
    return out


def _closing(data: bytes, start: int) -> int:
    """The place behind the brace that closes the one at ``start``."""
    depth = 0
    for at in range(start, len(data)):
        depth += (data[at] == 0x7B) - (data[at] == 0x7D)
        if not depth:
            return at + 1
    return len(data)


def field_text(value: object, spec: str) -> Text:
    """A value in an f-string."""
    return _formatted(spec, value)


def dollar(text: Text, values: Mapping[str, object]) -> Text:
    """``string.Template(text).substitute(values)``."""
    parts, last = [], 0
    for match in _DOLLAR.finditer(text.data):
        parts.append(text.cut(last, match.start()))
        last = match.end()
        name = (match.group("braced") or match.group("name") or b"").decode()
        parts.append(text_of(values.get(name, Open(name))) if name else made("$"))
    return joined([*parts, text.cut(last, len(text.data))])


def replaced(text: Text, old: Text, new: object) -> Text:
    """``text.replace(old, new)``; a marker that ends at a word is left alone inside of longer ones."""
    word = old.data
    if not word:
        return text
    given = text_of(new if not isinstance(new, Open) or new.name != "value" else Open(_name(word), new.type))
    parts, last = [], 0
    at = text.data.find(word)
    while at >= 0:
        parts += [text.cut(last, at), given]
        last = at + len(word)
        at = text.data.find(word, last)
    return joined([*parts, text.cut(last, len(text.data))]) if parts else text


def _name(word: bytes) -> str:
    found = _WORD.search(word)
    return found.group().decode() if found is not None else "value"
