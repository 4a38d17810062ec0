"""What the callers of a device function have, of which it is no word of theirs that nothing in it sets it."""

from __future__ import annotations

from kernlint.analysis.base import Facts
from kernlint.analysis.trace.events import Root


def of_callers(root: Root, facts: Facts) -> bool:
    """Whether whoever calls the function has a shared object too: dynamic shared memory, or a variable of the file."""
    body, decl = facts.function.span, root.decl
    inside = decl is not None and decl.span.file == body.file and body.start <= decl.span.start < body.end
    return root.extent is None or not inside
