"""What is tested in part: each kind of it that data bring about, with its own words."""

from __future__ import annotations

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.extent.clamped_beside import Unclamped, clamped_beside
from kernlint.analysis.extent.clipped_beside import Unclipped, clipped_beside
from kernlint.analysis.extent.float_ends import FloatEnd, float_ends
from kernlint.analysis.extent.left_counts import BehindCount, left_counts
from kernlint.analysis.extent.left_out import LeftOut, left_out
from kernlint.analysis.extent.paired_sizes import Paired, paired_sizes
from kernlint.analysis.extent.shift_left_out import ShiftLeftOut, shift_left_out

PartlyTested = FloatEnd | Unclamped | LeftOut | Paired | Unclipped | ShiftLeftOut | BehindCount


def _compute(facts: Facts) -> tuple[PartlyTested, ...]:
    return (
        *facts[float_ends],
        *facts[clamped_beside],
        *facts[left_out],
        *facts[paired_sizes],
        *facts[clipped_beside],
        *facts[shift_left_out],
        *facts[left_counts],
    )


partly_tested = KernelAnalysis(
    "partly_tested",
    _compute,
    needs=(float_ends, clamped_beside, left_out, paired_sizes, clipped_beside, shift_left_out, left_counts),
)
"""All of a kernel variant."""
