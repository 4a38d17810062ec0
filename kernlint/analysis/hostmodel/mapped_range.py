"""What the host reads or writes of a buffer that is mapped, past the end of the range.

The pointer that ``clEnqueueMapBuffer`` returns leads to ``size`` bytes, from ``offset`` on (OpenCL 3.0 API, 5.4.1).
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.hostmodel.operations import HostWalk
from kernlint.analysis.hostmodel.places import as_pointer
from kernlint.analysis.trace.values import as_term
from kernlint.source import Span
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import Symbol, symbols


def past_the_range(walk: HostWalk) -> Iterator[tuple[Span, str, str, Span | None, tuple[Span, ...]]]:
    """Place, message, how to mend it, where the memory is allocated (not told), and the calls that lead there."""
    ranges: dict[Symbol, int] = {}
    for api in walk.trace.apis:
        size = as_term(api.args[5]).value if api.name == "clEnqueueMapBuffer" and len(api.args) > 5 else None
        pointer = as_pointer(api.result)
        if size is not None and pointer is not None and len(symbols(pointer.offset)) == 1:
            ranges[symbols(pointer.offset)[0]] = size
    for access in walk.trace.accesses if ranges else ():
        for one in symbols(access.offset):
            if one not in ranges or access.size is None:
                continue
            size = ranges[one]
            places = polynomial(access.offset).coefficients
            start = places.get((), 0)
            if len(places) == 1 + (() in places) and start + access.size > size:
                message = f"{access.size} bytes are touched at byte {start} of a range of {size} bytes that is mapped"
                yield access.span, message, "use the type that the buffer is made for", None, access.stack
