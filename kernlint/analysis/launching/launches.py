"""Kernel launches of the same file: what the host passes, under which conditions, with which allocations.

Host functions are walked like kernels (see :mod:`kernlint.analysis.launching.host_walks`), so a grid of
``(n + block - 1) / block`` written through helpers, macros, lambdas or ``std::min`` becomes one term over the host's
variables, and the checks made before the launch are its guards.  Launches bind to kernels within one file only.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping

from kernlint.analysis.base import Facts, KernelAnalysis, ModuleAnalysis, ModuleFacts
from kernlint.analysis.hostmodel.places import not_null
from kernlint.analysis.hostmodel.settings import Setting, each_setting, name_of, settings_of
from kernlint.analysis.launching.binding import same_kernel
from kernlint.analysis.launching.element_types import of_other_elements
from kernlint.analysis.launching.handles import Handles, own_name
from kernlint.analysis.launching.host_walks import STEPS, Allowance, walked, walked_objects
from kernlint.analysis.launching.linked import Linked, asks_callers, linked, rounds_down
from kernlint.analysis.launching.on_the_way import OnTheWay
from kernlint.analysis.launching.only_kernel import fits_all, of_only
from kernlint.analysis.launching.typed_in import typed_in
from kernlint.analysis.trace import trace as traced
from kernlint.analysis.trace.events import AllocationEvent, Guard, GuardKind, LaunchEvent, Trace
from kernlint.analysis.trace.values import PointerValue, StructValue, Value
from kernlint.record import dataclass, replace
from kernlint.source import Span
from kernlint.symbolic.terms import TRUE, Symbol, SymbolKind, Term, binary, cast, const, plain, replaced, substitute
from kernlint.tree.nodes import FunctionDecl, Launch, Module, ParamDecl
from kernlint.tree.types import I64, IntType, OpaqueType

Sizes = tuple[Term, Term, Term]


@dataclass(frozen=True, slots=True, eq=False)
class LaunchFact:
    """One launch of a kernel.

    ``grid`` in blocks and ``block`` in threads (x, y, z), as terms over the host's variables; None when not known.
    ``shared``: dynamic shared memory in bytes.  ``arguments``: (parameter name, host value).  ``extents``: bytes
    behind pointer parameters, where the allocation is in sight.  ``guards``: what the host has checked.
    ``values``: what a launch in a template gives for the kernel's template parameters that are no types, in order.
    ``threads``: of the whole grid, where the host gives these.  ``settings``: arguments that were set one by one.
    ``host``: the function whose walk met the launch, perhaps by the calls at ``stack``, outermost first.
    ``event``, ``walk``: the launch in that walk.  ``passed``: the arguments in order, where they stand with the launch.
    ``allocated``: where the memory behind pointer parameters is allocated, as far as ``extents`` says how large it is.
    ``moved``: axes along which OpenCL's global ids need not begin at zero.  ``method``: what the ``host`` calls where
    that is a caller put together to make an object.  ``either``: an argument of the host chooses between this kernel
    and others.
    """

    name: str
    span: Span
    node: Launch
    kernel: FunctionDecl | None
    grid: Sizes | None
    block: Sizes | None
    shared: Term | None
    arguments: tuple[tuple[str, Value], ...]
    extents: tuple[tuple[str, Term], ...]
    guards: tuple[Guard, ...]
    values: tuple[Value, ...]
    host: FunctionDecl
    stack: tuple[Span, ...] = ()
    threads: Sizes | None = None
    settings: tuple[Setting, ...] = ()
    event: LaunchEvent | None = None
    walk: Trace | None = None
    passed: tuple[Value, ...] = ()
    allocated: tuple[tuple[str, Span], ...] = ()
    moved: frozenset[int] = frozenset()
    method: FunctionDecl | None = None
    either: bool = False

    @property
    def example(self) -> bool:
        """Whether who launches may just show how that is done: a program, or a function that is given no numbers, and
        all that it says of sizes are numbers, of grid and block, and among the arguments."""
        if any(isinstance(param.type, IntType) for param in self.host.params) and self.host.name != "main":
            return False
        sizes = (term for of in (self.grid, self.block) for term in of or ())
        passed = (value for _, value in self.arguments if isinstance(value, Term) and isinstance(value.type, IntType))
        return all(term.value is not None for term in (*sizes, *passed))

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
    """What walking the host code of a file gave: launches by kernel name, and the traces themselves.  ``objects``:
    methods walked once more, with an object as their class makes it.  ``whole``: no walk was left out for its cost.
    ``settings``: arguments that are set one by one, with the names of their kernels, whoever launches these."""

    launches: tuple[LaunchFact, ...]
    traces: tuple[tuple[FunctionDecl, Trace], ...]
    objects: tuple[tuple[FunctionDecl, Trace], ...] = ()
    whole: bool = True
    settings: tuple[tuple[str, Setting], ...] = ()


def _compute(facts: ModuleFacts) -> HostFacts:
    found: list[LaunchFact] = []
    traces: list[tuple[FunctionDecl, Trace]] = []
    allowance = Allowance(STEPS)
    handles = Handles(facts.module)
    for function, trace in walked(facts.module, allowance):
        traces.append((function, trace))
        for event in trace.launches:
            found += map(_with_typed, _facts(event, trace, handles))
    objects = tuple(walked_objects(facts.module, [function for function, _ in traces], allowance))
    for function, trace in objects:
        for event in trace.launches:
            found += (_with_typed(replace(one, method=function)) for one in _facts(event, trace, handles, 1))
    settings = tuple(
        (name, one)
        for _, trace in (*traces, *objects)
        for api, one in each_setting(trace.apis)
        if (name := handles.kernel_set(api))
    )
    return HostFacts(tuple(_of_callers(found)), tuple(traces), objects, not allowance.cut, settings)


def _of_callers(found: list[LaunchFact]) -> Iterator[LaunchFact]:
    """The launches to judge by: what a function's callers pass is what it gets.

    A function that other files can call is judged on its own too where its callers in sight are mere examples.
    """
    called: dict[Launch, list[LaunchFact]] = {}
    for fact in found:
        if fact.stack:
            called.setdefault(fact.node, []).append(fact)
    seen: set[object] = set()
    for fact in found:
        callers = called.get(fact.node, ()) if not fact.stack else ()
        if callers and (fact.host.internal or not all(one.example for one in callers)):
            continue
        widths = tuple((one.index, one.size, one.local) for one in fact.settings)
        key = fact.node, fact.name, fact.kernel, fact.grid, fact.block, fact.shared, fact.arguments, fact.guards, widths
        if key not in seen:
            seen.add(key)
            yield fact


def _facts(event: LaunchEvent, trace: Trace, handles: Handles, calls: int = 0) -> Iterator[LaunchFact]:
    """The launches that an event is of: of a function that nobody in sight calls but for the ``calls`` that are put
    together, each kernel that the arguments choose from has one."""
    for at, kernel in enumerate(event.kernels):
        fact = _fact(event, trace, kernel, kernel.name)
        when = event.chosen[at] if at < len(event.chosen) else TRUE
        chosen = () if when == TRUE else (Guard(when, GuardKind.BRANCH, event.span),)
        yield replace(fact, guards=(*fact.guards, *chosen)) if chosen else fact
    if not event.kernels:
        name = name_of(event, trace.apis) or handles.kernel_of(event)
        either = handles.either(event) if not name and len(event.stack) == calls else ()
        for one in either:
            yield replace(_fact(event, trace, None, one), either=True)
        if not either:
            yield _fact(event, trace, None, name or event.node.name)


def _fact(event: LaunchEvent, trace: Trace, kernel: FunctionDecl | None, name: str) -> LaunchFact:
    node = event.node
    grid = event.grid
    if grid is None and event.global_size is not None and event.block is not None:
        grid = tuple(  # type: ignore[assignment]
            const(1, I64) if size is block else binary("div", cast(size, I64), cast(block, I64), I64)
            for size, block in zip(event.global_size, event.block, strict=True)
        )
    params = kernel.params if kernel is not None else ()
    arguments = tuple((p.name, _taken(value, p)) for p, value in zip(params, event.args, strict=False))
    behind = tuple(_behind(arguments, trace))
    return LaunchFact(
        name=name,
        span=node.span,
        node=node,
        kernel=kernel,
        grid=grid,
        block=event.block,
        shared=event.shared if event.shared is not None else (const(0) if node.api == "<<<>>>" else None),
        arguments=arguments,
        extents=tuple((name, _remaining(allocation, value)) for name, value, allocation in behind),
        allocated=tuple((name, allocation.span) for name, _, allocation in behind),
        guards=event.guards,
        values=event.values,
        host=event.host,
        stack=event.stack,
        threads=event.global_size,
        settings=settings_of(event, trace.apis),
        event=event,
        walk=trace,
        passed=event.args,
        moved=event.moved,
    )


def _taken(value: Value, param: ParamDecl) -> Value:
    """An argument as its parameter takes it: the type of one in a template of the host is that template's to say."""
    if isinstance(value, Term) and isinstance(value.type, OpaqueType) and isinstance(param.type, IntType):
        return cast(value, param.type)
    return value


