"""Reasons not to report a suspicion, each a value with an example and a twin that is still bad.

:data:`COLLISION` are those for two threads that meet in one cell.  See :mod:`kernlint.analysis.excuses.excuse` for what
an excuse is, and ``kernlint why`` for what became of the suspicions at a place.
"""

from __future__ import annotations

from kernlint.analysis.excuses.atomics import told_by_ticket, watched_word
from kernlint.analysis.excuses.levels import other_level
from kernlint.analysis.excuses.objects import copied_whole, longer_than_its_row, table_of_bits
from kernlint.analysis.excuses.sides import opposite_sides
from kernlint.analysis.excuses.values import equal_values, puts_back, wrapped_index
from kernlint.analysis.excuses.winners import ends_of_two_runs, single_winner, two_ways_to_win, winner_looks_back

COLLISION = (
    copied_whole,
    table_of_bits,
    single_winner,
    winner_looks_back,
    two_ways_to_win,
    watched_word,
    told_by_ticket,
    wrapped_index,
    equal_values,
    longer_than_its_row,
    puts_back,
    opposite_sides,
    ends_of_two_runs,
    other_level,
)
"""What makes a witness of two threads in one cell not worth a word; the first that counts is noted."""
