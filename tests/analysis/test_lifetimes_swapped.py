"""Objects that get what another one held by swaps, through references and by-value parameters."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.device_memory_leak import DeviceMemoryLeak
from kernlint_rules.launch.device_use_after_free import DeviceUseAfterFree

from tests.rules.marked import findings

OWNER = """
#include <utility>
class Block {
public:
    float *p = nullptr;
    explicit Block(size_t n) { cudaMalloc(&p, n); }
    MEMBERS
    ~Block() { if (p) cudaFree(p); }
};
void run() {
    Block a(3), b(4);
    USE
}
"""
MOVE = "Block(Block &&o) noexcept : p(o.p) { o.p = nullptr; }"
KEEPS = "Block(Block &&o) noexcept : p(o.p) {}"
SWAP = "friend void swap(Block &x, Block &y) noexcept { std::swap(x.p, y.p); }"
TEMPORARY = (
    "Block &operator=(Block &&o) { Block(std::move(o)).swap(*this); return *this; } void swap(Block &o) { SWAPPED }"
)


@pytest.mark.parametrize(
    ("members", "use", "told"),
    [
        (f"{MOVE} Block &operator=(Block o) {{ std::swap(p, o.p); return *this; }}", "a = std::move(b);", ""),
        (f"{KEEPS} Block &operator=(Block o) {{ std::swap(p, o.p); return *this; }}", "a = std::move(b);", "KL613"),
        (f"{MOVE} void take(Block o) {{ std::swap(p, o.p); }}", "a.take(std::move(b));", ""),
        (f"{KEEPS} void take(Block o) {{ std::swap(p, o.p); }}", "a.take(std::move(b));", "KL613"),
        (f"{SWAP} Block(Block &&o) {{ swap(*this, o); }}", "Block c(std::move(a));", ""),
        (f"{MOVE} {TEMPORARY.replace('SWAPPED', 'std::swap(p, o.p);')}", "a = std::move(b);", ""),
        (
            f"{MOVE} Block &operator=(Block &&o) {{ p = o.p; o.p = nullptr; return *this; }}",
            "a = std::move(b);",
            "KL608",
        ),
    ],
)
def test_what_is_swapped(members: str, use: str, told: str) -> None:
    code = OWNER.replace("MEMBERS", members).replace("USE", use)
    found = [rule.meta.code for rule in (DeviceMemoryLeak, DeviceUseAfterFree) if findings(rule, code)]
    assert found == ([told] if told else [])


def test_a_reference_ends_nothing() -> None:
    code = OWNER.replace("MEMBERS", f"{SWAP} Block(Block &&o) {{ swap(*this, o); }}").replace("USE", "")
    assert not findings(DeviceMemoryLeak, code)
    left = code.replace("~Block() { if (p) cudaFree(p); }", "").replace("    \n}", "    Block c(std::move(a));\n}")
    assert findings(DeviceMemoryLeak, left)
