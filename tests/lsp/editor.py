"""An editor for the tests: pygls's own client, with the real server in a process of its own."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient
from pygls.uris import from_fs_path

PATIENCE = 60.0


def capabilities(**more: Any) -> types.ClientCapabilities:
    """What a modern editor says of itself."""
    shown = types.PublishDiagnosticsClientCapabilities(
        related_information=True,
        code_description_support=True,
        tag_support=types.ClientDiagnosticsTagOptions([types.DiagnosticTag.Unnecessary]),
    )
    return types.ClientCapabilities(
        text_document=types.TextDocumentClientCapabilities(publish_diagnostics=shown),
        workspace=types.WorkspaceClientCapabilities(
            workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True)
        ),
        **more,
    )


class Editor:
    """Opens, changes and closes buffers, and waits for what the server says of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.client = LanguageClient("editor", "1")
        self.published: list[types.PublishDiagnosticsParams] = []
        self.messages: list[str] = []
        self.logged: list[str] = []
        self.exit_code: int | None = None
        self._read = 0
        self._news = asyncio.Event()

        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: types.PublishDiagnosticsParams) -> None:
            self.published.append(params)
            self._news.set()

        @self.client.feature(types.WINDOW_SHOW_MESSAGE)
        def message(params: types.ShowMessageParams) -> None:
            self.messages.append(params.message)
            self._news.set()

        @self.client.feature(types.WINDOW_LOG_MESSAGE)
        def log(params: types.LogMessageParams) -> None:
            self.logged.append(params.message)
            self._news.set()

    async def start(self, *arguments: str, client: types.ClientCapabilities | None = None) -> types.InitializeResult:
        command = [
            "-c",
            "import sys; sys.path.pop(0); from kernlint.cli.entry import entry; entry()",
            "lsp",
            *arguments,
        ]
        await self.client.start_io(sys.executable, *command, cwd=self.folder, env=dict(os.environ))
        folder = types.WorkspaceFolder(from_fs_path(str(self.folder)) or "", "here")
        parameters = types.InitializeParams(client or capabilities(), workspace_folders=[folder], root_uri=folder.uri)
        result = await self.client.initialize_async(parameters)
        self.client.initialized(types.InitializedParams())
        return result

    async def stop(self) -> None:
        """Leave as an editor should."""
        server = self.client._server
        await asyncio.wait_for(self.client.shutdown_async(None), PATIENCE)
        self.client.exit(None)
        if server is not None:
            self.exit_code = await asyncio.wait_for(server.wait(), PATIENCE)
        await self.client.stop()

    async def kill(self) -> None:
        """End a server that a failed test left behind."""
        server = self.client._server
        if server is not None and server.returncode is None:
            server.kill()
        await self.client.stop()

    # ------------------------------------------------------------------------------------------- buffers

    def uri(self, name: str) -> str:
        return from_fs_path(str(self.folder / name)) or ""

    def open(self, name: str, text: str, language: str = "cuda") -> None:
        item = types.TextDocumentItem(self.uri(name), language, 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, name: str, text: str, version: int) -> None:
        document = types.VersionedTextDocumentIdentifier(version, self.uri(name))
        whole = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [whole]))

    def save(self, name: str) -> None:
        document = types.TextDocumentIdentifier(self.uri(name))
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(document))

    def close(self, name: str) -> None:
        document = types.TextDocumentIdentifier(self.uri(name))
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(document))

    # ------------------------------------------------------------------------------------------- answers

    async def diagnostics(self, name: str) -> list[types.Diagnostic]:
        """What is published next for a buffer."""

        def found() -> list[types.Diagnostic] | None:
            for number in range(self._read, len(self.published)):
                if self.published[number].uri == self.uri(name):
                    self._read = number + 1
                    return list(self.published[number].diagnostics)
            return None

        return await self.until(found)

    async def until(self, found: Callable[[], Any]) -> Any:
        """The first answer of ``found`` that is not None."""
        end = asyncio.get_running_loop().time() + PATIENCE
        while (answer := found()) is None:
            self._news.clear()
            left = end - asyncio.get_running_loop().time()
            assert left > 0, f"nothing came; log: {self.logged}, messages: {self.messages}"
            try:
                await asyncio.wait_for(self._news.wait(), left)
            except asyncio.TimeoutError:
                continue
        return answer

    async def hover(self, name: str, line: int, character: int) -> str | None:
        place = types.HoverParams(types.TextDocumentIdentifier(self.uri(name)), types.Position(line, character))
        hover = await asyncio.wait_for(self.client.text_document_hover_async(place), PATIENCE)
        if hover is None:
            return None
        assert isinstance(hover.contents, types.MarkupContent)
        return hover.contents.value

    async def actions(self, name: str, line: int, only: list[str] | None = None) -> list[types.CodeAction]:
        place = types.Range(types.Position(line, 0), types.Position(line, 0))
        context = types.CodeActionContext([], only=only)
        document = types.TextDocumentIdentifier(self.uri(name))
        parameters = types.CodeActionParams(document, place, context)
        found = await asyncio.wait_for(self.client.text_document_code_action_async(parameters), PATIENCE)
        return [action for action in found or [] if isinstance(action, types.CodeAction)]


def drive(folder: Path, script: Callable[[Editor], Coroutine[Any, Any, None]]) -> Editor:
    """Run ``script`` with an editor in ``folder``; the server is gone afterwards, whatever happened."""

    async def run() -> Editor:
        editor = Editor(folder)
        try:
            await script(editor)
        finally:
            await editor.kill()
        return editor

    return asyncio.run(run())
