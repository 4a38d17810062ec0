"""What the server does first when there is more than one thing to do."""

from __future__ import annotations

import asyncio
import time

import pytest

pytest.importorskip("pygls", reason="the language server's extra is not installed")

from kernlint.lsp.messages import Check, Checked
from kernlint.lsp.server import GRACE, Buffer, Session


class Unhurried:
    """A worker that answers checks at once and never finds a fix."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def ask(self, request: object) -> object:
        self.asked.append(type(request).__name__)
        if isinstance(request, Check):
            return Checked()
        return await asyncio.Event().wait()


class Quiet:
    """A server whose editor hears nothing and says nothing."""

    def __getattr__(self, name: str) -> object:
        return lambda *args, **kwargs: None


def test_an_analysis_that_is_late_comes_before_a_fix_that_was_due_earlier(monkeypatch):
    async def script() -> list[str]:
        session = Session(Quiet(), [])  # type: ignore[arg-type]
        session.worker = worker = Unhurried()  # type: ignore[assignment]
        monkeypatch.setattr(session, "_view", lambda checked: None)
        now = time.monotonic()
        text = "__global__ void k() {}"
        fixable = Buffer("file:///a.cu", "/a.cu", "cuda", text, seen=text, unfixed=[0], rested=now - 60 * GRACE)
        fixable.shown = [(None, type("Result", (), {"finding": None})())]  # type: ignore[list-item]
        late = Buffer("file:///b.cu", "/b.cu", "cuda", text, due=now - 30 * GRACE)
        session.buffers = {fixable.uri: fixable, late.uri: late}
        session.start()
        for _ in range(200):
            await asyncio.sleep(0.01)
            if "Check" in worker.asked:
                break
        await asyncio.sleep(0)
        assert session._task is not None
        session._task.cancel()
        return worker.asked

    asked = asyncio.run(script())
    assert asked[0] == "Check"
    assert asked.count("Check") == 1
