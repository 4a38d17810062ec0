from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from kernlint import __version__
from kernlint.cli.options import UsageError, parse

BAD = "__global__ void k() { bad(); }\n"
CLEAN = "__global__ void k() { good(); }\n"


def test_exit_codes(kernlint, tmp_path):
    (tmp_path / "bad.cu").write_text(BAD)
    (tmp_path / "clean.cu").write_text(CLEAN)
    (tmp_path / "warn.cu").write_text("__global__ void k() { suspect(); }")
    (tmp_path / "lost.cu").write_text("// front end: crash")
    assert kernlint("clean.cu")[0] == 0
    assert kernlint("bad.cu")[0] == kernlint("check", "bad.cu", "clean.cu")[0] == kernlint()[0] - 1 == 1
    assert kernlint("bad.cu", "--exit-zero")[0] == 0
    assert kernlint("warn.cu")[0] == 1
    assert kernlint("warn.cu", "--fail-on", "error")[0] == 0
    assert kernlint("bad.cu", "--fail-on", "never")[0] == 0
    assert kernlint("lost.cu", "bad.cu")[0] == 2
    assert kernlint("lost.cu", "--exit-zero")[0] == 2
    assert kernlint("nowhere.cu")[0] == 2
    assert kernlint("nowhere.cu", "clean.cu")[0] == 0


def test_a_run_without_a_file_says_that_nothing_was_checked(kernlint, tmp_path):
    (tmp_path / "clean.cu").write_text(CLEAN)
    (tmp_path / "empty").mkdir()
    for args in (["nowhere.cu"], ["--format", "concise", "nowhere.cu"]):
        out = kernlint(*args)[1]
        assert out.splitlines()[-1] == "nothing was checked (1 file failed)" and "no findings" not in out
    assert kernlint("empty")[1].splitlines()[-1] == "nothing was checked"
    assert "1 kernel in 1 file (1 file failed): no findings" in kernlint("nowhere.cu", "clean.cu")[1]


@pytest.mark.parametrize(
    "args", [["rule", "KL201"], ["rule", "KL401"], ["rules"], ["prove", "a.cu"], ["a.cu"], ["check", "--help"]]
)
def test_no_line_ends_in_a_space(tmp_path, args):
    (tmp_path / "a.cu").write_text(
        "__global__ void k(float *o, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  o[i] = 1;\n}\n"
        "__global__ void l(float *o, int n) { __shared__ int s[4]; s[threadIdx.x & 3] = n; o[0] = s[1]; }\n"
    )
    done = subprocess.run([sys.executable, "-m", "kernlint", *args], cwd=tmp_path, capture_output=True, text=True)
    lines = done.stdout.splitlines()
    assert lines and [line for line in lines if line != line.rstrip()] == []


@pytest.mark.parametrize(
    "args",
    [
        ["--diff-fixes", "a.cu"],
        ["--format", "json", "a.cu"],
        ["a.cu"],
        ["rules"],
        ["rule", "KL201"],
        ["prove", "a.cu"],
        ["--version"],
    ],
)
def test_a_reader_that_goes_away_ends_the_run_quietly(tmp_path, args):
    (tmp_path / "a.cu").write_text(
        "__global__ void k(float *o) {\n  __shared__ float s[64];\n  s[threadIdx.x] = o[threadIdx.x];\n"
        "  o[threadIdx.x] = s[63 - threadIdx.x];\n}\nvoid run(float *o) { k<<<1, 64>>>(o); }\n"
    )
    ends = os.pipe()
    os.close(ends[0])
    done = subprocess.run(
        [sys.executable, "-m", "kernlint", *args], cwd=tmp_path, stdout=ends[1], stderr=subprocess.PIPE, text=True
    )
    os.close(ends[1])
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--frmat", "json", "x"], "unrecognized arguments: --frmat"),
        (["--format", "sarf", "x"], "unknown format 'sarf'; did you mean sarif?"),
        (["--format", "sarif=", "x"], "no file behind the ="),
        (["--format", "sarif", "--format", "json", "x"], "two reports would go to the same place"),
        (["--format", "sarif=a", "--output", "b", "x"], "every --format has one already"),
        (["--output", ".", "x"], "is a folder"),
        (["--output", "no/such/file", "x"], "there is no folder"),
        (["--block", "0", "x"], "is not one to three positive integers"),
        (["--select", "bad-cal", "x"], "unknown rule 'bad-cal'; did you mean bad-call?"),
        (["--target", "h10", "x"], "unknown target 'h10'; did you mean h100"),
        (["--config", "nowhere.toml", "x"], "nowhere.toml: cannot be read"),
        (["--config", "x", "--no-config", "x"], "contradict each other"),
        (["--fail-on", "loud", "x"], "invalid choice: 'loud'"),
        (["rule", "bad-cal"], "unknown rule 'bad-cal'; did you mean bad-call?"),
        (["dump", "tre", "x"], "invalid choice: 'tre'"),
    ],
)
def test_usage_errors_are_one_clear_line(kernlint, args, message):
    code, out, err = kernlint(*args)
    assert code == 2 and out == "" and err.startswith("kernlint: ") and message in err
    assert "Traceback" not in err and len(err.splitlines()) <= 2