def _behind(
    arguments: Iterable[tuple[str, Value]], trace: Trace
) -> Iterator[tuple[str, PointerValue, AllocationEvent]]:
    """The arguments that lead to memory whose allocation the walk has met."""
    found = {id(allocation.root): allocation for allocation in trace.allocations}
    for name, value in (part for pair in arguments for part in _parts(*pair)):
        pointer = not_null(value)
        allocation = _allocation(pointer, found) if pointer is not None else None
        if pointer is not None and allocation is not None:
            yield name, pointer, allocation


def _allocation(pointer: PointerValue, found: Mapping[int, AllocationEvent]) -> AllocationEvent | None:
    """The allocation that a pointer leads to; of several that it exchanges with others, which are of one size, any."""
    own = found.get(id(pointer.root))
    if own is not None or not pointer.root.candidates:
        return own
    every = [found.get(id(one)) for one in pointer.root.candidates]
    first = every[0]
    alike = first is not None and all(one is not None and one.size == first.size for one in every)
    return first if alike else None


def _parts(name: str, value: Value) -> Iterator[tuple[str, Value]]:
    """An argument, or what a structure holds that is passed whole, by the names that the kernel knows it by."""
    if isinstance(value, StructValue):
        for field, inner in value.fields:
            yield from _parts(f"{name}.{field}", inner)
    else:
        yield name, value


