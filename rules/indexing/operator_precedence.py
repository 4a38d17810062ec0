r"""The rule ``operator-precedence``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleFacts
from kernlint.analysis.wording import expression
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, ModuleRule
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import Binary, CompilerNote, Expr, IntLit
from kernlint.tree.types import BOOL, IntType
from kernlint.tree.walk import strip_casts, walk

_LOWER = pattern(
    r"operator '(<<|>>)' has lower precedence than '([+*/%-])'|^(&|\||\^) has lower precedence than (\S+);"
)


class OperatorPrecedence(ModuleRule):
    r"""A shift or mask that binds less tightly than it looks.

    C gives ``+`` and ``*`` precedence over ``<<`` and ``>>``, and comparisons precedence over ``&``, ``|`` and ``^``.
    So ``a << k + b`` shifts by ``k + b``, ``1 << 28 * sizeof(float)`` by 112, and ``lane & 31 == 0`` tests nothing.
    In an index or a size such a slip addresses something else entirely.

    Reported where a sum or product is the operand of a shift, or a comparison that of a mask, without parentheses, and
    the text shows that the other was meant: the number that is shifted is part of the sum, the sum begins with the
    constant (``i << 1 + bits``), the count is as wide as the number, the mask is of a number that is tested for bits.
    Elsewhere it is a note. Likewise where a macro is a sum or product without parentheses, or takes an argument without
    any, and an operator beside it takes it apart: ``i / BLOCK`` with a ``BLOCK`` of ``32 * 16``.

    ```cuda bad
    __global__ void padded(const int *in, int *out) {
        int i = threadIdx.x;
        out[i + (i >> 4 + i >> 8)] = in[i];  // expect: KL404
    }
    ```

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

    ```opencl bad
    #define BLOCK 32 * 16
    __kernel void count(__global const int *in, __global int *sums) {
        const int block = get_global_id(0) / BLOCK;  // expect: KL404
        atomic_add(&sums[block], in[get_global_id(0)]);
    }
    ```

    ```cuda bad
    #define CELL(row, column) row * 64 + column
    __global__ void below(const float *in, float *out) {
        out[CELL(threadIdx.y, threadIdx.x)] = in[CELL(threadIdx.y + 1, threadIdx.x)];  // expect: KL404
    }
    ```

    ```cuda good
    #define CELL(row, column) ((row) * 64 + (column))
    #define HALO 2 * 1
    __global__ void below(const float *in, float *out) {
        out[CELL(threadIdx.y, threadIdx.x)] = in[CELL(threadIdx.y + 1, threadIdx.x) + HALO];
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
        for note in facts.module.compiler:
            if note.message.startswith("macro "):
                yield self.finding(note.span, note.message, fix="put parentheses around the macro and its arguments")
        found: dict[tuple[str, str], list[CompilerNote]] = {}
        for note in facts.module.compiler:
            match = _LOWER.search(note.message)
            if match is not None:
                pair = (match[1] or match[3], match[2] or match[4])
                found.setdefault(pair, []).append(note)
        slips = dict(_slips(facts)) if found else {}
        for (loose, tight), notes in found.items():
            shown = [note for note in notes if slips.get((note.span.file, note.span.start), False)]
            for group, severity in ((shown, Severity.WARNING), ([n for n in notes if n not in shown], Severity.NOTE)):
                if group:
                    yield self._report(loose, tight, group, severity)

    def _report(self, loose: str, tight: str, notes: list[CompilerNote], severity: Severity) -> Finding:
        notes.sort(key=lambda note: note.span.start)
        return self.finding(
            notes[0].span,
            f"'{tight}' is evaluated before '{loose}' here, which takes its result as an operand",
            severity,
            related=[Related(note.span, "and here") for note in notes[1:] if note.span != notes[0].span][:8],
            fix=f"put parentheses around the '{loose}' operation, or around the '{tight}' if it is meant so",
        )


_TIGHT = frozenset("+-*/%")
_COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">="))


def _slips(facts: ModuleFacts) -> Iterator[tuple[tuple[str, int], bool]]:
    """Where an operation begins or takes an operand that binds more tightly, and whether the other was meant."""
    found: dict[tuple[str, int], bool] = {}
    notes = [note.span for note in facts.module.compiler if _LOWER.search(note.message) is not None]
    for function in facts.module.functions:
        for node in walk(function.body) if function.body is not None else ():
            if not isinstance(node, Binary) or node.op not in ("<<", ">>", "&", "|", "^"):
                continue
            slip = _shift(node) if node.op in ("<<", ">>") else _mask(node)
            for note in notes:
                if note.file == node.span.file and node.span.start <= note.start < node.span.end:
                    found[note.file, note.start] = found.get((note.file, note.start), False) or slip
    yield from found.items()


def _shift(node: Binary) -> bool:
    """Whether a shift by a sum or product is a slip."""
    count, shifted = strip_casts(node.rhs), expression(node.lhs)
    if not isinstance(count, Binary) or count.op not in _TIGHT:
        return False
    value = _value(count)
    if value is not None:
        return isinstance(node.type, IntType) and value >= node.type.bits
    if count.op != "+":
        return False
    parts = tuple(_parts(count))
    again = shifted is not None and any(expression(part) == shifted for part in parts)
    return again or isinstance(parts[0], IntLit)


def _parts(total: Expr) -> Iterator[Expr]:
    """The terms of a sum, in order."""
    total = strip_casts(total)
    if isinstance(total, Binary) and total.op == "+":
        yield from _parts(total.lhs)
        yield from _parts(total.rhs)
    else:
        yield total


def _mask(node: Binary) -> bool:
    """Whether a mask of a comparison is a slip: of two truths it is what it looks like, and an order of numbers
    (``supported & parts > 2``) is no test of bits, which are compared with 0 or have a number for the mask."""
    sides = tuple(strip_casts(side) for side in (node.lhs, node.rhs))
    compared = [side for side in sides if isinstance(side, Binary) and side.op in _COMPARISONS]
    truths = all(side in compared or side.type == BOOL for side in sides)
    return not truths and any(_tests_bits(side) for side in compared)


def _tests_bits(compared: Binary) -> bool:
    sides = (_value(compared.lhs), _value(compared.rhs))
    if sides == (1, 1) and compared.op == "==":
        return False  # ``x & 1 == 1`` is ``x & 1``, and so is what it looks like
    return compared.op in ("==", "!=") or 0 in sides or sides[0] is not None


def _value(expr: Expr) -> int | None:
    """The value of a constant made of literals."""
    expr = strip_casts(expr)
    if isinstance(expr, IntLit):
        return expr.value
    if isinstance(expr, Binary) and expr.op in ("+", "*"):
        left, right = _value(expr.lhs), _value(expr.rhs)
        if left is not None and right is not None:
            return left + right if expr.op == "+" else left * right
    return None