def test_a_broken_configuration_stops_the_run(kernlint, tmp_path):
    (tmp_path / "a.cu").write_text(BAD)
    (tmp_path / "kernlint.toml").write_text("select = [\n")
    code, out, err = kernlint("a.cu")
    assert (code, out) == (2, "") and f"{tmp_path}/kernlint.toml:2: " in err
    assert kernlint("a.cu", "--no-config")[0] == 1


def test_settings_come_from_the_nearest_file_and_the_command_line_wins(kernlint, tmp_path):
    for folder, text in (("one", 'ignore = ["bad-call"]'), ("two", 'fail-on = "error"')):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "kernlint.toml").write_text(text)
        (tmp_path / folder / "a.cu").write_text(BAD)
    out = kernlint("--format", "concise", "one", "two", "-q")[1]
    assert out.splitlines() == ["two/a.cu:1:23: error[TST101] bad-call: bad is called (in kernel k)"]
    out = kernlint("--format", "concise", "one", "-q", "--extend-select", "TST101", "--config", "two/kernlint.toml")[1]
    assert len(out.splitlines()) == 1


def test_several_formats_at_once(kernlint, tmp_path):
    (tmp_path / "a.cu").write_text(BAD)
    code, out, err = kernlint(
        "a.cu", "--format", "concise", "--format", "json=a.json", "--format", "sarif", "--output", "a.sarif"
    )
    assert code == 1 and "bad is called" in out and err == ""
    assert json.loads((tmp_path / "a.json").read_text())["findings"][0]["code"] == "TST101"
    run = json.loads((tmp_path / "a.sarif").read_text())["runs"][0]
    assert run["results"][0]["ruleId"] == "TST101" and run["invocations"][0]["exitCode"] == 1


def test_machine_formats_leave_standard_output_to_the_report(kernlint, tmp_path):
    (tmp_path / "a.cu").write_text("__global__ void k() { crash(); }")
    code, out, err = kernlint("a.cu", "--format", "json")
    assert code == 0 and json.loads(out)["notifications"][0]["kind"] == "rule-crash"
    assert "kernlint: a.cu: error: rule suspect-call crashed on kernel k" in err


def test_rules_and_their_pages(kernlint):
    code, out, _ = kernlint("rules")
    assert code == 0 and "TST101  bad-call      error    A kernel calls bad." in out
    listed = json.loads(kernlint("rules", "--json")[1])
    assert listed[0]["options"] == {"name": "bad", "limit": 1, "names": "()", "mode": "plain", "marks": "()"}
    assert json.loads(kernlint("rules", "--json", "--family", "TST102")[1])[0]["name"] == "suspect-call"
    code, out, _ = kernlint("rule", "bad-call")
    assert code == 0 and "TST101 bad-call" in out and "Calling bad is bad." in out and "\x1b" not in out
    assert "directive" in kernlint("rule", "KL002")[1]


def test_options_reach_the_front_end(kernlint, tmp_path, monkeypatch):
    from kernlint.run import engine

    (tmp_path / "a.cu").write_text(CLEAN)
    (tmp_path / "inc").mkdir()
    (tmp_path / "more").mkdir()
    (tmp_path / "kernlint.toml").write_text(
        'defines = ["A"]\ninclude = ["inc"]\n[[overrides]]\nfiles = ["*.cu"]\nstd = "c++11"'
    )
    kernlint("a.cu", "-D", "B=2", "-I", "more", "--target", "a100", "--std", "c++20")
    options = engine.default_frontend().seen[-1][1]
    assert options.defines == ("A", "B=2") and options.target == "sm_80" and options.std == "c++20"
    assert options.include_dirs == (str(tmp_path / "more"), str(tmp_path / "inc"))


@pytest.mark.parametrize(
    ("args", "command"),
    [
        ([], "check"),
        (["a.cu"], "check"),
        (["--pedantic", "a.cu"], "check"),
        (["rules"], "rules"),
        (["check", "rules"], "check"),
    ],
)
def test_check_is_the_default_command(args, command):
    assert parse(args).command == command


