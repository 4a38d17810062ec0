from __future__ import annotations

import os

import pytest

from kernlint.finding import Severity
from kernlint.policy import config
from kernlint.policy.config import Config, ConfigError, glob_fits
from kernlint.policy.configfile import find_file
from kernlint.policy.selection import Selection


def load(tmp_path, text, name="kernlint.toml"):
    path = tmp_path / name
    path.write_text(text)
    return config.load(str(path))


def test_every_key(tmp_path):
    made = load(
        tmp_path,
        """
        select = ["KL1"]
        extend-select = ["bad-call"]
        ignore = ["KL103"]
        target = "sm_80"
        defines = { N = 4, FAST = true, NAME = "x" }
        include = ["inc", "/abs"]
        std = "c++20"
        block = [16, 16]
        grid = 4
        compile-commands = "build/compile_commands.json"
        fail-on = "error"
        exclude = ["third_party"]
        pedantic = true
        require-reason = true
        [per-file-ignores]
        "legacy/*" = ["KL2"]
        "*.cl" = "KL3"
        [severity]
        KL301 = "error"
        [rules.bad-call]
        limit = 3
        [[overrides]]
        files = ["gpu/*.cl"]
        defines = ["A=1"]
        target = ["gfx942"]
        """,
    )
    assert made.root == str(tmp_path)
    assert (made.select, made.extend_select, made.ignore) == (("KL1",), ("bad-call",), ("KL103",))
    assert made.defines == ("N=4", "FAST", "NAME=x") and made.target == ("sm_80",)
    assert made.include == (str(tmp_path / "inc"), "/abs")
    assert (made.block, made.grid, made.fail_on) == ((16, 16, 1), (4, 1, 1), Severity.ERROR)
    assert made.compile_commands == str(tmp_path / "build/compile_commands.json")
    assert made.severity == (("KL301", Severity.ERROR),)
    assert made.rules == {"bad-call": {"limit": 3}}
    assert made.ignored_in(str(tmp_path / "legacy/x.cu")) == ("KL2",)
    assert made.ignored_in(str(tmp_path / "deep/x.cl")) == ("KL3",)
    fitted = made.for_file(str(tmp_path / "gpu/x.cl"))
    assert (fitted.defines, fitted.target, fitted.std) == (("A=1",), ("gfx942",), "c++20")
    assert made.for_file(str(tmp_path / "x.cl")) == made
    assert load(tmp_path, 'fail-on = "never"').fail_on is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = =", r"kernlint.toml:1:5: Invalid value$"),
        ("a = ", r"kernlint.toml:1: Invalid value at the end of the file"),
        ("x = 1\nx = [", r"kernlint.toml:2"),
        ('\nselct = ["KL1"]', r"kernlint.toml:2: unknown key selct; did you mean select\?"),
        ("zzzz = 1", "unknown key zzzz; the keys are assume, block"),
        ('select = "KL1"', r"kernlint.toml:1: select: expected a list of strings, got a string \('KL1'\)"),
        ("pedantic = 1", r"pedantic: expected true or false, got an integer \(1\)"),
        ("block = [1, 2, 3, 4]", "block: expected one to three positive integers, got a list"),
        ("block = 0", "block: expected one to three positive integers"),
        ('fail-on = "loud"', 'fail-on: expected "note", "warning", "error" or "never"'),
        ('[severity]\nKL101 = "loud"', r"kernlint.toml:2: severity.KL101: expected"),
        ("rules.x = 1", "rules.x: expected a table of options"),
        ("[[overrides]]\nstd = 'c++20'", "a table without files"),
        ("[[overrides]]\nfiles = ['x']\nselect = ['x']", r"kernlint.toml:3: unknown key overrides.select"),
        ('extend = "kernlint.toml"', "extends itself"),
        ('extend = "nowhere.toml"', "nowhere.toml: cannot be read: No such file"),
    ],
)
def test_what_is_wrong_is_told(tmp_path, text, message):
    with pytest.raises(ConfigError, match=message):
        load(tmp_path, text)


def test_a_file_that_is_no_utf8(tmp_path):
    (tmp_path / "kernlint.toml").write_bytes(b"std = '\xff'")
    with pytest.raises(ConfigError, match="is not UTF-8"):
        config.load(str(tmp_path / "kernlint.toml"))


def test_extend(tmp_path):
    (tmp_path / "base.toml").write_text('ignore = ["KL1"]\ninclude = ["inc"]\nstd = "c++14"')
    (tmp_path / "sub").mkdir()
    made = load(tmp_path / "sub", 'extend = "../base.toml"\nstd = "c++20"')
    assert (made.ignore, made.std, made.root) == (("KL1",), "c++20", str(tmp_path / "sub"))
    assert made.include == (str(tmp_path / "inc"),)


