"""Arguments of a kernel that one function sets and another one launches with: each is judged by itself."""

from __future__ import annotations

import os
from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.hostmodel.settings import Setting
from kernlint.analysis.launching.launches import host


def set_alone(facts: Facts) -> Iterator[Setting]:
    """The settings in sight of arguments of the kernel of ``facts``, by handles that were looked up by its name."""
    name = facts.kernel.name
    if sum(kernel.name == name for kernel in facts.module.kernels) > 1:
        return
    elsewhere = facts.module_facts.hosts_of(name)
    definers = facts.module_facts.definers_of(name) if elsewhere else ()
    for other in dict.fromkeys((facts.module_facts, *elsewhere)):
        if other is not facts.module_facts and os.path.abspath(other.module.path) in definers:
            continue
        yield from (one for of, one in other[host].settings if of == name)
