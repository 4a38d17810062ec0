"""Memory of the host that kernels reach by its own address, and what the host may read there.

Page-locked memory can be "accessed directly by the device"; "the application must synchronize" before it looks at what
a kernel writes there (CUDA C programming guide, mapped memory; so HIP for ``hipHostMalloc``).  The address for kernels
is what ``cudaHostGetDevicePointer``, ``cuMemHostGetDevicePointer`` and ``hipHostGetDevicePointer`` give, or the same.
"""

from __future__ import annotations

from kernlint.analysis.hostmodel.lifetimes.machine import Machine
from kernlint.analysis.hostmodel.lifetimes.memory import behind, escape
from kernlint.analysis.hostmodel.lifetimes.model import At, Kind, Life, Pending, Place, State, Value
from kernlint.analysis.hostmodel.lifetimes.program import Key, Program
from kernlint.apis import base_name
from kernlint.tree import nodes as n
from kernlint.tree.types import VOID, PointerType
from kernlint.tree.walk import strip_casts, walk

ADDRESSES = frozenset({"HostGetDevicePointer", "MemHostGetDevicePointer"})
"""Functions that store, in what argument 0 leads to, the address for kernels of the memory that argument 1 leads to."""

HANDED = ADDRESSES | {
    "RetainMemObject",
    "HostRegister",
    "HostUnregister",
    "MemHostRegister",
    "MemHostUnregister",
    "IpcGetMemHandle",
    "PointerGetAttributes",
    "PointerGetAttribute",
}
"""Functions by which somebody else may know memory from then on."""


UNLOCKS = frozenset({"HostUnregister", "MemHostUnregister"})
"""Functions that are given memory which they take the page lock from: it has to be there still."""


def handed(m: Machine, plain: str, args: list[Value], s: State) -> None:
    """Memory is given to one of the functions above."""
    for one in args:
        escape(m, one, s)
    if plain == "RetainMemObject" and isinstance(args[0], At):
        s.change(args[0].thing, life=Life.DOUBT)  # one of several references is given back by a release
    if plain in ADDRESSES and len(args) > 1 and isinstance(args[0], At) and isinstance(args[1], At):
        s.memory[args[0]] = args[1]


def mapped(program: Program) -> dict[Key, str]:
    """Members that have the address for kernels of what another member of the same object leads to."""
    found: dict[Key, str] = {}
    for function in program.functions:
        for node in walk(function.body) if function.body is not None else ():
            if isinstance(node, n.Call) and base_name(node.name) in ADDRESSES and len(node.args) > 1:
                key, other = program.addressed(node.args[0]), program.addressed(strip_casts(node.args[1]))
                if key is not None and other is not None and key[0] == other[0]:
                    found[key] = other[1]
    return {key: name for key, name in found.items() if key not in program.assigned}


def written_by(m: Machine, e: n.Launch, index: int, given: At, stream: Value | None, s: State) -> None:
    """A kernel is launched with a pointer to such memory, which it writes: that is under way from now on."""
    param = e.kernel.params[index] if e.kernel is not None and index < len(e.kernel.params) else None
    kind = param.type if param is not None and not given.path else None
    if param is None or not isinstance(kind, PointerType) or kind.const or kind.volatile:
        return
    place = given if given.thing.kind is Kind.PINNED else _beside(m, given, s)
    if place is not None and stored_to(e.kernel, param):
        s.pending = (*s.pending, Pending(place, stream, e.span, True, MAPPED))


MAPPED = "mapped"
"""What began work on such memory."""


def polled(m: Machine) -> bool:
    """Whether the host looks whether a kernel has come so far: again and again, with no launch between two looks."""
    return m.asks is not None and not any(isinstance(node, n.Launch) for node in walk(m.asks))


def _beside(m: Machine, given: At, s: State) -> Place | None:
    """The memory of the host that a member's address for kernels is one of."""
    key, origin = given.thing.key, given.thing.origin
    if key is None or origin is None or given.path:
        return None
    if m.program.mapped is None:
        m.program.mapped = mapped(m.program)
    name = m.program.mapped.get(key)
    if name is None:
        return None
    place = At(origin.thing, (*origin.path[:-1], name))
    held = s.memory.get(place)
    if held is None:
        m.keys.setdefault(place, ((key[0], name),))
        held = behind(m, place, PointerType(VOID), s)
    return held if isinstance(held, At) else None


def stored_to(kernel: n.FunctionDecl | None, param: n.VarDecl) -> bool:
    """Whether a kernel writes what a parameter leads to, as far as its own text says."""
    for node in walk(kernel.body) if kernel is not None and kernel.body is not None else ():
        if isinstance(node, (n.Assign, n.IncDec)):
            target: n.Node = node.target
        elif isinstance(node, n.Call) and base_name(node.name).startswith("atomic") and node.args:
            target = node.args[0]
        elif isinstance(node, n.Atomic) and node.op != "load":
            target = node.pointer
        else:
            continue
        while isinstance(target, (n.Cast, n.AddressOf, n.Subscript, n.Deref, n.Binary, n.Member)):
            if isinstance(target, (n.Subscript, n.Member)):
                target = target.base
            elif isinstance(target, n.Deref):
                target = target.pointer
            else:
                target = target.lhs if isinstance(target, n.Binary) else target.operand
        if isinstance(target, n.Ref) and target.decl is param:
            return True
    return False
