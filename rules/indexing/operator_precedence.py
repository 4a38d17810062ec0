r"""The rule ``operator-precedence``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleFacts
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, ModuleRule
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import CompilerNote

_LOWER = pattern(
    r"operator '(<<|>>)' has lower precedence than '([+*/%-])'|^(&|\||\^) has lower precedence than (\S+);"
)


class OperatorPrecedence(ModuleRule):
    r"""A shift or mask that binds less tightly than it looks.

    C gives ``+`` and ``*`` precedence over ``<<`` and ``>>``, and comparisons precedence over ``&``, ``|`` and ``^``.
    So ``a << k + b`` shifts by ``k + b``, ``1 << 28 * sizeof(float)`` by 112, and ``lane & 31 == 0`` tests nothing.
    In an index or a size such a slip addresses something else entirely.

    Reported wherever a sum or product is the operand of a shift, or a comparison that of a mask, without parentheses.

    ```cuda bad
    __global__ void pad(const int *in, int *out, int bits) {
        int i = threadIdx.x;
        out[i << 1 + bits] = in[i];  // expect: KL404
    }
    ```

    ```opencl bad
    __kernel void first_lane(__global int *out) {
        const int l = get_local_id(0);
        if (l & 31 == 0)  // expect: KL404
            out[get_group_id(0)] = l;
    }
    ```

    ```cuda good
    __global__ void pad(const int *in, int *out, int bits) {
        int i = threadIdx.x;
        out[(i << 1) + bits] = in[i];
    }
    ```

    ```opencl good
    __kernel void first_lane(__global int *out) {
        const int l = get_local_id(0);
        if ((l & 31) == 0) out[get_group_id(0)] = l;
    }
    ```
    """

    meta = Meta("KL404", "operator-precedence", Severity.WARNING, tags=("clang shift-op-parentheses",))

    def check_module(self, facts: ModuleFacts) -> Iterator[Finding]:
        found: dict[tuple[str, str], list[CompilerNote]] = {}
        for note in facts.module.compiler:
            match = _LOWER.search(note.message)
            if match is not None:
                pair = (match[1] or match[3], match[2] or match[4])
                found.setdefault(pair, []).append(note)
        for (loose, tight), notes in found.items():
            notes.sort(key=lambda note: note.span.start)
            yield self.finding(
                notes[0].span,
                f"'{tight}' is evaluated before '{loose}' here, which takes its result as an operand",
                related=[Related(note.span, "and here") for note in notes[1:] if note.span != notes[0].span][:8],
                fix=f"put parentheses around the '{loose}' operation, or around the '{tight}' if it is meant so",
            )
