"""Readings of one source under further settings, see :mod:`kernlint.frontends.clang.configured`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import partial

from kernlint.frontends.base import FrontendError
from kernlint.frontends.clang.conditions import Ranges
from kernlint.frontends.clang.conditions.base import base_macros
from kernlint.frontends.clang.conditions.directives import Branch, Program, load
from kernlint.frontends.clang.conditions.expressions import names, numbers
from kernlint.frontends.clang.conditions.settings import (
    MAX_SETTINGS,
    Changes,
    Kind,
    Plans,
    Search,
    Setting,
    plan,
    setting_of,
)
from kernlint.frontends.clang.conditions.uncompiled import Uncompiled, declaring, intersect, subtract
from kernlint.frontends.clang.configured import Choose, Cost, Look, Read, Reading, Worth, unknown_in
from kernlint.frontends.clang.embedded import OPEN_NUMBER
from kernlint.frontends.clang.lower.functions import GIVEN_NAME
from kernlint.frontends.clang.options import Language, ParseOptions
from kernlint.frontends.clang.session import ParseResult
from kernlint.frontends.clang.sizes_given import LENGTH, SIDE, size_names
from kernlint.frontends.clang.starts import NOTHING_MADE_UP, Promising, Start
from kernlint.record import replace
from kernlint.source import Span
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import FunctionDecl, Kernel, Missed, Module
from kernlint.tree.walk import functions_of

MAX_FOUNDATIONS = 2
"""Settings that are tried because names are unknown without them."""

_KERNEL = pattern(rb"__global__|\bkernel\b|__kernel\b")

CUT = "the source and its headers are large: it is not read under every setting that shows more of its code"
_RUNTIME = pattern(r"cuda_runtime(?:_api)?\.h|hip/hip_runtime(?:_api)?\.h")

MAX_WORDS = 8
"""Macros that a source has of its host as words."""

_WIDTHS = (4, 2, 8, 16)
"""Widths of vectors, likelier ones first."""

MAX_DEFINING = 6
"""Branches of headers that define a name which is unknown, of which a setting is looked for."""


class Configured:
    """The work on one source."""

    def __init__(
        self, text: bytes, language: Language, options: ParseOptions, read: Read, first: Reading, cost: Cost
    ) -> None:
        self.cost = cost
        self.text = text
        self.language = language
        self.options = options
        self.read = read
        self.readings: list[tuple[Reading, Language]] = [(first, language)]
        program = Program(first.module.path, text, (*first.found, *options.forced), load)
        self.uncompiled = Uncompiled(program, text, language)
        base = base_macros(language, options)
        around = options.around
        choices = around.choices_for(first.module.path) if around is not None else ()
        self.search = Search(program, language, base, self.uncompiled.standing_alone(), choices)
        self.kinds: dict[Branch, Kind] = {}
        self.sized = ""
        """The name that stands for the sizes in the kernels, which has a number as good as any."""

    def first(self) -> list[Module]:
        """The default module alone."""
        self._foundation()
        return [self.readings[0][0].module]

    def modules(self) -> list[Module]:
        """See :func:`read_configured`."""
        changes = self._foundation()
        first = self.readings[0][0]
        wanted = self.uncompiled.of_device(first.skipped, [first.module])
        if wanted:
            plans, self.kinds = plan(self.search, wanted, changes)
            for changes, parts in self._worthwhile(plans, wanted):
                if self.cost.spent():
                    _set(self.readings[0][0].module, cuts=(*self.readings[0][0].module.cuts, CUT))
                    break
                if not self._again(changes, alone=len(parts) == 1):
                    # Each for itself is right, both at once are not: two platforms, say.
                    for part in parts:
                        if len(self.readings) <= MAX_SETTINGS:
                            self._again(part, alone=True)
        self._settle(wanted)
        return [reading.module for reading, _ in self.readings]

    def _worthwhile(self, plans: Plans, wanted: Sequence[Branch]) -> Plans:
        """Those of ``plans`` that the source is read under: of all that only give constants other values, the first."""
        most = self._worth(wanted)
        chosen: Plans = []
        seen: set[Branch] = set()
        numbers = False
        for changes, parts in plans:
            shown = {branch for branch in wanted if branch in self.search.outcome(changes).active} - seen
            if shown and all(map(self.uncompiled.gives_numbers, shown)):
                if numbers:
                    continue
                numbers = True
            if len(chosen) < most:
                seen |= shown
                chosen.append((changes, parts))
        return chosen

    def _worth(self, wanted: Sequence[Branch]) -> int:
        """How many further readings a source is worth: few where it has no kernel to show, none where it is read for
        the sake of a header."""
        if self.options.about:
            return 0
        shows = self.readings[0][0].module.kernels or any(map(self.uncompiled.has_kernel, wanted))
        return MAX_SETTINGS if shows else 1

    def _foundation(self) -> Changes:
        """Settings under which names are known that are not by default take the place of the default."""
        best = self._words()
        best = self._numbers(best) or best
        best = self._sizes(best) or best
        tried = [best]
        for _ in range(MAX_FOUNDATIONS):
            first, _ = self.readings[0]
            if not first.unknown:
                break
            naming = self.uncompiled.that_name(first.skipped, first.unknown, first.found)
            naming += [branch for branch in self._defining(first.unknown, best) if branch not in naming]
            plans, _ = plan(self.search, naming, best) if naming else ([], {})
            before = best
            for changes, _ in plans[:MAX_FOUNDATIONS]:
                changes = {**best, **changes}
                # What names were made up for may have cost much; the first setting that has them is tried all the same.
                if changes in tried or (self.cost.spent() and len(tried) > 1):
                    continue
                if best == before or (self.readings[0][0].losses and self._names(changes, best)):
                    tried.append(changes)
                    best = self._better(changes) or best
            if best == before:
                break
        return best

    def _names(self, changes: Changes, best: Changes) -> bool:
        """Whether what is compiled under the changes gives a name that is unknown under the ``best`` ones so far:
        another value of a macro may but give the names once more that are known by now."""
        first = self.readings[0][0]
        naming = self.uncompiled.that_name(first.skipped, first.unknown, first.found)
        naming += self._defining(first.unknown, best)
        active = self.search.outcome(changes).active
        return any(branch in active for branch in naming)

    def _words(self) -> Changes:
        """Words of the host for macros that names which are unknown are made of: the source's types, or what its types
        are called in names of functions (``read_image##SUFFIX``)."""
        around, unknown = self.options.around, self.readings[0][0].unknown
        if self.language is not Language.OPENCL or around is None or not unknown:
            return {}
        given = dict(text.split("=", 1) for text in around.texts_for(self.readings[0][0].module.path))
        made = {
            name: word
            for name, word in given.items()
            if any(each.startswith(name) or each.endswith(name) for each in unknown)
        }
        if not made or len(made) > MAX_WORDS:
            return {}
        best = self._better(dict(made)) or {}
        for name, word in made.items():
            if self.readings[0][0].losses and word == "float":
                best = self._better({**made, **best, name: "f"}) or best
        return best

    def _numbers(self, changes: Changes) -> Changes | None:
        """Numbers that hosts work out for macros which names are made of that are unknown, as the widths of vectors
        are (``float##WIDTH``): those that conditions compare them with come first."""
        around, unknown = self.options.around, self.readings[0][0].unknown
        if self.language is not Language.OPENCL or around is None or not unknown:
            return None
        for name in around.numbers_for(self.readings[0][0].module.path):
            if name in changes or not any(each.endswith(name) and each != name for each in unknown):
                continue
            files = self.search.program.files()
            tests = [each.condition for file in files for each in file.branches if each.condition is not None]
            compared = [number for test in tests if name in names(test) for number in numbers(test, {})]
            for width in [*(number for number in compared if number in _WIDTHS), *_WIDTHS][:MAX_FOUNDATIONS]:
                changes = self._better({**changes, name: str(width)}) or changes
                if name in changes:
                    break
        return changes

    def _sizes(self, changes: Changes) -> Changes | None:
        """A number for the only name of the build that sizes of arrays or the block are made of: with it the sizes in
        the kernel are those of the block, as they are for every other number."""
        first = self.readings[0][0]
        given = {
            loss.reason.removeprefix(GIVEN_NAME)
            for kernel in first.module.kernels
            for loss in kernel.function.losses
            if loss.kind == "given" and loss.reason.startswith(GIVEN_NAME) and OPEN_NUMBER not in loss.reason
        }
        sizes = size_names(self.text.decode(errors="replace"), given - changes.keys())
        if len(sizes) != 1:
            return None
        ((name, squared),) = sizes.items()
        tests = (each.condition for file in self.search.program.files() for each in file.branches)
        if any(name in names(test) for test in tests if test is not None):
            return None
        self.sized = name
        return self._better({**changes, name: str(SIDE if squared else LENGTH)})

    def _better(self, changes: Changes) -> Changes | None:
        """The changes, if the source is understood better under them than it is by now; they are the default then."""
        before = self.readings[0][0]
        found = self._reading(changes, None, partial(_may_be_better, before), partial(_promising, before))
        if found is None:
            return None
        now = found[0]
        gained = (now.losses, -len(now.module.kernels)) < (before.losses, -len(before.module.kernels))
        if not gained and (now.losses > before.losses or len(now.unknown) >= len(before.unknown)):
            return None
        self.readings[0] = found
        self.search.learn(now.found)
        return changes

    def _defining(self, unknown: Collection[str], changes: Changes) -> list[Branch]:
        """Branches of headers, not compiled under the changes, that define or declare a name which the source lacks;
        first those that include the runtime of the device, which projects leave out where they build for the host."""
        program = self.search.program
        compiled = self.search.outcome(changes).active
        found = dict.fromkeys(
            item.within
            for file in program.files()
            for item in file.items
            if item.op == "include" and item.within and item.within not in compiled and _RUNTIME.fullmatch(item.name)
        )
        for file in program.files():
            left = [branch for branch in file.branches if branch not in compiled]
            if left and file is not program.main and (text := load(file.path)) is not None:
                found.update(dict.fromkeys(declaring(file, text, left, unknown)))
            for item in file.items:
                if item.op == "define" and item.name in unknown and item.within and item.within not in compiled:
                    found[item.within] = None
        return list(found)[:MAX_DEFINING]

    def _reading(
        self,
        changes: Changes,
        choose: Choose | None = None,
        worth: Worth | None = None,
        promising: Promising | None = None,
    ) -> tuple[Reading, Language] | None:
        setting, language = setting_of(changes, self.search.outcome(changes), self.language)
        options = replace(self.options, setting=setting.text(), target=setting.target or self.options.target)
        first, usual = self.readings[0]
        if choose is not None:
            fits = language is usual and first.made_up.names.isdisjoint(changes)
            known = first.made_up if fits else None
        else:  # what is made up must not stand in the way of what a header declares under this setting
            known = first.made_up if first.made_up.text == first.start.known else NOTHING_MADE_UP
        try:
            found = self.read(language, options, known, choose, worth, promising)
        except FrontendError:
            return None
        if found is None:
            return None
        object.__setattr__(found.module, "setting", _words(setting, language, self.language))
        made_up = any(self._made_up(*macro) for macro in setting.macros if macro[0] != self.sized)
        object.__setattr__(found.module, "numbers_made_up", made_up)
        return found, language

    def _made_up(self, name: str, value: str | None) -> bool:
        """Whether a macro gets a number larger than 1 that neither the build nor the text has: one that passes a test
        of the preprocessor."""
        if value is None or not value.isdigit() or int(value) < 2 or value in self.search.choices.get(name, ()):
            return False
        return re.search(rb"\b%s\b" % value.encode(), self.text) is None

    def _again(self, changes: Changes, alone: bool) -> bool:
        """Read once more, and keep what no earlier reading had.

        False where the source is understood less well than it is by default, unless the changes stand ``alone``.
        """
        before = self.readings[0][0].skipped
        for earlier, _ in self.readings[1:]:
            before = intersect(before, earlier.skipped)
        new: Ranges = ()
        losses = self.readings[0][0].losses
        worse = False

        def worth(parsed: ParseResult) -> bool:
            nonlocal worse
            worse = not alone and parsed.losses > losses
            return not worse

        def choose(skipped: Ranges) -> Look | None:
            nonlocal new
            new = subtract(before, skipped)
            return self._look(new) if new else None

        found = self._reading(changes, choose, worth)
        if found is None:
            return not worse
        reading, language = found
        module = reading.module
        kernels = tuple(kernel for kernel in module.kernels if _has(kernel, module.path, new))
        if not kernels:
            return True
        warnings = (note for note in module.compiler if note.severity == "warning")  # an error may be the setting's
        fresh = tuple(note for note in warnings if _within(note.span, module.path, new))
        _set(module, kernels=kernels, missed=(), missing_headers=(), notes=(), compiler=fresh)
        self.readings.append((reading, language))
        return True

    def _look(self, new: Ranges) -> Look:
        """Functions with code in ``new``, and kernels that reach one.

        Of a template that was read already and of which less than a third is new, one instance tells what the others
        would.
        """
        module = self.readings[0][0].module
        ranges = list(new)
        sampled = set()
        for kernel in module.kernels:
            if _has(kernel, module.path, new):
                span = kernel.function.span
                ranges.append((span.start, span.end))
                pieces = [(f.span.start, f.span.end) for f in _reached(kernel) if f.span.file == module.path]
                if 3 * _bytes(intersect(tuple(set(pieces)), new)) < _bytes(pieces) and span.file == module.path:
                    sampled.add(span.start)
        return Look(lambda start, end: any(start < high and low < end for low, high in ranges), frozenset(sampled))

    def _settle(self, wanted: Sequence[Branch]) -> None:
        """Take back what is not lost: code that another reading has, or that is no device code under any setting."""
        left = self.readings[0][0].skipped
        for reading, _ in self.readings[1:]:
            left = intersect(left, reading.skipped)
        still = [
            branch
            for branch in wanted
            if self.kinds.get(branch) not in (Kind.HOST, Kind.DEAD)
            and any(low <= branch.start < high for low, high in left)
        ]
        first = self.readings[0][0].module
        seen: set[int] = set()
        for reading, _ in self.readings:
            for function in reading.module.functions:
                _forgive(function, first.path, still, seen)
        compiled = [k.function.span for reading, _ in self.readings[1:] for k in reading.module.kernels]
        missed = [each for each in first.missed if not any(_inside(each.span, span) for span in compiled)]
        _set(first, missed=tuple(self._reworded(each) for each in missed))

    def _reworded(self, missed: Missed) -> Missed:
        for branch, kind in self.kinds.items():
            if kind is Kind.DEAD and branch.start <= missed.span.start < branch.end:
                return replace(missed, reason="under an #if that nothing switches on")
        return missed


def _promising(before: Reading, start: Start) -> bool:
    """Whether a source whose first parse came to ``start`` may be understood better than ``before``, whatever is made
    up for it: not where it loses as much as ``before`` did at first, lacks as many names, and shows no further code."""
    first = before.start
    if start.known != first.known or start.losses < first.losses or len(start.unknown) < len(first.unknown):
        return True
    return bool(subtract(first.skipped, start.skipped))


def _may_be_better(before: Reading, parsed: ParseResult) -> bool:
    """Whether what was parsed may be understood better than ``before``; what cannot be is not turned into a tree.

    With as many losses and names unknown it has to show a kernel more, and that is one in code left out before.
    """
    if parsed.losses != before.losses or len(unknown_in(parsed)) < len(before.unknown):
        return parsed.losses <= before.losses
    new = subtract(before.skipped, parsed.skipped)
    return any(_KERNEL.search(parsed.text, start, end) is not None for start, end in new)


def _forgive(function: FunctionDecl, path: str, still: Sequence[Branch], seen: set[int]) -> None:
    if id(function) in seen or not function.losses:
        return
    seen.add(id(function))
    kept = tuple(
        loss
        for loss in function.losses
        if loss.kind != "inactive"
        or loss.span.file != path
        or any(loss.span.start <= branch.start <= loss.span.end for branch in still)
    )
    if len(kept) < len(function.losses):
        _set(function, losses=kept)


def _has(kernel: Kernel, path: str, ranges: Ranges) -> bool:
    """Whether a kernel, or a function that it reaches, has code in one of the ranges of the main file."""
    if not ranges:
        return False
    return any(_within(function.span, path, ranges) for function in _reached(kernel))


def _reached(kernel: Kernel) -> list[FunctionDecl]:
    return [*functions_of(kernel), kernel.function]


def _bytes(ranges: Iterable[tuple[int, int]]) -> int:
    """What the ranges hold, each counted once."""
    return sum(end - start for start, end in set(ranges))


def _within(span: Span, path: str, ranges: Ranges) -> bool:
    return span.file == path and any(span.start < high and low < span.end for low, high in ranges)


def _inside(inner: Span, outer: Span) -> bool:
    return inner.file == outer.file and outer.start <= inner.start < outer.end


def _words(setting: Setting, language: Language, before: Language) -> str:
    words = setting.words()
    return words if language is before else ", ".join(filter(None, [f"built for {language.name}", words]))


def _set(node: object, **values: object) -> None:
    for name, value in values.items():
        object.__setattr__(node, name, value)
