"""Runs a kernel for one launch, or for one launch with several contents of memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from struct import error as StructError

from kernlint.prove.emulate import scheduler
from kernlint.prove.emulate.formats import (
    Unsupported,
    Value,
    cell_format,
    cell_size,
    element_size,
    size_of,
    uniform_format,
)
from kernlint.prove.emulate.machine import Machine
from kernlint.prove.emulate.memory import Memory
from kernlint.prove.emulate.program import Compiled, compile_kernel
from kernlint.prove.emulate.report import Argument, Budget, Buffer, Fault, Index, Item, LaunchSpec, Outcome
from kernlint.prove.emulate.runtime import OutOfSteps
from kernlint.prove.emulate.shadow import TrackedMemory
from kernlint.prove.emulate.threads import BlockRun, ThreadEnd
from kernlint.record import replace
from kernlint.tree.nodes import Cast, Expr, FloatLit, FunctionDecl, InitList, IntLit, ParamDecl, Unary, VarDecl
from kernlint.tree.types import (
    ArrayType,
    FloatType,
    IntType,
    OpaqueType,
    PointerType,
    Space,
    StructType,
    Type,
    VectorType,
)

BEYOND = 20_000
"""Steps that a run may take beyond twice those in which another one has shown all its faults."""

_NO_ARGUMENTS: Mapping[str, Argument] = {}


def run(
    function: FunctionDecl,
    launch: LaunchSpec,
    args: Mapping[str, Argument] = _NO_ARGUMENTS,
    budget: Budget | None = None,
    language: str = "cuda",
    warp_size: int = 32,
    seed: int = 0,
) -> Outcome:
    """Run ``function`` once and judge what its threads do.

    ``args`` by parameter name (also template parameters that the tree leaves open); a pointer without an argument
    points to memory of unknown extent, an integer or float without one makes the run unsupported.  ``seed`` selects
    the contents of memory that the caller does not give.  Never raises for what is in the kernel: see
    :attr:`Outcome.unsupported`.
    """
    budget = budget or Budget()
    if min(*launch.block, *launch.grid) < 1:
        return Outcome(unsupported="an empty launch")
    if launch.block[0] * launch.block[1] * launch.block[2] > min(budget.threads, 1 << 16):
        return Outcome(unsupported=f"a block of more than {budget.threads} threads")
    try:
        compiled = compile_kernel(function, language)
    except Unsupported as reason:
        return Outcome(unsupported=str(reason))
    machine = Machine(compiled.program, launch, budget, warp_size, seed)
    return _Run(machine, compiled, args, budget).outcome()


def replay(
    function: FunctionDecl,
    launch: LaunchSpec,
    args: Mapping[str, Argument] = _NO_ARGUMENTS,
    budget: Budget | None = None,
    language: str = "cuda",
    warp_size: int = 32,
    seeds: tuple[int, ...] = (0, 1, 2),
) -> Outcome:
    """:func:`run` with several contents of memory: each fault of the first run that had one says whether all had it.

    When a run did not finish, what it did not show is no evidence: then only its own faults count for the others.
    Where the first one ran out of steps (a loop that waits, mostly), the others go little further than to where it has
    shown all that it showed.
    """
    budget = budget or Budget()
    outcomes: list[Outcome] = []
    for seed in seeds:
        outcomes.append(run(function, launch, args, budget, language, warp_size, seed))
        if not (outcomes[-1].faults or outcomes[-1].finished):
            break  # too much to run, or not understood: other contents would end in the same place
        if outcomes[0].exhausted and len(outcomes) == 1:
            budget = replace(budget, steps=min(budget.steps, 2 * outcomes[0].latest + BEYOND))
    first = outcomes[0]
    counts: dict[tuple[object, ...], int] = {}
    kept: dict[tuple[object, ...], Fault] = {}
    for outcome in outcomes:
        for key in {fault.key for fault in outcome.faults}:
            counts[key] = counts.get(key, 0) + 1
        for fault in outcome.faults:
            kept.setdefault(fault.key, fault)
    faults = tuple(replace(fault, data_independent=counts[key] == len(seeds)) for key, fault in kept.items())
    return replace(
        first,
        faults=faults,
        finished=all(outcome.finished for outcome in outcomes),
        unsupported=next((outcome.unsupported for outcome in outcomes if outcome.unsupported), None),
        exhausted=any(outcome.exhausted for outcome in outcomes),
        steps=sum(outcome.steps for outcome in outcomes),
        phases=max(outcome.phases for outcome in outcomes),
        approximations=tuple(sorted({name for outcome in outcomes for name in outcome.approximations})),
    )


def reach(
    function: FunctionDecl,
    launch: LaunchSpec,
    args: Mapping[str, Argument] = _NO_ARGUMENTS,
    budget: Budget | None = None,
    language: str = "cuda",
    warp_size: int = 32,
    seed: int = 0,
) -> tuple[Outcome, dict[str, int]]:
    """:func:`run`, and how far each pointer argument's memory was accessed, in bytes from its start.

    Dynamic shared memory, which has several names or none, is called ``""``; OpenCL's ``local`` pointers have their
    parameter's name.  Nothing is said of memory that was not accessed.
    """
    budget = budget or Budget()
    try:
        compiled = compile_kernel(function, language)
    except Unsupported as reason:
        return Outcome(unsupported=str(reason)), {}
    running = _Run(Machine(compiled.program, launch, budget, warp_size, seed), compiled, args, budget)
    outcome = running.outcome()
    ends: dict[str, int] = {}
    for name, memory in running.reached():
        formats = memory.fmts
        last = max(((off, cell_size(formats.get(off, memory.fmt or "u1"))) for off in memory.vals), default=None)
        if last is not None:
            ends[name] = max(ends.get(name, 0), sum(last))
    return outcome, ends


LEFT_OVER = (0, 1_048_577)
"""What shared memory may hold when a block begins."""


def without_effect(
    function: FunctionDecl,
    launch: LaunchSpec,
    args: Mapping[str, Argument] = _NO_ARGUMENTS,
    budget: Budget | None = None,
    language: str = "cuda",
    warp_size: int = 32,
    seeds: tuple[int, ...] = (0, 1),
) -> tuple[bool, Outcome]:
    """Whether runs end in the same faults and the same contents of all memory outside of blocks, whatever shared memory
    held before; and one of the outcomes."""
    budget = budget or Budget()
    try:
        compiled = compile_kernel(function, language)
    except Unsupported as reason:
        return False, Outcome(unsupported=str(reason))
    outcome = Outcome()
    for seed in seeds:
        ends = []
        for held in LEFT_OVER:
            machine = Machine(compiled.program, launch, budget, warp_size, seed)
            machine.left_over = held
            outcome = _Run(machine, compiled, args, budget).outcome()
            if not outcome.finished:
                return False, outcome
            cells = [sorted((off, repr(value)) for off, value in memory.vals.items()) for memory in machine.tracked]
            ends.append(({fault.key for fault in outcome.faults}, cells))
        if ends[0] != ends[1]:
            return False, outcome
    return True, outcome


def chosen_blocks(launch: LaunchSpec, cap: int) -> tuple[Index, ...]:
    """The blocks to run: those asked for, else all, else the first ones and the last."""
    if launch.blocks_to_run is not None:
        return launch.blocks_to_run
    gx, gy, gz = launch.grid
    total = gx * gy * gz
    numbers = list(range(total)) if total <= cap else [*range(cap - 1), total - 1]
    return tuple((number % gx, number // gx % gy, number // (gx * gy)) for number in numbers)


class _Run:
    """Sets memory and arguments up, then runs the blocks."""

    def __init__(self, machine: Machine, compiled: Compiled, args: Mapping[str, Argument], budget: Budget) -> None:
        self.machine = machine
        self.compiled = compiled
        self.args = args
        self.budget = budget
        self.function = compiled.function
        self.buffers: dict[Buffer, Memory] = {}
        self.blocks: list[BlockRun] = []

    def outcome(self) -> Outcome:
        """Run and report."""
        machine = self.machine
        unsupported: str | None = None
        exhausted = False
        try:
            self._run()
        except OutOfSteps:
            exhausted = True
        except Unsupported as reason:
            unsupported = str(reason)
        except RecursionError:
            unsupported = "recursion too deep to follow"
        except (ArithmeticError, AttributeError, LookupError, NameError, TypeError, ValueError, StructError) as error:
            # A value of a kind that the translation did not foresee: no verdict, and never a crash of the caller.
            unsupported = f"a value that is not understood ({type(error).__name__}: {error})"
        if unsupported or exhausted:
            for memory in machine.tracked:
                memory.settle(machine.across)
        return Outcome(
            faults=machine.log.result(),
            phases=max((block.phase + 1 for block in self.blocks), default=0),
            finished=unsupported is None and not exhausted,
            unsupported=unsupported,
            exhausted=exhausted,
            steps=self.budget.steps - machine.left,
            blocks=tuple(block.index for block in self.blocks),
            approximations=tuple(sorted(machine.approximations)),
            latest=0 if machine.log.left is None else self.budget.steps - machine.log.left,
        )

    def _run(self) -> None:
        machine, program = self.machine, self.compiled.program
        machine.constants = {name: int(value) for name, value in self.args.items() if isinstance(value, (int, float))}
        machine.module = [self._module_variable(decl) for decl in program.globals]
        values = [self._argument(param) for param in self.function.params]
        indices = chosen_blocks(machine.launch, self.budget.blocks)
        machine.across = len(indices) > 1
        pending: list[BlockRun] = []
        for index in indices:
            block = BlockRun(machine, index)
            self.blocks.append(block)
            self._start(block, values)
            if not scheduler.advance(block):
                pending.append(block)
        while pending:
            scheduler.release_grid(pending)
            pending = [block for block in pending if not scheduler.advance(block)]

    # ------------------------------------------------------------------------------------------------- blocks

    def _start(self, block: BlockRun, values: list[Value]) -> None:
        """Give the block its shared memory and each of its threads a generator, or run them if they never wait."""
        own = list(values)
        dynamic: TrackedMemory | None = None
        for decl in self.compiled.program.shared:
            if decl.unsized and not decl.static:
                if dynamic is None:
                    dynamic = self._shared(decl, self.machine.launch.dynamic_shared)
                    block.shared.append(dynamic)
                else:
                    block.shared.append(dynamic)
            else:
                size = size_of(decl.type)
                if size is None:
                    raise Unsupported(f"the size of the shared variable {decl.name} is not known")
                block.shared.append(self._shared(decl, size))
        for at, param in enumerate(self.function.params):
            if is_local_pointer(param):
                value = self.args.get(param.name)
                memory = self._shared(param, value.extent if isinstance(value, Buffer) else None)
                block.shared.append(memory)
                own[at] = (memory, 0)
        entry = self.compiled.entry
        if self.compiled.program.waits:
            for t in block.threads:
                t.generator = entry(t, *[_own(value) for value in own])
        else:
            for t in block.threads:
                try:
                    entry(t, *[_own(value) for value in own])
                except ThreadEnd:
                    t.dead = True
            block.runnable = []
            block.live = []

    def _shared(self, decl: VarDecl, extent: int | None) -> TrackedMemory:
        kind = decl.type.pointee if isinstance(decl.type, PointerType) else decl.type
        return TrackedMemory(
            self.machine, decl.name, Space.SHARED, extent, uniform_format(kind), element_size(kind), None, decl
        )

    def reached(self) -> Iterator[tuple[str, Memory]]:
        """Memory whose extent the launch decides, by parameter; dynamic shared memory as ``""``."""
        for memory in self.buffers.values():
            yield memory.name, memory
        for block in self.blocks:
            for shared in block.shared:
                if isinstance(shared.decl, ParamDecl):
                    yield shared.name, shared
                elif shared.decl is not None and shared.decl.unsized:
                    yield "", shared

    # ---------------------------------------------------------------------------------------------- arguments

    def _argument(self, param: ParamDecl) -> Value:
        kind = param.type
        value = self.args.get(param.name)
        if isinstance(kind, PointerType) and not kind.reference:
            if is_local_pointer(param):
                return self.machine.null
            if value is not None and not isinstance(value, Buffer):
                if isinstance(value, (int, float)) and not value:
                    return self.machine.null
                raise Unsupported(f"the argument for the pointer {param.name} is no buffer")
            return self._buffer(value or Buffer(), param.name, kind, param), 0
        return self._plain(param.name, kind, value, param)

    def _plain(self, name: str, kind: Type, value: Argument | None, decl: VarDecl | None) -> Value:
        if isinstance(kind, StructType) or isinstance(value, Mapping):
            return self._struct(name, kind, value if isinstance(value, Mapping) else {}, decl)
        if isinstance(value, Buffer):
            raise Unsupported(f"a buffer is given for {name}, which is no pointer")
        if isinstance(kind, VectorType):
            return (value or 0,) * kind.lanes
        if isinstance(kind, OpaqueType):
            return None  # an image, a sampler: what is done with it decides
        if value is None:
            raise Unsupported(f"no value is given for the parameter {name}")
        if isinstance(kind, IntType):
            return kind.wrap(int(value))
        return float(value) if isinstance(kind, FloatType) else value

    def _struct(self, name: str, kind: Type, values: Mapping[str, Item], decl: VarDecl | None) -> Memory:
        memory = Memory(self.machine, name, Space.PRIVATE, size_of(kind), None, element_size(kind), _zero, decl)
        if not isinstance(kind, StructType):
            return memory
        for field in kind.fields:
            if field.offset is not None:
                self._field(memory, field.offset, f"{name}.{field.name}", field.type, values.get(field.name))
        return memory

    def _field(self, memory: Memory, off: int, name: str, kind: Type, given: Item | None) -> None:
        if isinstance(kind, ArrayType) and isinstance(given, Sequence):
            for at, item in enumerate(given):
                self._field(memory, off + at * (size_of(kind.element) or 0), name, kind.element, item)
            return
        fmt = cell_format(kind)
        if isinstance(kind, PointerType):
            buffer = given if isinstance(given, Buffer) else Buffer()
            value: Value = (self._buffer(buffer, name, kind, memory.decl), 0)
        elif isinstance(given, (int, float)):
            value = kind.wrap(int(given)) if isinstance(kind, IntType) else float(given)
        else:
            return
        if fmt is not None:
            memory.adopt(fmt)
            memory.put(off, value, fmt)

    def _buffer(self, buffer: Buffer, name: str, kind: PointerType, decl: VarDecl | None) -> Memory:
        """The memory behind a pointer; the same for the same buffer."""
        found = self.buffers.get(buffer)
        if found is not None:
            return found
        machine = self.machine
        filler = buffer.fill or machine.filler(len(self.buffers) + 1)
        space = kind.space if kind.space is not Space.GENERIC else Space.GLOBAL
        alone = sum(1 for value in self.args.values() if value is buffer) <= 1
        plan = (machine, name, space, buffer.extent, uniform_format(kind.pointee), element_size(kind.pointee))
        contents = filler if buffer.initialised else None
        if (kind.const and alone and buffer.initialised) or space is Space.CONSTANT:
            memory = Memory(*plan, contents, decl)  # nobody writes to it
        else:
            memory = TrackedMemory(*plan, contents, decl)
            machine.tracked.append(memory)
        self.buffers[buffer] = memory
        return memory

    # ------------------------------------------------------------------------------------- variables of the module

    def _module_variable(self, decl: VarDecl) -> Memory:
        machine = self.machine
        kind = decl.type
        value = self.args.get(decl.name)
        known = value if isinstance(value, Buffer) else Buffer()
        filler = known.fill or machine.filler(id_of(decl))
        cells: list[tuple[int, str, Value]] = []
        if decl.init is not None and _constants(decl.init, kind, 0, cells):
            filler = known.fill or _zero
        if isinstance(value, (int, float)):
            number = value
            filler, cells = (lambda _index: number), []
        fixed = decl.const or decl.space is Space.CONSTANT
        make = Memory if fixed else TrackedMemory
        space = decl.space if decl.space is not Space.HOST else Space.GLOBAL
        memory = make(machine, decl.name, space, size_of(kind), uniform_format(kind), element_size(kind), filler, decl)
        for off, fmt, item in cells:
            memory.adopt(fmt)
            memory.put(off, item, fmt)
        if isinstance(memory, TrackedMemory):
            machine.tracked.append(memory)
        return memory


def is_local_pointer(param: ParamDecl) -> bool:
    """Whether a kernel parameter is OpenCL's ``local`` pointer: memory made anew for each block."""
    return isinstance(param.type, PointerType) and param.type.space is Space.SHARED


