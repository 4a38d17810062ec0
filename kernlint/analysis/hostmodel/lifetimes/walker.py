"""The walk with all its parts put together."""

from __future__ import annotations

from kernlint.analysis.hostmodel.lifetimes import (
    calls,
    conditions,
    effects,
    expressions,
    objects,
    statements,
    transfers,
)
from kernlint.analysis.hostmodel.lifetimes.machine import Machine


class Walker(Machine):
    """One walk of a host function."""

    run = statements.run
    value = expressions.value
    values = expressions.values
    place = expressions.place
    returned = expressions.returned
    condition = conditions.condition
    stated = conditions.stated
    constant = conditions.constant
    inlined = calls.inlined
    declared = objects.declared
    ended = objects.ended
    release = effects.release
    host_access = transfers.host_access
