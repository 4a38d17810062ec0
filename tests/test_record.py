"""The quick ``dataclass`` against the one it stands in for."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import pytest

from kernlint import record


def build(decorate: Any, field: Any = dataclasses.field) -> Any:
    """The same family of classes under either decorator."""

    @decorate(frozen=True, slots=True)
    class Base:
        """Doc."""

        a: int
        b: str = "x"
        c: list[int] = field(default_factory=list, repr=False, compare=False)

        @property
        def double(self) -> int:
            return 2 * self.a

    @decorate(frozen=True, slots=True)
    class Derived(Base):
        b: str = "y"
        d: int = 4

    @decorate(frozen=True, slots=True, eq=False)
    class Node:
        a: int = 1

    @decorate(frozen=True, slots=True)
    class Odd:
        a: int

        def __post_init__(self) -> None:
            if self.a % 2 == 0:
                raise ValueError("even")

        def __repr__(self) -> str:
            return "odd"

        def __hash__(self) -> int:
            return 7

    return Base, Derived, Node, Odd


QUICK, SLOW = build(record.dataclass, record.field), build(dataclasses.dataclass)
MIXED = build(record.dataclass)  # a field of the standard library in one of ours

record.PAYS_AFTER, usual = 0, record.PAYS_AFTER
COMPILED = build(record.dataclass, record.field)  # from the first call on
record.PAYS_AFTER = usual

FAMILIES = pytest.mark.parametrize(
    ("base", "derived", "node", "odd"),
    [QUICK, SLOW, MIXED, COMPILED],
    ids=["quick", "dataclasses", "mixed", "compiled"],
)


@record.dataclass(frozen=True, slots=True)
class Pickled:
    a: int
    b: tuple[int, ...] = ()


@pytest.mark.parametrize(
    ("base", "derived", "node", "odd"),
    [QUICK, SLOW, MIXED, COMPILED],
    ids=["quick", "dataclasses", "mixed", "compiled"],
)
def test_both_behave_alike(base: Any, derived: Any, node: Any, odd: Any) -> None:
    made = derived(1, d=5)
    assert (made.a, made.b, made.c, made.d, made.double) == (1, "y", [], 5, 2)
    assert repr(made).endswith("Derived(a=1, b='y', d=5)")
    assert made == derived(1, "y", [9], 5) != derived(2, d=5) and made != base(1, "y")
    assert hash(made) == hash(derived(1, d=5)) and base(1).c is not base(1).c
    assert node() != node() and len({node(), node()}) == 2
    assert repr(odd(3)) == "odd" and hash(odd(3)) == 7 and odd(3) == odd(3)
    with pytest.raises(ValueError, match="even"):
        odd(2)
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'a'"):
        made.a = 2
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'a'"):
        del made.a
    with pytest.raises(TypeError):
        derived()
    assert not hasattr(made, "__dict__") and base.__doc__ == "Doc."
    assert [f.name for f in dataclasses.fields(made)] == ["a", "b", "c", "d"] == list(derived.__match_args__)
    assert dataclasses.replace(made, a=7) == derived(7, d=5) and dataclasses.is_dataclass(made)
    assert dataclasses.asdict(made) == {"a": 1, "b": "y", "c": [], "d": 5}
    assert copy.copy(made) == made and copy.deepcopy(made) == made
    assert derived.__init__.__qualname__.endswith("Derived.__init__")
    match made:
        case derived(1, "y"):
            pass
        case _:
            pytest.fail("no match")


def test_pickling() -> None:
    assert pickle.loads(pickle.dumps(Pickled(1, (2,)))) == Pickled(1, (2,))


def test_the_order_of_defaults_is_checked() -> None:
    with pytest.raises(TypeError, match="non-default argument 'b' follows default argument 'a'"):

        @record.dataclass(frozen=True, slots=True)
        class _Wrong:
            a: int = 1
            b: int  # type: ignore[misc]


def test_other_kinds_go_to_the_original() -> None:
    @record.dataclass
    class Plain:
        a: int = 1

    made = Plain()
    made.a = 2
    assert made == Plain(2) and hasattr(made, "__dict__")


@pytest.mark.parametrize(
    ("base", "derived", "node", "odd"),
    [QUICK, SLOW, MIXED, COMPILED],
    ids=["quick", "dataclasses", "mixed", "compiled"],
)
def test_the_helpers_behave_like_the_originals(base: Any, derived: Any, node: Any, odd: Any) -> None:
    made = derived(1, d=5)
    assert record.replace(made, a=7) == derived(7, d=5) and record.replace(made, a=7).c is made.c
    assert [f.name for f in record.fields(made)] == [f.name for f in record.fields(derived)] == ["a", "b", "c", "d"]
    assert record.is_dataclass(made) and record.is_dataclass(derived) and not record.is_dataclass(3)
    with pytest.raises(TypeError):
        record.replace(made, e=1)


def test_each_may_inherit_from_the_other() -> None:
    @dataclasses.dataclass(frozen=True)
    class Below(QUICK[0]):  # type: ignore[misc]
        more: int = 3

    @record.dataclass(frozen=True, slots=True)
    class Above(SLOW[0]):  # type: ignore[misc]
        more: int = 3

    for made in (Below(1), Above(1)):
        assert [f.name for f in dataclasses.fields(made)] == ["a", "b", "c", "more"]
        assert (made.a, made.b, made.c, made.more) == (1, "x", [], 3)
        assert record.replace(made, more=4).more == 4 and dataclasses.replace(made, more=4).more == 4
        assert copy.copy(made) == made


def test_a_field_that_is_no_argument() -> None:
    @record.dataclass(slots=True)
    class Counter:
        start: int
        seen: list[int] = record.field(init=False, default_factory=list)

    made = Counter(3)
    assert made.seen == []
    with pytest.raises(ValueError, match="init=False"):
        record.replace(made, seen=[1])


def test_compiled_methods_take_over_unnoticed() -> None:
    @record.dataclass(frozen=True, slots=True)
    class Point:
        x: int
        fields: int = 0
        more: list[int] = record.field(default_factory=list, compare=False)

    before = [Point(n, fields=n) for n in range(record.PAYS_AFTER)]
    first = Point.__init__
    after = [Point(x=n, fields=n) for n in range(record.PAYS_AFTER)]
    assert Point.__init__ is not first
    assert before == after and [hash(p) for p in before] == [hash(p) for p in after]
    assert before[0].more is not before[1].more
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        Point()
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        Point(1, z=2)
