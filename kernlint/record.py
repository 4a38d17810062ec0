"""``dataclass`` for slotted classes, frozen or not, made in a fifth of the time.

The tree, the facts and the reports are some two hundred frozen dataclasses, and making one takes ``dataclasses``
a third of a millisecond (it compiles each method by itself and makes ``__setattr__`` anew): together a fifth of a whole
run over one file.  Here only ``__init__`` and, where wanted, ``__eq__`` and ``__hash__`` are compiled, all at once and
only for classes that are used much; the rest is shared.  The module ``dataclasses`` itself, which brings ``inspect``
and ``ast`` along, is loaded when somebody asks for what only it has: its own ``fields``, ``replace``, ``is_dataclass``
and pattern matching work as ever on these classes, and type checkers are told that this *is* ``dataclasses``.  What
has no ``slots=True``, or asks for more, goes to the original.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import MemberDescriptorType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dataclasses import dataclass, field, fields, is_dataclass, replace
    from typing import Any
else:

    def dataclass(cls=None, /, *, frozen=False, slots=False, eq=True, **more):
        """A drop-in for :func:`dataclasses.dataclass`."""

        def make(decorated):
            if not slots or more:
                return _original(decorated, frozen=frozen, slots=slots, eq=eq, **more)
            return _make(decorated, eq, frozen)

        return make if cls is None else make(cls)

    def field(**settings):
        """A drop-in for :func:`dataclasses.field`, without ``hash``, ``kw_only`` and ``metadata``."""
        return _Field(**settings)

    def fields(record):
        """A drop-in for :func:`dataclasses.fields`, of what this module made or not."""
        cls = record if isinstance(record, type) else type(record)
        return tuple(_fields_of(cls).values())

    def is_dataclass(record):
        """A drop-in for :func:`dataclasses.is_dataclass`."""
        cls = record if isinstance(record, type) else type(record)
        return hasattr(cls, "__record_fields__") or hasattr(cls, "__dataclass_fields__")

    def replace(record, /, **changes):
        """A drop-in for :func:`dataclasses.replace`."""
        for name, one in _fields_of(type(record)).items():
            if not one.init:
                if name in changes:
                    raise ValueError(f"field {name} is declared with init=False, it cannot be specified with replace()")
            elif name not in changes:
                changes[name] = getattr(record, name)
        return type(record)(**changes)


__all__ = ["dataclass", "field", "fields", "is_dataclass", "replace"]

_MISSING: Any = type("_Missing", (), {"__doc__": "Stands where no default is given."})()


PAYS_AFTER = 30
"""Calls of a method before its class's methods are compiled."""


class _Field:
    """One field, with what was asked for it."""

    __slots__ = ("compare", "default", "default_factory", "init", "name", "repr", "type")

    def __init__(
        self,
        *,
        default: Any = _MISSING,
        default_factory: Any = _MISSING,
        init: bool = True,
        repr: bool = True,
        compare: bool = True,
    ) -> None:
        if default is not _MISSING and default_factory is not _MISSING:
            raise ValueError("cannot specify both default and default_factory")
        self.default, self.default_factory = default, default_factory
        self.init, self.repr, self.compare = init, repr, compare
        self.name: str = ""
        self.type: Any = None

    def original(self) -> Any:
        """The same as a :class:`dataclasses.Field`."""
        import dataclasses

        given = {"default": self.default, "default_factory": self.default_factory}
        given = {key: value for key, value in given.items() if value is not _MISSING}
        made: Any = dataclasses.field(init=self.init, repr=self.repr, compare=self.compare, kw_only=False, **given)
        made.name, made.type = self.name, self.type
        made._field_type = dataclasses._FIELD  # type: ignore[attr-defined]  # what fields() and replace() look for
        return made


def _fields_of(cls: Any) -> Mapping[str, Any]:
    """The fields of a class, whoever made it; empty for what is no dataclass."""
    own: Mapping[str, _Field] | None = cls.__dict__.get("__record_fields__")
    return own if own is not None else getattr(cls, "__dataclass_fields__", {})


def _is_field(value: Any) -> bool:
    """Whether ``value`` is a field, ours or the standard library's."""
    if isinstance(value, _Field):
        return True
    loaded = sys.modules.get("dataclasses")
    return loaded is not None and isinstance(value, loaded.Field)


def _adopted(one: Any) -> _Field:
    """A field that the standard library made as one of ours."""
    if isinstance(one, _Field):
        return one
    import dataclasses

    given = {"default": one.default, "default_factory": one.default_factory}
    given = {key: value for key, value in given.items() if value is not dataclasses.MISSING}
    made = _Field(init=one.init, repr=one.repr, compare=one.compare, **given)
    made.name, made.type = one.name, one.type
    return made


class _Params:
    """What ``dataclasses`` asks of a base class."""

    __slots__ = ("eq", "frozen", "init", "order", "repr", "unsafe_hash")

    def __init__(self, eq: bool, frozen: bool) -> None:
        self.init = self.repr = True
        self.eq, self.frozen = eq, frozen
        self.order = self.unsafe_hash = False


