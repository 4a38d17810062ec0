"""Walks of a file's host functions that come by a launch.

A walk begins at a function that nobody in sight calls and follows the calls from there, so that a launch in a helper is
met with what its callers pass and have checked, and a kernel handed to a launcher is known.  What no such walk comes by
(calls that are not followed, walks that end early) is walked from the function that holds it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kernlint.analysis.launching.fixed_variables import fixed_variables
from kernlint.analysis.launching.objects import with_objects
from kernlint.analysis.trace.events import Trace
from kernlint.analysis.trace.run import trace_function
from kernlint.apis.libraries import goes_through
from kernlint.record import dataclass
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import Call, FunctionDecl, FunctionKind, FunctionRef, Launch, Module, Node
from kernlint.tree.walk import walk

WALKS = 400
"""Host functions of one file that are walked; those that hold launches themselves come first."""

STEPS = 500_000
"""Steps of all walks of one file from which on no further one begins; some hundred thousand take a second."""


@dataclass(slots=True)
class Allowance:
    """What the walks of one file may still cost, in steps; ``cut``: one was not begun."""

    left: int
    cut: bool = False

    def walks(self) -> bool:
        """Whether another walk is begun."""
        self.cut = self.cut or self.left <= 0
        return self.left > 0


def walked(module: Module, allowance: Allowance) -> Iterator[tuple[FunctionDecl, Trace]]:
    """The functions from which walks begin, each with its trace, as far as the ``allowance`` goes."""
    functions = [f for f in module.functions if f.body is not None and _on_host(f)]
    calls, launching = _calls(functions), {}
    for function in functions:
        assert function.body is not None
        launching[function] = [node for node in walk(function.body) if isinstance(node, Launch)]
    over_launches = reaching(calls, [function for function in functions if launching[function]])
    called = {callee for function in over_launches for callee in calls[function] if callee is not function}
    instantiated = {f.generic for f in functions if f.generic is not None}
    destructors = {f.qualified.rpartition("::~")[0]: f for f in functions if "::~" in f.qualified and f.generic is None}
    fixed = fixed_variables(module)
    met: set[Launch] = set()
    done: set[FunctionDecl] = set()

    def walks(chosen: Iterable[FunctionDecl]) -> Iterator[tuple[FunctionDecl, Trace]]:
        for function in chosen:
            if len(done) < WALKS and function not in done and allowance.walks():
                done.add(function)
                trace = trace_function(function, module.language, destructors, fixed)
                allowance.left -= trace.steps
                met.update(event.node for event in trace.launches)
                yield function, trace

    entries = [f for f in functions if f in over_launches and f not in called and f not in instantiated]
    yield from walks(sorted(entries, key=lambda function: not launching[function]))
    # What others can call is asked about by itself too: whoever compares the two decides (see `launches`).
    own = (f for f in functions if launching[f] and not f.internal and f.generic is None and f not in instantiated)
    yield from walks(own)
    yield from walks(f for f in functions if f not in instantiated and not met.issuperset(launching[f]))
    # What only copies, fills or frees: by itself, and with what it is given where nobody in sight calls.
    working = [f for f in functions if f not in over_launches and _works(f)]
    yield from walks(f for f in working if f not in instantiated)
    over = reaching(calls, working)
    within = {callee for function in over for callee in calls[function] if callee is not function}
    yield from walks(f for f in functions if f in over and f not in within and f not in instantiated)


OBJECTS = 60
"""Methods of one file that are walked with an object of their class."""


def walked_objects(
    module: Module, begun: Iterable[FunctionDecl], allowance: Allowance
) -> Iterator[tuple[FunctionDecl, Trace]]:
    """Those of the functions ``begun``, from which walks begin, that are methods, each with the trace of a caller that
    makes their object (:mod:`~.objects`)."""
    methods = [function for function in begun if function.this is not None]
    if methods:
        callers = with_objects([f for f in module.functions if f.body is not None and _on_host(f)])
        for function in [one for one in methods if one in callers][:OBJECTS]:
            if not allowance.walks():
                break
            trace = trace_function(callers[function], module.language)
            allowance.left -= trace.steps
            yield function, trace


_RUNTIME = pattern(
    r"(?:cuda|hip)(?:Malloc|Mem|Free|Host)\w*|cl(?:Enqueue|Create|Release|SetKernel|Get\w+Info)\w*|cuMem\w*"
    r"|cl::CommandQueue::enqueue\w+|cl::Kernel::setArg"
)


def _works(function: FunctionDecl) -> bool:
    """Whether a function calls functions of a runtime that have to do with memory, or of a library that count."""
    assert function.body is not None
    return any(
        isinstance(node, Call)
        and (node.function is None or node.function.body is None)
        and (_RUNTIME.fullmatch(node.name) or goes_through(node.name))
        for node in walk(function.body)
    )


def _on_host(function: FunctionDecl) -> bool:
    return function.kind in (FunctionKind.HOST, FunctionKind.BOTH)


def _calls(functions: list[FunctionDecl]) -> dict[FunctionDecl, list[FunctionDecl]]:
    """The functions that each of ``functions`` calls or names."""
    ours = set(functions)
    found: dict[FunctionDecl, list[FunctionDecl]] = {}
    for function in functions:
        assert function.body is not None
        named = (_named(node) for node in walk(function.body))
        found[function] = [callee for callee in dict.fromkeys(named) if callee is not None and callee in ours]
    return found


def _named(node: Node) -> FunctionDecl | None:
    return node.function if isinstance(node, (Call, FunctionRef)) else None


def reaching(calls: dict[FunctionDecl, list[FunctionDecl]], ends: list[FunctionDecl]) -> set[FunctionDecl]:
    """``ends`` and whoever gets to one of them by calls."""
    callers: dict[FunctionDecl, list[FunctionDecl]] = {}
    for function, callees in calls.items():
        for callee in callees:
            callers.setdefault(callee, []).append(function)
    found = set(ends)
    todo = list(ends)
    while todo:
        for caller in callers.get(todo.pop(), ()):
            if caller not in found:
                found.add(caller)
                todo.append(caller)
    return found
