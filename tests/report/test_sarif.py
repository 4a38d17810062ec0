from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from kernlint.report import View, render
from tests.report.fixtures import DATA, make


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a stencil.cu").write_bytes(DATA)
    return tmp_path


@pytest.fixture
def log(sample, root):
    return json.loads(render("sarif", make(sample, str(root)), View(exit_code=2)))


@pytest.fixture
def run(log):
    return log["runs"][0]


def text_at(region):
    """What a SARIF viewer marks: columns count UTF-16 code units."""
    lines = DATA.decode().split("\n")
    assert region["startLine"] == region["endLine"]
    line = lines[region["startLine"] - 1].encode("utf-16-le")
    return line[2 * (region["startColumn"] - 1) : 2 * (region["endColumn"] - 1)].decode("utf-16-le")


def test_results_point_where_they_mean(run):
    regions = [r["locations"][0]["physicalLocation"]["region"] for r in run["results"]]
    expected = ["x[i]", "tile[threadIdx.x + 1]", "__syncthreads()", "the_last_one[threadIdx.x]"]
    assert [text_at(r) for r in regions] == expected == [r["snippet"]["text"] for r in regions]
    assert regions[2]["startColumn"] == len("    /* ## */ ") + 1  # a surrogate pair stands before it


def test_uris_are_relative_to_the_source_root(run, root):
    base = run["originalUriBaseIds"]["SRCROOT"]["uri"]
    assert base == root.as_uri() + "/"
    place = run["results"][1]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place == {"uri": "src/a%20stencil.cu", "uriBaseId": "SRCROOT", "index": 0}
    assert [a["location"] for a in run["artifacts"]] == [
        {"uri": "src/a%20stencil.cu", "uriBaseId": "SRCROOT"},
        {"uri": "file:///elsewhere/b.cu"},
    ]


def test_the_source_root_is_the_git_work_tree(sample, root, monkeypatch):
    (root / ".git").mkdir()
    monkeypatch.chdir(root / "src")
    report = make(sample, str(root / "src"))
    run = json.loads(render("sarif", report, View()))["runs"][0]
    assert run["originalUriBaseIds"]["SRCROOT"]["uri"] == root.as_uri() + "/"
    assert run["artifacts"][0]["location"]["uri"] == "src/src/a%20stencil.cu"  # paths are of the folder run in