def _remaining(allocation: AllocationEvent, pointer: PointerValue) -> Term:
    return binary("sub", allocation.size, pointer.offset, I64)


host = ModuleAnalysis("host", _compute)
"""Launches, allocations and walks of a file's host functions."""


def _of_kernel(facts: Facts) -> tuple[LaunchFact, ...]:
    """Launches of this kernel: those of this very instance when some name it, else all that may ask for it.  Of how
    many threads they are is left out where global ids do not begin at zero: it says nothing of where they end."""
    return tuple(replace(one, grid=None, threads=None) if one.moved else one for one in _all_of_kernel(facts))


def _all_of_kernel(facts: Facts) -> tuple[LaunchFact, ...]:
    everything: list[LaunchFact] = []
    around = facts[linked]
    for launch in _with_callers(around, facts.module, facts[host].launches, facts):
        ours = launch.kernel in (facts.function, facts.kernel.function, *facts.kernel.instances)
        if launch.kernel is not None:
            found = launch if ours else None
        else:
            named = _plain_name(launch) == facts.kernel.name
            found = (bound_to(launch, facts) or _in_order(launch, facts.function)) if named else None
        if found is not None:
            everything.append(found)
    own = [launch for launch in everything if launch.kernel is facts.function]
    elsewhere = facts.module_facts.hosts_of(facts.kernel.name)
    definers = facts.module_facts.definers_of(facts.kernel.name) if elsewhere else ()
    here = {launch.span for launch in facts[host].launches} if elsewhere else set()
    for other in elsewhere:
        seen = _named_by(elsewhere, other, other[host].launches)
        of_name = _with_callers(around, other.module, seen, facts)
        for launch in (*of_name, *_of_tables(around, elsewhere, other, facts)):
            if launch.span in here:
                continue  # the same launch as another reading of the file has it
            if launch.kernel is None and os.path.abspath(other.module.path) in definers:
                continue  # looked up by a name that the file has a kernel for
            bound = bound_to(launch, facts)
            if bound is not None:
                (own if bound.kernel is facts.function else everything).append(bound)
    if own:
        return tuple(own)
    if not everything:
        everything = [
            as_of(launch, facts) for launch in of_only(facts, lambda of: of[host].launches) if fits_all(launch, facts)
        ]
    mine = facts.function
    others = {one.bounds.max_threads for one in facts.kernel.instances} - {mine.bounds.max_threads}
    fitting = (one for one in everything if not (_of_other_numbers(one, mine) or _of_other_bounds(one, mine, others)))
    fitting = (one for one in fitting if not of_other_elements(one.node, one.kernel, mine))
    alike = (_of_other_types(one, mine, facts.kernel.function) for one in fitting)
    return tuple(filter(None, (_instantiated(launch, facts.function) for launch in alike)))


