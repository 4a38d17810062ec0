"""``dataclass`` for slotted classes, frozen or not, made in a fifth of the time.

The tree, the facts and the reports are some two hundred frozen dataclasses, and making one takes ``dataclasses``
a third of a millisecond (it compiles each method by itself and makes ``__setattr__`` anew): together a fifth of a whole
run over one file.  Here only ``__init__`` and, where wanted, ``__eq__`` and ``__hash__`` are compiled, all at once;
the rest is shared.  ``dataclasses.fields``, ``replace``, ``is_dataclass`` and pattern matching work as ever, and type
checkers are told that it *is* ``dataclasses.dataclass``.  What has no ``slots=True``, or asks for more, goes to the
original.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, slots=False, eq=True, **more):
        """A drop-in for :func:`dataclasses.dataclass`."""
        if not slots or more:
            return dataclasses.dataclass(cls, frozen=frozen, slots=slots, eq=eq, **more)
        return _make(cls, eq, frozen) if cls is not None else lambda decorated: _make(decorated, eq, frozen)


__all__ = ["dataclass"]

_MISSING = dataclasses.MISSING


def _make(cls: Any, eq: bool, frozen: bool) -> Any:
    namespace = dict(cls.__dict__)
    annotations = namespace.get("__annotations__") or getattr(cls, "__annotations__", {})
    if any(isinstance(type_, str) and type_.startswith(("ClassVar", "InitVar")) for type_ in annotations.values()):
        return dataclasses.dataclass(cls, frozen=frozen, slots=True, eq=eq)
    fields: dict[str, dataclasses.Field[Any]] = {}
    for base in reversed(cls.__mro__[1:]):
        fields.update(getattr(base, "__dataclass_fields__", {}))
    inherited = set(fields)
    for name, type_ in annotations.items():
        default = namespace.pop(name, _MISSING)
        field: Any = default if isinstance(default, dataclasses.Field) else dataclasses.field(default=default)
        field.name, field.type = name, type_
        field._field_type = dataclasses._FIELD  # type: ignore[attr-defined]  # what fields() and replace() look for
        fields[name] = field
    _check_order(fields)
    own = cls.__dict__
    namespace.update(_shared(own, eq, frozen))
    late = [name for name in _written(eq, frozen) if name == "__init__" or own.get(name) is None]
    holder: list[Any] = []
    for name in late:
        namespace[name] = _later(holder, name, late, eq, frozen)
    for name in ("__dict__", "__weakref__"):
        namespace.pop(name, None)
    namespace["__slots__"] = tuple(name for name in annotations if name not in inherited)
    namespace["__dataclass_fields__"] = fields
    namespace["__match_args__"] = tuple(fields)
    made = type(cls)(cls.__name__, cls.__bases__, namespace)
    made.__qualname__ = cls.__qualname__
    holder.append(made)
    return made


def _written(eq: bool, frozen: bool) -> tuple[str, ...]:
    """Names of the methods that are compiled for a class."""
    if not eq:
        return ("__init__",)
    return ("__init__", "__eq__", "__hash__") if frozen else ("__init__", "__eq__")


def _later(holder: list[Any], name: str, late: list[str], eq: bool, frozen: bool) -> Any:
    """A method that compiles the class's methods when it is first called, and hands over to the real one.

    Most classes of the tree have no instance in a run over one file, so most are never compiled.
    """

    def first(self: Any, *args: Any, **kwargs: Any) -> Any:
        cls = holder[0]
        methods = _methods(cls, cls.__dataclass_fields__, eq, frozen)
        for one in late:
            setattr(cls, one, methods[one])
        return methods[name](self, *args, **kwargs)

    return first


def _check_order(fields: dict[str, dataclasses.Field[Any]]) -> None:
    optional = ""
    for name, field in fields.items():
        if not field.init:
            continue
        if field.default is not _MISSING or field.default_factory is not _MISSING:
            optional = optional or name
        elif optional:
            raise TypeError(f"non-default argument {name!r} follows default argument {optional!r}")


def _methods(cls: Any, fields: dict[str, dataclasses.Field[Any]], eq: bool, frozen: bool) -> dict[str, Any]:
    """The compiled methods of a class."""
    names: dict[str, Any] = {"_set": object.__setattr__, "_missing": _MISSING}
    params, body = [], []
    for name, field in fields.items():
        value = name
        if not field.init:
            if field.default_factory is not _MISSING:
                names[f"_factory_{name}"] = field.default_factory
                body.append(
                    f" _set(self, {name!r}, _factory_{name}())" if frozen else f" self.{name} = _factory_{name}()"
                )
            continue
        if field.default is not _MISSING:
            names[f"_default_{name}"] = field.default
            params.append(f"{name}=_default_{name}")
        elif field.default_factory is not _MISSING:
            names[f"_factory_{name}"] = field.default_factory
            params.append(f"{name}=_missing")
            value = f"_factory_{name}() if {name} is _missing else {name}"
        else:
            params.append(name)
        body.append(f" _set(self, {name!r}, {value})" if frozen else f" self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append(" self.__post_init__()")
    lines = [f"def __init__(self, {', '.join(params)}):", *(body or [" pass"])]
    if eq:
        compared = [name for name, field in fields.items() if field.compare]
        this, that = (f"({''.join(f'{who}.{name}, ' for name in compared)})" for who in ("self", "other"))
        lines += [
            "def __eq__(self, other):",
            f" return {this} == {that} if other.__class__ is self.__class__ else NotImplemented",
        ]
        if frozen:
            lines += ["def __hash__(self):", f" return hash({this})"]
    made: dict[str, Any] = {}
    exec("\n".join(lines), names, made)
    for method in made.values():
        method.__qualname__ = f"{cls.__qualname__}.{method.__name__}"
    return made


def _shared(own: Mapping[str, Any], eq: bool, frozen: bool) -> dict[str, Any]:
    """Methods that all classes have in common, those that the class defines itself left out."""
    shared: dict[str, Any] = {"__getstate__": _get_state, "__setstate__": _set_state}
    if frozen:
        shared.update(__setattr__=_no_set, __delattr__=_no_delete)
    elif eq and "__hash__" not in own:
        shared["__hash__"] = None
    if "__repr__" not in own:
        shared["__repr__"] = _show
    return shared


def _no_set(self: Any, name: str, value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _no_delete(self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _show(self: Any) -> str:
    shown = (name for name, field in type(self).__dataclass_fields__.items() if field.repr)
    return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"


def _get_state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in type(self).__dataclass_fields__]


def _set_state(self: Any, state: list[Any]) -> None:
    for name, value in zip(type(self).__dataclass_fields__, state, strict=True):
        object.__setattr__(self, name, value)
