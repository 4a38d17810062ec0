"""The harness itself: right examples pass, wrong ones do not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kernlint.policy.config import ConfigError
from kernlint.testing import Case, check_example, examples
from tests.minimal import MinimalFrontend


def test_the_sample_packs_examples_hold(sample):
    for rule in sample.rules:
        for example in examples(rule):
            check_example(rule, example, MinimalFrontend())


@pytest.mark.parametrize(
    ("code", "expected", "message"),
    [
        ("__global__ void k() {\n bad();\n}", (), "line 2: TST101 is not expected: error: bad is called"),
        ("__global__ void k() {\n good();\n}", ((2, "TST101"),), "line 2: TST101 is expected and not found"),
        ("__global__ void k() {\n bad();\n}", ((1, "TST101"),), "line 1: TST101 is expected and not found"),
        ("__global__ void k(...) {}", (), "kernel k is not analysed"),
        ("// front end: crash", (), "the front end is broken"),
    ],
)
def test_a_wrong_example_is_told(sample, code, expected, message):
    rule = sample.get("bad-call")
    example = replace(examples(rule)[0], code=code, expected=expected)
    with pytest.raises(AssertionError, match=message):
        check_example(rule, example, MinimalFrontend())


def test_settings_reach_the_front_end_and_a_crash_is_told(sample):
    rule = sample.get("suspect-call")
    frontend = MinimalFrontend()
    example = replace(examples(rule)[1], settings=(("define", "N=3"), ("block", "64"), ("target", "h100")))
    check_example(rule, example, frontend)
    assert frontend.seen[0][1].defines == ("N=3",) and frontend.seen[0][1].target == "sm_90"
    with pytest.raises(AssertionError, match="crashed on kernel k"):
        check_example(rule, replace(example, code="__global__ void k() { crash(); }"), frontend)
    with pytest.raises(AssertionError, match="unknown setting 'speed'"):
        check_example(rule, replace(example, settings=(("speed", "9"),)), frontend)


def test_options_of_an_example_reach_the_rule(sample):
    rule = sample.get("bad-call")
    code = "__global__ void k() {\n worse();\n}"
    settings = (("option.name", '"worse"'), ("option.names", '["a"]'))
    check_example(
        rule, replace(examples(rule)[0], code=code, expected=((2, "TST101"),), settings=settings), MinimalFrontend()
    )
    with pytest.raises(ConfigError, match="bad-call has no option depth"):
        check_example(rule, replace(examples(rule)[0], settings=(("option.depth", "1"),)), MinimalFrontend())


def test_a_case_has_a_readable_name(sample):
    rule = sample.get("bad-call")
    assert str(Case(rule, examples(rule)[0])) == "TST101-bad-call-cuda-bad-1"