def _named_by(elsewhere: Iterable[ModuleFacts], own: ModuleFacts, seen: Iterable[LaunchFact]) -> Iterator[LaunchFact]:
    """The launches of one file, those of what another file looks up and keeps in a member by that name."""
    handles = Handles(own.module, tuple(one.module for one in elsewhere if one is not own))
    for launch in seen:
        event = launch.event
        open_ = event is not None and launch.kernel is None and launch.name == own_name(launch.node)
        name = handles.kernel_of(event) if open_ and event is not None else ""
        yield replace(launch, name=name) if name else launch


def _of_tables(
    around: Linked | None, elsewhere: Iterable[ModuleFacts], own: ModuleFacts, facts: Facts
) -> Iterator[LaunchFact]:
    """The launches of one file that take their kernel from a table by a number of callers in other files, where these
    say that it is this one."""
    others = tuple(one.module for one in elsewhere if one is not own)
    handles = Handles(own.module, others)
    for launch in own[host].launches if around is not None else ():
        event = launch.event
        if (
            around is None
            or event is None
            or launch.kernel is not None
            or facts.kernel.name not in handles.among(event)
        ):
            continue
        met = [one for one in _met(around, launch.host, own.module) if one.node is launch.node and _ends(one, launch)]
        called = Handles(own.module, (*others, *(module for module in around.known if module is not own.module)))
        for one in met:
            if one.event is not None and called.kernel_of(one.event) == facts.kernel.name:
                yield replace(one, name=facts.kernel.name)


