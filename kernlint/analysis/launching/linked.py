"""Host functions of several files walked together, as a linker joins them.

What a launch is made with often stands in another file than the launch: a plan that a factory fills, limits that the
binding of an extension checks, a size that a helper rounds up.  For a launch whose function other files can call, walks
begin at their functions (:meth:`Linked.of`), and a call of a function that is only declared is followed into the file
of the project that defines it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Protocol

from kernlint.analysis.base import ModuleAnalysis, ModuleFacts
from kernlint.analysis.launching.binding import alike
from kernlint.analysis.launching.fixed_variables import Fixed, fixed_variables
from kernlint.analysis.launching.host_walks import Allowance, reaching
from kernlint.analysis.launching.makers import struct_given, with_maker
from kernlint.analysis.trace.events import Access, Guard, GuardKind, Trace
from kernlint.analysis.trace.run import trace_function
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import SymbolKind, Term, plain, subterms, symbols
from kernlint.tree.nodes import Call, FunctionDecl, FunctionKind, Module
from kernlint.tree.types import IntType, PointerType, Space, StructType, Type
from kernlint.tree.walk import walk

STEPS = 80_000
"""Steps of all such walks for the kernels of one file from which on no further one begins."""

WALK = 30_000
"""Steps, at most, of one of them."""

ENTRIES = 8
"""Functions of other files from which the launches of one function are met."""

_PYTHON = (".py", ".ipynb")
"""Programs whose functions no linker joins to others, though kernels stand in their strings."""

FAR = 2
"""Files between a caller and the launch that it leads to."""


class Links(Protocol):
    """What other files of the project have: see :class:`kernlint.run.linking.ProjectLinks`."""

    linked: Linked | None
    """What readings of a file without host code share: they add nothing to the functions around it."""

    def definition(self, function: FunctionDecl) -> FunctionDecl | None:
        """The definition of a function that one file declares."""

    def callers(self, function: FunctionDecl) -> tuple[ModuleFacts, ...]:
        """Files that call a function which another one defines."""

    def makers(self, name: str) -> tuple[ModuleFacts, ...]:
        """Files that may fill objects of a structure; none where there are too many to tell."""


class Linked:
    """Walks over the files around one that holds kernels, begun where somebody asks for the callers of a launch."""

    def __init__(self, links: Links) -> None:
        self.links = links
        self.allowance = Allowance(STEPS)
        self.met: dict[FunctionDecl, Any] = {}
        """What somebody has made of the walks that :meth:`walks` gave for a function."""
        self._traces: dict[FunctionDecl, Trace] = {}
        self._walks: dict[FunctionDecl, tuple[tuple[FunctionDecl, Trace], ...]] = {}
        self._defined: dict[FunctionDecl, FunctionDecl | None] = {}
        self._open: dict[FunctionDecl, bool] = {}
        self._by_name: dict[str, list[FunctionDecl]] = {}
        self.known: list[Module] = []
        """The modules that walks have gone through."""
        self._fixed: list[Fixed] = []
        """The numbers that variables of each known module hold."""

    def walks(self, function: FunctionDecl, module: Module) -> tuple[tuple[FunctionDecl, Trace], ...]:
        """Walks that come by a host function of ``module`` with more than its file tells: from callers in other files,
        or from itself where a function is called on the way that another file defines."""
        found = self._walks.get(function)
        if found is None:
            self._walks[function] = ()
            found = self._walks[function] = tuple(self._walked(function, module))
        return found

    def _walked(self, function: FunctionDecl, module: Module) -> Iterator[tuple[FunctionDecl, Trace]]:
        if (
            module.written_in == "python"
            or function.span.file.endswith(_PYTHON)
            or function.template_params
            or function.generic is not None
            or function not in module.functions
        ):
            return
        self._take(module)
        entries = list(dict.fromkeys(self._entries(function, FAR)))[:ENTRIES]
        examples = all(one.name == "main" for one in entries)  # of what it may be called with
        if not entries and self._calls_elsewhere(function):
            entries = [function]
        elif examples and (kind := struct_given(function)) is not None:
            makers = self.links.makers(kind.name.rpartition("::")[2])
            modules = dict.fromkeys((module, *(facts.module for facts in makers)))
            others = [one for of in modules for one in of.functions if one.body is not None and _on_host(one)]
            caller = with_maker(function, others)
            if caller is not None:
                for one in modules:
                    self._take(one)
                entries.append(caller)
        elif examples and self._calls_elsewhere(function):
            entries.append(function)
        for entry in entries:
            known = self._traces.get(entry)
            if known is None and self.allowance.walks():
                fixed = {place: value for one in self._fixed for place, value in one.items()}
                known = self._traces[entry] = trace_function(entry, module.language, None, fixed, self.defined, WALK)
                self.allowance.left -= known.steps
            if known is not None:
                yield entry, known

    def _take(self, module: Module) -> None:
        if module not in self.known:
            self.known.append(module)
            self._fixed.append(fixed_variables(module))
            for function in module.functions:
                if function.body is not None:
                    self._by_name.setdefault(function.qualified, []).append(function)

    def _entries(self, function: FunctionDecl, far: int) -> Iterator[FunctionDecl]:
        """The functions of other files from which calls lead to ``function``, outermost ones."""
        if far <= 0 or function.internal or function.name == "main":
            return
        for facts in self.links.callers(function):
            module = facts.module
            functions = [one for one in module.functions if one.body is not None and _on_host(one)]
            calling = [one for one in functions if any(same(called, function) for called in _called(one))]
            if not calling:
                continue
            self._take(module)
            calls = {one: [called for called in _called(one) if called in functions] for one in functions}
            over = reaching(calls, calling)
            within = {callee for one in over for callee in calls[one] if callee is not one}
            for entry in (one for one in functions if one in over and one not in within):
                further = list(self._entries(entry, far - 1))
                yield from further or (entry,)

    def defined(self, function: FunctionDecl) -> FunctionDecl | None:
        """The definition of a function that is only declared where it is called."""
        if function not in self._defined:
            known = (one for one in self._by_name.get(function.qualified, ()) if same(function, one))
            self._defined[function] = next(known, None)
            if self._defined[function] is None and _tells(function):
                self._defined[function] = self.links.definition(function)
        return self._defined[function]

    def _calls_elsewhere(self, function: FunctionDecl) -> bool:
        """Whether a function, or one that it calls, calls a function that another file defines."""
        if function not in self._open:
            self._open[function] = False
            self._open[function] = any(
                self._calls_elsewhere(called) if called.body is not None else self.defined(called) is not None
                for called in _called(function)
            )
        return self._open[function]


def is_open(size: Term) -> bool:
    """Whether a size of the host rests on what its callers or its data say."""
    return any(symbol.kind in _OPEN for symbol in symbols(size))


def rounds_down(size: Term) -> bool:
    """Whether a size of a grid may leave part of a block over: a quotient to which nothing is added before."""
    return any(
        part.op == "div" and not polynomial(part.args[0]).coefficients.get((), 0)
        for part in (size, *(size.terms if size.op in ("cast", "add", "max") else ()))
    )


def asks_callers(sizes: Iterable[Term], behind: Mapping[str, Term], kernel: Trace) -> bool:
    """Whether a launch, of which the host says ``sizes`` (block, shared memory, a grid that is rounded down) and how
    much memory there is ``behind`` parameters, leaves something open that callers may tell: a size, how large the
    memory is that a kernel touches without a test, or by numbers alone, which places of an array or of memory of
    constant length an argument makes or bounds, or whether a barrier is for threads that an argument lets through."""
    if any(map(is_open, sizes)):
        return True
    doubtful = _doubtful(kernel)
    return doubtful is None or any(_left_open(access, behind.get(access.root.name)) for access in doubtful)


@lru_cache(maxsize=16)
def _doubtful(kernel: Trace) -> tuple[Access, ...] | None:
    """The accesses of a kernel of which callers tell something if they tell how much memory there is behind them; None
    where they do whatever that is."""
    if any(_by_argument(g.term, True) for one in kernel.barriers for g in one.guards if g.kind in _TESTS):
        return None
    found: list[Access] = []
    for access in kernel.accesses:
        root = access.root
        if root.space is Space.GLOBAL:
            blocks = _of_blocks(access.offset)
            tested = any(_tests_block(guard, blocks) for guard in access.guards)
            kept = tested or any(t.op in _CLAMPS for t in subterms(access.offset))
            if access.offset.value is None and not kept:
                return None
            if access.offset.value is None:
                found.append(access)
        elif root.extent is not None and any(map(_by_argument, (access.offset, *_rounds(access)))):
            return None
    return tuple(found)


def _left_open(access: Access, size: Term | None) -> bool:
    """Whether callers tell what of memory of a ``size`` an access gets to."""
    if size is None:
        return False
    if size.value is not None:
        return any(map(_by_argument, (access.offset, *_rounds(access))))
    return is_open(size) and _by_numbers(access)


def _by_numbers(access: Access) -> bool:
    """Whether which place is touched, and whether it is, rests on nothing that the launch passes."""
    terms = (access.offset, *(guard.term for guard in access.guards if guard.kind is not GuardKind.ASSERT))
    return all(symbol.kind is not SymbolKind.PARAM for term in terms for symbol in symbols(term))


def _tests_block(guard: Guard, blocks: bool) -> bool:
    """Whether a condition may keep out the surplus blocks or threads of a launch, the ``blocks`` where these make the
    place: a loop along the row that a thread or a block has does not, nor does what picks a thread of each block.  Of
    a place that may be as large as an argument (``i <= n``) callers know whether there is such a one."""
    if guard.kind is GuardKind.ASSERT or (guard.term.op == "le" and _is_argument(guard.term.args[1])):
        return False
    return _of_blocks(guard.term) or not (blocks or guard.kind is GuardKind.LOOP)


def _is_argument(term: Term) -> bool:
    symbol = plain(term).symbol
    return symbol is not None and symbol.kind is SymbolKind.PARAM


def _of_blocks(term: Term) -> bool:
    return any(symbol.kind is SymbolKind.BLOCK for symbol in symbols(term))


def _rounds(access: Access) -> Iterator[Term]:
    """What says how far loops go that a place is counted in."""
    if any(one.kind in (SymbolKind.COUNTER, SymbolKind.PHI) for one in symbols(access.offset)):
        yield from (guard.term for guard in access.guards if guard.kind is GuardKind.LOOP)


def _by_argument(term: Term, thread: bool = False) -> bool:
    """Whether an argument has a say in a value, and the thread does where that is asked."""
    kinds = {symbol.kind for symbol in symbols(term)}
    return SymbolKind.PARAM in kinds and (not thread or SymbolKind.THREAD in kinds)


_CLAMPS = frozenset({"min", "max"})
"""What keeps a place of surplus threads inside as a test does."""

_TESTS = frozenset({GuardKind.BRANCH, GuardKind.EXIT})

_OPEN = frozenset({SymbolKind.PARAM, SymbolKind.LOAD, SymbolKind.UNKNOWN})


def _tells(function: FunctionDecl) -> bool:
    """Whether a call of a function gives a number or a truth, or may set what it is given."""
    if isinstance(function.result, (IntType, StructType)) or function.this is not None:
        return True
    if isinstance(function.result, PointerType) and isinstance(function.result.pointee, StructType):
        return True
    kinds = (param.type for param in function.params)
    return any(isinstance(kind, PointerType) and not kind.const and _is_record(kind.pointee) for kind in kinds)


def _is_record(kind: Type) -> bool:
    return isinstance(kind, (IntType, StructType, PointerType))


def _called(function: FunctionDecl) -> Iterable[FunctionDecl]:
    """The functions that a function calls."""
    assert function.body is not None
    return dict.fromkeys(
        node.function for node in walk(function.body) if isinstance(node, Call) and node.function is not None
    )


def _on_host(function: FunctionDecl) -> bool:
    return function.kind in (FunctionKind.HOST, FunctionKind.BOTH)


def same(declared: FunctionDecl, defined: FunctionDecl) -> bool:
    """Whether a function that one file declares is the one that another defines."""
    if declared.body is not None or declared.internal or defined.internal:
        return False
    if declared.qualified != defined.qualified or len(declared.params) != len(defined.params):
        return False
    return all(alike(a.type, b.type) for a, b in zip(declared.params, defined.params, strict=True))


def _compute(facts: ModuleFacts) -> Linked | None:
    links: Links | None = facts.links
    if links is None:
        return None
    if any(one.body is not None and _on_host(one) for one in facts.module.functions):
        return Linked(links)
    if links.linked is None:
        links.linked = Linked(links)
    return links.linked


linked = ModuleAnalysis("linked", _compute)
"""The host functions around a file; None: nobody knows its project."""