def id_of(decl: VarDecl) -> int:
    """A number for a variable that is the same in every process."""
    number = 0
    for letter in decl.name:
        number = (number * 31 + ord(letter)) % 100_003
    return number


def _own(value: Value) -> Value:
    """An argument for one thread: structs are passed by value."""
    if not isinstance(value, Memory):
        return value
    copy = Memory(
        value.machine, value.name, value.space, value.extent, value.fmt, value.element, value.filler, value.decl
    )
    copy.vals, copy.fmts = dict(value.vals), dict(value.fmts)
    return copy


def _zero(_index: int) -> int:
    return 0


def _constants(init: Expr, kind: Type, off: int, cells: list[tuple[int, str, Value]]) -> bool:
    """Collect the cells of a constant initialiser; False when some are not constants."""
    if isinstance(init, InitList) and isinstance(kind, ArrayType):
        step = size_of(kind.element) or 0
        return all(_constants(item, kind.element, off + at * step, cells) for at, item in enumerate(init.elements))
    if isinstance(init, InitList) and isinstance(kind, VectorType):
        step = kind.element.size or 0
        return all(_constants(item, kind.element, off + at * step, cells) for at, item in enumerate(init.elements))
    if isinstance(init, InitList) and isinstance(kind, StructType):
        pairs = zip(kind.fields, init.elements, strict=False)
        return all(_constants(item, field.type, off + (field.offset or 0), cells) for field, item in pairs)
    fmt = cell_format(kind)
    number = _constant(init)
    if fmt is None or number is None:
        return False
    cells.append((off, fmt, kind.wrap(int(number)) if isinstance(kind, IntType) else float(number)))
    return True


def _constant(expr: Expr) -> int | float | None:
    if isinstance(expr, (IntLit, FloatLit)):
        return expr.value
    if isinstance(expr, Cast) and not expr.bits:
        return _constant(expr.operand)
    if isinstance(expr, Unary) and expr.op == "-":
        inner = _constant(expr.operand)
        return None if inner is None else -inner
    return None
