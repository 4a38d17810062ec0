"""Where numbers and vectors lie whose place nobody has rounded up: in structures, and behind smaller elements.

A member that is no vector lies where the members before it end: ``struct { int n; unsigned words[16]; }`` has its words
4 bytes past a multiple of whatever it starts at.  Arrays that share one buffer lie where those before them end:
behind ``n`` numbers of 4 bytes, numbers of 8 begin at a multiple of 8 for every second ``n``.  How many there are
before them say tests of the kernel, which takes these one by one, or what a launch in sight passes for the place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import gcd

from kernlint.analysis.trace.events import Access, Root, RootKind
from kernlint.analysis.values.aligned_tests import bounds, parts_of
from kernlint.prove.admission import Way
from kernlint.symbolic.polynomial import Monomial, polynomial
from kernlint.symbolic.terms import BLOCK, GRID_DIM, Symbol, SymbolKind, Term, plain, subterms, symbols
from kernlint.tree.nodes import Cast, Deref, Subscript
from kernlint.tree.types import ArrayType, IntType, Space, StructType, Type, VectorType
from kernlint.tree.walk import walk

CUDA_LARGEST = 16
"""No vector type of CUDA or HIP is aligned to more bytes (CUDA C++ Programming Guide, built-in vector types)."""


def alignment_of(type_: Type, language: str) -> int | None:
    """Bytes that a vector's address must be a multiple of; None for what is no vector of a power of two.  A struct that
    is aligned on purpose, to all of its bytes, is one."""
    if isinstance(type_, StructType):
        own = type_.known and not type_.union and type_.align == type_.size and type_.align in (4, 8, 16)
        parts = [field.type.align or CUDA_LARGEST for field in type_.fields]
        return type_.align if own and max(parts, default=CUDA_LARGEST) < (type_.align or 0) else None
    if not isinstance(type_, VectorType) or type_.lanes not in (2, 4, 8, 16) or type_.size is None:
        return None
    return type_.size if language == "opencl" else min(type_.size, CUDA_LARGEST)


def member_start(root: Root) -> int:
    """Bytes from the start of a variable to the member of it that an object is; 0 where that is not known."""
    kind: Type | None = root.decl.type if root.decl is not None else None
    start = 0
    for name in root.path.strip(".").split(".") if root.path else ():
        if not isinstance(kind, StructType) or not kind.known or kind.union:
            return 0
        field = next((field for field in kind.fields if field.name == name), None)
        if field is None or field.offset is None:
            return 0
        start, kind = start + field.offset, field.type
    return start if isinstance(kind, ArrayType) else 0


def in_memory(root: Root, accesses: Sequence[Access]) -> bool:
    """Whether a private array has elements that are chosen at run time: then it has addresses."""
    return any(
        not _of_constant_loop(symbol, access)
        for access in accesses
        if access.root is root
        for symbol in symbols(access.offset)
    )


def _of_constant_loop(symbol: Symbol, access: Access) -> bool:
    """Whether a symbol counts the rounds of a loop of a constant number of them, which is unrolled."""
    loop = next((loop for loop in access.loops if loop.counter is symbol), None)
    if loop is None or loop.condition is None:
        return False
    return all(part.kind is SymbolKind.COUNTER for part in symbols(loop.condition))


def promised_less(access: Access, align: int, language: str) -> bool:
    """Whether local memory that an OpenCL kernel is given as bytes is taken for numbers or vectors of ``align`` bytes:
    what a kernel is given is aligned to the type that its parameter points to, and to no more (OpenCL C 3.0, alignment
    of types)."""
    root = access.root
    given = language == "opencl" and root.kind is RootKind.PARAM and root.space is Space.SHARED
    return given and align >= 8 and isinstance(root.element, IntType) and root.element.size == 1


def laid_closer(access: Access, align: int | None) -> bool:
    """Whether a single number is read through a cast pointer in an array of structs whose layout is known, and that
    themselves are aligned to fewer bytes than the number.  A member that is named may lie in a packed struct, and
    then the compiler reads it in parts."""
    element = access.root.element
    if align is None or not isinstance(element, StructType) or not element.known or element.union:
        return False
    if access.root.space is Space.PRIVATE:
        return False
    cast = isinstance(access.node, (Deref, Subscript)) and any(
        isinstance(n, Cast) and n.explicit for n in walk(access.node)
    )
    return cast and (element.align or align) < align and bool(element.size)


def behind_smaller(access: Access, align: int, accesses: Sequence[Access], ways: Sequence[Way]) -> Symbol | None:
    """The parameter that says how many smaller elements lie before a place in the same buffer, where the kernel takes
    these one by one, or each block of as many takes one, and nothing of it for a number of whole pairs."""
    ahead = {mono: value for mono, value in polynomial(access.offset).coefficients.items() if value % align}
    for mono, value in ahead.items():
        count = mono[0].symbol if len(mono) == 1 and len(ahead) == 1 else None
        if count is None or count.kind is not SymbolKind.PARAM or align % value:
            continue
        taken = [other for other in accesses if other.root is access.root and other.size == value]
        singly = any(bounds(guard.term, count) for other in taken for guard in other.guards)
        singly = singly or any(_by_blocks(other, count, ways) for other in taken)
        terms = (term for other in accesses for term in (other.offset, *(guard.term for guard in other.guards)))
        if singly and not any(parts_of(term, count) for term in terms):
            return count
    return None


def _by_blocks(taken: Access, count: Symbol, ways: Sequence[Way]) -> bool:
    """Whether each block takes one element, and all launches in sight start as many blocks as they pass for a count."""
    place = polynomial(taken.offset)
    axes = [axis for axis, block in enumerate(BLOCK) if place.coefficients == {(block.term,): taken.size}]
    images = [dict(way.images) for way in ways]
    return bool(axes and images) and all(
        count in known and GRID_DIM[axes[0]] in known and plain(known[count]) == plain(known[GRID_DIM[axes[0]]])
        for known in images
    )


def passed_behind(access: Access, align: int, ways: Sequence[Way]) -> tuple[str, str, int] | None:
    """(parameter, how many, of what size) where a launch in sight passes a place behind smaller elements, as many as a
    size of the host says."""
    ahead = [(mono, value) for mono, value in polynomial(access.offset).coefficients.items() if value % align]
    if len(ahead) != 1:
        return None
    ((mono, times),) = ahead
    place = mono[0].symbol if len(mono) == 1 else None
    for way in ways if place is not None and place.kind is SymbolKind.PARAM else ():
        image = next((image for symbol, image in way.images if symbol is place), None)
        uneven = list(_uneven(image, align, times)) if image is not None else []
        if len(uneven) == 1 and not _rounded(uneven[0][0], way):
            (count, size), name = uneven[0], place.name if place is not None else ""
            return name, " * ".join(_named(atom) for atom in count), size
    return None


def _uneven(image: Term, align: int, times: int) -> Iterator[tuple[Monomial, int]]:
    """The products of an amount, in elements of several bytes, that are no multiple of ``align`` bytes."""
    for mono, value in polynomial(image).coefficients.items():
        if value * times % align and (not mono or gcd(value, align) == 1 or not all(map(_of_sizes, mono))):
            return
        if value * times % align:
            yield mono, value


def _of_sizes(atom: Term) -> bool:
    """Whether a factor is a size as it stands."""
    return atom.op == "sym" and atom.args[0].kind in (SymbolKind.PARAM, SymbolKind.LOAD, SymbolKind.UNKNOWN)


def _rounded(count: Monomial, way: Way) -> bool:
    """Whether the host asks for the remainder of a size."""
    return any(
        part.op in ("mod", "and") and plain(part.args[0]) in count for check in way.checks for part in subterms(check)
    )


def _named(atom: Term) -> str:
    return atom.args[0].name or "a size"
