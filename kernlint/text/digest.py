"""A stable digest of texts, without loading a cryptography library.

``hashlib`` loads OpenSSL, which takes longer than parsing a small kernel; CPython's own BLAKE2 module does not.
"""

from __future__ import annotations

try:
    from _blake2 import blake2b
except ImportError:  # an interpreter built without it
    from hashlib import blake2b

__all__ = ["blake2b", "hexdigest"]


def hexdigest(data: bytes, digits: int = 32) -> str:
    """``digits`` hexadecimal digits (an even number up to 128) that stand for ``data``."""
    return blake2b(data, digest_size=digits // 2).hexdigest()
