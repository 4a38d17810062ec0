"""Attributes that are computed on first use and then kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

V = TypeVar("V")


class lazy(Generic[V]):
    """A method computed once: the value replaces the descriptor on the instance."""

    def __init__(self, compute: Callable[[Any], V]) -> None:
        self.compute = compute
        self.name = compute.__name__
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> lazy[V]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> V: ...

    def __get__(self, instance: object | None, owner: type) -> V | lazy[V]:
        if instance is None:
            return self
        value = self.compute(instance)
        setattr(instance, self.name, value)
        return value
