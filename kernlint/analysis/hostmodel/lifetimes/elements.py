"""Arrays of a few pointers or handles that are named one by one: made by their numbers, and given back by theirs.

What was made under one number and is given back under none is lost, where every element that is given back has its
number in the text, and nobody is handed the array as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.hostmodel.lifetimes.model import OWED, Fault, Kind, kind_of
from kernlint.analysis.hostmodel.lifetimes.program import Program
from kernlint.apis import ENDS, MAKES, Made, Makes, base_name, known_name
from kernlint.source import Span
from kernlint.tree import nodes as n
from kernlint.tree.types import ArrayType, PointerType, StructType
from kernlint.tree.walk import strip_casts, walk

Array = tuple[str, str]
"""A member that is an array: its class and its name; a variable of the file has no class."""


class _Elements:
    """What a file does with the elements of one array."""

    def __init__(self) -> None:
        self.made: dict[int, tuple[Span, Made]] = {}
        self.freed: dict[int, Span] = {}
        self.unsure = False


def forgotten(program: Program, silent: set[str]) -> Iterator[Fault]:
    """Elements that nothing gives back, although others of their array are.  ``silent``: as of :mod:`.ownerless`."""
    found: dict[Array, _Elements] = {}
    for function in program.functions:
        _read(program, function, found)
    for array, elements in found.items():
        if elements.unsure or not elements.freed or silent.intersection(array):
            continue
        for index, (span, made) in elements.made.items():
            kind = kind_of(made)
            if index not in elements.freed and kind in OWED and span.file == program.module.path:
                at = next(iter(elements.freed.values()))
                what = {Kind.STREAM: "the stream", Kind.EVENT: "the event"}.get(kind, "the memory of")
                related = ((at, "another one is given back here"),)
                yield Fault("leak", span, f"{array[1]}[{index}]", "member", related, what=what)


def _read(program: Program, function: n.FunctionDecl, found: dict[Array, _Elements]) -> None:
    """Take down what a function does with elements."""
    if function.body is None:
        return
    known: set[int] = set()
    mentioned: set[Array] = set()
    for node in walk(function.body):
        if isinstance(node, n.Assign) and _empty(node.value):
            known.add(id(strip_casts(node.target)))
        if isinstance(node, (n.Subscript, n.Member, n.Ref)) and id(node) not in known:
            element = _element(program, node) if isinstance(node, n.Subscript) else None
            if element is not None:
                mentioned.add(element[0])
                known.add(id(strip_casts(node.base)))  # type: ignore[union-attr]
            elif not isinstance(node, n.Subscript) and (whole := _array(program, node)) is not None:
                found.setdefault(whole, _Elements()).unsure = True
        for handed in _handed(node):
            element = _element(program, handed)
            if element is not None:
                found.setdefault(element[0], _Elements()).unsure = True
        for given, makes in _made(node):
            element = _element(program, given)
            if element is not None:
                one = found.setdefault(element[0], _Elements())
                if element[1] is None:
                    one.unsure = True
                else:
                    one.made.setdefault(element[1], (given.span, makes.made))
    for node in walk(function.body):
        if isinstance(node, n.Call) and base_name(node.name) in ENDS:
            _freed(program, node, mentioned, found)


def _empty(given: n.Expr) -> bool:
    """Whether an array begins with nothing in it."""
    return not any(isinstance(inner, (n.Ref, n.Member, n.Call, n.Opaque)) for inner in walk(given))


def _freed(program: Program, call: n.Call, mentioned: set[Array], found: dict[Array, _Elements]) -> None:
    what = ENDS[base_name(call.name)].what
    given = strip_casts(call.args[what]) if what < len(call.args) else call.receiver
    element = _element(program, given) if given is not None else None
    if element is None:
        if not isinstance(given, n.Member):  # it may have been one of any of them
            for array in mentioned:
                found.setdefault(array, _Elements()).unsure = True
        return
    one = found.setdefault(element[0], _Elements())
    if element[1] is None:
        one.unsure = True
    else:
        one.freed.setdefault(element[1], call.span)


def _handed(node: n.Node) -> Iterator[n.Expr]:
    """What somebody else may know from now on, or what is set otherwise than by a function that makes things."""
    if isinstance(node, n.Call) and known_name(node.name.rpartition("::")[2]) is None:
        for arg in (strip_casts(arg) for arg in node.args):
            yield arg.operand if isinstance(arg, n.AddressOf) else arg
    elif isinstance(node, n.Return) and node.value is not None:
        yield node.value
    elif isinstance(node, n.Assign):
        value = strip_casts(node.value)
        if not isinstance(node.target, n.Ref):
            yield value
        if not (isinstance(value, n.IntLit) or (isinstance(value, n.Call) and base_name(value.name) in MAKES)):
            yield node.target
    elif isinstance(node, n.InitList):
        yield from node.elements


def _made(node: n.Node) -> Iterator[tuple[n.Expr, Makes]]:
    """Where a function that makes something puts it."""
    if isinstance(node, n.Call):
        makes = MAKES.get(base_name(node.name))
        if makes is not None and makes.out is not None and makes.out < len(node.args):
            target = strip_casts(node.args[makes.out])
            if isinstance(target, n.AddressOf):
                yield strip_casts(target.operand), makes
    elif isinstance(node, n.Assign):
        value = strip_casts(node.value)
        makes = MAKES.get(base_name(value.name)) if isinstance(value, n.Call) else None
        if makes is not None and makes.out is None:
            yield strip_casts(node.target), makes


def _element(program: Program, expr: n.Expr | None) -> tuple[Array, int | None] | None:
    """The array and the number of an element; None for a number that is not in the text."""
    expr = strip_casts(expr)
    array = _array(program, expr.base) if isinstance(expr, n.Subscript) else None
    if not isinstance(expr, n.Subscript) or array is None:
        return None
    index = strip_casts(expr.index)
    number = index.value if isinstance(index, n.IntLit) else None
    if isinstance(index, n.Ref):
        number = index.decl.value
    return array, number


def _array(program: Program, expr: n.Expr) -> Array | None:
    """The member or variable of the file that an expression is, if that is an array of pointers or handles."""
    bare = strip_casts(expr)
    if not isinstance(bare, (n.Member, n.Ref)) or not isinstance(bare.type, ArrayType):
        return None
    if isinstance(bare.type.element, ArrayType) or (isinstance(bare, n.Ref) and not bare.decl.is_global):
        return None
    if isinstance(bare, n.Ref):
        return "", bare.decl.name
    kind = bare.base.type.pointee if isinstance(bare.base.type, PointerType) else bare.base.type
    return (program.class_name(kind), bare.field) if isinstance(kind, StructType) else None
