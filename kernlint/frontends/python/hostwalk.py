"""What host code does with the arrays that it passes to numba's kernels, in the order in which it does it.

Functions, methods and objects of the file are followed (:mod:`~kernlint.frontends.clang.python.hostflow`).  By numba's
account of memory management a NumPy array that is passed is copied to the device, and back after the kernel; a copy
that is given a stream "will be made asynchronously as part of the given stream"; what a kernel writes into mapped or
managed memory is there when it has been waited for; and ``to_device`` makes a copy that nothing brings back by itself.
So four things are told: arrays of the host that a loop passes in each round, arrays that are read before the copy or
the kernel that writes them is over, and arrays of which a kernel has written a copy that is never copied back.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import suppress

from kernlint.frontends.clang.python.hostcalls import Made, Moved
from kernlint.frontends.clang.python.hostflow import HostWalk
from kernlint.frontends.clang.python.hostvalues import (
    SILENT,
    Array,
    Flow,
    Instance,
    Left,
    OverBudget,
    Table,
    moved_members,
    names_of,
)
from kernlint.frontends.clang.python.program import PythonProgram
from kernlint.frontends.python.context import Places
from kernlint.frontends.python.functions import Jitted, canonical
from kernlint.frontends.python.launches import Launched
from kernlint.record import dataclass, field
from kernlint.tree.nodes import Remark

_CUDA = "numba.cuda."
_MAPPED = frozenset({"mapped_array", "mapped_array_like", "managed_array"})
_MAKES = {
    "to_device": Made("device"), "device_array": Made("device"), "device_array_like": Made("device"),
    "pinned_array": Made("host", pinned=True), "pinned_array_like": Made("host", pinned=True),
    **dict.fromkeys(_MAPPED, Made("host")),
}  # fmt: skip
_ARRAYS = frozenset({"rand", "randn", "random", "random_sample", "standard_normal", "normal", "uniform", "randint",
                     "integers", "poisson", "exponential", "choice"})  # fmt: skip
_NEW = frozenset({"astype", "copy", "sum", "mean"})
_IDLE = frozenset({"record", "append", "items", "keys", "format", "lower", "upper", "copy_to_device"})
"""Methods that wait for nothing, whatever they are methods of."""


@dataclass(slots=True, eq=False)
class Round:
    """A loop that is being walked: arrays of the host that were passed to a kernel in it, and what else it does with
    arrays."""

    node: ast.For | ast.While
    passed: dict[Array, tuple[ast.Call, str, str]] = field(default_factory=dict)
    touched: set[Array] = field(default_factory=set)
    looked: set[Array] = field(default_factory=set)
    """Arrays of which elements are copied."""
    changed: set[Array] = field(default_factory=set)
    """Arrays that a kernel may write."""


class NumbaWalk(HostWalk):
    """The walk of one file.  ``made``: the loops in which each array was made; ``sources``: what each array on the
    device is a copy of; ``written``: the launch that has written it; ``kept``: arrays on the device that something else
    is done with, so that their contents may reach somebody."""

    def __init__(
        self, program: PythonProgram, tree: ast.Module, launched: Sequence[Launched], lowering: Places
    ) -> None:
        super().__init__(program, tree, "")
        self.launches = {id(one.called.node): one for one in launched}
        self.lowering = lowering
        self.loops: list[Round] = []
        self.made: dict[Array, tuple[Round, ...]] = {}
        self.mapped: set[Array] = set()
        self.locked: set[Array] = set()
        self.sources: dict[Array, Array] = {}
        self.written: dict[Array, Launched] = {}
        self.kept: set[Array] = set()
        self.left: dict[tuple[Array, Array], ast.AST] = {}
        self.quiet = 0
        self.kernel = ""
        self.calls: list[ast.Call] = []
        self.entered: list[ast.Call] = []

    def remarks(self) -> Iterator[Remark]:
        """What is to be said of the file."""
        with suppress(OverBudget, RecursionError):
            self.file()
        yield from self.found.values()
        said: set[ast.AST] = set()
        for (source, copy), at in self.left.items():
            launch = self.written[copy]
            if copy not in self.kept and at not in said:
                said.add(at)
                related = ((self.lowering.span(launch.called.node), "the kernel writes the copy"),)
                looked = at.value if isinstance(at, ast.Return) else at
                name = looked.id if isinstance(looked, ast.Name) else source.name
                words = (name or "the array", copy.name or "the device")
                yield Remark("result-left", self.lowering.span(at), launch.jitted.name, words, related)

    def remark(self, kind: str, node: ast.AST, name: str, at: ast.AST, what: str) -> None:
        """Keep what is said of arrays that are read too early; the rest is about other libraries."""
        if kind == "early-host-read":
            word = "the launch" if id(at) in self.launches else "the copy"
            place = self.lowering.span(node)
            related = [(self.lowering.span(at), f"{word} is under way from here")]
            related += [(self.lowering.span(call), "called here") for call in self.entered[:-3:-1]]
            remark = Remark("early-read", place, self.kernel, (name, word), tuple(related))
            self.found.setdefault(("early-read", place.start), remark)

    def entry(self, function: ast.FunctionDef, own: Instance | None) -> None:
        for name in moved_members(own.of) & own.attributes.keys() if own is not None else ():
            own.attributes[name] = None  # type: ignore[union-attr]
        super().entry(function, own)

    def inside(self, function: ast.FunctionDef, args: list[object], keys: dict[str, object], flow: Flow) -> object:
        self.entered += self.calls[-1:]
        found = super().inside(function, args, keys, flow)
        if self.calls:
            self.entered.pop()
        return found

    # ------------------------------------------------------------------------------------------------------ loops

    def round(self, s: ast.For | ast.While, changed: set[str], swapped: set[str], flow: Flow) -> None:
        self.loops.append(Round(s))
        try:
            super().round(s, changed, swapped, flow)
        finally:
            self._over(self.loops.pop())

    def _over(self, loop: Round) -> None:
        """Arrays of the host that each round passes, and does nothing else with."""
        calls: dict[ast.Call, list[tuple[str, str]]] = {}
        for array, (call, kernel, name) in loop.passed.items():
            if array in loop.looked & loop.changed:
                continue  # what comes back is asked for in each round
            if array not in loop.touched and loop not in self.made.get(array, ()):
                calls.setdefault(call, []).append((kernel, name or array.name or "an array"))
        for call, names in calls.items():
            place, whole = self.lowering.span(call), self.lowering.span(loop.node)
            related = ((type(whole)(whole.file, whole.start, whole.start + 1), "the loop"),)
            words = tuple(dict.fromkeys(name for _, name in names))
            remark = Remark("copied-in-loop", place, names[0][0], words, related)
            self.found.setdefault(("copied-in-loop", place.start), remark)

    def _with(self, s: ast.With, flow: Flow) -> None:
        super()._with(s, flow)
        if any("synchronize" in ast.dump(item.context_expr) for item in s.items):
            flow.pending.clear()  # ``stream.auto_synchronize()`` waits at its end

    # --------------------------------------------------------------------------------------------------- mentions

    def value(self, e: ast.expr | None, flow: Flow) -> object:
        found = super().value(e, flow)
        if isinstance(found, Array):
            self.made.setdefault(found, tuple(self.loops))
        return found

    def _value_name(self, e: ast.Name, flow: Flow) -> object:
        found = super()._value_name(e, flow)
        if isinstance(found, Array) and not self.quiet:
            self._used(found)
        return found

    def _value_subscript(self, e: ast.Subscript, flow: Flow) -> object:
        """Elements that a condition chooses are a copy: reading them is no use that may change the array."""
        held = flow.names.get(e.value.id) if isinstance(e.value, ast.Name) and isinstance(e.ctx, ast.Load) else None
        if self.quiet or not isinstance(e.slice, ast.Compare) or not isinstance(held, Array) or held.where != "host":
            return super()._value_subscript(e, flow)
        for loop in self.loops:
            loop.looked.add(held)
        self.value(e.slice, flow)
        self.read(held, e, flow)
        return None

    def _value_attribute(self, e: ast.Attribute, flow: Flow) -> object:
        silent = e.attr in SILENT
        self.quiet += silent
        found = super()._value_attribute(e, flow)
        self.quiet -= silent
        if isinstance(found, Array) and not self.quiet:
            self._used(found)
        return found

    def _value_lambda(self, e: ast.Lambda, flow: Flow) -> object:
        self._inside_another(e, flow)
        return None

    def _functiondef(self, s: ast.FunctionDef | ast.ClassDef, flow: Flow) -> None:
        self._inside_another(s, flow)
        super()._functiondef(s, flow)

    _classdef = _functiondef

    def _inside_another(self, node: ast.AST, flow: Flow) -> None:
        """Arrays that a function inside this one may do something with."""
        for at in ast.walk(node):
            held = flow.names.get(at.id) if isinstance(at, ast.Name) else None
            if isinstance(held, Array):
                self._used(held)

    def _value_binop(self, e: ast.BinOp, flow: Flow) -> object:
        sides = [self.value(side, flow) for side in (e.left, e.right)]
        for side, at in zip(sides, (e.left, e.right), strict=True):
            self.read(side, at, flow)
        return Array("host", e) if any(isinstance(one, Array) and one.where == "host" for one in sides) else None

    def _used(self, array: Array) -> None:
        """Something is done with an array beside passing it to a kernel."""
        for loop in self.loops:
            loop.touched.add(array)
        if array.where == "device":
            self.kept.add(array)

    def read(self, given: object, at: ast.AST, flow: Flow) -> None:
        super().read(given, at, flow)
        if isinstance(given, Array) and given.where == "host":
            self._looked_at(given, at)

    def _looked_at(self, array: Array, at: ast.AST) -> None:
        for copy in self.written:
            if self.sources.get(copy) is array:
                self.left.setdefault((array, copy), at)

    def wrote(self, given: object, flow: Flow) -> None:
        super().wrote(given, flow)
        if isinstance(given, Array):
            for copy, source in list(self.sources.items()):
                if source is given:
                    del self.sources[copy]  # no longer what it is a copy of

    # ------------------------------------------------------------------------------------------------- statements

    def _assign(self, s: ast.Assign, flow: Flow) -> None:
        plain = isinstance(s.targets[0], (ast.Name, ast.Tuple)) and bool(names_of(s.value))
        self.quiet += plain
        try:
            super()._assign(s, flow)
        finally:
            self.quiet -= plain

    def bind(self, target: ast.expr, given: object, flow: Flow) -> None:
        if isinstance(given, Array) and not isinstance(target, ast.Name):
            self._used(given)
        super().bind(target, given, flow)

    def _return(self, s: ast.Return, flow: Flow) -> None:
        given = self.value(s.value, flow) if s.value is not None else None
        for one in [given, *(given.held.values() if isinstance(given, Table) else ())]:
            if isinstance(one, Array):
                self._looked_at(one, s)
        if self.returned:
            self.returned[-1].append(given)
        raise Left

    # ------------------------------------------------------------------------------------------------------ calls

    def _value_call(self, e: ast.Call, flow: Flow) -> object:
        launch = self.launches.get(id(e))
        if launch is not None:
            return self._launch(e, launch, flow)
        name = canonical(self.program.imported(self._dotted(e.func)))
        if name.startswith(_CUDA):
            return self._of_cuda(e, name.removeprefix(_CUDA), flow)
        method = e.func.attr if isinstance(e.func, ast.Attribute) else ""
        if method in ("copy_to_host", "copy_to_device") and isinstance(e.func, ast.Attribute):
            return self._copied(e, e.func, flow)
        if name.startswith("numpy.random.") or method in _ARRAYS:
            sized = bool(e.args or e.keywords)
            super()._value_call(e, flow)
            return Array("host", e) if sized and method != "default_rng" else None
        if method in _IDLE and isinstance(e.func, ast.Attribute):
            for part in (e.func.value, *e.args, *(key.value for key in e.keywords)):
                self.value(part, flow)
            return None
        self.calls.append(e)
        found = super()._value_call(e, flow)
        self.calls.pop()
        owner = self._silent(e.func.value, flow) if isinstance(e.func, ast.Attribute) and method in _NEW else None
        if method in ("astype", "copy") and isinstance(owner, Array) and owner.where == "host":
            return Array("host", e)
        return found

    def _dotted(self, func: ast.expr) -> str:
        parts: list[str] = []
        while isinstance(func, ast.Attribute):
            parts.append(func.attr)
            func = func.value
        return ".".join((func.id, *reversed(parts))) if isinstance(func, ast.Name) else ""

    def _silent(self, e: ast.expr, flow: Flow) -> object:
        """What an expression stands for, which is not a use of it."""
        self.quiet += 1
        found = self.value(e, flow)
        self.quiet -= 1
        return found

    def _of_cuda(self, e: ast.Call, last: str, flow: Flow) -> object:
        """A function of numba.cuda."""
        if last not in _MAKES:
            for part in (*e.args, *(key.value for key in e.keywords)):
                self.value(part, flow)
            if last == "pinned":
                self.locked.update(
                    one for one in (self._silent(part, flow) for part in e.args) if isinstance(one, Array)
                )
            if "synchronize" in last or last in ("close", "select_device", "pinned", "defer_cleanup"):
                flow.pending.clear()
            return None
        made = Array(_MAKES[last].where, e, pinned=_MAKES[last].pinned)
        if last in _MAPPED:
            self.mapped.add(made)
        source = self._source(e.args[0], flow) if e.args else None
        for part in (*e.args[1:], *(key.value for key in e.keywords)):
            self._silent(part, flow)
        if last == "to_device":
            into = next((self._silent(key.value, flow) for key in e.keywords if key.arg == "to"), None)
            if isinstance(into, Array):
                made = into
            if isinstance(source, Array):
                self._touch(source)
                self.sources[made] = source
            if _stream(e, 1) is None:
                flow.pending.clear()
        return made

    def _source(self, e: ast.expr, flow: Flow) -> object:
        """What is copied: an array, perhaps one of which only the name is known."""
        found = self._silent(e, flow)
        if found is None and isinstance(e, ast.Name) and e.id in self.unknown_names(flow):
            found = flow.names[e.id] = Array("host", e)
            found.name = e.id
            self.made.setdefault(found, ())
        return found

    def unknown_names(self, flow: Flow) -> set[str]:
        """The parameters of the function that is being walked, of which nothing is known."""
        node = self.stack[-1] if self.stack else None
        names = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args)] if node is not None else []
        return {name for name in names if flow.names.get(name) is None}

    def _touch(self, array: Array) -> None:
        for loop in self.loops:
            loop.touched.add(array)

    def _copied(self, e: ast.Call, func: ast.Attribute, flow: Flow) -> object:
        """``array.copy_to_host(...)``, ``array.copy_to_device(...)``."""
        owner = self.value(func.value, flow)
        given = next((key.value for key in e.keywords if key.arg == "ary"), e.args[0] if e.args else None)
        if func.attr == "copy_to_device":
            source = self._source(given, flow) if given is not None else None
            if isinstance(source, Array) and isinstance(owner, Array):
                self._touch(source)
                self.sources.pop(owner, None)
            return None
        made = given is None or (isinstance(given, ast.Constant) and given.value is None)
        target = self._source(given, flow) if given is not None else None
        later = _stream(e, 1) is not None and not made and not self._pageable(target)
        if not later:
            flow.pending.clear()
        if isinstance(target, Array):
            self._touch(target)
        return self.moved(e, Moved(target, owner, later, makes=made), flow)

    def _pageable(self, target: object) -> bool:
        """Whether an array is known to be of memory that nobody locks: a copy into it is over when the call returns."""
        if not isinstance(target, Array) or target.where != "host" or not isinstance(target.node, ast.Call):
            return False
        return not (target.pinned or target in self.mapped or target in self.locked)

    def _launch(self, e: ast.Call, launch: Launched, flow: Flow) -> object:
        self.kernel = launch.jitted.name
        given = [self._silent(arg.value if isinstance(arg, ast.Starred) else arg, flow) for arg in e.args]
        names = launch.jitted.parameters if not any(isinstance(arg, ast.Starred) for arg in e.args) else []
        host = [one for one in given if isinstance(one, Array) and one.where == "host" and one not in self.mapped]
        for arg, array in zip(e.args, given, strict=True):
            if self.loops and isinstance(array, Array) and array in host:
                self.loops[-1].passed.setdefault(array, (e, launch.jitted.name, self._dotted(arg)))
        for at, array in enumerate(given):
            if self.loops and isinstance(array, Array) and not (at < len(names) and keeps(launch.jitted, names[at])):
                for loop in self.loops:
                    loop.changed.add(array)
        if host:
            flow.pending.clear()
        for name, one in zip(names, given, strict=False):
            if isinstance(one, Array) and one.where == "device" and one in self.sources and writes(launch.jitted, name):
                self.written.setdefault(one, launch)
        for one in given:
            if isinstance(one, Array) and one in self.mapped:
                flow.pending[one] = e
            elif isinstance(one, Table):
                for inner in one.held.values():
                    if isinstance(inner, Array):
                        self._used(inner)
        return None


def _stream(e: ast.Call, at: int) -> ast.expr | None:
    """The stream that a copy is given."""
    given = next((key.value for key in e.keywords if key.arg == "stream"), e.args[at] if len(e.args) > at else None)
    return None if isinstance(given, ast.Constant) and not given.value else given


def writes(jitted: Jitted, name: str) -> bool:
    """Whether a kernel itself stores into the array that a parameter is."""
    for at in ast.walk(jitted.node):
        base = at.value if isinstance(at, ast.Subscript) and isinstance(at.ctx, ast.Store) else None
        while isinstance(base, ast.Subscript):
            base = base.value
        if isinstance(base, ast.Name) and base.id == name:
            return True
        if isinstance(at, ast.Call) and isinstance(at.func, ast.Attribute) and at.args:
            home, first = at.func.value, at.args[0]
            atomic = (home.attr if isinstance(home, ast.Attribute) else getattr(home, "id", "")) == "atomic"
            if atomic and isinstance(first, ast.Name) and first.id == name:
                return True
    return False


def keeps(jitted: Jitted, name: str) -> bool:
    """Whether a kernel leaves the array that a parameter is as it is: it does nothing but read elements and sizes."""
    held = {id(at.value) for at in ast.walk(jitted.node) if isinstance(at, (ast.Subscript, ast.Attribute))}
    held |= {
        id(arg)
        for at in ast.walk(jitted.node)
        if isinstance(at, ast.Call) and isinstance(at.func, ast.Name) and at.func.id == "len"
        for arg in at.args
    }
    named = (at for at in ast.walk(jitted.node) if isinstance(at, ast.Name) and at.id == name)
    return not writes(jitted, name) and all(id(at) in held for at in named)


def host_remarks(program: PythonProgram, launched: Sequence[Launched], lowering: Places) -> Iterator[Remark]:
    """Remarks on what the host code of a program does with the arrays of its launches."""
    tree = program.scopes[0].node
    if launched and isinstance(tree, ast.Module):
        yield from NumbaWalk(program, tree, launched, lowering).remarks()
