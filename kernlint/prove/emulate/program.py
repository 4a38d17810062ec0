"""From a kernel of the tree to compiled Python."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from types import CodeType
from typing import Any

from kernlint.prove.emulate import runtime
from kernlint.prove.emulate.formats import Unsupported
from kernlint.prove.emulate.frame import Program
from kernlint.prove.emulate.statements import FunctionTranslator
from kernlint.tree.nodes import Call, FunctionDecl, Lambda
from kernlint.tree.walk import walk

_CACHED = 64


class Compiled:
    """A translated kernel: its tables, its source and its entry function."""

    __slots__ = ("entry", "function", "program", "source")

    def __init__(self, function: FunctionDecl, program: Program, source: str, entry: Callable[..., Any]) -> None:
        self.function = function
        self.program = program
        self.source = source
        self.entry = entry


_cache: OrderedDict[tuple[int, str], Compiled] = OrderedDict()


def compile_kernel(function: FunctionDecl, language: str) -> Compiled:
    """The translation of ``function`` and of all it calls; kept for the next launch of the same kernel.

    Raises :class:`Unsupported` when it cannot be translated at all.
    """
    key = (id(function), language)
    found = _cache.get(key)
    if found is not None and found.function is function:
        _cache.move_to_end(key)
        return found
    found = _compile(function, language)
    _cache[key] = found
    while len(_cache) > _CACHED:
        _cache.popitem(last=False)
    return found


def _compile(function: FunctionDecl, language: str) -> Compiled:
    if function.body is None:
        raise Unsupported("a kernel without a body")
    program = Program(language=language)
    _find_closures(function, program)
    program.main = program.function(function)
    program.waits = program.waiting(function)
    done = 0
    try:
        while done < len(program.functions):
            item = program.functions[done]
            program.lines += FunctionTranslator(program, item).translate(program.names[id(item)])
            done += 1
        source = "\n".join(program.lines) + "\n"
        code: CodeType = compile(source, f"<kernel {function.name}>", "exec")
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise Unsupported(f"too deeply nested to translate ({type(error).__name__})") from None
    space: dict[str, Any] = dict(runtime.NAMES)
    space["C"] = program.cells
    space |= {f"M{index}": meeting for index, meeting in enumerate(program.meetings)}
    exec(code, space)
    return Compiled(function, program, source, space[program.main])


def _find_closures(function: FunctionDecl, program: Program) -> None:
    """Remember the body of every lambda in reach: a call of its operator has that very body."""
    seen: set[int] = set()
    stack = [function]
    while stack:
        current = stack.pop()
        if id(current) in seen or current.body is None:
            continue
        seen.add(id(current))
        for node in walk(current.body):
            if isinstance(node, Lambda):
                program.closures[id(node.body)] = node
            elif isinstance(node, Call) and node.function is not None:
                stack.append(node.function)