def test_rules_carry_their_page(run):
    driver = run["tool"]["driver"]
    assert [(r["id"], r["name"]) for r in driver["rules"]] == [("TST101", "bad-call"), ("TST102", "suspect-call")]
    first = driver["rules"][0]
    assert first["shortDescription"]["text"] == "A kernel calls bad."
    assert first["fullDescription"]["text"] == "Calling bad is bad."
    assert "```cuda\n" in first["help"]["markdown"] and "`" not in first["help"]["text"]
    assert first["defaultConfiguration"]["level"] == "error"
    assert first["properties"]["problem.severity"] == "error" and first["properties"]["precision"] == "high"
    assert first["properties"]["tags"] == ["gpu", "calls", "SAMPLE-1"]
    for result in run["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]


def test_levels_and_fingerprints(run):
    assert [r["level"] for r in run["results"]] == ["error", "error", "warning", "note"]
    assert [r["partialFingerprints"]["kernlint/v1"] for r in run["results"]] == ["f0", "f1", "f2", "f3"]


def test_a_witness_is_one_thread_flow_per_gpu_thread(run):
    (flow,) = run["results"][1]["codeFlows"]
    said = [
        (f["id"], [(x["executionOrder"], x["location"]["message"]["text"]) for x in f["locations"]])
        for f in flow["threadFlows"]
    ]
    assert said == [
        ("block (0, 0, 0) thread (32, 0, 0)", [(1, "thread 32 writes tile[32]")]),
        ("block (0, 0, 0) thread (31, 0, 0)", [(2, "thread 31 reads tile[32]; no barrier in between")]),
    ]
    assert flow["message"]["text"] == "block (64), grid (1), n = 64, replayed"


def test_the_message_links_to_its_related_places(run):
    result = run["results"][1]
    assert result["message"]["text"] == (
        "In kernel blur: tile is read before the barrier that publishes it. "
        r"See [tile\[threadIdx.x\] is written](1) (line 6). "
        "Witness: block (64), grid (1), n = 64, replayed. Assuming: x and y do not overlap. "
        "Fix: __syncthreads() after line 6."
    )
    (related,) = result["relatedLocations"]
    assert related["id"] == 1 and text_at(related["physicalLocation"]["region"]) == "tile[threadIdx.x]"
    assert run["results"][3]["message"]["text"] == r"In kernel blur: read \[here\]."


def test_edits_become_fixes(run):
    (change,) = run["results"][1]["fixes"][0]["artifactChanges"]
    (replacement,) = change["replacements"]
    assert replacement["insertedContent"]["text"] == "\n    __syncthreads();"
    region = replacement["deletedRegion"]
    assert (region["startLine"], region["startColumn"], region["endColumn"]) == (6, 30, 30)


def test_suppressed_results_keep_their_reason(run):
    assert [bool(r.get("suppressions")) for r in run["results"]] == [True, False, False, False]
    (suppression,) = run["results"][0]["suppressions"]
    assert (suppression["kind"], suppression["justification"]) == ("inSource", "checked by hand")


def test_what_happened_to_the_tool(run):
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is True and invocation["exitCode"] == 2
    said = [(n["level"], n["descriptor"]["id"]) for n in invocation["toolExecutionNotifications"]]
    assert said == [("error", "rule-crash"), ("note", "partial-kernel"), ("error", "unreadable-file")]
    assert invocation["toolExecutionNotifications"][0]["associatedRule"] == {"id": "TST101", "index": 0}


def test_the_log_says_what_it_is(log, run):
    assert log["version"] == "2.1.0" and log["$schema"].endswith("sarif-schema-2.1.0.json")
    assert run["columnKind"] == "utf16CodeUnits" and run["automationDetails"]["id"] == "kernlint/"


def multitool() -> str | None:
    """The validator of the SARIF SDK: ``$SARIF_MULTITOOL``, or one on the path."""
    return os.environ.get("SARIF_MULTITOOL") or shutil.which("sarif-multitool") or shutil.which("Sarif.Multitool")


@pytest.mark.skipif(multitool() is None, reason="sarif-multitool is not installed (set SARIF_MULTITOOL)")
def test_the_validator_has_no_complaint(sample, root):
    """The multitool holds the OASIS schema; it exits 0 whatever it finds, so its own log is read."""
    path = root / "log.sarif"
    path.write_text(render("sarif", make(sample, str(root)), View()), encoding="utf-8")
    assert complaints(path) == []
    broken = json.loads(path.read_text(encoding="utf-8"))
    broken["runs"][0]["results"][0]["bogus"] = 1
    path.write_text(json.dumps(broken), encoding="utf-8")
    assert complaints(path) != []


def complaints(path: Path) -> list[str]:
    out = path.with_suffix(".validation.sarif")
    command = [str(multitool()), "validate", "--rule-kind", "Sarif;Ghas", str(path)]
    env = {**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"}
    command += ["--output", str(out), "--log", "ForceOverwrite"]
    subprocess.run(command, env=env, check=True, capture_output=True, timeout=300)
    found = json.loads(out.read_text(encoding="utf-8-sig"))["runs"][0]["results"]
    loud = [r for r in found if r.get("level", "warning") in ("error", "warning")]
    # SARIF2005 wants a page about the tool on the web, which is the publisher's to name.
    return [f"{r['ruleId']}: {r['message']}" for r in loud if r["ruleId"] != "SARIF2005"]


def test_a_file_is_one_artifact_however_its_path_is_written(sample, root):
    report = make(sample, str(root))
    again = replace(report.notifications[0], path=os.path.join("src", os.pardir, "src", "a stencil.cu"), span=None)
    log = json.loads(render("sarif", replace(report, notifications=(*report.notifications, again)), View()))
    artifacts = [json.dumps(one) for one in log["runs"][0]["artifacts"]]
    assert len(artifacts) == len(set(artifacts)) == 2
