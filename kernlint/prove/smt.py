"""The last resort: z3, if it is installed, on one query with a resource limit.

Integers first, where terms are read without wrap-around (what may wrap becomes an assumption, as in the algebra);
bit-vectors only where an operation has no arithmetic meaning (``^``, ``|``, odd masks), which are exact.  A model is
believed only after the terms were evaluated under it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from kernlint.prove.cases import conjuncts
from kernlint.prove.hints import is_scalar, launch_bounds
from kernlint.prove.meet import WARP
from kernlint.prove.query import (
    SETTLED,
    Actor,
    Bounds,
    Budget,
    Overlap,
    Proved,
    Query,
    Refuted,
    Side,
    Triple,
    is_shared,
)
from kernlint.prove.translate import Suspect
from kernlint.prove.wraps import words
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.intervals import Ranges, refine
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, GRID_DIM, THREAD, Symbol, SymbolKind, Term, symbols
from kernlint.tree.types import IntType

_BITS = frozenset({"xor", "or", "not"})


class _NoForm(Exception):
    """A term that the solver is not asked about."""


def available() -> bool:
    """Whether z3 can be imported."""
    return find_spec("z3") is not None


def ask(query: Query, budget: Budget) -> Proved | Refuted | None:
    """z3's verdict; None when it is not installed, gives up, or is wrong about machine integers."""
    if not budget.rlimit:
        return None
    try:
        z3 = import_module("z3")  # half a second and 60 MB: only when a query comes this far
    except ImportError:
        return None
    try:
        return _Question(query, z3, _needs_bits(query)).ask(budget)
    except _NoForm:
        return None


def _terms(query: Query) -> list[Term]:
    terms = list(query.premises)
    for side in (query.a, query.b) if isinstance(query, Overlap) else (query.access,):
        terms += (side.offset, *side.facts)
    if isinstance(query, Bounds):
        terms.append(query.extent)
    return terms


def _needs_bits(query: Query) -> bool:
    def needs(term: Term) -> bool:
        if term.op == "and" and isinstance(term.type, IntType) and term.type.bits > 1:
            masks = [arg.value for arg in term.args if arg.value is not None]
            if not masks or masks[0] < 0 or masks[0] & (masks[0] + 1):
                return True
        return term.op in _BITS or any(needs(arg) for arg in term.terms)

    return any(needs(term) for term in _terms(query))


