"""Launches that are given PyTorch's tensors: on which stream, and under which device.

Tensors know their device, and work on them belongs on the current stream of it; a plain launch goes to the default
stream of whatever device is current.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleAnalysis, ModuleFacts
from kernlint.analysis.hostmodel.guarded_above import guarded_above
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import Call, Cast, Expr, FunctionDecl, FunctionKind, FunctionRef, IntLit, Launch, Ref, VarDecl
from kernlint.tree.types import FloatType, IntType, PointerType, StructType, Type
from kernlint.tree.walk import walk

_DATA = pattern(r"(?:at::Tensor::)?(?:mutable_|const_)?data(?:_ptr)?|(?:at::Tensor::)?(?:generic_)?packed_accessor\w*")
_GUARD = pattern(r".*(?:Device|CUDA|HIP|Stream)Guard\w*")
_SETS = pattern(r"(?:.*::)?\w*(?:[Ss]et|[Ee]xchange)_?[Dd]evice")
_CURRENT = pattern(r"(?:.*::)?getCurrent(?:CUDA|HIP)?Stream\w*|(?:.*::)?get_current_(?:cuda_)?stream\w*")


@dataclass(frozen=True, slots=True, eq=False)
class TensorLaunch:
    """A launch with the memory of tensors.  ``current``: on the current stream (False: on the default one, None: on
    another, or one that is not known).  ``guarded``: something chooses the device before it, in the function or in one
    that calls it, or may do so in what was not understood; ``chosen``: that something is in sight, in the function."""

    span: Span
    function: FunctionDecl
    current: bool | None
    guarded: bool
    chosen: bool


def _of_tensor(expr: Expr) -> bool:
    """Whether an argument is memory of a tensor, or a view of it."""
    for node in walk(expr):
        if isinstance(node, Call) and _DATA.fullmatch(node.name) and node.receiver is not None:
            kind = node.receiver.type
            if isinstance(kind, StructType) and kind.name.rpartition("::")[2] in ("Tensor", "TensorBase"):
                return True
        held = node.decl.init if isinstance(node, Ref) and not isinstance(expr, Call) else None
        if isinstance(held, Call) and _of_tensor(held):
            return True
    return False


def _stream(launch: Launch) -> bool | None:
    stream = launch.stream
    while isinstance(stream, Cast):
        stream = stream.operand
    if stream is None or (isinstance(stream, IntLit) and stream.value == 0):
        return False if launch.api == "<<<>>>" else None
    for _ in range(3):
        if any(isinstance(node, Call) and _CURRENT.fullmatch(node.name) for node in walk(stream)):
            return True
        if not isinstance(stream, Ref) or stream.decl.init is None:
            break
        stream = stream.decl.init
    return None


def _guards(function: FunctionDecl) -> bool:
    """Whether a function chooses a device, or may do so in what was not understood of it."""
    lost = any(loss.kind in ("call", "statement", "macro", "name") for loss in function.losses)
    return lost or _chooses(function)


def _chooses(function: FunctionDecl) -> bool:
    """Whether a function chooses a device."""
    for node in walk(function.body) if function.body is not None else ():
        if isinstance(node, VarDecl) and isinstance(node.type, StructType) and _GUARD.fullmatch(node.type.name):
            return True
        if isinstance(node, Call) and _SETS.fullmatch(node.name):
            return True
    return False


_PLACED = pattern(r"Tensor|Device|Stream|Context")
"""In the name of a class: objects of it say on which device something is."""


_PLACES = pattern(r"(?:.*::)?[Dd]evice")


def _makes_its_own(function: FunctionDecl) -> bool:
    """Whether a function is given nothing but plain numbers: the tensors that it makes are on the current device, as
    long as it names no other."""
    if function.this is not None or function.template_params or not all(_number(p.type) for p in function.params):
        return False
    assert function.body is not None
    if any(
        isinstance(node, Call) and len(node.args) > 1 and _PLACES.fullmatch(node.name) for node in walk(function.body)
    ):
        return False  # on the device of some number
    held = (node.decl for node in walk(function.body) if isinstance(node, Ref))
    return not any(
        decl.is_global and isinstance(decl.type, StructType) and _PLACED.search(decl.type.name) for decl in held
    )


def _number(kind: Type) -> bool:
    """Whether a parameter is a number, or numbers side by side."""
    kind = kind.pointee if isinstance(kind, PointerType) else kind
    if isinstance(kind, StructType):
        return "Int" in kind.name and _PLACED.search(kind.name) is None  # at::IntArrayRef: a shape
    return isinstance(kind, (IntType, FloatType))


def _compute(facts: ModuleFacts) -> tuple[TensorLaunch, ...]:
    functions = [f for f in facts.module.functions if f.body is not None and f.kind is FunctionKind.HOST]
    found = [(function, launch) for function in functions for launch in _with_tensors(function)]
    if not found:
        return ()
    callers: dict[FunctionDecl, list[FunctionDecl]] = {}
    for function in functions:
        assert function.body is not None
        for node in walk(function.body):
            callee = node.function if isinstance(node, (Call, FunctionRef)) else None
            if callee is not None and callee is not function:
                callers.setdefault(callee.generic or callee, []).append(function)
    guarded = {function: _makes_its_own(function) or _guarded(function, callers, set()) for function, _ in found}
    chosen = {function: _chooses(function) for function in guarded}
    outer = (top for f, known in guarded.items() if not known for top in _outermost(f, callers) if not top.internal)
    left = next(outer, None)
    # Launchers of one file are called alike: one of them says how.
    above = left is not None and guarded_above(left.name, facts.namers_of)
    return tuple(
        TensorLaunch(
            launch.span,
            function,
            _stream(launch),
            guarded[function] or above,
            chosen[function],
        )
        for function, launch in found
    )


def _outermost(function: FunctionDecl, callers: dict[FunctionDecl, list[FunctionDecl]]) -> Iterator[FunctionDecl]:
    """The functions of the file through which a launch is reached without a device being chosen."""
    todo, met = [function], set[FunctionDecl]()
    while todo:
        one = todo.pop()
        above = callers.get(one.generic or one, ())
        if one in met or _guards(one):
            continue
        met.add(one)
        if not above:
            yield one
        todo += above


def _with_tensors(function: FunctionDecl) -> Iterator[Launch]:
    assert function.body is not None
    for node in walk(function.body):
        if isinstance(node, Launch) and any(map(_of_tensor, node.args)):
            yield node


def _guarded(function: FunctionDecl, callers: dict[FunctionDecl, list[FunctionDecl]], met: set[FunctionDecl]) -> bool:
    if function in met:
        return False
    met.add(function)
    if _guards(function):
        return True
    above = callers.get(function.generic or function, ())
    return bool(above) and all(_guarded(caller, callers, met) for caller in above)


tensor_launches = ModuleAnalysis("tensor_launches", _compute)
"""The :class:`TensorLaunch` of each launch of a file that is given tensors."""
