"""What the server does when: with a worker that answers as told."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

pytest.importorskip("pygls", reason="the language server's extra is not installed")

from lsprotocol import types

from kernlint.finding import Finding, Fix, Severity
from kernlint.lsp import server
from kernlint.lsp.messages import Answer, Check, Checked, Failed, Pages, Repair, Repaired, Request
from kernlint.result import Result
from kernlint.source import Span

URI = "file:///somewhere/k.cu"


class Worker:
    """Finds a fault in each of the first lines of every text; looking for a fix of one takes as long as it is told."""

    def __init__(self, fixing: float, faults: int = 1) -> None:
        self.pages = Pages()
        self.repaired: list[int] = []
        self._faults = faults
        self.checked: list[bytes] = []
        self.given_up = 0
        self._fixing = fixing

    async def ask(self, request: Request) -> Answer:
        if isinstance(request, Repair):
            try:
                await asyncio.sleep(self._fixing)
            except asyncio.CancelledError:
                self.given_up += 1
                raise
            self.repaired.append(request.finding.span.start)
            return Repaired(Fix("better"))
        assert isinstance(request, Check)
        self.checked.append(request.data)
        if request.data == b"broken":
            return Failed("told to")
        spans = [Span(request.path, line, line + 1) for line in range(self._faults)]
        results = [Result(Finding(span, "bad", Severity.WARNING, "KL999", "fault"), "print") for span in spans]
        return Checked(tuple(results), texts={request.path: request.data})

    async def close(self) -> None:
        pass


def session(worker: Worker) -> tuple[server.Session, list[types.PublishDiagnosticsParams], list[str]]:
    published: list[types.PublishDiagnosticsParams] = []
    logged: list[str] = []
    stub = SimpleNamespace(
        client_capabilities=types.ClientCapabilities(),
        workspace=SimpleNamespace(position_encoding=types.PositionEncodingKind.Utf16, root_path=None),
        text_document_publish_diagnostics=published.append,
        window_log_message=lambda params: logged.append(params.message),
    )
    made = server.Session(stub, ["--no-cache"])  # type: ignore[arg-type]
    made.worker = worker  # type: ignore[assignment]
    return made, published, logged


async def until(condition) -> None:
    for _ in range(1000):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not come")


def test_typing_ends_the_search_for_fixes() -> None:
    async def run() -> None:
        worker = Worker(fixing=1e6)
        made, published, _ = session(worker)
        made.start()
        made.opened(types.TextDocumentItem(URI, "cuda", 1, "one"))
        await until(lambda: made.buffers[URI].unfixed and published)
        made.changed(URI, "two", 2)
        await until(lambda: worker.checked == [b"one", b"two"])
        assert worker.given_up == 1
        made.closed(URI)
        await until(lambda: published[-1].diagnostics == [])
        await made.close()

    asyncio.run(run())


def test_fixes_are_waited_for_when_asked() -> None:
    async def run() -> None:
        made, published, _ = session(Worker(fixing=0.3))
        made.start()
        made.opened(types.TextDocumentItem(URI, "cuda", 1, "one"))
        await until(lambda: published)
        place = types.Range(types.Position(0, 0), types.Position(0, 0))
        assert [one.title for one in await made.actions(URI, place)] == ["Fix KL999: better", "Ignore KL999 fault here"]
        await made.close()

    asyncio.run(run())


def test_fixes_are_looked_for_in_order_and_not_without_end() -> None:
    async def run() -> None:
        worker = Worker(fixing=0, faults=server.EAGER + 5)
        made, _, _ = session(worker)
        made.start()
        made.opened(types.TextDocumentItem(URI, "cuda", 1, "\n" * 100))
        await until(lambda: len(worker.repaired) == server.EAGER)
        await asyncio.sleep(0.1)
        assert worker.repaired == list(range(server.EAGER))
        line = server.EAGER + 3
        place = types.Range(types.Position(line, 0), types.Position(line, 0))
        # The end of the finding before is on this line, too.
        assert [one.title for one in await made.actions(URI, place)].count("Fix KL999: better") == 2
        assert worker.repaired[server.EAGER :] == [line, line - 1]
        await made.close()

    asyncio.run(run())


def test_a_failure_is_logged_and_the_next_text_analysed() -> None:
    async def run() -> None:
        worker = Worker(fixing=0)
        made, published, logged = session(worker)
        made.start()
        made.opened(types.TextDocumentItem(URI, "cuda", 1, "broken"))
        await until(lambda: logged)
        assert "told to" in logged[0] and published == []
        made.changed(URI, "mended", 2)
        await until(lambda: published)
        assert len(published[0].diagnostics) == 1 and published[0].version == 2
        await made.close()

    asyncio.run(run())


def test_a_bug_of_ours_does_not_stop_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        made, published, logged = session(Worker(fixing=0))
        show = made._show
        monkeypatch.setattr(made, "_show", lambda *args: 1 / 0)
        made.start()
        made.opened(types.TextDocumentItem(URI, "cuda", 1, "one"))
        await until(lambda: logged)
        assert "ZeroDivisionError" in logged[0]
        monkeypatch.setattr(made, "_show", show)
        made.saved(URI)
        await until(lambda: published)
        await made.close()

    asyncio.run(run())
