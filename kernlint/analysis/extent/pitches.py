"""Pitches and the lengths of the rows that lie so far apart: no launch makes rows longer than that."""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.analysis.extent.places import Places, chosen
from kernlint.analysis.extent.tried import launch_with
from kernlint.analysis.launching.launch_context import LaunchView
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import term_of
from kernlint.symbolic.terms import Symbol, Term, plain, substitute, symbols


def pitches(found: Places, view: LaunchView) -> tuple[tuple[Term, Term], ...]:
    """Pitches that nothing else of the launch is made of, each with a length of its rows: the one is as large as the
    other, wherever it comes from."""
    images = dict(view.images)
    sizes = {s for term in (*(view.fact.grid or ()), *(view.fact.block or ())) for s in symbols(term)}
    pairs: dict[tuple[Term, Term], None] = {}
    for place in (place for each in found.values() for place in each):
        if place.row is None or place.row.constant is not None:
            continue
        pitch = term_of(place.row)
        own = set(symbols(substitute(pitch, images)))
        if own and not own & sizes:
            pairs.update(((pitch, term_of(limit.size)), None) for limit in place.limits if limit.slack < 0)
            for atom in (plain(atom) for mono in place.index.coefficients for atom in mono):
                if atom.op == "mod" and chosen(atom.args[1]):  # what is left over of a row's length is within the row
                    pairs[pitch, atom.args[1]] = None
    return tuple(pairs)


def narrow_rows(pitched: Sequence[tuple[Term, Term]], view: LaunchView, env: dict[Symbol, int]) -> bool:
    """Whether the rows of an array would be longer than they are apart."""
    launch = launch_with(view, env) if pitched else None
    if launch is None:
        return False
    values = dict(launch.values)
    known = ((evaluate(pitch, values), evaluate(length, values)) for pitch, length in pitched)
    return any(apart is not None and length is not None and apart < length for apart, length in known)


def wide_rows(
    pitched: Sequence[tuple[Term, Term]], view: LaunchView, env: dict[Symbol, int]
) -> dict[Symbol, int] | None:
    """Values of the host's variables under which rows are no longer than they are apart: those given, but for variables
    that are pitches; None where that takes more."""
    images = dict(view.images)
    for _ in pitched:
        if not narrow_rows(pitched, view, env):
            break
        launch = launch_with(view, env)
        values = dict(launch.values) if launch is not None else {}
        for pitch, length in pitched:
            own, least = plain(substitute(pitch, images)).symbol, evaluate(length, values)
            if own is not None and own in env and least is not None and env[own] < least:
                env = {**env, own: least + 1}
    wide = not narrow_rows(pitched, view, env) and all(evaluate(check, env) != 0 for check in view.checks)
    return env if wide else None
