"""The set-up that ``docs/editors.md`` gives, in the editors themselves where they are installed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pygls", reason="the language server's extra is not installed")

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "editors.md").read_text()
FAULT = "__global__ void k(int *x) {\n    int a[4];\n    /* gr\u00fcn \U0001d11e */ a[4] = 1;\n    x[0] = a[0];\n}\n"


def fences(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.M | re.S)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a kernel, and a ``kernlint`` on the path that is this one."""
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "kernlint"
    code = "import sys; sys.path.pop(0); from kernlint.cli.entry import entry; entry()"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{code}" "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "k.cu").write_text(FAULT)
    (tmp_path / "kernlint.toml").write_text('select = ["KL104"]\n')
    return tmp_path


def run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


NEOVIM = """
local function wait(count)
  return vim.wait(60000, function() return #vim.diagnostic.get(0) == count end, 20)
end
local found = {}
if wait(1) then
  local one = vim.diagnostic.get(0)[1]
  local place = { line = one.lnum, character = one.col + 1 }
  local document = vim.lsp.util.make_text_document_params()
  local hover = vim.lsp.buf_request_sync(0, "textDocument/hover", { textDocument = document, position = place }, 60000)
  local range = { start = place, ["end"] = place }
  local asked = { textDocument = document, range = range, context = { diagnostics = {} } }
  local actions = vim.lsp.buf_request_sync(0, "textDocument/codeAction", asked, 60000)
  found = { line = one.lnum, column = one.col, code = one.code, severity = one.severity, message = one.message }
  found.text = vim.api.nvim_buf_get_text(0, one.lnum, one.col, one.end_lnum, one.end_col, {})[1]
  for _, answer in pairs(hover) do found.hover = answer.result.contents.value end
  for _, answer in pairs(actions) do
    for _, action in ipairs(answer.result) do
      if action.title:find("Ignore", 1, true) then
        vim.lsp.util.apply_workspace_edit(action.edit, "utf-16")
      end
    end
  end
  found.gone = wait(0)
  found.line_after = vim.api.nvim_buf_get_lines(0, 2, 3, false)[1]
end
vim.fn.writefile({ vim.fn.json_encode(found) }, "found.json")
vim.cmd("qa!")
"""


@pytest.mark.skipif(shutil.which("nvim") is None, reason="Neovim is not installed")
def test_neovim(place: Path) -> None:
    (setup,) = fences("lua")
    (place / "init.lua").write_text(setup)
    (place / "probe.lua").write_text(NEOVIM)
    run(["nvim", "--headless", "-n", "-u", "init.lua", "k.cu", "-c", "luafile probe.lua"], place)
    found = json.loads((place / "found.json").read_text())
    assert (found["line"], found["code"], found["severity"], found["text"]) == (2, "KL104", 1, "a[4] = 1")
    assert "Not reported:" in found["hover"]
    assert found["gone"] and found["line_after"] == "    // kernlint: ignore[KL104] TODO: say why"


@pytest.mark.skipif(shutil.which("nvim") is None, reason="Neovim is not installed")
def test_neovim_quickfix(place: Path) -> None:
    (setup,) = fences("vim")
    (place / "init.vim").write_text(setup)
    dump = 'call writefile([json_encode(getqflist())], "found.json")'
    run(["nvim", "--headless", "-n", "-u", "init.vim", "k.cu", "-c", "silent make!", "-c", dump, "-c", "qa!"], place)
    found = [entry for entry in json.loads((place / "found.json").read_text()) if entry["valid"]]
    assert [(entry["lnum"], entry["type"]) for entry in found] == [(3, "e")]


FLYMAKE = """
(find-file "k.cu")
(flymake-start)
(let ((end (+ (float-time) 60)))
  (while (and (null (flymake-diagnostics)) (< (float-time) end))
    (accept-process-output nil 0.1)))
(dolist (one (flymake-diagnostics))
  (princ (format "%s %s %s\\n" (line-number-at-pos (flymake-diagnostic-beg one))
                 (flymake-diagnostic-type one) (flymake-diagnostic-text one))))
"""

EGLOT = """
(require 'eglot)
(setq eglot-autoshutdown nil)
(find-file "k.cu")
(apply #'eglot--connect (eglot--guess-contact))
(let ((end (+ (float-time) 60)))
  (while (and (null (flymake-diagnostics)) (< (float-time) end))
    (accept-process-output nil 0.1)
    (flymake-start)))
(dolist (one (flymake-diagnostics))
  (princ (format "%s %s %s\\n" (line-number-at-pos (flymake-diagnostic-beg one))
                 (flymake-diagnostic-type one) (flymake-diagnostic-text one))))
(eglot-shutdown (eglot-current-server))
"""


def emacs(place: Path, setup: str, probe: str) -> list[str]:
    (place / "init.el").write_text(f";; -*- lexical-binding: t -*-\n{setup}\n{probe}")
    shown = run(["emacs", "--batch", "--load", "init.el"], place)
    return [line for line in shown.splitlines() if "KL104" in line]


@pytest.mark.skipif(shutil.which("emacs") is None, reason="Emacs is not installed")
def test_emacs_flymake(place: Path) -> None:
    setup = fences("elisp")[1]
    (line,) = emacs(place, setup, FLYMAKE)
    assert line.startswith("3 :error kernlint[KL104] array-index-out-of-range: a[4] is written beyond the end")


@pytest.mark.skipif(shutil.which("emacs") is None, reason="Emacs is not installed")
def test_emacs_eglot(place: Path) -> None:
    there = subprocess.run(["emacs", "--batch", "--eval", "(require 'eglot)"], capture_output=True)
    if there.returncode:
        pytest.skip("Eglot is not installed")
    (line,) = emacs(place, fences("elisp")[0], EGLOT)
    assert line.startswith("3 eglot-error") and "written beyond the end" in line
