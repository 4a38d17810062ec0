"""Expected facts, written beside the code of a fixture, and their comparison with what the trace says.

A comment that begins with ``//!`` states facts about its own line, or (when it stands alone) about the next line of
code.  Facts are separated by ``;``.  See ``fixtures/facts/README.md`` for the language.  Every access, barrier, loop,
gap, call, early exit, warp operation, fence, asynchronous copy and array must be stated: one more, one less or another
one is a difference.  Guards and phases are compared, completely, on the lines that state some.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from kernlint.analysis.trace.events import Access, Event, GuardKind, Label, LoopContext, RootKind, Trace
from kernlint.analysis.trace.run import trace_function
from kernlint.frontends.base import FrontendOptions
from kernlint.frontends.clang.frontend import ClangFrontend
from kernlint.source import SourceFile, Span
from kernlint.symbolic.show import show
from kernlint.symbolic.terms import Symbol, Term
from kernlint.symbolic.uniformity import uniformity
from kernlint.tree.nodes import FunctionDecl, Module
from tests.analysis.formula import BadFormula, Formula, Point, parse, values_of, wraps

POINTS = 120
"""Points at which a term is compared with the formula expected of it."""

_ACCESS = re.compile(
    r"(?P<kind>read|write|atomic) (?P<space>\w+) (?P<root>\?|[\w.*]+)\[(?P<offset>.*)\] (?P<size>\d+|\?)"
    r"(?: = (?P<value>.*?))?(?: op (?P<op>\w+))?(?: scope (?P<scope>\w+))?(?P<async> async)?(?P<volatile> volatile)?"
    r"(?: when (?P<when>.*?))?(?: : (?P<level>grid|block|warp|varying))?(?: at (?P<at>.*))?"
)
_LOOP = re.compile(
    r"loop (?P<name>\w+)(?P<post> do)?(?: while (?P<cond>.*?))?(?P<breaks>(?: break .*?)*)"
    r"(?: : (?P<level>grid|block|warp|varying))?"
)
_PHASE = re.compile(
    r"phase (?:(?P<inexact>inexact)|(?P<name>\w+)(?P<shifts>(?:~\w+)*)(?P<vague> inexact)?)(?: if (?P<cond>.*))?"
)


@dataclass
class Fact:
    """One expected fact: the words of its directive, the line it is about, the variant it is limited to."""

    line: int
    text: str
    only: str = ""
    used: bool = False

    @property
    def kind(self) -> str:
        return self.text.partition(" ")[0]


@dataclass
class Expectations:
    """All that one fixture states, and the names that formulas use."""

    facts: list[Fact]
    lets: list[tuple[int, str, Formula]]
    counters: frozenset[str]
    loops: dict[int, str]
    barriers: dict[int, str]
    extents: list[tuple[int, int]] = field(default_factory=list)

    def formula(self, text: str, line: int) -> Formula | None:
        """A formula as seen from ``line``: the latest ``let`` of each name above it counts."""
        visible = {name: formula for at, name, formula in self.lets if at <= line}
        return parse(text, visible, self.counters)


_FILTER = re.compile(r"\[([^\]]+)\]\s*(.*)", re.DOTALL)


def expectations(text: str) -> Expectations:
    """The facts that a fixture's text states.  Raises :class:`BadFormula` for what cannot be read."""
    facts: list[Fact] = []
    waiting: list[str] = []
    lets: list[tuple[int, str, str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        code, mark, stated = line.partition("//!")
        parts = [part.strip() for part in stated.split(";") if part.strip()] if mark else []
        if mark and not code.strip():
            waiting.extend(parts)
            continue
        if not code.strip():
            continue
        for part in (*waiting, *parts):
            match = _FILTER.fullmatch(part)
            only, part = (match[1], match[2]) if match else ("", part)
            if part.startswith("let "):
                name, _, formula = part[4:].partition("=")
                lets.append((number, name.strip(), formula))
            else:
                facts.append(Fact(number, part, only))
        waiting = []
    counters: set[str] = set()
    out = Expectations(facts, [], frozenset(), {}, {})
    for fact in facts:
        if fact.kind == "loop":
            match = _LOOP.fullmatch(fact.text)
            if match is None:
                raise BadFormula(f"line {fact.line}: {fact.text!r}")
            counters.add(match["name"])
            out.loops[fact.line] = match["name"]
        elif fact.kind == "barrier":
            out.barriers[fact.line] = fact.text.split()[1]
    out.counters = frozenset(counters)
    for number, name, formula in lets:
        visible = {n: f for at, n, f in out.lets if at <= number}
        made = parse(formula, visible, out.counters)
        if made is None:
            raise BadFormula(f"line {number}: let {name} = ?")
        out.lets.append((number, name, made))
    return out


class Subject:
    """One walk of a kernel variant, asked about lines of its file."""

    def __init__(self, variant: FunctionDecl, trace: Trace, source: SourceFile, expected: Expectations) -> None:
        self.variant, self.trace, self.source, self.expected = variant, trace, source, expected
        self.names: dict[Symbol, str] = {}
        for loop in trace.loops:
            name = expected.loops.get(self.line(loop.span))
            if name is not None:
                self.names[loop.counter], self.names[loop.trips] = f"#{name}", f"trips.{name}"
        self.first = source.line_of(variant.span.start)
        self.last = source.line_of(variant.span.end)

    def line(self, span: Span) -> int:
        return self.source.line_of(span.start)

    def concerns(self, fact: Fact) -> bool:
        """Whether a fact is limited to other variants."""
        if not fact.only:
            return True
        args = {f"{name}={value}" for name, value in self.variant.template_args}
        return all(word.strip() in args or word.strip() == self.variant.name for word in fact.only.split(","))

    # ------------------------------------------------------------------------------------- comparing terms

    def same(self, term: Term | None, text: str, line: int, guards: Sequence[Term] = ()) -> bool:
        """Whether ``term`` has the formula's value wherever ``guards`` hold (``?``: it has no value anywhere)."""
        formula = self.expected.formula(text, line)
        if term is None:
            return formula is None
        seen = 0
        for seed in range(POINTS * 3):
            point = Point(seed, wide=wraps(text) and seed % 2 == 1)
            if any(values_of(guard, point, self.names) == 0 for guard in guards):
                continue
            seen += 1
            value = values_of(term, point, self.names)
            wanted = formula(point) if formula is not None else None
            if value != wanted:
                return False
            if seen >= POINTS:
                break
        return seen > 0 or not guards or self.same(term, text, line)

    # ------------------------------------------------------------------------------------------ differences

    def differences(self, inside: bool) -> Iterator[str]:
        """What the trace says and the fixture does not, or the other way round, on the kernel's own lines."""
        facts = [f for f in self.expected.facts if self.concerns(f) and self.first <= f.line <= self.last]
        yield from compare([self], facts, lambda line: self.first <= line <= self.last)


def compare(subjects: Sequence[Subject], facts: Sequence[Fact], here: Any) -> Iterator[str]:
    """Differences between ``facts`` and the events of ``subjects`` on the lines that ``here`` accepts."""
    groups: dict[tuple[int, str], list[Fact]] = {}
    for fact in facts:
        groups.setdefault((fact.line, _GROUP.get(fact.kind, fact.kind)), []).append(fact)
    seen: dict[tuple[int, str], list[tuple[Subject, Any]]] = {}
    for subject in subjects:
        for kind, span, item in _items(subject.trace):
            line = subject.line(span)
            if here(line):
                seen.setdefault((line, kind), []).append((subject, item))
    for key in sorted({*groups, *seen}):
        line, kind = key
        stated, found = groups.get(key, []), seen.get(key, [])
        if kind in ("guard", "phase", "condition"):
            if kind == "condition" and stated:
                yield from _match(line, stated, found, kind)
            continue
        yield from _match(line, stated, found, kind)
    for (line, kind), stated in sorted(groups.items()):
        if kind in ("guard", "phase"):
            events = [(s, e) for k in _PLACED for s, e in seen.get((line, k), [])]
            if not events:
                yield f"line {line}: {kind} stated where nothing happens"
            for subject, event in events:
                yield from (_guards if kind == "guard" else _phases)(subject, event, stated, line)


_GROUP = {"read": "access", "write": "access", "atomic": "access", "shared": "array", "private": "array"}
_PLACED = ("access", "barrier", "warp", "call", "exit")


def _items(trace: Trace) -> Iterator[tuple[str, Span, Any]]:
    yield from (("access", x.span, x) for x in trace.accesses)
    yield from (("barrier", x.span, x) for x in trace.barriers)
    yield from (("warp", x.span, x) for x in trace.warp_ops)
    yield from (("fence", x.span, x) for x in trace.fences)
    yield from (("async", x.span, x) for x in trace.asyncs)
    yield from (("call", x.span, x) for x in trace.calls)
    yield from (("exit", x.span, x) for x in trace.exits)
    yield from (("condition", x.span, x) for x in trace.conditions)
    yield from (("loop", x.span, x) for x in trace.loops)
    yield from (("gap", x.span, x) for x in trace.gaps)
    yield from (("array", x.decl.span, x) for x in trace.arrays if x.decl is not None)


def _match(line: int, stated: list[Fact], found: list[tuple[Subject, Any]], kind: str) -> Iterator[str]:
    left = list(found)
    for fact in stated:
        hit = next((pair for pair in left if _FITS[kind](pair[0], pair[1], fact)), None)
        if hit is None:
            rest = ", ".join(describe(s, x) for s, x in left) or "nothing"
            yield f"line {line}: {fact.text!r} is not so; the trace has {rest}"
        else:
            left.remove(hit)
            fact.used = True
    for subject, item in left:
        yield f"line {line}: {kind} not stated: {describe(subject, item)}"


def describe(subject: Subject, item: Any) -> str:
    """What the trace says, for a message."""
    if isinstance(item, Access):
        value = f" = {show(item.value)}" if item.value is not None else ""
        place = f"{item.root.space.value} {item.root.name}[{show(item.offset, casts=True)}]"
        text = f"{item.kind.value} {place} {item.size}{value}"
        more = f" op {item.atomic_op} scope {item.scope.value}" if item.atomic_op else ""
        short = _short(item)
        return text + more + (f" when {' && '.join(show(t) for t in short)}" if short else "")
    if isinstance(item, LoopContext):
        cond = show(item.condition, casts=True) if item.condition is not None else "-"
        return f"loop while {cond} exits {[show(t) for t, _ in item.exits]} : {item.trips.uniformity.name.lower()}"
    for name in ("term", "reason", "name"):
        value = getattr(item, name, None)
        if value is not None:
            return f"{type(item).__name__} {show(value, casts=True) if isinstance(value, Term) else value}"
    return f"{type(item).__name__} {getattr(getattr(item, 'node', None), 'name', '')}"


def _short(event: Event) -> list[Term]:
    return [guard.term for guard in event.guards if guard.kind is GuardKind.SHORT]


def _level(term: Term) -> str:
    return uniformity(term).name.lower()


def _fits_access(s: Subject, a: Access, fact: Fact) -> bool:
    m = _ACCESS.fullmatch(fact.text)
    if m is None:
        raise BadFormula(f"line {fact.line}: {fact.text!r}")
    root = "?" if a.root.kind is RootKind.UNKNOWN else a.root.name
    size = "?" if a.size is None else str(a.size)
    if (a.kind.value, a.root.space.value, root, size) != (m["kind"], m["space"], m["root"], m["size"]):
        return False
    guards = [guard.term for guard in a.guards]
    if not s.same(a.offset, m["offset"], fact.line, guards):
        return False
    if m["value"] is not None and not s.same(a.value, m["value"], fact.line, guards):
        return False
    if m["op"] not in (None, a.atomic_op) or m["scope"] not in (None, a.scope.value):
        return False
    if bool(m["async"]) != a.asynchronous or bool(m["volatile"]) != a.volatile:
        return False
    short = _short(a)
    if m["when"] is not None and not (len(short) == 1 and s.same(short[0], m["when"], fact.line)):
        return False
    if m["at"] is not None:
        phase = Fact(fact.line, f"phase {m['at']}")
        if len(a.labels) != 1 or not _fits_label(s, a.labels[0], phase):
            return False
    return m["level"] is None or m["level"] == _level(a.offset)


def _fits_loop(s: Subject, loop: LoopContext, fact: Fact) -> bool:
    m = _LOOP.fullmatch(fact.text)
    assert m is not None
    if bool(m["post"]) != loop.post_tested or (m["cond"] is None) != (loop.condition is None):
        return False
    if m["cond"] is not None and not s.same(loop.condition, m["cond"], fact.line):
        return False
    breaks = [text.strip() for text in m["breaks"].split(" break ") if text.strip()]
    terms = [term for term, _ in loop.exits]
    if len(breaks) != len(terms) or not all(s.same(t, b, fact.line) for t, b in zip(terms, breaks, strict=True)):
        return False
    return m["level"] is None or m["level"] == loop.trips.uniformity.name.lower()


def _fits_barrier(s: Subject, barrier: Any, fact: Fact) -> bool:
    words = fact.text.split()[2:]
    said = {w for w in words if w in ("uncertain", "named")}
    scope = next((w for w in words if w not in said), "block")
    has = {w for w, on in (("uncertain", not barrier.certain), ("named", barrier.named)) if on}
    return said == has and scope == barrier.scope.value


def _fits_name(s: Subject, item: Any, fact: Fact) -> bool:
    name = getattr(item, "name", None) or item.node.name
    return fact.text.split()[1:] == [name]


def _fits_call(s: Subject, call: Any, fact: Fact) -> bool:
    has = {w for w, on in (("sync", call.may_sync), ("writes", call.writes)) if on}
    words = fact.text.split()[1:]
    return words[0] == call.name and set(words[1:]) == has


def _fits_array(s: Subject, root: Any, fact: Fact) -> bool:
    space, name, size = fact.text.split()
    return (root.space.value, root.name, "?" if root.extent is None else str(root.extent)) == (space, name, size)


def _fits_condition(s: Subject, event: Any, fact: Fact) -> bool:
    text, _, level = fact.text.partition(" ")[2].rpartition(" : ")
    return s.same(event.term, text, fact.line) and level == _level(event.term)


def _fits_gap(s: Subject, gap: Any, fact: Fact) -> bool:
    return fact.text.split()[1] == gap.kind


_FITS: dict[str, Any] = {
    "access": _fits_access,
    "loop": _fits_loop,
    "barrier": _fits_barrier,
    "warp": _fits_name,
    "fence": _fits_name,
    "async": _fits_name,
    "call": _fits_call,
    "array": _fits_array,
    "condition": _fits_condition,
    "gap": _fits_gap,
    "exit": lambda s, item, fact: True,
}


_GUARD = re.compile(
    r"guard (?:none|(?P<kind>branch|loop|exit|skip|assert|after_loop|short) (?P<term>.*?)"
    r"(?: : (?P<level>grid|block|warp|varying))?)"
)


def _guards(s: Subject, event: Event, stated: list[Fact], line: int) -> Iterator[str]:
    """The event must stand under exactly the guards stated (`when` of an access states its ``short`` ones)."""
    left = [guard for guard in event.guards if guard.kind is not GuardKind.SHORT]
    short = [guard for guard in event.guards if guard.kind is GuardKind.SHORT]
    if any(fact.text.startswith("guard short") for fact in stated):
        left += short
    for fact in stated:
        m = _GUARD.fullmatch(fact.text)
        if m is None:
            raise BadFormula(f"line {line}: {fact.text!r}")
        if m["kind"] is None:
            continue
        hit = next(
            (
                guard
                for guard in left
                if guard.kind.value == m["kind"]
                and s.same(guard.term, m["term"], line)
                and (m["level"] is None or m["level"] == _level(guard.term))
            ),
            None,
        )
        if hit is None:
            rest = (
                ", ".join(f"{g.kind.value} {show(g.term, casts=True)} : {_level(g.term)}" for g in left) or "no guard"
            )
            yield f"line {line}: {fact.text!r} is not so for {describe(s, event)}; the trace has {rest}"
        else:
            left.remove(hit)
    for guard in left:
        yield f"line {line}: guard not stated: {guard.kind.value} {show(guard.term, casts=True)}"


def _phases(s: Subject, event: Event, stated: list[Fact], line: int) -> Iterator[str]:
    left = list(event.labels)
    for fact in stated:
        hit = next((label for label in left if _fits_label(s, label, fact)), None)
        if hit is None:
            rest = ", ".join(_label(s, label) for label in left) or "nothing"
            yield f"line {line}: {fact.text!r} is not so for {describe(s, event)}; the trace has {rest}"
        else:
            left.remove(hit)
    for label in left:
        yield f"line {line}: phase not stated: {_label(s, label)}"


def _label_name(s: Subject, label: Label) -> str:
    if label.barrier is None:
        return "start"
    return s.expected.barriers.get(s.line(label.barrier.span), "?")


def _label(s: Subject, label: Label) -> str:
    shifts = "".join("~last" if n is None else f"~{n}" for _, n in label.shifts)
    return f"{_label_name(s, label)}{shifts}{'' if label.exact else ' inexact'} if {show(label.condition)}"


def _fits_label(s: Subject, label: Label, fact: Fact) -> bool:
    m = _PHASE.fullmatch(fact.text)
    if m is None:
        raise BadFormula(f"line {fact.line}: {fact.text!r}")
    if m["inexact"]:
        return not label.exact
    shifts = ["last" if n is None else str(n) for _, n in label.shifts]
    wanted = [part for part in m["shifts"].split("~") if part] or ["0"] * len(shifts)
    if _label_name(s, label) != m["name"] or shifts != wanted or label.exact == bool(m["vague"]):
        return False
    return m["cond"] is None or s.same(label.condition, m["cond"], fact.line)


# ------------------------------------------------------------------------------------------------------- files


@cache
def modules(path: Path) -> list[Module]:
    """The trees of a fixture, through the real front end."""
    return ClangFrontend().parse_file(SourceFile(str(path), path.read_bytes()), FrontendOptions(cache=False))


def differences(path: Path, text: str | None = None) -> list[str]:
    """All differences between what a fixture states (or ``text``, the same code with other facts) and its traces."""
    source = SourceFile(str(path), path.read_bytes())
    expected = expectations(text if text is not None else path.read_text())
    out: list[str] = []
    subjects: list[Subject] = []
    for module in modules(path):
        out += [f"kernel {missed.name} was missed: {missed.reason}" for missed in module.missed]
        for kernel in module.kernels:
            for variant in kernel.variants:
                subjects.append(Subject(variant, trace_function(variant, module.language), source, expected))
    if not subjects:
        out.append("no kernels")
    for subject in subjects:
        out += [f"{subject.variant.name}: {text}" for text in subject.differences(True)]

    def outside(line: int) -> bool:
        return not any(s.first <= line <= s.last for s in subjects)

    out += list(compare(subjects, [fact for fact in expected.facts if outside(fact.line)], outside))
    return out
