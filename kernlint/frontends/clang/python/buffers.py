"""Arrays and buffers of a Python program: how long they are, of what type, and in whose memory."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Container, Mapping, Sequence

from kernlint.apis.python_numbers import WIDTHS
from kernlint.frontends.clang.python.hosts import HostBuilder
from kernlint.frontends.clang.python.literals import axes_unpacked, items_of
from kernlint.frontends.clang.python.objects import Results, returned_anywhere
from kernlint.frontends.clang.python.program import PythonProgram, Scope, dotted
from kernlint.record import dataclass, replace
from kernlint.tree.dump import expression_text
from kernlint.tree.nodes import Expr, IntLit

DEPTH = 24
"""Arrays made of each other that are followed."""

LIBRARIES = frozenset({"numpy", "cupy", "pycuda", "pyopencl", "numba"})

_COPIES = frozenset({"In", "Out", "InOut", "to_gpu", "ascontiguousarray", "asarray", "array", "copy", "to_device"})
_SAME = frozenset({"ascontiguousarray", "asarray", "array", "copy", "to_device", "as_cuda_array", "asfortranarray"})
_ALIKE = frozenset(
    {
        "zeros_like", "empty_like", "ones_like", "full_like", "mem_alloc_like", "device_array_like",
        "pinned_array_like", "mapped_array_like", "abs", "sqrt", "exp", "log", "sin", "cos",
    }
)  # fmt: skip
_FILLED = frozenset(
    {
        "zeros",
        "ones",
        "empty",
        "full",
        "device_array",
        "pinned_array",
        "mapped_array",
        "managed_array",
        "ndarray",
        "recarray",
    }
)
_RANDOM = {
    "random": 0, "random_sample": 0, "ranf": 0, "sample": 0, "standard_normal": 0, "standard_exponential": 0,
    "normal": 2, "uniform": 2, "randint": 2, "integers": 2, "random_integers": 2, "binomial": 2, "lognormal": 2,
    "exponential": 1, "poisson": 1, "choice": 1, "rayleigh": 1, "chisquare": 1,
}  # fmt: skip
"""Which argument of a function of ``numpy.random`` is the size (with those before it given)."""

_MOVING = frozenset({"to_device", "device_array", "device_array_like", "as_cuda_array"})


@dataclass(frozen=True, slots=True)
class Array:
    """An array: its shape, and the type of an element (empty: not known); or only all of its bytes.

    ``device``: whether it is in the GPU's memory (None: not known).
    """

    shape: tuple[Expr, ...] | None
    dtype: str
    bytes: Expr | None = None
    device: bool | None = None

    @property
    def width(self) -> int | None:
        """Bytes of an element."""
        return WIDTHS.get(self.dtype)


class Buffers(ABC):
    """Reads what arrays are; numbers are left to who derives from it.  ``ranks``: axes of arrays known by name only."""

    program: PythonProgram
    host: HostBuilder
    ranks: dict[str, int]
    arrays: dict[tuple[ast.expr, Scope, int, frozenset[str]], Array | None]
    """What :meth:`array` has answered: arrays made of several others in turn are asked for over and over."""
    types: dict[tuple[ast.expr, Scope, int, frozenset[tuple[int, str]]], str]
    """The same of the types of elements (:mod:`elements`)."""
    results: Results
    """What calls give back that leave the file."""

    @abstractmethod
    def number(self, expr: ast.expr, scope: Scope, depth: int = 0) -> Expr | None:
        """The value of an expression as a number or a term over sizes; None when it is not followed."""

    @abstractmethod
    def product(self, factors: Sequence[Expr]) -> Expr:
        """The product of sizes."""

    @abstractmethod
    def quotient(self, above: Expr, below: Expr) -> Expr:
        """``above // below``."""

    first_only: frozenset[str] = frozenset()
    """Members that are exchanged for each other, while what they were at first is read."""

    def bytes(self, array: Array) -> Expr | None:
        """The bytes of an array."""
        if array.bytes is not None:
            return array.bytes
        if array.shape is None or array.width is None:
            return None
        return self.product((*array.shape, self.host.number(array.width)))

    def same(self, name: str, bound: Sequence[tuple[ast.expr, Scope] | None]) -> bool:
        """Whether all that a name is bound to is one array: what it was at first, and copies of itself."""
        return len(bound) > 1 and all(one is None or self._copy_of(one[0], name) for one in bound[1:])

    def _copy_of(self, expr: ast.expr, name: str) -> bool:
        if not isinstance(expr, ast.Call):
            return False
        last = (dotted(expr.func) or "").rpartition(".")[2]
        if last in _SAME and expr.args and isinstance(expr.args[0], ast.Name):
            return expr.args[0].id == name
        inner = expr.func.value if isinstance(expr.func, ast.Attribute) else None
        return last in ("astype", "copy") and isinstance(inner, ast.Name) and inner.id == name

    def base_name(self, expr: ast.expr, scope: Scope, depth: int = 0) -> str | None:
        """The name of the array that an expression is a copy of."""
        expr, scope = self.program.resolved(expr, scope)
        if isinstance(expr, ast.Call) and depth < DEPTH:
            last = (dotted(expr.func) or "").rpartition(".")[2]
            if last in ("astype", "copy") and isinstance(expr.func, ast.Attribute):
                return self.base_name(expr.func.value, scope, depth + 1)
            if last in (*_COPIES, *_ALIKE) and expr.args:
                return self.base_name(expr.args[0], scope, depth + 1)
            if last in _FILLED and expr.args:
                shape, where = self.program.resolved(expr.args[0], scope)
                whole = isinstance(shape, ast.Attribute) and shape.attr == "shape"
                return self.base_name(shape.value, where, depth + 1) if whole else None  # type: ignore[attr-defined]
            return None
        firsts = _member_firsts(expr, scope) if isinstance(expr, ast.Attribute) and depth < DEPTH else {}
        own = next((first for first in firsts.values() if _made_of_none(first[0], firsts)), None)
        return self.base_name(*own, depth + 1) if own is not None else dotted(expr)

    def array(self, expr: ast.expr, scope: Scope, depth: int = 0) -> Array | None:
        """The array or buffer that an expression stands for; None when it is not made in sight."""
        if depth > DEPTH:
            return None
        key = expr, scope, depth, self.first_only
        if key not in self.arrays:
            self.arrays[key] = self._followed_array(expr, scope, depth)
        return self.arrays[key]

    def _followed_array(self, expr: ast.expr, scope: Scope, depth: int) -> Array | None:
        expr, scope = self.program.resolved(expr, scope)
        if isinstance(expr, ast.Name):
            return self._by_name(expr.id, scope, depth)
        if isinstance(expr, ast.Attribute) and expr.attr in ("data", "gpudata", "ptr"):
            return self.array(expr.value, scope, depth + 1)
        if isinstance(expr, ast.Attribute) and (firsts := _member_firsts(expr, scope)):
            return self._member(dotted(expr) or "", firsts, depth)
        if isinstance(expr, ast.Attribute) and (rank := self.ranks.get(dotted(expr) or "")):
            name = dotted(expr)
            return Array(tuple(self.host.size(f"{name}.shape[{axis}]") for axis in range(rank)), "")
        if not isinstance(expr, ast.Call):
            return None
        keys = {key.arg: key.value for key in expr.keywords if key.arg is not None}
        if any(key.arg is None for key in expr.keywords) or any(isinstance(a, ast.Starred) for a in expr.args):
            return None
        if isinstance(expr.func, ast.Attribute):
            found = self._method(expr.func, expr.args, scope, depth)
            if found is not None:
                return found
        if (made := returned_anywhere(self.program, expr, scope, self.results)) is not None:
            return self.array(*made, depth + 1)
        full = self._generator(expr.func, scope) or self.program.imported(dotted(expr.func) or "", scope)
        if full.partition(".")[0] not in LIBRARIES:
            return None
        return self._made(full, list(expr.args), keys, scope, depth)

    def _generator(self, func: ast.expr, scope: Scope) -> str | None:
        """The full name of a method of a random generator, as if it were a function of the module."""
        if not isinstance(func, ast.Attribute) or func.attr not in _RANDOM:
            return None
        made, where = self.program.resolved(func.value, scope)
        full = self.program.imported(dotted(made.func) or "", where) if isinstance(made, ast.Call) else ""
        whole = full.rpartition(".")[2] in ("default_rng", "RandomState", "Generator")
        return f"{full.rpartition('.')[0]}.{func.attr}" if whole else None

    def _member(self, name: str, firsts: Mapping[str, tuple[ast.expr, Scope]], depth: int) -> Array | None:
        """A member that is exchanged for others; where these are made, each is yet what it was at first."""
        if name in self.first_only:
            return self.array(*firsts[name], depth + 1)
        self.first_only, outer = frozenset(firsts), self.first_only
        found = [self.array(*first, depth + 1) for first in firsts.values()]
        self.first_only = outer
        return _alike([one for one in found if one is not None], len(firsts))

    def _by_name(self, name: str, scope: Scope, depth: int) -> Array | None:
        """An array that is known by its name: given from outside, perhaps copied since."""
        holder = scope.holder(name)
        bound = holder.bound[name] if holder is not None else []
        if holder is not None and len(bound) > 1 and (group := exchanged(name, holder)):
            found = [self.array(*first, depth + 1) for one in group if (first := holder.bound[one][0]) is not None]
            return _alike([one for one in found if one is not None], len(group))
        if holder is None or (len(bound) > 1 and not self.same(name, bound)):
            return None
        rank = self.ranks.get(name) or axes_unpacked(name, holder)
        shape = tuple(self.host.size(f"{name}.shape[{axis}]") for axis in range(rank)) if rank else None
        out: Array | None = Array(shape, "") if shape else None
        if len(bound) > 1 and bound[0] is not None:
            out = self.array(*bound[0], depth + 1) or out
        for one in bound[1:]:
            if one is None or not isinstance(one[0], ast.Call):
                continue
            known = out or Array(shape, "")
            last = (dotted(one[0].func) or "").rpartition(".")[2]
            stated = next((key.value for key in one[0].keywords if key.arg == "dtype"), None)
            if stated is None and last != "to_device" and len(one[0].args) > (0 if last == "astype" else 1):
                stated = one[0].args[0 if last == "astype" else 1]
            dtype = self.dtype(stated, one[1]) if stated is not None else known.dtype
            library = self.program.imported(dotted(one[0].func) or "", one[1]).partition(".")[0]
            where = True if last == "to_device" or library == "cupy" else known.device
            out = Array(known.shape, dtype, device=False if library == "numpy" else where)
        return out

    def _method(self, func: ast.Attribute, args: Sequence[ast.expr], scope: Scope, depth: int) -> Array | None:
        """``array.astype(type)``, ``array.copy()``, ``array.reshape(...)``."""
        if func.attr == "astype" and len(args) >= 1:
            known = self.array(func.value, scope, depth + 1) or Array(None, "")
            return replace(known, dtype=self.dtype(args[0], scope))
        if func.attr == "copy" and not args:
            return self.array(func.value, scope, depth + 1)
        if func.attr == "reshape" and args:
            array = self.array(func.value, scope, depth + 1)
            shape = self.shape(args[0] if len(args) == 1 else ast.Tuple(list(args), ast.Load()), scope, True)
            shape = self._left_open(array, shape) if shape else None
            return replace(array, shape=shape) if array is not None else None
        if func.attr in ("ravel", "flatten") and not args:
            array = self.array(func.value, scope, depth + 1)
            if array is None or array.shape:
                return replace(array, shape=(self.product(array.shape),)) if array is not None and array.shape else None
            base = self.base_name(func.value, scope)  # as many elements as what it is a copy of
            plain = base is not None and base.isidentifier()
            return replace(array, shape=(self.host.size(f"{base}.size"),)) if plain else array
        return None

    def _left_open(self, array: Array | None, shape: tuple[Expr, ...]) -> tuple[Expr, ...] | None:
        """A shape with the size that ``-1`` leaves to be worked out; None where that is not known."""
        open_ = [at for at, size in enumerate(shape) if isinstance(size, IntLit) and size.value < 0]
        if not open_:
            return shape
        if array is None or not array.shape or len(open_) > 1:
            return None
        whole = self.product(array.shape)
        rest = [size for at, size in enumerate(shape) if at not in open_]
        missing = self.quotient(whole, self.product(rest)) if rest else whole
        return tuple(missing if at in open_ else size for at, size in enumerate(shape))

    def _made(
        self, full: str, args: list[ast.expr], keys: dict[str, ast.expr], scope: Scope, depth: int
    ) -> Array | None:
        library, name = full.partition(".")[0], full.rpartition(".")[2]
        device = None if library == "pyopencl" else library in ("cupy", "pycuda") or name in _MOVING
        if library == "pyopencl" and name == "LocalMemory" and len(args) == 1:
            size = self.number(args[0], scope)
            return Array(None, "", size, True) if size is not None else None
        if library == "pyopencl" and name == "Buffer":
            return self._buffer(args, keys, scope, depth)
        if library == "pyopencl" and name in (*_FILLED, "to_device"):
            args = args[1:]  # the queue
        if name in _FILLED and (args or "shape" in keys):
            shape = self.shape(args[0] if args else keys["shape"], scope, library != "pyopencl")
            at = 2 if name == "full" else 1
            type_ = keys.get("dtype", args[at] if len(args) > at else None)
            dtype = "" if library == "pyopencl" else "float64"
            return Array(shape, dtype if type_ is None else self.dtype(type_, scope), device=device) if shape else None
        if name in _ALIKE and args:
            array = self.array(args[-1] if library == "pyopencl" else args[0], scope, depth + 1)
            if array is None:
                return None
            dtype = self.dtype(keys["dtype"], scope) if "dtype" in keys else array.dtype
            return replace(array, dtype=dtype, device=device)
        if name in _COPIES and args:
            return self._copied(name, args, keys, scope, depth, device)
        if name == "mem_alloc" and len(args) == 1:
            size = self.number(args[0], scope)
            return Array(None, "", size, True) if size is not None else None
        if name == "create_xoroshiro128p_states" and (args or "n" in keys):
            count = self.number(args[0] if args else keys["n"], scope)
            return Array((count,), "", device=True) if count is not None else None
        if ".random." in full:
            return self._random(name, args, keys, scope, device)
        if name in ("arange", "linspace") and library in ("numpy", "cupy"):
            return self._counted(name, args, keys, scope, device)
        return None

    def _random(
        self, name: str, args: list[ast.expr], keys: dict[str, ast.expr], scope: Scope, device: bool | None
    ) -> Array | None:
        """Arrays of random numbers, by NumPy's signatures."""
        at = _RANDOM.get(name)
        shape_: ast.expr
        if name in ("rand", "randn"):
            shape_ = ast.Tuple(args, ast.Load())
        elif at is None or (len(args) <= at and "size" not in keys):
            return None
        else:
            shape_ = keys["size"] if "size" in keys else args[at]
        shape = self.shape(shape_, scope, True)
        default = "int64" if name in ("randint", "integers", "random_integers", "poisson", "binomial") else "float64"
        dtype = self.dtype(keys["dtype"], scope) if "dtype" in keys else default if name != "choice" else ""
        return Array(shape, dtype, device=device) if shape else None

    def _copied(
        self, name: str, args: list[ast.expr], keys: dict[str, ast.expr], scope: Scope, depth: int, device: bool | None
    ) -> Array | None:
        array = self.array(args[0], scope, depth + 1)
        if array is None and name in ("array", "asarray"):
            listed, where = self.program.resolved(args[0], scope)
            if isinstance(listed, ast.Call) and dotted(listed.func) == "list" and len(listed.args) == 1:
                listed = listed.args[0]
            if isinstance(listed, ast.Call) and dotted(listed.func) == "range" and not listed.keywords:
                array = self._counted("arange", list(listed.args), {}, where, None)
            elif isinstance(listed, ast.Name) and (items := items_of(self.program, listed, where)) is not None:
                array = Array((self.host.number(items),), "")
            if isinstance(listed, (ast.List, ast.Tuple)) and not any(isinstance(e, ast.Starred) for e in listed.elts):
                whole = all(isinstance(e, ast.Constant) and isinstance(e.value, int) for e in listed.elts)
                plain = all(isinstance(e, (ast.Constant, ast.UnaryOp)) for e in listed.elts)
                array = Array((self.host.number(len(listed.elts)),), "int64" if whole else "float64") if plain else None
        stated = keys.get("dtype")
        if stated is None and name in ("array", "asarray", "ascontiguousarray") and len(args) > 1:
            stated = args[1]
        if array is None:
            return Array(None, self.dtype(stated, scope), device=device) if stated is not None else None
        moved = device if name not in ("In", "Out", "InOut") else array.device
        return replace(array, dtype=self.dtype(stated, scope) if stated is not None else array.dtype, device=moved)

    def _counted(
        self, name: str, args: list[ast.expr], keys: dict[str, ast.expr], scope: Scope, device: bool | None
    ) -> Array | None:
        """``arange(n)``, ``linspace(a, b, n)``."""
        type_ = keys.get("dtype")
        if name == "linspace":
            count = keys.get("num", args[2] if len(args) > 2 else None)
            size = self.number(count, scope) if count is not None else self.host.number(50)
            dtype = self.dtype(type_, scope) if type_ is not None else "float64"
            return Array((size,), dtype, device=device) if size is not None else Array(None, dtype, device=device)
        if len(args) != 1:
            return Array(None, self.dtype(type_, scope), device=device) if type_ is not None else None
        size = self.number(args[0], scope)
        whole = not (isinstance(args[0], ast.Constant) and isinstance(args[0].value, float))
        dtype = self.dtype(type_, scope) if type_ is not None else "int64" if whole else "float64"
        return Array((size,), dtype, device=device) if size is not None else None

    def _buffer(self, args: list[ast.expr], keys: dict[str, ast.expr], scope: Scope, depth: int) -> Array | None:
        """``Buffer(context, flags, size=0, hostbuf=None)``."""
        size, hostbuf = keys.get("size"), keys.get("hostbuf")
        if len(args) > 2:
            size = args[2]
        if len(args) > 3:
            hostbuf = args[3]
        if size is not None and not (isinstance(size, ast.Constant) and size.value == 0):
            found = self.number(size, scope)
            return Array(None, "", found) if found is not None else None
        return self.array(hostbuf, scope, depth + 1) if hostbuf is not None else None

    def shape(self, expr: ast.expr, scope: Scope, alone: bool = False) -> tuple[Expr, ...] | None:
        """The shape that an argument gives: a tuple of sizes or one size; ``alone``: a name is taken for one size where
        nothing says that it is several."""
        value, where = self.program.resolved(expr, scope)
        if isinstance(value, (ast.Tuple, ast.List)):
            sizes = [self.number(part, where) for part in value.elts]
            return tuple(size for size in sizes if size is not None) if sizes and all(sizes) else None
        if isinstance(value, ast.Attribute) and value.attr == "shape":
            array = self.array(value.value, where)
            return array.shape if array is not None else None
        one = self.number(expr, scope)
        named = isinstance(value, ast.Name) and not (alone and not _plural(value.id))
        return (one,) if one is not None and not named else None

    def dtype(self, expr: ast.expr, scope: Scope) -> str:
        """The name of a type; empty when it is not followed."""
        expr, scope = self.program.resolved(expr, scope)
        if isinstance(expr, ast.Attribute) and expr.attr == "dtype":
            array = self.array(expr.value, scope)
            return array.dtype if array is not None else ""
        home, _, last = self.program.imported(dotted(expr) or "", scope).rpartition(".")
        said = self.program.string(expr, scope) or (_OF_OPENCL.get(last, last) if "cltypes" in home else last)
        said = _SHORT.get(said.lstrip("<=>|"), said)
        return said if said in WIDTHS else ""