def _with_callers(
    around: Linked | None, module: Module, seen: Iterable[LaunchFact], facts: Facts
) -> Iterator[LaunchFact]:
    """The launches ``seen`` in one file, those that may be of a kernel as the functions of other files make them: what
    callers there pass and have checked, and what functions do that other files define."""
    given: set[LaunchFact] = set()
    for launch in seen:
        met: tuple[LaunchFact, ...] = ()
        if around is not None and _plain_name(launch) == facts.kernel.name:
            sizes = (*(launch.block or ()), *([launch.shared] if launch.shared is not None else ()))
            sizes += tuple(size for size in launch.grid or () if rounds_down(size))
            asks = asks_callers(sizes, dict(launch.extents), facts[traced])
            if asks and launch.either:
                continue  # which of them say something of this kernel, nobody has asked
            met = _met(around, launch.method or launch.host, module) if asks else ()
        names = (launch.name, own_name(launch.node))
        found = [one for one in met if one.node is launch.node and one.name in names and _ends(one, launch)]
        if launch.method is not None and any(_of_less(one, launch) for one in found):
            found = []
        found = [one if one.name == launch.name else replace(one, name=launch.name) for one in found]
        others = [one for one in found if one.host is not (launch.method or launch.host)]
        if others and not all(one.example for one in others):
            found = others  # callers that compute what they pass are no mere examples
        own = len(others) < len(found)  # with what other files add to it
        yield from (one for one in found if one not in given)
        given.update(found)
        if not found or (not own and all(one.example for one in found)):
            yield launch


def _met(around: Linked, host: FunctionDecl, module: Module) -> tuple[LaunchFact, ...]:
    """The launches that walks over several files come by, which begin at a host function of ``module`` or its callers
    in other files."""
    known: tuple[LaunchFact, ...] | None = around.met.get(host)
    if known is None:
        walks = around.walks(host, module)
        handles = Handles(module) if walks else None
        known = around.met[host] = tuple(
            _where_made(fact)
            for _, trace in walks
            for event in trace.launches
            if handles is not None
            for fact in _facts(event, trace, handles)
        )
    return known


def _typed(launch: LaunchFact) -> dict[Term, Term]:
    """What somebody types in of the arguments of a launch and of the memory that these lead to, as variables."""
    values = (value for _, value in launch.arguments if isinstance(value, Term))
    return typed_in((*values, *(size for _, size in launch.extents)))


def _with_typed(launch: LaunchFact) -> LaunchFact:
    """A launch with what somebody types in as variables."""
    return _where_made(launch) if _typed(launch) else launch


def _where_made(launch: LaunchFact) -> LaunchFact:
    """A launch with its values, those that its checks compare among them, as the checks before it leave them, and what
    somebody types in as variables."""
    named = _typed(launch)
    guards = launch.guards
    if named:
        guards = tuple(replace(guard, term=replaced(guard.term, named)) for guard in guards)
    left = OnTheWay(guards, named)
    settled = tuple(replace(one, term=left.term(one.term)) for one in guards)

    def sizes(of: Sizes | None) -> Sizes | None:
        return of and (left.size(of[0]), left.size(of[1]), left.size(of[2]))

    return replace(
        launch,
        guards=(*guards, *(one for one, was in zip(settled, guards, strict=True) if one.term != was.term)),
        grid=sizes(launch.grid),
        block=sizes(launch.block),
        threads=sizes(launch.threads),
        settings=tuple(
            one if one.value is None else replace(one, value=left.value(one.value)) for one in launch.settings
        ),
        shared=launch.shared and left.term(launch.shared),
        arguments=tuple((name, left.value(value)) for name, value in launch.arguments),
        extents=tuple((name, left.term(size)) for name, size in launch.extents),
    )


def _ends(found: LaunchFact, launch: LaunchFact) -> bool:
    """Whether a walk from further away has come to a launch by the same calls."""
    stack = launch.stack if launch.method is None else launch.stack[1:]
    return not stack or found.stack[-len(stack) :] == stack


def _of_less(found: LaunchFact, launch: LaunchFact) -> bool:
    """Whether less is known of a launch where callers elsewhere have an object out of sight than where it is made."""
    if found.block != launch.block and launch.constant_block() is not None:
        return True
    return not _known_memory(launch) <= _known_memory(found)


def _known_memory(launch: LaunchFact) -> frozenset[str]:
    """The arguments of which it is known how much memory is behind them."""
    walk, given = launch.walk, ((str(one.index), one.value) for one in launch.settings if one.value is not None)
    behind = (name for name, _, _ in _behind(given, walk)) if walk is not None else ()
    return frozenset((*(name for name, _ in launch.extents), *behind))


