"""The recipes of ``docs/ci.md``: their commands are run, in a repository with a change that is to be looked at."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kernlint.cli.options import parse

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[1]
FAULT = "__global__ void NAME(int *x) {\n    int a[4];\n    a[0] = a[4] = 1;\n    x[0] = a[0];\n}\n"


def fences(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", (ROOT / "docs" / page).read_text(), re.M | re.S)


def commands(value: Any, key: str = "") -> Iterator[str]:
    """The shell commands of a recipe that run kernlint."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from commands(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from commands(item, key)
    elif key in ("run", "script") and str(value).startswith("kernlint"):
        yield str(value)


def recipes(provider: str) -> list[str]:
    words = {"github": "uses: actions|run: kernlint", "gitlab": "image: python"}
    found = []
    for text in fences("ci.md", "yaml"):
        parsed = yaml.safe_load(text)
        if re.search(words[provider], text):
            found += commands(parsed)
    return found


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone in which an old fault is on ``origin/main`` and a new one on the branch that is checked out."""
    for name in ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"):
        monkeypatch.setenv(name, "nobody")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)

    def git(folder: Path, *args: str) -> None:
        subprocess.run(["git", *args], cwd=folder, check=True, capture_output=True)

    origin, clone = tmp_path / "origin", tmp_path / "clone"
    origin.mkdir()
    git(origin, "init", "-q", "-b", "main")
    (origin / "old.cu").write_text(FAULT.replace("NAME", "old"))
    git(origin, "add", ".")
    git(origin, "commit", "-qm", "old")
    git(tmp_path, "clone", "-q", str(origin), str(clone))
    git(clone, "checkout", "-qb", "change")
    (clone / "new.cu").write_text(FAULT.replace("NAME", "fresh"))
    git(clone, "add", ".")
    git(clone, "commit", "-qm", "new")
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "kernlint"
    code = "import sys; sys.path.pop(0); from kernlint.cli.entry import entry; entry()"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{code}" "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    for name in ("GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME"):
        monkeypatch.setenv(name, "main")
    return clone


def run(command: str, folder: Path) -> tuple[int, str]:
    done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout


@pytest.mark.skipif(os.name == "nt", reason="the commands are for a POSIX shell")
@pytest.mark.parametrize("provider", ["github", "gitlab"])
def test_recipes(project: Path, provider: str) -> None:
    found = recipes(provider)
    assert len(found) == {"github": 3, "gitlab": 2}[provider]
    for command in found:
        code, out = run(command, project)
        assert code == (0 if "--exit-zero" in command else 1), command
        if "--diff" in command:
            assert "new.cu" in out and "old.cu" not in out
        elif "full" in command or "github" in command:
            assert "new.cu" in out and "old.cu" in out
    if provider == "github":
        (log,) = json.loads((project / "kernlint.sarif").read_text())["runs"]
        places = [r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in log["results"]]
        assert sorted(places) == ["new.cu", "old.cu"]
        assert (project / "summary.md").read_text().count("| error | KL104") == 2
    else:
        issues = json.loads((project / "gl-code-quality-report.json").read_text())
        assert sorted(issue["location"]["path"] for issue in issues) == ["new.cu", "old.cu"]
        assert len({issue["fingerprint"] for issue in issues}) == 2


@pytest.mark.skipif(os.name == "nt", reason="the commands are for a POSIX shell")
def test_the_baseline_recipe(project: Path) -> None:
    (command,) = [line for text in fences("ci.md", "sh") for line in text.splitlines()]
    assert run("mv new.cu new.txt && kernlint check --write-baseline kernlint-baseline.json .", project)[0] == 0
    assert run(command, project)[0] == 0
    code, out = run(f"mv new.txt new.cu && {command}", project)
    assert code == 1 and "new.cu" in out and "old.cu" not in out


@pytest.mark.parametrize("page", sorted(path.name for path in (ROOT / "docs").glob("*.md")))
def test_commands_on_the_pages_exist(page: str) -> None:
    """Every command line of kernlint in a code block or in backticks is one that kernlint understands."""
    text = (ROOT / "docs" / page).read_text()
    lines = re.findall(r"(?:^|[\"\s])(kernlint (?:check|prove|rules?|dump|lsp)\b[^\n\"#|)]*)", text, re.M)
    inline = re.findall(r"`(kernlint [^`]*)`", text)
    for line in (*(line.split("`")[0] for line in lines), *inline):
        words = line.replace("tree|facts|accesses|guards|phases", "tree").split()[1:]
        words = [word.strip("\"'") for word in words if not word.startswith(("...", "${"))]
        options = {word.partition("=")[0] for word in words if word.startswith("--")}
        assert options <= _known(words[0] if words else "check"), line


def _known(command: str) -> set[str]:
    from kernlint.cli.options import COMMANDS, parser

    (commands,) = parser()._subparsers._group_actions  # type: ignore[union-attr]
    chosen = commands.choices[command if command in COMMANDS else "check"]  # type: ignore[index]
    return set(chosen._option_string_actions)


def test_the_hook_of_the_page() -> None:
    (text,) = [text for text in fences("ci.md", "yaml") if "pre-commit" in text]
    (repository,) = yaml.safe_load(text)["repos"]
    (hook,) = repository["hooks"]
    (defined,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert hook["id"] == defined["id"]
    assert parse([*defined["entry"].split()[1:], *hook["args"], "k.cu"]).baseline == "kernlint-baseline.json"