_SHORT = {
    "f2": "float16", "f4": "float32", "f8": "float64", "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64",
    "u1": "uint8", "u2": "uint16", "u4": "uint32", "u8": "uint64", "f": "float32", "d": "float64", "i": "int32",
    "c8": "complex64", "c16": "complex128", "b1": "bool", "?": "bool",
}  # fmt: skip


_OF_OPENCL = {
    "char": "int8", "uchar": "uint8", "short": "int16", "ushort": "uint16", "int": "int32", "uint": "uint32",
    "long": "int64", "ulong": "uint64", "half": "float16", "float": "float32", "double": "float64",
}  # fmt: skip
"""What ``pyopencl.cltypes`` calls NumPy's types."""


def exchanged(name: str, holder: Scope) -> set[str]:
    """The names or members that are bound once each and then only exchanged for each other, as the two fields of a
    solver are, by way of a third name maybe; empty where ``name`` is none of such."""
    group: set[str] = set()
    between: set[str] = set()
    open_ = [name]
    while open_:
        one = open_.pop()
        first, *more = holder.bound.get(one, [None])
        kept = dotted(first[0]) if first is not None and not more and one != name else None
        (group if kept is None else between).add(one)
        others = [other for known in more if known is not None and (other := dotted(known[0])) is not None]
        others += [kept] if kept is not None else []
        if first is None or not others or len(others) < len(more) or len(group) > 4:
            return set()
        open_ += [other for other in others if other not in group | between]
    return group if len(group) > 1 else set()


