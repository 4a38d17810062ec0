"""From a parsed translation unit to a module of the kernel tree."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterator

from kernlint.frontends.clang.compiler import Diagnostic
from kernlint.frontends.clang.cursor import Cursor
from kernlint.frontends.clang.embedded import OPEN_CODE, OPEN_NUMBER, OPEN_TYPE
from kernlint.frontends.clang.kinds import CursorKind as K
from kernlint.frontends.clang.kinds import Severity
from kernlint.frontends.clang.lower import calls, expressions, loops, names, statements  # noqa: F401
from kernlint.frontends.clang.lower.certain import errors_of_the_text
from kernlint.frontends.clang.lower.classes import classes_of
from kernlint.frontends.clang.lower.context import Lowering, Scope, lowers_statement
from kernlint.frontends.clang.lower.faults import sentence_around
from kernlint.frontends.clang.lower.functions import FUNCTIONS, FunctionTable, function_kind
from kernlint.frontends.clang.lower.heads import kernel_definitions
from kernlint.frontends.clang.lower.instances import (
    FORCED_INSTANCES,
    MANY_TEMPLATES,
    TOLD,
    Wanted,
    instantiated,
    is_kernel,
)
from kernlint.frontends.clang.lower.left_out import left_out_checks
from kernlint.frontends.clang.lower.lost_launches import add_lost_launches
from kernlint.frontends.clang.lower.printed import is_expression
from kernlint.frontends.clang.lower.ranges import range_of
from kernlint.frontends.clang.lower.split_macros import split_macros
from kernlint.frontends.clang.lower.variables import declare
from kernlint.frontends.clang.session import ParseResult
from kernlint.frontends.clang.stubs import served
from kernlint.source import Span
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import CompilerNote, FunctionDecl, FunctionKind, Kernel, Loss, Missed, Module
from kernlint.tree.walk import functions_of

FRAMES = 4000
"""Python frames that lowering may stack up: a few for each of the levels that nesting is allowed."""

# Every expression may stand as a statement.
lowers_statement(*range(100, 200))(statements.expression_statement)

_CONTAINERS = (K.NAMESPACE, K.LINKAGE_SPEC, K.UNEXPOSED_DECL)
_RECORDS = (K.STRUCT_DECL, K.CLASS_DECL, K.CLASS_TEMPLATE, K.UNION_DECL, K.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION)


_HARMLESS = (
    "non-kernel function variable cannot be declared in",
    "variable in constant address space must be init",
    "kernel parameter cannot be",
    "reference to __host__ variable",  # a constant made of a name that is not declared is none to the compiler
    "static assertion failed",
    "static_assert failed",
    "dynamic initialization is not supported",
    "initialization is not supported",
    "an attribute list cannot appear here",  # `__shared__ alignas(16) float x[8]`, as nvcc allows
    "'alignas' attribute cannot be applied to types",  # `__shared__ alignas(8) uint64_t x`
    "'device' and 'global' attributes are not",  # of two words, one a macro's, the first one holds
)
"""Errors about what the program may do; they take nothing out of the tree."""


def lower_module(
    parsed: ParseResult,
    unforced: ParseResult | None = None,
    wanted: Wanted | None = None,
    *,
    piece: bool = False,
    device: bool = True,
    sampled: Collection[int] = (),
    unwalked: set[str] | None = None,
) -> Module:
    """The module of a parsed source; ``unforced`` is the same source without uses that force instances.

    ``wanted`` chooses among the kernels and device functions (None: all); what those call comes along.  ``piece``: the
    source may be a part of a program only.  Without ``device`` the module is one of host code: kernels have empty
    bodies.  ``sampled``: where kernels begin of which one instance is enough.  To ``unwalked`` are added the classes
    that need a use behind the text before loops over them can be read (:mod:`kernlint.frontends.clang.lower.ranges`).
    """
    builder = ModuleBuilder(parsed, unforced, wanted, piece, device, sampled)
    module = builder.build()
    if unwalked is not None:
        unwalked.update(builder.lowering.unwalked)
    return module


def _numbers(parsed: ParseResult) -> frozenset[str]:
    """Names that the source lacks and that host code gives numbers to, or may give a meaning by what it puts in."""
    if not parsed.synthesised or OPEN_CODE in parsed.text:
        return parsed.synthesised
    opened = frozenset(name for name in parsed.synthesised if OPEN_NUMBER in name or name.startswith(OPEN_TYPE))
    around = parsed.options.around
    if around is None:
        return opened
    return opened | (parsed.synthesised & frozenset(around.numbers_for(parsed.path)))


def _errors(parsed: ParseResult) -> list[tuple[int, str]]:
    return [
        (e.offset, e.message)
        for e in parsed.errors()
        if e.file == parsed.path and not e.message.startswith(_HARMLESS) and e.offset < len(parsed.text)
    ]


_PRAGMA = pattern(rb"[ \t]*#[ \t]*pragma\b")
_UNROLL = pattern(r"UNROLL|PRAGMA|VECTORI[SZ]E", re.IGNORECASE)
_LOOP = pattern(r"(?:\s*\([^()]*\))?\s*(?:for|while|do)\b")
_UPHEAVAL = pattern(
    r"expected '\}'|extraneous closing brace|unterminated|#include nested too deeply|.*nesting level exceeded"
)


def _upheavals(parsed: ParseResult) -> Iterator[str]:
    """The first error of the main file after which the rest of it may be misread: it is said, not only survived."""
    for error in parsed.errors():
        inside = error.file == parsed.path and error.offset <= len(parsed.text)
        if inside and (error.severity is Severity.FATAL or _UPHEAVAL.match(error.message)):
            yield f"line {error.line}: {error.message}; what stands around it may be misread"
            return


CUT = "functions of the file are very large: not all of their statements are read"
TABLES = "tables of the file are very large: their numbers are not read"


class ModuleBuilder:
    """Collects what of a translation unit matters."""

    def __init__(
        self,
        parsed: ParseResult,
        unforced: ParseResult | None = None,
        wanted: Wanted | None = None,
        piece: bool = False,
        device: bool = True,
        sampled: Collection[int] = (),
    ) -> None:
        self.parsed = parsed
        self.wanted = wanted
        self.faults = (
            *errors_of_the_text(unforced or parsed, piece=piece, harmless=_HARMLESS),
            *split_macros(parsed.text, parsed.path),
        )
        self.lowering = Lowering(
            parsed.unit,
            parsed.text,
            parsed.language.value,
            parsed.synthesised,
            _errors(parsed),
            _errors(unforced) if unforced is not None else None,
            all(served(name, parsed.language) for name in parsed.missing),
            _numbers(parsed),
            parsed.skipped,
            any(parsed.errors()),
        )
        self.table = FunctionTable(self.lowering, device, sampled)
        self.lowering.functions = self.table
        self.end = len(parsed.text)
        self.said: set[tuple[str, str | None, int]] | None = None
        """What the compiler says of the source without uses that force instances; None: there are none."""
        if unforced is not None:
            self.said = {(d.message, d.file, d.offset) for d in unforced.diagnostics}

    def build(self) -> Module:
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, FRAMES))
        try:
            uses, instances = self._declare_all()
            forced = {instance.key for cursor in uses if (instance := instantiated(cursor)) is not None}
            self.table.prefer(cursor for cursor in instances if cursor.key not in forced | self.lowering.invented)
            self.table.drain()
            self._add_instances(uses, instances)
            return self._module()
        finally:
            sys.setrecursionlimit(limit)

    def _declare_all(self) -> tuple[list[Cursor], list[Cursor]]:
        """Declare what the main file defines; uses put behind it and template instances are handed back."""
        scope = Scope(self.lowering, FunctionKind.HOST)
        uses: list[Cursor] = []
        instances: list[Cursor] = []
        for cursor in self._declarations(self.parsed.unit.top_level()):
            try:
                if cursor.extent.start >= self.end and cursor.extent.file == self.parsed.path:
                    if (over := range_of(cursor)) is not None:
                        self.lowering.ranges[over] = cursor
                    else:
                        uses.append(cursor)
                elif cursor.kind == K.VAR_DECL:
                    declare(scope, cursor)
                elif cursor.is_definition:
                    if cursor.kind != K.FUNCTION_TEMPLATE and cursor.template is not None:
                        instances.append(cursor)
                    elif not self._passed_over(cursor):
                        self.table.declare(cursor)
            except Exception as error:  # the other declarations are worth having; a kernel lost here shows as missed
                reason = f"internal failure while reading a declaration: {type(error).__name__}: {error}"
                self.table.crashes.append(f"{cursor.spelling}: {reason}")
        return uses, instances

    def _passed_over(self, cursor: Cursor) -> bool:
        """Whether a function is device code that nobody wants to see."""
        if self.wanted is None or self.wanted(cursor.extent.start, cursor.extent.end):
            return False
        return function_kind(self.lowering, cursor) is not FunctionKind.HOST

    def _add_instances(self, uses: list[Cursor], instances: list[Cursor]) -> None:
        """Instances of kernels that no lowered code names: the source's explicit ones, then a few of the forced."""
        forced = {cursor.key: instance for cursor in uses if (instance := instantiated(cursor)) is not None}
        made_up = {instance.key for instance in forced.values()} | self.lowering.invented
        for cursor in (*instances, *self._instances_of_header()):
            template = cursor.template
            if cursor.key in made_up or template is None:
                continue
            if is_kernel(template) or function_kind(self.lowering, template) is FunctionKind.HOST:
                self.table.declare(cursor)
        self.table.drain()
        groups: dict[str, list[Cursor]] = {}
        for cursor in uses:
            if cursor.key in forced:
                groups.setdefault(cursor.spelling.rpartition("_")[0], []).append(forced[cursor.key])
        told = {forced[each.key].key for each in uses if each.key in forced and each.spelling.endswith(TOLD)}
        wanted = FORCED_INSTANCES if len(groups) <= MANY_TEMPLATES else 1
        asked_for = {id(f.generic) for f in self.table.declared.values() if f.generic is not None}
        for candidates in groups.values():
            template = candidates[0].template
            node = self.table.known(template) if template is not None else None
            if template is not None and node is not None and id(node) not in asked_for:
                self._force(candidates, min(wanted, self.table.most_instances(template)), told)

    def _instances_of_header(self) -> Iterator[Cursor]:
        """Instances of templates of the header for whose sake the source is read: they stand behind the template."""
        about = self.parsed.options.about
        if not about:
            return
        top = [each for each in self.parsed.unit.top_level(main_only=False) if each.extent.file == about]
        for cursor in self._declarations(top):
            if cursor.kind != K.VAR_DECL and cursor.is_definition and cursor.kind != K.FUNCTION_TEMPLATE:
                yield cursor

    def _force(self, candidates: list[Cursor], wanted: int, told: Collection[int]) -> None:
        """Keep the first ``wanted`` instances of a template that lost nothing, or else the one that lost least.
        ``told``: the keys of those whose numbers stand in the source."""
        clean = 0
        lossy: list[tuple[int, int, Cursor]] = []
        for index, instance in enumerate(candidates):
            if clean == wanted or len({lost for lost, _, _ in lossy}) < len(lossy):
                break  # enough of them, or two that lost alike: it is not the arguments
            if self.table.known(instance) is not None:
                continue
            node = self.table.declare(instance)
            if node.generic is None:
                continue
            object.__setattr__(node, "forced", True)
            object.__setattr__(node, "told", instance.key in told)
            self.table.drain()
            lost = sum(len(f.losses) for f in functions_of(Kernel(node)))
            if lost:
                lossy.append((lost, index, instance))
            else:
                clean += 1
        for _, _, instance in sorted(lossy)[0 if clean else 1 :]:
            self.table.discard(instance)

    def _declarations(self, cursors: list[Cursor]) -> Iterator[Cursor]:
        """Functions and variables, also those inside namespaces and classes, in source order."""
        for cursor in cursors:
            kind = cursor.kind
            if kind in FUNCTIONS or kind == K.VAR_DECL:
                yield cursor
            elif kind in _CONTAINERS or kind in _RECORDS:
                yield from self._declarations(cursor.children)

    def _module(self) -> Module:
        text = self.parsed.text
        inactive = tuple(Span(self.parsed.path, start, end) for start, end in self.parsed.skipped)
        functions = [f for f in self.table.declared.values() if f.body is not None]
        for function in functions:
            self._add_inactive(function, inactive)
        self._add_empty_macros(functions)
        if not self.lowering.opencl:
            add_lost_launches(text, self.parsed.path, functions)
        kernels = self._kernels(functions)
        return Module(
            path=self.parsed.path,
            language=self.parsed.language.value,
            functions=tuple(functions),
            kernels=kernels,
            globals=tuple(self.lowering.globals),
            missed=tuple(self._missed(functions)),
            synthesised=self.parsed.synthesised,
            missing_headers=tuple(
                sorted(name for name in self.parsed.missing if not served(name, self.parsed.language))
            ),
            inactive=inactive,
            notes=(*self.parsed.refused, *_upheavals(self.parsed), *self.table.crashes),
            compiler=self.faults
            + tuple(
                CompilerNote("warning", d.message, Span(d.file, d.offset, d.offset + 1))
                for d in self.parsed.diagnostics
                if d.severity is Severity.WARNING and d.file == self.parsed.path and not self._baseless(d)
            ),
            errors=sum(1 for d in self.parsed.errors() if (d.file, d.offset < len(text)) == (self.parsed.path, True)),
            classes=tuple(classes_of(self.lowering, self.parsed.unit.top_level())) if functions else (),
            ends_elsewhere=frozenset(self.lowering.ends_elsewhere),
            cuts=(*((CUT,) if self.lowering.cut else ()), *((TABLES,) if self.lowering.tables_cut else ())),
            left_out_checks=tuple(self._left_out_checks()),
        )

    def _left_out_checks(self) -> Iterator[Span]:
        if self.lowering.opencl:
            return
        headers = (self.lowering.file_text(name) for name in self.parsed.includes.found)
        yield from left_out_checks(self.parsed.text, self.parsed.path, headers)

    def _baseless(self, diagnostic: Diagnostic) -> bool:
        """Whether a message rests on what was made up: on an instance nobody asks for, a value that stands in."""
        if self._forced(diagnostic):
            return True
        if not self.parsed.synthesised:
            return False
        sentence = self.parsed.text[slice(*sentence_around(self.parsed.text, diagnostic.offset))]
        return self.lowering.words_rest_on_made_up(sentence.decode("latin-1"))

    def _forced(self, diagnostic: Diagnostic) -> bool:
        """Whether a message is about an instance that nobody but the analysis asked for, behind the text.

        Of several messages about one instance only the first says who asked for it.
        """
        if self.said is not None and (diagnostic.message, diagnostic.file, diagnostic.offset) not in self.said:
            return True
        behind = len(self.parsed.text)
        return any(file == self.parsed.path and offset >= behind for file, offset in diagnostic.notes)

    def _add_inactive(self, function: FunctionDecl, inactive: tuple[Span, ...]) -> None:
        """Branches of ``#if`` inside the body that were not compiled are losses of the function."""
        lost = [
            Loss("inactive", "code under an #if that was not compiled", span)
            for span in inactive
            if span.file == function.span.file and function.span.start <= span.start and span.end <= function.span.end
        ]
        if lost:
            object.__setattr__(function, "losses", (*function.losses, *lost))

    def _add_empty_macros(self, functions: list[FunctionDecl]) -> None:
        """Uses of macros that were made up expand to nothing, whatever the real ones do; in a ``#pragma`` (how often to
        unroll) that changes no meaning."""
        if not self.parsed.synthesised:
            return
        for cursor in self.parsed.unit.preprocessing((K.MACRO_EXPANSION,)):
            if cursor.spelling in self.parsed.synthesised:
                span = self.lowering.span(cursor)
                line = self.parsed.text.rfind(b"\n", 0, span.start) + 1
                if span.file == self.parsed.path and _PRAGMA.match(self.parsed.text, line, span.start) is not None:
                    continue
                if _UNROLL.search(cursor.spelling) and _LOOP.match(
                    self.lowering.slice(span.file, span.end, span.end + 80)
                ):
                    continue
                loss = Loss("macro", f"macro that is not defined: {cursor.spelling}", span)
                for function in functions:
                    body = function.body
                    if (
                        body is not None
                        and body.span.file == span.file
                        and body.span.start <= span.start < body.span.end
                    ):
                        object.__setattr__(function, "losses", (*function.losses, loss))

    def _order(self, function: FunctionDecl) -> tuple[bool, str, int]:
        """The main file's functions first, each file's in the order they stand in."""
        span = function.span
        return (span.file != self.parsed.path, span.file, span.start)

    def _kernels(self, functions: list[FunctionDecl]) -> tuple[Kernel, ...]:
        instances: dict[int, list[FunctionDecl]] = {}
        for function in functions:
            if function.kind is FunctionKind.KERNEL and function.generic is not None:
                instances.setdefault(id(function.generic), []).append(function)
        return tuple(
            Kernel(function, tuple(instances.get(id(function), ())))
            for function in sorted(functions, key=self._order)
            if function.kind is FunctionKind.KERNEL and function.generic is None
        )

    def _missed(self, functions: list[FunctionDecl]) -> Iterator[Missed]:
        known = {f.span.start for f in functions} | {f.name_span.start for f in functions if f.name_span is not None}
        for name, start, end in kernel_definitions(self.parsed.text, self.lowering.opencl):
            if start in known or any(f.span.start <= start < f.span.end for f in functions):
                continue
            reason = "not understood by the parser"
            if any(low <= start < high for low, high in self.parsed.skipped):
                reason = "under an #if that was not compiled"
            yield Missed(name, reason, Span(self.parsed.path, start, end))


__all__ = ["ModuleBuilder", "Wanted", "is_expression", "lower_module"]
