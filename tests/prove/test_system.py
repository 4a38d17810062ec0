"""Signs of polynomials under bounds and facts."""

from __future__ import annotations

import pytest

from kernlint.prove.system import GivenUp, Poly, System, add, constant, multiply, scale, split


def var(index: int, factor: int = 1) -> Poly:
    return {(index,): factor}


def test_arithmetic() -> None:
    x, y = var(0), var(1)
    assert multiply(add(x, y), add(x, y, -1)) == {(0, 0): 1, (1, 1): -1}
    assert add(x, x, -1) == {}
    assert scale(x, 0) == {}
    assert split({(0, 1): 6, (0,): 4, (): 3}, (0,), 2) == ({(1,): 3, (): 2}, {(): 3})


def test_too_many_monomials_are_given_up() -> None:
    wide = {(i,): 1 for i in range(20)}
    with pytest.raises(GivenUp):
        multiply(wide, multiply(wide, constant(1)))


def test_private_variables_are_replaced_by_their_bounds() -> None:
    system = System(100)
    n = system.variable(True, 1)
    t = system.variable(False, 0, None, add(var(n), constant(-1)))
    assert system.nonneg(add(add(var(n), var(t), -1), constant(-1)))
    assert not system.nonneg(add(add(var(n), var(t), -1), constant(-2)))
    assert system.within(var(t), var(n))
    assert not system.within(add(var(t), constant(1)), var(n))


def test_facts_cancel_with_a_factor() -> None:
    system = System(200)
    h, w = system.variable(True, 1), system.variable(True, 1)
    r, c = system.variable(False, 0), system.variable(False, 0)
    system.fact(add(add(var(h), var(r), -1), constant(-1)))
    system.fact(add(add(var(w), var(c), -1), constant(-1)))
    # r < h and c < w: h*w - r*w - c - 1 >= 0
    inside = {(h, w): 1, (w, r): -1, (c,): -1, (): -1}
    assert system.nonneg(inside)
    assert not system.nonneg(add(inside, constant(-1)))


def test_rounding_is_that_of_integers() -> None:
    system = System(100)
    x = system.variable(True, 0)
    system.fact({(x,): 2, (): -5})  # 2x >= 5
    assert system.nonneg(add(var(x), constant(-3)))
    assert not system.nonneg(add(var(x), constant(-4)))


def test_signs_that_are_not_known_stop_a_proof() -> None:
    system = System(100)
    n = system.variable(True)
    t = system.variable(False, 0, 7)
    assert not system.nonneg({(n, t): 1})
    assert not system.nonneg(var(n))
    system.fact(add(var(n), constant(-1)))
    system.tighten()
    assert system.nonneg({(n, t): 1})


def test_substitution_keeps_the_bounds_as_facts() -> None:
    system = System(100)
    n = system.variable(True, 1)
    x, y = (system.variable(False, 0, None, add(var(n), constant(-1))) for _ in range(2))
    system.substitute(y, add(var(x), constant(1)))
    assert system.apply(var(y)) == {(x,): 1, (): 1}
    assert system.nonneg(add(add(var(n), var(x), -1), constant(-2)))


def test_contradiction() -> None:
    system = System(100)
    x = system.variable(True, 0)
    system.fact(add(var(x), constant(-5)))
    assert not system.contradictory()
    system.fact(add(constant(4), var(x), -1))
    assert system.contradictory()


def test_budget() -> None:
    system = System(1)
    x, y = system.variable(True), system.variable(True)
    assert not system.nonneg(var(x), 0)
    with pytest.raises(GivenUp):
        system.nonneg(var(y), 0)
