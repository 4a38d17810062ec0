"""Branches of ``#if`` as text."""

from __future__ import annotations

import re

from kernlint.text.patterns import pattern

_COMMENT = pattern(rb"//[^\n]*|/\*.*?\*/", re.S)
_CODE = pattern(rb"^(?![ \t]*(?:#[ \t]*(?:pragma|if|ifdef|ifndef|elif|else|endif|error|warning|line)\b.*)?$).+", re.M)


def holds_code(text: bytes) -> bool:
    """Whether anything in ``text`` but comments, pragmas and other conditions can change what is compiled."""
    plain = _COMMENT.sub(b" ", text).replace(b"\\\r\n", b" ").replace(b"\\\n", b" ").replace(b"\r", b"")
    return _CODE.search(plain) is not None
