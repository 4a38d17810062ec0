r"""The rule ``unsynchronised-result``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleFacts
from kernlint.analysis.remarks import remarks
from kernlint.finding import Finding, Severity
from kernlint.rule import Meta, ModuleRule


class UnsynchronisedResult(ModuleRule):
    r"""A result that the host reads before the device has written it.

    A launch returns at once. ``copy_to_host`` waits for it, unless it is given a stream: then "the transfer will be
    made asynchronously as part of the given stream", and the array is complete when the stream has been waited for.
    Managed and mapped arrays are written by the kernel itself, and complete when it has been waited for.

    ```python bad
    from numba import cuda

    @cuda.jit
    def twice(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= 2

    def run(host):
        stream = cuda.stream()
        x = cuda.to_device(host, stream=stream)
        twice[(host.size + 127) // 128, 128, stream](x)
        x.copy_to_host(host, stream=stream)
        return host.sum()  # expect: KL811
    ```

    ```python good
    from numba import cuda

    @cuda.jit
    def twice(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= 2

    def run(host):
        stream = cuda.stream()
        x = cuda.to_device(host, stream=stream)
        twice[(host.size + 127) // 128, 128, stream](x)
        x.copy_to_host(host, stream=stream)
        stream.synchronize()
        return host.sum()
    ```
    """

    meta = Meta("KL811", "unsynchronised-result", Severity.WARNING, tags=("numba memory management",))

    def check_module(self, facts: ModuleFacts) -> Iterator[Finding]:
        for remark, related in remarks(facts, "early-read"):
            name, word = remark.words
            yield self.finding(
                remark.span,
                f"{name} is read while {word} that writes it may still be under way",
                related=related,
                fix="wait before: stream.synchronize(), or cuda.synchronize()",
            )
