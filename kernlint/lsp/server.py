"""The server: what the editor says becomes requests to the process that analyses, its answers become diagnostics.

Whatever an editor sends and whatever a buffer holds costs that message or that analysis, never the server.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

from lsprotocol import types
from pygls import uris
from pygls.lsp.server import LanguageServer

from kernlint import __version__
from kernlint.finding import Fix
from kernlint.lsp.messages import Check, Checked, Page, Repair, Repaired
from kernlint.lsp.view import (
    Abilities,
    Text,
    View,
    finding_markdown,
    holds,
    ignore_edit,
    named_rule,
    overlaps,
    page_markdown,
    same_file,
    together,
)
from kernlint.lsp.worker import PATIENCE, Worker
from kernlint.project.cachefolder import cache_folder
from kernlint.project.compiledb import FILE_NAME as COMPILE_COMMANDS
from kernlint.project.discovery import speaks_of_kernels
from kernlint.project.tree import HOST_SUFFIXES, KERNEL_SUFFIXES, SETTINGS
from kernlint.registry import CONTROL_CODES
from kernlint.result import Level, Result
from kernlint.source import MAX_BYTES, Span
from kernlint.text.writing import replace_file

PAUSE = 0.3
"""Seconds without typing after which a buffer is analysed."""

REST = 1.0
"""Seconds without typing after which fixes are looked for, which takes several analyses."""

EAGER = 20
"""Findings of a buffer for which fixes are looked for before anybody asks."""

GRACE = 1.0
"""Seconds that an analysis which is due waits for a fix that is being looked for; then the search is given up."""

FIX_PATIENCE = 5.0
"""Seconds that whoever asks for quick fixes waits for those that are not known yet."""

LANGUAGES = {
    "cuda": ".cu",
    "cuda-cpp": ".cu",
    "hip": ".hip",
    "hip-cpp": ".hip",
    "opencl": ".cl",
    "opencl-c": ".cl",
}
"""Language identifiers that editors use for kernel code, and the suffix a buffer without a name gets."""

_SETTINGS = frozenset((*SETTINGS, COMPILE_COMMANDS))


@dataclass
class Buffer:
    """A text that is open in the editor, and what is known of it.

    ``due``: when it is to be analysed (of the monotonic clock), None when it is not; ``seen``: the text that
    ``checked`` is about; ``fresh``: whether files beside it may have changed since.  ``unfixed``: which of ``shown``,
    the next one last, a fix is to be looked for, and ``rested``: when that may begin; ``later``: for which of them only
    if somebody asks; ``fixes``: what was found.
    """

    uri: str
    path: str
    language: str
    text: str
    version: int | None = None
    due: float | None = None
    fresh: bool = True
    seen: str | None = None
    checked: Checked = field(default_factory=Checked)
    shown: list[tuple[types.Diagnostic, Result]] = field(default_factory=list)
    unfixed: list[int] = field(default_factory=list)
    later: set[int] = field(default_factory=set)
    rested: float = 0.0
    fixes: dict[int, Fix] = field(default_factory=dict)

    @property
    def known(self) -> list[tuple[types.Diagnostic, Result]]:
        """Diagnostics in this buffer with their findings, as long as they are about the text as it is."""
        return self.shown if self.seen == self.text else []


class Session:
    """All that the server knows of one editor."""

    def __init__(self, server: LanguageServer, arguments: Sequence[str], patience: float = PATIENCE) -> None:
        self.server = server
        self.worker = Worker(arguments, patience)
        self.buffers: dict[str, Buffer] = {}
        self.keep_pages = "--no-cache" not in arguments
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._published: dict[str, dict[str, list[types.Diagnostic]]] = {}
        self._problems: dict[str, str] = {}
        self._page_uris: dict[str, str | None] = {}

    # ------------------------------------------------------------------------------------------- buffers

    def start(self) -> None:
        """Begin to analyse what becomes due."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def close(self) -> None:
        """Stop analysing and end the process that does it."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        await self.worker.close()

    def opened(self, document: types.TextDocumentItem) -> None:
        """A buffer appears."""
        path = self._path(document.uri, document.language_id)
        text = _plain(document.text)
        if path is None:
            return
        self.buffers[document.uri] = Buffer(document.uri, path, document.language_id, text, document.version)
        self._schedule(document.uri, 0.0, fresh=True)

    def changed(self, uri: str, text: str, version: int | None) -> None:
        """Somebody types."""
        if (buffer := self.buffers.get(uri)) is not None:
            buffer.text, buffer.version = _plain(text), version
            buffer.rested = time.monotonic() + REST
            self._schedule(uri, PAUSE)

    def saved(self, uri: str) -> None:
        """A buffer is on the disk; those that include it see it now."""
        path = uris.to_fs_path(uri)
        if uri in self.buffers:
            self._schedule(uri, 0.0, fresh=True)
        if path:
            self.touched(path, but=uri)

    def touched(self, path: str, but: str = "") -> None:
        """A file on the disk has changed."""
        everything = os.path.basename(path) in _SETTINGS
        for uri, buffer in self.buffers.items():
            if uri != but and (everything or any(same_file(path, other) for other in buffer.checked.depends)):
                self._schedule(uri, 0.0, fresh=True)

    def closed(self, uri: str) -> None:
        """A buffer goes; so does what was said because of it."""
        if self.buffers.pop(uri, None) is not None:
            self._show(uri, {})

    def _path(self, uri: str, language: str) -> str | None:
        path = uris.to_fs_path(uri)
        if path is not None and uri.startswith("file:"):
            return os.path.abspath(path)
        suffix = LANGUAGES.get(language)
        root = self.server.workspace.root_path or os.getcwd()
        return os.path.join(root, f"untitled{suffix}") if suffix else None

    def _schedule(self, uri: str, delay: float, fresh: bool = False) -> None:
        buffer = self.buffers[uri]
        buffer.due = time.monotonic() + delay
        buffer.fresh = buffer.fresh or fresh
        self._wake.set()

    # ------------------------------------------------------------------------------------------- analysis

    async def _run(self) -> None:
        while True:
            now = time.monotonic()
            work = [(buffer.due, 0, buffer.uri) for buffer in self.buffers.values() if buffer.due is not None]
            work += [(buffer.rested, 1, buffer.uri) for buffer in self.buffers.values() if buffer.unfixed]
            # What is due is analysed before any fix is looked for: a search that a late analysis ended must not be
            # begun again in its place.
            ready = [(fixing, due, uri) for due, fixing, uri in work if due <= now]
            fixing, _, uri = min(ready, default=(0, 0.0, ""))
            if not ready:
                delay = min(due for due, _, _ in work) - now if work else None
                with contextlib.suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(self._wake.wait(), delay)
                self._wake.clear()
                continue
            buffer = self.buffers[uri]
            try:
                await (self._fix(buffer) if fixing else self._analyse(buffer))
            except Exception as error:
                self.log(f"{buffer.path}: {type(error).__name__}: {error}", types.MessageType.Error)

    async def _fix(self, buffer: Buffer) -> None:
        """Look for one fix, unless something else has to be done."""
        index = buffer.unfixed[-1]
        text = buffer.text
        if buffer.seen == text:
            finding = buffer.shown[index][1].finding
            request = Repair(buffer.path, text.encode("utf-8", "replace"), finding)
            search = asyncio.create_task(self.worker.ask(request))
            try:
                while not search.done() and not self._overdue():
                    await asyncio.wait({search}, timeout=GRACE / 4)
            finally:
                if not search.done():
                    search.cancel()
                    with contextlib.suppress(asyncio.CancelledError):
                        await search
            if search.cancelled():
                return
            answer = search.result()
            if isinstance(answer, Repaired) and answer.fix is not None and buffer.seen == text == buffer.text:
                buffer.fixes[index] = answer.fix
        if index in buffer.unfixed:
            buffer.unfixed.remove(index)

    def _overdue(self) -> bool:
        now = time.monotonic()
        return any(buffer.due is not None and buffer.due + GRACE < now for buffer in self.buffers.values())

    async def _analyse(self, buffer: Buffer) -> None:
        buffer.due = None
        text, version = buffer.text, buffer.version
        data = text.encode("utf-8", "replace")
        if len(data) > MAX_BYTES:
            self.log(f"{buffer.path}: is too large ({len(data)} bytes)", types.MessageType.Warning)
            return
        fresh, buffer.fresh = buffer.fresh, False
        ours = _is_ours(buffer.path, buffer.language, data)
        answer = await self.worker.ask(Check(buffer.path, data, fresh)) if ours else Checked()
        if self.buffers.get(buffer.uri) is not buffer or buffer.text != text:
            return  # closed or changed meanwhile, and due again
        if not isinstance(answer, Checked):
            reason = getattr(answer, "reason", "no answer")
            self.log(f"{buffer.path}: not analysed: {reason}", types.MessageType.Error)
            return
        self._say_problem(buffer.path, answer.problem)
        if answer.problem:
            return  # what was found under sound settings stays
        for note in answer.notifications:
            if note.span is None and note.level is not Level.NOTE:
                self.log(f"{note.path or buffer.path}: {note.message}", types.MessageType.Warning)
        buffer.checked, buffer.seen = answer, text
        view = self._view(answer)
        by_uri: dict[str, list[types.Diagnostic]] = {buffer.uri: []}
        buffer.shown, buffer.fixes = [], {}
        for result in answer.results:
            diagnostic = view.diagnostic(result)
            uri = self._uri(result.finding.span.file)
            by_uri.setdefault(uri, []).append(diagnostic)
            if uri == buffer.uri:
                buffer.shown.append((diagnostic, result))
        for note in answer.notifications:
            if (notice := view.notice(note)) is not None and note.span is not None:
                by_uri.setdefault(self._uri(note.span.file), []).append(notice)
        self._show(buffer.uri, by_uri, version)
        fixable = [n for n, (_, result) in enumerate(buffer.shown) if result.finding.code not in CONTROL_CODES]
        buffer.unfixed, buffer.later = fixable[EAGER - 1 :: -1], set(fixable[EAGER:])

    def _view(self, checked: Checked) -> View:
        encoding = self._encoding()
        texts: dict[str, Text] = {}

        def text_of(path: str) -> Text:
            if path not in texts:
                texts[path] = Text(checked.texts.get(path, b""), encoding)
            return texts[path]

        abilities = Abilities.of(self.server.client_capabilities)
        return View(abilities, text_of, self._uri, self._page_uri)

    def _encoding(self) -> str:
        encoding = self.server.workspace.position_encoding
        return str(encoding.value if isinstance(encoding, types.PositionEncodingKind) else encoding)

    def _uri(self, path: str) -> str:
        """The address of a file, as the editor writes it when it is open."""
        for uri, buffer in self.buffers.items():
            if same_file(path, buffer.path):
                return uri
        return _uri_of(os.path.abspath(path))

    def _show(self, origin: str, by_uri: dict[str, list[types.Diagnostic]], version: int | None = None) -> None:
        """Publish what ``origin`` now has to say of each file; others may say something of the same headers."""
        before = [uri for uri, said in self._published.items() if origin in said]
        for uri in dict.fromkeys([*by_uri, *before]):
            said = self._published.setdefault(uri, {})
            if uri in by_uri:
                said[origin] = by_uri[uri]
            else:
                said.pop(origin, None)
            distinct = together(diagnostic for group in said.values() for diagnostic in group)
            if not said:
                del self._published[uri]
            self.server.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(uri, distinct, version if uri == origin else None)
            )

    # ------------------------------------------------------------------------------------------- messages

    def _say_problem(self, path: str, problem: str) -> None:
        """Tell what is wrong with the settings of a file, once for as long as it stays so."""
        folder = os.path.dirname(path)
        if problem and problem not in self._problems.values():
            self.server.window_show_message(types.ShowMessageParams(types.MessageType.Error, f"kernlint: {problem}"))
        if problem:
            self._problems[folder] = problem
        else:
            self._problems.pop(folder, None)

    def log(self, message: str, level: types.MessageType) -> None:
        """Write a line to the editor's log of this server."""
        self.server.window_log_message(types.LogMessageParams(level, f"kernlint: {message}"))

    # ------------------------------------------------------------------------------------------- questions

    def hover(self, uri: str, position: types.Position) -> types.Hover | None:
        """The findings at a place with the pages of their rules, or the page of the rule that is named there."""
        buffer = self.buffers.get(uri)
        if buffer is None:
            return None
        pages = self.worker.pages.pages
        found = [(d, result.finding) for d, result in buffer.known if holds(d.range, position)]
        if found:
            texts = {path: Text(data, self._encoding()) for path, data in buffer.checked.texts.items()}
            parts = []
            for _, finding in found:
                spans: list[Span] = [related.span for related in finding.related]
                spans += [step.span for step in finding.witness.steps] if finding.witness is not None else []
                lines = {span: texts[span.file].position(span.start).line + 1 for span in spans}
                parts.append(finding_markdown(finding, lines))
            codes = dict.fromkeys(finding.code for _, finding in found)
            parts += [page_markdown(pages[code], examples=len(codes) == 1) for code in codes if code in pages]
            return _hover("\n---\n\n".join(parts), found[0][0].range)
        text = Text(buffer.text.encode("utf-8", "replace"), self._encoding())
        line = text.line(position.line)
        named = named_rule(line, text.character(position), pages.values())
        if named is None:
            return None
        page, first, last = named
        return _hover(page_markdown(page), text.range(*(text.offset(position.line, index) for index in (first, last))))

    async def actions(self, uri: str, place: types.Range) -> list[types.CodeAction]:
        """What can be done about the findings on the lines of ``place``: fixes that hold, then directives."""
        buffer = self.buffers.get(uri)
        if buffer is None:
            return []
        here = [n for n, (diagnostic, _) in enumerate(buffer.known) if overlaps(diagnostic.range, place)]
        await self._wait_for_fixes(buffer, here)
        text = Text(buffer.text.encode("utf-8", "replace"), self._encoding())
        known = [buffer.known[n] for n in here if n < len(buffer.known)]
        actions = []
        for (diagnostic, _), fix in zip(known, map(buffer.fixes.get, here), strict=False):
            if fix is not None:
                edits = [types.TextEdit(text.range(e.span.start, e.span.end), e.text) for e in fix.edits]
                title = f"Fix {diagnostic.code}: {fix.description}"
                actions.append(self._action(title, buffer, edits, diagnostic, preferred=True))
        seen = set()
        for diagnostic, result in known:
            code = result.finding.code
            line = diagnostic.range.start.line
            if code in CONTROL_CODES or (line, code) in seen:
                continue
            seen.add((line, code))
            if (edit := ignore_edit(text, line, [code], buffer.path)) is not None:
                title = f"Ignore {code} {result.finding.rule} here"
                actions.append(self._action(title, buffer, [edit], diagnostic))
        return actions

    async def _wait_for_fixes(self, buffer: Buffer, wanted: Sequence[int]) -> None:
        """Let fixes for the findings ``wanted`` be looked for next, and wait for them as long as the text stays."""
        text = buffer.text
        end = time.monotonic() + FIX_PATIENCE
        first = [index for index in wanted if index in buffer.unfixed or index in buffer.later]
        buffer.later.difference_update(first)
        buffer.unfixed = [index for index in buffer.unfixed if index not in first] + first
        if first:
            buffer.rested = 0.0
            self._wake.set()
        while time.monotonic() < end and buffer.text == text and any(index in buffer.unfixed for index in first):
            await asyncio.sleep(0.02)

    def _action(
        self,
        title: str,
        buffer: Buffer,
        edits: list[types.TextEdit],
        diagnostic: types.Diagnostic,
        preferred: bool = False,
    ) -> types.CodeAction:
        if Abilities.of(self.server.client_capabilities).versions:
            document = types.OptionalVersionedTextDocumentIdentifier(buffer.uri, buffer.version)
            edit = types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(document, list(edits))])
        else:
            edit = types.WorkspaceEdit(changes={buffer.uri: edits})
        kind = types.CodeActionKind.QuickFix
        return types.CodeAction(title, kind, diagnostics=[diagnostic], is_preferred=preferred or None, edit=edit)

    def _page_uri(self, code: str) -> str | None:
        """Where the page of a rule lies: a file in the cache folder, so that it needs no network and fits the rules
        that are installed."""
        if code not in self._page_uris:
            page = self.worker.pages.pages.get(code)
            self._page_uris[code] = _written(page) if page is not None and self.keep_pages else None
        return self._page_uris[code]


