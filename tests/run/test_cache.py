from __future__ import annotations

import json
import os
import subprocess
import sys
import threading

import pytest

from kernlint.finding import Confidence, Edit, Finding, Fix, Related, Severity, Step, Witness
from kernlint.policy.config import Config
from kernlint.result import Level, Result, Suppression
from kernlint.run import codec, codeprint, engine
from kernlint.run.cache import KEEP, Cache
from kernlint.run.outcome import FileOutcome
from kernlint.source import Span

BAD = "__global__ void k() { bad(); }\n"
GOOD = "__global__ void k() { good(); }\n"


@pytest.fixture
def seen(kernlint):
    """Paths of the files that were analysed, not taken from the cache, since it was last cleared."""
    parsed = engine.default_frontend().seen

    def take():
        paths = [path for path, _ in parsed]
        parsed.clear()
        return paths

    return take


def old(path, text):
    """A file that was written before any run began."""
    path.write_text(text)
    os.utime(path, (1_000_000_000, 1_000_000_000))


def results(folder):
    return os.path.join(os.environ["KERNLINT_CACHE_DIR"], "results", folder)


def kept():
    folder = results("")
    return [os.path.join(folder, name) for name in os.listdir(folder) if not name.startswith("code-")]


def everything():
    span, other = Span("a.cu", 3, 9), Span("b.h", 0, 0)
    witness = Witness((32, 1, 1), (2, 1, 1), (("n", 7),), (Step((0, 0, 0), (1, 0, 0), other, "writes x", None),), True)
    finding = Finding(
        span,
        "grün",
        Severity.ERROR,
        "TST101",
        "bad-call",
        (Related(other, "here"),),
        witness,
        ("n > 0",),
        Fix("do", (Edit(span, "x"),)),
        "k",
        ("T = int",),
        Confidence.MEDIUM,
    )
    outcome = FileOutcome("a.cu", [Result(finding, "f" * 32, Suppression("inSource", "why", span))])
    outcome.results.append(Result(Finding(other, "m", Severity.NOTE), "0" * 32))
    outcome.note(Level.WARNING, "missed-kernel", "message", span=span, rule="TST101", detail="trace")
    outcome.kernels, outcome.partial, outcome.missed, outcome.unsure = 3, 2, 1, {"TST101"}
    outcome.raceless = 1
    return outcome


def test_an_outcome_survives_as_json():
    outcome = everything()
    assert codec.decode("a.cu", json.loads(json.dumps(codec.encode(outcome)))) == outcome
    plain = FileOutcome("b.cu", kernels=4, raceless=2)
    assert codec.decode("b.cu", json.loads(json.dumps(codec.encode(plain)))) == plain


def test_the_same_report_with_and_without(kernlint, tmp_path, seen):
    old(tmp_path / "a.cu", BAD + "__global__ void m(...)\n")
    old(tmp_path / "b.cu", "__global__ void k() { suspect(); lost(); } // kernlint: ignore[TST102] why\n")
    old(tmp_path / "c.cu", "__global__ void k() { crash(); }")
    old(tmp_path / "d.cu", "")

    def report(*args):
        code, out, err = kernlint("-v", "--format", "json", *args)
        data = json.loads(out)
        data["summary"].pop("seconds")
        return code, data, err

    plain = report("--no-cache")
    assert len(seen()) == 3 and not os.path.exists(results(""))
    assert report() == plain and len(seen()) == 3
    assert report() == plain and seen() == ["c.cu"], "what failed is tried again"
    assert report("-j2") == plain and report("-j1") == plain


@pytest.mark.parametrize("change", ["source", "header", "new header", "gone header", "option", "configuration"])
def test_whatever_results_come_from_counts(kernlint, tmp_path, seen, change):
    old(tmp_path / "a.cu", '#include "a.h"\n#include "b.h"\n' + BAD)
    old(tmp_path / "a.h", "// one\n")
    kernlint()
    seen()
    assert kernlint()[0] == 1 and seen() == []
    args = []
    if change == "source":
        old(tmp_path / "a.cu", (tmp_path / "a.cu").read_text().replace("bad", "sad"))  # same size and time
    elif change == "header":
        old(tmp_path / "a.h", "// two\n")
    elif change == "new header":
        old(tmp_path / "b.h", "")
    elif change == "gone header":
        (tmp_path / "a.h").unlink()
    elif change == "option":
        args = ["-DX"]
    else:
        old(tmp_path / "kernlint.toml", 'defines = ["X"]\n')
    kernlint(*args)
    assert seen() == ["a.cu"]
    kernlint(*args)
    assert seen() == []


