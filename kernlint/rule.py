"""What a rule is: its meta data, its documentation with the examples that are its tests, and its check.

A rule yields findings and does nothing else: it holds no state but its options, prints nothing, suppresses nothing,
and leaves the level shown to the configuration.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from kernlint.analysis.base import AnyAnalysis, Facts, ModuleAnalysis, ModuleFacts
from kernlint.analysis.extent.told import Told
from kernlint.finding import Confidence, Finding, Fix, Related, Severity, Witness
from kernlint.record import dataclass
from kernlint.source import SourceFile, Span
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import DoWhile, For, Loss, Node, While
from kernlint.tree.walk import walk


@dataclass(frozen=True, slots=True)
class Meta:
    """Who a rule is.

    ``code`` is letters and three digits (``KL201``), ``name`` the defect as a kebab-case noun.  ``severity`` is the
    loudest level the rule reaches by itself.  ``since``: the version that brought it.  ``tags``: guideline ids and
    topics, shown in SARIF.  ``family``: filled by the registry from the folder when empty.  ``precision``: how
    often its findings are true, in SARIF's words (``very-high``, ``high``, ``medium``, ``low``).
    """

    code: str
    name: str
    severity: Severity
    since: str = "0.1"
    tags: tuple[str, ...] = ()
    family: str = ""
    precision: str = "high"


ABSENCE = frozenset({"statement", "guard", "barrier", "inactive", "macro", "unsupported"})
"""Kinds of :class:`~kernlint.tree.nodes.Loss` that may hide a guard or a barrier."""


@dataclass(frozen=True, slots=True)
class NoOptions:
    """The options of a rule that has none."""


class _Described:
    """What kernel rules and file rules share."""

    meta: ClassVar[Meta]
    needs: ClassVar[Sequence[AnyAnalysis]] = ()
    Options: ClassVar[type[Any]] = NoOptions

    def __init__(self, options: Any = None) -> None:
        """``options``: an instance of :attr:`Options`; its defaults when None."""
        self.options = options if options is not None else self.Options()

    def told(self, at: Span, told: Told, calls: Sequence[Related] = ()) -> Finding:
        """A finding in words that rules share, of something that data may bring about; ``calls`` led there."""
        return self.finding(
            at,
            told.message,
            Severity.NOTE if told.soft else None,
            related=[*told.related, *calls],
            assumptions=(told.assumption,),
            fix=told.fix,
            confidence=Confidence.MEDIUM,
            habit=told.habit,
        )

    def finding(
        self,
        at: Span | Node,
        message: str,
        severity: Severity | None = None,
        *,
        related: Sequence[Related] = (),
        witness: Witness | None = None,
        assumptions: Sequence[str] = (),
        fix: Fix | str | None = None,
        confidence: Confidence = Confidence.HIGH,
        habit: str = "",
    ) -> Finding:
        """A finding of this rule at a place; ``severity`` is the rule's own when None, ``fix`` may be words."""
        return Finding(
            span=at.span if isinstance(at, Node) else at,
            message=message,
            severity=severity or self.meta.severity,
            code=self.meta.code,
            rule=self.meta.name,
            related=tuple(related),
            witness=witness,
            assumptions=tuple(assumptions),
            fix=Fix(fix) if isinstance(fix, str) else fix,
            confidence=confidence,
            habit=habit,
        )


