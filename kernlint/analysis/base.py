"""Analyses as values, and the facts they compute.

An :class:`Analysis` is a name, a function of :class:`Facts` and the analyses that function needs.  ``facts[a]``
computes ``a`` the first time and remembers it.  What is asked for must have been declared: a rule's or an
analysis's needs are therefore a complete account of what it rests on, and they are checked before a file is read.

There are two levels.  A :class:`KernelAnalysis` sees one variant of one kernel; a :class:`ModuleAnalysis` sees a
whole file (host launches, allocations) and is shared by all kernels of it.  Both are asked for as ``facts[a]``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from kernlint.record import dataclass, field
from kernlint.source import Span
from kernlint.targets import Target
from kernlint.timing import Timings
from kernlint.tree.nodes import FunctionDecl, Kernel, Loss, Module
from kernlint.tree.walk import Callees, reached_from

T = TypeVar("T")


class UndeclaredNeed(Exception):
    """An analysis or a rule asked for a fact that is not among its declared needs."""


class BadGraph(Exception):
    """The graph of needs is not sound: a cycle, two analyses of one name, a file-level one that needs a kernel."""


class AnalysisFailed(Exception):
    """An analysis raised; ``__cause__`` is what it raised.  ``name``: the analysis."""

    def __init__(self, name: str, cause: BaseException) -> None:
        super().__init__(f"analysis {name} failed: {type(cause).__name__}: {cause}")
        self.name = name
        self.__cause__ = cause


@dataclass(frozen=True, slots=True)
class Stated:
    """An assumption in the words of the user (see :mod:`kernlint.analysis.assumptions`).

    ``span``: where it stands in a source file; None: it is said of every kernel, or of those called ``kernel``.
    ``until``: what begins up to this offset is the code directly below it.
    """

    text: str
    span: Span | None = None
    until: int = 0
    kernel: str = ""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a comment says of the array ``name`` (``*``: of all arrays of floating-point numbers): its extents in
    elements as C expressions, the slowest first if they are ``ordered``.  ``span``, ``until``: as of
    :class:`Stated`."""

    name: str
    dims: tuple[str, ...]
    ordered: bool
    span: Span
    until: int


@dataclass(frozen=True, slots=True)
class Rounded:
    """What a comment says of a launch: that its grid is rounded up along ``axes``.  ``span``, ``until``: as of
    :class:`Stated`."""

    axes: frozenset[int]
    span: Span
    until: int


@dataclass(frozen=True, slots=True)
class Sentinel:
    """What a comment says of the numbers in the array ``name``: that some are ``value``, which is no place.  ``span``,
    ``until``: as of :class:`Stated`."""

    name: str
    value: int
    span: Span
    until: int


@dataclass(frozen=True, slots=True)
class BuiltFor:
    """An architecture that a comment says the file is built for, and the lanes of its warps (wavefronts)."""

    name: str
    lanes: int
    span: Span


@dataclass(frozen=True, slots=True)
class AnalysisOptions:
    """What the user says about the launch and the target, as far as analyses and rules may use it.

    ``targets``: named architectures (none: only what all share may be held against a kernel).  ``block`` in
    threads and ``grid`` in blocks, each (x, y, z), when a launch was given by hand.  ``defines``: macros given
    on the command line or in the configuration.  ``pedantic``: notes are wanted too.  ``stated``:
    assumptions, those in comments of the file among them.  ``unlike``: comments of the file that promise that no
    element occurs twice in an index array; ``multiples``: names that they say stand for multiples of a number;
    ``ranges``: the least and the greatest value that they say names stand for (None: not said); ``shapes``: what they
    say of the extents of arrays; ``rounded``: what they say of grids that are rounded up;
    ``sentinels``: of numbers in index arrays that are no place; ``levels``: of how many levels trees have;
    ``built_for``: of the architectures that the file is built for; ``single_alone``: whether they say that there is no
    double precision; ``spare``: the buffers that have memory behind their last element (``<read>``, ``<written>``: all
    that are).
    """

    targets: tuple[Target, ...] = ()
    block: tuple[int, int, int] | None = None
    grid: tuple[int, int, int] | None = None
    defines: tuple[str, ...] = ()
    pedantic: bool = False
    stated: tuple[Stated, ...] = ()
    unlike: tuple[Stated, ...] = ()
    multiples: tuple[tuple[str, int], ...] = ()
    ranges: tuple[tuple[str, tuple[int | None, int | None]], ...] = ()
    amounts: tuple[tuple[int, ...], ...] = ()
    shapes: tuple[Shape, ...] = ()
    rounded: tuple[Rounded, ...] = ()
    sentinels: tuple[Sentinel, ...] = ()
    spare: frozenset[str] = frozenset()
    levels: int | None = None
    built_for: tuple[BuiltFor, ...] = ()
    single_alone: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class KernelAnalysis(Generic[T]):
    """A fact about one variant of one kernel: ``compute(facts)`` gives it, using no fact outside ``needs``."""

    name: str
    compute: Callable[[Facts], T]
    needs: Sequence[AnyAnalysis] = ()