def test_what_does_not_matter_does_not_count(kernlint, tmp_path, seen):
    old(tmp_path / "a.cu", BAD)
    kernlint()
    seen()
    os.utime(tmp_path / "a.cu", (1_100_000_000, 1_100_000_000))
    assert kernlint("--fail-on", "never")[0] == 0 and kernlint("--exit-zero", "--format", "concise")[0] == 0
    assert seen() == []


def test_a_broken_configuration_is_told_with_a_full_cache(kernlint, tmp_path):
    old(tmp_path / "a.cu", BAD)
    for _ in range(2):
        assert kernlint()[0] == 1
    for _ in range(2):
        assert kernlint("--select", "nonsense")[0] == 2
    old(tmp_path / "kernlint.toml", 'ignore = ["nonsense"]\n')
    for _ in range(2):
        assert kernlint()[0] == 2


@pytest.mark.parametrize("damage", [b"", b"nonsense", None, "cut", "flip", "foreign"])
def test_a_damaged_file_is_ignored_and_written_anew(kernlint, tmp_path, seen, damage):
    old(tmp_path / "a.cu", BAD)
    kernlint()
    seen()
    (path,) = kept()
    with open(path, "rb") as handle:
        whole = handle.read()
    if damage is None:
        os.unlink(path)
        os.mkdir(path)
    else:
        from kernlint.text.digest import hexdigest

        text = b'[[],{"a.cu":[1,2,3]}]'
        flipped = whole[:-5] + bytes([whole[-5] ^ 1]) + whole[-4:]
        foreign = b"kernlint results 1 " + hexdigest(text).encode() + b"\n" + text
        with open(path, "wb") as handle:
            handle.write({"cut": whole[:-9], "flip": flipped, "foreign": foreign}.get(damage, damage))
    code, out, err = kernlint("--format", "concise")
    assert code == 1 and "bad is called" in out and seen() == ["a.cu"]
    if damage is None:
        assert "warning: results are not kept for the next run" in out
        return
    assert "not kept" not in out + err
    assert kernlint()[0] == 1 and seen() == []


def test_a_folder_that_cannot_be_written_is_one_warning(kernlint, tmp_path, monkeypatch):
    old(tmp_path / "a.cu", BAD)
    old(tmp_path / "file", "")
    monkeypatch.setenv("KERNLINT_CACHE_DIR", str(tmp_path / "file"))
    code, out, err = kernlint("--format", "concise")
    assert code == 1 and (out + err).count("results are not kept") == 1
    assert "not kept" not in "".join(kernlint("--no-cache")[1:])


def test_a_full_disk_is_one_warning(kernlint, tmp_path, monkeypatch):
    old(tmp_path / "a.cu", BAD)

    def full(path, data):
        raise OSError(28, "No space left on device", path)

    monkeypatch.setattr("kernlint.run.cache.replace_file", full)
    code, out, _ = kernlint("--format", "concise")
    assert code == 1 and out.count("No space left on device") == 1 and kept() == []


def test_a_file_written_during_the_run_is_not_kept(kernlint, tmp_path, seen):
    future = 4_000_000_000
    (tmp_path / "a.cu").write_text(BAD)
    os.utime(tmp_path / "a.cu", (future, future))
    for _ in range(2):
        assert kernlint()[0] == 1 and seen() == ["a.cu"]


