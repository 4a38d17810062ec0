"""Special registers in inline PTX with one percent sign: ``asm("mov.u32 %0, %laneid;" : "=r"(lane))``.

CUDA's own compiler takes ``%laneid`` as it does ``%%laneid``, clang sees an operand that is none and drops the
statement.  Clang is given a second percent sign in place of the register's first letter, so that every offset stays;
what is in the string it does not ask, and the lowering reads the text as it was written.
"""

from __future__ import annotations

from kernlint.text.patterns import pattern

_REGISTER = pattern(
    rb"(?<![%\w])%(?=(?:n?tid|n?ctaid|n?clusterid|cluster_n?ctaid(?:rank)?|laneid|n?warpid|n?smid|gridid"
    rb"|clock(?:_hi|64)?|globaltimer(?:_lo|_hi)?|lanemask_\w\w|pm[0-7]|envreg\d+|(?:dynamic|total|aggr)_smem_size)"
    rb"(?:\.[xyz])?\s*[;,])"
)
"""PTX ISA, special registers; in an instruction something follows, an operand or its end."""


def escaped(text: bytes) -> bytes:
    """``text`` with two percent signs where a register has one; as long as it was."""
    if b"asm" not in text:
        return text
    out: bytearray | None = None
    for match in _REGISTER.finditer(text):
        before = text[text.rfind(b"\n", 0, match.start()) + 1 : match.start()]
        if (before.count(b'"') - before.count(b'\\"')) % 2 == 0:
            continue  # the remainder of a division
        out = bytearray(text) if out is None else out
        out[match.end()] = b"%"[0]
    return bytes(out) if out is not None else text
