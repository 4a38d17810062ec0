"""Products of many sizes in 32 bits, where others have 64: see :mod:`kernlint.analysis.values.narrow`."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.values.made import made_for_more, widened_when_done
from kernlint.analysis.values.narrow_part import Narrow
from kernlint.analysis.values.narrow_products import FACTORS, Part, Places, Wide, told
from kernlint.analysis.values.products import Product, bits, signed
from kernlint.source import Span
from kernlint.symbolic.terms import subterms

BATCH = 4
"""A product of so many numbers volumes: there may be any number of them."""


def volumes(places: Places) -> Iterator[Narrow]:
    """Narrow products of many sizes in a kernel that makes such a one in 64 bits."""
    careful = [one for one in places.wide if len(one.product.factors) >= FACTORS and _cares(one)]
    if not careful:
        return
    one = min(careful, key=lambda found: len(found.product.factors))
    least = len(one.product.factors)
    whole = any(map(_of_unsigned, careful))
    found: dict[Span, tuple[Part, Product]] = {}
    for part in places.parts:
        product = max(part.products, key=lambda product: len(product.factors))
        if len(product.factors) < FACTORS or part.access in places.volumes:
            continue
        if not signed(told(product)) and not whole:
            continue  # 32 bits without a sign hold twice as much
        known = found.get(part.access.span)
        if known is None or len(product.factors) > len(known[1].factors):
            found[part.access.span] = part, product
    for part, product in found.values():
        # Care with the product of more sizes says nothing of a smaller one, but for the volumes of a batch.
        weak = len(product.factors) < min(least, BATCH)
        yield Narrow(
            told(product), part.access.span, "volume", other=one.access, use=part.access, weak=weak, shown=one.span
        )


def _of_unsigned(one: Wide) -> bool:
    """Whether factors without a sign were widened for a product: somebody fears for more than 2**32."""
    at = subterms(one.access.offset) if one.access is not None else ()
    products_ = (arg for term in at if term.op == "mul" and bits(term) == 64 for arg in term.args)
    return any(arg.op == "cast" and bits(arg.args[0]) == 32 and not signed(arg.args[0]) for arg in products_)


def kept_wide(places: Places) -> Iterator[Narrow]:
    """Narrow products of many sizes whose sum is put into a variable of 64 bits with a sign, which nobody takes by
    habit: it was declared for what these come to, after they have wrapped.  Or narrow products whose sum is converted
    by a word, where another place has the factors widened."""
    careful = [one for one in places.wide if one.access is not None and places.on_purpose(one)]
    whole = any(map(_of_unsigned, careful))
    for part in places.parts:
        product = max(part.products, key=lambda product: len(product.factors))
        made = None
        if len(product.factors) >= FACTORS and signed(told(product)):
            made = made_for_more(part.access.node)
        if made is None and (whole or signed(told(product))):
            made = widened_when_done(part.access.node)
        if made is not None:
            yield Narrow(part.term, part.access.span, "kept", use=part.access, shown=made)


def _cares(one: Wide) -> bool:
    """Whether a wide product is made in a place, or of factors widened for a test."""
    return one.access is not None or one.product.careful