def _of_other_numbers(launch: LaunchFact, function: FunctionDecl) -> bool:
    """Whether a launch names an instance with other numbers, which its block may well rest on: one that is looked at,
    or by its arguments one of those that are not."""
    kernel = launch.kernel
    known = kernel.template_args if kernel is not None else ()
    theirs = [text for _, text in known] or arguments_in(launch.node.name)
    mine = [text for _, text in function.template_args]
    return any(a != b and _is_number(a) and _is_number(b) for a, b in zip(theirs, mine, strict=False))


def arguments_in(name: str) -> list[str]:
    """The template arguments that a name is written with, ``pool<float, (1, 2), 8>``; none where it has none."""
    out, depth, start = [], 0, name.find("<") + 1
    if not start or not name.endswith(">"):
        return []
    for at, sign in enumerate(name[:-1] + ","):
        if at < start:
            continue
        depth += sign in "<([{"
        depth -= sign in ">)]}"
        if sign == "," and not depth:
            out.append(name[start:at].strip())
            start = at + 1
    return out


def _of_other_bounds(launch: LaunchFact, function: FunctionDecl, others: Collection[int | None]) -> bool:
    """Whether a launch has a larger block than an instance of a template is made for, or just that for which another
    is, with launch bounds of ``others``."""
    block, most = launch.constant_block(), function.bounds.max_threads
    if block is None or most is None or not function.template_args:
        return False
    threads = block[0] * block[1] * block[2]
    return threads > most or threads in others


def _of_other_types(launch: LaunchFact, function: FunctionDecl, template: FunctionDecl) -> LaunchFact:
    """A launch that names another instance, without the sizes of arrays that have other elements in this one; one that
    names none is for an instance that is not in sight where ``function`` is made up."""
    kernel = launch.kernel or (template if function.forced else None)
    if kernel is None or kernel is function or not launch.extents:
        return launch
    pairs = zip(kernel.params, function.params, strict=False)
    typed = kernel.template_args or (kernel is template and function.forced)
    other = {theirs.name for theirs, ours in pairs if theirs.type != ours.type} if typed else ()
    return replace(launch, extents=tuple(one for one in launch.extents if one[0] not in other)) if other else launch


def elements_made_up(facts: Facts, name: str) -> bool:
    """Whether the elements of a parameter have the type of a template argument that no code in sight gives."""
    pairs = zip(facts.kernel.function.params, facts.function.params, strict=False)
    return facts.function.forced and any(ours.name == name and ours.type != theirs.type for theirs, ours in pairs)


def _plain_name(launch: LaunchFact) -> str:
    """The name of what is launched, without scopes and arguments of a template (``ns::scale<128>``)."""
    return launch.name.split("<")[0].rpartition("::")[2].strip()


def bound_to(launch: LaunchFact, facts: Facts) -> LaunchFact | None:
    """A launch in another file as one of the kernel of ``facts``; None where it is of another kernel."""
    if _plain_name(launch) != facts.kernel.name or not same_kernel(launch.kernel, launch.node, facts):
        return None
    return as_of(launch, facts)


