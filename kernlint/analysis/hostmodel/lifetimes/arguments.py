"""Arguments of OpenCL kernels that are set before the launch, and what becomes of them till then.

A kernel object "does not update the reference count for objects such as memory or sampler objects specified as argument
values by clSetKernelArg.  Users may not rely on a kernel object to retain objects specified as argument values" (OpenCL
3.0 API, 5.9.2), and an argument stays set for all launches to come.  So a buffer has to live till the last launch that
uses it, which may be in another function.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.hostmodel.lifetimes.machine import Machine
from kernlint.analysis.hostmodel.lifetimes.model import At, Atom, Bound, Fault, Kind, Life, State, Thing, Value
from kernlint.analysis.hostmodel.lifetimes.program import Key, Program
from kernlint.analysis.hostmodel.lifetimes.rests import working
from kernlint.analysis.hostmodel.lifetimes.shared_virtual import commanded, launched
from kernlint.analysis.hostmodel.lifetimes.transfers import became, used
from kernlint.source import Span
from kernlint.tree import nodes as n
from kernlint.tree.types import StructType
from kernlint.tree.walk import strip_casts, walk

_SETS = frozenset({"clSetKernelArg", "setArg"})
_KEEPS = frozenset({"clReleaseKernel", "clRetainKernel", "clEnqueueNDRangeKernel", "clEnqueueTask", "getInfo",
                    "getWorkGroupInfo", "clGetKernelInfo", "clGetKernelWorkGroupInfo"})  # fmt: skip


def holder(program: Program, expr: n.Expr | None) -> Key | None:
    """The member, or the variable of the file, that a kernel is kept in."""
    bare = strip_casts(expr)
    while isinstance(bare, n.AddressOf):
        bare = strip_casts(bare.operand)
    if isinstance(bare, n.Member):
        return program.addressed(bare)
    return ("", bare.decl.name) if isinstance(bare, n.Ref) and bare.decl.is_global else None


def _identity(m: Machine, expr: n.Expr, s: State) -> Value | None:
    """What tells a kernel from another: the handle, or the place of an object."""
    if isinstance(expr.type, StructType):
        return next((at for _, at in m.place(expr, s)), None)
    found = next((given for _, given in m.value(expr, s)), None)
    return None if isinstance(found, Atom) and found.op in ("either", "one of") else found  # of an array, which one


def bound(m: Machine, e: n.Call, given: Value, s: State) -> None:
    """A memory object becomes the argument of a kernel (``clSetKernelArg``)."""
    held = s.memory.get(given) if isinstance(given, At) else None
    if held is not None:
        used(m, held, e.span, s, "passed to a kernel")
        became(held, "computed", e.span, s)
    if held is None:
        inner: n.Expr | None = strip_casts(e.args[3])
        inner = strip_casts(inner.operand) if isinstance(inner, n.AddressOf) else None
        held = next((one for _, one in m.value(inner, s)), None) if isinstance(inner, n.Member) else None
    _set(m, e.args[0], e.args[1], _whole(held), e.span, s)


def set_or_shared(m: Machine, e: n.Call, plain: str, args: list[Value], s: State) -> bool:
    """An argument of a kernel is set, or it is a command for shared virtual memory; False: the call is another."""
    if plain == "SetKernelArg" and len(args) == 4:
        bound(m, e, args[3], s)
        return True
    if plain == "SetKernelArgSVMPointer" and len(args) == 3:
        used(m, args[2], e.span, s, "passed to a kernel")
        became(args[2], "computed", e.span, s)
        _set(m, e.args[0], e.args[1], _whole(args[2]), e.span, s)
        return True
    return commanded(m, e, plain, args, s)


def _whole(held: Value | None) -> Thing | None:
    return held.thing if isinstance(held, At) and not held.path else None


def bound_object(m: Machine, e: n.Call, s: State) -> None:
    """A variable of the C++ bindings becomes the argument of a kernel (``kernel.setArg(index, buffer)``)."""
    if e.receiver is None or len(e.args) != 2:
        return
    what = strip_casts(e.args[1])
    at = s.env.get(what.decl) if isinstance(what, n.Ref) and isinstance(what.type, StructType) else None
    _set(m, e.receiver, e.args[0], at.thing if at is not None else None, e.span, s)


def _set(m: Machine, kernel: n.Expr, index: n.Expr, thing: Thing | None, span: Span, s: State) -> None:
    which, number = _identity(m, kernel, s), strip_casts(index)
    if which is None or not isinstance(number, n.IntLit):
        s.args = tuple(one for one in s.args if which is not None and one.kernel != which)
        return
    s.args = tuple(one for one in s.args if (one.kernel, one.position) != (which, number.value))
    if thing is not None:
        kept = holder(m.program, kernel) if m.frames[0].function is m.entry else None
        s.args = (*s.args, Bound(which, number.value, thing, span, kept, m.frames[-1].function))


def launched_with(m: Machine, e: n.Launch, s: State) -> None:
    """A kernel is launched with what was set before."""
    which = _identity(m, e.callee, s) if s.args and e.callee is not None else None
    if which is None:
        s.args = ()
        return
    for one in s.args:
        if one.kernel == which:
            used(m, At(one.thing), e.span, s, "passed to a kernel")
            working(m, e, one, s)
            launched(m, e, one, s)
    s.args = tuple(one._replace(kept=None) if one.kernel == which else one for one in s.args)


def ends(m: Machine, thing: Thing, name: str, span: Span, verb: str, s: State) -> None:
    """What was set for a kernel that was not launched since is given back, or goes out of scope, where it was set."""
    for one in s.args:
        here = one.setter is m.frames[-1].function
        if one.thing is thing and one.kept is not None and here and not s.fate(thing).out and not _copied(one):
            m.program.dangling.append((one, one.kept, name, span, verb))


def _copied(one: Bound) -> bool:
    """Whether a variable is used for more than commands and arguments where it was set: a copy retains the buffer."""
    decl, body = one.thing.decl, one.setter.body
    if decl is None or body is None:
        return False
    plain: set[int] = set()
    for node in walk(body):
        if isinstance(node, n.Call) and node.name.startswith(("cl::Kernel::setArg", "cl::CommandQueue::enqueue")):
            plain.update(id(strip_casts(arg)) for arg in node.args)
    return any(isinstance(node, n.Ref) and node.decl is decl and id(node) not in plain for node in walk(body))


def stay(m: Machine, s: State) -> None:
    """A way through a function ends: what is set for a kernel then, and alive, is for launches to come."""
    for one in s.args:
        if one.kept is not None and s.fate(one.thing).life is not Life.FREED and one.thing.kind is not Kind.LOCAL:
            m.program.staying.add((one.kept, one.position))


def launched_later(program: Program) -> Iterator[Fault]:
    """Memory that is gone when another function launches the kernel for which it was set."""
    for one, key, name, span, verb in program.dangling:
        if (key, one.position) in program.staying:
            continue
        for function in program.functions:
            at = _launches_as_set(program, function, key, one.position) if function is not one.setter else None
            if at is not None:
                word = f"{verb}, and stays the argument of a kernel that is launched later"
                yield Fault("other", span, name, word, ((one.span, "set here"), (at, "launched here")), what="argument")
                break


def _launches_as_set(program: Program, function: n.FunctionDecl, key: Key, index: int) -> Span | None:
    """Where a function launches a kernel and has not set that argument itself."""
    launch: Span | None = None
    for node in walk(function.body) if function.body is not None else ():
        if isinstance(node, n.Launch) and holder(program, node.callee) == key:
            launch = launch or node.span
        elif isinstance(node, n.Call):
            given = (*node.args, node.receiver) if node.receiver is not None else node.args
            if not any(holder(program, arg) == key for arg in given):
                continue
            last = node.name.rpartition("::")[2]
            number = strip_casts(node.args[0 if node.receiver is not None else 1]) if last in _SETS else None
            other = isinstance(number, n.IntLit) and number.value != index
            if last not in _KEEPS and not other:
                return None
    return launch
