"""Happens-before within one kernel: what puts the accesses of two threads in order.

Within a block barriers do, which the walk keeps as phases (:mod:`kernlint.analysis.accesses.pairs`).  Across blocks
there is only what the kernel does itself, with words that one block changes and another looks at.

``words``: which words those are, who changes them, who waits for them.  ``hand_overs``: which accesses they put in
order, and what is missing where they do not.
"""

from __future__ import annotations

from kernlint.analysis.order.hand_overs import HandOver, Order, Reason, order

__all__ = ["HandOver", "Order", "Reason", "order"]