class Rule(_Described):
    """A rule about one kernel.

    ``requires_whole`` is for rules that argue from absence (no guard, no barrier): they do not run on a kernel
    that lost a statement, guard or barrier on the way into the tree.  True means :data:`ABSENCE`; a set names
    the kinds of loss that matter.  With ``looks_back`` it is only what comes before a finding that could speak against
    it (a guard), so that losses behind it do not matter.  ``throughout`` is for rules that propose to take something
    away: what they say has to hold in every instance of a template and under every setting that a file is read under.
    """

    requires_whole: ClassVar[bool | frozenset[str]] = False
    looks_back: ClassVar[bool] = False
    throughout: ClassVar[bool] = False

    def check(self, facts: Facts) -> Iterator[Finding]:
        """Findings for one variant of one kernel, in any order."""
        raise NotImplementedError

    def fixes(self, facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
        """Changes to ``source`` that may take ``finding`` of this kernel away, the best first.

        Each is tried on a copy before anyone sees it, so it need not be proved here, but it has to be what the
        kernel's author would do.  Asked only when fixes are wanted, with all facts at hand, declared or not; by default
        what the finding itself carries.
        """
        if finding.fix is not None and finding.fix.edits:
            yield finding.fix

    @classmethod
    def obstacles(cls, facts: Facts) -> tuple[Loss, ...]:
        """Losses of the kernel that keep this rule from running on it."""
        if not cls.requires_whole:
            return ()
        kinds = ABSENCE if cls.requires_whole is True else cls.requires_whole
        return tuple(loss for loss in facts.function.losses if loss.kind in kinds)

    @staticmethod
    def comes_before(facts: Facts, losses: Sequence[Loss], at: Span) -> bool:
        """Whether one of ``losses`` may run before what stands at ``at``, in the kernel or in a loop around it."""
        whole = facts.function.span
        if at.file != whole.file or not whole.start <= at.start < whole.end:
            return True  # in a helper: called from wherever
        places = [loss.span.start for loss in losses]
        if min(places) < at.end:
            return True
        loops = (node.span for node in walk(facts.function) if isinstance(node, (For, While, DoWhile)))
        return any(loop.start <= at.start and min(places) < loop.end and at.end <= loop.end for loop in loops)


class ModuleRule(_Described):
    """A rule about one file: host code, launches, several kernels at once."""

    needs: ClassVar[Sequence[ModuleAnalysis[Any]]] = ()

    def check_module(self, facts: ModuleFacts) -> Iterator[Finding]:
        """Findings for one file, in any order."""
        raise NotImplementedError

    def fixes(self, facts: ModuleFacts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
        """As :meth:`Rule.fixes`, for a finding of this rule."""
        if finding.fix is not None and finding.fix.edits:
            yield finding.fix


AnyRule = Rule | ModuleRule
RuleClass = type[Rule] | type[ModuleRule]


# --------------------------------------------------------------------------------------------- documentation


class DocumentationError(ValueError):
    """A rule's docstring is not what it has to be; the message says what is missing."""


LANGUAGES = ("cuda", "hip", "opencl", "python")


@dataclass(frozen=True, slots=True)
class Example:
    """One fence of a rule's docstring, which is documentation and test at once.

    ``expected``: (1-based line of ``code``, rule code) pairs from ``// expect: KL201, KL202`` marks.  ``settings``:
    what stands behind the language and verdict in the fence's first line, as (key, value) pairs: ``block=64``,
    ``grid=2,2``, ``target=sm_90``.  ``number`` counts the rule's examples from 1.
    """

    language: str
    bad: bool
    code: str
    expected: tuple[tuple[int, str], ...]
    settings: tuple[tuple[str, str], ...] = ()
    number: int = 1

    @property
    def label(self) -> str:
        """``cuda-bad-1``."""
        return f"{self.language}-{'bad' if self.bad else 'good'}-{self.number}"


@dataclass(frozen=True, slots=True)
class Documentation:
    """A rule's page: first line, everything below it as Markdown, and the examples in it."""

    title: str
    body: str
    examples: tuple[Example, ...]

    @property
    def markdown(self) -> str:
        """The page as Markdown that any renderer takes: settings and marks of the fences made plain."""
        text = re.sub(r"^```(\w+) (bad|good)\b.*$", _plain_fence, self.body, flags=re.M)
        return f"{self.title}\n\n{text}".rstrip() + "\n"


_FENCE = pattern(r"^```(?P<info>[^\n`]*)\n(?P<code>.*?)^```[ \t]*$", re.M | re.S)
_MARK = pattern(r"(?://|#)\s*expect:\s*(?P<codes>[A-Z]+\d+(?:\s*,\s*[A-Z]+\d+)*)")
_HIGHLIGHT = {"cuda": "cuda", "hip": "cpp", "opencl": "c", "python": "python"}


def _plain_fence(match: re.Match[str]) -> str:
    verdict = "Reported:" if match[2] == "bad" else "Not reported:"
    return f"{verdict}\n\n```{_HIGHLIGHT.get(match[1], match[1])}"


def plainly_documented(rule: RuleClass) -> bool:
    """Whether the docstring has a bad and a good example at first sight; what is in them is read when asked for."""
    text = rule.__doc__ or ""
    return all(any(f"```{language} {word}" in text for language in LANGUAGES) for word in ("bad", "good"))


def _unindented(text: str) -> str:
    """A docstring without the margin of the lines after its first, as ``inspect.cleandoc`` gives it."""
    first, *rest = text.expandtabs().split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in rest if line.strip()), default=0)
    return "\n".join([first.strip(), *(line[margin:] for line in rest)]).strip("\n")


def document(rule: RuleClass) -> Documentation:
    """Read a rule's docstring.

    Raises :class:`DocumentationError` when it is missing or has no bad or no good example, and for an example
    with an unknown language, a bad one without marks or a good one with.
    """
    text = _unindented(rule.__doc__ or "")
    if not text:
        raise DocumentationError("it has no docstring")
    title, _, body = text.partition("\n")
    examples: list[Example] = []
    for fence in _FENCE.finditer(body):
        words = fence["info"].split()
        if len(words) < 2 or words[1] not in ("bad", "good"):
            continue  # an illustration, not an example
        examples.append(_example(words, fence["code"], len(examples) + 1))
    for bad, word in ((True, "bad"), (False, "good")):
        if not any(example.bad is bad for example in examples):
            raise DocumentationError(
                f"its docstring has no {word} example (a fence ```cuda {word} or ```opencl {word})"
            )
    return Documentation(title.strip(), body.strip("\n"), tuple(examples))


def _example(words: list[str], code: str, number: int) -> Example:
    language, verdict, *rest = words
    if language not in LANGUAGES:
        raise DocumentationError(f"example {number} is in {language!r}; the languages are {', '.join(LANGUAGES)}")
    settings = []
    for word in rest:
        key, equals, value = word.partition("=")
        if not equals:
            raise DocumentationError(f"example {number}: {word!r} is not of the form key=value")
        settings.append((key, value))
    expected = tuple(
        (line, name.strip())
        for line, text in enumerate(code.splitlines(), 1)
        if (mark := _MARK.search(text))
        for name in mark["codes"].split(",")
    )
    if verdict == "bad" and not expected:
        raise DocumentationError(f"example {number} is bad but marks no line with // expect: CODE")
    if verdict == "good" and expected:
        raise DocumentationError(f"example {number} is good but expects {expected[0][1]}")
    return Example(language, verdict == "bad", code, expected, tuple(settings), number)
