"""Which branches of ``#if`` hold code."""

import pytest

from kernlint.text.branches import holds_code


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\n  \n",
        b"#pragma unroll 2\n",
        b"  # pragma unroll \\\n   2\n// for this card\n",
        b"/* nothing\n   here */\n#ifdef B\n#pragma unroll 4\n#else\n#pragma unroll\n#endif\r\n",
        b'#error "no such device"\n',
    ],
)
def test_pragmas_comments_and_conditions_are_none(text):
    assert not holds_code(text)


@pytest.mark.parametrize(
    "text",
    [
        b"x = 1;\n",
        b"#pragma unroll\nx = 1;",
        b"#define N 4\n",
        b"#include <a.h>\n",
        b"#undef N\n",
        b"/* a */ y();",
        b"pragma",
    ],
)
def test_statements_and_definitions_are(text):
    assert holds_code(text)