class _Question:
    def __init__(self, query: Query, z3: Any, bits: bool) -> None:
        self.query = query
        self.z3 = z3
        self.width = 64 if bits else 0
        self.sides = (query.a, query.b) if isinstance(query, Overlap) else (query.access,)
        self.bounds = launch_bounds(query.launch)
        self.ranges = [Ranges(refine((*query.premises, *side.facts), self.bounds)) for side in self.sides]
        self.known = query.launch.known()
        self.variables: dict[tuple[Symbol, int], Any] = {}
        self.suspects: set[Suspect] = set()
        self.positive: dict[Symbol, None] = {}
        self.side_conditions: list[Any] = []
        self.memo: dict[tuple[Term, int], Any] = {}

    # -- translation -------------------------------------------------------------------------------------------------

    def number(self, value: int) -> Any:
        return self.z3.BitVecVal(value, self.width) if self.width else self.z3.IntVal(value)

    def home(self, symbol: Symbol, side: int) -> tuple[Symbol, int, int]:
        """Under which symbol and side the value is filed, and what is added to it."""
        if isinstance(self.query, Overlap):
            for ours, theirs, shift in self.query.tied:
                if (symbol is ours and side == 0) or (symbol is theirs and side == 1):
                    return theirs, 2, shift if side == 0 else 0
        return symbol, 2 if is_shared(symbol, self.query) else side, 0

    def symbol(self, symbol: Symbol, side: int) -> Any:
        value = self.known.get(symbol)
        if value is not None:
            return self.number(value)
        key, place, shift = self.home(symbol, side)
        variable = self.variables.get((key, place))
        if variable is None:
            name = f"{key.name}@{place}#{len(self.variables)}"
            variable = self.z3.BitVec(name, self.width) if self.width else self.z3.Int(name)
            self.variables[key, place] = variable
            low, high = self.bounds(key)
            kind = key.type
            if isinstance(kind, IntType):
                low = kind.low if low is None else max(low, kind.low)
                high = kind.high if high is None else min(high, kind.high)
            if is_scalar(key) and (high is None or high > 0) and (low is None or low < 1):
                low = 1
                self.positive[key] = None
            if key.kind is SymbolKind.THREAD:
                self.side_conditions.append(variable < self.symbol(BLOCK_DIM[key.axis], 2))
            elif key.kind is SymbolKind.BLOCK:
                self.side_conditions.append(variable < self.symbol(GRID_DIM[key.axis], 2))
            for bound, ordered in ((low, 0), (high, 1)):
                if bound is not None and (not self.width or abs(bound) < 1 << 62):
                    limit = self.number(bound)
                    self.side_conditions.append(variable <= limit if ordered else variable >= limit)
        return variable + self.number(shift) if shift else variable

    def value(self, term: Term, side: int) -> Any:
        """``term`` as a number of z3."""
        key = (term, side)
        if key not in self.memo:
            self.memo[key] = self._value(term, side)
        return self.memo[key]

    def _value(self, term: Term, side: int) -> Any:
        z3, op, kind = self.z3, term.op, term.type
        if op == "const":
            if not isinstance(term.args[0], int):
                raise _NoForm
            return self.number(term.args[0])
        if not isinstance(kind, IntType):
            raise _NoForm
        if op == "sym":
            return self.symbol(term.args[0], side)
        if kind.bits == 1:
            return z3.If(self.truth(term, side), self.number(1), self.number(0))
        if op == "select":
            return z3.If(self.truth(term.args[0], side), self.value(term.args[1], side), self.value(term.args[2], side))
        if op == "call" or any(not isinstance(arg.type, IntType) for arg in term.args):
            raise _NoForm
        if op == "cast" and term.args[0].type == IntType(1, False):
            return z3.If(self.truth(term.args[0], side), self.number(1), self.number(0))
        args = [self.value(arg, side) for arg in term.args]
        if op in ("min", "max"):
            return z3.If(args[0] <= args[1] if op == "min" else args[0] >= args[1], args[0], args[1])
        ranges = self.ranges[min(side, len(self.ranges) - 1)]
        result = self._bits(op, args, term) if self.width else self._integers(op, args, term, ranges)
        if not ranges.wraps(term):
            return result
        if self.width and kind.bits <= 32:
            return self._wrapped(result, kind)
        if kind.bits < 32:
            if kind.signed:
                raise _NoForm
            return result % self.number(1 << kind.bits)
        self.suspects.add(Suspect(term, side))
        return result

    def _wrapped(self, value: Any, kind: IntType) -> Any:
        part = self.z3.Extract(kind.bits - 1, 0, value)
        extend = self.z3.SignExt if kind.signed else self.z3.ZeroExt
        return extend(self.width - kind.bits, part)

    def _integers(self, op: str, args: list[Any], term: Term, ranges: Ranges) -> Any:
        z3 = self.z3
        if op == "cast":
            return args[0]
        if op == "neg":
            return -args[0]
        a, b = args
        if op == "add":
            shift = 0
            if term.args[1].op == "const" and ranges.downward(term) and isinstance(term.type, IntType):
                shift = 1 << term.type.bits
            return a + (b - self.number(shift) if shift else b)
        if op == "sub":
            return a - b
        if op == "mul":
            return a * b
        count = term.args[1].value
        if op in ("shl", "shr"):
            if count is None or not 0 <= count < 64:
                raise _NoForm
            return a * self.number(1 << count) if op == "shl" else a / self.number(1 << count)
        if op == "and":
            mask = next(arg.value for arg in term.args if arg.value is not None)
            other = a if term.args[1].value is not None else b
            return other % self.number(mask + 1)
        if op in ("div", "mod"):
            self.side_conditions.append(b != 0)
            # z3 rounds towards minus infinity for b > 0; C towards zero
            quotient = z3.If(a >= 0, a / b, -(-a / b))
            return quotient if op == "div" else a - quotient * b
        raise _NoForm

    def _bits(self, op: str, args: list[Any], term: Term) -> Any:
        if op == "cast":
            return args[0]
        if op == "neg":
            return -args[0]
        if op == "not":
            return ~args[0] if term.type.signed else ~args[0] & self.number(term.type.high)  # type: ignore[attr-defined]
        a, b = args
        simple: dict[str, Callable[[Any, Any], Any]] = {
            "add": lambda x, y: x + y,
            "sub": lambda x, y: x - y,
            "mul": lambda x, y: x * y,
            "and": lambda x, y: x & y,
            "or": lambda x, y: x | y,
            "xor": lambda x, y: x ^ y,
        }
        if op in simple:
            return simple[op](a, b)
        if op in ("shr", "div", "mod") and term.type == IntType(64, False):
            raise _NoForm  # numbers are signed here
        if op in ("shl", "shr"):
            count = term.args[1].value
            if count is None or not 0 <= count < 64:
                raise _NoForm
            return a << b if op == "shl" else a >> b
        if op in ("div", "mod"):
            self.side_conditions.append(b != 0)
            return a / b if op == "div" else self.z3.SRem(a, b)
        raise _NoForm

    def truth(self, term: Term, side: int) -> Any:
        """``term`` as a truth value of z3."""
        z3, op = self.z3, term.op
        if op == "const":
            return z3.BoolVal(bool(term.args[0]))
        if op == "land":
            return z3.And(*(self.truth(arg, side) for arg in term.args))
        if op == "lor":
            return z3.Or(*(self.truth(arg, side) for arg in term.args))
        if op == "lnot":
            return z3.Not(self.truth(term.args[0], side))
        if op in ("lt", "le", "eq", "ne"):
            a, b = (self.value(arg, side) for arg in term.args)
            if self.width and any(arg.type == IntType(64, False) for arg in term.args):
                raise _NoForm
            return {"lt": lambda: a < b, "le": lambda: a <= b, "eq": lambda: a == b, "ne": lambda: a != b}[op]()
        if op == "sym":
            return self.symbol(term.args[0], side) != self.number(0)
        if op == "cast":
            return self.value(term.args[0], side) != self.number(0)
        raise _NoForm

    # -- the question ------------------------------------------------------------------------------------------------

    def facts(self) -> tuple[list[Any], bool]:
        """The guards that can be said, and whether any was left out."""
        out, complete = [], True
        todo = [(premise, 2) for premise in self.query.premises]
        for at, side in enumerate(self.sides):
            todo += [(part, at) for fact in side.facts for part in conjuncts(fact)]
        for fact, at in todo:
            before = set(self.suspects)
            try:
                out.append(self.truth(fact, at))
            except _NoForm:
                self.suspects = before
                complete = False
        return out, complete

    def ask(self, budget: Budget) -> Proved | Refuted | None:
        z3, query = self.z3, self.query
        facts, complete = self.facts()
        offsets = [self.value(side.offset, at) for at, side in enumerate(self.sides)]
        extent = None
        if isinstance(query, Bounds):
            extent = self.value(query.extent, 2)
            fault = z3.Or(offsets[0] < 0, offsets[0] + self.number(query.access.size) > extent)
        else:
            fault = z3.And(
                offsets[0] < offsets[1] + self.number(query.b.size),
                offsets[1] < offsets[0] + self.number(query.a.size),
                self._different(query),
            )
        dims = [self.symbol(symbol, 2) for symbol in BLOCK_DIM]
        for symbol in (*THREAD, *BLOCK):
            for at in range(len(self.sides)):
                self.symbol(symbol, at)
        self.side_conditions.append(dims[0] * dims[1] * dims[2] <= self.number(query.launch.max_threads))
        solver = z3.SolverFor("QF_BV") if self.width else z3.Solver()
        solver.set("rlimit", budget.rlimit)
        solver.set("random_seed", 0)
        solver.add(*facts, fault, *self.side_conditions)
        verdict = solver.check()
        if verdict == z3.unsat:
            assumptions = (*words(self.suspects), *(f"{symbol.name} > 0" for symbol in self.positive))
            return Proved(assumptions, "smt")
        if verdict == z3.sat and complete:
            return self._checked(solver.model())
        return None

    def _different(self, query: Overlap) -> Any:
        z3 = self.z3
        threads = [self.symbol(symbol, 0) != self.symbol(symbol, 1) for symbol in THREAD]
        blocks = [self.symbol(symbol, 0) != self.symbol(symbol, 1) for symbol in BLOCK]
        if query.within == "blocks":
            return z3.Or(*blocks)
        different = z3.Or(*threads) if query.within == "block" else z3.Or(*threads, *blocks)
        if not (query.exclude_same_warp or query.require_same_warp):
            return different
        warps = []
        for at in (0, 1):
            x, y, z = (self.symbol(symbol, at) for symbol in THREAD)
            bx, by, _ = (self.symbol(symbol, 2) for symbol in BLOCK_DIM)
            warps.append((x + bx * (y + by * z)) / self.number(WARP))
        if query.require_same_warp:
            same = [warps[0] == warps[1], *(self.symbol(s, 0) == self.symbol(s, 1) for s in BLOCK)]
            return z3.And(different, *same)
        apart = warps[0] != warps[1]
        return apart if query.within == "block" else z3.Or(apart, *blocks)

    def _checked(self, model: Any) -> Refuted | None:
        """The model as a witness, if the machine terms agree."""
        query = self.query
        envs: list[dict[Symbol, int]] = []
        for at in range(len(self.sides)):
            env: dict[Symbol, int] = dict(self.known)
            for symbol in (*self._symbols(), *THREAD, *BLOCK, *BLOCK_DIM, *GRID_DIM):
                key, place, shift = self.home(symbol, at)
                variable = self.variables.get((key, place))
                if variable is not None and symbol not in env:
                    number = model.eval(variable, model_completion=True)
                    env[symbol] = (number.as_signed_long() if self.width else number.as_long()) + shift
            envs.append(env)
        for env, side in zip(envs, self.sides, strict=True):
            if not all(evaluate(fact, env) for fact in (*side.facts, *query.premises)):
                return None
        offsets = [evaluate(side.offset, env) for env, side in zip(envs, self.sides, strict=True)]
        if any(offset is None for offset in offsets):
            return None
        actors = [
            self._actor(side, env, offset or 0) for side, env, offset in zip(self.sides, envs, offsets, strict=True)
        ]
        extent = None
        if isinstance(query, Bounds):
            extent = evaluate(query.extent, envs[0])
            if extent is None or 0 <= actors[0].offset <= extent - query.access.size:
                return None
        else:
            one, two = actors
            if not (one.offset < two.offset + query.b.size and two.offset < one.offset + query.a.size):
                return None
            if (one.block, one.thread) == (two.block, two.thread):
                return None
        env = envs[0]
        shared = [s for s in self._symbols() if is_shared(s, query) and s in env]
        admission = query.launch.admission
        if not admission.permits(_triple(env, BLOCK_DIM), _triple(env, GRID_DIM), [(s, env[s]) for s in shared]):
            return None
        launch_kinds = (SymbolKind.BLOCK, SymbolKind.BLOCK_DIM, SymbolKind.GRID_DIM)
        inside = {s for side in self.sides for s in symbols(side.offset)}
        private = [s for s in inside if not is_shared(s, query) and s.kind in (SymbolKind.LOAD, SymbolKind.UNKNOWN)]
        return Refuted(
            _triple(env, BLOCK_DIM),
            _triple(env, GRID_DIM),
            tuple((s, env[s]) for s in shared if s.kind not in launch_kinds),
            actors[0],
            actors[1] if len(actors) > 1 else None,
            any(actor.data for actor in actors)
            or any(s.kind not in SETTLED for s in shared)
            or any(loop.condition is None for side in self.sides for loop in side.counters),
            bool(private),
            len(actors) > 1 and self._warp(actors[0], env) == self._warp(actors[1], env),
            extent,
            "smt",
        )

    def _warp(self, actor: Actor, env: dict[Symbol, int]) -> tuple[Triple, int]:
        x, y, z = actor.thread
        return actor.block, (x + env[BLOCK_DIM[0]] * (y + env[BLOCK_DIM[1]] * z)) // WARP

    def _symbols(self) -> list[Symbol]:
        return list(dict.fromkeys(s for term in _terms(self.query) for s in symbols(term)))

    def _actor(self, side: Side, env: dict[Symbol, int], offset: int) -> Actor:
        counters, data = [], []
        for symbol in dict.fromkeys(side.symbols):
            if symbol.kind is SymbolKind.COUNTER:
                counters.append((symbol, env.get(symbol, 0)))
            elif symbol.kind not in (SymbolKind.THREAD, SymbolKind.BLOCK) and not is_shared(symbol, self.query):
                data.append((symbol, env[symbol]))
        return Actor(_triple(env, BLOCK), _triple(env, THREAD), offset, tuple(counters), tuple(data))


def _triple(env: dict[Symbol, int], of: Sequence[Symbol]) -> Triple:
    return env[of[0]], env[of[1]], env[of[2]]
