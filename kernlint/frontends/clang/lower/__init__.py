"""Lowering: clang's cursors become the immutable kernel tree.

``lower_module`` is the way in.  Handlers for cursor kinds register themselves with :mod:`context`; everything that
cannot be understood becomes an opaque node and a :class:`~kernlint.tree.nodes.Loss` of its function, never an error.
"""

from __future__ import annotations
