from __future__ import annotations

import json
import os
import stat
from xml.etree import ElementTree

import pytest

from kernlint import report as reports
from kernlint.report import View, render, shown_path, write
from tests.report.fixtures import make


@pytest.fixture
def report(sample, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return make(sample, str(tmp_path))


def test_json(report):
    whole = json.loads(render("json", report, View()))
    assert whole["version"] == 1
    counts = {"files": 1, "failed": 1, "kernels": 1, "partial": 1, "missed": 0, "raceless": 0}
    assert whole["summary"] == {**counts, "seconds": 0.214, "gaps": [], "unreached": 0}
    hidden, race, _, _ = whole["findings"]
    assert hidden["suppressed"] == {"kind": "inSource", "justification": "checked by hand"}
    assert (race["file"], race["line"], race["column"], race["end_column"]) == ("src/a stencil.cu", 8, 12, 33)
    assert race["witness"]["steps"][0]["thread"] == [32, 0, 0] and race["witness"]["values"] == {"n": 64}
    assert race["related"][0]["line"] == 6 and race["suppressed"] is None
    assert race["fix"]["edits"][0]["text"] == "\n    __syncthreads();"
    assert whole["notifications"][2] == {
        "level": "error",
        "kind": "unreadable-file",
        "message": "does not exist",
        "file": "/elsewhere/b.cu",
    }


def test_github(report):
    lines = render("github", report, View()).splitlines()
    assert lines[0] == (
        "::error file=src/a stencil.cu,line=8,endLine=8,title=TST101 bad-call,col=12,endColumn=33"
        "::tile is read before the barrier that publishes it%0Asrc/a stencil.cu:6: tile[threadIdx.x] is written"
    )
    assert [line.split(" ")[0] for line in lines] == ["::error", "::warning", "::notice", "::error", "::error"]


def test_no_format_of_another_name(report):
    with pytest.raises(ValueError, match="no format is called 'xml'"):
        render("xml", report, View())


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "out.sarif"
    path.write_text("old")
    write("new \N{SNOWMAN}\n", str(path))
    assert path.read_text(encoding="utf-8") == "new \N{SNOWMAN}\n"
    umask = os.umask(0o022)
    os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask

    def fail(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="No space"):
        write("newer", str(path))
    assert path.read_text(encoding="utf-8") == "new \N{SNOWMAN}\n" and os.listdir(tmp_path) == ["out.sarif"]


def test_a_device_is_written_to_and_not_replaced():
    write("x", os.devnull)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_paths_are_shown_from_the_root():
    assert shown_path("/a/b/c.cu", "/a") == "b/c.cu"
    assert shown_path("/a/b/c.cu", "/x") == "/a/b/c.cu"


def test_timings_are_listed_longest_first(check):
    report = check({"a.cu": "__global__ void k() { bad(); }"})
    names = [line.split("  ")[-1].strip() for line in reports.timings(report).splitlines()]
    assert {"front end", "read", "rule bad-call", "analysis sample calls"} <= set(names) and names[-1] == "whole run"


def test_json_lines(report):
    rows = [json.loads(line) for line in render("json-lines", report, View()).splitlines()]
    assert rows == json.loads(render("json", report, View()))["findings"]


GITLAB = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "additionalProperties": False,
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{40}$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "pattern": "^(?!\\./)"},
                    "lines": {"type": "object", "required": ["begin"], "properties": {"begin": {"type": "integer"}}},
                },
            },
        },
    },
}
"""What GitLab's documentation asks of a code quality report."""


def test_gitlab(report):
    import jsonschema

    issues = json.loads(render("gitlab", report, View()))
    jsonschema.validate(issues, GITLAB)
    assert [i["severity"] for i in issues] == ["major", "minor", "info"]
    assert issues[0]["location"] == {"path": "src/a stencil.cu", "lines": {"begin": 8, "end": 8}}
    assert len({i["fingerprint"] for i in issues}) == 3


def test_junit(report):
    root = ElementTree.fromstring(render("junit", report, View()))
    assert (
        root.tag == "testsuites"
        and root.get("tests") == "5"
        and root.get("failures") == "3"
        and root.get("errors") == "2"
    )
    suites = {s.get("name"): s for s in root}
    first = suites["src/a stencil.cu"][0]
    assert first.get("name") == "TST101 bad-call 8:12"
    failure = first.find("failure")
    assert failure is not None and failure.get("message") == "tile is read before the barrier that publishes it"
    assert [e.get("message") for e in suites["/elsewhere/b.cu"].iter("error")] == ["does not exist"]
    for suite in root:
        assert int(suite.get("tests", "")) == len(suite)
        assert int(suite.get("failures", "")) == len(list(suite.iter("failure")))