def _written(page: Page) -> str | None:
    try:
        folder = os.path.join(os.path.abspath(cache_folder()), "pages")
        path = os.path.join(folder, f"{page.code}-{page.name}.md")
        os.makedirs(folder, mode=0o700, exist_ok=True)
        replace_file(path, page_markdown(page).encode())
    except (OSError, RuntimeError):
        return None
    return _uri_of(path)


def _uri_of(path: str) -> str:
    return str(uris.from_fs_path(path) or "")


def _hover(markdown: str, place: types.Range) -> types.Hover:
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, markdown), place)


def _plain(text: str) -> str:
    """``text`` without the byte-order mark that some editors leave in, its place kept."""
    return " " + text[1:] if text.startswith("\ufeff") else text


def _is_ours(path: str, language: str, data: bytes) -> bool:
    """Whether a buffer is looked at: by its name, by what the editor takes it for, or a host file with a kernel."""
    suffix = os.path.splitext(path)[1].lower()
    if suffix in KERNEL_SUFFIXES or language in LANGUAGES:
        return True
    return suffix in HOST_SUFFIXES and speaks_of_kernels(path, data)


# ------------------------------------------------------------------------------------------------- wiring


def make(arguments: Sequence[str]) -> tuple[LanguageServer, list[bool]]:
    """A server that analyses under the options ``arguments``; the list is filled when the editor asks for the end."""
    server = LanguageServer("kernlint", __version__, types.TextDocumentSyncKind.Full)
    ended: list[bool] = []
    session = Session(server, arguments)

    @server.feature(types.INITIALIZED)
    async def initialized(params: types.InitializedParams) -> None:
        session.start()
        workspace = server.client_capabilities.workspace
        watching = workspace and workspace.did_change_watched_files
        if watching and watching.dynamic_registration:
            globs = [f"**/{name}" for name in sorted(_SETTINGS)]
            globs += [f"**/*{suffix}" for suffix in sorted(KERNEL_SUFFIXES | HOST_SUFFIXES)]
            options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(glob) for glob in globs])
            method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
            registration = types.Registration("kernlint-files", method, options)
            with contextlib.suppress(Exception):  # an editor that refuses has told us nothing
                await server.client_register_capability_async(types.RegistrationParams([registration]))

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        session.opened(params.text_document)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        document = server.workspace.get_text_document(params.text_document.uri)
        session.changed(params.text_document.uri, document.source, params.text_document.version)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveTextDocumentParams) -> None:
        session.saved(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        session.closed(params.text_document.uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_files(params: types.DidChangeWatchedFilesParams) -> None:
        for change in params.changes:
            if path := uris.to_fs_path(change.uri):
                session.touched(path)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def did_change_configuration(params: types.DidChangeConfigurationParams) -> None:
        """Settings are in the project's files and on the command line."""

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        return session.hover(params.text_document.uri, params.position)

    kinds = types.CodeActionOptions([types.CodeActionKind.QuickFix])

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, kinds)
    async def code_action(params: types.CodeActionParams) -> list[types.CodeAction]:
        only = params.context.only
        if only is not None and not any(kind in ("", "quickfix") for kind in only):
            return []
        return await session.actions(params.text_document.uri, params.range)

    @server.feature(types.SHUTDOWN)
    async def shutdown(params: None) -> None:
        ended.append(True)
        await session.close()

    return server, ended


def serve(arguments: Sequence[str], stdin: BinaryIO, stdout: BinaryIO) -> int:
    """Serve an editor until it leaves: 0 when it said so before, else 1."""
    server, ended = make(arguments)
    try:
        server.start_io(stdin, stdout)
    except (BrokenPipeError, ValueError) as error:
        print(f"kernlint: the editor has gone: {error}", file=sys.stderr)
    return 0 if ended else 1
