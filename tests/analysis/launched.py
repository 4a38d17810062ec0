"""The launches that a text shows, in short."""

from __future__ import annotations

from kernlint.analysis.base import ModuleFacts
from kernlint.analysis.launching.launches import LaunchFact, host
from kernlint.frontends.base import FrontendOptions
from kernlint.frontends.clang.frontend import ClangFrontend
from kernlint.source import SourceFile
from kernlint.symbolic.show import show
from kernlint.symbolic.terms import Term


def launches_of(code: str, path: str = "t.cu") -> list[LaunchFact]:
    """Every launch that the host code of ``code`` makes."""
    modules = ClangFrontend().parse_file(SourceFile(path, code.encode()), FrontendOptions())
    return [fact for module in modules for fact in ModuleFacts(module)[host].launches]


def shown(fact: LaunchFact) -> str:
    """``kernel <<<grid.x, block.x>>> (scalar arguments)``, each in the host's words."""
    grid, block = ("?" if sizes is None else show(sizes[0]) for sizes in (fact.grid, fact.block))
    values = [f"{name}={show(value)}" for name, value in fact.arguments if isinstance(value, Term)]
    return f"{fact.name if fact.kernel else '?'} <<<{grid}, {block}>>> ({', '.join(values)})"
