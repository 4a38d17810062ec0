r"""The rule ``uninitialised-private``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.content.unset_private import Unset, unset_private
from kernlint.analysis.sharing.race_words import calls
from kernlint.analysis.trace.events import Access, ConditionEvent, WarpEvent
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, Rule
from kernlint.source import Span
from kernlint.tree.nodes import Assign, Ref
from kernlint.tree.types import StructType
from kernlint.tree.walk import strip_casts, walk


class UninitialisedPrivate(Rule):
    r"""A private variable, sum or array element is used before anything was stored in it.

    A register holds whatever the last thread left there. A sum that nobody sets to zero, a value that only the threads
    with work have read, an element that a loop does not get to: the result is right by luck.

    Reported is a use (an address, a condition, a value that leaves the thread) which a value takes part in that was
    never stored, on a way that some thread takes: always, in the first round of a loop, or under conditions on the
    thread's index. Of a structure it is a field that decides a condition, and in an array any
    field, where no code of a class makes the object.
    Ways that arguments or data choose are not reported, as the caller may know that they are not taken, unless the
    kernel has a branch of its own for such arguments, asks for one of several modes (`mode == 1`) where it sets the
    value, searches for what is closer than an argument says or for numbers
    from memory above an infinite bound, which they may all share, or goes on
    after the only branch that sets the value, which data choose, as if it were always taken. A loop over a row of a
    table of starts, or over a share of items that data count, may go no round; and a question whether a loop has found
    something, which every value that the loop stores answers alike, is about the value before it.

    ```cuda bad
    __global__ void total(const float *charge, float *sum, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        float q;
        if (i < n) q = charge[i];
        atomicAdd(sum, 2.0f * q);  // expect: KL506
    }
    ```

    ```opencl bad
    __kernel void norms(__global const float *x, __global float *out, const int n) {
        float sum;
        for (int k = 0; k < n; ++k) sum += x[k] * x[k];
        out[get_global_id(0)] = sum;  // expect: KL506
    }
    ```

    ```cuda bad
    __global__ void nearest(const float *d, int *out, int n, float radius) {
        int best;
        float least = radius;
        for (int i = 0; i < n; ++i)
            if (d[i] < least) {
                least = d[i];
                best = i;
            }
        out[threadIdx.x] = best;  // expect: KL506
    }
    ```

    ```cuda bad
    __global__ void first_hit(const float *d, int *out, int n, float radius) {
        int hit;
        for (int i = 0; i < n; ++i)
            if (d[i] < radius) hit = i;
        if (hit < 0) return;  // expect: KL506
        out[threadIdx.x] = hit;
    }
    ```

    ```cuda bad
    __global__ void last_of_row(const int *starts, const int *columns, int *out) {
        int last;
        for (int k = starts[blockIdx.x]; k < starts[blockIdx.x + 1]; ++k) last = columns[k];
        out[blockIdx.x] = last;  // expect: KL506
    }
    ```

    ```opencl bad
    __kernel void lowest(__global const float *x, __global float *out, const int n) {
        int i = get_global_id(0);
        if (i >= n) return;
        float low;
        if (x[i] > 0) low = fmin(x[i], 1.0f);
        out[i] = low;  // expect: KL506
    }
    ```

    ```cuda good
    __global__ void total(const float *charge, float *sum, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        float q;
        if (i < n) q = charge[i];
        if (i < n) atomicAdd(sum, 2.0f * q);
    }
    ```

    ```cuda good
    __global__ void place(int *next, int *out) {
        int base;
        if (threadIdx.x % 32 == 0) base = atomicAdd(next, 32);
        base = __shfl_sync(0xffffffffu, base, 0);
        out[base + threadIdx.x % 32] = threadIdx.x;
    }
    ```

    ```opencl good
    __kernel void norms(__global const float *x, __global float *out, const int n) {
        float sum = 0.0f;
        for (int k = 0; k < n; ++k) sum += x[k] * x[k];
        out[get_global_id(0)] = sum;
    }
    ```
    """

    meta = Meta("KL506", "uninitialised-private", Severity.WARNING, tags=("clang uninitialized",))
    needs = (unset_private,)
    requires_whole = True

    def check(self, facts: Facts) -> Iterator[Finding]:
        found: tuple[Unset, ...] = facts[unset_private]
        for one in found:
            yield self._report(one, facts)

    def _report(self, one: Unset, facts: Facts) -> Finding:
        name, event = one.decl.name, one.event
        related = [Related(one.decl.span, f"{name} is declared here, without a value")]
        if event is None:
            assert one.update is not None
            return self.finding(
                one.update,
                f"{name} is only updated: nothing sets it before",
                related=related,
                fix=f"give {name} a value where it is declared",
            )
        if one.branch is None:
            related += [Related(span, f"{name} is updated here") for span in _updates(one, facts)][:2]
        related += calls(event)
        if one.cell is not None:
            what = f"{name}[{one.cell}] is read, but nothing stores a value there"
            if one.filled is not None:
                what += f" where {one.filled[0]} is {one.filled[1]}"
            if one.updated:
                what = f"{name}[{one.cell}] is only updated: nothing sets it before"
            return self.finding(event.span, what, related=related, fix=f"set all of {name} first")
        if isinstance(one.decl.type, StructType):
            name = f"a field of {name}"
        use = "is part of what is stored here"
        if isinstance(event, ConditionEvent):
            use = "decides this condition"
        elif isinstance(event, Access) and not event.writes:
            use = "is part of this address"
        elif isinstance(event, WarpEvent):
            use = "goes to other lanes here"
        who = ""
        if one.found is not None:
            first = one.found.first
            given = "".join(f", {symbol.name} = {value}" for symbol, value in one.found.values)
            who = f" (thread {first.thread} of block {first.block}, blocks of {one.found.block}{given})"
        if one.missed is not None:
            who = (
                " where a loop goes no round"
                if one.missed.empty
                else " where a loop finds nothing better than what it begins with"
            )
            who = ", though it asks whether a loop has set it" if one.asked else who
            related.append(Related(one.missed.loop.span, f"this loop sets {name} in some of its rounds, or in none"))
        if one.asked and one.missed is None:
            who = ", though it asks whether a branch has set it"
        if one.branch is not None:
            who = " where the branch that sets it is not taken"
            related.append(Related(one.branch.cond.span, f"{one.decl.name} is set under this condition alone"))
        if one.left is not None:
            who = " where it is returned early"
            related.append(Related(one.left.cond.span, f"{one.decl.name} is returned under this condition"))
        if one.between:
            who = " where a number meets none of the tests of the branches that set it"
        if one.helper is not None:
            who = f" where {one.helper.name} does not set it"
            related.append(Related(one.helper.span, f"{one.decl.name} is set here, in some cases"))
        return self.finding(
            event.span,
            f"{name} {use}, and nothing was stored in it before{who}",
            related=related,
            fix=f"give {one.decl.name} a value where it is declared",
        )


def _updates(one: Unset, facts: Facts) -> Iterator[Span]:
    """Where a variable is made a new value out of the one that it has."""
    for function in facts.reached:
        for node in walk(function.body) if function.body is not None else ():
            if isinstance(node, Assign) and node.op and isinstance(strip_casts(node.target), Ref):
                target = strip_casts(node.target)
                if isinstance(target, Ref) and target.decl is one.decl:
                    yield node.span
