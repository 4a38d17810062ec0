"""Which settings switch on the code that the default ones leave out.

A setting is a few macros, defined or undefined, and at most one architecture.  For a branch that is not compiled the
conditions on the way to it say which macros to look at and which values to try; macros that the source itself defines
under conditions lead to those conditions.  The fewest changes win.  Settings of several branches are put together as
long as they do not contradict each other.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from enum import Enum

from kernlint.frontends.clang.conditions.directives import Branch, Outcome, Program
from kernlint.frontends.clang.conditions.expressions import Expression, evaluate, has_calls, names, numbers, read
from kernlint.frontends.clang.options import Language
from kernlint.record import dataclass
from kernlint.text.patterns import pattern

MAX_CHANGES = 4
"""Macros that one branch may ask for."""

MAX_RUNS = 160
"""Passes of the preprocessor spent on one branch."""

MAX_STEPS = 8 * MAX_RUNS
"""Settings looked at for one branch, also those of which the outcome is known."""

MAX_VALUES = 6
"""Values that are tried for one macro."""

MAX_SETTINGS = 5
"""Further settings that one source is read under."""

_CUDA_ARCHITECTURES = (80, 90, 70, 75, 86, 89, 60, 61, 50, 35)
_GFX = pattern(r"__(gfx[0-9a-f]{3,4})__$")
_HIP_ARCHITECTURES = ("gfx942", "gfx90a", "gfx908", "gfx906", "gfx1030", "gfx1100", "gfx1200")
_HOST_PASS = {
    Language.CUDA: ("__CUDA_ARCH__", "__CUDACC__", "__NVCC__", "__CUDA__"),
    Language.HIP: ("__HIP_DEVICE_COMPILE__", "__HIPCC__", "__HIP__", "__AMDGCN__"),
    Language.OPENCL: ("__OPENCL_VERSION__", "__OPENCL_C_VERSION__", "__OPENCL__"),
}
"""What every compiler of device code defines: a branch that needs one of them undefined is the host's."""

_FIXED = frozenset(
    {"__cplusplus", "__clang__", "__GNUC__", "__LP64__", "_MSC_VER", "_WIN32", "_WIN64", "WIN32", "__APPLE__"}
    | {"__MINGW32__", "__INTEL_COMPILER", "__STDC_VERSION__", "__BYTE_ORDER__", "__has_include"}
    | {"__INTELLISENSE__", "__CDT_PARSER__", "__JETBRAINS_IDE__", "__CLION_IDE__", "__RESHARPER__"}
)
"""What the compiler and its system are: kernels are read with one compiler only, and what editors show under their own
macros is compiled by nobody."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Macros and their values (None: not defined), and an architecture, other than the default ones."""

    macros: tuple[tuple[str, str | None], ...] = ()
    target: str | None = None

    def text(self) -> str:
        """The header that brings the macros about, in front of the source and behind the preludes."""
        lines = []
        for name, value in self.macros:
            lines.append(f"#undef {name}")
            if value is not None:
                lines.append(f"#define {name} {value}")
        return "\n".join([*lines, ""]) if lines else ""

    def words(self) -> str:
        """``USE_CUDA defined, TILE = 32, sm_90``."""
        parts = []
        for name, value in self.macros:
            if value is None:
                parts.append(f"{name} not defined")
            else:
                parts.append(f"{name} defined" if value in ("", "1") else f"{name} = {value}")
        return ", ".join([*parts, *([self.target] if self.target else [])])


class Kind(Enum):
    """What a branch that is not compiled turned out to be."""

    OPEN = "some setting switches it on"
    HOST = "only the host's compiler sees it"
    DEAD = "nothing switches it on"
    UNKNOWN = "the search ended without an answer"


Changes = dict[str, str | None]
Plans = list[tuple[Changes, list[Changes]]]
"""Changes, each with the parts that they are put together of."""


