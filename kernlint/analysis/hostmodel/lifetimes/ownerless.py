"""Classes that are meant to own what they allocate, and have no destructor of their own to give it back.

That an object owns its memory is told by what else the class says: it cannot be copied, or it asks for the compiler's
destructor, which leaves pointers alone (C++, [class.dtor]).  Objects that live as long as the program need not free.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.hostmodel.lifetimes.model import Fault, owed
from kernlint.analysis.hostmodel.lifetimes.program import Program
from kernlint.analysis.hostmodel.lifetimes.runtime import BORROWS
from kernlint.tree import nodes as n
from kernlint.tree.types import PointerType, StructType, Type
from kernlint.tree.walk import strip_casts, walk


def ownerless(program: Program, silent: set[str]) -> Iterator[Fault]:
    """Members that get memory in a constructor and that nothing in the file gives back.  ``silent``: classes and
    members of which nobody knows enough."""
    known = program.freed.keys() | program.passed_on
    silent = silent.union(*map(_handed_on, program.functions))
    for key, given in program.given.items():
        one = program.classes.get(key[0])
        if one is None or key in known or silent.intersection(key) or not _owns(one) or _derived(program, one):
            continue
        if not any(giver in program.constructors.get(one.name, ()) for _, giver in given):
            continue
        thing = next((thing for thing, _ in given if thing.span is not None), None)
        if thing is not None and thing.span is not None and not _as_long_as_the_program(program, one):
            yield Fault("leak", thing.span, key[1], "owner", ((one.span, "the class"),), what=owed(thing))


def _handed_on(function: n.FunctionDecl) -> Iterator[str]:
    """Members that a function gives to one out of sight, which may free them, or names where its text was lost."""
    for node in walk(function.body) if function.body is not None else ():
        if isinstance(node, (n.Opaque, n.OpaqueStmt)):
            yield from node.words
            yield from (inner.field for inner in walk(node) if isinstance(inner, n.Member))
        elif isinstance(node, n.Call) and _out_of_sight(node):
            yield from (arg.field for arg in map(strip_casts, node.args) if isinstance(arg, n.Member))


def _out_of_sight(call: n.Call) -> bool:
    return (call.function is None or call.function.body is None) and BORROWS.fullmatch(call.name) is None


def _owns(one: n.ClassDecl) -> bool:
    """Whether an object of a class is told to own what it allocates, and has no destructor that could free it."""
    if one.open or one.destructor in ("written", "deleted"):
        return False
    return one.destructor == "default" or one.copying == "deleted"


def _derived(program: Program, one: n.ClassDecl) -> bool:
    """Whether a class derives from another one or has others derive from it, whose destructors may see to it."""
    return bool(one.bases) or any(one.name in other.bases for other in program.classes.values())


def _as_long_as_the_program(program: Program, one: n.ClassDecl) -> bool:
    """Whether objects of a class are declared, and all of them in variables that last or once in ``main``."""
    holders, grown = {one.name}, True
    while grown:
        more = {
            other.name
            for other in program.classes.values()
            if any(_named(program, kind) & holders for _, kind in other.fields)
        }
        grown = not more <= holders
        holders |= more
    found: list[bool] = []
    for function in program.functions:
        within = {id(node) for loop in _loops(function) for node in walk(loop)}
        for node in walk(function.body) if function.body is not None else ():
            if isinstance(node, n.VarDecl) and _named(program, node.type) & holders:
                once = function.name == "main" and id(node) not in within
                found.append(node.static or node.is_global or once)
    found += [True for decl in program.module.globals if _named(program, decl.type) & holders]
    return bool(found) and all(found)


def _loops(function: n.FunctionDecl) -> Iterator[n.Node]:
    if function.body is not None:
        yield from (node for node in walk(function.body) if isinstance(node, (n.For, n.While, n.DoWhile)))


def _named(program: Program, kind: Type) -> set[str]:
    """The classes that a type is of, or is a container of."""
    kind = kind.pointee if isinstance(kind, PointerType) else kind
    if not isinstance(kind, StructType):
        return set()
    words = kind.name.replace("<", " ").replace(">", " ").replace(",", " ").split()
    return {program.class_name(kind), *words}