def test_the_nearest_file_wins(tmp_path):
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("[tool.kernlint]\n")
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.other]\n")
    assert find_file(str(deep)) == str(tmp_path / "pyproject.toml")
    (tmp_path / "a" / "kernlint.toml").write_text("")
    assert find_file(str(deep)) == str(tmp_path / "a" / "kernlint.toml")


def test_pyproject(tmp_path):
    made = load(tmp_path, '[project]\nname = "x"\n[tool.kernlint]\nselect = ["KL1"]\n', "pyproject.toml")
    assert made.select == ("KL1",)


@pytest.mark.parametrize(
    ("glob", "path", "fits"),
    [
        ("*.cl", "a/b/x.cl", True),
        ("third_party", "a/third_party/x.cl", True),
        ("src/*.cl", "src/x.cl", True),
        ("src/*.cl", "other/x.cl", False),
        ("src/", "src/deep/x.cl", True),
        ("**/gen/*", "gen/x.cl", True),
        ("./src/x.cl", "src/x.cl", True),
        ("x", "xy.cl", False),
    ],
)
def test_globs(tmp_path, glob, path, fits):
    assert glob_fits(glob, os.path.join(tmp_path, path), str(tmp_path)) is fits


# ------------------------------------------------------------------------------------------------ selection


def codes(sample, **more):
    return [rule.meta.code for rule in Selection(sample, Config(**more)).rules_for("a.cu")]


def test_the_more_exact_selector_wins(sample):
    assert codes(sample) == ["TST101", "TST102"]
    assert codes(sample, ignore=("TST102",)) == ["TST101"]
    assert codes(sample, ignore=("TST",), extend_select=("bad-call",)) == ["TST101"]
    assert codes(sample, select=("bad-call",), ignore=("bad-call",)) == []
    assert codes(sample, select=("calls",), ignore=("TST10",)) == []
    assert codes(sample, select=("TST10",), ignore=("calls",)) == ["TST101", "TST102"]
    assert codes(sample, select=()) == []


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"select": ("bad-cal",)}, "select: unknown rule 'bad-cal'; did you mean bad-call"),
        ({"ignore": ("KL9",)}, "ignore: unknown rule 'KL9'"),
        ({"severity": (("bad-cal", Severity.NOTE),)}, "severity: unknown rule"),
        ({"per_file_ignores": (("*", ("bad-cal",)),)}, r"per-file-ignores.\*: unknown rule"),
        ({"rules": {"bad-cal": {}}}, "rules.bad-cal: unknown rule"),
        ({"rules": {"bad-call": {"limt": 1}}}, r"bad-call has no option limt; did you mean limit\?"),
        ({"rules": {"bad-call": {"zzz": 1}}}, "it has name, limit, names, mode, marks"),
        ({"rules": {"suspect-call": {"zzz": 1}}}, "it has no options"),
        ({"rules": {"bad-call": {"limit": "x"}}}, "rules.bad-call.limit: expected an integer, got 'x'"),
        ({"rules": {"bad-call": {"limit": True}}}, "expected an integer, got True"),
        ({"rules": {"bad-call": {"names": [1]}}}, "expected a list"),
        ({"rules": {"bad-call": {"mode": "lax"}}}, "rules.bad-call.mode: expected 'plain' or 'strict', got 'lax'"),
        ({"rules": {"bad-call": {"marks": ["x", "z"]}}}, "expected a list of 'x' or 'y', got"),
    ],
)
def test_unknown_rules_and_options(sample, more, message):
    with pytest.raises(ConfigError, match=f"kernlint.toml: {message}" if "rules" not in more else message):
        Selection(sample, Config(path="kernlint.toml", **more))


def test_options_reach_the_rule(sample):
    given = {"limit": 7, "names": ["a", "b"], "mode": "strict", "marks": ["y"]}
    selection = Selection(sample, Config(rules={"TST101": given}))
    options = selection.rules_for("a.cu")[0].options
    assert (options.name, options.limit, options.names) == ("bad", 7, ("a", "b"))
    assert (options.mode, options.marks) == ("strict", ("y",))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[rules.other]\nlimit = 1\n\n[rules.bad-call]\nname = 'n'\nlimit = 'x'\n", 6),
        ("[rules]\nbad-call = { name = 'n', limit = 'x' }\n", 2),
        ("rules.bad-call.limit = 'x'\n", 1),
        ("[rules.bad-call]\nnames = []\nlimt = 1\n", 3),
    ],
)
def test_a_wrong_option_is_told_with_its_line(sample, tmp_path, text, line):
    settings = tmp_path / "kernlint.toml"
    settings.write_text(text.replace("[rules.other]", "[rules.suspect-call]").replace("limit = 1\n\n", "\n\n"))
    table = config.parse_toml(str(settings), settings.read_text())["rules"]
    with pytest.raises(ConfigError, match=rf"kernlint.toml:{line}: rules.bad-call"):
        Selection(sample, Config(path=str(settings), rules=table))