class Search:
    """Looks for settings of one source.

    ``base`` are the macros that hold before the source begins, ``emptied`` those of the names to switch on that stand
    in the text as if they were nothing.  ``choices``: what a build may define (``NAME`` or ``NAME=VALUE``), which is
    tried before other values.
    """

    def __init__(
        self,
        program: Program,
        language: Language,
        base: dict[str, str],
        emptied: frozenset[str] = frozenset(),
        choices: Sequence[str] = (),
    ) -> None:
        self.program = program
        self.language = language
        self.base = base
        self.emptied = emptied
        self.choices: dict[str, list[str]] = {}
        for choice in choices:
            name, equals, value = choice.partition("=")
            self.choices.setdefault(name, []).append(value if equals else "1")
        self.runs = 0
        self.steps = 0
        """Settings looked at, also those of which the outcome was known."""
        self.unsure = False
        """Whether a condition on the way to the branch looked at last was not understood."""
        self._known: dict[tuple[tuple[str, str | None], ...], Outcome] = {}

    def learn(self, headers: Sequence[str]) -> None:
        """Take headers that a reading under other macros has found."""
        if self.program.learn(headers):
            self._known.clear()

    def outcome(self, changes: Changes) -> Outcome:
        """What the preprocessor does under the changes."""
        self.steps += 1
        key = tuple(sorted(changes.items(), key=lambda item: item[0]))
        found = self._known.get(key)
        if found is None:
            macros = dict(self.base)
            for name, value in changes.items():
                if value is None:
                    macros.pop(name, None)
                else:
                    macros[name] = value
            self.runs += 1
            found = self._known[key] = self.program.run(macros)
        return found

    def solve(self, branch: Branch, always: Changes) -> tuple[Kind, Changes]:
        """The fewest changes, added to ``always``, under which the branch is compiled."""
        limit, last, taken = (self.runs + MAX_RUNS, self.steps + MAX_STEPS), self.steps, 0
        self.unsure = False
        for most in range(1, MAX_CHANGES + 1):
            found = self._deepen(branch, always, most, limit)
            if found is not None:
                host = any(value is None and name in _HOST_PASS[self.language] for name, value in found.items())
                return (Kind.HOST if host else Kind.OPEN), found
            if self._beyond(limit):
                return Kind.UNKNOWN, {}
            if self.steps - last == taken:  # the deeper search had nothing new to try
                break
            last, taken = self.steps, self.steps - last
        return (Kind.UNKNOWN if self.unsure else Kind.DEAD), {}

    def _beyond(self, limit: tuple[int, int]) -> bool:
        """Whether more runs or steps are spent than ``limit`` says."""
        return self.runs > limit[0] or self.steps > limit[1]

    def _deepen(self, branch: Branch, changes: Changes, most: int, limit: tuple[int, int]) -> Changes | None:
        outcome = self.outcome(changes)
        if branch in outcome.active:
            return changes
        if not most or self._beyond(limit):
            return None
        obstacle = self._obstacle(branch, outcome)
        if obstacle is None:
            return None
        expression, macros = obstacle
        self.unsure = self.unsure or has_calls(expression)
        for name, value in self._candidates(expression, macros, changes):
            found = self._deepen(branch, {**changes, name: value}, most - 1, limit)
            if found is not None or self._beyond(limit):
                return found
        return None

    @staticmethod
    def _obstacle(branch: Branch, outcome: Outcome) -> tuple[Expression, dict[str, str]] | None:
        """The outermost condition on the way to the branch that is not as it has to be, and the macros there."""
        path: list[Branch] = []
        at: Branch | None = branch
        while at is not None:
            path.append(at)
            at = at.parent
        for each in reversed(path):
            if each in outcome.active:
                continue
            for earlier in each.earlier:
                if earlier in outcome.active and earlier.condition is not None:
                    return earlier.condition, outcome.before.get(earlier, {})
            if each.condition is None:
                return None
            return each.condition, outcome.before.get(each, {})
        return None

    def _candidates(
        self, expression: Expression, macros: dict[str, str], changes: Changes
    ) -> Iterator[tuple[str, str | None]]:
        """Macros and values to try so that a condition turns, likelier ones first."""
        # What the source itself defines where another macro has a value is switched by that: it may be one of several.
        for name in dict.fromkeys(names(expression)):
            if name not in macros and name not in changes:
                yield from ((of, value) for of, value in self._chosen_by(name, macros) if of not in changes)
        asked = list(dict.fromkeys(self._sources(expression, macros, 0, set())))
        late: list[tuple[str, str | None]] = []
        values = self._values(expression, macros)
        for name in asked:
            if name in changes or name in _FIXED:
                continue
            defined = name in macros or name in self.base
            yield from ((name, value) for value in self.choices.get(name, ()) if macros.get(name) != value)
            if name in _HOST_PASS[self.language]:
                if name == "__CUDA_ARCH__":
                    yield from ((name, str(10 * each)) for each in _CUDA_ARCHITECTURES)
                late.append((name, None))
            elif defined:
                late.append((name, None))
                if macros.get(name) == "0" and name not in self.base:  # by the source, unless the build says otherwise
                    yield name, "1"
                yield from ((name, str(value)) for value in values if macros.get(name) != str(value))
            elif self.language is Language.OPENCL or not _GFX.match(name) or self._is_target(name):
                yield name, "" if name in self.emptied else "1"
                yield from ((name, str(value)) for value in values if value != 1)
        yield from late

    @staticmethod
    def _is_target(name: str) -> bool:
        match = _GFX.match(name)
        return match is not None and match.group(1) in _HIP_ARCHITECTURES

    def _values(self, expression: Expression, macros: dict[str, str]) -> list[int]:
        found: dict[int, None] = {}
        constants = list(dict.fromkeys(numbers(expression, macros)))[:3]
        for offset in (0, 1, -1):
            found.update(dict.fromkeys(constant + offset for constant in constants))
        found[0] = None
        return [value for value in found if value >= 0][:MAX_VALUES]

    def _sources(self, expression: Expression, macros: dict[str, str], depth: int, seen: set[str]) -> Iterator[str]:
        """The macros that a condition hangs on: its own, those in their bodies, and those that decide whether the
        source defines them."""
        for name in names(expression):
            if name in seen:
                continue
            seen.add(name)
            if depth < MAX_CHANGES:
                inner = self._definitions(name)
                body = macros.get(name, "")
                if body and not body.isdigit():
                    yield from self._sources(read(body), macros, depth + 1, seen)
                for condition in inner:
                    yield from self._sources(condition, macros, depth + 1, seen)
            yield name

    def _chosen_by(self, name: str, macros: dict[str, str]) -> Iterator[tuple[str, str]]:
        """The macro, and its value, that an ``#if MACRO == VALUE`` of the source defines a name under."""
        for condition in self._definitions(name, own=True):
            if condition.op != "==":
                continue
            for of, value in (condition.operands, condition.operands[::-1]):
                if of.op == "name" and of.name not in _FIXED and not list(names(value)):
                    yield of.name, str(evaluate(value, macros))

    def _definitions(self, name: str, own: bool = False) -> list[Expression]:
        """The conditions under which the source defines or undefines a macro, innermost ones first; ``own``: those of
        the branches alone in which it is defined."""
        found: list[Expression] = []
        for file in self.program.files():
            for item in file.items:
                if item.name != name or item.op not in ("define", "undef"):
                    continue
                once = {other.name for other in file.items if other.op == "define" and _outermost(other.within)}
                at = item.within
                if own:
                    found += [at.condition] if at is not None and at.condition and item.op == "define" else []
                    continue
                while at is not None:
                    conditions = [each.condition for each in (at, *at.earlier)]
                    guards = {name, *once} if at.parent is None else {name}  # that of a header opens for nobody else
                    found += [
                        each
                        for each in conditions
                        if each is not None and not any(_guards(each, one) for one in guards)
                    ]
                    at = at.parent
        return list(dict.fromkeys(found))[:8]


