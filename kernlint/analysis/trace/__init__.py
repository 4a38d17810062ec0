"""Symbolic execution of one kernel: every access, barrier and loop with its path condition and phase.

The tree is walked once, helpers inlined.  Variables hold symbolic values; branches merge into ``select`` terms; a
variable changed by a loop becomes a loop symbol whose recurrence is solved when the loop has been walked.  The
result, a :class:`Trace`, is what all other analyses are views of.
"""

from kernlint.analysis.trace.events import Trace
from kernlint.analysis.trace.kernels import trace
from kernlint.analysis.trace.run import trace_function

__all__ = ["Trace", "trace", "trace_function"]