def as_of(launch: LaunchFact, facts: Facts) -> LaunchFact:
    """A launch as one of the kernel of ``facts``, with what is passed by the names that this has for it."""
    function = facts.function
    exact = launch.kernel is not None and launch.kernel.template_args == function.template_args
    known = dict(launch.arguments)
    names = [param.name for param in launch.kernel.params] if launch.kernel is not None else []
    arguments = tuple(
        (ours.name, known[theirs]) for ours, theirs in zip(function.params, names, strict=False) if theirs in known
    )
    renamed = dict(zip(names, (param.name for param in function.params), strict=False))
    extents = tuple((renamed.get(name, name), size) for name, size in launch.extents)
    more = tuple(_set_one_by_one(launch, function))
    if launch.kernel is None and len(launch.passed) == len(function.params):
        more += tuple(zip((param.name for param in function.params), launch.passed, strict=True))
    arguments += more
    behind = tuple(_behind(more, launch.walk)) if launch.walk is not None else ()
    extents += tuple((name, _remaining(allocation, value)) for name, value, allocation in behind)
    allocated = tuple((renamed.get(name, name), at) for name, at in launch.allocated)
    allocated += tuple((name, allocation.span) for name, _, allocation in behind)
    allocated += tuple(
        (function.params[one.index].name, one.span)
        for one in launch.settings
        if one.certain and one.local and one.index < len(function.params)
    )
    extents += tuple(
        (function.params[one.index].name, one.size)
        for one in launch.settings
        if one.certain and one.local and one.size is not None and one.index < len(function.params)
    )
    kernel = function if exact else facts.kernel.function
    return replace(launch, kernel=kernel, arguments=arguments, extents=extents, allocated=allocated)


def _in_order(launch: LaunchFact, function: FunctionDecl) -> LaunchFact:
    """A launch whose kernel the front end could not tell, with its arguments in the order of the parameters."""
    if launch.arguments or len(launch.passed) != len(function.params):
        return launch
    return replace(launch, arguments=tuple(zip((one.name for one in function.params), launch.passed, strict=True)))


def _set_one_by_one(launch: LaunchFact, function: FunctionDecl) -> Iterator[tuple[str, Value]]:
    for one in launch.settings:
        if one.certain and one.value is not None and one.index < len(function.params):
            yield function.params[one.index].name, one.value


def _instantiated(launch: LaunchFact, function: FunctionDecl) -> LaunchFact | None:
    """A launch in a template as it is for ``function``, where the numbers of this instance are known; None: what the
    launch gives for them differs."""
    numbers = _numbers(function)
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
    """The launch with numbers for parameters of the template it is in, in its sizes and in what the host has checked,
    passes and allocates for it."""

    def sizes(of: Sizes | None) -> Sizes | None:
        return of and (substitute(of[0], bound), substitute(of[1], bound), substitute(of[2], bound))

    return replace(
        launch,
        grid=sizes(launch.grid),
        block=sizes(launch.block),
        shared=launch.shared and substitute(launch.shared, bound),
        guards=tuple(replace(guard, term=substitute(guard.term, bound)) for guard in launch.guards),
        arguments=tuple((name, substitute(v, bound) if isinstance(v, Term) else v) for name, v in launch.arguments),
        extents=tuple((name, substitute(size, bound)) for name, size in launch.extents),
    )


_NUMBERS = {"true": "1", "false": "0"}


def speaks_of(launch: LaunchFact, function: FunctionDecl) -> bool:
    """Whether a launch of a kernel says something of the instance ``function``: not where numbers were made up for that
    one, other than the launch gives, as its sizes may rest on the true ones; on types they hardly do."""
    if not function.forced or launch.kernel is function:
        return True
    numbers = _numbers(function)
    return not numbers or [value.value for value in launch.values if isinstance(value, Term)] == numbers


def _numbers(function: FunctionDecl) -> list[int]:
    return [int(_NUMBERS.get(text, text)) for _, text in function.template_args if _is_number(text)]


def _is_number(text: str) -> bool:
    return text in _NUMBERS or text.lstrip("-").isdigit()


launches = KernelAnalysis("launches", _of_kernel, needs=(host, linked, traced))
"""The launches of one kernel that the file shows."""


def flat_axes(seen: tuple[LaunchFact, ...]) -> tuple[int, ...]:
    """The axes along which the blocks of all launches ``seen`` have one thread; none where one of them is not known."""
    known = [launch.block for launch in seen if launch.block is not None]
    if not known or len(known) < len(seen):
        return ()
    return tuple(axis for axis in range(3) if all(block[axis].value == 1 for block in known))
