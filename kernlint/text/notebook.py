"""Jupyter notebooks as one text: the code cells in order, each with an empty line behind it.

What a cell says to IPython (``%timeit``, ``!pip``) becomes a comment of as many bytes, so that the rest is Python.
"""

from __future__ import annotations

from kernlint.text.patterns import pattern

SUFFIX = ".ipynb"

_MAGIC = pattern(r"^(\s*)[%!?]", 0)
_FIRST = pattern(r"\S", 0)
_ASSIGNED = pattern(r"^(\s*[\w.,\s]+?=\s*)[%!](?=.)", 0)
_ASKED = pattern(r"^(\s*)[^\s#](?=[\w.\[\]()'\"*]*\?{1,2}\s*$)", 0)


class NotebookError(ValueError):
    """A file that is no notebook; the message is one clear line."""


def is_notebook(path: str) -> bool:
    """Whether a file is a notebook by its name."""
    return path.lower().endswith(SUFFIX)


def text_of(raw: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The text of a notebook's code cells, and for each the line that it begins at and its number among all cells, both
    counted from 1.

    Raises :class:`NotebookError` for what is no JSON, or no notebook.
    """
    import json

    try:
        data = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise NotebookError(f"is no notebook: not JSON ({str(error).splitlines()[0][:80]})") from None
    cells = data.get("cells") if isinstance(data, dict) else None
    if cells is None and isinstance(data, dict) and isinstance(data.get("worksheets"), list):
        cells = [cell for sheet in data["worksheets"] if isinstance(sheet, dict) for cell in sheet.get("cells") or []]
    if not isinstance(cells, list):
        raise NotebookError("is no notebook: it has no cells")
    lines: list[str] = []
    starts: list[tuple[int, int]] = []
    for number, cell in enumerate(cells, 1):
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        source = cell.get("source", cell.get("input", ""))
        if isinstance(source, list):
            source = "".join(part for part in source if isinstance(part, str))
        if not isinstance(source, str):
            continue
        starts.append((len(lines) + 1, number))
        whole = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        first = next((line for line in whole if line.strip()), "")
        foreign = first.lstrip().startswith("%%")
        lines += whole if foreign else _plain_lines(whole)
        lines.append("")
    return "\n".join(lines), tuple(starts)


def _plain_lines(lines: list[str]) -> list[str]:
    """The lines of a cell with commands to IPython, which a backslash continues, made comments."""
    out: list[str] = []
    command = False
    for line in lines:
        plain = _FIRST.sub("#", line, count=1) if command else _plain(line)
        command = plain != line and line.rstrip().endswith("\\")
        out.append(plain)
    return out


def _plain(line: str) -> str:
    """A line with its command to IPython made a comment."""
    if line.rstrip().endswith("?") and _ASKED.match(line):
        return _ASKED.sub(r"\1#", line)
    found = _ASSIGNED.match(line) if "!" in line or "%" in line else None
    if found is not None:  # ``files = !ls`` is some value
        return f"{found.group(1)}0#{line[found.end() + 1 :]}"
    return _MAGIC.sub(r"\1#", line)
