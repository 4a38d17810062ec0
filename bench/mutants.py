"""Kernels to mutate, launches under which they run clean, and the mutants themselves.

A kernel is taken out of its file (other kernels and the host code that launches them are blanked, so that lines stay
where they were), given a launch and arguments, and run in the block emulator.  The buffers behind its pointers are as
long as the run of the unchanged kernel needs, to the byte; a mutant that reaches further is out of bounds.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from kernlint.frontends.base import FrontendError, FrontendOptions
from kernlint.prove.emulate import Argument, Budget, Buffer, Fault, FaultKind, Index, LaunchSpec, Outcome, run
from kernlint.prove.emulate.running import reach
from kernlint.run.engine import default_frontend
from kernlint.source import SourceFile
from kernlint.tree.nodes import (
    Atomic,
    Barrier,
    Binary,
    Block,
    Break,
    Call,
    Conditional,
    Continue,
    Deref,
    DoWhile,
    Expr,
    ExprStmt,
    For,
    FunctionDecl,
    If,
    Kernel,
    LaunchValue,
    Module,
    Node,
    Ref,
    Return,
    Scope,
    Stmt,
    Subscript,
    While,
)
from kernlint.tree.types import ArrayType, FloatType, IntType, PointerType, Space
from kernlint.tree.walk import functions_of, walk

BUDGET = Budget(steps=600_000, faults=64, blocks=4)
TRIES = 20
"""Launches and arguments tried for one kernel."""


def wave(language: str) -> int:
    """Threads that run in step."""
    return 64 if language == "hip" else 32


FAULTS = frozenset({FaultKind.RACE, FaultKind.OUT_OF_BOUNDS, FaultKind.BARRIER_DIVERGENCE, FaultKind.UNINITIALISED})


def content(cell: int) -> int:
    """What every buffer holds before the launch, by index of the scalar cell: small, and not the same next door."""
    return (cell * 7 + 3) % 5


OTHER_CONTENTS = (lambda cell: (cell * 5 + 1) % 4, lambda cell: (cell * 11 + 2) % 7)
"""Other things that buffers may hold: a fault that does not show with these too rests on data."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A launch with all arguments.

    ``extents`` in bytes of the memory behind each pointer parameter, ``elements`` the bytes of one of its elements;
    ``shared`` in bytes of dynamic shared memory, ``dynamic`` the bytes of an element of each array that lies there.
    """

    block: Index
    grid: Index
    scalars: dict[str, int | float]
    extents: dict[str, int]
    elements: dict[str, int]
    shared: int | None
    dynamic: dict[str, int]

    def outcome(
        self,
        function: FunctionDecl,
        language: str,
        *,
        endless: bool = False,
        holding: Callable[[int], int] = content,
    ) -> Outcome:
        """Run ``function`` so; ``endless``: memory whose size the launch decides never ends.  ``holding``: what buffers
        hold, by cell."""
        args: dict[str, Argument] = {**self.scalars}
        args.update({name: Buffer(None if endless else extent, holding) for name, extent in self.extents.items()})
        shared = None if endless else self.shared
        return run(function, LaunchSpec(self.block, self.grid, None, shared), args, BUDGET, language, wave(language))


@dataclass(frozen=True, slots=True)
class Subject:
    """A kernel alone in its text, with launches under which it runs clean."""

    path: str
    name: str
    text: bytes
    module: Module
    function: FunctionDecl
    launches: tuple[Chosen, ...]


@dataclass(frozen=True, slots=True)
class Mutant:
    """``subject`` with the bytes ``[start, end)`` of its text replaced; ``kind`` is barrier, guard or compare."""

    subject: Subject
    kind: str
    start: int
    end: int
    text: bytes
    line: int
    faults: tuple[Fault, ...] = field(default=())

    @property
    def whole(self) -> bytes:
        """The mutated text."""
        old = self.subject.text
        return old[: self.start] + self.text + old[self.end :]


def parse(path: str, text: bytes) -> Module | None:
    """The module of a text, None when it cannot be read."""
    try:
        return default_frontend().parse_file(SourceFile(path, text), FrontendOptions())[0]
    except (FrontendError, IndexError):
        return None


def kernel_of(module: Module, name: str) -> Kernel | None:
    """The kernel called ``name``."""
    return next((kernel for kernel in module.kernels if kernel.name == name), None)


def faults_of(outcome: Outcome) -> tuple[Fault, ...]:
    """What counts as a fault of a mutant.

    Not among them: two writes of one value, rows of one array that run into each other, and threads that are missing
    at a barrier because they have left the kernel, which hardware forgives.
    """
    return tuple(
        fault
        for fault in outcome.faults
        if fault.kind in FAULTS
        and not fault.benign
        and not fault.inner
        and not (fault.kind is FaultKind.BARRIER_DIVERGENCE and fault.exited)
    )


# ------------------------------------------------------------------------------------------- a kernel on its own


def alone(path: str, module: Module, kernel: Kernel, text: bytes) -> bytes:
    """The file's text with the other kernels, and the host functions that mention them, blanked."""
    others = [other for other in module.kernels if other.name != kernel.name]
    out = bytearray(text)
    for other in others:
        if other.function.span.file != path:
            continue  # in a header
        blank(out, other.function.span.start, other.function.span.end)
        pattern = (
            rf"(template\s*<[^<>;{{}}]*>\s*(?=\Z))|template\s+__global__[^;{{}}]*\b{re.escape(other.name)}\b[^;{{}}]*;"
        )
        for match in re.finditer(pattern.encode(), bytes(out)):
            blank(out, match.start(), match.end())
    names = {other.name for other in others}
    for function in module.functions:
        start, end = function.span.start, function.span.end
        if (
            function.span.file == path
            and function.kind.value == "host"
            and names & set(re.findall(r"\w+", text[start:end].decode(errors="replace")))
        ):
            blank(out, start, end)
    return bytes(out)


