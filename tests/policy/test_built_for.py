"""Architectures that comments say a file is built for."""

from __future__ import annotations

import pytest

from kernlint.policy.built_for import built_for
from kernlint.source import SourceFile


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("// Built with --offload-arch=gfx90a --offload-arch=gfx1100.", ["gfx90a", "gfx1100"]),
        ("/* hipcc -O3 --offload-arch=gfx1030 sums.hip */", ["gfx1030"]),
        ("// We ship binaries for gfx942 and gfx1201.", ["gfx942", "gfx1201"]),
        ("// Not built for gfx1100.", []),
        ("// This runs slower on gfx1100.", []),
        ("// See the manual of gfx1100.", []),
        ('const char *name = "built for gfx1100";', []),
        ("// Built for gfx90a and gfx1100.\n#if defined(__GFX9__)\n#endif", []),
    ],
)
def test_architectures(text: str, names: list[str]) -> None:
    source = SourceFile("a.hip", text.encode())
    assert [one.name for one in built_for(source)] == names