def test_paths_may_stand_between_options():
    assert parse(["a.cu", "--pedantic", "b.cu", "-q", "c.cu"]).paths == ["a.cu", "b.cu", "c.cu"]
    assert parse(["dump", "tree", "a.cu", "--json", "b.cu"]).paths == ["a.cu", "b.cu"]
    with pytest.raises(UsageError, match="arguments: --no-such-option;"):
        parse(["a.cu", "--no-such-option", "b.cu"])


def test_parse_errors_are_ours():
    with pytest.raises(UsageError):
        parse(["check", "--no-such-option"])


# ----------------------------------------------------------------------------------------- as a process


def process(*args, **more):
    return subprocess.run([sys.executable, "-m", "kernlint", *args], capture_output=True, text=True, timeout=60, **more)


def test_version_is_quick_and_light():
    done = process("--version")
    assert done.stdout == f"kernlint {__version__}\n" and done.returncode == 0
    probe = "import sys; from kernlint.cli import main; main(['--version']); print(len(set(sys.modules) & {BAD}))"
    heavy = {"rich", "clang", "lark", "argparse", "importlib.metadata", "kernlint.run.engine", "dataclasses"}
    done = subprocess.run(
        [sys.executable, "-c", probe.replace("BAD", ",".join(map(repr, heavy)))], capture_output=True, text=True
    )
    assert done.stdout.splitlines()[-1] == "0"


def test_help_exits_cleanly():
    done = process("check", "--help")
    assert done.returncode == 0 and "--extend-select" in done.stdout


SLOW = """
import sys, time
from kernlint import registry
from kernlint.run import engine
class Slow:
    def parse_file(self, source, options):
        print("started", flush=True)
        time.sleep(60)
registry.load = lambda: registry.Registry((), {})
engine.default_frontend = Slow
from kernlint.cli import main
sys.exit(main(["a.cu", "--format", "sarif", "--output", "out.sarif"]))
"""


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_an_interrupt_leaves_nothing_half_written(tmp_path):
    (tmp_path / "a.cu").write_text(CLEAN)
    child = subprocess.Popen(
        [sys.executable, "-c", SLOW], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout is not None and child.stdout.readline() == "started\n"
    time.sleep(0.1)
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=30)
    assert child.returncode == 130 and err.splitlines()[-1] == "kernlint: interrupted"
    assert sorted(os.listdir(tmp_path)) == ["a.cu", "out.sarif"]
    assert json.loads((tmp_path / "out.sarif").read_text())["runs"][0]["results"] == []


def test_a_long_chain_of_else_if_is_analysed(tmp_path):
    chain = " else ".join(f"if (n == {i}) x[{i}] = 1.0f;" for i in range(400))
    (tmp_path / "a.cu").write_text(f"__global__ void k(float *x, int n) {{\n{chain}\n}}\n")
    done = process("check", "--format", "concise", "-q", "a.cu", cwd=tmp_path)
    assert done.returncode in (0, 1) and "Recursion" not in done.stdout + done.stderr, done.stdout


