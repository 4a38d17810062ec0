"""Which of the code that the preprocessor left out matters to kernels."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from kernlint.frontends.clang.conditions import Ranges
from kernlint.frontends.clang.conditions.directives import Branch, File, Program, blanked
from kernlint.frontends.clang.options import Language
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import FunctionDecl, FunctionKind, Module
from kernlint.tree.walk import functions_of

_DEVICE = pattern(rb"\b(?:__global__|__device__)\b")
_KERNEL = {
    Language.CUDA: pattern(rb"\b__global__\b"),
    Language.HIP: pattern(rb"\b__global__\b"),
    Language.OPENCL: pattern(rb"(?<![\w.>])(?:__kernel|kernel)\b"),
}
_FUNCTION = pattern(rb"[\w\]]\s*\([^;{}]*\)\s*(?:__attribute__\s*\(\(.*?\)\)\s*)?\{", re.DOTALL)
_DIRECTIVE = pattern(rb"^[ \t]*(?:#|%:)(?:\\\r?\n|[^\n])*", re.MULTILINE)
_NUMBERS = pattern(rb"\s*(?:(?:return\b|(?:static\s+|constexpr\s+|const\s+)+[\w:]+\s+\w+\s*=)[\w\s:.+*/()<>-]*;\s*)+")
_DEFINED = pattern(rb"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)", re.MULTILINE)
_DECLARED = (
    rb"\b(?:struct|class|union|enum(?:\s+class)?)\s+(?:%(names)s)\b|\busing\s+(?:%(names)s)\s*="
    rb"|\btypedef\b[^;{}]*\b(?:%(names)s)\s*;|\}\s*(?:%(names)s)\s*;|[\w>*&]\s+[*&]*(?:%(names)s)\s*\([^;{}]*\)\s*[;{]"
    rb"|\b(?:const|constexpr)\b[^;{}()]*\b(?:%(names)s)\s*="
)
_VARIABLE = pattern(rb"\b([A-Za-z_]\w*)\s*[*&\s]\s*([A-Za-z_]\w*)\s*(?:=(?!=)|;|\[|,)")
_NO_TYPES = frozenset({b"return", b"goto", b"else", b"case"})
_INCLUDE = pattern(rb"^[ \t]*#[ \t]*include\b", re.MULTILINE)
_WAITS = pattern(rb"(?:\s*(?:barrier|work_group_barrier|__syncthreads|__syncwarp)\s*\([^();]*\)\s*;)+\s*")
_FOLLOWED = pattern(rb"^[ \t]*([A-Za-z_]\w*)[ \t]*(?:\r?\n|[A-Za-z_{#])", re.MULTILINE)


class Uncompiled:
    """The branches of one file that a parse left out, by what is in them."""

    def __init__(self, program: Program, text: bytes, language: Language) -> None:
        self.program = program
        self.language = language
        self.plain = blanked(text)
        self.inside = _inside(program.main.branches)

    def own(self, branch: Branch) -> bytes:
        """The code of a branch without the branches in it, directives and comments."""
        return _DIRECTIVE.sub(b"", b"".join(self._pieces(branch)))

    def _pieces(self, branch: Branch) -> Iterator[bytes]:
        return _pieces(self.plain, self.inside.get(id(branch), ()), branch)

    def has_kernel(self, branch: Branch) -> bool:
        """Whether a kernel stands in a branch."""
        return _KERNEL[self.language].search(self.own(branch)) is not None

    def left_out(self, skipped: Ranges) -> list[Branch]:
        """The branches that lie in what a parse skipped."""
        return [b for b in self.program.main.branches if any(low <= b.start < high for low, high in skipped)]

    def of_device(self, skipped: Ranges, modules: Sequence[Module]) -> list[Branch]:
        """Those with code of kernels and device functions, whole kernels first.

        What a branch of barriers alone orders has to be right without it, too, and it shows nothing else.
        """
        device = sorted(
            (f.span.start, f.span.end)
            for module in modules
            for f in _looked_at(module)
            if f.span.file == module.path and f.kind is not FunctionKind.HOST
        )
        left = self.left_out(skipped)
        ranked: list[tuple[int, int, Branch]] = []
        found: set[Branch] = set()
        for branch in left:
            code = self.own(branch)
            if not code.strip() or self._only_waits(branch, code):
                continue
            if any(start <= branch.start < end for start, end in device):
                rank = 1
            elif self._defines_device_code(code):
                rank = 0 if _KERNEL[self.language].search(code) else 1
            elif any(branch.parent is each for each in found):
                rank = 2
            else:
                continue
            found.add(branch)
            ranked.append((rank, branch.start, branch))
        return [branch for _, _, branch in sorted(ranked, key=lambda item: item[:2])]

    def _only_waits(self, branch: Branch, code: bytes) -> bool:
        return id(branch) not in self.inside and _WAITS.fullmatch(code) is not None

    def gives_numbers(self, branch: Branch) -> bool:
        """Whether a branch does no more than to name other constants."""
        return _NUMBERS.fullmatch(self.own(branch)) is not None

    def _defines_device_code(self, code: bytes) -> bool:
        if self.language is Language.OPENCL:
            return _FUNCTION.search(code) is not None
        return _DEVICE.search(code) is not None

    def that_name(self, skipped: Ranges, unknown: Collection[str], found: Iterable[str]) -> list[Branch]:
        """Those that define a name which the parse lacked, or declare a variable of that name, or include a header that
        is there."""
        headers = {header.replace("\\", "/").rpartition("/")[2].encode() for header in found}
        wanted = []
        for branch in self.left_out(skipped):
            pieces = b"".join(self._pieces(branch))
            defined = {name.decode() for name in _DEFINED.findall(pieces)}
            included = any(
                header in line for line in _DIRECTIVE.findall(pieces) if _INCLUDE.match(line) for header in headers
            )
            if not defined.isdisjoint(unknown) or included or self._declares(branch, unknown):
                wanted.append(branch)
        return wanted

    def _declares(self, branch: Branch, names: Collection[str]) -> bool:
        """Whether a branch declares a variable of one of the ``names``, by what it looks like."""
        found = _VARIABLE.finditer(self.own(branch))
        return any(match.group(2).decode() in names and match.group(1) not in _NO_TYPES for match in found)

    def standing_alone(self) -> frozenset[str]:
        """Names that stand where a statement or declaration begins and are followed by another: as macros they are
        empty, or whole statements."""
        code = _DIRECTIVE.sub(b"", self.plain)
        return frozenset(match.decode() for match in _FOLLOWED.findall(code))


def declaring(file: File, text: bytes, left: Iterable[Branch], unknown: Collection[str]) -> list[Branch]:
    """The branches of a header in ``left`` whose own code declares a type or function of one of the ``unknown`` names,
    as far as its words tell: the compiler tries what is said."""
    names = b"|".join(re.escape(name.encode()) for name in sorted(unknown) if name.isidentifier())
    if not names or re.search(rb"\b(?:" + names + rb")\b", text) is None:
        return []
    declared = re.compile(_DECLARED % {b"names": names}, re.DOTALL)
    plain = blanked(text)
    inside = _inside(file.branches)
    return [
        branch
        for branch in left
        if declared.search(_DIRECTIVE.sub(b"", b"".join(_pieces(plain, inside.get(id(branch), ()), branch))))
        is not None
    ]


def _inside(branches: Iterable[Branch]) -> dict[int, list[Branch]]:
    """The branches directly in each, by its identity."""
    found: dict[int, list[Branch]] = {}
    for each in branches:
        found.setdefault(id(each.parent), []).append(each)
    return found


def _pieces(plain: bytes, inside: Sequence[Branch], branch: Branch) -> Iterator[bytes]:
    """The code of a branch between those ``inside`` it."""
    at = branch.start
    for inner in inside:
        yield plain[at : inner.start]
        at = max(at, inner.end)
    yield plain[at : branch.end]


def _looked_at(module: Module) -> list[FunctionDecl]:
    """The functions that kernels of a module reach; all where it has no kernel."""
    found = {id(f): f for kernel in module.kernels for f in (kernel.function, *functions_of(kernel))}
    return list(found.values()) if module.kernels else list(module.functions)


def intersect(some: Ranges, others: Ranges) -> Ranges:
    """What lies in both."""
    found = []
    for low, high in some:
        for start, end in others:
            if max(low, start) < min(high, end):
                found.append((max(low, start), min(high, end)))
    return tuple(found)


def subtract(some: Ranges, others: Ranges) -> Ranges:
    """What lies in ``some`` and not in ``others``."""
    left = list(some)
    for start, end in others:
        pieces = [piece for low, high in left for piece in ((low, min(high, start)), (max(low, end), high))]
        left = [(low, high) for low, high in pieces if low < high]
    return tuple(left)