def blank(out: bytearray, start: int, end: int) -> None:
    """Spaces in place of a function and what stands before it; lines stay where they were."""
    head = bytes(out[:start]).rstrip()
    match = re.search(rb"(template\s*<[^;{}]*>|\bextern\s*\"C\")\Z", head)
    if match:
        start = match.start()
    for at in range(start, end):
        if out[at] not in b"\r\n":
            out[at] = 0x20


def subjects(path: str, text: bytes) -> Iterator[Subject]:
    """The kernels of a file that the emulator runs clean."""
    whole = parse(path, text)
    for kernel in whole.kernels if whole is not None else ():
        assert whole is not None
        if kernel.function.span.file != path:
            continue
        own = alone(path, whole, kernel, text)
        module = parse(path, own)
        found = kernel_of(module, kernel.name) if module is not None else None
        if module is None or found is None:
            continue
        function = found.variants[0]
        launches = tuple(itertools.islice(clean_launches(function, module.language), 2))
        if launches:
            yield Subject(path, kernel.name, own, module, function, launches)


# ------------------------------------------------------------------------------------------------------ launches


def clean_launches(function: FunctionDecl, language: str) -> Iterator[Chosen]:
    """Launches under which the kernel ends without a fault and touches memory, those that leave threads over first."""
    done: set[tuple[Index, Index]] = set()
    for block, grid, scalars in launches_to_try(function):
        if (block, grid) in done:
            continue
        chosen = _fitted(function, language, block, grid, scalars)
        if chosen is not None:
            done.add((block, grid))
            yield chosen


def launches_to_try(function: FunctionDecl) -> Iterator[tuple[Index, Index, dict[str, int | float]]]:
    """Small blocks and grids with scalar arguments, at most :data:`TRIES` of them."""
    names = [param.name for param in function.params if isinstance(param.type, IntType)]
    tries = (
        (block, grid, numbers) for block, grid in _shapes(function) for numbers in _numbers(len(names), block, grid)
    )
    for block, grid, numbers in itertools.islice(tries, TRIES):
        scalars: dict[str, int | float] = dict(zip(names, numbers, strict=True))
        scalars.update({p.name: 1.5 for p in function.params if isinstance(p.type, FloatType)})
        yield block, grid, scalars


