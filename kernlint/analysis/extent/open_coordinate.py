"""An access at a coordinate that one end of is open, and what is told of it."""

from __future__ import annotations

from kernlint.analysis.extent.ends import Coordinate
from kernlint.analysis.extent.told import Told
from kernlint.analysis.trace.events import Access, Guard
from kernlint.analysis.wording import element, verb
from kernlint.finding import Related
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, term_of
from kernlint.symbolic.show import words


@dataclass(frozen=True, slots=True, eq=False)
class OpenCoordinate:
    """An ``access`` at a coordinate that is open at one end; ``below``: that end is 0.  ``guard``: the test of the
    other coordinate, or of the ``other`` access.  ``row``: how many places its row has, where that says that it ends
    there; ``part``: the test that lets it get past."""

    access: Access
    other: Access
    guard: Guard | None
    below: bool
    row: Polynomial | None = None
    count: Polynomial | None = None
    tested: Guard | None = None
    both: bool = False
    """Whether it is open at the other end too."""
    at: Coordinate | None = None
    field: bool = False
    """Whether it is a field of data, which is tested for all other accesses."""
    last: Guard | None = None
    """The test that keeps the first of ``row`` rows, where the last is kept by none."""
    steps: bool = False
    """Whether steps lead past the end of the row, and a test keeps the other end."""
    position: bool = False
    """Whether it is beside a position, at which ``other`` is (itself: the place is the position rounded)."""
    beside: Guard | None = None
    """The test that lets a neighbour through, where another one, along another axis, is kept by ``guard``."""

    @property
    def told(self) -> Told:
        """What is wrong, in words."""
        may, how = ("negative", "is not negative") if self.below else ("too large", "is below its end")
        where = "below 0" if self.below else "past its end"
        if self.both:
            may, where, how = "negative or too large", "outside", "is inside"
        if self.field and self.guard is not None:
            return Told(
                f"{element(self.access)} is {verb(self.access)} at a field of data that nothing tests: for all other "
                "accesses to the array such a field is kept below its end",
                [Related(self.guard.span, f"for {element(self.other)}, this is asked")],
                "the data hold what the test keeps away",
                "test the field here too",
            )
        if self.last is not None and self.row is not None and self.guard is not None:
            rows = words(term_of(self.row))
            return Told(
                f"{element(self.access)} is {verb(self.access)} in a row that may be past the last of {rows}: only the "
                "first ones are tested",
                [
                    Related(self.last.span, "this test keeps it from being negative"),
                    Related(self.guard.span, f"this one lets the last row of {element(self.other)} through"),
                ],
                "the place is in the last row",
                f"test that this row is below {rows} too",
            )
        if self.steps and self.row is not None and self.guard is not None:
            size = words(term_of(self.row))
            where, test = ("negative", "0") if self.below else (f"{size} or more", size)
            kept = f"below {size}" if self.below else "from being negative"
            return Told(
                f"{element(self.access)} is {verb(self.access)} at a neighbour whose place in its row may be {where}: "
                f"it is only kept {kept}",
                [Related(self.guard.span, "the other end of the row is tested here")],
                f"the cell is the {'first' if self.below else 'last'} of its row",
                f"test the neighbour against {test} too",
            )
        if self.row is not None:
            return Told(
                f"{element(self.access)} is {verb(self.access)} at a place that may be past the end of its row of "
                f"{words(term_of(self.row))}, as the test before it lets it be",
                [Related(self.guard.span, "this test lets it through")] if self.guard is not None else [],
                "the data hold as much as the test lets through",
                "test against the length of the row",
            )
        if self.count is not None:
            size = words(term_of(self.count))
            return Told(
                f"{element(self.access)} is {verb(self.access)} for item {size} too, and the launch is made for {size} "
                "items: the test is off by one",
                [Related(self.guard.span, "this test lets it through")] if self.guard is not None else [],
                "the launch has threads to spare",
                f"test against {size}",
            )
        if self.tested is not None and self.guard is not None:
            return Told(
                f"{element(self.access)} is {verb(self.access)} at a coordinate that may be too large: for another "
                "access to the array it is kept below its end, and here a test lets more through",
                [
                    Related(self.guard.span, f"for {element(self.other)}, this is asked"),
                    Related(self.tested.span, "this test lets more through"),
                ],
                "there are coordinates between the two ends",
                "test this coordinate as the other one is",
            )
        if self.position and self.guard is not None:
            related = [Related(self.guard.span, "this test lets the position into the last place")]
            if self.other is not self.access:
                related.append(Related(self.other.span, f"the position itself, for {element(self.other)}"))
            return Told(
                f"{element(self.access)} is {verb(self.access)} at a neighbour that may be one behind the last: the "
                "position that it lies beside is tested against the size, and not against the last place",
                related,
                "the position is in the last place along one axis",
                "let the test end one place earlier, or test the neighbour",
            )
        if self.beside is not None and self.guard is not None:
            return Told(
                f"{element(self.access)} is {verb(self.access)} at a neighbour that may be one behind the last: the "
                "one along another axis, made in the same way, is tested for that, and this one is not",
                [
                    Related(self.beside.span, "this test lets the place pass that the neighbour lies beside"),
                    Related(self.guard.span, "the neighbour along the other axis is tested here"),
                ],
                "the data put the place at the end that the test lets pass",
                "test this neighbour against its end too",
            )
        if self.both and self.guard is not None:
            return Told(
                f"{element(self.access)} is {verb(self.access)} at a coordinate that nothing tests: another one of the "
                "index, made in the same way, is kept from being negative and below its end",
                [Related(self.guard.span, "the other coordinate is tested here")],
                "there are coordinates outside, as the test says",
                "test this coordinate too",
            )
        if self.other is self.access and self.guard is None:
            end = "both ends" if self.both else "that end"
            why = f"another one of the index, made in the same way, is clamped at {end}, and this one is not"
            remark = ""
        elif self.other is self.access:
            why = "another one of the index, made in the same way, is kept inside at that end, and this one by nothing"
            remark = f"that the other coordinate {how} is asked here"
        else:
            why = "it is kept inside at that end for another access to the array, and not for this one"
            remark = f"for {element(self.other)}, it is asked here whether the coordinate {how}"
        return Told(
            f"{element(self.access)} is {verb(self.access)} at a coordinate that may be {may}: {why}",
            [Related(self.guard.span, remark)] if self.guard is not None else [],
            f"there are coordinates {where}, as the {'clamp' if self.guard is None else 'test'} says",
            f"{'clamp this coordinate' if self.guard is None else f'test that this coordinate {how}'} too",
        )