def test_two_runs_at_once_do_not_hurt_each_other(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KERNLINT_CACHE_DIR", str(tmp_path / "cache"))
    for name in ("a.cu", "b.cu"):
        old(tmp_path / name, BAD)

    def run(name):
        for _ in range(20):
            cache = Cache(str(tmp_path), Config())
            cache.load()
            key = cache.key(name, Config(), engine.NO_FLAGS)
            cache.put(key, FileOutcome(name, kernels=7))
            cache.save()
            assert cache.problem is None

    threads = [threading.Thread(target=run, args=(name,)) for name in ("a.cu", "b.cu")]
    monkeypatch.setattr(os, "getpid", threading.get_ident)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    cache = Cache(str(tmp_path), Config())
    cache.load()
    found = [cache.get(cache.key(name, Config(), engine.NO_FLAGS)) for name in ("a.cu", "b.cu")]
    assert any(outcome is not None and outcome.kernels == 7 for outcome in found)
    assert not [name for name in os.listdir(tmp_path / "cache" / "results") if name.endswith(".tmp")]


def test_old_files_are_removed(kernlint, tmp_path):
    os.makedirs(results(""))
    for number in range(KEEP + 5):
        path = results(f"old{number}")
        with open(path, "w", encoding="utf-8") as handle:
            handle.write("x")
        os.utime(path, (number, number))
    old(tmp_path / "a.cu", BAD)
    kernlint()
    assert len(os.listdir(results(""))) == KEEP and not os.path.exists(results("old0"))


def test_files_that_are_gone_are_forgotten(kernlint, tmp_path):
    old(tmp_path / "a.cu", BAD)
    old(tmp_path / "b.cu", BAD)
    kernlint()
    (tmp_path / "a.cu").unlink()
    old(tmp_path / "b.cu", GOOD)
    kernlint()
    (path,) = kept()
    with open(path, "rb") as handle:
        assert list(json.loads(handle.read().partition(b"\n")[2])[1]) == ["b.cu"]


def test_the_code_counts_and_its_times_do_not(tmp_path, monkeypatch):
    pack = tmp_path / "mypack"
    pack.mkdir()
    (pack / "__init__.py").write_text("one = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("kernlint.packs.installed", lambda: [("mine", "mypack")])
    folder = str(tmp_path / "cache")
    first = codeprint.digest(folder)
    assert codeprint.digest(folder) == first
    os.utime(pack / "__init__.py", (5, 5))
    assert codeprint.digest(folder) == first
    (pack / "__init__.py").write_text("two = 2\n")
    changed = codeprint.digest(folder)
    assert changed != first
    (pack / "more.py").write_text("")
    assert codeprint.digest(folder) not in (first, changed)
    assert "mypack" not in sys.modules


def test_code_of_every_part_counts(tmp_path, monkeypatch):
    import kernlint

    copy = tmp_path / "kernlint"
    for part in ("analysis", "frontends/clang", "run"):
        (copy / part).mkdir(parents=True)
        (copy / part / "some.py").write_text("one = 1\n")
    monkeypatch.setattr(kernlint, "__file__", str(copy / "__init__.py"))
    seen = {codeprint.digest(str(tmp_path / "cache"))}
    for part in ("analysis", "frontends/clang", "run"):
        (copy / part / "some.py").write_text("two = 2\n")
        seen.add(codeprint.digest(str(tmp_path / "cache")))
    assert len(seen) == 4


LIGHT = """
import sys
from kernlint.cli import main
code = main(["--format", "concise", "."])
heavy = [n for n in sys.modules if n.partition(".")[0] in ("clang", "rich", "lark", "kernlint_rules", "hashlib")]
heavy += [n for n in sys.modules if n.startswith(("kernlint.analysis", "kernlint.frontends", "kernlint.run.engine"))]
print(code, heavy)
"""


COLD = """
import sys
from kernlint.cli import main
code = main(["--format", "concise", "a.cu"])
idle = ("dataclasses", "inspect", "ast", "kernlint.frontends.clang.further")
print(code, [name for name in idle if name in sys.modules])
"""


def test_a_run_over_a_plain_file_loads_no_more_than_it_needs(tmp_path):
    (tmp_path / "a.cu").write_text("__global__ void k(float *x) { x[threadIdx.x] = 1; }\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-c", COLD]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines()[-1] == "0 []", done.stderr


def test_a_warm_run_loads_neither_rules_nor_front_end(tmp_path):
    old(
        tmp_path / "a.cu",
        "__global__ void k(float *x) { __shared__ float s[8]; s[threadIdx.x & 7] = x[0]; x[1] = s[8]; }\n",
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    runs = [
        subprocess.run(
            [sys.executable, "-c", LIGHT], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120
        )
        for _ in range(2)
    ]
    cold, warm = (done.stdout.splitlines() for done in runs)
    assert "kernlint.run.engine" in cold[-1], runs[0].stderr
    assert warm[-1] == "1 []"
    assert warm[:-2] == cold[:-2] and cold[0].startswith("a.cu:1:")
