"""The documentation: the site builds without a warning and has what it should; pages do not fall behind the code."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from kernlint.policy import config
from kernlint.policy.suppress import STATEMENTS, VERBS
from kernlint.project.tree import SETTINGS
from kernlint.registry import CONTROL_CODES, load

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("mkdocs", reason="the documentation's extra is not installed")
    pytest.importorskip("material", reason="the documentation's extra is not installed")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_rule_has_a_page(site: Path) -> None:
    index = (site / "rules" / "index.html").read_text()
    for rule in load().rules:
        page = (site / "rules" / rule.meta.name / "index.html").read_text()
        assert f"{rule.meta.code} {rule.meta.name}" in page and f'href="{rule.meta.name}/"' in index
        assert ">Reported<" in page and ">Not reported<" in page and "expect:" not in page
        assert 'class="hll"' in page, "the lines with findings are marked"
    for name in CONTROL_CODES.values():
        assert (site / "rules" / name / "index.html").exists() and f'href="{name}/"' in index


def test_options_are_on_the_pages(site: Path) -> None:
    page = (site / "rules" / "oversized-private-array" / "index.html").read_text()
    assert "warn-bytes" in page and "8192" in page and "warn_bytes" not in page


def test_the_command_line_is_complete(site: Path) -> None:
    page = (site / "command-line" / "index.html").read_text()
    for text in ("kernlint check", "kernlint lsp", "--stdin-filename NAME", "--format NAME[=FILE]", "--watch", "%"):
        assert text in page
    assert "%%" not in page and "SUPPRESS" not in page


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        fetched = re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="(https?:[^"]+)"', page.read_text())
        assert fetched == [], page


def test_every_key_of_the_configuration_is_described() -> None:
    text = (DOCS / "configuration.md").read_text()
    keys = set(re.findall(r"^\| `([a-z-]+)` \|", text, re.M)) | {"overrides"}
    assert keys == set(config.KEYS) | {"extend"}
    (overrides,) = re.findall(r"^`overrides` is.*$", text, re.M)
    assert set(config._OVERRIDE_KEYS) <= set(re.findall(r"`([a-z-]+)`", overrides))
    for word in (*SETTINGS, *VERBS, *STATEMENTS):
        assert word in text


def test_examples_of_settings_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kernlint.policy.selection import Selection

    for page in (DOCS / "configuration.md", ROOT / "README.md"):
        fences = re.findall(r"^```toml\n(.*?)^```$", page.read_text(), re.M | re.S)
        assert fences
        for text in fences:
            (tmp_path / "pyproject.toml").write_text(text)
            loaded = config.load(str(tmp_path / "pyproject.toml"))
            assert loaded != config.Config(path=loaded.path, root=loaded.root)
            Selection(load(), loaded)
