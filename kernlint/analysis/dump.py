"""The facts of a file, printed for people and as JSON for tests: accesses, guards, phases, or all of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from kernlint.analysis.base import AnalysisOptions
from kernlint.analysis.trace.events import (
    Access,
    AsyncEvent,
    BarrierEvent,
    CallEvent,
    Event,
    ExitEvent,
    FenceEvent,
    Guard,
    Label,
    LoopContext,
    Trace,
    WarpEvent,
)
from kernlint.analysis.trace.run import trace_function
from kernlint.source import SourceError, SourceFile, read
from kernlint.symbolic.show import show
from kernlint.symbolic.terms import Term, Uniformity
from kernlint.symbolic.uniformity import uniformity
from kernlint.tree.nodes import FunctionDecl, Module

WHAT = ("facts", "accesses", "guards", "phases")
"""What can be asked for."""

Json = dict[str, Any]


def dump(what: str, module: Module, as_json: bool, options: AnalysisOptions | None = None) -> str:
    """Text (or JSON) of one kind of facts for every kernel variant of ``module``.

    Raises :class:`ValueError` for a ``what`` that is not in :data:`WHAT`.
    """
    if what not in WHAT:
        raise ValueError(f"no facts are called {what!r}; there are {', '.join(WHAT)}")
    lines = _Lines()
    kernels: list[Json] = []
    for kernel in module.kernels:
        for variant in kernel.variants:
            trace = trace_function(variant, module.language)
            kernels.append(_PARTS[what](variant, trace, lines))
    document = {"path": module.path, "language": module.language, "kernels": kernels}
    if as_json:
        return json.dumps(document, indent=1)
    return "\n".join(_text(document))


class _Lines:
    """Lines of spans; a file that has vanished gives line 0."""

    def __init__(self) -> None:
        self.files: dict[str, SourceFile | None] = {}

    def of(self, span: Any) -> int:
        if span is None:
            return 0
        if span.file not in self.files:
            try:
                self.files[span.file] = read(span.file)
            except SourceError:
                self.files[span.file] = None
        source = self.files[span.file]
        return source.line_of(span.start) if source is not None else 0


def _kernel(variant: FunctionDecl, trace: Trace) -> Json:
    return {
        "kernel": variant.name,
        "instance": dict(variant.template_args),
        "forced": variant.forced,
        "complete": trace.complete,
        "gaps": [f"{gap.kind}: {gap.reason}" for gap in trace.gaps],
        "assumptions": sorted(trace.assumptions),
    }


def _term(term: Term | None) -> Json | None:
    if term is None:
        return None
    return {"term": show(term), "uniform": _level(uniformity(term))}


def _level(level: Uniformity) -> str:
    return level.name.lower()


def _guard(guard: Guard, lines: _Lines) -> Json:
    return {
        "kind": guard.kind.value,
        "term": show(guard.term),
        "uniform": _level(uniformity(guard.term)),
        "line": lines.of(guard.span),
    }


def _label(label: Label, lines: _Lines) -> Json:
    return {
        "after": lines.of(label.barrier.span) if label.barrier is not None else "start",
        "when": show(label.condition),
        "iterations_ago": ["last" if shift is None else shift for _, shift in label.shifts],
        "exact": label.exact,
    }


def _loop(loop: LoopContext, lines: _Lines) -> Json:
    return {
        "line": lines.of(loop.span),
        "counter": loop.counter.name,
        "condition": _term(loop.condition),
        "post_tested": loop.post_tested,
        "exits": [_term(term) for term, _ in loop.exits],
        "trips_uniform": _level(loop.trips.uniformity),
    }


def _access(access: Access, lines: _Lines) -> Json:
    return {
        "line": lines.of(access.span),
        "kind": access.kind.value,
        "space": access.root.space.value,
        "root": access.root.name,
        "offset": show(access.offset),
        "size": access.size,
        "index": show(access.index) if access.index is not None else None,
        "uniform": _level(uniformity(access.offset)),
        "value": show(access.value) if access.value is not None and access.value.op == "const" else None,
        "guards": [_guard(guard, lines) for guard in access.guards],
        "phase": [_label(label, lines) for label in access.labels],
        "loops": [loop.counter.name for loop in access.loops],
        "calls": [lines.of(span) for span in access.stack],
    }


def _accesses(variant: FunctionDecl, trace: Trace, lines: _Lines) -> Json:
    out = _kernel(variant, trace)
    out["accesses"] = [_access(access, lines) for access in trace.accesses]
    return out


def _guards(variant: FunctionDecl, trace: Trace, lines: _Lines) -> Json:
    out = _kernel(variant, trace)
    out["conditions"] = [{"line": lines.of(event.span), **(_term(event.term) or {})} for event in trace.conditions]
    out["guarded"] = [
        {"line": lines.of(event.span), "event": _name(event), "guards": [_guard(g, lines) for g in event.guards]}
        for event in _visible(trace)
    ]
    return out


def _phases(variant: FunctionDecl, trace: Trace, lines: _Lines) -> Json:
    out = _kernel(variant, trace)
    out["barriers"] = [_barrier(event, lines) for event in trace.barriers]
    out["events"] = [
        {"line": lines.of(event.span), "event": _name(event), "phase": [_label(x, lines) for x in event.labels]}
        for event in _visible(trace)
        if isinstance(event, (Access, BarrierEvent))
    ]
    return out


def _barrier(event: BarrierEvent, lines: _Lines) -> Json:
    return {
        "line": lines.of(event.span),
        "name": event.name,
        "scope": event.scope.value,
        "certain": event.certain,
        "named": event.named,
        "guards": [_guard(guard, lines) for guard in event.guards],
        "loops": [loop.counter.name for loop in event.loops],
        "phase": [_label(label, lines) for label in event.labels],
    }


def _facts(variant: FunctionDecl, trace: Trace, lines: _Lines) -> Json:
    out = _accesses(variant, trace, lines)
    out["barriers"] = [_barrier(event, lines) for event in trace.barriers]
    out["loops"] = [_loop(loop, lines) for loop in trace.loops]
    out["conditions"] = [{"line": lines.of(event.span), **(_term(event.term) or {})} for event in trace.conditions]
    out["warp_ops"] = [
        {"line": lines.of(e.span), "kind": e.node.kind, "name": e.node.name, "mask": _term(e.mask)}
        for e in trace.warp_ops
    ]
    out["fences"] = [{"line": lines.of(e.span), "name": e.name, "scope": e.scope.value} for e in trace.fences]
    out["asyncs"] = [{"line": lines.of(e.span), "name": e.node.name} for e in trace.asyncs]
    out["calls"] = [
        {"line": lines.of(e.span), "name": e.name, "reason": e.reason, "may_sync": e.may_sync, "writes": e.writes}
        for e in trace.calls
    ]
    out["exits"] = [
        {"line": lines.of(e.span), "guards": [_guard(guard, lines) for guard in e.guards]} for e in trace.exits
    ]
    out["arrays"] = [{"name": root.name, "space": root.space.value, "bytes": root.extent} for root in trace.arrays]
    return out


_PARTS: dict[str, Callable[[FunctionDecl, Trace, _Lines], Json]] = {
    "facts": _facts,
    "accesses": _accesses,
    "guards": _guards,
    "phases": _phases,
}


def _visible(trace: Trace) -> list[Event]:
    kinds = (Access, BarrierEvent, WarpEvent, FenceEvent, CallEvent, AsyncEvent, ExitEvent)
    return [event for event in trace.events if isinstance(event, kinds)]


def _name(event: Event) -> str:
    if isinstance(event, Access):
        return f"{event.kind.value} {event.root.name}[{show(event.offset)}]"
    if isinstance(event, (WarpEvent, AsyncEvent)):
        return event.node.name
    return str(getattr(event, "name", "return"))


# --------------------------------------------------------------------------------------------------- as text


def _text(document: Json) -> Iterator[str]:
    yield f"{document['path']} ({document['language']})"
    for kernel in document["kernels"]:
        instance = ", ".join(f"{k} = {v}" for k, v in kernel["instance"].items())
        yield f"kernel {kernel['kernel']}" + (f" [{instance}]" if instance else "")
        for gap in kernel["gaps"]:
            yield f"  not understood: {gap}"
        for name, items in kernel.items():
            if not isinstance(items, list) or name in ("gaps", "assumptions") or not items:
                continue
            yield f"  {name}:"
            for item in items:
                yield from _item(item)
    if not document["kernels"]:
        yield "no kernels"


def _item(item: Json) -> Iterator[str]:
    line = item.get("line", "")
    if "root" in item:
        head = (
            f"{item['kind']:6} {item['space']} {item['root']}[{item['offset']}] {item['size']} bytes, {item['uniform']}"
        )
    else:
        skip = ("line", "guards", "phase", "loops", "calls")
        head = ", ".join(f"{key} {_flat(value)}" for key, value in item.items() if key not in skip and value != "")
    yield f"    {line:>5}  {head}"
    for guard in item.get("guards", ()):
        yield f"             if {guard['term']}   ({guard['kind']}, line {guard['line']}, {guard['uniform']})"
    for label in item.get("phase", ()):
        when = "" if label["when"] == "1" else f" when {label['when']}"
        ago = f", iterations ago {label['iterations_ago']}" if label["iterations_ago"] else ""
        yield f"             after {label['after']}{when}{ago}{'' if label['exact'] else ' (inexact)'}"


def _flat(value: Any) -> str:
    if isinstance(value, dict):
        return str(value.get("term", value))
    if isinstance(value, list):
        return "[" + ", ".join(_flat(v) for v in value) + "]"
    return str(value)