def exchanged_with(name: str, scope: Scope) -> set[str]:
    """The names or members that ``name`` is exchanged for, and itself; empty where it is exchanged for none."""
    holder = scope.holder(name)
    return exchanged(name, holder) if holder is not None else set()


def _made_of_none(expr: ast.expr, members: Container[str | None]) -> bool:
    """Whether what makes an array does not speak of ``members``."""
    return not any(dotted(at) in members for at in ast.walk(expr))


def _member_firsts(expr: ast.Attribute, scope: Scope) -> dict[str, tuple[ast.expr, Scope]]:
    """What a member of ``self`` that is exchanged for others was at first, and what those were; nothing for others."""
    name = dotted(expr) or ""
    holder = scope.holder(name) if name.startswith("self.") else None
    if holder is None or len(holder.bound[name]) < 2:
        return {}
    group = sorted(exchanged(name, holder))
    return {one: first for one in group if (first := holder.bound[one][0]) is not None}


def _alike(found: Sequence[Array], count: int) -> Array | None:
    """The array that several names may stand for, where all are of one shape and type."""
    if not found or len(found) < count:
        return None
    first, *others = found
    spelled = [[expression_text(size) for size in one.shape or ()] for one in found]
    same = all(one == spelled[0] for one in spelled) and all(one.dtype == first.dtype for one in others)
    device = first.device if all(one.device is first.device for one in others) else None
    return replace(first, device=device) if same and first.shape else None


def _plural(name: str) -> bool:
    """Whether a name that is given from outside may well stand for several sizes at once."""
    return "shape" in name.lower() or name.lower() in ("size", "sizes", "dims", "extent", "extents")