def test_show_settings_and_files(kernlint, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.cu").write_text(BAD)
    (tmp_path / "b.cu").write_text(BAD)
    (tmp_path / "kernlint.toml").write_text('exclude = ["b.cu"]\nignore = ["TST102"]\nfail-on = "error"\nblock = 64\n')
    code, out, _ = kernlint("--show-files", ".")
    assert code == 0 and out.splitlines() == [os.path.join("sub", "a.cu")]
    code, out, _ = kernlint("--show-settings", "sub/a.cu", "--select", "TST")
    assert code == 0 and out.splitlines()[0] == f"# sub/a.cu: {tmp_path / 'kernlint.toml'}"
    assert {"select = [TST]", "ignore = [TST102]", "fail-on = error", "block = [64, 1, 1]", "std = none"} <= set(
        out.splitlines()
    )
    assert out.splitlines()[-1] == "# rules: TST101"


def test_what_the_settings_name_must_be_there(kernlint, tmp_path):
    (tmp_path / "a.cu").write_text(CLEAN)
    code, _, err = kernlint("a.cu", "-I", "nowhere")
    assert code == 2 and "the include folder" in err and "nowhere does not exist" in err
    code, _, err = kernlint("a.cu", "--compile-commands", "nowhere.json")
    assert code == 2 and "the compile database" in err and "nowhere.json does not exist" in err
    (tmp_path / "kernlint.toml").write_text('include = ["gone"]\n')
    code, _, err = kernlint("a.cu")
    assert code == 2 and err.count("kernlint.toml") == 1 and "gone does not exist" in err


def test_a_compile_database_that_is_of_no_use_is_said(kernlint, tmp_path):
    (tmp_path / "a.cu").write_text(CLEAN)
    (tmp_path / "b.cu").write_text(CLEAN)
    command = [{"directory": str(tmp_path), "file": "b.cu", "arguments": ["nvcc", "-DX", "-c", "b.cu"]}]
    (tmp_path / "db.json").write_text(json.dumps(command))
    assert "no command in it compiles any" in "".join(kernlint("a.cu", "--compile-commands", "db.json")[1:])
    assert "no command in it compiles any" not in "".join(kernlint(".", "--compile-commands", "db.json")[1:])
    assert (
        f"# compile database: {tmp_path / 'db.json'}" in kernlint("--show-settings", "--compile-commands", "db.json")[1]
    )


def test_standard_input_by_its_dash(tmp_path):
    def check(text: str) -> str:
        command = [sys.executable, "-m", "kernlint", "-", "--format", "concise", "--no-cache"]
        return subprocess.run(command, cwd=tmp_path, input=text, capture_output=True, text=True).stdout

    assert check("__global__ void k(int *x) { __shared__ int s[4]; s[5] = 1; x[0] = s[5]; }").startswith("stdin.cu:1:")
    text = "__kernel void k(__global int *x) { __local int s[4]; s[5] = 1; x[0] = s[5]; }"
    assert check(text).startswith("stdin.cl:1:")


@pytest.mark.skipif(sys.platform != "linux", reason="a process follows its parent by prctl")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_is_ended_takes_its_workers_along(tmp_path, number):
    kernel = "__global__ void k%d(int *x, int n) { for (int i = 0; i < n; i++) x[i * n + threadIdx.x] += x[i]; }\n"
    for file in range(200):
        (tmp_path / f"f{file}.cu").write_text("".join(kernel % one for one in range(40)))
    command = [sys.executable, "-m", "kernlint", "check", "-j", "2", "--no-cache", "-q", "--output", "out.sarif"]
    run = subprocess.Popen([*command, "--format", "sarif", "."], cwd=tmp_path, stderr=subprocess.DEVNULL)

    def parents() -> dict[int, int]:
        """The processes that run, each with its parent."""
        found = {}
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{entry}/stat") as handle:
                    words = handle.read().rpartition(")")[2].split()
            except OSError:
                continue
            if words[0] != "Z":
                found[int(entry)] = int(words[1])
        return found

    def children() -> list[int]:
        return [process for process, parent in parents().items() if parent == run.pid]

    end = time.monotonic() + 60
    # (git is a child as well, for a moment, before there is anything to report: workers are those that stay)
    workers: list[int] = []
    while len(workers) < 2 and time.monotonic() < end and run.poll() is None:
        before = children()
        time.sleep(0.2)
        workers = [process for process in children() if process in before]
    assert len(workers) == 2
    run.send_signal(number)
    assert run.wait(60) == (143 if number == signal.SIGTERM else -signal.SIGKILL)
    while parents().keys() & set(workers) and time.monotonic() < end:
        time.sleep(0.02)
    assert not parents().keys() & set(workers)
    assert sorted(name for name in os.listdir(tmp_path) if not name.endswith(".cu")) == (
        ["out.sarif"] if number == signal.SIGTERM else []
    )


@pytest.mark.skipif(not hasattr(signal, "alarm"), reason="without alarms the wish to end is told once")
def test_a_wish_to_end_that_was_lost_in_a_callback_is_told_again(tmp_path):
    """An exception raised in a hook around ``fork`` is printed and forgotten by the interpreter."""
    program = (
        "import os, signal, sys, time\n"
        "from kernlint.cli import run\n"
        "run.AGAIN = 1\n"
        "def work(args, seen):\n"
        "    os.register_at_fork(after_in_parent=lambda: os.kill(os.getpid(), signal.SIGTERM))\n"
        "    if os.fork() == 0: os._exit(0)\n"
        "    time.sleep(30)\n"
        "    return 0\n"
        "run._dispatch = work\n"
        "sys.exit(run.run(['rules']))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 143, done.stderr
    assert "kernlint: terminated" in done.stderr


def test_what_complains_of_having_been_ended_is_no_failure():
    program = (
        "import os, signal, sys\n"
        "from kernlint.cli import run\n"
        "def work(args, seen):\n"
        "    try: os.kill(os.getpid(), signal.SIGTERM)\n"
        "    finally: raise AttributeError('half made')\n"
        "run._dispatch = work\n"
        "sys.exit(run.run(['rules']))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (143, "kernlint: terminated\n")
