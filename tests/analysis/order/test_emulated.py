"""The block emulator agrees: a hand-over with all its fences runs without a race, one that lacks them with one."""

from __future__ import annotations

import pytest

from kernlint.frontends.clang.frontend import ClangFrontend
from kernlint.prove.emulate import Budget, Buffer, FaultKind, LaunchSpec, Outcome, run
from kernlint.source import SourceFile
from kernlint.tree.types import PointerType
from tests.analysis.order.twins import PAIRS, twin

SEEDS = (0, 1, 2)

CASES = {
    # file: blocks, threads, what holds nothing at the start, what is raced for
    "base_of_block.cu": (2, 64, (), "sums"),
    "best_of_two_words.cu": (2, 64, (), "best"),
    "block_of_the_instance.cu": (2, 64, (), "rows"),
    "decoupled_packed.cu": (2, 64, (), "aux"),
    "gemm_ring.cu": (2, 64, (), "sb"),
    "helper_scratch_twice.cu": (2, 64, (), "scratch"),
    "hip_release.hip": (3, 256, ("flag",), "table"),
    "last_group_histogram.cl": (4, 64, ("arrived",), "part"),
    "look_back_atomic_ref.cu": (4, 32, ("chain",), "chain"),
    "look_back_scan.cu": (4, 256, ("state",), "prefix"),
    "partials_of_tiles.cu": (2, 64, (), "part"),
    "persistent_queue.cu": (2, 128, ("next",), "tile"),
    "rows_ahead.cu": (2, 64, (), "vhat"),
    "slots_of_a_list.cu": (4, 128, (), "count"),
    "sort_of_one_warp.cu": (4, 32, (), "key"),
    "stage_flags_ptx.cu": (4, 64, ("made",), "mid"),
    "stream_k_fixup.cu": (2, 64, (), "workspace"),
    "thread_that_data_name.cu": (2, 64, (), "share"),
    "turns_in_order.cu": (4, 96, ("gate",), "sum"),
    "two_queues.cu": (1, 256, (), "size"),
}


def outcome(name: str, broken: bool, seed: int) -> Outcome:
    blocks, threads, empty, _ = CASES[name]
    path = PAIRS / name
    source = SourceFile(name, twin(path, broken).encode())
    module = next(module for module in ClangFrontend().parse_file(source) if module.kernels)
    kernel = module.kernels[0].variants[0]
    arguments = {
        parameter.name: Buffer(1 << 16, (lambda _: 0) if parameter.name in empty else None)
        if isinstance(parameter.type, PointerType)
        else 4
        for parameter in kernel.params
    }
    launch = LaunchSpec((threads, 1, 1), (blocks, 1, 1))
    return run(kernel, launch, arguments, Budget(steps=3_000_000, blocks=8), module.language, seed=seed)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", CASES)
def test_correct(name: str, seed: int) -> None:
    found = outcome(name, broken=False, seed=seed)
    assert found.finished and not found.of(FaultKind.RACE)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", CASES)
def test_broken(name: str, seed: int) -> None:
    found = outcome(name, broken=True, seed=seed)
    assert CASES[name][3] in {fault.name for fault in found.of(FaultKind.RACE)}
