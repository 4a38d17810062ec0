from __future__ import annotations

import os
from dataclasses import replace

import pytest

from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.run.engine import Engine
from kernlint.run.parallel import Work, processes
from tests.minimal import MinimalFrontend


def square_or_die(index: int) -> int:
    if index == 3:
        os._exit(11)
    return index * index


def test_a_process_that_dies_costs_its_item_alone():
    assert Work(square_or_die, lambda index: -1, 8).results(2) == [0, 1, 4, -1, 16, 25, 36, 49]


def test_an_exception_is_not_swallowed():
    with pytest.raises(ZeroDivisionError):
        Work(lambda index: 1 // index, lambda index: 0, 3).results(2)


def test_how_many():
    assert processes(None, 5) == 1 and processes(4, 2) == 2 and processes(1, 100) == 1
    assert 1 <= processes(None, 1000) <= (os.cpu_count() or 1)


class Deadly(MinimalFrontend):
    def parse_file(self, source, options):
        if b"die" in source.data:
            os._exit(11)
        return super().parse_file(source, options)


def test_the_report_does_not_depend_on_the_number_of_processes(sample, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for number in range(30):
        text = f"__global__ void k{number}() {{ {'bad();' * (number % 3)} {'crash();' * (number % 5 == 0)} lost(); }}"
        (tmp_path / f"f{number}.cu").write_text(text)
    (tmp_path / "f7.cu").write_text("__global__ void k() { bad(); } // kernlint: ignore-file[TST101] why")
    reports = []
    for jobs in (1, 2, 3):
        engine = Engine(sample, Selection(sample, Config()), MinimalFrontend())
        reports.append(engine.run(["."], str(tmp_path), jobs=jobs))
    first, *others = reports
    assert len(first.results) == 30 and first.notifications
    for other in others:
        assert other.results == first.results and other.notifications == first.notifications
        assert replace(other.summary, seconds=0.0) == replace(first.summary, seconds=0.0)
        assert other.timings["front end"] > 0


def test_a_file_that_kills_its_process_is_told(sample, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for number in range(4):
        (tmp_path / f"f{number}.cu").write_text("// die" if number == 2 else "__global__ void k() { bad(); }")
    report = Engine(sample, Selection(sample, Config()), Deadly()).run(["."], str(tmp_path), jobs=2)
    assert [r.finding.span.file for r in report.results] == ["f0.cu", "f1.cu", "f3.cu"]
    assert [(n.path, n.kind) for n in report.notifications] == [("f2.cu", "front-end-failure")]
    assert report.lost