def _outermost(within: Branch | None) -> bool:
    return within is not None and within.parent is None


def _guards(condition: Expression, names: Container[str]) -> bool:
    """``#ifndef NAME`` around the definition of NAME itself, or, of the guard of a header, around all that it has."""
    return condition.op == "u!" and condition.operands[0].op == "defined" and condition.operands[0].name in names


def _without(changes: Changes, branch: Branch) -> Changes:
    """The changes of macros that no condition on the way to a branch asks about."""
    asked: set[str] = set()
    at: Branch | None = branch
    while at is not None:
        for each in (at, *at.earlier):
            asked.update(names(each.condition) if each.condition is not None else ())
        at = at.parent
    return {name: value for name, value in changes.items() if name not in asked}


def plan(search: Search, wanted: Sequence[Branch], always: Changes) -> tuple[Plans, dict[Branch, Kind]]:
    """Few changes that together compile all of ``wanted`` (most important first) that can be, and what each is.

    ``always`` are changes that have been made already; they are kept where a branch does not contradict them.  Each of
    the changes comes with the parts it was put together of.
    """
    chosen: list[tuple[Changes, list[Branch], list[Changes]]] = []
    kinds: dict[Branch, Kind] = {}
    for branch in wanted:
        if branch in search.outcome(always).active or any(branch in search.outcome(c).active for c, _, _ in chosen):
            kinds[branch] = Kind.OPEN
            continue
        kinds[branch], changes = search.solve(branch, always)
        if kinds[branch] is Kind.DEAD and always:
            kinds[branch], changes = search.solve(branch, _without(always, branch))
        if kinds[branch] is Kind.DEAD and always:
            kinds[branch], changes = search.solve(branch, {})
        if kinds[branch] is Kind.OPEN and always and _two_runtimes(search.outcome(changes)):
            kinds[branch], changes = search.solve(branch, {})  # the other runtime's, in the place of this one
        if kinds[branch] is not Kind.OPEN:
            continue
        for index, (others, covered, parts) in enumerate(chosen):
            if any(others.get(name, value) != value for name, value in changes.items()):
                continue
            both = {**others, **changes}
            if _two_runtimes(search.outcome(both)) and not _two_runtimes(search.outcome(changes)):
                continue
            if {branch, *covered} <= search.outcome(both).active:
                chosen[index] = (both, [*covered, branch], [*parts, changes])
                break
        else:
            chosen.append((changes, [branch], [changes]))
    kept = list(chosen)
    for one in reversed(chosen):
        if any(set(one[1]) <= search.outcome(other[0]).active for other in kept if other is not one):
            kept.remove(one)
    return [(made, parts) for made, _, parts in kept], kinds


