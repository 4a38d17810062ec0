"""The line to the process that analyses, and what happens when it breaks."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

pytest.importorskip("pygls", reason="the language server's extra is not installed")

from lsprotocol import types

from kernlint.lsp import worker
from kernlint.lsp.messages import Check, Checked, Failed
from kernlint.lsp.view import Text, ignore_edit
from kernlint.lsp.worker import Worker

KERNEL = b"__global__ void k(int *x) { int a[4]; a[0] = a[4] = 1; x[0] = a[0]; }\n"
DIES = worker._CODE.replace(
    "main()", "analyst.Analyst._check = lambda s, r: os._exit(3) if b'die' in r.data else c(s, r); main()"
)
DIES = DIES.replace("import json", "import os, json").replace(
    "import main;", "import main; from kernlint.lsp import analyst; c = analyst.Analyst._check;"
)
SLOW = DIES.replace("os._exit(3)", "time.sleep(60)").replace("import os", "import os, time")


def test_answers(tmp_path: Path) -> None:
    async def run() -> None:
        line = Worker(["--select", "KL104"])
        answer = await line.ask(Check(str(tmp_path / "k.cu"), KERNEL))
        assert isinstance(answer, Checked)
        assert [result.finding.code for result in answer.results] == ["KL104"]
        assert "KL104" in line.pages.pages and "KL001" in line.pages.pages
        await line.close()

    asyncio.run(run())


@pytest.mark.parametrize(("code", "why"), [(DIES, "died"), (SLOW, "more than 3 s")])
def test_a_text_that_kills_costs_one_analysis(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, why: str
) -> None:
    monkeypatch.setattr(worker, "_CODE", code)

    async def run() -> None:
        line = Worker([], patience=3)
        path = str(tmp_path / "k.cu")
        answer = await line.ask(Check(path, b"// die\n"))
        assert isinstance(answer, Failed) and why in answer.reason
        answer = await line.ask(Check(path, KERNEL))
        assert isinstance(answer, Checked) and [r.finding.code for r in answer.results] == ["KL104"]
        await line.close()

    asyncio.run(run())


def test_wrong_options_are_an_answer(tmp_path: Path) -> None:
    async def run() -> None:
        line = Worker(["--select", "no-such-rule"])
        answer = await line.ask(Check(str(tmp_path / "k.cu"), KERNEL))
        assert isinstance(answer, Checked) and "no-such-rule" in answer.problem
        await line.close()

    asyncio.run(run())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_places_and_back(encoding: str) -> None:
    text = "a\u00fc\U0001d11eb\r\nsecond\rthird\n\nlast"
    data = text.encode()
    lines = Text(data, encoding)
    assert [lines.line(n) for n in range(6)] == ["a\u00fc\U0001d11eb", "second", "third", "", "last", ""]
    for index, _ in enumerate(lines.line(0)):
        offset = lines.offset(0, index)
        assert lines.position(offset).line == 0
        assert lines.character(lines.position(offset)) == index
    assert lines.position(data.index(b"third")) == types.Position(2, 0)
    assert lines.position(10**9) == types.Position(4, 4)
    units = {"utf-8": 7, "utf-16": 4, "utf-32": 3}[encoding]
    assert lines.position(data.index(b"b")) == types.Position(0, units)


def test_a_directive_keeps_indentation() -> None:
    edit = ignore_edit(Text(b"{\n\t  x();\n}", "utf-16"), 1, ["KL101", "KL104"])
    assert edit is not None and edit.new_text == "\t  // kernlint: ignore[KL101, KL104] TODO: say why\n"
    assert ignore_edit(Text(b"#define X \\\n  x()\n", "utf-16"), 1, ["KL101"]) is None
