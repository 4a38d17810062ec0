from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest

from kernlint.finding import Confidence
from kernlint.policy import baseline
from kernlint.policy.baseline import BaselineError
from kernlint.run import engine
from kernlint.text.writing import replace_file

BAD = "__global__ void k() { bad(); }\n"
TWO = "__global__ void k() { bad(); bad(); }\n"


def entries(path):
    return json.loads(path.read_text())["findings"]


def test_known_findings_do_not_count_and_new_ones_do(kernlint, tmp_path):
    (tmp_path / "a.cu").write_text(BAD)
    code, _, err = kernlint("a.cu", "--write-baseline", "base.json")
    assert code == 0 and "1 findings written to base.json" in err
    assert kernlint("a.cu")[0] == 1
    code, out, _ = kernlint("a.cu", "--baseline", "base.json", "--format", "concise")
    assert code == 0 and "no findings (1 ignored)" in out
    (tmp_path / "a.cu").write_text(TWO)
    code, out, _ = kernlint("a.cu", "--baseline", "base.json", "--format", "concise", "-q")
    assert code == 1 and len(out.splitlines()) == 1


@pytest.mark.parametrize(
    "text",
    [
        "// a new line\n\n\n" + BAD,
        "__global__ void k() {\n\n    // why\n        bad();\n}\n",
        "__global__ void other() { fine(); }\n__global__ void k() {bad();}",
        BAD.replace("\n", "\r\n"),
    ],
)
def test_entries_survive_moved_and_reformatted_lines(kernlint, tmp_path, text):
    (tmp_path / "a.cu").write_text(BAD)
    kernlint("a.cu", "--write-baseline", "base.json")
    (tmp_path / "a.cu").write_bytes(text.encode())
    code, out, _ = kernlint("a.cu", "--baseline", "base.json")
    assert code == 0 and "1 ignored" in out


def test_the_baseline_fits_from_any_folder_and_after_a_rename(kernlint, tmp_path, monkeypatch):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.cu").write_text(BAD)
    kernlint(".", "--write-baseline", "base.json")
    assert [entry["file"] for entry in entries(tmp_path / "base.json")] == ["sub/a.cu"]
    monkeypatch.chdir(tmp_path / "sub")
    assert kernlint("a.cu", "--baseline", "../base.json")[0] == 0
    os.rename("a.cu", "b.cu")
    assert kernlint("--baseline", "../base.json")[0] == 0
    (tmp_path / "sub" / "a.cu").write_text(BAD)  # now b.cu is new beside the old file
    code, out, _ = kernlint("--baseline", "../base.json", "--format", "concise", "-q")
    assert code == 1 and out.startswith("b.cu:") and len(out.splitlines()) == 1


def test_pruning_removes_what_is_gone_and_keeps_what_was_not_looked_at(kernlint, tmp_path):
    for name in ("a.cu", "b.cu", "c.cu"):
        (tmp_path / name).write_text(BAD)
    kernlint("--write-baseline", "base.json")
    base = tmp_path / "base.json"
    (tmp_path / "a.cu").write_text("__global__ void k() { good(); }\n")
    (tmp_path / "b.cu").unlink()
    before = base.read_bytes()
    assert kernlint("a.cu", "--baseline", "base.json", "--prune-baseline", "--ignore", "TST101")[0] == 0
    assert {e["file"] for e in entries(base)} == {"a.cu", "c.cu"}, "the rule was off, so a.cu proves nothing"
    base.write_bytes(before)
    code, _, err = kernlint("a.cu", "--baseline", "base.json", "--prune-baseline")
    assert code == 0 and "2 of 3 findings removed" in err
    assert [e["file"] for e in entries(base)] == ["c.cu"]
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".tmp")]


def test_a_lost_file_keeps_its_entries(kernlint, tmp_path):
    (tmp_path / "a.cu").write_text(BAD)
    kernlint("--write-baseline", "base.json")
    (tmp_path / "a.cu").write_text("// front end: crash")
    assert kernlint("--baseline", "base.json", "--prune-baseline")[0] == 2
    assert len(entries(tmp_path / "base.json")) == 1


def test_stale_entries_are_a_note(kernlint, tmp_path):
    (tmp_path / "a.cu").write_text(BAD)
    kernlint("--write-baseline", "base.json")
    (tmp_path / "a.cu").write_text("__global__ void k() { }\n")
    assert "not found again" not in kernlint("--baseline", "base.json")[1]
    assert "1 findings in base.json were not found again" in kernlint("-v", "--baseline", "base.json")[1]


