"""Kernel launches of the same file: what the host passes, under which conditions, with which allocations.

Every host function is walked like a kernel, so a grid of ``(n + block - 1) / block`` written through helpers, macros,
lambdas or ``std::min`` becomes one term over the host's variables, and the checks made before the launch are its
guards.  Launches bind to kernels within one file only.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis, ModuleAnalysis, ModuleFacts
from kernlint.analysis.trace.events import AllocationEvent, Guard, LaunchEvent, Trace
from kernlint.analysis.trace.run import trace_function
from kernlint.analysis.trace.values import PointerValue, Value
from kernlint.record import dataclass, replace
from kernlint.source import Span
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, binary, cast, const, plain, substitute
from kernlint.tree.nodes import FunctionDecl, FunctionKind, Launch
from kernlint.tree.types import I64
from kernlint.tree.walk import walk

Sizes = tuple[Term, Term, Term]


@dataclass(frozen=True, slots=True, eq=False)
class LaunchFact:
    """One launch of a kernel.

    ``grid`` in blocks and ``block`` in threads (x, y, z), as terms over the host's variables; None when not known.
    ``shared``: dynamic shared memory in bytes.  ``arguments``: (parameter name, host value).  ``extents``: bytes
    behind pointer parameters, where the allocation is in sight.  ``guards``: what the host has checked.
    ``values``: what a launch in a template gives for the kernel's template parameters that are no types, in order.
    """

    name: str
    span: Span
    node: Launch
    grid: Sizes | None
    block: Sizes | None
    shared: Term | None
    arguments: tuple[tuple[str, Value], ...]
    extents: tuple[tuple[str, Term], ...]
    guards: tuple[Guard, ...]
    values: tuple[Value, ...]
    host: FunctionDecl

    def argument(self, name: str) -> Value | None:
        """What is passed for the parameter ``name``."""
        return next((value for key, value in self.arguments if key == name), None)

    def constant_block(self) -> tuple[int, int, int] | None:
        """The block as numbers when all three sizes are constants."""
        if self.block is None:
            return None
        values = [term.value for term in self.block]
        return (values[0], values[1], values[2]) if None not in values else None  # type: ignore[return-value]


@dataclass(frozen=True, slots=True, eq=False)
class HostFacts:
    """What walking the host code of a file gave: launches by kernel name, and the traces themselves."""

    launches: tuple[LaunchFact, ...]
    traces: tuple[tuple[FunctionDecl, Trace], ...]


def _launching(module_facts: ModuleFacts) -> Iterator[FunctionDecl]:
    for function in module_facts.module.functions:
        if function.body is None or function.kind not in (FunctionKind.HOST, FunctionKind.BOTH):
            continue
        if any(isinstance(node, Launch) for node in walk(function.body)):
            yield function


def _compute(facts: ModuleFacts) -> HostFacts:
    found: list[LaunchFact] = []
    traces: list[tuple[FunctionDecl, Trace]] = []
    seen: set[int] = set()
    for function in _launching(facts):
        trace = trace_function(function, facts.module.language)
        traces.append((function, trace))
        for event in trace.launches:
            key = id(event.node)
            if event.stack and key in seen:
                continue
            seen.add(key)
            found.append(_fact(event, trace))
    return HostFacts(tuple(found), tuple(traces))


def _fact(event: LaunchEvent, trace: Trace) -> LaunchFact:
    node = event.node
    grid = event.grid
    if grid is None and event.global_size is not None and event.block is not None:
        grid = tuple(  # type: ignore[assignment]
            binary("div", cast(size, I64), cast(block, I64), I64)
            for size, block in zip(event.global_size, event.block, strict=True)
        )
    params = node.kernel.params if node.kernel is not None else ()
    arguments = tuple((p.name, value) for p, value in zip(params, event.args, strict=False))
    sizes = {id(a.root): a for a in trace.allocations}
    extents = []
    for name, value in arguments:
        if isinstance(value, PointerValue) and id(value.root) in sizes:
            extents.append((name, _remaining(sizes[id(value.root)], value)))
    return LaunchFact(
        name=node.kernel.name if node.kernel is not None else node.name,
        span=node.span,
        node=node,
        grid=grid,
        block=event.block,
        shared=event.shared if event.shared is not None else (const(0) if node.api == "<<<>>>" else None),
        arguments=arguments,
        extents=tuple(extents),
        guards=event.guards,
        values=event.values,
        host=event.host,
    )


def _remaining(allocation: AllocationEvent, pointer: PointerValue) -> Term:
    return binary("sub", allocation.size, pointer.offset, I64)


host = ModuleAnalysis("host", _compute)
"""Launches, allocations and walks of a file's host functions."""


def _of_kernel(facts: Facts) -> tuple[LaunchFact, ...]:
    """Launches of this kernel: those of this very instance when some name it, else all that may ask for it."""
    everything = [
        launch
        for launch in facts[host].launches
        if launch.node.kernel is facts.function
        or launch.node.kernel is facts.kernel.function
        or launch.node.kernel in facts.kernel.instances
        or (launch.node.kernel is None and launch.name.split("<")[0] == facts.kernel.name)
    ]
    own = [launch for launch in everything if launch.node.kernel is facts.function]
    if own:
        return tuple(own)
    return tuple(filter(None, (_instantiated(launch, facts.function) for launch in everything)))


def _instantiated(launch: LaunchFact, function: FunctionDecl) -> LaunchFact | None:
    """A launch in a template as it is for ``function``, where the numbers of this instance are known; None: what the
    launch gives for them differs."""
    numbers = [int(_NUMBERS.get(text, text)) for _, text in function.template_args if _is_number(text)]
    if not launch.values or len(launch.values) > len(numbers):  # some are no plain numbers: which is whose?
        return launch
    bound: dict[Symbol, Term] = {}
    for value, number in zip(launch.values, numbers, strict=False):
        if not isinstance(value, Term):
            continue
        if value.value is not None and value.value != number:
            return None
        symbol = plain(value).symbol
        if symbol is not None and symbol.kind is SymbolKind.TEMPLATE:
            bound[symbol] = const(number, symbol.type)
    return _where(launch, bound) if bound else launch


def _where(launch: LaunchFact, bound: dict[Symbol, Term]) -> LaunchFact:
    """The launch with numbers for parameters of the template it is in."""

    def sizes(of: Sizes | None) -> Sizes | None:
        return of and (substitute(of[0], bound), substitute(of[1], bound), substitute(of[2], bound))

    shared = launch.shared and substitute(launch.shared, bound)
    return replace(launch, grid=sizes(launch.grid), block=sizes(launch.block), shared=shared)


_NUMBERS = {"true": "1", "false": "0"}


def _is_number(text: str) -> bool:
    return text in _NUMBERS or text.lstrip("-").isdigit()


launches = KernelAnalysis("launches", _of_kernel, needs=(host,))
"""The launches of one kernel that the file shows."""


def flat_axes(seen: tuple[LaunchFact, ...]) -> tuple[int, ...]:
    """The axes along which the blocks of all launches ``seen`` have one thread; none where one of them is not known."""
    known = [launch.block for launch in seen if launch.block is not None]
    if not known or len(known) < len(seen):
        return ()
    return tuple(axis for axis in range(3) if all(block[axis].value == 1 for block in known))