@dataclass(frozen=True, slots=True, eq=False)
class ModuleAnalysis(Generic[T]):
    """A fact about one file: ``compute(module_facts)`` gives it; its ``needs`` are file-level too."""

    name: str
    compute: Callable[[ModuleFacts], T]
    needs: Sequence[ModuleAnalysis[Any]] = ()


Analysis = KernelAnalysis
"""The usual kind: ``accesses = Analysis("accesses", compute, needs=(values, guards))``."""

AnyAnalysis = KernelAnalysis[Any] | ModuleAnalysis[Any]


@dataclass(slots=True)
class _Store:
    """Results so far, and what raised instead of giving one.  ``reached``, ``callees``: see the facts' own."""

    results: dict[AnyAnalysis, Any] = field(default_factory=dict)
    failures: dict[AnyAnalysis, AnalysisFailed] = field(default_factory=dict)
    reached: tuple[FunctionDecl, ...] = ()
    callees: Callees = field(default_factory=dict)

    def get(self, analysis: AnyAnalysis, facts: Any, timings: Timings) -> Any:
        """The result of an analysis that is not among those so far."""
        if analysis in self.failures:
            raise self.failures[analysis]
        try:
            with timings.measure(f"analysis {analysis.name}"):
                result = analysis.compute(facts)
        except (UndeclaredNeed, AnalysisFailed):
            raise
        except Exception as error:
            self.failures[analysis] = failure = AnalysisFailed(analysis.name, error)
            raise failure from error
        self.results[analysis] = result
        return result


class ModuleFacts:
    """Facts about one file.  ``module``: its tree; ``options``: what the user says; ``hosts_of``: gives facts of other
    files that may launch a kernel of some name; ``definers_of``: the paths of those that have such a kernel of their
    own; ``namers_of``: the texts of other host files in which a name stands (it costs a look into every file);
    ``built_for``: the NVIDIA architectures that the builds of the project name, as 35 for ``sm_35`` (none: open);
    ``links``: gives functions of other files that it calls or that call it (None: no project is around)."""

    __slots__ = (
        "_allowed",
        "_asker",
        "_store",
        "built_for",
        "definers_of",
        "hosts_of",
        "links",
        "module",
        "namers_of",
        "options",
        "timings",
    )

    def __init__(
        self,
        module: Module,
        options: AnalysisOptions | None = None,
        timings: Timings | None = None,
        hosts_of: Callable[[str], tuple[ModuleFacts, ...]] = lambda kernel: (),
        definers_of: Callable[[str], tuple[str, ...]] = lambda kernel: (),
        namers_of: Callable[[str], tuple[bytes, ...]] = lambda name: (),
        built_for: Callable[[], tuple[int, ...]] = tuple,
        links: Any = None,
    ) -> None:
        self.links = links
        self.hosts_of = hosts_of
        self.namers_of = namers_of
        self.definers_of = definers_of
        self.built_for = built_for
        self.module = module
        self.options = options or AnalysisOptions()
        self.timings = timings or Timings()
        self._store = _Store()
        self._allowed: Sequence[AnyAnalysis] | None = None
        self._asker = ""

    @property
    def callees(self) -> Callees:
        """Who calls whom in the file, as far as somebody has asked."""
        return self._store.callees

    def known(self, analysis: ModuleAnalysis[T]) -> T | None:
        """The fact if somebody has asked for it; None else."""
        result: T | None = self._store.results.get(analysis)
        return result

    def scoped(self, asker: str, needs: Sequence[AnyAnalysis]) -> ModuleFacts:
        """The same facts, seen by ``asker``, who may ask for ``needs`` alone."""
        view = object.__new__(ModuleFacts)
        view.module, view.options, view.timings, view._store = self.module, self.options, self.timings, self._store
        view._allowed, view._asker, view.hosts_of = needs, asker, self.hosts_of
        view.definers_of, view.namers_of, view.built_for = self.definers_of, self.namers_of, self.built_for
        view.links = self.links
        return view

    def __getitem__(self, analysis: ModuleAnalysis[T]) -> T:
        """The fact, computed at most once for the file.

        Raises :class:`UndeclaredNeed`, and :class:`AnalysisFailed` when computing it raised (now or earlier).
        """
        _check_declared(analysis, self._asker, self._allowed)
        result: T
        if analysis in self._store.results:
            result = self._store.results[analysis]
            return result
        result = self._store.get(analysis, self.scoped(analysis.name, analysis.needs), self.timings)
        return result


