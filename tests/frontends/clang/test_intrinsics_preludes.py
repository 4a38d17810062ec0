"""The tables know what the package's own headers declare for device code."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePath

import pytest

from kernlint.frontends.clang import prelude
from kernlint.frontends.clang.cursor import Cursor
from kernlint.frontends.clang.intrinsics import FREE_FUNCTIONS, TRAPS, collectives, groups, matrices, objects
from kernlint.frontends.clang.intrinsics.effects import KNOWN_WRITES
from kernlint.frontends.clang.kinds import CursorKind
from kernlint.frontends.clang.options import Language, ParseOptions
from kernlint.frontends.clang.session import parse

PRELUDES = Path(prelude.FOLDER)

# Headers with device functions, and the namespace that holds them.
PLACES = {
    ("intrinsics.h", ""): None,
    ("sync.h", ""): None,
    ("math.h", ""): None,
    ("half.h", ""): None,
    ("vectors.h", ""): None,
    ("textures.h", ""): None,
    ("complex.h", ""): None,
    ("random.h", ""): None,
    ("cooperative_groups.h", "cooperative_groups"): groups.FREE,
    ("libcudacxx.h", "cuda"): objects.FREE,
    ("libcudacxx.h", "cuda::ptx"): objects.FREE,
    ("wmma.h", "nvcuda::wmma"): matrices.FREE,
    ("cub.h", "cub"): collectives.FREE,
}

# Left to the evidence of their arguments and names: they touch memory in ways that no node describes.
LEFT = frozenset(
    """reduce_update_async barrier_native_handle ceil_div mbarrier_init get_sreg_warpid fence_proxy_async
    fence_mbarrier_init cp_async_bulk cp_async_bulk_tensor cp_async_bulk_commit_group cp_async_bulk_wait_group
    cp_async_bulk_wait_group_read LoadDirectBlocked LoadDirectStriped StoreDirectBlocked StoreDirectStriped
    ThreadReduce""".split()  # noqa: SIM905
)
# Of which the body is followed.
FOLLOWED = frozenset({"proclaim_return_type"})
# Host functions of the random library.
HOST = (
    *("Generator", "Generate", "SetPseudoRandom", "CreateGen", "DestroyGen", "SetGen", "SetQuasiRandom", "SetStream"),
    *("GetDirectionVectors", "GetScrambleConstants", "GetVersion", "GetProperty"),
)


def functions(parent: Cursor, namespace: tuple[str, ...] = ()) -> Iterator[tuple[str, str, str]]:
    """(header, namespace, name) of every function below ``parent``."""
    for child in parent.children:
        if child.kind == CursorKind.NAMESPACE:
            yield from functions(child, (*namespace, child.spelling))
        elif child.kind in (CursorKind.LINKAGE_SPEC, CursorKind.UNEXPOSED_DECL):
            yield from functions(child, namespace)
        elif child.kind in (CursorKind.FUNCTION_DECL, CursorKind.FUNCTION_TEMPLATE):
            yield PurePath(child.location.file).name, "::".join(namespace), child.spelling


@pytest.fixture(scope="module", params=[Language.CUDA, Language.HIP])
def declared(request: pytest.FixtureRequest) -> set[tuple[str, str, str]]:
    stubs = {header for header, namespace in PLACES if (PRELUDES / "stubs" / header).exists()}
    text = "".join(f'#include "{PRELUDES / "stubs" / header}"\n' for header in sorted(stubs))
    with parse("all.cu", text.encode(), request.param, ParseOptions(), use_cache=False) as result:
        return set(functions(result.unit.root()))


def test_every_device_function_is_known(declared: set[tuple[str, str, str]]) -> None:
    seen: set[tuple[str, str]] = set()
    unknown = set()
    for header, namespace, name in declared:
        if (header, namespace) not in PLACES or name.startswith(("operator", "__kl", "<")):
            continue
        seen.add((header, namespace))
        local = PLACES[header, namespace]
        known = (local is not None and name in local) or name in FREE_FUNCTIONS or name in FOLLOWED or name in TRAPS
        if not known and name not in KNOWN_WRITES and name not in LEFT and not any(word in name for word in HOST):
            unknown.add(f"{header}: {namespace}::{name}")
    assert not unknown
    # Each header was really looked at.
    assert seen == set(PLACES)
