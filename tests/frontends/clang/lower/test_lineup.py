"""Names lined up with the places they may belong to: what is not the same in every best way is not told."""

from __future__ import annotations

from kernlint.frontends.clang.lower.lineup import LARGEST, Place, lined_up


def only(*names: str, free: bool = False) -> Place:
    return Place(names.__contains__, free)


ANY = Place(bool)


def test_as_many_names_as_places() -> None:
    assert lined_up([only("x"), ANY, ANY], ["x", "lo", "y"]) == ["x", "lo", "y"]


def test_free_places_take_a_name_only_when_there_is_one() -> None:
    places = [only("wxyz", free=True), only("x"), only("y")]
    assert lined_up(places, ["x", "y"]) == ["", "x", "y"]
    assert lined_up(places, ["wxyz", "x", "y"]) == ["wxyz", "x", "y"]


def test_which_of_two_free_places_has_the_name_is_not_told() -> None:
    places = [only("wxyz", free=True), only("wxyz", free=True), only("x")]
    assert lined_up(places, ["wxyz", "x"]) == [None, None, "x"]


def test_a_name_too_many_shifts_nothing_that_is_fixed_by_its_fit() -> None:
    places = [only("x"), only("lo", "hi"), only("y")]
    assert lined_up(places, ["x", "s0", "lo", "y"]) == ["x", "lo", "y"]


def test_a_name_too_many_leaves_open_which_of_the_alike_was_meant() -> None:
    assert lined_up([only("lo", "hi"), only("y")], ["lo", "hi", "y"]) == [None, "y"]


def test_a_place_without_a_name_is_not_given_its_neighbours() -> None:
    assert lined_up([only("x"), only("x"), only("y")], ["x", "y"]) == [None, None, "y"]


def test_too_large_to_be_weighed() -> None:
    count = int(LARGEST**0.5) + 2
    assert set(lined_up([ANY] * count, ["x"] * (count + 1))) == {None}