def _fitted(
    function: FunctionDecl, language: str, block: Index, grid: Index, scalars: dict[str, int | float]
) -> Chosen | None:
    pointers = [param for param in function.params if isinstance(param.type, PointerType)]
    args: dict[str, Argument] = {**scalars}
    args.update({param.name: Buffer(None, content) for param in pointers})
    outcome, ends = reach(function, LaunchSpec(block, grid), args, BUDGET, language, wave(language))
    if not outcome.clean or not any(ends.get(param.name) for param in pointers):
        return None
    extents = {param.name: ends.get(param.name, 0) for param in pointers}
    elements = {param.name: param.type.pointee.size or 1 for param in pointers if isinstance(param.type, PointerType)}
    return Chosen(block, grid, scalars, extents, elements, ends.get(""), dict(_dynamic(function)))


def _dynamic(function: FunctionDecl) -> Iterator[tuple[str, int]]:
    """Arrays in dynamic shared memory, with the bytes of an element."""
    for node in _all_nodes(function):
        decl = node.decl if isinstance(node, Ref) else None
        if decl is not None and decl.unsized and decl.space is Space.SHARED and isinstance(decl.type, ArrayType):
            yield decl.name, decl.type.element.size or 1


def _axes(function: FunctionDecl) -> int:
    """How many axes of blocks and threads the kernel looks at."""
    used = [node.axis or 0 for node in _all_nodes(function) if isinstance(node, LaunchValue)]
    return 1 + max(used, default=0)


def _all_nodes(function: FunctionDecl) -> Iterator[Node]:
    for each in functions_of(Kernel(function)):
        yield from walk(each)


def _shapes(function: FunctionDecl) -> Iterator[tuple[Index, Index]]:
    if function.bounds.required is not None:
        yield function.bounds.required, (2, 1, 1) if _axes(function) == 1 else (2, 2, 1)
        return
    if _axes(function) == 1:
        for threads in (64, 128, 256, 32):
            yield (threads, 1, 1), (2, 1, 1)
        yield (64, 1, 1), (1, 1, 1)
    else:
        for block in ((16, 16, 1), (32, 8, 1), (8, 8, 1), (64, 1, 1), (32, 32, 1)):
            yield block, (2, 2, 1)


def _numbers(count: int, block: Index, grid: Index) -> Iterator[tuple[int, ...]]:
    """Values for ``count`` integers: a little short of the threads along x, a handful, a block."""
    short = block[0] * grid[0] - 3
    yield (short,) * count
    values = (short, 5, block[0], 4)
    seen = {(short,) * count}
    for numbers in itertools.product(values, repeat=min(count, 4)):
        full = numbers + (short,) * (count - len(numbers))
        if full not in seen:
            seen.add(full)
            yield full


# ------------------------------------------------------------------------------------------------------- mutants


def mutants(subject: Subject) -> Iterator[Mutant]:
    """Every barrier deleted, every guard made true, every ``<`` of a condition turned into ``<=``, one at a time.

    A guard that leaves (``if (i >= n) return;``) is deleted by making it false, and its ``>=`` becomes ``>``.
    """
    seen: set[tuple[int, int, bytes]] = set()
    yes, no = (b"1", b"0") if subject.module.language == "opencl" else (b"true", b"false")
    source = SourceFile(subject.path, subject.text)
    for node in _all_nodes(subject.function):
        for kind, start, end, text in _edits(node, subject.text, yes, no):
            key = (start, end, text)
            if node.span.file == subject.path and key not in seen:
                seen.add(key)
                yield Mutant(subject, kind, start, end, text, source.line_of(start))