JUNIT = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:simpleType name="seconds"><xs:restriction base="xs:string">
    <xs:pattern value="(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\\.[0-9]*)?"/>
  </xs:restriction></xs:simpleType>
  <xs:complexType name="reason" mixed="true">
    <xs:attribute name="type" type="xs:string"/><xs:attribute name="message" type="xs:string"/>
  </xs:complexType>
  <xs:complexType name="case">
    <xs:choice minOccurs="0" maxOccurs="unbounded">
      <xs:element name="failure" type="reason"/><xs:element name="error" type="reason"/>
      <xs:element name="skipped" type="reason"/>
      <xs:element name="system-out" type="xs:string"/><xs:element name="system-err" type="xs:string"/>
    </xs:choice>
    <xs:attribute name="name" type="xs:string" use="required"/><xs:attribute name="classname" type="xs:string"/>
    <xs:attribute name="time" type="xs:string"/><xs:attribute name="group" type="xs:string"/>
  </xs:complexType>
  <xs:complexType name="suite">
    <xs:sequence><xs:element name="testcase" type="case" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
    <xs:attribute name="name" type="xs:string" use="required"/>
    <xs:attribute name="tests" type="xs:string" use="required"/>
    <xs:attribute name="failures" type="xs:string" use="required"/>
    <xs:attribute name="errors" type="xs:string" use="required"/>
    <xs:attribute name="skipped" type="xs:string"/><xs:attribute name="time" type="seconds"/>
    <xs:attribute name="file" type="xs:string"/><xs:attribute name="package" type="xs:string"/>
  </xs:complexType>
  <xs:element name="testsuites"><xs:complexType>
    <xs:sequence><xs:element name="testsuite" type="suite" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
    <xs:attribute name="name" type="xs:string"/><xs:attribute name="time" type="seconds"/>
    <xs:attribute name="tests" type="xs:string"/><xs:attribute name="failures" type="xs:string"/>
    <xs:attribute name="errors" type="xs:string"/>
  </xs:complexType></xs:element>
</xs:schema>"""
"""What Jenkins takes of JUnit's format, the strictest of its readers; a file of theirs is named by JUNIT_XSD."""


def test_junit_by_its_schema(report, check):
    import xmlschema

    schema = xmlschema.XMLSchema(os.environ.get("JUNIT_XSD") or JUNIT)
    for one in (report, check({"clean.cu": "__global__ void k() {}"}), check({"a&b<\x01>.cu": "__global__ void k();"})):
        schema.validate(render("junit", one, View()))
    with pytest.raises(xmlschema.XMLSchemaValidationError):
        schema.validate('<testsuites><testsuite name="x"/></testsuites>')


def test_junit_by_a_reader(report, tmp_path):
    import junitparser

    path = tmp_path / "junit.xml"
    write(render("junit", report, View()), str(path))
    read = junitparser.JUnitXml.fromfile(str(path))
    assert (read.tests, read.failures, read.errors) == (5, 3, 2)
    cases = [case for suite in read for case in suite]
    kinds = sorted(type(result).__name__ for case in cases for result in case.result)
    assert kinds == ["Error", "Error", "Failure", "Failure", "Failure"]
    assert cases[0].result[0].message == "tile is read before the barrier that publishes it"


def test_checkstyle(report):
    root = ElementTree.fromstring(render("checkstyle", report, View()))
    (file,) = root
    assert root.tag == "checkstyle" and file.get("name") == "src/a stencil.cu"
    rows = [(e.get("line"), e.get("column"), e.get("severity"), e.get("source")) for e in file]
    assert rows[0] == ("8", "12", "error", "kernlint.TST101.bad-call")
    assert [row[2] for row in rows] == ["error", "warning", "info"]


def test_odd_characters_do_no_harm_in_xml(check):
    report = check({"a&b<\x01>.cu": "__global__ void k() { bad(); }"})
    for format in ("junit", "checkstyle"):
        (file, *_) = ElementTree.fromstring(render(format, report, View()))
        assert file.get("name") == "a&b<\N{REPLACEMENT CHARACTER}>.cu"


def test_markdown(report):
    lines = render("markdown", report, View()).splitlines()
    assert lines[0] == "## kernlint" and "1 error, 1 warning, 1 note (1 ignored)" in lines[2]
    assert lines[6] == (
        "| error | TST101 bad-call | src/a stencil.cu:8 | blur | tile is read before the barrier that publishes it |"
    )
    assert r"read \[here\]" in lines[8] and lines[10] == "- src/a stencil.cu: error: rule bad-call crashed"


@pytest.mark.parametrize("format", reports.FORMATS)
def test_every_format_takes_an_empty_report(check, format):
    report = check({"a.cu": "__global__ void k() { good(); }"})
    assert render(format, report, View(color="never")) or format in ("json-lines", "github")


@pytest.mark.parametrize("name", ["github", "gitlab"])
def test_paths_of_forges_begin_at_the_root_of_the_work_tree(sample, tmp_path, monkeypatch, name):
    (tmp_path / ".git").mkdir()
    (tmp_path / "lib").mkdir()
    monkeypatch.chdir(tmp_path / "lib")
    text = render(name, make(sample, str(tmp_path / "lib")), View())
    assert "lib/src/a stencil.cu" in text
    assert text.count("src/a stencil.cu") == text.count("lib/src/a stencil.cu")


def test_agent(report):
    first, second, *_ = render("agent", report, View()).split("\n\n")
    lines = first.splitlines()
    assert lines[:4] == [
        "error TST101 bad-call",
        "at src/a stencil.cu:8:12 kernel blur",
        "says tile is read before the barrier that publishes it",
        "code tile[threadIdx.x + 1]",
    ]
    assert "counterexample block (64), grid (1), n = 64, replayed" in lines
    assert "step src/a stencil.cu:6:5 thread 32 writes tile[32]" in lines
    assert 'edit src/a stencil.cu:6:30-6:30 "\\n    __syncthreads();"' in lines
    assert lines[-1] == "check kernlint check --select TST101 --format agent 'src/a stencil.cu'"
    assert second.startswith("warning ")
    assert render("agent", report, View()).splitlines()[-1].startswith("summary ")
