"""What a run loads: start-up is most of the time of a run over one file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SLOW = ("dataclasses", "inspect", "ast", "shutil", "rich", "lark", "subprocess", "concurrent.futures", "tempfile")
"""Modules of which each costs a millisecond and more."""

CODE = """
import sys
before = set(sys.modules)
from kernlint.cli import main
main(sys.argv[1:])
print(*(name for name in sys.modules if name not in before))
"""


def test_a_plain_run_loads_nothing_slow(tmp_path: Path) -> None:
    source = tmp_path / "copy.cl"
    arguments = ["check", "--no-config", "--format", "sarif", "--output", str(tmp_path / "out.sarif"), str(source)]
    text = "__kernel void copy(__global int *a, int n) { int i = get_global_id(0); if (i < n) a[i] = i; }\n"
    for content in (text, text + text.replace("copy", "other")):  # the first run compiles the prelude
        source.write_text(content)
        done = subprocess.run([sys.executable, "-c", CODE, *arguments], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "kernlint.run.engine" in loaded
    assert sorted(loaded & set(SLOW)) == []


def test_where_no_file_holds_a_kernel_no_rule_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text("def twice(n):\n    return 2 * n\n")
    arguments = ["check", "--no-config", "--output", str(tmp_path / "out.txt"), str(tmp_path)]
    done = subprocess.run([sys.executable, "-c", CODE, *arguments], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert "no kernel sources" in (tmp_path / "out.txt").read_text()
    parts = ("kernlint.analysis", "kernlint.frontends", "kernlint.run.engine", "kernlint.symbolic", "kernlint_rules")
    assert [name for name in loaded if name.startswith(parts)] == []
    assert len([name for name in loaded if name.startswith("kernlint")]) < 46
    assert [name for name in loaded if name in ("json", "subprocess", "textwrap", "typing", "unicodedata")] == []


def test_settings_that_may_be_wrong_are_looked_at_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text("def twice(n):\n    return 2 * n\n")
    for wrong in (["--select", "nonsense"], ["--target", "nonsense"], ["--assume", "n % < 4"]):
        arguments = ["check", "--no-config", *wrong, str(tmp_path)]
        done = subprocess.run([sys.executable, "-m", "kernlint", *arguments], capture_output=True, text=True)
        assert done.returncode == 2 and wrong[1] in done.stderr
