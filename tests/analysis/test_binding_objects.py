"""What objects of OpenCL's C++ bindings are passed as."""

from types import SimpleNamespace

import pytest

from kernlint.analysis.hostmodel.settings import HANDLE, _of_value
from kernlint.tree.types import I8, StructType


@pytest.mark.parametrize(
    ("name", "bytes_"), [("cl::BufferGL", HANDLE), ("cl::Image2DArray", HANDLE), ("Buffer", HANDLE), ("Pair", 1)]
)
def test_objects_of_the_bindings_are_handles(name: str, bytes_: int) -> None:
    kind = StructType(name, (), 1)
    node = SimpleNamespace(args=(SimpleNamespace(type=I8), SimpleNamespace(type=kind)))
    api = SimpleNamespace(node=node, args=(None, None), span=None)
    setting = _of_value(api, 0, 1)
    assert setting.size is not None and setting.size.value == bytes_
