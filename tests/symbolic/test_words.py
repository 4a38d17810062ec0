"""Terms in messages: short, with the names of the source."""

from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.show import LONGEST, words
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, binary, const
from kernlint.tree.types import I32, IntType

U32 = IntType(32, False)


def _named(name: str, kind: IntType = I32) -> Term:
    return Symbol(SymbolKind.PARAM, name, kind).term


def test_a_long_term_keeps_its_outline() -> None:
    total = _named("columns_of_the_first_image")
    for at in range(8):
        total = binary("mul", binary("add", total, _named(f"border_{at}"), I32), _named(f"scale_{at}"), I32)
    text = words(binary("mul", total, const(4, I32), I32))
    assert len(text) <= LONGEST
    assert text.endswith("* scale_7 * 4")
    assert "..." in text


def test_a_short_term_is_told_whole() -> None:
    assert words(binary("mul", _named("rows"), const(4, I32), I32)) == "rows * 4"


def test_a_mask_of_low_bits_is_a_multiple() -> None:
    n = _named("n")
    rounded = binary("and", binary("add", n, const(511, I32), I32), const(~511, I32), I32)
    assert list(polynomial(rounded).coefficients.values()) == [512]
    unsigned = binary("and", _named("n", U32), const(0xFFFFFF00, U32), U32)
    assert list(polynomial(unsigned).coefficients.values()) == [256]
    other = binary("and", _named("n", U32), const(0xFF00, U32), U32)
    assert list(polynomial(other).coefficients.values()) == [1]
