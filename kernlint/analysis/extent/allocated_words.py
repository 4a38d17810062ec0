"""Accesses beyond allocations in words."""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.analysis.extent.allocated import Allocated
from kernlint.analysis.replay import Replayer
from kernlint.analysis.wording import element, element_size, verb, witness_of
from kernlint.finding import Related, Severity, Witness
from kernlint.source import Span
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import symbols


def in_words(
    found: Sequence[Allocated], why: str, again: Replayer
) -> tuple[Span, str, Severity, list[Related], Witness]:
    """Place, message, level, related places and witness for accesses beyond allocations; ``why`` ends the message.

    An error is what was replayed with sizes that the host writes as numbers; sizes tried may not be the program's.
    """
    first = next((one for one in found if one.access.writes), found[0])
    access = first.access
    size = element_size(access)
    block, thread = first.witness.first.block, first.witness.first.thread
    at, count = first.witness.first.offset // size, first.extent // size
    seen = {access.span}
    related: list[Related] = []
    if first.view is not None:
        told = f"launched here, with {words(first.size)} bytes behind {access.root.name}"
        related.append(Related(first.view.fact.span, told))
    if first.test is not None:
        related.append(Related(first.test.span, "this test lets it through"))
    if first.view is not None:
        made = next((at for name, at in first.view.fact.allocated if name == access.root.name), None)
        related += [Related(made, "allocated here")] if made is not None else []
        related += [Related(at, "called here") for at in first.view.fact.stack[-1:]]
    related += [Related(span, "called from here") for span in access.stack[::-1][:2]]
    what = "the allocation" if first.view is not None else "the extent that is stated"
    for other in found:
        if other.access.span not in seen and len(related) < 4:
            seen.add(other.access.span)
            related.append(Related(other.access.span, f"{element(other.access)} is {verb(other.access)} here"))
    who = f"thread {thread} of block {block} reaches"
    if first.witness.data_in_address:
        given = " and ".join(str(value) for _, value in first.witness.first.data)
        who = f"where memory holds numbers as large as the tests allow ({given}), a thread reaches"
    message = f"{element(access)} is {verb(access)} beyond {what}: {who} element {at} of {count}; {why}"
    if not first.extent:
        empty = " and ".join(symbol.name for symbol in symbols(first.size))
        message = (
            f"{element(access)} is {verb(access)} in memory for none where {empty} is 0: the host asks for that before "
            "another launch, and this one goes ahead"
        )
    replayed = again.beyond(first.witness, access.span, access.root, first.extent)
    certain = replayed is not None and replayed.certain and first.fixed
    severity = Severity.ERROR if certain else Severity.WARNING
    return access.span, message, severity, related, witness_of(access, first.witness, size, replayed)
