"""Kernels read as ``kernlint check`` reads them, and launches that try a barrier: see removals.py.

The launches of ``mutants.py`` must be clean, and buffers end with them.  Here a launch need only come to its end and
pass the barrier: what is compared are the faults with and without it.  So blocks that the text speaks of come first
(a required or greatest size, a launch in sight, arguments of the template), along the axes that the kernel looks at.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from mutants import content, faults_of, wave

from kernlint.frontends.base import FrontendError
from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.project import Projects
from kernlint.prove.emulate import Argument, Budget, Buffer, Index, LaunchSpec, Outcome
from kernlint.prove.emulate.running import reach
from kernlint.registry import load
from kernlint.run.engine import Engine, default_frontend
from kernlint.source import SourceFile
from kernlint.tree.nodes import FunctionDecl, Kernel, LaunchValue, Module, Quantity
from kernlint.tree.types import FloatType, IntType, PointerType
from kernlint.tree.walk import functions_of, walk

BUDGET = Budget(steps=3_000_000, faults=400, blocks=2)
SETS = 10
"""Sets of scalar arguments tried with one block."""

THREADS = frozenset({Quantity.THREAD_ID, Quantity.BLOCK_DIM, Quantity.GLOBAL_ID, Quantity.GLOBAL_SIZE})
BLOCKS = frozenset({Quantity.BLOCK_ID, Quantity.GRID_DIM, Quantity.GLOBAL_ID, Quantity.GLOBAL_SIZE})


class Reader:
    """Reads files as ``kernlint check`` would that was asked for the folder ``root``."""

    def __init__(self, root: str) -> None:
        registry = load()
        self.config = Config()
        self.engine = Engine(registry, Selection(registry, self.config), projects=Projects((root,)))

    def modules(self, path: str, text: bytes, defines: Sequence[str] = ()) -> Sequence[Module]:
        """The modules of a text at ``path``, with ``defines`` defined too; none where it cannot be read."""
        questions = self.engine.projects.questions(path, self.config.home)
        options = self.engine.frontend_options(path, self.config, questions)
        options = replace(options, defines=(*options.defines, *defines))
        try:
            return default_frontend().parse_file(SourceFile(path, text), options)
        except (FrontendError, IndexError):
            return ()

    def variants(
        self, path: str, text: bytes, name: str, defines: Sequence[str] = ()
    ) -> list[tuple[FunctionDecl, Module]]:
        """The kernels of that name, every instance of each."""
        return [
            (function, module)
            for module in self.modules(path, text, defines)
            for kernel in module.kernels
            if kernel.name == name
            for function in kernel.variants
        ]


@dataclass(frozen=True, slots=True)
class Trial:
    """A launch with its scalar arguments."""

    block: Index
    grid: Index
    scalars: dict[str, int | float]

    def run(
        self, function: FunctionDecl, language: str, holding: Callable[[int], int] = content, budget: Budget = BUDGET
    ) -> tuple[Outcome, dict[str, int]]:
        """What the kernel does in memory that never ends and holds ``holding``, and how many bytes of it it uses."""
        args: dict[str, Argument] = {**self.scalars}
        for param in function.params:
            if isinstance(param.type, PointerType):
                args[param.name] = Buffer(None, holding)
        return reach(function, LaunchSpec(self.block, self.grid), args, budget, language, wave(language))


def known(outcome: Outcome) -> set[tuple[object, ...]]:
    """The faults of a run by kind, object and places."""
    return {
        (fault.kind, fault.name, fault.first.span, fault.second.span if fault.second is not None else None)
        for fault in faults_of(outcome)
    }


def trials(function: FunctionDecl, said: Sequence[str] = ()) -> Iterator[Trial]:
    """Launches to try, with sets of scalar arguments; ``said``: what a finding assumes (``block = 32 x 4``)."""
    across = _axes(function, BLOCKS)
    for block in dict.fromkeys(_blocks(function, said)):
        grid = (2, 2 if across > 1 else 1, 1)
        for scalars in _scalars(function, block):
            yield Trial(block, grid, scalars)


def _axes(function: FunctionDecl, quantities: frozenset[Quantity]) -> int:
    """How many axes of these indices and sizes the kernel looks at."""
    used = [
        node.axis or 0
        for each in functions_of(Kernel(function))
        for node in walk(each)
        if isinstance(node, LaunchValue) and node.quantity in quantities
    ]
    return 1 + max(used, default=0)


def _blocks(function: FunctionDecl, said: Sequence[str]) -> Iterator[Index]:
    for size in re.findall(r"\bblock = (\d+(?: x \d+)*)", " ".join(said)):
        yield _index([int(word) for word in size.split(" x ")])
    if function.bounds.required is not None:
        yield function.bounds.required
        return
    numbers = [int(value) for _, value in function.template_args if re.fullmatch(r"\d+", value)]
    sizes = [size for size in (function.bounds.max_threads, *numbers) if size is not None and 32 <= size <= 1024]
    if _axes(function, THREADS) > 1:
        yield from ((32, rows, 1) for rows in numbers if 2 <= rows <= 32)
        yield from ((16, 16, 1), (32, 8, 1), (8, 8, 1))
    else:
        yield from ((size, 1, 1) for size in (*sizes, 64, 128, 256, 32))


def _index(sizes: list[int]) -> Index:
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z


def _scalars(function: FunctionDecl, block: Index) -> Iterator[dict[str, int | float]]:
    """Every integer the threads of a block, a round number with a handful for the last, a little less than two blocks,
    a handful; then a mixture, drawn with a seed."""
    integers = [param.name for param in function.params if isinstance(param.type, IntType)]
    floats = [param.name for param in function.params if isinstance(param.type, FloatType)]
    threads = block[0] * block[1] * block[2]
    choice = random.Random(1)
    for value, last, real in (
        (threads, threads, 1.5),
        (256, 3, 0.0),
        (2 * threads - 3, 2 * threads - 3, 1.5),
        (5, 5, 0.0),
        (64, 64, 1.5),
    ):
        yield {**dict.fromkeys(integers, value), **dict.fromkeys(integers[-1:], last), **dict.fromkeys(floats, real)}
    for _ in range(SETS - 5):
        mixed: dict[str, int | float] = {
            name: choice.choice((1, 2, 4, 5, 16, 64, threads, threads + 1)) for name in integers
        }
        yield {**mixed, **dict.fromkeys(floats, choice.choice((0.0, 1.5)))}
