"""What stands for the address of an array, and what for a pointer's being null."""

from __future__ import annotations

from kernlint.analysis.trace.events import Root, RootKind
from kernlint.analysis.trace.values import present, root_symbol
from kernlint.symbolic.terms import SymbolKind
from kernlint.tree.types import U32, Space


def test_an_address_is_no_number_that_a_launch_passes() -> None:
    """Two addresses are compared as any numbers are; that a pointer is null is up to the launch."""
    root = Root("x", RootKind.PARAM, Space.GLOBAL, None, U32)
    address, (asked,) = root_symbol(root), present(root).symbols
    assert (address.kind, address.low, address.high) == (SymbolKind.UNKNOWN, 1, None)
    assert (asked.kind, asked.low, asked.high) == (SymbolKind.PARAM, 0, 1)
    assert root_symbol(root) is address