def setting_of(changes: Changes, outcome: Outcome, language: Language) -> tuple[Setting, Language]:
    """The setting that brings changes about, and the language that it makes of the source."""
    target = None
    macros: list[tuple[str, str | None]] = []
    for name, value in sorted(changes.items(), key=lambda item: item[0]):
        match = _GFX.match(name)
        if name == "__CUDA_ARCH__" and value:
            target = f"sm_{int(value) // 10}"
        elif match and value is not None and language is not Language.OPENCL:
            target = match.group(1)
        else:
            macros.append((name, value))
    if language is Language.CUDA and is_hip(outcome):
        language = Language.HIP
    return Setting(tuple(macros), target), language


def is_hip(outcome: Outcome) -> bool:
    """Whether what is compiled is for a HIP compiler: by its macros, or by the runtime it includes."""
    cuda, hip = _runtimes(outcome)
    named = bool({"__HIPCC__", "__HIP_PLATFORM_AMD__", "__HIP_PLATFORM_HCC__"} & set(outcome.macros))
    return named or (hip and not cuda)


def _runtimes(outcome: Outcome) -> tuple[bool, bool]:
    """Whether what is compiled includes the runtime of CUDA, and that of HIP."""
    hip = any(name.startswith("hip/") for name in outcome.includes)
    return any(name in ("cuda_runtime.h", "cuda.h", "cuda_runtime_api.h") for name in outcome.includes), hip


def _two_runtimes(outcome: Outcome) -> bool:
    """Whether settings would build one source for two platforms at once: whoever has both builds it for one of them."""
    return all(_runtimes(outcome))