class Facts:
    """Facts about one variant of one kernel.

    ``kernel`` is the kernel as written, ``function`` the variant under analysis (an instance of a template, or the
    function itself), ``module`` the file it stands in, ``module_facts`` what is known of that file.
    """

    __slots__ = ("_allowed", "_asker", "_store", "function", "kernel", "module_facts")

    def __init__(self, module_facts: ModuleFacts, kernel: Kernel, function: FunctionDecl | None = None) -> None:
        self.module_facts = module_facts
        self.kernel = kernel
        self.function = function or kernel.variants[0]
        self._store = _Store()
        self._allowed: Sequence[AnyAnalysis] | None = None
        self._asker = ""

    @property
    def module(self) -> Module:
        """The file that the kernel stands in."""
        return self.module_facts.module

    @property
    def options(self) -> AnalysisOptions:
        """What the user says about launch and target."""
        return self.module_facts.options

    @property
    def timings(self) -> Timings:
        """Where the time of the analyses goes."""
        return self.module_facts.timings

    @property
    def reached(self) -> tuple[FunctionDecl, ...]:
        """The variant and every function with a body that it can call."""
        if not self._store.reached:
            self._store.reached = tuple(reached_from((self.function,), self.module_facts.callees))
        return self._store.reached

    @property
    def losses(self) -> tuple[Loss, ...]:
        """What the variant and the functions that it can call lost on their way into the tree."""
        return tuple([loss for function in self.reached for loss in function.losses])

    def scoped(self, asker: str, needs: Sequence[AnyAnalysis]) -> Facts:
        """The same facts, seen by ``asker``, who may ask for ``needs`` alone."""
        view = object.__new__(Facts)
        view.module_facts = self.module_facts.scoped(asker, needs)
        view.kernel, view.function, view._store = self.kernel, self.function, self._store
        view._allowed, view._asker = needs, asker
        return view

    def __getitem__(self, analysis: KernelAnalysis[T] | ModuleAnalysis[T]) -> T:
        """The fact, computed at most once for this variant (for the file, when it is a file-level one).

        Raises :class:`UndeclaredNeed`, and :class:`AnalysisFailed` when computing it raised (now or earlier).
        """
        if isinstance(analysis, ModuleAnalysis):
            return self.module_facts[analysis]
        _check_declared(analysis, self._asker, self._allowed)
        result: T
        if analysis in self._store.results:
            result = self._store.results[analysis]
            return result
        result = self._store.get(analysis, self.scoped(analysis.name, analysis.needs), self.timings)
        return result


def _check_declared(analysis: AnyAnalysis, asker: str, allowed: Sequence[AnyAnalysis] | None) -> None:
    if allowed is not None and analysis not in allowed:
        raise UndeclaredNeed(f"{asker} asks for {analysis.name}, which is not among its declared needs")


def check_graph(roots: Iterable[AnyAnalysis]) -> tuple[AnyAnalysis, ...]:
    """Everything that ``roots`` rest on, needs before those who need them.

    Raises :class:`BadGraph` for a cycle (naming its members), for two analyses that share a name, for a file-level
    analysis that needs a kernel-level one, and for a need that is no analysis.
    """
    order: list[AnyAnalysis] = []
    names: dict[str, AnyAnalysis] = {}
    path: list[AnyAnalysis] = []

    def visit(analysis: AnyAnalysis, asker: str) -> None:
        if not isinstance(analysis, KernelAnalysis | ModuleAnalysis):
            raise BadGraph(f"{asker} needs {analysis!r}, which is not an analysis")
        if analysis in path:
            members = [a.name for a in path[path.index(analysis) :]]
            raise BadGraph(f"analyses need each other in a circle: {' -> '.join([*members, analysis.name])}")
        if names.setdefault(analysis.name, analysis) is not analysis:
            raise BadGraph(f"two analyses are called {analysis.name}")
        if analysis in order:
            return
        path.append(analysis)
        for need in analysis.needs:
            if isinstance(analysis, ModuleAnalysis) and isinstance(need, KernelAnalysis):
                raise BadGraph(f"the file-level analysis {analysis.name} needs the kernel-level {need.name}")
            visit(need, analysis.name)
        path.pop()
        order.append(analysis)

    for root in roots:
        visit(root, "the caller")
    return tuple(order)