def test_what_a_directive_silences_is_not_written(kernlint, tmp_path):
    (tmp_path / "a.cu").write_text("__global__ void k() { bad(); } // kernlint: ignore[TST101] why\n")
    kernlint("--write-baseline", "base.json")
    assert entries(tmp_path / "base.json") == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "baseline base.json: cannot be read: No such file"),
        ("", "baseline base.json:1:1: "),
        ("{", "baseline base.json:1:2: "),
        ("[" * 100000, "baseline base.json"),
        ("[]", "is no baseline"),
        ('{"kernlint-baseline": true, "findings": []}', "is no baseline"),
        ('{"kernlint-baseline": 2, "findings": []}', "was written by another version of kernlint (format 2"),
        ('{"kernlint-baseline": 1, "fingerprints": "kernlint/v9", "findings": []}', "fingerprints kernlint/v9"),
        ('{"kernlint-baseline": 1, "fingerprints": "kernlint/v1", "findings": [{}]}', "finding 1 is not of the known"),
    ],
)
def test_a_baseline_of_no_use_is_one_clear_line(kernlint, tmp_path, text, message):
    (tmp_path / "a.cu").write_text(BAD)
    if text is not None:
        (tmp_path / "base.json").write_text(text)
    code, out, err = kernlint("a.cu", "--baseline", "base.json", "--prune-baseline")
    assert code == 2 and out == "" and message in err and len(err.splitlines()) == 1
    if text is not None:
        assert (tmp_path / "base.json").read_text() == text


def test_bytes_that_are_no_text(tmp_path):
    (tmp_path / "base.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BaselineError, match="not UTF-8"):
        baseline.read(str(tmp_path / "base.json"))


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--prune-baseline"], "needs the file"),
        (["--write-baseline", "."], "is a folder"),
        (["--write-baseline", "no/such.json"], "there is no folder"),
    ],
)
def test_usage(kernlint, args, message):
    code, out, err = kernlint(*args)
    assert (code, out) == (2, "") and message in err


def test_an_entry_counts_once(check):
    report = check({"a.cu": BAD, "b.cu": BAD})
    known = baseline.of("base.json", report.results[:1])
    twice = [report.results[0], replace(report.results[0])]
    marked, stale = baseline.apply(known, twice)
    assert [r.suppression is not None for r in marked] == [True, False] and stale == []


def test_sarif_calls_it_external(kernlint, tmp_path):
    (tmp_path / "a.cu").write_text(BAD)
    kernlint("--write-baseline", "base.json")
    out = kernlint("--baseline", "base.json", "--format", "sarif")[1]
    assert json.loads(out)["runs"][0]["results"][0]["suppressions"][0]["kind"] == "external"


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space"):
        replace_file(str(path), b"new")
    assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["file"]


@pytest.mark.skipif(os.name == "nt", reason="POSIX paths")
def test_links_are_followed_and_pipes_written_to(kernlint, tmp_path):
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "file").chmod(0o640)
    (tmp_path / "link").symlink_to("file")
    replace_file(str(tmp_path / "link"), b"new")
    assert (tmp_path / "file").read_bytes() == b"new" and (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o640
    (tmp_path / "a.cu").write_text(BAD)
    command = [sys.executable, "-m", "kernlint", "--format", "concise=/dev/stdout", "a.cu"]
    done = subprocess.run(command, cwd=tmp_path, stdout=subprocess.PIPE, check=False, timeout=120)
    assert b"1 kernel in 1 file" in done.stdout


def test_min_confidence_and_statistics(kernlint, tmp_path, monkeypatch):
    (tmp_path / "a.cu").write_text(BAD)
    for level, code in (("low", 1), ("high", 1)):
        assert kernlint("a.cu", "--min-confidence", level)[0] == code
    unsure = engine.fingerprint.of

    def doubted(findings, text_of):
        for finding in findings:
            object.__setattr__(finding, "confidence", Confidence.MEDIUM)
        return unsure(findings, text_of)

    monkeypatch.setattr(engine.fingerprint, "of", doubted)
    (tmp_path / "a.cu").write_text(BAD + BAD.replace("bad", "good"))
    assert [kernlint("a.cu", "--min-confidence", level)[0] for level in ("low", "medium", "high")] == [1, 1, 0]
    (tmp_path / "kernlint.toml").write_text('min-confidence = "high"\n')
    assert kernlint("a.cu")[0] == 0 and kernlint("a.cu", "--min-confidence", "low")[0] == 1
    (tmp_path / "kernlint.toml").write_text('min-confidence = "certain"\n')
    code, _, err = kernlint("a.cu")
    assert code == 2 and 'min-confidence: expected "low", "medium" or "high"' in err
    (tmp_path / "kernlint.toml").unlink()
    code, out, err = kernlint("a.cu", "--format", "json", "--statistics")
    assert json.loads(out)["findings"] and err.split() == ["1", "TST101", "bad-call"]
