"""The language server, driven by a real client over standard input and output."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pygls", reason="the language server's extra is not installed")

from lsprotocol import types
from pygls.uris import to_fs_path

from tests.lsp.editor import Editor, capabilities, drive

RACE = """\
__global__ void blur(float *y, const float *x) {
    __shared__ float tile[65]; if (threadIdx.x == 0) tile[64] = 0.0f;
    tile[threadIdx.x] = x[threadIdx.x];
    y[threadIdx.x] = tile[threadIdx.x + 1];
}

void run(float *y, float *x) { blur<<<1, 64>>>(y, x); }
"""
BARRIER = RACE.replace("    y[", "    __syncthreads();\n    y[")
ENTRY = "from kernlint.cli.entry import entry; entry()"


def codes(diagnostics: list[types.Diagnostic]) -> list[object]:
    return sorted(str(one.code) for one in diagnostics)


def apply(text: str, action: types.CodeAction, uri: str) -> str:
    """``text`` after the edits of an action, which do not overlap."""
    assert action.edit is not None
    if action.edit.document_changes is not None:
        (change,) = action.edit.document_changes
        assert isinstance(change, types.TextDocumentEdit) and change.text_document.uri == uri
        edits = list(change.edits)
    else:
        assert action.edit.changes is not None
        edits = list(action.edit.changes[uri])
    lines = text.splitlines(True)
    for edit in sorted(edits, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True):
        assert isinstance(edit, types.TextEdit)

        def offset(place: types.Position) -> int:
            line = lines[place.line].encode("utf-16-le")
            return sum(map(len, lines[: place.line])) + len(line[: 2 * place.character].decode("utf-16-le"))

        text = text[: offset(edit.range.start)] + edit.new_text + text[offset(edit.range.end) :]
    return text


# ------------------------------------------------------------------------------------------- one session


def test_a_session(tmp_path: Path) -> None:
    async def script(editor: Editor) -> None:
        result = await editor.start("--stdio", "--clientProcessId=1")
        assert result.capabilities.hover_provider and result.server_info is not None
        (tmp_path / "k.cu").write_text("nothing of the kind\n")
        editor.open("k.cu", RACE)
        (found,) = await editor.diagnostics("k.cu")
        assert (found.code, found.source, found.severity) == ("KL201", "kernlint", types.DiagnosticSeverity.Error)
        assert found.range.start == types.Position(3, 21) and found.range.end == types.Position(3, 42)
        assert "no barrier" in found.message and "witness: block (64)" in found.message
        related = {(place.location.range.start.line, place.location.uri) for place in found.related_information or ()}
        assert related == {(2, editor.uri("k.cu")), (3, editor.uri("k.cu"))}
        assert found.code_description is not None
        page = Path(to_fs_path(found.code_description.href) or "").read_text()
        assert page.startswith("### KL201 shared-memory-race") and "Not reported:" in page

        hover = await editor.hover("k.cu", 3, 25)
        assert hover is not None and "line 3: thread 32 writes" in hover and "### KL201" in hover
        assert "Not reported:" in hover
        assert await editor.hover("k.cu", 0, 2) is None

        assert await editor.actions("k.cu", 0) == [] == await editor.actions("k.cu", 3, ["refactor"])
        fix, ignore = await editor.actions("k.cu", 3, ["quickfix"])
        assert fix.title.startswith("Fix KL201") and fix.is_preferred and list(fix.diagnostics or ()) == [found]
        assert apply(RACE, fix, editor.uri("k.cu")) == BARRIER
        assert ignore.title == "Ignore KL201 shared-memory-race here" and not ignore.is_preferred
        assert list(ignore.diagnostics or ()) == [found]
        text = apply(RACE, ignore, editor.uri("k.cu"))
        assert "\n    // kernlint: ignore[KL201] TODO: say why\n    y[" in text
        editor.change("k.cu", text, 2)
        assert await editor.actions("k.cu", 3) == [], "what is known is about another text"
        assert await editor.diagnostics("k.cu") == []
        hover = await editor.hover("k.cu", 3, 26)
        assert hover is not None and hover.startswith("### KL201 shared-memory-race")

        editor.change("k.cu", BARRIER.replace("__syncthreads();", "/* no barrier */"), 3)
        assert codes(await editor.diagnostics("k.cu")) == ["KL201"]
        editor.change("k.cu", BARRIER, 4)
        assert await editor.diagnostics("k.cu") == []
        editor.save("k.cu")
        assert await editor.diagnostics("k.cu") == []
        editor.change("k.cu", RACE, 5)
        assert codes(await editor.diagnostics("k.cu")) == ["KL201"]
        editor.close("k.cu")
        assert await editor.diagnostics("k.cu") == []
        await editor.stop()

    editor = drive(tmp_path, script)
    assert editor.exit_code == 0 and editor.messages == [] == editor.logged


def test_fixes_stand_where_they_should(tmp_path: Path) -> None:
    """Behind wide letters, for every finding that has one, after one was made too."""
    text = RACE.replace("    y[", "    /* gr\u00fcn \U0001d11e */ y[")
    text += text.replace("blur", "blur2")

    async def script(editor: Editor) -> None:
        await editor.start("--select", "KL201")
        editor.open("k.cu", text)
        fixed = text
        found = await editor.diagnostics("k.cu")
        assert len(found) == 2
        for number, one in enumerate(found):
            (fix, _) = await editor.actions("k.cu", one.range.start.line)
            fixed = apply(fixed, fix, editor.uri("k.cu"))
            editor.change("k.cu", fixed, number + 2)
            assert len(await editor.diagnostics("k.cu")) == 1 - number
        assert fixed == text.replace("*/ y[", "*/ __syncthreads(); y[")
        await editor.stop()

    drive(tmp_path, script)


def test_typing_is_waited_for(tmp_path: Path) -> None:
    async def script(editor: Editor) -> None:
        await editor.start()
        editor.open("k.cu", BARRIER)
        assert await editor.diagnostics("k.cu") == []
        for version in range(2, 12):
            editor.change("k.cu", RACE + f"// {version}\n", version)
            await asyncio.sleep(0.01)
        assert codes(await editor.diagnostics("k.cu")) == ["KL201"]
        await editor.stop()

    published = drive(tmp_path, script).published
    assert [one.version for one in published] == [1, 11]


@pytest.mark.parametrize(
    ("name", "language", "text", "expected"),
    [
        ("a.cl", "opencl", "__kernel void k(__global int *x) { int a[4]; a[4] = 1; x[0] = a[0]; }\n", ["KL104"]),
        ("b.hip", "hip", "__global__ void k(int *x) { int a[4]; a[4] = 1; x[0] = a[0]; }\n", ["KL104"]),
        ("c.txt", "cuda", RACE, ["KL201"]),
        ("d.cpp", "cpp", RACE, ["KL201"]),
        ("e.cpp", "cpp", "int main() { int a[4]; a[4] = 1; }\n", []),
    ],
)
def test_dialects(tmp_path: Path, name: str, language: str, text: str, expected: list[str]) -> None:
    async def script(editor: Editor) -> None:
        await editor.start("--select", "KL104,KL201")
        editor.open(name, text, language)
        assert codes(await editor.diagnostics(name)) == expected
        await editor.stop()

    drive(tmp_path, script)


def test_an_old_editor_gets_everything_in_the_message(tmp_path: Path) -> None:
    async def script(editor: Editor) -> None:
        await editor.start("--no-cache", client=types.ClientCapabilities())
        editor.open("k.cu", RACE)
        (found,) = await editor.diagnostics("k.cu")
        assert found.related_information is None and found.code_description is None
        assert "line 3: thread 32 writes tile[32]" in found.message
        (ignore, *_) = [one for one in await editor.actions("k.cu", 3) if "Ignore" in one.title]
        assert "ignore[KL201]" in apply(RACE, ignore, editor.uri("k.cu"))
        await editor.stop()

    drive(tmp_path, script)


# ------------------------------------------------------------------------------------------- places


WIDE = "__global__ void k(int *x) {\n    int a[4]; /* gr\u00fcn \U0001d11e */ a[4] = 1; x[0] = a[0];\n}\n"


@pytest.mark.parametrize(
    ("encoding", "column"),
    [
        (None, len("    int a[4]; /* gr\u00fcn xx */ ")),
        ("utf-16", len("    int a[4]; /* gr\u00fcn xx */ ")),
        ("utf-8", len("    int a[4]; /* gruun xxxx */ ")),
        ("utf-32", len("    int a[4]; /* gr\u00fcn x */ ")),
    ],
)
def test_columns_behind_wide_letters(tmp_path: Path, encoding: str | None, column: int) -> None:
    offers = None if encoding is None else types.GeneralClientCapabilities(position_encodings=[encoding])

    async def script(editor: Editor) -> None:
        result = await editor.start("--select", "KL104", client=capabilities(general=offers))
        assert result.capabilities.position_encoding == (encoding or "utf-16")
        editor.open("k.cu", WIDE)
        (found,) = await editor.diagnostics("k.cu")
        assert found.range.start == types.Position(1, column)
        assert found.range.end == types.Position(1, column + len("a[4] = 1"))
        text = WIDE.replace("/*", "// kernlint: ignore[KL104] x\n    /*")
        editor.change("k.cu", text, 2)
        await editor.diagnostics("k.cu")
        assert await editor.hover("k.cu", 1, text.splitlines()[1].index("KL104") + 2) is not None
        await editor.stop()

    drive(tmp_path, script)


def test_line_breaks_of_other_systems(tmp_path: Path) -> None:
    async def script(editor: Editor) -> None:
        await editor.start("--select", "KL201")
        text = RACE.replace("\n", "\r\n")
        editor.open("k.cu", text)
        (found,) = await editor.diagnostics("k.cu")
        assert found.range.start == types.Position(3, 21)
        fix, ignore = await editor.actions("k.cu", 3)
        assert apply(text, fix, editor.uri("k.cu")) == BARRIER.replace("\n", "\r\n")
        text = apply(text, ignore, editor.uri("k.cu"))
        assert "say why\r\n    y[" in text
        editor.change("k.cu", text, 2)
        assert await editor.diagnostics("k.cu") == []
        await editor.stop()

    drive(tmp_path, script)


def test_no_directive_inside_a_macro(tmp_path: Path) -> None:
    text = "__global__ void k(int *x) { \\\n    int a[4]; a[4] = 1; x[0] = a[0]; }\n"

    async def script(editor: Editor) -> None:
        await editor.start("--select", "KL104")
        editor.open("k.cu", text)
        assert codes(await editor.diagnostics("k.cu")) == ["KL104"]
        assert [one for one in await editor.actions("k.cu", 1) if "Ignore" in one.title] == []
        await editor.stop()

    drive(tmp_path, script)


# ------------------------------------------------------------------------------------------- other files


HEADER = "__device__ inline int first(int *x) { int a[4]; a[4] = x[0]; return a[0]; }\n"
USER = '#include "h.cuh"\n__global__ void k(int *x) { x[threadIdx.x] = first(x); }\n'


def test_a_header_is_told_of_and_watched(tmp_path: Path) -> None:
    (tmp_path / "h.cuh").write_text(HEADER)

    async def script(editor: Editor) -> None:
        await editor.start("--select", "KL104")
        editor.open("a.cu", USER)
        assert await editor.diagnostics("a.cu") == []
        (found,) = await editor.diagnostics("h.cuh")
        assert (found.code, found.range.start) == ("KL104", types.Position(0, HEADER.index("a[4] =")))
        editor.open("b.cu", USER)
        assert await editor.diagnostics("b.cu") == []
        (found,) = await editor.diagnostics("h.cuh")
        places = [place.location.uri for place in found.related_information or ()]
        assert editor.uri("a.cu") in places and editor.uri("b.cu") in places
        editor.close("a.cu")
        assert await editor.diagnostics("a.cu") == []
        assert len(await editor.diagnostics("h.cuh")) == 1, "the other one still says it"
        (tmp_path / "h.cuh").write_text(HEADER.replace("a[4] =", "a[3] ="))
        changed = types.FileEvent(editor.uri("h.cuh"), types.FileChangeType.Changed)
        editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([changed]))
        assert await editor.diagnostics("h.cuh") == []
        await editor.stop()

    drive(tmp_path, script)


def test_files_are_watched_if_the_editor_can(tmp_path: Path) -> None:
    watching = types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True)
    client = types.ClientCapabilities(workspace=types.WorkspaceClientCapabilities(did_change_watched_files=watching))
    asked: list[types.Registration] = []

    async def script(editor: Editor) -> None:
        @editor.client.feature(types.CLIENT_REGISTER_CAPABILITY)
        def register(params: types.RegistrationParams) -> None:
            asked.extend(params.registrations)

        await editor.start(client=client)
        editor.open("k.cu", RACE)
        await editor.diagnostics("k.cu")
        await editor.stop()

    drive(tmp_path, script)
    assert [one.method for one in asked] == ["workspace/didChangeWatchedFiles"]


def test_settings_are_those_of_the_check_command(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "kernlint.toml").write_text('ignore = ["KL201"]\n')
    (tmp_path / "out").mkdir()
    (tmp_path / "kernlint.toml").write_text('exclude = ["out"]\nselect = ["KL201"]\n')

    async def script(editor: Editor) -> None:
        await editor.start()
        for name, expected in (("k.cu", ["KL201"]), ("sub/k.cu", []), ("out/k.cu", [])):
            editor.open(name, RACE)
            assert codes(await editor.diagnostics(name)) == expected
        await editor.stop()

    drive(tmp_path, script)


# ------------------------------------------------------------------------------------------- trouble


def test_wrong_settings_are_said_once_and_waited_out(tmp_path: Path) -> None:
    def write(text: str) -> None:  # at once: the server may be reading
        (tmp_path / "new").write_text(text)
        os.replace(tmp_path / "new", tmp_path / "kernlint.toml")

    async def script(editor: Editor) -> None:
        await editor.start()
        editor.open("k.cu", RACE)
        assert codes(await editor.diagnostics("k.cu")) == ["KL201"]
        write("selekt = []\n")
        editor.save("k.cu")
        assert "did you mean select?" in await editor.until(lambda: editor.messages[-1] if editor.messages else None)
        editor.save("k.cu")
        write('target = ["sm_0"]\n')
        editor.save("k.cu")
        await editor.until(lambda: editor.messages[1] if len(editor.messages) > 1 else None)
        write('ignore = ["KL201"]\n')
        editor.save("kernlint.toml")
        assert await editor.diagnostics("k.cu") == []
        await editor.stop()

    messages = drive(tmp_path, script).messages
    assert len(messages) == 2 and "kernlint.toml:1" in messages[0] and "sm_0" in messages[1]


def test_no_input_ends_the_server(tmp_path: Path) -> None:
    async def script(editor: Editor) -> None:
        await editor.start("--select", "KL201")
        writer = editor.client.protocol.writer
        assert writer is not None
        for body in (
            b"{",
            b"[]",
            b'{"jsonrpc": "2.0", "method": "no/such"}',
            b'"\xff"',
            b'{"jsonrpc": "2.0", "id": 1}',
        ):
            writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        editor.open("binary.cu", "\0" * 100)
        editor.open("deep.cu", "__global__ void k(int *x) { x[0] = " + "(" * 3000 + "1" + ")" * 3000 + "; }\n")
        editor.open("lone.cu", "// \ud800\n" + RACE)
        editor.open("empty.cu", "")
        editor.change("never-opened.cu", RACE, 1)
        editor.save("never-opened.cu")
        editor.close("never-opened.cu")
        assert await editor.hover("never-opened.cu", 0, 0) is None
        assert await editor.actions("never-opened.cu", 0) == []
        assert codes(await editor.diagnostics("lone.cu")) == ["KL201"]
        editor.open("k.cu", "\ufeff" + RACE)
        assert codes(await editor.diagnostics("k.cu")) == ["KL201"]
        assert await editor.hover("k.cu", 1 << 20, 1 << 20) is None
        await editor.stop()

    assert drive(tmp_path, script).exit_code == 0


def test_a_buffer_without_a_file(tmp_path: Path) -> None:
    async def script(editor: Editor) -> None:
        await editor.start("--select", "KL201")
        for uri, language in (("untitled:Untitled-1", "cuda-cpp"), ("untitled:Untitled-2", "plaintext")):
            item = types.TextDocumentItem(uri, language, 1, RACE)
            editor.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        found = await editor.until(lambda: editor.published[0] if editor.published else None)
        assert found.uri == "untitled:Untitled-1" and codes(list(found.diagnostics)) == ["KL201"]
        await editor.stop()

    drive(tmp_path, script)


def test_a_kernel_that_is_not_analysed_is_marked(tmp_path: Path) -> None:
    text = "#if 0\n#endif\n<<<<<<< here\n=======\n>>>>>>> there\n" + RACE

    async def script(editor: Editor) -> None:
        await editor.start()
        editor.open("k.cu", text)
        found = await editor.diagnostics("k.cu")
        marks = [one for one in found if one.code == "merge-conflict"]
        assert [one.severity for one in marks] == [types.DiagnosticSeverity.Information]
        assert marks[0].range.start == types.Position(2, 0)
        assert all("Ignore" not in one.title for one in await editor.actions("k.cu", 2))
        await editor.stop()

    drive(tmp_path, script)


def test_the_editor_dies(tmp_path: Path) -> None:
    """The server goes with it, and the process that analyses with the server."""
    command = [sys.executable, "-c", ENTRY, "lsp"]
    done = subprocess.run(command, input=b"", capture_output=True, cwd=tmp_path, timeout=60)
    assert done.returncode == 1 and done.stdout == b""


def test_without_the_extra_one_line_says_what_to_do(tmp_path: Path) -> None:
    code = "import sys; sys.modules['pygls'] = None; " + ENTRY
    command = [sys.executable, "-c", code, "lsp"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr == 'kernlint: kernlint lsp needs a library that is not here: pip install "kernlint[lsp]"\n'


def test_modules_of_the_project_are_not_imported(tmp_path: Path) -> None:
    """The folder an editor starts the server in is not the server's."""
    for name in ("kernlint", "json", "pickle"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported from the project')\n")

    async def script(editor: Editor) -> None:
        await editor.start()
        editor.open("k.cu", RACE)
        assert codes(await editor.diagnostics("k.cu")) == ["KL201"]
        await editor.stop()

    assert os.getcwd() not in ("", str(tmp_path))
    drive(tmp_path, script)
