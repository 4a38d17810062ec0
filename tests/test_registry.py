from __future__ import annotations

import importlib
import os
import sys
import textwrap
from importlib.metadata import entry_points

import pytest

from kernlint import packs, registry
from kernlint.registry import RegistryError, UnknownRule

PAGE = '"""T.\n\n```cuda bad\nx // expect: KL101\n```\n```cuda good\nx\n```\n"""'


@pytest.fixture
def pack(tmp_path, monkeypatch):
    """Writes a pack of the given modules and collects it."""
    monkeypatch.syspath_prepend(str(tmp_path))
    made = []

    def build(**modules):
        name = f"pack_{tmp_path.name}_{len(made)}".replace("-", "_")
        made.append(name)
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
        for module, text in modules.items():
            head = (
                "from dataclasses import dataclass\n"
                "from kernlint.analysis.base import Analysis\nfrom kernlint.finding import Severity\n"
                "from kernlint.rule import Meta, ModuleRule, Rule\n"
            )
            (tmp_path / name / f"{module}.py").write_text(head + textwrap.dedent(text))
        importlib.invalidate_caches()
        return registry.collect([importlib.import_module(name)])

    yield build
    for name in list(sys.modules):
        if name.startswith("pack_"):
            del sys.modules[name]


def rule(code="KL101", name="some-fault", page=PAGE, check="def check(self, facts): yield from ()", extra="pass"):
    head = f"class Some(Rule):\n    {page}\n    meta = Meta({code!r}, {name!r}, Severity.ERROR)\n"
    return f"{head}    {check}\n    {extra}\n"


def test_a_pack_is_walked(sample):
    assert [(r.meta.code, sample.families[r.meta.code]) for r in sample.rules] == [
        ("TST101", "calls"),
        ("TST102", "calls"),
    ]


def test_a_bad_example_without_a_mark_is_told_with_its_rule(pack):
    page = PAGE.replace("// expect: KL101", "")
    with pytest.raises(RegistryError, match=r"Some: example 1 is bad but marks no line"):
        pack(one=rule(page=page))


def test_rules_at_the_top_of_a_pack_have_its_name_as_family(pack):
    found = pack(one=rule())
    assert list(found.families) == ["KL101"] and found.families["KL101"].startswith("pack-")


@pytest.mark.parametrize(
    ("modules", "message"),
    [
        ({"one": rule(code="X1")}, "code 'X1' is not letters and three digits"),
        ({"one": rule(name="Some Fault")}, "name 'Some Fault' is not kebab-case"),
        ({"one": rule(code="KL001")}, "belongs to kernlint itself"),
        ({"one": rule(page='"""T."""')}, "no bad example"),
        ({"one": rule(check="pass")}, "does not define check"),
        ({"one": rule(extra="meta = None")}, "has no meta"),
        ({"one": rule(extra="Options = dict")}, "not a frozen dataclass"),
        ({"one": "@dataclass(frozen=True)\nclass O:\n    x: int\n" + rule(extra="Options = O")}, "needs a default"),
        ({"one": rule(extra="needs = ('values',)")}, "not an analysis"),
        ({"one": rule(), "two": rule(name="other")}, "are both called KL101"),
        ({"one": rule(), "two": rule(code="KL102")}, "are both called some-fault"),
        ({"one": "import nothing_of_that_name"}, "one cannot be imported: ModuleNotFoundError"),
        (
            {"one": rule(check="def check_module(self, facts): yield from ()").replace("(Rule)", "(ModuleRule)")
             + "    needs = (Analysis('k', len),)\n"},
            "must be file-level",
        ),
    ],
)  # fmt: skip
def test_a_broken_pack_says_what_is_wrong(pack, modules, message):
    with pytest.raises(RegistryError, match=message):
        pack(**modules)


def test_selectors(sample):
    codes = lambda selector: [r.meta.code for r in sample.matching(selector)]  # noqa: E731
    assert codes("ALL") == codes("TST") == codes("tst1") == codes("calls") == ["TST101", "TST102"]
    assert codes("TST102") == codes("suspect-call") == codes(" Suspect-Call ") == ["TST102"]
    assert codes("KL001") == codes("unused-suppression") == []
    with pytest.raises(UnknownRule, match="did you mean suspect-call"):
        sample.matching("suspct-call")
    with pytest.raises(UnknownRule, match="did you mean calls"):
        sample.matching("cals")
    with pytest.raises(UnknownRule, match="see: kernlint rules"):
        sample.matching("zzzzzz")
    with pytest.raises(UnknownRule, match=r"did you mean TST101\?"):
        sample.get("TST110")


def test_a_code_that_is_none_names_one_a_slip_away_or_how_codes_begin(sample):
    for wrong in ("TST1022", "TST122", "TTS102", "tst12"):
        with pytest.raises(UnknownRule, match=r"did you mean [^?]*TST102"):
            sample.matching(wrong)
    for wrong in ("TST9x", "KL9", "TST255", "T1"):
        with pytest.raises(UnknownRule, match=r"; codes begin with TST1 \(calls\)$"):
            sample.matching(wrong)


def test_the_built_in_pack_is_found_by_its_entry_point():
    assert ("builtin", "kernlint_rules") in packs.installed()
    assert packs.installed() == sorted({(e.name, e.value) for e in entry_points(group=packs.GROUP)})
    loaded = registry.load()
    codes = [r.meta.code for r in loaded.rules]
    assert codes == sorted(codes) and all(r.__module__.startswith("kernlint_rules.") for r in loaded.rules)


def test_packs_installed_meanwhile_are_found(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(tmp_path))
    for number, name in enumerate(("one", "two"), 1):
        (tmp_path / f"{name}-1.dist-info").mkdir()
        (tmp_path / f"{name}-1.dist-info" / "entry_points.txt").write_text(f"[{packs.GROUP}]\n{name} = pack_{name}\n")
        os.utime(tmp_path, ns=(number * 10**9, number * 10**9))
        assert (name, f"pack_{name}") in packs.installed()