def _edits(node: Node, text: bytes, yes: bytes, no: bytes) -> Iterator[tuple[str, int, int, bytes]]:
    if isinstance(node, ExprStmt) and isinstance(node.expr, Barrier):
        barrier = node.expr
        if barrier.scope is Scope.BLOCK and barrier.part == "both" and barrier.predicate is None:
            start, end = barrier.span.start, barrier.span.end
            if re.fullmatch(rb"[\w.:]*\(.*\)", text[start:end], re.DOTALL):
                yield "barrier", start, end, b"(void)0"
    if isinstance(node, If):
        start, end = node.cond.span.start, node.cond.span.end
        if text[:start].rstrip().endswith(b"(") and text[end:].lstrip().startswith(b")") and not node.is_constexpr:
            if node.other is None and _leaves(node.then):
                yield "guard", start, end, no
            elif node.then is not None and _touches(node.then):
                yield "guard", start, end, yes
    if isinstance(node, Conditional) and (_touches(node.then) or _touches(node.other)):
        start, end = node.cond.span.start, node.cond.span.end
        if b"?" in text[end : node.then.span.start] and not re.search(rb"[A-Za-z_]\w*\Z", text[:start]):
            yield "guard", start, end, yes if _touches(node.then) else no
    if isinstance(node, (If, For, While, DoWhile, Conditional)) and node.cond is not None:
        flip = isinstance(node, If) and node.other is None and _leaves(node.then)
        for part in walk(node.cond):
            if isinstance(part, Binary) and part.op == (">=" if flip else "<"):
                start, end = part.lhs.span.end, part.rhs.span.start
                between = text[start:end]
                if re.fullmatch(rb"[\s)]*(<|>=)[\s(]*", between):
                    new = between.replace(b">=", b">") if flip else between.replace(b"<", b"<=")
                    yield "compare", start, end, new


def _leaves(stmt: Stmt | None) -> bool:
    if isinstance(stmt, Block):
        return len(stmt.body) == 1 and _leaves(stmt.body[0])
    return isinstance(stmt, (Return, Break, Continue))


def _touches(part: Stmt | Expr) -> bool:
    """Whether memory may be accessed there."""
    return any(isinstance(node, (Subscript, Deref, Atomic)) or _followed(node) for node in walk(part))


def _followed(node: Node) -> bool:
    return isinstance(node, Call) and node.function is not None and node.function.body is not None


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the emulator says of a mutant.

    ``verdict``: ``faulty``, ``clean``, ``undecided`` or ``unreadable``.  ``launches``: those of the subject under which
    it is faulty.  ``by_data``: with other contents of memory it is not, or the unchanged kernel is faulty too.
    ``in_text``: it is faulty even when memory whose size the launch decides never ends; otherwise nothing but these
    sizes makes the fault one, and the text does not say them.
    """

    verdict: str
    faults: tuple[Fault, ...] = ()
    launches: tuple[Chosen, ...] = ()
    by_data: bool = False
    in_text: bool = False


def judge(mutant: Mutant) -> Judgement:
    """Run a mutant under its subject's launches."""
    subject = mutant.subject
    module = parse(subject.path, mutant.whole)
    kernel = kernel_of(module, subject.name) if module is not None else None
    if module is None or kernel is None:
        return Judgement("unreadable")
    function, language = kernel.variants[0], module.language
    faults: list[Fault] = []
    launches: list[Chosen] = []
    finished = True
    for chosen in subject.launches:
        outcome = chosen.outcome(function, language)
        found = faults_of(outcome)
        finished = finished and outcome.finished
        if found:
            faults += found
            launches.append(chosen)
    if not faults:
        return Judgement("clean" if finished else "undecided")
    in_text = any(faults_of(chosen.outcome(function, language, endless=True)) for chosen in launches)
    by_data = not any(_whatever_memory_holds(subject, chosen, function, language) for chosen in launches)
    return Judgement("faulty", tuple(faults), tuple(launches), by_data, in_text)


def _whatever_memory_holds(subject: Subject, chosen: Chosen, function: FunctionDecl, language: str) -> bool:
    """Whether a mutant is faulty, and the unchanged kernel is not, with other contents of memory too."""
    for holding in OTHER_CONTENTS:
        if not faults_of(chosen.outcome(function, language, holding=holding)):
            return False
        if faults_of(chosen.outcome(subject.function, language, holding=holding)):
            return False
    return True