class _Originals:
    """``__dataclass_fields__`` of a class, made when it is first asked for."""

    def __get__(self, instance: object, owner: Any) -> dict[str, Any]:
        made = {name: one.original() for name, one in owner.__record_fields__.items()}
        owner.__dataclass_fields__ = made
        return made


def _original(cls: Any, **settings: Any) -> Any:
    """``cls`` as the standard library makes it."""
    import dataclasses

    for name, default in list(cls.__dict__.items()):
        if isinstance(default, _Field):
            setattr(cls, name, default.original())
    return dataclasses.dataclass(**settings)(cls)


def _make(cls: Any, eq: bool, frozen: bool) -> Any:
    namespace = dict(cls.__dict__)
    annotations = namespace.get("__annotations__") or getattr(cls, "__annotations__", {})
    if any(isinstance(type_, str) and type_.startswith(("ClassVar", "InitVar")) for type_ in annotations.values()):
        return _original(cls, frozen=frozen, slots=True, eq=eq)
    fields: dict[str, _Field] = {}
    for base in reversed(cls.__mro__[1:]):
        fields.update((name, _adopted(one)) for name, one in _fields_of(base).items())
    inherited = set(fields)
    for name, type_ in annotations.items():
        default = namespace.pop(name, _MISSING)
        one = _adopted(default) if _is_field(default) else _Field(default=default)
        one.name, one.type = name, type_
        fields[name] = one
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
    namespace["__record_fields__"] = fields
    namespace["__dataclass_fields__"] = _Originals()
    namespace["__dataclass_params__"] = _Params(eq, frozen)
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
    """A method that works without compiled code for its first :data:`PAYS_AFTER` calls, then compiles the class's
    methods and makes room for them.

    Most classes have few instances in a run over one small file, and compiling takes as long as making fifty.
    """
    plain: Any = _PLAIN[name]
    left = PAYS_AFTER

    def first(self: Any, *args: Any, **kwargs: Any) -> Any:
        nonlocal left
        cls = holder[0]
        if left > 0:
            left -= 1
            answer = plain(cls.__record_fields__, self, *args, **kwargs)
            if answer is not _MISSING:
                return answer
        methods = _methods(cls, cls.__record_fields__, eq, frozen)
        for one in late:
            setattr(cls, one, methods[one])
        return methods[name](self, *args, **kwargs)

    return first


def _plain_init(fields: Mapping[str, _Field], self: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Fill a new instance; :data:`_MISSING`, before anything is done, when the arguments do not fit."""
    values: list[tuple[str, Any]] = []
    at = 0
    for name, one in fields.items():
        if one.init:
            if at < len(args):
                values.append((name, args[at]))
                at += 1
                continue
            if name in kwargs:
                values.append((name, kwargs.pop(name)))
                continue
        if one.default_factory is not _MISSING:
            values.append((name, one.default_factory()))
        elif one.init:
            if one.default is _MISSING:
                return _MISSING
            values.append((name, one.default))
    if kwargs or at < len(args):
        return _MISSING
    for name, value in values:
        _set(self, name, value)
    if (check := getattr(self, "__post_init__", None)) is not None:
        check()
    return None


def _plain_eq(fields: Mapping[str, _Field], self: Any, other: Any, /) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return _compared(fields, self) == _compared(fields, other)


def _plain_hash(fields: Mapping[str, _Field], self: Any, /) -> Any:
    return hash(_compared(fields, self))


def _compared(fields: Mapping[str, _Field], record: Any) -> tuple[Any, ...]:
    return tuple([getattr(record, name) for name, one in fields.items() if one.compare])


_PLAIN = {"__init__": _plain_init, "__eq__": _plain_eq, "__hash__": _plain_hash}

_set = object.__setattr__


def _check_order(fields: dict[str, _Field]) -> None:
    optional = ""
    for name, field in fields.items():
        if not field.init:
            continue
        if field.default is not _MISSING or field.default_factory is not _MISSING:
            optional = optional or name
        elif optional:
            raise TypeError(f"non-default argument {name!r} follows default argument {optional!r}")


def _setter(cls: Any, name: str) -> Any:
    """What sets a slot of an instance; None where the attribute is no slot."""
    slot = getattr(cls, name, None)
    return slot.__set__ if type(slot) is MemberDescriptorType else None


def _methods(cls: Any, fields: dict[str, _Field], eq: bool, frozen: bool) -> dict[str, Any]:
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
        if frozen and (setter := _setter(cls, name)) is not None:
            names[f"_set_{name}"] = setter  # in two thirds of the time that ``object.__setattr__`` takes
            body.append(f" _set_{name}(self, {value})")
        else:
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
    import dataclasses

    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _no_delete(self: Any, name: str) -> None:
    import dataclasses

    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _show(self: Any) -> str:
    shown = (name for name, field in _fields_of(type(self)).items() if field.repr)
    return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"


def _get_state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in _fields_of(type(self))]


def _set_state(self: Any, state: list[Any]) -> None:
    for name, value in zip(_fields_of(type(self)), state, strict=True):
        object.__setattr__(self, name, value)
