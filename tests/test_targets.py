from __future__ import annotations

import pytest

from kernlint.targets import UnknownTarget, aliases, all_targets, common, find


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("sm_80", "sm_80"),
        ("SM_80", "sm_80"),
        ("compute_80", "sm_80"),
        ("8.0", "sm_80"),
        ("sm_90a", "sm_90a"),
        ("compute_120a", "sm_120a"),
        ("sm_100f", "sm_100"),
        ("rtx4090", "sm_89"),
        ("MI50", "gfx906"),
        ("gfx1101", "gfx1101"),
        ("gfx908:sramecc+:xnack-", "gfx908"),
        ("h100", "sm_90"),
        ("RTX 4090", "sm_89"),
        ("mi300x", "gfx942"),
        ("gfx90a", "gfx90a"),
        ("opencl-minimum", "opencl-minimum"),
    ],
)
def test_names_and_aliases(name, target):
    assert find(name).name == target


@pytest.mark.parametrize(
    ("name", "near"), [("sm_81", "sm_8"), ("h10", "h100"), ("gfx941", "gfx942"), ("zzz", "known: sm_50")]
)
def test_an_unknown_target_names_the_nearest(name, near):
    with pytest.raises(UnknownTarget, match=near):
        find(name)


def test_every_alias_leads_somewhere():
    assert all(target in all_targets() for target in aliases().values())


def test_every_figure_has_a_source():
    for target in all_targets().values():
        assert target.vendor in ("nvidia", "amd", "khronos")
        assert all(limit.source for limit in target.limits.values())


def test_unknown_is_none_and_a_misspelt_limit_is_an_error():
    assert find("gfx950").value("max_local_bytes_per_thread") is None
    assert find("opencl-minimum").value("max_allocation_bytes") is None
    assert find("sm_80").value("max_allocation_bytes") is None
    with pytest.raises(KeyError, match="no limit is called"):
        find("sm_80").value("warpsize")


def test_kinds_of_limits():
    target = find("sm_80")
    assert target.value("warp_size") == 32 and target.axes("warp_size") is None
    assert target.axes("max_block_dim") == (1024, 1024, 64) and target.value("max_block_dim") is None
    assert target.compute_capability == (8, 0) and find("sm_120").compute_capability == (12, 0)
    assert find("gfx942").compute_capability is None


def test_what_all_targets_allow():
    name = "static_shared_bytes_per_block"
    assert common(name, [find("sm_80"), find("gfx950")]) == 49152
    assert common(name, [find("gfx950")]) == 163840
    assert common(name, vendor="nvidia") == 49152
    assert common(name, vendor="amd") == 65536
    assert common(name, vendor="khronos") == 32768
    assert common(name) == 49152  # the OpenCL minimum does not count unless asked for
    assert common("max_local_bytes_per_thread", [find("gfx950"), find("sm_80")]) == 524288
    assert common("max_local_bytes_per_thread", [find("gfx950")]) is None


def test_variants_differ_in_what_was_looked_up():
    assert find("sm_90").value("static_shared_bytes_per_block") == 48 * 1024
    assert find("sm_90a").value("static_shared_bytes_per_block") == 227 * 1024
    assert find("sm_120a").value("static_shared_bytes_per_block") == 99 * 1024
    assert find("sm_90a").compute_capability == (9, 0)
    assert find("gfx906").value("warp_size") == 64 and find("gfx906").value("registers_per_thread") is None
    assert common("static_shared_bytes_per_block", vendor="nvidia") == 48 * 1024
