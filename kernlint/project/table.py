"""What files say, by path, out of the rows that are kept between runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from kernlint.project.facts import Said
from kernlint.record import fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernlint.project.facts import Kind
else:
    Kind = str  # stands in what follows for any kind


class Table(Mapping[str, Kind]):
    """What files say of one ``kind``, by path.  Rows stay lists until somebody looks at one."""

    def __init__(self, kind: type[Kind], rows: dict[str, list[Any]]) -> None:
        self.kind = kind
        self.rows = rows

    def __getitem__(self, path: str) -> Kind:
        make: Callable[..., Kind] = self.kind
        return make(*self.rows[path])

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, name: str) -> Iterator[tuple[str, Sequence[str]]]:
        """One thing that files say, of each that says anything, by path in order."""
        at = _columns(self.kind).index(name)
        rows = self.rows
        return ((path, rows[path][at]) for path in sorted(path for path, row in rows.items() if row))


def _columns(kind: type[Said]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))  # type: ignore[arg-type]


def row_of(said: Said, nothing: Said) -> list[Any]:
    """The row of what a file says; an empty one for ``nothing``."""
    return [getattr(said, name) for name in _columns(type(said))] if said is not nothing and said != nothing else []
