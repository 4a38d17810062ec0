r"""The rule ``swapped-axes``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import Facts
from kernlint.analysis.extent.asking import example
from kernlint.analysis.extent.crossed_rows import CrossedRows, crossed_rows
from kernlint.analysis.extent.documented_pitches import Mispitched, mispitched
from kernlint.analysis.extent.limits import is_parameter, limits
from kernlint.analysis.extent.moved_rows import MovedRow, moved_row
from kernlint.analysis.extent.neighbours import Twice, neighbours
from kernlint.analysis.extent.overreach import overreach
from kernlint.analysis.extent.past_end import excluded, of_overreach
from kernlint.analysis.extent.wrong_guards.faults import Fault
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.analysis.sharing.race_words import calls
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Guard, GuardKind
from kernlint.analysis.wording import verb
from kernlint.finding import Finding, Fix, Related, Severity
from kernlint.rule import Meta, Rule
from kernlint.source import SourceFile
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import SymbolKind, Term, plain
from kernlint.tree.types import Space


class SwappedAxes(Rule):
    r"""Row and column tested against each other's extent.

    An element of a row-major array is at ``row * width + column``: the factor of the slow index is the extent of the
    fast one. When the guard bounds the slow index by that very factor, and the fast index by another extent, the two
    tests are swapped: on anything but a square the kernel leaves elements out and touches others that are not there.

    Neighbours of one place lie opposite one another. Where one of six or more is read twice, and the one that lies
    opposite another is not read, a sign or a step was copied wrongly.

    Nor is a row to be moved by a part of the row's length, as to the second half of the columns, where the same part of
    another size bounds it.

    Where a comment gives an array its extents (`// image: [coils][nz][ny][nx]`), an index that goes through them all
    is made of their products.

    Where the other kernels of a file go to rows of one distance by ``row * pitch + column``, and one has them the other
    way round under the same tests, its index is wrong.

    An index that counts whole rows (where one of many images begins) is no column.

    Both halves of the evidence come from the kernel's own arithmetic, never from names.

    ```cuda bad
    __global__ void paint(float *image, int width, int height) {
        int x = blockIdx.x * blockDim.x + threadIdx.x;
        int y = blockIdx.y * blockDim.y + threadIdx.y;
        if (x < height && y < width)
            image[y * width + x] = 1.0f;  // expect: KL403
    }
    ```

    ```opencl bad
    __kernel void paint(__global float *image, const int rows, const int cols) {
        const int c = get_global_id(0);
        const int r = get_global_id(1);
        if (r >= cols || c >= rows) return;
        image[r * cols + c] = 1.0f;  // expect: KL403
    }
    ```

    ```cuda bad
    __global__ void blur(const float *image, float *out, int width, int height) {
        int x = blockIdx.x * blockDim.x + threadIdx.x;
        int y = blockIdx.y * blockDim.y + threadIdx.y;
        if (x >= width || y >= height) return;
        out[y * width + x] = image[y * height + min(x + 1, width - 1)];  // expect: KL403
    }
    ```

    ```cuda bad
    __global__ void halves(const float *in, float *out, int columns, int rows) {
        int c = blockIdx.x * blockDim.x + threadIdx.x;
        int r = blockIdx.y * blockDim.y + threadIdx.y;
        if (c >= columns || r >= rows / 2) return;
        out[r * columns + c] = in[r * columns + c] + in[(r + columns / 2) * columns + c];  // expect: KL403
    }
    ```

    ```cuda bad
    __global__ void spread(const float *a, float *b, int pitch, int plane, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < plane || i >= n - plane) return;
        float along = a[i - 1] + a[i + 1];
        float across = a[i - pitch] + a[i + pitch];
        b[i] = along + across + a[i + plane] + a[i + pitch] - 6.0f * a[i];  // expect: KL403
    }
    ```

    ```cuda good
    __global__ void halves(const float *in, float *out, int columns, int rows) {
        int c = blockIdx.x * blockDim.x + threadIdx.x;
        int r = blockIdx.y * blockDim.y + threadIdx.y;
        if (c >= columns || r >= rows / 2) return;
        out[r * columns + c] = in[r * columns + c] + in[(r + rows / 2) * columns + c];
    }
    ```

    ```cuda good
    __global__ void paint(float *image, int width, int height) {
        int x = blockIdx.x * blockDim.x + threadIdx.x;
        int y = blockIdx.y * blockDim.y + threadIdx.y;
        if (x < width && y < height) image[y * width + x] = 1.0f;
    }
    ```

    ```cuda good
    __global__ void triangles(const float *a, float *out, int planes, int side) {
        int column = blockIdx.x * blockDim.x + threadIdx.x;
        if (column < side)
            for (int plane = 0; plane < planes; ++plane)
                for (int row = column; row < side; ++row) {
                    float sum = 0;
                    for (int k = 0; k <= row; ++k) sum += a[(plane * side + row) * side + k];
                    out[(plane * side + row) * side + column] = sum;
                }
    }
    ```

    ```cuda good
    __global__ void down(const float *image, float *out, int width, int height) {
        int x = blockIdx.x * blockDim.x + threadIdx.x;
        int y = blockIdx.y * blockDim.y + threadIdx.y;
        if (x >= width || y >= height) return;
        out[x * height + y] = image[x * height + min(y + 1, height - 1)];
    }
    ```

    ```opencl good
    __kernel void transpose(__global const float *in, __global float *out, const int rows, const int cols) {
        const int c = get_global_id(0);
        const int r = get_global_id(1);
        if (r < rows && c < cols) out[c * rows + r] = in[r * cols + c];
    }
    ```

    ```cuda good
    __global__ void scale(float *filters, int size, int count, float by) {
        const int i = (blockIdx.x * blockDim.x + threadIdx.x) * size * size;
        if (i >= count) return;
        for (int y = 0; y < size; ++y)
            for (int x = 0; x < size; ++x)
                filters[i + y * size + x] *= by;
    }
    ```
    """

    meta = Meta("KL403", "swapped-axes", Severity.WARNING)
    needs = (trace, overreach, limits, launch_context, mispitched, crossed_rows)

    def check(self, facts: Facts) -> Iterator[Finding]:
        said: set[tuple[Guard, Guard]] = set()
        beyond = {one.access: one for one in facts[overreach] if one.fault is Fault.SWAPPED}
        for twice in neighbours(facts[trace].accesses):
            yield self._of_neighbours(twice)
        crossed: tuple[CrossedRows, ...] = facts[crossed_rows]
        yield from map(self._of_crossed, crossed)
        pitches: dict[tuple[str, Polynomial], list[Mispitched]] = {}
        for one in facts[mispitched]:
            pitches.setdefault((one.shape.name, one.pitch), []).append(one)
        for group in pitches.values():
            yield self._of_pitch(group)
        for access in facts[trace].accesses:
            if access.root.space is not Space.GLOBAL or not access.size:
                continue
            found = self._swapped(access)
            if found is None and access in beyond and (size := beyond[access].size) is not None:
                found = beyond[access].guard, beyond[access].guard, term_of(size)
            moved = moved_row(access) if found is None else None
            if moved is not None and (moved.guard, moved.guard) not in said:
                said.add((moved.guard, moved.guard))
                yield self._of_moved_row(access, moved)
            if found is None or found[:2] in said:
                continue
            said.add(found[:2])
            slow, fast, stride = found
            past = of_overreach(beyond[access], facts) if access in beyond else None
            if excluded([past] if past is not None else [], facts):
                continue
            pitch = words(stride)
            yield self.finding(
                access.span,
                f"rows of {access.root.name} are {pitch} elements apart, but the guard bounds the row by "
                f"{pitch} and the column by another extent",
                related=[
                    Related(slow.span, f"the slow index is tested here: {words(slow.term)}"),
                    *([Related(fast.span, f"the fast index is tested here: {words(fast.term)}")] * (fast is not slow)),
                ],
                witness=example(past, facts),
                fix="swap the two extents in the guard",
            )

    def _of_pitch(self, group: Sequence[Mispitched]) -> Finding:
        first = group[0]
        name, pitch, right = first.access.root.name, words(term_of(first.pitch)), words(term_of(first.right))
        return self.finding(
            first.access.span,
            f"{name} is {verb(first.access)} in steps of {pitch}, and the extents that a comment gives it make "
            f"steps of {right}",
            related=[Related(first.shape.span, f"the comment gives {name} these sizes"), *calls(first.access)],
            assumptions=(f"{name} has the extents that the comment gives it",),
            fix=f"make the index with steps of {right}",
        )

    def _of_crossed(self, crossed: CrossedRows) -> Finding:
        access, (pitch, row, column) = crossed.access, crossed.layout
        return self.finding(
            access.span,
            f"what is kept below {row} is multiplied by {pitch} here, and what is kept below {column} is added: "
            f"{crossed.other.kernel} goes to rows that are {pitch} apart the other way",
            related=[
                Related(crossed.guard.span, "both are tested here"),
                Related(crossed.other.access.span, f"{crossed.other.kernel} has row and column the other way here"),
                *calls(access),
            ],
            assumptions=(f"{pitch} is the distance of rows here too",),
            fix="exchange row and column in the index",
        )

    def _of_neighbours(self, twice: Twice) -> Finding:
        name = twice.access.root.name
        return self.finding(
            twice.access.span,
            f"of the {twice.count} neighbours that are read of {name} this one is read twice, and the one that lies "
            "opposite another is not",
            related=[
                Related(twice.first.span, "it is read here"),
                Related(twice.alone.span, "the neighbour opposite this one is missing"),
            ],
            fix="read the neighbour that is missing",
        )

    def _of_moved_row(self, access: Access, moved: MovedRow) -> Finding:
        by, bound = words(moved.by), words(moved.bound)
        return self.finding(
            access.span,
            f"rows of {access.root.name} are {moved.length.name} elements long, and a row that is tested against "
            f"{bound} is moved by {by}",
            related=[Related(moved.guard.span, f"the row is tested here: {words(moved.guard.term)}")],
            fix=f"move it by {bound}",
        )

    def fixes(self, facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
        """The two extents exchanged."""
        from kernlint.repair.wrong import wrong

        return wrong(facts, finding, source)

    def _swapped(self, access: Access) -> tuple[Guard, Guard, Term] | None:
        offset = polynomial(access.offset)
        bounds = list(_upper_bounds(access.guards))
        clamped = list(_clamps(offset)) if bounds else []
        if len(bounds) + len(clamped) < 2:
            return None
        size = access.size or 1
        for slow_guard, slow, slow_bound, extent in bounds:
            for fast_guard, fast, fast_bound in (*((g, i, b) for g, i, b, _ in bounds), *clamped):
                if (slow_bound - fast_bound).constant is not None or slow == fast or _is_rows(fast, slow_bound):
                    continue
                if fast_guard is not None and _counts(fast_guard) and not _counts(slow_guard):
                    continue  # a thread goes through some of its row
                border = min(slow_bound.coefficients.get((), 0), 0)  # as wide on both axes
                if fast_bound.coefficients.get((), 0) != border:
                    border = 0
                right = (slow * (fast_bound - number(border)) + fast).scaled(size)
                wrong = (slow * (slow_bound - number(border)) + fast).scaled(size)
                own = slow.atoms | fast.atoms
                if _apart(offset - wrong, own) and not _apart(offset - right, own):
                    return slow_guard, fast_guard or slow_guard, extent
        return None


def _counts(guard: Guard) -> bool:
    """Whether a bound is the end of a loop."""
    return guard.kind is GuardKind.LOOP


def _is_rows(index: Polynomial, pitch: Polynomial) -> bool:
    """Whether an index is so many whole rows, and so no column: where an image begins among others."""
    return pitch.atoms <= index.atoms and all(pitch.atoms & set(atoms) for atoms in index.coefficients)


def _apart(rest: Polynomial, own: set[Term]) -> bool:
    """Whether what is left of an offset depends neither on the thread's place in the block nor on a loop of the two
    indices, whose atoms are ``own``."""
    return all(
        atom.op == "sym"
        and (atom.args[0].kind is SymbolKind.PARAM or (atom.args[0].kind is SymbolKind.COUNTER and atom not in own))
        for atom in rest.atoms
    )


def _upper_bounds(guards: tuple[Guard, ...]) -> Iterator[tuple[Guard, Polynomial, Polynomial, Term]]:
    """(guard, index, bound, bound as written) of each ``index < extent`` among the guards; an extent is a
    parameter, or a sum of such: ``width - kernel + 1`` columns."""
    for guard in guards:
        stack: list[Term] = [guard.term]
        while stack:
            term = stack.pop()
            if term.op == "land":
                stack.extend(term.args)
            elif term.op == "lt":
                extent = plain(term.args[1])
                bound = polynomial(extent)
                index = polynomial(term.args[0])
                if index.atoms and _is_extent(bound):
                    yield guard, index, bound, extent


def _clamps(offset: Polynomial) -> Iterator[tuple[None, Polynomial, Polynomial]]:
    """(nothing, index, bound) of indices that are held inside an extent and not tested: ``min(x, width - 1)``."""
    for atom in offset.atoms:
        for last in atom.terms if atom.op == "min" else ():
            bound = polynomial(plain(last)) + number(1)
            if _is_extent(bound) and polynomial(atom).atoms == {atom}:
                yield None, polynomial(atom), bound


def _is_extent(bound: Polynomial) -> bool:
    return bool(bound.atoms) and all(len(atoms) <= 1 and all(map(is_parameter, atoms)) for atoms in bound.coefficients)
