from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from kernlint.analysis.base import Analysis, Facts
from kernlint.finding import Finding, Severity
from kernlint.rule import Meta, Rule
from kernlint.tree.nodes import Block, Call, ExprStmt


def _calls(facts: Facts) -> tuple[Call, ...]:
    body = facts.function.body
    assert isinstance(body, Block)
    return tuple(s.expr for s in body.body if isinstance(s, ExprStmt) and isinstance(s.expr, Call))


calls = Analysis("sample calls", _calls)


@dataclass(frozen=True)
class BadCallOptions:
    name: str = "bad"
    limit: int = 1
    names: tuple[str, ...] = ()
    mode: Literal["plain", "strict"] = "plain"
    marks: tuple[Literal["x", "y"], ...] = ()


class BadCall(Rule):
    """A kernel calls bad.

    Calling `bad` is bad.

    ```cuda bad
    __global__ void k() {
      bad();  // expect: TST101
    }
    ```

    ```cuda good
    __global__ void k() {
      good();
    }
    ```
    """

    meta = Meta("TST101", "bad-call", Severity.ERROR, tags=("SAMPLE-1",))
    needs = (calls,)
    Options = BadCallOptions

    def check(self, facts: Facts) -> Iterator[Finding]:
        for call in facts[calls]:
            if call.name == self.options.name:
                yield self.finding(call, "bad is called", fix="call good")


class SuspectCall(Rule):
    """A kernel calls suspect.

    ```cuda bad
    __global__ void k() {
      suspect();  // expect: TST102
    }
    ```

    ```cuda good
    __global__ void k() {
    }
    ```
    """

    meta = Meta("TST102", "suspect-call", Severity.WARNING)
    needs = (calls,)
    requires_whole = True

    def check(self, facts: Facts) -> Iterator[Finding]:
        for call in facts[calls]:
            if call.name == "suspect":
                yield self.finding(call, "suspect is called")
            if call.name == "hint":
                yield self.finding(call, "a hint", Severity.NOTE)
            if call.name == "crash":
                raise RuntimeError("this rule is broken")
